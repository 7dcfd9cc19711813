//! What follows from a command's own events in an instrument: pegs that move, triggers that are
//! reached.

use types::{Event, InstrumentId};

use crate::engine::{Deferred, Engine};
use crate::market::Market;

impl Market {
    /// Whether a trade or another best price can lead to anything further here.
    #[inline]
    fn has_followers(&self) -> bool {
        !self.special.pegs.is_empty()
            || self.lists.any_to_place()
            || self.trading.is_index
            || (self.triggers.any_wait() && self.triggers_move())
    }
}

impl Engine {
    /// An instrument's book has changed, or it has traded. To be called behind every such change;
    /// what follows from it comes when the command's own order is done.
    #[inline]
    pub(crate) fn touch(&mut self, instrument: InstrumentId) {
        let market = &mut self.markets[instrument.0 as usize];
        if market.has_followers() && !market.follow_up_waits {
            market.follow_up_waits = true;
            self.deferred.push_back(Deferred::FollowUp(instrument));
        }
    }

    /// One thing after another, until nothing follows or the command's work is used up.
    #[cold]
    pub(crate) fn follow_up(&mut self, instrument: InstrumentId, events: &mut Vec<Event>) {
        self.markets[instrument.0 as usize].follow_up_waits = false;
        loop {
            self.break_circuit(instrument, events);
            if !self.follow_up_once(instrument, events) {
                break;
            }
            if self.work == 0 || self.has_deferred() {
                // An order on its way goes first; or there is no work left.
                return self.touch(instrument);
            }
        }
    }

    /// Whether anything followed.
    fn follow_up_once(&mut self, instrument: InstrumentId, events: &mut Vec<Event>) -> bool {
        if self.place_from_lists(instrument, events) {
            return true;
        }
        if self.is_halted() {
            self.interrupt(instrument);
            return false;
        }
        self.move_pegs(instrument, events)
            || self.note_prices(instrument)
            || self.pull_trigger(instrument, events)
    }
}
