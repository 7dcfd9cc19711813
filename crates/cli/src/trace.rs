//! Log lines on stderr.

use server::{LogFormat, LoggingSettings};
use tracing_subscriber::EnvFilter;

use crate::failure::Failure;

/// Structured logs on stderr: stdout belongs to the answer.
pub fn init(settings: &LoggingSettings) -> Result<(), Failure> {
    let LoggingSettings { level, format } = settings;
    let filter = EnvFilter::try_new(level)
        .map_err(|error| Failure::new(format!("the log level `{level}`: {error}")))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => lines.with_target(false).init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}
