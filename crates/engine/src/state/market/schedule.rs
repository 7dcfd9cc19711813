//! The current session of an instrument's calendar, and the next one.

use types::{Phase, Session};

use crate::state::market::calendar::{DAY_S, SECOND_NS, begins_ns};
use crate::state::market::trading::Trading;

impl Trading {
    /// The current session's start and phase.
    pub(in crate::state) fn session_at(&self, now_ns: u64) -> Option<(u64, Phase)> {
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

    pub(in crate::state) fn next_session_ns(&self, now_ns: u64) -> Option<u64> {
        let today = now_ns / SECOND_NS / DAY_S;
        let sessions = self.calendar.iter().flatten();
        let next_of = |session: &Session| {
            let begins = (today..=today + 7).filter_map(|day| begins_ns(session, day));
            begins.into_iter().find(|begins_ns| *begins_ns > now_ns)
        };
        sessions.filter_map(next_of).min()
    }
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
