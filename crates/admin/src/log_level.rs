//! The level of the running venue's log.

use clap::Args;
use cli::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backend::Venue;

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: buttonwood admin log-level info,gateway=debug")]
pub(crate) struct LogLevel {
    /// Level (`off`, `error`, `warn`, `info`, `debug`, `trace`), or levels by module such as
    /// `info,gateway=debug`
    level: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct LogLevelShown {
    /// From now until the venue's end, or the next change
    level: String,
}

impl LogLevel {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<LogLevelShown, Failure> {
        venue.backend.set_log_level(&self.level)?;
        Ok(LogLevelShown { level: self.level })
    }
}
