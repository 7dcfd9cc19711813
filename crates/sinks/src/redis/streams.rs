//! The stream `events`: an entry for each event, whose id is the event's.

use std::fmt;

use redis::{Cmd, Value, cmd};
use serde_json::Value as Json;

use crate::publish::failure::Failed;
use crate::publish::message::{Event, EventId};
use crate::publish::publisher::{Broker, Connection, Resume};
use crate::redis::link::Link;
use crate::redis::settings::Redis;
use projection::Standstill;

const STREAM: &str = "events";
/// Entries that go together.
const TOGETHER: usize = 1_000;

/// The stream of a server.
#[derive(Clone, Debug)]
pub struct Streams(pub Redis);

impl Broker for Streams {
    type Connection = StreamConnection;

    fn connect(&self) -> Result<StreamConnection, Failed> {
        let Self(redis) = self;
        let stream = redis.key(STREAM);
        Ok(StreamConnection {
            link: Link::open(redis)?,
            stream,
            stream_max: redis.stream_max,
            exists: false,
        })
    }
}

impl fmt::Display for Streams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stream {}", self.0, self.0.key(STREAM))
    }
}

#[derive(Debug)]
pub struct StreamConnection {
    link: Link,
    stream: String,
    stream_max: u64,
    exists: bool,
}

impl Connection for StreamConnection {
    fn resume(&mut self) -> Result<Resume, Failed> {
        let mut ask = cmd("XREVRANGE");
        ask.arg(&self.stream).arg("+").arg("-").arg("COUNT").arg(1);
        let found: Vec<(String, Vec<(String, String)>)> = self.link.ask(&ask)?;
        let Some((id, fields)) = found.into_iter().next() else {
            return Ok(Resume { is_empty: true, ..Resume::default() });
        };
        self.exists = true;
        let id = EventId::parse(&id).ok_or_else(|| self.is_of_others())?;
        let data = fields.into_iter().find(|(name, _)| name == "data");
        let (_, data) = data.ok_or_else(|| self.is_of_others())?;
        let time_ns = time_of(&data).ok_or_else(|| self.is_of_others())?;
        Ok(Resume {
            sequence: id.sequence.saturating_sub(1),
            last: Some((id, time_ns)),
            is_empty: false,
        })
    }

    fn publish(&mut self, messages: Vec<Event>) -> Result<(), Failed> {
        for some in messages.chunks(TOGETHER) {
            let entries = some.iter().map(|message| self.entry(message)).collect();
            let added = self.link.ask_all(entries)?;
            if added.contains(&Value::Nil) {
                let sentence = "was deleted while the venue published to it: its readers have lost \
                                what was in it";
                return Err(Failed::new(Standstill::Missing, sentence));
            }
            self.exists = true;
        }
        Ok(())
    }
}

impl StreamConnection {
    /// Only the first entry makes the stream: if it is deleted later, that is seen.
    fn entry(&self, message: &Event) -> Cmd {
        let mut entry = cmd("XADD");
        entry.arg(&self.stream);
        if self.exists {
            entry.arg("NOMKSTREAM");
        }
        entry.arg("MAXLEN").arg("~").arg(self.stream_max).arg(message.id().to_string());
        entry.arg("kind").arg(&message.kind);
        if !message.symbol.is_empty() {
            entry.arg("symbol").arg(&message.symbol);
        }
        entry.arg("data").arg(message.json());
        entry
    }

    fn is_of_others(&self) -> Failed {
        let sentence = "holds entries that no venue wrote: name another place with a `prefix`";
        Failed::new(Standstill::OtherVenue, sentence)
    }
}

fn time_of(data: &str) -> Option<u64> {
    let data: Json = serde_json::from_str(data).ok()?;
    data.get("timeNs")?.as_str()?.parse().ok()
}
