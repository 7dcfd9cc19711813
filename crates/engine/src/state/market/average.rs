//! Average price of an instrument's trades over a window, weighted by quantity.
//!
//! The window consists of parts, and old trades leave it a part at a time. Sums are exact, and the
//! average is rounded down to a tick, also if it is negative.
//!
//! # Known limits
//! A part counts up to [`AMOUNT_MAX`] lots, and as many lots times ticks. Trades beyond that, which
//! only absurd sizes reach, do not change the average.

use std::collections::VecDeque;

use types::{AMOUNT_MAX, Price, Qty, Reader, Wire};

/// The parts of a window: for a window of one minute each part is one second, and so on.
const PARTS: u64 = 60;

/// Trades of the last `mins` minutes; none if that is zero.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Average {
    mins: u32,
    /// Parts with trades, in order of their numbers.
    parts: VecDeque<WindowPart>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct WindowPart {
    /// The number of the part since 1970.
    number: u64,
    lots: i128,
    /// Lots times ticks.
    sum: i128,
}

impl Average {
    pub(crate) fn over(mins: u32) -> Self {
        Self { mins, parts: VecDeque::new() }
    }

    /// The same trades, as read from bytes, with this window.
    pub(super) fn with_mins(self, mins: u32) -> Self {
        Self { mins, ..self }
    }

    /// The number of the part that contains a time. There must be a window.
    fn number_at(&self, now_ns: u64) -> u64 {
        now_ns / (u64::from(self.mins) * 1_000_000_000)
    }

    pub(super) fn record(&mut self, price: Price, qty: Qty, now_ns: u64) {
        if self.mins == 0 {
            return;
        }
        let number = self.number_at(now_ns);
        while self.parts.front().is_some_and(|part| part.number + PARTS <= number) {
            self.parts.pop_front();
        }
        if self.parts.back().is_none_or(|part| part.number < number) {
            self.parts.push_back(WindowPart { number, lots: 0, sum: 0 });
        }
        let part = self.parts.back_mut().expect("it has just been added");
        let lots = i128::from(qty.lots());
        let more = WindowPart {
            number,
            lots: part.lots + lots,
            sum: part.sum + lots * i128::from(price.ticks()),
        };
        if more.is_counted() {
            *part = more;
        }
    }

    /// `None` without a trade in the window.
    pub(super) fn price(&self, now_ns: u64) -> Option<Price> {
        if self.parts.is_empty() {
            return None;
        }
        let number = self.number_at(now_ns);
        let within = self.parts.iter().filter(|part| part.number + PARTS > number);
        let (lots, sum) =
            within.fold((0, 0), |(lots, sum), part| (lots + part.lots, sum + part.sum));
        let ticks = (lots > 0).then(|| sum.div_euclid(lots))?;
        Some(Price::from_ticks(i64::try_from(ticks).expect("no higher than the highest price")))
    }

    /// Whether trades within these prices, none of them later than now, can have led to it.
    pub(super) fn is_sound(&self, lowest: Price, highest: Price, now_ns: u64) -> bool {
        let (Some(first), Some(last)) = (self.parts.front(), self.parts.back()) else {
            return true;
        };
        self.mins > 0
            && last.number <= self.number_at(now_ns)
            && last.number - first.number < PARTS
            && self.parts.iter().all(|part| part.is_within(lowest, highest))
    }
}

impl WindowPart {
    fn is_counted(&self) -> bool {
        let max = AMOUNT_MAX.minor();
        self.lots <= max && self.sum.abs() <= max
    }

    fn is_within(&self, lowest: Price, highest: Price) -> bool {
        let ticks = |price: Price| i128::from(price.ticks());
        // A product beyond 128 bits exceeds every counted sum.
        let least = self.lots.saturating_mul(ticks(lowest));
        let most = self.lots.saturating_mul(ticks(highest));
        (1..=AMOUNT_MAX.minor()).contains(&self.lots)
            && (-AMOUNT_MAX.minor()..=AMOUNT_MAX.minor()).contains(&self.sum)
            && (least..=most).contains(&self.sum)
    }
}

impl Wire for Average {
    fn write(&self, out: &mut Vec<u8>) {
        let len = u8::try_from(self.parts.len()).expect("no more than there are parts");
        len.write(out);
        for part in &self.parts {
            (part.number, (part.lots, part.sum)).write(out);
        }
    }

    /// The window is in the rules, not in these bytes.
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let mut average = Self::default();
        for _ in 0..r.read::<u8>()? {
            let (number, (lots, sum)) = r.read()?;
            if average.parts.back().is_some_and(|part| part.number >= number) {
                return None;
            }
            average.parts.push_back(WindowPart { number, lots, sum });
        }
        Some(average)
    }
}
