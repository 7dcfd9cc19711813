//! A replica of a database, which answers questions in its place where it is far enough.
//!
//! # Invariants
//! - An answer has the events that the client has seen, and was read with the map that led there.
//! - Whatever a replica lacks or fails at, the database itself is asked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use projection::{
    Answer, Followed, Progress, ProjectionError, Question, Standstill, answered_by_replica,
};
use tokio::time::Instant;

use crate::postgres::address::Address;
use crate::postgres::connections::{Asked, Connections};
use crate::postgres::failure::Failed;
use crate::postgres::history::BEGIN;
use crate::postgres::map::Map;
use crate::postgres::query;
use crate::postgres::session::Session;
use crate::postgres::set;
use crate::postgres::shard::read_progress;

/// After a failure no question waits for it within this time.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Replica {
    /// Of the database.
    shard: usize,
    connections: Connections,
    failed_at: Mutex<Option<Instant>>,
    /// It was found to be of this history, and has not failed since.
    is_own: AtomicBool,
}

impl Replica {
    pub(crate) fn new(shard: usize, address: Address) -> Self {
        let (failed_at, is_own) = (Mutex::default(), AtomicBool::new(false));
        Self { shard, connections: Connections::to(address), failed_at, is_own }
    }

    /// `None` if it is behind, or fails.
    pub(crate) async fn answer(
        &self,
        question: &Question,
        (sequence, map): (u64, &Map),
        followed: &Followed,
    ) -> Option<Answer> {
        let failed_at = *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if failed_at.is_some_and(|at| at.elapsed() < PAUSE) {
            return None;
        }
        let asked = AtLeast { replica: self, question, sequence, map, followed };
        let outcome = self.connections.answer(&asked).await;
        let outcome = outcome.map_err(|failed| failed.at(&self.connections.address));
        self.report(&outcome);
        let (answer, progress) = outcome.ok()??;
        let fed_ns = followed.reached().sequenced_ns;
        answered_by_replica(Duration::from_nanos(fed_ns.saturating_sub(progress.sequenced_ns)));
        Some(answer)
    }

    /// Once when it fails, and once when it is back.
    fn report<T>(&self, outcome: &Result<T, ProjectionError>) {
        let mut failed_at = self.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        // Of all questions that fail together, the first one says so.
        let had_failed = failed_at.is_some();
        match outcome {
            Err(error) if !had_failed => {
                tracing::warn!(%error, "a replica does not answer: its database is asked instead");
            }
            Ok(_) if had_failed => {
                tracing::info!(replica = %self.connections.address, "a replica answers again");
            }
            _ => {}
        }
        if outcome.is_err() {
            self.is_own.store(false, Ordering::Relaxed);
        }
        *failed_at = outcome.is_err().then(Instant::now);
    }
}

/// A question to a replica that has the events of a command.
struct AtLeast<'a> {
    replica: &'a Replica,
    question: &'a Question,
    sequence: u64,
    map: &'a Map,
    followed: &'a Followed,
}

impl Asked for AtLeast<'_> {
    /// `None` if the replica is behind.
    type Answer = Option<(Answer, Progress)>;

    async fn ask(&self, session: &Session) -> Result<Self::Answer, Failed> {
        session.run(BEGIN).await?;
        let found = self.answer(session).await?;
        session.run("COMMIT").await?;
        Ok(found)
    }
}

impl AtLeast<'_> {
    async fn answer(&self, session: &Session) -> Result<Option<(Answer, Progress)>, Failed> {
        let Self { replica, question, sequence, map, followed } = self;
        let progress = read_progress(session).await?;
        if progress.sequence < *sequence {
            return Ok(None);
        }
        let place = set::read_place(session).await?;
        let is_own = replica.is_own.load(Ordering::Relaxed)
            || (place.is_none_or(|(shard, _)| shard == replica.shard)
                && followed.has(progress.sequence, progress.sequenced_ns));
        replica.is_own.store(is_own, Ordering::Relaxed);
        if !is_own {
            let sentence = "is not a replica of the database in its place in the list".into();
            return Err(Failed::Other(Standstill::OtherVenue, sentence));
        }
        // Rows of accounts that have moved arrive before the map.
        if place.is_some_and(|(_, version)| version < map.version) {
            return Ok(None);
        }
        Ok(Some((query::answer(session, question).await?, progress)))
    }
}
