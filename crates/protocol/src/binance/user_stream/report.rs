//! `executionReport`: an event of an order.

use types::{
    Amount, ClOrdId, ExpireCause, Fill, Market, Order, Prevented, Price, Qty, TradeExecuted,
};

use super::Moment;
use crate::binance::decimal::Decimal;
use crate::binance::list_id::list_id_of;
use crate::binance::object::{Object, fields};
use crate::binance::response::facts::{
    OrderFacts, PEG_OFFSET_TYPE, expiry_reason, limit_price, orig_qty, peg_offset, peg_price_type,
    prevented_qty, status, time_or_never, type_word,
};
use crate::binance::response::prevented::trade_group_id;
use crate::binance::words::{side, stp_mode, time_in_force};

/// What a report is about.
pub(super) struct Change<'a> {
    pub(super) what: &'static str,
    /// The request's name where it is not the order's.
    pub(super) cl_ord_id: Option<ClOrdId>,
    pub(super) orig_cl_ord_id: Option<ClOrdId>,
    pub(super) traded: Option<Traded<'a>>,
    pub(super) expired: Option<ExpireCause>,
    pub(super) prevented: Option<&'a Prevented>,
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

/// All fields in the documentation's order; those that few orders have come before the last.
pub(super) fn execution_report(
    market: &Market,
    order: &Order,
    facts: &OrderFacts,
    change: &Change<'_>,
    seq: u64,
    at: Moment,
) -> String {
    let terms = order.terms.unwrap_or_default().terms;
    let traded = change.traded.as_ref();
    let qty = |qty: Option<Qty>| Decimal::qty(market, qty.unwrap_or(Qty::ZERO));
    let price = |price: Option<Price>| Decimal::price(market, price.unwrap_or_default());
    let fee_asset = traded.map(|traded| market.asset(traded.fill.fee_asset));
    let fee = traded.zip(fee_asset).map(|(traded, asset)| Decimal::amount(asset, traded.fill.fee));
    let mut object = Object::default();
    fields! {
        object,
        "e": "executionReport",
        "E": at.time(),
        "s": market.symbol(),
        "c": change.cl_ord_id.unwrap_or(order.cl_ord_id).as_str(),
        "S": side(order.side),
        "o": type_word(order),
        "f": time_in_force(order.time_in_force),
        "q": Decimal::qty(market, orig_qty(order)),
        "p": Decimal::price(market, limit_price(order)),
        "P": price(terms.stop_price),
        "F": Decimal::qty(market, terms.display_qty),
        "g": list_id_of(order),
        "C": change.orig_cl_ord_id.as_ref().map_or("", ClOrdId::as_str),
        "x": change.what,
        "X": status(order, facts),
        "r": "NONE",
        "i": order.order_id.0,
        "l": qty(traded.map(|traded| traded.trade.qty)),
        "z": Decimal::qty(market, order.cum_qty),
        "L": price(traded.map(|traded| traded.trade.price)),
        "n": fee.as_deref().unwrap_or("0"),
        "N": fee_asset.map(|asset| asset.name.as_str()),
        "T": at.unit.time(order.updated_ns),
        "t": traded.and_then(|t| i64::try_from(t.trade.trade_id.0).ok()).unwrap_or(-1),
        "I": seq,
        "w": order.status.is_open() && facts.working_ns.is_some(),
        "m": traded.is_some_and(|traded| traded.is_maker),
        "M": false,
        "O": at.unit.time(order.created_ns),
        "Z": Decimal::quote_amount(market, order.cum_quote),
        "Y": Decimal::quote_amount(market, traded.map_or(Amount::ZERO, |traded| traded.trade.quote)),
        "Q": Decimal::quote_amount(market, order.quote_order_qty),
        "W" [some]: facts.working_ns.map(|ns| time_or_never(Some(ns), at.unit)),
        "V": stp_mode(order.stp_mode),
    }
    add_conditional(&mut object, market, order, facts, change, at);
    fields!(object, "seq": seq);
    object.finish()
}

fn add_conditional(
    object: &mut Object,
    market: &Market,
    order: &Order,
    facts: &OrderFacts,
    change: &Change<'_>,
    at: Moment,
) {
    let terms = order.terms.unwrap_or_default().terms;
    let trailing = (terms.trailing_delta_bps > 0).then_some(terms.trailing_delta_bps);
    let peg_price_type = order.terms.and_then(|_| peg_price_type(order));
    let prevented = change.prevented;
    let so_far = prevented_qty(order);
    fields! {
        object,
        "d" [some]: trailing,
        "D" [some]: trailing.map(|_| time_or_never(facts.trailing_ns, at.unit)),
        "j" [some]: order.strategy_id,
        "J" [some]: order.strategy_type,
        "v" [some]: prevented.map(|prevented| prevented.prevented_match_id),
        "A" [some]: (!so_far.is_zero()).then(|| Decimal::qty(market, so_far)),
        "B" [some]: prevented.map(|prevented| Decimal::qty(market, prevented.prevented_qty)),
        "u" [some]: prevented.map(|prevented| trade_group_id(prevented.stp_group)),
        "U" [some]: prevented.map(|prevented| prevented.counter_order_id.0),
        "Cs" [some]: prevented.map(|_| market.symbol()),
        "pl" [some]: prevented.map(|prevented| Decimal::qty(market, prevented.qty)),
        "pL" [some]: prevented.map(|prevented| Decimal::price(market, prevented.price)),
        "pY" [some]: prevented.map(|prevented| {
            Decimal::quote_amount(market, market.instrument.notional(prevented.price, prevented.qty))
        }),
        "gP" [some]: peg_price_type,
        "gOT" [some]: peg_offset(order).map(|_| PEG_OFFSET_TYPE),
        "gOV" [some]: peg_offset(order),
        "gp" [some]: peg_price_type.map(|_| Decimal::price(market, order.price)),
        "eR" [some]: facts.expired.and_then(|cause| expiry_reason(cause, facts)),
        // Ours, like the terms that they show.
        "hidden" [some]: terms.hidden.then_some(true),
        "minQty" [some]: (!terms.min_qty.is_zero()).then(|| Decimal::qty(market, terms.min_qty)),
        "goodTillDate" [some]: (terms.expire_ns > 0).then(|| at.unit.time(terms.expire_ns)),
        "withinBalance" [some]: terms.within_balance.then_some(true),
    }
}
