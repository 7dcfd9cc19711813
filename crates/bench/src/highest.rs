//! The highest rate of a venue, which a closed loop finds before an open one has half of it.

use cli::Failure;

use super::figures::Highest;
use super::flags::Flags;
use super::latency::Latency;
use super::load::drive;
use super::scenario::Scenario;
use super::venue::Venue;

const SECONDS_MAX: u64 = 10;
/// Of the highest rate, when no other is asked for.
const PART: f64 = 0.5;

impl Highest {
    pub(super) fn find(scenario: &Scenario, flags: &Flags, venue: &Venue) -> Result<Self, Failure> {
        let duration_s = flags.measured().as_secs().min(SECONDS_MAX);
        let all = Flags { rate: None, ramp: None, duration: Some(duration_s), ..flags.clone() };
        let report = drive(scenario, &all, venue).run("highest rate", |_| Ok(()))?;
        let total = report.total();
        Ok(Self {
            duration_s,
            orders_per_s: total.orders as f64 / duration_s as f64,
            latency: Latency::of(&total),
            errors: report.errors,
        })
    }
}

/// The same with half of that many requests a second.
pub(super) fn at_half(flags: &Flags, scenario: &Scenario, orders_per_s: f64) -> Flags {
    let requests_per_s = orders_per_s / scenario.orders_per_request() as f64;
    Flags { rate: Some((requests_per_s * PART).max(1.0)), ..flags.clone() }
}
