//! What readers are told of an auction while it runs: where it would uncross.

use types::{AuctionIndicated, Event, InstrumentId, Qty, Side};

use crate::state::Engine;
use crate::state::market::indication::Indication;

impl Engine {
    /// A book has changed. In an auction, where it would uncross is told on a tick.
    #[inline]
    pub(crate) fn note_book(&mut self, instrument: InstrumentId) {
        if self.markets[instrument.0 as usize].trading.phase.is_auction() {
            self.note_auction(instrument);
        }
    }

    #[cold]
    fn note_auction(&mut self, instrument: InstrumentId) {
        let indication = &mut self.markets[instrument.0 as usize].trading.indication;
        if !indication.is_due {
            indication.is_due = true;
            self.indications.insert((indication.due_ns(), instrument));
        }
    }

    /// A new phase: nothing more is told of the last one's auction.
    pub(super) fn begin_indications(&mut self, instrument: InstrumentId) {
        let trading = &mut self.markets[instrument.0 as usize].trading;
        if trading.indication.is_due {
            self.indications.remove(&(trading.indication.due_ns(), instrument));
            trading.indication.is_due = false;
        }
        if trading.phase.is_auction() {
            self.note_auction(instrument);
        }
    }

    /// When the next one is to be told. Nothing is while the venue is halted.
    pub(crate) fn next_indication_ns(&self) -> Option<u64> {
        self.indications.first().map(|(due_ns, _)| *due_ns)
    }

    /// Tells where the auctions would uncross that are due to be told of.
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
            market.trading.indication = Indication { told_ns: now_ns, is_due: false };
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
