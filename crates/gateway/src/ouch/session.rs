//! One connection: packets in, commands to the venue; reports of the venue, packets out.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use protocol::soup::packet::LogOn;
use protocol::soup::server::Due;
use protocol::soup::{DEAD_AFTER_MS, Received, RejectReason, Server};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use types::{Entry, Envelope, Origin};

use crate::clock::now_ns;
use crate::door::identity::Login;
use crate::door::sessions::close;
use crate::ouch::accept::OuchDoor;
use crate::ouch::backlog::{Backlog, OfLogin};
use crate::ouch::book::Book;
use crate::ouch::intake::{Asked, Intake};
use crate::ouch::link::{End, Link};
use crate::ouch::log_on::{LoggedOn, MISSED_UNREADABLE, NotLoggedOn, envelope, open, open_session};
use crate::ouch::order::Context;

/// Bytes that are read at once.
const READ_SIZE: usize = 64 << 10;
/// Commands on their way. A client with more is not read until some are applied.
const IN_FLIGHT_MAX: u64 = 16_384;
/// How long to wait while the venue's inbox is full.
const FULL_WAIT: Duration = Duration::from_millis(1);
/// How long a client may take nothing of what is written to it.
const DEAD_AFTER: Duration = Duration::from_millis(DEAD_AFTER_MS);
/// How long a client may take to read what is left when its connection ends.
const LINGER: Duration = Duration::from_secs(2);

/// Serves a connection until it ends. Its orders came by the way of `origin`.
pub(super) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    (peer, origin): (IpAddr, Origin),
    door: Arc<OuchDoor>,
) {
    let soup = Server::new(door.now_ms());
    let (input, output) = (Vec::with_capacity(READ_SIZE), Vec::new());
    let mut connection = Connection { stream, peer, origin, door, soup, input, output };
    let shared = Arc::clone(&connection.door);
    let logged_on = tokio::select! {
        logged_on = connection.log_on() => logged_on,
        () = shared.door.stopped() => None,
    };
    let Some((login, logged_on)) = logged_on else { return connection.end().await };
    let LoggedOn { book, link, day, .. } = &logged_on;
    let session = Session {
        login,
        book: Arc::clone(book),
        link: Arc::clone(link),
        day: *day,
        cancels_on_disconnect: connection.door.settings.cancel_on_disconnect,
        posted: 0,
        entries: Vec::new(),
    };
    session.run(connection, logged_on).await;
}

struct Connection<S> {
    stream: S,
    peer: IpAddr,
    origin: Origin,
    door: Arc<OuchDoor>,
    soup: Server,
    input: Vec<u8>,
    /// Packets for the socket.
    output: Vec<u8>,
}

/// A client that is logged on.
struct Session {
    login: Arc<Login>,
    book: Arc<Book>,
    link: Arc<Link>,
    day: u32,
    cancels_on_disconnect: bool,
    /// Commands that were handed to the venue.
    posted: u64,
    /// Commands of the packets that were read last.
    entries: Vec<Entry>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    fn now_ms(&self) -> u64 {
        self.door.now_ms()
    }

    fn deadline(&self) -> Instant {
        let ms = self.soup.deadline_ms().min(3_600_000 + self.now_ms());
        self.door.begun + Duration::from_millis(ms)
    }

    /// Does what is due by the clock.
    fn beat(&mut self) -> Due {
        let now_ms = self.now_ms();
        self.soup.tick(&mut self.output, now_ms)
    }

    /// Reads until the client has asked to log on, and answers. `None` if it is not let in.
    async fn log_on(&mut self) -> Option<(Arc<Login>, LoggedOn)> {
        let request = self.read_log_on().await?;
        match self.let_in(&request).await {
            Ok((login, logged_on)) => {
                let now_ms = self.now_ms();
                self.soup.accept(logged_on.session, logged_on.next, &mut self.output, now_ms);
                for line in self.door.hub.scales().beyond_fields() {
                    Server::debug(&line, &mut self.output);
                }
                Some((login, logged_on))
            }
            Err(NotLoggedOn { reason, why }) => {
                let user = request.user();
                tracing::info!(user, peer = %self.peer, why, "an OUCH client is not let in");
                if reason == Some(RejectReason::NotAuthorized) {
                    let code = i32::from(RejectReason::NotAuthorized.code());
                    self.door.door.metrics.auth_failed(code);
                }
                match reason {
                    Some(reason) => self.soup.reject(reason, why, &mut self.output),
                    None => Server::debug(why, &mut self.output),
                }
                None
            }
        }
    }

    async fn let_in(&self, request: &LogOn) -> Result<(Arc<Login>, LoggedOn), NotLoggedOn> {
        let OuchDoor { door, hub, log_ons, settings, .. } = &*self.door;
        let login = log_ons.check(door, self.peer, request).await?;
        let cancels = settings.cancel_on_disconnect;
        let logged_on = open(door, hub, (&login, self.origin), request, cancels).await?;
        Ok((login, logged_on))
    }

    async fn read_log_on(&mut self) -> Option<LogOn> {
        loop {
            let mut rest = &self.input[..];
            let received = self.soup.receive(&mut rest, self.door.now_ms());
            let consumed = self.input.len() - rest.len();
            match received {
                Received::LogOn(request) => {
                    self.input.drain(..consumed);
                    return Some(request);
                }
                Received::NeedMore => {}
                Received::Nothing => {
                    self.input.drain(..consumed);
                    continue;
                }
                _ => return None,
            }
            let deadline = self.deadline();
            tokio::select! {
                read = self.stream.read_buf(&mut self.input) => {
                    if !read.is_ok_and(|len| len > 0) {
                        return None;
                    }
                }
                () = sleep_until(deadline) => return None,
            }
        }
    }

    /// Writes what is left, and closes.
    async fn end(&mut self) {
        let Self { stream, output, .. } = self;
        let last = async {
            stream.write_all(output).await?;
            stream.shutdown().await
        };
        // A client that is gone, or does not read, needs no farewell.
        let _gone = timeout(LINGER, last).await;
    }
}

impl Session {
    async fn run<S: AsyncRead + AsyncWrite + Unpin>(
        mut self,
        mut connection: Connection<S>,
        logged_on: LoggedOn,
    ) {
        let before = self.link.lock().before;
        if self.send_backlog(&mut connection, (logged_on.next, before)).await {
            self.trade(&mut connection).await;
        }
        let is_open = self.link.lock().end != Some(End::Closed);
        if is_open {
            // The engine need not know that the connection ended, nor why the venue cut it.
            close(connection.door.door.handle.clone(), self.link.session);
        }
        connection.end().await;
    }

    /// Sends what the client has missed, from the first to the last. `false` if that is not
    /// possible.
    async fn send_backlog<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        connection: &mut Connection<S>,
        wanted: (u64, u64),
    ) -> bool {
        let door = Arc::clone(&connection.door);
        let Login { login, account, .. } = *self.login;
        let of = OfLogin { login, account, day: self.day };
        let Ok(backlog) = Backlog::open(&door.door, of, wanted).await else {
            Server::debug(MISSED_UNREADABLE, &mut connection.output);
            return false;
        };
        let scales = door.hub.scales();
        let Some(mut backlog) = backlog else { return true };
        loop {
            let Ok(has_more) = backlog.page(&scales, &mut connection.output).await else {
                Server::debug(MISSED_UNREADABLE, &mut connection.output);
                return false;
            };
            if !self.write(connection).await {
                return false;
            }
            if !has_more {
                return true;
            }
        }
    }

    /// Reads and writes until the connection or the session ends.
    async fn trade<S: AsyncRead + AsyncWrite + Unpin>(&mut self, connection: &mut Connection<S>) {
        let shared = Arc::clone(&connection.door);
        let mut stopped = pin!(shared.door.stopped());
        loop {
            let asked = self.take(connection);
            if !self.entries.is_empty() {
                self.post(&connection.door).await;
            }
            match asked {
                Asked::Nothing => {}
                Asked::LogOut | Asked::Violation => return,
                Asked::CancelOnDisconnect(cancels) => {
                    if !self.reopen(connection, cancels).await {
                        return;
                    }
                    continue; // With the packets after it.
                }
            }
            let has_ended = self.collect(&mut connection.output);
            if let Some(end) = has_ended {
                say(end, connection);
                return;
            }
            // The timer has no turn while a client sends without a pause.
            if connection.output.is_empty() && connection.beat() == Due::Close {
                return;
            }
            if !self.write(connection).await {
                return;
            }
            let in_flight = self.posted.saturating_sub(self.link.lock().applied);
            let deadline = connection.deadline();
            let Connection { stream, input, .. } = connection;
            tokio::select! {
                biased;
                () = self.link.changed.notified() => {}
                read = stream.read_buf(input), if in_flight < IN_FLIGHT_MAX => {
                    if !read.is_ok_and(|len| len > 0) {
                        return;
                    }
                }
                () = sleep_until(deadline) => {
                    if connection.beat() == Due::Close {
                        return;
                    }
                }
                () = &mut stopped => {
                    self.collect(&mut connection.output);
                    connection.soup.end_of_session(&mut connection.output);
                    return;
                }
            }
        }
    }

    /// Takes the packets that were read, and makes commands of them.
    fn take<S: AsyncRead + AsyncWrite + Unpin>(&mut self, connection: &mut Connection<S>) -> Asked {
        let scales = connection.door.hub.scales();
        let now_ms = connection.now_ms();
        let Login { login, account, .. } = *self.login;
        let (day, now_ns) = (self.day, now_ns());
        let context = Context { login, account, day, now_ns, scales: &scales };
        let envelope = Envelope {
            received_ns: now_ns,
            ..envelope((&self.login, connection.origin), self.link.session)
        };
        let mut asked = Asked::Nothing;
        let Connection { soup, input, output, .. } = connection;
        let mut rest = &input[..];
        let mut state = self.book.lock();
        // A number has its order of the session that is the login's now.
        if state.link.as_ref().is_none_or(|link| !Arc::ptr_eq(link, &self.link)) {
            return asked;
        }
        let mut intake =
            Intake { context, envelope, state: &mut state, entries: &mut self.entries };
        while asked == Asked::Nothing {
            asked = match soup.receive(&mut rest, now_ms) {
                Received::NeedMore => break,
                Received::Message(message) => intake.take(message, output),
                Received::LogOut => Asked::LogOut,
                Received::Violation(violation) => {
                    Server::debug(&format!("{violation:?}"), output);
                    Asked::Violation
                }
                _ => Asked::Nothing,
            };
        }
        drop(state);
        let consumed = input.len() - rest.len();
        input.drain(..consumed);
        asked
    }

    /// Hands the commands to the venue as one request.
    async fn post(&mut self, door: &OuchDoor) {
        let handle = &door.door.handle;
        let mut entries = std::mem::take(&mut self.entries);
        self.posted += entries.len() as u64;
        while let Err(back) = handle.post(self.link.session, entries) {
            entries = back;
            sleep(FULL_WAIT).await;
        }
        handle.run_inbox();
    }

    /// Moves the reports that wait to the output; the reason if the session has ended.
    fn collect(&self, output: &mut Vec<u8>) -> Option<End> {
        let mut link = self.link.lock();
        if output.is_empty() {
            std::mem::swap(output, &mut link.packets);
        } else {
            output.append(&mut link.packets);
        }
        link.end
    }

    /// Writes the output; `false` if the connection is of no more use.
    async fn write<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        connection: &mut Connection<S>,
    ) -> bool {
        if connection.output.is_empty() {
            return true;
        }
        let Connection { stream, output, .. } = connection;
        let write = write_all(stream, output);
        let cut = async {
            loop {
                self.link.changed.notified().await;
                if self.link.lock().end.is_some() {
                    // The other session of the login must not wait for a client that is gone.
                    return sleep(LINGER).await;
                }
            }
        };
        let is_written = tokio::select! {
            is_written = write => is_written,
            () = cut => false,
        };
        output.clear();
        let now_ms = connection.now_ms();
        connection.soup.sent(now_ms);
        // What came meanwhile is collected in the next turn. The write may have taken its
        // notification.
        let has_more = {
            let link = self.link.lock();
            !link.packets.is_empty() || link.end.is_some()
        };
        if has_more {
            self.link.changed.notify_one();
        }
        is_written
    }

    /// Opens another session of the engine in the place of this one, on the same connection: orders
    /// keep to the setting that they were entered with.
    async fn reopen<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        connection: &mut Connection<S>,
        cancel_on_disconnect: bool,
    ) -> bool {
        let has_ended = self.link.lock().end.is_some();
        if cancel_on_disconnect == self.cancels_on_disconnect || has_ended {
            return true;
        }
        let shared = Arc::clone(&connection.door);
        let of = (&*self.login, connection.origin);
        let opened = open_session(&shared.door, &shared.hub, of, cancel_on_disconnect).await;
        let end = self.collect(&mut connection.output);
        let reported = self.link.lock().reported;
        match opened {
            Ok(link) => {
                let before = link.lock().before;
                (self.link, self.posted) = (link, 0);
                self.cancels_on_disconnect = cancel_on_disconnect;
                if let Some(end) = end.filter(|end| *end != End::Closed) {
                    say(end, connection);
                    return false;
                }
                // What the new session has not is of orders that ended with the one before.
                self.send_backlog(connection, (reported + 1, before)).await
            }
            Err(why) => {
                Server::debug(why, &mut connection.output);
                false
            }
        }
    }
}

/// Writes all of it; `false` if the client is gone, or takes nothing for too long.
async fn write_all(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        match timeout(DEAD_AFTER, stream.write(rest)).await {
            Ok(Ok(len)) if len > 0 => rest = &rest[len..],
            _ => return false,
        }
    }
    true
}

/// The last packets of a session that the venue ended.
fn say<S: AsyncRead + AsyncWrite + Unpin>(end: End, connection: &mut Connection<S>) {
    if let End::Refused(refused) = end {
        Server::debug(&refused.to_string(), &mut connection.output);
    }
    connection.soup.end_of_session(&mut connection.output);
}
