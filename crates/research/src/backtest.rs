//! `buttonwood backtest`: the command line of the back-test in the crate `strategy`.

mod interrupt;
mod latency;
mod many;
mod output;
mod source;

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use cli::Failure;
use recorded::{Kind, Recording};
use strategy::backtest::{
    Delay, FeedLatency, Fills, Inside, Journal, LevelRules, OrderLatency, QueueModel, Setup,
};
use strategy::job::{Job, Mode};
use strategy::param::Values;
use strategy::sweep::Axis;
use strategy::{Fees, Instrument, RiskLimits, builtin};

use self::output::Report;
use self::source::Events;
use crate::files::{Reading, recording};

/// Run a strategy over recorded data, and report what it would have earned
///
/// The mode follows from the data: order by order (l3), order book by levels (l2), trades, bars.
/// docs/backtest.md has the rules of each.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood backtest --data examples/data/l2.csv.gz \
                        --strategy market-maker --set half-spread=2 --latency-us 500")]
pub struct Backtest {
    /// Recorded data, FILE or NAME=FILE; several are merged by time
    #[arg(long, required = true, num_args = 1.., value_name = "FILE", value_parser = recording)]
    data: Vec<Recording>,
    /// Name of a built-in strategy; `--strategy help` lists them with their parameters
    #[arg(long, value_name = "NAME")]
    strategy: String,
    /// A parameter of the strategy
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// TOML file with parameters, one `key = value` a line; --set comes after it
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// What decides fills [default: by the data]
    #[arg(long, value_enum)]
    mode: Option<ModeArg>,
    /// Order by order: `match` has own orders in the engine's book, `none` leaves the record alone
    #[arg(long, value_enum, default_value_t = Impact::Match)]
    impact: Impact,
    #[command(flatten)]
    latency: latency::Latencies,
    /// Queue model of the mode l2: risk-averse, power:N, power2:N, power3:N, log, log2
    #[arg(long, value_name = "MODEL", default_value = "power3:3")]
    queue: QueueModel,
    /// Whether an event fills an order by its quantity, or in full as hftbacktest's first exchange
    #[arg(long, value_enum, default_value_t = FillsArg::Partial)]
    fills: FillsArg,
    /// Time for which a level lacks what an own order took from it
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    consumed_ms: u32,
    /// Fee of a resting order, in basis points of the value; negative is a rebate
    #[arg(long, value_name = "BPS", default_value = "0", allow_hyphen_values = true,
          value_parser = rate)]
    maker_fee_bps: i64,
    /// Fee of a taking order
    #[arg(long, value_name = "BPS", default_value = "0", allow_hyphen_values = true,
          value_parser = rate)]
    taker_fee_bps: i64,
    /// Money at the start, which returns refer to
    #[arg(long, value_name = "AMOUNT", default_value_t = 10_000.0)]
    capital: f64,
    /// Quote units that one unit of quantity at price one is worth: 50 for ES futures
    #[arg(long, value_name = "N", default_value_t = 1)]
    multiplier: u32,
    #[command(flatten)]
    limits: Limits,
    /// Bars: fill what lies inside one bar in the order of the path, not stops first
    #[arg(long)]
    optimistic_stops: bool,
    /// Time between two samples of the equity
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    sample_ms: u32,
    /// Read the data this many times in a row, as if the record went on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Folder for orders, fills, positions and equity as CSV
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// File for a report with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    sweep: many::Sweep,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    L3,
    L2,
    Trades,
    Bars,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Impact {
    Match,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FillsArg {
    Partial,
    Full,
}

/// Limits in front of the strategy.
#[derive(Args, Clone, Copy, Debug)]
struct Limits {
    /// Lots of one order at most
    #[arg(long, value_name = "LOTS")]
    max_order: Option<u64>,
    /// Lots of a position at most, if all open orders filled
    #[arg(long, value_name = "LOTS")]
    max_position: Option<u64>,
    /// Value of one order at most
    #[arg(long, value_name = "AMOUNT")]
    max_notional: Option<f64>,
    /// Orders in any second at most
    #[arg(long, value_name = "N")]
    max_orders_per_second: Option<u32>,
    /// Stop the strategy when its profit has fallen this much below its highest value
    #[arg(long, value_name = "AMOUNT")]
    max_drawdown: Option<f64>,
}

impl Backtest {
    pub fn run(self) -> Result<(), Failure> {
        if self.strategy == "help" {
            return cli::print_line(output::strategies());
        }
        let values = self.values()?;
        let start = Instant::now();
        let mut events = Events::open(&self.reading, &self.data, self.repeat)?;
        // Before the instruments are asked for: some formats name them in their events only.
        let first = events.first_kind()?;
        let mode = self.mode.map_or_else(|| mode_of(first), Ok)?;
        let instruments: Vec<Instrument> = events
            .instruments()
            .iter()
            .map(|found| Instrument {
                multiplier: self.multiplier,
                ..Instrument::new(found.name.clone(), found.tick, found.lot)
            })
            .collect();
        output::require_names(&instruments)?;
        let job = self.job(mode, values, instruments)?;
        if !self.sweep.axes.is_empty() {
            return many::run(&self, &job, events);
        }
        let journal = self.journal(&job.setup.instruments)?;
        let stop = interrupt::flag()?;
        let ready_s = start.elapsed().as_secs_f64();
        let done = source::run(&job, &mut events, journal, stop);
        let took_s = start.elapsed().as_secs_f64();
        let done = done?;
        let report = Report::new(&job, &done, &events, took_s - ready_s, ready_s);
        if let Some(path) = &self.html {
            output::write_html(path, &job, &done, &report)?;
        }
        cli::print_line(if self.json { report.json() } else { report.summary() })
    }

    fn values(&self) -> Result<Values, Failure> {
        let Some(found) = builtin::find(&self.strategy) else {
            let known: Vec<&str> = builtin::BUILTINS.iter().map(|known| known.name).collect();
            return Err(Failure::fault(format!(
                "no strategy is called {:?}: there are {}",
                self.strategy,
                known.join(", ")
            )));
        };
        let mut values = Values::defaults(found.params);
        let from_file = self.params.as_deref().map(output::read_params).transpose()?;
        for (key, value) in from_file.iter().flatten().chain(&self.set) {
            values.set(key, value).map_err(|error| Failure::fault(error.to_string()))?;
        }
        Ok(values)
    }

    fn job(
        &self,
        mode: ModeArg,
        values: Values,
        instruments: Vec<Instrument>,
    ) -> Result<Job, Failure> {
        let mode = match mode {
            ModeArg::L3 => Mode::Orders { impact: self.impact == Impact::Match },
            ModeArg::L2 => Mode::Levels,
            ModeArg::Trades => Mode::Trades,
            ModeArg::Bars => Mode::Bars,
        };
        let (latency, feed): (OrderLatency, FeedLatency) = self.latency.read()?;
        let Limits { max_order, max_position, max_notional, max_orders_per_second, max_drawdown } =
            self.limits;
        Ok(Job {
            mode,
            setup: Setup {
                instruments,
                fees: Fees { maker: self.maker_fee_bps, taker: self.taker_fee_bps },
                limits: RiskLimits {
                    order_lots: max_order,
                    position_lots: max_position,
                    notional: max_notional,
                    orders_per_second: max_orders_per_second,
                    drawdown: max_drawdown,
                },
                latency,
                feed,
                sample_ns: i64::from(self.sample_ms) * 1_000_000,
            },
            rules: LevelRules {
                queue: self.queue,
                fills: match self.fills {
                    FillsArg::Partial => Fills::Partial,
                    FillsArg::Full => Fills::Full,
                },
                consumed_ns: i64::from(self.consumed_ms) * 1_000_000,
            },
            inside: if self.optimistic_stops { Inside::Path } else { Inside::Pessimistic },
            strategy: self.strategy.clone(),
            values,
        })
    }

    fn journal(&self, instruments: &[Instrument]) -> Result<Journal, Failure> {
        let Some(folder) = &self.out else { return Ok(Journal::new(self.capital)) };
        Journal::in_folder(self.capital, folder, instruments)
            .map_err(|error| Failure::fault(format!("{}: {error}", folder.display())))
    }
}

/// The mode of data that begin with such an event.
fn mode_of(first: Option<Kind>) -> Result<ModeArg, Failure> {
    match first {
        None => Err(Failure::fault("the data have no events")),
        Some(Kind::Add | Kind::Cancel | Kind::Delete | Kind::Modify | Kind::Execute) => {
            Ok(ModeArg::L3)
        }
        Some(Kind::Level | Kind::SnapshotLevel | Kind::Clear) => Ok(ModeArg::L2),
        Some(Kind::Trade) => Ok(ModeArg::Trades),
        Some(Kind::Open | Kind::High | Kind::Low | Kind::Close) => Ok(ModeArg::Bars),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

/// Basis points with up to four decimals, in 10^-8.
fn rate(text: &str) -> Result<i64, String> {
    let wrong = || "expected basis points with at most four decimals, such as 0.5".to_owned();
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let units = types::parse_decimal(digits, 4).ok_or_else(wrong)?;
    let units =
        i64::try_from(units).ok().filter(|units| *units <= 100_000_000).ok_or_else(wrong)?;
    Ok(sign * units)
}

/// Ranges of parameters, for the flattened arguments.
pub(crate) fn axis(text: &str) -> Result<Axis, String> {
    text.parse().map_err(|error: strategy::sweep::AxisInvalid| error.to_string())
}

pub(crate) fn delay(text: &str) -> Result<Delay, String> {
    text.parse().map_err(|error: strategy::backtest::DelayInvalid| error.to_string())
}
