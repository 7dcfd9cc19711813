//! A timer among the sockets of an event loop, whose own wait counts in milliseconds.

use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use cli::Failure;
use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

pub(super) const TIMER: Token = Token(usize::MAX);

pub(super) struct Timer(OwnedFd);

impl Timer {
    /// Its events have the token [`TIMER`].
    pub(super) fn new(registry: &Registry) -> Result<Self, Failure> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags);
        let timer = timer.map_err(std::io::Error::from)?;
        registry.register(&mut SourceFd(&timer.as_raw_fd()), TIMER, Interest::READABLE)?;
        Ok(Self(timer))
    }

    /// The event comes at this moment, at once if that is past, and not at the one set before.
    pub(super) fn wake_at(&self, moment: Instant) -> Result<(), Failure> {
        let wait = moment.saturating_duration_since(Instant::now());
        let wait = wait.max(Duration::from_nanos(1));
        let spec = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: Timespec {
                tv_sec: wait.as_secs().cast_signed(),
                tv_nsec: i64::from(wait.subsec_nanos()),
            },
        };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &spec)
            .map_err(std::io::Error::from)?;
        Ok(())
    }
}
