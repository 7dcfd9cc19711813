//! When the newest batches had reached the queues of all stream readers, for the traces of orders.
//!
//! The reply to an order does not wait for that, so its trace looks it up later, by the time at
//! which the order's batch was applied.

use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// At 20,000 batches a second these are more than three seconds: a trace looks after less.
const KEPT_MAX: usize = 65_536;

/// Keeps nothing until [`FanOuts::keep`].
#[derive(Debug, Default)]
pub(crate) struct FanOuts(OnceLock<Mutex<VecDeque<FanOut>>>);

#[derive(Clone, Copy, Debug)]
struct FanOut {
    applied: Instant,
    done: Instant,
}

impl FanOuts {
    pub(crate) fn keep(&self) {
        self.0.get_or_init(Mutex::default);
    }

    pub(crate) fn record(&self, applied: Instant, done: Instant) {
        let Some(kept) = self.0.get() else { return };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back(FanOut { applied, done });
    }

    /// When the batch that was applied at this time had reached all queues, if it is still known.
    pub(crate) fn find(&self, applied: Instant) -> Option<Instant> {
        let kept = self.0.get()?.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.binary_search_by_key(&applied, |fan_out| fan_out.applied).ok()?;
        Some(kept[at].done)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_newest_are_found_by_the_time_at_which_they_were_applied() {
        let (fan_outs, first) = (FanOuts::default(), Instant::now());
        let at = |us: usize| first + Duration::from_micros(us as u64);
        fan_outs.record(at(0), at(1));
        assert_eq!(fan_outs.find(at(0)), None, "nothing is kept yet");
        fan_outs.keep();
        for us in 0..=KEPT_MAX {
            fan_outs.record(at(10 * us), at(10 * us + 5));
        }
        assert_eq!(fan_outs.find(at(0)), None, "too old");
        assert_eq!(fan_outs.find(at(10)), Some(at(15)));
        assert_eq!(fan_outs.find(at(11)), None);
        assert_eq!(fan_outs.find(at(10 * KEPT_MAX)), Some(at(10 * KEPT_MAX + 5)));
    }
}
