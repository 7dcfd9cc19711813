//! Log lines on stderr.

use std::io::IsTerminal;
use std::sync::OnceLock;

use server::{LogFormat, LoggingSettings};
use tracing_subscriber::Registry;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload;
use tracing_subscriber::util::SubscriberInitExt;

use crate::failure::Failure;

const NATS_CLIENT: &str = "async_nats";
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The filter of this process.
static FILTER: OnceLock<reload::Handle<Targets, Registry>> = OnceLock::new();

/// Structured logs on stderr: stdout belongs to the answer. Colours are for terminals.
pub fn init(settings: &LoggingSettings) -> Result<(), Failure> {
    let (filter, handle) = reload::Layer::new(filter(&settings.level)?);
    let lines = layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let registry = tracing_subscriber::registry().with(filter);
    match settings.format {
        LogFormat::Text => registry.with(lines.with_target(false)).init(),
        LogFormat::Json => registry.with(lines.json()).init(),
    }
    let _set_before = FILTER.set(handle);
    Ok(())
}

/// Warnings on stderr, for a tool that opens a folder itself: what a start of the venue warns of,
/// without the folder's mode, which would be a line of each command.
pub fn init_warnings() -> Result<(), Failure> {
    let level = "warn,venue::recovery::ownership=off".to_owned();
    init(&LoggingSettings { level, ..LoggingSettings::default() })
}

/// Changes the level of this process from now on.
pub fn set_level(text: &str) -> Result<(), Failure> {
    let filter = filter(text)?;
    let handle = FILTER.get().ok_or_else(|| Failure::fault("this process has no log"))?;
    handle.reload(filter).map_err(|error| Failure::fault(error.to_string()))
}

/// A level, or levels of modules, such as `warn,gateway=debug`. A word that is no level is refused:
/// the parser would take it for a module, and log nothing else.
fn filter(text: &str) -> Result<Targets, Failure> {
    let refused = |part: &str| {
        let levels = LEVELS.join(", ");
        Failure::new(format!("the log level `{part}` is none of {levels}, and no MODULE=LEVEL"))
    };
    for part in text.split(',') {
        let level = part.split_once('=').map_or(part, |(_, level)| level);
        if !LEVELS.contains(&level.trim().to_ascii_lowercase().as_str()) {
            return Err(refused(part));
        }
    }
    let filter: Targets = text.parse().map_err(|_| refused(text))?;
    // The client of NATS has lines of its own for what a publisher says in a sentence.
    let is_named = text.contains(NATS_CLIENT);
    Ok(if is_named { filter } else { filter.with_target(NATS_CLIENT, LevelFilter::OFF) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_refused_by_name() {
        for text in ["info", "WARN", "off", "warn,gateway=debug", "gateway::door=trace"] {
            assert!(filter(text).is_ok(), "{text}");
        }
        for (text, part) in
            [("loud", "`loud`"), ("warn,loud", "`loud`"), ("gateway=x", "`gateway=x`"), ("", "``")]
        {
            let sentence = filter(text).expect_err(text).to_string();
            assert!(sentence.contains(part) && sentence.contains("MODULE=LEVEL"), "{sentence}");
        }
    }
}
