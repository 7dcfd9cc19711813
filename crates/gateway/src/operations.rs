//! Everything that a client can ask for: where it is found over REST, what it is called in the
//! WebSocket API, what it weighs, who may ask, and who answers.

use std::pin::Pin;
use std::sync::Arc;

use axum::routing::MethodFilter;
use protocol::binance::Params;
use protocol::binance::request::BatchOrdersRequest;
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
}

/// What a request counts against its sender's limit.
#[derive(Debug)]
enum Weight {
    Of(u32),
    By(fn(&Params) -> u32),
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

use MethodFilter as M;
use Weight::{By, Of};

pub(crate) const OPERATIONS: &[Operation] = &[
    // The venue
    of(M::GET, "/api/v3/ping", "ping", Of(1), anybody!(market::ping)),
    of(M::GET, "/api/v3/time", "time", Of(1), anybody!(market::time)),
    of(M::GET, "/api/v3/exchangeInfo", "exchangeInfo", Of(20), anybody!(market::exchange_info)),
    // The market
    of(M::GET, "/api/v3/depth", "depth", By(market::depth_weight), anybody!(market::depth)),
    of(M::GET, "/api/v3/trades", "trades.recent", Of(25), anybody!(market::trades)),
    of(
        M::GET,
        "/api/v3/ticker/price",
        "ticker.price",
        By(market::last_ticker_weight),
        anybody!(market::price_ticker),
    ),
    of(
        M::GET,
        "/api/v3/ticker/bookTicker",
        "ticker.book",
        By(market::last_ticker_weight),
        anybody!(market::book_ticker),
    ),
    // The market's past
    of(
        M::GET,
        "/api/v3/historicalTrades",
        "trades.historical",
        Of(25),
        anybody!(history::historical_trades),
    ),
    of(M::GET, "/api/v3/aggTrades", "trades.aggregate", Of(4), anybody!(history::agg_trades)),
    of(M::GET, "/api/v3/klines", "klines", Of(2), anybody!(history::klines)),
    of(M::GET, "/api/v3/uiKlines", "uiKlines", Of(2), anybody!(history::klines)),
    of(M::GET, "/api/v3/avgPrice", "avgPrice", Of(2), anybody!(statistics::avg_price)),
    of(
        M::GET,
        "/api/v3/ticker/24hr",
        "ticker.24hr",
        By(statistics::day_ticker_weight),
        anybody!(statistics::day_ticker),
    ),
    of(
        M::GET,
        "/api/v3/ticker/tradingDay",
        "ticker.tradingDay",
        By(statistics::window_ticker_weight),
        anybody!(statistics::trading_day_ticker),
    ),
    of(
        M::GET,
        "/api/v3/ticker",
        "ticker",
        By(statistics::window_ticker_weight),
        anybody!(statistics::window_ticker),
    ),
    // Orders
    of(M::POST, "/api/v3/order", "order.place", Of(1), trader!(trading::new_order)),
    of(
        M::POST,
        "/api/v3/order/test",
        "order.test",
        By(trading::test_order_weight),
        trader!(trading::test_order),
    ),
    of(M::DELETE, "/api/v3/order", "order.cancel", Of(1), trader!(trading::cancel_order)),
    of(
        M::POST,
        "/api/v3/order/cancelReplace",
        "order.cancelReplace",
        Of(1),
        trader!(trading::replace_order),
    ),
    of(
        M::PUT,
        "/api/v3/order/amend/keepPriority",
        "order.amend.keepPriority",
        Of(4),
        trader!(trading::amend_order),
    ),
    of(
        M::DELETE,
        "/api/v3/openOrders",
        "openOrders.cancelAll",
        Of(1),
        trader!(trading::cancel_all),
    ),
    over_rest(
        M::POST,
        "/api/v3/batchOrders",
        By(BatchOrdersRequest::weight),
        trader!(batch::new_orders),
    ),
    over_rest(
        M::POST,
        "/api/v3/batchCancel",
        By(BatchOrdersRequest::weight),
        trader!(batch::cancel_orders),
    ),
    // Order lists
    of(M::POST, "/api/v3/orderList/oco", "orderList.place.oco", Of(1), trader!(lists::new_oco)),
    of(M::POST, "/api/v3/orderList/oto", "orderList.place.oto", Of(1), trader!(lists::new_oto)),
    of(
        M::POST,
        "/api/v3/orderList/otoco",
        "orderList.place.otoco",
        Of(1),
        trader!(lists::new_otoco),
    ),
    of(M::POST, "/api/v3/order/oco", "orderList.place", Of(1), trader!(lists::new_legacy_oco)),
    of(M::DELETE, "/api/v3/orderList", "orderList.cancel", Of(1), trader!(lists::cancel_list)),
    of(M::GET, "/api/v3/orderList", "orderList.status", Of(4), signed!(lists::query_list)),
    of(M::GET, "/api/v3/openOrderList", "openOrderLists.status", Of(6), signed!(lists::open_lists)),
    of(M::GET, "/api/v3/allOrderList", "allOrderLists", Of(20), signed!(lists::all_lists)),
    // The account
    of(M::GET, "/api/v3/order", "order.status", Of(4), signed!(account::query_order)),
    of(
        M::GET,
        "/api/v3/openOrders",
        "openOrders.status",
        By(account::open_orders_weight),
        signed!(account::open_orders),
    ),
    of(M::GET, "/api/v3/allOrders", "allOrders", Of(20), signed!(account::all_orders)),
    of(M::GET, "/api/v3/account", "account.status", Of(20), signed!(account::account)),
    of(M::GET, "/api/v3/order/amendments", "order.amendments", Of(4), signed!(changes::amendments)),
    of(
        M::GET,
        "/api/v3/myPreventedMatches",
        "myPreventedMatches",
        By(changes::prevented_matches_weight),
        signed!(changes::prevented_matches),
    ),
    of(
        M::GET,
        "/api/v3/myTrades",
        "myTrades",
        By(account::my_trades_weight),
        signed!(account::my_trades),
    ),
    // Listen keys
    of(
        M::POST,
        "/api/v3/userDataStream",
        "userDataStream.start",
        Of(2),
        keyed!(listen_keys::begin),
    ),
    of(
        M::PUT,
        "/api/v3/userDataStream",
        "userDataStream.ping",
        Of(2),
        keyed!(listen_keys::keep_alive),
    ),
    of(M::DELETE, "/api/v3/userDataStream", "userDataStream.stop", Of(2), keyed!(listen_keys::end)),
    of(
        M::GET,
        "/api/v3/rateLimit/order",
        "account.rateLimits.orders",
        Of(40),
        signed!(account::order_counts),
    ),
    of(
        M::GET,
        "/api/v3/account/commission",
        "account.commission",
        Of(20),
        signed!(account::commission),
    ),
    // What clients ask as they start
    over_rest(M::GET, "/sapi/v1/asset/tradeFee", Of(1), signed!(wallet::trade_fees)),
    over_rest(M::GET, "/sapi/v1/capital/config/getall", Of(10), signed!(wallet::coins)),
    over_rest(M::GET, "/sapi/v1/margin/allPairs", Of(1), keyed!(wallet::margin_pairs)),
    over_rest(
        M::GET,
        "/sapi/v1/margin/isolated/allPairs",
        Of(10),
        signed!(wallet::isolated_margin_pairs),
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
) -> Operation {
    Operation { method, path, name: None, weight, handler }
}

const fn of(
    method: MethodFilter,
    path: &'static str,
    name: &'static str,
    weight: Weight,
    handler: Handler,
) -> Operation {
    Operation { method, path, name: Some(name), weight, handler }
}

impl Operation {
    /// Gives what the sender has spent with it, too.
    pub(crate) async fn carry_out(&self, call: Call) -> (Answer, Option<u32>) {
        let refusal = Refusal::of_call(&call, method_name(self.method), self.asked_as(&call));
        let shared = Arc::clone(&call.shared);
        let (answered, came_to_log) = access::watch(self.answer_within_limits(call)).await;
        if let (Err(error), false) = (&answered.0, came_to_log) {
            shared.note(&refusal, error.status, error.code, &error.msg);
        }
        answered
    }

    async fn answer_within_limits(&self, call: Call) -> (Answer, Option<u32>) {
        match call.shared.limits.spend(call.peer, self.weight(&call.params)) {
            Ok(spent) => (self.answer(call).await, Some(spent)),
            Err(error) => (Err(error), None),
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
