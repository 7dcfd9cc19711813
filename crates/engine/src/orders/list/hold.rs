//! What orders of lists hold: two legs of an OCO no more than the dearer one.

use types::{AccountId, Amount, AssetId, InstrumentId, Order, OrderId, OrderListId, Qty, Side};

use crate::account::fee::fee;
use crate::account::held;
use crate::engine::Engine;
use crate::orders::list::OpenList;
use crate::orders::record::Standing;

impl Engine {
    /// Sets aside what orders hold that take part from now on: one, or both legs of an OCO.
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
            // What the other leg holds already, this one need not.
            let shared = self.legs_hold(instrument, id, &order);
            self.share(instrument, id, order.account, shared);
            let Self { markets, accounts, now_ns, .. } = self;
            let account = &mut accounts[order.account.0 as usize];
            account.hold(&markets[instrument.0 as usize], &order, order.leaves_qty(), *now_ns);
        }
    }

    /// What an order that holds nothing yet will hold as well as the other leg of its OCO.
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

    /// What an order holds by itself, with so much of it left.
    fn held_in_full(&self, order: &Order, leaves_qty: Qty) -> Amount {
        let instrument = &self.markets[order.instrument.0 as usize].instrument;
        let account = &self.accounts[order.account.0 as usize];
        if order.order_type.is_market() || !account.is_cash() {
            return Amount::ZERO;
        }
        let (_, amount) = held(instrument, order, leaves_qty);
        amount + account.fee_held(instrument, order)
    }

    /// What both legs of an OCO hold, and of which asset; `lowered` is a leg of which less is left
    /// than is stored.
    pub(super) fn held_by_both(
        &self,
        open: &OpenList,
        lowered: Option<(OrderId, Qty)>,
    ) -> Option<(AssetId, Amount)> {
        let instrument = open.list.instrument;
        let (one, other) = open.legs()?;
        let holds = |order_id: OrderId| {
            let order = self.orders.order(self.find_by_id(instrument, order_id)?);
            let lowered = lowered.filter(|(lowered, _)| *lowered == order_id);
            let leaves_qty = lowered.map_or(order.leaves_qty(), |(_, leaves_qty)| leaves_qty);
            Some((order, self.held_in_full(&order, leaves_qty)))
        };
        let ((order, one), (_, other)) = (holds(one)?, holds(other)?);
        let spec = &self.markets[instrument.0 as usize].instrument.spec;
        let asset = if order.side == Side::Buy { spec.quote } else { spec.base };
        Some((asset, one.min(other)))
    }

    /// Lets an account use what both legs of an OCO hold.
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

    /// Gives back what `qty` of an order of a list holds. That it was canceled or expired, the
    /// caller has seen to: it is not found any more then.
    #[cold]
    pub(crate) fn release_in_list(&mut self, order: &Order, qty: Qty) {
        let Some(open) = self.open_list(order).copied() else {
            // Of a list that is done nothing is open.
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

    /// What of each asset an account's open orders hold twice.
    pub(crate) fn shared_holds(
        &self,
        account: AccountId,
    ) -> impl Iterator<Item = (AssetId, Amount)> {
        let lists = self.markets.iter().flat_map(move |market| market.lists.of_account(account));
        lists
            .filter_map(|open| self.held_by_both(open, None))
            .filter(|(_, shared)| !shared.is_zero())
    }

    /// The open orders of an account that take part, or have a say in it.
    pub(crate) fn holding_orders(
        &self,
        account: AccountId,
        instrument: InstrumentId,
    ) -> impl Iterator<Item = Order> {
        let nodes = self.account(account).into_iter();
        let nodes = nodes.flat_map(move |owner| self.orders.of_account(owner, instrument));
        nodes
            .filter(|node| self.orders.standing(*node) != Standing::List)
            .map(|node| self.orders.order(node))
    }
}
