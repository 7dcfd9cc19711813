//! Deletion of what is beyond the retention, a bounded number of rows at a time.
//!
//! Open orders stay, and so do their amendments, open order lists and open withdrawals. Candles
//! stay: charts go back to the first trade. The file keeps its size, and later rows take the room.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use types::{AccountId, InstrumentId, WithdrawalStatus};

use crate::give_way::give_way;
use crate::progress::Progress;
use crate::retention::HistoryRetention;
use crate::sqlite::column::int;
use crate::sqlite::names;
use crate::sqlite::query::blocks::{self, Ids, first_created_since};
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

/// The time up to which as large a part of the rows lies as the size is beyond its limit. A busy
/// hour counts by its rows, not by its time. What that leaves is for the next time.
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
    // A little more, so that it is worth the work.
    let permille = (u128::from(used - max_bytes) * 1_000 / u128::from(used)) as i64 + 20;
    let since_ns = progress.kept_since_ns;
    if let Some(cutoff_ns) = part_of_rows(connection, permille.min(1_000), since_ns)? {
        return Ok(Some(cutoff_ns));
    }
    // What is left are orders that were open for long: time has to do.
    let span_ns = progress.sequenced_ns.saturating_sub(since_ns);
    Ok(Some(since_ns + span_ns / 4 + u64::from(span_ns > 0)))
}

/// The first time beyond `since_ns` before which an instrument has this part of its trades, or of
/// its orders that ended.
fn part_of_rows(
    connection: &Connection,
    permille: i64,
    since_ns: u64,
) -> rusqlite::Result<Option<u64>> {
    let mut before: Option<u64> = None;
    for instrument in instruments(connection)? {
        for [ends, time] in [
            [
                "SELECT (SELECT trade_id FROM trades WHERE instrument = ?1 \
                 ORDER BY trade_id LIMIT 1), (SELECT trade_id FROM trades WHERE instrument = ?1 \
                 ORDER BY trade_id DESC LIMIT 1)",
                "SELECT traded_ns FROM trades WHERE instrument = ?1 AND trade_id >= ?2 \
                 ORDER BY trade_id LIMIT 1",
            ],
            [
                "SELECT (SELECT order_id FROM orders WHERE instrument = ?1 AND status > 1 \
                 ORDER BY order_id LIMIT 1), (SELECT order_id FROM orders \
                 WHERE instrument = ?1 AND status > 1 ORDER BY order_id DESC LIMIT 1)",
                "SELECT created_ns FROM orders WHERE instrument = ?1 AND order_id >= ?2 \
                 AND status > 1 ORDER BY order_id LIMIT 1",
            ],
        ] {
            let mut ends = connection.prepare_cached(ends)?;
            let ends = ends.query_row([instrument.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let (Some(first), Some(last)): (Option<i64>, Option<i64>) = ends else { continue };
            let id = first + (last - first).saturating_mul(permille) / 1_000;
            let mut time = connection.prepare_cached(time)?;
            let time: Option<i64> =
                time.query_row(params![instrument.0, id], |row| row.get(0)).optional()?;
            let time = time.map(i64::unsigned_abs).filter(|time| *time > since_ns);
            before = before.into_iter().chain(time).min();
        }
    }
    Ok(before)
}

/// Deletes rows that ended before this time. Returns whether there are more.
pub(crate) fn forget(transaction: &Transaction<'_>, cutoff_ns: u64) -> rusqlite::Result<bool> {
    let mut has_more = false;
    for instrument in instruments(transaction)? {
        has_more |= forget_orders(transaction, instrument, cutoff_ns)?;
        has_more |= forget_trades(transaction, instrument, cutoff_ns)?;
        names::forget(transaction, instrument)?;
    }
    let open = WithdrawalStatus::Requested.number();
    for delete in [
        "DELETE FROM balance_changes WHERE (account, account_seq) IN (SELECT account, account_seq \
         FROM balance_changes WHERE changed_ns < ?1 AND ?2 = ?2 LIMIT ?3)",
        "DELETE FROM transfers WHERE (account, account_seq) IN (SELECT account, account_seq \
         FROM transfers WHERE ended_ns < ?1 AND status <> ?2 LIMIT ?3)",
        "DELETE FROM withdrawal_approvals WHERE (account, external_ref, key) IN (SELECT account, \
         external_ref, key FROM withdrawal_approvals AS a WHERE approved_ns < ?1 AND ?2 = ?2 AND \
         NOT EXISTS (SELECT 1 FROM transfers WHERE account = a.account AND \
         external_ref = a.external_ref) LIMIT ?3)",
        "DELETE FROM order_lists WHERE (instrument, order_list_id) IN (SELECT instrument, \
         order_list_id FROM order_lists WHERE is_done AND updated_ns < ?1 AND ?2 = ?2 LIMIT ?3)",
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
    let mut select = transaction.prepare_cached(select)?;
    let ended = select.query_map(key, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let ended: Vec<(i64, u32)> = ended.collect::<Result<_, _>>()?;
    let mut ids = Ids::default();
    for (at, (order_id, account)) in ended.iter().enumerate() {
        give_way(at);
        for delete in [
            "DELETE FROM orders WHERE instrument = ? AND order_id = ?",
            "DELETE FROM amendments WHERE instrument = ? AND order_id = ?",
        ] {
            transaction.prepare_cached(delete)?.execute(params![instrument.0, order_id])?;
        }
        ids.insert((AccountId(*account), instrument), *order_id, 0);
    }
    ids.remove(transaction, blocks::ORDERS)?;
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
    let select = "SELECT trade_id, maker_account, taker_account FROM trades \
                  WHERE instrument = ? AND trade_id < ? ORDER BY trade_id LIMIT ?";
    let mut select = transaction.prepare_cached(select)?;
    let made = select.query_map(params![instrument.0, before, ROWS], |row| {
        Ok((row.get(0)?, [row.get(1)?, row.get(2)?]))
    })?;
    let made: Vec<(i64, [u32; 2])> = made.collect::<Result<_, _>>()?;
    let delete = "DELETE FROM trades WHERE instrument = ? AND trade_id = ?";
    let mut delete = transaction.prepare_cached(delete)?;
    let mut ids = Ids::default();
    for (at, (trade_id, accounts)) in made.iter().enumerate() {
        give_way(at);
        delete.execute(params![instrument.0, trade_id])?;
        for account in accounts {
            ids.insert((AccountId(*account), instrument), *trade_id, 0);
        }
    }
    ids.remove(transaction, blocks::TRADES)?;
    Ok(made.len() as i64 == ROWS)
}

fn instruments(connection: &Connection) -> rusqlite::Result<Vec<InstrumentId>> {
    let mut select = connection.prepare_cached("SELECT instrument FROM instruments")?;
    select.query_map([], |row| row.get(0).map(InstrumentId))?.collect()
}
