//! Self-trade prevention: no account trades with itself unless its mode allows it.

use types::{
    Event, ExpireCause, Order, OrderDecremented, OrderStatus, Prevented, Qty, StpMode,
    TradePrevented,
};

use crate::book::Front;
use crate::book::node::NodeId;
use crate::rules::matching::matched::rest_by_quote;
use crate::rules::matching::trade::Stop;
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
    ) -> Option<Stop> {
        let market = &mut self.markets[taker.instrument.0 as usize];
        let wants = if taker.quote_order_qty.is_zero() {
            taker.order_qty - taker.cum_qty
        } else {
            rest_by_quote(&market.instrument, taker, front.price)
        };
        if wants.is_zero() {
            return Some(Stop::Unable(ExpireCause::BelowOneLot));
        }
        let qty = wants.min(front.leaves_qty);
        let maker = self.orders.order(front.node);
        let (maker_qty, taker_qty) = match taker.stp_mode {
            StpMode::None | StpMode::ExpireTaker => (Qty::ZERO, wants),
            StpMode::ExpireMaker => (maker.leaves_qty(), Qty::ZERO),
            StpMode::ExpireBoth => (maker.leaves_qty(), wants),
            StpMode::Decrement => (qty, qty),
        };
        market.special.last_prevented_id += 1;
        let prevented = TradePrevented {
            instrument_seq: market.next_seq(),
            instrument: taker.instrument,
            prevented_match_id: market.special.last_prevented_id,
            price: front.price,
            qty,
            stp_mode: taker.stp_mode,
            stp_group: self.accounts[taker.account.0 as usize].stp_group(),
            maker_account: maker.account,
            maker_order_id: maker.order_id,
            maker_prevented_qty: maker_qty,
            taker_account: taker.account,
            taker_order_id: taker.order_id,
            taker_prevented_qty: taker_qty,
            prevented_ns: self.now_ns,
        };
        events.push(Event::TradePrevented(prevented));
        if !maker_qty.is_zero() {
            self.prevent_maker(front.node, &of_maker(&prevented), events);
        }
        if taker_qty.is_zero() {
            return None;
        }
        let own = of_taker(&prevented);
        if taker.stp_mode != StpMode::Decrement || !self.decrement_taker(taker, &own, events) {
            return Some(Stop::Prevented(own));
        }
        None
    }

    /// Takes the prevented quantity off the resting order, which may end by that.
    fn prevent_maker(&mut self, node: NodeId, prevented: &Prevented, events: &mut Vec<Event>) {
        let mut maker = self.orders.order(node);
        if maker.leaves_qty() == prevented.prevented_qty {
            let shown = self.leave(node, &maker);
            self.emit_reduced(&maker, shown, Qty::ZERO, events);
            self.expire_prevented(maker, *prevented, events);
        } else {
            let qty = prevented.prevented_qty;
            self.release(&maker, qty);
            count_prevented(&mut maker, prevented, self.now_ns);
            self.store_decremented(node, &maker);
            let reduced = self.reduce_special(node, &maker, qty);
            self.emit_less(&maker, qty, reduced, events);
            self.emit_decremented(&maker, prevented, events);
            self.decrement_other_leg(&maker, prevented, events);
            self.emit_next(&maker, reduced, events);
        }
        self.touch(maker.instrument);
    }

    /// Lowers the aggressor by the prevented quantity. Returns whether it goes on: an order that
    /// ends keeps its amount, since an order without one would be an order by quantity.
    fn decrement_taker(
        &mut self,
        taker: &mut Order,
        prevented: &Prevented,
        events: &mut Vec<Event>,
    ) -> bool {
        let mut lowered = *taker;
        count_prevented(&mut lowered, prevented, self.now_ns);
        let is_done = if taker.quote_order_qty.is_zero() {
            lowered.order_qty == lowered.cum_qty
        } else {
            let instrument = &self.markets[taker.instrument.0 as usize].instrument;
            lowered.quote_order_qty -= instrument.notional(prevented.price, prevented.qty);
            rest_by_quote(instrument, &lowered, prevented.price).is_zero()
        };
        if !is_done {
            self.release(taker, prevented.prevented_qty);
            *taker = lowered;
            self.emit_decremented(taker, prevented, events);
        }
        !is_done
    }

    /// Only one leg of an OCO trades its quantity: what is taken off one is taken off the other.
    fn decrement_other_leg(&mut self, leg: &Order, prevented: &Prevented, events: &mut Vec<Event>) {
        let qty = prevented.prevented_qty;
        let Some(node) = self.other_leg(leg, qty) else { return };
        let mut other = self.orders.order(node);
        self.release(&other, qty);
        let shown = self.stand_lower(node, qty);
        self.emit_reduced(&other, shown, self.orders.nodes[node].leaves_qty(), events);
        count_prevented(&mut other, prevented, self.now_ns);
        self.store_decremented(node, &other);
        self.emit_decremented(&other, prevented, events);
    }

    fn store_decremented(&mut self, node: NodeId, order: &Order) {
        self.orders.record_mut(node).order_qty = order.order_qty;
        let extra = self.orders.extra_mut(node);
        extra.updated_ns = order.updated_ns;
        extra.terms = order.terms;
    }

    fn emit_decremented(&mut self, order: &Order, prevented: &Prevented, events: &mut Vec<Event>) {
        events.push(Event::OrderDecremented(OrderDecremented {
            account_seq: self.accounts[order.account.0 as usize].next_seq(),
            instrument_seq: self.markets[order.instrument.0 as usize].next_seq(),
            order: *order,
            prevented: *prevented,
        }));
    }

    /// Ends an order that is not on the book: prevention took all that was left of it.
    #[cold]
    pub(super) fn expire_prevented(
        &mut self,
        mut order: Order,
        prevented: Prevented,
        events: &mut Vec<Event>,
    ) {
        self.release(&order, order.leaves_qty());
        count_prevented(&mut order, &prevented, self.now_ns);
        order.status = OrderStatus::Prevented;
        self.finish_expired(order, ExpireCause::SelfTrade, Some(prevented), events);
    }
}

fn of_maker(prevented: &TradePrevented) -> Prevented {
    Prevented {
        prevented_match_id: prevented.prevented_match_id,
        price: prevented.price,
        qty: prevented.qty,
        prevented_qty: prevented.maker_prevented_qty,
        counter_order_id: prevented.taker_order_id,
        stp_group: prevented.stp_group,
    }
}

fn of_taker(prevented: &TradePrevented) -> Prevented {
    Prevented {
        prevented_qty: prevented.taker_prevented_qty,
        counter_order_id: prevented.maker_order_id,
        ..of_maker(prevented)
    }
}

/// An order by quote amount has no quantity to reduce.
fn count_prevented(order: &mut Order, prevented: &Prevented, now_ns: u64) {
    let qty = prevented.prevented_qty;
    let mut terms = order.terms.unwrap_or_default();
    let in_total = terms.prevented_qty.lots().saturating_add(qty.lots());
    terms.prevented_qty = Qty::from_lots(in_total).min(types::QTY_MAX);
    terms.prevented_match_id = prevented.prevented_match_id;
    order.terms = Some(terms);
    order.updated_ns = now_ns;
    if order.quote_order_qty.is_zero() {
        order.order_qty -= qty;
    }
}
