//! The operators' API over HTTP: the requests of `buttonwood admin`, by method and path.
//!
//! A line of [`ROUTES`] says all there is to say about one of them; the OpenAPI document is made from
//! the same lines. A request's fields come from the path and the body, which together are the object
//! that `admin` would send.

use std::path::PathBuf;
use std::sync::Arc;

use gateway::{Answering, Method, OperatorAnswer, OperatorApi, OperatorRequest, Place};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use venue::{Handle, Keyring};

use super::calendar::{CalendarChange, CalendarShown};
use super::fees::{FeesChange, FeesShown};
use super::instrument::{
    InstrumentAction, InstrumentAdded, InstrumentShown, NewInstrument, Update,
};
use super::key::{KeyAdded, KeyNumber, KeyRevoked, KeyShown, NewKey};
use super::openapi::{self, Fields};
use super::request::{
    AccountAdded, AccountShown, AccountUpdate, AssetAdded, AssetShown, BalanceShown, NamedAccount,
    NewAccount, NewAsset, Request, Transfer, to_json,
};
use super::risk::{Kill, KillShown, LimitsChange, LimitsShown, Oversight, RiskChange, RiskShown};
use super::rules::{RulesChange, RulesShown};
use super::server::Online;
use super::trading::{
    Adjusted, Breaker, BreakerShown, Correction, Delisted, Halt, Halted, NamedInstrument, Owed,
    PhaseChange, PhaseShown, ReceivableShown, Resumed, TradeSides, Trading,
};
use super::withdrawal::{NamedWithdrawal, WithdrawalAction, WithdrawalShown, WithdrawingAccount};
use crate::config::{Config, Durability};
use crate::failure::{Cause, Failure};

/// Codes of the errors, beside those of signatures and limits, which are Binance's.
const BAD_REQUEST: i32 = -9001;
const NOT_THERE: i32 = -9002;
const REFUSED: i32 = -9003;
const UNAVAILABLE: i32 = -9004;
const FAULT: i32 = -9005;

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
    work: fn(Value) -> Result<Work, serde_json::Error>,
}

/// What a request comes to.
enum Work {
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

/// What of a running venue its operators reach over HTTP.
#[derive(Clone, Debug)]
pub(crate) struct AdminApi {
    handle: Handle,
    keyring: Keyring,
    data_dir: PathBuf,
    durability: Durability,
    /// What each of [`ROUTES`] takes.
    fields: Arc<[Fields]>,
}

impl AdminApi {
    pub(crate) fn new(handle: Handle, keyring: Keyring, config: &Config) -> Self {
        let (data_dir, durability) = (config.data_dir.clone(), config.durability);
        let fields = ROUTES.iter().map(Fields::of).collect();
        Self { handle, keyring, data_dir, durability, fields }
    }

    async fn execute(self, request: OperatorRequest) -> OperatorAnswer {
        let work = match self.read(&request) {
            Ok(work) => work,
            Err(failure) => return answer(Err(failure), false),
        };
        let online = Online { handle: self.handle.clone(), key: request.key, is_sent: false };
        match work {
            Ask(request) => {
                let (executed, is_sent) = online.execute(request, self.keyring).await;
                answer(executed, is_sent)
            }
            Work::Status => answer(Ok(self.status()), false),
            Work::TakeSnapshot => answer(self.take_snapshot(), false),
            Work::ListSnapshots => answer(self.list_snapshots(), false),
        }
    }

    fn read(&self, request: &OperatorRequest) -> Result<Work, Failure> {
        if let Some((name, _)) = request.query.first() {
            return Err(Failure::new(format!(
                "`{name}` stands in the query string, where only time and signature belong"
            )));
        }
        let found = ROUTES.iter().zip(&*self.fields).find_map(|(route, fields)| {
            let named = segments(route.path, &request.path)?;
            (route.method == request.method).then_some((route, fields, named))
        });
        let (route, fields, named) =
            found.ok_or_else(|| Failure::unknown("there is no such operation"))?;
        let mut object = match request.body.is_empty() {
            true => Map::new(),
            false => serde_json::from_slice(&request.body)
                .map_err(|error| Failure::new(format!("the body is not an object: {error}")))?,
        };
        fields.check(&object)?;
        for (name, text) in named {
            object.insert(name.to_owned(), fields.path_value(name, &text)?);
        }
        (route.work)(Value::Object(object)).map_err(|error| Failure::new(error.to_string()))
    }

    fn status(&self) -> Value {
        let metrics = self.handle.metrics();
        let figures = metrics.figures();
        to_json(StatusShown {
            role: "primary",
            durability: self.durability,
            sequence: figures.applied_sequence,
            disk_full: figures.is_disk_full,
            snapshot_sequence: figures.snapshot_sequence,
            snapshot_failures: figures.snapshot_failures,
            spool_first_sequence: figures.spool_first_sequence,
            read_model_sequence: figures.projected_sequence,
            read_model_failing: figures.is_projection_failing,
            replica: metrics.replica_status().to_string(),
        })
    }

    fn take_snapshot(&self) -> Result<Value, Failure> {
        let taken = self.handle.take_snapshot();
        taken.map_err(|refused| Failure::unavailable(refused.to_string()))?;
        Ok(to_json(SnapshotBegun { begun: true }))
    }

    fn list_snapshots(&self) -> Result<Value, Failure> {
        let files = log::snapshot::files(&self.data_dir.join("snapshots"))
            .map_err(|error| Failure::fault(error.to_string()))?;
        let row = |(batch, path): (u64, PathBuf)| {
            let size = path.metadata().map(|metadata| metadata.len()).ok();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            SnapshotShown { batch, file: name, bytes: size }
        };
        Ok(to_json(files.into_iter().map(row).collect::<Vec<_>>()))
    }
}

#[derive(JsonSchema, Serialize)]
struct StatusShown {
    /// A venue on one machine has no standby that could be asked
    role: &'static str,
    durability: Durability,
    sequence: u64,
    disk_full: bool,
    /// None before the first one
    snapshot_sequence: Option<u64>,
    snapshot_failures: u64,
    spool_first_sequence: u64,
    read_model_sequence: u64,
    read_model_failing: bool,
    replica: String,
}

#[derive(JsonSchema, Serialize)]
struct SnapshotBegun {
    begun: bool,
}

#[derive(JsonSchema, Serialize)]
struct SnapshotShown {
    batch: u64,
    file: Option<String>,
    /// None if it is being replaced just now
    bytes: Option<u64>,
}

impl OperatorApi for AdminApi {
    fn find(&self, method: &Method, path: &str) -> Place {
        if let Some(body) = openapi::page(path) {
            return match *method == Method::GET || *method == Method::HEAD {
                true => Place::Page(body),
                false => Place::OtherMethods("GET, HEAD".to_owned()),
            };
        }
        let there: Vec<_> =
            ROUTES.iter().filter(|route| segments(route.path, path).is_some()).collect();
        match there.iter().any(|route| route.method == *method) {
            true => Place::Operation,
            false if there.is_empty() => Place::Nowhere,
            false => {
                let methods: Vec<_> = there.iter().map(|route| route.method.as_str()).collect();
                Place::OtherMethods(methods.join(", "))
            }
        }
    }

    fn answer(&self, request: OperatorRequest) -> Answering {
        Box::pin(self.clone().execute(request))
    }
}

/// The parts of a path by the names that its pattern gives them; `None` if it is another path.
fn segments(pattern: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
    let (mut patterns, mut parts) = (pattern.split('/'), path.split('/'));
    let mut named = Vec::new();
    loop {
        match (patterns.next(), parts.next()) {
            (None, None) => return Some(named),
            (Some(pattern), Some(part)) => match openapi::name_in(pattern) {
                Some(name) if !part.is_empty() => named.push((name, decode(part)?)),
                None if pattern == part => {}
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// Undoes percent-encoding.
fn decode(part: &str) -> Option<String> {
    let mut bytes = part.bytes();
    let mut decoded = Vec::with_capacity(part.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            plain => plain,
        });
    }
    String::from_utf8(decoded).ok()
}

fn answer(executed: Result<Value, Failure>, is_sent: bool) -> OperatorAnswer {
    let failure = match executed {
        Ok(value) => return OperatorAnswer { status: 200, body: value.to_string(), refusal: None },
        Err(failure) => failure,
    };
    let (status, code) = match failure.cause() {
        Cause::Request => (400, BAD_REQUEST),
        Cause::Unknown => (404, NOT_THERE),
        Cause::Refused(_) => (409, REFUSED),
        Cause::Unavailable => (503, UNAVAILABLE),
        Cause::Fault => (500, FAULT),
    };
    let sentence = failure.to_string();
    let mut body = json!({ "code": code, "msg": sentence });
    if let Cause::Refused(reason) = failure.cause() {
        body["reason"] = format!("{reason:?}").into();
    }
    let refusal = (!is_sent).then_some((code, sentence));
    OperatorAnswer { status, body: body.to_string(), refusal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_its_pattern_and_gives_its_parts() {
        let pattern = "/accounts/{account}/limits/{symbol}";
        let found = segments(pattern, "/accounts/a%20b/limits/BTCUSDT");
        assert_eq!(
            found,
            Some(vec![("account", "a b".to_owned()), ("symbol", "BTCUSDT".to_owned())])
        );
        for other in [
            "/accounts/a/limits",
            "/accounts//limits/B",
            "/accounts/a/limits/B/",
            "/accounts/%f/limits/B",
            "/accounts/%ff/limits/B",
        ] {
            assert_eq!(segments(pattern, other), None, "{other}");
        }
    }

    #[test]
    fn each_operation_is_there_once_and_takes_what_its_path_names() {
        let mut seen = std::collections::BTreeSet::new();
        for route in ROUTES {
            assert!(seen.insert((route.method.as_str(), route.path)), "{} twice", route.path);
            let fields = Fields::of(route);
            for name in route.path.split('/').filter_map(openapi::name_in) {
                assert!(fields.path_value(name, "1").is_ok(), "{} has no `{name}`", route.path);
            }
        }
    }
}
