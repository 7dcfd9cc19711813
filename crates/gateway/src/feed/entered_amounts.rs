//! Quote amounts that orders were entered with, while they trade.
//!
//! Self-trade prevention by `Decrement` lowers the amount of an order, and its events have the
//! lowered one.
//!
//! # Known limits
//! An order whose entry was not observed, because the venue restarted or a backlog begins later,
//! has the amount of its event.

use std::collections::HashMap;

use types::{Amount, Event, InstrumentId, Order, OrderId, OrderStatus, StpMode};

#[derive(Clone, Debug, Default)]
pub(crate) struct EnteredAmounts {
    trading: HashMap<(InstrumentId, OrderId), Amount>,
}

impl EnteredAmounts {
    /// Records an amount before the order's first event is published.
    pub(crate) fn observe(&mut self, event: &Event) {
        if let Event::OrderAccepted(accepted) = event
            && may_be_lowered(&accepted.order)
        {
            self.trading.insert(key_of(&accepted.order), accepted.order.quote_order_qty);
        }
    }

    /// Removes an order after its last event is published.
    pub(crate) fn remove_ended(&mut self, event: &Event) {
        let order = match event {
            Event::OrderExpired(expired) => &expired.order,
            Event::OrderCanceled(canceled) => &canceled.order,
            Event::TradeExecuted(trade) => &trade.taker.order,
            _ => return,
        };
        let has_ended = order.status != OrderStatus::PartiallyFilled;
        if has_ended && may_be_lowered(order) {
            self.trading.remove(&key_of(order));
        }
    }

    pub(crate) fn of(&self, order: &Order) -> Amount {
        let entered = may_be_lowered(order).then(|| self.trading.get(&key_of(order))).flatten();
        entered.copied().unwrap_or(order.quote_order_qty)
    }
}

fn may_be_lowered(order: &Order) -> bool {
    !order.quote_order_qty.is_zero() && order.stp_mode == StpMode::Decrement
}

fn key_of(order: &Order) -> (InstrumentId, OrderId) {
    (order.instrument, order.order_id)
}
