//! What all clients of the port share, places and large answers, and how much of it one network may
//! take.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::door::limits::network_of;

/// A network may take an eighth of the whole, and an address of this machine half of it.
const OF_NETWORK: usize = 8;
const OF_LOOPBACK: usize = 2;

/// The address of an IPv4 client, and the /64 of an IPv6 client: all of it is one client's.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Network(IpAddr);

impl Network {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(network_of(address))
    }
}

/// A number of units, and the part of it that each network has taken.
#[derive(Debug)]
pub(crate) struct Shared {
    whole: usize,
    /// What one network may take; `None` is the common part of the whole.
    of_network: Option<usize>,
    taken: Mutex<Taken>,
    /// All units are back.
    all_back: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    in_sum: usize,
    by_network: HashMap<Network, usize>,
}

/// Why no part is left, with the limit that is reached.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Exhausted {
    pub(crate) limit: usize,
}

impl Shared {
    pub(crate) fn new(whole: usize, of_network: Option<usize>) -> Arc<Self> {
        Arc::new(Self { whole, of_network, taken: Mutex::default(), all_back: Notify::new() })
    }

    /// Takes units for a network, or for none: then only the whole is a limit.
    pub(crate) fn take(
        self: &Arc<Self>,
        network: Option<Network>,
        units: usize,
    ) -> Result<Part, Exhausted> {
        let mut taken = self.taken();
        if taken.in_sum + units > self.whole {
            return Err(Exhausted { limit: self.whole });
        }
        if let Some(network) = network {
            taken.add(network, units, self.limit(network))?;
        }
        taken.in_sum += units;
        let left = self.whole - taken.in_sum;
        Ok(Part { of: Arc::clone(self), network, units, left })
    }

    fn limit(&self, Network(address): Network) -> usize {
        let part = if address.is_loopback() { OF_LOOPBACK } else { OF_NETWORK };
        self.of_network.unwrap_or((self.whole / part).max(1)).min(self.whole)
    }

    /// Ready once every part is back.
    pub(crate) async fn all_back(&self) {
        loop {
            let back = self.all_back.notified();
            if self.taken().in_sum == 0 {
                return;
            }
            back.await;
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn add(&mut self, network: Network, units: usize, limit: usize) -> Result<(), Exhausted> {
        let of_network = self.by_network.get(&network).copied().unwrap_or(0);
        if of_network + units > limit {
            return Err(Exhausted { limit });
        }
        self.by_network.insert(network, of_network + units);
        Ok(())
    }

    fn remove(&mut self, network: Network, units: usize) {
        if let Entry::Occupied(mut of_network) = self.by_network.entry(network) {
            *of_network.get_mut() -= units;
            if *of_network.get() == 0 {
                of_network.remove();
            }
        }
    }
}

/// Units that are back once it is dropped.
#[derive(Debug)]
pub(crate) struct Part {
    of: Arc<Shared>,
    network: Option<Network>,
    units: usize,
    /// Units of the whole that were left after this part was taken.
    pub(crate) left: usize,
}

impl Part {
    pub(crate) fn network(&self) -> Option<Network> {
        self.network
    }

    /// Counts the units for another network. If that has no room, they stay where they are.
    pub(crate) fn move_to(&mut self, network: Network) -> Result<(), Exhausted> {
        if self.network == Some(network) {
            return Ok(());
        }
        let mut taken = self.of.taken();
        taken.add(network, self.units, self.of.limit(network))?;
        if let Some(before) = self.network.replace(network) {
            taken.remove(before, self.units);
        }
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut taken = self.of.taken();
        taken.in_sum -= self.units;
        if let Some(network) = self.network {
            taken.remove(network, self.units);
        }
        if taken.in_sum == 0 {
            self.of.all_back.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Option<Network> {
        Some(Network::of(text.parse().unwrap()))
    }

    #[test]
    fn a_network_takes_its_part_and_leaves_the_rest_to_others() {
        let places = Shared::new(16, None);
        let (near, far) = (network("127.0.0.1"), network("192.0.2.7"));
        let of_far: Vec<_> = (0..2).map(|_| places.take(far, 1).unwrap()).collect();
        assert_eq!(places.take(far, 1).unwrap_err().limit, 2);
        assert!(places.take(network("192.0.2.8"), 1).is_ok());
        let of_near: Vec<_> = (0..8).map(|_| places.take(near, 1).unwrap()).collect();
        assert_eq!(places.take(near, 1).unwrap_err().limit, 8);
        assert_eq!(of_near.last().unwrap().left, 6);
        drop(of_far);
        let again = places.take(far, 2).unwrap();
        drop((again, of_near));
        assert!(places.taken().by_network.is_empty());
        assert_eq!(places.taken().in_sum, 0);
    }

    #[test]
    fn the_whole_is_a_limit_for_all_together() {
        let places = Shared::new(3, Some(2));
        let (one, other) = (network("192.0.2.1"), network("192.0.2.2"));
        let _parts = (places.take(one, 2).unwrap(), places.take(other, 1).unwrap());
        assert_eq!(places.take(other, 1).unwrap_err().limit, 3);
    }

    #[test]
    fn units_without_a_network_move_to_the_one_that_they_are_for() {
        let places = Shared::new(16, None);
        let far = network("192.0.2.7").unwrap();
        let mut parts: Vec<_> = (0..3).map(|_| places.take(None, 1).unwrap()).collect();
        assert!(parts[..2].iter_mut().all(|part| part.move_to(far).is_ok()));
        assert_eq!(parts[1].move_to(far), Ok(()), "it is there already");
        assert_eq!(parts[2].move_to(far), Err(Exhausted { limit: 2 }));
        parts.truncate(1);
        assert_eq!(parts[0].move_to(network("192.0.2.8").unwrap()), Ok(()));
        assert_eq!(places.taken().by_network.len(), 1);
        drop(parts);
        assert!(places.taken().by_network.is_empty());
        assert_eq!(places.taken().in_sum, 0);
    }

    #[test]
    fn addresses_of_one_client_are_one_network() {
        assert_eq!(network("2001:db8:0:1::1"), network("2001:db8:0:1:ffff::2"));
        assert_ne!(network("2001:db8:0:1::1"), network("2001:db8:0:2::1"));
        assert_eq!(network("::ffff:192.0.2.7"), network("192.0.2.7"));
        assert_ne!(network("127.0.0.1"), network("127.0.0.2"));
    }
}
