//! What the feed needs of a place that it brings events to: a database that keeps the read model,
//! or a broker that publishes them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::ProjectionError;
use crate::feed::followed::Followed;
use crate::history::History;
use crate::page::Page;
use crate::progress::Progress;
use crate::retention::HistoryRetention;
use spool::Applied;

/// A place that events are brought to. Messages name it as it is displayed.
pub trait Backend: fmt::Display + Send + 'static {
    type Store: Store;

    /// How messages speak of it.
    const WORDS: Words = Words::READ_MODEL;

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

    /// The longest pause between two tries after a failure. Each pause is twice the one before.
    fn retry_max(&self) -> Duration {
        RETRY
    }

    /// The pause between two transactions, unless there was more than one could take, or a reader
    /// waits.
    fn gather(&self) -> Duration {
        GATHER
    }

    /// Ends what waits for the database. Called from another thread, once the end of the venue has
    /// waited for it long enough.
    fn interrupter(&self) -> Interrupter {
        Interrupter(Box::new(|| {}))
    }
}

/// A place where a read model is kept.
pub trait ReadModel: Backend {
    /// Answers from it, now and whenever it is opened anew.
    fn history(&self, followed: Followed) -> Arc<dyn History>;
}

/// Parts of sentences.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub name: &'static str,
    /// The name of its thread.
    pub thread: &'static str,
    /// What it has of the past.
    pub past: &'static str,
    /// What it means that it stands still.
    pub effect: &'static str,
}

impl Words {
    const READ_MODEL: Self = Self {
        name: "the read model",
        thread: "projection",
        past: "history",
        effect: "questions about the past are not answered up to now",
    };
}

const GATHER: Duration = Duration::from_millis(250);

/// The first pause after a failure.
pub(crate) const RETRY: Duration = Duration::from_secs(1);

/// Interrupts what waits for a database.
pub struct Interrupter(pub Box<dyn Fn() + Send + Sync>);

impl fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupter")
    }
}

/// The place of a page among the commands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Wanted {
    /// It begins with the command after this.
    pub after: Progress,
    /// It ends with this command at the latest.
    pub until: Option<u64>,
}

/// A place that is open. Pages of events go in, each in one transaction with the number of its last
/// command: so each event counts exactly once, whatever happens in between.
pub trait Store {
    type Page: Page;

    /// How far all of it has come.
    fn progress(&self) -> Progress;

    /// How far each part of it has come, where parts can be ahead of others after a failure.
    fn positions(&self) -> Vec<Progress> {
        vec![self.progress()]
    }

    /// The command that the page after [`Store::progress`] ends with at the latest: from there on
    /// other parts want the same pages. The log has it.
    fn until(&self) -> Option<u64> {
        None
    }

    /// Which page is to come next from the spool: that after [`Store::progress`], or an earlier one
    /// for what is being moved.
    fn wants(&mut self) -> Wanted {
        Wanted { after: self.progress(), until: self.until() }
    }

    /// The spool has dropped the earlier page that was wanted.
    fn begin_again(&mut self) {}

    /// The first and the last command of each hole.
    fn gaps(&self) -> Result<Vec<(u64, u64)>, ProjectionError>;

    /// Writes a page, and how far this has come with it. When it fails, nothing has changed, and
    /// this is to be opened anew.
    fn write(&mut self, page: &Self::Page) -> Result<(), ProjectionError>;

    /// Goes on behind commands whose events are gone. History begins behind them if there is none
    /// yet.
    fn pass_over(&mut self, first: u64) -> Result<(), ProjectionError>;

    /// Deletes some of what is beyond the retention, in one transaction. Returns whether there is
    /// more.
    fn forget(&mut self, retention: &HistoryRetention) -> Result<bool, ProjectionError>;

    /// Fails once this is no longer what readers open: an operator has removed or replaced it.
    /// Called between two pages, and ten times a second where there are none.
    fn check_in_place(&mut self) -> Result<(), ProjectionError>;

    /// Puts what was added on stable storage, which is else done when there is enough of it; as far
    /// as no reader needs what it would write over.
    fn checkpoint(&self) -> Result<(), ProjectionError>;

    /// Adds what comes next.
    fn add<'a>(
        &mut self,
        commands: impl IntoIterator<Item = &'a Applied>,
    ) -> Result<(), ProjectionError> {
        let mut page = Self::Page::after(self.progress());
        for applied in commands {
            page.apply(applied);
            if self.until() == Some(page.sequence()) {
                self.write(&page)?;
                page = Self::Page::after(self.progress());
            }
        }
        if page.is_empty() { Ok(()) } else { self.write(&page) }
    }
}
