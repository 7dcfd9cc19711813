//! The way of a command to the venue and back, once.

use std::future::poll_fn;
use std::ops::Deref;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use protocol::signed::ApiError;
use tokio::time::timeout;
use types::{Command, Entry, Envelope, Event, InstrumentId, Origin, RetryKey};
use venue::{Applied, Reply, SpoolError, Stage, retry_key};

use crate::access::came_to_log;
use crate::ask::{ask_views, refused};
use crate::call::SignedCall;
use crate::clock::now_us;
use crate::shared::Shared;

/// What became of a command.
pub(crate) struct Outcome {
    pub(crate) events: Events,
    /// It had been carried out before, and these are the events of that time.
    repeated: bool,
    /// When it was known here.
    pub(crate) woken: Instant,
}

/// All events of a command. They are as large as a page of memory soon, so most are left where they are.
pub(crate) enum Events {
    Of(Arc<Applied>),
    Gathered(Vec<Event>),
}

impl From<Reply> for Events {
    fn from(reply: Reply) -> Self {
        match reply.continued.is_empty() {
            true => Self::Of(reply.applied),
            false => Self::Gathered(reply.events().copied().collect()),
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

impl Outcome {
    /// The answer that `build` makes of the events. A repeated request must be like the first one.
    pub(crate) fn answer<T>(
        &self,
        instrument: InstrumentId,
        build: impl FnOnce(&[Event]) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        if !self.repeated {
            return build(&self.events);
        }
        let foreign = self
            .events
            .iter()
            .any(|event| instrument_of(event).is_some_and(|of_event| of_event != instrument));
        let other_request = || {
            ApiError::new(400, -1130, "This Idempotency-Key was used for another request before.")
        };
        if foreign {
            return Err(other_request());
        }
        build(&self.events).map_err(|error| match error == ApiError::unknown() {
            true => other_request(),
            false => error,
        })
    }
}

fn instrument_of(event: &Event) -> Option<InstrumentId> {
    marketdata::BookUpdate::of(event).map(|update| update.instrument)
}

impl Shared {
    /// The first step of something. The commands in it are carried out with those of others, when it is
    /// time for that ([`venue::Handle::carry_out`]).
    pub(crate) async fn begin<T>(&self, mut whole: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
        poll_fn(|context| Poll::Ready(self.handle.gather(|| whole.as_mut().poll(context)))).await
    }

    /// Something whose first step sends several commands, which are carried out together.
    pub(crate) async fn together<T>(&self, whole: impl Future<Output = T>) -> T {
        let mut whole = pin!(whole);
        let begun = self.begin(whole.as_mut()).await;
        self.handle.carry_out();
        match begun {
            Poll::Ready(done) => done,
            Poll::Pending => whole.await,
        }
    }
}

impl SignedCall {
    /// Has a command carried out, once.
    pub(crate) async fn submit(&self, command: Command) -> Result<Outcome, ApiError> {
        let retry_key = self.retry_key.clone()?;
        self.submit_with(retry_key, command).await
    }

    /// As one of several commands of a request: when it is repeated, each is recognised by itself.
    pub(crate) async fn submit_part(
        &self,
        part: usize,
        command: Command,
    ) -> Result<Outcome, ApiError> {
        let of_part = |key: RetryKey| retry_key(&[&key[..], &part.to_le_bytes()].concat());
        let retry_key = self.retry_key.clone()?.map(of_part);
        self.submit_with(retry_key, command).await
    }

    async fn submit_with(
        &self,
        retry_key: Option<RetryKey>,
        command: Command,
    ) -> Result<Outcome, ApiError> {
        if now_us() > self.expires_us {
            return Err(ApiError::outside_recv_window());
        }
        let envelope = Envelope {
            account: self.signer.account,
            key: self.signer.key,
            session: self.session,
            client_seq: 0,
            origin: self.origin,
            received_ns: self.received_ns,
            retry_key,
        };
        came_to_log();
        let submitted = self.shared.handle.submit(Entry { envelope, command });
        let mut reply = submitted.map_err(refused)?;
        if self.origin == Origin::WebSocket {
            // What came together was gathered, and a client that does not read holds up all else.
            reply = reply.at_once();
        }
        let Ok(Ok(reply)) = timeout(self.shared.settings.answer_timeout, reply).await else {
            // Slow, or stopped before it answered: the command may have been committed.
            return Err(ApiError::timeout());
        };
        let reply = reply.map_err(refused)?;
        let woken = Instant::now();
        if let Some(applied_at) = reply.applied_at {
            let metrics = self.shared.handle.metrics();
            metrics.passed(Stage::Wake, woken.saturating_duration_since(applied_at), 1);
        }
        let events = Events::from(reply);
        match events.first() {
            Some(Event::CommandRepeated(repeated)) => {
                self.first_outcome(repeated.first_sequence).await
            }
            _ => Ok(Outcome { events, repeated: false, woken }),
        }
    }

    /// The events of a command that was carried out before, perhaps before a restart.
    async fn first_outcome(&self, sequence: u64) -> Result<Outcome, ApiError> {
        let reader = ask_views(&self.shared, |_, spool| spool.reader()).await?;
        let read = tokio::task::spawn_blocking(move || reader.read(sequence)).await;
        match read.expect("reading the spool does not panic") {
            Ok(applied) => {
                let events = applied.into_iter().flat_map(|applied| applied.events).collect();
                Ok(Outcome {
                    events: Events::Gathered(events),
                    repeated: true,
                    woken: Instant::now(),
                })
            }
            Err(SpoolError::Gone { .. }) => Err(ApiError::new(
                409,
                -1000,
                "This Idempotency-Key was used before; its request was carried out once, and its \
                 result is no longer kept.",
            )),
            Err(error) => {
                tracing::error!(%error, "the events of a repeated command cannot be read");
                Err(ApiError::unknown())
            }
        }
    }
}
