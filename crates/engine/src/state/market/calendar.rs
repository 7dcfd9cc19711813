//! Sessions of an instrument's week, and their times.

use types::{Reader, SESSIONS_MAX, Session};

pub(super) const DAY_S: u64 = 86_400;
pub(super) const SECOND_NS: u64 = 1_000_000_000;

/// 1970 began on a Thursday; bit 0 of the weekdays is Monday.
const FIRST_WEEKDAY: u64 = 3;

pub(super) type Sessions = [Option<Session>; SESSIONS_MAX];

/// Start of a session on this day since 1970; `None` if it has none on this day.
pub(super) fn begins_ns(session: &Session, day: u64) -> Option<u64> {
    let weekday = (day + FIRST_WEEKDAY) % 7;
    let on_that_day = session.weekdays & 1 << weekday != 0;
    let begins_s = day * DAY_S + u64::from(session.begins_s);
    begins_s.checked_mul(SECOND_NS).filter(|_| on_that_day)
}

pub(crate) fn is_valid(session: Session) -> bool {
    (1..=0x7f).contains(&session.weekdays) && u64::from(session.begins_s) < DAY_S
}

/// The sessions of a restored state.
pub(super) fn read_sessions(r: &mut Reader<'_>) -> Option<Sessions> {
    let sessions: Sessions = r.read()?;
    sessions.iter().flatten().copied().all(is_valid).then_some(sessions)
}
