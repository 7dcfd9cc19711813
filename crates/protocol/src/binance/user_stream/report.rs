//! `executionReport`: what has happened to an order.

use serde::Serialize;
use types::{
    Amount, ClOrdId, ExpireCause, Fill, Market, Order, Price, Qty, TradeExecuted, TradePrevented,
};

use super::Moment;
use crate::binance::list_id::list_id_of;
use crate::binance::response::facts::{
    OrderFacts, expiry_reason, limit_price, orig_qty, peg_price_type, prevented_qty, status,
    time_or_never,
};
use crate::binance::words::{order_type, side, stp_mode, time_in_force};

/// What a report is about.
pub(super) struct Change<'a> {
    pub(super) what: &'static str,
    /// The request's name where it is not the order's.
    pub(super) cl_ord_id: Option<ClOrdId>,
    pub(super) orig_cl_ord_id: Option<ClOrdId>,
    pub(super) traded: Option<Traded<'a>>,
    pub(super) expired: Option<ExpireCause>,
    pub(super) prevented: Option<&'a TradePrevented>,
}

pub(super) struct Traded<'a> {
    pub(super) trade: &'a TradeExecuted,
    pub(super) fill: &'a Fill,
    pub(super) is_maker: bool,
}

impl Change<'_> {
    pub(super) const fn of(what: &'static str) -> Self {
        Self {
            what,
            cl_ord_id: None,
            orig_cl_ord_id: None,
            traded: None,
            expired: None,
            prevented: None,
        }
    }

    pub(super) const fn named(
        what: &'static str,
        cl_ord_id: ClOrdId,
        orig_cl_ord_id: ClOrdId,
    ) -> Self {
        let (cl_ord_id, orig_cl_ord_id) = (Some(cl_ord_id), Some(orig_cl_ord_id));
        Self { cl_ord_id, orig_cl_ord_id, ..Self::of(what) }
    }
}

/// The fields have the letters that Binance gave them.
#[derive(Serialize)]
pub(super) struct ExecutionReport {
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
    pub(super) fn new(
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
