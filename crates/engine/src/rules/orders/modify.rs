//! Changes of an open order's quantity or price.

use types::{
    AccountId, AmendOrder, CancelCause, ClOrdId, Event, LoweringRequest, ModifyOrder, NewOrder,
    Order, OrderAmended, OrderListId, OrderModified, OrderSize, OrderType, Phase, Price, Qty,
    RejectReason, Terms, TimeInForce,
};

use crate::book::node::NodeId;
use crate::rules::matching::context::EntryContext;
use crate::state::Engine;

impl Engine {
    /// A lower quantity keeps the place in the queue; any other change is a replace.
    pub(crate) fn amend_order(
        &mut self,
        account: AccountId,
        request: &AmendOrder,
        events: &mut Vec<Event>,
    ) {
        match self.check_amend(account, request) {
            Ok(node) => {
                let order_qty = request.order_qty - self.orders.terms(node).prevented_qty;
                self.lower(node, request.cl_ord_id, order_qty, LoweringRequest::Amend, events);
                let amends = &mut self.orders.extra_mut(node).amends;
                *amends = amends.saturating_add(1);
            }
            Err(reason) => {
                self.reject_lowering(account, request.instrument, &request.order, reason, events);
            }
        }
    }

    #[inline(never)]
    pub(crate) fn modify_order(
        &mut self,
        account: AccountId,
        request: &ModifyOrder,
        events: &mut Vec<Event>,
    ) {
        let node = match self.check_modify(account, request) {
            Ok(node) => node,
            Err(reason) if request.cl_ord_id.is_none() => {
                return self.reject_lowering(
                    account,
                    request.instrument,
                    &request.order,
                    reason,
                    events,
                );
            }
            Err(reason) => return self.reject(account, reason, events),
        };
        let order = self.orders.order(node);
        let price = request.price.unwrap_or(order.price);
        let order_qty = without_prevented(&order, request.order_qty);
        if order_qty <= order.cum_qty {
            let cl_ord_id = request.cl_ord_id.unwrap_or(order.cl_ord_id);
            self.cancel(node, cl_ord_id, CancelCause::Modified, events);
        } else if price == order.price && order_qty <= order.order_qty {
            self.lower(node, request.cl_ord_id, order_qty, LoweringRequest::Modify, events);
        } else {
            self.change(node, request.cl_ord_id, order_qty, price, events);
        }
    }

    /// Lowers an order's quantity, and the other leg of its OCO; both keep their places.
    fn lower(
        &mut self,
        node: NodeId,
        cl_ord_id: Option<ClOrdId>,
        order_qty: Qty,
        request: LoweringRequest,
        events: &mut Vec<Event>,
    ) {
        let orig = self.orders.order(node);
        self.lower_one(node, cl_ord_id, order_qty, request, events);
        let less = orig.order_qty - order_qty;
        if let Some(other) = self.other_leg(&orig, less) {
            let order_qty = self.orders.record(other).order_qty - less;
            self.lower_one(other, None, order_qty, request, events);
        }
        if cl_ord_id.is_some_and(|cl_ord_id| cl_ord_id != orig.cl_ord_id) {
            self.rename_in_list(&orig, events);
        }
    }

    /// The reserve is reduced first.
    fn lower_one(
        &mut self,
        node: NodeId,
        cl_ord_id: Option<ClOrdId>,
        order_qty: Qty,
        request: LoweringRequest,
        events: &mut Vec<Event>,
    ) {
        let orig = self.orders.order(node);
        if let Some(cl_ord_id) = &cl_ord_id {
            self.orders.rename(node, cl_ord_id);
        }
        let less = orig.order_qty - order_qty;
        self.release(&orig, less);
        let reduced = self.stand_lower(node, less);
        self.orders.record_mut(node).order_qty = order_qty;
        self.orders.extra_mut(node).updated_ns = self.now_ns;
        if orig.terms.is_some() {
            let leaves_qty = self.orders.nodes[node].leaves_qty();
            self.emit_reduced(&orig, reduced, leaves_qty, events);
        }
        events.push(Event::OrderAmended(OrderAmended {
            account_seq: self.accounts[orig.account.0 as usize].next_seq(),
            instrument_seq: self.markets[orig.instrument.0 as usize].next_seq(),
            order: self.orders.order(node),
            orig_cl_ord_id: orig.cl_ord_id,
            orig_order_qty: orig.order_qty,
            request,
        }));
        self.touch(orig.instrument);
    }

    /// Gives an order another price or more quantity. An order on the book enters again.
    fn change(
        &mut self,
        node: NodeId,
        cl_ord_id: Option<ClOrdId>,
        order_qty: Qty,
        price: Price,
        events: &mut Vec<Event>,
    ) {
        let orig = self.orders.order(node);
        if let Some(cl_ord_id) = &cl_ord_id {
            self.orders.rename(node, cl_ord_id);
        }
        let waits = self.orders.standing(node).is_off_book();
        let (node, shown) = if waits { (node, Qty::ZERO) } else { self.take_off(node) };
        self.emit_reduced(&orig, shown, Qty::ZERO, events);
        let mut order = orig;
        order.cl_ord_id = cl_ord_id.unwrap_or(orig.cl_ord_id);
        order.order_qty = order_qty;
        order.price = price;
        order.updated_ns = self.now_ns;
        let market = &mut self.markets[orig.instrument.0 as usize];
        let account = &mut self.accounts[orig.account.0 as usize];
        if !order.order_type.is_market() {
            let holds = account.rehold(market, &orig, &order, self.now_ns);
            assert!(holds, "the check saw that it is there");
        }
        self.orders.store(node, &order);
        let gathers = market.trading.phase != Phase::Continuous;
        events.push(Event::OrderModified(OrderModified {
            account_seq: account.next_seq(),
            instrument_seq: market.next_seq(),
            order,
            orig_cl_ord_id: orig.cl_ord_id,
            orig_order_qty: orig.order_qty,
            orig_price: orig.price,
        }));
        match (waits, gathers) {
            (true, _) => {}
            (false, true) => self.rest_special(&order, Some(node), events),
            (false, false) => self.enter_again(order, node, events),
        }
    }

    fn check_amend(
        &self,
        account: AccountId,
        request: &AmendOrder,
    ) -> Result<NodeId, RejectReason> {
        self.account(account).ok_or(RejectReason::UnknownAccount)?;
        let market = self.market(request.instrument).ok_or(RejectReason::UnknownInstrument)?;
        let instrument = &market.instrument;
        if request.order_qty < instrument.spec.min_qty {
            return Err(RejectReason::OrderQtyBelowMin);
        }
        if let Some(cl_ord_id) = &request.cl_ord_id {
            let taken = self.orders.by_cl_ord_id(account, request.instrument, cl_ord_id);
            let own = self.open_order(account, request.instrument, &request.order).ok();
            if taken.is_some() && taken != own {
                return Err(RejectReason::DuplicateClOrdId);
            }
        }
        let node = self.open_order(account, request.instrument, &request.order)?;
        // The client counts from the original quantity, before prevention took any.
        let order_qty = self.orders.record(node).order_qty + self.orders.terms(node).prevented_qty;
        if order_qty.is_zero() {
            // Another order pays it, and gives it a quantity.
            return Err(RejectReason::AmendNotAllowed);
        }
        if request.order_qty == order_qty {
            return Err(RejectReason::AmendQtyUnchanged);
        }
        if request.order_qty > order_qty {
            return Err(RejectReason::AmendQtyNotLower);
        }
        if request.order_qty <= order_qty - self.orders.leaves_qty(node) {
            return Err(RejectReason::AmendQtyNotAboveCum);
        }
        let limited = !self.orders.record(node).order_type.is_market();
        let notional = instrument.notional(self.orders.price(node), request.order_qty);
        if limited && notional < instrument.spec.min_notional {
            return Err(RejectReason::NotionalBelowMin);
        }
        let max = market.trading.rules.max_amends;
        let amends = self.orders.extra(node).map_or(0, |extra| extra.amends);
        if max > 0 && amends >= max {
            return Err(RejectReason::TooManyAmends);
        }
        Ok(node)
    }

    fn check_modify(
        &self,
        account: AccountId,
        request: &ModifyOrder,
    ) -> Result<NodeId, RejectReason> {
        let owner = self.account(account).ok_or(RejectReason::UnknownAccount)?;
        let market = self.market(request.instrument).ok_or(RejectReason::UnknownInstrument)?;
        if owner.is_killed() {
            return Err(RejectReason::AccountKilled);
        }
        self.check_open(market)?;
        if !market.trading.phase.takes_orders() {
            return Err(RejectReason::PhaseForbids);
        }
        let node = self.open_order(account, request.instrument, &request.order)?;
        let order = self.orders.order(node);
        let terms = order.terms.unwrap_or_default();
        let lowers_only = terms.terms.peg.is_some() || terms.order_list != OrderListId(0);
        let other_price = request.price.is_some_and(|price| price != order.price);
        let order_qty = without_prevented(&order, request.order_qty);
        let raises = order_qty > order.order_qty;
        let names_none = order.order_type.is_market();
        if (lowers_only && (raises || other_price)) || (names_none && request.price.is_some()) {
            return Err(RejectReason::AmendNotAllowed);
        }
        if order_qty > order.cum_qty {
            let modified = as_modified(&order, request, order_qty);
            self.check_order(account, &modified, EntryContext::again(node))?;
        }
        Ok(node)
    }
}

/// The quantity that is meant, which counts from the original one, without what prevention took.
fn without_prevented(order: &Order, order_qty: Qty) -> Qty {
    let prevented_qty = order.terms.unwrap_or_default().prevented_qty;
    order_qty - prevented_qty.min(order_qty)
}

/// The new order for the check of a modified one, without the terms that count only on entry.
fn as_modified(order: &Order, request: &ModifyOrder, order_qty: Qty) -> NewOrder {
    let terms = order.terms.unwrap_or_default().terms;
    let by_market = order.order_type.is_market();
    NewOrder {
        instrument: order.instrument,
        cl_ord_id: request.cl_ord_id.unwrap_or(order.cl_ord_id),
        side: order.side,
        order_type: match order.order_type {
            OrderType::LimitMaker => OrderType::LimitMaker,
            order_type if by_market => order_type,
            _ => OrderType::Limit,
        },
        time_in_force: TimeInForce::Gtc,
        stp_mode: order.stp_mode,
        price: request.price.unwrap_or(order.price),
        size: OrderSize::Base(order_qty),
        strategy_id: None,
        strategy_type: None,
        terms: order.terms.map(|_| Terms {
            display_qty: terms.display_qty,
            hidden: terms.hidden,
            stop_price: terms.stop_price.filter(|_| by_market),
            trailing_delta_bps: if by_market { terms.trailing_delta_bps } else { 0 },
            ..Terms::default()
        }),
    }
}
