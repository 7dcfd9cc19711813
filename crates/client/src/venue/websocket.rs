//! Requests over one connection of the WebSocket API, and the account's reports on it.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt, TryFutureExt};
use protocol::signed::sign::sign;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, interval, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};
use types::Origin;

use crate::http::{Query, now_ms};
use crate::moment::since_1970_ns;
use crate::socket::{Socket, address_of};
use crate::venue::back_off::BackOff;
use crate::venue::json::{Asks, Request};
use crate::venue::report::{Commission, Report, ReportKind, Reports, WAITING_MAX};
use crate::venue::statistics::Counters;
use crate::{Client, Credentials, Error, REQUEST_TIMEOUT, Tls};

/// Requests that may wait for the connection, and those on their way on it.
const IN_FLIGHT_MAX: usize = 1_024;
/// The venue closes a connection on which it hears nothing for a minute.
const PINGS: Pings = Pings { every: Duration::from_secs(5), silent: Duration::from_secs(15) };
/// How long after a refusal a subscription is asked for again, at first: twice as long each time,
/// up to two minutes. A venue bans an address whose requests over the limit have no such pause.
const AGAIN: Duration = Duration::from_secs(1);
/// Codes of a key that may not have the account's events.
const KEY: [i32; 2] = [-2014, -2015];
/// Codes of what is wrong with a request's parameters.
const PARAMETERS: RangeInclusive<i32> = -1199..=-1100;

#[derive(Clone, Debug)]
pub(super) struct WebSocket {
    requests: mpsc::Sender<Asked>,
}

#[derive(Clone, Copy, Debug)]
struct Pings {
    every: Duration,
    /// A venue that answers none for so long is not there any more.
    silent: Duration,
}

#[derive(Debug)]
struct Asked {
    method: &'static str,
    query: Query,
    answer: oneshot::Sender<Answer>,
}

/// The result in JSON, or a refusal; nothing if the connection ended first.
type Answer = Result<Box<RawValue>, Error>;

type Messages = WebSocketStream<Socket>;

impl WebSocket {
    pub(super) fn open(
        client: Client,
        from_seq: Option<u64>,
        counters: Arc<Counters>,
    ) -> Result<(Self, Reports), Error> {
        Self::open_with(client, from_seq, counters, PINGS)
    }

    fn open_with(
        client: Client,
        from_seq: Option<u64>,
        counters: Arc<Counters>,
        pings: Pings,
    ) -> Result<(Self, Reports), Error> {
        let (base_url, credentials) = client.access();
        let host = base_url.trim_start_matches("http");
        let url = format!("ws{host}/ws-api/v3?returnRateLimits=false&timeUnit=MICROSECOND");
        let credentials = credentials.cloned();
        let credentials = credentials.ok_or_else(|| Error::Usage("no credentials".to_owned()))?;
        let (requests, asked) = mpsc::channel(IN_FLIGHT_MAX);
        let (reports, reader) = mpsc::channel(WAITING_MAX);
        let address = url.parse().ok().as_ref().and_then(address_of);
        let address = address.ok_or_else(|| Error::Usage(format!("not a URL: {url}")))?;
        let link = Link {
            url,
            address,
            tls: client.tls().cloned(),
            credentials,
            asked,
            reports: Some(reports),
            from_seq,
            has_numbers: true,
            missed_from: None,
            pings,
            counters,
            waiting: HashMap::new(),
            next_id: 0,
        };
        tokio::spawn(link.run());
        Ok((Self { requests }, Reports(reader)))
    }
}

impl Asks for WebSocket {
    const WAY: Origin = Origin::WebSocket;
    const RECOGNISES_REPEATS: bool = false;

    async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        query: &Query,
        _key: &str,
    ) -> Result<T, Error> {
        let (answer, answered) = oneshot::channel();
        let asked = Asked { method: request.websocket(), query: query.clone(), answer };
        let exchange = async {
            self.requests.send(asked).await.map_err(Error::transport)?;
            answered.await.map_err(Error::transport)?
        };
        let result = timeout(REQUEST_TIMEOUT, exchange).await.map_err(Error::transport)??;
        serde_json::from_str(result.get())
            .map_err(|error| Error::Shape(format!("{error}: {result}")))
    }
}

/// The task that has the connection.
struct Link {
    url: String,
    /// `host:port`.
    address: String,
    tls: Option<Tls>,
    credentials: Credentials,
    asked: mpsc::Receiver<Asked>,
    /// `None` once they have ended.
    reports: Option<mpsc::Sender<Report>>,
    /// The number of the next event, once it is known.
    from_seq: Option<u64>,
    /// Whether the venue numbers its events. Binance takes no `fromSeq`.
    has_numbers: bool,
    /// The events from this number on could not be had.
    missed_from: Option<u64>,
    pings: Pings,
    counters: Arc<Counters>,
    waiting: HashMap<u64, oneshot::Sender<Answer>>,
    next_id: u64,
}

/// The subscription to the account's events on one connection.
#[derive(Default)]
struct Subscription {
    /// The id of the request that has no answer yet.
    asked: Option<u64>,
    /// When to ask again.
    due: Option<Instant>,
    /// How often it was refused.
    refused: u32,
}

/// The answer to it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscribed {
    from_seq: Option<u64>,
}

/// A message of the venue.
#[derive(Deserialize)]
struct Received<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    status: Option<u16>,
    error: Option<Refusal>,
    #[serde(borrow)]
    event: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Refusal {
    code: i32,
    msg: String,
}

impl Link {
    async fn run(mut self) {
        let mut back_off = BackOff::default();
        while !self.asked.is_closed() {
            if let Ok(socket) = self.connect().await {
                Counters::add(&self.counters.connections, 1);
                back_off.succeeded();
                if self.serve(socket).await.is_ok() {
                    return;
                }
            }
            // Their senders see that the answers are lost.
            self.waiting.clear();
            back_off.wait().await;
        }
    }

    async fn connect(&self) -> Result<Messages, Error> {
        let connect = async {
            let socket = Socket::connect(&self.address, self.tls.as_ref()).await;
            let socket = socket.map_err(Error::transport)?;
            client_async(&self.url, socket).await.map_err(Error::transport)
        };
        let connected = timeout(REQUEST_TIMEOUT, connect).await.map_err(Error::transport)?;
        connected.map(|(messages, _)| messages)
    }

    /// Serves until the venue's last handle is gone; an error if the connection ends before.
    async fn serve(&mut self, mut socket: Messages) -> Result<(), Error> {
        let Pings { every, silent } = self.pings;
        // Before any request: its events are to be among those of the subscription.
        let mut subscription = Subscription::default();
        within(silent, self.subscribe(&mut socket, &mut subscription)).await?;
        let mut batch = Vec::new();
        let mut keep_alive = interval(every);
        let mut heard = Instant::now();
        loop {
            let room = IN_FLIGHT_MAX.saturating_sub(self.waiting.len());
            tokio::select! {
                biased;
                received = socket.next() => {
                    let received = received.ok_or_else(|| Error::transport("closed"))?;
                    match received.map_err(Error::transport)? {
                        Message::Text(text) => self.receive(&text, &mut subscription).await?,
                        Message::Close(_) => return Err(Error::transport("closed")),
                        _ => {}
                    }
                    // Not before: a reader of reports may have kept the task waiting.
                    heard = Instant::now();
                }
                () = sleep_until(subscription.due.unwrap_or(heard)), if subscription.due.is_some() => {
                    let subscribed = self.subscribe(&mut socket, &mut subscription);
                    within(silent, subscribed).await?;
                }
                count = self.asked.recv_many(&mut batch, room), if room > 0 => {
                    if count == 0 {
                        let closed = socket.close(None);
                        return within(silent, closed.map_err(Error::transport)).await;
                    }
                    within(silent, self.send(&mut socket, &mut batch)).await?;
                }
                _ = keep_alive.tick() => {
                    if heard.elapsed() > silent {
                        return Err(Error::transport("silent"));
                    }
                    let ping = socket.send(Message::Ping("".into()));
                    within(silent, ping.map_err(Error::transport)).await?;
                }
            }
        }
    }

    /// Asks for the account's events: those that were missed and new ones, or new ones only.
    async fn subscribe(
        &mut self,
        socket: &mut Messages,
        subscription: &mut Subscription,
    ) -> Result<(), Error> {
        subscription.due = None;
        if self.reports.as_ref().is_none_or(mpsc::Sender::is_closed) {
            return Ok(());
        }
        subscription.asked = Some(self.next_id);
        let from_seq = self.has_numbers.then(|| self.from_seq.unwrap_or(0));
        let query = Query::default().with_some("fromSeq", from_seq);
        let frame = self.frame("userDataStream.subscribe.signature", &query);
        socket.send(frame).await.map_err(Error::transport)
    }

    /// Sends all requests that wait with one flush.
    async fn send(&mut self, socket: &mut Messages, batch: &mut Vec<Asked>) -> Result<(), Error> {
        for asked in batch.drain(..).filter(|asked| !asked.answer.is_closed()) {
            let id = self.next_id;
            let frame = self.frame(asked.method, &asked.query);
            self.waiting.insert(id, asked.answer);
            socket.feed(frame).await.map_err(Error::transport)?;
            Counters::add(&self.counters.messages, 1);
        }
        Counters::add(&self.counters.writes, 1);
        socket.flush().await.map_err(Error::transport)
    }

    /// A signed request under the next id.
    fn frame(&mut self, method: &str, query: &Query) -> Message {
        let mut params: BTreeMap<String, String> = query.pairs().collect();
        params.insert("apiKey".to_owned(), self.credentials.api_key.clone());
        params.insert("timestamp".to_owned(), now_ms().to_string());
        let pairs = params.iter().map(|(name, value)| format!("{name}={value}"));
        let payload = pairs.collect::<Vec<_>>().join("&");
        let signature = sign(self.credentials.secret_key.as_bytes(), payload.as_bytes());
        params.insert("signature".to_owned(), signature);
        let (id, params) = (self.next_id, serde_json::json!(params));
        self.next_id += 1;
        let request = serde_json::json!({ "id": id, "method": method, "params": params });
        Message::text(request.to_string())
    }

    async fn receive(&mut self, text: &str, subscription: &mut Subscription) -> Result<(), Error> {
        let shape = |error: serde_json::Error| Error::Shape(format!("{error}: {text}"));
        let received: Received<'_> = serde_json::from_str(text).map_err(shape)?;
        if let Some(event) = received.event {
            let event: Value = serde_json::from_str(event.get()).map_err(shape)?;
            let seq = event["seq"].as_u64();
            self.from_seq = seq.map(|seq| seq + 1).or(self.from_seq);
            self.has_numbers |= seq.is_some();
            let report = report(seq.unwrap_or_default(), &event);
            if let Some((reports, report)) = self.reports.as_ref().zip(report) {
                // A reader that is gone wants no reports.
                let _unread = reports.send(report).await;
            }
            return Ok(());
        }
        let status = received.status.unwrap_or_default();
        let answer = match (received.result, received.error) {
            (_, Some(Refusal { code, msg })) => Err(Error::Api { status, code, msg }),
            (Some(result), None) => Ok(result.to_owned()),
            (None, None) => return Err(Error::Shape(text.to_owned())),
        };
        if received.id.is_some() && received.id == subscription.asked {
            subscription.asked = None;
            return self.subscribed(answer, subscription).await;
        }
        if let Some(waiting) = received.id.and_then(|id| self.waiting.remove(&id)) {
            // The caller may have given up.
            let _gone = waiting.send(answer);
        }
        Ok(())
    }

    /// Takes the answer to a subscription. Trading goes on whatever it is.
    async fn subscribed(
        &mut self,
        answer: Answer,
        subscription: &mut Subscription,
    ) -> Result<(), Error> {
        let result = match answer {
            Ok(result) => result,
            Err(Error::Api { code, .. }) if PARAMETERS.contains(&code) && self.has_numbers => {
                // Events from that number on are no longer kept, or yet to come: asks for new ones,
                // and then without a number.
                self.has_numbers = self.from_seq.is_some();
                self.missed_from = self.missed_from.or(self.from_seq.take());
                subscription.due = Some(Instant::now());
                return Ok(());
            }
            Err(Error::Api { code, .. }) if KEY.contains(&code) => {
                self.reports = None;
                return Ok(());
            }
            Err(_) => {
                // It may pass, as that of a venue that is overloaded.
                let wait = AGAIN.saturating_mul(1 << subscription.refused.min(7));
                subscription.refused += 1;
                subscription.due = Some(Instant::now() + wait);
                return Ok(());
            }
        };
        let shape = |error: serde_json::Error| Error::Shape(format!("{error}: {result}"));
        let Subscribed { from_seq } = serde_json::from_str(result.get()).map_err(shape)?;
        self.from_seq = from_seq.or(self.from_seq);
        let (Some(from), Some(next)) = (self.missed_from.take(), self.from_seq) else {
            return Ok(());
        };
        if from >= next {
            // Its numbers are those of another history, as of a venue that was restored.
            self.reports = None;
        } else if let Some(reports) = &self.reports {
            let _unread = reports.send(Report::missed(from, next)).await;
        }
        Ok(())
    }
}

/// A venue that takes nothing of what is written for so long is not there any more.
async fn within(
    silent: Duration,
    written: impl Future<Output = Result<(), Error>>,
) -> Result<(), Error> {
    timeout(silent, written).await.map_err(Error::transport)?
}

/// An event of an order or a trade as a report; `None` for other events.
fn report(seq: u64, event: &Value) -> Option<Report> {
    let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let time_ns = event["T"].as_u64().map(since_1970_ns);
    let of_trade = |kind| {
        // These events name the trade only.
        Some(Report { sequence: seq, client_order_id: String::new(), time_ns, kind })
    };
    match event["e"].as_str()? {
        "executionReport" => {}
        "tradeBusted" => return of_trade(ReportKind::Busted { trade_id: event["t"].as_u64()? }),
        "tradeCorrected" => {
            let (trade_id, price) = (event["t"].as_u64()?, text("L"));
            return of_trade(ReportKind::Corrected { trade_id, price });
        }
        _ => return None,
    }
    let reason = || text("x");
    let mut name = text("c");
    let kind = match event["x"].as_str()? {
        "NEW" => ReportKind::Accepted,
        "TRADE" => ReportKind::Executed {
            qty: text("l"),
            price: text("L"),
            trade_id: event["t"].as_u64()?,
            is_maker: event["m"].as_bool()?,
            commission: event["N"]
                .as_str()
                .map(|asset| Commission { amount: text("n"), asset: asset.to_owned() }),
        },
        "REPLACED" => ReportKind::Replaced { orig_client_order_id: text("C") },
        "REJECTED" => ReportKind::Rejected { reason: text("r") },
        // A cancel has a name of its own in `c`.
        "CANCELED" => {
            name = text("C");
            ReportKind::Canceled { reason: reason() }
        }
        _ => ReportKind::Canceled { reason: reason() },
    };
    Some(Report { sequence: seq, client_order_id: name, time_ns, kind })
}

#[cfg(test)]
mod tests;
