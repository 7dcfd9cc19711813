//! `buttonwood bench`: how fast the venue is, measured end to end.
//!
//! The steps of a run: `venue.rs` starts a fresh venue; `machine.rs` and `bare.rs` measure the
//! machine in that minute; `fleet.rs` starts agents, processes of their own (`agent/`),
//! which send what `flow.rs` draws and merge their latencies exactly (`tally.rs`); readers
//! (`reader/`) follow streams meanwhile; `usage.rs` and `stages.rs` are read where the measured
//! time begins and ends. The result is a [`report::Report`], printed as text, as JSON or as CSV.
//!
//! # Invariants
//! - An open loop counts a latency from the time at which its request was due.
//! - Only successful answers have a latency in the figures; errors are counted by their cause.
//! - All processes that a run starts end with it.

mod agent;
mod bare;
mod core;
#[cfg(any(feature = "postgres", feature = "publish"))]
mod filled;
mod flags;
mod fleet;
mod floor;
mod flow;
mod frame;
mod generate;
mod growth;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "postgres")]
mod history;
#[cfg(feature = "redis")]
mod intake;
mod knee;
mod load;
mod machine;
mod ouch;
mod ouch_udp;
mod pace;
#[cfg(feature = "publish")]
mod publish;
mod read_model;
mod reader;
mod report;
mod require;
mod run;
mod score;
mod soak;
mod socket;
mod spec;
mod stages;
mod standing;
mod stream;
mod tally;
mod timer;
mod usage;
mod venue;
mod verdict;
mod wire;
mod workload;

use clap::{Args, Subcommand};
use cli::Failure;

use self::flags::Flags;
use self::spec::Load;

/// Measure the venue: orders a second, latencies, memory and CPU time
///
/// A scenario starts a fresh venue with funded accounts and drives it from other processes. The
/// report has the venue's figures beside those of the machine in the same minute: a raw fdatasync,
/// a round trip over TCP, and a bare handler that only checks signatures.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood bench rest-mix --clients 64 --duration 30 --json")]
pub struct Bench {
    #[command(subcommand)]
    scenario: Chosen,
}

#[derive(Debug, Subcommand)]
enum Chosen {
    /// Orders over REST in a closed loop: 25 % market, 50 % limit, 15 % IOC, 10 % FOK
    RestMix(Flags),
    /// GET /health/live, which reaches no order book
    Health(Flags),
    /// The same mix over REST, 20 orders a request
    Batch(Flags),
    /// The same mix over the WebSocket API, with many requests under way on each connection
    Pipelined(Flags),
    /// Orders by OUCH, at --rate in an open loop, otherwise in a closed one, beside an echo of the
    /// same frames
    Ouch(ouch::Ouch),
    /// Orders by OUCH over UDP in a closed loop, beside an echo of the same frames
    OuchUdp(ouch_udp::OuchUdp),
    /// Orders over gRPC in a closed loop: on a stream, or one a call beside REST
    #[cfg(feature = "grpc")]
    Grpc(grpc::Grpc),
    /// 200 users that join one by one; the book keeps 15,000 orders; 80 % limit, 20 % market orders
    #[command(name = "ramp-200")]
    Ramp200(Flags),
    /// Orders while readers follow the depth stream: what readers cost, and the age of their data
    Stream(stream::Stream),
    /// An hour at half the highest rate; fails if the venue's memory grows with its orders
    Soak(soak::Soak),
    /// Raises the rate until p99 passes a bound; the last rate within the bound is the knee
    Limits(Flags),
    /// Twice the rate of the knee over the WebSocket API; fails if orders time out
    Overload(Flags),
    /// The venue's memory with 0 to 1,000,000 resting orders
    Memory(Flags),
    /// The time that a killed venue needs until it is ready again
    Recovery(Flags),
    /// Matching without sockets and log, on the workloads w1, w2 and w3
    Core(core::Core),
    /// Curves: the engine's time a command by orders, instruments, accounts and commands, and the
    /// venue's orders a second by cores and readers
    Growth(growth::Growth),
    /// A venue's events into PostgreSQL, beside the same rows by COPY alone
    #[cfg(feature = "postgres")]
    History(history::History),
    /// A venue's events into a broker
    #[cfg(feature = "publish")]
    Publish(publish::Publish),
    /// Orders from Redis, from their push to their reply
    #[cfg(feature = "redis")]
    Intake(intake::Intake),
    /// Writes the workload w1, w2 or w3 to a file for other tools
    Gen(generate::Generate),
    /// The next ones are child processes of a run.
    #[command(hide = true)]
    Agent,
    #[command(hide = true)]
    Readers,
    #[command(hide = true)]
    Bare,
    #[command(hide = true)]
    OuchAgent,
    #[command(hide = true)]
    OuchEcho,
    #[command(hide = true)]
    OuchUdpAgent,
    #[command(hide = true)]
    OuchUdpEcho,
    #[cfg(feature = "grpc")]
    #[command(hide = true)]
    GrpcAgent,
}

impl Bench {
    pub fn run(self) -> Result<(), Failure> {
        match self.scenario {
            Chosen::Agent => agent::run(),
            Chosen::Readers => reader::run(),
            Chosen::Bare => bare::run(),
            Chosen::OuchAgent => ouch::run_agent(),
            Chosen::OuchEcho => ouch::run_echo(),
            Chosen::OuchUdpAgent => ouch_udp::run_agent(),
            Chosen::OuchUdpEcho => ouch_udp::run_echo(),
            Chosen::Ouch(ouch) => ouch.run(),
            Chosen::OuchUdp(ouch) => ouch.run(),
            #[cfg(feature = "grpc")]
            Chosen::GrpcAgent => grpc::run_agent(),
            #[cfg(feature = "grpc")]
            Chosen::Grpc(grpc) => grpc.run(),
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
            #[cfg(feature = "postgres")]
            Chosen::History(history) => history.run(),
            #[cfg(feature = "publish")]
            Chosen::Publish(publish) => publish.run(),
            #[cfg(feature = "redis")]
            Chosen::Intake(intake) => intake.run(),
            Chosen::Gen(generate) => generate.run(),
        }
    }
}
