//! The venue's log as it is while the venue runs: its figures are taken, and the replica gets what
//! is committed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use log::{Batch, Committed, Log, LogError, Room};

use crate::metrics::Metrics;
use crate::recovery::data_dir::AnyLog;
use crate::replica::Feed;

#[derive(Debug)]
pub(crate) struct WatchedLog {
    log: AnyLog,
    metrics: Arc<Metrics>,
    replica: Option<Feed>,
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
        Self { log, metrics, replica, under_way: VecDeque::new(), passage: None }
    }

    pub(crate) fn passage(&self) -> Option<Passage> {
        self.passage
    }

    fn note(&mut self, committed: &Committed) {
        // Others may write to the same log, of other epochs.
        let own = self.under_way.pop_front_if(|(epoch, _)| *epoch == committed.batch.epoch);
        self.passage = own.map(|(_, appended)| Passage { appended, committed: Instant::now() });
        let latency = self.passage.map(|passage| passage.committed - passage.appended);
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
        self.log.append(batch)?;
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
