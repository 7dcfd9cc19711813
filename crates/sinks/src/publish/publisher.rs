//! A publisher of all events, in the order of the log, to a broker that remembers its last one.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use projection::{
    Backend, HistoryRetention, Interrupter, Progress, ProjectionError, Standstill, Store, Words,
};

use crate::publish::convert;
use crate::publish::directory::Directory;
use crate::publish::failure::Failed;
use crate::publish::figures::Figures;
use crate::publish::message::{Event, EventId};
use crate::publish::page::Commands;
use crate::publish::position::PositionFile;

/// Between two pages, unless there was more than one could take: messages go together.
const GATHER: Duration = Duration::from_millis(5);
/// A broker that is back is noticed within this time.
const RETRY_MAX: Duration = Duration::from_secs(4);
pub(crate) const WORDS: Words = Words {
    name: "a publisher",
    thread: "publisher",
    past: "a publisher",
    effect: "programs that read from it get nothing new",
};

/// A place that messages go to, displayed without its password.
pub trait Broker: fmt::Display + fmt::Debug + Send + 'static {
    type Connection: Connection;

    fn connect(&self) -> Result<Self::Connection, Failed>;

    /// Ends what waits for the place.
    fn interrupter(&self) -> Interrupter {
        Interrupter(Box::new(|| {}))
    }

    /// Whether a new publisher leaves out what happened before its first start.
    fn begins_now(&self) -> bool {
        false
    }
}

/// An open connection.
pub trait Connection {
    /// Where this broker stands.
    fn resume(&mut self) -> Result<Resume, Failed>;

    /// Sends messages in their order, and returns how many when the broker has stored all.
    fn publish(&mut self, messages: Vec<Event>) -> Result<usize, Failed>;

    /// Fails once the connection is lost.
    fn check(&mut self) -> Result<(), Failed> {
        Ok(())
    }
}

/// What a broker has of earlier runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resume {
    /// Its last event and the time of that event's command: it goes on there, whatever the venue
    /// has kept of its position. A message up to this one is not sent again.
    pub last: Option<(EventId, u64)>,
    /// The last event of a broker that does not say where all of it ends.
    pub highest: Option<(EventId, u64)>,
    /// It holds nothing, also of what a publisher sent it before.
    pub is_empty: bool,
}

/// The backend of a publisher for the feed.
#[derive(Debug)]
pub struct Publisher<B> {
    broker: B,
    data_dir: PathBuf,
    /// The names as of the last event that was read.
    directory: Arc<Mutex<Directory>>,
    figures: Arc<Figures>,
    /// The last command of the venue when it started.
    head: (u64, u64),
}

impl<B: Broker> Publisher<B> {
    pub fn new(
        broker: B,
        data_dir: PathBuf,
        directory: Directory,
        head: (u64, u64),
        figures: Arc<Figures>,
    ) -> Self {
        Self { broker, data_dir, directory: Arc::new(Mutex::new(directory)), figures, head }
    }

    fn position_file(&self) -> Result<PositionFile, ProjectionError> {
        let name = self.broker.to_string();
        PositionFile::open(&self.data_dir, &name).map_err(|error| {
            let sentence = format!("has no position: {error}");
            Failed::new(Standstill::Failed, sentence).at(&self.broker)
        })
    }

    /// The last command that a broker can have of this venue.
    fn newest_known(&self) -> u64 {
        self.head.0.max(self.figures.sequence())
    }

    fn keep_reason(&self, failed: Failed) -> ProjectionError {
        let (name, error) = (self.broker.to_string(), failed.at(&self.broker));
        PositionFile::keep_reason(&self.data_dir, &name, error.to_string());
        error
    }

    fn connect(&self, mut file: PositionFile) -> Result<PublisherStore<B::Connection>, Failed> {
        if file.is_new() && self.broker.begins_now() {
            // Also if the place is away until the next start.
            file.write(self.head, None).map_err(|error| unwritten(&error))?;
        }
        let mut connection = self.broker.connect()?;
        let resume = connection.resume()?;
        if resume.highest.is_some_and(|(id, _)| id.sequence > self.newest_known()) {
            return Err(of_another());
        }
        let kept = file.position();
        let mut progress = Progress {
            sequence: kept.sequence,
            sequenced_ns: kept.sequenced_ns,
            first_sequence: 1,
            ..Progress::default()
        };
        if let Some((last, _)) = resume.last {
            // The command may have further events, which it lacks.
            progress.sequence = last.sequence.saturating_sub(1);
            progress.sequenced_ns = 0;
            if progress.sequence + 1 < kept.sequence {
                tracing::warn!(
                    place = %self.broker,
                    last = %last,
                    had = kept.sequence,
                    "it has gone back: what it lost is published again"
                );
            }
        }
        if resume.is_empty && kept.sequence > 0 {
            tracing::warn!(
                place = %self.broker,
                after = progress.sequence,
                "what was published is no longer there: it goes on after this command"
            );
        }
        Ok(PublisherStore {
            name: self.broker.to_string(),
            connection,
            file,
            progress,
            has_published: false,
            checks: 0,
            last: resume.last,
            directory: Arc::clone(&self.directory),
            figures: Arc::clone(&self.figures),
        })
    }
}

impl<B: Broker> Backend for Publisher<B> {
    type Store = PublisherStore<B::Connection>;

    const WORDS: Words = WORDS;

    fn open(&self) -> Result<Self::Store, ProjectionError> {
        let file = self.position_file()?;
        self.connect(file).map_err(|failed| self.keep_reason(failed))
    }

    /// A broker is connected to once.
    fn newest(&self) -> Option<(u64, u64)> {
        None
    }

    fn remove(&self) -> Result<(), ProjectionError> {
        Err(Failed::new(Standstill::Failed, "is not the venue's to empty").at(&self.broker))
    }

    fn set_aside(&self, damage: &ProjectionError) -> Result<(), ProjectionError> {
        let standstill = damage.standstill();
        Err(ProjectionError::Server { standstill, sentence: damage.to_string() })
    }

    /// Its readers would take events of two venues for those of one.
    fn keep_beside(&self) -> Result<(), ProjectionError> {
        Err(self.keep_reason(of_another()))
    }

    fn retry_max(&self) -> Duration {
        RETRY_MAX
    }

    fn gather(&self) -> Duration {
        GATHER
    }

    fn interrupter(&self) -> Interrupter {
        self.broker.interrupter()
    }
}

impl<B: Broker> fmt::Display for Publisher<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.broker)
    }
}

fn unwritten(error: &std::io::Error) -> Failed {
    let sentence = format!("has a position that cannot be written: {error}");
    Failed::new(Standstill::Failed, sentence)
}

pub(crate) fn of_another() -> Failed {
    let sentence = "holds events that the log here does not have: they are of another venue, or this \
                    venue was restored from a backup; name another place with a `prefix`, or delete \
                    what is there";
    Failed::new(Standstill::OtherVenue, sentence)
}

/// A broker that is being published to.
#[derive(Debug)]
pub struct PublisherStore<C> {
    name: String,
    connection: C,
    file: PositionFile,
    progress: Progress,
    /// It has published a page: before that, the position may be that of another venue.
    has_published: bool,
    /// How often this was looked at. What failed before is over at the second time.
    checks: u64,
    /// The last event that the broker had when this was opened, until it is behind.
    last: Option<(EventId, u64)>,
    directory: Arc<Mutex<Directory>>,
    figures: Arc<Figures>,
}

impl<C: Connection> PublisherStore<C> {
    /// The messages of a page that the broker does not have.
    fn messages(&mut self, page: &Commands) -> Result<Vec<Event>, Failed> {
        let mut directory = self.directory.lock().unwrap_or_else(PoisonError::into_inner);
        let mut messages = Vec::new();
        for applied in &page.all {
            if self.last.is_some_and(|(last, time_ns)| {
                applied.sequence == last.sequence && applied.sequenced_ns != time_ns
            }) {
                return Err(of_another());
            }
            convert::each_of(&mut directory, applied, |message, _| {
                if self.last.is_none_or(|(last, _)| message.id() > last) {
                    messages.push(message);
                }
            });
        }
        Ok(messages)
    }

    fn publish(&mut self, page: &Commands) -> Result<(), Failed> {
        let messages = self.messages(page)?;
        if !messages.is_empty() {
            let published = self.connection.publish(messages)?;
            self.figures.published(published);
        }
        let Some((sequence, sequenced_ns)) = page.progress() else { return Ok(()) };
        self.progress.sequence = sequence;
        self.progress.sequenced_ns = sequenced_ns;
        self.has_published = true;
        Ok(())
    }

    fn keep_position(&mut self, reason: Option<String>) {
        let at = if self.has_published {
            (self.progress.sequence, self.progress.sequenced_ns)
        } else {
            (self.file.position().sequence, self.file.position().sequenced_ns)
        };
        self.file.keep(at, reason);
    }
}

impl<C: Connection> Store for PublisherStore<C> {
    type Page = Commands;

    fn progress(&self) -> Progress {
        self.progress
    }

    fn gaps(&self) -> Result<Vec<(u64, u64)>, ProjectionError> {
        Ok(Vec::new())
    }

    fn write(&mut self, page: &Commands) -> Result<(), ProjectionError> {
        if let Err(failed) = self.publish(page) {
            let error = failed.at(&self.name);
            self.keep_position(Some(error.to_string()));
            return Err(error);
        }
        self.keep_position(None);
        Ok(())
    }

    fn pass_over(&mut self, first: u64) -> Result<(), ProjectionError> {
        self.progress.sequence = first - 1;
        self.progress.sequenced_ns = 0;
        Ok(())
    }

    fn forget(&mut self, _: &HistoryRetention) -> Result<bool, ProjectionError> {
        Ok(false)
    }

    fn check_in_place(&mut self) -> Result<(), ProjectionError> {
        self.connection.check().map_err(|failed| failed.at(&self.name))?;
        self.checks += 1;
        if self.has_published || self.checks > 1 {
            self.keep_position(None);
        }
        Ok(())
    }

    /// What a broker has stored is on its disk by its own settings.
    fn checkpoint(&self) -> Result<(), ProjectionError> {
        Ok(())
    }
}

impl<C> Drop for PublisherStore<C> {
    fn drop(&mut self) {
        let Progress { sequence, sequenced_ns, .. } = self.progress;
        let reason = self.file.position().reason.clone();
        if self.has_published
            && sequence != self.file.position().sequence
            && let Err(error) = self.file.write((sequence, sequenced_ns), reason)
        {
            tracing::warn!(%error, "the last position of a publisher was not written");
        }
    }
}
