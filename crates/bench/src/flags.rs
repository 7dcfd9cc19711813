//! The flags that the scenarios share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches};
use cli::{DURABILITY, Failure, SWITCH};

use super::report::Output;

const DURATION_S: u64 = 10;

#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    /// Clients, 1 to 10,000, each with a connection and an account of its own
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(super) clients: u16,
    /// Measured seconds, 1 to 86,400 [default: 10, ramp-200: 300, soak: 3,600]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) duration: Option<u64>,
    /// Seconds of load before the measured time, 0 to 3,600
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u64).range(..=3_600))]
    pub(super) warm_up: u64,
    /// Requests a second of an open loop, 0.1 to 100,000,000; the first rate of limits and overload
    /// [default: half of the rate of a closed loop of up to 10 s; limits and overload: 1,000;
    /// rest-mix and ouch: a closed loop]
    #[arg(long, value_name = "R", value_parser = rate)]
    pub(super) rate: Option<f64>,
    /// Requests under way on a connection of the WebSocket API, 1 to 1,024
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub(super) window: u16,
    /// Seconds over which clients begin one after the other, 0 to 86,400
    /// [default: 0, ramp-200: the duration]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(..=86_400))]
    pub(super) ramp: Option<u64>,
    /// Resting orders before the load, up to 10,000,000
    /// [default: 0, memory and recovery: 1,000,000, ramp-200: 15,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000_000))]
    pub(super) orders: Option<u64>,
    /// Bound of the p99 latency in ms, for limits and overload [default: 10, overload: 100]
    #[arg(long, value_name = "MS")]
    pub(super) p99_ms: Option<f64>,
    /// Processes that share the clients, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) agents: u16,
    /// What an acknowledged order of the fresh venue survives: loss of power (fsync), the end of
    /// the process (os), or nothing (memory)
    #[arg(long, value_name = "LEVEL", value_parser = DURABILITY, default_value = "fsync")]
    pub(super) durability: String,
    /// Cores for the engine's and the log's thread of the fresh venue, as for `serve`
    /// [default: none]
    #[arg(long, value_name = "CORE[,CORE]", conflicts_with = "url")]
    pub(super) pin: Option<String>,
    /// Number of cores for the fresh venue, 1 to 1,024; its clients use all cores [default: all]
    #[arg(long, value_name = "N", conflicts_with = "url", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub(super) cores: Option<u16>,
    /// Allows huge pages for the large arrays of the fresh venue
    #[arg(long, value_name = "SWITCH", conflicts_with = "url", value_parser = SWITCH, default_value = "on")]
    pub(super) huge_pages: String,
    /// File with other settings of the fresh venue, as for `serve`
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub(super) config: Option<PathBuf>,
    /// Seed of the orders: the same seed gives the same orders
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Folder for the fresh venue's folder, whose disk is measured
    /// [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub(super) within: Option<PathBuf>,
    /// Measure a running venue that lists BTCUSDT, such as http://127.0.0.1:8080, localhost:8080
    /// or :8080 [default: a fresh venue]
    #[arg(
        long,
        visible_alias = "http",
        value_name = "URL",
        requires = "key",
        requires = "secret",
        conflicts_with = "within"
    )]
    pub(super) url: Option<String>,
    /// API key on the venue of --url
    #[arg(long, requires = "url")]
    pub(super) key: Option<String>,
    /// Secret of --key
    #[arg(long, requires = "url")]
    pub(super) secret: Option<String>,
    /// Measure another server, which takes the same signed orders, with the same load afterwards
    #[arg(long, value_name = "URL")]
    pub(super) beside: Option<String>,
    /// API key on the server of --beside
    #[arg(long, value_name = "KEY", requires = "beside", default_value = "baseline")]
    pub(super) beside_key: String,
    /// Secret of --beside-key
    #[arg(long, value_name = "SECRET", requires = "beside", default_value = "baseline")]
    pub(super) beside_secret: String,
    /// Price of the machine an hour, for the figure cost_per_million_orders [default: none]
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
            format!("--durability={}", self.durability),
            format!("--huge-pages={}", self.huge_pages),
        ];
        settings.extend(self.pin.as_ref().map(|pin| format!("--pin={pin}")));
        settings.extend(self.config.as_ref().map(|file| format!("--config={}", file.display())));
        settings
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: Option<f64> = text.parse().ok().filter(|rate| (0.1..=1e8).contains(rate));
    rate.ok_or_else(|| "a rate is between 0.1 and 100,000,000 requests a second".to_owned())
}
