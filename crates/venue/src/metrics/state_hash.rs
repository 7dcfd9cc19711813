//! The newest hash of the state, for a comparison of two machines.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use types::StateHash;

use super::exposition::{Exposition, MetricSource};

/// The newest hash of the primary's state.
#[derive(Debug, Default)]
pub(super) struct LastHash(Mutex<Option<StateHash>>);

impl LastHash {
    pub(super) fn set(&self, hash: StateHash) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(hash);
    }
}

impl MetricSource for LastHash {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sequence = last.map_or(0, |last| last.sequence).to_string();
        let hex = |hash: [u8; 32]| hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let hash: String = last.map_or_else(String::new, |last| hex(last.state_hash));
        let labels = [("sequence", sequence), ("hash", hash)];
        out.info("state_hash", "Newest hash of the state, to compare with another machine", &labels)
    }
}
