//! NATS: a stream of JetStream with all events, each under the subject of its instrument.
//!
//! # Invariants
//! - A message names the one that it comes after, by its id; the first of a connection by its
//!   place in the stream. So when one is not taken none after it is, and a second writer is an
//!   error and not a disorder.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::context::{PublishAckFuture, PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectErrorKind, ConnectOptions};
use bytes::Bytes;
use projection::Standstill;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::publish::address::Address;
use crate::publish::failure::Failed;
use crate::publish::message::{Event, EventId};
use crate::publish::publisher::{Broker, Connection, Resume};

/// Messages that the stream keeps, if the URL does not say.
const MESSAGES_MAX: u64 = 10_000_000;
/// Messages whose acknowledgements are waited for together.
const TOGETHER: usize = 1_000;
const CONNECT_MAX: Duration = Duration::from_secs(5);
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// Headers of a message.
const ID: &str = "Nats-Msg-Id";
const TIME: &str = "Buttonwood-Time-Ns";

/// A server of NATS, and the stream there.
#[derive(Clone)]
pub struct Nats {
    address: Address,
    user: Option<String>,
    authorities: Option<PathBuf>,
    stream: String,
    /// The first words of all subjects.
    subject: String,
    messages_max: i64,
}

impl Nats {
    pub const SCHEMES: [&'static str; 2] = ["nats", "tls"];

    pub fn parse(mut address: Address) -> Result<Self, String> {
        address.host()?;
        if address.user()?.is_some() && address.password().is_none() {
            return Err("it has a user and no password: name a token by password-file".into());
        }
        let prefix = address.take("prefix").unwrap_or_default();
        let messages_max = address.take_number("maxmsgs")?.unwrap_or(MESSAGES_MAX).max(1);
        let nats = Self {
            user: address.user()?,
            authorities: address.take("ca").map(PathBuf::from),
            stream: format!("{prefix}events").replace('.', "_"),
            subject: format!("{prefix}events"),
            messages_max: i64::try_from(messages_max).unwrap_or(i64::MAX),
            address,
        };
        nats.address.finish()?;
        Ok(nats)
    }

    async fn open(&self) -> Result<(Client, Context, Stream), Failed> {
        let mut options = ConnectOptions::new()
            .name("buttonwood")
            .connection_timeout(CONNECT_MAX)
            .require_tls(self.address.scheme() == "tls");
        if let Some(authorities) = &self.authorities {
            options = options.add_root_certificates(authorities.clone());
        }
        options = match (&self.user, self.address.password()) {
            (Some(user), Some(password)) => {
                options.user_and_password(user.clone(), password.to_owned())
            }
            (None, Some(token)) => options.token(token.to_owned()),
            (_, None) => options,
        };
        let server = format!(
            "{}://{}:{}",
            self.address.scheme(),
            self.address.host().map_err(Failed::refused)?,
            self.address.port().unwrap_or(4222)
        );
        let client = options.connect(server).await.map_err(|error| match error.kind() {
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                Failed::refused("does not admit the venue: wrong user, password or token")
            }
            _ => Failed::unreachable(format!("cannot be reached: {error}")),
        })?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(ANSWER_MAX);
        let config = Config {
            name: self.stream.clone(),
            subjects: vec![format!("{}.>", self.subject)],
            max_messages: self.messages_max,
            ..Config::default()
        };
        let stream = context.get_or_create_stream(config).await.map_err(|error| {
            Failed::new(Standstill::Failed, format!("has no stream {}: {error}", self.stream))
        })?;
        Ok((client, context, stream))
    }
}

impl Broker for Nats {
    type Connection = NatsConnection;

    fn connect(&self) -> Result<NatsConnection, Failed> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failed::unreachable(format!("cannot be reached: {error}")))?;
        let opening = async { timeout(CONNECT_MAX + ANSWER_MAX, self.open()).await };
        let (client, context, stream) =
            runtime.block_on(opening).map_err(|_| Failed::unreachable("does not answer"))??;
        let last_sequence = stream.cached_info().state.last_sequence;
        Ok(NatsConnection {
            client,
            context,
            stream,
            subject: self.subject.clone(),
            last_sequence,
            last_id: None,
            runtime,
        })
    }
}

impl fmt::Display for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stream {}", self.address, self.stream)
    }
}

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nats({self})")
    }
}

pub struct NatsConnection {
    client: Client,
    context: Context,
    stream: Stream,
    subject: String,
    /// Of the stream, when this was opened.
    last_sequence: u64,
    /// Of the last message that was sent.
    last_id: Option<String>,
    // After what it serves.
    runtime: Runtime,
}

impl Connection for NatsConnection {
    fn resume(&mut self) -> Result<Resume, Failed> {
        if self.stream.cached_info().state.messages == 0 {
            return Ok(Resume { is_empty: true, ..Resume::default() });
        }
        let asking = self.stream.get_raw_message(self.last_sequence);
        let last = self.runtime.block_on(asking).map_err(|error| {
            Failed::new(Standstill::Failed, format!("does not show its last message: {error}"))
        })?;
        let header = |name| last.headers.get(name).map(ToString::to_string);
        let is_of_others = || {
            let sentence = "holds messages that no venue wrote: name another place with a `prefix`";
            Failed::new(Standstill::OtherVenue, sentence)
        };
        let id = header(ID).and_then(|id| EventId::parse(&id)).ok_or_else(is_of_others)?;
        let time_ns = header(TIME).and_then(|time| time.parse().ok()).ok_or_else(is_of_others)?;
        Ok(Resume { last: Some((id, time_ns)), ..Resume::default() })
    }

    fn publish(&mut self, messages: Vec<Event>) -> Result<usize, Failed> {
        let Self { context, runtime, subject, last_sequence, last_id, .. } = self;
        runtime.block_on(async {
            let mut sent: Vec<PublishAckFuture> = Vec::with_capacity(TOGETHER);
            for some in messages.chunks(TOGETHER) {
                for message in some {
                    let publish = match last_id.replace(message.id().to_string()) {
                        Some(last) => publish(message).expected_last_message_id(last),
                        None => publish(message).expected_last_sequence(*last_sequence),
                    };
                    let sending = context.send_publish(subject_of(subject, message), publish);
                    sent.push(sending.await.map_err(|error| failed(&error))?);
                }
                for acknowledged in sent.drain(..) {
                    acknowledged.await.map_err(|error| failed(&error))?;
                }
            }
            Ok(messages.len())
        })
    }

    fn check(&mut self) -> Result<(), Failed> {
        // The client's own tasks run while something waits.
        self.runtime.block_on(tokio::task::yield_now());
        match self.client.connection_state() {
            State::Connected => Ok(()),
            _ => Err(Failed::unreachable("has closed the connection")),
        }
    }
}

impl fmt::Debug for NatsConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsConnection").field("client", &self.client).finish_non_exhaustive()
    }
}

/// Such as `events.BTCUSDT`; `events.venue` for what belongs to no instrument.
fn subject_of(subject: &str, message: &Event) -> String {
    let symbol = if message.symbol.is_empty() { "venue" } else { &message.symbol };
    format!("{subject}.{symbol}")
}

fn publish(message: &Event) -> PublishMessage {
    PublishMessage::build()
        .payload(Bytes::from(message.json()))
        .message_id(message.id().to_string())
        .header(TIME, message.time_ns.to_string())
}

fn failed(error: &PublishError) -> Failed {
    match error.kind() {
        PublishErrorKind::StreamNotFound => Failed::new(
            Standstill::Missing,
            "was deleted while the venue published to it: its readers have lost what was in it",
        ),
        PublishErrorKind::WrongLastSequence | PublishErrorKind::WrongLastMessageId => Failed::new(
            Standstill::Failed,
            "is not where the venue left it: another program writes to it, or a message was stored \
             without an answer",
        ),
        PublishErrorKind::TimedOut | PublishErrorKind::BrokenPipe => {
            Failed::unreachable(format!("does not answer: {error}"))
        }
        _ => Failed::new(Standstill::Failed, format!("takes no message: {error}")),
    }
}
