//! Orders over the ways of the Binance API, and what becomes of a request whose answer is lost.

use std::time::{Duration, Instant};

use hyper::Method;
use protocol::binance::response::{CancelAnswer, OrderInfo};
use serde::de::DeserializeOwned;
use types::Origin;

use crate::http::Query;
use crate::venue::back_off::BackOff;
use crate::venue::statistics::Counters;
use crate::venue::{Open, Reply, fresh_name, is_unheard, is_unknown, not_known, patience};
use crate::{Error, NewOrder, OrderKey, PlacedOrder};

/// How long after its time stamp the venue may carry out a request.
pub(super) const RECV_WINDOW: Duration = Duration::from_secs(2);
/// How long after the receive window the venue may not know an order that it has carried out: it
/// answers from a read model that may be three seconds behind.
const READ_MODEL_BEHIND: Duration = Duration::from_secs(4);

const UNKNOWN_ORDER: i32 = -2011;
const NO_SUCH_ORDER: i32 = -2013;
/// The first answer to a key is no longer kept.
const ANSWER_IS_GONE: i32 = -1000;

#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    Place,
    Cancel,
    Status,
    OpenOrders,
}

impl Request {
    pub(super) fn rest(self) -> (Method, &'static str) {
        match self {
            Self::Place => (Method::POST, "/api/v3/order"),
            Self::Cancel => (Method::DELETE, "/api/v3/order"),
            Self::Status => (Method::GET, "/api/v3/order"),
            Self::OpenOrders => (Method::GET, "/api/v3/openOrders"),
        }
    }

    pub(super) fn websocket(self) -> &'static str {
        match self {
            Self::Place => "order.place",
            Self::Cancel => "order.cancel",
            Self::Status => "order.status",
            Self::OpenOrders => "openOrders.status",
        }
    }
}

/// A way that carries signed requests and their answers.
pub(super) trait Asks {
    const WAY: Origin;
    /// Whether a request that is repeated with its key is carried out once.
    const RECOGNISES_REPEATS: bool;

    async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        query: &Query,
        key: &str,
    ) -> Result<T, Error>;

    /// Sends a request again whose answer was lost.
    async fn repeat<T: DeserializeOwned>(
        &self,
        request: Request,
        query: &Query,
        key: &str,
    ) -> Result<T, Error> {
        self.ask(request, query, key).await
    }
}

pub(super) async fn enter<A: Asks>(
    way: &A,
    order: NewOrder,
    counters: &Counters,
) -> Result<Reply, Error> {
    let name = order.new_client_order_id.clone().expect("it has one by now");
    let (key, until) = (fresh_name(), patience());
    let mut back_off = BackOff::default();
    let query = order.query().with("recvWindow", RECV_WINDOW.as_millis());
    let mut placed = way.ask::<PlacedOrder>(Request::Place, &query, &key).await;
    let mut is_repeat = false;
    loop {
        let error = match placed {
            Ok(placed) => return Ok(reply_of(A::WAY, placed)),
            Err(error) => error,
        };
        let is_gone = error.code() == Some(ANSWER_IS_GONE);
        let is_lost = is_unknown(&error) || is_gone || (is_repeat && is_unheard(&error));
        if !is_lost {
            return Err(error);
        }
        is_repeat = true;
        Counters::add(&counters.lost, 1);
        if !A::RECOGNISES_REPEATS || is_gone {
            let settled = Instant::now() + RECV_WINDOW + READ_MODEL_BEHIND;
            if let Some(found) = find(way, &order.symbol, &name, settled, until).await? {
                return Ok(found);
            }
        }
        if Instant::now() >= until {
            return Err(not_known(error));
        }
        back_off.wait().await;
        placed = way.repeat(Request::Place, &query, &key).await;
    }
}

/// What became of an order. `None` if it did not get to the venue and will not: it is too late.
async fn find<A: Asks>(
    way: &A,
    symbol: &str,
    name: &str,
    settled: Instant,
    until: Instant,
) -> Result<Option<Reply>, Error> {
    let mut back_off = BackOff::default();
    loop {
        let is_settled = Instant::now() >= settled;
        match status(way, symbol, name).await {
            Ok(info) => return Ok(Some(reply_of_info(A::WAY, info))),
            Err(error) if error.code() == Some(NO_SUCH_ORDER) && is_settled => return Ok(None),
            Err(error) if Instant::now() >= until => return Err(not_known(error)),
            // The order may be under way still, or the venue out of reach.
            Err(_) => back_off.wait().await,
        }
    }
}

async fn status<A: Asks>(way: &A, symbol: &str, name: &str) -> Result<OrderInfo, Error> {
    let query = Query::default().with("symbol", symbol);
    let query = OrderKey::ClOrdId(name).query(query, "orderId", "origClientOrderId");
    way.ask(Request::Status, &query, &fresh_name()).await
}

pub(super) async fn cancel<A: Asks>(
    way: &A,
    symbol: &str,
    name: &str,
    counters: &Counters,
) -> Result<Reply, Error> {
    let query = Query::default().with("symbol", symbol);
    let query = OrderKey::ClOrdId(name).query(query, "orderId", "origClientOrderId");
    let (key, until) = (fresh_name(), patience());
    let mut back_off = BackOff::default();
    let mut is_repeat = false;
    loop {
        let error = match way.ask::<CancelAnswer>(Request::Cancel, &query, &key).await {
            Ok(canceled) => {
                let mut orders = canceled.into_orders().into_iter();
                let own = orders.find(|order| order.orig_client_order_id == name);
                let own = own.ok_or_else(|| Error::Shape("a cancel of another order".into()))?;
                return Ok(Reply {
                    way: A::WAY,
                    symbol: own.symbol,
                    client_order_id: own.orig_client_order_id,
                    order_id: own.order_id,
                    status: own.report.status.into_owned(),
                    executed_qty: own.report.executed_qty.to_string(),
                });
            }
            Err(error) => error,
        };
        if is_repeat && error.code() == Some(UNKNOWN_ORDER) {
            // The first request may have done it.
            return match status(way, symbol, name).await {
                Ok(info) if info.status == "CANCELED" => Ok(reply_of_info(A::WAY, info)),
                Err(failed) if failed.code() != Some(NO_SUCH_ORDER) => Err(not_known(failed)),
                _ => Err(error),
            };
        }
        let is_lost = is_unknown(&error) || (is_repeat && is_unheard(&error));
        if !is_lost {
            return Err(error);
        }
        if Instant::now() >= until {
            return Err(not_known(error));
        }
        Counters::add(&counters.lost, 1);
        is_repeat = true;
        back_off.wait().await;
    }
}

/// Cancels the order, and enters what is left of the quantity.
pub(super) async fn replace<A: Asks>(
    way: &A,
    name: &str,
    order: NewOrder,
    counters: &Counters,
) -> Result<Reply, Error> {
    let total = order.quantity.clone();
    // Before anything is canceled.
    let total = total.filter(|total| difference(total, "0").is_some());
    let total = total.ok_or_else(|| Error::Usage("a replacement has a quantity".to_owned()))?;
    let canceled = cancel(way, &order.symbol, name, counters).await?;
    match difference(&total, &canceled.executed_qty) {
        Some(rest) => enter(way, NewOrder { quantity: Some(rest), ..order }, counters).await,
        None => Ok(canceled),
    }
}

/// `None` if nothing is left.
pub(super) fn difference(total: &str, executed: &str) -> Option<String> {
    const DECIMALS: u8 = 18;
    let units = |text| types::parse_decimal(text, DECIMALS);
    let left = units(total)?.checked_sub(units(executed)?)?;
    (left > 0).then(|| {
        let text = types::format_decimal(left, DECIMALS, DECIMALS);
        let text = text.trim_end_matches('0');
        text.trim_end_matches('.').to_owned()
    })
}

pub(super) async fn open_orders<A: Asks>(way: &A) -> Result<Vec<Open>, Error> {
    let orders: Vec<OrderInfo> =
        way.ask(Request::OpenOrders, &Query::default(), &fresh_name()).await?;
    let open = orders.into_iter().map(|order| Open {
        leaves_qty: difference(&order.orig_qty, &order.executed_qty).unwrap_or_default(),
        symbol: order.symbol,
        client_order_id: order.client_order_id,
        order_id: order.order_id,
        price: order.price.to_string(),
    });
    Ok(open.collect())
}

fn reply_of(way: Origin, placed: PlacedOrder) -> Reply {
    Reply {
        way,
        symbol: placed.symbol,
        client_order_id: placed.client_order_id,
        order_id: placed.order_id,
        status: placed.report.status.into_owned(),
        executed_qty: placed.report.executed_qty.to_string(),
    }
}

fn reply_of_info(way: Origin, info: OrderInfo) -> Reply {
    Reply {
        way,
        symbol: info.symbol,
        client_order_id: info.client_order_id,
        order_id: info.order_id,
        status: info.status.into_owned(),
        executed_qty: info.executed_qty.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use super::*;

    /// Answers each request with the next of these.
    struct Scripted(Mutex<VecDeque<Result<&'static str, Error>>>);

    impl Asks for Scripted {
        const WAY: Origin = Origin::Rest;
        const RECOGNISES_REPEATS: bool = true;

        async fn ask<T: DeserializeOwned>(
            &self,
            _: Request,
            _: &Query,
            _: &str,
        ) -> Result<T, Error> {
            let next = self.0.lock().unwrap().pop_front().expect("another request");
            next.map(|json| serde_json::from_str(json).unwrap())
        }
    }

    #[tokio::test]
    async fn a_door_that_refuses_a_repeat_says_nothing_of_the_first_request() {
        let placed = r#"{"symbol": "BTCUSDT", "orderId": 7, "orderListId": -1,
            "clientOrderId": "a", "transactTime": 1, "price": "1", "origQty": "1",
            "executedQty": "0", "origQuoteOrderQty": "0", "cummulativeQuoteQty": "0",
            "status": "NEW", "selfTradePreventionMode": "NONE",
            "timeInForce": "GTC", "type": "LIMIT", "side": "BUY"}"#;
        let api = |status, code| Err(Error::Api { status, code, msg: String::new() });
        let overloaded = || api(503, -1008);
        let order = NewOrder::limit("BTCUSDT", types::Side::Buy, "1", "1").client_order_id("a");
        let enter = async |answers: Vec<_>| {
            let way = Scripted(Mutex::new(answers.into()));
            let entered = enter(&way, order.clone(), &Counters::default()).await;
            assert!(way.0.lock().unwrap().is_empty());
            entered
        };
        let refused = enter(vec![overloaded()]).await.unwrap_err();
        assert_eq!(refused.code(), Some(-1008), "nothing was sent before");
        let lost = || Err(Error::transport("lost"));
        let answers = vec![lost(), overloaded(), api(429, -1003), api(400, -1021), Ok(placed)];
        assert_eq!(enter(answers).await.unwrap().order_id, 7);
        let answers = vec![api(503, -1007), overloaded(), api(400, -2010)];
        assert_eq!(enter(answers).await.unwrap_err().code(), Some(-2010), "the engine's answer");
    }

    #[tokio::test]
    async fn a_replacement_without_a_quantity_cancels_nothing() {
        for quantity in ["abc", "0", ""] {
            let way = Scripted(Mutex::default()); // No request is answered.
            let order = NewOrder::limit("BTCUSDT", types::Side::Buy, quantity, "1");
            let refused = replace(&way, "a", order, &Counters::default()).await.unwrap_err();
            assert!(matches!(refused, Error::Usage(_)), "{refused}");
        }
    }

    #[test]
    fn what_is_left_of_a_quantity_is_exact() {
        assert_eq!(difference("0.3", "0.10000000").as_deref(), Some("0.2"));
        assert_eq!(difference("100", "40").as_deref(), Some("60"));
        assert_eq!(difference("100", "0").as_deref(), Some("100"));
        assert_eq!(difference("0.1", "0.10000000"), None);
        assert_eq!(difference("0.1", "0.2"), None);
    }
}
