//! The table of operations of the Binance API.

use std::future::ready;

use axum::routing::MethodFilter;
use futures_util::TryFutureExt;
// The table names nearly all of both.
use protocol::binance::request::*;
use protocol::binance::response::*;
use protocol::binance::user_stream::BegunStream;
use protocol::signed::{ApiError, Generate, Params, parameters};
use schemars::SchemaGenerator;
use serde::Serialize;
use types::Markets;

use super::Weight::{By, Of};
use super::{Access, Handler, Operation};
use crate::binance::call::Call;
use crate::binance::select::{Either, OneOrAll};
use crate::binance::{
    account, batch, changes, history, lists, market, order_counts, rules, statistics, trading,
    user_data_stream, wallet,
};
use crate::door::generate::generate;
use crate::socket::http::{JsonReply, json};

/// Two lines an operation. The first has method, path, name in the WebSocket API if there is one,
/// and weight. The second has access, handler, parser of the parameters, and answer.
macro_rules! operations {
    ($($method:ident $path:literal, $($name:literal,)? $of:ident($weight:expr);
        $access:ident $handler:path, $parse:path => $answer:ty;)*
    ) => {
        pub const OPERATIONS: &[Operation] = &[$(Operation {
            method: stringify!($method),
            filter: MethodFilter::$method,
            path: $path,
            name: first(&[$($name)?]),
            weight: $of($weight),
            access: Access::$access,
            handler: handler!($access)(|mut call| match parse(&mut call, $parse) {
                Ok(request) => {
                    Box::pin($handler(call, request).map_ok(<_ as Answers<$answer>>::into_reply))
                }
                Err(error) => Box::pin(ready(Err(error.into()))),
            }),
            parameters: || parameters(|params, markets, ids| {
                let _request = $parse.run(params, markets, ids);
            }),
            answer_schema: SchemaGenerator::subschema_for::<$answer>,
        }),*];
    };
}

macro_rules! handler {
    (Public) => {
        Handler::Public
    };
    (Current) => {
        Handler::Public
    };
    ($access:ident) => {
        Handler::Keyed
    };
}

operations! {
    // The venue
    GET "/api/v3/ping", "ping", Of(1);
        Public market::ping, NoParams::parse => Empty;
    GET "/api/v3/time", "time", Of(1);
        Public market::time, NoParams::parse => ServerTime;
    GET "/api/v3/exchangeInfo", "exchangeInfo", Of(20);
        Current market::exchange_info, ExchangeInfoRequest::parse => ExchangeInfo;
    GET "/api/v3/executionRules", "executionRules", By(rules::execution_rules_weight);
        Current rules::execution_rules, ExecutionRulesRequest::parse => ExecutionRules;
    GET "/api/v3/referencePrice", "referencePrice", Of(2);
        Public rules::reference_price, ReferencePriceRequest::parse => Empty;
    GET "/api/v3/referencePrice/calculation", "referencePrice.calculation", Of(2);
        Public rules::reference_price_calculation,
            ReferencePriceCalculationRequest::parse => Empty;
    // The market
    GET "/api/v3/depth", "depth", By(market::depth_weight);
        Public market::depth, DepthRequest::parse => Depth;
    GET "/api/v3/trades", "trades.recent", Of(25);
        Public market::trades, TradesRequest::parse => Vec<Trade>;
    GET "/api/v3/ticker/price", "ticker.price", By(market::last_ticker_weight);
        Public market::price_ticker, TickerRequest::parse => OneOrAll<PriceTicker>;
    GET "/api/v3/ticker/bookTicker", "ticker.book", By(market::last_ticker_weight);
        Public market::book_ticker, TickerRequest::parse => OneOrAll<BookTicker>;
    // The market's past
    GET "/api/v3/historicalTrades", "trades.historical", Of(25);
        Public history::historical_trades, HistoricalTradesRequest::parse => Vec<Trade>;
    GET "/api/v3/historicalBlockTrades", "blockTrades.historical", Of(25);
        Public rules::block_trades, BlockTradesRequest::parse => [Empty; 0];
    GET "/api/v3/aggTrades", "trades.aggregate", Of(4);
        Public history::agg_trades, AggTradesRequest::parse => Vec<AggTradeInfo>;
    GET "/api/v3/klines", "klines", Of(2);
        Public history::klines, KlinesRequest::parse => Vec<Kline>;
    GET "/api/v3/uiKlines", "uiKlines", Of(2);
        Public history::klines, KlinesRequest::parse => Vec<Kline>;
    GET "/api/v3/avgPrice", "avgPrice", Of(2);
        Public statistics::avg_price, AvgPriceRequest::parse => AvgPrice;
    GET "/api/v3/ticker/24hr", "ticker.24hr", By(statistics::day_ticker_weight);
        Public statistics::day_ticker, DayTickerRequest::parse => Statistics;
    GET "/api/v3/ticker/tradingDay", "ticker.tradingDay", By(statistics::window_ticker_weight);
        Public statistics::trading_day_ticker, TradingDayRequest::parse => Statistics;
    GET "/api/v3/ticker", "ticker", By(statistics::window_ticker_weight);
        Public statistics::window_ticker, WindowTickerRequest::parse => Statistics;
    // Orders
    POST "/api/v3/order", "order.place", Of(1);
        Entering trading::new_order, NewOrderRequest::parse => NewOrderAnswer;
    POST "/api/v3/order/test", "order.test", By(trading::test_order_weight);
        Testing trading::test_order, TestOrderRequest::parse => Either<TestOrderRates, Empty>;
    POST "/api/v3/sor/order", "sor.order.place", Of(1);
        Entering trading::routed_order, RoutedOrderRequest::parse => RoutedOrderAnswer;
    POST "/api/v3/sor/order/test", "sor.order.test", By(trading::test_order_weight);
        Testing trading::test_routed_order,
            TestRoutedOrderRequest::parse => Either<TestOrderRates, Empty>;
    DELETE "/api/v3/order", "order.cancel", Of(1);
        Trader trading::cancel_order, CancelOrderRequest::parse => CancelAnswer;
    POST "/api/v3/order/cancelReplace", "order.cancelReplace", Of(1);
        Entering trading::replace_order, ReplaceOrderRequest::parse => ReplaceAnswer;
    PUT "/api/v3/order/amend/keepPriority", "order.amend.keepPriority", Of(4);
        Trader trading::amend_order, AmendOrderRequest::parse => AmendAnswer;
    DELETE "/api/v3/openOrders", "openOrders.cancelAll", Of(1);
        Trader trading::cancel_all, CancelAllRequest::parse => Vec<CancelAnswer>;
    POST "/api/v3/batchOrders", By(BatchOrdersRequest::weight);
        Entering batch::new_orders, BatchOrdersRequest::parse => BatchAnswer<NewOrderAnswer>;
    POST "/api/v3/batchCancel", By(BatchOrdersRequest::weight);
        Trader batch::cancel_orders, BatchCancelRequest::parse => BatchAnswer<CancelAnswer>;
    // Order lists
    POST "/api/v3/orderList/oco", "orderList.place.oco", Of(1);
        Entering lists::new_list, NewOrderListRequest::parse_oco => NewOrderListAnswer;
    POST "/api/v3/orderList/oto", "orderList.place.oto", Of(1);
        Entering lists::new_list, NewOrderListRequest::parse_oto => NewOrderListAnswer;
    POST "/api/v3/orderList/otoco", "orderList.place.otoco", Of(1);
        Entering lists::new_list, NewOrderListRequest::parse_otoco => NewOrderListAnswer;
    POST "/api/v3/orderList/opo", "orderList.place.opo", Of(1);
        Entering lists::new_list, NewOrderListRequest::parse_opo => NewOrderListAnswer;
    POST "/api/v3/orderList/opoco", "orderList.place.opoco", Of(1);
        Entering lists::new_list, NewOrderListRequest::parse_opoco => NewOrderListAnswer;
    POST "/api/v3/order/oco", "orderList.place", Of(1);
        Entering lists::new_list, NewOrderListRequest::parse_legacy_oco => NewOrderListAnswer;
    DELETE "/api/v3/orderList", "orderList.cancel", Of(1);
        Trader lists::cancel_list, CancelOrderListRequest::parse => CanceledList;
    GET "/api/v3/orderList", "orderList.status", Of(4);
        Signed lists::query_list, OrderListRequest::parse => ListStatus;
    GET "/api/v3/openOrderList", "openOrderLists.status", Of(6);
        Signed lists::open_lists, NoParams::parse => Vec<ListStatus>;
    GET "/api/v3/allOrderList", "allOrderLists", Of(20);
        Signed lists::all_lists, AllOrderListsRequest::parse => Vec<ListStatus>;
    // The account
    GET "/api/v3/order", "order.status", Of(4);
        Signed account::query_order, QueryOrderRequest::parse => OrderInfo;
    GET "/api/v3/openOrders", "openOrders.status", By(account::open_orders_weight);
        Signed account::open_orders, OpenOrdersRequest::parse => Vec<OrderInfo>;
    GET "/api/v3/allOrders", "allOrders", By(account::all_orders_weight);
        Signed account::all_orders, AllOrdersRequest::parse => Vec<OrderInfo>;
    GET "/api/v3/account", "account.status", Of(20);
        Signed account::account, AccountRequest::parse => AccountInfo;
    GET "/api/v3/order/amendments", "order.amendments", Of(4);
        Signed changes::amendments, AmendmentsRequest::parse => Vec<Amendment>;
    GET "/api/v3/myPreventedMatches", "myPreventedMatches", By(changes::prevented_matches_weight);
        Signed changes::prevented_matches, PreventedMatchesRequest::parse => Vec<PreventedMatch>;
    GET "/api/v3/myTrades", "myTrades", By(account::my_trades_weight);
        Signed account::my_trades, MyTradesRequest::parse => Vec<MyTrade>;
    GET "/api/v3/myAllocations", "myAllocations", Of(20);
        Signed rules::allocations, AllocationsRequest::parse => [Empty; 0];
    GET "/api/v3/myFilters", "myFilters", Of(40);
        Signed rules::my_filters, MyFiltersRequest::parse => MyFilters;
    // Listen keys
    POST "/api/v3/userDataStream", "userDataStream.start", Of(2);
        Keyed user_data_stream::begin, NoParams::parse => BegunStream<'static>;
    PUT "/api/v3/userDataStream", "userDataStream.ping", Of(2);
        Keyed user_data_stream::keep_alive, ListenKeyRequest::parse => Empty;
    DELETE "/api/v3/userDataStream", "userDataStream.stop", Of(2);
        Keyed user_data_stream::end, ListenKeyRequest::parse => Empty;
    GET "/api/v3/rateLimit/order", "account.rateLimits.orders", Of(40);
        Signed order_counts::order_counts, NoParams::parse => Vec<OrderCount>;
    GET "/api/v3/account/commission", "account.commission", Of(20);
        Signed account::commission, CommissionRequest::parse => Commission;
    // What clients query as they start
    GET "/sapi/v1/asset/tradeFee", Of(1);
        Signed wallet::trade_fees, TradeFeeRequest::parse => Vec<TradeFee>;
    GET "/sapi/v1/capital/config/getall", Of(10);
        Signed wallet::coins, NoParams::parse => Vec<CoinInfo>;
    GET "/sapi/v1/system/status", Of(1);
        Public wallet::system_status, NoParams::parse => SystemStatus;
    GET "/sapi/v1/capital/deposit/hisrec", Of(1);
        Signed wallet::deposits, DepositsRequest::parse => Vec<DepositInfo>;
    GET "/sapi/v1/capital/withdraw/history", Of(1);
        Signed wallet::withdrawals, WithdrawalsRequest::parse => Vec<WithdrawalInfo>;
    GET "/sapi/v1/margin/allPairs", Of(1);
        KeyedOrSigned wallet::margin_pairs, MarginPairsRequest::parse => [Empty; 0];
    GET "/sapi/v1/margin/isolated/allPairs", Of(10);
        Signed wallet::margin_pairs, MarginPairsRequest::parse => [Empty; 0];
}

/// A parser of parameters, and its other arguments.
trait Parser<Beside, T> {
    fn run(self, params: Params, markets: Markets<'_>, ids: Generate<'_>) -> Result<T, ApiError>;
}

impl<T, F: FnOnce(Params) -> Result<T, ApiError>> Parser<(), T> for F {
    fn run(self, params: Params, _: Markets<'_>, _: Generate<'_>) -> Result<T, ApiError> {
        self(params)
    }
}

impl<'a, T, F> Parser<Markets<'a>, T> for F
where
    F: FnOnce(Params, Markets<'_>) -> Result<T, ApiError>,
{
    fn run(self, params: Params, markets: Markets<'_>, _: Generate<'_>) -> Result<T, ApiError> {
        self(params, markets)
    }
}

impl<'a, T, F> Parser<(Markets<'a>, Generate<'a>), T> for F
where
    F: FnOnce(Params, Markets<'_>, Generate<'_>) -> Result<T, ApiError>,
{
    fn run(self, params: Params, markets: Markets<'_>, ids: Generate<'_>) -> Result<T, ApiError> {
        self(params, markets, ids)
    }
}

fn parse<Beside, T>(call: &mut Call, parser: impl Parser<Beside, T>) -> Result<T, ApiError> {
    let params = std::mem::take(&mut call.params);
    let door = &call.shared.door;
    let request = parser.run(params, &|symbol| door.market(symbol), &mut generate)?;
    call.times.decoded();
    Ok(request)
}

/// The result of a handler whose operation answers `A`: an `A`, or one that is encoded already.
trait Answers<A> {
    fn into_reply(self) -> JsonReply;
}

impl<A: Serialize> Answers<A> for A {
    fn into_reply(self) -> JsonReply {
        json(encode(&self))
    }
}

impl<A> Answers<A> for JsonReply {
    fn into_reply(self) -> JsonReply {
        self
    }
}

/// The name, or `None` for an operation of REST only.
const fn first(names: &[&'static str]) -> Option<&'static str> {
    match names {
        [name, ..] => Some(name),
        [] => None,
    }
}

type Statistics = OneOrAll<StatisticsTicker>;
