//! The databases of a history, for their writer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::postgres::all::join_all;
use projection::changes::Changes;
use projection::{HistoryRetention, Progress, ProjectionError, Standstill, Store, Wanted};
use tokio::runtime::{Builder, Runtime};

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::interrupt::Interrupt;
use crate::postgres::moving::{GRACE, Moving};
use crate::postgres::routes::Routes;
use crate::postgres::set::{Place, Settled, begin, settle, write_within};
use crate::postgres::shard::Shard;

/// Until what the server has sent has come through to the connection.
const TURNS: usize = 4;

/// The databases, open for writing. A page is one transaction in each, at the same time; a failure
/// leaves some of them ahead of others, and then those that are behind have their pages first.
pub struct PostgresStore {
    // Before the runtime that serves them.
    shards: Vec<Shard>,
    moving: Moving,
    routes: Arc<Routes>,
    runtime: Runtime,
    interrupt: Arc<Interrupt>,
}

impl PostgresStore {
    pub(crate) fn open(
        addresses: &[Address],
        (span_ns, grace): (u64, Duration),
        interrupt: Arc<Interrupt>,
        routes: Arc<Routes>,
    ) -> Result<Self, ProjectionError> {
        let mut store = Self::connect(addresses, interrupt, routes)?;
        let Self { shards, runtime, interrupt, .. } = &mut store;
        let settled = wait(runtime, interrupt, &addresses[0], async {
            // Partitions are the same in all.
            let mut span_ns = span_ns;
            for Shard { session, partitions, .. } in &mut *shards {
                let decided = partitions.span_if_new(session, span_ns).await;
                decided.map_err(|failed| failed.at(&session.address))?;
                span_ns = partitions.span_ns();
            }
            settle(shards).await
        })?;
        store.routes.set_map(settled.map());
        store.moving = Moving::new(settled, addresses.len(), grace);
        Ok(store)
    }

    /// Opens them to be made anew, whatever their places are.
    pub(crate) fn connect(
        addresses: &[Address],
        interrupt: Arc<Interrupt>,
        routes: Arc<Routes>,
    ) -> Result<Self, ProjectionError> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
            let sentence = format!("cannot be reached: {error}");
            Failed::Other(Standstill::Failed, sentence).at(&addresses[0])
        })?;
        let shards = wait(&runtime, &interrupt, &addresses[0], async {
            let opened = join_all(addresses.iter().map(Shard::open)).await;
            opened.iter().enumerate().for_each(|(at, opened)| routes.used(at, opened));
            opened.into_iter().collect::<Result<Vec<_>, _>>()
        })?;
        let settled = Settled { place: None, strays: Vec::new() };
        let moving = Moving::new(settled, shards.len(), GRACE);
        Ok(Self { shards, moving, routes, runtime, interrupt })
    }

    /// Empties them. Until [`Self::finish`] readers wait, and a failure leaves all as it was.
    pub(crate) fn begin_anew(&mut self, span_ns: u64) -> Result<(), ProjectionError> {
        self.each(|_| true, async |shard| shard.begin_anew(span_ns).await)?;
        if self.shards.len() == 1 {
            return Ok(());
        }
        let Self { shards, runtime, interrupt, .. } = self;
        let address = shards[0].session.address.clone();
        wait(runtime, interrupt, &address, async {
            let place = begin(shards).await?;
            for (at, shard) in shards.iter_mut().enumerate() {
                shard.scope = place.map.scope(at);
                let own = Place { shard: at, ..place.clone() };
                let written = write_within(&shard.session, &own).await;
                written.map_err(|failed| failed.at(&shard.session.address))?;
            }
            Ok(())
        })
    }

    /// A failure may leave some of them new: they are then of another history than the rest, and
    /// to be made anew once more.
    pub(crate) fn finish(mut self) -> Result<(), ProjectionError> {
        self.each(|_| true, async |shard| shard.finish().await)
    }

    /// Does it in some databases at the same time, in each to its end, whatever fails elsewhere.
    fn each(
        &mut self,
        is_wanted: impl Fn(&Shard) -> bool,
        what: impl AsyncFn(&mut Shard) -> Result<(), ProjectionError>,
    ) -> Result<(), ProjectionError> {
        let Self { shards, runtime, interrupt, routes, .. } = self;
        let address = shards[0].session.address.clone();
        let wanted = shards.iter_mut().enumerate().filter(|(_, shard)| is_wanted(shard));
        let all = wanted.map(async |(at, shard)| {
            let done = what(shard).await;
            routes.used(at, &done);
            done
        });
        wait(runtime, interrupt, &address, async { join_all(all).await.into_iter().collect() })
    }

    /// Whether accounts move, or rows that they have left are still there.
    pub fn is_moving(&self) -> bool {
        self.moving.is_any()
    }

    fn sequences(&self) -> impl Iterator<Item = u64> {
        self.shards.iter().map(|shard| shard.progress.sequence)
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("moving", &self.moving)
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}

impl Store for PostgresStore {
    type Page = Changes;

    /// That of the database that is farthest behind, with what all have of the past.
    fn progress(&self) -> Progress {
        let all = || self.shards.iter().map(|shard| shard.progress);
        let last = all().min_by_key(|progress| progress.sequence).expect("there is one");
        let most = |of: fn(Progress) -> u64| all().map(of).max().unwrap_or_default();
        Progress {
            first_sequence: most(|progress| progress.first_sequence),
            kept_since_ns: most(|progress| progress.kept_since_ns),
            ..last
        }
    }

    fn positions(&self) -> Vec<Progress> {
        self.shards.iter().map(|shard| shard.progress).collect()
    }

    fn until(&self) -> Option<u64> {
        let last = self.sequences().min().expect("there is one");
        self.sequences().filter(|position| *position > last).min()
    }

    fn wants(&mut self) -> Wanted {
        let progress = self.progress();
        let until = self.until();
        let arriving = if until.is_none() { self.moving.wants(progress) } else { None };
        arriving.unwrap_or(Wanted { after: progress, until })
    }

    fn begin_again(&mut self) {
        self.moving.begin_again();
    }

    fn gaps(&self) -> Result<Vec<(u64, u64)>, ProjectionError> {
        let Self { shards, runtime, interrupt, .. } = self;
        let all = join_all(shards.iter().map(Shard::gaps));
        let found = wait(runtime, interrupt, &shards[0].session.address, async {
            all.await.into_iter().collect::<Result<Vec<_>, _>>()
        })?;
        let mut gaps = found.concat();
        gaps.sort_unstable();
        gaps.dedup();
        Ok(gaps)
    }

    fn write(&mut self, changes: &Changes) -> Result<(), ProjectionError> {
        let progress = self.progress();
        if self.moving.has_wanted(changes, progress) {
            let Self { shards, moving, runtime, interrupt, .. } = self;
            let address = shards[0].session.address.clone();
            return wait(runtime, interrupt, &address, moving.write(changes, shards));
        }
        let after = changes.after;
        debug_assert!(self.until().is_none_or(|until| changes.sequence <= until));
        self.each(
            |shard| shard.progress.sequence == after,
            async |shard| shard.write(changes).await,
        )
    }

    fn pass_over(&mut self, first: u64) -> Result<(), ProjectionError> {
        self.each(
            |shard| shard.progress.sequence + 1 < first,
            async |shard| shard.pass_over(first).await,
        )
    }

    fn forget(&mut self, retention: &HistoryRetention) -> Result<bool, ProjectionError> {
        let has_more = std::cell::Cell::new(false);
        self.each(
            |_| true,
            async |shard| {
                let more = shard.forget(retention).await?;
                has_more.set(has_more.get() || more);
                Ok(())
            },
        )?;
        Ok(has_more.get())
    }

    /// Fails once a connection is lost, also while there is nothing to write. What moves goes on.
    fn check_in_place(&mut self) -> Result<(), ProjectionError> {
        // What the server has sent is read while something waits.
        self.runtime.block_on(async {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
        });
        for (at, Shard { session, .. }) in self.shards.iter().enumerate() {
            if session.is_closed() {
                let sentence = "has closed the connection".to_owned();
                let lost =
                    Err(Failed::Other(Standstill::Unreachable, sentence).at(&session.address));
                self.routes.used(at, &lost);
                return lost;
            }
        }
        let is_level = self.until().is_none();
        let Self { shards, moving, routes, runtime, interrupt } = self;
        let address = shards[0].session.address.clone();
        wait(runtime, interrupt, &address, moving.go_on(shards, routes, is_level))
    }

    /// A commit is on stable storage.
    fn checkpoint(&self) -> Result<(), ProjectionError> {
        Ok(())
    }
}

/// Runs one transaction or question to its end, unless the venue ends meanwhile.
fn wait<T>(
    runtime: &Runtime,
    interrupt: &Interrupt,
    address: &Address,
    what: impl Future<Output = Result<T, ProjectionError>>,
) -> Result<T, ProjectionError> {
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = interrupt.is_set() => Err(Failed::Interrupted.at(address)),
            done = what => done,
        }
    })
}
