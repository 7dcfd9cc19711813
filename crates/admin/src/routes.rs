//! The operations of the operators' API over HTTP, by method and path.
//!
//! A line of [`ROUTES`] says all there is to say about one of them; the OpenAPI document is made
//! from the same lines.

use gateway::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;

use super::calendar::{CalendarChange, CalendarShown};
use super::fees::{FeesChange, FeesShown};
use super::instrument::{
    InstrumentAction, InstrumentAdded, InstrumentShown, NewInstrument, Update,
};
use super::key::{KeyAdded, KeyNumber, KeyRevoked, KeyShown, NewKey};
use super::request::{
    AccountAdded, AccountShown, AccountUpdate, AssetAdded, AssetShown, BalanceShown, NamedAccount,
    NewAccount, NewAsset, Request,
};
use super::risk::{Kill, KillShown, LimitsChange, LimitsShown, Oversight, RiskChange, RiskShown};
use super::rules::{RulesChange, RulesShown};
use super::status::{SnapshotBegun, SnapshotShown, StatusShown};
use super::trading::{
    Adjusted, Breaker, BreakerShown, Correction, Delisted, Halt, Halted, NamedInstrument, Owed,
    PhaseChange, PhaseShown, ReceivableShown, Resumed, TradeSides, Trading,
};
use super::transfer::Transfer;
use super::withdrawal::{NamedWithdrawal, WithdrawalAction, WithdrawalShown, WithdrawingAccount};

/// One operation of the API.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    /// What it takes, path and body together.
    pub(super) schema: fn(&mut SchemaGenerator) -> Schema,
    /// What it answers.
    pub(super) answer: fn(&mut SchemaGenerator) -> Schema,
    pub(super) work: fn(Value) -> Result<Work, serde_json::Error>,
}

/// The outcome of a request.
pub(super) enum Work {
    Ask(Request),
    Status,
    TakeSnapshot,
    ListSnapshots,
}

/// Of an operation that takes nothing.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

macro_rules! route {
    ($method:ident $path:literal => $gives:ty, $summary:literal, $work:expr) => {
        route!($method $path => $gives, $summary, Nothing, |_| $work)
    };
    ($method:ident $path:literal => $gives:ty, $summary:literal, $takes:ty, $work:expr) => {
        Route {
            method: Method::$method,
            path: $path,
            summary: $summary,
            schema: |generator| <$takes>::json_schema(generator),
            answer: |generator| <$gives>::json_schema(generator),
            work: |fields| {
                let work: fn($takes) -> Work = $work;
                serde_json::from_value::<$takes>(fields).map(work)
            },
        }
    };
}

use Work::Ask;

/// By resource. Where something is changed, what is not named stays as it is.
pub(super) const ROUTES: &[Route] = &[
    // The venue
    route!(GET "/status" => StatusShown, "How the venue is: role, sequence, durability, snapshots, spool, read model, replica", Work::Status),
    route!(GET "/snapshots" => Vec<SnapshotShown>, "The snapshots that are kept, oldest first", Work::ListSnapshots),
    route!(POST "/snapshots" => SnapshotBegun, "Take a snapshot now, in the background", Work::TakeSnapshot),
    route!(POST "/halt" => Halted, "Halt the venue: nothing trades and no order is taken on, though orders can be canceled", Halt, |halt| trading(Trading::Halt(halt))),
    route!(POST "/resume" => Resumed, "End the halt of the venue", trading(Trading::Resume)),
    route!(PUT "/breaker" => BreakerShown<'_>, "Halt the venue by itself when an index falls", Breaker, |breaker| trading(Trading::Breaker(breaker))),
    // Accounts
    route!(GET "/accounts" => Vec<AccountShown>, "All accounts", Ask(Request::ListAccounts)),
    route!(POST "/accounts" => AccountAdded<'_>, "Open an account", NewAccount, |new| Ask(Request::AddAccount(new))),
    route!(PATCH "/accounts/{name}" => AccountShown, "Change an account's fees and limits", AccountUpdate, |update| Ask(Request::UpdateAccount(update))),
    route!(GET "/accounts/{name}/balances" => Vec<BalanceShown>, "What an account has free, and what its orders and withdrawals hold", NamedAccount, |account| Ask(Request::Balances(account))),
    route!(PUT "/accounts/{account}/kill" => KillShown, "Switch an account off, which cancels all that it has open, or on again", Kill, |kill| risk(Oversight::Kill(kill))),
    route!(PATCH "/accounts/{account}/risk" => RiskShown<'_>, "Say how an account is looked after; 0 is no limit, and without fields all is shown", RiskChange, |change| risk(Oversight::Risk(change))),
    route!(PATCH "/accounts/{account}/limits/{symbol}" => LimitsShown<'_>, "Limit what an account may do in one instrument; 0 is no limit, and without fields all is shown", LimitsChange, |change| risk(Oversight::Limits(change))),
    // Money
    route!(POST "/deposits" => Vec<BalanceShown>, "Pay an asset into an account", Transfer, |transfer| Ask(Request::Deposit(transfer))),
    route!(POST "/withdrawals" => Vec<BalanceShown>, "Pay out of an account's free balance, in one step", Transfer, |transfer| Ask(Request::Withdraw(transfer))),
    route!(GET "/withdrawals" => Vec<WithdrawalShown>, "The withdrawals in two steps that are open", withdrawal(WithdrawalAction::List { account: None })),
    route!(GET "/accounts/{account}/withdrawals" => Vec<WithdrawalShown>, "An account's withdrawals in two steps, open or ended lately", WithdrawingAccount, |of| withdrawal(WithdrawalAction::List { account: Some(of.account) })),
    route!(POST "/accounts/{account}/withdrawals" => WithdrawalShown, "Lock an amount until the withdrawal is confirmed or canceled; asked for again, it is shown", Transfer, |transfer| withdrawal(WithdrawalAction::Request(transfer))),
    route!(POST "/accounts/{account}/withdrawals/{external_ref}/confirm" => WithdrawalShown, "Let the amount of a withdrawal leave the account", NamedWithdrawal, |named| withdrawal(WithdrawalAction::Confirm(named))),
    route!(POST "/accounts/{account}/withdrawals/{external_ref}/cancel" => WithdrawalShown, "Make the amount of a withdrawal free again", NamedWithdrawal, |named| withdrawal(WithdrawalAction::Cancel(named))),
    route!(GET "/receivables" => Vec<ReceivableShown>, "What accounts owe each other since trades were undone", trading(Trading::Owed)),
    route!(POST "/receivables/{receivable}/settle" => Vec<ReceivableShown>, "Have what is owed paid out of what its debtor has free", Owed, |owed| trading(Trading::Settle(owed))),
    // Keys
    route!(GET "/keys" => Vec<KeyShown>, "The keys that are valid", Ask(Request::ListKeys)),
    route!(POST "/keys" => KeyAdded<'_>, "Make a key. The secret of an HMAC key is in the answer, this once", NewKey, |new| Ask(Request::AddKey(new))),
    route!(DELETE "/keys/{key}" => KeyRevoked, "Make a key invalid at once", KeyNumber, |key| Ask(Request::RevokeKey(key))),
    // What is traded
    route!(GET "/assets" => Vec<AssetShown>, "All assets, and how much of each there is", Ask(Request::ListAssets)),
    route!(POST "/assets" => AssetAdded<'_>, "List an asset", NewAsset, |new| Ask(Request::AddAsset(new))),
    route!(GET "/instruments" => Vec<InstrumentShown>, "All instruments", instrument(InstrumentAction::List)),
    route!(POST "/instruments" => InstrumentAdded<'_>, "List an instrument", NewInstrument, |new| instrument(InstrumentAction::Add(new))),
    route!(PATCH "/instruments/{symbol}" => InstrumentShown, "Change bounds and fees; without fields all is shown", Update, |update| instrument(InstrumentAction::Update(update))),
    route!(DELETE "/instruments/{symbol}" => Delisted, "Delist an instrument, for ever: all its open orders are canceled", NamedInstrument, |named| trading(Trading::Delist(named))),
    route!(PATCH "/instruments/{symbol}/rules" => RulesShown<'_>, "Change filters, counts and price bands; 0 is no such rule, and without fields all is shown", RulesChange, |change| instrument(InstrumentAction::Rules(change))),
    route!(PATCH "/instruments/{symbol}/fees" => FeesShown<'_>, "Say what makers and takers pay, by their volume; without fields the schedule is shown", FeesChange, |change| instrument(InstrumentAction::Fees(change))),
    route!(PATCH "/instruments/{symbol}/calendar" => CalendarShown<'_>, "Say in which phase the instrument is, by the time of the week (UTC); without fields the calendar is shown", CalendarChange, |change| instrument(InstrumentAction::Calendar(change))),
    route!(PUT "/instruments/{symbol}/phase" => PhaseShown, "Bring an instrument into another phase", PhaseChange, |change| trading(Trading::Phase(change))),
    route!(POST "/instruments/{symbol}/trades/{trade_id}/bust" => Adjusted, "Undo a trade: each side gives back what it got, fees included", TradeSides, |trade| trading(Trading::Bust(trade))),
    route!(POST "/instruments/{symbol}/trades/{trade_id}/correct" => Adjusted, "Give a trade another price: the difference moves between the two, fees stay", Correction, |correction| trading(Trading::Correct(correction))),
];

fn trading(action: Trading) -> Work {
    Ask(Request::Trading { action })
}

fn withdrawal(action: WithdrawalAction) -> Work {
    Ask(Request::Withdrawal { action })
}

fn risk(action: Oversight) -> Work {
    Ask(Request::Risk { action })
}

fn instrument(action: InstrumentAction) -> Work {
    Ask(Request::Instrument { action })
}
