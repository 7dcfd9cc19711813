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
pub(crate) mod prevented;
mod replace;
mod report;
mod rules;
mod transfer;
mod wallet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::signed::TimeUnit;
use crate::spare::Spare;

pub use account::{
    AccountFees, AccountInfo, BalanceInfo, Commission, CommissionRates, MyTrade, OrderCount,
    TestOrderRates,
};
pub use amend::{AmendAnswer, Amendment, find_amended};
pub use batch::BatchAnswer;
pub use cancel::{CancelAnswer, CanceledList, CanceledOrder, Canceling};
pub use exchange_info::{ExchangeInfo, Filter, Interval, RateLimit, RateLimitType, SymbolInfo};
pub use facts::{Conditional, OrderFacts};
pub(crate) use history::close_ns;
pub use history::{AggTradeInfo, AvgPrice, Kline, Statistics, StatisticsTicker};
pub use list::{ListStatus, ListedOrder, NewOrderListAnswer, OrderNames};
pub(crate) use market_data::Levels;
pub use market_data::{BookTicker, Depth, Level, PriceTicker, PublicTrade, Trade};
pub use order::{NewOrderAnswer, RoutedOrderAnswer};
pub use order_info::OrderInfo;
pub use prevented::PreventedMatch;
pub use replace::ReplaceAnswer;
pub use report::{FillInfo, OrderReport};
pub use rules::{ExecutionRules, MyFilters, SymbolRules};
pub use transfer::{DepositInfo, SystemStatus, TransferFacts, WithdrawalInfo};
pub use wallet::{CoinInfo, TradeFee};

/// The answer to an order is not longer, unless it has many fills.
const ROOM: usize = 1_024;

thread_local! {
    static SPARE: Spare<String> = const { Spare::new() };
}

/// The JSON of an answer.
pub fn encode<T: Serialize>(answer: &T) -> String {
    let spare = SPARE.with(Spare::take);
    let mut json = spare.unwrap_or_else(|| String::with_capacity(ROOM)).into_bytes();
    json.clear();
    serde_json::to_writer(&mut json, answer).expect("answers have text keys and no floats");
    String::from_utf8(json).expect("JSON of texts")
}

/// Keeps the memory of an answer that was copied elsewhere, for the next answers of this thread.
pub fn reuse(answer: String) {
    let len = answer.capacity();
    SPARE.with(|spare| spare.keep(answer, len));
}

/// `{}`: the answer to a ping, and to a test order.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct Empty {}

/// `GET /api/v3/time`
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerTime {
    pub server_time: u64,
}

impl ServerTime {
    pub fn new(now_ns: u64, unit: TimeUnit) -> Self {
        Self { server_time: unit.time(now_ns) }
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
