//! Accounts that move to another database while all goes on.
//!
//! A job copies their rows as they are at one command. Their later events come from the spool, in
//! pages of their own between those of the feed, until the rows are where all others are. Then the
//! map says so, first in the first database, and after a grace the old rows are deleted. A move
//! that is broken off begins anew: until the map says so, the copied rows do not count.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use projection::changes::Changes;
use projection::{Progress, ProjectionError, Wanted};

use crate::postgres::failure::Failed;
use crate::postgres::job::{Done, Job};
use crate::postgres::map::{Map, Scope, Transfer};
use crate::postgres::order::LastOrders;
use crate::postgres::routes::Routes;
use crate::postgres::set::{Place, Settled, Stray, mark, unmark, write_within};
use crate::postgres::shard::{Shard, in_time};

/// How long readers find old rows where they were: longer than a question may take.
pub(crate) const GRACE: Duration = Duration::from_secs(10);
/// How long the feed's own pages wait while arriving rows catch up.
const FEED_WAITS: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub(crate) struct Moving {
    /// `None` for a history in one database that never had others.
    place: Option<Place>,
    plan: VecDeque<Transfer>,
    under_way: Option<(Job, Work)>,
    arriving: Option<Arriving>,
    leaving: VecDeque<(Instant, Stray)>,
    grace: Duration,
    /// Since when the feed's own pages wait; `None` if it is their turn.
    feed_waits_since: Option<Instant>,
}

#[derive(Debug)]
enum Work {
    Copy(Transfer),
    Delete,
}

/// Rows that are copied and catch up.
#[derive(Debug)]
struct Arriving {
    transfer: Transfer,
    scope: Scope,
    progress: Progress,
    last_orders: LastOrders,
}

impl Moving {
    pub(crate) fn new(settled: Settled, shards: usize, grace: Duration) -> Self {
        let now = Instant::now();
        let plan = match &settled.place {
            Some(place) => place.map.transfers_to(shards).into(),
            None => VecDeque::new(),
        };
        let leaving = settled.strays.into_iter().map(|stray| (now, stray)).collect();
        let (under_way, arriving) = (None, None);
        Self {
            place: settled.place,
            plan,
            under_way,
            arriving,
            leaving,
            grace,
            feed_waits_since: None,
        }
    }

    pub(crate) fn is_any(&self) -> bool {
        let is_idle = self.under_way.is_none() && self.arriving.is_none();
        !(is_idle && self.plan.is_empty() && self.leaving.is_empty())
    }

    /// The page that arriving rows want, if it is their turn.
    pub(crate) fn wants(&mut self, fed: Progress) -> Option<Wanted> {
        let behind = self.arriving.as_ref().filter(|it| it.progress.sequence < fed.sequence);
        let after = behind.map(|arriving| arriving.progress)?;
        let since = *self.feed_waits_since.get_or_insert_with(Instant::now);
        if since.elapsed() < FEED_WAITS {
            return Some(Wanted { after, until: Some(fed.sequence) });
        }
        self.feed_waits_since = None;
        None
    }

    /// Whether a page is for arriving rows.
    pub(crate) fn has_wanted(&self, changes: &Changes, fed: Progress) -> bool {
        let arriving = self.arriving.as_ref();
        arriving.is_some_and(|it| it.progress.sequence == changes.after)
            && changes.after < fed.sequence
    }

    pub(crate) async fn write(
        &mut self,
        changes: &Changes,
        shards: &mut [Shard],
    ) -> Result<(), ProjectionError> {
        let Some(arriving) = &mut self.arriving else { return Ok(()) };
        let Arriving { transfer, scope, progress, last_orders } = arriving;
        let to = &mut shards[transfer.to];
        *progress = to.write_arriving(changes, (scope, *progress), last_orders).await?;
        Ok(())
    }

    /// The spool has dropped what arriving rows want: they are copied anew.
    pub(crate) fn begin_again(&mut self) {
        let Some(Arriving { transfer, .. }) = self.arriving.take() else { return };
        tracing::warn!(
            "the spool has dropped events of accounts that move: their rows are copied again"
        );
        let stray = Stray { shard: transfer.to, buckets: transfer.buckets.clone() };
        self.leaving.push_front((Instant::now(), stray));
        self.plan.push_front(transfer);
    }

    /// Goes one step on. All databases are at the same command if `is_level`.
    pub(crate) async fn go_on(
        &mut self,
        shards: &mut [Shard],
        routes: &Routes,
        is_level: bool,
    ) -> Result<(), ProjectionError> {
        self.end_job()?;
        if is_level
            && let Some(arriving) = self.arriving.take_if(|arriving| {
                arriving.progress.sequence == shards[arriving.transfer.to].progress.sequence
            })
        {
            self.flip(arriving, shards, routes).await?;
        }
        if self.under_way.is_some() || self.arriving.is_some() {
            return Ok(());
        }
        let now = Instant::now();
        if let Some((_, stray)) = self.leaving.pop_front_if(|(due, _)| *due <= now) {
            let Stray { shard, buckets } = stray;
            let own = shards[shard].scope.buckets();
            let job = Job::delete(&shards[shard].session.address, buckets, own);
            self.under_way = Some((job, Work::Delete));
        } else if is_level && let Some(transfer) = self.plan.pop_front() {
            self.copy(transfer, shards).await?;
        }
        Ok(())
    }

    fn end_job(&mut self) -> Result<(), ProjectionError> {
        let Some((job, _)) = &mut self.under_way else { return Ok(()) };
        let Some(done) = job.finished() else { return Ok(()) };
        let work = self.under_way.take().map(|(_, work)| work);
        if let (Done::Copied(progress), Some(Work::Copy(transfer))) = (done?, work) {
            let scope = Scope::of(&transfer.buckets);
            let last_orders = LastOrders::default();
            self.arriving = Some(Arriving { transfer, scope, progress, last_orders });
        }
        Ok(())
    }

    async fn copy(
        &mut self,
        transfer: Transfer,
        shards: &mut [Shard],
    ) -> Result<(), ProjectionError> {
        let spans = shards[transfer.from].partitions.known();
        let from = shards[transfer.from].session.address.clone();
        let Shard { session, partitions, .. } = &mut shards[transfer.to];
        let provided = in_time(partitions.provide_all(session, &spans)).await;
        provided.map_err(|failed| failed.at(&session.address))?;
        let to = &session.address;
        let buckets = transfer.buckets.len();
        tracing::info!(from = %from, to = %to, buckets, "accounts of the read model begin to move");
        let job = Job::copy(&from, to, transfer.buckets.clone());
        self.under_way = Some((job, Work::Copy(transfer)));
        Ok(())
    }

    /// From here on the rows count where they have come to. What happens before a failure in
    /// between is mended when the databases are opened again: the latest map counts.
    async fn flip(
        &mut self,
        arriving: Arriving,
        shards: &mut [Shard],
        routes: &Routes,
    ) -> Result<(), ProjectionError> {
        let Arriving { transfer, progress, .. } = arriving;
        let place = self.place.as_mut().expect("a place has a map to move by");
        let Transfer { from, to, buckets } = &transfer;
        let source = &shards[*from].session;
        let marked = in_time(mark(source, buckets)).await;
        marked.map_err(|failed| failed.at(&source.address))?;
        place.map = place.map.moved(&transfer, progress.sequence);
        for (at, shard) in shards.iter_mut().enumerate() {
            let own = Place { shard: at, ..place.clone() };
            let arrived: &[usize] = if at == *to { buckets } else { &[] };
            let written = in_time(write_flip(shard, &own, arrived)).await;
            written.map_err(|failed| failed.at(&shard.session.address))?;
        }
        for (at, shard) in shards.iter_mut().enumerate() {
            shard.scope = place.map.scope(at);
        }
        shards[*to].forget_last_orders();
        routes.set_map(Map::clone(&place.map));
        let sequence = progress.sequence;
        tracing::info!(
            from = %shards[*from].session.address,
            to = %shards[*to].session.address,
            sequence,
            "accounts of the read model have moved"
        );
        let stray = Stray { shard: *from, buckets: buckets.clone() };
        self.leaving.push_back((Instant::now() + self.grace, stray));
        Ok(())
    }
}

async fn write_flip(shard: &Shard, place: &Place, arrived: &[usize]) -> Result<(), Failed> {
    shard.session.run("BEGIN").await?;
    write_within(&shard.session, place).await?;
    unmark(&shard.session, arrived).await?;
    shard.session.run("COMMIT").await
}
