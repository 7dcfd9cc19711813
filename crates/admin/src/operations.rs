//! All operations, a row each: where the command line and HTTP have them, what each takes and
//! answers, and the function that carries it out. The OpenAPI document is made of the same rows.
//!
//! Where something is changed, what is not named stays as it is.

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
use super::risk::{Kill, LimitsChange, RiskChange};
use super::rules::RulesChange;
use super::status::{SnapshotBegun, SnapshotShown, StatusShown};
use super::trading::{self, Breaker, Halt};
use super::transfer::Transfer;
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
    Status,
    TakeSnapshot,
    ListSnapshots,
}

/// The commands as `--help` lists them.
pub(super) const COMMANDS: &str = "asset add, asset list, instrument add, instrument update, \
    instrument rules, instrument fees, instrument calendar, instrument list, account add, \
    account update, account list, account balances, deposit, withdraw, withdrawal request, \
    withdrawal confirm, withdrawal cancel, withdrawal list, key add, key list, key revoke, phase, \
    halt, resume, delist, bust, correct, owed, settle, breaker, kill, risk, limits";

pub(super) const GROUPS: [(&str, &str); 5] = [
    ("asset", "Assets: what is owned and traded"),
    (
        "instrument",
        "Instruments: what is traded, in which steps, by which rules, at which fees and times",
    ),
    ("account", "Accounts and their balances"),
    (
        "withdrawal",
        "Pay out of an account's balance in two steps: what is asked for is locked until it leaves",
    ),
    ("key", "API keys"),
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
      "How the venue is: role, sequence, durability, snapshots, spool, read model, replica" }
    { GET "/snapshots" = ListSnapshots as Vec<SnapshotShown>;
      "The snapshots that are kept, oldest first" }
    { POST "/snapshots" = TakeSnapshot as SnapshotBegun;
      "Take a snapshot now, in the background" }
    { "halt", POST "/halt", Halt::execute;
      "Halt the venue: nothing trades and no order is taken on, though orders can be canceled" }
    { "resume", POST "/resume", trading::resume;
      "End the halt of the venue" }
    { "breaker", PUT "/breaker", Breaker::execute;
      "Halt the venue by itself when an index falls" }
    // Accounts
    { "account list", GET "/accounts", account::list;
      "Show all accounts"
      "All accounts" }
    { "account add", POST "/accounts", NewAccount::execute;
      "Open an account" }
    { "account update", PATCH "/accounts/{name}", AccountUpdate::execute;
      "Change an account's fees and limits; what is not named stays"
      "Change an account's fees and limits" }
    { "account balances", GET "/accounts/{name}/balances", NamedAccount::balances;
      "Show an account's balances"
      "What an account has free, and what its orders and withdrawals hold" }
    { "kill", PUT "/accounts/{account}/kill", Kill::execute;
      "Switch an account off: no more orders from it, and all that it has open are canceled; or on again"
      "Switch an account off, which cancels all that it has open, or on again" }
    { "risk", PATCH "/accounts/{account}/risk", RiskChange::execute;
      "Say how an account is looked after; what is not named stays, 0 is no limit"
      "Say how an account is looked after; 0 is no limit, and without fields all is shown" }
    { "limits", PATCH "/accounts/{account}/limits/{symbol}", LimitsChange::execute;
      "Limit what an account may do in one instrument; what is not named stays, 0 is no limit"
      "Limit what an account may do in one instrument; 0 is no limit, and without fields all is shown" }
    // Money
    { "deposit", POST "/deposits", Transfer::deposit;
      "Pay money or another asset into an account"
      "Pay an asset into an account" }
    { "withdraw", POST "/withdrawals", Transfer::withdraw;
      "Pay out of an account's free balance, in one step" }
    { "withdrawal list", ShownAccount::list;
      "Show the withdrawals that are open" }
    { GET "/withdrawals", withdrawal::list_open;
      "The withdrawals in two steps that are open" }
    { GET "/accounts/{account}/withdrawals", WithdrawingAccount::list;
      "An account's withdrawals in two steps, open or ended lately" }
    { "withdrawal request", POST "/accounts/{account}/withdrawals", withdrawal::request;
      "Lock an amount until the withdrawal is confirmed or canceled. Asked for again, it is shown"
      "Lock an amount until the withdrawal is confirmed or canceled; asked for again, it is shown" }
    { "withdrawal confirm", POST "/accounts/{account}/withdrawals/{external_ref}/confirm", NamedWithdrawal::confirm;
      "Let the amount leave the account"
      "Let the amount of a withdrawal leave the account" }
    { "withdrawal cancel", POST "/accounts/{account}/withdrawals/{external_ref}/cancel", NamedWithdrawal::cancel;
      "Make the amount free again"
      "Make the amount of a withdrawal free again" }
    { "owed", GET "/receivables", trading::list_owed;
      "Show what accounts owe each other since trades were undone after their proceeds were spent"
      "What accounts owe each other since trades were undone" }
    { "settle", POST "/receivables/{receivable}/settle", trading::settle;
      "Have what is owed paid out of what its debtor has free, as far as it goes"
      "Have what is owed paid out of what its debtor has free" }
    // Keys
    { "key list", GET "/keys", key::list;
      "Show the keys that are valid, by number"
      "The keys that are valid" }
    { "key add" by KeyArgs, POST "/keys", NewKey::execute;
      "Make a key. The secret of an HMAC key is shown, this once"
      "Make a key. The secret of an HMAC key is in the answer, this once" }
    { "key revoke", DELETE "/keys/{key}", KeyNumber::revoke;
      "Make a key invalid at once" }
    { "rotate-master-key", MasterKeyText::rotate; "" }
    // What is traded
    { "asset list", GET "/assets", account::list_assets;
      "Show all assets, and how much of each there is"
      "All assets, and how much of each there is" }
    { "asset add", POST "/assets", NewAsset::execute;
      "List a new asset, such as `BTC`"
      "List an asset" }
    { "instrument list", GET "/instruments", instrument::list;
      "Show all instruments"
      "All instruments" }
    { "instrument add", POST "/instruments", NewInstrument::execute;
      "List a new instrument, such as `BTCUSDT`\n\n\
        By default: prices from one tick to 10^8 ticks, quantities from one lot to 10^9 \
        lots, by market as by limit, any notional, 1,000 open orders per account, no fees."
      "List an instrument" }
    { "instrument update", PATCH "/instruments/{symbol}", Update::execute;
      "Change bounds and fees\n\n\
        What is not named stays, and without options all is shown; only the largest quantity by market \
        goes along with that by limit, where the two are equal. Open orders stay as they are."
      "Change bounds and fees; without fields all is shown" }
    { "delist", DELETE "/instruments/{symbol}", trading::delist;
      "Take no more orders for an instrument, for ever, and cancel all that are open"
      "Delist an instrument, for ever: all its open orders are canceled" }
    { "instrument rules", PATCH "/instruments/{symbol}/rules", RulesChange::execute;
      "Change filters, counts and price bands\n\n\
        What is not named stays, 0 is no such rule, and without options all is shown."
      "Change filters, counts and price bands; 0 is no such rule, and without fields all is shown" }
    { "instrument fees", PATCH "/instruments/{symbol}/fees", FeesChange::execute;
      "Say what makers and takers pay, by their volume\n\n\
        Without options the schedule is shown. Accounts with fees of their own pay those instead."
      "Say what makers and takers pay, by their volume; without fields the schedule is shown" }
    { "instrument calendar", PATCH "/instruments/{symbol}/calendar", CalendarChange::execute;
      "Say in which phase the instrument is, by the time of the week (UTC)\n\n\
        Without options the calendar is shown. A new one takes hold at once: the session that is on \
        by now begins. A phase that is set by hand holds until the next session."
      "Say in which phase the instrument is, by the time of the week (UTC); without fields the calendar is shown" }
    { "phase", PUT "/instruments/{symbol}/phase", trading::set_phase;
      "Bring an instrument into another phase" }
    { "bust", POST "/instruments/{symbol}/trades/{trade_id}/bust", trading::bust;
      "Undo a trade: each side gives back what it got, fees included" }
    { "correct", POST "/instruments/{symbol}/trades/{trade_id}/correct", trading::correct;
      "Give a trade another price: the difference moves between the two, fees stay" }
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
    let arguments = serde_json::from_value::<T>(fields)?;
    let request: Request = Box::new(move |venue| run(arguments, venue).map(to_json));
    Ok(Work::Ask(request))
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
