//! Answers, field by field in the order of the documentation. Prices, quantities and amounts are
//! decimals in strings; times are in the unit that the client chose.
//!
//! Answers to commands are built from the command's events: an event carries the order as it then
//! stood, so the last one that names the order tells how it ended up.

mod account;
mod exchange_info;
mod history;
mod market_data;
mod order;
mod replace;

use serde::Serialize;
use types::{OrderStatus, OrderType, Side, StpMode, TimeInForce};

pub use account::{AccountInfo, MyTrade, TestOrderRates};
pub use exchange_info::{ExchangeInfo, Interval, RateLimit, RateLimitType};
pub(crate) use history::close_ns;
pub use history::{AggTradeInfo, AvgPrice, Kline, Statistics, StatisticsTicker};
pub(crate) use market_data::levels;
pub use market_data::{BookTicker, Depth, Level, PriceTicker, PublicTrade, Trade};
pub use order::{AmendAnswer, CancelAnswer, NewOrderAnswer, OrderInfo};
pub use replace::ReplaceAnswer;

use crate::binance::TimeUnit;

/// The JSON of an answer.
pub fn encode<T: Serialize>(answer: &T) -> String {
    serde_json::to_string(answer).expect("answers have text keys and no floats")
}

/// `{}`: the answer to a ping, and to a test order.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Empty {}

/// `GET /api/v3/time`
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerTime {
    pub server_time: u64,
}

impl ServerTime {
    pub fn new(now_ns: u64, unit: TimeUnit) -> Self {
        Self { server_time: unit.time(now_ns) }
    }
}

/// Every order stands for itself: there are no order lists.
const NO_ORDER_LIST: i32 = -1;

const fn side(side: Side) -> &'static str {
    match side {
        Side::Buy => "BUY",
        Side::Sell => "SELL",
    }
}

const fn order_type(order_type: OrderType) -> &'static str {
    match order_type {
        OrderType::Limit => "LIMIT",
        OrderType::Market => "MARKET",
        OrderType::LimitMaker => "LIMIT_MAKER",
        OrderType::StopLoss => "STOP_LOSS",
        OrderType::StopLossLimit => "STOP_LOSS_LIMIT",
        OrderType::TakeProfit => "TAKE_PROFIT",
        OrderType::TakeProfitLimit => "TAKE_PROFIT_LIMIT",
        OrderType::MarketToLimit => "MARKET_TO_LIMIT",
    }
}

const fn time_in_force(time_in_force: TimeInForce) -> &'static str {
    match time_in_force {
        TimeInForce::Gtc => "GTC",
        TimeInForce::Ioc => "IOC",
        TimeInForce::Fok => "FOK",
        TimeInForce::Day => "DAY",
        TimeInForce::Gtd => "GTD",
        TimeInForce::AtOpen => "AT_OPEN",
        TimeInForce::AtClose => "AT_CLOSE",
    }
}

const fn status(status: OrderStatus) -> &'static str {
    match status {
        OrderStatus::New => "NEW",
        OrderStatus::PartiallyFilled => "PARTIALLY_FILLED",
        OrderStatus::Filled => "FILLED",
        OrderStatus::Canceled => "CANCELED",
        OrderStatus::Expired => "EXPIRED",
    }
}

const fn stp_mode(stp_mode: StpMode) -> &'static str {
    match stp_mode {
        StpMode::None => "NONE",
        StpMode::ExpireTaker => "EXPIRE_TAKER",
        StpMode::ExpireMaker => "EXPIRE_MAKER",
        StpMode::ExpireBoth => "EXPIRE_BOTH",
        StpMode::Decrement => "DECREMENT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_answers_are_small() {
        assert_eq!(encode(&Empty {}), "{}");
        let time = ServerTime::new(1_499_827_319_559_123_456, TimeUnit::Millisecond);
        assert_eq!(encode(&time), r#"{"serverTime":1499827319559}"#);
    }
}
