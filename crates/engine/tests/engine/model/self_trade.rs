//! Chapter 7: no account trades with itself unless its mode allows it.

use types::*;

use super::{Key, Model, Standing};

impl Model {
    pub(super) fn prevents(&self, taker: &Order, maker: &Order) -> bool {
        let group = self.owner(taker.account).risk.stp_group;
        let same_group = group != 0 && group == self.owner(maker.account).risk.stp_group;
        taker.stp_mode != StpMode::None && (taker.account == maker.account || same_group)
    }

    /// Returns whether the aggressor continues.
    pub(super) fn prevent(&mut self, taker: Key, maker: Key) -> bool {
        let (resting, order) = (*self.at(maker), self.at(taker).order);
        let wants = if order.quote_order_qty.is_zero() {
            order.order_qty.lots() - order.cum_qty.lots()
        } else {
            let rest = order.quote_order_qty - order.cum_quote;
            let instrument = &self.market(taker.0).instrument;
            instrument.lots_for(rest, resting.order.price).lots()
        };
        if wants == 0 {
            self.expire(taker, ExpireCause::BelowOneLot);
            return false;
        }
        let qty = wants.min(resting.front());
        let (off_maker, off_taker) = match order.stp_mode {
            StpMode::None => unreachable!("nothing is prevented"),
            StpMode::ExpireTaker => (0, wants),
            StpMode::ExpireMaker => (resting.leaves(), 0),
            StpMode::ExpireBoth => (resting.leaves(), wants),
            StpMode::Decrement => (qty, qty),
        };
        let instrument_seq = self.instrument_seq(taker.0);
        let prevented_ns = self.now_ns;
        let stp_group = self.owner(order.account).risk.stp_group;
        let market = self.market_mut(taker.0);
        market.last_prevented_id += 1;
        let prevented_match_id = market.last_prevented_id;
        let (price, qty) = (resting.order.price, Qty::from_lots(qty));
        self.events.push(Event::TradePrevented(TradePrevented {
            instrument_seq,
            instrument: taker.0,
            prevented_match_id,
            price,
            qty,
            stp_mode: order.stp_mode,
            stp_group,
            maker_account: resting.order.account,
            maker_order_id: maker.1,
            maker_prevented_qty: Qty::from_lots(off_maker),
            taker_account: order.account,
            taker_order_id: taker.1,
            taker_prevented_qty: Qty::from_lots(off_taker),
            prevented_ns,
        }));
        let part = |off, counter_order_id| {
            let prevented_qty = Qty::from_lots(off);
            Prevented { prevented_match_id, price, qty, prevented_qty, counter_order_id, stp_group }
        };
        if off_maker > 0 {
            self.decrement(maker, part(off_maker, taker.1));
        }
        if off_taker > 0 && self.find(taker).is_some() {
            self.decrement_taker(taker, part(off_taker, maker.1), order.stp_mode);
        }
        self.find(taker).is_some()
    }

    fn decrement_taker(&mut self, key: Key, prevented: Prevented, stp_mode: StpMode) {
        let instrument = self.market(key.0).instrument;
        let order = &mut self.at_mut(key).order;
        let by_quote = !order.quote_order_qty.is_zero();
        if !by_quote {
            return self.decrement(key, prevented);
        }
        let cost = instrument.notional(prevented.price, prevented.qty);
        let rest = order.quote_order_qty - cost - order.cum_quote;
        let ends = instrument.lots_for(rest, prevented.price).is_zero();
        if stp_mode != StpMode::Decrement || ends {
            return self.expire_with(key, ExpireCause::SelfTrade, Some(prevented));
        }
        order.quote_order_qty -= cost;
        take_off(order, &prevented);
        self.decremented(key, prevented);
    }

    /// The order ends if that is all of it.
    fn decrement(&mut self, key: Key, prevented: Prevented) {
        let qty = prevented.prevented_qty.lots();
        let open = self.at_mut(key);
        if open.leaves() == qty {
            return self.expire_with(key, ExpireCause::SelfTrade, Some(prevented));
        }
        let shown = open.shown;
        take_off(&mut open.order, &prevented);
        open.shown = shown - shown.min(qty);
        if open.shown < shown {
            self.emit_reduced(key, shown.min(qty));
        }
        let order = self.at(key).order;
        self.decremented(key, prevented);
        if let Some(other) = self.other_leg(&order) {
            take_off(&mut self.at_mut(other).order, &prevented);
            self.decremented(other, prevented);
        }
        let open = *self.at(key);
        if open.place == Standing::Book && open.shown == 0 && !open.terms().hidden {
            self.show(key);
        }
    }

    fn decremented(&mut self, key: Key, prevented: Prevented) {
        let now_ns = self.now_ns;
        let order = &mut self.at_mut(key).order;
        order.updated_ns = now_ns;
        let order = *order;
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(key.0);
        let decremented = OrderDecremented { account_seq, instrument_seq, order, prevented };
        self.events.push(Event::OrderDecremented(decremented));
    }
}

/// Counts a prevented quantity for an order. An order by quote amount has no quantity.
pub(super) fn take_off(order: &mut Order, prevented: &Prevented) {
    let mut terms = order.terms.unwrap_or_default();
    terms.prevented_qty += prevented.prevented_qty;
    terms.prevented_match_id = prevented.prevented_match_id;
    order.terms = Some(terms);
    if order.quote_order_qty.is_zero() {
        order.order_qty -= prevented.prevented_qty;
    }
}
