//! Published indications of a running auction: its result if it uncrossed now.

use types::{AuctionIndicated, Event, InstrumentId, Qty, Side};

use crate::state::Engine;
use crate::state::market::indication::Indication;

impl Engine {
    /// A book has changed. In an auction, a tick publishes a new indication.
    #[inline]
    pub(crate) fn mark_book_changed(&mut self, instrument: InstrumentId) {
        if self.markets[instrument.0 as usize].trading.phase.is_auction() {
            self.mark_auction_changed(instrument);
        }
    }

    #[cold]
    fn mark_auction_changed(&mut self, instrument: InstrumentId) {
        let indication = &mut self.markets[instrument.0 as usize].trading.indication;
        if !indication.is_due {
            indication.is_due = true;
            self.indications.insert((indication.due_ns(), instrument));
        }
    }

    /// A new phase cancels the indication of the last one's auction.
    pub(super) fn begin_indications(&mut self, instrument: InstrumentId) {
        let trading = &mut self.markets[instrument.0 as usize].trading;
        if trading.indication.is_due {
            self.indications.remove(&(trading.indication.due_ns(), instrument));
            trading.indication.is_due = false;
        }
        if trading.phase.is_auction() {
            self.mark_auction_changed(instrument);
        }
    }

    /// The time of the next indication. A halt of the venue suspends indications.
    pub(crate) fn next_indication_ns(&self) -> Option<u64> {
        self.indications.first().map(|(due_ns, _)| *due_ns)
    }

    /// Publishes the due indications.
    pub(crate) fn indicate(&mut self, events: &mut Vec<Event>) {
        let due = self.indications.iter().take_while(|(due_ns, _)| *due_ns <= self.now_ns);
        let mut due: Vec<(u64, InstrumentId)> = due.copied().collect();
        due.sort_unstable_by_key(|(_, instrument)| *instrument);
        for at in due {
            if !self.spend_work() {
                return; // the next tick has the rest
            }
            self.indications.remove(&at);
            let (_, instrument) = at;
            let found = self.equilibrium(instrument);
            let now_ns = self.now_ns;
            let market = &mut self.markets[instrument.0 as usize];
            market.trading.indication = Indication { indicated_ns: now_ns, is_due: false };
            let (volume, surplus) =
                found.map_or((Qty::ZERO, Qty::ZERO), |found| (found.volume, found.surplus));
            events.push(Event::AuctionIndicated(AuctionIndicated {
                instrument_seq: market.next_seq(),
                instrument,
                price: found.map(|found| found.price),
                volume,
                surplus,
                surplus_side: found.map_or(Side::Buy, |found| found.surplus_side),
            }));
        }
    }
}
