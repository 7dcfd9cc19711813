//! The scenario `soak`: an hour at half the highest rate, while the venue's memory is sampled. It
//! finds memory that grows with the number of orders.

use std::time::Duration;

use clap::Args;
use cli::Failure;
use serde_json::Value;

use super::flags::Flags;
use super::load::{Scenario, open, resting_qty, rss_mb, sampled};
use super::report::{Figure, Report, report};
use super::run::{Run, with_rate};
use super::spec::Load;

const SCENARIO: Scenario = Scenario { name: "soak", load: Load::RestMix };
const DURATION_S: u64 = 3_600;
/// Samples over the whole time, and the bounds of their distance.
const SAMPLES: u32 = 240;
const SAMPLE_EVERY: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(15)];
/// Part of the time in which pools and caches fill.
const SETTLES: f64 = 0.1;

#[derive(Args, Clone, Debug)]
pub(super) struct Soak {
    #[command(flatten)]
    flags: Flags,
    /// Growth of the venue's memory in percent for each million orders, after the first tenth of
    /// the time; above it the exit status is 1
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
        let venue = open(flags, flags.clients.into())?;
        // Fails here where there is no process to sample.
        rss_mb(&venue)?;
        let run = Run::begin(SCENARIO, flags, venue)?;
        let (rated, highest) = with_rate(SCENARIO, flags, &run.venue)?;
        let every = (flags.measured() / SAMPLES).clamp(SAMPLE_EVERY[0], SAMPLE_EVERY[1]);
        let (measured, samples) = sampled(SCENARIO, &rated, &run.venue, every, |at_s| {
            let resting_qty = resting_qty(&run.venue)?;
            Ok(Sample { at_s, rss_mb: rss_mb(&run.venue)?, resting_qty })
        })?;
        let orders_per_s = measured.outcome.orders_per_s(flags.measured());
        let (memory, verdict) = growth(&samples, flags.measured(), orders_per_s, self.growth_max)?;
        run.finish(&rated, highest, &measured, report! { memory: memory })?;
        verdict
    }
}

/// How the venue's memory grew, by the straight line that fits all samples after the first tenth
/// best; and a failure if it grew by more than `most` percent for each million orders.
fn growth(
    samples: &[Sample],
    duration: Duration,
    orders_per_s: f64,
    most: f64,
) -> Result<(Report, Result<(), Failure>), Failure> {
    let settled_s = duration.as_secs_f64() * SETTLES;
    let settled: Vec<_> = samples.iter().filter(|sample| sample.at_s >= settled_s).collect();
    let (Some(first), Some(last)) = (settled.first(), settled.last()) else {
        return Err(Failure::new("the venue's memory has no sample after the first tenth"));
    };
    let (settled_mb, mb_per_s) = fit(&settled);
    let mb_per_million = if orders_per_s > 0.0 { mb_per_s / (orders_per_s / 1e6) } else { 0.0 };
    let percent = 100.0 * mb_per_million / settled_mb;
    let highest = |pick: fn(&Sample) -> f64| samples.iter().map(pick).fold(0.0, f64::max);
    let rows = samples.iter().map(|Sample { at_s, rss_mb, resting_qty }| {
        report! { at_s: *at_s, rss_mb: *rss_mb, resting_qty: *resting_qty }.value()
    });
    let resting = format!(
        "{}; {:.0} units rest in the book at the end, {:.0} at most",
        samples.len(),
        last.resting_qty,
        highest(|sample| sample.resting_qty)
    );
    let is_flat = percent <= most;
    let report = Report::note("verdict", if is_flat { "flat" } else { "NOT FLAT" });
    let report = report.with(report! {
        settled_mb: settled_mb,
        end_mb: last.rss_mb,
        highest_mb: highest(|sample| sample.rss_mb),
        growth_mb: mb_per_s * (last.at_s - first.at_s),
        growth_mb_per_million: mb_per_million,
        growth_percent_per_million: percent,
        growth_percent_per_million_max: most,
        is_flat: Figure::data(is_flat.into()),
        samples: Figure::Short(rows.collect::<Value>(), resting),
    });
    if is_flat {
        return Ok((report, Ok(())));
    }
    let failure = Failure::new(format!(
        "the venue's memory is not flat: it grew by {percent:.2} % for each million orders, and \
         {most:.2} % is allowed (--growth-max)"
    ));
    Ok((report, Err(failure)))
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
    fn grown(rss_mb: impl Fn(f64) -> f64) -> (Value, Result<(), Failure>) {
        let sample = |at: u32| {
            let at_s = f64::from(at * 10);
            Sample { at_s, rss_mb: rss_mb(at_s), resting_qty: 0.0 }
        };
        let samples: Vec<_> = (0..=100).map(sample).collect();
        let (report, verdict) =
            growth(&samples, Duration::from_secs(1_000), 10_000.0, 1.0).expect("it has samples");
        assert_eq!(report.value()["is_flat"], verdict.is_ok());
        (report.value(), verdict)
    }

    #[test]
    fn memory_that_settles_in_the_first_tenth_is_flat() {
        let (settling, verdict) = grown(|at_s| if at_s < 100.0 { at_s } else { 100.0 });
        assert_eq!((verdict.is_ok(), &settling["growth_mb"]), (true, &0.0.into()));
        // Up and down is no growth.
        assert!(grown(|at_s| 100.0 + (at_s / 10.0) % 2.0).1.is_ok());
        assert!(grown(|at_s| 100.0 - at_s / 100.0).1.is_ok(), "less is no growth");
    }

    #[test]
    fn memory_that_grows_with_orders_is_not_flat() {
        // 0.5 % and 2 % of where it began, for a million orders.
        assert!(grown(|at_s| 100.0 + at_s * 0.005).1.is_ok());
        let (grows, verdict) = grown(|at_s| 100.0 + at_s * 0.02);
        for (name, mb) in [("growth_mb_per_million", 2.0), ("growth_mb", 18.0)] {
            assert!((grows[name].as_f64().expect("a figure") - mb).abs() < 1e-9, "{grows}");
        }
        let sentence = verdict.expect_err("it grows").to_string();
        assert!(sentence.contains("grew by 1.96 % for each million orders"), "{sentence}");
    }
}
