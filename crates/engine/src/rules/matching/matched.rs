//! One match, and the amounts of its two sides.

use std::hint::select_unpredictable;

use types::{Amount, AssetId, Fill, Order, Price, Qty, Side, TradeId};

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
    pub(super) fee: Amount,
    pub(super) fee_asset: AssetId,
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
