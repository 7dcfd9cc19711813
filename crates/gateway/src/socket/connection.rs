//! The permit of one connection, and the times of its requests.
//!
//! The connection's stream ([`TimedStream`](super::timed::TimedStream)) records when a request was
//! read and when its answer was written. [`CallTimes`] records the stages between.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, watch};
use venue::{Metrics, Stage};

/// The permit of one open connection, with the times of its newest request in nanoseconds; 0 is
/// none. A WebSocket keeps the permit after the request that opened it.
pub(crate) struct ConnectionPermit {
    #[expect(dead_code, reason = "held, not read")]
    permit: OwnedSemaphorePermit,
    opened: Instant,
    /// When the newest of the bytes that were read reached this machine, in Unix time.
    arrived_ns: AtomicU64,
    /// When the newest request was read, since `opened`.
    pub(super) read: AtomicU64,
    /// Since when an answer waits to be written, since `opened`.
    pub(super) answered: AtomicU64,
}

impl ConnectionPermit {
    pub(crate) fn new(permit: OwnedSemaphorePermit) -> Arc<Self> {
        let none = || AtomicU64::new(0);
        let (arrived_ns, read, answered) = (none(), none(), none());
        Arc::new(Self { permit, opened: Instant::now(), arrived_ns, read, answered })
    }

    pub(super) fn set_arrival(&self, arrived_ns: Option<u64>) {
        self.arrived_ns.store(arrived_ns.unwrap_or(0), Ordering::Relaxed);
    }

    /// How long the newest bytes have waited since they arrived; zero if the kernel gave no time.
    pub(crate) fn waited(&self, now_ns: u64) -> Duration {
        match self.arrived_ns.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            arrived_ns => Duration::from_nanos(now_ns.saturating_sub(arrived_ns)),
        }
    }

    pub(super) fn mark(&self, time: &AtomicU64, now: Instant) {
        let since_opened = now.saturating_duration_since(self.opened).as_nanos();
        // 64 bits hold 584 years.
        time.store(since_opened as u64, Ordering::Relaxed);
    }

    pub(super) fn take(&self, time: &AtomicU64) -> Option<Instant> {
        // Nearly always it is 0, and a load costs less than a swap.
        let marked = match time.load(Ordering::Relaxed) {
            0 => 0,
            _ => time.swap(0, Ordering::Relaxed),
        };
        (marked > 0).then(|| self.opened + Duration::from_nanos(marked))
    }
}

/// Ready once the gateway shuts down.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A sender that is gone cannot signal the contrary.
    let _sender_gone = stopping.wait_for(|stopping| *stopping).await;
}

/// How long a call spent in each stage before it was submitted to the venue.
pub(crate) struct CallTimes {
    /// Of a request by HTTP; `None` for a message of a WebSocket.
    permit: Option<Arc<ConnectionPermit>>,
    receive: Option<Duration>,
    decode: Duration,
    check: Duration,
    /// When the current stage began.
    since: Instant,
}

impl CallTimes {
    pub(crate) fn begin(permit: Option<Arc<ConnectionPermit>>) -> Self {
        let since = Instant::now();
        let read = permit.as_ref().and_then(|permit| permit.take(&permit.read));
        Self {
            receive: read.map(|read| since.saturating_duration_since(read)),
            permit,
            decode: Duration::ZERO,
            check: Duration::ZERO,
            since,
        }
    }

    pub(crate) fn decoded(&mut self) {
        let time = self.lap();
        self.decode += time;
    }

    pub(crate) fn checked(&mut self) {
        let time = self.lap();
        self.check += time;
    }

    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now.saturating_duration_since(std::mem::replace(&mut self.since, now))
    }

    /// The answer to an order is ready; `woken` is when its task learned the outcome.
    pub(crate) fn answered(&self, metrics: &Metrics, woken: Instant) {
        let now = Instant::now();
        if let Some(receive) = self.receive {
            metrics.passed(Stage::Receive, receive, 1);
        }
        metrics.passed(Stage::Decode, self.decode, 1);
        metrics.passed(Stage::Check, self.check, 1);
        metrics.passed(Stage::Encode, now.saturating_duration_since(woken), 1);
        if let Some(permit) = &self.permit {
            permit.mark(&permit.answered, now);
        }
    }
}
