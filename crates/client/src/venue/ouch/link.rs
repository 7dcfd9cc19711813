//! The task that has a session's connection: it writes as many packets at once as wait, and logs on
//! again when the connection ends, by the way that works.

use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::ouch::Outbound;
use protocol::ouch::code::event;
use protocol::soup::server::Due;
use protocol::soup::{Client as Soup, LogOn, Received, RejectReason, SessionName};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};

use crate::Tls;
use crate::socket::Socket;
use crate::venue::back_off::BackOff;
use crate::venue::ouch::session::Session;
use crate::venue::ouch::ways::{By, Ways};
use crate::venue::ouch::{Login, Request};
use crate::venue::report::Report;
use crate::venue::statistics::{Cause, Counters};

const READ_SIZE: usize = 64 << 10;
/// Requests without a report. Beyond it, more wait.
pub(super) const IN_FLIGHT_MAX: usize = 4_096;
/// A connection takes no longer: else the next way is taken.
const CONNECT_WITHIN: Duration = Duration::from_millis(100);
/// Where there is no other way left.
const CONNECT_PATIENTLY: Duration = Duration::from_secs(5);
const LOG_ON_WITHIN: Duration = Duration::from_secs(5);
/// A venue that has sent nothing for this long, not even a heartbeat each second, is left for the
/// next way. Where there is none, SoupBinTCP's 15 s hold.
const SILENT: Duration = Duration::from_millis(2_500);
const TICK: Duration = Duration::from_millis(250);

pub(super) struct Link {
    pub(super) ways: Ways,
    tls: Option<Tls>,
    /// The first report that the next log-on asks for, while the session has no name yet.
    read_from: u64,
    pub(super) name: Option<SessionName>,
    /// The venue has refused the number of the first report to read.
    pub(super) skips: bool,
    pub(super) session: Session,
    soup: Option<Soup>,
    pub(super) asked: mpsc::Receiver<Request>,
    reports: mpsc::Sender<Report>,
    pub(super) counters: Arc<Counters>,
    pub(super) begun: Instant,
}

/// Why a connection is of no more use.
pub(super) enum End {
    /// The last handle of the venue is gone.
    Closed,
    /// Another connection may serve.
    Broken,
    /// The way is of no use, and the next one is to be taken.
    Failed(Cause),
    /// A better way works again.
    Better,
    /// The venue lets this login in no more.
    Refused,
}

impl Link {
    pub(super) fn new(
        (ways, tls): (Ways, Option<Tls>),
        read_from: u64,
        session: Session,
        (asked, reports): (mpsc::Receiver<Request>, mpsc::Sender<Report>),
        counters: Arc<Counters>,
    ) -> Self {
        let (name, skips, soup, begun) = (None, false, None, Instant::now());
        Self { ways, tls, read_from, name, skips, session, soup, asked, reports, counters, begun }
    }

    pub(super) async fn run(mut self) {
        let mut back_off = BackOff::default();
        while !self.asked.is_closed() {
            let way = self.ways.take().clone();
            self.session.goes_by(way.origin());
            let end = match way {
                By::Datagrams(way) => self.serve_udp(way).await,
                By::Bytes(login) => self.connect(&login).await,
            };
            if self.session.is_current() {
                back_off.succeeded();
            }
            let lost = self.session.disconnected();
            Counters::add(&self.counters.lost, lost as u64);
            match end {
                // What waits is dropped, which its callers see.
                End::Closed | End::Refused => return,
                End::Failed(cause) if self.ways.leave() => self.counters.left(cause),
                End::Broken | End::Failed(_) => back_off.wait().await,
                End::Better => {}
            }
        }
    }

    /// Two log-ons: the first for new reports only, whose answer shows how many were missed and
    /// whose session ends all earlier ones; the second for those.
    async fn connect(&mut self, login: &Login) -> End {
        let Some(first) = self.open(login).await else { return End::Failed(Cause::NotOpened) };
        let counted = timeout(LOG_ON_WITHIN, self.count(login, first)).await;
        let counted = match counted.unwrap_or(Err(End::Failed(Cause::NotOpened))) {
            Ok(counted) => counted,
            Err(end) => return end,
        };
        if let Some(end) = self.go_without_what_is_gone(counted.1) {
            return end;
        }
        let Some(stream) = self.open(login).await else { return End::Failed(Cause::NotOpened) };
        self.serve(login, stream, counted).await
    }

    async fn open(&self, login: &Login) -> Option<Socket> {
        let within = if self.ways.has_next() { CONNECT_WITHIN } else { CONNECT_PATIENTLY };
        timeout(within, login.connect(self.tls.as_ref())).await.ok()?.ok()
    }

    /// Logs on for new reports, and returns the session and the number of the first of them.
    async fn count(
        &mut self,
        login: &Login,
        mut stream: Socket,
    ) -> Result<(SessionName, u64), End> {
        let not_opened = |_| End::Failed(Cause::NotOpened);
        let (mut input, mut output) = (Vec::new(), Vec::new());
        let mut soup = Soup::log_on(&self.log_on(login, 0), &mut output, 0);
        stream.write_all(&output).await.map_err(not_opened)?;
        loop {
            let mut rest = &input[..];
            loop {
                match soup.receive(&mut rest, 0) {
                    Received::NeedMore => break,
                    Received::Accepted { session, next } => return Ok((session, next)),
                    Received::Rejected(reason) => return Err(self.rejected(reason)),
                    Received::EndOfSession | Received::Violation(_) => return Err(End::Broken),
                    _ => {}
                }
            }
            let consumed = input.len() - rest.len();
            input.drain(..consumed);
            let len = stream.read_buf(&mut input).await.map_err(not_opened)?;
            if len == 0 {
                return Err(End::Failed(Cause::NotOpened));
            }
        }
    }

    fn rejected(&mut self, reason: RejectReason) -> End {
        match reason {
            RejectReason::NotAuthorized => End::Refused,
            RejectReason::SessionNotAvailable => self.start_over(),
        }
    }

    /// Chooses where to go on if the venue has refused the number of the first report to read, and
    /// `new_from` is that of the first new one. If they are of the same numbering day, the reports
    /// between are no longer kept: the session then begins with the first wanted one, if that is
    /// later than the first that was asked for, or else with new ones, as `skips` still says.
    pub(super) fn go_without_what_is_gone(&mut self, new_from: u64) -> Option<End> {
        if !self.skips {
            return None;
        }
        if self.next_report() > new_from {
            return Some(self.start_over());
        }
        let wanted = self.session.wanted_from();
        if self.next_report() < wanted {
            // No wanted report is missing.
            self.session.skip_to(wanted);
            (self.read_from, self.skips) = (wanted, false);
        }
        None
    }

    async fn serve(&mut self, login: &Login, stream: Socket, counted: (SessionName, u64)) -> End {
        Counters::add(&self.counters.connections, 1);
        let (mut reader, mut writer) = tokio::io::split(stream);
        let (mut input, mut output) = (Vec::with_capacity(READ_SIZE), Vec::new());
        let mut written = 0;
        let now_ms = self.now_ms();
        let mut heard = Instant::now();
        let next = if self.skips { counted.1 } else { self.next_report() };
        self.soup = Some(Soup::log_on(&self.log_on(login, next), &mut output, now_ms));
        let mut batch = Vec::new();
        let mut tick = interval(TICK);
        loop {
            let room = if self.session.is_current() {
                IN_FLIGHT_MAX.saturating_sub(self.session.in_flight())
            } else {
                0
            };
            tokio::select! {
                biased;
                count = self.asked.recv_many(&mut batch, room), if room > 0 => {
                    if count == 0 {
                        return self.log_out(writer, &output[written..]).await;
                    }
                    Counters::add(&self.counters.messages, count as u64);
                    for request in batch.drain(..) {
                        self.session.take(request, &mut output);
                    }
                }
                sent = writer.write(&output[written..]), if written < output.len() => {
                    match sent {
                        Ok(len) if len > 0 => written += len,
                        _ => return End::Broken,
                    }
                    Counters::add(&self.counters.writes, 1);
                    if written == output.len() {
                        output.clear();
                        written = 0;
                    }
                    let now_ms = self.now_ms();
                    self.soup().sent(now_ms);
                }
                read = reader.read_buf(&mut input) => {
                    if !read.is_ok_and(|len| len > 0) {
                        return End::Broken;
                    }
                    heard = Instant::now();
                    if let Some(end) = self.receive(&mut input, &mut output, counted).await {
                        return end;
                    }
                }
                _ = tick.tick() => {
                    if self.ways.has_better(self.tls.as_ref()) {
                        self.log_out(writer, &output[written..]).await;
                        return End::Better;
                    }
                    if self.ways.has_other() && heard.elapsed() > SILENT {
                        return End::Failed(Cause::Unanswered);
                    }
                    let now_ms = self.now_ms();
                    if self.soup().tick(&mut output, now_ms) == Due::Close {
                        return End::Broken;
                    }
                }
            }
        }
    }

    fn log_on(&self, Login { user, password, .. }: &Login, next: u64) -> LogOn {
        LogOn::new(user, password, self.name, next).expect("it was checked when it was opened")
    }

    /// The number of the first report to read: the session goes on where the last connection ended.
    pub(super) fn next_report(&self) -> u64 {
        if self.name.is_some() { self.session.next_report() } else { self.read_from }
    }

    async fn receive(
        &mut self,
        input: &mut Vec<u8>,
        output: &mut Vec<u8>,
        (counted_in, new_from): (SessionName, u64),
    ) -> Option<End> {
        let now_ms = self.now_ms();
        let mut rest = &input[..];
        let mut end = None;
        while end.is_none() {
            let soup = self.soup.as_mut().expect("it is connected");
            let message = match soup.receive(&mut rest, now_ms) {
                Received::NeedMore => break,
                Received::Accepted { session, .. } if session != counted_in => {
                    // A numbering day has begun between the two log-ons.
                    end = Some(End::Broken);
                    continue;
                }
                Received::Accepted { session, next } => {
                    self.logged_on((session, next), new_from, output).await;
                    continue;
                }
                Received::Rejected(RejectReason::SessionNotAvailable)
                    if self.next_report() <= new_from =>
                {
                    self.skips = true;
                    end = Some(End::Broken);
                    continue;
                }
                Received::Rejected(reason) => {
                    end = Some(self.rejected(reason));
                    continue;
                }
                Received::Message(message) => message,
                Received::EndOfSession | Received::Violation(_) => {
                    end = Some(End::Broken);
                    continue;
                }
                _ => continue,
            };
            end = self.take_report(message, output).await;
        }
        let consumed = input.len() - rest.len();
        input.drain(..consumed);
        end
    }

    /// The venue has let the session in, whose next report has this number.
    pub(super) async fn logged_on(
        &mut self,
        (name, next): (SessionName, u64),
        new_from: u64,
        output: &mut Vec<u8>,
    ) {
        self.name = Some(name);
        if std::mem::take(&mut self.skips)
            && let Some(report) = self.session.skip_to(next)
        {
            // Here and below: a reader that is gone wants no reports.
            let _unread = self.reports.send(report).await;
        }
        self.session.logged_on(next, new_from, output);
    }

    /// Takes the next message in sequence; a reason to end if there is one.
    pub(super) async fn take_report(&mut self, bytes: &[u8], output: &mut Vec<u8>) -> Option<End> {
        let Ok(message) = Outbound::read(bytes) else { return Some(End::Broken) };
        if let Outbound::SystemEvent(system, _) = message
            && system.event == event::END_OF_DAY
        {
            return Some(self.start_over());
        }
        if let Some(report) = self.session.receive(&message, output) {
            let _unread = self.reports.send(report).await;
        }
        None
    }

    /// The numbering day is over: the next log-on begins another one, from its first report.
    pub(super) fn start_over(&mut self) -> End {
        self.session.begin_day();
        (self.soup, self.name, self.read_from, self.skips) = (None, None, 1, false);
        End::Broken
    }

    async fn log_out(&mut self, mut writer: impl AsyncWrite + Unpin, unwritten: &[u8]) -> End {
        let mut last = unwritten.to_vec();
        self.soup().log_out(&mut last);
        // The venue notices the end of the connection, too.
        let _gone = timeout(TICK, writer.write_all(&last)).await;
        End::Closed
    }

    fn soup(&mut self) -> &mut Soup {
        self.soup.as_mut().expect("it is connected")
    }

    fn now_ms(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }
}
