//! An order in the answers to new orders and to cancels, field by field.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{AssetName, Fill, Market, Order, Side, TradeExecuted};

use crate::binance::decimal::Decimal;
use crate::binance::response::facts::{
    Conditional, OrderFacts, has_qty, is_open, limit_price, orig_qty, status, time_or_never,
    type_word,
};
use crate::binance::words::{self, Word, as_asset, stp_mode, time_in_force};
use crate::signed::TimeUnit;

/// What a result has beyond an acknowledgement.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderReport {
    pub price: Decimal,
    /// Missing while another order of its list has yet to pay it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orig_qty: Option<Decimal>,
    pub executed_qty: Decimal,
    pub orig_quote_order_qty: Decimal,
    pub cummulative_quote_qty: Decimal,
    pub status: Word,
    pub time_in_force: Word,
    #[serde(rename = "type")]
    pub order_type: Word,
    #[serde(with = "words::as_side")]
    #[schemars(with = "String")]
    pub side: Side,
    #[serde(flatten)]
    pub conditional: Conditional,
    /// A cancel does not show since when the order worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_time: Option<i64>,
    pub self_trade_prevention_mode: Word,
}

impl OrderReport {
    pub fn is_open(&self) -> bool {
        is_open(&self.status)
    }

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
            price: Decimal::price(market, limit_price(order)),
            orig_qty: has_qty(order).then(|| Decimal::qty(market, orig_qty(order))),
            executed_qty: Decimal::qty(market, order.cum_qty),
            orig_quote_order_qty: Decimal::quote_amount(market, order.quote_order_qty),
            cummulative_quote_qty: Decimal::quote_amount(market, order.cum_quote),
            status: status(order, facts).into(),
            time_in_force: time_in_force(order.time_in_force).into(),
            order_type: type_word(order).into(),
            side: order.side,
            conditional: Conditional::new(market, order, facts, unit),
            working_time: None,
            self_trade_prevention_mode: stp_mode(order.stp_mode).into(),
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FillInfo {
    pub price: Decimal,
    pub qty: Decimal,
    pub commission: Decimal,
    #[serde(with = "as_asset")]
    #[schemars(with = "String")]
    pub commission_asset: AssetName,
    pub trade_id: u64,
}

impl FillInfo {
    pub(super) fn new(market: &Market, trade: &TradeExecuted, fill: &Fill) -> Self {
        let asset = market.asset(fill.fee_asset);
        Self {
            price: Decimal::price(market, trade.price),
            qty: Decimal::qty(market, trade.qty),
            commission: Decimal::amount(asset, fill.fee),
            commission_asset: asset.name,
            trade_id: trade.trade_id.0,
        }
    }
}
