//! One WebSocket, in any dialect: messages go to the session; its answers and the queued payloads
//! go to the client.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::{FutureExt, SinkExt};
use protocol::signed::ApiError;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};

use crate::clock::now_ns;
use crate::feed::outlet::Outlet;
use crate::socket::connection::{ConnectionPermit, stopped};
use crate::socket::http::ErrorReply;
use crate::socket::settings::SocketSettings;
use crate::socket::socket_answer::SocketAnswer;

/// Every connection holds one. The library's default of 128 KiB would need 1.5 GB for the largest
/// number of connections.
const READ_BUFFER_SIZE: usize = 16 << 10;

/// The library writes what exceeds it, and allocates for what a write left over. Its default of
/// 128 KiB suits fewer connections.
const WRITE_BUFFER_SIZE: usize = 32 << 10;

/// Beyond the bytes of the longest message, an incomplete one may have the heads of 1,000 frames.
const FRAME_HEADS_LEN_MAX: usize = 1_000 * 14;

/// Messages read, or answers written, in one turn.
const BATCH_MAX: usize = 64;
/// The longest turn: the session waits for some requests.
const BATCH_TIME_MAX: Duration = Duration::from_millis(10);
/// Answers longer than this together are written without waiting for more.
const BATCH_LEN_MAX: usize = 64 << 10;

pub(crate) type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// A dialect's side of a WebSocket.
pub(crate) trait SocketSession: Send + 'static {
    /// Bytes of the longest message from a client.
    const MESSAGE_LEN_MAX: usize;

    /// Executes a message, or begins to. An answer returned here is sent before queued payloads.
    fn receive(
        &mut self,
        text: &str,
    ) -> impl Future<Output = Result<Option<SocketAnswer>, CloseReason>> + Send;

    /// Whether a close message is tried for a client that reads too slowly.
    const CLOSES_SLOW_READERS: bool = false;

    /// The next answer that was not ready at once, or why the session ends. Dropping the future
    /// loses no answer.
    fn next_answer(&mut self) -> impl Future<Output = Result<SocketAnswer, CloseReason>> + Send {
        std::future::pending()
    }

    /// Why the connection was cut.
    fn why_cut(&mut self) -> CloseReason {
        CloseReason::TooSlow
    }

    /// Keeps the answers that become ready while a write waits. It is ready once they have no more
    /// room. Dropping the future loses no answer.
    fn keep_answers(&mut self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    /// Whether too many requests are in flight to read another message.
    fn is_busy(&self) -> bool {
        false
    }

    /// Whether the limit of messages a second applies. Other sessions weigh each message.
    fn counts_messages(&self) -> bool {
        true
    }

    /// Executes the requests received so far: no more messages are waiting.
    fn run_inbox(&mut self) {}

    /// The last message before a shutdown.
    fn server_shutdown(&self) -> String;

    /// Cleans up after the connection has ended.
    fn closed(&mut self);
}

/// Why a connection ends.
#[derive(Debug)]
pub(crate) enum CloseReason {
    /// The client or the network closed the connection.
    Gone,
    TooSlow,
    /// The key of the session was revoked or has expired.
    KeyEnded,
    /// Events that the client has asked for are no longer kept.
    EventsGone,
    Silent,
    /// Open for as long as a connection may be.
    TooOld,
    TooManyMessages,
    /// More streams of an account's events than all its clients may have.
    TooManyStreams,
    NotText,
    /// Its message did not end within the limits of bytes and time.
    Incomplete,
    VenueGone,
    Stopping,
}

type Received = Option<Result<Message, axum::Error>>;

struct Connection<S> {
    context: SocketContext,
    outlet: Arc<Outlet<Utf8Bytes>>,
    queue: mpsc::Receiver<Utf8Bytes>,
    session: S,
    /// When the client last sent a message, a ping or a pong.
    heard_at: Instant,
    second_began: Instant,
    /// Messages since `second_began`.
    messages: u32,
    /// A ping came. Until its pong is written, nothing more is read.
    owes_pong: bool,
    /// Those of one turn; empty between turns.
    answers: Vec<SocketAnswer>,
}

/// Refuses a request that is no upgrade, and every upgrade during a shutdown.
pub(crate) fn check(
    stopping: &watch::Receiver<bool>,
    upgrade: Upgrade,
) -> Result<WebSocketUpgrade, ApiError> {
    let upgrade = upgrade.map_err(|_| {
        ApiError::new(426, -1000, "Here WebSocket is spoken; the request must be an upgrade.")
    })?;
    if *stopping.borrow() { Err(ApiError::shutting_down()) } else { Ok(upgrade) }
}

/// What a WebSocket takes over from its HTTP connection.
pub(crate) struct SocketContext {
    pub(crate) permit: Arc<ConnectionPermit>,
    pub(crate) settings: SocketSettings,
    pub(crate) stopping: watch::Receiver<bool>,
    /// What serves it instead of the threads of orders.
    pub(crate) readers: Option<Handle>,
}

pub(crate) fn open<S: SocketSession>(
    context: SocketContext,
    upgrade: WebSocketUpgrade,
    (outlet, queue): (Arc<Outlet<Utf8Bytes>>, mpsc::Receiver<Utf8Bytes>),
    session: S,
) -> Result<Response, ErrorReply> {
    let now = Instant::now();
    let mut connection = Connection {
        context,
        outlet,
        queue,
        session,
        heard_at: now,
        second_began: now,
        messages: 0,
        owes_pong: false,
        answers: Vec::new(),
    };
    let SocketContext { permit, settings, .. } = &connection.context;
    let bytes_max = (S::MESSAGE_LEN_MAX + READ_BUFFER_SIZE + FRAME_HEADS_LEN_MAX) as u64;
    permit.limit_messages(bytes_max, settings.ws_message_time_max);
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER_SIZE)
        .write_buffer_size(WRITE_BUFFER_SIZE)
        .max_message_size(S::MESSAGE_LEN_MAX)
        .max_frame_size(S::MESSAGE_LEN_MAX);
    let readers = connection.context.readers.take();
    Ok(upgrade.on_upgrade(|socket| async move {
        match readers {
            None => connection.run(socket).await,
            Some(readers) => drop(readers.spawn(connection.run(socket))),
        }
    }))
}

impl<S: SocketSession> Connection<S> {
    async fn run(mut self, mut socket: WebSocket) {
        let end = match self.run_until_closed(&mut socket).await {
            CloseReason::TooSlow => self.session.why_cut(),
            end => end,
        };
        tracing::debug!(?end, "a WebSocket ended");
        self.queue.close();
        self.session.closed();
        let (code, reason) = match end {
            // The client would not read a close message.
            CloseReason::Gone | CloseReason::Silent => return,
            CloseReason::TooSlow if !S::CLOSES_SLOW_READERS => return,
            CloseReason::TooSlow => (close_code::POLICY, "the client reads too slowly"),
            CloseReason::KeyEnded => (close_code::POLICY, "the key was revoked or has expired"),
            CloseReason::EventsGone => (close_code::ERROR, "the events are no longer kept"),
            CloseReason::TooOld => (close_code::NORMAL, "connected for a day"),
            CloseReason::TooManyMessages => (close_code::POLICY, "too many messages"),
            CloseReason::TooManyStreams => (close_code::POLICY, "too many user data streams"),
            CloseReason::Incomplete => (close_code::POLICY, "a message stayed incomplete"),
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
            // The client answers with its own close.
            while let Some(Ok(_)) = socket.recv().await {}
            Ok::<(), axum::Error>(())
        };
        let closed = timeout(Duration::from_secs(1), closing).await;
        tracing::debug!(closed = closed.is_ok(), "a WebSocket was closed");
    }

    async fn run_until_closed(&mut self, socket: &mut WebSocket) -> CloseReason {
        let settings = self.context.settings;
        let ping_every = settings.ws_ping_every;
        let mut ping = interval_at(Instant::now() + ping_every, ping_every);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let day = sleep(settings.ws_life_max);
        tokio::pin!(day);
        let mut stopping = self.context.stopping.clone();
        let outlet = Arc::clone(&self.outlet);
        loop {
            if outlet.is_cut() {
                return CloseReason::TooSlow;
            }
            if self.session.is_busy() {
                self.context.permit.message_waits();
            }
            let done = tokio::select! {
                Some(payload) = self.queue.recv() => self.deliver(socket, payload).await,
                answer = self.session.next_answer() => match answer {
                    Ok(answer) => self.answer(socket, answer).await,
                    Err(end) => Err(end),
                },
                received = socket.recv(), if !self.session.is_busy() => {
                    self.receive_all(socket, received).await
                }
                _ = ping.tick() => match self.heard_at.elapsed() > settings.ws_silence_max {
                    true => Err(CloseReason::Silent),
                    false if self.context.permit.is_message_overdue() => {
                        Err(CloseReason::Incomplete)
                    }
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

    /// Sends a payload, and all payloads queued after it.
    async fn deliver(
        &mut self,
        socket: &mut WebSocket,
        first: Utf8Bytes,
    ) -> Result<(), CloseReason> {
        let queue = &mut self.queue;
        let payloads = std::iter::once(first).chain(std::iter::from_fn(|| queue.try_recv().ok()));
        let writing = write_all(socket, payloads);
        write_bounded(&self.context.settings, &self.outlet, &mut self.session, writing).await
    }

    /// Sends an answer, and all answers that are ready by now. Commands of one batch of the log are
    /// answered together, and a write costs more than encoding an answer.
    async fn answer(
        &mut self,
        socket: &mut WebSocket,
        first: SocketAnswer,
    ) -> Result<(), CloseReason> {
        let mut len = first.text.len();
        let mut answers = std::mem::take(&mut self.answers);
        answers.push(first);
        let mut ended = Ok(());
        while answers.len() < BATCH_MAX && len <= BATCH_LEN_MAX {
            match self.session.next_answer().now_or_never() {
                None => break,
                Some(Ok(answer)) => {
                    len += answer.text.len();
                    answers.push(answer);
                }
                Some(Err(end)) => {
                    ended = Err(end);
                    break;
                }
            }
        }
        self.write_answers(socket, answers).await?;
        ended
    }

    /// What is counted of the answers is free once all of them are written.
    async fn write_answers(
        &mut self,
        socket: &mut WebSocket,
        mut answers: Vec<SocketAnswer>,
    ) -> Result<(), CloseReason> {
        let writing = async {
            for answer in &mut answers {
                let text = std::mem::replace(&mut answer.text, Utf8Bytes::from_static(""));
                socket.feed(Message::Text(text)).await?;
            }
            socket.flush().await
        };
        let written =
            write_bounded(&self.context.settings, &self.outlet, &mut self.session, writing).await;
        answers.clear();
        self.answers = answers;
        written
    }

    async fn write(&mut self, socket: &mut WebSocket, message: Message) -> Result<(), CloseReason> {
        let writing = socket.send(message);
        write_bounded(&self.context.settings, &self.outlet, &mut self.session, writing).await
    }

    /// Receives a message, and all messages that have arrived by now. The venue executes their
    /// commands together. Answers that are ready go out in one write, after the commands are
    /// submitted: a client that does not read delays none of them.
    async fn receive_all(
        &mut self,
        socket: &mut WebSocket,
        first: Received,
    ) -> Result<(), CloseReason> {
        let mut answers = std::mem::take(&mut self.answers);
        let received = self.receive_batch(socket, first, &mut answers).await;
        self.session.run_inbox();
        let owes_pong = std::mem::take(&mut self.owes_pong);
        if answers.is_empty() && !owes_pong {
            self.answers = answers;
        } else {
            self.write_answers(socket, answers).await?;
        }
        received
    }

    async fn receive_batch(
        &mut self,
        socket: &mut WebSocket,
        first: Received,
        answers: &mut Vec<SocketAnswer>,
    ) -> Result<(), CloseReason> {
        let (mut received, mut count, began) = (first, 0, Instant::now());
        let mut answers_len = 0;
        loop {
            let Some(Ok(message)) = received else {
                let is_overdue = self.context.permit.is_message_overdue();
                return Err(if is_overdue { CloseReason::Incomplete } else { CloseReason::Gone });
            };
            self.count_message(&message)?;
            if let Some(answer) = self.receive(message).await? {
                answers_len += answer.text.len();
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

    /// Enforces the limit of messages a second: of control frames in every session, and of other
    /// messages in sessions that do not weigh them.
    fn count_message(&mut self, message: &Message) -> Result<(), CloseReason> {
        self.heard_at = Instant::now();
        let permit = &self.context.permit;
        let is_control = match message {
            Message::Text(_) | Message::Binary(_) => false,
            Message::Ping(payload) | Message::Pong(payload) => {
                permit.control_frame_ended(payload.len());
                self.owes_pong |= matches!(message, Message::Ping(_));
                true
            }
            Message::Close(_) => true,
        };
        if !is_control {
            permit.message_ended();
            if !self.session.counts_messages() {
                return Ok(());
            }
        }
        if self.heard_at - self.second_began >= Duration::from_secs(1) {
            (self.second_began, self.messages) = (self.heard_at, 0);
        }
        self.messages += 1;
        if self.messages > self.context.settings.ws_messages_per_second {
            Err(CloseReason::TooManyMessages)
        } else {
            Ok(())
        }
    }

    /// The answer, if it is ready at once.
    async fn receive(&mut self, message: Message) -> Result<Option<SocketAnswer>, CloseReason> {
        match message {
            Message::Text(text) => self.session.receive(&text).await,
            // The library answers pings, and ends the connection after a close.
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) => Ok(None),
            Message::Binary(_) => Err(CloseReason::NotText),
        }
    }
}

/// Sends texts in one write.
async fn write_all(
    socket: &mut WebSocket,
    texts: impl IntoIterator<Item = impl Into<Utf8Bytes>>,
) -> Result<(), axum::Error> {
    for text in texts {
        socket.feed(Message::Text(text.into())).await?;
    }
    socket.flush().await
}

/// Writes until the client is cut, the write times out, or the answers that wait meanwhile have no
/// more room.
async fn write_bounded(
    settings: &SocketSettings,
    outlet: &Outlet<Utf8Bytes>,
    session: &mut impl SocketSession,
    writing: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), CloseReason> {
    tokio::select! {
        biased; // Nearly every write completes at once.
        written = writing => written.map_err(|_| CloseReason::Gone),
        () = outlet.cut.notified() => Err(CloseReason::TooSlow),
        () = session.keep_answers() => Err(CloseReason::TooSlow),
        () = sleep(settings.ws_silence_max) => Err(CloseReason::TooSlow),
    }
}
