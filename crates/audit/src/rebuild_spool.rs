//! `buttonwood log rebuild-spool`: the event spool made anew from the log.

use std::path::PathBuf;

use clap::Args;
use cli::Failure;
use server::SpoolSettings;
use venue::{RebuiltSpool, Settings, rebuild_spool};

/// Make the event spool of a stopped venue anew, from its log
///
/// As far back as the log and the limits reach. Give the limits that `serve` has: what is beyond
/// them is deleted when the venue starts.
#[derive(Args, Debug)]
pub(crate) struct RebuildSpool {
    /// Folder that holds the venue
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Mebibytes that the event spool may take [default: 256]
    #[arg(long, value_name = "N")]
    spool_max_mib: Option<u64>,

    /// Hours by which events in the spool may be older than the newest; 0 is no limit [default: 0]
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
        println!("the spool holds the events of commands {first_sequence} to {last_sequence}");
        Ok(())
    }
}
