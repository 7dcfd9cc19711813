//! The database, for its writer.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use projection::changes::Changes;
use projection::{HistoryRetention, Progress, ProjectionError, Standstill, Store};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_postgres::Row;

use crate::postgres::address::Address;
use crate::postgres::candle::write_candles;
use crate::postgres::column::Cells;
use crate::postgres::copy::int;
use crate::postgres::failure::Failed;
use crate::postgres::forget::{self, Forgotten};
use crate::postgres::order::{LastOrders, write_amendments, write_orders};
use crate::postgres::partition::Partitions;
use crate::postgres::rest::{write_listed, write_rest};
use crate::postgres::schema;
use crate::postgres::session::Session;
use crate::postgres::trade::{write_revisions, write_trades};

/// How long a transaction may take. After that the connection is given up.
const WRITE_MAX: Duration = Duration::from_secs(60);
/// Until what the server has sent has come through to the connection.
const TURNS: usize = 4;

/// By its statements each row is found by an index: a plan made while a table was empty would read
/// all of it. A loss of power may not take a page whose position was reported.
const SETTINGS: &str = "SET synchronous_commit TO on; SET jit TO off; SET enable_seqscan TO off; \
    SET enable_hashjoin TO off; SET enable_mergejoin TO off; SET client_min_messages TO warning; \
    SET idle_in_transaction_session_timeout TO '60s'";

/// The database, open for writing.
pub struct PostgresStore {
    address: Address,
    // Before the runtime that serves it.
    session: Session,
    runtime: Runtime,
    interrupt: Arc<Interrupt>,
    progress: Progress,
    partitions: Partitions,
    last_orders: LastOrders,
    /// All of it is one transaction, which a caller ends.
    is_one_transaction: bool,
}

/// Set when the venue ends and does not wait for the database any longer.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    is_set: AtomicBool,
    notify: Notify,
}

impl Interrupt {
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Release);
        self.notify.notify_one();
    }
}

impl PostgresStore {
    pub(crate) fn open(
        address: &Address,
        partition_ns: u64,
        interrupt: Arc<Interrupt>,
    ) -> Result<Self, ProjectionError> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
            let sentence = format!("cannot be reached: {error}");
            Failed::Other(Standstill::Failed, sentence).at(address)
        })?;
        let opened = wait(&runtime, &interrupt, async {
            let session = Session::connect(address, SETTINGS).await?;
            schema::prepare(&session, address).await?;
            let progress = read_progress(&session).await?;
            let partitions = Partitions::read(&session, partition_ns).await?;
            Ok((session, progress, partitions))
        });
        let (session, progress, partitions) = opened.map_err(|failed| failed.at(address))?;
        Ok(Self {
            address: address.clone(),
            session,
            runtime,
            interrupt,
            progress,
            partitions,
            last_orders: LastOrders::default(),
            is_one_transaction: false,
        })
    }

    /// Empties it. Until [`Self::finish`] readers wait, and a failure leaves all as it was.
    pub(crate) fn begin_anew(&mut self, partition_ns: u64) -> Result<(), ProjectionError> {
        self.is_one_transaction = true;
        let Self { session, partitions, progress, last_orders, runtime, interrupt, .. } = self;
        let emptied = wait(runtime, interrupt, async {
            // A replay may take long between two pages.
            session.run("BEGIN; SET LOCAL idle_in_transaction_session_timeout TO 0").await?;
            empty(session).await?;
            *partitions = Partitions::read(session, partition_ns).await?;
            *progress = read_progress(session).await?;
            *last_orders = LastOrders::default();
            Ok(())
        });
        emptied.map_err(|failed| failed.at(&self.address))
    }

    pub(crate) fn finish(self) -> Result<(), ProjectionError> {
        let committed = wait(&self.runtime, &self.interrupt, self.session.run("COMMIT"));
        committed.map_err(|failed| failed.at(&self.address))
    }

    fn run(
        &mut self,
        what: impl AsyncFnOnce(&mut Page<'_>) -> Result<(), Failed>,
    ) -> Result<(), ProjectionError> {
        let Self {
            address, session, runtime, interrupt, progress, partitions, last_orders, ..
        } = self;
        let mut page = Page { session, progress: *progress, partitions, last_orders };
        let is_own = !self.is_one_transaction;
        let written = wait(runtime, interrupt, async {
            if is_own {
                page.session.run("BEGIN").await?;
            }
            what(&mut page).await?;
            if is_own {
                page.session.run("COMMIT").await?;
            }
            Ok(page.progress)
        });
        *progress = written.map_err(|failed| failed.at(address))?;
        Ok(())
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("address", &self.address)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

/// What one transaction uses and changes.
struct Page<'a> {
    session: &'a Session,
    progress: Progress,
    partitions: &'a mut Partitions,
    last_orders: &'a mut LastOrders,
}

impl Page<'_> {
    /// First of all in a transaction: another writer waits here for the end of this one, and then
    /// finds another position than it knows.
    async fn move_on(&mut self, to: Progress) -> Result<(), Failed> {
        let update = "UPDATE progress SET sequence = $2, sequenced_ns = $3, command = $4, \
                      first_sequence = $5, kept_since_ns = $6 WHERE id = 0 AND sequence = $1";
        let from = self.progress.sequence;
        let Progress { sequence, sequenced_ns, command, first_sequence, kept_since_ns } = to;
        let numbers = [from, sequence, sequenced_ns, command, first_sequence, kept_since_ns];
        let [a, b, c, d, e, f] = numbers.map(int);
        let moved = self.session.execute(update, &[&a, &b, &c, &d, &e, &f]).await?;
        if moved == 0 {
            let sentence = format!(
                "is no longer at command {from}: another program writes to it, or it was restored"
            );
            return Err(Failed::Other(Standstill::Failed, sentence));
        }
        self.progress = to;
        Ok(())
    }

    async fn write(&mut self, changes: &Changes) -> Result<(), Failed> {
        let to = Progress {
            sequence: changes.sequence,
            sequenced_ns: changes.sequenced_ns,
            command: changes.command,
            ..self.progress
        };
        self.move_on(to).await?;
        self.partitions.provide(self.session, changes).await?;
        write_listed(self.session, changes).await?;
        write_orders(self.session, changes, self.last_orders).await?;
        write_amendments(self.session, changes).await?;
        write_trades(self.session, changes).await?;
        write_candles(self.session, changes).await?;
        // Of trades that are here by now.
        write_revisions(self.session, changes).await?;
        write_rest(self.session, changes).await
    }

    async fn pass_over(&mut self, first: u64) -> Result<(), Failed> {
        let missing = self.progress.sequence + 1;
        let is_beginning = missing == self.progress.first_sequence;
        // Work that goes on behind the hole is of no command that is here.
        let mut to =
            Progress { sequence: first - 1, sequenced_ns: 0, command: first, ..self.progress };
        if is_beginning {
            to.first_sequence = first;
        }
        self.move_on(to).await?;
        if !is_beginning {
            let insert = "INSERT INTO gaps VALUES ($1, $2) ON CONFLICT (first_sequence) \
                          DO UPDATE SET last_sequence = excluded.last_sequence";
            self.session.execute(insert, &[&int(missing), &int(first - 1)]).await?;
        }
        Ok(())
    }

    async fn forget(&mut self, retention: &HistoryRetention) -> Result<bool, Failed> {
        let Forgotten { kept_since_ns, has_more } =
            forget::forget(self.session, self.partitions, &self.progress, retention).await?;
        if kept_since_ns != self.progress.kept_since_ns {
            self.move_on(Progress { kept_since_ns, ..self.progress }).await?;
        }
        Ok(has_more)
    }
}

impl Store for PostgresStore {
    type Page = Changes;

    fn progress(&self) -> Progress {
        self.progress
    }

    fn gaps(&self) -> Result<Vec<(u64, u64)>, ProjectionError> {
        let gaps = wait(&self.runtime, &self.interrupt, read_gaps(&self.session));
        gaps.map_err(|failed| failed.at(&self.address))
    }

    fn write(&mut self, changes: &Changes) -> Result<(), ProjectionError> {
        self.run(async |page| page.write(changes).await)
    }

    fn pass_over(&mut self, first: u64) -> Result<(), ProjectionError> {
        self.run(async |page| page.pass_over(first).await)
    }

    fn forget(&mut self, retention: &HistoryRetention) -> Result<bool, ProjectionError> {
        let mut has_more = false;
        self.run(async |page| {
            has_more = page.forget(retention).await?;
            Ok(())
        })?;
        Ok(has_more)
    }

    /// Fails once the connection is lost, also while there is nothing to write.
    fn check_in_place(&mut self) -> Result<(), ProjectionError> {
        // What the server has sent is read while something waits.
        self.runtime.block_on(async {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
        });
        if !self.session.is_closed() {
            return Ok(());
        }
        let sentence = "has closed the connection".to_owned();
        Err(Failed::Other(Standstill::Unreachable, sentence).at(&self.address))
    }

    /// A commit is on stable storage.
    fn checkpoint(&self) -> Result<(), ProjectionError> {
        Ok(())
    }
}

/// Runs one transaction or question to its end, for a bounded time.
fn wait<T>(
    runtime: &Runtime,
    interrupt: &Interrupt,
    what: impl Future<Output = Result<T, Failed>>,
) -> Result<T, Failed> {
    if interrupt.is_set.load(Ordering::Acquire) {
        return Err(Failed::Interrupted);
    }
    runtime.block_on(async {
        tokio::select! {
            done = timeout(WRITE_MAX, what) => {
                done.unwrap_or(Err(Failed::Silent(WRITE_MAX.as_secs())))
            }
            () = interrupt.notify.notified() => Err(Failed::Interrupted),
        }
    })
}

/// Removes all rows. The tables stay, with the rights that were given on them.
pub(crate) async fn empty(session: &Session) -> Result<(), Failed> {
    forget::drop_partitions(session).await?;
    session
        .run(
            "TRUNCATE progress, gaps, partitions, instruments, assets, open_orders, amendments, \
             candles, prevented_matches, order_lists, balance_changes, transfers, \
             withdrawal_approvals, audit; INSERT INTO progress VALUES (0, 0, 0, 0, 1, 0, 0)",
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
