//! `buttonwood bench`: how fast the venue is, measured end to end.
//!
//! The way of a run: `venue.rs` starts a fresh venue; `reference.rs` and `bare.rs` measure what the
//! machine can do in that minute; `fleet.rs` starts agents, processes of their own (`agent/`),
//! which send what `flow.rs` draws and merge their latencies exactly (`tally.rs`); readers
//! (`reader/`) follow streams meanwhile; `usage.rs` and `stages.rs` are read where the measured
//! time begins and ends. The result is a [`report::Report`], printed as text, as JSON or as CSV.
//!
//! # Invariants
//! - An open loop counts a latency from when its request was meant to be sent.
//! - What is measured is what was answered: an error is counted by its cause and has no latency.
//! - All processes that a run starts end with it.

mod agent;
mod bare;
mod core;
mod flags;
mod fleet;
mod flow;
mod frame;
mod generate;
mod growth;
mod knee;
mod load;
mod machine;
mod reader;
mod reference;
mod report;
mod require;
mod run;
mod samples;
mod soak;
mod socket;
mod spec;
mod stages;
mod standing;
mod stream;
mod tally;
mod usage;
mod venue;
mod verdict;
mod wire;
mod workload;

use clap::{Args, Subcommand};
use cli::Failure;

use self::flags::Flags;
use self::spec::Load;

/// Measure how fast the venue is: orders a second, latencies, and what they cost
///
/// A scenario starts a fresh venue with funded accounts, drives it from processes of their own, and
/// prints what came of it beside what the machine could do in the same minute: a raw fdatasync, a
/// round trip over TCP, and a bare handler that only checks signatures.
#[derive(Args, Debug)]
pub struct Bench {
    #[command(subcommand)]
    scenario: Chosen,
}

#[derive(Debug, Subcommand)]
enum Chosen {
    /// Orders over REST: 25 % market, 50 % limit, 15 % IOC, 10 % FOK; each client waits for its
    /// answer
    RestMix(Flags),
    /// The liveness call, which touches no order
    Health(Flags),
    /// 20 orders a request
    Batch(Flags),
    /// Orders over the WebSocket API, many under way on each connection
    Pipelined(Flags),
    /// Users that join one by one, 80 % limit and 20 % market orders, on a book that is kept at
    /// 15,000 orders
    #[command(name = "ramp-200")]
    Ramp200(Flags),
    /// Orders while readers follow the market data: what they cost, and how old it is when they
    /// have it
    Stream(stream::Stream),
    /// An hour at half the highest rate: whether the venue's memory grows with the orders it has
    /// seen
    Soak(soak::Soak),
    /// The rate is raised until p99 passes a bound: where it still held is the knee
    Limits(Flags),
    /// Twice the rate of the knee over the WebSocket API: what succeeds, and how the rest is
    /// refused
    Overload(Flags),
    /// What resting orders take
    Memory(Flags),
    /// How long a venue that was killed needs to come back
    Recovery(Flags),
    /// Matching without sockets and log, on the workloads w1, w2 and w3
    Core(core::Core),
    /// What a command costs the engine as orders, instruments, accounts or the run grow, and what
    /// the venue does with more cores and readers
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

impl Bench {
    pub fn run(self) -> Result<(), Failure> {
        match self.scenario {
            Chosen::Agent => agent::run(),
            Chosen::Readers => reader::run(),
            Chosen::Bare => bare::run(),
            Chosen::RestMix(flags) => run::run("rest-mix", Load::RestMix, &flags),
            Chosen::Health(flags) => run::run("health", Load::Health, &flags),
            Chosen::Batch(flags) => run::run("batch", Load::Batch, &flags),
            Chosen::Pipelined(flags) => run::run("pipelined", Load::WebSocket, &flags),
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
