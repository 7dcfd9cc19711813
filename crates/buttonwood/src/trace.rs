use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;
use crate::failure::Failure;

/// Structured logs on stderr: stdout belongs to the answer.
pub(crate) fn init(level: &str, format: LogFormat) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(level)
        .map_err(|error| Failure::new(format!("the log level `{level}`: {error}")))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => lines.with_target(false).init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}
