//! Where the rows of an account lie.
//!
//! In an index by account or by name, rows that come together lie far apart: each brings a page of
//! its own to write, and these are most of what is written. So the indexes are by blocks of ids
//! first, and within them by account: what comes together lies in one block. `order_blocks` and
//! `fill_blocks` hold the blocks in which an account has rows, and these are read.

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
