//! What round trips gained: sums, so that they take no memory.

use super::RoundTrip;
use crate::account::FEE_UNITS;

/// Sums and extremes over all round trips. Gains are parts of their entries, unless they are called
/// money, which is in quote units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gains {
    pub count: u64,
    pub(crate) wins: u64,
    pub(crate) losses: u64,
    pub(crate) sum: f64,
    pub(crate) logs: f64,
    best: Option<f64>,
    worst: Option<f64>,
    pub(crate) won: f64,
    pub(crate) lost: f64,
    pub(crate) money: f64,
    pub(crate) money_squares: f64,
    pub(crate) money_won: f64,
    pub(crate) money_lost: f64,
    pub(crate) max_ns: i64,
    pub(crate) sum_ns: i128,
}

impl Gains {
    /// `unit_value` is what a tick of a lot is worth.
    pub(crate) fn add(&mut self, trip: &RoundTrip, unit_value: f64) {
        let money = (trip.gain() * FEE_UNITS - trip.fees) as f64 / FEE_UNITS as f64;
        let part = money / trip.entry_value as f64;
        let money = money * unit_value;
        self.count += 1;
        self.wins += u64::from(money > 0.0);
        self.losses += u64::from(money < 0.0);
        self.sum += part;
        self.logs += (1.0 + part).max(f64::MIN_POSITIVE).ln();
        self.best = Some(self.best.map_or(part, |best| best.max(part)));
        self.worst = Some(self.worst.map_or(part, |worst| worst.min(part)));
        self.won += part.max(0.0);
        self.lost += part.min(0.0);
        self.money += money;
        self.money_squares += money * money;
        self.money_won += money.max(0.0);
        self.money_lost += money.min(0.0);
        let lasted_ns = trip.exit_ns - trip.entry_ns;
        self.max_ns = self.max_ns.max(lasted_ns);
        self.sum_ns += i128::from(lasted_ns);
    }

    /// No number without a round trip.
    pub(crate) fn best(&self) -> f64 {
        self.best.unwrap_or(f64::NAN)
    }

    pub(crate) fn worst(&self) -> f64 {
        self.worst.unwrap_or(f64::NAN)
    }
}
