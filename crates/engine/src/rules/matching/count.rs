//! How a fill counts in the order that it is of.

use types::{Amount, Instrument, Order, OrderStatus, Price, QTY_MAX, Qty};

pub(crate) fn count_fill(order: &mut Order, qty: Qty, quote: Amount, now_ns: u64) {
    order.cum_qty += qty;
    order.cum_quote += quote;
    order.updated_ns = now_ns;
    order.status = match order.cum_qty == order.order_qty {
        true => OrderStatus::Filled,
        false => OrderStatus::PartiallyFilled,
    };
}

/// An order by quote amount is filled when what is left of it trades no lot at the next price.
/// With nobody left it is not the rest that is too small: it has nobody to trade with.
pub(super) fn count_fill_by_quote(order: &mut Order, instrument: &Instrument, next: Option<Price>) {
    let rest = order.quote_order_qty - order.cum_quote;
    if rest.is_zero() || next.is_some_and(|next| rest_by_quote(instrument, order, next).is_zero()) {
        order.status = OrderStatus::Filled;
        order.order_qty = order.cum_qty;
    }
}

/// The lots that what is left of an order by quote amount trades at `price`. It ends at the largest
/// quantity there is, however far its amount would reach.
pub(super) fn rest_by_quote(instrument: &Instrument, order: &Order, price: Price) -> Qty {
    let lots = instrument.lots_for(order.quote_order_qty - order.cum_quote, price);
    lots.min(QTY_MAX - order.cum_qty)
}
