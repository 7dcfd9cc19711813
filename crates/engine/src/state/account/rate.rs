//! Counters of an account's accepted orders.

use types::{Reader, Wire};

/// Orders accepted in the current window of ten seconds, and on the current day (UTC).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct OrderRate {
    /// The number of the window since 1970.
    pub window: u64,
    pub in_window: u32,
    /// The number of the day since 1970.
    pub day: u64,
    pub in_day: u32,
}

const WINDOW_NS: u64 = 10_000_000_000;
pub(in crate::state) const DAY_NS: u64 = 86_400_000_000_000;

impl OrderRate {
    /// The counters at a time.
    pub(in crate::state) fn at(mut self, now_ns: u64) -> Self {
        let (window, day) = (now_ns / WINDOW_NS, now_ns / DAY_NS);
        if self.window != window {
            (self.window, self.in_window) = (window, 0);
        }
        if self.day != day {
            (self.day, self.in_day) = (day, 0);
        }
        self
    }
}

impl Wire for OrderRate {
    fn write(&self, out: &mut Vec<u8>) {
        ((self.window, self.in_window), (self.day, self.in_day)).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let ((window, in_window), (day, in_day)) = r.read()?;
        Some(Self { window, in_window, day, in_day })
    }
}
