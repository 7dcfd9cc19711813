//! Scenarios about orders that rest: `memory` looks at what they take, `recovery` at how long a venue that
//! was killed needs until it has them again.

use std::io::Write;
use std::time::{Duration, Instant};

use cli::Failure;
use serde::Serialize;

use super::flags::Flags;
use super::fleet::Drive;
use super::load::{drive, open};
use super::machine::{Machine, Versions};
use super::require;
use super::scenario::Scenario;
use super::spec::{BATCH, Load};
use super::usage::rss_mb;
use super::venue::Venue;

const ORDERS: u64 = 1_000_000;
/// Resting orders at which memory is looked at, up to those that are asked for.
const LOOKS: [u64; 5] = [0, 1_000, 10_000, 100_000, 1_000_000];
/// A fill ends when its orders are answered; this is when it is given up.
const PATIENCE: Duration = Duration::from_secs(3_600);

#[derive(Serialize)]
struct Figures {
    scenario: &'static str,
    durability: &'static str,
    orders: u64,
    rss_mb: f64,
    /// By resting orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Vec<Look>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<Recovery>,
    machine: Machine,
    versions: Versions,
}

#[derive(Clone, Copy, Serialize)]
struct Look {
    resting_orders: u64,
    rss_mb: f64,
}

#[derive(Clone, Copy, Serialize)]
struct Recovery {
    /// From the start of the process to the first answer.
    ready_s: f64,
    orders_per_s: f64,
    /// That of a venue with nothing in it.
    empty_s: f64,
}

pub(super) fn memory(flags: &Flags) -> Result<(), Failure> {
    let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
    let machine = Machine::here(&within);
    let venue = open(flags, &within)?;
    let mut looks = Vec::new();
    let mut resting = 0;
    for wanted in LOOKS.into_iter().filter(|wanted| *wanted <= flags.orders.unwrap_or(ORDERS)) {
        resting += fill(flags, &venue, wanted - resting)?;
        looks.push(Look { resting_orders: resting, rss_mb: rss_of(&venue)? });
    }
    Figures {
        scenario: "memory",
        durability: flags.durability.name(),
        orders: resting,
        rss_mb: rss_of(&venue)?,
        memory: Some(looks),
        recovery: None,
        machine,
        versions: Versions::here(),
    }
    .tell(flags)
}

pub(super) fn recovery(flags: &Flags) -> Result<(), Failure> {
    let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
    let machine = Machine::here(&within);
    let mut venue = open(flags, &within)?;
    let empty_s = restart(&mut venue)?;
    let orders = fill(flags, &venue, flags.orders.unwrap_or(ORDERS))?;
    let ready_s = restart(&mut venue)?;
    let orders_per_s = orders as f64 / ready_s;
    Figures {
        scenario: "recovery",
        durability: flags.durability.name(),
        orders,
        rss_mb: rss_of(&venue)?,
        memory: None,
        recovery: Some(Recovery { ready_s, orders_per_s, empty_s }),
        machine,
        versions: Versions::here(),
    }
    .tell(flags)
}

/// Has so many orders rest, and says how many there are.
pub(super) fn fill(flags: &Flags, venue: &Venue, orders: u64) -> Result<u64, Failure> {
    let requests = orders.div_ceil(BATCH);
    if requests == 0 {
        return Ok(0);
    }
    let drive = Drive {
        load: Load::Fill,
        agents: 1,
        rate: None,
        window: 1,
        // Not again those of the fill before.
        seed: flags.seed.wrapping_add(requests),
        warm_up: Duration::ZERO,
        measured: PATIENCE,
        requests_max: Some(requests),
        ..drive(&Scenario::BATCH, flags, venue)
    };
    let report = drive.run("filling the book", |_| Ok(()))?;
    match report.errors.iter().next() {
        Some((cause, count)) => {
            Err(Failure::new(format!("{count} orders that were to rest were refused: {cause}")))
        }
        None => Ok(report.total().orders),
    }
}

/// Kills the venue as a power cut would end it, and starts it again.
fn restart(venue: &mut Venue) -> Result<f64, Failure> {
    let begun = Instant::now();
    venue.restart()?;
    Ok(begun.elapsed().as_secs_f64())
}

pub(super) fn rss_of(venue: &Venue) -> Result<f64, Failure> {
    let process = venue.process().ok_or_else(|| {
        Failure::new(
            "this scenario looks into the venue's process: it goes with a fresh one, without --url",
        )
    })?;
    rss_mb(process).ok_or_else(|| Failure::new("the venue has ended; why stands above"))
}

impl Figures {
    fn tell(&self, flags: &Flags) -> Result<(), Failure> {
        let value = serde_json::to_value(self)?;
        let text = if flags.json { format!("{value}\n") } else { self.table() };
        std::io::stdout().write_all(text.as_bytes())?;
        require::check(&flags.require, &value)
    }

    fn table(&self) -> String {
        let mut text = format!(
            "{}, durability {}\n{}\n{}\n",
            self.scenario,
            self.durability,
            self.machine.sentence(),
            self.versions.sentence()
        );
        for Look { resting_orders, rss_mb } in self.memory.iter().flatten() {
            text += &format!("{resting_orders:>10} resting orders{rss_mb:>10.1} MB\n");
        }
        if let Some(Recovery { ready_s, orders_per_s, empty_s }) = self.recovery {
            text += &format!(
                "{} orders were back {ready_s:.3} s after the start, {orders_per_s:.0}/s; an empty \
                 venue takes {empty_s:.3} s\n",
                self.orders
            );
        }
        text
    }
}
