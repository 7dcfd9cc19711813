//! Requests that are good once: operators' requests, and those of keys that ask for it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use protocol::signed::sign::Window;
use types::KeyId;

/// Of one key. Only requests with a good signature come here, so no other client fills it.
const USES_MAX: usize = 100_000;

/// The requests that were used and would still be in time.
#[derive(Debug)]
pub(crate) struct SingleUses {
    started_us: u64,
    by_key: Mutex<HashMap<KeyId, Used>>,
}

/// Why a request is not accepted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum NotOnce {
    Repeated,
    /// It was signed before the start, or would have been late before the clock was set back: it
    /// may have been used.
    Late,
    TooMany,
}

#[derive(Debug, Default)]
struct Used {
    requests: HashSet<[u8; 16]>,
    /// When each is late, the next one first.
    by_expiry: BTreeSet<(u64, [u8; 16])>,
    /// Requests that were late by now are forgotten. A clock that is set back brings none of them
    /// back.
    forgotten_us: u64,
}

impl SingleUses {
    /// Nothing is known of requests before the start, so none of them is accepted.
    pub(crate) fn new(started_us: u64) -> Self {
        Self { started_us, by_key: Mutex::default() }
    }

    /// Uses a request, by the hash of what makes it the only one.
    pub(crate) fn use_up(
        &self,
        key: KeyId,
        request: [u8; 16],
        Window { signed_us, expires_us }: Window,
        now_us: u64,
    ) -> Result<(), NotOnce> {
        let mut by_key = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        let used = by_key.entry(key).or_default();
        used.forget(now_us);
        if signed_us <= self.started_us || expires_us <= used.forgotten_us {
            return Err(NotOnce::Late);
        }
        if used.requests.len() >= USES_MAX {
            return Err(NotOnce::TooMany);
        }
        if !used.requests.insert(request) {
            return Err(NotOnce::Repeated);
        }
        used.by_expiry.insert((expires_us, request));
        Ok(())
    }
}

impl Used {
    fn forget(&mut self, now_us: u64) {
        while let Some((expires_us, _)) = self.by_expiry.first()
            && *expires_us < now_us
            && let Some((expires_us, request)) = self.by_expiry.pop_first()
        {
            self.requests.remove(&request);
            self.forgotten_us = expires_us;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: KeyId = KeyId(1);
    const ONE: [u8; 16] = [1; 16];
    const TWO: [u8; 16] = [2; 16];

    /// Five after it was signed.
    fn until(expires_us: u64) -> Window {
        Window { signed_us: expires_us - 5, expires_us }
    }

    #[test]
    fn a_request_is_good_once_for_its_key() {
        let uses = SingleUses::new(0);
        assert_eq!(uses.use_up(KEY, ONE, until(15), 10), Ok(()));
        assert_eq!(uses.use_up(KEY, ONE, until(15), 10), Err(NotOnce::Repeated));
        assert_eq!(uses.use_up(KEY, ONE, until(16), 15), Err(NotOnce::Repeated));
        assert_eq!(uses.use_up(KEY, TWO, until(15), 10), Ok(()));
        assert_eq!(uses.use_up(KeyId(2), ONE, until(15), 10), Ok(()));
    }

    #[test]
    fn a_late_request_is_forgotten_and_does_not_come_back_with_the_clock() {
        let uses = SingleUses::new(0);
        assert_eq!(uses.use_up(KEY, ONE, until(15), 10), Ok(()));
        assert_eq!(uses.use_up(KEY, TWO, until(25), 20), Ok(()));
        assert_eq!(uses.by_key.lock().unwrap()[&KEY].requests.len(), 1);
        // The clock is set back, and the first request is in time once more.
        assert_eq!(uses.use_up(KEY, ONE, until(15), 10), Err(NotOnce::Late));
    }

    #[test]
    fn requests_from_before_the_start_are_late() {
        let uses = SingleUses::new(10);
        assert_eq!(uses.use_up(KEY, ONE, until(15), 12), Err(NotOnce::Late));
        assert_eq!(uses.use_up(KEY, ONE, until(16), 12), Ok(()));
    }

    #[test]
    fn a_key_fills_its_own_room_only() {
        let uses = SingleUses::new(0);
        let request = |n: usize| (n as u128).to_le_bytes();
        for n in 0..USES_MAX {
            assert_eq!(uses.use_up(KEY, request(n), until(15), 10), Ok(()));
        }
        assert_eq!(uses.use_up(KEY, request(USES_MAX), until(15), 10), Err(NotOnce::TooMany));
        assert_eq!(uses.use_up(KeyId(2), ONE, until(15), 10), Ok(()));
        assert_eq!(uses.use_up(KEY, request(USES_MAX), until(25), 20), Ok(()));
    }
}
