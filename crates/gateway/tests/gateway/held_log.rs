//! A venue's own log whose disk can be made to stop: what is written meanwhile is committed when it
//! goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use log::{Batch, Committed, Log, LogError, Room};
use venue::AnyLog;

/// Whether the disk of a venue's log stands still.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hold(Arc<AtomicBool>);

impl Hold {
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn go_on(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    pub(crate) fn over(&self, log: AnyLog) -> AnyLog {
        Box::new(HeldLog { log, hold: self.clone() })
    }
}

#[derive(Debug)]
struct HeldLog {
    log: AnyLog,
    hold: Hold,
}

impl Log for HeldLog {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        self.log.append(batch)
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        if self.hold.0.load(Ordering::SeqCst) { Ok(None) } else { self.log.poll() }
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
