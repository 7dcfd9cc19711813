//! Latencies of orders and answers: constant, drawn, or interpolated from measurements.
//!
//! The feed's latency is in the record, as the difference of its two clocks; see
//! [`crate::backtest::FeedLatency`] where it has one clock.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A delay of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Delay {
    Constant {
        ns: i64,
    },
    /// Each value from the first to the last is as likely.
    Uniform {
        low_ns: i64,
        high_ns: i64,
    },
    /// Logarithms are distributed normally: `median_ns` and the deviation `sigma`.
    LogNormal {
        median_ns: i64,
        sigma: f64,
    },
}

/// The text is no delay.
#[derive(Debug, Error, PartialEq)]
#[error("{0:?} is no latency: a number of microseconds, LOW..HIGH, or MEDIAN~SIGMA")]
pub struct DelayInvalid(String);

/// Longer delays are a mistake in the unit.
const DELAY_MAX_US: f64 = 1e9;

impl FromStr for Delay {
    type Err = DelayInvalid;

    /// In microseconds: `250`, `100..400` or, log-normal, `250~0.5`.
    fn from_str(text: &str) -> Result<Self, DelayInvalid> {
        let invalid = || DelayInvalid(text.to_owned());
        let number = |text: &str| -> Result<f64, DelayInvalid> {
            let value: f64 = text.parse().map_err(|_| invalid())?;
            if !(0.0..=DELAY_MAX_US).contains(&value) {
                return Err(invalid());
            }
            Ok(value)
        };
        let ns = |text: &str| number(text).map(|us| (us * 1e3).round() as i64);
        if let Some((low, high)) = text.split_once("..") {
            let (low_ns, high_ns) = (ns(low)?, ns(high)?);
            return if low_ns <= high_ns {
                Ok(Self::Uniform { low_ns, high_ns })
            } else {
                Err(invalid())
            };
        }
        if let Some((median, sigma)) = text.split_once('~') {
            let sigma = number(sigma)?;
            return Ok(Self::LogNormal { median_ns: ns(median)?, sigma });
        }
        Ok(Self::Constant { ns: ns(text)? })
    }
}

/// A measured request: when it was sent, when the market processed it, when the answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredRequest {
    pub sent_ns: i64,
    /// Zero: the market rejected it before the matching.
    pub exchange_ns: i64,
    pub answered_ns: i64,
}

/// The latencies of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OrderLatency {
    Drawn {
        order: Delay,
        answer: Delay,
        seed: u64,
    },
    /// Interpolated between measurements in order of their times.
    Measured(Vec<MeasuredRequest>),
}

impl OrderLatency {
    pub fn constant(ns: i64) -> Self {
        let delay = Delay::Constant { ns };
        Self::Drawn { order: delay, answer: delay, seed: 0 }
    }
}

/// When a request arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    AtMarket(i64),
    /// Rejected on the way; the strategy learns it at this time.
    Rejected(i64),
}

/// An [`OrderLatency`] with what it needs while it runs.
#[derive(Clone, Debug)]
pub(crate) struct Clockwork {
    latency: OrderLatency,
    random: Random,
    /// Positions in the measurements, which only grow since times do.
    order_at: usize,
    answer_at: usize,
}

impl Clockwork {
    /// Each account draws from its own sequence.
    pub(crate) fn new(latency: OrderLatency, account: usize) -> Self {
        let seed = match latency {
            OrderLatency::Drawn { seed, .. } => seed,
            OrderLatency::Measured(_) => 0,
        };
        let random = Random::new(seed.wrapping_add(account as u64));
        Self { latency, random, order_at: 0, answer_at: 0 }
    }

    pub(crate) fn order(&mut self, sent_ns: i64) -> Arrival {
        match &self.latency {
            OrderLatency::Drawn { order, .. } => {
                Arrival::AtMarket(sent_ns + order.draw(&mut self.random))
            }
            OrderLatency::Measured(rows) => {
                advance(&mut self.order_at, rows, sent_ns, |row| row.sent_ns);
                let (row, next) = around(self.order_at, rows);
                if row.exchange_ns <= 0 || next.exchange_ns <= 0 {
                    let span = |row: &MeasuredRequest| (row.sent_ns, row.answered_ns - row.sent_ns);
                    return Arrival::Rejected(sent_ns + between(sent_ns, span(row), span(next)));
                }
                let span = |row: &MeasuredRequest| (row.sent_ns, row.exchange_ns - row.sent_ns);
                Arrival::AtMarket(sent_ns + between(sent_ns, span(row), span(next)))
            }
        }
    }

    pub(crate) fn answer(&mut self, exchange_ns: i64) -> i64 {
        match &self.latency {
            OrderLatency::Drawn { answer, .. } => exchange_ns + answer.draw(&mut self.random),
            OrderLatency::Measured(rows) => {
                advance(&mut self.answer_at, rows, exchange_ns, |row| row.exchange_ns);
                let (row, next) = around(self.answer_at, rows);
                let span =
                    |row: &MeasuredRequest| (row.exchange_ns, row.answered_ns - row.exchange_ns);
                exchange_ns + between(exchange_ns, span(row), span(next))
            }
        }
    }
}

/// Moves `at` to the last measurement that is not after `ns`.
fn advance(
    at: &mut usize,
    rows: &[MeasuredRequest],
    ns: i64,
    time: impl Fn(&MeasuredRequest) -> i64,
) {
    while rows.get(*at + 1).is_some_and(|row| time(row) <= ns) {
        *at += 1;
    }
}

fn around(at: usize, rows: &[MeasuredRequest]) -> (&MeasuredRequest, &MeasuredRequest) {
    (&rows[at], rows.get(at + 1).unwrap_or(&rows[at]))
}

/// The delay at a time between two (time, delay) pairs; before the first and after the last it is
/// theirs.
fn between(ns: i64, (at, delay): (i64, i64), (next_at, next_delay): (i64, i64)) -> i64 {
    if ns <= at || next_at <= at {
        return delay;
    }
    let slope = (next_delay - delay) as f64 / (next_at - at) as f64;
    (slope * (ns - at) as f64) as i64 + delay
}

impl Delay {
    fn draw(self, random: &mut Random) -> i64 {
        match self {
            Self::Constant { ns } => ns,
            Self::Uniform { low_ns, high_ns } => {
                low_ns + (random.unit() * (high_ns - low_ns + 1) as f64) as i64
            }
            Self::LogNormal { median_ns, sigma } => {
                (median_ns as f64 * (sigma * random.normal()).exp()) as i64
            }
        }
    }
}

/// SplitMix64: one word of state, and the same numbers on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below one.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_read_or_refused() {
        assert_eq!("250".parse(), Ok(Delay::Constant { ns: 250_000 }));
        assert_eq!("0.5".parse(), Ok(Delay::Constant { ns: 500 }));
        assert_eq!("1..2".parse(), Ok(Delay::Uniform { low_ns: 1_000, high_ns: 2_000 }));
        let expected = Delay::LogNormal { median_ns: 250_000, sigma: 0.5 };
        assert_eq!("250~0.5".parse(), Ok(expected));
        for wrong in ["", "-1", "2..1", "x", "1~", "nan", "1e12"] {
            assert!(wrong.parse::<Delay>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn drawn_delays_repeat_by_their_seed_and_stay_in_their_range() {
        let order = Delay::Uniform { low_ns: 10, high_ns: 12 };
        let answer = Delay::LogNormal { median_ns: 1_000, sigma: 0.3 };
        let draw = |seed| {
            let latency = OrderLatency::Drawn { order, answer, seed };
            let mut clockwork = Clockwork::new(latency, 0);
            let mut draw = || match clockwork.order(0) {
                Arrival::AtMarket(ns) => (ns, clockwork.answer(0)),
                Arrival::Rejected(_) => panic!("nothing is rejected"),
            };
            (0..200).map(|_| draw()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let drawn = draw(7);
        assert!((10..=12).all(|ns| drawn.iter().any(|(order, _)| *order == ns)));
        assert!(drawn.iter().all(|(order, answer)| (10..=12).contains(order) && *answer > 0));
        let below = drawn.iter().filter(|(_, answer)| *answer < 1_000).count();
        assert!((60..140).contains(&below), "{below} of 200 are below the median");
    }

    #[test]
    fn measured_delays_are_interpolated() {
        let row = |sent_ns, exchange_ns, answered_ns| MeasuredRequest {
            sent_ns,
            exchange_ns,
            answered_ns,
        };
        let rows =
            vec![row(100, 110, 130), row(200, 220, 250), row(300, 0, 340), row(400, 410, 420)];
        let mut clockwork = Clockwork::new(OrderLatency::Measured(rows), 0);
        assert_eq!(clockwork.order(50), Arrival::AtMarket(60));
        assert_eq!(clockwork.order(150), Arrival::AtMarket(165));
        assert_eq!(clockwork.order(250), Arrival::Rejected(295));
        assert_eq!(clockwork.order(500), Arrival::AtMarket(510));
        assert_eq!(clockwork.answer(110), 130);
        assert_eq!(clockwork.answer(165), 190);
    }
}
