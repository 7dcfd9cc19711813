//! How far a venue's read model is behind when a load ends, and when it is level.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::report::{Report, report};
use super::stages::Reading;
use super::venue::Venue;

const LAG: &str = "buttonwood_projection_lag_commands ";
const POLL: Duration = Duration::from_millis(50);
/// Longer than a read model takes for what it lacks after a burst of seconds.
const LEVEL_WITHIN: Duration = Duration::from_secs(60);

/// Waits, after the last answers, until the read model has all commands. What the venue does not
/// say is null, and so is `level_after_s` if the read model still lacks some.
pub(super) fn after_load(venue: &Venue, ended: &Reading) -> Report {
    let begun = Instant::now();
    let level_after_s = loop {
        match venue.get("/metrics").ok().and_then(|metrics| lag(&metrics)) {
            Some(0) => break Some(begun.elapsed().as_secs_f64()),
            _ if begun.elapsed() > LEVEL_WITHIN => break None,
            _ => sleep(POLL),
        }
    };
    report! { behind_commands: ended.behind, level_after_s: level_after_s }
}

/// In commands.
pub(super) fn lag(metrics: &str) -> Option<u64> {
    let lag = metrics.lines().find_map(|line| line.strip_prefix(LAG)?.parse::<f64>().ok());
    lag.map(|lag| lag as u64)
}
