//! `buttonwood log`: a venue's data folder, for operators and auditors. All tools here read the log
//! and the snapshots, change neither, and take no lock: they may run beside the venue. Only
//! [`rebuild_spool`] needs a stopped venue, because it writes the spool.
//!
//! `buttonwood projection` ([`read_model`]), `backup` and `restore` ([`backup`]) are here, too.
//! [`cli::moment`] parses places in the log, [`show`] prints values.

mod answer;
mod backup;
mod dump;
#[cfg(feature = "export")]
mod export;
mod read_model;
mod rebuild_spool;
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
    /// Check the log and the snapshots, and print which states can be rebuilt
    ///
    /// Reads each frame, follows the chain of hashes, decodes each command, checks each snapshot,
    /// and replays the log to compare its states with the snapshots. Prints the findings; the exit
    /// status is 0 if all is sound, else 1.
    #[command(after_help = "Example: buttonwood log verify my-venue")]
    Verify(Folder),
    /// Print the commands in the log, one a line
    ///
    /// Each line has the command's sequence, its time, its origin, the account, and all of its
    /// fields. Secrets are never shown: the log has them only sealed.
    Dump(dump::Dump),
    State(state::State),
    #[cfg(feature = "export")]
    /// Write orders, trades, adjustments, transfers and balances as tables, for auditors
    ///
    /// FOLDER receives a file for each table and, when all are complete, export.json with the range
    /// of their commands and the numbers of rows.
    Export(export::Export),
    RebuildSpool(rebuild_spool::RebuildSpool),
    #[command(hide = true)]
    Answer(answer::Answer),
}

#[derive(Args, Debug)]
struct Folder {
    /// Folder of a venue, running or not, or of a backup
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Log {
    pub fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::Verify(folder) => verify::run(&folder.dir),
            Action::Dump(dump) => dump.run(),
            Action::State(state) => state.run(),
            #[cfg(feature = "export")]
            Action::Export(export) => export.run(),
            Action::RebuildSpool(rebuild) => rebuild.run(),
            Action::Answer(answer) => answer.run(),
        }
    }
}
