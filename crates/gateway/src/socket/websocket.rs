//! One WebSocket, whatever is spoken on it: what the client says goes to its session, what the
//! session answers and what the hub has for it goes out.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::{FutureExt, SinkExt};
use protocol::signed::ApiError;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};

use crate::clock::now_ns;
use crate::feed::outlet::Outlet;
use crate::socket::connection::{ConnectionPermit, stopped};
use crate::socket::http::ErrorReply;
use crate::socket::settings::SocketSettings;

/// Each connection has it for as long as it is there: the library's own 128 KiB would come to 1.5
/// GB with as many as there may be.
const READ_BUFFER_SIZE: usize = 16 << 10;

/// Messages read, or answers written, before anything else has its turn.
const BATCH_MAX: usize = 64;
/// Or for so long: some requests of the session itself are waited for.
const BATCH_TIME_MAX: Duration = Duration::from_millis(10);
/// Answers at once that are longer together do not wait for more.
const BATCH_LEN_MAX: usize = 64 << 10;

pub(crate) type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// What is spoken on a WebSocket.
pub(crate) trait SocketSession: Send + 'static {
    /// Bytes of the longest message that a client may send.
    const MESSAGE_LEN_MAX: usize;

    /// Carries out what the client said, or begins to. An answer that is there at once is given
    /// back, and stands before the payloads that wait in the queue.
    fn receive(
        &mut self,
        text: &str,
    ) -> impl Future<Output = Result<Option<String>, CloseReason>> + Send;

    /// The next answer of those that were not there at once. It may be dropped and asked for again.
    fn next_answer(&mut self) -> impl Future<Output = String> + Send {
        std::future::pending()
    }

    /// Whether so much is under way that nothing more is read.
    fn is_busy(&self) -> bool {
        false
    }

    /// Whether its messages are counted, and not weighed one by one.
    fn counts_messages(&self) -> bool {
        true
    }

    /// All that was there to be received has been: what it asks for is to be carried out.
    fn carry_out(&mut self) {}

    /// The last message when the venue goes down.
    fn server_shutdown(&self) -> String;

    /// The connection is over.
    fn forget(&mut self);
}

/// Why a connection ends.
#[derive(Debug)]
pub(crate) enum CloseReason {
    /// The client closed, or the network did.
    Gone,
    TooSlow,
    Silent,
    /// No connection may stay for longer than a day.
    TooOld,
    TooManyMessages,
    NotText,
    VenueGone,
    Stopping,
}

type Received = Option<Result<Message, axum::Error>>;

struct Connection<S> {
    context: SocketContext,
    outlet: Arc<Outlet<Utf8Bytes>>,
    queue: mpsc::Receiver<Utf8Bytes>,
    session: S,
    /// When the client last gave a sign of life.
    heard_at: Instant,
    second_began: Instant,
    /// Since then.
    messages: u32,
}

/// Whether there is to be a WebSocket at all.
pub(crate) fn check(
    stopping: &watch::Receiver<bool>,
    upgrade: Upgrade,
) -> Result<WebSocketUpgrade, ApiError> {
    let upgrade = upgrade.map_err(|_| {
        ApiError::new(426, -1000, "Here WebSocket is spoken; the request must be an upgrade.")
    })?;
    if *stopping.borrow() { Err(ApiError::shutting_down()) } else { Ok(upgrade) }
}

/// What one is opened on: its permit among the connections, the limits that hold, and when it is to
/// end.
pub(crate) struct SocketContext {
    #[expect(dead_code, reason = "held, not read")]
    pub(crate) permit: Arc<ConnectionPermit>,
    pub(crate) settings: SocketSettings,
    pub(crate) stopping: watch::Receiver<bool>,
}

pub(crate) fn open<S: SocketSession>(
    context: SocketContext,
    upgrade: WebSocketUpgrade,
    (outlet, queue): (Arc<Outlet<Utf8Bytes>>, mpsc::Receiver<Utf8Bytes>),
    session: S,
) -> Result<Response, ErrorReply> {
    let now = Instant::now();
    let connection = Connection {
        context,
        outlet,
        queue,
        session,
        heard_at: now,
        second_began: now,
        messages: 0,
    };
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER_SIZE)
        .max_message_size(S::MESSAGE_LEN_MAX)
        .max_frame_size(S::MESSAGE_LEN_MAX);
    Ok(upgrade.on_upgrade(|socket| connection.run(socket)))
}

impl<S: SocketSession> Connection<S> {
    async fn run(mut self, mut socket: WebSocket) {
        let end = self.talk(&mut socket).await;
        tracing::debug!(?end, "a WebSocket ends");
        self.queue.close();
        self.session.forget();
        let (code, reason) = match end {
            // The peer would not read it.
            CloseReason::Gone | CloseReason::TooSlow | CloseReason::Silent => return,
            CloseReason::TooOld => (close_code::NORMAL, "connected for a day"),
            CloseReason::TooManyMessages => (close_code::POLICY, "too many messages"),
            CloseReason::NotText => (close_code::UNSUPPORTED, "only text is understood"),
            CloseReason::VenueGone => (close_code::AGAIN, "the venue is overloaded"),
            CloseReason::Stopping => {
                let text = self.session.server_shutdown();
                if self.write(&mut socket, Message::Text(text.into())).await.is_err() {
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

    async fn talk(&mut self, socket: &mut WebSocket) -> CloseReason {
        let settings = self.context.settings;
        let ping_every = settings.ws_ping_every;
        let mut ping = interval_at(Instant::now() + ping_every, ping_every);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let day = sleep(settings.ws_life_max);
        tokio::pin!(day);
        let mut stopping = self.context.stopping.clone();
        let outlet = Arc::clone(&self.outlet);
        loop {
            let done = tokio::select! {
                Some(payload) = self.queue.recv() => self.deliver(socket, payload).await,
                answer = self.session.next_answer() => self.answer(socket, answer).await,
                received = socket.recv(), if !self.session.is_busy() => {
                    self.receive_all(socket, received).await
                }
                _ = ping.tick() => match self.heard_at.elapsed() > settings.ws_silence_max {
                    true => Err(CloseReason::Silent),
                    false => {
                        let now_ms = (now_ns() / 1_000_000).to_string();
                        self.write(socket, Message::Ping(Bytes::from(now_ms))).await
                    }
                },
                () = &mut day => Err(CloseReason::TooOld),
                () = outlet.cut.notified() => Err(CloseReason::TooSlow),
                () = stopped(&mut stopping) => Err(CloseReason::Stopping),
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Sends a payload, and with it all that waits behind it.
    async fn deliver(
        &mut self,
        socket: &mut WebSocket,
        first: Utf8Bytes,
    ) -> Result<(), CloseReason> {
        let queue = &mut self.queue;
        let payloads = std::iter::once(first).chain(std::iter::from_fn(|| queue.try_recv().ok()));
        write_all(&self.context.settings, &self.outlet, socket, payloads).await
    }

    /// Sends an answer, and with it all that are there by now: commands of one batch of the log are
    /// answered at the same time, and a write costs more than to put an answer into words.
    async fn answer(&mut self, socket: &mut WebSocket, first: String) -> Result<(), CloseReason> {
        let session = &mut self.session;
        let more = std::iter::from_fn(|| session.next_answer().now_or_never());
        let answers = std::iter::once(first).chain(more).take(BATCH_MAX);
        write_all(&self.context.settings, &self.outlet, socket, answers).await
    }

    async fn write(&mut self, socket: &mut WebSocket, message: Message) -> Result<(), CloseReason> {
        write_bounded(&self.context.settings, &self.outlet, socket.send(message)).await
    }

    /// Takes in a message, and with it those that have come by now. What they want done is carried
    /// out together, and what is answered already goes out together: the client may not read, and
    /// what it has sent does not wait for that.
    async fn receive_all(
        &mut self,
        socket: &mut WebSocket,
        first: Received,
    ) -> Result<(), CloseReason> {
        let mut answers = Vec::new();
        let received = self.receive_batch(socket, first, &mut answers).await;
        self.session.carry_out();
        if !answers.is_empty() {
            write_all(&self.context.settings, &self.outlet, socket, answers).await?;
        }
        received
    }

    async fn receive_batch(
        &mut self,
        socket: &mut WebSocket,
        first: Received,
        answers: &mut Vec<String>,
    ) -> Result<(), CloseReason> {
        let (mut received, mut count, began) = (first, 0, Instant::now());
        let mut answers_len = 0;
        loop {
            let Some(Ok(message)) = received else { return Err(CloseReason::Gone) };
            self.count_message()?;
            if let Some(answer) = self.receive(message).await? {
                answers_len += answer.len();
                answers.push(answer);
            }
            count += 1;
            let is_full =
                count == BATCH_MAX || answers_len > BATCH_LEN_MAX || self.session.is_busy();
            if is_full || began.elapsed() > BATCH_TIME_MAX {
                return Ok(());
            }
            let Some(next) = socket.recv().now_or_never() else { return Ok(()) };
            received = next;
        }
    }

    /// Some sessions have a limit of messages a second.
    fn count_message(&mut self) -> Result<(), CloseReason> {
        self.heard_at = Instant::now();
        if self.heard_at - self.second_began >= Duration::from_secs(1) {
            (self.second_began, self.messages) = (self.heard_at, 0);
        }
        self.messages += 1;
        let messages_max = self.context.settings.ws_messages_per_second;
        if self.session.counts_messages() && self.messages > messages_max {
            Err(CloseReason::TooManyMessages)
        } else {
            Ok(())
        }
    }

    /// The answer, where there is one at once.
    async fn receive(&mut self, message: Message) -> Result<Option<String>, CloseReason> {
        match message {
            Message::Text(text) => self.session.receive(&text).await,
            // The library answers pings, and ends the connection after a close.
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) => Ok(None),
            Message::Binary(_) => Err(CloseReason::NotText),
        }
    }
}

/// Sends texts, which do not wait for each other.
async fn write_all(
    settings: &SocketSettings,
    outlet: &Outlet<Utf8Bytes>,
    socket: &mut WebSocket,
    texts: impl IntoIterator<Item = impl Into<Utf8Bytes>>,
) -> Result<(), CloseReason> {
    let writing = async {
        for text in texts {
            socket.feed(Message::Text(text.into())).await?;
        }
        socket.flush().await
    };
    write_bounded(settings, outlet, writing).await
}

/// A write to a client that does not read ends when the client is cut, or after a while.
async fn write_bounded(
    settings: &SocketSettings,
    outlet: &Outlet<Utf8Bytes>,
    writing: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), CloseReason> {
    tokio::select! {
        biased; // Nearly always it is written at once, and nothing need be waited for.
        written = writing => written.map_err(|_| CloseReason::Gone),
        () = outlet.cut.notified() => Err(CloseReason::TooSlow),
        () = sleep(settings.ws_silence_max) => Err(CloseReason::TooSlow),
    }
}
