//! Slows attempts to sign in, by address and by user name.
//!
//! After [`FREE`] failures each further attempt waits, twice as long each time. An attempt counts
//! as a failure from its begin, so that a burst of attempts gets no more guesses than a sequence.
//! What is refused here counts as nothing: a user gets a turn after the wait, whatever others send.
//!
//! # Known limits
//! Failures under a user's name slow that user too, by [`WAIT_MAX`] at most. A browser key of the
//! user is not slowed by them.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use protocol::signed::ApiError;

use crate::socket::share::Network;

/// Failures without a wait.
const FREE: u32 = 5;
const WAIT_FIRST: Duration = Duration::from_secs(1);
const WAIT_MAX: Duration = Duration::from_secs(60);
const FORGIVEN_AFTER: Duration = Duration::from_secs(15 * 60);
/// Addresses, and user names, that are kept. The one whose failure is the oldest makes room.
const KEPT_MAX: usize = 10_000;
/// Bytes of a user name that are kept; no login has a longer one.
const USER_LEN_MAX: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct BackOff {
    failures: Mutex<Failures>,
}

#[derive(Debug, Default)]
struct Failures {
    of_networks: Counts<Network>,
    of_users: Counts<String>,
}

#[derive(Debug)]
struct Counts<K>(HashMap<K, Count>);

#[derive(Clone, Copy, Debug)]
struct Count {
    failures: u32,
    last: Instant,
}

/// How long an address or a user has to wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Slowed(pub(crate) Duration);

impl Slowed {
    /// The refusal, which begins with what there is too much of.
    pub(crate) fn error(self, too_much: &str) -> ApiError {
        let Self(wait) = self;
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let sentence = format!("{too_much}: try again in {seconds} s.");
        ApiError { retry_after_s: Some(seconds), ..ApiError::new(429, -1003, sentence) }
    }
}

/// An attempt under way. Dropping it leaves it a failure.
#[derive(Debug)]
#[must_use]
pub(crate) struct Attempted<'a> {
    of: &'a BackOff,
    network: Network,
    user: Option<String>,
    begun: Instant,
    /// When the failures before this one were, of the network and of the user.
    last: (Instant, Instant),
}

impl BackOff {
    /// Whether an attempt would have to wait. It counts as nothing.
    pub(crate) fn check(
        &self,
        address: IpAddr,
        user: Option<&str>,
        now: Instant,
    ) -> Result<(), Slowed> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.wait(&Network::of(address), kept(user).as_ref(), now).map_or(Ok(()), Err)
    }

    /// Begins an attempt, of a user if it names one.
    pub(crate) fn begin(
        &self,
        address: IpAddr,
        user: Option<&str>,
        now: Instant,
    ) -> Result<Attempted<'_>, Slowed> {
        let (network, user) = (Network::of(address), kept(user));
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slowed) = failures.wait(&network, user.as_ref(), now) {
            return Err(slowed);
        }
        let of_network = failures.of_networks.add(network, now);
        let of_user = user.as_ref().map_or(now, |user| failures.of_users.add(user.clone(), now));
        drop(failures);
        Ok(Attempted { of: self, network, user, begun: now, last: (of_network, of_user) })
    }
}

impl Attempted<'_> {
    /// The user signed in: earlier failures under the name are forgiven. Those of the address are
    /// not, because an attacker may have one good login.
    pub(crate) fn succeeded(self) {
        let mut failures = self.of.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.of_networks.take_back(&self.network, self.begun, self.last.0);
        if let Some(user) = &self.user {
            failures.of_users.0.remove(user);
        }
    }

    /// The venue could not judge it.
    pub(crate) fn unjudged(self) {
        let mut failures = self.of.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.of_networks.take_back(&self.network, self.begun, self.last.0);
        if let Some(user) = &self.user {
            failures.of_users.take_back(user, self.begun, self.last.1);
        }
    }
}

/// A login is found by its name in letters of any case.
fn kept(user: Option<&str>) -> Option<String> {
    let kept = |user: &str| user.chars().take(USER_LEN_MAX).collect::<String>();
    user.map(|user| kept(user).to_ascii_lowercase())
}

impl Failures {
    fn wait(&self, network: &Network, user: Option<&String>, now: Instant) -> Option<Slowed> {
        let of_network = self.of_networks.wait(network, now);
        let of_user = user.and_then(|user| self.of_users.wait(user, now));
        of_network.max(of_user).map(Slowed)
    }
}

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Clone + Eq + Hash> Counts<K> {
    fn wait(&self, of: &K, now: Instant) -> Option<Duration> {
        let Count { failures, last } = self.0.get(of).filter(|count| !count.is_forgiven(now))?;
        let doublings = failures.checked_sub(FREE)?;
        let wait = WAIT_FIRST.saturating_mul(1 << doublings.min(16)).min(WAIT_MAX);
        let left = wait.saturating_sub(now.saturating_duration_since(*last));
        (!left.is_zero()).then_some(left)
    }

    /// Adds a failure, and returns when the one before it was.
    fn add(&mut self, of: K, now: Instant) -> Instant {
        if self.0.len() >= KEPT_MAX && !self.0.contains_key(&of) {
            self.make_room(now);
        }
        let count = self.0.entry(of).or_insert(Count { failures: 0, last: now });
        let before = if count.is_forgiven(now) { 0 } else { count.failures };
        let last = count.last;
        *count = Count { failures: before.saturating_add(1), last: now };
        last
    }

    /// An attempt was no failure: the wait is that after the one before it, unless another failed
    /// since.
    fn take_back(&mut self, of: &K, begun: Instant, last: Instant) {
        if let Some(count) = self.0.get_mut(of) {
            count.failures = count.failures.saturating_sub(1);
            if count.last == begun {
                count.last = last;
            }
        }
    }

    fn make_room(&mut self, now: Instant) {
        self.0.retain(|_, count| !count.is_forgiven(now));
        if self.0.len() >= KEPT_MAX {
            let oldest = self.0.iter().min_by_key(|(_, count)| count.last);
            if let Some(oldest) = oldest.map(|(of, _)| of.clone()) {
                self.0.remove(&oldest);
            }
        }
    }
}

impl Count {
    fn is_forgiven(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.last) >= FORGIVEN_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 7));
    const FAR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 8));

    fn fail(of: &BackOff, address: IpAddr, user: Option<&str>, now: Instant) -> Result<(), Slowed> {
        of.begin(address, user, now).map(drop)
    }

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn waits_double_up_to_a_limit_and_are_forgiven() {
        let (of, begin) = (BackOff::default(), Instant::now());
        for _ in 0..FREE {
            assert_eq!(fail(&of, NEAR, None, begin), Ok(()));
        }
        let mut now = begin;
        for wait in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(fail(&of, NEAR, None, now), Err(Slowed(seconds(wait))));
            assert_eq!(fail(&of, FAR, None, now), Ok(()), "another address");
            of.failures.lock().unwrap().of_networks.0.remove(&Network::of(FAR));
            now += seconds(wait);
            assert_eq!(fail(&of, NEAR, None, now), Ok(()));
        }
        assert_eq!(fail(&of, NEAR, None, now + FORGIVEN_AFTER), Ok(()));
        assert_eq!(fail(&of, NEAR, None, now + FORGIVEN_AFTER), Ok(()), "it counts from one");
    }

    #[test]
    fn a_name_is_slowed_at_every_address_and_a_success_forgives_the_name_alone() {
        let (of, now) = (BackOff::default(), Instant::now());
        for _ in 0..FREE {
            assert_eq!(fail(&of, NEAR, Some("alice"), now), Ok(()));
        }
        assert_eq!(fail(&of, FAR, Some("alice"), now), Err(Slowed(seconds(1))));
        assert_eq!(fail(&of, FAR, Some("bob"), now), Ok(()));
        of.begin(FAR, Some("alice"), now + seconds(1)).unwrap().succeeded();
        assert_eq!(fail(&of, FAR, Some("alice"), now + seconds(1)), Ok(()));
        assert!(of.begin(NEAR, Some("carol"), now).is_err(), "the address is not forgiven");
    }

    #[test]
    fn a_name_in_other_letters_is_the_same_name() {
        let (of, now) = (BackOff::default(), Instant::now());
        for (at, name) in (0..).zip(["alice", "Alice", "ALICE", "aLice", "alicE"]) {
            let address = IpAddr::from([10, 0, 0, at]);
            assert_eq!(fail(&of, address, Some(name), now), Ok(()));
        }
        assert_eq!(fail(&of, FAR, Some("AlicE"), now), Err(Slowed(seconds(1))));
        of.begin(FAR, Some("Alice"), now + seconds(1)).unwrap().succeeded();
        assert_eq!(fail(&of, FAR, Some("alice"), now + seconds(1)), Ok(()), "forgiven as one");
    }

    #[test]
    fn attempts_at_once_get_no_more_guesses_and_good_ones_take_no_turn() {
        let (of, now) = (BackOff::default(), Instant::now());
        let begun: Vec<_> = (0..10).map(|_| of.begin(NEAR, None, now)).collect();
        assert_eq!(begun.iter().filter(|one| one.is_ok()).count(), FREE as usize);
        for (at, attempt) in begun.into_iter().flatten().enumerate() {
            if at % 2 == 0 { attempt.succeeded() } else { attempt.unjudged() }
        }
        for _ in 0..FREE {
            assert_eq!(fail(&of, NEAR, None, now), Ok(()));
        }
    }

    #[test]
    fn a_good_attempt_lets_the_next_one_wait_no_longer() {
        let (of, now) = (BackOff::default(), Instant::now());
        for _ in 0..FREE {
            assert_eq!(fail(&of, NEAR, None, now), Ok(()));
        }
        assert_eq!(of.check(NEAR, None, now), Err(Slowed(seconds(1))));
        let later = now + seconds(1);
        for user in ["alice", "bob", "carol"] {
            assert_eq!(of.check(NEAR, Some(user), later), Ok(()));
            of.begin(NEAR, Some(user), later).unwrap().succeeded();
        }
        of.begin(NEAR, Some("alice"), later).unwrap().unjudged();
        assert_eq!(fail(&of, NEAR, None, later), Ok(()));
        assert_eq!(of.check(NEAR, None, later), Err(Slowed(seconds(2))));
    }

    #[test]
    fn names_without_end_take_no_memory_without_end() {
        let (of, begin) = (BackOff::default(), Instant::now());
        for n in 0..KEPT_MAX + 10 {
            let now = begin + Duration::from_micros(n as u64);
            let address = IpAddr::from([10, 0, (n >> 8) as u8, n as u8]);
            assert_eq!(fail(&of, address, Some(&format!("{n}{}", "x".repeat(999))), now), Ok(()));
        }
        let failures = of.failures.lock().unwrap();
        assert_eq!((failures.of_networks.0.len(), failures.of_users.0.len()), (KEPT_MAX, KEPT_MAX));
        assert!(failures.of_users.0.keys().all(|user| user.len() == USER_LEN_MAX));
        assert!(!failures.of_networks.0.contains_key(&Network::of([10, 0, 0, 0].into())));
    }
}
