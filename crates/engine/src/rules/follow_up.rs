//! What follows from a command's own events in an instrument: pegs that move, triggers that are
//! reached.

use types::{Event, InstrumentId, OrderId};

use crate::state::Engine;
use crate::state::deferred::Deferred;

impl Engine {
    /// An instrument's book has changed, or it has traded. To be called behind every such change;
    /// what follows from it comes when the command's own order is done.
    #[inline(always)]
    pub(super) fn touch(&mut self, instrument: InstrumentId) {
        let market = &mut self.markets[instrument.0 as usize];
        if market.has_followers() && !market.follow_up_waits {
            market.follow_up_waits = true;
            self.deferred.push_back(Deferred::FollowUp(instrument));
        }
    }

    /// One thing after another, until nothing follows or the command's work is used up; what else
    /// waits, comes when nothing follows here any more.
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
            // An order on its way goes first.
            let on_its_way = self.deferred.len() - others;
            if self.work == 0 || on_its_way > 0 {
                self.deferred.insert(on_its_way, Deferred::FollowUp(instrument));
                return;
            }
        }
    }

    /// Whether a round of pegs is under way, which an order or the command's work has cut.
    fn pegs_move(&self, instrument: InstrumentId) -> bool {
        self.markets[instrument.0 as usize].special.pegs.cursor != OrderId(0)
    }

    /// Whether anything followed.
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
            || self.note_prices(instrument)
            || self.pull_trigger(instrument, events)
    }
}
