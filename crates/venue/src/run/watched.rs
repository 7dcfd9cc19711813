//! The venue's log as it is while the venue runs: its figures are taken, the replica gets what is
//! committed, and a lone client's batch is left to the thread that carries it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use log::{Batch, Committed, Held, Log, LogError, Room};

use crate::metrics::Metrics;
use crate::recovery::data_dir::AnyLog;
use crate::replica::Feed;

/// After as many batches of one command, with none that waited for them, a client is alone.
const LONE_BATCHES_MIN: u32 = 16;
/// A commit that takes longer keeps a thread from its other work, and a wake-up is no part of it.
const QUICK_COMMIT: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(crate) struct WatchedLog {
    log: AnyLog,
    metrics: Arc<Metrics>,
    replica: Option<Feed>,
    /// Whether the thread that appends a batch of one command commits it.
    may_hold: bool,
    held: Option<Held>,
    lone_batches: u32,
    is_quick: bool,
    /// The epochs of batches that were appended and not yet read back, and since when.
    under_way: VecDeque<(u64, Instant)>,
    /// Of the batch that was read back last, if it was appended here: not of another primary's.
    passage: Option<Passage>,
}

/// When a batch was on its way through the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    pub(crate) appended: Instant,
    pub(crate) committed: Instant,
}

impl WatchedLog {
    pub(crate) fn new(log: AnyLog, metrics: Arc<Metrics>, replica: Option<Feed>) -> Self {
        let under_way = VecDeque::new();
        Self {
            log,
            metrics,
            replica,
            may_hold: false,
            held: None,
            lone_batches: 0,
            is_quick: false,
            under_way,
            passage: None,
        }
    }

    pub(crate) fn passage(&self) -> Option<Passage> {
        self.passage
    }

    /// Whether this thread can commit what is appended next. Waking the log's own thread for it,
    /// and that one the client's, would take a lone client longer than many a sync.
    pub(crate) fn let_hold(&mut self, may_hold: bool) {
        self.may_hold = may_hold && self.is_quick && self.lone_batches >= LONE_BATCHES_MIN;
    }

    /// Something has waited for a batch in flight.
    pub(crate) fn crowded(&mut self) {
        self.lone_batches = 0;
    }

    /// What this thread has to commit, without the engine.
    pub(crate) fn take_held(&mut self) -> Option<Held> {
        self.held.take()
    }

    fn note(&mut self, committed: &Committed) {
        // Others may write to the same log, of other epochs.
        let own = self.under_way.pop_front_if(|(epoch, _)| *epoch == committed.batch.epoch);
        self.passage = own.map(|(_, appended)| Passage { appended, committed: Instant::now() });
        let latency = self.passage.map(|passage| passage.committed - passage.appended);
        self.is_quick = latency.is_some_and(|latency| latency < QUICK_COMMIT);
        let batch = (committed.batch_number, committed.batch.command_count);
        self.metrics.committed(batch, latency);
        if let Some(replica) = &self.replica {
            replica.batch(committed);
        }
    }
}

impl Log for WatchedLog {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        let (epoch, appended) = (batch.epoch, Instant::now());
        let is_lone = batch.command_count == 1;
        self.lone_batches = if is_lone { self.lone_batches.saturating_add(1) } else { 0 };
        if self.may_hold && is_lone {
            self.held = self.log.append_held(batch)?;
        } else {
            self.log.append(batch)?;
        }
        self.under_way.push_back((epoch, appended));
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        let committed = self.log.poll()?;
        self.metrics.set_room(self.log.room());
        if let Some(committed) = &committed {
            self.note(committed);
        }
        Ok(committed)
    }

    fn ready(&self) -> bool {
        self.log.ready()
    }

    fn room(&self) -> Room {
        self.log.room()
    }

    fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        self.log.trim(before_batch)
    }
}
