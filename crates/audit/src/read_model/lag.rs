//! How far a read model is behind the log of its venue.

use std::path::Path;
use std::time::{Duration, Instant};

use cli::Failure;
use projection::ProjectionError;
use serde_json::{Value, json};
use server::{HistoryPlace, now_ns};
use venue::Archive;

use super::{all_of, place};

/// How long the read model is watched for its rate.
const WATCHED: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Lag {
    /// The last command in the log.
    head: u64,
    /// The last command in the read model, or why that is not known.
    position: Result<u64, ProjectionError>,
    /// Since the first command that it lacks; `None` if it lacks none.
    lag: Option<Duration>,
    commands_per_s: f64,
}

impl Lag {
    /// The read model is asked before the log is read: the log may grow meanwhile, and then it is
    /// the read model that is behind.
    pub(super) fn of(place: &HistoryPlace, dir: &Path) -> Result<Self, Failure> {
        let sequence = || place::held(place, dir).map(|held| held.progress.sequence);
        let (first, begun) = (sequence(), Instant::now());
        std::thread::sleep(WATCHED);
        let (position, watched) = (sequence(), begun.elapsed());
        let commands_per_s = match (&first, &position) {
            (Ok(first), Ok(then)) => then.saturating_sub(*first) as f64 / watched.as_secs_f64(),
            _ => 0.0,
        };
        let known = position.as_ref().copied().unwrap_or_default();
        let (head, lacking_ns) = end_of_log(dir, known)?;
        let lag = lacking_ns.map(|ns| Duration::from_nanos(now_ns().saturating_sub(ns)));
        Ok(Self { head, position, lag, commands_per_s })
    }

    /// `lag_events` counts commands: each has a number, and its events come with it.
    pub(super) fn json(&self, name: &str) -> Value {
        let Self { head, position, lag, commands_per_s } = self;
        let (state, reason) = match position {
            Ok(position) if position >= head => ("level", None),
            Ok(_) => ("behind", None),
            Err(error) => ("failing", Some(error.to_string())),
        };
        let position = position.as_ref().ok();
        json!({
            "name": name,
            "position": position,
            "head": head,
            "lag_events": position.map(|position| head.saturating_sub(*position)),
            "lag_ms": lag.map_or(0, |lag| u64::try_from(lag.as_millis()).unwrap_or(u64::MAX)),
            "events_per_s": commands_per_s.round(),
            "state": state,
            "reason": reason,
        })
    }
}

/// The last command in the log, and the time of the first one after `known`.
fn end_of_log(dir: &Path, known: u64) -> Result<(u64, Option<u64>), Failure> {
    // Where the log does not reach back that far, its beginning is the nearest that there is.
    let mut replay = match Archive::open_at(dir, |place| place.sequence <= known) {
        Ok(replay) => replay,
        Err(_) => Archive::open(dir)?.replay()?,
    };
    let (mut head, mut lacking_ns) = (replay.place().sequence, None);
    while let Some(command) = replay.step()? {
        for applied in all_of(command.reply) {
            head = applied.sequence;
            if applied.sequence > known && lacking_ns.is_none() {
                lacking_ns = Some(applied.sequenced_ns);
            }
        }
    }
    Ok((head, lacking_ns))
}
