//! Whether new orders are taken on.
//!
//! When more is sent than the venue can do, requests wait in the sockets, and ever longer. Those that would
//! enter an order are then refused as soon as they are read, before anything is spent on them, and so what
//! is sent meanwhile to cancel or to ask is answered in time. Two things are looked at, both of them times,
//! so that they hold on slow machines as on fast ones:
//!
//! - A request is *late* if it waited for longer than [`Settings::late_after`] before it was read. A burst
//!   makes requests late as well, for as long as it takes; only where they have been late for [`PATIENCE`]
//!   without a break, late ones are refused. From then on until there is such a break, a request is late
//!   after a fifth of that time: else as much would always wait as makes the next ones late, and whoever is
//!   refused would be told so after as long. Who is read in time is never refused.
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
/// By so much less lateness is borne where requests are refused already.
const STRICTER: u32 = 5;

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
        } else if waited > late_after / STRICTER && self.is_late(waited, late_after) {
            RefusalCause::Late
        } else {
            return Ok(());
        };
        handle.metrics().refused(cause);
        Err(ApiError::too_busy_for_orders())
    }

    fn is_late(&self, waited: Duration, late_after: Duration) -> bool {
        let mut lateness = self.lateness.lock().unwrap_or_else(PoisonError::into_inner);
        lateness.refuses(waited, late_after, Instant::now())
    }
}

impl Lateness {
    /// A request has waited so long now. Is it to be refused?
    fn refuses(&mut self, waited: Duration, late_after: Duration, now: Instant) -> bool {
        let since =
            |moment: Option<Instant>| moment.map(|then| now.saturating_duration_since(then));
        let is_behind = since(self.last).is_some_and(|last| last < BREAK)
            && since(self.first).is_some_and(|first| first >= PATIENCE);
        let borne = if is_behind { late_after / STRICTER } else { late_after };
        waited > borne && self.late_for(now) >= PATIENCE
    }

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

    /// At some times in ms, how long each request has waited and whether it is refused.
    #[track_caller]
    fn check(requests: &[(u64, u64, bool)]) {
        let (begun, ms) = (Instant::now(), Duration::from_millis);
        let mut lateness = Lateness::default();
        for &(at, waited, refused) in requests {
            let now = begun + ms(at);
            assert_eq!(lateness.refuses(ms(waited), ms(250), now), refused, "at {at} ms");
        }
    }

    #[test]
    fn who_is_refused_has_waited_for_less_once_others_were() {
        check(&[(0, 300, false), (190, 300, false), (350, 100, false), (550, 300, false)]);
        let late = [(0, 300, false), (190, 260, false), (380, 260, false), (570, 260, false)];
        let behind = [(760, 260, false), (950, 260, false), (1_100, 260, true)];
        let stricter = [(1_110, 60, true), (1_120, 40, false), (1_300, 60, true)];
        let over = [(1_550, 60, false), (1_560, 260, false), (1_700, 100, false)];
        check(&[&late[..], &behind, &stricter, &over].concat());
    }
}
