//! A publisher of all events, in the order of the log, to a broker that remembers its last one.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use projection::{Backend, HistoryRetention, Progress, ProjectionError, Standstill, Store, Words};

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

    /// Whether a new publisher leaves out what happened before its first start.
    fn begins_now(&self) -> bool {
        false
    }
}

/// An open connection.
pub trait Connection {
    /// Where this broker stands.
    fn resume(&mut self) -> Result<Resume, Failed>;

    /// Sends messages in their order, and returns when the broker has stored all.
    fn publish(&mut self, messages: Vec<Event>) -> Result<(), Failed>;

    /// Fails once the connection is lost.
    fn check(&mut self) -> Result<(), Failed> {
        Ok(())
    }
}

/// What a broker has of earlier runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resume {
    /// It has all events of the commands before this one, as far as it can say.
    pub sequence: u64,
    /// Its last event and the time of that event's command. A message up to this one is not sent
    /// again.
    pub last: Option<(EventId, u64)>,
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

    /// The reason is for tools, which see the file alone.
    fn keep_reason(&self, failed: Failed) -> ProjectionError {
        let error = failed.at(&self.broker);
        let kept = self.position_file().and_then(|mut file| {
            let at = (file.position().sequence, file.position().sequenced_ns);
            let written = file.keep(at, Some(error.to_string()));
            written.map_err(|error| Failed::unreachable(error.to_string()).at(&self.broker))
        });
        if let Err(unwritten) = kept {
            tracing::warn!(%unwritten, "the reason is not in the publisher's file");
        }
        error
    }

    fn connect(&self, file: PositionFile) -> Result<PublisherStore<B::Connection>, Failed> {
        let mut connection = self.broker.connect()?;
        let resume = connection.resume()?;
        let kept = file.position();
        let mut progress = Progress {
            sequence: kept.sequence,
            sequenced_ns: kept.sequenced_ns,
            first_sequence: 1,
            ..Progress::default()
        };
        if resume.sequence > progress.sequence {
            progress.sequence = resume.sequence;
            progress.sequenced_ns = 0;
        }
        if progress.sequence == 0 && self.broker.begins_now() {
            (progress.sequence, progress.sequenced_ns) = self.head;
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
}

impl<B: Broker> fmt::Display for Publisher<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.broker)
    }
}

pub(crate) fn of_another() -> Failed {
    let sentence = "holds events that the log here does not have: they are of another venue, or this \
                    venue was restored from a backup; name another place with a `prefix`, or empty \
                    this one";
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
        let mut is_of_another = false;
        for applied in &page.all {
            convert::each_of(&mut directory, applied, |message, _| {
                if let Some((last, time_ns)) = self.last {
                    let id = message.id();
                    is_of_another |= id == last && time_ns > 0 && time_ns != message.time_ns;
                    if id <= last {
                        return;
                    }
                    self.last = None;
                }
                messages.push(message);
            });
        }
        if is_of_another { Err(of_another()) } else { Ok(messages) }
    }

    fn publish(&mut self, page: &Commands) -> Result<(), Failed> {
        let messages = self.messages(page)?;
        let count = messages.len();
        if count > 0 {
            self.connection.publish(messages)?;
        }
        self.figures.published(count);
        let Some((sequence, sequenced_ns)) = page.progress() else { return Ok(()) };
        self.progress.sequence = sequence;
        self.progress.sequenced_ns = sequenced_ns;
        self.has_published = true;
        Ok(())
    }

    fn keep_position(&mut self) -> Result<(), ProjectionError> {
        let at = if self.has_published {
            (self.progress.sequence, self.progress.sequenced_ns)
        } else {
            (self.file.position().sequence, self.file.position().sequenced_ns)
        };
        let kept = self.file.keep(at, None);
        kept.map_err(|error| {
            let sentence = format!("has a position that cannot be written: {error}");
            Failed::new(Standstill::Failed, sentence).at(&self.name)
        })
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
        let published = self.publish(page);
        published.map_err(|failed| failed.at(&self.name))?;
        self.keep_position()
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
        self.keep_position()
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
