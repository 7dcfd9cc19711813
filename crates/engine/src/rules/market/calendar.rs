//! Calendars: in which phase an instrument should be, by the time of the week.
//!
//! The engine only answers; whoever has a clock turns what is due into `SetPhase` commands. A
//! session is due until the phase changes, whoever changes it: an operator who reopens an
//! instrument at noon, or a band that is breached, over-rules the morning's session and not the
//! evening's. A new calendar takes hold at once.

use types::{Calendar, CalendarSet, Event, RejectReason};

use crate::state::Engine;
use crate::state::market::calendar::is_valid;

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
}
