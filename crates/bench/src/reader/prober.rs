//! Probes: orders that measure the age of market data on arrival.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Interest, Registry, Token};
use server::Random;

use super::super::agent::cause;
use super::super::flow::ProbeOrder;
use super::super::socket::{Connection, connect};
use super::super::spec::{Key, ReaderSpec};
use super::super::wire::Response;
use super::count::Count;

pub(super) const PROBER: Token = Token(usize::MAX - 1);

/// A probe is sent at a random time in each span of this length, so that its distance from the
/// publisher's ticks is random.
const PROBE_EVERY: Duration = Duration::from_millis(100);

/// Sends the probes, each of which is canceled when the next is sent.
pub(super) struct Prober {
    connection: Connection,
    key: Key,
    random: Random,
    lane: u64,
    /// The probe that rests.
    resting: Option<ProbeOrder>,
    sent: u64,
    /// The end of the next probe's span, and its time; `None` outside the measured time.
    next: Option<(Instant, Instant)>,
}

impl Prober {
    pub(super) fn connect(
        address: SocketAddr,
        spec: &ReaderSpec,
        registry: &Registry,
    ) -> Result<Self, Failure> {
        let mut connection = Connection::new(connect(address)?, &[], "the probes' connection")?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        registry.register(&mut connection.stream, PROBER, interest)?;
        Ok(Self {
            connection,
            key: spec.key.clone(),
            random: Random::new(spec.seed, spec.lane),
            lane: spec.lane,
            resting: None,
            sent: 0,
            next: None,
        })
    }

    pub(super) fn begin(&mut self) {
        self.next = Some(self.draw(Instant::now()));
    }

    /// A time in the span from there on.
    fn draw(&mut self, from: Instant) -> (Instant, Instant) {
        let within = self.random.between(0, PROBE_EVERY.as_micros() as u64 - 1);
        (from + PROBE_EVERY, from + Duration::from_micros(within))
    }

    pub(super) fn wait(&self) -> Duration {
        let due = self.next.map(|(_, moment)| moment.saturating_duration_since(Instant::now()));
        due.unwrap_or(PROBE_EVERY)
    }

    pub(super) fn send_due(&mut self, count: &mut Count) -> Result<(), Failure> {
        let Some((span_end, moment)) = self.next else { return Ok(()) };
        let now = Instant::now();
        if now < moment {
            return Ok(());
        }
        let order = ProbeOrder { lane: self.lane, number: self.sent };
        self.sent += 1;
        count.expect(order);
        order.write(&mut self.connection.outbox, &self.key);
        if let Some(before) = self.resting.replace(order) {
            before.write_cancel(&mut self.connection.outbox, &self.key);
        }
        self.next = Some(self.draw(span_end.max(now)));
        self.connection.flush()
    }

    pub(super) fn end(&mut self) -> Result<(), Failure> {
        self.next = None;
        if let Some(last) = self.resting.take() {
            last.write_cancel(&mut self.connection.outbox, &self.key);
        }
        self.connection.flush()
    }

    pub(super) fn attend(&mut self, count: &mut Count) -> Result<(), Failure> {
        self.connection.flush()?;
        while !self.connection.fill()? {}
        while let Some(Response { status, body, len }) = self.connection.response()? {
            if status != 200 {
                count.fail(format!("a probe: {}", cause(status, body)));
            }
            self.connection.discard(len);
        }
        Ok(())
    }
}
