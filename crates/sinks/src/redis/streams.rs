//! The stream `events`: an entry for each event, whose id is the event's.

use std::fmt;
use std::time::{Duration, Instant};

use redis::{Script, cmd};
use serde_json::Value as Json;

use crate::publish::failure::Failed;
use crate::publish::message::{Event, EventId};
use crate::publish::publisher::{Broker, Connection, Resume};
use crate::redis::link::Link;
use crate::redis::settings::{Redis, STREAM};
use projection::Standstill;

/// Entries that go together.
const TOGETHER: usize = 1_000;
const ASK_EVERY: Duration = Duration::from_secs(1);

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
            script: Script::new(ADD),
            asked_at: Instant::now(),
        })
    }
}

impl fmt::Display for Streams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name_of_stream())
    }
}

#[derive(Debug)]
pub struct StreamConnection {
    link: Link,
    stream: String,
    stream_max: u64,
    exists: bool,
    script: Script,
    asked_at: Instant,
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
        Ok(Resume { last: Some((id, time_ns)), ..Resume::default() })
    }

    fn publish(&mut self, messages: Vec<Event>) -> Result<usize, Failed> {
        for some in messages.chunks(TOGETHER) {
            let added = self.add(some)?;
            if added < some.len() {
                let sentence = "was deleted while the venue published to it: its readers have lost \
                                what was in it";
                return Err(Failed::new(Standstill::Missing, sentence));
            }
            self.exists = true;
        }
        Ok(messages.len())
    }

    /// A server that is away is noticed while there are no events, too.
    fn check(&mut self) -> Result<(), Failed> {
        if self.asked_at.elapsed() < ASK_EVERY {
            return Ok(());
        }
        self.asked_at = Instant::now();
        let mut ask = cmd("EXISTS");
        ask.arg(&self.stream);
        self.link.ask::<i64>(&ask).map(drop)
    }
}

/// Adds entries, and ends with the first that is refused: a pipeline would add those after it, and
/// leave a hole. Returns how many it has added. Only the first entry makes the stream: if it is
/// deleted later, that is seen.
const ADD: &str = r"
local stream, exists, most = KEYS[1], ARGV[1] == '1', ARGV[2]
if exists and redis.call('EXISTS', stream) == 0 then return 0 end
local added = 0
for at = 3, #ARGV, 4 do
  local id, kind, symbol, data = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  if symbol == '' then
    redis.call('XADD', stream, 'MAXLEN', '~', most, id, 'kind', kind, 'data', data)
  else
    redis.call('XADD', stream, 'MAXLEN', '~', most, id, 'kind', kind, 'symbol', symbol, 'data', data)
  end
  added = added + 1
end
return added";

impl StreamConnection {
    fn add(&mut self, messages: &[Event]) -> Result<usize, Failed> {
        let mut call = self.script.prepare_invoke();
        call.key(&self.stream).arg(u8::from(self.exists)).arg(self.stream_max);
        for message in messages {
            let (id, data) = (message.id().to_string(), message.json());
            call.arg(id).arg(&message.kind).arg(&message.symbol).arg(data);
        }
        self.asked_at = Instant::now();
        self.link.invoke(&call)
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
