//! What the writer lets readers know: which database has what, and which one is away.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use projection::{ProjectionError, Standstill};

use crate::postgres::map::Map;

#[derive(Debug)]
pub(crate) struct Routes {
    /// `None` until the writer has read it.
    map: RwLock<Option<Arc<Map>>>,
    /// By database: a question would wait for a connection that is refused.
    away: Vec<AtomicBool>,
}

impl Routes {
    pub(crate) fn to(shards: usize) -> Self {
        // What lies in one database needs no map to be found.
        let map = (shards == 1).then(|| Arc::new(Map::first_alone()));
        let away = (0..shards).map(|_| AtomicBool::new(false)).collect();
        Self { map: RwLock::new(map), away }
    }

    pub(crate) fn map(&self) -> Option<Arc<Map>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_map(&self, map: Map) {
        *self.map.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(map));
    }

    pub(crate) fn is_away(&self, shard: usize) -> bool {
        self.away[shard].load(Ordering::Relaxed)
    }

    /// The outcome of the last use of a database.
    pub(crate) fn used<T>(&self, shard: usize, outcome: &Result<T, ProjectionError>) {
        let standstill = outcome.as_ref().err().map(ProjectionError::standstill);
        let is_away = matches!(standstill, Some(Standstill::Unreachable | Standstill::Refused));
        self.away[shard].store(is_away, Ordering::Relaxed);
    }
}
