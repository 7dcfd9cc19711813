//! Consequences of a command's own events in an instrument: moves of pegs, triggers.

use types::{Event, InstrumentId, OrderId};

use crate::state::Engine;
use crate::state::deferred::Deferred;

impl Engine {
    /// An instrument's book has changed, or it has traded. Every rule with such a change calls
    /// this; the consequences run after the command's own order.
    #[inline(always)]
    pub(super) fn touch(&mut self, instrument: InstrumentId) {
        let market = &mut self.markets[instrument.0 as usize];
        if market.has_followers() && !market.follow_up_waits {
            market.follow_up_waits = true;
            self.deferred.push_back(Deferred::FollowUp(instrument));
        }
    }

    /// Runs one consequence after another, until none is left or the command's work is used up.
    /// Other deferred work runs after that.
    #[cold]
    pub(super) fn follow_up(&mut self, instrument: InstrumentId, events: &mut Vec<Event>) {
        let others = self.deferred.len();
        loop {
            if !self.pegs_move(instrument) {
                self.break_circuit(instrument, events);
            }
            if !self.follow_up_once(instrument, events) {
                self.markets[instrument.0 as usize].follow_up_waits = false;
                return;
            }
            // An entering order runs first.
            let entering = self.deferred.len() - others;
            if self.work == 0 || entering > 0 {
                self.deferred.insert(entering, Deferred::FollowUp(instrument));
                return;
            }
        }
    }

    /// Whether a round of pegs is unfinished, cut by an order or by the limit of work.
    fn pegs_move(&self, instrument: InstrumentId) -> bool {
        self.markets[instrument.0 as usize].special.pegs.cursor != OrderId(0)
    }

    /// Returns whether there was a consequence.
    fn follow_up_once(&mut self, instrument: InstrumentId, events: &mut Vec<Event>) -> bool {
        if self.pegs_move(instrument) {
            return self.move_pegs(instrument, events);
        }
        if self.place_from_lists(instrument, events) {
            return true;
        }
        if self.is_halted() {
            self.interrupt(instrument);
            return false;
        }
        self.move_pegs(instrument, events)
            || self.apply_prices(instrument)
            || self.pull_trigger(instrument, events)
    }
}
