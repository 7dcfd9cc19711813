//! One WebSocket: what the client says goes to its session, what the hub has for it goes out.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Extension, RawPathParams, State};
use axum::http::Uri;
use axum::response::Response;
use futures_util::SinkExt;
use protocol::binance::stream::{self, MESSAGE_LEN_MAX, STREAMS_MAX, Session, Stream};
use protocol::binance::{ApiError, Params, TimeUnit};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use types::{InstrumentId, Symbol};

use crate::call::Answer;
use crate::hub::Client;
use crate::server::Place;
use crate::{Shared, now_ns, stopped};

/// How often, and how long apart, a full queue of the venue is tried to get a subscription in.
const SUBSCRIBE_TRIES: u32 = 100;
const SUBSCRIBE_RETRY: Duration = Duration::from_millis(10);

type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// `/ws`, `/ws/<stream>/<stream>`: payloads as they are. A name that means nothing, such as the
/// listen key of a user stream, is no error; there is just nothing to send.
pub(crate) async fn raw(
    State(shared): State<Arc<Shared>>,
    Extension(place): Extension<Place>,
    path: Result<RawPathParams, RawPathParamsRejection>,
    uri: Uri,
    upgrade: Upgrade,
) -> Answer {
    let path = path.map_err(|_| ApiError::illegal_characters("stream", "UTF-8"))?;
    let names = path.iter().next().map_or(String::new(), |(_, names)| names.to_owned());
    let mut params = Params::parse(uri.query().unwrap_or_default(), b"")?;
    let unit = time_unit(&mut params)?;
    open(shared, place, upgrade, false, &names, unit).await
}

/// `/stream?streams=<stream>/<stream>`: each payload with the name of its stream.
pub(crate) async fn combined(
    State(shared): State<Arc<Shared>>,
    Extension(place): Extension<Place>,
    uri: Uri,
    upgrade: Upgrade,
) -> Answer {
    let mut params = Params::parse(uri.query().unwrap_or_default(), b"")?;
    let unit = time_unit(&mut params)?;
    let names = params.text("streams").ok().flatten().unwrap_or_default();
    open(shared, place, upgrade, true, &names, unit).await
}

fn time_unit(params: &mut Params) -> Result<TimeUnit, ApiError> {
    TimeUnit::parse(params.text("timeUnit")?.as_deref())
}

async fn open(
    shared: Arc<Shared>,
    place: Place,
    upgrade: Upgrade,
    combined: bool,
    names: &str,
    unit: TimeUnit,
) -> Answer {
    let upgrade = upgrade.map_err(|_| {
        ApiError::new(426, -1000, "Here WebSocket is spoken; the request must be an upgrade.")
    })?;
    if *shared.stopping.borrow() {
        return Err(ApiError::shutting_down().into());
    }
    let names = names.split('/').filter(|name| !name.is_empty());
    let streams: HashSet<Stream> = names.filter_map(Stream::parse).collect();
    if streams.len() > STREAMS_MAX {
        return Err(ApiError::too_many_parameters(STREAMS_MAX, streams.len()).into());
    }
    let (client, queue) = Client::new(shared.settings.ws_queue_max, combined, unit);
    let session = Session::new(combined, streams.into_iter().collect());
    let mut connection =
        Connection { shared, client, queue, session, heard_at: Instant::now(), _place: place };
    // Before the client hears that it is connected: a snapshot that it asks for then is not too old.
    let begin: Vec<Stream> = connection.session.streams().to_vec();
    connection.subscribe(&begin).await.map_err(|Unsubscribed| ApiError::overloaded())?;
    let upgrade = upgrade.max_message_size(MESSAGE_LEN_MAX).max_frame_size(MESSAGE_LEN_MAX);
    let response: Response = upgrade.on_upgrade(|socket| connection.run(socket));
    Ok(response)
}

struct Connection {
    shared: Arc<Shared>,
    client: Arc<Client>,
    queue: mpsc::Receiver<Utf8Bytes>,
    session: Session,
    /// When the client last gave a sign of life.
    heard_at: Instant,
    _place: Place,
}

/// The venue did not take the subscription.
struct Unsubscribed;

/// Why a connection ends.
#[derive(Debug)]
enum End {
    /// The client closed, or the network did.
    Gone,
    TooSlow,
    Silent,
    TooManyMessages,
    NotText,
    VenueGone,
    Stopping,
}

impl Connection {
    async fn run(mut self, mut socket: WebSocket) {
        let end = self.talk(&mut socket).await;
        tracing::debug!(?end, "a WebSocket ends");
        self.forget();
        let (code, reason) = match end {
            // Nobody reads what would be said.
            End::Gone | End::TooSlow | End::Silent => return,
            End::TooManyMessages => (close_code::POLICY, "too many messages"),
            End::NotText => (close_code::UNSUPPORTED, "only text is understood"),
            End::VenueGone => (close_code::AGAIN, "the venue is overloaded"),
            End::Stopping => {
                let combined = self.session.is_combined();
                let text = stream::server_shutdown(now_ns(), self.client.unit, combined);
                let told = self.write(&mut socket, Message::Text(text.into())).await;
                if told.is_err() {
                    return;
                }
                (close_code::AWAY, "the venue is shutting down")
            }
        };
        let close = CloseFrame { code, reason: reason.into() };
        let closing = async {
            socket.send(Message::Close(Some(close))).await?;
            // The client's own close is the end of it.
            while let Some(Ok(_)) = socket.recv().await {}
            Ok::<(), axum::Error>(())
        };
        let closed = timeout(Duration::from_secs(1), closing).await;
        tracing::debug!(closed = closed.is_ok(), "a WebSocket was closed");
    }

    async fn talk(&mut self, socket: &mut WebSocket) -> End {
        let settings = self.shared.settings;
        let ping_every = settings.ws_ping_every;
        let mut ping = interval_at(Instant::now() + ping_every, ping_every);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stopping = self.shared.stopping.clone();
        let client = Arc::clone(&self.client);
        let (mut second_began, mut messages) = (Instant::now(), 0_u32);
        loop {
            let done = tokio::select! {
                Some(payload) = self.queue.recv() => self.deliver(socket, payload).await,
                received = socket.recv() => match received {
                    Some(Ok(message)) => {
                        self.heard_at = Instant::now();
                        if self.heard_at - second_began >= Duration::from_secs(1) {
                            (second_began, messages) = (self.heard_at, 0);
                        }
                        messages += 1;
                        match messages > settings.ws_messages_per_second {
                            true => Err(End::TooManyMessages),
                            false => self.receive(socket, message).await,
                        }
                    }
                    Some(Err(_)) | None => Err(End::Gone),
                },
                _ = ping.tick() => match self.heard_at.elapsed() > settings.ws_silence_max {
                    true => Err(End::Silent),
                    false => {
                        let now_ms = (now_ns() / 1_000_000).to_string();
                        self.write(socket, Message::Ping(Bytes::from(now_ms))).await
                    }
                },
                () = client.cut.notified() => Err(End::TooSlow),
                () = stopped(&mut stopping) => Err(End::Stopping),
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Sends a payload, and with it all that waits behind it.
    async fn deliver(&mut self, socket: &mut WebSocket, first: Utf8Bytes) -> Result<(), End> {
        let client = Arc::clone(&self.client);
        let queue = &mut self.queue;
        let writing = async {
            socket.feed(Message::Text(first)).await?;
            while let Ok(payload) = queue.try_recv() {
                socket.feed(Message::Text(payload)).await?;
            }
            socket.flush().await
        };
        bounded(&self.shared, &client, writing).await
    }

    async fn write(&self, socket: &mut WebSocket, message: Message) -> Result<(), End> {
        bounded(&self.shared, &self.client, socket.send(message)).await
    }

    async fn receive(&mut self, socket: &mut WebSocket, message: Message) -> Result<(), End> {
        let text = match message {
            Message::Text(text) => text,
            // The library answers pings, and ends the connection after a close.
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) => return Ok(()),
            Message::Binary(_) => return Err(End::NotText),
        };
        let before: HashSet<Stream> = self.session.streams().iter().copied().collect();
        let known = Arc::clone(&self.shared.known);
        let listed = |symbol: &Symbol| known.market(symbol.as_str()).is_some();
        let reply = self.session.receive(&text, &listed);
        self.client.combined.store(self.session.is_combined(), Ordering::Relaxed);
        let after: HashSet<Stream> = self.session.streams().iter().copied().collect();
        let begin: Vec<Stream> = after.difference(&before).copied().collect();
        let end: Vec<Stream> = before.difference(&after).copied().collect();
        if !begin.is_empty() {
            self.subscribe(&begin).await.map_err(|Unsubscribed| End::VenueGone)?;
        }
        if !end.is_empty() {
            self.unsubscribe(&end).await.map_err(|Unsubscribed| End::VenueGone)?;
        }
        // The reply stands before the payloads, which wait in the queue.
        self.write(socket, Message::Text(reply.into())).await
    }

    async fn subscribe(&mut self, streams: &[Stream]) -> Result<(), Unsubscribed> {
        self.change_streams(streams, true).await
    }

    async fn unsubscribe(&mut self, streams: &[Stream]) -> Result<(), Unsubscribed> {
        self.change_streams(streams, false).await
    }

    async fn change_streams(&self, streams: &[Stream], on: bool) -> Result<(), Unsubscribed> {
        let found = self.found(streams);
        if found.is_empty() {
            return Ok(());
        }
        for _ in 0..SUBSCRIBE_TRIES {
            let (known, client) = (Arc::clone(&self.shared.known), Arc::clone(&self.client));
            let found = found.clone();
            let asked = self.shared.handle.read_views(move |views, _| match on {
                true => known.hub().subscribe(&client, &found, views),
                false => known.hub().unsubscribe(&client, &found),
            });
            match asked {
                Ok(done) => return done.await.map_err(|_| Unsubscribed),
                Err(_) => sleep(SUBSCRIBE_RETRY).await,
            }
        }
        Err(Unsubscribed)
    }

    fn found(&self, streams: &[Stream]) -> Vec<(InstrumentId, Stream)> {
        let directory = self.shared.known.directory();
        let find = |stream: &Stream| {
            let market = directory.market(stream.symbol.as_str())?;
            Some((market.instrument.id, *stream))
        };
        streams.iter().filter_map(find).collect()
    }

    /// Leaves the hub. Where that is not heard, the closed queue tells it later.
    fn forget(&mut self) {
        self.queue.close();
        let found = self.found(self.session.streams());
        let (known, client) = (Arc::clone(&self.shared.known), Arc::clone(&self.client));
        let _overloaded =
            self.shared.handle.read_views(move |_, _| known.hub().unsubscribe(&client, &found));
    }
}

/// A write to a client that does not read ends when the client is cut, or after a while.
async fn bounded(
    shared: &Shared,
    client: &Client,
    writing: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), End> {
    tokio::select! {
        written = writing => written.map_err(|_| End::Gone),
        () = client.cut.notified() => Err(End::TooSlow),
        () = sleep(shared.settings.ws_silence_max) => Err(End::TooSlow),
    }
}
