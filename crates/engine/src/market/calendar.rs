//! Calendars: in which phase an instrument should be, by the time of the week.
//!
//! The engine only answers; whoever has a clock turns what is due into `SetPhase` commands. A
//! session is due until the phase changes, whoever changes it: an operator who reopens an
//! instrument at noon, or a band that is breached, over-rules the morning's session and not the
//! evening's. A new calendar takes hold at once.

use types::{
    Calendar, CalendarSet, Event, InstrumentId, Phase, Reader, RejectReason, SESSIONS_MAX, Session,
};

use crate::engine::Engine;
use crate::market::trading::Trading;

const DAY_S: u64 = 86_400;
const SECOND_NS: u64 = 1_000_000_000;

/// 1970 began on a Thursday; bit 0 of the weekdays is Monday.
const FIRST_WEEKDAY: u64 = 3;

pub(crate) type Sessions = [Option<Session>; SESSIONS_MAX];

impl Engine {
    pub(crate) fn set_calendar(
        &mut self,
        calendar: &Calendar,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        let market = self.market_mut(calendar.instrument)?;
        let sessions = calendar.sessions.iter().flatten();
        if !sessions.copied().all(is_valid) {
            return Err(RejectReason::CalendarInvalid);
        }
        market.trading.calendar = calendar.sessions;
        market.trading.changed_ns = 0;
        let instrument_seq = market.next_seq();
        events.push(Event::CalendarSet(CalendarSet { instrument_seq, calendar: *calendar }));
        Ok(())
    }

    /// The phases that instruments should be in at this time, and are not.
    pub fn due_phases(&self, now_ns: u64) -> impl Iterator<Item = (InstrumentId, Phase)> {
        let markets = (0..).map(InstrumentId).zip(&self.markets);
        let due = markets.filter_map(move |(id, market)| {
            let trading = &market.trading;
            let (began_ns, phase) = trading.session_at(now_ns)?;
            let is_due = began_ns > trading.changed_ns && phase != trading.phase;
            (is_due && !trading.delisted).then_some((id, phase))
        });
        due.take_while(|_| !self.is_halted())
    }

    /// When the next session of any calendar begins.
    pub fn next_session_ns(&self, now_ns: u64) -> Option<u64> {
        self.markets.iter().filter_map(|market| market.trading.next_session_ns(now_ns)).min()
    }

    /// An instrument's calendar.
    pub fn calendar(&self, instrument: InstrumentId) -> Option<Calendar> {
        let sessions = self.market(instrument)?.trading.calendar;
        Some(Calendar { instrument, sessions })
    }
}

impl Trading {
    /// The session that is on, and when it began.
    fn session_at(&self, now_ns: u64) -> Option<(u64, Phase)> {
        let today = now_ns / SECOND_NS / DAY_S;
        let sessions = self.calendar.iter().flatten();
        let last_of = |session: &Session| {
            let days = (today.saturating_sub(7)..=today).rev();
            let begins = days.filter_map(|day| begins_ns(session, day));
            let began_ns = begins.into_iter().find(|began_ns| *began_ns <= now_ns)?;
            Some((began_ns, session.phase))
        };
        sessions.filter_map(last_of).max_by_key(|(began_ns, _)| *began_ns)
    }

    fn next_session_ns(&self, now_ns: u64) -> Option<u64> {
        let today = now_ns / SECOND_NS / DAY_S;
        let sessions = self.calendar.iter().flatten();
        let next_of = |session: &Session| {
            let begins = (today..=today + 7).filter_map(|day| begins_ns(session, day));
            begins.into_iter().find(|begins_ns| *begins_ns > now_ns)
        };
        sessions.filter_map(next_of).min()
    }
}

/// When a session begins on this day since 1970, if it does.
fn begins_ns(session: &Session, day: u64) -> Option<u64> {
    let weekday = (day + FIRST_WEEKDAY) % 7;
    let on_that_day = session.weekdays & 1 << weekday != 0;
    let begins_s = day * DAY_S + u64::from(session.begins_s);
    begins_s.checked_mul(SECOND_NS).filter(|_| on_that_day)
}

fn is_valid(session: Session) -> bool {
    (1..=0x7f).contains(&session.weekdays) && u64::from(session.begins_s) < DAY_S
}

/// The sessions of a state that is read back.
pub(crate) fn read_sessions(r: &mut Reader<'_>) -> Option<Sessions> {
    let sessions: Sessions = r.read()?;
    sessions.iter().flatten().copied().all(is_valid).then_some(sessions)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONDAY: u64 = 4 * DAY_S;

    fn at(day: u64, hour: u64) -> u64 {
        (MONDAY + day * DAY_S + hour * 3_600) * SECOND_NS
    }

    fn trading(sessions: &[(u8, u32, Phase)]) -> Trading {
        let mut trading = Trading::default();
        for (place, (weekdays, hour, phase)) in trading.calendar.iter_mut().zip(sessions) {
            let begins_s = hour * 3_600;
            *place = Some(Session { weekdays: *weekdays, begins_s, phase: *phase });
        }
        trading
    }

    #[test]
    fn a_session_lasts_until_the_next_one_begins() {
        let workdays = 0b001_1111;
        let week = trading(&[(workdays, 9, Phase::Continuous), (workdays, 17, Phase::Closed)]);
        let phase = |now_ns| week.session_at(now_ns).map(|(_, phase)| phase);
        assert_eq!(phase(8 * 3_600 * SECOND_NS), None, "on the first day there is");
        assert_eq!(phase(at(7, 8)), Some(Phase::Closed), "since Friday");
        assert_eq!(phase(at(7, 9) - 1), Some(Phase::Closed));
        assert_eq!(phase(at(7, 9)), Some(Phase::Continuous));
        assert_eq!(phase(at(13, 12)), Some(Phase::Closed), "on Sunday");
        assert_eq!(week.next_session_ns(at(7, 9)), Some(at(7, 17)));
        assert_eq!(week.next_session_ns(at(11, 17)), Some(at(14, 9)));
    }

    #[test]
    fn a_session_once_a_week_lasts_a_week() {
        let week = trading(&[(1, 9, Phase::PreOpen)]);
        assert_eq!(week.session_at(at(14, 9) - 1), Some((at(7, 9), Phase::PreOpen)));
        assert_eq!(week.session_at(at(14, 9)), Some((at(14, 9), Phase::PreOpen)));
        assert_eq!(week.next_session_ns(at(7, 9)), Some(at(14, 9)));
        assert_eq!(trading(&[]).session_at(at(7, 9)), None);
        assert_eq!(week.next_session_ns(u64::MAX), None, "time ends before");
    }
}
