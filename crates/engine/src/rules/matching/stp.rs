//! Self-trade prevention: no account trades with itself unless its mode allows it.

use types::{Event, ExpireCause, Order, Qty, StpMode, TradePrevented};

use crate::book::Front;
use crate::book::node::NodeId;
use crate::rules::matching::matched::rest_by_quote;
use crate::state::Engine;

impl Engine {
    /// Whether an aggressor must not trade with a resting order.
    #[inline]
    pub(super) fn prevents(&self, taker: &Order, maker: NodeId) -> bool {
        taker.stp_mode != StpMode::None && self.is_own(taker, maker)
    }

    /// Whether both orders are of the same account or of the same group.
    fn is_own(&self, taker: &Order, maker: NodeId) -> bool {
        let maker = self.orders.record(maker).account;
        let group = |account: types::AccountId| self.accounts[account.0 as usize].stp_group();
        let of_group = || group(taker.account) != 0 && group(taker.account) == group(maker);
        maker == taker.account || of_group()
    }

    /// Carries out the aggressor's mode instead of the trade. `Some` if the aggressor ends.
    #[cold]
    pub(super) fn prevent(
        &mut self,
        taker: &mut Order,
        front: Front,
        events: &mut Vec<Event>,
    ) -> Option<ExpireCause> {
        let market = &mut self.markets[taker.instrument.0 as usize];
        let wants = if taker.quote_order_qty.is_zero() {
            taker.order_qty - taker.cum_qty
        } else {
            rest_by_quote(&market.instrument, taker, front.price)
        };
        if wants.is_zero() {
            return Some(ExpireCause::BelowOneLot);
        }
        let qty = wants.min(front.leaves_qty);
        market.special.last_prevented_id += 1;
        events.push(Event::TradePrevented(TradePrevented {
            instrument_seq: market.next_seq(),
            instrument: taker.instrument,
            prevented_match_id: market.special.last_prevented_id,
            price: front.price,
            qty,
            stp_mode: taker.stp_mode,
            maker_account: self.orders.record(front.node).account,
            maker_order_id: self.orders.order_id(front.node),
            taker_account: taker.account,
            taker_order_id: taker.order_id,
            prevented_ns: self.now_ns,
        }));
        match taker.stp_mode {
            StpMode::None | StpMode::ExpireTaker => Some(ExpireCause::SelfTrade),
            StpMode::ExpireMaker => {
                self.expire_open(front.node, ExpireCause::SelfTrade, events);
                None
            }
            StpMode::ExpireBoth => {
                self.expire_open(front.node, ExpireCause::SelfTrade, events);
                Some(ExpireCause::SelfTrade)
            }
            StpMode::Decrement => {
                self.decrement_maker(front.node, qty, events);
                self.decrement_taker(taker, front, qty)
            }
        }
    }

    fn decrement_maker(&mut self, node: NodeId, qty: Qty, events: &mut Vec<Event>) {
        let mut maker = self.orders.order(node);
        self.release(&maker, qty);
        decrement(&mut maker, qty, self.now_ns);
        let is_done = maker.order_qty == maker.cum_qty;
        if !is_done {
            self.orders.record_mut(node).order_qty = maker.order_qty;
            let extra = self.orders.extra_mut(node);
            extra.updated_ns = maker.updated_ns;
            extra.terms = maker.terms;
        }
        let reduced = self.reduce_special(node, &maker, qty);
        self.emit_special(&maker, qty, reduced, events);
        if is_done {
            self.expire(maker, ExpireCause::SelfTrade, events);
        }
        self.touch(maker.instrument);
    }

    fn decrement_taker(
        &mut self,
        taker: &mut Order,
        front: Front,
        qty: Qty,
    ) -> Option<ExpireCause> {
        self.release(taker, qty);
        let by_quote = !taker.quote_order_qty.is_zero();
        decrement(taker, qty, self.now_ns);
        let is_done = if by_quote {
            let instrument = &self.markets[taker.instrument.0 as usize].instrument;
            taker.quote_order_qty -= instrument.notional(front.price, qty);
            rest_by_quote(instrument, taker, front.price).is_zero()
        } else {
            taker.order_qty == taker.cum_qty
        };
        is_done.then_some(ExpireCause::SelfTrade)
    }
}

/// An order by quote amount has no quantity to reduce.
fn decrement(order: &mut Order, qty: Qty, now_ns: u64) {
    let mut terms = order.terms.unwrap_or_default();
    let prevented = terms.prevented_qty.lots().saturating_add(qty.lots());
    terms.prevented_qty = Qty::from_lots(prevented).min(types::QTY_MAX);
    order.terms = Some(terms);
    order.updated_ns = now_ns;
    if order.quote_order_qty.is_zero() {
        order.order_qty -= qty;
    }
}
