//! The scenario `soak`: hours at half the highest rate, during which the venue's memory is looked at. A
//! venue that keeps something of every order is found out by it.

use std::time::Duration;

use clap::Args;
use cli::Failure;

use super::flags::Flags;
use super::load::{Measured, open};
use super::looks;
use super::machine::Machine;
use super::memory::{Memory, Sample};
use super::run::{self, figures, refer};
use super::scenario::Scenario;
use super::standing::{fill, rss_of};
use super::venue::Venue;

const SCENARIO: Scenario = Scenario::SOAK;
const DURATION_S: u64 = 3_600;
/// Looks at the memory over the whole time, as far as they are neither crowded nor rare.
const LOOKS: u32 = 240;
const LOOK_EVERY: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(15)];
#[derive(Args, Clone, Debug)]
pub(super) struct Soak {
    #[command(flatten)]
    flags: Flags,
    /// What the venue's memory may grow by for each million orders, after the first tenth of the time;
    /// else the exit status is 1
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    growth_max: f64,
}

impl Soak {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut flags = self.flags.clone();
        let duration_s = *flags.duration.get_or_insert(DURATION_S) as f64;
        let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
        let machine = Machine::here(&within);
        let venue = open(&flags, &within)?;
        rss_of(&venue)?;
        let reference = refer(&SCENARIO, &flags, &venue)?;
        fill(&flags, &venue, flags.orders.unwrap_or(0))?;
        let (rated, highest) = run::with_rate(&SCENARIO, &flags, &venue)?;
        let (measured, samples) = watched(&rated, &venue)?;
        let beside = run::beside(&SCENARIO, &flags)?;
        let mut figures = figures(&SCENARIO, &rated, machine, reference, &measured, beside)?;
        let memory = Memory::of(samples, duration_s, figures.orders_per_s, self.growth_max)?;
        let verdict = memory.verdict();
        figures.highest = highest;
        figures.memory = Some(memory);
        run::tell(&flags, &figures, &measured.report)?;
        verdict
    }
}

/// The load, and the looks at the venue meanwhile.
fn watched(flags: &Flags, venue: &Venue) -> Result<(Measured, Vec<Sample>), Failure> {
    let every = (flags.measured() / LOOKS).clamp(LOOK_EVERY[0], LOOK_EVERY[1]);
    looks::watched(&SCENARIO, flags, venue, every, |at_s| {
        Ok(Sample { at_s, rss_mb: rss_of(venue)?, resting_qty: looks::resting_qty(venue)? })
    })
}
