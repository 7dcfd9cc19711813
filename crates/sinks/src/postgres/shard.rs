//! One database that is open for writing: the only one of its history, or one of several.

use std::time::Duration;

use projection::changes::Changes;
use projection::{HistoryRetention, Progress, ProjectionError};
use tokio::time::timeout;
use tokio_postgres::Row;

use crate::postgres::address::Address;
use crate::postgres::column::Cells;
use crate::postgres::failure::Failed;
use crate::postgres::forget;
use crate::postgres::map::{Map, Scope};
use crate::postgres::order::LastOrders;
use crate::postgres::page::Page;
use crate::postgres::partition::Partitions;
use crate::postgres::schema;
use crate::postgres::session::Session;

/// How long a transaction may take. After that the connection is given up.
const WRITE_MAX: Duration = Duration::from_secs(60);

/// By its statements each row is found by an index: a plan made while a table was empty would read
/// all of it. A loss of power may not take a page whose position was reported.
const SETTINGS: &str = "SET synchronous_commit TO on; SET jit TO off; SET enable_seqscan TO off; \
    SET enable_hashjoin TO off; SET enable_mergejoin TO off; SET client_min_messages TO warning; \
    SET idle_in_transaction_session_timeout TO '60s'";

#[derive(Debug)]
pub(crate) struct Shard {
    pub(crate) session: Session,
    pub(crate) progress: Progress,
    pub(crate) partitions: Partitions,
    pub(crate) scope: Scope,
    last_orders: LastOrders,
    /// All of it is one transaction, which a caller ends.
    is_one_transaction: bool,
}

impl Shard {
    /// It has all rows until its place among others is known.
    pub(crate) async fn open(address: &Address) -> Result<Self, ProjectionError> {
        let opened = async {
            let session = Session::connect(address, SETTINGS).await?;
            schema::prepare(&session, address).await?;
            let progress = read_progress(&session).await?;
            let partitions = Partitions::read(&session).await?;
            Ok(Self {
                session,
                progress,
                partitions,
                scope: Map::first_alone().scope(0),
                last_orders: LastOrders::default(),
                is_one_transaction: false,
            })
        };
        in_time(opened).await.map_err(|failed: Failed| failed.at(address))
    }

    pub(crate) async fn write(&mut self, changes: &Changes) -> Result<(), ProjectionError> {
        self.run(async |page| page.write(changes).await).await
    }

    pub(crate) async fn pass_over(&mut self, first: u64) -> Result<(), ProjectionError> {
        self.run(async |page| page.pass_over(first).await).await
    }

    /// Returns whether there is more.
    pub(crate) async fn forget(
        &mut self,
        retention: &HistoryRetention,
    ) -> Result<bool, ProjectionError> {
        let mut has_more = false;
        self.run(async |page| {
            has_more = page.forget(retention).await?;
            Ok(())
        })
        .await?;
        Ok(has_more)
    }

    /// Rows of other buckets than its own, which have come from elsewhere and are at `progress`.
    /// Returns how far they have come.
    pub(crate) async fn write_arriving(
        &mut self,
        changes: &Changes,
        (scope, progress): (&Scope, Progress),
        last_orders: &mut LastOrders,
    ) -> Result<Progress, ProjectionError> {
        let buckets = numbers(&scope.buckets());
        let Self { session, partitions, .. } = self;
        let mut page = Page { session, progress, partitions, last_orders, scope };
        let written = in_time(async {
            session.run("BEGIN").await?;
            page.write_arriving(changes, &buckets).await?;
            session.run("COMMIT").await?;
            Ok(page.progress)
        });
        written.await.map_err(|failed| failed.at(&session.address))
    }

    /// Its rows have changed otherwise than by pages.
    pub(crate) fn forget_last_orders(&mut self) {
        self.last_orders = LastOrders::default();
    }

    /// Empties it. Until [`Self::finish`] readers wait, and a failure leaves all as it was.
    pub(crate) async fn begin_anew(&mut self, span_ns: u64) -> Result<(), ProjectionError> {
        self.is_one_transaction = true;
        self.forget_last_orders();
        let Self { session, partitions, progress, .. } = self;
        let emptied = in_time(async {
            // A replay may take long between two pages.
            session.run("BEGIN; SET LOCAL idle_in_transaction_session_timeout TO 0").await?;
            empty(session).await?;
            *partitions = Partitions::read(session).await?;
            partitions.span_if_new(session, span_ns).await?;
            *progress = read_progress(session).await?;
            Ok(())
        });
        emptied.await.map_err(|failed| failed.at(&session.address))
    }

    pub(crate) async fn finish(&mut self) -> Result<(), ProjectionError> {
        let committed = in_time(self.session.run("COMMIT")).await;
        committed.map_err(|failed| failed.at(&self.session.address))
    }

    pub(crate) async fn gaps(&self) -> Result<Vec<(u64, u64)>, ProjectionError> {
        in_time(read_gaps(&self.session)).await.map_err(|failed| failed.at(&self.session.address))
    }

    async fn run(
        &mut self,
        what: impl AsyncFnOnce(&mut Page<'_>) -> Result<(), Failed>,
    ) -> Result<(), ProjectionError> {
        let Self { session, partitions, progress, scope, last_orders, .. } = self;
        let mut page = Page { session, progress: *progress, partitions, last_orders, scope };
        let is_own = !self.is_one_transaction;
        let written = in_time(async {
            if is_own {
                page.session.run("BEGIN").await?;
            }
            what(&mut page).await?;
            if is_own {
                page.session.run("COMMIT").await?;
            }
            Ok(page.progress)
        });
        *progress = written.await.map_err(|failed| failed.at(&session.address))?;
        Ok(())
    }
}

/// One transaction, for a bounded time.
pub(crate) async fn in_time<T>(what: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
    timeout(WRITE_MAX, what).await.unwrap_or(Err(Failed::Silent(WRITE_MAX.as_secs())))
}

/// As a column has them.
pub(crate) fn numbers(buckets: &[usize]) -> Vec<i16> {
    let number = |bucket: &usize| i16::try_from(*bucket).expect("there are 256");
    buckets.iter().map(number).collect()
}

/// Removes all rows. The tables stay, with the rights that were given on them.
pub(crate) async fn empty(session: &Session) -> Result<(), Failed> {
    forget::drop_partitions(session).await?;
    session
        .run(
            "TRUNCATE progress, shards, buckets, moves, gaps, partitions, instruments, assets, \
             open_orders, amendments, candles, prevented_matches, order_lists, balance_changes, \
             transfers, withdrawal_approvals, audit; \
             INSERT INTO progress VALUES (0, 0, 0, 0, 1, 0, 0)",
        )
        .await
}

pub(crate) async fn read_progress(session: &Session) -> Result<Progress, Failed> {
    let select = "SELECT sequence, sequenced_ns, command, first_sequence, kept_since_ns \
                  FROM progress WHERE id = 0";
    let row = session.query_maybe(select, &[]).await?;
    progress(&row.ok_or_else(|| Failed::damaged("progress"))?)
}

fn progress(row: &Row) -> Result<Progress, Failed> {
    let mut cells = Cells::new(row);
    Ok(Progress {
        sequence: cells.uint()?,
        sequenced_ns: cells.uint()?,
        command: cells.uint()?,
        first_sequence: cells.uint()?,
        kept_since_ns: cells.uint()?,
    })
}

pub(crate) async fn read_gaps(session: &Session) -> Result<Vec<(u64, u64)>, Failed> {
    let select = "SELECT first_sequence, last_sequence FROM gaps ORDER BY first_sequence";
    let rows = session.query(select, &[]).await?;
    let gap = |row: &Row| {
        let mut cells = Cells::new(row);
        Ok((cells.uint()?, cells.uint()?))
    };
    rows.iter().map(gap).collect()
}
