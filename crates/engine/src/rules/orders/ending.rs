//! Ends of orders other than by trading: cancels and expiry; and the storage of finished orders.

use types::{
    AccountId, CancelAll, CancelCause, CancelOrder, CancelRestriction, ClOrdId, Event, ExpireCause,
    InstrumentId, LIST_ORDERS_MAX, Order, OrderCanceled, OrderExpired, OrderRef, OrderStatus,
    Prevented, Qty, RejectReason, ReplaceMode, ReplaceOrder,
};

use crate::book::node::NodeId;
use crate::rules::event::emit;
use crate::state::Engine;
use crate::state::deferred::Deferred;
use crate::state::lists::is_in_list;
use crate::state::orders::Leaving;
use crate::state::orders::record::Standing;

impl Engine {
    #[inline(always)]
    pub(crate) fn cancel_order(
        &mut self,
        account: AccountId,
        request: &CancelOrder,
        events: &mut Vec<Event>,
    ) {
        match self.check_cancel(account, request) {
            Ok(node) => {
                let (name, cause) = (request.cl_ord_id, CancelCause::Requested);
                if !self.cancel_plain(node, name, cause, events) {
                    self.cancel_special(node, name, cause, events);
                }
            }
            Err(reason) => self.reject(account, reason, events),
        }
    }

    /// Cancels oldest first; a `Continue` resumes the rest beyond one command's work.
    pub(crate) fn cancel_all(
        &mut self,
        account: AccountId,
        request: &CancelAll,
        events: &mut Vec<Event>,
    ) {
        if self.account(account).is_none() {
            return self.reject(account, RejectReason::UnknownAccount, events);
        }
        if self.market(request.instrument).is_none() {
            return self.reject(account, RejectReason::UnknownInstrument, events);
        }
        if self.first_open(account, request.instrument).is_none() {
            return self.reject(account, RejectReason::OrderNotFound, events);
        }
        self.cancel_rest(account, request, events);
    }

    pub(crate) fn cancel_rest(
        &mut self,
        account: AccountId,
        request: &CancelAll,
        events: &mut Vec<Event>,
    ) {
        while let Some(node) = self.first_open(account, request.instrument) {
            if !self.spend_work() {
                self.deferred.push_front(Deferred::CancelAll(account, *request));
                return;
            }
            self.cancel(node, request.cl_ord_id, CancelCause::CancelAll, events);
        }
    }

    /// Nothing changes if the new order fails a check that need not wait for the cancel. Then the
    /// cancel runs first, so that its freed amount counts for the new order.
    pub(crate) fn replace_order(
        &mut self,
        account: AccountId,
        request: &ReplaceOrder,
        events: &mut Vec<Event>,
    ) {
        let found = self.check_cancel(account, &request.cancel);
        let leaving = found.map_or([None; LIST_ORDERS_MAX], |node| self.ended_by_cancel(node));
        let is_over_rate = request.cancel_when_limited && self.is_over_order_rate(account);
        let checked = self.check_ahead_of_cancel(account, &request.order, leaving, is_over_rate);
        if let Err(reason) = checked {
            return self.reject(account, reason, events);
        }
        match found {
            Ok(node) => {
                self.cancel(node, request.cancel.cl_ord_id, CancelCause::Replaced, events);
            }
            Err(reason) => {
                self.reject_half(account, reason, true, events);
                if request.mode == ReplaceMode::StopOnFailure && !is_over_rate {
                    self.accounts[account.0 as usize].count_order(self.now_ns);
                    return self.reject(account, RejectReason::NotAttempted, events);
                }
            }
        }
        if is_over_rate {
            return self.reject(account, RejectReason::OrderRateAboveMax, events);
        }
        self.new_order(account, &request.order, events);
    }

    fn is_over_order_rate(&self, account: AccountId) -> bool {
        self.account(account).is_some_and(|account| !account.order_rate_allows(1, self.now_ns))
    }

    /// The orders that end with a cancel of one: those of its list too.
    fn ended_by_cancel(&self, node: NodeId) -> Leaving {
        let mut leaving = [None; LIST_ORDERS_MAX];
        let order = self.orders.order(node);
        let lists = &self.markets[order.instrument.0 as usize].lists;
        let list = order.terms.and_then(|terms| lists.open.get(&terms.order_list));
        match list {
            None => leaving[0] = Some(node),
            Some(list) => {
                let nodes = list.list.orders.iter();
                for (place, order_id) in leaving.iter_mut().zip(nodes) {
                    *place = order_id.and_then(|id| self.find_by_id(order.instrument, id));
                }
            }
        }
        leaving
    }

    /// Ends an order that is not on the book.
    pub(crate) fn expire(&mut self, mut order: Order, cause: ExpireCause, events: &mut Vec<Event>) {
        self.release(&order, order.leaves_qty());
        order.status = OrderStatus::Expired;
        self.finish_expired(order, cause, None, events);
    }

    /// Ends an order that is not on the book and holds nothing any more.
    pub(crate) fn finish_expired(
        &mut self,
        mut order: Order,
        cause: ExpireCause,
        prevented: Option<Prevented>,
        events: &mut Vec<Event>,
    ) {
        let market = &mut self.markets[order.instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        order.updated_ns = self.now_ns;
        if !order.quote_order_qty.is_zero() {
            order.order_qty = order.cum_qty;
        }
        events.push(Event::OrderExpired(OrderExpired {
            account_seq: account.next_seq(),
            instrument_seq: market.next_seq(),
            order,
            cause,
            prevented,
        }));
        self.finish(&order, events);
        self.end_in_list(&order, None, events);
    }

    /// Ends an open order in any standing, by its own terms or the market's.
    pub(crate) fn expire_open(
        &mut self,
        node: NodeId,
        cause: ExpireCause,
        events: &mut Vec<Event>,
    ) {
        let order = self.orders.order(node);
        let shown = self.leave(node, &order);
        self.emit_reduced(&order, shown, Qty::ZERO, events);
        self.expire(order, cause, events);
        self.touch(order.instrument);
    }

    /// Takes an open order off its book or out of its wait, and out of all lists. Returns the
    /// quantity that the book showed.
    pub(crate) fn leave(&mut self, node: NodeId, order: &Order) -> Qty {
        let standing = self.orders.standing(node);
        match standing {
            Standing::Trigger => self.stop_waiting(node, order),
            Standing::List => {
                let account = &mut self.accounts[order.account.0 as usize];
                account.market_mut(order.instrument).count_stop(order.order_type, false);
            }
            _ => {}
        }
        let shown = self.shown_qty(node);
        let market = &mut self.markets[order.instrument.0 as usize];
        market.index.remove(order.order_id.0);
        self.orders.detach(&mut self.accounts[order.account.0 as usize], node);
        market.take_out(&mut self.orders.nodes, node, standing);
        if !standing.is_off_book() {
            self.mark_book_changed(order.instrument);
        }
        let market = &mut self.markets[order.instrument.0 as usize];
        if let Some(terms) = &order.terms {
            market.forget(order, terms);
        }
        shown
    }

    /// Frees the hold of `qty` of an order.
    #[inline]
    pub(crate) fn release(&mut self, order: &Order, qty: Qty) {
        if is_in_list(order) {
            return self.release_in_list(order, qty);
        }
        let market = &self.markets[order.instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        if !order.order_type.is_market() {
            account.release(&market.instrument, order, qty);
        }
    }

    /// Updates the state for an ended order, besides the event. The order is kept for queries, in
    /// place of the account's oldest.
    #[inline]
    pub(crate) fn finish(&mut self, order: &Order, _events: &mut Vec<Event>) {
        let account = &mut self.accounts[order.account.0 as usize];
        account.finished.push(order, account.spec.finished_orders_kept as usize);
        self.sessions.forget(order.into());
    }

    pub(crate) fn cancel(
        &mut self,
        node: NodeId,
        cl_ord_id: ClOrdId,
        cause: CancelCause,
        events: &mut Vec<Event>,
    ) {
        if !self.cancel_plain(node, cl_ord_id, cause, events) {
            self.cancel_special(node, cl_ord_id, cause, events);
        }
    }

    #[inline(never)]
    fn cancel_special(
        &mut self,
        node: NodeId,
        cl_ord_id: ClOrdId,
        cause: CancelCause,
        events: &mut Vec<Event>,
    ) {
        let mut order = self.orders.order(node);
        let canceled_qty = order.leaves_qty();
        let shown = self.leave(node, &order);
        if order.terms.is_some() {
            self.emit_reduced(&order, shown, Qty::ZERO, events);
        }
        self.release(&order, canceled_qty);
        let market = &mut self.markets[order.instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        order.status = OrderStatus::Canceled;
        order.updated_ns = self.now_ns;
        let (account_seq, instrument_seq) = (account.next_seq(), market.next_seq());
        emit(events, || {
            Event::OrderCanceled(OrderCanceled {
                account_seq,
                instrument_seq,
                order,
                canceled_qty,
                cl_ord_id,
                cause,
            })
        });
        self.finish(&order, events);
        self.end_in_list(&order, Some(cl_ord_id), events);
        self.touch(order.instrument);
    }

    #[inline(always)]
    fn check_cancel(
        &self,
        account: AccountId,
        request: &CancelOrder,
    ) -> Result<NodeId, RejectReason> {
        self.account(account).ok_or(RejectReason::UnknownAccount)?;
        self.market(request.instrument).ok_or(RejectReason::UnknownInstrument)?;
        let node = self.open_order(account, request.instrument, &request.order)?;
        let status = self.orders.record(node).status;
        let allowed = match request.restriction {
            CancelRestriction::None => true,
            CancelRestriction::OnlyNew => status == OrderStatus::New,
            CancelRestriction::OnlyPartiallyFilled => status == OrderStatus::PartiallyFilled,
        };
        if allowed { Ok(node) } else { Err(RejectReason::CancelRestricted) }
    }

    #[inline(always)]
    pub(super) fn open_order(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order: &OrderRef,
    ) -> Result<NodeId, RejectReason> {
        self.find_open(account, instrument, order).ok_or(RejectReason::OrderNotFound)
    }

    fn first_open(&self, account: AccountId, instrument: InstrumentId) -> Option<NodeId> {
        let account = self.account(account)?;
        self.orders.of_account(account, instrument).next()
    }
}
