//! The average price of an instrument's trades over a window, by quantity.
//!
//! The window is kept in parts: what leaves it leaves a part at a time. Sums are exact, and the
//! average is rounded down to a tick, below zero too.
//!
//! # Known limits
//! A part counts up to [`AMOUNT_MAX`] lots, and as many lots times ticks. Trades beyond that, which
//! only absurd sizes reach, no longer move it.

use std::collections::VecDeque;

use types::{AMOUNT_MAX, Price, Qty, Reader, Wire};

/// The parts that a window is kept in: of a window of so many minutes, each is as many seconds.
const PARTS: u64 = 60;

/// Trades of the last `mins` minutes; of none, if that is zero.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Average {
    mins: u32,
    /// Those that have traded, in the order of their numbers.
    parts: VecDeque<Part>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Part {
    /// How many parts were before this one, since 1970.
    number: u64,
    lots: i128,
    /// Lots times ticks.
    sum: i128,
}

impl Average {
    pub(crate) fn over(mins: u32) -> Self {
        Self { mins, parts: VecDeque::new() }
    }

    /// The same trades, as they are read, of so long a window.
    pub(super) fn with_mins(self, mins: u32) -> Self {
        Self { mins, ..self }
    }

    /// The part that a time is in. There must be a window.
    fn number_at(&self, now_ns: u64) -> u64 {
        now_ns / (u64::from(self.mins) * 1_000_000_000)
    }

    pub(super) fn note(&mut self, price: Price, qty: Qty, now_ns: u64) {
        if self.mins == 0 {
            return;
        }
        let number = self.number_at(now_ns);
        while self.parts.front().is_some_and(|part| part.number + PARTS <= number) {
            self.parts.pop_front();
        }
        if self.parts.back().is_none_or(|part| part.number < number) {
            self.parts.push_back(Part { number, lots: 0, sum: 0 });
        }
        let part = self.parts.back_mut().expect("it has just been added");
        let lots = i128::from(qty.lots());
        let more = Part {
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

    /// Whether trades within these prices, none of them later than now, may have led to it.
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

impl Part {
    fn is_counted(&self) -> bool {
        let max = AMOUNT_MAX.minor();
        self.lots <= max && self.sum.abs() <= max
    }

    fn is_within(&self, lowest: Price, highest: Price) -> bool {
        let ticks = |price: Price| i128::from(price.ticks());
        // Beyond 128 bits is beyond every sum that is counted.
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

    /// How long the window is, the rules say.
    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let mut average = Self::default();
        for _ in 0..r.read::<u8>()? {
            let (number, (lots, sum)) = r.read()?;
            average.parts.back().is_none_or(|part| part.number < number).then_some(())?;
            average.parts.push_back(Part { number, lots, sum });
        }
        Some(average)
    }
}
