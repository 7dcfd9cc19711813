//! Answers for a tool, on the thread of the caller.

use projection::{Answer, ProjectionError, Question, Standstill};
use tokio::runtime::{Builder, Runtime};

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::history::{SETTINGS, ask};
use crate::postgres::map::Map;
use crate::postgres::schema;
use crate::postgres::session::Session;
use crate::postgres::set;
use crate::postgres::spread::spread;

/// A connection to each database of a history.
#[derive(Debug)]
pub struct Reader {
    sessions: Vec<Session>,
    map: Map,
    runtime: Runtime,
}

impl Reader {
    pub fn open(addresses: &[Address]) -> Result<Self, ProjectionError> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
            let sentence = format!("cannot be reached: {error}");
            Failed::Other(Standstill::Failed, sentence).at(&addresses[0])
        })?;
        let connect = async |address| {
            let session = Session::connect(address, SETTINGS).await?;
            schema::check_is_current(&session, address).await?;
            let place = set::read(&session).await?;
            Ok((session, place))
        };
        let (mut sessions, mut places) = (Vec::new(), Vec::new());
        for address in addresses {
            let connected = runtime.block_on(connect(address));
            let (session, place) = connected.map_err(|failed: Failed| failed.at(address))?;
            sessions.push(session);
            places.extend(place);
        }
        let latest = places.into_iter().max_by_key(|place| place.map.version);
        let map = latest.map_or_else(Map::first_alone, |place| place.map);
        Ok(Self { sessions, map, runtime })
    }

    pub fn ask(&self, question: &Question) -> Result<Answer, ProjectionError> {
        let one = |shard: usize| {
            let session = &self.sessions[shard];
            async { ask(session, question, 0).await.map_err(|failed| failed.at(&session.address)) }
        };
        self.runtime.block_on(spread(question, &self.map, self.sessions.len(), one))
    }
}
