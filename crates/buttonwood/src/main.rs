//! The one binary: its list of tools. Each subcommand is in the crate or module of its name.

#[cfg(feature = "tools")]
mod completions;
#[cfg(feature = "tools")]
mod man;
mod serve;
mod sim;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cli::Failure;

/// `pipeline` shows that it does not allocate.
#[cfg(feature = "tools")]
#[global_allocator]
static ALLOCATOR: research::Counting = research::Counting;

/// A trading venue: matching, accounts, a durable log, and an API that trading programs already
/// support
#[derive(Debug, Parser)]
#[command(version, after_help = "Example: buttonwood serve --demo --data my-venue")]
struct Buttonwood {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a venue in the foreground
    Serve(serve::Serve),
    #[cfg(feature = "tools")]
    Replay(research::Replay),
    #[cfg(feature = "tools")]
    Backtest(Box<research::Backtest>),
    #[cfg(feature = "tools")]
    Trade(Box<research::Trade>),
    #[cfg(feature = "tools")]
    Reconcile(research::Reconcile),
    /// Convert, describe and check recordings of markets
    #[cfg(feature = "tools")]
    Data(research::Data),
    #[cfg(feature = "tools")]
    Pipeline(research::Pipeline),
    #[cfg(feature = "tools")]
    Bench(bench::Bench),
    Sim(sim::Sim),
    /// Operate a venue: assets, instruments, accounts, transfers, keys, halts
    Admin(admin::Admin),
    Apply(admin::Apply),
    Export(admin::Export),
    /// Check, print, rebuild or export the log of a venue or a backup
    Log(audit::Log),
    /// Show or rebuild the read model, which answers queries about the past
    Projection(audit::Projection),
    Backup(audit::Backup),
    Restore(audit::Restore),
    #[cfg(feature = "tools")]
    Completions(completions::Completions),
    #[cfg(feature = "tools")]
    Man(man::Man),
}

fn main() -> ExitCode {
    match run(parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            cli::print_error(format_args!("buttonwood: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    if !matches!(command, Command::Serve(_)) {
        cli::init_warnings()?;
    }
    match command {
        Command::Serve(serve) => serve.run(),
        Command::Sim(sim) => sim.run(),
        #[cfg(feature = "tools")]
        Command::Bench(bench) => bench.run(),
        #[cfg(feature = "tools")]
        Command::Replay(replay) => replay.run(),
        #[cfg(feature = "tools")]
        Command::Backtest(backtest) => backtest.run(),
        #[cfg(feature = "tools")]
        Command::Trade(trade) => trade.run(),
        #[cfg(feature = "tools")]
        Command::Reconcile(reconcile) => reconcile.run(),
        #[cfg(feature = "tools")]
        Command::Data(data) => data.run(),
        #[cfg(feature = "tools")]
        Command::Pipeline(pipeline) => pipeline.run(),
        Command::Admin(admin) => admin.run(),
        Command::Apply(apply) => apply.run(),
        Command::Export(export) => export.run(),
        Command::Log(log) => log.run(),
        Command::Projection(projection) => projection.run(),
        Command::Backup(backup) => backup.run(),
        Command::Restore(restore) => restore.run(),
        #[cfg(feature = "tools")]
        Command::Completions(completions) => completions.run(),
        #[cfg(feature = "tools")]
        Command::Man(man) => man.run(),
    }
}

fn parse() -> Buttonwood {
    Buttonwood::try_parse().unwrap_or_else(|error| {
        let is_unknown = error.kind() == clap::error::ErrorKind::InvalidSubcommand;
        if is_unknown && cfg!(not(feature = "tools")) {
            // The exit code and the form are clap's.
            let _ = error.print();
            cli::print_error(
                "\nThis is the build of `make run`, without `bench`, `replay`, `data`, `pipeline`, \
                 `backtest`, `trade`, `reconcile` and `log export`. `cargo build --release` makes target/release/buttonwood, which has them.",
            );
            std::process::exit(error.exit_code());
        }
        error.exit()
    })
}
