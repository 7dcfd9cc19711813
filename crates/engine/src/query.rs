//! Questions about the state. None of them changes it.

mod placed;

use types::{
    AccountId, AccountSpec, AccountTrade, Amount, Asset, AssetId, Balance, Instrument,
    InstrumentId, KeyId, KeySpec, MasterKeyInUse, Order, OrderId, OrderRef, Price, Qty, Side,
    TradeId,
};

use crate::book::NodeId;
use crate::engine::Engine;
use crate::orders::finished::find_finished;

impl Engine {
    pub fn assets(&self) -> &[Asset] {
        &self.assets
    }

    pub fn instruments(&self) -> impl Iterator<Item = &Instrument> {
        self.markets.iter().map(|market| &market.instrument)
    }

    /// All accounts, the venue's own first.
    pub fn accounts(&self) -> impl Iterator<Item = (AccountId, &AccountSpec)> {
        (0..).map(AccountId).zip(self.accounts.iter().map(|account| &account.spec))
    }

    /// The number of each account's last event.
    pub fn account_seqs(&self) -> impl Iterator<Item = (AccountId, u64)> {
        (0..).map(AccountId).zip(self.accounts.iter().map(|account| account.account_seq))
    }

    /// The number of each instrument's last event.
    pub fn instrument_seqs(&self) -> impl Iterator<Item = (InstrumentId, u64)> {
        (0..).map(InstrumentId).zip(self.markets.iter().map(|market| market.instrument_seq))
    }

    /// The keys that are valid.
    pub fn keys(&self) -> impl Iterator<Item = (KeyId, &KeySpec)> {
        let numbered = (1..).map(KeyId).zip(&self.keys);
        numbered.filter(|(_, key)| !key.revoked).map(|(id, key)| (id, &key.spec))
    }

    /// What the keys' secrets are sealed by since the last rotation; `None` before the first.
    pub fn master_key_in_use(&self) -> Option<MasterKeyInUse> {
        self.master_key
    }

    /// An account's balances, indexed by asset; assets it never had may be missing at the end.
    pub fn balances(&self, account: AccountId) -> &[Balance] {
        self.accounts.get(account.0 as usize).map_or(&[], |account| &account.balances)
    }

    /// All that was deposited of an asset and not withdrawn: what all balances add up to.
    pub fn supply(&self, asset: AssetId) -> Option<Amount> {
        self.supply.get(usize::from(asset.0)).copied()
    }

    /// An order of this account, open or finished and still kept. A client's name means the open
    /// order of that name, or else the one that finished last.
    pub fn order(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order: &OrderRef,
    ) -> Option<Order> {
        match self.find_open(account, instrument, order) {
            Some(node) => Some(self.orders.order(node)),
            None if order.order_id.is_none() && order.cl_ord_id.is_none() => None,
            None => find_finished(&self.account(account)?.finished, account, instrument, order),
        }
    }

    /// An account's open orders, oldest first within an instrument.
    pub fn open_orders(
        &self,
        account: AccountId,
        instrument: InstrumentId,
    ) -> impl Iterator<Item = Order> {
        let owner = self.account(account).into_iter();
        owner.flat_map(move |owner| {
            self.orders.of_account(owner, instrument).map(|node| self.orders.order(node))
        })
    }

    /// An account's finished orders that are still kept, oldest first.
    pub fn finished_orders(&self, account: AccountId) -> impl DoubleEndedIterator<Item = Order> {
        self.account(account).into_iter().flat_map(move |owner| owner.finished.iter(account))
    }

    /// An account's trades that are still kept, oldest first.
    pub fn account_trades(
        &self,
        account: AccountId,
    ) -> impl DoubleEndedIterator<Item = AccountTrade> {
        self.account(account).into_iter().flat_map(move |owner| owner.trades.iter(account))
    }

    /// The levels of one side of a book, best first.
    pub fn levels(
        &self,
        instrument: InstrumentId,
        side: Side,
    ) -> impl Iterator<Item = (Price, Qty)> {
        self.market(instrument).into_iter().flat_map(move |market| market.book.levels(side))
    }

    /// The resting orders of one side, hidden ones too, in the order in which they would trade.
    pub fn resting(&self, instrument: InstrumentId, side: Side) -> impl Iterator<Item = Order> {
        self.market(instrument).into_iter().flat_map(move |market| {
            let in_line = market.in_line(&self.orders, side);
            in_line.map(|(node, _)| self.orders.order(node))
        })
    }

    /// Orders that rest in all books together.
    pub fn resting_count(&self) -> usize {
        self.orders.nodes.len()
    }

    /// The last order id, trade id and event number of an instrument.
    pub fn last_ids(&self, instrument: InstrumentId) -> Option<(OrderId, TradeId, u64)> {
        let market = self.market(instrument)?;
        let order_id = OrderId(market.last_order_id);
        Some((order_id, TradeId(market.last_trade_id), market.instrument_seq))
    }

    /// An open order of this account. Commands ask only for these: finished ones have no order by
    /// name, and an account may keep very many.
    #[inline(always)]
    pub(crate) fn find_open(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order: &OrderRef,
    ) -> Option<NodeId> {
        match (order.order_id, &order.cl_ord_id) {
            (Some(order_id), name) => {
                let node = self.find_by_id(instrument, order_id)?;
                let is_meant = self.orders.record(node).account == account
                    && name.as_ref().is_none_or(|name| self.orders.is_named(node, name));
                is_meant.then_some(node)
            }
            (None, Some(cl_ord_id)) => self.orders.by_cl_ord_id(account, instrument, cl_ord_id),
            (None, None) => None,
        }
    }

    #[inline(always)]
    pub(crate) fn find_by_id(&self, instrument: InstrumentId, order_id: OrderId) -> Option<NodeId> {
        self.market(instrument)?.index.get(order_id.0)
    }
}
