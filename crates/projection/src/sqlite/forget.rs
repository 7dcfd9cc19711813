//! Deletion of what is beyond the retention, a bounded number of rows at a time.
//!
//! Open orders stay, and so do their amendments, open order lists and open withdrawals. Candles
//! stay: charts go back to the first trade. The file keeps its size, and later rows take the room.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use types::{InstrumentId, OrderList, OrderListStatus, WithdrawalStatus};

use crate::give_way::give_way;
use crate::progress::Progress;
use crate::retention::HistoryRetention;
use crate::sqlite::column::{int, read_wire};
use crate::sqlite::names;
use crate::sqlite::query::blocks::{block_of, first_created_since};
use crate::sqlite::query::first_traded_since;

/// Rows of each table in one transaction.
const ROWS: i64 = 2_000;

/// The time before which rows are to be deleted, if there are any.
pub(crate) fn cutoff_ns(
    connection: &Connection,
    progress: &Progress,
    retention: &HistoryRetention,
) -> rusqlite::Result<Option<u64>> {
    let by_age = retention.max_age_ns.map(|age_ns| progress.sequenced_ns.saturating_sub(age_ns));
    let by_size = match retention.max_bytes {
        Some(max_bytes) => by_size(connection, progress, max_bytes)?,
        None => None,
    };
    Ok(by_age.max(by_size).filter(|cutoff_ns| *cutoff_ns > 0))
}

/// Where the part of the time lies that the part of the size beyond the limit took, if rows are
/// spread evenly. What that leaves is for the next time.
fn by_size(
    connection: &Connection,
    progress: &Progress,
    max_bytes: u64,
) -> rusqlite::Result<Option<u64>> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = pragma("page_count")? - pragma("freelist_count")?;
    let used = u64::try_from(pages * pragma("page_size")?).unwrap_or_default();
    if used <= max_bytes {
        return Ok(None);
    }
    let oldest_ns = oldest_ns(connection)?.unwrap_or(progress.kept_since_ns);
    let span_ns = u128::from(progress.sequenced_ns.saturating_sub(oldest_ns));
    let beyond_ns = span_ns * u128::from(used - max_bytes) / u128::from(used);
    // A little more, so that it is worth the work.
    let beyond_ns = beyond_ns + span_ns / 50 + 1;
    let cutoff_ns = oldest_ns + u64::try_from(beyond_ns).unwrap_or(u64::MAX - oldest_ns);
    Ok(Some(cutoff_ns.min(progress.sequenced_ns)))
}

/// The time of the oldest trade, or of the end of the oldest order.
fn oldest_ns(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    let mut oldest: Option<i64> = None;
    for instrument in instruments(connection)? {
        for first in [
            "SELECT traded_ns FROM trades WHERE instrument = ? ORDER BY trade_id LIMIT 1",
            "SELECT updated_ns FROM orders WHERE instrument = ? AND status > 1 \
             ORDER BY order_id LIMIT 1",
        ] {
            let mut first = connection.prepare_cached(first)?;
            let first: Option<i64> =
                first.query_row([instrument.0], |row| row.get(0)).optional()?;
            oldest = oldest.into_iter().chain(first).min();
        }
    }
    Ok(oldest.map(i64::unsigned_abs))
}

/// Deletes rows that ended before this time. Returns whether there are more.
pub(crate) fn forget(transaction: &Transaction<'_>, cutoff_ns: u64) -> rusqlite::Result<bool> {
    let mut has_more = false;
    for instrument in instruments(transaction)? {
        has_more |= forget_orders(transaction, instrument, cutoff_ns)?;
        has_more |= forget_trades(transaction, instrument, cutoff_ns)?;
        names::forget(transaction, instrument)?;
    }
    has_more |= forget_lists(transaction, cutoff_ns)?;
    let open = WithdrawalStatus::Requested.number();
    for delete in [
        "DELETE FROM balance_changes WHERE (account, account_seq) IN (SELECT account, account_seq \
         FROM balance_changes WHERE changed_ns < ?1 AND ?2 = ?2 LIMIT ?3)",
        "DELETE FROM transfers WHERE (account, account_seq) IN (SELECT account, account_seq \
         FROM transfers WHERE ended_ns < ?1 AND status <> ?2 LIMIT ?3)",
    ] {
        let key = params![int(cutoff_ns), open, ROWS];
        has_more |= transaction.prepare_cached(delete)?.execute(key)? as i64 == ROWS;
    }
    Ok(has_more)
}

fn forget_orders(
    transaction: &Transaction<'_>,
    instrument: InstrumentId,
    cutoff_ns: u64,
) -> rusqlite::Result<bool> {
    // Ids rise with the time of creation, and no order ends before that.
    let before = first_created_since(transaction, instrument, int(cutoff_ns))?;
    let select = "SELECT order_id, account FROM orders WHERE instrument = ? AND order_id < ? \
                  AND updated_ns < ? AND status > 1 ORDER BY order_id LIMIT ?";
    let key = params![instrument.0, before, int(cutoff_ns), ROWS];
    let ended = pairs(transaction, select, key)?;
    for (at, (order_id, account)) in ended.iter().enumerate() {
        give_way(at);
        for delete in [
            "DELETE FROM orders WHERE instrument = ? AND order_id = ?",
            "DELETE FROM amendments WHERE instrument = ? AND order_id = ?",
        ] {
            transaction.prepare_cached(delete)?.execute(params![instrument.0, order_id])?;
        }
        let delete = "DELETE FROM order_blocks WHERE account = ?2 AND instrument = ?1 \
                      AND block = ?3 AND NOT EXISTS (SELECT 1 FROM orders \
                      INDEXED BY orders_by_account WHERE instrument = ?1 \
                      AND order_id >> 12 = ?3 AND account = ?2)";
        let key = params![instrument.0, account, block_of(*order_id)];
        transaction.prepare_cached(delete)?.execute(key)?;
    }
    let delete = "DELETE FROM prevented_matches WHERE instrument = ?1 AND prevented_match_id IN (\
                  SELECT prevented_match_id FROM prevented_matches WHERE instrument = ?1 \
                  AND prevented_ns < ?2 ORDER BY prevented_match_id LIMIT ?3)";
    let key = params![instrument.0, int(cutoff_ns), ROWS];
    let prevented = transaction.prepare_cached(delete)?.execute(key)?;
    Ok(ended.len() as i64 == ROWS || prevented as i64 == ROWS)
}

fn forget_trades(
    transaction: &Transaction<'_>,
    instrument: InstrumentId,
    cutoff_ns: u64,
) -> rusqlite::Result<bool> {
    let before = first_traded_since(transaction, instrument, int(cutoff_ns))?;
    let select = "SELECT trade_id, account FROM fills WHERE instrument = ? AND trade_id < ? \
                  ORDER BY trade_id LIMIT ?";
    let fills = pairs(transaction, select, params![instrument.0, before, 2 * ROWS])?;
    for (at, (trade_id, account)) in fills.iter().enumerate() {
        give_way(at);
        for delete in [
            "DELETE FROM fills WHERE instrument = ? AND trade_id = ?",
            "DELETE FROM trades WHERE instrument = ? AND trade_id = ?",
        ] {
            transaction.prepare_cached(delete)?.execute(params![instrument.0, trade_id])?;
        }
        let delete = "DELETE FROM fill_blocks WHERE account = ?2 AND instrument = ?1 \
                      AND block = ?3 AND NOT EXISTS (SELECT 1 FROM fills \
                      INDEXED BY fills_by_account WHERE instrument = ?1 \
                      AND trade_id >> 12 = ?3 AND account = ?2)";
        let key = params![instrument.0, account, block_of(*trade_id)];
        transaction.prepare_cached(delete)?.execute(key)?;
    }
    Ok(fills.len() as i64 == 2 * ROWS)
}

fn forget_lists(transaction: &Transaction<'_>, cutoff_ns: u64) -> rusqlite::Result<bool> {
    let select = "SELECT list FROM order_lists WHERE updated_ns < ? LIMIT ?";
    let mut select = transaction.prepare_cached(select)?;
    let key = params![int(cutoff_ns), ROWS];
    let lists = select.query_map(key, |row| row.get::<_, Vec<u8>>(0))?;
    let lists: Vec<Vec<u8>> = lists.collect::<Result<_, _>>()?;
    let mut deleted = 0;
    for list in lists.iter().filter_map(|bytes| read_wire::<OrderList>(bytes)) {
        if list.status == OrderListStatus::AllDone {
            let delete = "DELETE FROM order_lists WHERE instrument = ? AND order_list_id = ?";
            let key = params![list.instrument.0, int(list.order_list.0)];
            deleted += transaction.prepare_cached(delete)?.execute(key)?;
        }
    }
    Ok(lists.len() as i64 == ROWS && deleted > 0)
}

fn instruments(connection: &Connection) -> rusqlite::Result<Vec<InstrumentId>> {
    let mut select = connection.prepare_cached("SELECT instrument FROM instruments")?;
    select.query_map([], |row| row.get(0).map(InstrumentId))?.collect()
}

/// An id and an account.
fn pairs(
    connection: &Connection,
    select: &str,
    key: &[&dyn rusqlite::ToSql],
) -> rusqlite::Result<Vec<(i64, u32)>> {
    let mut select = connection.prepare_cached(select)?;
    select.query_map(key, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
