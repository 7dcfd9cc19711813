//! What the feed needs of a database that keeps the read model.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::changes::Changes;
use crate::error::ProjectionError;
use crate::feed::followed::Followed;
use crate::history::History;
use crate::progress::Progress;
use crate::retention::HistoryRetention;
use spool::Applied;

/// A place where a read model is kept. Messages name it as it is displayed.
pub trait Backend: fmt::Display + Send + 'static {
    type Store: Store;

    /// Opens what is there, or a new one. [`ProjectionError::Older`] means tables that cannot be
    /// gone on with.
    fn open(&self) -> Result<Self::Store, ProjectionError>;

    /// The last command that is there and its time, as far as it can be read before it is opened:
    /// an upgrade takes long.
    fn newest(&self) -> Option<(u64, u64)>;

    /// Removes what is there, if anything is.
    fn remove(&self) -> Result<(), ProjectionError>;

    /// Moves what is damaged out of the way.
    fn set_aside(&self, damage: &ProjectionError) -> Result<(), ProjectionError>;

    /// Moves what is of another log out of the way.
    fn keep_beside(&self) -> Result<(), ProjectionError>;

    /// Answers from it, now and whenever it is opened anew.
    fn history(&self, followed: Followed) -> Arc<dyn History>;

    /// The longest pause between two tries after a failure. Each pause is twice the one before.
    fn retry_max(&self) -> Duration {
        RETRY
    }

    /// Ends what waits for the database. Called from another thread, once the end of the venue has
    /// waited for it long enough.
    fn interrupter(&self) -> Interrupter {
        Interrupter(Box::new(|| {}))
    }
}

/// The first pause after a failure.
pub(crate) const RETRY: Duration = Duration::from_secs(1);

/// Interrupts what waits for a database.
pub struct Interrupter(pub Box<dyn Fn() + Send + Sync>);

impl fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupter")
    }
}

/// A read model that is being written. Pages of events go in, each in one transaction with the
/// number of its last command: so each event counts exactly once, whatever happens in between.
pub trait Store {
    fn progress(&self) -> Progress;

    /// The first and the last command of each hole.
    fn gaps(&self) -> Result<Vec<(u64, u64)>, ProjectionError>;

    /// Writes what a page changes, and how far the read model has come with it. When it fails,
    /// nothing has changed, and this is to be opened anew.
    fn write(&mut self, changes: &Changes) -> Result<(), ProjectionError>;

    /// Goes on behind commands whose events are gone. History begins behind them if there is none
    /// yet.
    fn pass_over(&mut self, first: u64) -> Result<(), ProjectionError>;

    /// Deletes some of what is beyond the retention, in one transaction. Returns whether there is
    /// more.
    fn forget(&mut self, retention: &HistoryRetention) -> Result<bool, ProjectionError>;

    /// Fails once this is no longer what readers open: an operator has removed or replaced it.
    fn check_in_place(&self) -> Result<(), ProjectionError>;

    /// Puts what was added on stable storage, which is else done when there is enough of it; as far
    /// as no reader needs what it would write over.
    fn checkpoint(&self) -> Result<(), ProjectionError>;

    /// Adds what comes next.
    fn add<'a>(
        &mut self,
        page: impl IntoIterator<Item = &'a Applied>,
    ) -> Result<(), ProjectionError> {
        let mut changes = Changes::after(self.progress());
        page.into_iter().for_each(|applied| changes.apply(applied));
        if changes.is_empty() {
            return Ok(());
        }
        self.write(&changes)
    }
}
