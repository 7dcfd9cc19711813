//! Amounts that the first order of an OPO buys for the orders that it pays.
//!
//! Each fill is held for them. When the first order has filled, they are given their quantity and
//! hold it as other orders do. The hold ends then, or with the list.

use types::{Amount, InstrumentId, Order, OrderListId, Qty, Side};

use crate::rules::matching::matched::Settled;
use crate::state::Engine;
use crate::state::lists::is_in_list;

impl Engine {
    /// Holds the base amount of a trade, if it is for orders that an order of the trade pays.
    #[inline]
    pub(crate) fn keep_received(&mut self, sides: [(&Order, &Settled); 2], base: Amount) {
        for (order, settled) in sides {
            if is_in_list(order) && order.side == Side::Buy {
                self.keep_for_list(order, settled, base);
            }
        }
    }

    /// The fee is paid out of the free balance if it suffices, otherwise out of the amount.
    #[cold]
    fn keep_for_list(&mut self, order: &Order, settled: &Settled, base: Amount) {
        let Some(open) = self.open_list(order).copied() else { return };
        if !open.list.kind.pays_later_orders() || !open.is_first(order.order_id) {
            return;
        }
        let asset = self.markets[order.instrument.0 as usize].instrument.spec.base;
        let account = &mut self.accounts[order.account.0 as usize];
        let mut received = base;
        if account.is_cash() {
            // The balance has the amount already, without the fee.
            if settled.fee_asset == asset && account.balance(asset).free < base {
                received -= settled.fee;
            }
            account.set_aside(asset, received);
        }
        let lists = &mut self.markets[order.instrument.0 as usize].lists;
        lists.open.entry(open.list.order_list).and_modify(|open| open.received += received);
    }

    /// Ends the hold for the orders that a first order pays, and returns its amount.
    pub(super) fn free_received(&mut self, instrument: InstrumentId, id: OrderListId) -> Amount {
        let market = &mut self.markets[instrument.0 as usize];
        let asset = market.instrument.spec.base;
        let open = market.lists.open.get_mut(&id).expect("the list is open");
        let received = std::mem::replace(&mut open.received, Amount::ZERO);
        let account = &mut self.accounts[open.list.account.0 as usize];
        if account.is_cash() && !received.is_zero() {
            account.give_back(asset, received);
        }
        received
    }

    /// Gives the orders that a first order pays their quantity: the whole lots of its amount, as
    /// far as each of them may be that large.
    pub(super) fn give_received(&mut self, instrument: InstrumentId, id: OrderListId) {
        let open = self.markets[instrument.0 as usize].lists.open[&id];
        if !open.list.kind.pays_later_orders() {
            return;
        }
        let received = self.free_received(instrument, id);
        let nodes = open.orders().filter_map(|order_id| self.find_by_id(instrument, order_id));
        let nodes: Vec<_> = nodes.collect();
        let instrument = &self.markets[instrument.0 as usize].instrument;
        let spec = &instrument.spec;
        let max_of = |kind: types::OrderType| {
            if kind.is_market() { spec.market_max_qty } else { spec.max_qty }
        };
        let most = nodes.iter().map(|node| max_of(self.orders.record(*node).order_type)).min();
        let qty = instrument.lots_in(received).min(most.unwrap_or(Qty::ZERO));
        for node in nodes {
            let order = Order { order_qty: qty, ..self.orders.order(node) };
            self.orders.store(node, &order);
        }
    }
}
