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
        let instrument_seq = self.instrument_seq(taker.0);
        let prevented_ns = self.now_ns;
        let market = self.market_mut(taker.0);
        market.last_prevented_id += 1;
        let prevented = TradePrevented {
            instrument_seq,
            instrument: taker.0,
            prevented_match_id: market.last_prevented_id,
            price: resting.order.price,
            qty: Qty::from_lots(qty),
            stp_mode: order.stp_mode,
            maker_account: resting.order.account,
            maker_order_id: maker.1,
            taker_account: order.account,
            taker_order_id: taker.1,
            prevented_ns,
        };
        self.events.push(Event::TradePrevented(prevented));
        match order.stp_mode {
            StpMode::None => unreachable!("nothing is prevented"),
            StpMode::ExpireTaker => self.expire(taker, ExpireCause::SelfTrade),
            StpMode::ExpireMaker => self.expire(maker, ExpireCause::SelfTrade),
            StpMode::ExpireBoth => {
                self.expire(maker, ExpireCause::SelfTrade);
                if self.find(taker).is_some() {
                    self.expire(taker, ExpireCause::SelfTrade);
                }
            }
            StpMode::Decrement => {
                let price = resting.order.price;
                self.decrement(maker, qty, price);
                if self.find(taker).is_some() {
                    self.decrement(taker, qty, price);
                }
            }
        }
        self.find(taker).is_some()
    }

    fn decrement(&mut self, key: Key, qty: u64, price: Price) {
        let now_ns = self.now_ns;
        let instrument = self.market(key.0).instrument;
        let open = self.at_mut(key);
        let shown = open.shown;
        let mut terms = open.order.terms.unwrap_or_default();
        terms.prevented_qty += Qty::from_lots(qty);
        let order = &mut open.order;
        let done = if order.quote_order_qty.is_zero() {
            order.order_qty -= Qty::from_lots(qty);
            order.order_qty == order.cum_qty
        } else {
            let worth = instrument.notional(price, Qty::from_lots(qty));
            order.quote_order_qty -= worth;
            instrument.lots_for(order.quote_order_qty - order.cum_quote, price).is_zero()
        };
        order.terms = Some(terms);
        order.updated_ns = now_ns;
        open.shown = shown - shown.min(qty);
        if open.shown < shown {
            self.emit_reduced(key, shown.min(qty));
        }
        if done {
            return self.expire(key, ExpireCause::SelfTrade);
        }
        let open = *self.at(key);
        if open.place == Standing::Book && open.shown == 0 && !open.terms().hidden {
            self.show(key);
        }
    }
}
