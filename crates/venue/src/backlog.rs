//! How long commands wait, for the admission of more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What was submitted and is not yet applied: written by submitters and by the thread that has the
/// engine.
#[derive(Debug)]
pub(crate) struct Backlog {
    begun: Instant,
    submitted: AtomicU64,
    /// Carried out, or refused.
    settled: AtomicU64,
    /// Drained from the inbox.
    drained: AtomicU64,
    /// Since when the oldest of the others waits, in nanoseconds since `begun`.
    oldest_ns: AtomicU64,
}

impl Default for Backlog {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            submitted: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            drained: AtomicU64::new(0),
            oldest_ns: AtomicU64::new(0),
        }
    }
}

impl Backlog {
    /// Commands are about to be sent to the engine.
    pub(crate) fn submitted(&self, now: Instant, count: u64) {
        if self.submitted.load(Ordering::Relaxed) == self.settled.load(Ordering::Relaxed) {
            self.oldest_since(now);
        }
        self.submitted.fetch_add(count, Ordering::Release);
    }

    /// They were not sent: there is no room.
    pub(crate) fn withdrawn(&self, count: u64) {
        self.submitted.fetch_sub(count, Ordering::Relaxed);
    }

    /// The commands that the engine has drained from the inbox by now, and since when the oldest of
    /// them waits that is not carried out.
    pub(crate) fn sampled(&self, taken: u64, oldest: Option<Instant>) {
        self.drained.store(taken, Ordering::Relaxed);
        match oldest {
            Some(since) => self.oldest_since(since),
            None => {
                // Whatever has been submitted meanwhile has waited for no longer than that.
                self.oldest_since(Instant::now());
                self.settled.store(taken, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn submitted_count(&self) -> u64 {
        self.submitted.load(Ordering::Relaxed)
    }

    pub(crate) fn drained_count(&self) -> u64 {
        self.drained.load(Ordering::Relaxed)
    }

    /// How long the oldest command has waited that is not yet carried out.
    pub(crate) fn wait(&self) -> Duration {
        let submitted = self.submitted.load(Ordering::Acquire);
        if submitted == self.settled.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        let since = Duration::from_nanos(self.oldest_ns.load(Ordering::Relaxed));
        self.begun.elapsed().saturating_sub(since)
    }

    fn oldest_since(&self, since: Instant) {
        let since = since.saturating_duration_since(self.begun).as_nanos();
        // Half a thousand years fit in it.
        self.oldest_ns.store(since as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A_WHILE: Duration = Duration::from_millis(20);

    #[test]
    fn the_wait_is_that_of_the_oldest_command_and_nothing_waits_in_an_idle_venue() {
        let backlog = Backlog::default();
        let wait_a_while = || {
            std::thread::sleep(A_WHILE);
            Instant::now()
        };
        wait_a_while();
        assert_eq!(backlog.wait(), Duration::ZERO);
        let first = wait_a_while();
        backlog.submitted(first, 1);
        let second = wait_a_while();
        backlog.submitted(second, 1);
        assert!(backlog.wait() >= A_WHILE);
        assert!(backlog.wait() <= first.elapsed(), "it has not waited for as long as it was idle");
        backlog.sampled(2, Some(second));
        assert!(backlog.wait() <= second.elapsed());
        backlog.sampled(2, None);
        assert_eq!(backlog.wait(), Duration::ZERO);
        backlog.submitted(Instant::now(), 1);
        backlog.withdrawn(1);
        wait_a_while();
        assert_eq!(backlog.wait(), Duration::ZERO, "what was not sent does not wait");
    }
}
