//! The one binary: its list of tools. What a subcommand does is in the crate or module of its name.

mod replay;
mod serve;
mod sim;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A trading venue: matching, accounts, a durable log, and the API that trading programs already
/// speak.
#[derive(Debug, Parser)]
#[command(version)]
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
    /// Act as the venue's operator: assets, instruments, accounts, money, keys
    Admin(admin::Admin),
    /// Look into the log of a venue, running or not, or of a backup: check, print, rebuild, export
    Log(audit::Log),
    /// Look after the read model that answers questions about the past
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
