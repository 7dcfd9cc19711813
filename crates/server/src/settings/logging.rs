//! `[logging]`: the lines on stderr.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Logging {
    /// A level, or by module as `info,gateway=debug`.
    pub level: String,
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

impl Default for Logging {
    fn default() -> Self {
        Self { level: "info".into(), format: LogFormat::Text }
    }
}
