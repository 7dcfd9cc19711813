//! The whole state as bytes, for snapshots and for the state hash.
//!
//! The same state gives the same bytes in every process: nothing here goes by the order of a hash
//! table or by where a record happens to lie in memory.

use std::collections::VecDeque;

use types::{AccountId, Balance, Order, OrderId, Reader, Side, Wire};

use crate::account::{Account, Retry};
use crate::engine::{Deferred, Engine, Key};
use crate::market::Market;
use crate::orders::{Orders, Place};

/// Changes whenever the bytes do.
const STATE_VERSION: u16 = 1;

impl Engine {
    pub fn write_state(&self, out: &mut Vec<u8>) {
        STATE_VERSION.write(out);
        self.sequence.write(out);
        self.now_ns.write(out);
        self.assets.write(out);
        self.supply.write(out);
        write_list(self.accounts.iter(), out, |account, out| self.write_account(account, out));
        write_list(self.markets.iter(), out, |market, out| self.write_market(market, out));
        write_list(self.keys.iter(), out, |key, out| (key.spec, key.revoked).write(out));
        write_list(self.deferred.iter(), out, write_deferred);
    }

    /// `None` unless the bytes are a whole state of this version.
    pub fn read_state(mut bytes: Reader<'_>) -> Option<Self> {
        let r = &mut bytes;
        if r.read::<u16>()? != STATE_VERSION {
            return None;
        }
        let mut engine = Self {
            sequence: r.read()?,
            now_ns: r.read()?,
            assets: r.read()?,
            supply: r.read()?,
            ..Self::default()
        };
        // Orders lie with their accounts and instruments, and are indexed when both are known.
        let mut places = Vec::new();
        let accounts = read_list(r, |r| read_account(r, &mut engine.orders, &mut places))?;
        engine.accounts = accounts;
        let mut resting = Vec::new();
        engine.markets = read_list(r, |r| read_market(r, &mut resting))?;
        engine.keys = read_list(r, |r| {
            let (spec, revoked) = r.read()?;
            Some(Key { spec, revoked })
        })?;
        engine.deferred = read_list(r, read_deferred)?.into();
        for (id, account) in (0..).map(AccountId).zip(&engine.accounts) {
            let oldest = account.retries.front();
            engine.retry_deadlines.extend(oldest.map(|retry| (retry.expires_ns, id)));
        }
        engine.place_orders(resting, places)?;
        r.is_empty().then_some(engine)
    }

    fn write_account(&self, account: &Account, out: &mut Vec<u8>) {
        account.spec.write(out);
        account.account_seq.write(out);
        account.balances.write(out);
        let finished = account.finished.iter().map(|at| &self.orders.finished[*at]);
        write_list(finished, out, Order::write);
        write_list(account.trades.iter(), out, Wire::write);
        write_list(account.external_refs.iter(), out, |name, out| {
            u8::try_from(name.len()).expect("an external reference is short").write(out);
            out.extend_from_slice(name);
        });
        write_list(account.retries.iter(), out, |retry, out| {
            (retry.key, (retry.sequence, retry.expires_ns)).write(out);
        });
    }

    fn write_market(&self, market: &Market, out: &mut Vec<u8>) {
        market.instrument.write(out);
        market.last_order_id.write(out);
        market.last_trade_id.write(out);
        market.instrument_seq.write(out);
        for side in [Side::Buy, Side::Sell] {
            let orders = market.book.orders(&self.orders.nodes, side);
            write_list(orders, out, |node, out| self.orders.open(node).write(out));
        }
    }

    /// Puts resting orders back on their books in the order of their queues, and everything where
    /// it is found by its id, oldest first, as it was when it came.
    fn place_orders(
        &mut self,
        resting: Vec<Order>,
        mut places: Vec<(u32, OrderId, Place)>,
    ) -> Option<()> {
        let mut nodes = Vec::with_capacity(resting.len());
        for order in resting {
            let market = self.markets.get_mut(order.instrument.0 as usize)?;
            let (price, qty) = (order.price, order.leaves_qty());
            let node = market.book.rest(&mut self.orders.nodes, order.side, price, qty);
            places.push((order.instrument.0, order.order_id, Place::Open(node)));
            nodes.push((node, order));
        }
        self.orders.reserve(&nodes);
        nodes.sort_unstable_by_key(|(_, order)| (order.instrument, order.order_id));
        for (node, order) in nodes {
            let account = self.accounts.get_mut(order.account.0 as usize)?;
            self.orders.attach(account, node, &order);
        }
        places.sort_unstable_by_key(|(instrument, order_id, _)| (*instrument, *order_id));
        for (instrument, order_id, place) in places {
            let market = self.markets.get_mut(instrument as usize)?;
            market.index.insert(order_id.0, place.pack());
        }
        Some(())
    }
}

fn read_account(
    r: &mut Reader<'_>,
    orders: &mut Orders,
    places: &mut Vec<(u32, OrderId, Place)>,
) -> Option<Account> {
    let mut account = Account::new(r.read()?);
    account.account_seq = r.read()?;
    account.balances = r.read::<Vec<Balance>>()?;
    account.finished = read_list(r, |r| {
        let order: Order = r.read()?;
        let at = orders.finished.insert(order);
        places.push((order.instrument.0, order.order_id, Place::Finished(at)));
        Some(at)
    })?
    .into();
    account.trades = VecDeque::from(r.read::<Vec<_>>()?);
    account.external_refs = read_list(r, |r| {
        let len = r.read::<u8>()?;
        r.take_slice(usize::from(len)).map(Box::from)
    })?
    .into_iter()
    .collect();
    account.retries = read_list(r, |r| {
        let (key, (sequence, expires_ns)) = r.read()?;
        Some(Retry { key, sequence, expires_ns })
    })?
    .into();
    Some(account)
}

fn read_market(r: &mut Reader<'_>, resting: &mut Vec<Order>) -> Option<Market> {
    let mut market = Market::new(r.read()?);
    market.last_order_id = r.read()?;
    market.last_trade_id = r.read()?;
    market.instrument_seq = r.read()?;
    for _ in [Side::Buy, Side::Sell] {
        resting.append(&mut r.read()?);
    }
    Some(market)
}

fn write_deferred(work: &Deferred, out: &mut Vec<u8>) {
    match work {
        Deferred::Trade(order) => (1_u8, *order).write(out),
        Deferred::CancelAll(account, request) => (2_u8, (*account, *request)).write(out),
    }
}

fn read_deferred(r: &mut Reader<'_>) -> Option<Deferred> {
    match r.read::<u8>()? {
        1 => r.read().map(Deferred::Trade),
        2 => r.read().map(|(account, request)| Deferred::CancelAll(account, request)),
        _ => None,
    }
}

/// Reads back as a `Vec`.
fn write_list<T>(
    list: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    let start = out.len();
    0_u32.write(out);
    let mut count = 0_u32;
    for element in list {
        write(element, out);
        count += 1;
    }
    out[start..start + 4].copy_from_slice(&count.to_le_bytes());
}

fn read_list<T>(
    r: &mut Reader<'_>,
    mut read: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let count: u32 = r.read()?;
    (0..count).map(|_| read(r)).collect()
}
