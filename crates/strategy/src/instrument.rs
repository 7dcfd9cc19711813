//! What a strategy trades, with the sizes that turn its integers into money.

use types::Increment;

/// An instrument of a run. Its position in the run's list is its number in events and orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instrument {
    pub name: String,
    pub tick: Increment,
    pub lot: Increment,
    /// Quote units that one unit of quantity at price one is worth: 50 for ES, 1 for most others.
    pub multiplier: u32,
}

impl Instrument {
    pub fn new(name: impl Into<String>, tick: Increment, lot: Increment) -> Self {
        Self { name: name.into(), tick, lot, multiplier: 1 }
    }

    /// One tick as a decimal.
    pub fn tick_size(&self) -> f64 {
        size(self.tick)
    }

    /// One lot as a decimal.
    pub fn lot_size(&self) -> f64 {
        size(self.lot)
    }

    /// The value in quote units of one tick times one lot.
    pub fn unit_value(&self) -> f64 {
        let units = f64::from(self.multiplier) * self.tick.units as f64 * self.lot.units as f64;
        units / 10f64.powi(i32::from(self.tick.decimals) + i32::from(self.lot.decimals))
    }

    /// An exact amount of ticks times lots in quote units, for a report.
    pub fn money(&self, tick_lots: i128) -> f64 {
        let units =
            i128::from(self.multiplier) * i128::from(self.tick.units) * i128::from(self.lot.units);
        let decimals = i32::from(self.tick.decimals) + i32::from(self.lot.decimals);
        // One rounding, whatever the amount.
        (tick_lots * units) as f64 / 10f64.powi(decimals)
    }
}

fn size(increment: Increment) -> f64 {
    increment.units as f64 / 10f64.powi(i32::from(increment.decimals))
}
