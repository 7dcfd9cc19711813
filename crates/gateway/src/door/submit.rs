//! Submitting a command to the venue, and its outcome.

use std::future::poll_fn;
use std::ops::Deref;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use marketdata::BookUpdate;
use spool::{Applied, SpoolError};
use tokio::time::timeout;
use types::{Command, Entry, Envelope, Event, InstrumentId, Refused};
use venue::{Reply, ReplyTimes, Stage};

use crate::door::query::QueryError;
use crate::door::shared::Door;

/// The outcome of a command.
pub(crate) struct CommandOutcome {
    pub(crate) events: Events,
    /// The command was a repeat: these are the events of its first execution.
    pub(crate) is_repeated: bool,
    /// When the waiting task woke.
    pub(crate) woken_at: Instant,
    /// `None` of a repeat.
    pub(crate) times: Option<ReplyTimes>,
}

/// All events of a command, usually shared with the publisher: a copy can be as large as a page of
/// memory.
pub(crate) enum Events {
    Of(Arc<Applied>),
    Gathered(Vec<Event>),
}

/// Why a command has no outcome.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SubmitError {
    /// Nothing was executed.
    Refused(Refused),
    /// Timed out, or the venue stopped: the command may be committed.
    Unknown,
    /// A repeat whose first outcome is no longer kept.
    RepeatGone,
    /// A repeat whose first outcome cannot be queried at the moment.
    RepeatQuery(QueryError),
    /// A repeat whose first outcome cannot be read.
    RepeatUnreadable,
}

impl From<Reply> for Events {
    fn from(reply: Reply) -> Self {
        if reply.continued.is_empty() {
            Self::Of(reply.applied)
        } else {
            Self::Gathered(reply.events().copied().collect())
        }
    }
}

impl Deref for Events {
    type Target = [Event];

    fn deref(&self) -> &[Event] {
        match self {
            Self::Of(applied) => &applied.events,
            Self::Gathered(events) => events,
        }
    }
}

impl CommandOutcome {
    /// Whether the events are of another instrument: then a repeat differs from the first request.
    pub(crate) fn is_foreign_to(&self, instrument: InstrumentId) -> bool {
        let of_event = |event| BookUpdate::of(event).map(|update| update.instrument);
        self.events.iter().any(|event| of_event(event).is_some_and(|of| of != instrument))
    }
}

impl Door {
    /// Polls `requests` once. The venue executes the commands submitted in it together with others,
    /// at the latest on [`venue::Handle::execute`].
    pub(crate) async fn poll_first<T>(
        &self,
        mut requests: Pin<&mut (impl Future<Output = T> + ?Sized)>,
    ) -> Poll<T> {
        poll_fn(|context| Poll::Ready(self.handle.gather(|| requests.as_mut().poll(context)))).await
    }

    /// Completes `requests`. The venue executes together all commands submitted in the first poll.
    pub(crate) async fn poll_together<T>(&self, requests: impl Future<Output = T>) -> T {
        let mut requests = pin!(requests);
        let begun = self.poll_first(requests.as_mut()).await;
        self.handle.run_inbox();
        match begun {
            Poll::Ready(done) => done,
            Poll::Pending => requests.await,
        }
    }

    /// Submits a command, which is executed once. A command submitted among others does not wait
    /// for more.
    pub(crate) async fn submit(
        &self,
        envelope: Envelope,
        command: Command,
        is_gathered: bool,
    ) -> Result<CommandOutcome, SubmitError> {
        let submitted = self.handle.submit(Entry { envelope, command });
        let mut reply = submitted.map_err(SubmitError::Refused)?;
        if is_gathered {
            reply = reply.at_once();
        }
        let Ok(Ok(reply)) = timeout(self.settings.answer_timeout, reply).await else {
            return Err(SubmitError::Unknown);
        };
        let reply = reply.map_err(SubmitError::Refused)?;
        let woken_at = Instant::now();
        let times = reply.times;
        if let Some(times) = times {
            let metrics = self.handle.metrics();
            metrics.passed(Stage::Wake, woken_at.saturating_duration_since(times.applied), 1);
        }
        let events = Events::from(reply);
        match events.first() {
            Some(Event::CommandRepeated(repeated)) => {
                self.first_outcome(repeated.first_sequence).await
            }
            _ => Ok(CommandOutcome { events, is_repeated: false, woken_at, times }),
        }
    }

    /// The events of a command that was executed before, perhaps before a restart.
    async fn first_outcome(&self, sequence: u64) -> Result<CommandOutcome, SubmitError> {
        let reader = self.ask_views(|_, spool| spool.reader()).await;
        let reader = reader.map_err(SubmitError::RepeatQuery)?;
        let read = tokio::task::spawn_blocking(move || reader.read(sequence)).await;
        match read.expect("reading the spool does not panic") {
            Ok(applied) => {
                let events = applied.into_iter().flat_map(|applied| applied.events).collect();
                Ok(CommandOutcome {
                    events: Events::Gathered(events),
                    is_repeated: true,
                    woken_at: Instant::now(),
                    times: None,
                })
            }
            Err(SpoolError::Gone { .. }) => Err(SubmitError::RepeatGone),
            Err(error) => {
                tracing::error!(%error, "the events of a repeated command cannot be read");
                Err(SubmitError::RepeatUnreadable)
            }
        }
    }
}
