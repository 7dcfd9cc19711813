//! The scenario `soak`: an hour at half the highest rate, while the venue's memory is sampled. It
//! finds a venue that keeps something of every order.

use std::time::Duration;

use clap::Args;
use cli::Failure;
use serde_json::Value;

use super::flags::Flags;
use super::load::{Scenario, open};
use super::report::{Figure, Report, report};
use super::run::{Run, with_rate};
use super::samples;
use super::spec::Load;

const SCENARIO: Scenario = Scenario { name: "soak", load: Load::RestMix };
const DURATION_S: u64 = 3_600;
/// Samples over the whole time, within the bounds of their distance.
const SAMPLES: u32 = 240;
const SAMPLE_EVERY: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(15)];
/// Of the time, in which pools and caches fill.
const SETTLES: f64 = 0.1;

#[derive(Args, Clone, Debug)]
pub(super) struct Soak {
    #[command(flatten)]
    flags: Flags,
    /// What the venue's memory may grow by for each million orders, after the first tenth of the
    /// time; else the exit status is 1
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    growth_max: f64,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    at_s: f64,
    rss_mb: f64,
    /// In units of the base asset, both sides together: an order has 1.05 on average.
    resting_qty: f64,
}

impl Soak {
    pub(super) fn run(mut self) -> Result<(), Failure> {
        self.flags.duration.get_or_insert(DURATION_S);
        let flags = &self.flags;
        let (machine, venue) = open(flags, flags.clients.into())?;
        // Fails here where there is no process to sample.
        samples::rss_mb(&venue)?;
        let run = Run::begin(SCENARIO, flags, (machine, venue))?;
        let (rated, highest) = with_rate(SCENARIO, flags, &run.venue)?;
        let every = (flags.measured() / SAMPLES).clamp(SAMPLE_EVERY[0], SAMPLE_EVERY[1]);
        let (measured, samples) = samples::sampled(SCENARIO, &rated, &run.venue, every, |at_s| {
            let resting_qty = samples::resting_qty(&run.venue)?;
            Ok(Sample { at_s, rss_mb: samples::rss_mb(&run.venue)?, resting_qty })
        })?;
        let orders_per_s = measured.outcome.orders_per_s(flags.measured());
        let growth = Growth::of(&samples, flags.measured(), orders_per_s, self.growth_max)?;
        let memory = growth.report(&samples);
        run.finish(&rated, highest, &measured, report! { memory: memory })?;
        growth.verdict()
    }
}

/// How the venue's memory grew, by the straight line that fits all samples after the first tenth
/// best.
#[derive(Debug)]
struct Growth {
    /// Where the line begins.
    settled_mb: f64,
    growth_mb: f64,
    mb_per_million: f64,
    percent_per_million: f64,
    percent_per_million_max: f64,
}

impl Growth {
    fn of(
        samples: &[Sample],
        duration: Duration,
        orders_per_s: f64,
        percent_per_million_max: f64,
    ) -> Result<Self, Failure> {
        let settled_s = duration.as_secs_f64() * SETTLES;
        let settled: Vec<_> = samples.iter().filter(|sample| sample.at_s >= settled_s).collect();
        let (Some(first), Some(last)) = (settled.first(), settled.last()) else {
            return Err(Failure::new("the venue's memory has no sample after the first tenth"));
        };
        let (settled_mb, mb_per_s) = fit(&settled);
        let mb_per_million = if orders_per_s > 0.0 { mb_per_s / (orders_per_s / 1e6) } else { 0.0 };
        Ok(Self {
            settled_mb,
            growth_mb: mb_per_s * (last.at_s - first.at_s),
            mb_per_million,
            percent_per_million: 100.0 * mb_per_million / settled_mb,
            percent_per_million_max,
        })
    }

    fn is_flat(&self) -> bool {
        self.percent_per_million <= self.percent_per_million_max
    }

    fn report(&self, samples: &[Sample]) -> Report {
        let last = samples.last();
        let most = |pick: fn(&Sample) -> f64| samples.iter().map(pick).fold(0.0, f64::max);
        let rows = samples.iter().map(|Sample { at_s, rss_mb, resting_qty }| {
            report! { at_s: *at_s, rss_mb: *rss_mb, resting_qty: *resting_qty }.value()
        });
        let resting = format!(
            "{:.0} units rest in the book at the end, {:.0} at most",
            last.map_or(0.0, |sample| sample.resting_qty),
            most(|sample| sample.resting_qty)
        );
        let verdict = if self.is_flat() { "flat" } else { "NOT FLAT" };
        Report::note("verdict", verdict).with(report! {
            settled_mb: self.settled_mb,
            end_mb: last.map(|sample| sample.rss_mb),
            highest_mb: most(|sample| sample.rss_mb),
            growth_mb: self.growth_mb,
            growth_mb_per_million: self.mb_per_million,
            growth_percent_per_million: self.percent_per_million,
            growth_percent_per_million_max: self.percent_per_million_max,
            is_flat: Figure::data(self.is_flat().into()),
            samples: Figure::Short(rows.collect::<Value>(), format!("{}; {resting}", samples.len())),
        })
    }

    fn verdict(&self) -> Result<(), Failure> {
        if self.is_flat() {
            return Ok(());
        }
        Err(Failure::new(format!(
            "the venue's memory is not flat: it grew by {:.2} % for each million orders, and \
             {:.2} % is allowed (--growth-max)",
            self.percent_per_million, self.percent_per_million_max
        )))
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
    fn growth(rss_mb: impl Fn(f64) -> f64) -> Growth {
        let sample = |at: u32| {
            let at_s = f64::from(at * 10);
            Sample { at_s, rss_mb: rss_mb(at_s), resting_qty: 0.0 }
        };
        let samples: Vec<_> = (0..=100).map(sample).collect();
        Growth::of(&samples, Duration::from_secs(1_000), 10_000.0, 1.0).expect("it has samples")
    }

    #[test]
    fn memory_that_settles_in_the_first_tenth_is_flat() {
        let settling = growth(|at_s| if at_s < 100.0 { at_s } else { 100.0 });
        assert_eq!((settling.is_flat(), settling.growth_mb), (true, 0.0));
        // Up and down is no growth.
        assert!(growth(|at_s| 100.0 + (at_s / 10.0) % 2.0).verdict().is_ok());
        assert!(growth(|at_s| 100.0 - at_s / 100.0).verdict().is_ok(), "less is no growth");
    }

    #[test]
    fn memory_that_grows_with_orders_is_not_flat() {
        // 0.5 % and 2 % of where it began, for a million orders.
        assert!(growth(|at_s| 100.0 + at_s * 0.005).is_flat());
        let grows = growth(|at_s| 100.0 + at_s * 0.02);
        assert!((grows.mb_per_million - 2.0).abs() < 1e-9, "{grows:?}");
        assert!((grows.growth_mb - 18.0).abs() < 1e-9, "{grows:?}");
        let sentence = grows.verdict().expect_err("it grows").to_string();
        assert!(sentence.contains("grew by 1.96 % for each million orders"), "{sentence}");
    }
}
