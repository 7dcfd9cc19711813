//! Orders that depend on each other: OCO, OTO, OTOCO.
//!
//! Every order of a list has its id and its node from the beginning. One that is placed later waits
//! off the book ([`Standing::List`]) and holds nothing until then.
//!
//! # Invariants
//! - An open list has an open order, and every open order of a list names it.
//! - The legs of an OCO hold in full, each by itself; what they hold twice, [`OpenList::shared`],
//!   is free nevertheless.

use std::collections::{BTreeMap, VecDeque};

use types::{
    AccountId, Amount, AssetId, CancelCause, CancelOrderList, ClOrdId, Event, ExpireCause,
    InstrumentId, LIST_ORDERS_MAX, NewOrder, NewOrderList, Order, OrderId, OrderList, OrderListId,
    OrderListKind, OrderListStatus, OrderListUpdated, OrderSize, OrderStatus, OrderType, Qty,
    Reader, RejectReason, Side, TimeInForce, Wire,
};

use crate::account::fee::fee;
use crate::account::held;
use crate::book::NodeId;
use crate::engine::{Deferred, Engine};
use crate::invariant::check;
use crate::matching::check::Coming;
use crate::orders::Standing;

#[derive(Clone, Debug, Default)]
pub(crate) struct OrderLists {
    open: BTreeMap<OrderListId, OpenList>,
    names: BTreeMap<AccountId, BTreeMap<Box<[u8]>, OrderListId>>,
    /// Those whose first order has filled, in this order.
    to_place: VecDeque<OrderListId>,
    last_id: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenList {
    list: OrderList,
    /// Whether no order waits for the first any more.
    placed: bool,
    /// From here on the end of one order does not end the others.
    parted: bool,
    /// What both legs of an OCO hold.
    shared: Amount,
}

impl OrderLists {
    pub(crate) fn any_to_place(&self) -> bool {
        !self.to_place.is_empty()
    }

    fn insert(&mut self, list: OrderList, placed: bool) {
        let name = list.cl_ord_id.as_bytes().into();
        self.names.entry(list.account).or_default().insert(name, list.order_list);
        let open = OpenList { list, placed, parted: false, shared: Amount::ZERO };
        self.open.insert(list.order_list, open);
    }

    fn remove(&mut self, list: &OrderList) {
        self.open.remove(&list.order_list);
        self.to_place.retain(|id| *id != list.order_list);
        if let Some(names) = self.names.get_mut(&list.account) {
            names.remove(list.cl_ord_id.as_bytes());
            if names.is_empty() {
                self.names.remove(&list.account);
            }
        }
    }

    /// An account's open lists, by the client's names.
    fn of_account(&self, account: AccountId) -> impl Iterator<Item = &OpenList> {
        let ids = self.names.get(&account).into_iter().flat_map(BTreeMap::values);
        ids.map(|id| &self.open[id])
    }
}

impl OpenList {
    fn orders(&self) -> impl Iterator<Item = OrderId> + use<> {
        self.list.orders.into_iter().flatten()
    }

    fn is_first(&self, order_id: OrderId) -> bool {
        self.list.orders[0] == Some(order_id)
    }

    /// Whether an order of this list still waits for the first one.
    fn is_pending(&self, order_id: OrderId) -> bool {
        !self.placed && !self.is_first(order_id)
    }

    /// The legs of its OCO, once they are placed.
    fn legs(&self) -> Option<(OrderId, OrderId)> {
        let [first, second, third] = self.list.orders;
        match self.list.kind {
            OrderListKind::Oco => first.zip(second),
            OrderListKind::Otoco if self.placed => second.zip(third),
            OrderListKind::Oto | OrderListKind::Otoco => None,
        }
    }
}

#[inline]
pub(crate) fn is_in_list(order: &Order) -> bool {
    order.terms.is_some_and(|terms| terms.order_list != OrderListId(0))
}

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
        self.tell_list(list, events);
        let mut entering = Vec::new();
        for (at, order) in request.orders.iter().enumerate() {
            let order = self.accept(account, order, Some(order_list), events);
            if is_placed_later(request.kind, at) {
                self.attach_off_book(&order, Standing::List);
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
        let together = u32::try_from(request.orders.len()).unwrap_or(u32::MAX);
        let of_orders = request.orders.iter().enumerate().filter_map(|(at, order)| {
            let later = is_placed_later(request.kind, at);
            self.check_order(account, order, Coming::with_list(together, later)).err()
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
        refuse_if(!legs_go_together(request), RejectReason::OrderListInvalid);
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

    fn part(&mut self, list: &OrderList) {
        let lists = &mut self.markets[list.instrument.0 as usize].lists;
        lists.open.entry(list.order_list).and_modify(|open| open.parted = true);
    }

    /// An order has traded, or was triggered: the other leg of an OCO ends, what waits for a first
    /// order that has filled is to be placed.
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

    /// An order has ended otherwise: so do the others of its list.
    #[inline]
    pub(crate) fn end_in_list(
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

    /// The list is done if this was the last of its orders.
    fn end_list(&mut self, order: &Order, events: &mut Vec<Event>) {
        let Some(open) = self.open_list(order) else { return };
        let open = *open;
        let mut others =
            open.orders().filter(|other| *other != order.order_id || order.status.is_open());
        if others.any(|other| self.find_by_id(order.instrument, other).is_some()) {
            return;
        }
        let now_ns = self.now_ns;
        let done = OrderList { status: OrderListStatus::AllDone, updated_ns: now_ns, ..open.list };
        self.markets[order.instrument.0 as usize].lists.remove(&done);
        self.tell_list(done, events);
        let account = &mut self.accounts[order.account.0 as usize];
        account.done_lists.push_back(done);
        let kept = account.spec.finished_orders_kept as usize;
        let excess = account.done_lists.len().saturating_sub(kept);
        account.done_lists.drain(..excess);
    }

    fn tell_list(&mut self, list: OrderList, events: &mut Vec<Event>) {
        let account_seq = self.accounts[list.account.0 as usize].next_seq();
        events.push(Event::OrderListUpdated(OrderListUpdated { account_seq, list }));
    }

    /// Places what waits for a first order that has filled, list by list; whether there was any.
    pub(crate) fn place_from_lists(
        &mut self,
        instrument: InstrumentId,
        events: &mut Vec<Event>,
    ) -> bool {
        let lists = &self.markets[instrument.0 as usize].lists;
        let Some(id) = lists.to_place.front().copied() else { return false };
        // What was traded at before is nothing to those that begin to wait now.
        let unnoted = self.markets[instrument.0 as usize].triggers.has_prices();
        if (unnoted && self.note_prices(instrument)) || !self.spend_work() {
            return true;
        }
        let lists = &mut self.markets[instrument.0 as usize].lists;
        lists.to_place.pop_front();
        let pending: Vec<OrderId> = lists.open[&id].orders().collect();
        for order_id in &pending {
            let Some(node) = self.find_by_id(instrument, *order_id) else { continue };
            let order = self.orders.order(node);
            let cause =
                match self.check_order(order.account, &as_asked(&order), Coming::placed(node)) {
                    Ok(()) => continue,
                    Err(
                        RejectReason::WouldTakeLiquidity | RejectReason::WouldTriggerImmediately,
                    ) => ExpireCause::WouldTakeLiquidity,
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
        }
        self.hold_in_list(instrument, id, &placed);
        for order_id in &placed {
            let node = self.find_by_id(instrument, *order_id).expect("it is open");
            let mut order = self.orders.order(node);
            order.updated_ns = self.now_ns;
            self.orders.store(node, &order);
            self.tell_triggered(&order, events);
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
            match self.orders.record(node).order_type.is_stop() {
                true => self.wait_for_trigger(node),
                false => self.enter(node, events),
            }
        }
        self.touch(instrument);
    }
}

/// What orders of lists hold.
impl Engine {
    /// Sets aside what orders hold that take part from now on: one, or both legs of an OCO.
    fn hold_in_list(&mut self, instrument: InstrumentId, id: OrderListId, orders: &[OrderId]) {
        for order_id in orders {
            let node = self.find_by_id(instrument, *order_id).expect("it is open");
            let order = self.orders.order(node);
            if order.order_type.is_market() {
                continue;
            }
            // What the other leg holds already, this one need not.
            let shared = self.legs_hold(instrument, id, &order);
            self.share(instrument, id, order.account, shared);
            let Self { markets, accounts, now_ns, .. } = self;
            let account = &mut accounts[order.account.0 as usize];
            account.hold(&markets[instrument.0 as usize], &order, order.leaves_qty(), *now_ns);
        }
    }

    /// What an order that holds nothing yet will hold as well as the other leg of its OCO.
    fn legs_hold(
        &self,
        instrument: InstrumentId,
        id: OrderListId,
        order: &Order,
    ) -> (AssetId, Amount) {
        let market = &self.markets[instrument.0 as usize];
        let account = &self.accounts[order.account.0 as usize];
        let (asset, amount) = held(&market.instrument, order, order.leaves_qty());
        let other = match market.lists.open[&id].legs() {
            Some((other, second)) if second == order.order_id => self.find_by_id(instrument, other),
            _ => None,
        };
        let Some(other) = other.filter(|_| account.is_cash()) else {
            return (asset, Amount::ZERO);
        };
        let rate = account.fee_rate_on_top(market, order.side, self.now_ns);
        let other = self.orders.order(other);
        (asset, self.held_in_full(&other, other.leaves_qty()).min(amount + fee(amount, rate)))
    }

    /// What an order holds by itself, with so much of it left.
    fn held_in_full(&self, order: &Order, leaves_qty: Qty) -> Amount {
        let instrument = &self.markets[order.instrument.0 as usize].instrument;
        let account = &self.accounts[order.account.0 as usize];
        if order.order_type.is_market() || !account.is_cash() {
            return Amount::ZERO;
        }
        let (_, amount) = held(instrument, order, leaves_qty);
        amount + account.fee_held(instrument, order)
    }

    /// What both legs of an OCO hold, and of which asset; `lowered` is a leg of which less is left
    /// than is stored.
    fn held_by_both(
        &self,
        open: &OpenList,
        lowered: Option<(OrderId, Qty)>,
    ) -> Option<(AssetId, Amount)> {
        let instrument = open.list.instrument;
        let (one, other) = open.legs()?;
        let holds = |order_id: OrderId| {
            let order = self.orders.order(self.find_by_id(instrument, order_id)?);
            let lowered = lowered.filter(|(lowered, _)| *lowered == order_id);
            let leaves_qty = lowered.map_or(order.leaves_qty(), |(_, leaves_qty)| leaves_qty);
            Some((order, self.held_in_full(&order, leaves_qty)))
        };
        let ((order, one), (_, other)) = (holds(one)?, holds(other)?);
        let spec = &self.markets[instrument.0 as usize].instrument.spec;
        let asset = if order.side == Side::Buy { spec.quote } else { spec.base };
        Some((asset, one.min(other)))
    }

    /// Lets an account use what both legs of an OCO hold.
    fn share(
        &mut self,
        instrument: InstrumentId,
        id: OrderListId,
        account: AccountId,
        (asset, shared): (AssetId, Amount),
    ) {
        if shared.is_zero() {
            return;
        }
        let lists = &mut self.markets[instrument.0 as usize].lists;
        lists.open.entry(id).and_modify(|open| open.shared += shared);
        let balance = self.accounts[account.0 as usize].balance_mut(asset);
        balance.free += shared;
        balance.locked -= shared;
    }

    /// Gives back what `qty` of an order of a list holds. That it was canceled or expired, the
    /// caller has seen to: it is not found any more then.
    #[cold]
    pub(crate) fn release_in_list(&mut self, order: &Order, qty: Qty) {
        let Some(open) = self.open_list(order).copied() else {
            // Of a list that is done nothing is open.
            return;
        };
        if open.is_pending(order.order_id) || order.order_type.is_market() {
            return;
        }
        let (instrument, id) = (order.instrument, open.list.order_list);
        let spec = &self.markets[instrument.0 as usize].instrument.spec;
        let asset = if order.side == Side::Buy { spec.quote } else { spec.base };
        self.share(instrument, id, order.account, (asset, Amount::ZERO - open.shared));
        let market = &self.markets[instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        account.release(&market.instrument, order, qty);
        let lowered = Some((order.order_id, order.leaves_qty() - qty));
        if let Some(shared) = self.held_by_both(&open, lowered) {
            self.share(instrument, id, order.account, shared);
        }
    }

    /// What of each asset an account's open orders hold twice.
    pub(crate) fn shared_holds(
        &self,
        account: AccountId,
    ) -> impl Iterator<Item = (AssetId, Amount)> {
        let lists = self.markets.iter().flat_map(move |market| market.lists.of_account(account));
        lists
            .filter_map(|open| self.held_by_both(open, None))
            .filter(|(_, shared)| !shared.is_zero())
    }

    /// The open orders of an account that take part, or have a say in it.
    pub(crate) fn holding_orders(
        &self,
        account: AccountId,
        instrument: InstrumentId,
    ) -> impl Iterator<Item = Order> {
        let nodes = self.account(account).into_iter();
        let nodes = nodes.flat_map(move |owner| self.orders.of_account(owner, instrument));
        nodes
            .filter(|node| self.orders.standing(*node) != Standing::List)
            .map(|node| self.orders.order(node))
    }
}

/// Questions.
impl Engine {
    /// A list of this account, open or done and still kept. By name, the open one, or else the one
    /// that was done last.
    pub fn order_list(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order_list: Option<OrderListId>,
        cl_ord_id: Option<&ClOrdId>,
    ) -> Option<OrderList> {
        (order_list.is_some() || cl_ord_id.is_some()).then_some(())?;
        let is_meant = |list: &OrderList| {
            list.instrument == instrument
                && order_list.is_none_or(|id| id == list.order_list)
                && cl_ord_id.is_none_or(|name| *name == list.cl_ord_id)
        };
        let done = self.account(account)?.done_lists.iter().rev().copied();
        self.order_lists(account).chain(done).find(is_meant)
    }

    /// An account's open lists.
    pub fn order_lists(&self, account: AccountId) -> impl Iterator<Item = OrderList> {
        let open = self.markets.iter().flat_map(move |market| market.lists.of_account(account));
        open.map(|open| open.list)
    }

    /// An account's lists that are done and still kept, oldest first.
    pub fn done_order_lists(
        &self,
        account: AccountId,
    ) -> impl DoubleEndedIterator<Item = OrderList> {
        self.account(account).into_iter().flat_map(|owner| owner.done_lists.iter().copied())
    }
}

/// Whether an order of a list waits for the first one.
fn is_placed_later(kind: OrderListKind, at: usize) -> bool {
    at > 0 && kind != OrderListKind::Oco
}

/// The order as its client asked for it.
fn as_asked(order: &Order) -> NewOrder {
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

/// Types, sides, sizes and prices of a list's orders.
fn legs_go_together(request: &NewOrderList) -> bool {
    use OrderType::{Limit, LimitMaker, MarketToLimit};
    let fits = |order: &NewOrder| {
        order.instrument == request.instrument
            && order.special().peg.is_none()
            && order.order_type != MarketToLimit
            && !matches!(order.time_in_force, TimeInForce::AtOpen | TimeInForce::AtClose)
            && matches!(order.size, OrderSize::Base(_))
    };
    let works = |order: &NewOrder| matches!(order.order_type, Limit | LimitMaker);
    request.orders.iter().all(fits)
        && match (request.kind, &request.orders[..]) {
            (OrderListKind::Oco, [one, other]) => is_oco(one, other),
            (OrderListKind::Oto, [first, _]) => works(first),
            (OrderListKind::Otoco, [first, one, other]) => works(first) && is_oco(one, other),
            _ => false,
        }
}

/// One above the market and one below, in either order.
fn is_oco(one: &NewOrder, other: &NewOrder) -> bool {
    use OrderType::{LimitMaker, StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit};
    let is_stop = |leg: &NewOrder| matches!(leg.order_type, StopLoss | StopLossLimit);
    let gains =
        |leg: &NewOrder| matches!(leg.order_type, LimitMaker | TakeProfit | TakeProfitLimit);
    let (gain, stop) = if is_stop(one) { (other, one) } else { (one, other) };
    let gain_price = match gain.order_type {
        LimitMaker => Some(gain.price),
        _ => gain.special().stop_price,
    };
    let apart = match (gain_price, stop.special().stop_price, gain.side) {
        (Some(gain_price), Some(stop_price), Side::Sell) => gain_price > stop_price,
        (Some(gain_price), Some(stop_price), Side::Buy) => gain_price < stop_price,
        _ => true, // what trails moves with the market
    };
    gains(gain) && is_stop(stop) && apart && one.side == other.side && one.size == other.size
}

/// Lists as the state has them: what else is known of them follows from their orders.
#[derive(Debug, Default)]
pub(crate) struct SavedLists {
    markets: Vec<SavedMarket>,
    done: Vec<(AccountId, Vec<OrderList>)>,
}

/// An instrument, its last id, its open lists, and those that are to be placed.
type SavedMarket = ((InstrumentId, u64), (Vec<OrderList>, Vec<OrderListId>));

impl Wire for SavedLists {
    fn write(&self, out: &mut Vec<u8>) {
        self.markets.write(out);
        self.done.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { markets: r.read()?, done: r.read()? })
    }
}

impl Engine {
    pub(crate) fn write_lists(&self, out: &mut Vec<u8>) {
        let used = (0..).map(InstrumentId).zip(&self.markets);
        let used = used.filter(|(_, market)| market.lists.last_id > 0);
        let markets = used.map(|(id, market)| {
            let OrderLists { open, to_place, last_id, .. } = &market.lists;
            let open = open.values().map(|open| open.list).collect();
            ((id, *last_id), (open, to_place.iter().copied().collect()))
        });
        let accounts = (0..).map(AccountId).zip(&self.accounts);
        let done = accounts.filter(|(_, account)| !account.done_lists.is_empty());
        let done = done.map(|(id, account)| (id, account.done_lists.iter().copied().collect()));
        SavedLists { markets: markets.collect(), done: done.collect() }.write(out);
    }

    /// Makes lists of orders that have their nodes.
    pub(crate) fn restore_lists(&mut self, saved: SavedLists) -> Option<()> {
        const IDS_MAX: u64 = 1 << 53;
        saved.markets.is_sorted_by(|((one, _), _), ((next, _), _)| one < next).then_some(())?;
        for ((instrument, last_id), (open, to_place)) in saved.markets {
            self.market(instrument)?;
            let sound = (1..IDS_MAX).contains(&last_id)
                && open.is_sorted_by(|one, next| one.order_list < next.order_list)
                && open.iter().all(|list| self.list_is_sound(list, instrument, last_id));
            sound.then_some(())?;
            let mut lists = OrderLists { last_id, ..OrderLists::default() };
            for list in open {
                let orders = list.orders.into_iter().flatten();
                let nodes = orders.filter_map(|order_id| self.find_by_id(instrument, order_id));
                let mut standings = nodes.map(|node| self.orders.standing(node));
                let placed = standings.all(|standing| standing != Standing::List);
                lists.insert(list, placed);
            }
            lists.to_place = to_place.into();
            self.markets[instrument.0 as usize].lists = lists;
            for open in self.markets[instrument.0 as usize].lists.open.clone().into_values() {
                let (_, shared) = self.held_by_both(&open, None).unwrap_or_default();
                let lists = &mut self.markets[instrument.0 as usize].lists;
                lists.open.entry(open.list.order_list).and_modify(|open| open.shared = shared);
            }
        }
        saved.done.is_sorted_by(|(one, _), (next, _)| one < next).then_some(())?;
        for (account, done) in saved.done {
            let of_account = |list: &OrderList| {
                list.account == account && list.status == OrderListStatus::AllDone
            };
            (!done.is_empty() && done.iter().all(of_account)).then_some(())?;
            self.account(account)?;
            self.accounts[account.0 as usize].done_lists = done.into();
        }
        Some(())
    }

    fn list_is_sound(&self, list: &OrderList, instrument: InstrumentId, last_id: u64) -> bool {
        let count = list.kind.order_count();
        list.instrument == instrument
            && (1..=last_id).contains(&list.order_list.0)
            && self.account(list.account).is_some()
            && list.status == OrderListStatus::Executing
            && list.orders[..count].iter().all(Option::is_some)
            && list.orders[count..].iter().all(Option::is_none)
            && list.orders[..count].is_sorted_by(|one, next| one < next)
    }

    /// Lists and orders know each other; who waits for a first order, and what is held twice, is
    /// as the lists say.
    pub(crate) fn check_lists(&self) -> Result<(), String> {
        for market in &self.markets {
            let instrument = market.instrument.id;
            let named: usize = market.lists.names.values().map(BTreeMap::len).sum();
            check(named == market.lists.open.len(), || "lists of one name".to_owned())?;
            for (id, open) in &market.lists.open {
                let nodes = open.orders().filter_map(|order| self.find_by_id(instrument, order));
                let nodes: Vec<NodeId> = nodes.collect();
                let is_own = |node: &NodeId| {
                    let record = self.orders.record(*node);
                    self.orders.terms(*node).order_list == *id
                        && record.account == open.list.account
                };
                let fills = open.is_first(open.list.orders[0].unwrap_or_default());
                let first_open =
                    self.find_by_id(instrument, open.list.orders[0].unwrap_or_default()).is_some();
                let is_due = market.lists.to_place.contains(id);
                let waits = open.placed || (first_open != is_due);
                let both = self.held_by_both(open, None);
                let shares = both.map_or(Amount::ZERO, |(_, shared)| shared) == open.shared;
                let stands =
                    !nodes.is_empty() && nodes.iter().all(is_own) && fills && waits && shares;
                check(stands, || format!("list {id} does not stand as it says: {open:?}"))?;
            }
            let mut to_place: Vec<_> = market.lists.to_place.iter().collect();
            to_place.sort_unstable();
            to_place.dedup();
            let is_waiting =
                |id: &&OrderListId| market.lists.open.get(id).is_some_and(|open| !open.placed);
            let each_once = to_place.len() == market.lists.to_place.len();
            check(each_once && to_place.iter().all(is_waiting), || {
                format!("{instrument}: a list is to be placed that cannot be")
            })?;
        }
        let instruments = (0..).map(InstrumentId).take(self.markets.len());
        for (account, instrument) in self
            .accounts
            .iter()
            .flat_map(|account| instruments.clone().map(move |instrument| (account, instrument)))
        {
            for node in self.orders.of_account(account, instrument) {
                let record = self.orders.record(node);
                let id = self.orders.terms(node).order_list;
                let open = self.markets[instrument.0 as usize].lists.open.get(&id);
                let is_known = open
                    .is_some_and(|open| open.orders().any(|order_id| order_id == record.order_id));
                let is_pending = open.is_some_and(|open| open.is_pending(record.order_id));
                let waits = self.orders.standing(node) == Standing::List;
                check((id == OrderListId(0) || is_known) && waits == is_pending, || {
                    format!("order {} is not in list {id}", record.order_id)
                })?;
            }
        }
        let on_its_way =
            |work: &Deferred| matches!(work, Deferred::Trade(order) if is_in_list(order));
        check(!self.deferred.iter().any(on_its_way), || "an order of a list has no node".to_owned())
    }
}
