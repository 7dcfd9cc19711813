//! A log whose disk can be stopped. What is appended meanwhile commits when the disk continues.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use log::{Batch, Committed, Log, LogError, Room};
use venue::AnyLog;

/// Whether the log's disk is stopped.
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
