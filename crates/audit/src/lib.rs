//! `buttonwood log`: a venue's data folder, for operators and auditors. Everything here
//! reads the log and the snapshots and changes neither, and takes no lock: it may run beside the
//! venue. Only [`rebuild_spool`] needs the venue stopped, for it writes what was made of the log.
//!
//! Beside it stand `buttonwood projection` ([`read_model`]), `backup` and `restore` ([`backup`]).
//! [`cli::moment`] is how a place in the log is named, [`show`] how values are printed.

mod backup;
mod dump;
mod export;
mod from_to;
mod read_model;
mod rebuild_spool;
mod show;
mod state;
mod verify;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use cli::Failure;

pub use backup::{Backup, Restore};
pub use read_model::Projection;

#[derive(Args, Debug)]
pub struct Log {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Check that the log and the snapshots are whole, and say from where the state can be rebuilt
    ///
    /// Reads every frame, follows the chain of hashes, decodes every command, checks every
    /// snapshot, and replays the log to see that it leads to the state of each snapshot. Prints
    /// what it found; the exit status is 0 if all is sound and 1 if anything is not.
    Verify(Folder),
    /// Print the commands in the log, one a line
    ///
    /// Each line has the command's sequence, its time, the way by which it came, the account, and
    /// all of its fields. Secrets are never shown: the log has them only sealed.
    Dump(dump::Dump),
    State(state::State),
    /// Write orders, trades and balances as tables, for auditors
    ///
    /// FOLDER gets the tables orders, trades, adjustments and balances, and, when all of them are
    /// complete, export.json, which says which commands they cover.
    Export(export::Export),
    RebuildSpool(rebuild_spool::RebuildSpool),
}

#[derive(Args, Debug)]
struct Folder {
    /// Folder that holds the venue, running or not, or a backup of it
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Log {
    pub fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::Verify(folder) => verify::run(&folder.dir),
            Action::Dump(dump) => dump.run(),
            Action::State(state) => state.run(),
            Action::Export(export) => export.run(),
            Action::RebuildSpool(rebuild) => rebuild.run(),
        }
    }
}
