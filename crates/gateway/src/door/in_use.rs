//! What clients have in use, by address and by account: requests in flight, and streams.
//!
//! A connection has limits of its own. These hold for all connections of a client together, and for
//! all clients of an account.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use types::AccountId;

use crate::door::limits::network_of;
use crate::door::settings::DoorSettings;

/// An address of this machine may have this many times as much: many programs share it.
const LOOPBACK_TIMES: usize = 4;
/// Requests that end orders may be this many times as many as all requests: no flood of others
/// keeps them out.
const CANCELS_TIMES: usize = 2;

/// What all clients have in use.
#[derive(Debug)]
pub(crate) struct InUse {
    settings: DoorSettings,
    requests_refused: AtomicU64,
    requests_of_address: Counts<IpAddr>,
    requests_of_account: Counts<AccountId>,
    streams_of_address: Counts<IpAddr>,
    streams_of_account: Counts<AccountId>,
}

impl InUse {
    pub(crate) fn new(settings: &DoorSettings) -> Self {
        Self {
            settings: *settings,
            requests_refused: AtomicU64::default(),
            requests_of_address: Counts::default(),
            requests_of_account: Counts::default(),
            streams_of_address: Counts::default(),
            streams_of_account: Counts::default(),
        }
    }

    /// A request in flight, until the answer is there; `None` above the limit of its address.
    pub(crate) fn request_of_address(&self, peer: IpAddr, ends: bool) -> Option<Held<IpAddr>> {
        let limit = of_address(self.settings.requests_per_address_max, peer) * times(ends);
        self.counted(self.requests_of_address.take(network_of(peer), 1, limit))
    }

    /// Likewise of the account whose key sent it.
    pub(crate) fn request_of_account(
        &self,
        account: AccountId,
        ends: bool,
    ) -> Option<Held<AccountId>> {
        let limit = self.settings.requests_per_account_max * times(ends);
        self.counted(self.requests_of_account.take(account, 1, limit))
    }

    fn counted<T>(&self, held: Option<T>) -> Option<T> {
        if held.is_none() {
            self.requests_refused.fetch_add(1, Ordering::Relaxed);
        }
        held
    }

    /// Requests above a limit since the start.
    pub(crate) fn requests_refused(&self) -> u64 {
        self.requests_refused.load(Ordering::Relaxed)
    }

    /// The streams of one connection; none yet.
    pub(crate) fn streams_of_address(&self, peer: IpAddr) -> Streams {
        let limit = of_address(self.settings.streams_per_address_max, peer);
        let none = self.streams_of_address.take(network_of(peer), 0, limit);
        Streams { held: none.expect("no units are within any limit"), limit }
    }

    /// A stream of an account's events; `None` above the account's limit.
    pub(crate) fn stream_of_account(&self, account: AccountId) -> Option<Held<AccountId>> {
        self.streams_of_account.take(account, 1, self.settings.user_streams_per_account_max)
    }
}

fn of_address(limit: usize, peer: IpAddr) -> usize {
    if peer.to_canonical().is_loopback() { limit * LOOPBACK_TIMES } else { limit }
}

fn times(ends: bool) -> usize {
    if ends { CANCELS_TIMES } else { 1 }
}

/// The units of each holder that has some.
#[derive(Debug)]
struct Counts<K>(Arc<Mutex<HashMap<K, usize>>>);

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Copy + Eq + Hash> Counts<K> {
    /// `None` if the holder would have more than `limit`.
    fn take(&self, holder: K, units: usize, limit: usize) -> Option<Held<K>> {
        let mut held = Held { counts: Arc::clone(&self.0), holder, units: 0 };
        held.resize(units, limit).then_some(held)
    }
}

/// Units of a holder, which are back once it is dropped.
#[derive(Debug)]
pub(crate) struct Held<K: Copy + Eq + Hash> {
    counts: Arc<Mutex<HashMap<K, usize>>>,
    holder: K,
    units: usize,
}

impl<K: Copy + Eq + Hash> Held<K> {
    /// Whether the holder has at most `limit` with these units, or less than before; otherwise
    /// nothing changes.
    fn resize(&mut self, units: usize, limit: usize) -> bool {
        if units == self.units {
            return true;
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = counts.entry(self.holder);
        let before = match &entry {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(_) => 0,
        };
        let after = before - self.units + units;
        if units > self.units && after > limit {
            return false;
        }
        match entry {
            Entry::Occupied(found) if after == 0 => drop(found.remove()),
            entry => drop(entry.insert_entry(after)),
        }
        self.units = units;
        true
    }
}

impl<K: Copy + Eq + Hash> Drop for Held<K> {
    fn drop(&mut self) {
        self.resize(0, 0);
    }
}

/// The streams of one connection, as a part of those of its address.
#[derive(Debug)]
pub(crate) struct Streams {
    held: Held<IpAddr>,
    /// Of the address.
    pub(crate) limit: usize,
}

impl Streams {
    /// Whether the address may have the connection with this many; otherwise nothing changes.
    pub(crate) fn resize(&mut self, streams: usize) -> bool {
        self.held.resize(streams, self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_use() -> InUse {
        InUse::new(&DoorSettings {
            requests_per_address_max: 2,
            requests_per_account_max: 1,
            streams_per_address_max: 5,
            user_streams_per_account_max: 1,
            ..DoorSettings::default()
        })
    }

    #[test]
    fn a_client_has_its_part_and_leaves_that_of_others() {
        let in_use = in_use();
        let begin = |peer: &str, ends| in_use.request_of_address(peer.parse().unwrap(), ends);
        let both = [begin("2001:db8::1", false).unwrap(), begin("2001:db8::2", false).unwrap()];
        assert!(begin("2001:db8::3", false).is_none(), "they are one network");
        assert!(begin("192.0.2.7", false).is_some());
        let cancels = [begin("2001:db8::1", true).unwrap(), begin("2001:db8::1", true).unwrap()];
        assert!(begin("2001:db8::1", true).is_none());
        drop(both);
        assert!(begin("2001:db8::3", false).is_none(), "cancels count too");
        drop(cancels);
        let near: Vec<_> = (0..8).map(|_| begin("127.0.0.1", false).unwrap()).collect();
        assert!(begin("127.0.0.1", false).is_none());
        drop(near);
        assert!(in_use.requests_of_address.0.lock().unwrap().is_empty());

        let of_account = in_use.request_of_account(AccountId(1), false);
        assert!(in_use.request_of_account(AccountId(1), false).is_none());
        assert!(in_use.request_of_account(AccountId(1), true).is_some());
        assert!(in_use.request_of_account(AccountId(2), false).is_some());
        drop(of_account);
        assert!(in_use.request_of_account(AccountId(1), false).is_some());
    }

    #[test]
    fn streams_of_all_connections_of_an_address_are_one_sum() {
        let in_use = in_use();
        let peer = "192.0.2.7".parse().unwrap();
        let [mut one, mut other] = [0; 2].map(|_| in_use.streams_of_address(peer));
        assert!(one.resize(4) && other.resize(1));
        assert!(!other.resize(2));
        assert!(one.resize(2) && other.resize(3));
        assert!(!one.resize(3), "what was refused changed nothing");
        drop(other);
        assert!(one.resize(5));
        drop(one);
        assert!(in_use.streams_of_address.0.lock().unwrap().is_empty());
        let _stream = in_use.stream_of_account(AccountId(1)).unwrap();
        assert!(in_use.stream_of_account(AccountId(1)).is_none());
    }
}
