//! Replay of the log for its events, for a spool that lost them.

use std::path::Path;

use log::LogReader;
use log::snapshot::{self, Snapshot};
use spool::{History, HistoryListener};

use crate::follower::Position;
use crate::recovery::base::Base;
use crate::recovery::error::OpenError;
use crate::reply::Reply;

pub(crate) struct LogEvents<'a> {
    pub(crate) snapshot_dir: &'a Path,
    /// `None` where nothing is kept.
    pub(crate) log: Option<&'a dyn LogReader>,
}

impl History for LogEvents<'_> {
    type Error = OpenError;

    fn replay(&self, wanted: u64, listener: &mut dyn HistoryListener) -> Result<(), OpenError> {
        let Some(log) = self.log else { return Ok(()) };
        let Some(base) = self.base_before(log, wanted)? else { return Ok(()) };
        let Base { mut follower, event_hash, .. } = base;
        let mut goes_on = listener.begin(follower.engine().sequence(), event_hash);
        let Position { batch_number, chain_hash, .. } = follower.position();
        let mut reader = log.read_from(batch_number + 1).map_err(OpenError::Log)?;
        if reader.previous_hash() != chain_hash {
            return Err(OpenError::SnapshotOfAnotherLog { batch_number });
        }
        while goes_on && let Some(batch) = reader.read().map_err(OpenError::Log)? {
            let emit = |reply: Reply| {
                for applied in std::iter::once(&reply.applied).chain(&reply.continued) {
                    goes_on = goes_on && listener.applied(applied);
                }
            };
            follower.follow(batch, emit).map_err(OpenError::Follow)?;
        }
        Ok(())
    }
}

impl LogEvents<'_> {
    /// The newest state before a command, or else the oldest; `None` when there is none that the
    /// log goes on from.
    fn base_before(&self, log: &dyn LogReader, wanted: u64) -> Result<Option<Base>, OpenError> {
        let mut oldest = None;
        let files = snapshot::files(self.snapshot_dir).map_err(OpenError::Snapshot)?;
        for (_, path) in files.into_iter().rev() {
            // A damaged one is set aside, with a warning, when the newest one is loaded.
            let Ok(snapshot) = snapshot::load(&path) else { continue };
            if !continues(log, &snapshot) {
                continue;
            }
            if snapshot.sequence < wanted {
                return Base::read(&snapshot).map(Some);
            }
            oldest = Some(path);
        }
        if log.first_batch() == 1 {
            return Ok(Some(Base::default()));
        }
        let Some(path) = oldest else { return Ok(None) };
        let snapshot = snapshot::load(&path).map_err(OpenError::Snapshot)?;
        Base::read(&snapshot).map(Some)
    }
}

fn continues(log: &dyn LogReader, snapshot: &Snapshot) -> bool {
    (log.first_batch()..=log.last_batch() + 1).contains(&(snapshot.batch_number + 1))
}
