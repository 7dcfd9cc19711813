//! One match, and the amounts of its two sides.

use std::hint::select_unpredictable;

use types::{
    Amount, AssetId, Fill, Instrument, Order, OrderStatus, Price, QTY_MAX, Qty, Side, TradeId,
};

/// The amounts that one match moves between the sides.
pub(crate) struct Match {
    pub(crate) trade_id: TradeId,
    pub(crate) price: Price,
    pub(crate) qty: Qty,
    pub(crate) base: Amount,
    pub(crate) quote: Amount,
}

/// The amounts of one side of a match.
pub(crate) struct Settled {
    pub(super) account_seq: u64,
    pub(crate) fee: Amount,
    pub(crate) fee_asset: AssetId,
}

impl Settled {
    #[inline]
    pub(crate) fn fill(&self, order: &Order) -> Fill {
        let Self { account_seq, fee, fee_asset } = *self;
        Fill { account_seq, order: *order, fee, fee_asset }
    }

    #[inline(always)]
    pub(super) fn fill_plain(&self, order: Order) -> Fill {
        let Self { account_seq, fee, fee_asset } = *self;
        Fill { account_seq, order, fee, fee_asset }
    }
}

impl Match {
    /// Not a branch, because the processor would mispredict the side half of the time.
    #[inline(always)]
    pub(super) fn got_and_paid(&self, side: Side) -> (Amount, Amount) {
        let (base, quote) = (self.base, self.quote);
        select_unpredictable(side == Side::Buy, (base, quote), (quote, base))
    }
}

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
