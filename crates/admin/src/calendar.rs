//! The calendar of an instrument: which phase begins when, by the time of the week.

use clap::{Args, ValueEnum};
use cli::{Cause, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::now_ns;
use types::{Calendar, Command, InstrumentId, RejectReason, SESSIONS_MAX, Session, SetPhase};

use super::backend::{Venue, execute};
use super::lookup::find_instrument;
use super::phase::PhaseName;
use super::value::{invalid, words_of_three};

/// Days, time, phase.
const WORDS_PER_SESSION: usize = 3;
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: --session Mon-Fri 08:30 OpeningAuction \
    --session Mon-Fri 09:00 Continuous \
    --session Mon-Fri 17:00 Closed\n\
    `buttonwood admin phase --help` explains the phases.")]
pub(crate) struct CalendarChange {
    /// Instrument, such as BTCUSDT
    symbol: String,
    /// Start of a phase: days (`Mon-Fri`, `Mon,Wed,Sat`), time (UTC, `09:00` or `09:00:30`), phase.
    /// Up to 16 times; the sessions replace all present ones
    #[arg(long = "session", num_args = 3, value_names = ["DAYS", "TIME", "PHASE"])]
    #[serde(default, with = "words_of_three")]
    #[schemars(with = "Vec<(String, String, PhaseName)>")]
    sessions: Vec<String>,
    /// Remove all sessions: the phase then changes only by `phase`
    #[arg(long, conflicts_with = "sessions")]
    #[serde(default)]
    clear: bool,
}

impl CalendarChange {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<CalendarShown, Failure> {
        let instrument = find_instrument(venue, &self.symbol)?.instrument.id;
        let now = venue.read(move |engine| engine.calendar(instrument))?;
        let mut sessions = now.map_or([None; SESSIONS_MAX], |calendar| calendar.sessions);
        if self.clear && !self.sessions.is_empty() {
            return Err(Failure::new("`clear` and sessions exclude each other"));
        }
        if self.clear || !self.sessions.is_empty() {
            sessions = parse_sessions(&self.sessions)?;
            execute(venue, Command::SetCalendar(Calendar { instrument, sessions }))?;
            begin_session(venue, instrument)?;
        }
        Ok(CalendarShown::new(self.symbol, &sessions))
    }
}

/// Begins the calendar's present session before the operator has the answer, without a wait for the
/// venue's clock thread, which may come first.
fn begin_session(venue: &mut Venue<'_>, instrument: InstrumentId) -> Result<(), Failure> {
    let now_ns = now_ns();
    let due = venue.read(move |engine| {
        let mut due = engine.due_phases(now_ns);
        due.find(|(of, _)| *of == instrument).map(|(_, phase)| phase)
    })?;
    let Some(phase) = due else { return Ok(()) };
    match execute(venue, Command::SetPhase(SetPhase { instrument, phase })) {
        Err(failure) if failure.cause() == Cause::Refused(RejectReason::PhaseForbids) => Ok(()),
        begun => begun.map(|_events| ()),
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct CalendarShown {
    symbol: String,
    sessions: Vec<SessionShown>,
}

impl CalendarShown {
    pub(super) fn new(symbol: String, sessions: &[Option<Session>; SESSIONS_MAX]) -> Self {
        let sessions = sessions.iter().flatten().map(|session| SessionShown {
            days: format_days(session.weekdays),
            time: format_time(session.begins_s),
            phase: format!("{:?}", session.phase),
        });
        Self { symbol, sessions: sessions.collect() }
    }
}

/// Sessions in one spelling each.
pub(super) fn canonical_sessions(words: &[String]) -> Result<Vec<[String; 3]>, Failure> {
    let sessions = parse_sessions(words)?;
    let row = |session: &Session| {
        let days = format_day_ranges(session.weekdays);
        [days, format_time(session.begins_s), format!("{:?}", session.phase)]
    };
    Ok(sessions.iter().flatten().map(row).collect())
}

#[derive(JsonSchema, Serialize)]
struct SessionShown {
    /// Such as `Mon,Tue`
    days: String,
    /// When it begins, in UTC
    time: String,
    phase: String,
}

fn parse_sessions(words: &[String]) -> Result<[Option<Session>; SESSIONS_MAX], Failure> {
    let named = words.chunks(WORDS_PER_SESSION);
    if named.len() > SESSIONS_MAX {
        return Err(Failure::new(format!("a calendar has at most {SESSIONS_MAX} sessions")));
    }
    let mut sessions = [None; SESSIONS_MAX];
    for (place, words) in sessions.iter_mut().zip(named) {
        let [days, time, phase] = words else {
            return Err(Failure::new("a session is days, a time and a phase"));
        };
        let phase_name = PhaseName::from_str(phase, false)
            .map_err(|_| invalid("phase", phase, "one of those that `admin phase --help` lists"))?;
        *place = Some(Session {
            weekdays: parse_days(days)
                .ok_or_else(|| invalid("days", days, "like `Mon-Fri` or `Mon,Wed,Sat`"))?,
            begins_s: parse_time(time)
                .ok_or_else(|| invalid("time", time, "a time of the day like `09:00`, in UTC"))?,
            phase: phase_name.into(),
        });
    }
    Ok(sessions)
}

/// Bit 0 is Monday. A range may go over Sunday.
fn parse_days(text: &str) -> Option<u8> {
    let day = |name: &str| DAYS.iter().position(|day| *day == name);
    text.split(',').try_fold(0, |days, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (day(first)?, day(last)?);
        let count = (last + DAYS.len() - first) % DAYS.len() + 1;
        Some((first..first + count).fold(days, |days, at| days | 1 << (at % DAYS.len())))
    })
}

fn format_days(weekdays: u8) -> String {
    let days = DAYS.iter().enumerate().filter(|(at, _)| weekdays & 1 << at != 0);
    days.map(|(_, day)| *day).collect::<Vec<_>>().join(",")
}

/// With ranges such as `Mon-Fri` for three days or more.
fn format_day_ranges(weekdays: u8) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < DAYS.len() {
        let count = (at..DAYS.len()).take_while(|day| weekdays & 1 << day != 0).count();
        match count {
            0 => at += 1,
            1 | 2 => parts.extend(DAYS[at..at + count].iter().map(|day| (*day).to_owned())),
            _ => parts.push(format!("{}-{}", DAYS[at], DAYS[at + count - 1])),
        }
        at += count;
    }
    parts.join(",")
}

/// Seconds after midnight.
fn parse_time(text: &str) -> Option<u32> {
    let parts: Vec<&str> = text.split(':').collect();
    let two_digits = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(two_digits) {
        return None;
    }
    let number = |at: usize| parts.get(at).map_or(Some(0), |part| part.parse::<u32>().ok());
    let (hour, minute, second) = (number(0)?, number(1)?, number(2)?);
    (hour < 24 && minute < 60 && second < 60).then_some(hour * 3_600 + minute * 60 + second)
}

fn format_time(begins_s: u32) -> String {
    format!("{:02}:{:02}:{:02}", begins_s / 3_600, begins_s / 60 % 60, begins_s % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_lists_and_ranges_that_may_go_over_sunday() {
        assert_eq!(parse_days("Mon"), Some(0b000_0001));
        assert_eq!(parse_days("Mon-Fri"), Some(0b001_1111));
        assert_eq!(parse_days("Mon-Sun"), Some(0b111_1111));
        assert_eq!(parse_days("Sat-Mon"), Some(0b110_0001));
        assert_eq!(parse_days("Mon,Wed-Thu,Sun"), Some(0b100_1101));
        for wrong in ["", "mon", "Monday", "Mon-", "-Fri", "Mon,", "Mon-Tue-Wed"] {
            assert_eq!(parse_days(wrong), None, "{wrong:?}");
        }
        assert_eq!(format_days(0b100_1101), "Mon,Wed,Thu,Sun");
        for days in 0..1 << DAYS.len() {
            let text = format_day_ranges(days);
            assert_eq!(parse_days(&text).unwrap_or_default(), days, "{text}");
        }
        assert_eq!(format_day_ranges(0b101_1111), "Mon-Fri,Sun");
    }

    #[test]
    fn times_are_of_one_day() {
        assert_eq!(parse_time("00:00"), Some(0));
        assert_eq!(parse_time("09:30"), Some(34_200));
        assert_eq!(parse_time("23:59:59"), Some(86_399));
        for wrong in ["", "9:30", "24:00", "09:60", "09:00:60", "09", "09:00:00:00", "+9:00"] {
            assert_eq!(parse_time(wrong), None, "{wrong:?}");
        }
        assert_eq!(format_time(34_200), "09:30:00");
    }
}
