//! One session over UDP: datagrams in, commands to the venue; reports of the venue, datagrams out.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use protocol::soup::packet::{Received as Packet, Sender, take};
use protocol::udp::{Closed, Keys, Session};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use types::{Entry, Envelope, Origin};

use crate::clock::now_ns;
use crate::door::identity::Login;
use crate::door::sessions::close;
use crate::ouch::backlog::{Backlog, OfLogin};
use crate::ouch::datagrams::Datagrams;
use crate::ouch::datagrams::sessions::Received;
use crate::ouch::intake::Intake;
use crate::ouch::link::End;
use crate::ouch::log_on::{LoggedOn, envelope};
use crate::ouch::order::Context;

/// Commands on their way. A client with more is not read until some are applied.
const IN_FLIGHT_MAX: u64 = 16_384;
/// How long to wait while the venue's inbox is full.
const FULL_WAIT: Duration = Duration::from_millis(1);
/// Datagrams that are taken before their commands go to the venue.
const AT_ONCE: usize = 64;
/// Reports that wait because the client acknowledges none. Beyond it the session ends.
const WAITING_MAX: usize = 16 << 20;
/// How long a client may take to acknowledge what is left when the venue has ended its session.
const LINGER: Duration = Duration::from_secs(2);
/// How often reports that have no room are tried again.
const TRY_AGAIN: Duration = Duration::from_millis(5);

pub(super) struct UdpSession<'a> {
    datagrams: &'a Datagrams,
    login: Arc<Login>,
    logged_on: LoggedOn,
    session: Session,
    /// Where the last genuine datagram came from.
    peer: SocketAddr,
    /// Packets of reports that are not in the session yet.
    reports: Vec<u8>,
    /// Commands that were handed to the venue.
    posted: u64,
    /// What the metrics have of the session.
    counted: (u64, u64),
    /// Commands of the datagrams that were taken last.
    entries: Vec<Entry>,
}

impl<'a> UdpSession<'a> {
    pub(super) fn new(
        datagrams: &'a Datagrams,
        login: Arc<Login>,
        logged_on: LoggedOn,
        (connection, keys): (u64, Keys),
        peer: SocketAddr,
    ) -> Self {
        let now_us = datagrams.now_us();
        let session = Session::new(connection, keys, 1, logged_on.next, now_us);
        Self {
            datagrams,
            login,
            logged_on,
            session,
            peer,
            reports: Vec::new(),
            posted: 0,
            counted: (0, 0),
            entries: Vec::new(),
        }
    }

    /// Serves the session until it ends.
    pub(super) async fn serve(mut self, mut received: mpsc::Receiver<Received>) {
        self.datagrams.metrics.opened();
        let why = match self.send_backlog(&mut received).await {
            Some(why) => why,
            None => self.trade(&mut received).await,
        };
        self.session.close(why);
        self.poll();
        if self.logged_on.link.lock().end != Some(End::Closed) {
            // The engine need not know that the session ended, nor why the venue ended it.
            close(self.datagrams.door().handle.clone(), self.logged_on.link.session);
        }
        self.datagrams.metrics.ended();
    }

    /// Sends what the client has missed. A reason to end if that is not possible.
    async fn send_backlog(&mut self, received: &mut mpsc::Receiver<Received>) -> Option<Closed> {
        let before = self.logged_on.link.lock().before;
        let door = Arc::clone(self.datagrams.door());
        let Login { login, account, .. } = *self.login;
        let of = OfLogin { login, account, day: self.logged_on.day };
        let backlog = Backlog::open(&door, of, (self.logged_on.next, before)).await;
        let Ok(backlog) = backlog else { return Some(Closed::Ended) };
        let mut backlog = backlog?;
        let scales = self.datagrams.door.hub.scales();
        let mut ended = None;
        loop {
            let Ok(has_more) = backlog.page(&scales, &mut self.reports).await else {
                return Some(Closed::Ended);
            };
            // A page has room only as the client acknowledges the one before.
            while !self.pass_on_reports() {
                self.poll();
                let deadline = self.deadline().min(Instant::now() + TRY_AGAIN);
                tokio::select! {
                    one = received.recv() => self.take_acks(one?),
                    () = sleep_until(deadline) => {}
                    () = door.stopped() => return Some(Closed::Ended),
                }
                if let Some(why) = self.session.closed() {
                    return Some(why);
                }
                if let Some(end) = self.logged_on.link.lock().end
                    && ended.get_or_insert_with(Instant::now).elapsed() > LINGER
                {
                    return Some(closed_by(end));
                }
                // They wait until the client is served.
                if self.entries.len() as u64 > IN_FLIGHT_MAX {
                    return Some(Closed::Silent);
                }
            }
            if !has_more {
                return None;
            }
        }
    }

    /// Takes a datagram while the client is not served yet: its messages wait with it.
    fn take_acks(&mut self, (mut bytes, from): Received) {
        let now_us = self.datagrams.now_us();
        let taken = self.take_datagram(&mut bytes, from, now_us);
        if let Err(why) = taken {
            self.datagrams.metrics.dropped(why.into());
        }
    }

    /// Reads and writes until the session ends, and returns the reason.
    async fn trade(&mut self, received: &mut mpsc::Receiver<Received>) -> Closed {
        let door = Arc::clone(self.datagrams.door());
        let mut stopped = pin!(door.stopped());
        let mut batch = Vec::with_capacity(AT_ONCE);
        let mut ended = None;
        loop {
            self.take(&mut batch);
            if !self.entries.is_empty() {
                self.post().await;
            }
            let end = self.collect();
            let is_passed_on = self.pass_on_reports();
            if let Some(why) = end {
                let since = *ended.get_or_insert_with(Instant::now);
                if is_passed_on || since.elapsed() > LINGER {
                    self.poll();
                    return why;
                }
            }
            if self.reports.len() > WAITING_MAX {
                return Closed::Silent;
            }
            self.poll();
            if let Some(why) = self.session.closed() {
                return why;
            }
            let in_flight = self.posted.saturating_sub(self.logged_on.link.lock().applied);
            let deadline = if is_passed_on {
                self.deadline()
            } else {
                self.deadline().min(Instant::now() + TRY_AGAIN)
            };
            tokio::select! {
                biased;
                () = self.logged_on.link.changed.notified() => {}
                _ = received.recv_many(&mut batch, AT_ONCE), if in_flight < IN_FLIGHT_MAX => {}
                () = sleep_until(deadline) => {}
                () = &mut stopped => {
                    self.collect();
                    self.pass_on_reports();
                    return Closed::Ended;
                }
            }
        }
    }

    /// Takes datagrams, and makes commands of the messages that are in order.
    fn take(&mut self, batch: &mut Vec<Received>) {
        let now_us = self.datagrams.now_us();
        for (mut bytes, from) in batch.drain(..) {
            if let Err(why) = self.take_datagram(&mut bytes, from, now_us) {
                self.datagrams.metrics.dropped(why.into());
            }
        }
    }

    fn take_datagram(
        &mut self,
        bytes: &mut [u8],
        from: SocketAddr,
        now_us: u64,
    ) -> Result<(), protocol::udp::Dropped> {
        let Self { datagrams, login, logged_on, session, entries, .. } = self;
        let scales = datagrams.door.hub.scales();
        let Login { login: id, account, .. } = **login;
        let (day, now_ns) = (logged_on.day, now_ns());
        let context = Context { login: id, account, day, now_ns, scales: &scales };
        let of_session = envelope((&**login, Origin::OuchUdp), logged_on.link.session);
        let envelope = Envelope { received_ns: now_ns, ..of_session };
        let mut state = logged_on.book.lock();
        // A number has its order of the session that is the login's now.
        let is_current = state.link.as_ref().is_some_and(|link| Arc::ptr_eq(link, &logged_on.link));
        let mut intake = Intake { context, envelope, state: &mut state, entries };
        let mut unread = Vec::new();
        session.receive(bytes, now_us, |_, message| {
            // A message that cannot be read has no answer, and an end is asked for by a close.
            let _asked = is_current.then(|| intake.take(message, &mut unread));
        })?;
        drop(state);
        // A client may have moved to another address: only what is genuine counts.
        self.peer = from;
        Ok(())
    }

    /// Hands the commands to the venue as one request.
    async fn post(&mut self) {
        let handle = &self.datagrams.door().handle;
        let mut entries = std::mem::take(&mut self.entries);
        self.posted += entries.len() as u64;
        while let Err(back) = handle.post(self.logged_on.link.session, entries) {
            entries = back;
            sleep(FULL_WAIT).await;
        }
        handle.run_inbox();
    }

    /// Takes the reports that wait; the reason if the session has ended.
    fn collect(&mut self) -> Option<Closed> {
        let mut link = self.logged_on.link.lock();
        self.reports.append(&mut link.packets);
        link.end.map(closed_by)
    }

    /// Passes reports on to the session; `false` if some have no room yet.
    fn pass_on_reports(&mut self) -> bool {
        let Self { reports, session, .. } = self;
        let (mut rest, mut passed, mut is_done) = (&reports[..], 0, false);
        while !is_done {
            match take(&mut rest, Sender::Server) {
                Packet::Message(message) if !session.message(message) => {
                    break;
                }
                Packet::NeedMore => is_done = true,
                // A text for people has no number, and no place here.
                _ => {}
            }
            passed = reports.len() - rest.len();
        }
        reports.drain(..passed);
        is_done
    }

    /// Sends what is due.
    fn poll(&mut self) {
        let Self { datagrams, session, peer, .. } = self;
        let now_us = datagrams.now_us();
        session.poll(now_us, |datagram| datagrams.send(datagram, *peer));
        let again = (session.sent_again(), session.repeats());
        datagrams.metrics.again(again.0 - self.counted.0, again.1 - self.counted.1);
        self.counted = again;
    }

    fn deadline(&self) -> Instant {
        let due = Duration::from_micros(self.session.deadline_us());
        Instant::from_std(self.datagrams.begun) + due
    }
}

fn closed_by(end: End) -> Closed {
    match end {
        End::Day => Closed::Day,
        End::Slow => Closed::Silent,
        End::Closed | End::Refused(_) => Closed::Ended,
    }
}
