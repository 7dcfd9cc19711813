//! `buttonwood pipeline`: the command line of the crate `pipeline`.

use ::pipeline::{MessageSource, Outcome, Plan, Stage, StrategyKind, Wire, run};
use clap::ValueEnum;
use cli::Failure;
use serde_json::{Value, json};

/// Measure messages on their way through parser, queue, book, strategy, risk and execution
///
/// The messages are generated, and come from memory. A first run is at saturation and gives the
/// rate. A second one is at half that rate, open loop: a latency counts from the time at which its
/// message was due until it was handled.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: buttonwood pipeline --strategy market-maker --messages 10000000")]
pub struct Pipeline {
    /// What trades: a market maker has orders on about 0.1 % of messages, momentum on about 85 %
    #[arg(long, value_enum)]
    strategy: StrategyArg,
    /// Messages of each run
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    messages: u64,
    /// Messages per second of the second run [default: half the rate of the first]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Encoding of messages and orders: ITCH 5.0 and OUCH 5.0, or FIX 4.4
    #[arg(long, value_enum, default_value_t = WireArg::Binary)]
    wire: WireArg,
    /// Read the messages from a TCP connection on this machine, which a third thread writes to
    #[arg(long)]
    socket: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StrategyArg {
    MarketMaker,
    Momentum,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WireArg {
    Binary,
    Fix,
}

const QUANTILES: [(&str, f64); 8] = [
    ("p10_ns", 0.1),
    ("p25_ns", 0.25),
    ("p50_ns", 0.5),
    ("p75_ns", 0.75),
    ("p90_ns", 0.9),
    ("p95_ns", 0.95),
    ("p99_ns", 0.99),
    ("p99_9_ns", 0.999),
];

impl Pipeline {
    pub fn run(self) -> Result<(), Failure> {
        let plan = Plan {
            strategy: match self.strategy {
                StrategyArg::MarketMaker => StrategyKind::MarketMaker,
                StrategyArg::Momentum => StrategyKind::Momentum,
            },
            wire: match self.wire {
                WireArg::Binary => Wire::Binary,
                WireArg::Fix => Wire::Fix,
            },
            from: if self.socket { MessageSource::Socket } else { MessageSource::Memory },
            messages: self.messages,
            paced_messages_per_s: self.rate.map(f64::from),
        };
        let outcome = run(&plan).map_err(|error| Failure::fault(error.to_string()))?;
        cli::print_line(if self.json {
            json(&plan, &outcome).to_string()
        } else {
            summary(&plan, &outcome)
        })
    }
}

fn json(plan: &Plan, outcome: &Outcome) -> Value {
    let latency = &outcome.latency;
    let mut object = json!({
        "messages": plan.messages,
        "messages_per_s": outcome.messages_per_s,
        "elapsed_s": outcome.elapsed_s,
        "paced_messages_per_s": outcome.paced_messages_per_s,
        "mean_ns": latency.mean(),
        "max_ns": latency.max(),
        "orders": outcome.orders,
        "orders_per_message": outcome.orders as f64 / plan.messages as f64,
        "fill_rate": fill_rate(outcome),
        "refused": outcome.refused,
        "rss_mb": outcome.rss_mb,
        "page_faults": outcome.page_faults,
        "context_switches": outcome.context_switches,
        "allocations": outcome.allocations,
    });
    for (name, quantile) in QUANTILES {
        object[name] = latency.value_at_quantile(quantile).into();
    }
    for (name, quantile) in [("bare_p50_ns", 0.5), ("bare_p99_ns", 0.99)] {
        object[name] = outcome.bare_latency.value_at_quantile(quantile).into();
    }
    for stage in Stage::ALL {
        let of = &outcome.stages[stage as usize];
        object["stages"][name(stage)] = json!({
            "samples": of.len(),
            "p50_ns": of.value_at_quantile(0.5),
            "p99_ns": of.value_at_quantile(0.99),
            "max_ns": of.max(),
        });
    }
    object
}

fn summary(plan: &Plan, outcome: &Outcome) -> String {
    let mut lines = vec![format!(
        "{} messages in {:.3} s, {:.2} M/s; orders on {:.2} % of messages, {:.1} % of them filled, \
         {} refused",
        plan.messages,
        outcome.elapsed_s,
        outcome.messages_per_s / 1e6,
        outcome.orders as f64 / plan.messages as f64 * 100.0,
        fill_rate(outcome) * 100.0,
        outcome.refused
    )];
    let latency = &outcome.latency;
    let of = |quantile| latency.value_at_quantile(quantile);
    lines.push(format!(
        "latency at {:.2} M/s: p50 {} ns, p99 {} ns, p99.9 {} ns, max {} ns",
        outcome.paced_messages_per_s / 1e6,
        of(0.5),
        of(0.99),
        of(0.999),
        latency.max()
    ));
    let bare = |quantile| outcome.bare_latency.value_at_quantile(quantile);
    lines.push(format!("  without work: p50 {} ns, p99 {} ns", bare(0.5), bare(0.99)));
    for stage in Stage::ALL {
        let of = &outcome.stages[stage as usize];
        let quantile = |quantile| of.value_at_quantile(quantile);
        let (p50, p99) = (quantile(0.5), quantile(0.99));
        lines.push(format!("  {:10} p50 {p50} ns, p99 {p99} ns", name(stage)));
    }
    lines.push(format!(
        "{:.1} MB, {} allocations, {} page faults, {} context switches",
        outcome.rss_mb.unwrap_or_default(),
        outcome.allocations,
        outcome.page_faults,
        outcome.context_switches
    ));
    lines.join("\n")
}

fn fill_rate(outcome: &Outcome) -> f64 {
    outcome.filled as f64 / outcome.orders.max(1) as f64
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Parse => "parse",
        Stage::Queue => "queue",
        Stage::Book => "book",
        Stage::Strategy => "strategy",
        Stage::Order => "order",
    }
}
