//! Where the rows of an account lie.
//!
//! In an index by account or by name, rows that come together lie far apart: each brings a page of
//! its own to write, and work of its own. So ids are cut into blocks of 1,024, and one row of
//! `order_blocks` or `trade_blocks` has all ids of an account in a block, in rising order. Beside
//! an id is a tag, which spares a search the rows that it does not mean: of an order a hash of its
//! name, of a trade the number of the account's order.
//!
//! # Invariants
//! - Each order is in its block under each name that it has had, and each side of a trade in its.
//! - A block does not show which pages of events its rows came in.

use std::collections::BTreeMap;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use types::{AccountId, InstrumentId};

use crate::give_way::give_way;
use crate::question::Times;
use crate::sqlite::rows;

/// The number of last bits in which the ids of a block differ.
const BLOCK_BITS: u32 = 10;

/// An id's last bits and its tag, as they lie in a block.
const ENTRY_SIZE: usize = 2 + 4;

/// The rows that have ids of orders.
pub(crate) const ORDERS: &str = "order_blocks";
/// The rows that have ids of trades.
pub(crate) const TRADES: &str = "trade_blocks";

type Key = (AccountId, InstrumentId, i64);

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Entry {
    last_bits: u16,
    tag: u32,
}

impl Entry {
    fn new(id: i64, tag: u32) -> Self {
        let last_bits = id & ((1 << BLOCK_BITS) - 1);
        Self { last_bits: u16::try_from(last_bits).expect("ten bits"), tag }
    }

    fn id(self, block: i64) -> i64 {
        block << BLOCK_BITS | i64::from(self.last_bits)
    }

    fn read(bytes: [u8; ENTRY_SIZE]) -> Self {
        let [low, high, tag @ ..] = bytes;
        Self { last_bits: u16::from_le_bytes([low, high]), tag: u32::from_le_bytes(tag) }
    }

    fn write(self, out: &mut Vec<u8>) {
        out.extend(self.last_bits.to_le_bytes());
        out.extend(self.tag.to_le_bytes());
    }
}

/// The tag of a trade by the account's order in it.
pub(crate) fn order_tag(order_id: i64) -> u32 {
    order_id as u32
}

fn entries(block: &[u8]) -> impl DoubleEndedIterator<Item = Entry> {
    block.as_chunks().0.iter().map(|bytes| Entry::read(*bytes))
}

/// Ids of one table, by the blocks that they are to be added to, or taken out of.
#[derive(Debug, Default)]
pub(crate) struct Ids(BTreeMap<Key, Vec<Entry>>);

impl Ids {
    pub(crate) fn insert(
        &mut self,
        (account, instrument): (AccountId, InstrumentId),
        id: i64,
        tag: u32,
    ) {
        let block = self.0.entry((account, instrument, block_of(id))).or_default();
        block.push(Entry::new(id, tag));
    }

    pub(crate) fn add(
        self,
        transaction: &Transaction<'_>,
        table: &'static str,
    ) -> rusqlite::Result<()> {
        self.change(transaction, table, |block, mut added| {
            let mut before = entries(block).next_back();
            let follows = added.iter().all(|entry| before.replace(*entry) < Some(*entry));
            if !follows {
                added.extend(entries(block));
                added.sort_unstable();
                added.dedup();
                block.clear();
            }
            added.into_iter().for_each(|entry| entry.write(block));
        })
    }

    /// Takes them out, whatever their tags.
    pub(crate) fn remove(
        self,
        transaction: &Transaction<'_>,
        table: &'static str,
    ) -> rusqlite::Result<()> {
        self.change(transaction, table, |block, mut removed| {
            removed.sort_unstable();
            let is_kept = |entry: &Entry| {
                let of_id = removed.binary_search_by_key(&entry.last_bits, |it| it.last_bits);
                of_id.is_err()
            };
            let kept: Vec<Entry> = entries(block).filter(is_kept).collect();
            block.clear();
            kept.into_iter().for_each(|entry| entry.write(block));
        })
    }

    fn change(
        self,
        transaction: &Transaction<'_>,
        table: &'static str,
        change: impl Fn(&mut Vec<u8>, Vec<Entry>),
    ) -> rusqlite::Result<()> {
        let find =
            format!("SELECT ids FROM {table} WHERE account = ? AND instrument = ? AND block = ?");
        let mut find = transaction.prepare_cached(&find)?;
        let delete =
            format!("DELETE FROM {table} WHERE account = ? AND instrument = ? AND block = ?");
        let mut delete = transaction.prepare_cached(&delete)?;
        let mut changed = Vec::with_capacity(self.0.len());
        for (at, (place, ids)) in self.0.into_iter().enumerate() {
            give_way(at);
            let (account, instrument, block) = place;
            let key = params![account.0, instrument.0, block];
            let found: Option<Vec<u8>> = find.query_row(key, |row| row.get(0)).optional()?;
            let mut bytes = found.unwrap_or_default();
            change(&mut bytes, ids);
            if bytes.is_empty() {
                delete.execute(key)?;
            } else {
                changed.push((place, bytes));
            }
        }
        rows::insert(transaction, table, "(?, ?, ?, ?)", &changed, |row, (place, bytes)| {
            let (account, instrument, block) = place;
            row.bind(params![account.0, instrument.0, block, bytes])
        })
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    fn sql(self) -> &'static str {
        match self {
            Self::Ascending => "ASC",
            Self::Descending => "DESC",
        }
    }
}

/// Which ids of an account are searched for.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) account: AccountId,
    pub(crate) instrument: InstrumentId,
    pub(crate) ids: Range<i64>,
    /// Only ids with this tag.
    pub(crate) tag: Option<u32>,
    pub(crate) direction: Direction,
    pub(crate) limit: usize,
}

impl Search {
    /// Collects what `look` finds of one id after the other, until there are enough or no id is
    /// left.
    pub(crate) fn run<T>(
        &self,
        connection: &Connection,
        table: &'static str,
        mut look: impl FnMut(i64, &mut Vec<T>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<Vec<T>> {
        let Self { account, instrument, ids, direction, limit, .. } = self;
        let mut found = Vec::new();
        if ids.is_empty() {
            return Ok(found);
        }
        let select = format!(
            "SELECT block, ids FROM {table} WHERE account = ? AND instrument = ? \
             AND block BETWEEN ? AND ? ORDER BY block {}",
            direction.sql()
        );
        let mut select = connection.prepare_cached(&select)?;
        let (first, last) = (block_of(ids.start), block_of(ids.end - 1));
        let mut blocks = select.query(params![account.0, instrument.0, first, last])?;
        while let Some(block) = blocks.next()? {
            let mut in_block = self.ids_in(block.get(0)?, block.get_ref(1)?.as_blob()?);
            if *direction == Direction::Descending {
                in_block.reverse();
            }
            for id in in_block {
                if found.len() >= *limit {
                    found.truncate(*limit);
                    return Ok(found);
                }
                look(id, &mut found)?;
            }
        }
        found.truncate(*limit);
        Ok(found)
    }

    /// In rising order.
    fn ids_in(&self, block: i64, bytes: &[u8]) -> Vec<i64> {
        let tagged = entries(bytes).filter(|entry| self.tag.is_none_or(|tag| entry.tag == tag));
        let ids = tagged.map(|entry| entry.id(block)).filter(|id| self.ids.contains(id));
        let mut ids: Vec<i64> = ids.collect();
        ids.dedup(); // An order that has had two names.
        ids
    }
}

/// Rows of an account in all instruments, oldest first: from the first one, if a start was named,
/// else the last ones. Of each instrument no more than `limit` are read.
pub(crate) fn merged<T, K: Ord>(
    connection: &Connection,
    blocks: &'static str,
    account: AccountId,
    (times, limit): (Times, usize),
    of_one: impl Fn(InstrumentId) -> rusqlite::Result<Vec<T>>,
    at: impl Fn(&T) -> K,
) -> rusqlite::Result<Vec<T>> {
    let mut found = Vec::new();
    let mut next = first_instrument(connection, blocks, account, 0)?;
    while let Some(instrument) = next {
        found.extend(of_one(instrument)?);
        found.sort_by_key(&at);
        if times.start_ns.is_some() {
            found.truncate(limit);
        } else {
            found.drain(..found.len().saturating_sub(limit));
        }
        next = first_instrument(connection, blocks, account, instrument.0 + 1)?;
    }
    Ok(found)
}

/// The first instrument from a number on in which the account has rows.
fn first_instrument(
    connection: &Connection,
    blocks: &'static str,
    account: AccountId,
    from: u32,
) -> rusqlite::Result<Option<InstrumentId>> {
    let select = format!(
        "SELECT instrument FROM {blocks} WHERE account = ? AND instrument >= ? \
         ORDER BY instrument LIMIT 1"
    );
    let mut select = connection.prepare_cached(&select)?;
    select.query_row([account.0, from], |row| row.get(0).map(InstrumentId)).optional()
}

fn block_of(id: i64) -> i64 {
    id >> BLOCK_BITS
}

/// The first order of an instrument that was created at that time or later; a number beyond all if
/// there is none. Ids go up with time.
pub(crate) fn first_created_since(
    connection: &Connection,
    instrument: InstrumentId,
    time_ns: i64,
) -> rusqlite::Result<i64> {
    let last = "SELECT order_id FROM orders WHERE instrument = ? ORDER BY order_id DESC LIMIT 1";
    let mut last = connection.prepare_cached(last)?;
    let last: Option<i64> = last.query_row([instrument.0], |row| row.get(0)).optional()?;
    let Some(last) = last.filter(|_| time_ns > 0) else { return Ok(0) };
    let next = "SELECT order_id, created_ns FROM orders WHERE instrument = ? AND order_id >= ? \
                ORDER BY order_id LIMIT 1";
    let mut next = connection.prepare_cached(next)?;
    // Whatever is below `earlier` was created before, and what is from `later` on was not.
    let (mut earlier, mut later) = (0, last + 1);
    while earlier < later {
        let middle = earlier + (later - earlier) / 2;
        let (id, created_ns): (i64, i64) =
            next.query_row(params![instrument.0, middle], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if created_ns < time_ns { earlier = id + 1 } else { later = middle }
    }
    Ok(if earlier > last { i64::MAX } else { earlier })
}
