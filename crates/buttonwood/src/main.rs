//! The one binary. What a subcommand does is in the module of its name.

mod admin;
mod backup;
mod bench;
mod clock;
mod config;
mod demo;
mod failure;
mod feed;
mod history;
mod huge_pages;
mod random;
mod read_model;
mod recovery;
mod replay;
mod serve;
mod sim;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// A trading venue: matching, accounts, a durable log, and the API that trading programs already
/// speak.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a venue in the foreground
    Serve(serve::Serve),
    Replay(replay::Args),
    Bench(bench::Bench),
    Sim(sim::Sim),
    /// Act as the venue's operator: assets, instruments, accounts, money, keys
    Admin(admin::Admin),
    /// Look into the log of a venue, running or not, or of a backup: check, print, rebuild, export
    Log(history::Log),
    /// Look after the read model that answers questions about the past
    Projection(read_model::Projection),
    Backup(backup::Backup),
    Restore(backup::Restore),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::Sim(sim) => sim.run(),
        Command::Bench(bench) => bench.run(),
        Command::Replay(args) => replay::run(&args).map_err(Failure::from),
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
