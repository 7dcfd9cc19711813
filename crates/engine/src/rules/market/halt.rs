//! Halts of the whole venue: by an operator, or by the circuit breaker when the index falls.
//!
//! While the venue is halted no order is accepted and nothing trades, so no phase changes. The
//! consequences of a command run after the halt.

use types::{
    CircuitBreaker, Event, HALT_LEVELS, HaltLevel, HaltVenue, InstrumentId, RejectReason,
    VenueHalted,
};

use crate::state::Engine;
use crate::state::halts::{BPS, levels_valid};

impl Engine {
    pub(crate) fn halt_venue(
        &mut self,
        request: &HaltVenue,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        let HaltVenue { level, resume_ns } = *request;
        if !(1..=HALT_LEVELS).contains(&usize::from(level)) {
            return Err(RejectReason::HaltLevelInvalid);
        }
        if self.is_halted() {
            return Err(RejectReason::VenueHalted);
        }
        self.halt(VenueHalted { level, resume_ns }, events);
        Ok(())
    }

    pub(crate) fn resume_venue(&mut self, events: &mut Vec<Event>) -> Result<(), RejectReason> {
        if !self.is_halted() {
            return Err(RejectReason::VenueNotHalted);
        }
        self.end_halt(events);
        Ok(())
    }

    pub(crate) fn set_circuit_breaker(
        &mut self,
        breaker: &CircuitBreaker,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        self.market(breaker.index).ok_or(RejectReason::UnknownInstrument)?;
        if !levels_valid(breaker) {
            return Err(RejectReason::CircuitBreakerInvalid);
        }
        self.mark_index(false);
        self.halts.breaker = Some(*breaker);
        self.mark_index(true);
        events.push(Event::CircuitBreakerSet(*breaker));
        Ok(())
    }

    /// The time at which the halt ends by itself.
    pub(crate) fn resume_ns(&self) -> Option<u64> {
        self.halts.now.map(|halt| halt.resume_ns).filter(|resume_ns| *resume_ns > 0)
    }

    pub(crate) fn end_halt(&mut self, events: &mut Vec<Event>) {
        self.halts.now = None;
        events.push(Event::VenueResumed(()));
        for instrument in std::mem::take(&mut self.halts.interrupted) {
            self.touch(instrument);
        }
    }

    /// The consequences in an instrument wait for the end of the halt.
    pub(crate) fn interrupt(&mut self, instrument: InstrumentId) {
        self.halts.interrupted.insert(instrument);
    }

    /// Halts the venue if the index has traded and has fallen far enough.
    #[cold]
    pub(crate) fn break_circuit(&mut self, index: InstrumentId, events: &mut Vec<Event>) {
        let trading = &mut self.markets[index.0 as usize].trading;
        if !std::mem::take(&mut trading.index_traded) || self.halts.now.is_some() {
            return;
        }
        let Some(breaker) = self.halts.breaker.filter(|breaker| breaker.index == index) else {
            return;
        };
        let (Some(reference), Some(last)) = (trading.reference, trading.last_price) else { return };
        let reference = i128::from(reference.ticks());
        let fallen = (reference - i128::from(last.ticks())) * BPS;
        let is_reached =
            |level: &HaltLevel| fallen >= reference.abs() * i128::from(level.decline_bps);
        let reached = breaker.levels.iter().flatten().take_while(|level| is_reached(level)).count();
        let reached = u8::try_from(reached).expect("a few levels");
        if reached <= trading.levels_had {
            return;
        }
        trading.levels_had = reached;
        let level = breaker.levels.iter().flatten().nth(usize::from(reached) - 1);
        let halt_ns = level.map_or(0, |level| level.halt_ns);
        let resume_ns = if halt_ns > 0 { self.now_ns.saturating_add(halt_ns) } else { 0 };
        self.halt(VenueHalted { level: reached, resume_ns }, events);
    }

    fn halt(&mut self, halt: VenueHalted, events: &mut Vec<Event>) {
        self.halts.now = Some(halt);
        events.push(Event::VenueHalted(halt));
    }
}
