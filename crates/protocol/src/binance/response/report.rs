//! An order in the answers to new orders and to cancels, field by field.

use schemars::JsonSchema;
use serde::Serialize;
use types::{Fill, Market, Order, TradeExecuted};

use crate::binance::response::facts::{
    Conditional, OrderFacts, limit_price, orig_qty, status, time_or_never,
};
use crate::binance::words::{order_type, side, stp_mode, time_in_force};
use crate::signed::TimeUnit;

/// What a result has beyond an acknowledgement.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderReport {
    price: String,
    orig_qty: String,
    executed_qty: String,
    orig_quote_order_qty: String,
    cummulative_quote_qty: String,
    status: &'static str,
    time_in_force: &'static str,
    #[serde(rename = "type")]
    order_type: &'static str,
    side: &'static str,
    #[serde(flatten)]
    conditional: Conditional,
    /// A cancel does not show since when the order worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    working_time: Option<i64>,
    self_trade_prevention_mode: &'static str,
}

impl OrderReport {
    pub(super) fn new(market: &Market, order: &Order, facts: &OrderFacts, unit: TimeUnit) -> Self {
        let working_time = Some(time_or_never(facts.working_ns, unit));
        Self { working_time, ..Self::of_canceled(market, order, facts, unit) }
    }

    pub(super) fn of_canceled(
        market: &Market,
        order: &Order,
        facts: &OrderFacts,
        unit: TimeUnit,
    ) -> Self {
        Self {
            price: market.price(limit_price(order)),
            orig_qty: market.qty(orig_qty(order)),
            executed_qty: market.qty(order.cum_qty),
            orig_quote_order_qty: market.quote_amount(order.quote_order_qty),
            cummulative_quote_qty: market.quote_amount(order.cum_quote),
            status: status(order, facts),
            time_in_force: time_in_force(order.time_in_force),
            order_type: order_type(order.order_type),
            side: side(order.side),
            conditional: Conditional::new(market, order, facts, unit),
            working_time: None,
            self_trade_prevention_mode: stp_mode(order.stp_mode),
        }
    }
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FillInfo {
    price: String,
    qty: String,
    commission: String,
    commission_asset: String,
    trade_id: u64,
}

impl FillInfo {
    pub(super) fn new(market: &Market, trade: &TradeExecuted, fill: &Fill) -> Self {
        let asset = market.asset(fill.fee_asset);
        Self {
            price: market.price(trade.price),
            qty: market.qty(trade.qty),
            commission: asset.format_amount(fill.fee),
            commission_asset: asset.name.to_string(),
            trade_id: trade.trade_id.0,
        }
    }
}
