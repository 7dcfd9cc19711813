//! Rungs of the ladder for an account's limits in an instrument.

use types::{AccountLimits, Amount, NewOrder, OrderSize, Price, Qty, RejectReason, Side};

use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::account::Account;
use crate::state::orders::Leaving;
use crate::state::orders::record::Standing;

/// An order of an account with limits in the instrument, and its measures for the rungs. Orders by
/// quote amount and market orders are measured at the best price.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limited<'a> {
    limits: &'a AccountLimits,
    side: Side,
    /// `None` for a market order, and for a peg without a reference.
    limit: Option<Price>,
    /// Zero for an order that cannot trade, because the other side is empty.
    qty: Qty,
    notional: i128,
    /// The quantity that can still trade, and the lots that the position limit leaves.
    leaves_qty: Qty,
    position_room: Option<Qty>,
    /// Including this order.
    open_notional: i128,
}

impl Engine {
    /// The measures of an order, if the account has limits; `own` is the open order that it is
    /// already. Orders that are about to end do not count.
    #[inline]
    pub(crate) fn limited<'a>(
        &self,
        account: &'a Account,
        order: &NewOrder,
        price: Option<Price>,
        best: Option<Price>,
        own_and_leaving: (Option<NodeId>, Leaving),
    ) -> Option<Limited<'a>> {
        match account.extra {
            None => None,
            Some(_) => self.limited_uncommon(account, order, price, best, own_and_leaving),
        }
    }

    #[cold]
    #[inline(never)]
    fn limited_uncommon<'a>(
        &self,
        account: &'a Account,
        order: &NewOrder,
        price: Option<Price>,
        best: Option<Price>,
        (own, leaving): (Option<NodeId>, Leaving),
    ) -> Option<Limited<'a>> {
        let risk = account.market_risk(order.instrument)?;
        let instrument = &self.market(order.instrument)?.instrument;
        let limit = price.filter(|_| !order.order_type.is_market());
        let price = limit.or(best).unwrap_or_default();
        let (qty, notional) = match order.size {
            OrderSize::Base(qty) => (qty, instrument.notional(price, qty)),
            OrderSize::Quote(amount) => (instrument.lots_for(amount, price), amount),
        };
        let mut exposure = risk.exposure;
        for node in own.into_iter().chain(leaving.into_iter().flatten()) {
            let open = self.orders.order(node);
            let holds = self.orders.standing(node) != Standing::List;
            if holds && !open.order_type.is_market() && open.instrument == order.instrument {
                exposure.subtract(instrument, &open, open.leaves_qty());
            }
        }
        let own = own.map(|own| self.orders.order(own));
        let done_qty = own.map_or(Qty::ZERO, |own| own.cum_qty.min(qty));
        let leaves_qty = qty - done_qty;
        let done = instrument.notional(price, done_qty).minor();
        let rest = (notional.minor() - done).saturating_abs();
        Some(Limited {
            limits: &risk.limits,
            side: order.side,
            limit,
            qty,
            notional: notional.minor().saturating_abs(),
            leaves_qty,
            position_room: account.position_room(instrument, order.side, &exposure),
            open_notional: exposure.open_notional.saturating_add(rest),
        })
    }
}

impl Limited<'_> {
    /// A limit price may be at most the collar's distance through the last price.
    pub(crate) fn check_collar(&self, last_price: Option<Price>) -> Result<(), RejectReason> {
        let bps = i128::from(self.limits.collar_bps);
        let (Some(last), Some(limit), true) = (last_price, self.limit, bps > 0) else {
            return Ok(());
        };
        let (last, limit) = (i128::from(last.ticks()), i128::from(limit.ticks()));
        let through = match self.side {
            Side::Buy => limit - last,
            Side::Sell => last - limit,
        };
        refuse(through * 10_000 > last.abs() * bps, RejectReason::PriceOutsideCollar)
    }

    pub(crate) fn check_qty(&self) -> Result<(), RejectReason> {
        let max = self.limits.max_order_qty;
        refuse(!max.is_zero() && self.qty > max, RejectReason::OrderQtyAboveLimit)
    }

    pub(crate) fn check_notional(&self) -> Result<(), RejectReason> {
        let max = self.limits.max_order_notional.minor();
        refuse(max != 0 && self.notional > max, RejectReason::NotionalAboveLimit)
    }

    /// For a new order that may rest: `entering` orders, in addition to the open ones.
    pub(crate) fn check_open_orders(
        &self,
        open_orders: u32,
        entering: u32,
    ) -> Result<(), RejectReason> {
        let max = self.limits.max_open_orders;
        let fits = max.saturating_sub(open_orders) >= entering;
        refuse(max != 0 && !fits, RejectReason::OpenOrdersAboveLimit)
    }

    /// With the notional that enters beside it.
    pub(crate) fn check_open_notional(&self, beside: Amount) -> Result<(), RejectReason> {
        let max = self.limits.max_open_notional.minor();
        let open_notional = self.open_notional.saturating_add(beside.minor());
        refuse(max != 0 && open_notional > max, RejectReason::OpenNotionalAboveLimit)
    }

    /// With the quantity that enters beside it.
    pub(crate) fn check_position(&self, beside: Qty) -> Result<(), RejectReason> {
        let lots = self.leaves_qty.lots().saturating_add(beside.lots());
        let fits = self.position_room.is_none_or(|room| lots <= room.lots());
        refuse(!fits, RejectReason::PositionAboveLimit)
    }
}

fn refuse(refuses: bool, reason: RejectReason) -> Result<(), RejectReason> {
    if refuses { Err(reason) } else { Ok(()) }
}
