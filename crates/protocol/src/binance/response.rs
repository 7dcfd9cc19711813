//! Answers, field by field in the order of the documentation. Prices, quantities and amounts are
//! decimals in strings; times are in the unit that the client chose.
//!
//! Answers to commands are built from the command's events: an event carries the order as it then
//! stood, so the last one that names the order has its final state.

mod account;
mod amend;
mod batch;
mod cancel;
mod entered;
mod exchange_info;
pub(crate) mod facts;
mod history;
pub(crate) mod list;
mod market_data;
mod order;
mod order_info;
mod prevented;
mod replace;
mod report;
mod wallet;

use schemars::JsonSchema;
use serde::Serialize;
use types::{OrderType, Side, StpMode, TimeInForce};

use crate::signed::TimeUnit;

pub use account::{AccountFees, AccountInfo, Commission, MyTrade, OrderCount, TestOrderRates};
pub use amend::{AmendAnswer, Amendment, find_amended};
pub use batch::BatchAnswer;
pub use cancel::{CancelAnswer, CanceledList, CanceledOrder, Canceling};
pub use exchange_info::{ExchangeInfo, Interval, RateLimit, RateLimitType};
pub use facts::OrderFacts;
pub(crate) use history::close_ns;
pub use history::{AggTradeInfo, AvgPrice, Kline, Statistics, StatisticsTicker};
pub use list::{ListStatus, NewOrderListAnswer, OrderNames};
pub(crate) use market_data::levels;
pub use market_data::{BookTicker, Depth, Level, PriceTicker, PublicTrade, Trade};
pub use order::NewOrderAnswer;
pub use order_info::OrderInfo;
pub use prevented::{PreventedMatch, PreventedQtys};
pub use replace::ReplaceAnswer;
pub use wallet::{CoinInfo, TradeFee};

/// The JSON of an answer.
pub fn encode<T: Serialize>(answer: &T) -> String {
    serde_json::to_string(answer).expect("answers have text keys and no floats")
}

/// `{}`: the answer to a ping, and to a test order.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct Empty {}

/// `GET /api/v3/time`
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerTime {
    pub server_time: u64,
}

impl ServerTime {
    pub fn new(now_ns: u64, unit: TimeUnit) -> Self {
        Self { server_time: unit.time(now_ns) }
    }
}

pub(crate) const fn side(side: Side) -> &'static str {
    match side {
        Side::Buy => "BUY",
        Side::Sell => "SELL",
    }
}

pub(crate) const fn order_type(order_type: OrderType) -> &'static str {
    match order_type {
        // What Binance has in its place is a limit order with a `MARKET_PEG`.
        OrderType::Limit | OrderType::MarketToLimit => "LIMIT",
        OrderType::Market => "MARKET",
        OrderType::LimitMaker => "LIMIT_MAKER",
        OrderType::StopLoss => "STOP_LOSS",
        OrderType::StopLossLimit => "STOP_LOSS_LIMIT",
        OrderType::TakeProfit => "TAKE_PROFIT",
        OrderType::TakeProfitLimit => "TAKE_PROFIT_LIMIT",
    }
}

pub(crate) const fn time_in_force(time_in_force: TimeInForce) -> &'static str {
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

pub(crate) const fn stp_mode(stp_mode: StpMode) -> &'static str {
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
