//! Deletion of what is beyond the retention: whole partitions, and rows of the small tables.
//!
//! Open orders stay, and so do their amendments, open order lists and open withdrawals. Candles
//! stay: charts go back to the first trade.

use projection::{HistoryRetention, Progress};
use types::WithdrawalStatus;

use crate::postgres::column::Cells;
use crate::postgres::copy::int;
use crate::postgres::failure::Failed;
use crate::postgres::partition::{Partitions, TABLES, name};
use crate::postgres::session::Session;

/// Rows of each table in one transaction.
const ROWS: i64 = 5_000;

#[derive(Debug)]
pub(crate) struct Forgotten {
    pub(crate) kept_since_ns: u64,
    pub(crate) has_more: bool,
}

/// At most one partition, and rows of its time or earlier.
pub(crate) async fn forget(
    session: &Session,
    partitions: &mut Partitions,
    progress: &Progress,
    retention: &HistoryRetention,
) -> Result<Forgotten, Failed> {
    let mut kept_since_ns = progress.kept_since_ns;
    let mut has_more = false;
    if let Some((from_ns, to_ns)) = partitions.oldest() {
        let by_age = retention
            .max_age_ns
            .is_some_and(|age_ns| to_ns <= progress.sequenced_ns.saturating_sub(age_ns));
        let by_size = match retention.max_bytes {
            Some(max_bytes) if to_ns <= progress.sequenced_ns => bytes(session).await? > max_bytes,
            _ => false,
        };
        if (by_age || by_size) && drop_partition(session, from_ns).await? {
            partitions.removed(from_ns);
            kept_since_ns = kept_since_ns.max(to_ns);
            has_more = true;
        }
    }
    if kept_since_ns > 0 {
        has_more |= forget_rows(session, int(kept_since_ns)).await?;
    }
    Ok(Forgotten { kept_since_ns, has_more })
}

/// Of the rows and indexes of all tables.
pub(crate) async fn bytes(session: &Session) -> Result<u64, Failed> {
    let select = "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class \
                  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'";
    let row = session.query_maybe(select, &[]).await?;
    row.map_or(Ok(0), |row| Cells::new(&row).uint())
}

/// Waits for readers only briefly, because new readers wait for it. Returns whether it is gone.
async fn drop_partition(session: &Session, from_ns: u64) -> Result<bool, Failed> {
    let tables = TABLES.map(|table| name(table, from_ns)).join(", ");
    let drop = format!("SAVEPOINT forget; SET LOCAL lock_timeout TO '500ms'; DROP TABLE {tables}");
    match session.run(&drop).await {
        Ok(()) => {}
        // A reader is slow: the partition goes at another time.
        Err(failed) if failed.is_locked() => {
            session.run("ROLLBACK TO SAVEPOINT forget").await?;
            return Ok(false);
        }
        Err(failed) => return Err(failed),
    }
    session.run("SET LOCAL lock_timeout TO DEFAULT").await?;
    session.execute("DELETE FROM partitions WHERE from_ns = $1", &[&int(from_ns)]).await?;
    Ok(true)
}

/// Returns whether there are more.
async fn forget_rows(session: &Session, before_ns: i64) -> Result<bool, Failed> {
    let open = i16::from(WithdrawalStatus::Requested.number());
    let mut has_more = false;
    for (table, is_past) in [
        (
            "amendments",
            "amended_ns < $1 AND NOT EXISTS (SELECT 1 FROM open_orders o \
          WHERE o.instrument = t.instrument AND o.order_id = t.order_id \
          AND o.account = t.account)",
        ),
        ("prevented_matches", "prevented_ns < $1"),
        ("balance_changes", "changed_ns < $1"),
        ("order_lists", "is_done AND updated_ns < $1"),
        (
            "withdrawal_approvals",
            "approved_ns < $1 AND NOT EXISTS (SELECT 1 FROM transfers o \
          WHERE o.account = t.account AND o.external_ref = t.external_ref)",
        ),
    ] {
        let delete = format!(
            "DELETE FROM {table} WHERE ctid = ANY (ARRAY(\
             SELECT ctid FROM {table} t WHERE {is_past} LIMIT {ROWS}))"
        );
        has_more |= session.execute(&delete, &[&before_ns]).await? == ROWS.unsigned_abs();
    }
    let delete = format!(
        "DELETE FROM transfers WHERE ctid = ANY (ARRAY(\
         SELECT ctid FROM transfers WHERE ended_ns < $1 AND status <> $2 LIMIT {ROWS}))"
    );
    has_more |= session.execute(&delete, &[&before_ns, &open]).await? == ROWS.unsigned_abs();
    Ok(has_more)
}

pub(crate) async fn drop_partitions(session: &Session) -> Result<(), Failed> {
    let rows = session.query("SELECT from_ns FROM partitions", &[]).await?;
    for row in &rows {
        let from_ns = Cells::new(row).uint()?;
        let tables = TABLES.map(|table| name(table, from_ns)).join(", ");
        session.run(&format!("DROP TABLE {tables}")).await?;
    }
    Ok(())
}
