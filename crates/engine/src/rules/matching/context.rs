//! The circumstances in which an order enters, for its checks.

use types::{Amount, Instrument, LIST_ORDERS_MAX, NewOrder, OrderSize, QTY_MAX, Qty};

use crate::book::node::NodeId;
use crate::state::orders::Leaving;

/// The circumstances in which an order enters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryContext {
    pub(super) together: Together,
    pub(super) beside: Beside,
    /// Its list places it later, and it pays then.
    pub(super) later: bool,
    /// It has no quantity until then.
    pub(super) sized_later: bool,
    /// It is open already: its own hold counts as free, and the limits do not count the order
    /// twice.
    pub(super) own: Option<NodeId>,
    /// It has waited for its list to place it, without a hold.
    pub(super) placed: bool,
    /// The orders that a replace is about to cancel: no limit counts them.
    pub(super) leaving: Leaving,
}

/// Size of the orders that enter beside an order, on its side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    pub(super) all: Qty,
    /// Without market-type orders.
    pub(super) limited: Qty,
    /// Likewise.
    pub(super) notional: Amount,
}

impl Beside {
    const NONE: Self = Self { all: Qty::ZERO, limited: Qty::ZERO, notional: Amount::ZERO };

    pub(crate) fn of<'a>(
        instrument: &Instrument,
        order: &NewOrder,
        others: impl Iterator<Item = &'a NewOrder>,
    ) -> Self {
        others.filter(|other| other.side == order.side).fold(Self::NONE, |beside, other| {
            let OrderSize::Base(qty) = other.size else { return beside };
            let limited = if other.order_type.is_market() { Qty::ZERO } else { qty };
            Self {
                all: sum(beside.all, qty),
                limited: sum(beside.limited, limited),
                notional: beside.notional + notional(instrument, other, limited),
            }
        })
    }
}

/// Zero for an order that is refused for its price or quantity, whose product may overflow.
fn notional(instrument: &Instrument, order: &NewOrder, qty: Qty) -> Amount {
    let spec = &instrument.spec;
    let prices = spec.min_price..=spec.max_price;
    let fits = order.instrument == instrument.id && qty <= spec.max_qty;
    if !fits || !prices.contains(&order.price) {
        return Amount::ZERO;
    }
    Amount::from_minor(instrument.notional(order.price, qty).minor().abs())
}

fn sum(one: Qty, other: Qty) -> Qty {
    Qty::from_lots(one.lots().saturating_add(other.lots())).min(QTY_MAX)
}

/// The number of orders that enter together, and of stop orders and icebergs among them. An order
/// counts itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Together {
    pub(super) orders: u32,
    pub(super) stops: u32,
    pub(super) icebergs: u32,
}

impl Together {
    const ONE: Self = Self { orders: 1, stops: 1, icebergs: 1 };

    pub(crate) fn of<'a>(orders: impl Iterator<Item = &'a NewOrder>) -> Self {
        let none = Self { orders: 0, stops: 0, icebergs: 0 };
        orders.fold(none, |together, order| Self {
            orders: together.orders + 1,
            stops: together.stops + u32::from(order.order_type.is_stop()),
            icebergs: together.icebergs + u32::from(is_iceberg(order)),
        })
    }
}

impl EntryContext {
    pub(super) const ALONE: Self = Self {
        together: Together::ONE,
        beside: Beside::NONE,
        later: false,
        sized_later: false,
        own: None,
        placed: false,
        leaving: [None; LIST_ORDERS_MAX],
    };

    pub(crate) const fn with_list(together: Together, beside: Beside) -> Self {
        Self { together, beside, ..Self::ALONE }
    }

    pub(crate) const fn placed_later(together: Together, sized_later: bool) -> Self {
        Self { together, later: true, sized_later, ..Self::ALONE }
    }

    pub(crate) const fn again(own: NodeId) -> Self {
        Self { own: Some(own), ..Self::ALONE }
    }

    pub(crate) const fn placed(own: NodeId, beside: Beside) -> Self {
        Self { beside, own: Some(own), placed: true, ..Self::ALONE }
    }

    /// Whether an open order does not count, because it is this one or is about to end.
    pub(super) fn discounts(&self, node: NodeId) -> bool {
        self.own == Some(node) || self.leaving.contains(&Some(node))
    }
}

pub(super) fn is_iceberg(order: &NewOrder) -> bool {
    order.terms.is_some_and(|terms| !terms.display_qty.is_zero())
}
