//! Requests over REST. The venue recognises a repeated one by its key.
//!
//! A lone order is a request of its own and goes at once. While [`ALONE_MAX`] requests with orders
//! are under way, further orders wait and go together.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hyper::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use types::Origin;

use crate::http::Query;
use crate::venue::back_off::BackOff;
use crate::venue::json::{Asks, RECV_WINDOW, Request};
use crate::venue::statistics::Counters;
use crate::venue::{fresh_name, is_unheard, is_unknown, not_known, patience};
use crate::{Client, Error};

/// Requests with new orders that are under way before orders wait for each other.
const ALONE_MAX: usize = 4;
/// What the venue takes in one request.
const BATCH_MAX: usize = 20;

#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub(super) client: Client,
    counters: Arc<Counters>,
    load: Arc<Mutex<Load>>,
}

/// The orders that are under way, and those that wait.
#[derive(Debug, Default)]
struct Load {
    requests: usize,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    /// The order in JSON.
    order: String,
    /// Until when it may be sent again.
    until: Instant,
    answer: oneshot::Sender<Placed>,
}

/// The answer to one order, in JSON.
type Placed = Result<Box<RawValue>, Error>;

/// A request with orders that is under way.
struct UnderWay {
    rest: Rest,
}

impl Rest {
    pub(super) fn new(client: Client, counters: Arc<Counters>) -> Self {
        Self { client, counters, load: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Load> {
        self.load.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a request, or lets the order wait for one if there are enough under way.
    fn begin(&self, query: &Query) -> Result<UnderWay, oneshot::Receiver<Placed>> {
        let mut load = self.lock();
        if load.requests < ALONE_MAX {
            load.requests += 1;
            return Ok(UnderWay { rest: self.clone() });
        }
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { order: json_of(query), until: patience(), answer };
        load.waiting.push_back(waiting);
        Err(answered)
    }

    async fn place<T: DeserializeOwned>(&self, query: &Query, key: &str) -> Result<T, Error> {
        let answered = match self.begin(query) {
            Ok(_under_way) => return self.send(Request::Place, query, key).await,
            Err(answered) => answered,
        };
        let placed = answered.await.map_err(Error::transport)??;
        serde_json::from_str(placed.get())
            .map_err(|error| Error::Shape(format!("{error}: {placed}")))
    }

    async fn send<T: DeserializeOwned>(
        &self,
        request: Request,
        query: &Query,
        key: &str,
    ) -> Result<T, Error> {
        self.count(1);
        let (method, path) = request.rest();
        self.client.signed(method, path, query.clone(), Some(key)).await
    }

    fn count(&self, messages: usize) {
        Counters::add(&self.counters.messages, messages as u64);
        Counters::add(&self.counters.writes, 1);
    }

    /// Sends orders together until the venue has answered. A repeat has the same key, so that none
    /// is entered twice. Only the first attempt holds others up.
    async fn send_batch(
        &self,
        batch: &[Waiting],
        under_way: UnderWay,
    ) -> Result<Vec<Box<RawValue>>, Error> {
        let mut under_way = Some(under_way);
        let orders: Vec<&str> = batch.iter().map(|waiting| &*waiting.order).collect();
        let query = Query::default()
            .with("batchOrders", format!("[{}]", orders.join(",")))
            .with("recvWindow", RECV_WINDOW.as_millis());
        let until = batch.iter().map(|waiting| waiting.until).max().unwrap_or_else(Instant::now);
        let (key, mut back_off, mut is_repeat) = (fresh_name(), BackOff::default(), false);
        loop {
            self.count(batch.len());
            let (method, path) = (Method::POST, "/api/v3/batchOrders");
            let sent: Result<Vec<Box<RawValue>>, Error> =
                self.client.signed_body(method, path, query.clone(), &key).await;
            drop(under_way.take());
            let is_lost = |error: &Error| is_unknown(error) || (is_repeat && is_unheard(error));
            let part_is_lost = |part: &RawValue| refusal(part).is_some_and(|of| is_lost(&of));
            let any_is_lost = match &sent {
                Ok(parts) => parts.iter().any(|part| part_is_lost(part)),
                Err(error) => is_lost(error),
            };
            if !any_is_lost {
                return sent;
            }
            if Instant::now() >= until {
                let known =
                    |part: Box<RawValue>| if part_is_lost(&part) { unknown() } else { part };
                let sent = sent.map_err(not_known);
                return sent.map(|parts| parts.into_iter().map(known).collect());
            }
            is_repeat = true;
            Counters::add(&self.counters.lost, batch.len() as u64);
            back_off.wait().await;
        }
    }
}

impl Asks for Rest {
    const WAY: Origin = Origin::Rest;
    const RECOGNISES_REPEATS: bool = true;

    async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        query: &Query,
        key: &str,
    ) -> Result<T, Error> {
        match request {
            Request::Place => self.place(query, key).await,
            _ => self.send(request, query, key).await,
        }
    }

    /// An order that was sent alone is not put into a batch, where it would have another key.
    async fn repeat<T: DeserializeOwned>(
        &self,
        request: Request,
        query: &Query,
        key: &str,
    ) -> Result<T, Error> {
        self.send(request, query, key).await
    }
}

impl Drop for UnderWay {
    /// The orders that have waited for this request go together.
    fn drop(&mut self) {
        let mut load = self.rest.lock();
        load.waiting.retain(|waiting| !waiting.answer.is_closed());
        let len = load.waiting.len().min(BATCH_MAX);
        let batch: Vec<Waiting> = load.waiting.drain(..len).collect();
        // Without a runtime no caller waits.
        let runtime = tokio::runtime::Handle::try_current();
        let (false, Ok(runtime)) = (batch.is_empty(), runtime) else {
            load.requests -= 1;
            return;
        };
        // A runtime that shuts down drops the task here, and with it what is under way.
        drop(load);
        let rest = self.rest.clone();
        let under_way = Self { rest: rest.clone() };
        runtime.spawn(async move {
            let answers = rest.send_batch(&batch, under_way).await;
            answer(batch, answers);
        });
    }
}

/// Gives each order its part of the answer.
fn answer(batch: Vec<Waiting>, answers: Result<Vec<Box<RawValue>>, Error>) {
    let count = batch.len();
    let whole = answers.and_then(|answers| {
        if answers.len() == count {
            Ok(answers)
        } else {
            Err(Error::Shape(format!("{} answers to {count} orders", answers.len())))
        }
    });
    match whole {
        Ok(answers) => {
            for (waiting, part) in batch.into_iter().zip(answers) {
                // The caller may have given up, here and below.
                let _gone = waiting.answer.send(refusal(&part).map_or(Ok(part), Err));
            }
        }
        Err(error) => {
            for waiting in batch {
                let _gone = waiting.answer.send(Err(again(&error)));
            }
        }
    }
}

/// The refusal of one order of a batch.
fn refusal(part: &RawValue) -> Option<Error> {
    #[derive(Deserialize)]
    struct Refusal {
        code: i32,
        msg: String,
    }
    let Refusal { code, msg } = serde_json::from_str(part.get()).ok()?;
    Some(Error::Api { status: 400, code, msg })
}

/// The part of an order whose repeat was refused before the venue looked at it.
fn unknown() -> Box<RawValue> {
    let part = r#"{"code":-1007,"msg":"What became of the order is not known."}"#;
    RawValue::from_string(part.to_owned()).expect("it is JSON")
}

/// The same error for another order.
fn again(error: &Error) -> Error {
    match error {
        Error::Api { status, code, msg } => {
            Error::Api { status: *status, code: *code, msg: msg.clone() }
        }
        Error::Rejected { reason } => Error::Rejected { reason: *reason },
        Error::Refused { code, reason, msg } => {
            Error::Refused { code: *code, reason: reason.clone(), msg: msg.clone() }
        }
        Error::Transport(error) => Error::transport(error.to_string()),
        Error::Shape(text) => Error::Shape(text.clone()),
        Error::Usage(text) => Error::Usage(text.clone()),
    }
}

/// An order as one of a batch, whose receive window is that of the request.
fn json_of(query: &Query) -> String {
    let pairs = query.pairs().filter(|(name, _)| name != "recvWindow");
    let object: serde_json::Map<_, _> = pairs.map(|(name, value)| (name, value.into())).collect();
    serde_json::Value::from(object).to_string()
}
