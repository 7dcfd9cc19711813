//! What an account asks about its own orders, trades and balances.

use types::{Market, Markets, OrderId, OrderRef, TradeId};

use super::{ListRef, RESULTS_DEFAULT, RESULTS_MAX, order_ref, take_list_ref};
use crate::signed::{ApiError, NS_PER_MS, Params};

/// The longest stretch of time that one request may look up.
const LOOKUP_HOURS_MAX: u64 = 24;
const NS_PER_HOUR: u64 = 3_600_000_000_000;

/// `GET /api/v3/order`
#[derive(Clone, Copy, Debug)]
pub struct QueryOrderRequest {
    pub market: Market,
    pub order: OrderRef,
    /// Whether its place in the queue is wanted.
    pub queue: bool,
}

impl QueryOrderRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let order = order_ref(&mut params, "orderId", "origClientOrderId")?;
        let queue = params.flag("queue")?.unwrap_or(false);
        params.finish()?;
        Ok(Self { market, order: order?, queue })
    }
}

requests! {
    /// `GET /api/v3/openOrders`; without a market, those of all.
    OpenOrdersRequest(params, markets) {
        market: Option<Market> = params.optional_market(markets)?,
        queue: bool = params.flag("queue")?.unwrap_or(false),
    }

    /// `GET /api/v3/allOrders`: orders from `order_id` on, or within the times, else the latest;
    /// without a market, those of all.
    AllOrdersRequest(params, markets) {
        market: Option<Market> = params.optional_market(markets)?,
        order_id: Option<OrderId> = params.integer("orderId")?.map(OrderId),
        times: Times = Times::take(&mut params)?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    } => {
        if market.is_none() && order_id.is_some() {
            return Err(ApiError::mandatory("symbol"));
        }
        times.check()?;
    }

    /// `GET /api/v3/myTrades`: trades from `from_id` on, or within the times, else the latest;
    /// without a market, those of all.
    MyTradesRequest(params, markets) {
        market: Option<Market> = params.optional_market(markets)?,
        order_id: Option<OrderId> = params.integer("orderId")?.map(OrderId),
        from_id: Option<TradeId> = params.integer("fromId")?.map(TradeId),
        times: Times = Times::take(&mut params)?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    } => {
        // Ids are those of one market.
        if market.is_none() && (order_id.is_some() || from_id.is_some()) {
            return Err(ApiError::mandatory("symbol"));
        }
        if times.any() && (order_id.is_some() || from_id.is_some()) {
            return Err(ApiError::bad_combination());
        }
        times.check()?;
    }

    /// `GET /api/v3/allOrderList`: lists from an id on, or within the times, else the latest.
    AllOrderListsRequest(params) {
        from_id: Option<u64> = params.integer("fromId")?,
        times: Times = Times::take(&mut params)?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    } => {
        if times.any() && from_id.is_some() {
            return Err(ApiError::bad_combination());
        }
        times.check()?;
    }

    /// `GET /api/v3/order/amendments`
    AmendmentsRequest(params, markets) {
        market: Market = params.market(markets)?,
        order_id: OrderId = OrderId(params.mandatory_integer("orderId")?),
        from_execution_id: Option<u64> = params.integer("fromExecutionId")?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    }

    /// `GET /api/v3/account/commission`
    CommissionRequest(params, markets) {
        market: Market = params.market(markets)?,
    }

    /// `PUT` and `DELETE /api/v3/userDataStream`
    ListenKeyRequest(params) {
        listen_key: String = params.mandatory_text("listenKey")?.into_owned(),
    }

    /// `GET /api/v3/account`
    AccountRequest(params) {
        omit_zero_balances: bool = params.flag("omitZeroBalances")?.unwrap_or(false),
    }
}

/// `GET /api/v3/orderList`
#[derive(Clone, Copy, Debug)]
pub struct OrderListRequest {
    pub list: ListRef,
}

impl OrderListRequest {
    pub fn parse(mut params: Params) -> Result<Self, ApiError> {
        let list = take_list_ref(&mut params, "origClientOrderId")?;
        params.finish()?;
        Ok(Self { list: list? })
    }
}

/// `GET /api/v3/myPreventedMatches`
#[derive(Clone, Copy, Debug)]
pub struct PreventedMatchesRequest {
    pub market: Market,
    pub wanted: PreventedMatchesWanted,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PreventedMatchesWanted {
    One(u64),
    OfOrder { order_id: OrderId, from_id: Option<u64>, limit: usize },
}

impl PreventedMatchesRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let one = params.integer("preventedMatchId")?;
        let order_id = params.integer("orderId")?.map(OrderId);
        let from_id = params.integer("fromPreventedMatchId")?;
        let has_limit = params.contains("limit");
        let limit = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?;
        params.finish()?;
        let wanted = match (one, order_id) {
            (None, None) => return Err(ApiError::either_mandatory("preventedMatchId", "orderId")),
            (Some(one), None) if from_id.is_none() && !has_limit => {
                PreventedMatchesWanted::One(one)
            }
            (None, Some(order_id)) => PreventedMatchesWanted::OfOrder { order_id, from_id, limit },
            (Some(_), _) => return Err(ApiError::bad_combination()),
        };
        Ok(Self { market, wanted })
    }
}

/// What asks for nothing in particular, such as `GET /api/v3/openOrderList`.
#[derive(Clone, Copy, Debug)]
pub struct NoParams {}

impl NoParams {
    pub fn parse(params: Params) -> Result<Self, ApiError> {
        params.finish().map(|()| Self {})
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

    pub(super) fn check(self) -> Result<(), ApiError> {
        self.check_within(LOOKUP_HOURS_MAX)
    }

    /// With bounds where none was named: this many hours up to the end, which is now at the latest.
    pub(super) fn or_last(self, hours: u64, now_ns: u64) -> Self {
        let span_ns = hours * NS_PER_HOUR;
        let end_ns = self.end_ns.unwrap_or_else(|| match self.start_ns {
            Some(start_ns) => start_ns.saturating_add(span_ns),
            None => now_ns,
        });
        let start_ns = self.start_ns.unwrap_or(end_ns.saturating_sub(span_ns));
        Self { start_ns: Some(start_ns), end_ns: Some(end_ns) }
    }

    /// Refuses an end before the start, and more hours between them.
    pub(super) fn check_within(self, hours_max: u64) -> Result<(), ApiError> {
        let (Some(start_ns), Some(end_ns)) = (self.start_ns, self.end_ns) else { return Ok(()) };
        // The end is the last nanosecond of its unit, which is a millisecond at most.
        let span_ns = end_ns.checked_sub(start_ns).ok_or_else(ApiError::bad_combination)?;
        if span_ns < hours_max * NS_PER_HOUR + NS_PER_MS {
            Ok(())
        } else {
            Err(ApiError::more_than_hours(hours_max))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::{InstrumentId, OrderListId};

    use super::*;
    use crate::binance::testing::{cl, markets, query};

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

    #[test]
    fn ids_are_those_of_one_market() {
        let trades = |text: &str| MyTradesRequest::parse(query(text), &markets);
        let orders = |text: &str| AllOrdersRequest::parse(query(text), &markets);
        assert!(trades("startTime=1000&limit=3").unwrap().market.is_none());
        assert!(orders("limit=3").unwrap().market.is_none());
        let symbol = ApiError::mandatory("symbol");
        for text in ["orderId=1", "fromId=1", "orderId=1&fromId=2"] {
            assert_eq!(trades(text).unwrap_err(), symbol, "{text}");
        }
        assert_eq!(orders("orderId=1").unwrap_err(), symbol);
    }

    #[test]
    fn lists_are_looked_up_by_id_or_by_time() {
        let one = |text: &str| OrderListRequest::parse(query(text)).map(|request| request.list);
        let found = one("orderListId=500007").unwrap();
        assert_eq!(found.id, Some((InstrumentId(7), OrderListId(5))));
        assert_eq!(one("origClientOrderId=mine").unwrap().cl_ord_id, Some(cl("mine")));
        assert_eq!(
            one("").unwrap_err(),
            ApiError::either_mandatory("orderListId", "origClientOrderId")
        );
        let all = |text: &str| AllOrderListsRequest::parse(query(text));
        assert_eq!(all("fromId=5&limit=2").unwrap().from_id, Some(5));
        assert_eq!(all("fromId=5&startTime=1000").unwrap_err().code, -1128);
        assert_eq!(all("startTime=1000&endTime=86401001").unwrap_err().code, -1127);
    }

    #[test]
    fn prevented_matches_are_one_or_those_of_an_order() {
        let parse = |text: &str| {
            PreventedMatchesRequest::parse(query(&format!("symbol=BTCUSDT&{text}")), &markets)
                .map(|request| request.wanted)
        };
        assert_eq!(parse("preventedMatchId=3"), Ok(PreventedMatchesWanted::One(3)));
        let of_order =
            PreventedMatchesWanted::OfOrder { order_id: OrderId(5), from_id: Some(2), limit: 500 };
        assert_eq!(parse("orderId=5&fromPreventedMatchId=2"), Ok(of_order));
        assert_eq!(parse("").unwrap_err().code, -1102);
        assert_eq!(parse("preventedMatchId=3&orderId=5").unwrap_err().code, -1128);
        assert_eq!(parse("preventedMatchId=3&limit=5").unwrap_err().code, -1128);
    }

    #[test]
    fn amendments_are_those_of_one_order() {
        let parse = |text: &str| {
            AmendmentsRequest::parse(query(&format!("symbol=BTCUSDT&{text}")), &markets)
        };
        let request = parse("orderId=9&fromExecutionId=22&limit=7").unwrap();
        assert_eq!((request.order_id, request.from_execution_id), (OrderId(9), Some(22)));
        assert_eq!(request.limit, 7);
        assert_eq!(parse("limit=7").unwrap_err(), ApiError::mandatory("orderId"));
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
