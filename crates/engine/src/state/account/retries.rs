//! The retry keys of an account, oldest first, with an index by key.
//!
//! # Invariants
//! - The queue and the index have the same keys, each once.

use std::collections::{BTreeMap, VecDeque};

use types::RetryKey;

/// Limit of the retry keys of an account.
pub(crate) const RETRY_KEYS_PER_ACCOUNT: usize = 10_000;

/// A command with a retry key, which the client may repeat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    pub(crate) key: RetryKey,
    pub(crate) sequence: u64,
    pub(crate) expires_ns: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Retries {
    queue: VecDeque<Retry>,
    /// The sequences of the first commands: a scan of a full queue takes some 10 µs for each order.
    sequences: BTreeMap<RetryKey, u64>,
}

impl Retries {
    /// `None` if a key is there twice.
    pub(crate) fn from_list(list: Vec<Retry>) -> Option<Self> {
        let sequences: BTreeMap<_, _> =
            list.iter().map(|retry| (retry.key, retry.sequence)).collect();
        let is_each_once = sequences.len() == list.len();
        is_each_once.then(|| Self { queue: list.into(), sequences })
    }

    pub(crate) fn sequence(&self, key: &RetryKey) -> Option<u64> {
        self.sequences.get(key).copied()
    }

    /// Adds a key that is not there.
    pub(crate) fn push(&mut self, retry: Retry) {
        let replaced = self.sequences.insert(retry.key, retry.sequence);
        debug_assert_eq!(replaced, None, "a retry key is remembered once");
        self.queue.push_back(retry);
    }

    pub(crate) fn pop_oldest(&mut self) -> Option<Retry> {
        let oldest = self.queue.pop_front()?;
        self.sequences.remove(&oldest.key);
        Some(oldest)
    }

    pub(crate) fn oldest(&self) -> Option<&Retry> {
        self.queue.front()
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Retry> {
        self.queue.iter()
    }
}
