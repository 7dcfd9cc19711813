//! `buttonwood reconcile`: a recorded run beside its back-test.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use cli::Failure;
use serde_json::json;
use strategy::live::{Comparison, RecordedFill, RunKind, reconcile};

use crate::interrupt;

/// Differences that are listed.
const LISTED_MAX: usize = 20;

/// Run a recorded run of `trade` again as a back-test, and compare the fills
///
/// The exit status is 0 if the share of fills that only one side has is within the bound, else 1.
/// docs/live.md says what may differ.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood reconcile monday --bound-percent 10")]
pub struct Reconcile {
    /// The folder that `trade --record` has written
    run: PathBuf,
    /// Fills that only one side has, of all, that are accepted [default: 0 on paper, 20 live]
    #[arg(long, value_name = "PERCENT")]
    bound_percent: Option<f64>,
    /// Time within which a fill of the run and one of the back-test may be the same
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    window_ms: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Reconcile {
    pub fn run(self) -> Result<(), Failure> {
        let stop = interrupt::flag()?;
        let window_ns = i64::from(self.window_ms) * 1_000_000;
        let found = reconcile(&self.run, window_ns, stop);
        let found = found.map_err(|error| Failure::fault(error.to_string()))?;
        let by_kind = || if found.kind == RunKind::Paper { 0.0 } else { 20.0 };
        let bound = self.bound_percent.unwrap_or_else(by_kind);
        let percent = found.difference() * 100.0;
        cli::print_line(if self.json { json_of(&found, bound) } else { summary(&found, bound) })?;
        if percent <= bound {
            return Ok(());
        }
        Err(Failure::fault(format!(
            "{percent:.1} % of the fills are on one side only, above the bound of {bound} %"
        )))
    }
}

/// What the pairs differ by.
struct Differences {
    price_pairs: usize,
    ticks_mean: f64,
    ns_median: i64,
    ns_max: i64,
}

impl Differences {
    fn of(found: &Comparison) -> Self {
        let ticks: Vec<i64> = found.price_differences().collect();
        let mut apart: Vec<i64> = found.time_differences().map(i64::abs).collect();
        apart.sort_unstable();
        let mean = ticks.iter().sum::<i64>() as f64 / ticks.len().max(1) as f64;
        Self {
            price_pairs: ticks.iter().filter(|ticks| **ticks != 0).count(),
            ticks_mean: mean,
            ns_median: apart.get(apart.len() / 2).copied().unwrap_or(0),
            ns_max: apart.last().copied().unwrap_or(0),
        }
    }
}

fn json_of(found: &Comparison, bound: f64) -> String {
    let Differences { price_pairs, ticks_mean, ns_median, ns_max } = Differences::of(found);
    json!({
        "kind": found.kind,
        "fills": found.run.len(),
        "backtest_fills": found.test.len(),
        "pairs": found.pairs.len(),
        "only_run": found.run_alone(),
        "only_backtest": found.test_alone(),
        "difference_percent": found.difference() * 100.0,
        "bound_percent": bound,
        "price_differences": price_pairs,
        "mean_price_difference_ticks": ticks_mean,
        "median_time_difference_ns": ns_median,
        "max_time_difference_ns": ns_max,
    })
    .to_string()
}

fn summary(found: &Comparison, bound: f64) -> String {
    let Differences { price_pairs, ticks_mean, ns_median, ns_max } = Differences::of(found);
    let mut text = String::new();
    let ms = |ns: i64| ns as f64 / 1e6;
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{} fills of the run, {} of the back-test: {} pairs, {:.1} only in the run, {:.1} only in \
         the back-test",
        found.run.len(),
        found.test.len(),
        found.pairs.len(),
        found.run_alone(),
        found.test_alone(),
    );
    let _ = writeln!(
        text,
        "difference {:.1} %, bound {bound} %; {price_pairs} pairs at another price ({ticks_mean:.2} \
         ticks in the mean), times {:.1} ms apart in the median and {:.1} ms at most",
        found.difference() * 100.0,
        ms(ns_median),
        ms(ns_max),
    );
    let sides =
        [("run", &found.run, &found.only_run), ("back-test", &found.test, &found.only_test)];
    for (side, fills, left) in sides {
        let alone = fills.iter().zip(left).filter(|(_, left)| **left > 0);
        for (fill, left) in alone.take(LISTED_MAX) {
            let _ = writeln!(text, "only in the {side}: {}", line(found, fill, *left));
        }
    }
    text.pop();
    text
}

fn line(found: &Comparison, fill: &RecordedFill, lots: u64) -> String {
    let instrument = &found.instruments[usize::from(fill.instrument)];
    let side = if fill.side == types::Side::Buy { "buy" } else { "sell" };
    let qty = instrument.lot.text(i128::from(lots), 0);
    let price = instrument.tick.text(i128::from(fill.ticks), 0);
    format!(
        "{} order {} {side} {qty} at {price}, {} ns",
        instrument.name, fill.order_id, fill.exchange_ns
    )
}
