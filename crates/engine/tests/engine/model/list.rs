//! Chapter 5: orders that depend on each other.

use types::*;

use super::trigger::begin_to_trail;
use super::{Key, Model, Standing};

impl Model {
    pub(super) fn new_order_list(
        &mut self,
        envelope: &Envelope,
        request: &NewOrderList,
    ) -> Result<(), RejectReason> {
        self.check_list(envelope.account, request)?;
        self.count_rate(envelope.account, request.orders.len() as u32);
        let market = self.market_mut(request.instrument);
        market.last_list_id += 1;
        let order_list = OrderListId(market.last_list_id);
        let mut orders = [None; LIST_ORDERS_MAX];
        for (at, place) in orders.iter_mut().take(request.orders.len()).enumerate() {
            *place = Some(OrderId(market.last_order_id + 1 + at as u64));
        }
        self.lists.push(OrderList {
            instrument: request.instrument,
            account: envelope.account,
            order_list,
            cl_ord_id: request.cl_ord_id,
            kind: request.kind,
            status: OrderListStatus::Executing,
            orders,
            created_ns: self.now_ns,
            updated_ns: self.now_ns,
        });
        self.emit_list(self.lists.len() - 1, OrderListChange::Entered);
        let mut keys = Vec::new();
        for (at, order) in request.orders.iter().enumerate() {
            let later = at > 0 && request.kind != OrderListKind::Oco;
            let key = self.take_on(envelope, order, Some(order_list), !later);
            if later {
                self.at_mut(key).place = Standing::List;
            }
            keys.push(key);
        }
        for key in keys {
            if self.find(key).is_some_and(|open| open.place == Standing::Entering) {
                self.enter(key);
            }
        }
        Ok(())
    }

    pub(super) fn cancel_order_list(
        &mut self,
        account: AccountId,
        request: &CancelOrderList,
    ) -> Result<(), RejectReason> {
        self.trader(account)?;
        self.known(request.instrument)?;
        let named = request.order_list.is_some() || request.list_cl_ord_id.is_some();
        let meant = |list: &&OrderList| {
            named
                && list.status == OrderListStatus::Executing
                && (list.account, list.instrument) == (account, request.instrument)
                && request.order_list.is_none_or(|id| list.order_list == id)
                && request.list_cl_ord_id.is_none_or(|name| list.cl_ord_id == name)
        };
        let found = *self.lists.iter().find(meant).ok_or(RejectReason::OrderListNotFound)?;
        let keys = found.orders.into_iter().flatten().map(|id| (found.instrument, id)).collect();
        self.canceling = Some(CancelCause::Requested);
        self.cancel_each(keys, request.cl_ord_id, CancelCause::Requested);
        self.canceling = None;
        Ok(())
    }

    pub(super) fn list_of(&self, order: &Order) -> Option<usize> {
        let order_list = order.terms?.order_list;
        self.lists.iter().position(|list| {
            (list.instrument, list.order_list) == (order.instrument, order_list)
                && list.status == OrderListStatus::Executing
        })
    }

    pub(super) fn is_in_list(&self, order: &Order) -> bool {
        order.terms.is_some_and(|terms| terms.order_list != OrderListId::default())
    }

    /// The other open orders of a list, oldest first.
    pub(super) fn siblings(&self, at: usize, order: &Order) -> Vec<Key> {
        let list = &self.lists[at];
        let ids = list.orders.into_iter().flatten().filter(|id| *id != order.order_id);
        ids.map(|id| (list.instrument, id)).filter(|key| self.find(*key).is_some()).collect()
    }

    /// An order has traded or was triggered: the other leg of its OCO ends.
    pub(super) fn list_order_traded(&mut self, order: &Order) {
        let Some(at) = self.list_of(order) else { return };
        let list = self.lists[at];
        let is_first = list.orders[0] == Some(order.order_id);
        if list.kind != OrderListKind::Oco && is_first && order.status == OrderStatus::Filled {
            self.to_place.push(at);
        }
        if list.kind == OrderListKind::Oco || !is_first {
            self.parted.push(at);
            for key in self.siblings(at, order) {
                if self.find(key).is_some() {
                    self.expire(key, ExpireCause::OrderList);
                }
            }
        }
        self.end_list(order);
    }

    /// An order has ended, other than by trading: the others of its list end too.
    pub(super) fn list_order_ended(&mut self, order: &Order, canceled: Option<ClOrdId>) {
        let Some(at) = self.list_of(order) else { return };
        let siblings = if self.parted.contains(&at) { vec![] } else { self.siblings(at, order) };
        for key in siblings {
            if self.find(key).is_some() {
                match canceled {
                    Some(cl_ord_id) => {
                        let cause = self.canceling.unwrap_or(CancelCause::OrderList);
                        self.cancel(key, cl_ord_id, cause);
                    }
                    None => self.expire(key, ExpireCause::OrderList),
                }
            }
        }
        self.end_list(order);
    }

    /// The base amount that a first order buys for the orders that it pays. The fee is paid out of
    /// the free balance if it suffices.
    pub(super) fn keep_received(&mut self, trade: &TradeExecuted) {
        for fill in [&trade.maker, &trade.taker] {
            let order = &fill.order;
            let Some(at) = self.list_of(order) else { continue };
            let list = self.lists[at];
            if !list.kind.pays_later_orders() || list.orders[0] != Some(order.order_id) {
                continue;
            }
            let instrument = &self.market(order.instrument).instrument;
            let base = i128::from(trade.qty.lots()) * i128::from(instrument.lot_minor);
            let asset = instrument.spec.base;
            let free = self.free(order.account, asset);
            let short = self.is_cash(order.account) && fill.fee_asset == asset && free < base;
            let received = if short { base - fill.fee.minor() } else { base };
            *self.received.entry(at).or_default() += received;
        }
    }

    /// Gives the orders of a list that are paid by its first their quantity.
    fn give_received(&mut self, at: usize, keys: &[Key]) {
        if !self.lists[at].kind.pays_later_orders() {
            return;
        }
        let received = self.received.remove(&at).unwrap_or_default();
        let instrument = self.market(self.lists[at].instrument).instrument;
        let mut lots = u64::try_from(received / i128::from(instrument.lot_minor)).unwrap();
        for key in keys {
            let by_market = self.at(*key).order.order_type.is_market();
            let spec = &instrument.spec;
            lots = lots.min(if by_market { spec.market_max_qty } else { spec.max_qty }.lots());
        }
        for key in keys {
            self.at_mut(*key).order.order_qty = Qty::from_lots(lots);
        }
    }

    fn end_list(&mut self, order: &Order) {
        let Some(at) = self.list_of(order) else { return };
        let list = self.lists[at];
        let mut ids = list.orders.into_iter().flatten();
        if ids.all(|id| self.find((list.instrument, id)).is_none()) {
            self.received.remove(&at);
            self.lists[at].status = OrderListStatus::AllDone;
            self.emit_list(at, OrderListChange::Done);
        }
    }

    /// An order of a list has another client id.
    pub(super) fn list_order_renamed(&mut self, order: &Order) {
        if let Some(at) = self.list_of(order) {
            self.emit_list(at, OrderListChange::Renamed);
        }
    }

    /// The other leg of an order's OCO, while both are open.
    pub(super) fn other_leg(&self, order: &Order) -> Option<Key> {
        let at = self.list_of(order).filter(|at| !self.parted.contains(at))?;
        let list = &self.lists[at];
        let is_leg = list.kind == OrderListKind::Oco || list.orders[0] != Some(order.order_id);
        let first = if list.kind == OrderListKind::Oco { None } else { list.orders[0] };
        let mut siblings = self.siblings(at, order).into_iter();
        siblings.find(|key| is_leg && Some(key.1) != first)
    }

    fn emit_list(&mut self, at: usize, change: OrderListChange) {
        self.lists[at].updated_ns = self.now_ns;
        let list = self.lists[at];
        let account_seq = self.account_seq(list.account);
        self.events.push(Event::OrderListUpdated(OrderListUpdated { account_seq, list, change }));
    }

    /// Places the orders of a list whose first one has filled. Returns whether there was any.
    pub(super) fn place_from_lists(&mut self, instrument: InstrumentId) -> bool {
        let is_here = |at: &usize| self.lists[*at].instrument == instrument;
        let Some(first) = self.to_place.iter().position(is_here) else { return false };
        self.note_trailing(instrument);
        let at = self.to_place.remove(first);
        let list = self.lists[at];
        let ids = list.orders.into_iter().flatten();
        let mut keys: Vec<Key> = ids.map(|id| (list.instrument, id)).collect();
        keys.retain(|key| self.find(*key).is_some());
        self.give_received(at, &keys);
        for key in &keys {
            let cause = match self.find(*key).map(|_| self.check_placed(*key)) {
                None | Some(Ok(())) => continue,
                Some(Err(
                    RejectReason::WouldTakeLiquidity | RejectReason::WouldTriggerImmediately,
                )) => ExpireCause::WouldTakeLiquidity,
                Some(Err(_)) => ExpireCause::NotAllowed,
            };
            self.expire(*key, cause);
        }
        for key in keys {
            if self.find(key).is_some() {
                self.place(key);
            }
        }
        true
    }

    fn place(&mut self, key: Key) {
        let now_ns = self.now_ns;
        let held_rate = self.rate_to_hold(self.at(key).order.account, key.0);
        let open = self.at_mut(key);
        open.held_rate = held_rate;
        open.place = Standing::Entering;
        open.order.updated_ns = now_ns;
        begin_to_trail(&mut open.order, now_ns);
        let order = open.order;
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(order.instrument);
        let triggered = OrderTriggered { account_seq, instrument_seq, order };
        self.events.push(Event::OrderTriggered(triggered));
        self.enter(key);
    }
}
