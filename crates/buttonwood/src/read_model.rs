//! `buttonwood projection`: the read model of a venue, for its operator.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use projection::{Rebuilt, Status};

use crate::failure::Failure;

#[derive(Args, Debug)]
pub(crate) struct Projection {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Rebuild(Rebuild),
    /// Say how far the read model has come, and what it holds; the venue may run
    Status(Folder),
}

#[derive(Args, Debug)]
struct Folder {
    /// Folder that holds the venue
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Make the read model of a stopped venue anew, from its log
///
/// As far back as the log reaches. The old one stays until the new one is complete.
#[derive(Args, Debug)]
struct Rebuild {
    #[command(flatten)]
    folder: Folder,

    /// Do so even where the old one reaches farther back than the log
    #[arg(long)]
    forget: bool,
}

impl Projection {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::Rebuild(rebuild) => rebuild.run(),
            Action::Status(folder) => folder.status(),
        }
    }
}

impl Rebuild {
    fn run(&self) -> Result<(), Failure> {
        let Rebuilt { first_sequence, last_sequence } =
            projection::rebuild(&self.folder.dir, self.forget)?;
        println!("the read model holds the events of commands {first_sequence} to {last_sequence}");
        Ok(())
    }
}

impl Folder {
    fn status(&self) -> Result<(), Failure> {
        let Status { schema_version, progress, gaps, rows, bytes } = projection::status(&self.dir)?;
        println!("commands {} to {}", progress.first_sequence, progress.sequence);
        for (first, last) in gaps {
            println!("missing  {first} to {last}");
        }
        for (table, rows) in rows {
            println!("{table:<18} {rows}");
        }
        println!("schema {schema_version}, {bytes} bytes");
        Ok(())
    }
}
