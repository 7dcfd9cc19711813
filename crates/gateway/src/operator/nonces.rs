//! The nonces of operators' requests, each good once.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

use protocol::operator::nonce_used;
use protocol::signed::ApiError;
use types::KeyId;

/// Only requests with a good signature come here, so an operator fills it, and no other.
const NONCES_MAX: usize = 100_000;

/// The nonces of requests that would still be in time.
#[derive(Debug)]
pub(super) struct Nonces(Mutex<Used>);

#[derive(Debug)]
struct Used {
    nonces: HashSet<(KeyId, Box<str>)>,
    /// When each is late, the next one first.
    by_expiry: BTreeSet<(u64, KeyId, Box<str>)>,
    /// Nonces of requests that were late by now are forgotten. A clock that is set back brings
    /// none of them back.
    forgotten_us: u64,
}

impl Nonces {
    /// Nothing is known of requests before the start, so none of them is accepted.
    pub(super) fn new(latest_expiry_us: u64) -> Self {
        Self(Mutex::new(Used {
            nonces: HashSet::new(),
            by_expiry: BTreeSet::new(),
            forgotten_us: latest_expiry_us,
        }))
    }

    /// Uses the nonce of a request that is late at `expires_us`.
    pub(super) fn use_up(
        &self,
        key: KeyId,
        nonce: &str,
        expires_us: u64,
        now_us: u64,
    ) -> Result<(), ApiError> {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.forget(now_us);
        if expires_us <= used.forgotten_us {
            return Err(ApiError::outside_recv_window());
        }
        if used.nonces.len() >= NONCES_MAX {
            return Err(ApiError::overloaded());
        }
        if !used.nonces.insert((key, nonce.into())) {
            return Err(nonce_used());
        }
        used.by_expiry.insert((expires_us, key, nonce.into()));
        Ok(())
    }
}

impl Used {
    fn forget(&mut self, now_us: u64) {
        while let Some((expires_us, ..)) = self.by_expiry.first()
            && *expires_us < now_us
            && let Some((expires_us, key, nonce)) = self.by_expiry.pop_first()
        {
            self.nonces.remove(&(key, nonce));
            self.forgotten_us = expires_us;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: KeyId = KeyId(1);

    #[test]
    fn a_nonce_is_good_once_for_its_key() {
        let nonces = Nonces::new(0);
        assert_eq!(nonces.use_up(KEY, "one", 15, 10), Ok(()));
        assert_eq!(nonces.use_up(KEY, "one", 15, 10), Err(nonce_used()));
        assert_eq!(nonces.use_up(KEY, "one", 16, 15), Err(nonce_used()));
        assert_eq!(nonces.use_up(KEY, "two", 15, 10), Ok(()));
        assert_eq!(nonces.use_up(KeyId(2), "one", 15, 10), Ok(()));
    }

    #[test]
    fn a_late_nonce_is_forgotten_and_does_not_come_back_with_the_clock() {
        let nonces = Nonces::new(0);
        assert_eq!(nonces.use_up(KEY, "one", 15, 10), Ok(()));
        assert_eq!(nonces.use_up(KEY, "two", 25, 20), Ok(()));
        assert_eq!(nonces.0.lock().unwrap().nonces.len(), 1);
        // The clock is set back, and the first request is in time once more.
        assert_eq!(nonces.use_up(KEY, "one", 15, 10), Err(ApiError::outside_recv_window()));
    }

    #[test]
    fn requests_from_before_the_start_are_late() {
        let nonces = Nonces::new(15);
        assert_eq!(nonces.use_up(KEY, "one", 15, 12), Err(ApiError::outside_recv_window()));
        assert_eq!(nonces.use_up(KEY, "one", 16, 12), Ok(()));
    }
}
