//! Delisting of an instrument, and the cancels of its orders.

use types::{
    CancelCause, DelistInstrument, Event, InstrumentDelisted, InstrumentId, OrderId, RejectReason,
};

use crate::state::Engine;
use crate::state::deferred::Deferred;

impl Engine {
    /// Closes an instrument for good, and cancels its open orders.
    pub(crate) fn delist_instrument(
        &mut self,
        request: &DelistInstrument,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        let DelistInstrument { instrument } = *request;
        let market = self.market_mut(instrument)?;
        if market.trading.delisted {
            return Err(RejectReason::InstrumentDelisted);
        }
        market.trading.delist();
        let until_ns = std::mem::take(&mut market.trading.until_ns);
        let instrument_seq = market.next_seq();
        let delisted = InstrumentDelisted { instrument_seq, instrument };
        events.push(Event::InstrumentDelisted(delisted));
        self.phase_ends.remove(&(until_ns, instrument)); // it stays in its phase
        self.cancel_delisted(instrument, events);
        Ok(())
    }

    /// Cancels the open orders of an instrument, oldest first, as far as the command's work goes.
    pub(crate) fn cancel_delisted(&mut self, instrument: InstrumentId, events: &mut Vec<Event>) {
        let mut open = std::mem::take(&mut self.delisting);
        if open.is_empty() {
            // At the first part, or again after a restart.
            open = self.markets[instrument.0 as usize].index.ids();
            open.reverse();
        }
        while let Some(order_id) = open.pop() {
            let Some(node) = self.find_by_id(instrument, OrderId(order_id)) else { continue };
            if !self.spend_work() {
                open.push(order_id);
                self.delisting = open;
                return self.deferred.push_front(Deferred::Delist(instrument));
            }
            let cl_ord_id = self.orders.cl_ord_id(node);
            self.cancel(node, cl_ord_id, CancelCause::Delisted, events);
        }
    }
}
