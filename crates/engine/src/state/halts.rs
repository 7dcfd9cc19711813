//! The halt of the whole venue, and the circuit breaker.

use std::collections::BTreeSet;

use types::{CircuitBreaker, InstrumentId, VenueHalted};

/// Basis points in one.
pub(crate) const BPS: i128 = 10_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct Halts {
    pub(crate) now: Option<VenueHalted>,
    pub(crate) breaker: Option<CircuitBreaker>,
    /// Instruments with work that waits for the end of the halt.
    pub(crate) interrupted: BTreeSet<InstrumentId>,
}

/// Whether each level's decline exceeds that of the previous one.
pub(crate) fn levels_valid(breaker: &CircuitBreaker) -> bool {
    let declines: Vec<u32> =
        breaker.levels.iter().flatten().map(|level| level.decline_bps).collect();
    declines.is_sorted_by(|one, next| one < next)
        && declines.iter().all(|bps| (1..=BPS).contains(&i128::from(*bps)))
}
