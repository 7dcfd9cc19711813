//! `[demo]`: the trial venue in an empty folder, its fees, and the market that its bots make.

use serde::{Deserialize, Serialize};
use types::FeeRates;

use super::bps::Bps;

/// A smaller order of the taker could be worth less than an instrument allows.
const SIZE_USDT_MIN: u64 = 1_000;
const SIZE_USDT_MAX: u64 = 1_000_000;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Demo {
    pub enabled: bool,
    pub no_bots: bool,
    /// Seed of the bots.
    pub bots_seed: u64,
    /// From the best bid to the best ask, as a part of the first price.
    pub spread_bps: Bps,
    /// Value of the best quote on each side, at the first prices.
    pub size_usdt: u64,
    /// Move of the price in each hour, as a part of the first price.
    pub drift_bps: Bps,
    /// Standard deviation of the price's random moves in one hour.
    pub volatility_bps: Bps,
    /// Of the instruments, when the demo is created.
    pub maker_fee_bps: Bps,
    pub taker_fee_bps: Bps,
}

impl Default for Demo {
    fn default() -> Self {
        Self {
            enabled: false,
            no_bots: false,
            bots_seed: 1,
            spread_bps: Bps::new(1),
            size_usdt: 6_000,
            drift_bps: Bps::ZERO,
            volatility_bps: Bps::new(7),
            maker_fee_bps: Bps::new(10),
            taker_fee_bps: Bps::new(10),
        }
    }
}

impl Demo {
    pub(super) fn check(&self) -> Result<(), String> {
        let ranges = [
            ("spread", self.spread_bps, Bps::hundredths(1), 500),
            ("drift", self.drift_bps, Bps::new(-500), 500),
            ("volatility", self.volatility_bps, Bps::ZERO, 500),
            ("maker_fee", self.maker_fee_bps, Bps::ZERO, 1_000),
            ("taker_fee", self.taker_fee_bps, Bps::ZERO, 1_000),
        ];
        for (name, value, min, max) in ranges {
            if value < min || value > Bps::new(max) {
                return Err(format!("demo_{name}_bps must be {min} to {max}, and is {value}"));
            }
        }
        if !(SIZE_USDT_MIN..=SIZE_USDT_MAX).contains(&self.size_usdt) {
            return Err(format!(
                "demo_size_usdt must be {SIZE_USDT_MIN} to {SIZE_USDT_MAX}, and is {}",
                self.size_usdt
            ));
        }
        Ok(())
    }

    pub(crate) fn fees(&self) -> FeeRates {
        let rate = |fee: Bps| u32::try_from(fee.x100()).expect("checked: zero or more");
        FeeRates {
            maker_fee_bps_x100: rate(self.maker_fee_bps),
            taker_fee_bps_x100: rate(self.taker_fee_bps),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::settings::tests::{load, refused};

    #[test]
    fn each_value_has_its_range() {
        for (flag, good, bad) in [
            ("demo_spread_bps", ["0.01", "500"], ["0", "500.01"]),
            ("demo_drift_bps", ["-500", "500"], ["-500.01", "501"]),
            ("demo_volatility_bps", ["0", "500"], ["-1", "501"]),
            ("demo_maker_fee_bps", ["0", "1000"], ["-0.01", "1001"]),
            ("demo_taker_fee_bps", ["0", "1000"], ["-0.01", "1001"]),
        ] {
            for value in good {
                assert!(load(json!({ flag: value })).is_ok(), "{flag} {value}");
            }
            for value in bad {
                let error = refused(json!({ flag: value }));
                assert!(error.contains(flag) && error.contains(value), "{error}");
            }
            assert!(refused(json!({ flag: "0.001" })).contains("two decimals"), "{flag}");
        }
        for size in [999, 1_000_001] {
            let error = refused(json!({ "demo_size_usdt": size }));
            assert!(error.contains("demo_size_usdt must be 1000 to 1000000"), "{error}");
        }
    }

    #[test]
    fn fees_are_those_of_the_settings() {
        let fees = load(json!({ "demo_maker_fee_bps": "2.5" })).unwrap().demo.fees();
        assert_eq!((fees.maker_fee_bps_x100, fees.taker_fee_bps_x100), (250, 1_000));
    }
}
