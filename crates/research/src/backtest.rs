//! `buttonwood backtest`: the command line of the back-test in the crate `strategy`.

mod account;
pub(crate) mod latency;
mod many;
pub(crate) mod output;
mod source;

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use cli::Failure;
use recorded::{Kind, Recording};
use strategy::backtest::{FeedLatency, Inside, OrderLatency, Setup};
use strategy::job::{AccountJob, Job, Mode};
use strategy::sweep::Axis;
use strategy::{Fees, Funding, Instrument, Journal, TableFormat};

use self::output::Report;
use self::source::Events;
use crate::choice::Accounts;
use crate::files::{Reading, recording};
use crate::interrupt;
use crate::rules::{Levels, Limits, Rates};

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
    #[command(flatten)]
    accounts: Accounts,
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
    #[command(flatten)]
    levels: Levels,
    #[command(flatten)]
    rates: Rates,
    /// CSV file `time,rate` of funding, which positions pay at their marks
    #[arg(long, value_name = "FILE")]
    funding: Option<PathBuf>,
    /// Money of an account at the start, which returns refer to
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
    /// Folder for orders, fills, positions and equity; several accounts have a folder each in it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Form of the tables in that folder
    #[arg(long, value_enum, default_value_t = OutFormat::Csv)]
    out_format: OutFormat,
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

/// Exact decimals in CSV, doubles in Parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutFormat {
    Csv,
    Parquet,
}

impl From<OutFormat> for TableFormat {
    fn from(format: OutFormat) -> Self {
        match format {
            OutFormat::Csv => Self::Csv,
            OutFormat::Parquet => Self::Parquet,
        }
    }
}

impl Backtest {
    pub fn run(self) -> Result<(), Failure> {
        if self.accounts.is_help() {
            return cli::print_line(output::strategies());
        }
        let accounts = self.accounts.read()?;
        let start = Instant::now();
        let mut events = Events::open(&self.reading, &self.data, self.repeat)?;
        // Before the instruments are asked for: some formats name them in their events only.
        let first = events.first_kind()?;
        let mode = self.mode.map_or_else(|| mode_of(first), Ok)?;
        if let Some(path) = events.bars_beside() {
            let path = path.display();
            return Err(Failure::fault(format!(
                "{path}: bars are run by themselves: beside other data the strategy would see them \
                 at the times that the file states, which may be before they end"
            )));
        }
        let instruments: Vec<Instrument> = events
            .instruments()
            .iter()
            .map(|found| Instrument {
                multiplier: self.multiplier,
                ..Instrument::new(found.name.clone(), found.tick, found.lot)
            })
            .collect();
        output::require_names(&instruments)?;
        let job = self.job(mode, accounts, instruments)?;
        if !self.sweep.axes.is_empty() {
            return many::run(&self, &job, events);
        }
        let journals = self.journals(&job)?;
        let stop = interrupt::flag()?;
        let ready_s = start.elapsed().as_secs_f64();
        let done = source::run(&job, &mut events, journals, stop);
        events.end();
        let took_s = start.elapsed().as_secs_f64();
        let done = done?;
        let report = Report::new(&job, &done, &events, took_s - ready_s, ready_s);
        if let Some(path) = &self.html {
            output::write_html(path, &job, &done, &report)?;
        }
        cli::print_line(if self.json { report.json() } else { report.summary() })
    }

    fn job(
        &self,
        mode: ModeArg,
        accounts: Vec<AccountJob>,
        instruments: Vec<Instrument>,
    ) -> Result<Job, Failure> {
        let mode = match mode {
            ModeArg::L3 => Mode::Orders { impact: self.impact == Impact::Match },
            ModeArg::L2 => Mode::Levels,
            ModeArg::Trades => Mode::Trades,
            ModeArg::Bars => Mode::Bars,
        };
        let (latency, feed): (OrderLatency, FeedLatency) = self.latency.read()?;
        Ok(Job {
            mode,
            setup: Setup {
                instruments,
                fees: Fees {
                    maker: self.rates.maker_fee_bps.unwrap_or(0),
                    taker: self.rates.taker_fee_bps.unwrap_or(0),
                },
                funding: self.funding()?,
                limits: self.limits.risk(),
                latency,
                feed,
                sample_ns: i64::from(self.sample_ms) * 1_000_000,
            },
            rules: self.levels.rules(),
            inside: if self.optimistic_stops { Inside::Path } else { Inside::Pessimistic },
            accounts,
        })
    }

    fn funding(&self) -> Result<Funding, Failure> {
        let Some(path) = &self.funding else { return Ok(Funding::default()) };
        let failed = |reason: String| Failure::fault(format!("{}: {reason}", path.display()));
        let file = File::open(path).map_err(|error| failed(error.to_string()))?;
        Funding::read(BufReader::new(file)).map_err(|error| failed(error.to_string()))
    }

    /// Several accounts have a folder each.
    fn journals(&self, job: &Job) -> Result<Vec<Journal>, Failure> {
        let Some(folder) = &self.out else { return Ok(self.without_files(job)) };
        let journal = |account: &AccountJob| {
            let is_alone = job.accounts.len() == 1;
            let folder = if is_alone { folder.clone() } else { folder.join(&account.name) };
            let instruments = &job.setup.instruments;
            Journal::in_folder(self.capital, &folder, instruments, self.out_format.into())
                .map_err(|error| Failure::fault(format!("{}: {error}", folder.display())))
        };
        job.accounts.iter().map(journal).collect()
    }

    fn without_files(&self, job: &Job) -> Vec<Journal> {
        job.accounts.iter().map(|_| Journal::new(self.capital)).collect()
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

/// Ranges of a parameter, for the flattened arguments.
pub(crate) fn axis(text: &str) -> Result<Axis, String> {
    text.parse().map_err(|error: strategy::sweep::AxisInvalid| error.to_string())
}
