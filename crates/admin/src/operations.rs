//! All operations, a row each: command, method and path, and the function, whose types are the
//! arguments and the answer. The OpenAPI document is made from the same rows.
//!
//! A change keeps the values that it does not name.

use clap::{ArgMatches, Args, FromArgMatches};
use cli::Failure;
use gateway::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::account::{self, AccountUpdate, NamedAccount, NewAccount, NewAsset};
use super::backend::{Request, Venue};
use super::calendar::CalendarChange;
use super::fees::FeesChange;
use super::instrument::{self, NewInstrument, Update};
use super::key::{self, KeyNumber, MasterKeyText, NewKey};
use super::key_action::KeyArgs;
use super::log_level::LogLevel;
use super::log_query::{CommandPage, CommandsQuery, PastState, StateQuery};
use super::login::{self, LoginChange, NamedLogin, NewLogin};
use super::login_action::{LoginArgs, LoginChangeArgs};
use super::market_shown;
use super::order::{self, NamedOrder};
use super::risk::{Kill, LimitsChange, RiskChange};
use super::rules::RulesChange;
use super::settings::SettingsChange;
use super::status::{SnapshotBegun, SnapshotShown, StatusShown};
use super::trade::NamedTrade;
use super::trading::{self, Breaker, Halt};
use super::trail::{self, AuditArgs, AuditQuery};
use super::transfer::Transfer;
use super::trial::{self, ClockAdvance, NewFault};
use super::value::{Nothing, to_json};
use super::withdrawal::{self, NamedWithdrawal, ShownAccount, WithdrawingAccount};

/// Carries an operation out.
type Run<T, A> = fn(T, &mut Venue<'_>) -> Result<A, Failure>;

#[derive(Debug)]
pub(super) struct Operation {
    /// The words of its command, by which the socket knows it too; empty if only HTTP has it.
    pub(super) words: &'static str,
    /// The first paragraph is the short help.
    pub(super) about: &'static str,
    pub(super) line: Option<Line>,
    pub(super) route: Option<Route>,
    pub(super) work: fn(Value) -> Result<Work, serde_json::Error>,
}

/// The arguments of an operation on the command line.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) augment: fn(clap::Command) -> clap::Command,
    pub(super) read: fn(&mut ArgMatches) -> Result<Value, Failure>,
}

/// An operation over HTTP.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    /// Path and body together.
    pub(super) takes: fn(&mut SchemaGenerator) -> Schema,
    pub(super) answers: fn(&mut SchemaGenerator) -> Schema,
}

/// A request that is read, and where its answer comes from.
pub(super) enum Work {
    Ask(Request),
    /// A request whose answer is a question about the log.
    AskLog(Request),
    Status,
    TakeSnapshot,
    ListSnapshots,
}

/// The commands as `--help` lists them.
pub(super) const COMMANDS: &str = "asset add, asset list, instrument add, instrument update, \
    instrument rules, instrument fees, instrument calendar, instrument list, account add, \
    account update, account list, account balances, deposit, withdraw, withdrawal request, \
    withdrawal approve, withdrawal confirm, withdrawal cancel, withdrawal list, key add, key list, \
    key revoke, login add, login list, login set, login revoke, phase, halt, resume, \
    numbering-day, delist, order list, order show, order cancel, trade show, bust, correct, owed, settle, breaker, settings, kill, risk, limits, audit, log-level, \
    test clock, test fault, test faults, test clear";

pub(super) const GROUPS: [(&str, &str); 9] = [
    ("asset", "Add and list assets"),
    ("instrument", "Add, change and list instruments: steps, bounds, rules, fees, calendar"),
    ("account", "Add, change and list accounts and their balances"),
    (
        "withdrawal",
        "Withdraw in two steps: a request locks the amount until it is approved and confirmed",
    ),
    ("key", "Add, list and revoke API keys"),
    ("login", "Add, list, change and revoke logins of persons, which have a password"),
    ("order", "Show and cancel orders of any account"),
    ("trade", "Show a trade with both its sides"),
    ("test", "Move the clock of a test or a demo, and ask for faults"),
];

/// `command, route, function; help summary`: arguments and answer are those of the function. A row
/// has a command, a route or both; one sentence serves both if there is no other.
macro_rules! operations {
    ($({ $($row:tt)* })*) => {
        pub(super) const OPERATIONS: &[Operation] = &[$(operation!($($row)*)),*];
    };
}

macro_rules! operation {
    ($words:literal $(by $args:ident)?, $method:ident $path:literal, $run:path;
        $about:literal $($summary:literal)?) => {
        Operation {
            route: route!($method $path [$about $($summary)?]
                |schemas| takes($run, schemas), |schemas| answers($run, schemas)),
            ..operation!($words $(by $args)?, $run; $about)
        }
    };
    ($words:literal $(by $args:ident)?, $run:path; $about:literal) => {
        Operation {
            words: $words,
            about: $about,
            line: Some(line!($run $(, $args)?)),
            route: None,
            work: |fields| ask($run, fields),
        }
    };
    ($method:ident $path:literal, $run:path; $summary:literal) => {
        Operation {
            words: "",
            about: "",
            line: None,
            route: route!($method $path [$summary]
                |schemas| takes($run, schemas), |schemas| answers($run, schemas)),
            work: |fields| ask($run, fields),
        }
    };
    ($method:ident $path:literal, $run:path => $answer:ty; $summary:literal) => {
        Operation {
            words: "",
            about: "",
            line: None,
            route: route!($method $path [$summary]
                |schemas| takes($run, schemas), <$answer as JsonSchema>::json_schema),
            work: |fields| request($run, fields).map(Work::AskLog),
        }
    };
    ($method:ident $path:literal = $work:ident as $answer:ty; $summary:literal) => {
        Operation {
            words: "",
            about: "",
            line: None,
            route: route!($method $path [$summary]
                Nothing::json_schema, <$answer as JsonSchema>::json_schema),
            work: |_| Ok(Work::$work),
        }
    };
}

macro_rules! line {
    ($run:path) => {
        Line { augment: |command| augment($run, command), read: |matches| read($run, matches) }
    };
    ($run:path, $args:ident) => {
        Line {
            augment: <$args as Args>::augment_args,
            read: |matches| arguments::<$args>(matches).read().map(to_json),
        }
    };
}

macro_rules! route {
    ($method:ident $path:literal [$($sentence:literal)+] $takes:expr, $answers:expr) => {
        Some(Route {
            method: Method::$method,
            path: $path,
            summary: last(&[$($sentence),+]),
            takes: $takes,
            answers: $answers,
        })
    };
}

const fn last(sentences: &[&'static str]) -> &'static str {
    sentences[sentences.len() - 1]
}

operations! {
    // The venue
    { GET "/status" = Status as StatusShown;
      "Status of the venue: role, sequence, durability, snapshots, spool, read model, replica, halt, phases" }
    { GET "/snapshots" = ListSnapshots as Vec<SnapshotShown>;
      "The stored snapshots, oldest first" }
    { POST "/snapshots" = TakeSnapshot as SnapshotBegun;
      "Take a snapshot now, in the background" }
    { "audit" by AuditArgs, GET "/audit", AuditQuery::list;
      "Show the operators' commands: time, key, address, effect or reason of the refusal" }
    { GET "/log/state", StateQuery::question => PastState;
      "Books, balances, open orders and phases of a moment of the past, from the log" }
    { GET "/log/commands", CommandsQuery::question => CommandPage;
      "Commands in the log by time, account, instrument, order and name" }
    { "halt", POST "/halt", Halt::execute;
      "Halt the venue: it refuses new orders and trades nothing, but takes cancels" }
    { "resume", POST "/resume", trading::resume;
      "End the halt of the venue" }
    { "numbering-day", POST "/numbering-day", trading::begin_numbering_day;
      "Begin a numbering day: sessions of OUCH end, and logins number their orders from 1 again" }
    { "breaker", PUT "/breaker", Breaker::execute;
      "Set the circuit breaker: an automatic halt when an index falls" }
    { "settings", SettingsChange::execute;
      "Change settings of the venue as a whole; without options it shows the present ones" }
    { "log-level", PUT "/log-level", LogLevel::execute;
      "Change the level of the venue's log, until its end or the next change" }
    // Tests
    { "test clock", POST "/test/clock", ClockAdvance::execute;
      "Move the clock of a test or a demo forward, and wait until what is due then is carried out" }
    { "test fault", POST "/test/faults", NewFault::execute;
      "Have a fault meet the next orders, cancels and changes of an account" }
    { "test faults", GET "/test/faults", trial::list_faults;
      "Show the faults that wait for a request" }
    { "test clear", DELETE "/test/faults", trial::clear_faults;
      "Remove the faults that wait for a request" }
    // Accounts
    { "account list", GET "/accounts", account::list;
      "Show all accounts"
      "All accounts" }
    { "account add", POST "/accounts", NewAccount::execute;
      "Open an account" }
    { "account update", PATCH "/accounts/{name}", AccountUpdate::execute;
      "Change an account's fees and limits; options that are not given stay as they are"
      "Change an account's fees and limits" }
    { "account balances", GET "/accounts/{name}/balances", NamedAccount::balances;
      "Show an account's balances"
      "An account's free balances, and those that its orders and withdrawals hold" }
    { "kill", PUT "/accounts/{account}/kill", Kill::execute;
      "Turn an account's kill switch on: the venue cancels its open orders and refuses new ones; or off"
      "Turn an account's kill switch on, which cancels its open orders and refuses new ones, or off" }
    { "risk", PATCH "/accounts/{account}/risk", RiskChange::execute;
      "Set an account's risk mode and order rates; options that are not given stay, 0 is no limit"
      "Set an account's risk mode and order rates; 0 is no limit, no fields show the present values" }
    { "limits", PATCH "/accounts/{account}/limits/{symbol}", LimitsChange::execute;
      "Set an account's limits in one instrument; options that are not given stay, 0 is no limit"
      "Set an account's limits in one instrument; 0 is no limit, no fields show the present values" }
    // Money
    { "deposit", POST "/deposits", Transfer::deposit;
      "Deposit an amount of an asset into an account" }
    { "withdraw", POST "/withdrawals", Transfer::withdraw;
      "Withdraw an amount in one step; only where withdrawals need no approval" }
    { "withdrawal list", ShownAccount::list;
      "Show the open withdrawals" }
    { GET "/withdrawals", withdrawal::list_open;
      "The open withdrawals in two steps" }
    { GET "/accounts/{account}/withdrawals", WithdrawingAccount::list;
      "An account's withdrawals in two steps: open ones, and recently ended ones" }
    { "withdrawal request", POST "/accounts/{account}/withdrawals", withdrawal::request;
      "Lock an amount until the withdrawal is confirmed or canceled" }
    { "withdrawal approve", POST "/accounts/{account}/withdrawals/{external_ref}/approve", NamedWithdrawal::approve;
      "Approve a withdrawal that another operator has requested" }
    { "withdrawal confirm", POST "/accounts/{account}/withdrawals/{external_ref}/confirm", NamedWithdrawal::confirm;
      "Confirm a withdrawal that has its approvals: its amount leaves the account" }
    { "withdrawal cancel", POST "/accounts/{account}/withdrawals/{external_ref}/cancel", NamedWithdrawal::cancel;
      "Cancel a withdrawal: its amount is free again" }
    { "owed", GET "/receivables", trading::list_owed;
      "Show receivables: debts between accounts after a bust or a correction"
      "Receivables: debts between accounts after a bust or a correction" }
    { "settle", POST "/receivables/{receivable}/settle", trading::settle;
      "Pay a receivable from the debtor's free balance, as far as it suffices" }
    // Orders and trades
    { "order list", GET "/accounts/{account}/orders", order::list;
      "Show an account's open orders"
      "An account's open orders" }
    { "order show", GET "/instruments/{symbol}/orders/{order_id}", NamedOrder::show;
      "Show an order of any account"
      "An order of any account, open or ended" }
    { "order cancel", DELETE "/instruments/{symbol}/orders/{order_id}", NamedOrder::cancel;
      "Cancel an open order of any account" }
    { "trade show", GET "/instruments/{symbol}/trades/{trade_id}", NamedTrade::show;
      "Show a trade with both its sides: accounts, orders and fees"
      "A trade with both its sides: accounts, orders and fees" }
    // Keys
    { "key list", GET "/keys", key::list;
      "Show the valid keys, by number"
      "The valid keys" }
    { "key add" by KeyArgs, POST "/keys", NewKey::execute;
      "Create a key. The answer is the only place that shows the secret of an HMAC key" }
    { "key revoke", DELETE "/keys/{key}", KeyNumber::revoke;
      "Revoke a key at once" }
    { "rotate-master-key", MasterKeyText::rotate; "" }
    // Logins
    { "login list", GET "/logins", login::list;
      "Show the valid logins, by number"
      "The valid logins" }
    { "login add" by LoginArgs, POST "/logins", NewLogin::execute;
      "Create a login. The answer is the only place that shows the secret of its one-time codes" }
    { "login set" by LoginChangeArgs, PATCH "/logins/{user}", LoginChange::execute;
      "Change the password, the one-time codes or the ways of a login, or sign it out everywhere" }
    { "login revoke", DELETE "/logins/{user}", NamedLogin::revoke;
      "Revoke a login at once, and its keys" }
    // What is traded
    { "market", GET "/market", market_shown::show;
      "The whole market: assets, instruments, accounts with their limits and transfers, keys" }
    { "asset list", GET "/assets", account::list_assets;
      "Show all assets with their supply"
      "All assets with their supply" }
    { "asset add", POST "/assets", NewAsset::execute;
      "List a new asset, such as `BTC`"
      "List an asset" }
    { "instrument list", GET "/instruments", instrument::list;
      "Show all instruments"
      "All instruments" }
    { "instrument add", POST "/instruments", NewInstrument::execute;
      "List a new instrument, such as `BTCUSDT`\n\n\
        Defaults: prices from 1 tick to 10^8 ticks, quantities from 1 lot to 10^9 lots, also of \
        market orders, any notional, 1,000 open orders per account, no fees."
      "List an instrument" }
    { "instrument update", PATCH "/instruments/{symbol}", Update::execute;
      "Change bounds and fees\n\n\
        Options that are not given stay as they are; without options the command shows the present \
        values. Where --market-max-qty equals --max-qty, it changes with it. Open orders stay as they are."
      "Change bounds and fees; no fields show the present values" }
    { "delist", DELETE "/instruments/{symbol}", trading::delist;
      "Delist an instrument for ever: the venue cancels its open orders and refuses new ones"
      "Delist an instrument, for ever: all its open orders are canceled" }
    { "instrument rules", PATCH "/instruments/{symbol}/rules", RulesChange::execute;
      "Change filters, counts and price bands\n\n\
        Options that are not given stay as they are, 0 is no such rule, and without options the \
        command shows the present values."
      "Change filters, counts and price bands; 0 is no such rule, no fields show the present values" }
    { "instrument fees", PATCH "/instruments/{symbol}/fees", FeesChange::execute;
      "Set the fees of makers and takers by volume\n\n\
        Without options the command shows the schedule. Accounts with own fees pay these instead."
      "Set the fees of makers and takers by volume; no fields show the schedule" }
    { "instrument calendar", PATCH "/instruments/{symbol}/calendar", CalendarChange::execute;
      "Set the phases of an instrument by the time of the week (UTC)\n\n\
        Without options the command shows the calendar. A new calendar applies at once: its present \
        session begins. A phase set by `phase` lasts until the next session."
      "Set the phases of an instrument by the time of the week (UTC); no fields show the calendar" }
    { "phase", PUT "/instruments/{symbol}/phase", trading::set_phase;
      "Set the phase of an instrument" }
    { "bust", POST "/instruments/{symbol}/trades/{trade_id}/bust", trading::bust;
      "Undo a trade: each side returns what it received, fees included" }
    { "correct", POST "/instruments/{symbol}/trades/{trade_id}/correct", trading::correct;
      "Change the price of a trade: one side pays the difference to the other, fees stay" }
}

/// The answer of an operation that prints text; without one, or with `--json`, answers are JSON.
pub(super) fn text_of(words: &str) -> Option<fn(&Value) -> String> {
    (words == "audit").then_some(trail::text as fn(&Value) -> String)
}

/// The operation of these words on the command line and through the socket.
pub(super) fn named(words: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| !words.is_empty() && operation.words == words)
}

pub(super) fn routes() -> impl Iterator<Item = (&'static Operation, &'static Route)> {
    OPERATIONS.iter().filter_map(|operation| Some((operation, operation.route.as_ref()?)))
}

fn ask<T, A>(run: Run<T, A>, fields: Value) -> Result<Work, serde_json::Error>
where
    T: DeserializeOwned + Send + 'static,
    A: Serialize + 'static,
{
    request(run, fields).map(Work::Ask)
}

fn request<T, A>(run: Run<T, A>, fields: Value) -> Result<Request, serde_json::Error>
where
    T: DeserializeOwned + Send + 'static,
    A: Serialize + 'static,
{
    let arguments = serde_json::from_value::<T>(fields)?;
    Ok(Box::new(move |venue| run(arguments, venue).map(to_json)))
}

fn takes<T: JsonSchema, A>(_: Run<T, A>, schemas: &mut SchemaGenerator) -> Schema {
    T::json_schema(schemas)
}

fn answers<T, A: JsonSchema>(_: Run<T, A>, schemas: &mut SchemaGenerator) -> Schema {
    A::json_schema(schemas)
}

fn augment<T: Args, A>(_: Run<T, A>, command: clap::Command) -> clap::Command {
    T::augment_args(command)
}

fn read<T: FromArgMatches + Serialize, A>(
    _: Run<T, A>,
    matches: &mut ArgMatches,
) -> Result<Value, Failure> {
    Ok(to_json(arguments::<T>(matches)))
}

fn arguments<T: FromArgMatches>(matches: &mut ArgMatches) -> T {
    T::from_arg_matches_mut(matches).unwrap_or_else(|error| error.exit())
}
