//! Places in a log by an operator's names: a sequence or a time.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use clap::Args;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use venue::{Archive, ArchiveError, Place, Replay};

use crate::failure::Failure;

/// Whole numbers from this one on are milliseconds since 1970 (it is in 2001), as the APIs print
/// them; smaller ones are sequences.
const TIME_MS_MIN: u64 = 1_000_000_000_000;
/// Whole numbers from this one on are nanoseconds since 1970: as milliseconds they would be in the
/// year 33658. Microseconds, between the two, are refused.
const TIME_NS_MIN: u64 = 1_000_000_000_000_000_000;
const TIME_MS_MAX: u64 = 10_000_000_000_000;
const NS_PER_MS: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Moment {
    Sequence(u64),
    TimeNs(u64),
    /// The whole millisecond: the APIs print the time of an event without the rest.
    TimeMs(u64),
}

/// Commands from one moment to another, both included.
#[derive(Args, Clone, Copy, Debug)]
pub struct Range {
    /// First command: a sequence, or a time (RFC 3339, or milliseconds since 1970)
    /// [default: the oldest command that the log still has]
    #[arg(long, value_name = "SEQ|TIME")]
    from: Option<Moment>,
    /// Last command: a sequence, or a time [default: the end of the log]
    #[arg(long, value_name = "SEQ|TIME")]
    to: Option<Moment>,
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(number) = text.parse::<u64>() {
            return match number {
                ..TIME_MS_MIN => Ok(Self::Sequence(number)),
                TIME_MS_MIN..TIME_MS_MAX => Ok(Self::TimeMs(number)),
                TIME_NS_MIN.. => Ok(Self::TimeNs(number)),
                _ => {
                    Err("neither a sequence nor a time: times are milliseconds since 1970, as the \
                          API prints them, or nanoseconds"
                        .to_owned())
                }
            };
        }
        let time = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| {
            "neither a sequence, such as 4711, nor a time, such as 2026-11-21T16:30:00Z or \
             1795278600000, the milliseconds since 1970"
                .to_owned()
        })?;
        let time_ns = u64::try_from(time.unix_timestamp_nanos());
        time_ns.map(Self::TimeNs).map_err(|_| "a time before 1970 or after 2554".to_owned())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequence(sequence) => write!(f, "sequence {sequence}"),
            Self::TimeNs(time_ns) => f.write_str(&format_time(*time_ns)),
            Self::TimeMs(time_ms) => f.write_str(&format_time(time_ms * NS_PER_MS)),
        }
    }
}

impl Moment {
    /// The first and the last nanosecond of a time.
    pub fn bounds_ns(self) -> Option<(u64, u64)> {
        match self {
            Self::Sequence(_) => None,
            Self::TimeNs(time_ns) => Some((time_ns, time_ns)),
            Self::TimeMs(time_ms) => {
                let first_ns = time_ms * NS_PER_MS;
                Some((first_ns, first_ns + NS_PER_MS - 1))
            }
        }
    }

    /// The last sequence or time before this moment.
    fn before(self) -> Self {
        match (self, self.bounds_ns()) {
            (Self::Sequence(sequence), _) => Self::Sequence(sequence.max(1) - 1),
            (_, bounds_ns) => {
                let first_ns = bounds_ns.map_or(0, |(first_ns, _)| first_ns);
                Self::TimeNs(first_ns.max(1) - 1)
            }
        }
    }

    /// Whether the state at `place` is not later than this moment.
    fn is_reached_at(self, place: Place) -> bool {
        match self {
            Self::Sequence(sequence) => place.sequence <= sequence,
            time => time.bounds_ns().is_some_and(|(_, last_ns)| place.time_ns <= last_ns),
        }
    }

    /// Whether `place` is before all commands of this moment or later.
    fn is_ahead_of(self, place: Place) -> bool {
        match self {
            Self::Sequence(sequence) => place.sequence < sequence.max(1),
            time => time.bounds_ns().is_some_and(|(first_ns, _)| place.time_ns < first_ns.max(1)),
        }
    }

    /// Whether the next command is later than this moment; false at the end of the log.
    pub fn is_before_next(self, replay: &mut Replay) -> Result<bool, ArchiveError> {
        let place = replay.place();
        let next = replay.next_batch()?;
        Ok(next.is_some_and(|batch| self.is_before_next_of(place, batch.header.sequenced_ns)))
    }

    /// [`Moment::is_before_next`] for the next command of a batch of that time, behind `place`.
    fn is_before_next_of(self, place: Place, sequenced_ns: u64) -> bool {
        match self {
            Self::Sequence(sequence) => place.sequence >= sequence,
            time => time
                .bounds_ns()
                .is_some_and(|(_, last_ns)| sequenced_ns.max(place.time_ns) > last_ns),
        }
    }

    /// Refuses a time before the first command of the venue, for a replay that stops there.
    fn check_not_before_birth(self, replay: &mut Replay) -> Result<(), Failure> {
        if self.bounds_ns().is_none() || replay.place().sequence > 0 {
            return Ok(());
        }
        let Some(first) = replay.next_batch()? else { return Ok(()) };
        let first_ns = first.header.sequenced_ns;
        Err(Failure::new(format!(
            "{self} is before the venue's first command, at {}: name that time or a later one",
            format_time(first_ns)
        )))
    }

    /// Lets a replay go on until all commands before this moment are applied.
    fn reach(self, mut replay: Replay) -> Result<Replay, Failure> {
        advance(&mut replay, self.before())?;
        if replay.next_batch()?.is_none() {
            self.check_not_beyond(replay.place())?;
        }
        Ok(replay)
    }

    /// Refuses a moment beyond the end of the log.
    fn check_not_beyond(self, end: Place) -> Result<(), Failure> {
        let beyond = match self {
            Self::Sequence(sequence) => sequence > end.sequence,
            time => time.bounds_ns().is_some_and(|(first_ns, _)| first_ns > end.time_ns),
        };
        if !beyond {
            return Ok(());
        }
        Err(Failure::new(format!(
            "{self} is beyond the end of the log, which is at sequence {}, {} (batch {}): name that \
             or an earlier one",
            end.sequence,
            format_time(end.time_ns),
            end.batch_number
        )))
    }
}

impl Range {
    pub fn new(from: Option<Moment>, to: Option<Moment>) -> Self {
        Self { from, to }
    }

    /// Refuses a range that ends before it begins.
    pub fn check(self) -> Result<(), Failure> {
        let (Some(from), Some(to)) = (self.from, self.to) else { return Ok(()) };
        let is_reversed = match (from, to) {
            (Moment::Sequence(from), Moment::Sequence(to)) => from > to,
            (from, to) => match (from.bounds_ns(), to.bounds_ns()) {
                (Some((from_ns, _)), Some((_, to_ns))) => from_ns > to_ns,
                _ => false,
            },
        };
        if is_reversed {
            let sentence =
                format!("the range begins at {from}, after its end, {to}: exchange them");
            return Err(Failure::new(sentence));
        }
        Ok(())
    }

    /// A replay that has applied all commands before the range.
    pub fn begin(self, archive: &Archive) -> Result<Replay, Failure> {
        let Some(from) = self.from else { return Ok(archive.replay()?) };
        let replay = archive.replay_from(|place| from.is_ahead_of(place));
        from.reach(replay.map_err(|error| too_early(from, error))?)
    }

    /// [`Range::begin`] for a range with a first moment, without a look at what is far before it.
    pub fn begin_in(self, dir: &Path) -> Result<Replay, Failure> {
        let from = self.from.unwrap_or(Moment::Sequence(1));
        let replay = Archive::open_at(dir, |place| from.is_ahead_of(place));
        from.reach(replay.map_err(|error| too_early(from, error))?)
    }

    /// A replay that has the last `count` commands up to the range's end before it, if log and
    /// snapshots reach that far back.
    pub fn begin_before_end(self, dir: &Path, count: u64) -> Result<Replay, Failure> {
        let end = match self.to {
            Some(Moment::Sequence(last)) => last,
            // The newest snapshot may lie behind most of them.
            to => end_at(dir, to)?,
        };
        match Archive::open_at(dir, |place| place.sequence.saturating_add(count) <= end) {
            Err(ArchiveError::TooEarly { .. }) => Ok(Archive::open(dir)?.replay()?),
            replay => Ok(replay?),
        }
    }
    /// Whether the next command is in the range. Refuses a range that ends beyond the log.
    pub fn goes_on(self, replay: &mut Replay) -> Result<bool, Failure> {
        if replay.next_batch()?.is_none() {
            if let Some(to) = self.to {
                to.check_not_beyond(replay.place())?;
            }
            return Ok(false);
        }
        let Some(to) = self.to else { return Ok(true) };
        let goes_on = !to.is_before_next(replay)?;
        if !goes_on {
            to.check_not_before_birth(replay)?;
        }
        Ok(goes_on)
    }
}

/// The last command up to this moment, or up to the end of the log.
fn end_at(dir: &Path, to: Option<Moment>) -> Result<u64, Failure> {
    let replay = Archive::open_at(dir, |place| to.is_none_or(|to| to.is_reached_at(place)));
    let mut replay = match replay {
        Err(ArchiveError::TooEarly { oldest }) => return Ok(oldest.sequence),
        replay => replay?,
    };
    advance(&mut replay, to.unwrap_or(Moment::Sequence(u64::MAX)))?;
    Ok(replay.place().sequence)
}

/// A replay up to this moment, or to the end of the log.
pub fn replay_until(archive: &Archive, until: Option<Moment>) -> Result<Replay, Failure> {
    let replay = match until {
        None => archive.replay_from(|_| true)?,
        Some(moment) => archive
            .replay_from(|place| moment.is_reached_at(place))
            .map_err(|error| too_early(moment, error))?,
    };
    let mut replay = replay;
    go_on_until(&mut replay, until)?;
    Ok(replay)
}

/// [`replay_until`] without a look at what is far before the moment.
pub fn replay_in_until(dir: &Path, until: Option<Moment>) -> Result<Replay, Failure> {
    let is_early_enough = |place| until.is_none_or(|moment| moment.is_reached_at(place));
    let mut replay = Archive::open_at(dir, is_early_enough).map_err(|error| match until {
        Some(moment) => too_early(moment, error),
        None => error.into(),
    })?;
    go_on_until(&mut replay, until)?;
    Ok(replay)
}

/// Lets a replay that is not beyond this moment go on up to it, or to the end of the log.
fn go_on_until(replay: &mut Replay, until: Option<Moment>) -> Result<(), Failure> {
    advance(replay, until.unwrap_or(Moment::Sequence(u64::MAX)))?;
    if let Some(moment) = until {
        moment.check_not_before_birth(replay)?;
        if replay.next_batch()?.is_none() {
            moment.check_not_beyond(replay.place())?;
        }
    }
    Ok(())
}

/// Lets a replay go on up to this moment; false if it is beyond it, or at the end of what the log
/// held when it was opened.
pub fn go_on_to(replay: &mut Replay, moment: Moment) -> Result<bool, Failure> {
    if !moment.is_reached_at(replay.place()) {
        return Ok(false);
    }
    advance(replay, moment)?;
    Ok(replay.next_batch()?.is_some())
}

/// Applies all commands up to this moment.
fn advance(replay: &mut Replay, until: Moment) -> Result<(), ArchiveError> {
    replay.pass(|place, batch| !until.is_before_next_of(place, batch.sequenced_ns))
}

fn too_early(asked: Moment, error: ArchiveError) -> Failure {
    let ArchiveError::TooEarly { oldest } = error else { return error.into() };
    Failure::new(format!(
        "{asked} is older than the states that can be rebuilt: log and snapshots reach back to the \
         state after sequence {}, {} (batch {}); name a later one, or use an older backup",
        oldest.sequence,
        format_time(oldest.time_ns),
        oldest.batch_number
    ))
}

/// RFC 3339 in UTC, always with nine digits, so that times sort as texts.
pub fn format_time(time_ns: u64) -> String {
    let seconds = i64::try_from(time_ns / 1_000_000_000).expect("a u64 of nanoseconds is less");
    let whole = OffsetDateTime::from_unix_timestamp(seconds)
        .expect("2^64 nanoseconds end in 2554")
        .format(&Rfc3339)
        .expect("years of four digits have this form");
    format!("{}.{:09}Z", whole.trim_end_matches('Z'), time_ns % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_sequence_or_a_time() {
        let check = |text: &str, expect| assert_eq!(text.parse().ok(), expect, "{text}");
        check("0", Some(Moment::Sequence(0)));
        check("999999999999", Some(Moment::Sequence(TIME_MS_MIN - 1)));
        check("1000000000000", Some(Moment::TimeMs(TIME_MS_MIN)));
        check("1000000000000000000", Some(Moment::TimeNs(TIME_NS_MIN)));
        let noon = Moment::TimeNs(1_795_262_400_000_000_000);
        check("1795262400000", Some(Moment::TimeMs(1_795_262_400_000)));
        check("1795262400000000000", Some(noon));
        check("1795262400000000", None);
        check("18446744073709551616", None);
        check("2026-11-21T12:00:00Z", Some(noon));
        check("2026-11-21T13:00:00+01:00", Some(noon));
        check("2026-11-21T12:00:00.000000001Z", Some(Moment::TimeNs(1_795_262_400_000_000_001)));
        check("2026-11-21", None);
        check("1969-12-31T23:59:59Z", None);
        check("-1", None);
        check("", None);
    }

    #[test]
    fn times_are_printed_to_the_nanosecond() {
        assert_eq!(format_time(0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(format_time(1_795_262_400_000_000_001), "2026-11-21T12:00:00.000000001Z");
        assert_eq!(format_time(u64::MAX), "2554-07-21T23:34:33.709551615Z");
    }
}
