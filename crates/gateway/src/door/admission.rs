//! Whether new orders are taken on.
//!
//! When more is sent than the venue can do, requests wait in the sockets, and ever longer. Those
//! that would enter an order are then refused as soon as they are read, before anything is spent on
//! them, and so what is sent meanwhile to cancel or to ask is answered in time. Two things are
//! looked at, both of them times, so that they hold on slow machines as on fast ones:
//!
//! - A request is *late* if it waited for longer than [`Settings::late_after`] before it was read.
//!   Late ones are refused where requests have been late for [`PATIENCE`] without a break, and came
//!   to be so over [`SPREAD`] and not all at once: a burst makes requests late as well, for as long
//!   as it takes, and is let through. From then on, until none has been late for [`CALM`], a
//!   request is late after a fifth of that time: else as much would always wait as makes the next
//!   ones late, and a refusal would take as long. A request that is read in time is never
//!   refused.
//! - The venue is *stalled* if its oldest command is not carried out after [`STALL`]: its disk does
//!   not keep up. A disk that stops for some hundred milliseconds, as disks do, causes no refusal.
//!
//! A refused sender has not proved its identity, and learns only that the venue is busy.
//!
//! [`Settings::late_after`]: crate::DoorSettings::late_after

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use venue::{Handle, RefusalCause};

/// How long requests may be late before they are refused...
const PATIENCE: Duration = Duration::from_millis(250);
/// ...and over how much time they must have come.
const SPREAD: Duration = Duration::from_millis(100);
/// How long the oldest command may wait for its commit.
const STALL: Duration = Duration::from_secs(1);
/// After so long without a late request it was a moment's delay.
const BREAK: Duration = Duration::from_millis(200);
/// After so long without one, where requests are refused, more is no longer sent than can be done.
/// Sooner would be to begin anew with what is too much.
const CALM: Duration = Duration::from_secs(2);
/// By so much less lateness is limit where requests are refused already.
const LATENESS_DIVISOR: u32 = 5;

/// More is sent than the venue can do: new orders are refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TooBusy;

#[derive(Debug)]
pub(crate) struct Admission {
    /// `None` lets all in.
    late_after: Option<Duration>,
    lateness: Mutex<Lateness>,
}

/// Requests that were late without a break between them.
#[derive(Debug, Default)]
struct Lateness {
    first: Option<Late>,
    /// When the last of them was read.
    last: Option<Instant>,
    /// Whether late ones are refused.
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

    /// Whether a request that would enter an order, and waited so long to be read, is taken on.
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
    /// A request has waited so long now. Is it to be refused?
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
    /// So that both are no burst.
    fn is_long_after(self, first: Self) -> bool {
        self.read.saturating_duration_since(first.read) >= PATIENCE
            && self.came.saturating_duration_since(first.came) >= SPREAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At some times in ms, how long each request has waited and whether it is refused.
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
        // More keeps coming, a tenth as fast as it is read.
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
