//! Chapter 2.8: prices that follow the book.

use types::*;

use super::ladder::as_requested;
use super::{Key, Model, Standing};

impl Model {
    /// The current price of a pegged order; `None` if it has no reference.
    pub(super) fn peg_price(&self, request: &NewOrder) -> Option<i64> {
        let peg = request.special().peg?;
        let (instrument, side) = (request.instrument, request.side);
        let shown = |side| {
            let orders = self.side(instrument, side);
            let mut followed =
                orders.iter().filter(|open| open.shown > 0 && open.terms().peg.is_none());
            followed.next().map(|open| open.order.price.ticks())
        };
        let reference = match peg.reference {
            PegReference::Primary => shown(side)?,
            PegReference::Market => shown(side.opposite())?,
            PegReference::Mid => {
                let sum = shown(Side::Buy)? + shown(Side::Sell)?;
                // Away from the other side: a bid downwards, an offer upwards.
                sum.div_euclid(2) + if side == Side::Sell { sum.rem_euclid(2) } else { 0 }
            }
        };
        let mut price = reference.saturating_add(peg.offset_ticks.into());
        if let Some(limit) = peg.limit {
            price = match side {
                Side::Buy => price.min(limit.ticks()),
                Side::Sell => price.max(limit.ticks()),
            };
        }
        if request.order_type == OrderType::LimitMaker
            && let Some(other) = self.best(instrument, side.opposite())
        {
            price = match side {
                Side::Buy => price.min(other - 1),
                Side::Sell => price.max(other + 1),
            };
        }
        let spec = &self.market(instrument).instrument.spec;
        Some(price.clamp(spec.min_price.ticks(), spec.max_price.ticks()))
    }

    /// Moves the pegged orders whose references have moved. Returns whether there was any.
    pub(super) fn move_pegs(&mut self, instrument: InstrumentId) -> bool {
        if self.market(instrument).phase != Phase::Continuous || self.halted.is_some() {
            return false;
        }
        let mut pegged: Vec<Key> = Vec::new();
        for open in &self.open {
            let here = open.place == Standing::Book && open.order.instrument == instrument;
            if here && open.terms().peg.is_some() {
                pegged.push(open.key());
            }
        }
        pegged.sort();
        let mut moved = false;
        for key in pegged {
            if self.market(instrument).phase != Phase::Continuous {
                break;
            }
            moved |= self.find(key).is_some() && self.move_peg(key);
        }
        moved
    }

    fn move_peg(&mut self, key: Key) -> bool {
        let order = self.at(key).order;
        let Some(price) = self.peg_price(&as_requested(&order)) else { return false };
        if price == order.price.ticks() {
            return false;
        }
        let price = Price::from_ticks(price);
        let asset = self.paid_in(key.0, order.side);
        let mut moved = self.for_questions();
        moved.at_mut(key).order.price = price;
        // An account with balances does not trade at such a price.
        let is_nothing = self.is_cash(order.account) && price.ticks() <= 0;
        if is_nothing || moved.free(order.account, asset) < 0 {
            self.expire(key, ExpireCause::BalanceExhausted);
            return true;
        }
        self.leave_book(key, false);
        let now_ns = self.now_ns;
        let order = &mut self.at_mut(key).order;
        order.price = price;
        order.updated_ns = now_ns;
        let order = *order;
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(order.instrument);
        let repriced = OrderRepriced { account_seq, instrument_seq, order };
        self.events.push(Event::OrderRepriced(repriced));
        self.trade_all(key);
        true
    }
}
