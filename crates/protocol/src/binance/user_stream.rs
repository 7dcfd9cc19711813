//! The events of an account, as payloads: `executionReport`, `listStatus`, `balanceUpdate`
//! and `outboundAccountPosition`; of a bust or a correction, `tradeBusted` and `tradeCorrected`.
//!
//! Beyond Binance's fields each event but the position has `seq`, its number among the account's
//! events, which has no gap and no repeat: a client that has one asks for what follows it. For
//! events that Binance knows nothing like there is an `accountNotice`, so that their numbers are
//! not missing.

mod report;
mod revised;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;
use types::{
    AccountId, Amount, Asset, AssetId, Balance, ClOrdId, Event, InstrumentId, Market, Order,
    OrderId, OrderList, OrderListChange,
};

use self::report::{Change, Traded, execution_report};
use self::revised::Revised;
use crate::binance::decimal::Decimal;
use crate::binance::list_id::list_id;
use crate::binance::object::{self, object};
use crate::binance::response::facts::OrderFacts;
use crate::binance::response::list::contingency_type;
use crate::signed::TimeUnit;

/// What an event does not say itself.
pub trait Names {
    fn market(&self, instrument: InstrumentId) -> Option<Market>;
    fn asset(&self, asset: AssetId) -> Option<Asset>;
    /// The names of a list's orders.
    fn order(&self, list: &OrderList, order: OrderId) -> Option<ClOrdId>;
    /// Whether the order's list has yet to place it.
    fn is_pending(&self, order: &Order) -> bool;
    /// The quote amount that the order was entered with: self-trade prevention lowers it.
    fn entered_amount(&self, order: &Order) -> Amount;
}

/// When an event happened, and the unit of times.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub event_ns: u64,
    pub unit: TimeUnit,
}

impl Moment {
    fn time(self) -> u64 {
        self.unit.time(self.event_ns)
    }
}

/// The payload of one number of an account, in JSON: an event has a payload for each of its
/// numbers, so no two payloads of an account share a number. An account that traded with itself
/// gets both sides, by their numbers. `None` if the names are not known.
pub fn payload(
    event: &Event,
    (account, seq): (AccountId, u64),
    names: &dyn Names,
    at: Moment,
) -> Option<String> {
    let report = |order: &Order, change: Change<'_>| {
        let market = names.market(order.instrument)?;
        let mut facts = OrderFacts { expired: change.expired, ..OrderFacts::of(order) };
        if names.is_pending(order) {
            facts = OrderFacts { expired: change.expired, ..OrderFacts::pending(order) };
        }
        let order = Order { quote_order_qty: names.entered_amount(order), ..*order };
        Some(execution_report(&market, &order, &facts, &change, seq, at))
    };
    let update =
        |asset: AssetId, delta: Amount| Some(balance_update(&names.asset(asset)?, delta, seq, at));
    match event {
        Event::OrderAccepted(e) => report(&e.order, Change::of("NEW")),
        Event::OrderTriggered(e) => report(&e.order, Change::of("NEW")),
        Event::TradeExecuted(e) => {
            let is_maker = (e.maker.order.account, e.maker.account_seq) == (account, seq);
            let fill = if is_maker { &e.maker } else { &e.taker };
            let traded = Some(Traded { trade: e, fill, is_maker });
            report(&fill.order, Change { traded, ..Change::of("TRADE") })
        }
        Event::OrderCanceled(e) => {
            report(&e.order, Change::named("CANCELED", e.cl_ord_id, e.order.cl_ord_id))
        }
        Event::OrderExpired(e) => {
            let prevented = e.prevented.as_ref();
            let what = if prevented.is_some() { "TRADE_PREVENTION" } else { "EXPIRED" };
            report(&e.order, Change { expired: Some(e.cause), prevented, ..Change::of(what) })
        }
        Event::OrderDecremented(e) => {
            let prevented = Some(&e.prevented);
            report(&e.order, Change { prevented, ..Change::of("TRADE_PREVENTION") })
        }
        Event::OrderAmended(e) => {
            report(&e.order, Change::named("REPLACED", e.order.cl_ord_id, e.orig_cl_ord_id))
        }
        Event::OrderModified(e) => {
            report(&e.order, Change::named("REPLACED", e.order.cl_ord_id, e.orig_cl_ord_id))
        }
        Event::OrderRepriced(e) => report(&e.order, Change::of("REPLACED")),
        Event::OrderListUpdated(e) => list_status(&e.list, e.change, seq, names, at),
        Event::Deposited(e) => update(e.asset, e.amount),
        Event::Withdrawn(e) => update(e.asset, Amount::ZERO - e.amount),
        Event::WithdrawalCompleted(e) => update(e.asset, Amount::ZERO - e.amount),
        Event::TradeBusted(e) => {
            let market = names.market(e.instrument)?;
            let side = Revised::find([&e.buyer, &e.seller], (account, seq))?;
            let moved = side.balance_update(&market, seq, at);
            moved.or_else(|| Some(side.trade_busted(&market, e, seq, at)))
        }
        Event::TradeCorrected(e) => {
            let market = names.market(e.instrument)?;
            let side = Revised::find([&e.buyer, &e.seller], (account, seq))?;
            let moved = side.balance_update(&market, seq, at);
            moved.or_else(|| Some(side.trade_corrected(&market, e, seq, at)))
        }
        Event::ReceivableSettled(e) => {
            let is_creditor = (e.receivable.creditor, e.creditor_seq) == (account, seq);
            update(e.receivable.asset, if is_creditor { e.paid } else { Amount::ZERO - e.paid })
        }
        other => Some(account_notice(other, seq, at)),
    }
}

/// Which assets of the account an event may have moved.
pub fn touched(event: &Event, account: AccountId, names: &dyn Names) -> Vec<AssetId> {
    let of_market = |instrument| {
        let market: Option<Market> = names.market(instrument);
        market.map_or(Vec::new(), |market| {
            vec![market.instrument.spec.base, market.instrument.spec.quote]
        })
    };
    match event {
        Event::OrderAccepted(e) => of_market(e.order.instrument),
        Event::OrderTriggered(e) => of_market(e.order.instrument),
        Event::TradeExecuted(e) => of_market(e.instrument),
        Event::OrderCanceled(e) => of_market(e.order.instrument),
        Event::OrderExpired(e) => of_market(e.order.instrument),
        Event::OrderAmended(e) => of_market(e.order.instrument),
        Event::OrderModified(e) => of_market(e.order.instrument),
        Event::OrderRepriced(e) => of_market(e.order.instrument),
        Event::OrderDecremented(e) => of_market(e.order.instrument),
        Event::TradeBusted(e) => of_market(e.instrument),
        Event::TradeCorrected(e) => of_market(e.instrument),
        Event::Deposited(e) if e.account == account => vec![e.asset],
        Event::Withdrawn(e) if e.account == account => vec![e.asset],
        Event::WithdrawalRequested(e) if e.account == account => vec![e.asset],
        Event::WithdrawalCompleted(e) if e.account == account => vec![e.asset],
        Event::WithdrawalCanceled(e) if e.account == account => vec![e.asset],
        Event::ReceivableSettled(e) => vec![e.receivable.asset],
        _ => Vec::new(),
    }
}

fn list_status(
    list: &OrderList,
    change: OrderListChange,
    seq: u64,
    names: &dyn Names,
    at: Moment,
) -> Option<String> {
    let market = names.market(list.instrument)?;
    let listed = |order: OrderId| {
        let name = names.order(list, order).map_or(String::new(), |name| name.to_string());
        object! { "s": market.symbol(), "i": order.0, "c": name }
    };
    let (status, order_status) = match change {
        OrderListChange::Entered => ("EXEC_STARTED", "EXECUTING"),
        OrderListChange::Renamed => ("UPDATED", "EXECUTING"),
        OrderListChange::Done => ("ALL_DONE", "ALL_DONE"),
    };
    Some(object! {
        "e": "listStatus",
        "E": at.time(),
        "s": market.symbol(),
        "g": list_id(list.instrument, list.order_list),
        "c": contingency_type(list.kind),
        "l": status,
        "L": order_status,
        "r": "NONE",
        "C": list.cl_ord_id.as_str(),
        "T": at.unit.time(list.updated_ns),
        "O" [raw]: object::list(list.orders.into_iter().flatten().map(listed)),
        "seq": seq,
    })
}

fn balance_update(asset: &Asset, delta: Amount, seq: u64, at: Moment) -> String {
    object! {
        "e": "balanceUpdate",
        "E": at.time(),
        "a": asset.name.as_str(),
        "d": Decimal::amount(asset, delta),
        "T": at.time(),
        "seq": seq,
    }
}

/// `k` is what happened, by the name of the event.
fn account_notice(event: &Event, seq: u64, at: Moment) -> String {
    object! { "e": "accountNotice", "E": at.time(), "k": notice(event), "seq": seq }
}

/// The names of those that belong to an account and have no text of their own.
const fn notice(event: &Event) -> &'static str {
    match event {
        Event::AccountCreated(_) => "AccountCreated",
        Event::AccountUpdated(_) => "AccountUpdated",
        Event::KeyCreated(_) => "KeyCreated",
        Event::KeyRevoked(_) => "KeyRevoked",
        Event::LoginCreated(_) => "LoginCreated",
        Event::LoginUpdated(_) => "LoginUpdated",
        Event::LoginRevoked(_) => "LoginRevoked",
        Event::AccountRiskSet(_) => "AccountRiskSet",
        Event::AccountLimitsSet(_) => "AccountLimitsSet",
        Event::KillSwitchSet(_) => "KillSwitchSet",
        Event::SessionOpened(_) => "SessionOpened",
        Event::SessionClosed(_) => "SessionClosed",
        Event::NumbersAnswered(_) => "NumbersAnswered",
        Event::OrderRefreshed(_) => "OrderRefreshed",
        Event::FillRevised(_) => "FillRevised",
        Event::CommandRejected(_) => "CommandRejected",
        // The balance is what it was: what is locked of it, the account's position says.
        Event::WithdrawalRequested(_) => "WithdrawalRequested",
        Event::WithdrawalCanceled(_) => "WithdrawalCanceled",
        _ => "Other",
    }
}

/// The balances that may have changed, as they are now.
pub fn account_position(balances: &[(Asset, Balance)], updated_ns: u64, at: Moment) -> String {
    let owned = |(asset, balance): &(Asset, Balance)| {
        object! {
            "a": asset.name.as_str(),
            "f": Decimal::amount(asset, balance.free),
            "l": Decimal::amount(asset, balance.locked),
        }
    };
    object! {
        "e": "outboundAccountPosition",
        "E": at.time(),
        "u": at.unit.time(updated_ns),
        "B" [raw]: object::list(balances.iter().map(owned)),
    }
}

/// `POST /api/v3/userDataStream`
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BegunStream<'a> {
    pub listen_key: &'a str,
}

/// The subscription is over.
pub fn terminated(at: Moment) -> String {
    format!(r#"{{"e":"eventStreamTerminated","E":{}}}"#, at.time())
}

/// A listen key has not been kept alive.
pub fn listen_key_expired(listen_key: &str, at: Moment) -> String {
    format!(r#"{{"e":"listenKeyExpired","E":{},"listenKey":"{listen_key}"}}"#, at.time())
}

/// An event as a subscription of the WebSocket API gets it.
pub fn of_subscription(subscription: u32, event: &str) -> String {
    format!(r#"{{"subscriptionId":{subscription},"event":{event}}}"#)
}
