//! Counters of an order after a fill.

use types::{Amount, Instrument, Order, OrderStatus, Price, QTY_MAX, Qty};

pub(crate) fn count_fill(order: &mut Order, qty: Qty, quote: Amount, now_ns: u64) {
    order.cum_qty += qty;
    order.cum_quote += quote;
    order.updated_ns = now_ns;
    order.status = if order.cum_qty == order.order_qty {
        OrderStatus::Filled
    } else {
        OrderStatus::PartiallyFilled
    };
}

/// An order by quote amount is filled once its remaining amount trades no lot at the next price.
/// Without a next price the amount is not too small: the book is empty.
pub(super) fn count_fill_by_quote(order: &mut Order, instrument: &Instrument, next: Option<Price>) {
    let rest = order.quote_order_qty - order.cum_quote;
    if rest.is_zero() || next.is_some_and(|next| rest_by_quote(instrument, order, next).is_zero()) {
        order.status = OrderStatus::Filled;
        order.order_qty = order.cum_qty;
    }
}

/// The lots that the remaining amount of an order by quote trades at `price`. The order ends at the
/// largest quantity, even if its amount would buy more.
pub(super) fn rest_by_quote(instrument: &Instrument, order: &Order, price: Price) -> Qty {
    let lots = instrument.lots_for(order.quote_order_qty - order.cum_quote, price);
    lots.min(QTY_MAX - order.cum_qty)
}
