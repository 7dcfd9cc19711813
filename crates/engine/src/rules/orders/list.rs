//! Orders that depend on each other: OCO, OTO, OTOCO, OPO, OPOCO.
//!
//! Every order of a list has its id and its node from the beginning. An order that is placed later
//! waits off the book ([`Standing::List`]) and holds nothing until then.
//!
//! # Invariants
//! - An open list has an open order, and every open order of a list refers to it.
//! - The legs of an OCO hold in full, each by itself; the amount that they hold twice,
//!   [`OpenList::shared`], is nevertheless free.

mod hold;
mod paid;

use std::collections::BTreeMap;

use types::{
    AccountId, CancelCause, CancelOrderList, ClOrdId, Event, ExpireCause, InstrumentId,
    LIST_ORDERS_MAX, NewOrder, NewOrderList, Order, OrderId, OrderList, OrderListChange,
    OrderListId, OrderListKind, OrderListStatus, OrderListUpdated, OrderSize, OrderStatus,
    OrderType, Qty, RejectReason, Side,
};

use crate::book::node::NodeId;
use crate::rules::matching::context::{Beside, EntryContext, Together};
use crate::state::Engine;
use crate::state::lists::{OpenList, is_in_list, may_be_first, may_be_legs};
use crate::state::market::Market;
use crate::state::orders::record::Standing;
use crate::state::orders::terms::Requested;
use crate::state::triggers::begin_to_trail;

impl Engine {
    #[cold]
    pub(crate) fn new_order_list(
        &mut self,
        account: AccountId,
        request: &NewOrderList,
        events: &mut Vec<Event>,
    ) {
        if let Err(reason) = self.check_order_list(account, request) {
            return self.reject(account, reason, events);
        }
        let instrument = request.instrument;
        let market = &mut self.markets[instrument.0 as usize];
        market.lists.last_id += 1;
        let order_list = OrderListId(market.lists.last_id);
        let mut orders = [None; LIST_ORDERS_MAX];
        let ids = (market.last_order_id + 1..).map(OrderId);
        for (place, id) in orders.iter_mut().take(request.orders.len()).zip(ids) {
            *place = Some(id);
        }
        let list = OrderList {
            instrument,
            account,
            order_list,
            cl_ord_id: request.cl_ord_id,
            kind: request.kind,
            status: OrderListStatus::Executing,
            orders,
            created_ns: self.now_ns,
            updated_ns: self.now_ns,
        };
        market.lists.insert(list, request.kind == OrderListKind::Oco);
        self.emit_list(list, OrderListChange::Entered, events);
        let mut entering = Vec::new();
        for (at, order) in request.orders.iter().enumerate() {
            let later = is_placed_later(request.kind, at);
            let order = self.accept(account, order, Some(order_list), !later, events);
            if later {
                self.attach_off_book(&order, Standing::List);
                let owner = &mut self.accounts[account.0 as usize];
                owner.market_mut(instrument).count_stop(order.order_type, true);
            } else {
                self.attach_off_book(&order, Standing::Entering);
                entering.push(order.order_id);
            }
        }
        self.hold_in_list(instrument, order_list, &entering);
        self.enter_from_list(instrument, &entering, events);
    }

    #[cold]
    pub(crate) fn cancel_order_list(
        &mut self,
        account: AccountId,
        request: &CancelOrderList,
        events: &mut Vec<Event>,
    ) {
        let open = match self.find_order_list(account, request) {
            Ok(open) => open,
            Err(reason) => return self.reject(account, reason, events),
        };
        self.part(&open.list);
        for order_id in open.orders() {
            if let Some(node) = self.find_by_id(request.instrument, order_id) {
                self.cancel(node, request.cl_ord_id, CancelCause::Requested, events);
            }
        }
    }

    fn find_order_list(
        &self,
        account: AccountId,
        request: &CancelOrderList,
    ) -> Result<OpenList, RejectReason> {
        self.account(account).ok_or(RejectReason::UnknownAccount)?;
        let market = self.market(request.instrument).ok_or(RejectReason::UnknownInstrument)?;
        let CancelOrderList { order_list, list_cl_ord_id, .. } = request;
        let named = list_cl_ord_id
            .map(|name| market.lists.names.get(&account)?.get(name.as_bytes()).copied());
        let id = order_list.or(named.flatten()).ok_or(RejectReason::OrderListNotFound)?;
        let found = market.lists.open.get(&id).copied();
        let is_meant = |open: &OpenList| {
            open.list.account == account
                && list_cl_ord_id.is_none_or(|name| open.list.cl_ord_id == name)
        };
        found.filter(is_meant).ok_or(RejectReason::OrderListNotFound)
    }

    /// All or none: the lowest reason that applies to the list or to any of its orders.
    fn check_order_list(
        &self,
        account: AccountId,
        request: &NewOrderList,
    ) -> Result<(), RejectReason> {
        self.account(account).ok_or(RejectReason::UnknownAccount)?;
        let market = self.market(request.instrument).ok_or(RejectReason::UnknownInstrument)?;
        let together = Together::of(request.orders.iter());
        let of_orders = request.orders.iter().enumerate().filter_map(|(at, order)| {
            let later = is_placed_later(request.kind, at);
            let beside = request
                .orders
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at && !is_placed_later(request.kind, *other));
            let context = if later {
                EntryContext::placed_later(together, request.kind.pays_later_orders())
            } else {
                let others = beside.map(|(_, other)| other);
                let beside = Beside::of(&market.instrument, order, others);
                EntryContext::with_list(together, beside)
            };
            self.check_order(account, order, context).err()
        });
        let mut reasons: Vec<RejectReason> = of_orders.collect();
        let mut refuse_if = |wrong: bool, reason| {
            if wrong {
                reasons.push(reason);
            }
        };
        let own = market.lists.names.get(&account);
        let max = market.trading.rules.max_order_lists as usize;
        let open = own.map_or(0, BTreeMap::len);
        refuse_if(max > 0 && open >= max, RejectReason::TooManyOrderLists);
        let apart = legs_go_together(request) && is_beyond_last_price(market, request);
        refuse_if(!apart, RejectReason::OrderListInvalid);
        let named_twice = request.orders.iter().enumerate().any(|(at, order)| {
            request.orders[..at].iter().any(|other| other.cl_ord_id == order.cl_ord_id)
        });
        refuse_if(named_twice, RejectReason::DuplicateClOrdId);
        let taken = own.is_some_and(|own| own.contains_key(request.cl_ord_id.as_bytes()));
        refuse_if(taken, RejectReason::DuplicateListClOrdId);
        reasons.into_iter().min().map_or(Ok(()), Err)
    }

    pub(crate) fn is_node_in_list(&self, node: NodeId) -> bool {
        self.orders.terms(node).order_list != OrderListId(0)
    }

    fn open_list(&mut self, order: &Order) -> Option<&mut OpenList> {
        let order_list = order.terms?.order_list;
        self.markets[order.instrument.0 as usize].lists.open.get_mut(&order_list)
    }

    /// The other leg of the OCO of an open order, with more than `qty` left. Only one of them
    /// trades, so that both have the same quantity.
    pub(crate) fn other_leg(&mut self, leg: &Order, qty: Qty) -> Option<NodeId> {
        if !is_in_list(leg) {
            return None;
        }
        let open = self.open_list(leg).copied().filter(|open| !open.parted)?;
        let (one, other) = open.pair()?;
        let other = if one == leg.order_id {
            other
        } else if other == leg.order_id {
            one
        } else {
            return None;
        };
        let node = self.find_by_id(leg.instrument, other)?;
        (self.orders.leaves_qty(node) > qty).then_some(node)
    }

    /// An order has another client id: its list is reported.
    pub(super) fn rename_in_list(&mut self, order: &Order, events: &mut Vec<Event>) {
        let now_ns = self.now_ns;
        let Some(open) = self.open_list(order) else { return };
        open.list.updated_ns = now_ns;
        let list = open.list;
        self.emit_list(list, OrderListChange::Renamed, events);
    }

    fn part(&mut self, list: &OrderList) {
        let lists = &mut self.markets[list.instrument.0 as usize].lists;
        lists.open.entry(list.order_list).and_modify(|open| open.parted = true);
    }

    /// An order has traded or was triggered: the other leg of its OCO ends. If a first order has
    /// filled, the orders that wait for it are queued for placement.
    #[inline]
    pub(crate) fn trade_in_list(&mut self, order: &Order, events: &mut Vec<Event>) {
        if is_in_list(order) {
            self.trade_of_list(order, events);
        }
    }

    #[cold]
    fn trade_of_list(&mut self, order: &Order, events: &mut Vec<Event>) {
        let Some(open) = self.open_list(order) else { return };
        let was = *open;
        if was.list.kind != OrderListKind::Oco && was.is_first(order.order_id) {
            if order.status == OrderStatus::Filled {
                let market = &mut self.markets[order.instrument.0 as usize];
                market.lists.to_place.push_back(was.list.order_list);
                self.touch(order.instrument);
            }
        } else if !was.parted {
            open.parted = true;
            for other in was.orders().filter(|other| *other != order.order_id) {
                if let Some(node) = self.find_by_id(order.instrument, other) {
                    self.expire_open(node, ExpireCause::OrderList, events);
                }
            }
        }
        self.end_list(order, events);
    }

    /// An order has ended otherwise: the others of its list end too.
    #[inline]
    pub(super) fn end_in_list(
        &mut self,
        order: &Order,
        canceled: Option<ClOrdId>,
        events: &mut Vec<Event>,
    ) {
        if is_in_list(order) {
            self.end_of_list(order, canceled, events);
        }
    }

    #[cold]
    fn end_of_list(&mut self, order: &Order, canceled: Option<ClOrdId>, events: &mut Vec<Event>) {
        let Some(open) = self.open_list(order) else { return };
        let was = *open;
        open.parted = true;
        let others = was.orders().filter(|other| !was.parted && *other != order.order_id);
        for other in others {
            let Some(node) = self.find_by_id(order.instrument, other) else { continue };
            match canceled {
                Some(name) => self.cancel(node, name, CancelCause::OrderList, events),
                None => self.expire_open(node, ExpireCause::OrderList, events),
            }
        }
        self.end_list(order, events);
    }

    /// Ends the list if this was the last of its orders.
    fn end_list(&mut self, order: &Order, events: &mut Vec<Event>) {
        let Some(open) = self.open_list(order) else { return };
        let open = *open;
        let mut others =
            open.orders().filter(|other| *other != order.order_id || order.status.is_open());
        if others.any(|other| self.find_by_id(order.instrument, other).is_some()) {
            return;
        }
        self.free_received(order.instrument, open.list.order_list);
        let now_ns = self.now_ns;
        let done = OrderList { status: OrderListStatus::AllDone, updated_ns: now_ns, ..open.list };
        self.markets[order.instrument.0 as usize].lists.remove(&done);
        self.emit_list(done, OrderListChange::Done, events);
        let account = &mut self.accounts[order.account.0 as usize];
        account.done_lists.push_back(done);
        let kept = account.spec.finished_orders_kept as usize;
        let excess = account.done_lists.len().saturating_sub(kept);
        account.done_lists.drain(..excess);
    }

    fn emit_list(&mut self, list: OrderList, change: OrderListChange, events: &mut Vec<Event>) {
        let account_seq = self.accounts[list.account.0 as usize].next_seq();
        events.push(Event::OrderListUpdated(OrderListUpdated { account_seq, list, change }));
    }

    /// Places the orders that wait for filled first orders, list by list. Returns whether there was
    /// any.
    pub(crate) fn place_from_lists(
        &mut self,
        instrument: InstrumentId,
        events: &mut Vec<Event>,
    ) -> bool {
        let lists = &self.markets[instrument.0 as usize].lists;
        let Some(id) = lists.to_place.front().copied() else { return false };
        // Earlier trade prices do not affect orders that begin to wait now.
        let unapplied = self.markets[instrument.0 as usize].triggers.has_prices();
        if (unapplied && self.apply_prices(instrument)) || !self.spend_work() {
            return true;
        }
        let lists = &mut self.markets[instrument.0 as usize].lists;
        lists.to_place.pop_front();
        let pending: Vec<OrderId> = lists.open[&id].orders().collect();
        self.give_received(instrument, id);
        for order_id in &pending {
            let Some(node) = self.find_by_id(instrument, *order_id) else { continue };
            let order = self.orders.order(node);
            let requested = as_requested(&order);
            let beside = pending.iter().filter(|other| **other != *order_id);
            let beside = beside.filter_map(|other| self.find_by_id(instrument, *other));
            let beside: Vec<_> =
                beside.map(|node| as_requested(&self.orders.order(node))).collect();
            let instrument = &self.markets[instrument.0 as usize].instrument;
            let beside = Beside::of(instrument, &requested, beside.iter());
            let context = EntryContext::placed(node, beside);
            let cause = match self.check_order(order.account, &requested, context) {
                Ok(()) => continue,
                Err(RejectReason::WouldTakeLiquidity | RejectReason::WouldTriggerImmediately) => {
                    ExpireCause::WouldTakeLiquidity
                }
                Err(_) => ExpireCause::NotAllowed,
            };
            self.expire_open(node, cause, events);
        }
        let lists = &mut self.markets[instrument.0 as usize].lists;
        let Some(open) = lists.open.get_mut(&id) else { return true };
        open.placed = true;
        let is_open = |order_id: &OrderId| self.find_by_id(instrument, *order_id).is_some();
        let placed: Vec<OrderId> = pending.into_iter().filter(is_open).collect();
        for order_id in &placed {
            let node = self.find_by_id(instrument, *order_id).expect("it is open");
            self.orders.extra_mut(node).standing = Standing::Entering;
            let order = self.orders.order(node);
            let account = &mut self.accounts[order.account.0 as usize];
            account.market_mut(instrument).count_stop(order.order_type, false);
        }
        self.hold_in_list(instrument, id, &placed);
        for order_id in &placed {
            let node = self.find_by_id(instrument, *order_id).expect("it is open");
            let mut order = self.orders.order(node);
            order.updated_ns = self.now_ns;
            begin_to_trail(&mut order, self.now_ns);
            self.orders.store(node, &order);
            self.emit_triggered(&order, events);
            self.enter_from_list(instrument, &[*order_id], events);
        }
        true
    }

    fn enter_from_list(
        &mut self,
        instrument: InstrumentId,
        orders: &[OrderId],
        events: &mut Vec<Event>,
    ) {
        for order_id in orders {
            let Some(node) = self.find_by_id(instrument, *order_id) else { continue };
            if self.orders.record(node).order_type.is_stop() {
                self.wait_for_trigger(node);
            } else {
                self.enter(node, events);
            }
        }
        self.touch(instrument);
    }
}

/// Whether an order of a list waits for the first one.
fn is_placed_later(kind: OrderListKind, at: usize) -> bool {
    at > 0 && kind != OrderListKind::Oco
}

/// Whether the limit of an OCO is above the last price for a sell, and below it for a buy. The
/// trigger prices are compared with it when each leg is checked.
fn is_beyond_last_price(market: &Market, request: &NewOrderList) -> bool {
    use OrderType::{LimitMaker, TakeProfitLimit};
    let Some(last) = market.trading.last_price else { return true };
    let mut gains = request.orders.iter().filter(|leg| {
        request.kind == OrderListKind::Oco && matches!(leg.order_type, LimitMaker | TakeProfitLimit)
    });
    gains.all(|leg| match leg.side {
        Side::Sell => leg.price > last,
        Side::Buy => leg.price < last,
    })
}

/// The order as its client requested it.
fn as_requested(order: &Order) -> NewOrder {
    NewOrder {
        instrument: order.instrument,
        cl_ord_id: order.cl_ord_id,
        side: order.side,
        order_type: order.order_type,
        time_in_force: order.time_in_force,
        stp_mode: order.stp_mode,
        price: order.price,
        size: OrderSize::Base(order.order_qty),
        strategy_id: order.strategy_id,
        strategy_type: order.strategy_type,
        terms: order.terms.map(|terms| terms.terms),
    }
}

/// Whether types, sides, sizes and prices of a list's orders are compatible.
fn legs_go_together(request: &NewOrderList) -> bool {
    let fits = |order: &NewOrder| {
        order.instrument == request.instrument && Requested::from(order).fits_list()
    };
    let works = |order: &NewOrder| may_be_first(order.order_type);
    request.orders.iter().all(fits)
        && match (request.kind, &request.orders[..]) {
            (OrderListKind::Oco, [one, other]) => is_oco(one, other),
            (OrderListKind::Oto, [first, _]) => works(first),
            (OrderListKind::Otoco, [first, one, other]) => works(first) && is_oco(one, other),
            (OrderListKind::Opo, [first, one]) => works(first) && pays(first, &[one]),
            (OrderListKind::Opoco, [first, one, other]) => {
                works(first) && pays(first, &[one, other]) && is_oco(one, other)
            }
            _ => false,
        }
}

/// Whether the first order buys what the others, without a quantity yet, sell.
fn pays(first: &NewOrder, others: &[&NewOrder]) -> bool {
    let is_paid =
        |order: &&NewOrder| order.side == Side::Sell && order.size == OrderSize::Base(Qty::ZERO);
    first.side == Side::Buy && others.iter().all(is_paid)
}

/// Whether one order is above the market and one below, in either order.
fn is_oco(one: &NewOrder, other: &NewOrder) -> bool {
    use OrderType::{LimitMaker, StopLoss, StopLossLimit};
    let is_stop = |leg: &NewOrder| matches!(leg.order_type, StopLoss | StopLossLimit);
    let (gain, stop) = if is_stop(one) { (other, one) } else { (one, other) };
    let gain_price = match gain.order_type {
        LimitMaker => Some(gain.price),
        _ => gain.special().stop_price,
    };
    let apart = match (gain_price, stop.special().stop_price, gain.side) {
        (Some(gain_price), Some(stop_price), Side::Sell) => gain_price > stop_price,
        (Some(gain_price), Some(stop_price), Side::Buy) => gain_price < stop_price,
        _ => true, // a trailing stop moves with the market
    };
    may_be_legs((one.order_type, one.side), (other.order_type, other.side))
        && apart
        && one.size == other.size
}
