//! Times since the begin of a run, and the times at which messages are due.

use std::time::Instant;

/// Turns of a loop that waits without giving the processor away.
const SPINS: u32 = 2_000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn begin() -> Self {
        Self(Instant::now())
    }

    #[inline]
    pub(super) fn ns(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

/// The distance between two messages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// In units of 2^-16 ns, so that a rate is met exactly over millions of messages.
    units: u64,
}

impl Pace {
    const UNITS_PER_NS: u32 = 16;

    pub(super) fn of_rate(per_s: f64) -> Self {
        Self { units: (1e9 / per_s * f64::from(1_u32 << Self::UNITS_PER_NS)) as u64 }
    }

    /// When a message is due, since the first one.
    #[inline]
    pub(super) fn due_ns(self, number: u64) -> u64 {
        ((u128::from(number) * u128::from(self.units)) >> Self::UNITS_PER_NS) as u64
    }
}

/// Waits a little: first on the processor, later by giving it away, so that two threads make way on
/// one core too.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    turns: u32,
}

impl Waiting {
    #[inline]
    pub(super) fn turn(&mut self) {
        self.turns += 1;
        if self.turns < SPINS {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
            self.turns = 0;
        }
    }

    /// Some turns, without a look at what is waited for.
    #[inline]
    pub(super) fn turns(&mut self, count: u32) {
        for _ in 0..count {
            self.turn();
        }
    }
}
