//! One connection: its place among those that may be open, and the moments of its requests.
//!
//! The connection's stream ([`TimedStream`](super::timed::TimedStream)) notes when a request was
//! read and when its answer was written. What lies between, the call notes itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, watch};
use venue::{Metrics, Stage};

/// One place among the open connections. A WebSocket keeps it beyond the request that began it.
#[derive(Clone)]
pub(crate) struct Place(Arc<Held>);

struct Held {
    #[expect(dead_code, reason = "held, not read")]
    permit: OwnedSemaphorePermit,
    line: Line,
}

impl Place {
    pub(crate) fn new(permit: OwnedSemaphorePermit) -> Self {
        Self(Arc::new(Held { permit, line: Line::new() }))
    }

    pub(crate) fn line(&self) -> &Line {
        &self.0.line
    }
}

/// Ready once the gateway shuts down.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A sender that is gone cannot signal the contrary.
    let _sender_gone = stopping.wait_for(|stopping| *stopping).await;
}

/// Moments of one connection, as nanoseconds since it began; 0 is none.
#[derive(Debug)]
pub(crate) struct Line {
    begun: Instant,
    /// When the newest of the bytes that were read reached this machine, in Unix time; 0 is not
    /// known.
    came_ns: AtomicU64,
    pub(super) read: AtomicU64,
    /// Since when an answer waits to be written.
    pub(super) answered: AtomicU64,
}

impl Line {
    pub(crate) fn new() -> Self {
        let none = || AtomicU64::new(0);
        Self { begun: Instant::now(), came_ns: none(), read: none(), answered: none() }
    }

    pub(crate) fn came(&self, came_ns: Option<u64>) {
        self.came_ns.store(came_ns.unwrap_or(0), Ordering::Relaxed);
    }

    /// How long what was read last had waited in the socket, and since.
    pub(crate) fn waited(&self, now_ns: u64) -> Duration {
        match self.came_ns.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            came_ns => Duration::from_nanos(now_ns.saturating_sub(came_ns)),
        }
    }

    pub(super) fn note(&self, moment: &AtomicU64, now: Instant) {
        let since_begun = now.saturating_duration_since(self.begun).as_nanos();
        // Half a thousand years fit in it.
        moment.store(since_begun as u64, Ordering::Relaxed);
    }

    pub(super) fn take(&self, moment: &AtomicU64) -> Option<Instant> {
        // Nearly always there is none to take, and looking costs less.
        let noted = match moment.load(Ordering::Relaxed) {
            0 => 0,
            _ => moment.swap(0, Ordering::Relaxed),
        };
        (noted > 0).then(|| self.begun + Duration::from_nanos(noted))
    }
}

/// How long a call was in the stages before it went to the venue.
pub(crate) struct Times {
    /// Where it came as a request of its own, and not as one message of many.
    place: Option<Place>,
    receive: Option<Duration>,
    decode: Duration,
    check: Duration,
    /// Where the present stage began.
    since: Instant,
}

impl Times {
    pub(crate) fn begin(place: Option<Place>) -> Self {
        let since = Instant::now();
        let read = place.as_ref().and_then(|place| {
            let line = place.line();
            line.take(&line.read)
        });
        Self {
            receive: read.map(|read| since.saturating_duration_since(read)),
            place,
            decode: Duration::ZERO,
            check: Duration::ZERO,
            since,
        }
    }

    pub(crate) fn decoded(&mut self) {
        let time = self.turn();
        self.decode += time;
    }

    pub(crate) fn checked(&mut self) {
        let time = self.turn();
        self.check += time;
    }

    fn turn(&mut self) -> Duration {
        let now = Instant::now();
        now.saturating_duration_since(std::mem::replace(&mut self.since, now))
    }

    /// The order's answer is ready. It was `woken` to make it.
    pub(crate) fn answered(&self, metrics: &Metrics, woken: Instant) {
        let now = Instant::now();
        if let Some(receive) = self.receive {
            metrics.passed(Stage::Receive, receive, 1);
        }
        metrics.passed(Stage::Decode, self.decode, 1);
        metrics.passed(Stage::Check, self.check, 1);
        metrics.passed(Stage::Encode, now.saturating_duration_since(woken), 1);
        if let Some(place) = &self.place {
            let line = place.line();
            line.note(&line.answered, now);
        }
    }
}
