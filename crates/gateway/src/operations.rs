//! Everything that a client can ask for: where it is found over REST, what it is called in the
//! WebSocket API, what it weighs, who may ask, and who answers.

use std::pin::Pin;
use std::sync::Arc;

use axum::routing::MethodFilter;
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
use protocol::binance::{ApiError, Parameter, Params, parameters};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use types::Role;

use crate::access::{self, Refusal};
use crate::call::{Answer, Call, Proof, SignedCall};
use crate::directory::Permission;
use crate::{
    account, batch, changes, history, listen_keys, lists, market, statistics, trading, wallet,
};

#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: MethodFilter,
    pub(crate) path: &'static str,
    /// In the WebSocket API, where it is there too.
    pub(crate) name: Option<&'static str>,
    weight: Weight,
    handler: Handler,
    /// Whether it enters orders, and so is not taken on when the venue is overloaded.
    enters: bool,
    shape: Shape,
}

/// What a request counts against its sender's limit.
#[derive(Debug)]
enum Weight {
    Of(u32),
    By(fn(&Params) -> u32),
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

type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Who may ask, and who answers.
#[derive(Debug)]
enum Handler {
    Anybody(fn(Call) -> Answering),
    /// Whoever names a key that may see its account; the handler looks at it.
    Keyed(fn(Call) -> Answering),
    /// Whoever has signed it with a key that may see its account.
    Signed(fn(SignedCall) -> Answering),
    /// Whoever has signed it with a key that may trade.
    Trader(fn(SignedCall) -> Answering),
}

/// What is asked and answered, for the OpenAPI document.
#[derive(Clone, Copy, Debug)]
struct Shape {
    takes: fn() -> Vec<Parameter>,
    gives: fn(&mut SchemaGenerator) -> Schema,
}

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

use MethodFilter as M;
use Weight::{By, Of};

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
        keyed!(listen_keys::begin),
        shape!(NoParams::parse[] => BegunStream<'static>),
    ),
    of(
        M::PUT,
        "/api/v3/userDataStream",
        "userDataStream.ping",
        Of(2),
        keyed!(listen_keys::keep_alive),
        shape!(ListenKeyRequest::parse[] => Empty),
    ),
    of(
        M::DELETE,
        "/api/v3/userDataStream",
        "userDataStream.stop",
        Of(2),
        keyed!(listen_keys::end),
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

/// A line of the table as its clients see it, for tests that go through all of them.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub method: &'static str,
    pub path: &'static str,
    /// In the WebSocket API.
    pub name: Option<&'static str>,
    /// The roles that may ask; `None` means anybody, without a key.
    pub roles: Option<&'static [Role]>,
    /// `None` if it depends on the parameters.
    pub weight: Option<u32>,
    pub is_signed: bool,
    pub takes: fn() -> Vec<Parameter>,
    pub gives: fn(&mut SchemaGenerator) -> Schema,
}

pub fn rows() -> impl Iterator<Item = Row> {
    OPERATIONS.iter().map(|operation| Row {
        method: method_name(operation.method),
        path: operation.path,
        name: operation.name,
        weight: match operation.weight {
            Of(weight) => Some(weight),
            By(_) => None,
        },
        is_signed: matches!(operation.handler, Handler::Signed(_) | Handler::Trader(_)),
        takes: operation.shape.takes,
        gives: operation.shape.gives,
        roles: match operation.handler {
            Handler::Anybody(_) => None,
            Handler::Keyed(_) | Handler::Signed(_) => Some(&[Role::Trader, Role::ReadOnly]),
            Handler::Trader(_) => Some(&[Role::Trader]),
        },
    })
}

fn method_name(method: MethodFilter) -> &'static str {
    let names = [(M::GET, "GET"), (M::POST, "POST"), (M::PUT, "PUT"), (M::DELETE, "DELETE")];
    let found = names.into_iter().find(|(filter, _)| *filter == method);
    found.expect("the table has no other methods").1
}

/// Not in the WebSocket API.
const fn over_rest(
    method: MethodFilter,
    path: &'static str,
    weight: Weight,
    handler: Handler,
    shape: Shape,
) -> Operation {
    Operation { method, path, name: None, weight, handler, enters: false, shape }
}

const fn of(
    method: MethodFilter,
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

impl Operation {
    /// Gives what the sender has spent with it, too.
    pub(crate) async fn carry_out(&self, call: Call) -> (Answer, Option<u32>) {
        let shared = Arc::clone(&call.shared);
        let spent = shared.limits.spend(call.peer, self.weight(&call.params));
        if let (Ok(spent), Err(busy)) = (&spent, self.admit(&call)) {
            // Metrics count it. The access record is for who should not have asked.
            return (Err(busy), Some(*spent));
        }
        let refusal = Refusal::of_call(&call, method_name(self.method), self.asked_as(&call));
        let answering = async {
            match spent {
                Ok(spent) => (self.answer(call).await, Some(spent)),
                Err(error) => (Err(error), None),
            }
        };
        let (answered, came_to_log) = access::watch(answering).await;
        if let (Err(error), false) = (&answered.0, came_to_log) {
            shared.note(&refusal, error.status, error.code, &error.msg);
        }
        answered
    }

    /// Whether the venue has the time for it now.
    fn admit(&self, call: &Call) -> Result<(), ApiError> {
        match self.enters {
            true => call.shared.admission.check(call.waited, &call.shared.handle),
            false => Ok(()),
        }
    }

    fn asked_as(&self, call: &Call) -> &'static str {
        match &call.proof {
            Proof::Http { .. } => self.path,
            Proof::Message { .. } => self.name.unwrap_or(self.path),
        }
    }

    async fn answer(&self, call: Call) -> Answer {
        match self.handler {
            Handler::Anybody(answer) | Handler::Keyed(answer) => answer(call).await,
            Handler::Signed(answer) => answer(call.signed().await?).await,
            Handler::Trader(answer) => answer(call.signed_for(Permission::Trade).await?).await,
        }
    }

    /// By its name in the WebSocket API, with or without the version.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        let name = name.strip_prefix("v3/").unwrap_or(name);
        OPERATIONS.iter().find(|operation| operation.name == Some(name))
    }

    fn weight(&self, params: &Params) -> u32 {
        match self.weight {
            Of(weight) => weight,
            By(weigh) => weigh(params),
        }
    }
}
