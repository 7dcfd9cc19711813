//! How far the read model and the publishers are behind the log of their venue.

use std::path::Path;
use std::time::{Duration, Instant};

use cli::Failure;
use serde_json::{Value, json};
use server::now_ns;
use venue::Archive;

use super::all_of;

/// How long the sinks are watched for their rates.
const WATCHED: Duration = Duration::from_millis(500);

/// Where a sink stands.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// The last command that it has; `None` if that is not known.
    pub(super) position: Option<u64>,
    /// Why it stands still, if it does.
    pub(super) reason: Option<String>,
}

/// A sink by its name, and what asks for its standing.
pub(super) type Sink<'a> = (String, Box<dyn Fn() -> Standing + 'a>);

/// The sinks as objects of JSON. They are asked before the log is read: the log may grow meanwhile,
/// and then it is they that are behind.
pub(super) fn of(sinks: &[Sink<'_>], dir: &Path) -> Result<Vec<Value>, Failure> {
    let ask = || sinks.iter().map(|(_, standing)| standing()).collect::<Vec<_>>();
    let (first, begun) = (ask(), Instant::now());
    std::thread::sleep(WATCHED);
    let (then, watched) = (ask(), begun.elapsed());
    let log = Log::after(dir, then.iter().filter_map(|standing| standing.position))?;
    let shown = sinks.iter().zip(first.iter().zip(&then)).map(|((name, _), (first, then))| {
        let moved = match (first.position, then.position) {
            (Some(first), Some(then)) => then.saturating_sub(first) as f64,
            _ => 0.0,
        };
        log.json(name, then, moved / watched.as_secs_f64())
    });
    Ok(shown.collect())
}

/// What of a log a sink may lack.
struct Log {
    /// The last command.
    head: u64,
    /// For each position, the time of the first command after it.
    lacking: Vec<(u64, u64)>,
}

impl Log {
    fn after(dir: &Path, positions: impl Iterator<Item = u64>) -> Result<Self, Failure> {
        let mut positions: Vec<_> = positions.collect();
        positions.sort_unstable();
        let first = positions.first().copied().unwrap_or(u64::MAX);
        // Where the log does not reach back that far, its beginning is the nearest that there is.
        let mut replay = match Archive::open_at(dir, |place| place.sequence <= first) {
            Ok(replay) => replay,
            Err(_) => Archive::open(dir)?.replay()?,
        };
        let (mut head, mut lacking) = (replay.place().sequence, Vec::new());
        let mut waiting = positions.into_iter().peekable();
        while let Some(command) = replay.step()? {
            for applied in all_of(command.reply) {
                head = applied.sequence;
                while let Some(position) = waiting.next_if(|position| *position < head) {
                    lacking.push((position, applied.sequenced_ns));
                }
            }
        }
        Ok(Self { head, lacking })
    }

    /// `lag_events` counts commands: each has a number, and its events come with it.
    fn json(&self, name: &str, Standing { position, reason }: &Standing, per_s: f64) -> Value {
        let Self { head, lacking } = self;
        let lacking = lacking.iter().find(|(after, _)| Some(*after) == *position);
        let lag = lacking.map(|(_, ns)| Duration::from_nanos(now_ns().saturating_sub(*ns)));
        let state = match (position, reason) {
            (Some(position), None) if position >= head => "level",
            (Some(_), None) => "behind",
            _ => "failing",
        };
        json!({
            "name": name,
            "position": position,
            "head": head,
            "lag_events": position.map(|position| head.saturating_sub(position)),
            "lag_ms": lag.map_or(0, |lag| u64::try_from(lag.as_millis()).unwrap_or(u64::MAX)),
            "events_per_s": per_s.round(),
            "state": state,
            "reason": reason,
        })
    }
}
