//! What a venue is opened with.

use std::path::PathBuf;

use log::{Durability, SEGMENT_SIZE_DEFAULT};
use spool::Retention;

use crate::pin::{Core, FollowerCores, beside_orders};

#[derive(Clone, Debug)]
pub struct Settings {
    pub data_dir: PathBuf,
    pub durability: Durability,
    /// Commands between two snapshots.
    pub snapshot_every: u64,
    /// Bytes of a file of the log.
    pub log_segment_size: u64,
    /// How much of the events is kept for readers.
    pub retention: Retention,
    pub log_retention: LogRetention,
    /// Whether a second engine applies the log too and is compared with the first.
    pub replica: bool,
    /// What the engine's thread is kept to.
    pub engine_core: Option<Core>,
    /// What the thread is kept to that writes the log.
    pub log_core: Option<Core>,
    /// Whether the threads that follow orders stay off the cores of orders: the two above, or else
    /// the last one of the process.
    pub keeps_cores_for_orders: bool,
    /// For tests of the alarm: the replica carries out the command of this sequence twice.
    #[doc(hidden)]
    pub replica_errs_at: Option<u64>,
}

/// What becomes of the log before the older of the two snapshots that are kept.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum LogRetention {
    #[default]
    Keep,
    Delete,
    /// Moved into this folder, on the file system of the log.
    Archive(PathBuf),
}

impl Settings {
    pub const SNAPSHOT_EVERY_DEFAULT: u64 = 1_000_000;
    pub const LOG_SEGMENT_SIZE_DEFAULT: u64 = SEGMENT_SIZE_DEFAULT;

    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            durability: Durability::default(),
            snapshot_every: Self::SNAPSHOT_EVERY_DEFAULT,
            log_segment_size: Self::LOG_SEGMENT_SIZE_DEFAULT,
            retention: Retention::default(),
            log_retention: LogRetention::default(),
            replica: false,
            engine_core: None,
            log_core: None,
            keeps_cores_for_orders: false,
            replica_errs_at: None,
        }
    }

    /// Starts threads that follow orders, on the cores where they may run.
    pub(crate) fn start_followers<R>(&self, start: impl FnOnce() -> R) -> R {
        if !self.keeps_cores_for_orders {
            return start();
        }
        beside_orders([self.engine_core, self.log_core], start)
    }

    /// For a thread that was started so; `None` where its cores do not change.
    pub(crate) fn follower_cores(&self) -> Option<FollowerCores> {
        let names_none = self.engine_core.is_none() && self.log_core.is_none();
        (self.keeps_cores_for_orders && names_none).then(FollowerCores::default)
    }
}
