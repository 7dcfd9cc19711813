//! `buttonwood man`: the help texts as man pages, one for each command.

use std::path::PathBuf;

use clap::CommandFactory;
use cli::Failure;

/// Write a man page for each command
#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// Folder that the pages are written to, such as /usr/share/man/man1
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Man {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        clap_mangen::generate_to(crate::Buttonwood::command(), &self.dir)
            .map_err(|error| Failure::new(format!("{}: {error}", self.dir.display())))
    }
}
