//! The event spool of a stopped venue, made anew.

use log::DataDirLock;
use spool::Spool;

use crate::recovery::data_dir::Opened;
use crate::recovery::error::OpenError;
use crate::settings::Settings;

/// What a spool holds that was made anew.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RebuiltSpool {
    /// One behind `last_sequence` if there is nothing.
    pub first_sequence: u64,
    pub last_sequence: u64,
}

/// Makes all of the event spool of a stopped venue anew, from its log.
pub fn rebuild_spool(settings: Settings) -> Result<RebuiltSpool, OpenError> {
    let lock = DataDirLock::acquire(&settings.data_dir).map_err(OpenError::Lock)?;
    // A log that cannot be read gives no events, and those that there are must stay.
    log::inspect(&settings.data_dir.join("log")).map_err(OpenError::Log)?;
    Spool::delete(&settings.data_dir.join("spool")).map_err(OpenError::Spool)?;
    drop(lock);
    let mut spool = Opened::open(settings)?.spool;
    let unsynced = spool.take_unsynced();
    if !unsynced.is_whole() {
        return Err(OpenError::SpoolIncomplete);
    }
    unsynced.sync().map_err(OpenError::Spool)?;
    let (first_sequence, last_sequence) = (spool.first_sequence(), spool.last_sequence());
    Ok(RebuiltSpool { first_sequence, last_sequence })
}
