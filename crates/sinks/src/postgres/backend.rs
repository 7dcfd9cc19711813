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
use crate::postgres::interrupt::Interrupt;
use crate::postgres::moving::GRACE;
use crate::postgres::partition::span_ns;
use crate::postgres::routes::Routes;
use crate::postgres::store::PostgresStore;

/// Between two tries, once several have failed. A server that is back is noticed within this time.
const RETRY_MAX: Duration = Duration::from_secs(4);

/// The read model of a venue in a database of PostgreSQL, or in several, by account.
#[derive(Clone, Debug)]
pub struct Postgres {
    addresses: Vec<Address>,
    replicas: Vec<Address>,
    partition_ns: u64,
    grace: Duration,
    interrupt: Arc<Interrupt>,
    routes: Arc<Routes>,
}

impl Postgres {
    /// The retention decides how long a time partitions of a new database span. There is one
    /// address at least, and [`SHARDS_MAX`](crate::postgres::SHARDS_MAX) at most.
    pub fn at(addresses: Vec<Address>, retention: &HistoryRetention) -> Self {
        let routes = Arc::new(Routes::to(addresses.len()));
        let (partition_ns, interrupt) = (span_ns(retention), Arc::default());
        let replicas = Vec::new();
        Self { addresses, replicas, partition_ns, grace: GRACE, interrupt, routes }
    }

    /// With a replica of each database, in the same order, or none.
    #[must_use]
    pub fn with_replicas(self, replicas: Vec<Address>) -> Self {
        assert!(replicas.is_empty() || replicas.len() == self.addresses.len(), "one for each");
        Self { replicas, ..self }
    }

    /// For tests that nothing reads beside.
    #[doc(hidden)]
    #[must_use]
    pub fn without_grace(self) -> Self {
        Self { grace: Duration::ZERO, ..self }
    }

    fn parts(&self) -> (Arc<Interrupt>, Arc<Routes>) {
        (Arc::clone(&self.interrupt), Arc::clone(&self.routes))
    }
}

impl Backend for Postgres {
    type Store = PostgresStore;

    fn open(&self) -> Result<PostgresStore, ProjectionError> {
        let (interrupt, routes) = self.parts();
        let limits = (self.partition_ns, self.grace);
        PostgresStore::open(&self.addresses, limits, interrupt, routes)
    }

    /// A server that is not there would be waited for.
    fn newest(&self) -> Option<(u64, u64)> {
        None
    }

    /// Empties the tables, with the rights on them left as they are.
    fn remove(&self) -> Result<(), ProjectionError> {
        let (interrupt, routes) = self.parts();
        let mut store = PostgresStore::connect(&self.addresses, interrupt, routes)?;
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
        Err(Failed::Other(Standstill::OtherVenue, sentence.into()).at(&self.addresses[0]))
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
        let databases = (&*self.addresses, &*self.replicas);
        Arc::new(PostgresHistory::new(databases, Arc::clone(&self.routes), followed))
    }
}

impl fmt::Display for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.addresses.iter().map(ToString::to_string).collect();
        f.write_str(&shown.join(","))
    }
}
