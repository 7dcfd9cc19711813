//! The highest rate of a venue, which a closed loop finds before an open one has half of it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Flags;
use super::figures::Latency;
use super::run::{Scenario, drive};
use super::venue::Venue;
use crate::failure::Failure;

const SECONDS_MAX: u64 = 10;
/// Of the highest rate, when no other is asked for.
const PART: f64 = 0.5;

/// What became of orders when every client sent its next request as soon as it could.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Highest {
    pub(super) duration_s: u64,
    pub(super) orders_per_s: f64,
    #[serde(flatten)]
    pub(super) latency: Latency,
    pub(super) errors: BTreeMap<String, u64>,
}

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
