//! Position, cash and fees of one instrument, exact.
//!
//! Cash counts ticks times lots, fees count 10^-8 of that, so that nothing rounds: a rate has eight
//! decimals. The report converts both to money.

use serde::{Deserialize, Serialize};
use types::{Price, Qty, Side};

/// Decimals of a fee rate. One basis point is 10^4 of its units.
pub const RATE_DECIMALS: u32 = 8;
/// Fee units in one tick-lot.
pub const FEE_UNITS: i128 = 100_000_000;

/// Fee rates on the traded value, in 10^-8. A negative rate is a rebate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fees {
    pub maker: i64,
    pub taker: i64,
}

impl Fees {
    /// The fee of a fill, in 10^-8 of ticks times lots.
    pub fn fee(self, price: Price, qty: Qty, is_maker: bool) -> i128 {
        let rate = if is_maker { self.maker } else { self.taker };
        notional(price, qty) * i128::from(rate)
    }
}

/// The traded value in ticks times lots.
pub(crate) fn notional(price: Price, qty: Qty) -> i128 {
    i128::from(price.ticks()) * i128::from(qty.lots())
}

/// The sum of all fills of one instrument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Lots, negative when short.
    pub position: i64,
    /// In ticks times lots, before fees.
    pub cash: i128,
    /// In 10^-8 of ticks times lots.
    pub fees: i128,
    /// Paid for holding positions, in 10^-8 of ticks times lots.
    pub funding: i128,
    /// In ticks times lots.
    pub turnover: i128,
    pub volume: u64,
    pub fills: u64,
    pub maker_fills: u64,
}

impl Account {
    pub fn apply(&mut self, side: Side, price: Price, qty: Qty, is_maker: bool, fee: i128) {
        let value = notional(price, qty);
        let lots = i64::try_from(qty.lots()).expect("a fill is below 2^63 lots");
        match side {
            Side::Buy => {
                self.position += lots;
                self.cash -= value;
            }
            Side::Sell => {
                self.position -= lots;
                self.cash += value;
            }
        }
        self.fees += fee;
        self.turnover += value;
        self.volume += qty.lots();
        self.fills += 1;
        self.maker_fills += u64::from(is_maker);
    }

    /// Cash and position at a price, after fees and funding, in 10^-8 of ticks times lots. `twice`
    /// is the price times two, because a middle price may be half a tick.
    pub fn equity(&self, twice: i64) -> i128 {
        let half = FEE_UNITS / 2;
        let held = i128::from(self.position) * i128::from(twice) * half;
        self.cash * FEE_UNITS + held - self.fees - self.funding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fees_are_exact_and_rebates_negative() {
        let fees = Fees { maker: -5_000, taker: 45_000 };
        let (price, qty) = (Price::from_ticks(617_003), Qty::from_lots(7));
        assert_eq!(fees.fee(price, qty, true), -617_003 * 7 * 5_000);
        assert_eq!(fees.fee(price, qty, false), 617_003 * 7 * 45_000);
    }

    #[test]
    fn equity_counts_half_ticks() {
        let mut account = Account::default();
        account.apply(Side::Buy, Price::from_ticks(100), Qty::from_lots(3), true, 50);
        // Three lots that gained half a tick each.
        assert_eq!(account.equity(201), FEE_UNITS * 3 / 2 - 50);
        account.apply(Side::Sell, Price::from_ticks(99), Qty::from_lots(3), false, 0);
        assert_eq!((account.position, account.cash), (0, -3));
    }
}
