//! `buttonwood bench`: how fast the venue is, measured end to end.
//!
//! The way of a run: `venue.rs` starts a fresh venue; `reference.rs` and `bare.rs` measure what the
//! machine can do in that minute; `fleet.rs` starts agents, processes of their own (`agent/`), which
//! send what `flow.rs` draws and merge their latencies exactly (`tally.rs`); others (`reader/`) read
//! streams meanwhile; `usage.rs` and `stages.rs` are read where the measured time begins and ends. What
//! comes out are [`Figures`], printed as a table, as JSON, as CSV or as a page.
//!
//! # Invariants
//! - An open loop counts a latency from when its request was meant to be sent.
//! - What is measured is what was answered: an error is counted by its cause and has no latency.
//! - All processes that a run starts end with it.

mod agent;
mod bare;
mod chart;
mod core;
mod figures;
mod fleet;
mod flow;
mod frame;
mod generate;
mod growth;
mod highest;
mod knee;
mod looks;
mod machine;
mod page;
mod progress;
mod reader;
mod reference;
mod require;
mod run;
mod soak;
mod spec;
mod stages;
mod standing;
mod stream;
mod table;
mod tally;
mod usage;
mod venue;
mod verdict;
mod wire;
mod workload;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches, Subcommand, ValueEnum};

use self::require::Requirement;
use self::run::Scenario;
use crate::failure::Failure;
use crate::huge_pages::HugePages;

/// Measure how fast the venue is: orders a second, latencies, and what they cost
///
/// A scenario starts a fresh venue with funded accounts, drives it from processes of their own, and
/// prints what came of it beside what the machine could do in the same minute: a raw fdatasync, a round
/// trip over TCP, and a bare handler that only checks signatures.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    #[command(subcommand)]
    scenario: Chosen,
}

#[derive(Debug, Subcommand)]
enum Chosen {
    /// Orders over REST: 25 % market, 50 % limit, 15 % IOC, 10 % FOK; each client waits for its answer
    RestMix(Flags),
    /// The liveness call, which touches no order
    Health(Flags),
    /// 20 orders a request
    Batch(Flags),
    /// Orders over the WebSocket API, many under way on each connection
    Pipelined(Flags),
    /// Users that join one by one, 80 % limit and 20 % market orders, on a book that is kept at 15,000
    /// orders
    #[command(name = "ramp-200")]
    Ramp200(Flags),
    /// Orders while readers follow the market data: what they cost, and how old it is when they have it
    Stream(stream::Stream),
    /// An hour at half the highest rate: whether the venue's memory grows with the orders it has seen
    Soak(soak::Soak),
    /// The rate is raised until p99 passes a bound: where it still held is the knee
    Limits(Flags),
    /// Twice the rate of the knee over the WebSocket API: what succeeds, and how the rest is refused
    Overload(Flags),
    /// What resting orders take
    Memory(Flags),
    /// How long a venue that was killed needs to come back
    Recovery(Flags),
    /// Matching without sockets and log, on the workloads w1, w2 and w3
    Core(core::Core),
    /// What a command costs the engine as orders, instruments, accounts or the run grow, and what the venue
    /// does with more cores and readers
    Growth(growth::Growth),
    /// Write such a workload, for other tools
    Gen(generate::Generate),
    /// A part of a run: it is started by it
    #[command(hide = true)]
    Agent,
    #[command(hide = true)]
    Readers,
    #[command(hide = true)]
    Bare,
}

const DURATION_S: u64 = 10;

#[derive(Args, Clone, Debug)]
struct Flags {
    /// Clients, each with a connection and an account of its own
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    clients: u16,
    /// Seconds that are measured [default: 10, ramp-200: 300, soak: 3,600]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    duration: Option<u64>,
    /// Seconds before that, which are not
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u64).range(..=3_600))]
    warm_up: u64,
    /// Requests a second at their times, whatever the answers take; for limits and overload, where they
    /// begin [default: half of what a closed loop of up to 10 s comes to; rest-mix stays a closed loop,
    /// limits and overload begin with 1,000]
    #[arg(long, value_name = "R", value_parser = rate)]
    rate: Option<f64>,
    /// Requests that a client may have under way, where the protocol allows more than one
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    window: u16,
    /// Seconds over which clients begin one after the other [default: 0, ramp-200: the duration]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(..=86_400))]
    ramp: Option<u64>,
    /// Orders that rest, for memory, recovery and ramp-200 [default: 1,000,000, ramp-200 15,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000_000))]
    orders: Option<u64>,
    /// Latency within which 99 % must be, for limits and overload [default: 10, overload 100]
    #[arg(long, value_name = "MS")]
    p99_ms: Option<f64>,
    /// Processes that the clients are spread over
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    agents: u16,
    /// What an acknowledged order of the fresh venue survives
    #[arg(long, value_enum, default_value_t = Durability::Fsync)]
    durability: Durability,
    /// Cores that the engine's and the log's thread of the fresh venue are kept to, as for `serve`
    #[arg(long, value_name = "CORE[,CORE]", conflicts_with = "url")]
    pin: Option<String>,
    /// How many cores the fresh venue may use; who drives it may use all [default: all]
    #[arg(long, value_name = "N", conflicts_with = "url", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    cores: Option<u16>,
    /// Whether the fresh venue's large arrays may lie on huge pages
    #[arg(long, value_name = "SWITCH", conflicts_with = "url", default_value = "on")]
    huge_pages: HugePages,
    /// What the orders are drawn by
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder in which the fresh venue's is made: its disk is measured [default: that for temporary files]
    #[arg(long, value_name = "DIR")]
    within: Option<PathBuf>,
    /// Measure a venue that runs already, such as http://127.0.0.1:8080; it must list BTCUSDT
    #[arg(
        long,
        value_name = "URL",
        requires = "key",
        requires = "secret",
        conflicts_with = "within"
    )]
    url: Option<String>,
    /// API key on that venue
    #[arg(long, requires = "url")]
    key: Option<String>,
    /// Its secret
    #[arg(long, requires = "url")]
    secret: Option<String>,
    /// Drive the same load against something else as well, right after: it takes the same signed orders
    #[arg(long, value_name = "URL")]
    beside: Option<String>,
    /// API key there
    #[arg(long, value_name = "KEY", requires = "beside", default_value = "baseline")]
    beside_key: String,
    /// Its secret
    #[arg(long, value_name = "SECRET", requires = "beside", default_value = "baseline")]
    beside_secret: String,
    /// What the machine costs an hour, for the cost of a million orders
    #[arg(long, value_name = "MONEY")]
    cost_per_hour: Option<f64>,
    /// What must be reached, by names of the JSON, such as p99_ms<10,orders_per_s>1000; else the
    /// exit status is 1
    #[arg(long, value_name = "FIGURE<BOUND", value_delimiter = ',')]
    require: Vec<Requirement>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print a table for spreadsheets
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write the figures with their drawings as one page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Durability {
    Fsync,
    Os,
    Memory,
}

impl Default for Flags {
    /// As where none is given.
    fn default() -> Self {
        let words = Self::augment_args(clap::Command::new("bench")).get_matches_from(["bench"]);
        Self::from_arg_matches(&words).expect("all have a default")
    }
}

impl Flags {
    fn measured(&self) -> Duration {
        Duration::from_secs(self.duration.unwrap_or(DURATION_S))
    }

    /// For what is about this venue only.
    fn alone(self, scenario: &str) -> Result<Self, Failure> {
        match self.beside {
            None => Ok(self),
            Some(_) => Err(Failure::new(format!(
                "{scenario} has no --beside: it is about what only this venue has"
            ))),
        }
    }

    /// What `serve` is told for the fresh venue.
    fn settings(&self) -> Vec<&str> {
        let mut settings = vec!["--durability", self.durability.name()];
        settings.extend(["--huge-pages", self.huge_pages.name()]);
        if let Some(pin) = &self.pin {
            settings.extend(["--pin", pin]);
        }
        settings
    }
}

impl Durability {
    fn name(self) -> &'static str {
        match self {
            Self::Fsync => "fsync",
            Self::Os => "os",
            Self::Memory => "memory",
        }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: Option<f64> = text.parse().ok().filter(|rate| (0.1..=1e8).contains(rate));
    rate.ok_or_else(|| "a rate is between 0.1 and 100,000,000 requests a second".to_owned())
}

impl Bench {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.scenario {
            Chosen::Agent => agent::run(),
            Chosen::Readers => reader::run(),
            Chosen::Bare => bare::run(),
            Chosen::RestMix(flags) => run::run(&Scenario::REST_MIX, &flags),
            Chosen::Health(flags) => run::run(&Scenario::HEALTH, &flags),
            Chosen::Batch(flags) => run::run(&Scenario::BATCH, &flags),
            Chosen::Pipelined(flags) => run::run(&Scenario::PIPELINED, &flags),
            Chosen::Ramp200(flags) => run::ramp_200(flags),
            Chosen::Stream(stream) => stream.run(),
            Chosen::Soak(soak) => soak.run(),
            Chosen::Limits(flags) => knee::limits(&flags),
            Chosen::Overload(flags) => knee::overload(flags.alone("overload")?),
            Chosen::Memory(flags) => standing::memory(&flags.alone("memory")?),
            Chosen::Recovery(flags) => standing::recovery(&flags.alone("recovery")?),
            Chosen::Core(core) => core.run(),
            Chosen::Growth(growth) => growth.run(),
            Chosen::Gen(generate) => generate.run(),
        }
    }
}
