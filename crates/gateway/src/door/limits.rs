//! Request limits of client addresses.
//!
//! An address has a bucket of weight that refills within a minute. A sender that continues with an
//! empty bucket is banned, each time for longer. The limits protect this process; the engine limits
//! the orders of an account.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::clock::machine_ns;
use crate::door::settings::DoorSettings as Settings;

/// Refusals that ban an address, unless it paused for [`FORGIVEN_AFTER`].
const REFUSALS_MAX: u32 = 20;
const FORGIVEN_AFTER: Duration = Duration::from_secs(120);
const BAN_FIRST: Duration = Duration::from_secs(120);
const BAN_MAX: Duration = Duration::from_secs(3 * 24 * 3600);
/// Offenders kept. Above this number, forgiven ones are removed.
const ADDRESSES_MAX: usize = 10_000;

type Buckets =
    RateLimiter<IpAddr, HashMapStateStore<IpAddr>, DefaultClock, StateInformationMiddleware>;

#[derive(Debug)]
pub(crate) struct Limits {
    /// Weight that an address may spend in a minute.
    pub(crate) weight_per_minute: u32,
    is_loopback_limited: bool,
    buckets: Buckets,
    offenders: Mutex<HashMap<IpAddr, Offender>>,
    /// Requests that were refused for their weight, and those of banned addresses.
    refused: [AtomicU64; 2],
}

/// Why a request of an address is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum OverLimit {
    TooMuchWeight {
        /// Weight a minute.
        limit: u32,
        /// Of it, the weight that is used now.
        used: u32,
        retry_after_s: u64,
    },
    /// The address continued after its refusals.
    Banned { used: u32, until_ms: u64, retry_after_s: u64 },
}

impl OverLimit {
    /// The used weight of the address.
    pub(crate) fn used(self) -> u32 {
        match self {
            Self::TooMuchWeight { used, .. } | Self::Banned { used, .. } => used,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Offender {
    refusals: u32,
    bans: u32,
    refused_at: Instant,
    /// Of its last refusal; while the address is banned, it uses no more.
    used: u32,
    banned_until: Option<Instant>,
}

impl Limits {
    pub(crate) fn new(settings: &Settings) -> Self {
        let per_minute = NonZeroU32::new(settings.weight_per_minute).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_minute(per_minute);
        Self {
            weight_per_minute: per_minute.get(),
            is_loopback_limited: settings.loopback_limited,
            buckets: RateLimiter::hashmap(quota).with_middleware(),
            offenders: Mutex::default(),
            refused: Default::default(),
        }
    }

    /// Returns what the address has spent, this request included, of [`Limits::weight_per_minute`].
    pub(crate) fn spend(&self, peer: IpAddr, weight: u32) -> Result<u32, OverLimit> {
        self.try_spend(peer, weight).inspect_err(|over| {
            let kind = match over {
                OverLimit::TooMuchWeight { .. } => 0,
                OverLimit::Banned { .. } => 1,
            };
            self.refused[kind].fetch_add(1, Ordering::Relaxed);
        })
    }

    /// Requests refused since the start: for their weight, and of banned addresses.
    pub(crate) fn refused(&self) -> [u64; 2] {
        [0, 1].map(|kind: usize| self.refused[kind].load(Ordering::Relaxed))
    }

    /// Addresses that are banned now.
    pub(crate) fn banned_count(&self) -> u64 {
        let now = Instant::now();
        let offenders = self.offenders();
        let is_banned = |of: &&Offender| of.banned_until.is_some_and(|until| until > now);
        offenders.values().filter(is_banned).count() as u64
    }

    fn try_spend(&self, peer: IpAddr, weight: u32) -> Result<u32, OverLimit> {
        if !self.applies_to(peer) {
            return Ok(weight);
        }
        let peer = network_of(peer);
        if let Some(banned) = self.ban(peer) {
            return Err(banned);
        }
        let Some(weight) = NonZeroU32::new(weight) else { return Ok(0) };
        match self.buckets.check_key_n(&peer, weight) {
            Ok(Ok(state)) => Ok(self.weight_per_minute - state.remaining_burst_capacity()),
            Ok(Err(until)) => {
                let wait = until.wait_time_from(DefaultClock::default().now());
                Err(self.refuse(peer, wait, self.used(weight, wait)))
            }
            // The request weighs more than a full bucket.
            Err(_) => Err(self.refuse(peer, Duration::from_secs(60), self.weight_per_minute)),
        }
    }

    /// Whether an address is limited at all.
    pub(crate) fn applies_to(&self, peer: IpAddr) -> bool {
        self.is_loopback_limited || !peer.to_canonical().is_loopback()
    }

    /// The weight that is used, if a request of this weight has to wait this long.
    fn used(&self, weight: NonZeroU32, wait: Duration) -> u32 {
        let limit = u64::from(self.weight_per_minute);
        let missing = (wait.as_secs_f64() * f64::from(self.weight_per_minute) / 60.0).ceil();
        let used = (limit + missing as u64).saturating_sub(u64::from(weight.get()));
        u32::try_from(used.min(limit)).unwrap_or(self.weight_per_minute)
    }

    fn refuse(&self, peer: IpAddr, wait: Duration, used: u32) -> OverLimit {
        let now = Instant::now();
        let mut offenders = self.offenders();
        if offenders.len() >= ADDRESSES_MAX {
            offenders.retain(|_, offender| !offender.is_forgiven(now));
        }
        let fresh = Offender { refusals: 0, bans: 0, refused_at: now, used, banned_until: None };
        let offender = offenders.entry(peer).or_insert(fresh);
        if now - offender.refused_at > FORGIVEN_AFTER {
            offender.refusals = 0;
        }
        (offender.refused_at, offender.used) = (now, used);
        offender.refusals += 1;
        if offender.refusals < REFUSALS_MAX {
            return OverLimit::TooMuchWeight {
                limit: self.weight_per_minute,
                used,
                retry_after_s: seconds(wait),
            };
        }
        let ban = BAN_FIRST.saturating_mul(1 << offender.bans.min(16)).min(BAN_MAX);
        (offender.refusals, offender.bans) = (0, offender.bans + 1);
        offender.banned_until = Some(now + ban);
        tracing::warn!(%peer, seconds = ban.as_secs(), "an address is banned");
        banned(used, ban)
    }

    /// The ban that the address is under.
    fn ban(&self, peer: IpAddr) -> Option<OverLimit> {
        let now = Instant::now();
        let Offender { used, refused_at, banned_until, .. } = *self.offenders().get(&peer)?;
        let left = banned_until?.checked_duration_since(now).filter(|left| !left.is_zero())?;
        let limit = u128::from(self.weight_per_minute);
        let refilled = (now - refused_at).as_millis() * limit / 60_000;
        let refilled = u32::try_from(refilled).unwrap_or(u32::MAX);
        Some(banned(used.saturating_sub(refilled), left))
    }

    /// Removes the buckets of idle addresses.
    pub(crate) fn remove_idle(&self) {
        self.buckets.retain_recent();
        self.buckets.shrink_to_fit();
    }

    fn offenders(&self) -> std::sync::MutexGuard<'_, HashMap<IpAddr, Offender>> {
        self.offenders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn banned(used: u32, left: Duration) -> OverLimit {
    let until_ms = machine_ns() / 1_000_000 + u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
    OverLimit::Banned { used, until_ms, retry_after_s: seconds(left) }
}

impl Offender {
    fn is_forgiven(&self, now: Instant) -> bool {
        now - self.refused_at > FORGIVEN_AFTER && self.banned_until.is_none_or(|until| until < now)
    }
}

/// Masks an IPv6 address to its /64 network: one customer has 2^64 addresses.
pub(crate) fn network_of(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        other => other,
    }
}

/// Rounded up, so that a sender that waits this long is not too early.
fn seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(settings: Settings) -> Limits {
        Limits::new(&Settings { weight_per_minute: 100, ..settings })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_spends_what_it_has_and_then_has_to_wait() {
        let limits = limits(Settings::default());
        assert_eq!(limits.spend(address("192.0.2.1"), 60), Ok(60));
        assert_eq!(limits.spend(address("192.0.2.1"), 40), Ok(100));
        let error = limits.spend(address("192.0.2.1"), 40).unwrap_err();
        // Part of it may be free again already.
        assert!((98..=100).contains(&error.used()), "{error:?}");
        let OverLimit::TooMuchWeight { limit: 100, retry_after_s, .. } = error else {
            panic!("{error:?}");
        };
        assert!((1..=24).contains(&retry_after_s), "{error:?}");
        assert_eq!(limits.spend(address("192.0.2.2"), 40), Ok(40));
    }

    #[test]
    fn an_address_that_does_not_stop_is_banned() {
        let limits = limits(Settings::default());
        let peer = address("2001:db8::1");
        assert_eq!(limits.spend(peer, 100), Ok(100));
        for _ in 1..REFUSALS_MAX {
            let refused = limits.spend(peer, 100);
            assert!(matches!(refused, Err(OverLimit::TooMuchWeight { .. })), "{refused:?}");
        }
        let banned = limits.spend(peer, 100);
        assert!(matches!(banned, Err(OverLimit::Banned { .. })), "{banned:?}");
        // Another address of the same network.
        let banned = limits.spend(address("2001:db8::2"), 0);
        assert!(matches!(banned, Err(OverLimit::Banned { retry_after_s: 120, .. })), "{banned:?}");
        assert_eq!(limits.spend(address("2001:db8:0:1::1"), 1), Ok(1));
    }

    #[test]
    fn a_banned_address_is_shown_what_it_has_used() {
        let limits = limits(Settings::default());
        let peer = address("192.0.2.1");
        assert_eq!(limits.spend(peer, 80), Ok(80));
        for _ in 0..REFUSALS_MAX {
            // Part of it may be free again already.
            let refused = limits.spend(peer, 50).unwrap_err();
            assert!((75..=80).contains(&refused.used()), "{refused:?}");
        }
        let banned = limits.spend(peer, 1).unwrap_err();
        assert!(matches!(banned, OverLimit::Banned { used: 75..=80, .. }), "{banned:?}");
        // A minute later the bucket is full again.
        let minute = Duration::from_secs(60);
        let mut offenders = limits.offenders();
        let offender = offenders.get_mut(&peer).unwrap();
        offender.refused_at -= minute;
        drop(offenders);
        let banned = limits.spend(peer, 1).unwrap_err();
        assert!(matches!(banned, OverLimit::Banned { used: 0, .. }), "{banned:?}");
    }

    #[test]
    fn this_machine_is_limited_when_asked_for() {
        let own = limits(Settings::default());
        for _ in 0..10 {
            assert_eq!(own.spend(address("127.0.0.1"), 50), Ok(50));
        }
        let limited = limits(Settings { loopback_limited: true, ..Settings::default() });
        assert_eq!(limited.spend(address("::ffff:127.0.0.1"), 100), Ok(100));
        assert!(limited.spend(address("127.0.0.1"), 1).is_err());
    }
}
