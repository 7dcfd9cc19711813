//! What an account asks about its own orders, trades and balances.

use types::{OrderId, OrderRef, TradeId};

use super::{RESULTS_DEFAULT, RESULTS_MAX, order_ref};
use crate::binance::time::NS_PER_MS;
use crate::binance::{ApiError, Market, Markets, Params};

/// The longest stretch of time that one request may look up.
const LOOKUP_HOURS_MAX: u64 = 24;

/// `GET /api/v3/order`
#[derive(Clone, Copy, Debug)]
pub struct QueryOrderRequest {
    pub market: Market,
    pub order: OrderRef,
}

impl QueryOrderRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let order = order_ref(&mut params, "orderId", "origClientOrderId")?;
        params.finish()?;
        Ok(Self { market, order: order? })
    }
}

/// `GET /api/v3/openOrders`; without a market, those of all.
#[derive(Clone, Copy, Debug)]
pub struct OpenOrdersRequest {
    pub market: Option<Market>,
}

impl OpenOrdersRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let market = params.optional_market(markets)?;
        params.finish()?;
        Ok(Self { market })
    }
}

/// `GET /api/v3/allOrders`: orders from `order_id` on, or within the times, else the latest.
#[derive(Clone, Copy, Debug)]
pub struct AllOrdersRequest {
    pub market: Market,
    pub order_id: Option<OrderId>,
    pub times: Times,
    pub limit: usize,
}

impl AllOrdersRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let order_id = params.integer("orderId")?.map(OrderId);
        let times = Times::take(&mut params)?;
        let limit = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?;
        params.finish()?;
        times.check()?;
        Ok(Self { market, order_id, times, limit })
    }
}

/// `GET /api/v3/myTrades`: trades from `from_id` on, or within the times, else the latest.
#[derive(Clone, Copy, Debug)]
pub struct MyTradesRequest {
    pub market: Market,
    pub order_id: Option<OrderId>,
    pub from_id: Option<TradeId>,
    pub times: Times,
    pub limit: usize,
}

impl MyTradesRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let order_id = params.integer("orderId")?.map(OrderId);
        let from_id = params.integer("fromId")?.map(TradeId);
        let times = Times::take(&mut params)?;
        let limit = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?;
        params.finish()?;
        if times.any() && (order_id.is_some() || from_id.is_some()) {
            return Err(ApiError::bad_combination());
        }
        times.check()?;
        Ok(Self { market, order_id, from_id, times, limit })
    }
}

/// From when to when, both inclusive, in nanoseconds. A millisecond that was named as the end is
/// meant to its last nanosecond.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Times {
    pub start_ns: Option<u64>,
    pub end_ns: Option<u64>,
}

impl Times {
    pub const fn any(self) -> bool {
        self.start_ns.is_some() || self.end_ns.is_some()
    }

    pub fn contains(self, time_ns: u64) -> bool {
        self.start_ns.is_none_or(|start_ns| time_ns >= start_ns)
            && self.end_ns.is_none_or(|end_ns| time_ns <= end_ns)
    }

    pub(super) fn take(params: &mut Params) -> Result<Self, ApiError> {
        Ok(Self {
            start_ns: params.time_span_ns("startTime")?.map(|(first, _)| first),
            end_ns: params.time_span_ns("endTime")?.map(|(_, last)| last),
        })
    }

    fn check(self) -> Result<(), ApiError> {
        const NS_PER_HOUR: u64 = 3_600_000_000_000;
        let (Some(start_ns), Some(end_ns)) = (self.start_ns, self.end_ns) else { return Ok(()) };
        // The end is the last nanosecond of its unit, which is a millisecond at most.
        let span_ns = end_ns.checked_sub(start_ns).ok_or_else(ApiError::bad_combination)?;
        match span_ns < LOOKUP_HOURS_MAX * NS_PER_HOUR + NS_PER_MS {
            true => Ok(()),
            false => Err(ApiError::more_than_hours(LOOKUP_HOURS_MAX)),
        }
    }
}

/// `GET /api/v3/account`
#[derive(Clone, Copy, Debug)]
pub struct AccountRequest {
    pub omit_zero_balances: bool,
}

impl AccountRequest {
    pub fn parse(mut params: Params) -> Result<Self, ApiError> {
        let omit_zero_balances = params.flag("omitZeroBalances")?.unwrap_or(false);
        params.finish()?;
        Ok(Self { omit_zero_balances })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::binance::testing::{markets, query};

    #[test]
    fn trades_are_looked_up_by_id_or_by_time() {
        let parse =
            |text: &str| MyTradesRequest::parse(query(&format!("symbol=BTCUSDT&{text}")), &markets);
        let request = parse("startTime=1000&endTime=86401000").unwrap();
        assert_eq!(request.times.start_ns, Some(1_000_000_000));
        assert!(request.times.contains(86_401_000_999_999));
        assert!(!request.times.contains(86_401_001_000_000));
        assert_eq!(request.limit, 500);
        assert_eq!(parse("orderId=1&fromId=2&limit=9999").unwrap().limit, 1000);
        assert_eq!(parse("startTime=1000&endTime=86401001").unwrap_err().code, -1127);
        assert_eq!(parse("startTime=1000&endTime=1").unwrap_err().code, -1128);
        assert_eq!(parse("startTime=1000&fromId=1").unwrap_err().code, -1128);
    }

    proptest! {
        #[test]
        fn any_values_make_a_question_or_an_error(rest in "[a-zA-Z&=0-9.%\\[\\]\"]{0,60}") {
            let Ok(params) = Params::parse(&format!("symbol=BTCUSDT&{rest}"), b"") else {
                return Ok(());
            };
            let _ = QueryOrderRequest::parse(params.clone(), &markets);
            let _ = AllOrdersRequest::parse(params.clone(), &markets);
            let _ = MyTradesRequest::parse(params, &markets);
        }
    }
}
