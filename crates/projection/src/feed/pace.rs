//! When the thread of the read model takes the next events in: more at a time means less for the
//! disk to write, which it is to write for the log.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Shared by the feed's thread, the readers, and the listener that reports more events.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    thread: OnceLock<Thread>,
    /// The thread has taken in all there was, and is to be woken for more.
    is_idle: AtomicBool,
    /// The last command whose events a reader waits for.
    wanted: AtomicU64,
}

impl Pace {
    /// Of the thread that calls.
    pub(crate) fn begin(&self) {
        // A thread begins once.
        let _ = self.thread.set(std::thread::current());
    }

    /// A reader is going to wait for the events of a command.
    pub(crate) fn want(&self, sequence: u64) {
        self.wanted.fetch_max(sequence, Ordering::SeqCst);
        self.wake();
    }

    /// There is more to take in.
    pub(crate) fn more(&self) {
        if self.is_idle.load(Ordering::SeqCst) && self.is_idle.swap(false, Ordering::SeqCst) {
            self.wake();
        }
    }

    pub(crate) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// The thread has found nothing. It looks once more before it sleeps: what came in between
    /// would wake no thread.
    pub(crate) fn idle(&self, time: Duration) {
        if self.is_idle.swap(true, Ordering::SeqCst) {
            std::thread::park_timeout(time);
        }
    }

    /// Waits before another try, whatever wakes the thread, unless `is_over`.
    pub(crate) fn pause(&self, time: Duration, is_over: impl Fn() -> bool) {
        let end = Instant::now() + time;
        while !is_over() {
            match end.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => std::thread::park_timeout(left),
                _ => return,
            }
        }
    }

    /// Lets events gather, unless a reader waits for those after `sequence`, or `is_over`.
    pub(crate) fn gather(&self, time: Duration, sequence: u64, is_over: impl Fn() -> bool) {
        let end = Instant::now() + time;
        while self.wanted.load(Ordering::SeqCst) <= sequence && !is_over() {
            match end.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => std::thread::park_timeout(left),
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Runs `pass` on a thread of its own while `disturb` is done, and returns how long it took.
    fn timed(pace: &Arc<Pace>, pass: fn(&Pace), disturb: impl FnOnce(&Pace)) -> Duration {
        let passed = Arc::clone(pace);
        let thread = std::thread::spawn(move || {
            passed.begin();
            let begun = Instant::now();
            pass(&passed);
            begun.elapsed()
        });
        disturb(pace);
        thread.join().expect("it ends")
    }

    const SHORT: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn what_gathers_waits_its_time_unless_it_is_wanted() {
        let short = |pace: &Pace| pace.gather(SHORT, 7, || false);
        let long = |pace: &Pace| pace.gather(LONG, 7, || false);
        let pace = Arc::default();
        assert!(timed(&pace, short, |pace| pace.more()) >= SHORT);
        assert!(timed(&pace, short, |pace| pace.want(7)) >= SHORT);
        assert!(timed(&pace, long, |pace| pace.want(8)) < LONG);
        assert!(timed(&pace, long, |_| {}) < LONG, "it is wanted still");
        assert!(timed(&pace, |pace| pace.gather(SHORT, 8, || false), |_| {}) >= SHORT);
    }

    #[test]
    fn an_idle_feed_checks_once_more_and_is_woken_by_more() {
        let pace = Arc::default();
        let idle = |pace: &Pace| pace.idle(LONG);
        assert!(timed(&pace, idle, |_| {}) < LONG, "the first time it only looks");
        pace.more();
        assert!(timed(&pace, idle, |_| {}) < LONG, "what came in between is not slept over");
    }
}
