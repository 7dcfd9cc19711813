//! The feed's thread: makes messages of commands, sends them, and keeps the displayed orders.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use marketdata::{OrderStream, ShownOrders};
use protocol::mold::{Sender, SessionName};
use spool::{Applied, SpoolReader};
use types::{Event, Instrument};

use crate::itch::encoder::ItchEncoder;
use crate::itch::hand_over::{HandOver, Waiting};
use crate::itch::metrics::ItchMetrics;
use crate::itch::names::Names;
use crate::itch::receivers::Receivers;
use crate::itch::snapshot::Snapshot;

/// How long the end of a session is repeated.
const END_REPEATED_MS: u64 = 10_000;
/// A snapshot that is no older serves further clients.
const SNAPSHOT_AGE_MAX: Duration = Duration::from_secs(1);
/// How long to wait after the spool could not be read.
const RETRY: Duration = Duration::from_millis(500);
/// Commands that are read from the spool at once.
const PAGE: usize = 1_000;

/// What the feed's thread shares with the doors.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(super) hand_over: HandOver,
    names: RwLock<Arc<Names>>,
    pub(super) metrics: Arc<ItchMetrics>,
}

impl Hub {
    pub(crate) fn metrics(&self) -> &Arc<ItchMetrics> {
        &self.metrics
    }

    pub(crate) fn new<'a>(listed: impl Iterator<Item = &'a Instrument>) -> Self {
        let hub = Self {
            hand_over: HandOver::default(),
            names: RwLock::default(),
            metrics: Arc::default(),
        };
        hub.list(listed);
        hub
    }

    pub(super) fn names(&self) -> Arc<Names> {
        Arc::clone(&self.names.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds instruments, and warns of those that no message can say.
    fn list<'a>(&self, listed: impl Iterator<Item = &'a Instrument>) {
        let mut names = Names::clone(&self.names());
        for instrument in listed {
            if let Err(reason) = names.list(instrument) {
                let symbol = instrument.spec.symbol.as_str();
                tracing::warn!(symbol, %reason, "an instrument is kept out of ITCH");
            }
        }
        self.metrics.kept_out(names.kept_out());
        *self.names.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(names);
    }
}

/// Where the feed begins.
#[derive(Debug)]
pub(crate) struct Beginning {
    pub(crate) stream: OrderStream,
    /// The last command that is in it.
    pub(crate) sequence: u64,
    /// The displayed orders; `None` without snapshots.
    pub(crate) orders: Option<ShownOrders>,
    pub(crate) spool: SpoolReader,
}

/// Starts the thread, which ends after the last command.
pub(crate) fn start(
    hub: Arc<Hub>,
    beginning: Beginning,
    receivers: Receivers,
) -> io::Result<JoinHandle<()>> {
    let Beginning { stream, sequence, orders, spool } = beginning;
    let begun = Instant::now();
    let sender = Sender::new(session(stream.day()), stream.count() + 1, 0);
    let outlet = Outlet { sender, receivers, begun, ended: None, hub: Arc::clone(&hub) };
    hub.metrics.position(stream.day(), stream.count());
    let encoder = ItchEncoder::at(stream, hub.names());
    let (sequenced_ns, snapshot) = (0, None);
    let feed = Feed { hub, encoder, sequence, sequenced_ns, orders, spool, outlet, snapshot };
    std::thread::Builder::new().name("itch".into()).spawn(move || feed.run())
}

/// A session of MoldUDP64 is a numbering day, under the name that SoupBinTCP has for it.
pub(super) fn session(day: u32) -> SessionName {
    format!("{day:>10}").into_bytes().try_into().expect("a day has at most ten digits")
}

struct Feed {
    hub: Arc<Hub>,
    encoder: ItchEncoder,
    /// The last command.
    sequence: u64,
    sequenced_ns: u64,
    orders: Option<ShownOrders>,
    spool: SpoolReader,
    outlet: Outlet,
    snapshot: Option<Arc<Snapshot>>,
}

impl Feed {
    fn run(mut self) {
        loop {
            let Waiting { commands, snapshots, is_over, .. } =
                self.hub.hand_over.take(self.outlet.patience());
            for command in &commands {
                if command.sequence > self.sequence + 1 {
                    self.catch_up(command.sequence);
                }
                self.follow(command);
            }
            self.outlet.flush();
            let stream = self.encoder.stream();
            self.hub.metrics.position(stream.day(), stream.count());
            for wanted in snapshots {
                // A client may be gone.
                let _gone = self.snapshot().map(|snapshot| wanted.send(snapshot));
            }
            if is_over {
                return;
            }
            self.outlet.tick();
        }
    }

    /// Follows a command, unless it is behind.
    fn follow(&mut self, command: &Applied) {
        if command.sequence <= self.sequence {
            return;
        }
        (self.sequence, self.sequenced_ns) = (command.sequence, command.sequenced_ns);
        let listed = command.events.iter().filter_map(|event| match event {
            Event::InstrumentListed(listed) => Some(&listed.instrument),
            _ => None,
        });
        if listed.clone().next().is_some() {
            self.hub.list(listed);
        }
        let Self { encoder, orders, outlet, .. } = self;
        encoder.command(command, |message, bytes| {
            if let Some(orders) = orders {
                orders.apply(message);
            }
            outlet.message(message.day, message.number, bytes);
        });
    }

    /// Reads commands that were dropped, up to this one.
    fn catch_up(&mut self, before: u64) {
        self.hub.metrics.caught_up();
        let spool = self.spool.clone();
        while self.sequence + 1 < before {
            let wanted = usize::try_from(before - self.sequence - 1).unwrap_or(PAGE).min(PAGE);
            let read = spool.each_from(self.sequence + 1, wanted, |command| self.follow(command));
            self.outlet.flush();
            if let Err(error) = read {
                tracing::error!(%error, "the ITCH feed cannot go on: the spool cannot be read");
                std::thread::sleep(RETRY);
            }
        }
    }

    /// The displayed orders now, or a moment ago; `None` without them.
    fn snapshot(&mut self) -> Option<Arc<Snapshot>> {
        let Self { encoder, orders, sequenced_ns, .. } = self;
        let is_fresh = |of: &Arc<Snapshot>| of.taken.elapsed() < SNAPSHOT_AGE_MAX;
        if !self.snapshot.as_ref().is_some_and(is_fresh) {
            let taken = Snapshot::take(encoder, orders.as_ref()?, *sequenced_ns);
            self.snapshot = Some(Arc::new(taken));
        }
        self.snapshot.clone()
    }
}

/// The packets.
struct Outlet {
    sender: Sender,
    receivers: Receivers,
    begun: Instant,
    /// The session before this one, and until when its end is repeated.
    ended: Option<(Sender, u64)>,
    hub: Arc<Hub>,
}

impl Outlet {
    fn now_ms(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    fn message(&mut self, day: u32, number: u64, bytes: &[u8]) {
        let now_ms = self.now_ms();
        if number == 1 {
            self.begin_session(day, now_ms);
        }
        let Self { sender, receivers, hub, .. } = self;
        debug_assert_eq!(number, sender.next());
        sender.message(bytes, now_ms, |packet| receivers.send(packet, &hub.metrics));
    }

    fn begin_session(&mut self, day: u32, now_ms: u64) {
        let Self { sender, receivers, hub, .. } = self;
        sender.flush(now_ms, |packet| receivers.send(packet, &hub.metrics));
        let next = Sender::new(session(day), 1, now_ms);
        let before = std::mem::replace(sender, next);
        // Before the first session there was none.
        if before.next() > 1 {
            self.ended = Some((before, now_ms + END_REPEATED_MS));
            self.repeat_end(now_ms);
        }
    }

    fn repeat_end(&mut self, now_ms: u64) {
        let Self { receivers, hub, ended, .. } = self;
        let Some((before, until_ms)) = ended else { return };
        let send = std::cell::RefCell::new(|packet: &[u8]| receivers.send(packet, &hub.metrics));
        before.end_of_session(now_ms, |packet| (send.borrow_mut())(packet));
        if now_ms >= *until_ms {
            *ended = None;
        }
    }

    fn flush(&mut self) {
        let now_ms = self.now_ms();
        let Self { sender, receivers, hub, .. } = self;
        sender.flush(now_ms, |packet| receivers.send(packet, &hub.metrics));
    }

    /// Sends heartbeats that are due.
    fn tick(&mut self) {
        let now_ms = self.now_ms();
        let Self { sender, receivers, hub, .. } = self;
        sender.tick(now_ms, |packet| receivers.send(packet, &hub.metrics));
        if self.ended.as_ref().is_some_and(|(before, _)| before.deadline_ms() <= now_ms) {
            self.repeat_end(now_ms);
        }
    }

    /// Until the next heartbeat.
    fn patience(&self) -> Duration {
        let ended = self.ended.as_ref().map(|(before, _)| before.deadline_ms());
        let due_ms = ended.into_iter().chain([self.sender.deadline_ms()]).min();
        Duration::from_millis(due_ms.unwrap_or(0).saturating_sub(self.now_ms()))
    }
}
