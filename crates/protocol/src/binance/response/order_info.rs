//! Orders that are asked about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Market, Order, Price, Qty, Side};

use crate::binance::decimal::Decimal;
use crate::binance::list_id::list_id_of;
use crate::binance::response::facts::{
    Conditional, OrderFacts, is_open, limit_price, orig_qty, status, time_or_never, type_word,
};
use crate::binance::words::{self, Word, stp_mode, time_in_force};
use crate::signed::TimeUnit;

/// `GET /api/v3/order`, and one of `GET /api/v3/openOrders` and `GET /api/v3/allOrders`
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderInfo {
    pub symbol: String,
    pub order_id: u64,
    pub order_list_id: i64,
    pub client_order_id: String,
    pub price: Decimal,
    pub orig_qty: Decimal,
    pub executed_qty: Decimal,
    pub cummulative_quote_qty: Decimal,
    pub status: Word,
    pub time_in_force: Word,
    #[serde(rename = "type")]
    pub order_type: Word,
    #[serde(with = "words::as_side")]
    #[schemars(with = "String")]
    pub side: Side,
    pub stop_price: Decimal,
    pub iceberg_qty: Decimal,
    pub time: u64,
    pub update_time: u64,
    pub is_working: bool,
    pub working_time: i64,
    pub orig_quote_order_qty: Decimal,
    #[serde(flatten)]
    pub conditional: Conditional,
    pub self_trade_prevention_mode: Word,
    /// The displayed quantity that trades ahead of it at its price; `null` for one that is not on
    /// the book. Only if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ahead_qty: Option<Option<Decimal>>,
}

impl OrderInfo {
    pub fn is_open(&self) -> bool {
        is_open(&self.status)
    }

    pub fn new(market: &Market, order: &Order, facts: &OrderFacts, unit: TimeUnit) -> Self {
        let mut conditional = Conditional::new(market, order, facts, unit);
        // Here every order has them.
        let stop_price = conditional.stop_price.take();
        let iceberg_qty = conditional.iceberg_qty.take();
        Self {
            symbol: market.symbol().to_owned(),
            order_id: order.order_id.0,
            order_list_id: list_id_of(order),
            client_order_id: order.cl_ord_id.to_string(),
            price: Decimal::price(market, limit_price(order)),
            orig_qty: Decimal::qty(market, orig_qty(order)),
            executed_qty: Decimal::qty(market, order.cum_qty),
            cummulative_quote_qty: Decimal::quote_amount(market, order.cum_quote),
            status: status(order, facts).into(),
            time_in_force: time_in_force(order.time_in_force).into(),
            order_type: type_word(order).into(),
            side: order.side,
            stop_price: stop_price.unwrap_or_else(|| Decimal::price(market, Price::default())),
            iceberg_qty: iceberg_qty.unwrap_or_else(|| Decimal::qty(market, Qty::ZERO)),
            time: unit.time(order.created_ns),
            update_time: unit.time(order.updated_ns),
            is_working: facts.working_ns.is_some(),
            working_time: time_or_never(facts.working_ns, unit),
            orig_quote_order_qty: Decimal::quote_amount(market, order.quote_order_qty),
            conditional,
            self_trade_prevention_mode: stp_mode(order.stp_mode).into(),
            ahead_qty: None,
        }
    }

    #[must_use]
    pub fn with_ahead(self, market: &Market, ahead: Option<Qty>) -> Self {
        Self { ahead_qty: Some(ahead.map(|ahead| Decimal::qty(market, ahead))), ..self }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::{Amount, OrderStatus, OrderTerms, OrderType, Terms, TimeInForce};

    use super::*;
    use crate::binance::testing::{btcusdt, check, order};

    const MS: TimeUnit = TimeUnit::Millisecond;

    #[test]
    fn an_order_is_shown_completely() {
        let partly = Order {
            status: OrderStatus::PartiallyFilled,
            cum_qty: Qty::from_lots(4_000),
            cum_quote: Amount::from_minor(99_996_000_000),
            ..order(28)
        };
        check(
            &OrderInfo::new(&btcusdt(), &partly, &OrderFacts::of(&partly), MS),
            json!({
                "symbol": "BTCUSDT", "orderId": 28, "orderListId": -1, "clientOrderId": "mine",
                "price": "25000.00000000", "origQty": "0.10000000", "executedQty": "0.04000000",
                "cummulativeQuoteQty": "999.96000000", "status": "PARTIALLY_FILLED",
                "timeInForce": "GTC", "type": "LIMIT", "side": "BUY",
                "stopPrice": "0.00000000", "icebergQty": "0.00000000",
                "time": 1_507_725_176_595_u64, "updateTime": 1_507_725_176_595_u64,
                "isWorking": true, "workingTime": 1_507_725_176_595_u64,
                "origQuoteOrderQty": "0.00000000", "selfTradePreventionMode": "NONE",
            }),
        );
    }

    #[test]
    fn a_stop_that_waits_is_not_working() {
        let terms = Terms {
            stop_price: Some(Price::from_ticks(2_400_000)),
            display_qty: Qty::from_lots(1_000),
            ..Terms::default()
        };
        let terms = OrderTerms { terms, ..OrderTerms::default() };
        let order_type = OrderType::StopLossLimit;
        let stop = Order { order_type, terms: Some(terms), ..order(28) };
        let info = OrderInfo::new(&btcusdt(), &stop, &OrderFacts::of(&stop), MS);
        let info = serde_json::to_value(info).unwrap();
        assert_eq!((&info["isWorking"], &info["workingTime"]), (&json!(false), &json!(-1)));
        assert_eq!(info["stopPrice"], "24000.00000000");
        assert_eq!(info["icebergQty"], "0.01000000");
    }

    #[test]
    fn an_order_that_ended_in_a_match_says_so() {
        let terms = OrderTerms {
            prevented_qty: Qty::from_lots(4_000),
            prevented_match_id: 3,
            ..OrderTerms::default()
        };
        let rest = Qty::from_lots(6_000);
        let open = Order { order_qty: rest, terms: Some(terms), ..order(28) };
        let told = |order: &Order| {
            let info = OrderInfo::new(&btcusdt(), order, &OrderFacts::of(order), MS);
            let info = serde_json::to_value(info).unwrap();
            let names = ["status", "origQty", "preventedQuantity"];
            let texts = names.map(|name| info[name].as_str().unwrap_or_default().to_owned());
            (texts, info["preventedMatchId"].as_u64())
        };
        let check = |order: &Order, texts: [&str; 3], id| {
            assert_eq!(told(order), (texts.map(str::to_owned), id));
        };
        check(&open, ["NEW", "0.10000000", "0.04000000"], Some(3));
        for time_in_force in [TimeInForce::Gtc, TimeInForce::Ioc] {
            let ended = Order { status: OrderStatus::Prevented, time_in_force, ..open };
            check(&ended, ["EXPIRED_IN_MATCH", "0.10000000", "0.04000000"], Some(3));
            let ended = Order { status: OrderStatus::Expired, time_in_force, ..order(28) };
            check(&ended, ["EXPIRED", "0.10000000", ""], None);
        }
    }
}
