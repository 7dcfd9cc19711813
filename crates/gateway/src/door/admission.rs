//! Admission control for requests that enter orders.
//!
//! Above the venue's capacity, requests wait in the sockets, longer and longer. Order entry is then
//! refused as soon as it is read, before any work is spent on it. Cancels and queries are still
//! answered in time. Two times decide, so that one setting fits slow and fast machines:
//!
//! - A request is *late* if it waited longer than [`Settings::late_after`] before it was read. Late
//!   requests are refused once requests have been late for [`PATIENCE`] without a break. They must
//!   also have arrived over at least [`SPREAD`]: a burst makes requests late until it is worked
//!   off, and is admitted. While requests are refused, the limit is a fifth of `late_after`: at the
//!   full limit, the queue would stay long enough to make the next requests late. Refusals end when
//!   no request has been late for [`CALM`]. A request read in time is never refused.
//! - The venue is *stalled* if its oldest command is not committed after [`STALL`], because the
//!   disk does not keep up. Disks pause for some hundred milliseconds; such a pause causes no
//!   refusal.
//!
//! A refused sender is not authenticated: the error only reports that the venue is busy.
//!
//! [`Settings::late_after`]: crate::DoorSettings::late_after

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use venue::{Handle, RefusalCause};

/// How long requests are late before they are refused.
const PATIENCE: Duration = Duration::from_millis(250);
/// The shortest time over which those requests must have arrived.
const SPREAD: Duration = Duration::from_millis(100);
/// How long the oldest command may wait for its commit.
const STALL: Duration = Duration::from_secs(1);
/// A gap this long between late requests ends the count.
const BREAK: Duration = Duration::from_millis(200);
/// A gap this long ends refusals. A shorter one would admit the same overload again.
const CALM: Duration = Duration::from_secs(2);
/// Divisor of the lateness limit while requests are being refused.
const LATENESS_DIVISOR: u32 = 5;

/// The venue is overloaded: new orders are refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TooBusy;

#[derive(Debug)]
pub(crate) struct Admission {
    /// `None` admits every request.
    late_after: Option<Duration>,
    lateness: Mutex<Lateness>,
}

/// Late requests without a break between them.
#[derive(Debug, Default)]
struct Lateness {
    first: Option<Late>,
    /// When the last late request was read.
    last: Option<Instant>,
    /// Whether late requests are refused.
    is_refusing: bool,
}

#[derive(Clone, Copy, Debug)]
struct Late {
    came: Instant,
    read: Instant,
}

impl Admission {
    pub(crate) fn new(late_after: Option<Duration>) -> Self {
        Self { late_after, lateness: Mutex::default() }
    }

    /// Admits or refuses a request that would enter an order, after it waited this long to be read.
    pub(crate) fn check(&self, waited: Duration, handle: &Handle) -> Result<(), TooBusy> {
        let Some(late_after) = self.late_after else { return Ok(()) };
        let cause = if handle.command_wait() > STALL {
            RefusalCause::Stalled
        } else if waited > late_after / LATENESS_DIVISOR && self.is_late(waited, late_after) {
            RefusalCause::Late
        } else {
            return Ok(());
        };
        handle.metrics().refused(cause);
        Err(TooBusy)
    }

    fn is_late(&self, waited: Duration, late_after: Duration) -> bool {
        let mut lateness = self.lateness.lock().unwrap_or_else(PoisonError::into_inner);
        lateness.refuses(waited, late_after, Instant::now())
    }
}

impl Lateness {
    /// Whether to refuse a request that has waited this long.
    fn refuses(&mut self, waited: Duration, late_after: Duration, now: Instant) -> bool {
        if !self.continues(now) {
            *self = Self::default();
        }
        let limit = if self.is_refusing { late_after / LATENESS_DIVISOR } else { late_after };
        if waited <= limit {
            return false;
        }
        let late = Late { came: now.checked_sub(waited).unwrap_or(now), read: now };
        let first = *self.first.get_or_insert(late);
        self.last = Some(now);
        self.is_refusing |= late.is_long_after(first);
        self.is_refusing
    }

    fn continues(&self, now: Instant) -> bool {
        let gap_max = if self.is_refusing { CALM } else { BREAK };
        self.last.is_some_and(|last| now.saturating_duration_since(last) < gap_max)
    }
}

impl Late {
    /// Whether the two are too far apart to belong to one burst.
    fn is_long_after(self, first: Self) -> bool {
        self.read.saturating_duration_since(first.read) >= PATIENCE
            && self.came.saturating_duration_since(first.came) >= SPREAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times in ms: when each request is read, how long it waited; then whether it is refused.
    #[track_caller]
    fn check(requests: &[(u64, u64, bool)]) {
        let ms = Duration::from_millis;
        let begun = Instant::now() + ms(10_000);
        let mut lateness = Lateness::default();
        for &(at, waited, refused) in requests {
            let now = begun + ms(at);
            assert_eq!(lateness.refuses(ms(waited), ms(250), now), refused, "at {at} ms");
        }
    }

    #[test]
    fn requests_are_refused_that_are_late_for_a_quarter_of_a_second_without_a_break() {
        check(&[(0, 300, false), (190, 300, false), (249, 300, false), (250, 300, true)]);
        check(&[(0, 300, false), (190, 300, false), (390, 300, false), (580, 300, false)]);
    }

    #[test]
    fn a_burst_is_let_through_however_long_it_takes() {
        let burst: Vec<_> = (0..50).map(|at| (at * 100, 300 + at * 100, false)).collect();
        check(&burst);
        // Requests arrive a tenth as fast as they are read.
        check(&[(0, 300, false), (150, 435, false), (300, 570, false), (450, 705, false)]);
        let faster = [(0, 300, false), (190, 450, false), (380, 600, false), (499, 700, false)];
        check(&[&faster[..], &[(500, 700, true)]].concat());
    }

    #[test]
    fn refused_requests_have_waited_for_less_once_others_were_refused() {
        let late = [(0, 300, false), (190, 260, false), (300, 260, true)];
        let stricter = [(310, 60, true), (320, 40, false), (500, 60, true)];
        let over =
            [(2_499, 60, true), (4_500, 60, false), (4_510, 260, false), (4_600, 100, false)];
        check(&[&late[..], &stricter, &over].concat());
    }
}
