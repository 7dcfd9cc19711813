//! Lists of orders that depend on each other: the open ones, by id and by name.

use std::collections::{BTreeMap, VecDeque};

use types::{
    AccountId, Amount, Order, OrderId, OrderList, OrderListId, OrderListKind, OrderType, Side,
};

#[derive(Clone, Debug, Default)]
pub(crate) struct OrderLists {
    pub(crate) open: BTreeMap<OrderListId, OpenList>,
    pub(crate) names: BTreeMap<AccountId, BTreeMap<Box<[u8]>, OrderListId>>,
    /// Lists whose first order has filled, in this order.
    pub(crate) to_place: VecDeque<OrderListId>,
    pub(crate) last_id: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenList {
    pub(crate) list: OrderList,
    /// Whether no order waits for the first one any more.
    pub(crate) placed: bool,
    /// From here on the end of one order does not end the others.
    pub(crate) parted: bool,
    /// The amount that both legs of an OCO hold.
    pub(crate) shared: Amount,
    /// The base amount that the first order of an OPO has bought, until its other orders are
    /// placed. An account with balances holds it.
    pub(crate) received: Amount,
}

impl OrderLists {
    pub(super) fn any_to_place(&self) -> bool {
        !self.to_place.is_empty()
    }

    pub(crate) fn insert(&mut self, list: OrderList, placed: bool) {
        let name = list.cl_ord_id.as_bytes().into();
        self.names.entry(list.account).or_default().insert(name, list.order_list);
        let (shared, received) = (Amount::ZERO, Amount::ZERO);
        let open = OpenList { list, placed, parted: false, shared, received };
        self.open.insert(list.order_list, open);
    }

    pub(crate) fn remove(&mut self, list: &OrderList) {
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
    pub(super) fn of_account(&self, account: AccountId) -> impl Iterator<Item = &OpenList> {
        let ids = self.names.get(&account).into_iter().flat_map(BTreeMap::values);
        ids.map(|id| &self.open[id])
    }
}

impl OpenList {
    pub(crate) fn orders(&self) -> impl Iterator<Item = OrderId> + use<> {
        self.list.orders.into_iter().flatten()
    }

    pub(crate) fn is_first(&self, order_id: OrderId) -> bool {
        self.list.orders[0] == Some(order_id)
    }

    /// Whether an order of this list still waits for the first one.
    pub(crate) fn is_pending(&self, order_id: OrderId) -> bool {
        !self.placed && !self.is_first(order_id)
    }

    /// The legs of its OCO.
    pub(crate) fn pair(&self) -> Option<(OrderId, OrderId)> {
        let [first, second, third] = self.list.orders;
        match self.list.kind {
            OrderListKind::Oco => first.zip(second),
            OrderListKind::Otoco | OrderListKind::Opoco => second.zip(third),
            OrderListKind::Oto | OrderListKind::Opo => None,
        }
    }

    /// The legs of its OCO, once they are placed.
    pub(crate) fn legs(&self) -> Option<(OrderId, OrderId)> {
        self.pair().filter(|_| self.placed)
    }
}

#[inline]
pub(crate) fn is_in_list(order: &Order) -> bool {
    order.terms.is_some_and(|terms| terms.order_list != OrderListId(0))
}

/// Whether an order of this type can be the first of a list that places others.
pub(crate) fn may_be_first(order_type: OrderType) -> bool {
    matches!(order_type, OrderType::Limit | OrderType::LimitMaker)
}

/// Whether orders of these types and sides can be the legs of an OCO: one takes a gain, the other
/// stops a loss.
pub(crate) fn may_be_legs(one: (OrderType, Side), other: (OrderType, Side)) -> bool {
    use OrderType::{LimitMaker, StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit};
    let gains = |leg| matches!(leg, LimitMaker | TakeProfit | TakeProfitLimit);
    let stops = |leg| matches!(leg, StopLoss | StopLossLimit);
    let go_together = (gains(one.0) && stops(other.0)) || (stops(one.0) && gains(other.0));
    go_together && one.1 == other.1
}
