//! The one binary: its list of tools. Each subcommand is in the crate or module of its name.

mod replay;
mod serve;
mod sim;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    Replay(replay::Replay),
    Bench(bench::Bench),
    Sim(sim::Sim),
    /// Operate a venue: assets, instruments, accounts, transfers, keys, halts
    Admin(admin::Admin),
    /// Check, print, rebuild or export the log of a venue or a backup
    Log(audit::Log),
    /// Show or rebuild the read model, which answers queries about the past
    Projection(audit::Projection),
    Backup(audit::Backup),
    Restore(audit::Restore),
}

fn main() -> ExitCode {
    let result = match Buttonwood::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::Sim(sim) => sim.run(),
        Command::Bench(bench) => bench.run(),
        Command::Replay(replay) => replay.run(),
        Command::Admin(admin) => admin.run(),
        Command::Log(log) => log.run(),
        Command::Projection(projection) => projection.run(),
        Command::Backup(backup) => backup.run(),
        Command::Restore(restore) => restore.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("buttonwood: {failure}");
            ExitCode::FAILURE
        }
    }
}
