//! Where the rows of an account lie.
//!
//! In an index by account or by name, rows that come together lie far apart: each brings a page of
//! its own to write, and these are most of what is written. So the indexes are by blocks of ids
//! first, and within them by account: what comes together lies in one block. `order_blocks` and
//! `fill_blocks` hold the blocks in which an account has rows, and these are read.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};
use types::{AccountId, InstrumentId};

use crate::question::Times;

/// The number of last bits that ids of orders and of trades are without in the indexes. The SQL
/// says 12 as well, since an index is found by the words it was made with.
pub(crate) const BLOCK_BITS: u32 = 12;

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

    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Ascending => "ASC",
            Self::Descending => "DESC",
        }
    }
}

/// Collects what `look` finds in one block after the other, until there are `limit` or no block is
/// left. It gets the block and how many more are wanted.
pub(crate) fn search<T>(
    connection: &Connection,
    blocks: &'static str,
    (account, instrument): (AccountId, InstrumentId),
    ids: &Range<i64>,
    direction: Direction,
    limit: usize,
    mut look: impl FnMut(i64, usize) -> rusqlite::Result<Vec<T>>,
) -> rusqlite::Result<Vec<T>> {
    let mut found = Vec::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let select = format!(
        "SELECT block FROM {blocks} WHERE account = ? AND instrument = ? AND block BETWEEN ? AND ? \
         ORDER BY block {}",
        direction.sql()
    );
    let mut select = connection.prepare_cached(&select)?;
    let (first, last) = (block_of(ids.start), block_of(ids.end - 1));
    let mut rows = select.query(params![account.0, instrument.0, first, last])?;
    while let Some(row) = rows.next()? {
        if found.len() >= limit {
            break;
        }
        found.extend(look(row.get(0)?, limit - found.len())?);
    }
    Ok(found)
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

pub(crate) fn block_of(id: i64) -> i64 {
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
