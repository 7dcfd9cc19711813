//! The orders that tell how old market data is when it arrives.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use cli::Failure;
use mio::Registry;
use mio::net::TcpStream;
use server::Random;

use super::super::agent::cause;
use super::super::flow::ProbeOrder;
use super::super::spec::Key;
use super::super::wire::Response;
use super::count::Count;
use super::socket::{PROBER, connect, register};
use super::spec::ReaderSpec;

/// A probe is sent at a random time in each such span, so that it meets the publisher at any moment
/// between two of its ticks.
const PROBE_EVERY: Duration = Duration::from_millis(100);

/// Sends the probes, each of which is canceled when the next is sent.
pub(super) struct Prober {
    stream: TcpStream,
    key: Key,
    random: Random,
    lane: u64,
    /// The one that rests.
    resting: Option<ProbeOrder>,
    sent: u64,
    /// The end of the span in which the next is sent, and the time in it; `None` when none is.
    next: Option<(Instant, Instant)>,
    arrived: Vec<u8>,
}

impl Prober {
    pub(super) fn connect(
        address: SocketAddr,
        spec: &ReaderSpec,
        registry: &Registry,
    ) -> Result<Self, Failure> {
        Ok(Self {
            stream: register(connect(address)?, registry, PROBER)?,
            key: spec.key.clone(),
            random: Random::new(spec.seed, spec.lane),
            lane: spec.lane,
            resting: None,
            sent: 0,
            next: None,
            arrived: Vec::new(),
        })
    }

    pub(super) fn begin(&mut self) {
        self.next = Some(self.draw(Instant::now()));
    }

    /// A moment in the span from there on.
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
        let mut out = Vec::new();
        order.write(&mut out, &self.key);
        if let Some(before) = self.resting.replace(order) {
            before.write_cancel(&mut out, &self.key);
        }
        self.next = Some(self.draw(span_end.max(now)));
        self.send(&out)
    }

    pub(super) fn end(&mut self) -> Result<(), Failure> {
        self.next = None;
        let mut out = Vec::new();
        if let Some(last) = self.resting.take() {
            last.write_cancel(&mut out, &self.key);
        }
        self.send(&out)
    }

    /// Twenty requests a second do not fill a socket whose answers are read.
    fn send(&mut self, out: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(out).map_err(|error| ended(&error.to_string()))
    }

    pub(super) fn attend(&mut self, count: &mut Count) -> Result<(), Failure> {
        let mut chunk = [0; 4_096];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(ended("it was closed")),
                Ok(read) => self.arrived.extend(&chunk[..read]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ended(&error.to_string())),
            }
        }
        loop {
            let response = Response::parse(&self.arrived);
            let response = response.map_err(|_| ended("what arrived is not HTTP"))?;
            let Some(Response { status, body, len }) = response else { return Ok(()) };
            if status != 200 {
                count.fail(format!("a probe: {}", cause(status, body)));
            }
            self.arrived.drain(..len);
        }
    }
}

fn ended(why: &str) -> Failure {
    Failure::new(format!("the probes' connection ended: {why}"))
}
