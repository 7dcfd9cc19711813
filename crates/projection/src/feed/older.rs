//! Events that the spool no longer has, from what else the venue has of them.
//!
//! A read model that is begun anew, or was behind for long, lacks events that the spool has
//! dropped. Most venues still have the log that they follow from: its replay gives the same events.

use std::error::Error;
use std::sync::Arc;

use crate::error::ProjectionError;
use crate::feed::backend::{Backend, Store};
use crate::feed::gauges::Gauges;
use crate::feed::thread::{Follower, PAGE, Upkeep};
use spool::{Applied, SpoolError};

/// Where events are replayed from. Called on the feed's thread.
pub trait OlderEvents: Send + Sync + 'static {
    /// Replays commands in order until `take` returns false, or to the end. It begins at
    /// `first` or before it, or else with the oldest command that there is.
    fn replay(
        &self,
        first: u64,
        take: &mut dyn FnMut(Arc<Applied>) -> bool,
    ) -> Result<(), OlderError>;
}

/// Why a replay has ended early.
#[derive(Debug)]
pub struct OlderError {
    pub error: Box<dyn Error + Send + Sync>,
    /// Whether another try may read more.
    pub may_pass: bool,
}

impl OlderError {
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>, may_pass: bool) -> Self {
        Self { error: error.into(), may_pass }
    }
}

/// A venue may trim its log while it is read. The rest of the log is then read again.
const ATTEMPTS: usize = 3;

impl<B: Backend, G: Gauges> Follower<B, G> {
    /// Takes in the commands before `spooled`, the first one that the spool has, and passes over
    /// those that are lost. Returns early if the venue stops.
    pub(super) fn take_older(
        &mut self,
        store: &mut B::Store,
        upkeep: &mut Upkeep,
        mut spooled: u64,
    ) -> Result<(), ProjectionError> {
        let mut attempts = 0;
        self.gauges.behind(Some(0));
        loop {
            let before = store.progress().sequence;
            let replayed = self.replay_older(store, upkeep, &mut spooled)?;
            if self.is_stopping() {
                return Ok(());
            }
            let Err(OlderError { error, may_pass }) = replayed else {
                let sequence = store.progress().sequence;
                // The log has grown since the replay began, and the spool may have dropped more
                // than there was then.
                if sequence > before && sequence + 1 < spooled {
                    continue;
                }
                break;
            };
            attempts += 1;
            if attempts == ATTEMPTS && may_pass {
                return Err(ProjectionError::Log(error));
            }
            tracing::warn!(error, "{} cannot take older events from the log", B::WORDS.past);
            if attempts == ATTEMPTS {
                break;
            }
        }
        if store.progress().sequence + 1 < spooled {
            self.pass_over(store, spooled)?;
        }
        Ok(())
    }

    fn replay_older(
        &mut self,
        store: &mut B::Store,
        upkeep: &mut Upkeep,
        spooled: &mut u64,
    ) -> Result<Result<(), OlderError>, ProjectionError> {
        let progress = store.progress();
        let from = progress.sequence + 1;
        // The command before shows whether the read model is of this log, where the spool cannot.
        let has_known = progress.sequence > 0 && progress.sequenced_ns > 0;
        let begin = if has_known { progress.sequence } else { from };
        let (older, mut page) = (Arc::clone(&self.older), Vec::new());
        let mut taken = Ok(());
        let mut is_of_another = false;
        let replayed = older.replay(begin, &mut |applied| {
            if self.is_stopping() {
                return false;
            }
            if has_known && applied.sequence == progress.sequence {
                is_of_another = applied.sequenced_ns != progress.sequenced_ns;
                return !is_of_another;
            }
            // The spool may have dropped more meanwhile.
            if applied.sequence >= *spooled {
                match self.spool.read_from(applied.sequence, 1) {
                    Err(SpoolError::Gone { first }) => *spooled = first,
                    _ => return false,
                }
            }
            if applied.sequence >= from {
                page.push(applied);
            }
            if page.len() >= PAGE {
                taken = self.add_older(store, upkeep, &mut page);
            }
            taken.is_ok()
        });
        taken?;
        if is_of_another {
            self.backend.keep_beside()?;
            store.check_in_place()?; // It is gone from there.
        }
        if !self.is_stopping() {
            self.add_older(store, upkeep, &mut page)?;
        }
        Ok(replayed)
    }

    fn add_older(
        &mut self,
        store: &mut B::Store,
        upkeep: &mut Upkeep,
        page: &mut Vec<Arc<Applied>>,
    ) -> Result<(), ProjectionError> {
        let Some(first) = page.first().map(|applied| applied.sequence) else { return Ok(()) };
        if store.progress().sequence + 1 < first {
            self.pass_over(store, first)?;
        }
        store.add(page.iter().map(|applied| &**applied))?;
        page.clear();
        upkeep.added();
        self.is_well();
        self.keep_up(store, upkeep)
    }

    fn pass_over(&self, store: &mut B::Store, first: u64) -> Result<(), ProjectionError> {
        let from = store.progress().sequence + 1;
        let begins = store.progress().first_sequence == from;
        let past = B::WORDS.past;
        store.pass_over(first)?;
        self.report_complete(store)?;
        if begins {
            tracing::warn!(
                first,
                "{past} is complete from this command on: neither the spool nor the log has those \
                 before it"
            );
        } else {
            tracing::warn!(
                from,
                to = first - 1,
                "{past} has a hole: neither the spool nor the log has the events of these commands"
            );
        }
        Ok(())
    }
}
