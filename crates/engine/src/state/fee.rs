//! Fees as data and arithmetic: rates, volumes, holds, and the rounding.
//!
//! A rate is in hundredths of a basis point. A fee is the rate times its basis, rounded down to a
//! smallest unit.

use types::{AMOUNT_MAX, Amount, FeeRates, FeeSchedule, Instrument, Price, Qty, Reader, Wire};

use crate::state::account::rate::DAY_NS;

const SCALE: i128 = FeeRates::MAX_BPS_X100 as i128;

/// The days of an account's volume, today included.
const VOLUME_DAYS: usize = 30;

/// The quote amount that an account traded in an instrument over the last days. Each day saturates
/// at [`AMOUNT_MAX`], which only absurd volumes reach.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Volume {
    /// The last day with a trade, in days since 1970.
    last_day: u64,
    /// Indexed by the day modulo their number.
    days: [Amount; VOLUME_DAYS],
}

/// The fee that an open buy holds on top of its price.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct FeeHold {
    pub(crate) bps_x100: u32,
    /// The remaining quantity of the order.
    pub(crate) qty: Qty,
}

/// The rates of an account; negative rates are rebates.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Rates {
    pub(crate) maker: i32,
    pub(crate) taker: i32,
}

impl From<FeeRates> for Rates {
    fn from(rates: FeeRates) -> Self {
        let signed = |rate: u32| i32::try_from(rate).expect("at most MAX_BPS_X100");
        Self { maker: signed(rates.maker_fee_bps_x100), taker: signed(rates.taker_fee_bps_x100) }
    }
}

impl Volume {
    /// The volume at a time.
    pub(crate) fn at(&self, now_ns: u64) -> Amount {
        let today = now_ns / DAY_NS;
        let first = today.saturating_sub(VOLUME_DAYS as u64 - 1);
        (first..=self.last_day).take(VOLUME_DAYS).map(|day| self.days[place_of(day)]).sum()
    }

    pub(crate) fn add(&mut self, amount: Amount, now_ns: u64) {
        let today = now_ns / DAY_NS;
        let passed = today.saturating_sub(self.last_day);
        for day in self.last_day + 1..=self.last_day + passed.min(VOLUME_DAYS as u64) {
            self.days[place_of(day)] = Amount::ZERO;
        }
        self.last_day = today;
        let day = &mut self.days[place_of(today)];
        *day = (*day + amount).min(AMOUNT_MAX);
    }
}

const fn place_of(day: u64) -> usize {
    (day % VOLUME_DAYS as u64) as usize
}

impl FeeHold {
    /// The fee at a price.
    pub(super) fn amount(&self, instrument: &Instrument, price: Price) -> Amount {
        fee(instrument.notional(price, self.qty), self.bps_x100)
    }
}

/// Whether the first tier begins at zero, the others ascend, and no rate exceeds 100 %.
pub(crate) fn schedule_valid(schedule: &FeeSchedule) -> bool {
    let tiers = || schedule.tiers.iter().flatten();
    let in_range = |rate: i32| rate.unsigned_abs() <= FeeRates::MAX_BPS_X100;
    tiers().next().is_some_and(|first| first.volume_min == Amount::ZERO)
        && tiers().is_sorted_by(|tier, next| tier.volume_min < next.volume_min)
        && tiers()
            .all(|tier| in_range(tier.maker_fee_bps_x100) && in_range(tier.taker_fee_bps_x100))
}

/// The largest amount for a price with a fee on top: amount and fee together do not exceed `free`.
pub(crate) fn without_fee(free: Amount, fee_bps_x100: u32) -> Amount {
    // amount + floor(amount * rate / SCALE) <= free, so that
    // amount * (SCALE + rate) < (free + 1) * SCALE.
    let (beyond, divisor) = (free.minor() + 1, SCALE + i128::from(fee_bps_x100));
    let (whole, rest) = (beyond / divisor, beyond % divisor);
    let ceiling = whole * SCALE + (rest * SCALE + divisor - 1) / divisor;
    Amount::from_minor(ceiling - 1)
}

/// The rate times the received amount, rounded down to a smallest unit: in the customer's favour,
/// and never more than the amount.
#[inline]
pub(crate) fn fee(received: Amount, fee_bps_x100: u32) -> Amount {
    if fee_bps_x100 == 0 {
        return Amount::ZERO;
    }
    let (received, rate) = (received.minor(), i128::from(fee_bps_x100));
    // 64-bit division is several times faster, and nearly every amount is small enough.
    if let Some(product) =
        u64::try_from(received).ok().and_then(|small| small.checked_mul(u64::from(fee_bps_x100)))
    {
        return Amount::from_minor(i128::from(product / SCALE as u64));
    }
    // The product could overflow 128 bits; this is the same number.
    Amount::from_minor(received / SCALE * rate + received % SCALE * rate / SCALE)
}

impl Default for Volume {
    fn default() -> Self {
        Self { last_day: 0, days: [Amount::ZERO; VOLUME_DAYS] }
    }
}

impl Wire for Volume {
    fn write(&self, out: &mut Vec<u8>) {
        self.last_day.write(out);
        self.days.iter().for_each(|day| day.write(out));
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let mut volume = Self { last_day: r.read()?, ..Self::default() };
        for day in &mut volume.days {
            *day = r.read()?;
            if !(Amount::ZERO..=AMOUNT_MAX).contains(day) {
                return None;
            }
        }
        Some(volume)
    }
}

impl Wire for FeeHold {
    fn write(&self, out: &mut Vec<u8>) {
        (self.bps_x100, self.qty).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (bps_x100, qty) = r.read()?;
        Some(Self { bps_x100, qty })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fees_round_down_and_never_overflow() {
        let check = |received: i128, rate, expect: i128| {
            assert_eq!(
                fee(Amount::from_minor(received), rate).minor(),
                expect,
                "{received} {rate}"
            );
        };
        check(0, 1000, 0);
        check(999, 1000, 0);
        check(1000, 1000, 1);
        check(1999, 1000, 1);
        check(12_345, 0, 0);
        check(12_345, FeeRates::MAX_BPS_X100, 12_345);
        check(1 << 120, FeeRates::MAX_BPS_X100, 1 << 120);
        check((1 << 120) + 999, 1, ((1 << 120) + 999) / 1_000_000);
        check(i128::from(u64::MAX), 1_500, i128::from(u64::MAX) * 1_500 / 1_000_000);
    }

    #[test]
    fn without_fee_is_the_largest_amount_whose_fee_fits() {
        for free in (0..3_000).chain([(1 << 121) - 1, 1 << 121]) {
            for rate in [0, 1, 999, 1_000, 333_333, FeeRates::MAX_BPS_X100] {
                let with_fee = |amount: i128| {
                    let amount = Amount::from_minor(amount);
                    (amount + fee(amount, rate)).minor()
                };
                let most = without_fee(Amount::from_minor(free), rate).minor();
                assert!(with_fee(most) <= free && with_fee(most + 1) > free, "{free} {rate}");
            }
        }
    }

    #[test]
    fn a_volume_covers_thirty_days() {
        let mut volume = Volume::default();
        let at = |day: u64| day * DAY_NS + DAY_NS - 1;
        volume.add(Amount::from_minor(5), at(20_000));
        volume.add(Amount::from_minor(7), at(20_001));
        volume.add(Amount::from_minor(9), at(20_029));
        assert_eq!(volume.at(at(20_029)).minor(), 21);
        assert_eq!(volume.at(at(20_030)).minor(), 16);
        volume.add(Amount::from_minor(1), at(20_030));
        assert_eq!(volume.at(at(20_030)).minor(), 17);
        assert_eq!(volume.at(at(20_031)).minor(), 10);
        assert_eq!(volume.at(at(20_059)).minor(), 1);
        assert_eq!(volume.at(at(20_060)).minor(), 0);
        assert_eq!(volume.at(u64::MAX).minor(), 0);
        volume.add(AMOUNT_MAX, at(90_000));
        volume.add(AMOUNT_MAX, at(90_000));
        assert_eq!(volume.at(at(90_000)), AMOUNT_MAX);
    }
}
