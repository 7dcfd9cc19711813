//! Partitions of orders, trades and fills by time.
//!
//! A partition is made in the transaction that needs it, and attached: that takes no lock which a
//! reader would wait for.

use std::collections::BTreeMap;

use projection::HistoryRetention;
use projection::changes::Changes;
use time::OffsetDateTime;
use tokio_postgres::Row;

use crate::postgres::column::Cells;
use crate::postgres::copy::int;
use crate::postgres::failure::Failed;
use crate::postgres::session::Session;

const NS_PER_SECOND: u64 = 1_000_000_000;
const DAY_NS: u64 = 24 * 3_600 * NS_PER_SECOND;
/// With a retention of up to this age, a partition is a day: less is kept beyond it.
const SHORT_NS: u64 = 31 * DAY_NS;

pub(crate) const TABLES: [&str; 3] = ["orders", "trades", "fills"];

/// The time that a partition spans in a new database.
pub(crate) fn span_ns(retention: &HistoryRetention) -> u64 {
    match retention.max_age_ns {
        Some(age_ns) if age_ns <= SHORT_NS => DAY_NS,
        _ => 7 * DAY_NS,
    }
}

#[derive(Debug)]
pub(crate) struct Partitions {
    /// The time that one spans; 0 before the first.
    span_ns: u64,
    /// Begin and end.
    known: BTreeMap<u64, u64>,
}

impl Partitions {
    pub(crate) async fn read(session: &Session) -> Result<Self, Failed> {
        let known = Self::spans(session).await?.into_iter().collect();
        Ok(Self { span_ns: Self::span_of(session).await?, known })
    }

    /// Decides on the span in a database that has no partition yet.
    pub(crate) async fn span_if_new(
        &mut self,
        session: &Session,
        span_ns: u64,
    ) -> Result<(), Failed> {
        if self.span_ns > 0 {
            return Ok(());
        }
        let update = "UPDATE progress SET partition_ns = $1 WHERE id = 0";
        session.execute(update, &[&int(span_ns)]).await?;
        self.span_ns = span_ns;
        Ok(())
    }

    pub(crate) fn span_ns(&self) -> u64 {
        self.span_ns
    }

    /// Begin and end of each.
    pub(crate) fn known(&self) -> Vec<(u64, u64)> {
        self.known.iter().map(|(from_ns, to_ns)| (*from_ns, *to_ns)).collect()
    }

    async fn span_of(session: &Session) -> Result<u64, Failed> {
        let select = "SELECT partition_ns FROM progress WHERE id = 0";
        match session.query_maybe(select, &[]).await? {
            Some(row) => Cells::new(&row).uint(),
            None => Err(Failed::damaged("partition_ns")),
        }
    }

    async fn spans(session: &Session) -> Result<Vec<(u64, u64)>, Failed> {
        let rows = session.query("SELECT from_ns, to_ns FROM partitions", &[]).await?;
        let span = |row: &Row| {
            let mut cells = Cells::new(row);
            Ok((cells.uint()?, cells.uint()?))
        };
        rows.iter().map(span).collect()
    }

    /// Makes the partitions that a page needs and that are not there.
    pub(crate) async fn provide(
        &mut self,
        session: &Session,
        changes: &Changes,
    ) -> Result<(), Failed> {
        let ends = changes.orders.iter().map(|changed| changed.order.updated_ns);
        let times = ends.chain(changes.trades.iter().map(|made| made.trade.traded_ns));
        let span = |ns: u64| {
            let from_ns = ns - ns % self.span_ns;
            (from_ns, from_ns + self.span_ns)
        };
        let is_missing = |(from_ns, _): &(u64, u64)| !self.known.contains_key(from_ns);
        let mut needed: Vec<_> = times.map(span).filter(is_missing).collect();
        needed.sort_unstable();
        needed.dedup();
        self.provide_all(session, &needed).await
    }

    /// Makes those that are not there.
    pub(crate) async fn provide_all(
        &mut self,
        session: &Session,
        needed: &[(u64, u64)],
    ) -> Result<(), Failed> {
        for (from_ns, to_ns) in needed.iter().copied() {
            if self.known.contains_key(&from_ns) {
                continue;
            }
            let insert = "INSERT INTO partitions VALUES ($1, $2)";
            session.execute(insert, &[&int(from_ns), &int(to_ns)]).await?;
            for table in TABLES {
                let name = name(table, from_ns);
                let make = format!(
                    "CREATE TABLE {name} (LIKE {table} INCLUDING DEFAULTS); \
                     ALTER TABLE {table} ATTACH PARTITION {name} \
                     FOR VALUES FROM ({from_ns}) TO ({to_ns})"
                );
                session.run(&make).await?;
            }
            self.known.insert(from_ns, to_ns);
        }
        Ok(())
    }

    /// Begin and end of the first one.
    pub(crate) fn oldest(&self) -> Option<(u64, u64)> {
        self.known.first_key_value().map(|(from_ns, to_ns)| (*from_ns, *to_ns))
    }

    pub(crate) fn removed(&mut self, from_ns: u64) {
        self.known.remove(&from_ns);
    }
}

/// Such as `orders_20261127`: the table and its first day.
pub(crate) fn name(table: &str, from_ns: u64) -> String {
    let seconds = i64::try_from(from_ns / NS_PER_SECOND).expect("it is 64 bits of nanoseconds");
    let from = OffsetDateTime::from_unix_timestamp(seconds).expect("it is before the year 2600");
    format!("{table}_{:04}{:02}{:02}", from.year(), u8::from(from.month()), from.day())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_named_by_its_first_day() {
        assert_eq!(name("orders", 0), "orders_19700101");
        assert_eq!(name("fills", 19_782 * DAY_NS), "fills_20240229");
        assert_eq!(name("fills", 19_783 * DAY_NS), "fills_20240301");
        assert_eq!(name("trades", 20_453 * DAY_NS), "trades_20251231");
        assert_eq!(name("trades", 20_454 * DAY_NS), "trades_20260101");
    }
}
