//! Work on rows that takes long, beside the feed: a thread with connections of its own.

use std::sync::Arc;
use std::thread::JoinHandle;

use projection::{Progress, ProjectionError, Standstill};
use tokio::runtime::Builder;

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::interrupt::Interrupt;
use crate::postgres::map::{BUCKETS, is_in};
use crate::postgres::query::order::{PREVENTED, prevented};
use crate::postgres::rest::insert_prevented;
use crate::postgres::session::Session;
use crate::postgres::set::{mark, unmark};
use crate::postgres::shard::{numbers, read_progress};

/// Tables of rows that are of one account.
const TABLES: [&str; 8] = [
    "orders",
    "open_orders",
    "fills",
    "amendments",
    "order_lists",
    "balance_changes",
    "transfers",
    "withdrawal_approvals",
];

/// Many rows are read, and no index has buckets.
const SETTINGS: &str = "SET synchronous_commit TO on; SET client_min_messages TO warning; \
    SET idle_in_transaction_session_timeout TO 0";
const READS: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Rows in one statement.
const ROWS: usize = 5_000;

/// Where a job has come to.
#[derive(Debug)]
pub(crate) enum Done {
    /// The rows are there as they were at this position.
    Copied(Progress),
    Deleted,
}

/// A job that is under way. It is broken off when it is dropped.
#[derive(Debug)]
pub(crate) struct Job {
    thread: Option<JoinHandle<Result<Done, ProjectionError>>>,
    interrupt: Arc<Interrupt>,
}

impl Job {
    /// Copies the rows of these buckets. They do not count until the map says so.
    pub(crate) fn copy(from: &Address, to: &Address, buckets: Vec<usize>) -> Self {
        let (from, to) = (from.clone(), to.clone());
        Self::start(to.clone(), async move || copy(&from, &to, &buckets).await.map(Done::Copied))
    }

    /// Deletes the rows of these buckets from a database that has `own` ones.
    pub(crate) fn delete(at: &Address, buckets: Vec<usize>, own: Vec<usize>) -> Self {
        let at = at.clone();
        Self::start(at.clone(), async move || {
            let deleted = delete(&at, &buckets, &own).await;
            deleted.map(|()| Done::Deleted).map_err(|failed| failed.at(&at))
        })
    }

    fn start(
        at: Address,
        work: impl AsyncFnOnce() -> Result<Done, ProjectionError> + Send + 'static,
    ) -> Self {
        let interrupt = Arc::<Interrupt>::default();
        let ends = Arc::clone(&interrupt);
        let run = move || {
            let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
                let sentence = format!("cannot be reached: {error}");
                Failed::Other(Standstill::Failed, sentence).at(&at)
            })?;
            runtime.block_on(async {
                tokio::select! {
                    done = work() => done,
                    () = ends.is_set() => Err(Failed::Interrupted.at(&at)),
                }
            })
        };
        let thread = std::thread::Builder::new()
            .name("projection-move".to_owned())
            .spawn(run)
            .expect("the operating system gives a thread");
        Self { thread: Some(thread), interrupt }
    }

    /// What it has done, once it has ended.
    pub(crate) fn finished(&mut self) -> Option<Result<Done, ProjectionError>> {
        let thread = self.thread.take_if(|thread| thread.is_finished())?;
        Some(thread.join().expect("a job does not panic"))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.interrupt.set();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("a thread that moves rows of the read model panicked");
        }
    }
}

async fn copy(
    from: &Address,
    to: &Address,
    buckets: &[usize],
) -> Result<Progress, ProjectionError> {
    let there = |failed: Failed| failed.at(to);
    let target = Session::connect(to, SETTINGS).await.map_err(there)?;
    mark(&target, buckets).await.map_err(there)?;
    let source = Session::connect(from, SETTINGS).await.map_err(|failed| failed.at(from))?;
    let read = async {
        source.run(READS).await?;
        let progress = read_progress(&source).await?;
        let is_own = is_in("maker_account", buckets) + " OR " + &is_in("taker_account", buckets);
        let select = format!("SELECT {PREVENTED} FROM prevented_matches WHERE {is_own}");
        let rows = source.query(&select, &[]).await?;
        let matches = rows.iter().map(prevented).collect::<Result<Vec<_>, _>>()?;
        Ok((progress, matches))
    };
    let (progress, matches) = read.await.map_err(|failed: Failed| failed.at(from))?;
    target.run("BEGIN").await.map_err(there)?;
    let mut rows = 0;
    for table in TABLES {
        let is_own = is_in("account", buckets);
        let out = format!("COPY (SELECT * FROM {table} WHERE {is_own}) TO STDOUT (FORMAT binary)");
        let into = format!("COPY {table} FROM STDIN (FORMAT binary)");
        rows += source.pipe(&out, &target, &into).await?;
    }
    let finish = async {
        // Last, because the feed may add the same ones meanwhile, and would wait.
        for some in matches.chunks(ROWS) {
            insert_prevented(&target, &some.iter().collect::<Vec<_>>()).await?;
        }
        let update = "UPDATE moves SET sequence = $2 WHERE bucket = ANY ($1) AND sequence = -1";
        let sequence = i64::try_from(progress.sequence).expect("it was a bigint");
        let marked = target.execute(update, &[&numbers(buckets), &sequence]).await?;
        if marked != buckets.len() as u64 {
            let sentence = "has other accounts moving to it than this venue began to move".into();
            return Err(Failed::Other(Standstill::Failed, sentence));
        }
        target.run("COMMIT").await
    };
    finish.await.map_err(there)?;
    tracing::info!(from = %from, to = %to, rows, "rows of the read model are copied");
    Ok(progress)
}

async fn delete(at: &Address, buckets: &[usize], own: &[usize]) -> Result<(), Failed> {
    let session = Session::connect(at, SETTINGS).await?;
    // A copy that commits late waits here, or finds its marks gone.
    mark(&session, buckets).await?;
    for table in TABLES {
        let is_stray = is_in("account", buckets);
        session.execute(&format!("DELETE FROM {table} WHERE {is_stray}"), &[]).await?;
    }
    let either = |buckets: &[usize]| {
        format!("({} OR {})", is_in("maker_account", buckets), is_in("taker_account", buckets))
    };
    let is_own = if own.is_empty() { "false".to_owned() } else { either(own) };
    let is_stray = either(buckets);
    let delete = format!("DELETE FROM prevented_matches WHERE {is_stray} AND NOT {is_own}");
    session.execute(&delete, &[]).await?;
    unmark(&session, buckets).await
}

const _: () = assert!(BUCKETS <= i16::MAX as usize, "the tables have small numbers of buckets");
