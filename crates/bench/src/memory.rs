//! The memory of a venue over a run, and whether it grows with the orders that the venue has seen.

use cli::Failure;
use serde::Serialize;

/// Of the time, in which pools and caches fill.
const SETTLES: f64 = 0.1;

/// The venue's memory over the run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Memory {
    pub(super) settled_mb: f64,
    pub(super) end_mb: f64,
    pub(super) highest_mb: f64,
    /// By the straight line that fits all looks after the first tenth best.
    pub(super) growth_mb: f64,
    pub(super) growth_mb_per_million: f64,
    /// Of the memory where that line begins.
    pub(super) growth_percent_per_million: f64,
    pub(super) growth_percent_per_million_max: f64,
    pub(super) is_flat: bool,
    pub(super) samples: Vec<Sample>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Sample {
    pub(super) at_s: f64,
    pub(super) rss_mb: f64,
    /// What rests in the book, both sides together, in units of the base asset: an order has 1.05 on average.
    pub(super) resting_qty: f64,
}

impl Memory {
    pub(super) fn of(
        samples: Vec<Sample>,
        duration_s: f64,
        orders_per_s: f64,
        growth_max: f64,
    ) -> Result<Self, Failure> {
        let settled = samples.iter().filter(|sample| sample.at_s >= duration_s * SETTLES);
        let settled: Vec<&Sample> = settled.collect();
        let (Some(first), Some(last)) = (settled.first(), settled.last()) else {
            return Err(Failure::new("the venue's memory was not looked at after the first tenth"));
        };
        let (begin_mb, mb_per_s) = fit(&settled);
        let millions_per_s = orders_per_s / 1e6;
        let growth_mb_per_million =
            if millions_per_s > 0.0 { mb_per_s / millions_per_s } else { 0.0 };
        let growth_percent_per_million = 100.0 * growth_mb_per_million / begin_mb;
        Ok(Self {
            settled_mb: begin_mb,
            end_mb: last.rss_mb,
            highest_mb: samples.iter().map(|sample| sample.rss_mb).fold(0.0, f64::max),
            growth_mb: mb_per_s * (last.at_s - first.at_s),
            growth_mb_per_million,
            growth_percent_per_million,
            growth_percent_per_million_max: growth_max,
            is_flat: growth_percent_per_million <= growth_max,
            samples,
        })
    }

    pub(super) fn verdict(&self) -> Result<(), Failure> {
        match self.is_flat {
            true => Ok(()),
            false => Err(Failure::new(format!(
                "the venue's memory is not flat: it grew by {:.2} % for each million orders, and \
                 {:.2} % is allowed (--growth-max)",
                self.growth_percent_per_million, self.growth_percent_per_million_max
            ))),
        }
    }
}

/// Where the straight line of the least squares begins, and how steep it is.
fn fit(samples: &[&Sample]) -> (f64, f64) {
    let mean = |pick: fn(&Sample) -> f64| {
        samples.iter().map(|sample| pick(sample)).sum::<f64>() / samples.len() as f64
    };
    let (middle_s, middle_mb) = (mean(|sample| sample.at_s), mean(|sample| sample.rss_mb));
    let (mut spread, mut together) = (0.0, 0.0);
    for sample in samples {
        let away_s = sample.at_s - middle_s;
        spread += away_s * away_s;
        together += away_s * (sample.rss_mb - middle_mb);
    }
    let slope = if spread > 0.0 { together / spread } else { 0.0 };
    (middle_mb + slope * (samples[0].at_s - middle_s), slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand seconds at 10,000 orders a second, so ten million orders.
    fn memory(rss_mb: impl Fn(f64) -> f64) -> Memory {
        let sample = |at: u32| {
            let at_s = f64::from(at * 10);
            Sample { at_s, rss_mb: rss_mb(at_s), resting_qty: 0.0 }
        };
        Memory::of((0..=100).map(sample).collect(), 1_000.0, 10_000.0, 1.0).expect("it has looks")
    }

    #[test]
    fn memory_that_settles_in_the_first_tenth_is_flat() {
        let settling = memory(|at_s| if at_s < 100.0 { at_s } else { 100.0 });
        assert_eq!((settling.is_flat, settling.growth_mb), (true, 0.0));
        // Up and down is no growth.
        assert!(memory(|at_s| 100.0 + (at_s / 10.0) % 2.0).verdict().is_ok());
        assert!(memory(|at_s| 100.0 - at_s / 100.0).verdict().is_ok(), "less is no growth");
    }

    #[test]
    fn memory_that_grows_with_orders_is_not_flat() {
        // 0.5 % and 2 % of where it began, for a million orders.
        assert!(memory(|at_s| 100.0 + at_s * 0.005).is_flat);
        let grows = memory(|at_s| 100.0 + at_s * 0.02);
        assert!((grows.growth_mb_per_million - 2.0).abs() < 1e-9, "{grows:?}");
        assert!((grows.growth_mb - 18.0).abs() < 1e-9, "{grows:?}");
        let sentence = grows.verdict().expect_err("it grows").to_string();
        assert!(sentence.contains("grew by 1.96 % for each million orders"), "{sentence}");
    }
}
