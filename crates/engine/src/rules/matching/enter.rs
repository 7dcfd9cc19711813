//! A new order's path: accepted, traded against the book, then rested or ended.

use types::{
    AccountId, Amount, Event, ExpireCause, NewOrder, Order, OrderAccepted, OrderId, OrderListId,
    OrderSize, OrderStatus, OrderTerms, Qty, TimeInForce,
};

use crate::book::node::NodeId;
use crate::rules::event::emit;
use crate::rules::matching::check::takes_reference;
use crate::rules::matching::trade::Stop;
use crate::state::Engine;
use crate::state::deferred::Deferred;
use crate::state::orders::record::Standing;
use crate::state::triggers::begin_to_trail;

impl Engine {
    #[inline(always)]
    pub(crate) fn new_order(
        &mut self,
        account: AccountId,
        request: &NewOrder,
        events: &mut Vec<Event>,
    ) {
        if let Some(checked) = self.fast_path(account, request) {
            return self.take_plain(account, request, &checked, events);
        }
        self.new_special(account, request, events);
    }

    #[inline(never)]
    fn new_special(&mut self, account: AccountId, request: &NewOrder, events: &mut Vec<Event>) {
        if let Err(reason) = self.check_new_order(account, request) {
            return self.reject(account, reason, events);
        }
        let mut order = self.accept(account, request, None, true, events);
        if order.time_in_force == TimeInForce::AtClose && self.parks(order.instrument) {
            return self.park(&order);
        }
        if order.order_type.is_stop() {
            let node = self.attach_off_book(&order, Standing::Trigger);
            return self.wait_for_trigger(node);
        }
        self.enter_new(&mut order, events);
    }

    pub(super) fn enter_new(&mut self, order: &mut Order, events: &mut Vec<Event>) {
        match self.fok_unfillable(order) {
            Some(cause) => self.expire(*order, cause, events),
            None => self.execute(order, events),
        }
    }

    /// Attaches an order that is on no book.
    pub(crate) fn attach_off_book(&mut self, order: &Order, standing: Standing) -> NodeId {
        let account = &mut self.accounts[order.account.0 as usize];
        let node = self.orders.attach_off_book(account, order, standing);
        let market = &mut self.markets[order.instrument.0 as usize];
        market.index.insert(order.order_id.0, node);
        node
    }

    /// An order that has waited takes part from now on.
    pub(crate) fn enter(&mut self, node: NodeId, events: &mut Vec<Event>) {
        let order = self.orders.order(node);
        match self.fok_unfillable(&order) {
            Some(cause) => self.expire_open(node, cause, events),
            None => self.enter_again(order, node, events),
        }
    }

    /// Trades an accepted order as far as it goes, now or in later commands.
    pub(crate) fn execute(&mut self, order: &mut Order, events: &mut Vec<Event>) {
        match self.trade(order, events) {
            Stop::Filled => self.finish(order, events),
            Stop::Prevented(prevented) => self.expire_prevented(*order, prevented, events),
            Stop::Suspended => self.deferred.push_front(Deferred::Trade(*order)),
            stop => {
                match expiry(order, &stop) {
                    Some(cause) => self.expire(*order, cause, events),
                    None => self.rest(order, events),
                }
                if matches!(stop, Stop::Forbidden(ExpireCause::PriceBand)) {
                    self.breach_bands(order.instrument, events);
                }
            }
        }
        self.touch(order.instrument);
    }

    /// Likewise for an order with a node off the book: it was triggered or modified, or its peg
    /// moved.
    pub(crate) fn enter_again(&mut self, mut order: Order, node: NodeId, events: &mut Vec<Event>) {
        debug_assert_eq!(self.orders.standing(node), Standing::Entering);
        match self.trade(&mut order, events) {
            Stop::Filled => {
                self.leave(node, &order);
                self.finish(&order, events);
            }
            Stop::Prevented(prevented) => {
                self.leave(node, &order);
                self.expire_prevented(order, prevented, events);
            }
            Stop::Suspended => {
                self.orders.store(node, &order);
                let again = Deferred::Reenter(order.instrument, order.order_id);
                self.deferred.push_front(again);
            }
            stop => {
                match expiry(&order, &stop) {
                    Some(cause) => {
                        self.leave(node, &order);
                        self.expire(order, cause, events);
                    }
                    None => self.rest_special(&order, Some(node), events),
                }
                if matches!(stop, Stop::Forbidden(ExpireCause::PriceBand)) {
                    self.breach_bands(order.instrument, events);
                }
            }
        }
        self.touch(order.instrument);
    }

    /// Accepts an order after its checks. An order of a list holds nothing yet, and does not trail
    /// until the list places it.
    pub(crate) fn accept(
        &mut self,
        account_id: AccountId,
        request: &NewOrder,
        list: Option<OrderListId>,
        is_placed: bool,
        events: &mut Vec<Event>,
    ) -> Order {
        let price = if takes_reference(request) {
            self.reference_price(request).expect("the check found one")
        } else {
            request.price
        };
        let order_id = self.markets[request.instrument.0 as usize].next_order_id();
        let mut order = new_order(account_id, request, order_id, self.now_ns);
        order.price = price;
        if let Some(order_list) = list {
            let terms = request.special();
            order.terms = Some(OrderTerms { terms, order_list, ..OrderTerms::default() });
        }
        if is_placed {
            begin_to_trail(&mut order, self.now_ns);
        }
        if !order.order_type.is_market() && list.is_none() {
            let market = &self.markets[order.instrument.0 as usize];
            let account = &mut self.accounts[account_id.0 as usize];
            account.hold(market, &order, order.order_qty, self.now_ns);
        }
        self.emit_accepted(&order, events);
        order
    }

    #[inline(always)]
    pub(super) fn emit_accepted(&mut self, order: &Order, events: &mut Vec<Event>) {
        let market = &mut self.markets[order.instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        account.count_order(self.now_ns);
        let (account_seq, instrument_seq) = (account.next_seq(), market.next_seq());
        emit(events, || {
            Event::OrderAccepted(OrderAccepted { account_seq, instrument_seq, order: *order })
        });
        self.bind_to_session(order.into());
    }
}

/// The cause of expiry of an order that stopped trading; `None` if it rests.
fn expiry(order: &Order, stop: &Stop) -> Option<ExpireCause> {
    let rests = !order.order_type.is_market() && order.time_in_force.may_rest();
    match stop {
        Stop::Unable(cause) => Some(*cause),
        Stop::Forbidden(cause) => (!rests).then_some(*cause),
        _ if order.order_type.is_market() => Some(ExpireCause::NoLiquidity),
        _ if order.time_in_force == TimeInForce::Ioc => Some(ExpireCause::ImmediateOrCancel),
        _ => None,
    }
}

/// The order of a request.
#[inline]
pub(super) fn new_order(
    account: AccountId,
    request: &NewOrder,
    order_id: OrderId,
    now_ns: u64,
) -> Order {
    let (order_qty, quote_order_qty) = match request.size {
        OrderSize::Base(qty) => (qty, Amount::ZERO),
        OrderSize::Quote(amount) => (Qty::ZERO, amount),
    };
    Order {
        instrument: request.instrument,
        account,
        order_id,
        cl_ord_id: request.cl_ord_id,
        side: request.side,
        order_type: request.order_type,
        time_in_force: request.time_in_force,
        stp_mode: request.stp_mode,
        status: OrderStatus::New,
        strategy_id: request.strategy_id,
        strategy_type: request.strategy_type,
        price: request.price,
        order_qty,
        quote_order_qty,
        cum_qty: Qty::ZERO,
        cum_quote: Amount::ZERO,
        created_ns: now_ns,
        updated_ns: now_ns,
        terms: order_terms(request),
    }
}

/// The terms of an order. An order for the closing auction has terms even if its request has none,
/// so that no reader takes it for a part of the book.
#[inline]
fn order_terms(request: &NewOrder) -> Option<OrderTerms> {
    match request.time_in_force {
        TimeInForce::AtClose => Some(request.special()),
        _ => request.terms,
    }
    .map(|terms| OrderTerms { terms, ..OrderTerms::default() })
}
