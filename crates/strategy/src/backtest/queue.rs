//! Models of the quantity ahead of an own order in the queue at its price.
//!
//! A feed by levels does not say where in a level a quantity was canceled. The models are those
//! that hftbacktest publishes; the quantity ahead is an estimate, so it is a float in lots. It
//! decides when an order fills, and never enters a book, cash or a position.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How cancels move an order forward.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum QueueModel {
    /// Trades alone do, and a level that becomes smaller than what was ahead.
    RiskAverse,
    /// With x^n as f: a cancel is behind with probability f(back) / (f(back) + f(front)).
    Power(f64),
    /// f(back) / f(back + front).
    Power2(f64),
    /// 1 - f(front / (front + back)).
    Power3(f64),
    /// With ln(1 + x) as f, x in units of quantity: f(back) / (f(back) + f(front)).
    Log,
    /// f(back) / f(back + front).
    Log2,
}

/// The name is not that of a model, or its exponent is not a positive number.
#[derive(Debug, Error, PartialEq)]
#[error(
    "no queue model is called {0:?}: there are risk-averse, power:N, power2:N, power3:N, log, log2"
)]
pub struct QueueModelUnknown(String);

impl FromStr for QueueModel {
    type Err = QueueModelUnknown;

    fn from_str(text: &str) -> Result<Self, QueueModelUnknown> {
        let unknown = || QueueModelUnknown(text.to_owned());
        let (name, n) = text.split_once(':').unwrap_or((text, "3"));
        let n: f64 = n.parse().map_err(|_| unknown())?;
        if !(n > 0.0 && n.is_finite()) {
            return Err(unknown());
        }
        match name {
            "risk-averse" if name == text => Ok(Self::RiskAverse),
            "log" if name == text => Ok(Self::Log),
            "log2" if name == text => Ok(Self::Log2),
            "power" => Ok(Self::Power(n)),
            "power2" => Ok(Self::Power2(n)),
            "power3" => Ok(Self::Power3(n)),
            _ => Err(unknown()),
        }
    }
}

/// The place of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    /// Lots ahead. Negative: that much of a trade was left when all ahead was filled.
    front: f64,
    /// Lots traded at the price since the level last changed. They are part of the next change.
    traded: f64,
}

impl Place {
    pub(crate) fn behind(lots: u64) -> Self {
        Self { front: lots as f64, traded: 0.0 }
    }

    /// A trade at the order's price. Returns the lots that reach the order.
    pub(crate) fn trade(&mut self, lots: u64) -> u64 {
        self.front -= lots as f64;
        self.traded += lots as f64;
        // To the nearest, as a half lot can be an estimate only.
        let reached = (-self.front).round();
        if reached < 1.0 {
            return 0;
        }
        self.front = 0.0;
        reached as u64
    }

    /// The level at the order's price has another quantity. `lot_size` is a lot's decimal value.
    pub(crate) fn change(&mut self, model: QueueModel, before: u64, after: u64, lot_size: f64) {
        let (before, after) = (before as f64, after as f64);
        if model == QueueModel::RiskAverse {
            self.front = self.front.min(after);
            return;
        }
        // What trades took has moved the order already.
        let canceled = before - after - std::mem::take(&mut self.traded);
        if canceled < 0.0 {
            self.front = self.front.min(after);
            return;
        }
        let front = self.front;
        let back = before - front;
        let mut behind = model.behind(front, back, lot_size);
        if behind.is_infinite() {
            behind = 1.0;
        }
        let moved = front - (1.0 - behind) * canceled + (back - behind * canceled).min(0.0);
        // `min` drops a NaN, which models give for an empty level.
        self.front = moved.min(after);
    }
}

impl QueueModel {
    /// The probability that a canceled lot was behind the order.
    fn behind(self, front: f64, back: f64, lot_size: f64) -> f64 {
        let log = |lots: f64| (1.0 + lots * lot_size).ln();
        match self {
            Self::RiskAverse => 1.0,
            Self::Power(n) => back.powf(n) / (back.powf(n) + front.powf(n)),
            Self::Power2(n) => back.powf(n) / (back + front).powf(n),
            Self::Power3(n) => 1.0 - (front / (front + back)).powf(n),
            Self::Log => log(back) / (log(back) + log(front)),
            Self::Log2 => log(back) / log(back + front),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_or_refused() {
        assert_eq!("power3:2.5".parse(), Ok(QueueModel::Power3(2.5)));
        assert_eq!("power".parse(), Ok(QueueModel::Power(3.0)));
        assert_eq!("log".parse(), Ok(QueueModel::Log));
        for wrong in ["", "fifo", "power:-1", "power:x", "log:2", "power:inf"] {
            assert!(wrong.parse::<QueueModel>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_trade_fills_what_is_ahead_first() {
        let mut place = Place::behind(10);
        assert_eq!(place.trade(10), 0);
        assert_eq!(place.trade(4), 4);
        assert_eq!(place.trade(1), 1);
    }

    #[test]
    fn risk_averse_moves_by_trades_and_by_a_smaller_level() {
        let mut place = Place::behind(10);
        place.change(QueueModel::RiskAverse, 30, 20, 1.0);
        assert_eq!(place.front, 10.0);
        place.change(QueueModel::RiskAverse, 20, 6, 1.0);
        assert_eq!(place.front, 6.0);
    }

    #[test]
    fn a_cancel_is_shared_by_the_probability() {
        // Twenty ahead, sixty behind, eight canceled: with f(x) = x a quarter of them was ahead.
        let mut place = Place::behind(20);
        place.change(QueueModel::Power(1.0), 80, 72, 1.0);
        assert_eq!(place.front, 18.0);
    }

    #[test]
    fn a_traded_quantity_counts_once() {
        let mut place = Place::behind(20);
        place.trade(5);
        place.change(QueueModel::Power(1.0), 80, 75, 1.0);
        assert_eq!(place.front, 15.0);
        // The trade is forgotten: the next change is a cancel.
        place.change(QueueModel::Power(1.0), 75, 70, 1.0);
        assert_eq!(place.front, 14.0);
    }
}
