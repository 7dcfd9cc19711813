//! Trades that self-trade prevention did not let happen.

use schemars::JsonSchema;
use serde::Serialize;
use types::{Market, Qty, TradePrevented};

use crate::signed::TimeUnit;

use crate::binance::decimal::Decimal;
use crate::binance::words::stp_mode;

/// What a prevented trade took off a side, if anything.
fn taken_off(market: &Market, qty: Qty) -> Option<Decimal> {
    (!qty.is_zero()).then(|| Decimal::qty(market, qty))
}

/// The group as clients see it: -1 for none.
pub(crate) fn trade_group_id(stp_group: u32) -> i64 {
    if stp_group == 0 { -1 } else { i64::from(stp_group) }
}

/// One of those that an order would have made as the taker, as its answer shows it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreventedInfo {
    prevented_match_id: u64,
    maker_order_id: u64,
    price: Decimal,
    #[serde(skip_serializing_if = "Option::is_none")]
    taker_prevented_quantity: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maker_prevented_quantity: Option<Decimal>,
}

impl PreventedInfo {
    pub(super) fn new(market: &Market, prevented: &TradePrevented) -> Self {
        Self {
            prevented_match_id: prevented.prevented_match_id,
            maker_order_id: prevented.maker_order_id.0,
            price: Decimal::price(market, prevented.price),
            taker_prevented_quantity: taken_off(market, prevented.taker_prevented_qty),
            maker_prevented_quantity: taken_off(market, prevented.maker_prevented_qty),
        }
    }
}

/// One of `GET /api/v3/myPreventedMatches`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreventedMatch {
    symbol: String,
    prevented_match_id: u64,
    taker_order_id: u64,
    maker_symbol: String,
    maker_order_id: u64,
    trade_group_id: i64,
    self_trade_prevention_mode: &'static str,
    price: Decimal,
    #[serde(skip_serializing_if = "Option::is_none")]
    taker_prevented_quantity: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maker_prevented_quantity: Option<Decimal>,
    transact_time: u64,
}

impl PreventedMatch {
    pub fn new(market: &Market, prevented: &TradePrevented, unit: TimeUnit) -> Self {
        Self {
            symbol: market.symbol().to_owned(),
            prevented_match_id: prevented.prevented_match_id,
            taker_order_id: prevented.taker_order_id.0,
            maker_symbol: market.symbol().to_owned(),
            maker_order_id: prevented.maker_order_id.0,
            trade_group_id: trade_group_id(prevented.stp_group),
            self_trade_prevention_mode: stp_mode(prevented.stp_mode),
            price: Decimal::price(market, prevented.price),
            taker_prevented_quantity: taken_off(market, prevented.taker_prevented_qty),
            maker_prevented_quantity: taken_off(market, prevented.maker_prevented_qty),
            transact_time: unit.time(prevented.prevented_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::{AccountId, InstrumentId, OrderId, Price, StpMode};

    use super::*;
    use crate::binance::testing::{btcusdt, check};

    #[test]
    fn a_prevented_match_shows_what_each_side_lost() {
        let prevented = TradePrevented {
            instrument_seq: 3,
            instrument: InstrumentId(0),
            prevented_match_id: 1,
            price: Price::from_ticks(110),
            qty: Qty::from_lots(4_000),
            stp_mode: StpMode::ExpireMaker,
            stp_group: 1,
            maker_account: AccountId(7),
            maker_order_id: OrderId(3),
            maker_prevented_qty: Qty::from_lots(130_000),
            taker_account: AccountId(7),
            taker_order_id: OrderId(5),
            taker_prevented_qty: Qty::ZERO,
            prevented_ns: 1_669_101_687_094_000_000,
        };
        let expect = json!({
            "symbol": "BTCUSDT", "preventedMatchId": 1, "takerOrderId": 5,
            "makerSymbol": "BTCUSDT", "makerOrderId": 3, "tradeGroupId": 1,
            "selfTradePreventionMode": "EXPIRE_MAKER", "price": "1.10000000",
            "makerPreventedQuantity": "1.30000000", "transactTime": 1_669_101_687_094_u64,
        });
        let unit = TimeUnit::Millisecond;
        check(&PreventedMatch::new(&btcusdt(), &prevented, unit), expect);
        let alone = TradePrevented { stp_group: 0, ..prevented };
        assert_eq!(PreventedMatch::new(&btcusdt(), &alone, unit).trade_group_id, -1);
    }
}
