//! Bounds of the quantity that a market order by quote amount would trade.
//!
//! Until rules 2 there were none: such an order could trade less than the smallest quantity and
//! more than the largest.

use types::{Amount, NewOrder, OrderSize, QTY_MAX, Qty, RejectReason, Side};

use crate::rules::matching::check::market_min_qty;
use crate::rules::matching::reach::REACH_MAX;
use crate::state::Engine;
use crate::state::market::Market;

/// The rules version since which the quantity is bounded.
const BOUNDED_SINCE: u16 = 2;

/// What an amount would trade.
struct Reached {
    qty: Qty,
    /// The amount would trade more than the book has.
    is_whole_book: bool,
}

impl Engine {
    /// The bounds of the quantity that an amount trades. An amount of nothing has a rung of its
    /// own, and so has a book with less than the smallest quantity.
    pub(super) fn check_qty_by_quote(
        &self,
        market: &Market,
        side: Side,
        amount: Amount,
    ) -> Result<(), RejectReason> {
        if self.rules < BOUNDED_SINCE || amount <= Amount::ZERO {
            return Ok(());
        }
        let reached = self.reach_by_quote(market, side, amount);
        if reached.qty < market_min_qty(market) && !reached.is_whole_book {
            return Err(RejectReason::MarketQtyBelowMin);
        }
        if reached.qty > market.instrument.spec.market_max_qty {
            return Err(RejectReason::MarketQtyAboveMax);
        }
        Ok(())
    }

    /// Whether the book has less than the smallest quantity for an order by quote amount.
    pub(super) fn lacks_min_qty(&self, market: &Market, order: &NewOrder) -> bool {
        let OrderSize::Quote(amount) = order.size else { return false };
        self.rules >= BOUNDED_SINCE
            && self.reach_by_quote(market, order.side, amount).qty < market_min_qty(market)
    }

    /// The lots that an amount buys or sells on the book as it is: neither the balance, nor price
    /// bands, nor self-trade prevention bound them. Beyond the orders that are read, the rest of
    /// the amount counts at the last price.
    fn reach_by_quote(&self, market: &Market, side: Side, amount: Amount) -> Reached {
        let instrument = &market.instrument;
        let (mut rest, mut qty) = (amount, Qty::ZERO);
        let mut last = None;
        let mut line = market.in_line(&self.orders, side.opposite());
        for (node, _) in line.by_ref().take(REACH_MAX) {
            let price = self.orders.price(node);
            let lots = instrument.lots_for(rest, price).min(QTY_MAX - qty);
            let there = self.orders.leaves_qty(node);
            let taken = lots.min(there);
            qty += taken;
            rest -= instrument.notional(price, taken);
            if taken < there || rest.is_zero() {
                return Reached { qty, is_whole_book: false };
            }
            last = Some(price);
        }
        match last.filter(|_| line.next().is_some()) {
            Some(price) => {
                let lots = instrument.lots_for(rest, price).min(QTY_MAX - qty);
                Reached { qty: qty + lots, is_whole_book: false }
            }
            None => Reached { qty, is_whole_book: true },
        }
    }
}
