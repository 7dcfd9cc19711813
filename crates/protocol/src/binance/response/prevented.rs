//! Trades that self-trade prevention did not let happen.

use schemars::JsonSchema;
use serde::Serialize;
use types::{Event, ExpireCause, Market, Order, OrderId, Qty, StpMode, TradePrevented};

use crate::signed::TimeUnit;

use crate::binance::words::stp_mode;

/// Takes off an order what `Decrement` has: the order is shown with it only when it is shown
/// again.
pub(super) fn prevented_of(order: &mut Order, prevented: &TradePrevented) {
    if prevented.stp_mode != StpMode::Decrement {
        return;
    }
    let mut terms = order.terms.unwrap_or_default();
    terms.prevented_qty += prevented.qty;
    order.terms = Some(terms);
    order.updated_ns = prevented.prevented_ns;
    if order.quote_order_qty.is_zero() {
        order.order_qty -= prevented.qty;
    }
}

/// What a prevented trade took off each side. A side that goes on whole has none.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PreventedQtys {
    pub taker: Option<Qty>,
    pub maker: Option<Qty>,
}

impl PreventedQtys {
    /// From the events of the command that the trade was prevented in.
    pub fn find(events: &[Event], prevented: &TradePrevented) -> Self {
        let rest = |order_id| rest_at_end(events, prevented, order_id);
        let (taker, maker) = (prevented.taker_order_id, prevented.maker_order_id);
        match prevented.stp_mode {
            StpMode::None => Self::default(),
            StpMode::ExpireTaker => Self { taker: rest(taker), maker: None },
            StpMode::ExpireMaker => Self { taker: None, maker: rest(maker) },
            StpMode::ExpireBoth => Self { taker: rest(taker), maker: rest(maker) },
            StpMode::Decrement => Self { taker: Some(prevented.qty), maker: Some(prevented.qty) },
        }
    }
}

/// What was left of an order that ended by this.
fn rest_at_end(events: &[Event], prevented: &TradePrevented, order_id: OrderId) -> Option<Qty> {
    events.iter().find_map(|event| match event {
        Event::OrderExpired(expired)
            if expired.cause == ExpireCause::SelfTrade
                && expired.order.instrument == prevented.instrument
                && expired.order.order_id == order_id =>
        {
            Some(expired.order.order_qty - expired.order.cum_qty)
        }
        _ => None,
    })
}

/// One of those that an order would have made as the taker, as its answer shows it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreventedInfo {
    prevented_match_id: u64,
    maker_order_id: u64,
    price: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    taker_prevented_quantity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maker_prevented_quantity: Option<String>,
}

impl PreventedInfo {
    pub(super) fn new(market: &Market, events: &[Event], prevented: &TradePrevented) -> Self {
        let qtys = PreventedQtys::find(events, prevented);
        Self {
            prevented_match_id: prevented.prevented_match_id,
            maker_order_id: prevented.maker_order_id.0,
            price: market.price(prevented.price),
            taker_prevented_quantity: qtys.taker.map(|qty| market.qty(qty)),
            maker_prevented_quantity: qtys.maker.map(|qty| market.qty(qty)),
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
    price: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    taker_prevented_quantity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maker_prevented_quantity: Option<String>,
    transact_time: u64,
}

impl PreventedMatch {
    /// `stp_group` is the asking account's; zero is none.
    pub fn new(
        market: &Market,
        prevented: &TradePrevented,
        qtys: PreventedQtys,
        stp_group: u32,
        unit: TimeUnit,
    ) -> Self {
        Self {
            symbol: market.symbol().to_owned(),
            prevented_match_id: prevented.prevented_match_id,
            taker_order_id: prevented.taker_order_id.0,
            maker_symbol: market.symbol().to_owned(),
            maker_order_id: prevented.maker_order_id.0,
            trade_group_id: if stp_group == 0 { -1 } else { i64::from(stp_group) },
            self_trade_prevention_mode: stp_mode(prevented.stp_mode),
            price: market.price(prevented.price),
            taker_prevented_quantity: qtys.taker.map(|qty| market.qty(qty)),
            maker_prevented_quantity: qtys.maker.map(|qty| market.qty(qty)),
            transact_time: unit.time(prevented.prevented_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::{AccountId, InstrumentId, Price};

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
            maker_account: AccountId(7),
            maker_order_id: OrderId(3),
            taker_account: AccountId(7),
            taker_order_id: OrderId(5),
            prevented_ns: 1_669_101_687_094_000_000,
        };
        let qtys = PreventedQtys { taker: None, maker: Some(Qty::from_lots(130_000)) };
        let expect = json!({
            "symbol": "BTCUSDT", "preventedMatchId": 1, "takerOrderId": 5,
            "makerSymbol": "BTCUSDT", "makerOrderId": 3, "tradeGroupId": 1,
            "selfTradePreventionMode": "EXPIRE_MAKER", "price": "1.10000000",
            "makerPreventedQuantity": "1.30000000", "transactTime": 1_669_101_687_094_u64,
        });
        let unit = TimeUnit::Millisecond;
        check(&PreventedMatch::new(&btcusdt(), &prevented, qtys, 1, unit), expect);
        let alone = PreventedMatch::new(&btcusdt(), &prevented, qtys, 0, unit);
        assert_eq!(alone.trade_group_id, -1);
    }
}
