//! What reports have of an order beyond its plain fields: whether it works yet, how it ended, and
//! what only few orders have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{ExpireCause, Market, Order, OrderStatus, OrderType, PegReference, Price, Qty};

use crate::binance::decimal::Decimal;
use crate::binance::words::{Word, order_type};
use crate::signed::TimeUnit;

/// What an order does not know of itself. The owner of the events or the state adds it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct OrderFacts {
    /// Its list has not placed it: the list's first order has not filled.
    pub is_pending: bool,
    /// Since when it takes part; `None` while it waits for a trigger or for its list.
    pub working_ns: Option<u64>,
    /// Since when it trails the price, if it does.
    pub trailing_ns: Option<u64>,
    pub expired: Option<ExpireCause>,
}

impl OrderFacts {
    /// Of an order that is in no list, or that no list keeps waiting, as far as it says itself.
    pub fn of(order: &Order) -> Self {
        Self::placed(order, order.created_ns)
    }

    /// Of an order that was placed at that time, by itself or by its list.
    pub fn placed(order: &Order, placed_ns: u64) -> Self {
        let terms = order.terms.unwrap_or_default();
        let triggered_ns = Some(terms.triggered_ns).filter(|time_ns| *time_ns > 0);
        Self {
            is_pending: false,
            working_ns: if order.order_type.is_stop() { triggered_ns } else { Some(placed_ns) },
            trailing_ns: Some(terms.trailing_ns).filter(|time_ns| *time_ns > 0),
            expired: None,
        }
    }

    /// Of an order that its list has not placed.
    pub fn pending(order: &Order) -> Self {
        Self { is_pending: true, working_ns: None, trailing_ns: None, ..Self::of(order) }
    }
}

pub(crate) const fn status(order: &Order, facts: &OrderFacts) -> &'static str {
    match (order.status, facts.is_pending) {
        (OrderStatus::New, true) => "PENDING_NEW",
        (OrderStatus::New, false) => "NEW",
        (OrderStatus::PartiallyFilled, _) => "PARTIALLY_FILLED",
        (OrderStatus::Filled, _) => "FILLED",
        (OrderStatus::Canceled, _) => "CANCELED",
        (OrderStatus::Prevented, _) => "EXPIRED_IN_MATCH",
        (OrderStatus::Expired, _) => "EXPIRED",
    }
}

/// Whether an order of this status, as an answer has it, is in the book or waits.
pub(super) fn is_open(status: &str) -> bool {
    matches!(status, "NEW" | "PARTIALLY_FILLED" | "PENDING_NEW")
}

/// What was asked for, before self-trade prevention took anything off it.
pub(crate) fn orig_qty(order: &Order) -> Qty {
    order.order_qty + prevented_qty(order)
}

/// Whether an order has a size: one that another order of its list pays has none until then.
pub(super) fn has_qty(order: &Order) -> bool {
    !orig_qty(order).is_zero() || !order.quote_order_qty.is_zero()
}

/// What self-trade prevention has taken off an order.
pub(crate) fn prevented_qty(order: &Order) -> Qty {
    order.terms.map_or(Qty::ZERO, |terms| terms.prevented_qty)
}

/// The limit that was asked for: a pegged order may have one beside the price where it stands.
pub(crate) fn limit_price(order: &Order) -> Price {
    match order.terms.and_then(|terms| terms.terms.peg) {
        _ if has_fixed_peg(order) => Price::default(),
        Some(peg) => peg.limit.unwrap_or_default(),
        None => order.price,
    }
}

/// The type that was asked for: a limit order with a fixed peg is a market-to-limit order.
pub(crate) fn type_word(order: &Order) -> &'static str {
    order_type(if has_fixed_peg(order) { OrderType::Limit } else { order.order_type })
}

fn has_fixed_peg(order: &Order) -> bool {
    order.terms.is_some_and(|terms| terms.terms.fixed_peg)
}

/// -1 while it is not so.
pub(crate) fn time_or_never(time_ns: Option<u64>, unit: TimeUnit) -> i64 {
    time_ns.and_then(|time_ns| i64::try_from(unit.time(time_ns)).ok()).unwrap_or(-1)
}

/// The fields that appear only where they say something.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conditional {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_price: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trailing_delta: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trailing_time: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iceberg_qty: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy_type: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peg_price_type: Option<Word>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peg_offset_type: Option<Word>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peg_offset_value: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pegged_price: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prevented_match_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prevented_quantity: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiry_reason: Option<Word>,
    // Ours, like the terms that they show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_qty: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good_till_date: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_balance: Option<bool>,
}

impl Conditional {
    pub(super) fn new(market: &Market, order: &Order, facts: &OrderFacts, unit: TimeUnit) -> Self {
        let mut fields = Self {
            strategy_id: order.strategy_id,
            strategy_type: order.strategy_type,
            prevented_match_id: prevented_match_id(order),
            expiry_reason: facts
                .expired
                .and_then(|cause| expiry_reason(cause, facts))
                .map(Word::from),
            ..Self::default()
        };
        let prevented = Some(prevented_qty(order)).filter(|qty| !qty.is_zero());
        fields.prevented_quantity = prevented.map(|qty| Decimal::qty(market, qty));
        if let Some(peg) = peg_price_type(order) {
            fields.peg_price_type = Some(peg.into());
            fields.pegged_price = Some(Decimal::price(market, order.price));
            fields.peg_offset_value = peg_offset(order);
            fields.peg_offset_type = fields.peg_offset_value.map(|_| PEG_OFFSET_TYPE.into());
        }
        let Some(terms) = order.terms.map(|terms| terms.terms) else { return fields };
        if order.order_type.is_stop() {
            fields.stop_price = Some(Decimal::price(market, terms.stop_price.unwrap_or_default()));
        }
        if terms.trailing_delta_bps > 0 {
            fields.trailing_delta = Some(terms.trailing_delta_bps);
            fields.trailing_time = Some(time_or_never(facts.trailing_ns, unit));
        }
        if !terms.display_qty.is_zero() {
            fields.iceberg_qty = Some(Decimal::qty(market, terms.display_qty));
        }
        fields.hidden = terms.hidden.then_some(true);
        fields.min_qty = (!terms.min_qty.is_zero()).then(|| Decimal::qty(market, terms.min_qty));
        fields.good_till_date = (terms.expire_ns > 0).then(|| unit.time(terms.expire_ns));
        fields.within_balance = terms.within_balance.then_some(true);
        fields
    }
}

/// The last prevented trade that took quantity off an order.
fn prevented_match_id(order: &Order) -> Option<u64> {
    order.terms.map(|terms| terms.prevented_match_id).filter(|id| *id > 0)
}

pub(crate) fn peg_price_type(order: &Order) -> Option<&'static str> {
    match order.terms.and_then(|terms| terms.terms.peg) {
        _ if has_fixed_peg(order) => Some("MARKET_PEG"),
        Some(peg) => Some(match peg.reference {
            PegReference::Primary => "PRIMARY_PEG",
            PegReference::Market => "OPPOSITE_PEG",
            PegReference::Mid => "MID_PEG",
        }),
        None => None,
    }
}

/// The unit of offsets.
pub(crate) const PEG_OFFSET_TYPE: &str = "TICK";

/// In ticks, if there is one.
pub(crate) fn peg_offset(order: &Order) -> Option<i32> {
    let peg = order.terms.and_then(|terms| terms.terms.peg)?;
    Some(peg.offset_ticks).filter(|ticks| *ticks != 0)
}

/// In Binance's words, as far as it has any. An order that ended in a match says so by its status.
pub(crate) fn expiry_reason(cause: ExpireCause, facts: &OrderFacts) -> Option<&'static str> {
    Some(match cause {
        ExpireCause::SelfTrade => return None,
        ExpireCause::ImmediateOrCancel => "UNFILLED_IOC_QUANTITY_EXPIRED",
        ExpireCause::FillOrKill => "UNFILLED_FOK_ORDER_EXPIRED",
        ExpireCause::NoLiquidity
        | ExpireCause::BalanceExhausted
        | ExpireCause::BelowOneLot
        | ExpireCause::MinQty => "INSUFFICIENT_LIQUIDITY",
        ExpireCause::PriceBand => "EXECUTION_RULE_PRICE_RANGE_EXCEEDED",
        ExpireCause::OrderList if facts.is_pending => "OTO_PHASE_ONE_EXPIRED",
        ExpireCause::OrderList => "OCO_TRIGGER",
        ExpireCause::WouldTakeLiquidity | ExpireCause::NotAllowed => "REJECTED",
        ExpireCause::GoodTillDate
        | ExpireCause::Day
        | ExpireCause::AtOpen
        | ExpireCause::AtClose
        | ExpireCause::Phase => "EXCHANGE_CANCELED",
    })
}
