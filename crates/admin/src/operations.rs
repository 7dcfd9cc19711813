//! All operations, a row each: where the command line and HTTP have them, what each takes and
//! answers, and the function that carries it out. The OpenAPI document is made of the same rows.
//!
//! Where something is changed, what is not named stays as it is.

use clap::{ArgMatches, Args, FromArgMatches};
use cli::Failure;
use gateway::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::account::{
    self, AccountAdded, AccountShown, AccountUpdate, AssetAdded, AssetShown, BalanceShown,
    NamedAccount, NewAccount, NewAsset,
};
use super::backend::{Request, Venue};
use super::calendar::{CalendarChange, CalendarShown};
use super::fees::{FeesChange, FeesShown};
use super::instrument::{self, InstrumentAdded, InstrumentShown, NewInstrument, Update};
use super::key::{self, KeyAdded, KeyNumber, KeyRevoked, KeyShown, MasterKeyText, NewKey};
use super::key_action::KeyArgs;
use super::risk::{Kill, KillShown, LimitsChange, LimitsShown, RiskChange, RiskShown};
use super::rules::{RulesChange, RulesShown};
use super::status::{SnapshotBegun, SnapshotShown, StatusShown};
use super::trading::{
    self, Adjusted, Breaker, BreakerShown, Correction, Delisted, Halt, Halted, NamedInstrument,
    Owed, PhaseChange, PhaseShown, ReceivableShown, Resumed, TradeSides,
};
use super::transfer::Transfer;
use super::value::{Nothing, to_json};
use super::withdrawal::{self, NamedWithdrawal, ShownAccount, WithdrawalShown, WithdrawingAccount};

pub(super) struct Operation {
    /// The words of its command, by which the socket knows it too; empty if only HTTP has it.
    pub(super) words: &'static str,
    /// `None` if no command line has it.
    pub(super) line: Option<Line>,
    /// `None` if HTTP does not have it.
    pub(super) route: Option<Route>,
    pub(super) work: fn(Value) -> Result<Work, serde_json::Error>,
}

/// An operation on the command line.
pub(super) struct Line {
    /// The first paragraph is the short help.
    pub(super) about: &'static str,
    pub(super) augment: fn(clap::Command) -> clap::Command,
    pub(super) read: fn(&mut ArgMatches) -> Result<Value, Failure>,
}

/// An operation over HTTP.
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

/// `{ command; route; arguments => answer: function }`; a row has a command, a route or both.
macro_rules! operations {
    ($({ $($row:tt)* })*) => {
        pub(super) const OPERATIONS: &[Operation] = &[$(operation!($($row)*)),*];
    };
}

macro_rules! operation {
    ($words:literal $about:literal $(by $args:ident)?; $method:ident $path:literal $summary:literal;
        $takes:ty => $answers:ty: $run:path) => {
        Operation {
            words: $words,
            line: Some(line!($about, $takes $(, $args)?)),
            route: Some(route!($method $path $summary, $takes => $answers)),
            work: |fields| ask::<$takes>(fields, $run),
        }
    };
    ($words:literal $about:literal; $takes:ty: $run:path) => {
        Operation {
            words: $words,
            line: Some(line!($about, $takes)),
            route: None,
            work: |fields| ask::<$takes>(fields, $run),
        }
    };
    ($words:literal; $takes:ty: $run:path) => {
        Operation {
            words: $words,
            line: None,
            route: None,
            work: |fields| ask::<$takes>(fields, $run),
        }
    };
    ($method:ident $path:literal $summary:literal; $takes:ty => $answers:ty: $run:path) => {
        Operation {
            words: "",
            line: None,
            route: Some(route!($method $path $summary, $takes => $answers)),
            work: |fields| ask::<$takes>(fields, $run),
        }
    };
    ($method:ident $path:literal $summary:literal; $answers:ty: = $work:ident) => {
        Operation {
            words: "",
            line: None,
            route: Some(route!($method $path $summary, Nothing => $answers)),
            work: |fields| serde_json::from_value::<Nothing>(fields).map(|_| Work::$work),
        }
    };
}

macro_rules! line {
    ($about:literal, $takes:ty) => {
        Line {
            about: $about,
            augment: <$takes as Args>::augment_args,
            read: |matches| Ok(to_json(arguments::<$takes>(matches))),
        }
    };
    ($about:literal, $takes:ty, $args:ident) => {
        Line {
            about: $about,
            augment: <$args as Args>::augment_args,
            read: |matches| arguments::<$args>(matches).read().map(to_json),
        }
    };
}

macro_rules! route {
    ($method:ident $path:literal $summary:literal, $takes:ty => $answers:ty) => {
        Route {
            method: Method::$method,
            path: $path,
            summary: $summary,
            takes: <$takes as JsonSchema>::json_schema,
            answers: <$answers as JsonSchema>::json_schema,
        }
    };
}

/// The commands and their subcommands as `--help` lists them, and what it says of each group.
pub(super) const COMMANDS: &[(&str, &str, &[&str])] = &[
    ("asset", "Assets: what is owned and traded", &["add", "list"]),
    (
        "instrument",
        "Instruments: what is traded, in which steps, by which rules, at which fees and times",
        &["add", "update", "rules", "fees", "calendar", "list"],
    ),
    ("account", "Accounts and their balances", &["add", "update", "list", "balances"]),
    ("deposit", "", &[]),
    ("withdraw", "", &[]),
    (
        "withdrawal",
        "Pay out of an account's balance in two steps: what is asked for is locked until it leaves",
        &["request", "confirm", "cancel", "list"],
    ),
    ("key", "API keys", &["add", "list", "revoke"]),
    ("phase", "", &[]),
    ("halt", "", &[]),
    ("resume", "", &[]),
    ("delist", "", &[]),
    ("bust", "", &[]),
    ("correct", "", &[]),
    ("owed", "", &[]),
    ("settle", "", &[]),
    ("breaker", "", &[]),
    ("kill", "", &[]),
    ("risk", "", &[]),
    ("limits", "", &[]),
];

operations! {
    // The venue
    { GET "/status" "How the venue is: role, sequence, durability, snapshots, spool, read model, replica";
      StatusShown: = Status }
    { GET "/snapshots" "The snapshots that are kept, oldest first";
      Vec<SnapshotShown>: = ListSnapshots }
    { POST "/snapshots" "Take a snapshot now, in the background";
      SnapshotBegun: = TakeSnapshot }
    { "halt" "Halt the venue: nothing trades and no order is taken on, though orders can be canceled";
      POST "/halt" "Halt the venue: nothing trades and no order is taken on, though orders can be canceled";
      Halt => Halted: Halt::execute }
    { "resume" "End the halt of the venue";
      POST "/resume" "End the halt of the venue";
      Nothing => Resumed: trading::resume }
    { "breaker" "Halt the venue by itself when an index falls";
      PUT "/breaker" "Halt the venue by itself when an index falls";
      Breaker => BreakerShown<'_>: Breaker::execute }
    // Accounts
    { "account list" "Show all accounts";
      GET "/accounts" "All accounts";
      Nothing => Vec<AccountShown>: account::list }
    { "account add" "Open an account";
      POST "/accounts" "Open an account";
      NewAccount => AccountAdded<'_>: NewAccount::execute }
    { "account update" "Change an account's fees and limits; what is not named stays";
      PATCH "/accounts/{name}" "Change an account's fees and limits";
      AccountUpdate => AccountShown: AccountUpdate::execute }
    { "account balances" "Show an account's balances";
      GET "/accounts/{name}/balances" "What an account has free, and what its orders and withdrawals hold";
      NamedAccount => Vec<BalanceShown>: NamedAccount::balances }
    { "kill" "Switch an account off: no more orders from it, and all that it has open are canceled; or on again";
      PUT "/accounts/{account}/kill" "Switch an account off, which cancels all that it has open, or on again";
      Kill => KillShown: Kill::execute }
    { "risk" "Say how an account is looked after; what is not named stays, 0 is no limit";
      PATCH "/accounts/{account}/risk" "Say how an account is looked after; 0 is no limit, and without fields all is shown";
      RiskChange => RiskShown<'_>: RiskChange::execute }
    { "limits" "Limit what an account may do in one instrument; what is not named stays, 0 is no limit";
      PATCH "/accounts/{account}/limits/{symbol}" "Limit what an account may do in one instrument; 0 is no limit, and without fields all is shown";
      LimitsChange => LimitsShown<'_>: LimitsChange::execute }
    // Money
    { "deposit" "Pay money or another asset into an account";
      POST "/deposits" "Pay an asset into an account";
      Transfer => Vec<BalanceShown>: Transfer::deposit }
    { "withdraw" "Pay out of an account's free balance, in one step";
      POST "/withdrawals" "Pay out of an account's free balance, in one step";
      Transfer => Vec<BalanceShown>: Transfer::withdraw }
    { "withdrawal list" "Show the withdrawals that are open";
      ShownAccount: ShownAccount::list }
    { GET "/withdrawals" "The withdrawals in two steps that are open";
      Nothing => Vec<WithdrawalShown>: withdrawal::list_open }
    { GET "/accounts/{account}/withdrawals" "An account's withdrawals in two steps, open or ended lately";
      WithdrawingAccount => Vec<WithdrawalShown>: WithdrawingAccount::list }
    { "withdrawal request" "Lock an amount until the withdrawal is confirmed or canceled. Asked for again, it is shown";
      POST "/accounts/{account}/withdrawals" "Lock an amount until the withdrawal is confirmed or canceled; asked for again, it is shown";
      Transfer => WithdrawalShown: withdrawal::request }
    { "withdrawal confirm" "Let the amount leave the account";
      POST "/accounts/{account}/withdrawals/{external_ref}/confirm" "Let the amount of a withdrawal leave the account";
      NamedWithdrawal => WithdrawalShown: NamedWithdrawal::confirm }
    { "withdrawal cancel" "Make the amount free again";
      POST "/accounts/{account}/withdrawals/{external_ref}/cancel" "Make the amount of a withdrawal free again";
      NamedWithdrawal => WithdrawalShown: NamedWithdrawal::cancel }
    { "owed" "Show what accounts owe each other since trades were undone after their proceeds were spent";
      GET "/receivables" "What accounts owe each other since trades were undone";
      Nothing => Vec<ReceivableShown>: trading::list_owed }
    { "settle" "Have what is owed paid out of what its debtor has free, as far as it goes";
      POST "/receivables/{receivable}/settle" "Have what is owed paid out of what its debtor has free";
      Owed => Vec<ReceivableShown>: Owed::settle }
    // Keys
    { "key list" "Show the keys that are valid, by number";
      GET "/keys" "The keys that are valid";
      Nothing => Vec<KeyShown>: key::list }
    { "key add" "Make a key. The secret of an HMAC key is shown, this once" by KeyArgs;
      POST "/keys" "Make a key. The secret of an HMAC key is in the answer, this once";
      NewKey => KeyAdded<'_>: NewKey::execute }
    { "key revoke" "Make a key invalid at once";
      DELETE "/keys/{key}" "Make a key invalid at once";
      KeyNumber => KeyRevoked: KeyNumber::revoke }
    { "rotate-master-key"; MasterKeyText: MasterKeyText::rotate }
    // What is traded
    { "asset list" "Show all assets, and how much of each there is";
      GET "/assets" "All assets, and how much of each there is";
      Nothing => Vec<AssetShown>: account::list_assets }
    { "asset add" "List a new asset, such as `BTC`";
      POST "/assets" "List an asset";
      NewAsset => AssetAdded<'_>: NewAsset::execute }
    { "instrument list" "Show all instruments";
      GET "/instruments" "All instruments";
      Nothing => Vec<InstrumentShown>: instrument::list }
    { "instrument add" "List a new instrument, such as `BTCUSDT`\n\n\
        By default: prices from one tick to 10^8 ticks, quantities from one lot to 10^9 \
        lots, by market as by limit, any notional, 1,000 open orders per account, no fees.";
      POST "/instruments" "List an instrument";
      NewInstrument => InstrumentAdded<'_>: NewInstrument::execute }
    { "instrument update" "Change bounds and fees\n\n\
        What is not named stays, and without options all is shown; only the largest quantity by market \
        goes along with that by limit, where the two are equal. Open orders stay as they are.";
      PATCH "/instruments/{symbol}" "Change bounds and fees; without fields all is shown";
      Update => InstrumentShown: Update::execute }
    { "delist" "Take no more orders for an instrument, for ever, and cancel all that are open";
      DELETE "/instruments/{symbol}" "Delist an instrument, for ever: all its open orders are canceled";
      NamedInstrument => Delisted: NamedInstrument::delist }
    { "instrument rules" "Change filters, counts and price bands\n\n\
        What is not named stays, 0 is no such rule, and without options all is shown.";
      PATCH "/instruments/{symbol}/rules" "Change filters, counts and price bands; 0 is no such rule, and without fields all is shown";
      RulesChange => RulesShown<'_>: RulesChange::execute }
    { "instrument fees" "Say what makers and takers pay, by their volume\n\n\
        Without options the schedule is shown. Accounts with fees of their own pay those instead.";
      PATCH "/instruments/{symbol}/fees" "Say what makers and takers pay, by their volume; without fields the schedule is shown";
      FeesChange => FeesShown<'_>: FeesChange::execute }
    { "instrument calendar" "Say in which phase the instrument is, by the time of the week (UTC)\n\n\
        Without options the calendar is shown. A new one takes hold at once: the session that is on \
        by now begins. A phase that is set by hand holds until the next session.";
      PATCH "/instruments/{symbol}/calendar" "Say in which phase the instrument is, by the time of the week (UTC); without fields the calendar is shown";
      CalendarChange => CalendarShown<'_>: CalendarChange::execute }
    { "phase" "Bring an instrument into another phase";
      PUT "/instruments/{symbol}/phase" "Bring an instrument into another phase";
      PhaseChange => PhaseShown: PhaseChange::execute }
    { "bust" "Undo a trade: each side gives back what it got, fees included";
      POST "/instruments/{symbol}/trades/{trade_id}/bust" "Undo a trade: each side gives back what it got, fees included";
      TradeSides => Adjusted: TradeSides::bust }
    { "correct" "Give a trade another price: the difference moves between the two, fees stay";
      POST "/instruments/{symbol}/trades/{trade_id}/correct" "Give a trade another price: the difference moves between the two, fees stay";
      Correction => Adjusted: Correction::execute }
}

/// The operation of these words on the command line and through the socket.
pub(super) fn named(words: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| !words.is_empty() && operation.words == words)
}

pub(super) fn routes() -> impl Iterator<Item = (&'static Operation, &'static Route)> {
    OPERATIONS.iter().filter_map(|operation| Some((operation, operation.route.as_ref()?)))
}

fn ask<T: DeserializeOwned + Send + 'static>(
    fields: Value,
    run: fn(T, &mut Venue<'_>) -> Result<Value, Failure>,
) -> Result<Work, serde_json::Error> {
    let arguments = serde_json::from_value::<T>(fields)?;
    let request: Request = Box::new(move |venue| run(arguments, venue));
    Ok(Work::Ask(request))
}

fn arguments<T: FromArgMatches>(matches: &mut ArgMatches) -> T {
    T::from_arg_matches_mut(matches).unwrap_or_else(|error| error.exit())
}
