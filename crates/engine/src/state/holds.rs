//! Holds of open orders, derived from the state.

use std::hint::select_unpredictable;

use types::{
    AccountId, Amount, AssetId, Instrument, InstrumentId, Order, OrderId, Price, Qty, Side,
};

use crate::state::Engine;
use crate::state::account::risk::Exposure;
use crate::state::lists::OpenList;
use crate::state::orders::record::Standing;

/// The hold of an open order of this size: a buy holds the quote asset at its limit, a sell the
/// base.
#[inline]
pub(crate) fn held(instrument: &Instrument, order: &Order, qty: Qty) -> (AssetId, Amount) {
    held_at(instrument, order.side, order.price, qty)
}

#[inline(always)]
pub(crate) fn held_at(
    instrument: &Instrument,
    side: Side,
    price: Price,
    qty: Qty,
) -> (AssetId, Amount) {
    // Not a branch, because the processor would mispredict the side half of the time.
    let notional = instrument.notional(price, qty).minor();
    let base = instrument.base_amount(qty).minor();
    let is_buy = side == Side::Buy;
    let spec = &instrument.spec;
    let asset = select_unpredictable(is_buy, spec.quote, spec.base);
    (asset, Amount::from_minor(select_unpredictable(is_buy, notional, base)))
}

/// The asset that a side receives, and that pays its fee.
pub(crate) fn received_asset(instrument: &Instrument, side: Side) -> AssetId {
    match side {
        Side::Buy => instrument.spec.base,
        Side::Sell => instrument.spec.quote,
    }
}

impl Engine {
    /// The hold of an order by itself, for this remaining quantity.
    pub(crate) fn held_in_full(&self, order: &Order, leaves_qty: Qty) -> Amount {
        let instrument = &self.markets[order.instrument.0 as usize].instrument;
        let account = &self.accounts[order.account.0 as usize];
        if order.order_type.is_market() || !account.is_cash() {
            return Amount::ZERO;
        }
        let (_, amount) = held(instrument, order, leaves_qty);
        amount + account.fee_held(instrument, order)
    }

    /// The amount that both legs of an OCO hold, and its asset. `lowered` is a leg whose remaining
    /// quantity is below the stored one.
    pub(crate) fn held_by_both(
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

    /// The amounts of each asset that an account's open orders hold twice.
    pub(super) fn shared_holds(
        &self,
        account: AccountId,
    ) -> impl Iterator<Item = (AssetId, Amount)> {
        let lists = self.markets.iter().flat_map(move |market| market.lists.of_account(account));
        lists
            .filter_map(|open| self.held_by_both(open, None))
            .filter(|(_, shared)| !shared.is_zero())
    }

    /// The amounts of each asset that first orders have bought for the orders that they pay.
    pub(super) fn received_in_lists(
        &self,
        account: AccountId,
    ) -> impl Iterator<Item = (AssetId, Amount)> {
        let received = self.markets.iter().flat_map(move |market| {
            let asset = market.instrument.spec.base;
            market.lists.of_account(account).map(move |open| (asset, open.received))
        });
        received.filter(|(_, amount)| !amount.is_zero())
    }

    /// The open orders of an account with a hold.
    pub(super) fn holding_orders(
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

    /// Counts the exposure of a restored state's open orders.
    pub(super) fn count_exposures(&mut self) {
        for id in (0..).map(AccountId).take(self.accounts.len()) {
            let Some(mut extra) = self.accounts[id.0 as usize].extra.take() else { continue };
            for (instrument, risk) in &mut extra.markets {
                risk.exposure = self.exposure(id, *instrument);
            }
            self.accounts[id.0 as usize].extra = Some(extra);
        }
    }

    /// The exposure of the open orders, counted one by one. A suspended order counts too.
    pub(crate) fn exposure(&self, account: AccountId, instrument: InstrumentId) -> Exposure {
        let mut exposure = Exposure::default();
        let Some(market) = self.market(instrument) else { return exposure };
        let suspended = self.deferred.iter().filter_map(|work| work.held_by(account)).copied();
        let suspended = suspended.filter(|order| order.instrument == instrument);
        let all = self.holding_orders(account, instrument).chain(suspended);
        for order in all.filter(|order| !order.order_type.is_market()) {
            exposure.add(&market.instrument, &order, order.leaves_qty());
        }
        exposure
    }
}
