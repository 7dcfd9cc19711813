//! Prefetching for announced commands, while earlier ones are carried out.
//!
//! A command touches a dozen records that depend on each other: its account leads to a balance, an
//! order's id to its record, and that to its neighbours. Each step follows after the previous one
//! had time to load. Prefetching changes nothing: a caller that announces other commands than it
//! applies gets the same results later.

use std::hint::select_unpredictable;

use types::{Command, Entry, NewOrder, OrderId};

use crate::book::node::NodeId;
use crate::book::slab::NONE;
use crate::state::Engine;
use crate::state::ahead::{AIMS, Aim};
use crate::state::market::Market;

/// The announcements after which the later steps follow. With few markets, two steps are skipped.
const SECOND: usize = 3;
const THIRD: usize = 6;
const FOURTH: usize = 9;
const FIFTH: usize = 12;
const SIXTH: usize = 13;

/// This many markets stay in the cache anyway.
const FEW_MARKETS: usize = 64;

impl Engine {
    /// The best number of entries between the announcement of an entry and its execution.
    pub const AHEAD: usize = 14;

    /// Announces an entry that will be applied soon, or `None` if there is no further entry for
    /// now.
    #[inline]
    pub fn announce(&mut self, entry: Option<&Entry>) {
        let last = (self.ahead.last + 1) % AIMS;
        self.ahead.last = last;
        self.ahead.aims[last] = entry.map_or_else(Aim::default, |entry| self.aim(entry));
        if let Some(Entry { command: Command::NewOrder(order), .. }) = entry
            && order.terms.is_some()
        {
            self.prefetch_trigger_of(order);
        }
        let before = |steps: usize| &self.ahead.aims[(last + AIMS - steps) % AIMS];
        self.prefetch_accounts(before(0));
        if self.markets.len() > FEW_MARKETS {
            self.prefetch_market(before(0));
            self.prefetch_index(before(SECOND));
            self.prefetch_place(before(THIRD));
        } else {
            self.prefetch_place(before(0));
        }
        let node = self.prefetch_order(before(FOURTH));
        self.ahead.aims[(last + AIMS - FOURTH) % AIMS].node = node;
        let aim = self.ahead.aims[(last + AIMS - FIFTH) % AIMS];
        self.prefetch_neighbours(&aim);
        let aim = self.ahead.aims[(last + AIMS - SIXTH) % AIMS];
        self.prefetch_trigger(&aim);
    }

    #[inline]
    fn aim(&self, entry: &Entry) -> Aim {
        let account = entry.envelope.account;
        match &entry.command {
            Command::NewOrder(order) => Aim {
                account: account.0,
                instrument: order.instrument,
                order_id: OrderId(0),
                side: order.side,
                price: order.price,
                name: self.orders.sought(account, order.instrument, &order.cl_ord_id).hash,
                node: NONE,
            },
            Command::CancelOrder(cancel) => Aim {
                account: account.0,
                instrument: cancel.instrument,
                order_id: cancel.order.order_id.unwrap_or(OrderId(0)),
                ..Aim::default()
            },
            _ => Aim { account: account.0, ..Aim::default() },
        }
    }

    #[inline]
    fn prefetch_accounts(&self, aim: &Aim) {
        if let Some(account) = self.accounts.get(aim.account as usize) {
            account.prefetch();
        }
        self.orders.prefetch_name(aim.name);
    }

    #[inline]
    fn prefetch_market(&self, aim: &Aim) {
        if let Some(market) = self.market(aim.instrument) {
            market.prefetch();
        }
    }

    #[inline]
    fn prefetch_index(&self, aim: &Aim) {
        if let Some(market) = self.market(aim.instrument) {
            market.index.prefetch_page(id_in(market, aim));
            market.book.prefetch_hint(aim.side, aim.price);
        }
    }

    #[inline]
    fn prefetch_place(&self, aim: &Aim) {
        if let Some(market) = self.market(aim.instrument) {
            market.index.prefetch(id_in(market, aim));
        }
    }

    #[inline]
    fn prefetch_order(&self, aim: &Aim) -> NodeId {
        let Some(market) = self.market(aim.instrument) else { return NONE };
        let node = market.index.peek(aim.order_id.0);
        self.orders.prefetch(node);
        if let Some(account) = self.accounts.get(aim.account as usize) {
            account.prefetch_parts(&market.instrument);
        }
        if let Some(front) = market.book.maker_for(aim.side, aim.price) {
            self.orders.prefetch(front);
        }
        node
    }

    #[inline]
    fn prefetch_neighbours(&mut self, aim: &Aim) {
        let Some(market) = self.markets.get_mut(aim.instrument.0 as usize) else { return };
        let node = aim.node;
        self.orders.prefetch_neighbours(node);
        if let Some(account) = self.accounts.get(aim.account as usize) {
            self.orders.prefetch(account.last_open(aim.instrument, aim.side));
        }
        let price = self.orders.get(node).map_or(aim.price, |record| record.price);
        market.book.prefetch(&self.orders.nodes, node, aim.side, price);
        if let Some(front) = market.book.maker_for(aim.side, aim.price) {
            let maker = self.orders.record(front);
            self.accounts[maker.account.0 as usize].prefetch();
            market.index.prefetch(self.orders.order_id(front).0);
        }
    }

    /// Prefetches the trigger entry that an order adds or removes. With few waiting orders it is
    /// cached.
    #[inline]
    fn prefetch_trigger(&mut self, aim: &Aim) {
        let Some(market) = self.markets.get_mut(aim.instrument.0 as usize) else { return };
        if market.triggers.are_many() {
            self.orders.stop_of(aim.node).inspect(|stop| market.triggers.prefetch(*stop));
        }
    }

    #[cold]
    fn prefetch_trigger_of(&mut self, order: &NewOrder) {
        let Some(market) = self.markets.get_mut(order.instrument.0 as usize) else { return };
        if let Some(price) = order.special().stop_price {
            market.triggers.prefetch((order.order_type, order.side, price));
        }
    }

    /// Prefetches the records for a trade of `node`, and those of the orders after it.
    #[inline]
    pub(super) fn prefetch_makers(&self, node: NodeId) {
        let Some(record) = self.orders.get(node) else { return };
        let market = &self.markets[record.instrument.0 as usize];
        self.accounts[record.account.0 as usize].prefetch_parts(&market.instrument);
        self.orders.prefetch_neighbours(node);
        let next = self.orders.nodes[node].next();
        if let Some(record) = self.orders.get(next) {
            self.accounts[record.account.0 as usize].prefetch();
            market.index.prefetch(self.orders.order_id(next).0);
            self.orders.prefetch(self.orders.nodes[next].next());
        }
    }
}

/// The order of a command, or the approximate id of a new one.
#[inline]
fn id_in(market: &Market, aim: &Aim) -> u64 {
    let next = market.last_order_id.saturating_add(1);
    select_unpredictable(aim.order_id.0 == 0, next, aim.order_id.0)
}

const _: () = assert!(SIXTH < Engine::AHEAD && Engine::AHEAD < AIMS && NONE == u32::MAX);
