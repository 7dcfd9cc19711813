//! Orders over gRPC: one stream, whose connection may break. The venue recognises a request that is
//! sent again by its key.

mod link;
mod message;
mod words;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use proto::v1;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use types::Origin;

use self::link::Link;
use crate::venue::back_off::BackOff;
use crate::venue::report::{Reports, WAITING_MAX};
use crate::venue::statistics::Counters;
use crate::venue::{Open, PATIENCE, Reply, fresh_name, patience};
use crate::{Credentials, Error, NewOrder};

/// Requests that may wait for the connection.
const REQUESTS_MAX: usize = 4_096;
const UNKNOWN_ORDER: i32 = -2011;

/// The venue's gRPC port, and the caller.
#[derive(Clone)]
pub struct Access {
    /// `host:port`, or `unix:` and the path of a socket.
    pub address: String,
    pub caller: Caller,
}

/// The identity of a caller.
#[derive(Clone)]
pub enum Caller {
    Key(Credentials),
    Login { user: String, password: String },
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Access").field(&self.address).finish()
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller(..)")
    }
}

#[derive(Clone, Debug)]
pub(super) struct Grpc {
    asked: mpsc::Sender<Asked>,
}

#[derive(Debug)]
enum Asked {
    Request(v1::order_request::Request, oneshot::Sender<Result<v1::OrderReply, Error>>),
    OpenOrders(oneshot::Sender<Result<Vec<v1::Order>, Error>>),
}

impl Grpc {
    /// `from_event` is the number of the first report that is wanted, `None` for new ones only.
    pub(super) fn open(
        access: Access,
        from_event: Option<u64>,
        counters: Arc<Counters>,
    ) -> (Self, Reports) {
        let (asked, requests) = mpsc::channel(REQUESTS_MAX);
        let (reports, reader) = mpsc::channel(WAITING_MAX);
        tokio::spawn(Link::new(access, from_event, requests, reports, counters).run());
        (Self { asked }, Reports(reader))
    }

    pub(super) async fn enter(&self, order: &NewOrder) -> Result<Reply, Error> {
        let place = message::place(order);
        self.request(v1::order_request::Request::Place(place)).await
    }

    pub(super) async fn replace(&self, name: &str, order: &NewOrder) -> Result<Reply, Error> {
        let replace = message::replace(name, order)?;
        self.request(v1::order_request::Request::Replace(replace)).await
    }

    pub(super) async fn cancel(&self, symbol: &str, name: &str) -> Result<Reply, Error> {
        let cancel = v1::CancelOrderRequest {
            symbol: symbol.to_owned(),
            order_id: 0,
            client_order_id: name.to_owned(),
            retry_key: fresh_name(),
        };
        self.request(v1::order_request::Request::Cancel(cancel)).await
    }

    /// A list whose connection breaks is asked for again: it changes nothing.
    pub(super) async fn open_orders(&self) -> Result<Vec<Open>, Error> {
        let (until, mut back_off) = (patience(), BackOff::default());
        loop {
            let (answer, answered) = oneshot::channel();
            match self.ask(Asked::OpenOrders(answer), answered).await {
                Err(Error::Transport(_)) if Instant::now() < until && !self.asked.is_closed() => {
                    back_off.wait().await;
                }
                listed => return Ok(listed?.into_iter().map(message::open).collect()),
            }
        }
    }

    async fn request(&self, request: v1::order_request::Request) -> Result<Reply, Error> {
        let (answer, answered) = oneshot::channel();
        let reply = self.ask(Asked::Request(request, answer), answered).await;
        let order = reply.map_err(unknown_order)?.order;
        let order = order.ok_or_else(|| Error::Shape("a reply without an order".to_owned()))?;
        Ok(message::reply(Origin::Grpc, order))
    }

    /// Until there is an answer, or the patience has ended.
    async fn ask<T>(
        &self,
        asked: Asked,
        answered: oneshot::Receiver<Result<T, Error>>,
    ) -> Result<T, Error> {
        let exchange = async {
            self.asked.send(asked).await.map_err(|_| closed())?;
            answered.await.map_err(|_| closed())?
        };
        timeout(PATIENCE, exchange).await.map_err(Error::transport)?
    }
}

fn closed() -> Error {
    Error::transport("the venue does not let this caller in")
}

/// The refusal of an order that is not open is the same over each way.
fn unknown_order(error: Error) -> Error {
    match error {
        Error::Refused { reason, msg, .. } if reason == "ORDER_NOT_FOUND" => {
            Error::Api { status: 400, code: UNKNOWN_ORDER, msg }
        }
        error => error,
    }
}
