//! Calendars: the phase of an instrument by the time of the week.
//!
//! The engine only answers queries: the venue's clock thread turns due sessions into `SetPhase`
//! commands. A session is due until the phase changes for any reason. So an operator's reopening at
//! noon, or a breached band, overrides the morning's session but not the evening's. A new calendar
//! takes effect at once.

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
