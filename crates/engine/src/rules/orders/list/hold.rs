//! Holds of orders in lists: two legs of an OCO hold only the larger amount.

use types::{AccountId, Amount, AssetId, InstrumentId, Order, OrderId, OrderListId, Qty, Side};

use crate::state::Engine;
use crate::state::fee::fee;
use crate::state::holds::held;

impl Engine {
    /// Reserves the holds of orders that take part from now on: one, or both legs of an OCO.
    pub(super) fn hold_in_list(
        &mut self,
        instrument: InstrumentId,
        id: OrderListId,
        orders: &[OrderId],
    ) {
        for order_id in orders {
            let node = self.find_by_id(instrument, *order_id).expect("it is open");
            let order = self.orders.order(node);
            if order.order_type.is_market() {
                continue;
            }
            // The amount that the other leg holds already is shared.
            let shared = self.legs_hold(instrument, id, &order);
            self.share(instrument, id, order.account, shared);
            let Self { markets, accounts, now_ns, .. } = self;
            let account = &mut accounts[order.account.0 as usize];
            account.hold(&markets[instrument.0 as usize], &order, order.leaves_qty(), *now_ns);
        }
    }

    /// The amount that an order without a hold will share with the other leg of its OCO.
    fn legs_hold(
        &self,
        instrument: InstrumentId,
        id: OrderListId,
        order: &Order,
    ) -> (AssetId, Amount) {
        let market = &self.markets[instrument.0 as usize];
        let account = &self.accounts[order.account.0 as usize];
        let (asset, amount) = held(&market.instrument, order, order.leaves_qty());
        let other = match market.lists.open[&id].legs() {
            Some((other, second)) if second == order.order_id => self.find_by_id(instrument, other),
            _ => None,
        };
        let Some(other) = other.filter(|_| account.is_cash()) else {
            return (asset, Amount::ZERO);
        };
        let rate = account.fee_rate_on_top(market, order.side, self.now_ns);
        let other = self.orders.order(other);
        (asset, self.held_in_full(&other, other.leaves_qty()).min(amount + fee(amount, rate)))
    }

    /// Frees the amount that both legs of an OCO hold.
    fn share(
        &mut self,
        instrument: InstrumentId,
        id: OrderListId,
        account: AccountId,
        (asset, shared): (AssetId, Amount),
    ) {
        if shared.is_zero() {
            return;
        }
        let lists = &mut self.markets[instrument.0 as usize].lists;
        lists.open.entry(id).and_modify(|open| open.shared += shared);
        let balance = self.accounts[account.0 as usize].balance_mut(asset);
        balance.free += shared;
        balance.locked -= shared;
    }

    /// Frees the hold of `qty` of an order in a list. The caller emits the cancel or expiry and
    /// removes the order, so that it is no longer found.
    #[cold]
    pub(crate) fn release_in_list(&mut self, order: &Order, qty: Qty) {
        let Some(open) = self.open_list(order).copied() else {
            // A list that is done has no open orders.
            return;
        };
        if open.is_pending(order.order_id) || order.order_type.is_market() {
            return;
        }
        let (instrument, id) = (order.instrument, open.list.order_list);
        let spec = &self.markets[instrument.0 as usize].instrument.spec;
        let asset = if order.side == Side::Buy { spec.quote } else { spec.base };
        self.share(instrument, id, order.account, (asset, Amount::ZERO - open.shared));
        let market = &self.markets[instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        account.release(&market.instrument, order, qty);
        let lowered = Some((order.order_id, order.leaves_qty() - qty));
        if let Some(shared) = self.held_by_both(&open, lowered) {
            self.share(instrument, id, order.account, shared);
        }
    }
}
