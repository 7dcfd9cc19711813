//! Whether new orders are taken on.
//!
//! When more is sent than the venue can do, requests wait in the sockets, and ever longer. Those that would
//! enter an order are then refused as soon as they are read, before anything is spent on them, and so what
//! is sent meanwhile to cancel or to ask is answered in time. Two things are looked at, both of them times,
//! so that they hold on slow machines as on fast ones:
//!
//! - A request is *late* if it waited for longer than [`Settings::late_after`] before it was read. A burst
//!   makes requests late as well, for as long as it takes; only where they have been late for [`PATIENCE`]
//!   without a break, late ones are refused. Who is read in time is never refused.
//! - The venue is *stalled* if its oldest command is not carried out after [`PATIENCE`]: its disk does not
//!   keep up. A disk that stops for some hundred milliseconds, as disks do, refuses nobody.
//!
//! Who is refused has not proved who he is, and is told nothing but that the venue is busy.
//!
//! [`Settings::late_after`]: crate::Settings::late_after

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use protocol::binance::ApiError;
use venue::{Handle, RefusalCause};

/// How long the venue may be behind before it refuses.
const PATIENCE: Duration = Duration::from_secs(1);
/// After so long without a late request the venue has caught up.
const BREAK: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(crate) struct Admission {
    /// `None` lets all in.
    late_after: Option<Duration>,
    lateness: Mutex<Lateness>,
}

/// Requests that were late without a break between them.
#[derive(Debug, Default)]
struct Lateness {
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Admission {
    pub(crate) fn new(late_after: Option<Duration>) -> Self {
        Self { late_after, lateness: Mutex::default() }
    }

    /// Whether a request that would enter an order, and waited so long to be read, is taken on.
    pub(crate) fn check(&self, waited: Duration, handle: &Handle) -> Result<(), ApiError> {
        let Some(late_after) = self.late_after else { return Ok(()) };
        let cause = if handle.command_wait() > PATIENCE {
            RefusalCause::Stalled
        } else if waited > late_after && self.is_behind(Instant::now()) {
            RefusalCause::Late
        } else {
            return Ok(());
        };
        handle.metrics().refused(cause);
        Err(ApiError::too_busy_for_orders())
    }

    fn is_behind(&self, now: Instant) -> bool {
        self.lateness.lock().unwrap_or_else(PoisonError::into_inner).late_for(now) >= PATIENCE
    }
}

impl Lateness {
    /// A request is late now. For how long have they been?
    fn late_for(&mut self, now: Instant) -> Duration {
        let goes_on = self.last.is_some_and(|last| now.saturating_duration_since(last) < BREAK);
        self.last = Some(now);
        match self.first.filter(|_| goes_on) {
            Some(first) => now.saturating_duration_since(first),
            None => {
                self.first = Some(now);
                Duration::ZERO
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_late_for_as_long_as_there_is_no_break() {
        let begun = Instant::now();
        let mut lateness = Lateness::default();
        let mut late = |at_ms: u64| {
            let late_for = lateness.late_for(begun + Duration::from_millis(at_ms));
            late_for.as_millis()
        };
        assert_eq!([late(0), late(150), late(300)], [0, 150, 300]);
        assert_eq!([late(499), late(1_000)], [499, 0], "half a second without one is a break");
        assert_eq!([late(1_100), late(1_200)], [100, 200]);
        assert_eq!([late(1_400), late(1_500)], [0, 100], "and so is what is told to be one");
    }
}
