//! Everything that a client can ask for, a row each.

use axum::routing::MethodFilter as M;
use protocol::binance::request::{
    AccountRequest, AggTradesRequest, AllOrderListsRequest, AllOrdersRequest, AmendOrderRequest,
    AmendmentsRequest, AvgPriceRequest, BatchCancelRequest, BatchOrdersRequest, CancelAllRequest,
    CancelOrderListRequest, CancelOrderRequest, CommissionRequest, DayTickerRequest, DepthRequest,
    ExchangeInfoRequest, HistoricalTradesRequest, KlinesRequest, ListenKeyRequest,
    MarginPairsRequest, MyTradesRequest, NewOrderListRequest, NewOrderRequest, NoParams,
    OpenOrdersRequest, OrderListRequest, PreventedMatchesRequest, QueryOrderRequest,
    ReplaceOrderRequest, TestOrderRequest, TickerRequest, TradeFeeRequest, TradesRequest,
    TradingDayRequest, WindowTickerRequest,
};
use protocol::binance::response::{
    AccountInfo, AggTradeInfo, AmendAnswer, Amendment, AvgPrice, BatchAnswer, BookTicker,
    CancelAnswer, CanceledList, CoinInfo, Commission, Depth, Empty, ExchangeInfo, Kline,
    ListStatus, MyTrade, NewOrderAnswer, NewOrderListAnswer, OrderCount, OrderInfo, PreventedMatch,
    PriceTicker, ReplaceAnswer, ServerTime, StatisticsTicker, TestOrderRates, Trade, TradeFee,
};
use protocol::binance::user_stream::BegunStream;
use protocol::signed::parameters;
use schemars::{JsonSchema, SchemaGenerator};

use super::Weight::{By, Of};
use super::{Handler, Operation, Shape, Weight};
use crate::binance::{
    account, batch, changes, history, lists, market, statistics, trading, user_data_stream, wallet,
};

macro_rules! anybody {
    ($handler:path) => {
        Handler::Anybody(|call| Box::pin($handler(call)))
    };
}

macro_rules! keyed {
    ($handler:path) => {
        Handler::Keyed(|call| Box::pin($handler(call)))
    };
}

macro_rules! signed {
    ($handler:path) => {
        Handler::Signed(|call| Box::pin($handler(call)))
    };
}

macro_rules! trader {
    ($handler:path) => {
        Handler::Trader(|call| Box::pin($handler(call)))
    };
}

/// `parser[what it needs beside the parameters] => answer`
macro_rules! shape {
    (@ $parsed:expr, $answer:ty) => {
        Shape { takes: || parameters($parsed), gives: SchemaGenerator::subschema_for::<$answer> }
    };
    ($parse:path [] => $answer:ty) => {
        shape!(@ |params, _, _| drop($parse(params)), $answer)
    };
    ($parse:path [markets] => $answer:ty) => {
        shape!(@ |params, markets, _| drop($parse(params, markets)), $answer)
    };
    ($parse:path [markets, generate] => $answer:ty) => {
        shape!(
            @ |params, markets, generate| drop($parse(params, markets, generate)),
            $answer
        )
    };
}

pub(crate) const OPERATIONS: &[Operation] = &[
    // The venue
    of(
        M::GET,
        "/api/v3/ping",
        "ping",
        Of(1),
        anybody!(market::ping),
        shape!(NoParams::parse[] => Empty),
    ),
    of(
        M::GET,
        "/api/v3/time",
        "time",
        Of(1),
        anybody!(market::time),
        shape!(NoParams::parse[] => ServerTime),
    ),
    of(
        M::GET,
        "/api/v3/exchangeInfo",
        "exchangeInfo",
        Of(20),
        anybody!(market::exchange_info),
        shape!(ExchangeInfoRequest::parse[markets] => ExchangeInfo),
    ),
    // The market
    of(
        M::GET,
        "/api/v3/depth",
        "depth",
        By(market::depth_weight),
        anybody!(market::depth),
        shape!(DepthRequest::parse[markets] => Depth),
    ),
    of(
        M::GET,
        "/api/v3/trades",
        "trades.recent",
        Of(25),
        anybody!(market::trades),
        shape!(TradesRequest::parse[markets] => Vec<Trade>),
    ),
    of(
        M::GET,
        "/api/v3/ticker/price",
        "ticker.price",
        By(market::last_ticker_weight),
        anybody!(market::price_ticker),
        shape!(TickerRequest::parse[markets] => Either<PriceTicker, Vec<PriceTicker>>),
    ),
    of(
        M::GET,
        "/api/v3/ticker/bookTicker",
        "ticker.book",
        By(market::last_ticker_weight),
        anybody!(market::book_ticker),
        shape!(TickerRequest::parse[markets] => Either<BookTicker, Vec<BookTicker>>),
    ),
    // The market's past
    of(
        M::GET,
        "/api/v3/historicalTrades",
        "trades.historical",
        Of(25),
        anybody!(history::historical_trades),
        shape!(HistoricalTradesRequest::parse[markets] => Vec<Trade>),
    ),
    of(
        M::GET,
        "/api/v3/aggTrades",
        "trades.aggregate",
        Of(4),
        anybody!(history::agg_trades),
        shape!(AggTradesRequest::parse[markets] => Vec<AggTradeInfo>),
    ),
    of(
        M::GET,
        "/api/v3/klines",
        "klines",
        Of(2),
        anybody!(history::klines),
        shape!(KlinesRequest::parse[markets] => Vec<Kline>),
    ),
    of(
        M::GET,
        "/api/v3/uiKlines",
        "uiKlines",
        Of(2),
        anybody!(history::klines),
        shape!(KlinesRequest::parse[markets] => Vec<Kline>),
    ),
    of(
        M::GET,
        "/api/v3/avgPrice",
        "avgPrice",
        Of(2),
        anybody!(statistics::avg_price),
        shape!(AvgPriceRequest::parse[markets] => AvgPrice),
    ),
    of(
        M::GET,
        "/api/v3/ticker/24hr",
        "ticker.24hr",
        By(statistics::day_ticker_weight),
        anybody!(statistics::day_ticker),
        shape!(DayTickerRequest::parse[markets] => Either<StatisticsTicker, Vec<StatisticsTicker>>),
    ),
    of(
        M::GET,
        "/api/v3/ticker/tradingDay",
        "ticker.tradingDay",
        By(statistics::window_ticker_weight),
        anybody!(statistics::trading_day_ticker),
        shape!(TradingDayRequest::parse[markets] => Either<StatisticsTicker, Vec<StatisticsTicker>>),
    ),
    of(
        M::GET,
        "/api/v3/ticker",
        "ticker",
        By(statistics::window_ticker_weight),
        anybody!(statistics::window_ticker),
        shape!(WindowTickerRequest::parse[markets] => Either<StatisticsTicker, Vec<StatisticsTicker>>),
    ),
    // Orders
    entering(of(
        M::POST,
        "/api/v3/order",
        "order.place",
        Of(1),
        trader!(trading::new_order),
        shape!(NewOrderRequest::parse[markets, generate] => NewOrderAnswer),
    )),
    of(
        M::POST,
        "/api/v3/order/test",
        "order.test",
        By(trading::test_order_weight),
        trader!(trading::test_order),
        shape!(TestOrderRequest::parse[markets, generate] => Either<TestOrderRates, Empty>),
    ),
    of(
        M::DELETE,
        "/api/v3/order",
        "order.cancel",
        Of(1),
        trader!(trading::cancel_order),
        shape!(CancelOrderRequest::parse[markets, generate] => CancelAnswer),
    ),
    entering(of(
        M::POST,
        "/api/v3/order/cancelReplace",
        "order.cancelReplace",
        Of(1),
        trader!(trading::replace_order),
        shape!(ReplaceOrderRequest::parse[markets, generate] => ReplaceAnswer),
    )),
    of(
        M::PUT,
        "/api/v3/order/amend/keepPriority",
        "order.amend.keepPriority",
        Of(4),
        trader!(trading::amend_order),
        shape!(AmendOrderRequest::parse[markets, generate] => AmendAnswer),
    ),
    of(
        M::DELETE,
        "/api/v3/openOrders",
        "openOrders.cancelAll",
        Of(1),
        trader!(trading::cancel_all),
        shape!(CancelAllRequest::parse[markets, generate] => Vec<CancelAnswer>),
    ),
    entering(over_rest(
        M::POST,
        "/api/v3/batchOrders",
        By(BatchOrdersRequest::weight),
        trader!(batch::new_orders),
        shape!(BatchOrdersRequest::parse[markets, generate] => BatchAnswer<NewOrderAnswer>),
    )),
    over_rest(
        M::POST,
        "/api/v3/batchCancel",
        By(BatchOrdersRequest::weight),
        trader!(batch::cancel_orders),
        shape!(BatchCancelRequest::parse[markets, generate] => BatchAnswer<CancelAnswer>),
    ),
    // Order lists
    entering(of(
        M::POST,
        "/api/v3/orderList/oco",
        "orderList.place.oco",
        Of(1),
        trader!(lists::new_oco),
        shape!(NewOrderListRequest::parse_oco[markets, generate] => NewOrderListAnswer),
    )),
    entering(of(
        M::POST,
        "/api/v3/orderList/oto",
        "orderList.place.oto",
        Of(1),
        trader!(lists::new_oto),
        shape!(NewOrderListRequest::parse_oto[markets, generate] => NewOrderListAnswer),
    )),
    entering(of(
        M::POST,
        "/api/v3/orderList/otoco",
        "orderList.place.otoco",
        Of(1),
        trader!(lists::new_otoco),
        shape!(NewOrderListRequest::parse_otoco[markets, generate] => NewOrderListAnswer),
    )),
    entering(of(
        M::POST,
        "/api/v3/order/oco",
        "orderList.place",
        Of(1),
        trader!(lists::new_legacy_oco),
        shape!(NewOrderListRequest::parse_legacy_oco[markets, generate] => NewOrderListAnswer),
    )),
    of(
        M::DELETE,
        "/api/v3/orderList",
        "orderList.cancel",
        Of(1),
        trader!(lists::cancel_list),
        shape!(CancelOrderListRequest::parse[markets, generate] => CanceledList),
    ),
    of(
        M::GET,
        "/api/v3/orderList",
        "orderList.status",
        Of(4),
        signed!(lists::query_list),
        shape!(OrderListRequest::parse[] => ListStatus),
    ),
    of(
        M::GET,
        "/api/v3/openOrderList",
        "openOrderLists.status",
        Of(6),
        signed!(lists::open_lists),
        shape!(NoParams::parse[] => Vec<ListStatus>),
    ),
    of(
        M::GET,
        "/api/v3/allOrderList",
        "allOrderLists",
        Of(20),
        signed!(lists::all_lists),
        shape!(AllOrderListsRequest::parse[] => Vec<ListStatus>),
    ),
    // The account
    of(
        M::GET,
        "/api/v3/order",
        "order.status",
        Of(4),
        signed!(account::query_order),
        shape!(QueryOrderRequest::parse[markets] => OrderInfo),
    ),
    of(
        M::GET,
        "/api/v3/openOrders",
        "openOrders.status",
        By(account::open_orders_weight),
        signed!(account::open_orders),
        shape!(OpenOrdersRequest::parse[markets] => Vec<OrderInfo>),
    ),
    of(
        M::GET,
        "/api/v3/allOrders",
        "allOrders",
        Of(20),
        signed!(account::all_orders),
        shape!(AllOrdersRequest::parse[markets] => Vec<OrderInfo>),
    ),
    of(
        M::GET,
        "/api/v3/account",
        "account.status",
        Of(20),
        signed!(account::account),
        shape!(AccountRequest::parse[] => AccountInfo),
    ),
    of(
        M::GET,
        "/api/v3/order/amendments",
        "order.amendments",
        Of(4),
        signed!(changes::amendments),
        shape!(AmendmentsRequest::parse[markets] => Vec<Amendment>),
    ),
    of(
        M::GET,
        "/api/v3/myPreventedMatches",
        "myPreventedMatches",
        By(changes::prevented_matches_weight),
        signed!(changes::prevented_matches),
        shape!(PreventedMatchesRequest::parse[markets] => Vec<PreventedMatch>),
    ),
    of(
        M::GET,
        "/api/v3/myTrades",
        "myTrades",
        By(account::my_trades_weight),
        signed!(account::my_trades),
        shape!(MyTradesRequest::parse[markets] => Vec<MyTrade>),
    ),
    // Listen keys
    of(
        M::POST,
        "/api/v3/userDataStream",
        "userDataStream.start",
        Of(2),
        keyed!(user_data_stream::begin),
        shape!(NoParams::parse[] => BegunStream<'static>),
    ),
    of(
        M::PUT,
        "/api/v3/userDataStream",
        "userDataStream.ping",
        Of(2),
        keyed!(user_data_stream::keep_alive),
        shape!(ListenKeyRequest::parse[] => Empty),
    ),
    of(
        M::DELETE,
        "/api/v3/userDataStream",
        "userDataStream.stop",
        Of(2),
        keyed!(user_data_stream::end),
        shape!(ListenKeyRequest::parse[] => Empty),
    ),
    of(
        M::GET,
        "/api/v3/rateLimit/order",
        "account.rateLimits.orders",
        Of(40),
        signed!(account::order_counts),
        shape!(NoParams::parse[] => Vec<OrderCount>),
    ),
    of(
        M::GET,
        "/api/v3/account/commission",
        "account.commission",
        Of(20),
        signed!(account::commission),
        shape!(CommissionRequest::parse[markets] => Commission),
    ),
    // What clients ask as they start
    over_rest(
        M::GET,
        "/sapi/v1/asset/tradeFee",
        Of(1),
        signed!(wallet::trade_fees),
        shape!(TradeFeeRequest::parse[markets] => Vec<TradeFee>),
    ),
    over_rest(
        M::GET,
        "/sapi/v1/capital/config/getall",
        Of(10),
        signed!(wallet::coins),
        shape!(NoParams::parse[] => Vec<CoinInfo>),
    ),
    over_rest(
        M::GET,
        "/sapi/v1/margin/allPairs",
        Of(1),
        keyed!(wallet::margin_pairs),
        shape!(MarginPairsRequest::parse[markets] => [Empty; 0]),
    ),
    over_rest(
        M::GET,
        "/sapi/v1/margin/isolated/allPairs",
        Of(10),
        signed!(wallet::isolated_margin_pairs),
        shape!(MarginPairsRequest::parse[markets] => [Empty; 0]),
    ),
];

/// Not in the WebSocket API.
const fn over_rest(
    method: M,
    path: &'static str,
    weight: Weight,
    handler: Handler,
    shape: Shape,
) -> Operation {
    Operation { method, path, name: None, weight, handler, enters: false, shape }
}

const fn of(
    method: M,
    path: &'static str,
    name: &'static str,
    weight: Weight,
    handler: Handler,
    shape: Shape,
) -> Operation {
    Operation { method, path, name: Some(name), weight, handler, enters: false, shape }
}

const fn entering(operation: Operation) -> Operation {
    Operation { enters: true, ..operation }
}

/// An answer of one of two forms, of which only the schema is needed.
#[derive(JsonSchema)]
#[schemars(inline)]
#[serde(untagged)]
enum Either<A, B> {
    #[expect(dead_code, reason = "for its schema")]
    One(A),
    #[expect(dead_code, reason = "for its schema")]
    Other(B),
}
