//! The database as the feed's backend.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use projection::{
    Backend, Followed, History, HistoryRetention, Interrupter, ProjectionError, ReadModel,
    Standstill,
};

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::history::PostgresHistory;
use crate::postgres::partition::span_ns;
use crate::postgres::store::{Interrupt, PostgresStore};

/// Between two tries, once several have failed. A server that is back is noticed within this time.
const RETRY_MAX: Duration = Duration::from_secs(4);

/// The read model of a venue in a database of PostgreSQL.
#[derive(Clone, Debug)]
pub struct Postgres {
    address: Address,
    partition_ns: u64,
    interrupt: Arc<Interrupt>,
}

impl Postgres {
    /// The retention decides how long a time partitions of a new database span.
    pub fn at(address: Address, retention: &HistoryRetention) -> Self {
        Self { address, partition_ns: span_ns(retention), interrupt: Arc::default() }
    }
}

impl Backend for Postgres {
    type Store = PostgresStore;

    fn open(&self) -> Result<PostgresStore, ProjectionError> {
        PostgresStore::open(&self.address, self.partition_ns, Arc::clone(&self.interrupt))
    }

    /// A server that is not there would be waited for.
    fn newest(&self) -> Option<(u64, u64)> {
        None
    }

    /// Empties the tables, with the rights on them left as they are.
    fn remove(&self) -> Result<(), ProjectionError> {
        let mut store = self.open()?;
        store.begin_anew(self.partition_ns)?;
        store.finish()
    }

    /// What a server holds is its operator's to mend.
    fn set_aside(&self, damage: &ProjectionError) -> Result<(), ProjectionError> {
        let standstill = damage.standstill();
        Err(ProjectionError::Server { standstill, sentence: damage.to_string() })
    }

    /// It may be the only read model of that venue.
    fn keep_beside(&self) -> Result<(), ProjectionError> {
        let sentence = "holds events that the log here does not have: it is of another venue, or this venue \
                        was restored from a backup; name another database, or make this one anew with \
                        `buttonwood projection rebuild --history URL`";
        Err(Failed::Other(Standstill::OtherVenue, sentence.into()).at(&self.address))
    }

    fn retry_max(&self) -> Duration {
        RETRY_MAX
    }

    fn interrupter(&self) -> Interrupter {
        let interrupt = Arc::clone(&self.interrupt);
        Interrupter(Box::new(move || interrupt.set()))
    }
}

impl ReadModel for Postgres {
    fn history(&self, followed: Followed) -> Arc<dyn History> {
        Arc::new(PostgresHistory::new(self.address.clone(), followed))
    }
}

impl fmt::Display for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}
