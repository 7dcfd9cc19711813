//! `buttonwood log rebuild-spool`: rebuilds the event spool from the log.

use std::path::PathBuf;

use clap::Args;
use cli::Failure;
use server::SpoolSettings;
use venue::{RebuiltSpool, Settings, rebuild_spool};

/// Rebuild the event spool of a stopped venue from its log
///
/// The spool reaches back as far as the log and the limits allow. Name the same limits as for
/// `serve`, which deletes events beyond its limits.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood log rebuild-spool my-venue --spool-max-mib 1024")]
pub(crate) struct RebuildSpool {
    /// Folder of the venue
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Size limit of the event spool in MiB, at least 32 [default: 256]
    #[arg(long, value_name = "N")]
    spool_max_mib: Option<u64>,

    /// Age limit of events in the spool in hours, counted from the newest event; 0 is no limit
    /// [default: 0]
    #[arg(long, value_name = "N")]
    spool_max_hours: Option<u64>,
}

impl RebuildSpool {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let dir = &self.dir;
        // Opening it as a venue would begin a new one there.
        if !dir.join("log").is_dir() {
            let sentence =
                format!("{} holds no venue: there is no folder `log` in it", dir.display());
            return Err(Failure::new(sentence));
        }
        let default = SpoolSettings::default();
        let spool = SpoolSettings {
            max_mib: self.spool_max_mib.unwrap_or(default.max_mib),
            max_hours: self.spool_max_hours.unwrap_or(default.max_hours),
        };
        let settings = Settings { retention: spool.retention()?, ..Settings::new(dir) };
        let RebuiltSpool { first_sequence, last_sequence } = rebuild_spool(settings)?;
        cli::print_line(format_args!(
            "the spool holds the events of commands {first_sequence} to {last_sequence}"
        ))
    }
}
