//! From a request to an order.

use types::{
    AccountId, Amount, NewOrder, Order, OrderId, OrderSize, OrderStatus, OrderTerms, Qty,
    TimeInForce,
};

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
