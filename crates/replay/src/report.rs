//! The results of a replay, as JSON or as text for a person.

use std::fmt::Write;

use recorded::Format;
use serde::Serialize;
use types::{Price, Side};

use super::plan::{Auction, Disagreements, Inferred, Plan};
use super::target::Target;
use super::verify::{Mismatch, Outcome};
use super::watch::Watch;

/// The speed of a workload, and its results.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    pub commands: u64,
    pub commands_per_s: f64,
    pub trades: u64,
    pub rejected: u64,
}

/// The fields are an interface that other programs read.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    format: &'static str,
    commands: u64,
    rejected: u64,
    trades: u64,
    volume: u64,
    /// Price times quantity in the file's units. In JSON a number of any length.
    notional: u128,
    resting_orders: usize,
    resting_qty: u64,
    levels: usize,
    bid_levels: usize,
    ask_levels: usize,
    sum_best_bid: u64,
    sum_best_ask: u64,
    elapsed_s: f64,
    commands_per_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ns: Option<Latency>,
    #[serde(flatten)]
    recorded: Option<Recorded>,
    #[serde(flatten)]
    verified: Option<Verified>,
}

#[derive(Debug, Serialize)]
struct Latency {
    p50: u64,
    p99: u64,
    p99_9: u64,
    max: u64,
}

#[derive(Debug, Serialize)]
struct Recorded {
    executions: u64,
    maker_agrees: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    inferred: Option<Inferred>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disagreements: Option<Disagreements>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auctions: Option<Vec<Uncrossed>>,
}

/// The results of our auction and of the exchange's.
#[derive(Debug, Serialize)]
struct Uncrossed {
    price: u64,
    volume: u64,
    exchange_price: u64,
    exchange_volume: u64,
}

#[derive(Debug, Serialize)]
struct Verified {
    verified_rows: u64,
    equal_rows: u64,
    first_mismatch: Option<Mismatch>,
}

impl Report {
    pub(crate) fn speed(&self) -> Speed {
        let Self { commands, commands_per_s, trades, rejected, .. } = *self;
        Speed { commands, commands_per_s, trades, rejected }
    }

    pub(crate) fn new(plan: &Plan, target: &impl Target, watch: &Watch, outcome: Outcome) -> Self {
        let tally = target.tally();
        let elapsed_s = watch.elapsed().as_secs_f64();
        let commands_per_s = if elapsed_s > 0.0 { watch.count() as f64 / elapsed_s } else { 0.0 };
        let is_recorded = plan.format != Format::Obwl;
        let mut report = Self {
            format: plan.format.name(),
            commands: watch.count(),
            rejected: tally.rejected,
            trades: tally.trades,
            volume: tally.volume,
            notional: tally.notional * u128::from(plan.price_unit),
            resting_orders: target.resting_orders(),
            resting_qty: 0,
            levels: 0,
            bid_levels: 0,
            ask_levels: 0,
            sum_best_bid: 0,
            sum_best_ask: 0,
            elapsed_s,
            commands_per_s: commands_per_s.round(),
            latency_ns: watch.sorted().map(|sorted| Latency::of(&sorted)),
            recorded: is_recorded.then_some(Recorded {
                executions: tally.executions,
                maker_agrees: tally.maker_agrees,
                inferred: plan.inferred,
                disagreements: plan.disagreements,
                auctions: tally.auctions.as_deref().and_then(|found| Uncrossed::all(plan, found)),
            }),
            verified: plan.book.is_some().then_some(Verified {
                verified_rows: outcome.verified_rows,
                equal_rows: outcome.equal_rows,
                first_mismatch: outcome.first_mismatch,
            }),
        };
        for instrument in 0..plan.instrument_count {
            for side in [Side::Buy, Side::Sell] {
                report.add_side(&target.levels(instrument, side, usize::MAX), side, plan);
            }
        }
        report
    }

    fn add_side(&mut self, levels: &[(i64, u64)], side: Side, plan: &Plan) {
        self.levels += levels.len();
        self.resting_qty += levels.iter().map(|(_, qty)| qty).sum::<u64>();
        let best = levels.first().map_or(0, |(price, _)| price.unsigned_abs() * plan.price_unit);
        match side {
            Side::Buy => {
                self.bid_levels += levels.len();
                self.sum_best_bid += best;
            }
            Side::Sell => {
                self.ask_levels += levels.len();
                self.sum_best_ask += best;
            }
        }
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("a report has nothing that JSON has not")
    }

    pub(crate) fn summary(&self, plan: &Plan, book_only: bool) -> String {
        let mut lines = Vec::new();
        let mut line = |name: &str, text: String| lines.push(format!("{name:<16}{text}"));
        let target = if book_only { "bare book" } else { "whole engine" };
        line("format", format!("{}, {target}", self.format));
        line("commands", format!("{} ({} rejected)", grouped(self.commands), self.rejected));
        let rate = grouped(self.commands_per_s as u64);
        line("time", format!("{:.6} s, {rate} commands/s", self.elapsed_s));
        if let Some(Latency { p50, p99, p99_9, max }) = &self.latency_ns {
            line("latency", format!("p50 {p50} ns, p99 {p99} ns, p99.9 {p99_9} ns, max {max} ns"));
        }
        let (volume, notional) = (grouped(self.volume), grouped(self.notional));
        line("trades", format!("{}, {volume} lots, notional {notional}", grouped(self.trades)));
        let (qty, levels) = (grouped(self.resting_qty), grouped(self.levels as u64));
        let orders = grouped(self.resting_orders as u64);
        line("resting", format!("{orders} orders, {qty} lots on {levels} levels"));
        let (bid, ask) = (grouped(self.sum_best_bid), grouped(self.sum_best_ask));
        line("best prices", format!("bids {bid}, asks {ask}, summed over instruments"));
        if let Some(recorded) = &self.recorded {
            line("executions", recorded.summary());
            if let Some(inferred) = &recorded.inferred {
                line("inferred", inferred.summary());
            }
            if let Some(Disagreements { self_match, hidden_qty, other }) = &recorded.disagreements {
                line(
                    "disagreements",
                    format!("{self_match} self-match, {hidden_qty} hidden quantity, {other} other"),
                );
            }
            for Uncrossed { price, volume, exchange_price, exchange_volume } in
                recorded.auctions.iter().flatten()
            {
                let (found, exchange) = (grouped(*price), grouped(*exchange_price));
                let text = format!(
                    "{volume} lots at {found}, the exchange {exchange_volume} at {exchange}"
                );
                line("auction", text);
            }
            let left_out = plan.left_out;
            line(
                "left out",
                format!(
                    "{} without effect on the visible book, {} of unknown orders",
                    left_out.without_effect, left_out.unknown
                ),
            );
            line("corrections", format!("{} commands, not timed", left_out.corrections));
        }
        if let Some(verified) = &self.verified {
            let (equal, all) = (grouped(verified.equal_rows), grouped(verified.verified_rows));
            line("verified", format!("{equal} of {all} rows equal"));
            if let Some(mismatch) = &verified.first_mismatch {
                line("first mismatch", mismatch.to_string());
            }
        }
        lines.join("\n")
    }
}

impl Uncrossed {
    fn all(plan: &Plan, found: &[Auction]) -> Option<Vec<Self>> {
        let recorded = plan.auctions.as_ref()?;
        assert_eq!(recorded.len(), found.len(), "a plan has an auction where its target has");
        let in_units = |price: Price| price.ticks().unsigned_abs() * plan.price_unit;
        let all = found.iter().zip(recorded).map(|(found, exchange)| Self {
            price: in_units(found.price),
            volume: found.volume.lots(),
            exchange_price: in_units(exchange.price),
            exchange_volume: exchange.volume.lots(),
        });
        Some(all.collect())
    }
}

impl Recorded {
    fn summary(&self) -> String {
        let (agrees, all) = (self.maker_agrees, self.executions);
        let mut text = format!("{}, of which {} filled ", grouped(all), grouped(agrees));
        text.push_str("the order that the exchange filled");
        if all > 0 {
            let share = agrees as f64 * 100.0 / all as f64;
            write!(text, " ({share:.2} %)").expect("writing to a string does not fail");
        }
        text
    }
}

impl Inferred {
    fn summary(&self) -> String {
        let Self { anonymous, oldest, stale_qty, missing } = self;
        format!(
            "{anonymous} messages off anonymous orders, {oldest} off the oldest orders, \
             {stale_qty} of changed orders, {missing} above the quantity at their price"
        )
    }
}

impl Latency {
    /// Zeros if nothing was timed.
    fn of(sorted: &[u64]) -> Self {
        let at = |per_mille: usize| {
            let rank = (sorted.len() * per_mille / 1000).min(sorted.len().saturating_sub(1));
            sorted.get(rank).copied().unwrap_or(0)
        };
        Self { p50: at(500), p99: at(990), p99_9: at(999), max: at(1000) }
    }
}

fn grouped(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0_u64), "0");
        assert_eq!(grouped(999_u64), "999");
        assert_eq!(grouped(1_000_u64), "1,000");
        assert_eq!(grouped(u128::MAX), "340,282,366,920,938,463,463,374,607,431,768,211,455");
    }

    #[test]
    fn percentiles_are_of_the_sorted() {
        let sorted: Vec<u64> = (1..=10_000).collect();
        let Latency { p50, p99, p99_9, max } = Latency::of(&sorted);
        assert_eq!((p50, p99, p99_9, max), (5_001, 9_901, 9_991, 10_000));
        let Latency { p50, p99, p99_9, max } = Latency::of(&[7]);
        assert_eq!((p50, p99, p99_9, max), (7, 7, 7, 7));
        assert_eq!(Latency::of(&[]).max, 0);
    }
}
