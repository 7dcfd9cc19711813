//! What an account is told of what happens to it: `executionReport`, `listStatus`, `balanceUpdate`
//! and `outboundAccountPosition`.
//!
//! Beyond Binance's fields each event but the last has `seq`, its number among the account's
//! events, which has no gap: who has seen one asks for what follows it. For events that Binance
//! knows nothing like there is an `accountNotice`, so that their numbers are not missing.

use schemars::JsonSchema;
use serde::Serialize;
use types::{
    AccountId, Adjustment, Amount, Asset, AssetId, Balance, ClOrdId, Event, ExpireCause, Fill,
    InstrumentId, Order, OrderId, OrderList, OrderListStatus, Price, Qty, TradeExecuted,
    TradePrevented,
};

use crate::binance::list_id::{list_id, list_id_of};
use crate::binance::response::facts::{
    OrderFacts, expiry_reason, limit_price, orig_qty, peg_price_type, prevented_qty, status,
    time_or_never,
};
use crate::binance::response::list::contingency_type;
use crate::binance::response::{encode, order_type, side, stp_mode, time_in_force};
use crate::binance::{Market, TimeUnit};

/// What an event does not say itself.
pub trait Names {
    fn market(&self, instrument: InstrumentId) -> Option<Market>;
    fn asset(&self, asset: AssetId) -> Option<Asset>;
    /// The names of a list's orders.
    fn order(&self, list: &OrderList, order: OrderId) -> Option<ClOrdId>;
    /// Whether the order's list has yet to place it.
    fn is_pending(&self, order: &Order) -> bool;
}

/// When an event happened, and how times are told.
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

/// What one of its accounts is told of an event, in JSON. An account that traded with itself is
/// told of both sides, by their numbers. Where an event moves two assets there are several texts.
pub fn told(
    event: &Event,
    prevented: Option<&TradePrevented>,
    (account, seq): (AccountId, u64),
    names: &dyn Names,
    at: Moment,
) -> Vec<String> {
    let report = |order: &Order, change: Change<'_>| {
        let market = names.market(order.instrument)?;
        let mut facts = OrderFacts { expired: change.expired, ..OrderFacts::of(order) };
        if names.is_pending(order) {
            facts = OrderFacts { expired: change.expired, ..OrderFacts::pending(order) };
        }
        Some(encode(&ExecutionReport::new(&market, order, &facts, &change, seq, at)))
    };
    let update = |asset: AssetId, delta: Amount| {
        let asset = names.asset(asset)?;
        Some(encode(&BalanceUpdate::new(&asset, delta, seq, at)))
    };
    let one = match event {
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
            let is_stp = e.cause == ExpireCause::SelfTrade;
            let what = if is_stp { "TRADE_PREVENTION" } else { "EXPIRED" };
            let prevented = prevented.filter(|_| is_stp);
            report(&e.order, Change { expired: Some(e.cause), prevented, ..Change::of(what) })
        }
        Event::OrderAmended(e) => {
            report(&e.order, Change::named("REPLACED", e.order.cl_ord_id, e.orig_cl_ord_id))
        }
        Event::OrderModified(e) => {
            report(&e.order, Change::named("REPLACED", e.order.cl_ord_id, e.orig_cl_ord_id))
        }
        Event::OrderRepriced(e) => report(&e.order, Change::of("REPLACED")),
        Event::OrderListUpdated(e) => list_status(&e.list, seq, names, at),
        Event::Deposited(e) => update(e.asset, e.amount),
        Event::Withdrawn(e) => update(e.asset, Amount::ZERO - e.amount),
        Event::WithdrawalCompleted(e) => update(e.asset, Amount::ZERO - e.amount),
        Event::TradeBusted(e) => {
            return adjusted(e.instrument, [&e.buyer, &e.seller], account, seq, names, at);
        }
        Event::TradeCorrected(e) => {
            return adjusted(e.instrument, [&e.buyer, &e.seller], account, seq, names, at);
        }
        Event::ReceivableSettled(e) => {
            let is_creditor = (e.receivable.creditor, e.creditor_seq) == (account, seq);
            update(e.receivable.asset, if is_creditor { e.paid } else { Amount::ZERO - e.paid })
        }
        other => Some(encode(&AccountNotice::new(other, seq, at))),
    };
    one.into_iter().collect()
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

/// What a report is about.
struct Change<'a> {
    what: &'static str,
    /// The request's name where it is not the order's.
    cl_ord_id: Option<ClOrdId>,
    orig_cl_ord_id: Option<ClOrdId>,
    traded: Option<Traded<'a>>,
    expired: Option<ExpireCause>,
    prevented: Option<&'a TradePrevented>,
}

struct Traded<'a> {
    trade: &'a TradeExecuted,
    fill: &'a Fill,
    is_maker: bool,
}

impl Change<'_> {
    const fn of(what: &'static str) -> Self {
        Self {
            what,
            cl_ord_id: None,
            orig_cl_ord_id: None,
            traded: None,
            expired: None,
            prevented: None,
        }
    }

    const fn named(what: &'static str, cl_ord_id: ClOrdId, orig_cl_ord_id: ClOrdId) -> Self {
        let (cl_ord_id, orig_cl_ord_id) = (Some(cl_ord_id), Some(orig_cl_ord_id));
        Self { cl_ord_id, orig_cl_ord_id, ..Self::of(what) }
    }
}

/// The fields have the letters that Binance gave them.
#[derive(Serialize)]
struct ExecutionReport {
    e: &'static str,
    #[serde(rename = "E")]
    event_time: u64,
    s: String,
    c: String,
    #[serde(rename = "S")]
    side: &'static str,
    o: &'static str,
    f: &'static str,
    q: String,
    p: String,
    #[serde(rename = "P")]
    stop_price: String,
    #[serde(rename = "F")]
    iceberg_qty: String,
    g: i64,
    #[serde(rename = "C")]
    orig_cl_ord_id: String,
    x: &'static str,
    #[serde(rename = "X")]
    status: &'static str,
    r: &'static str,
    i: u64,
    l: String,
    z: String,
    #[serde(rename = "L")]
    last_price: String,
    n: String,
    #[serde(rename = "N")]
    fee_asset: Option<String>,
    #[serde(rename = "T")]
    transaction_time: u64,
    t: i64,
    #[serde(rename = "I")]
    execution_id: u64,
    w: bool,
    m: bool,
    #[serde(rename = "M")]
    ignore: bool,
    #[serde(rename = "O")]
    created_time: u64,
    #[serde(rename = "Z")]
    cum_quote: String,
    #[serde(rename = "Y")]
    last_quote: String,
    #[serde(rename = "Q")]
    quote_order_qty: String,
    #[serde(rename = "W", skip_serializing_if = "Option::is_none")]
    working_time: Option<i64>,
    #[serde(rename = "V")]
    stp_mode: &'static str,
    #[serde(flatten)]
    conditional: Conditional,
    seq: u64,
}

/// The fields that appear only where they say something.
#[derive(Default, Serialize)]
struct Conditional {
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<u32>,
    #[serde(rename = "D", skip_serializing_if = "Option::is_none")]
    trailing_time: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    j: Option<i64>,
    #[serde(rename = "J", skip_serializing_if = "Option::is_none")]
    strategy_type: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<u64>,
    #[serde(rename = "A", skip_serializing_if = "Option::is_none")]
    prevented_qty: Option<String>,
    #[serde(rename = "B", skip_serializing_if = "Option::is_none")]
    last_prevented_qty: Option<String>,
    #[serde(rename = "U", skip_serializing_if = "Option::is_none")]
    counter_order_id: Option<u64>,
    #[serde(rename = "pl", skip_serializing_if = "Option::is_none")]
    prevented_execution_qty: Option<String>,
    #[serde(rename = "pL", skip_serializing_if = "Option::is_none")]
    prevented_execution_price: Option<String>,
    #[serde(rename = "gP", skip_serializing_if = "Option::is_none")]
    peg_price_type: Option<&'static str>,
    #[serde(rename = "gp", skip_serializing_if = "Option::is_none")]
    pegged_price: Option<String>,
    #[serde(rename = "eR", skip_serializing_if = "Option::is_none")]
    expiry_reason: Option<&'static str>,
}

impl ExecutionReport {
    fn new(
        market: &Market,
        order: &Order,
        facts: &OrderFacts,
        change: &Change<'_>,
        seq: u64,
        at: Moment,
    ) -> Self {
        let terms = order.terms.unwrap_or_default().terms;
        let traded = change.traded.as_ref();
        let qty = |qty: Option<Qty>| market.qty(qty.unwrap_or(Qty::ZERO));
        let price = |price: Option<Price>| market.price(price.unwrap_or_default());
        let fee_asset = traded.map(|traded| market.asset(traded.fill.fee_asset));
        let fee = traded.zip(fee_asset).map(|(traded, asset)| asset.format_amount(traded.fill.fee));
        let working_time =
            facts.working_ns.map(|working_ns| time_or_never(Some(working_ns), at.unit));
        Self {
            e: "executionReport",
            event_time: at.time(),
            s: market.symbol().to_owned(),
            c: change.cl_ord_id.unwrap_or(order.cl_ord_id).to_string(),
            side: side(order.side),
            o: order_type(order.order_type),
            f: time_in_force(order.time_in_force),
            q: market.qty(orig_qty(order)),
            p: market.price(limit_price(order)),
            stop_price: price(terms.stop_price),
            iceberg_qty: market.qty(terms.display_qty),
            g: list_id_of(order),
            orig_cl_ord_id: change.orig_cl_ord_id.map_or(String::new(), |id| id.to_string()),
            x: change.what,
            status: status(order, facts),
            r: "NONE",
            i: order.order_id.0,
            l: qty(traded.map(|traded| traded.trade.qty)),
            z: market.qty(order.cum_qty),
            last_price: price(traded.map(|traded| traded.trade.price)),
            n: fee.unwrap_or_else(|| "0".to_owned()),
            fee_asset: fee_asset.map(|asset| asset.name.to_string()),
            transaction_time: at.unit.time(order.updated_ns),
            t: traded.and_then(|t| i64::try_from(t.trade.trade_id.0).ok()).unwrap_or(-1),
            execution_id: seq,
            w: order.status.is_open() && facts.working_ns.is_some(),
            m: traded.is_some_and(|traded| traded.is_maker),
            ignore: false,
            created_time: at.unit.time(order.created_ns),
            cum_quote: market.quote_amount(order.cum_quote),
            last_quote: market
                .quote_amount(traded.map_or(Amount::ZERO, |traded| traded.trade.quote)),
            quote_order_qty: market.quote_amount(order.quote_order_qty),
            working_time,
            stp_mode: stp_mode(order.stp_mode),
            conditional: Conditional::new(market, order, facts, change, at),
            seq,
        }
    }
}

impl Conditional {
    fn new(
        market: &Market,
        order: &Order,
        facts: &OrderFacts,
        change: &Change<'_>,
        at: Moment,
    ) -> Self {
        let mut fields = Self {
            j: order.strategy_id,
            strategy_type: order.strategy_type,
            expiry_reason: facts.expired.and_then(|cause| expiry_reason(cause, facts)),
            ..Self::default()
        };
        if let Some(terms) = order.terms.map(|terms| terms.terms) {
            if terms.trailing_delta_bps > 0 {
                fields.d = Some(terms.trailing_delta_bps);
                fields.trailing_time = Some(time_or_never(facts.trailing_ns, at.unit));
            }
            fields.peg_price_type = peg_price_type(order);
            fields.pegged_price = fields.peg_price_type.map(|_| market.price(order.price));
        }
        let so_far = prevented_qty(order);
        if let Some(prevented) = change.prevented {
            let rest = order.order_qty - order.cum_qty;
            let is_maker = prevented.maker_order_id == order.order_id;
            let counter =
                if is_maker { prevented.taker_order_id } else { prevented.maker_order_id };
            fields.v = Some(prevented.prevented_match_id);
            fields.prevented_qty = Some(market.qty(so_far + rest));
            fields.last_prevented_qty = Some(market.qty(rest));
            fields.counter_order_id = Some(counter.0);
            fields.prevented_execution_qty = Some(market.qty(prevented.qty));
            fields.prevented_execution_price = Some(market.price(prevented.price));
        } else if !so_far.is_zero() {
            fields.prevented_qty = Some(market.qty(so_far));
        }
        fields
    }
}

fn list_status(list: &OrderList, seq: u64, names: &dyn Names, at: Moment) -> Option<String> {
    #[derive(Serialize)]
    struct ListStatus {
        e: &'static str,
        #[serde(rename = "E")]
        event_time: u64,
        s: String,
        g: u64,
        c: &'static str,
        l: &'static str,
        #[serde(rename = "L")]
        order_status: &'static str,
        r: &'static str,
        #[serde(rename = "C")]
        cl_ord_id: String,
        #[serde(rename = "T")]
        transaction_time: u64,
        #[serde(rename = "O")]
        orders: Vec<Listed>,
        seq: u64,
    }
    #[derive(Serialize)]
    struct Listed {
        s: String,
        i: u64,
        c: String,
    }
    let market = names.market(list.instrument)?;
    let listed = |order: OrderId| {
        let name = names.order(list, order).map_or(String::new(), |name| name.to_string());
        Listed { s: market.symbol().to_owned(), i: order.0, c: name }
    };
    let (status, order_status) = match list.status {
        OrderListStatus::Executing => ("EXEC_STARTED", "EXECUTING"),
        OrderListStatus::AllDone => ("ALL_DONE", "ALL_DONE"),
    };
    Some(encode(&ListStatus {
        e: "listStatus",
        event_time: at.time(),
        s: market.symbol().to_owned(),
        g: list_id(list.instrument, list.order_list),
        c: contingency_type(list.kind),
        l: status,
        order_status,
        r: "NONE",
        cl_ord_id: list.cl_ord_id.to_string(),
        transaction_time: at.unit.time(list.updated_ns),
        orders: list.orders.into_iter().flatten().map(listed).collect(),
        seq,
    }))
}

/// A trade that was undone or changed: what either asset gained or lost.
fn adjusted(
    instrument: InstrumentId,
    sides: [&Adjustment; 2],
    account: AccountId,
    seq: u64,
    names: &dyn Names,
    at: Moment,
) -> Vec<String> {
    let own = sides.into_iter().find(|side| (side.account, side.account_seq) == (account, seq));
    let Some((own, market)) = own.zip(names.market(instrument)) else { return Vec::new() };
    let deltas = [(&market.base, own.base), (&market.quote, own.quote)];
    let update =
        |(asset, delta): (&Asset, Amount)| encode(&BalanceUpdate::new(asset, delta, seq, at));
    deltas.into_iter().map(update).collect()
}

#[derive(Serialize)]
struct BalanceUpdate {
    e: &'static str,
    #[serde(rename = "E")]
    event_time: u64,
    a: String,
    d: String,
    #[serde(rename = "T")]
    clear_time: u64,
    seq: u64,
}

impl BalanceUpdate {
    fn new(asset: &Asset, delta: Amount, seq: u64, at: Moment) -> Self {
        Self {
            e: "balanceUpdate",
            event_time: at.time(),
            a: asset.name.to_string(),
            d: asset.format_amount(delta),
            clear_time: at.time(),
            seq,
        }
    }
}

#[derive(Serialize)]
struct AccountNotice {
    e: &'static str,
    #[serde(rename = "E")]
    event_time: u64,
    /// What happened, by the name of the event.
    k: &'static str,
    seq: u64,
}

impl AccountNotice {
    fn new(event: &Event, seq: u64, at: Moment) -> Self {
        Self { e: "accountNotice", event_time: at.time(), k: notice(event), seq }
    }
}

/// The names of those that belong to an account and have no text of their own.
const fn notice(event: &Event) -> &'static str {
    match event {
        Event::AccountCreated(_) => "AccountCreated",
        Event::AccountUpdated(_) => "AccountUpdated",
        Event::KeyCreated(_) => "KeyCreated",
        Event::KeyRevoked(_) => "KeyRevoked",
        Event::AccountRiskSet(_) => "AccountRiskSet",
        Event::AccountLimitsSet(_) => "AccountLimitsSet",
        Event::KillSwitchSet(_) => "KillSwitchSet",
        Event::SessionOpened(_) => "SessionOpened",
        Event::SessionClosed(_) => "SessionClosed",
        // The balance is what it was: what is locked of it, the account's position says.
        Event::WithdrawalRequested(_) => "WithdrawalRequested",
        Event::WithdrawalCanceled(_) => "WithdrawalCanceled",
        _ => "Other",
    }
}

/// The balances that may have changed, as they are now.
pub fn account_position(balances: &[(Asset, Balance)], updated_ns: u64, at: Moment) -> String {
    #[derive(Serialize)]
    struct Position {
        e: &'static str,
        #[serde(rename = "E")]
        event_time: u64,
        u: u64,
        #[serde(rename = "B")]
        balances: Vec<Owned>,
    }
    #[derive(Serialize)]
    struct Owned {
        a: String,
        f: String,
        l: String,
    }
    let owned = |(asset, balance): &(Asset, Balance)| Owned {
        a: asset.name.to_string(),
        f: asset.format_amount(balance.free),
        l: asset.format_amount(balance.locked),
    };
    encode(&Position {
        e: "outboundAccountPosition",
        event_time: at.time(),
        u: at.unit.time(updated_ns),
        balances: balances.iter().map(owned).collect(),
    })
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use types::{
        CancelCause, Deposited, ExternalRef, Fill, OrderExpired, OrderListId, OrderListKind,
        OrderListUpdated, OrderStatus, Side, TradeId, WithdrawalCanceled, WithdrawalCompleted,
        WithdrawalRequested,
    };

    use super::*;
    use crate::binance::testing::{accepted, asset, btcusdt, canceled, cl, order};

    const ACCOUNT: AccountId = AccountId(7);
    const AT: Moment = Moment { event_ns: 1_507_725_176_600_000_000, unit: TimeUnit::Millisecond };

    /// Two orders of any list: the second waits.
    struct Known;

    impl Names for Known {
        fn market(&self, _: InstrumentId) -> Option<Market> {
            Some(btcusdt())
        }

        fn asset(&self, id: AssetId) -> Option<Asset> {
            Some(asset(["BTC", "USDT"][usize::from(id.0)], 8))
        }

        fn order(&self, _: &OrderList, order: OrderId) -> Option<ClOrdId> {
            Some(cl(&format!("order-{}", order.0)))
        }

        fn is_pending(&self, order: &Order) -> bool {
            order.order_id == OrderId(2)
        }
    }

    /// What is told of an event, which is one text; `expect` has the fields that matter.
    #[track_caller]
    fn check(event: &Event, prevented: Option<&TradePrevented>, seq: u64, expect: Value) {
        let texts = told(event, prevented, (ACCOUNT, seq), &Known, AT);
        let [text] = &texts[..] else { panic!("{texts:?}") };
        let found: Value = serde_json::from_str(text).unwrap();
        for (name, value) in expect.as_object().unwrap() {
            assert_eq!(&found[name], value, "{name} of {text}");
        }
        assert_eq!(found["seq"], seq, "{text}");
    }

    #[test]
    fn a_report_has_every_field_of_the_documentation() {
        let texts = told(&accepted(order(1)), None, (ACCOUNT, 5), &Known, AT);
        assert_eq!(
            texts,
            [concat!(
                r#"{"e":"executionReport","E":1507725176600,"s":"BTCUSDT","c":"mine","S":"BUY","#,
                r#""o":"LIMIT","f":"GTC","q":"0.10000000","p":"25000.00000000","P":"0.00000000","#,
                r#""F":"0.00000000","g":-1,"C":"","x":"NEW","X":"NEW","r":"NONE","i":1,"#,
                r#""l":"0.00000000","z":"0.00000000","L":"0.00000000","n":"0","N":null,"#,
                r#""T":1507725176595,"t":-1,"I":5,"w":true,"m":false,"M":false,"#,
                r#""O":1507725176595,"Z":"0.00000000","Y":"0.00000000","Q":"0.00000000","#,
                r#""W":1507725176595,"V":"NONE","seq":5}"#,
            )]
        );
    }

    #[test]
    fn both_sides_of_a_trade_are_told_their_own() {
        let fill = |order_id, seq, side, fee, fee_asset| Fill {
            account_seq: seq,
            order: Order {
                side,
                status: OrderStatus::Filled,
                cum_qty: Qty::from_lots(10_000),
                ..order(order_id)
            },
            fee: Amount::from_minor(fee),
            fee_asset: AssetId(fee_asset),
        };
        let trade = Event::TradeExecuted(TradeExecuted {
            instrument_seq: 1,
            instrument: InstrumentId(0),
            trade_id: TradeId(9),
            price: Price::from_ticks(2_500_000),
            qty: Qty::from_lots(10_000),
            quote: Amount::from_minor(250_000_000_000),
            side: Side::Sell,
            maker: fill(1, 3, Side::Buy, 10_000, 0),
            taker: fill(3, 4, Side::Sell, 20_000, 1),
        });
        let both =
            json!({ "x": "TRADE", "X": "FILLED", "t": 9, "l": "0.10000000", "Y": "2500.00000000" });
        check(&trade, None, 3, both.clone());
        check(&trade, None, 4, both);
        check(
            &trade,
            None,
            3,
            json!({ "m": true, "i": 1, "S": "BUY", "n": "0.00010000", "N": "BTC" }),
        );
        check(
            &trade,
            None,
            4,
            json!({ "m": false, "i": 3, "S": "SELL", "n": "0.00020000", "N": "USDT", "w": false }),
        );
    }

    #[test]
    fn each_change_of_an_order_has_its_name() {
        check(
            &canceled(order(1), CancelCause::Requested),
            None,
            2,
            json!({ "x": "CANCELED", "X": "CANCELED", "c": "cancel", "C": "mine", "w": false }),
        );
        let ended = Order { status: OrderStatus::Expired, ..order(1) };
        let expired = |cause| {
            Event::OrderExpired(OrderExpired {
                account_seq: 6,
                instrument_seq: 1,
                order: ended,
                cause,
            })
        };
        check(
            &expired(ExpireCause::ImmediateOrCancel),
            None,
            6,
            json!({ "x": "EXPIRED", "X": "EXPIRED", "eR": "UNFILLED_IOC_QUANTITY_EXPIRED" }),
        );
        let prevented = TradePrevented {
            instrument_seq: 1,
            instrument: InstrumentId(0),
            prevented_match_id: 8,
            price: Price::from_ticks(2_400_000),
            qty: Qty::from_lots(4_000),
            stp_mode: types::StpMode::ExpireTaker,
            maker_account: ACCOUNT,
            maker_order_id: OrderId(4),
            taker_account: ACCOUNT,
            taker_order_id: OrderId(1),
            prevented_ns: 1,
        };
        check(
            &expired(ExpireCause::SelfTrade),
            Some(&prevented),
            6,
            json!({
                "x": "TRADE_PREVENTION", "X": "EXPIRED_IN_MATCH", "v": 8, "U": 4,
                "A": "0.10000000", "B": "0.10000000", "pl": "0.04000000", "pL": "24000.00000000",
            }),
        );
        check(&accepted(order(2)), None, 1, json!({ "X": "PENDING_NEW", "w": false, "W": null }));
    }

    #[test]
    fn a_list_is_told_with_the_names_of_its_orders() {
        let list = OrderList {
            instrument: InstrumentId(0),
            account: ACCOUNT,
            order_list: OrderListId(3),
            cl_ord_id: cl("both"),
            kind: OrderListKind::Oco,
            status: OrderListStatus::Executing,
            orders: [Some(OrderId(1)), Some(OrderId(2)), None],
            created_ns: 1_507_725_176_595_123_456,
            updated_ns: 1_507_725_176_595_123_456,
        };
        let event = Event::OrderListUpdated(OrderListUpdated { account_seq: 2, list });
        check(
            &event,
            None,
            2,
            json!({
                "e": "listStatus", "s": "BTCUSDT", "g": 300_000, "c": "OCO", "l": "EXEC_STARTED",
                "L": "EXECUTING", "r": "NONE", "C": "both", "T": 1_507_725_176_595_u64,
                "O": [
                    { "s": "BTCUSDT", "i": 1, "c": "order-1" },
                    { "s": "BTCUSDT", "i": 2, "c": "order-2" },
                ],
            }),
        );
    }

    #[test]
    fn balances_are_told_as_changes_and_as_they_are() {
        let deposited = Event::Deposited(Deposited {
            account_seq: 1,
            account: ACCOUNT,
            asset: AssetId(0),
            amount: Amount::from_minor(150_000_000),
            external_ref: ExternalRef::parse("x").unwrap(),
            free: Amount::from_minor(150_000_000),
        });
        check(&deposited, None, 1, json!({ "e": "balanceUpdate", "a": "BTC", "d": "1.50000000" }));
        // What waits to leave is locked, and told of as a change when it leaves.
        let (account_seq, account, asset_id) = (2, ACCOUNT, AssetId(0));
        let (amount, free) = (Amount::from_minor(50_000_000), Amount::from_minor(100_000_000));
        let external_ref = ExternalRef::parse("y").unwrap();
        let requested = Event::WithdrawalRequested(WithdrawalRequested {
            account_seq,
            account,
            asset: asset_id,
            amount,
            external_ref,
            free,
        });
        let notice = |what| json!({ "e": "accountNotice", "k": what });
        check(&requested, None, 2, notice("WithdrawalRequested"));
        let canceled = Event::WithdrawalCanceled(WithdrawalCanceled {
            account_seq,
            account,
            asset: asset_id,
            amount,
            external_ref,
            free,
        });
        check(&canceled, None, 2, notice("WithdrawalCanceled"));
        let completed = Event::WithdrawalCompleted(WithdrawalCompleted {
            account_seq,
            account,
            asset: asset_id,
            amount,
            external_ref,
            free,
        });
        check(&completed, None, 2, json!({ "e": "balanceUpdate", "a": "BTC", "d": "-0.50000000" }));
        for event in [requested, canceled, completed] {
            assert_eq!(touched(&event, ACCOUNT, &Known), [asset_id]);
            assert!(touched(&event, AccountId(9), &Known).is_empty());
        }
        let balance =
            Balance { free: Amount::from_minor(1), locked: Amount::from_minor(200_000_000) };
        assert_eq!(
            account_position(&[(asset("BTC", 8), balance)], 5_000_000, AT),
            r#"{"e":"outboundAccountPosition","E":1507725176600,"u":5,"B":[{"a":"BTC","f":"0.00000001","l":"2.00000000"}]}"#
        );
        assert_eq!(touched(&accepted(order(1)), ACCOUNT, &Known), [AssetId(0), AssetId(1)]);
    }
}
