//! The metrics of the door, at a scrape.

use std::fmt;
use std::sync::Weak;

use venue::{Exposition, MetricSource};

use crate::door::access::AccessRecord;
use crate::door::shared::Door;

/// The metrics are the venue's, which the door holds: it must not be held by them.
#[derive(Debug)]
pub(crate) struct OfDoor(pub(crate) Weak<Door>);

impl MetricSource for OfDoor {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let Some(door) = self.0.upgrade() else { return Ok(()) };
        let [heavy, banned] = door.limits.refused();
        let heavy = heavy + door.in_use.requests_refused();
        let limited = [([("code", "429")], heavy), ([("code", "418")], banned)];
        out.counters(
            "limited",
            "Requests refused by the limits of an address or an account",
            limited,
        )?;
        let help = "Addresses that are banned now";
        out.gauge("banned_addresses", help, door.limits.banned_count())?;
        let lost = door.access.as_ref().map_or(0, AccessRecord::lost_count);
        let help = "Refusals that the access record could not take";
        out.counter("access_record_lost", help, lost)?;
        door.metrics.write(out)
    }
}
