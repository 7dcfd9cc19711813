//! The flags that the scenarios share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches};
use cli::{Durability, Failure, HugePages, word};

use super::report::Output;

const DURATION_S: u64 = 10;

#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    /// Clients, each with a connection and an account of its own
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(super) clients: u16,
    /// Seconds that are measured [default: 10, ramp-200: 300, soak: 3,600]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) duration: Option<u64>,
    /// Seconds before that, which are not
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u64).range(..=3_600))]
    pub(super) warm_up: u64,
    /// Requests a second at their times, whatever the answers take; for limits and overload, where
    /// they begin [default: half of the rate of a closed loop of up to 10 s; rest-mix stays a
    /// closed loop, limits and overload begin with 1,000]
    #[arg(long, value_name = "R", value_parser = rate)]
    pub(super) rate: Option<f64>,
    /// Requests that a client may have under way, where the protocol allows more than one
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub(super) window: u16,
    /// Seconds over which clients begin one after the other [default: 0, ramp-200: the duration]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(..=86_400))]
    pub(super) ramp: Option<u64>,
    /// Orders that rest, for memory, recovery and ramp-200 [default: 1,000,000, ramp-200 15,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000_000))]
    pub(super) orders: Option<u64>,
    /// Latency within which 99 % must be, for limits and overload [default: 10, overload 100]
    #[arg(long, value_name = "MS")]
    pub(super) p99_ms: Option<f64>,
    /// Processes that the clients are spread over
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) agents: u16,
    /// What an acknowledged order of the fresh venue survives
    #[arg(long, value_enum, default_value_t = Durability::Fsync)]
    pub(super) durability: Durability,
    /// Cores that the engine's and the log's thread of the fresh venue are kept to, as for `serve`
    #[arg(long, value_name = "CORE[,CORE]", conflicts_with = "url")]
    pub(super) pin: Option<String>,
    /// How many cores the fresh venue may use; its clients may use all [default: all]
    #[arg(long, value_name = "N", conflicts_with = "url", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub(super) cores: Option<u16>,
    /// Whether the fresh venue's large arrays may lie on huge pages
    #[arg(long, value_name = "SWITCH", conflicts_with = "url", default_value = "on")]
    pub(super) huge_pages: HugePages,
    /// What the orders are drawn by
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Folder in which the fresh venue's is made: its disk is measured [default: that for temporary
    /// files]
    #[arg(long, value_name = "DIR")]
    pub(super) within: Option<PathBuf>,
    /// Measure a venue that runs already, such as http://127.0.0.1:8080; it must list BTCUSDT
    #[arg(
        long,
        value_name = "URL",
        requires = "key",
        requires = "secret",
        conflicts_with = "within"
    )]
    pub(super) url: Option<String>,
    /// API key on that venue
    #[arg(long, requires = "url")]
    pub(super) key: Option<String>,
    /// Its secret
    #[arg(long, requires = "url")]
    pub(super) secret: Option<String>,
    /// Drive the same load against something else as well, right after: it takes the same signed
    /// orders
    #[arg(long, value_name = "URL")]
    pub(super) beside: Option<String>,
    /// API key there
    #[arg(long, value_name = "KEY", requires = "beside", default_value = "baseline")]
    pub(super) beside_key: String,
    /// Its secret
    #[arg(long, value_name = "SECRET", requires = "beside", default_value = "baseline")]
    pub(super) beside_secret: String,
    /// What the machine costs an hour, for the cost of a million orders
    #[arg(long, value_name = "MONEY")]
    pub(super) cost_per_hour: Option<f64>,
    #[command(flatten)]
    pub(super) output: Output,
}

impl Default for Flags {
    /// The flags of an empty command line.
    fn default() -> Self {
        let words = Self::augment_args(clap::Command::new("bench")).get_matches_from(["bench"]);
        Self::from_arg_matches(&words).expect("all have a default")
    }
}

impl Flags {
    pub(super) fn measured(&self) -> Duration {
        Duration::from_secs(self.duration.unwrap_or(DURATION_S))
    }

    /// Refuses `--beside` for a scenario that measures what only this venue has.
    pub(super) fn alone(self, scenario: &str) -> Result<Self, Failure> {
        if self.beside.is_none() {
            return Ok(self);
        }
        let why = "it measures what only this venue has";
        Err(Failure::new(format!("{scenario} has no --beside: {why}")))
    }

    /// Flags of `serve` for the fresh venue.
    pub(super) fn settings(&self) -> Vec<String> {
        let mut settings = vec![
            format!("--durability={}", word(&self.durability)),
            format!("--huge-pages={}", word(&self.huge_pages)),
        ];
        settings.extend(self.pin.as_ref().map(|pin| format!("--pin={pin}")));
        settings
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: Option<f64> = text.parse().ok().filter(|rate| (0.1..=1e8).contains(rate));
    rate.ok_or_else(|| "a rate is between 0.1 and 100,000,000 requests a second".to_owned())
}
