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

use std::collections::{BTreeMap, VecDeque};
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
    /// Rows within these times: from the first one, if a start was named, else from the last one.
    pub(crate) fn of(times: Times) -> Self {
        if times.start_ns.is_some() { Self::Ascending } else { Self::Descending }
    }

    /// Whether a row at `at` is read later than one at `other`.
    pub(crate) fn is_beyond<K: Ord>(self, at: &K, other: &K) -> bool {
        match self {
            Self::Ascending => at > other,
            Self::Descending => at < other,
        }
    }

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
/// else the last ones.
///
/// `page` reads rows of one instrument in the direction: beyond a row if it gets one, and up to a
/// number. An instrument gives a short page first, and a longer one only when all rows before are
/// among those wanted. So no more is read than twice `limit`, and a short page of each instrument.
pub(crate) fn merged<T, K: Ord>(
    connection: &Connection,
    blocks: &'static str,
    account: AccountId,
    (times, limit): (Times, usize),
    page: impl Fn(InstrumentId, Option<&T>, usize) -> rusqlite::Result<Vec<T>>,
    at: impl Fn(&T) -> K,
) -> rusqlite::Result<Vec<T>> {
    let direction = Direction::of(times);
    let mut sources = Vec::new();
    // The next row of each source that has one.
    let mut heads = BTreeMap::new();
    let mut next = first_instrument(connection, blocks, account, 0)?;
    while let Some(instrument) = next {
        let mut source = Source::new(instrument, limit);
        if let Some(head) = source.head(None, &page)? {
            heads.insert(at(head), sources.len());
        }
        sources.push(source);
        next = first_instrument(connection, blocks, account, instrument.0 + 1)?;
    }
    let mut found = Vec::new();
    while found.len() < limit {
        let head = match direction {
            Direction::Ascending => heads.pop_first(),
            Direction::Descending => heads.pop_last(),
        };
        let Some((_, from)) = head else { break };
        let source: &mut Source<T> = &mut sources[from];
        let row = source.rows.pop_front().expect("a source with a head has a row");
        if found.len() + 1 < limit
            && let Some(head) = source.head(Some(&row), &page)?
        {
            heads.insert(at(head), from);
        }
        found.push(row);
    }
    if direction == Direction::Descending {
        found.reverse();
    }
    Ok(found)
}

/// Rows of the first page of an instrument.
const FIRST_PAGE: usize = 8;

/// Rows of one instrument that were read ahead.
struct Source<T> {
    instrument: InstrumentId,
    rows: VecDeque<T>,
    /// Of the next page; 0 after the last one.
    page_len: usize,
}

impl<T> Source<T> {
    fn new(instrument: InstrumentId, limit: usize) -> Self {
        Self { instrument, rows: VecDeque::new(), page_len: FIRST_PAGE.min(limit) }
    }

    /// The next row, after this one was taken.
    fn head(
        &mut self,
        taken: Option<&T>,
        page: impl Fn(InstrumentId, Option<&T>, usize) -> rusqlite::Result<Vec<T>>,
    ) -> rusqlite::Result<Option<&T>> {
        if self.rows.is_empty() && self.page_len > 0 {
            self.rows = page(self.instrument, taken, self.page_len)?.into();
            let is_last = self.rows.len() < self.page_len;
            self.page_len = if is_last { 0 } else { 2 * self.page_len };
        }
        Ok(self.rows.front())
    }
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const INSTRUMENTS: u32 = 200;
    const ROWS: u64 = 300;

    /// Rows at these times, as one list and by instruments.
    fn check(limit: usize, times: Times, time: impl Fn(u32, u64) -> u64) {
        let connection = Connection::open_in_memory().unwrap();
        let table = "CREATE TABLE b (account INT, instrument INT, block INT)";
        connection.execute_batch(table).unwrap();
        let is_wanted = |row: &(u64, u32)| {
            times.start_ns.is_none_or(|start| start <= row.0)
                && times.end_ns.is_none_or(|end| row.0 <= end)
        };
        let of_one = |instrument: u32| {
            let rows = (0..ROWS).map(|row| (time(instrument, row), instrument));
            rows.filter(is_wanted).collect::<Vec<_>>()
        };
        for instrument in 0..INSTRUMENTS {
            connection.execute("INSERT INTO b VALUES (7, ?, 0)", [instrument]).unwrap();
        }
        let (direction, read) = (Direction::of(times), Cell::new(0));
        let page = |InstrumentId(instrument), after: Option<&(u64, u32)>, len| {
            let mut rows = of_one(instrument);
            if direction == Direction::Descending {
                rows.reverse();
            }
            rows.retain(|row| after.is_none_or(|after| direction.is_beyond(row, after)));
            rows.truncate(len);
            read.set(read.get() + rows.len());
            Ok(rows)
        };
        let found = merged(&connection, "b", AccountId(7), (times, limit), page, |row| *row);
        let mut expected: Vec<_> = (0..INSTRUMENTS).flat_map(of_one).collect();
        expected.sort_unstable();
        match direction {
            Direction::Ascending => expected.truncate(limit),
            Direction::Descending => drop(expected.drain(..expected.len().saturating_sub(limit))),
        }
        assert_eq!(found.unwrap(), expected, "{limit} {times:?}");
        let bound = 2 * limit + INSTRUMENTS as usize * FIRST_PAGE;
        assert!(read.get() <= bound, "{} rows were read for {limit}", read.get());
    }

    #[test]
    fn rows_of_all_instruments_are_one_list_and_few_are_read() {
        let all = Times::default();
        let after = Times { start_ns: Some(500), end_ns: None };
        let within = Times { start_ns: Some(500), end_ns: Some(700) };
        let before = Times { start_ns: None, end_ns: Some(500) };
        for times in [all, after, within, before] {
            for limit in [1, 7, 100, 1_000] {
                // They come in turn, or one instrument after the other, or one has most.
                check(limit, times, |instrument, row| row * 3 + u64::from(instrument % 7));
                check(limit, times, |instrument, row| u64::from(instrument) * ROWS + row);
                check(limit, times, |instrument, row| row * u64::from(instrument).pow(2) + row);
            }
        }
    }
}
