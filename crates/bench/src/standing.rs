//! Scenarios about orders that rest: `memory` samples what they take, `recovery` measures how long
//! a killed venue needs until it has them again.

use std::time::{Duration, Instant};

use cli::Failure;

use super::flags::Flags;
use super::fleet::Drive;
use super::load::{drive, open};
use super::machine;
use super::report::{Report, report};
use super::samples::rss_mb;
use super::spec::{BATCH, Load};
use super::venue::Venue;

const ORDERS: u64 = 1_000_000;
/// Resting orders at which memory is sampled, up to those that are asked for.
const SAMPLED_AT: [u64; 5] = [0, 1_000, 10_000, 100_000, 1_000_000];
/// A fill ends when its orders are answered; this is when it is given up.
const PATIENCE: Duration = Duration::from_secs(3_600);

pub(super) fn memory(flags: &Flags) -> Result<(), Failure> {
    let (machine, venue) = open(flags, flags.clients.into())?;
    let (mut samples, mut resting) = (Vec::new(), 0);
    let most = flags.orders.unwrap_or(ORDERS);
    for wanted in SAMPLED_AT.into_iter().filter(|wanted| *wanted <= most) {
        resting += fill(flags, &venue, wanted - resting)?;
        samples.push(report! { resting_orders: resting, rss_mb: rss_mb(&venue)? });
    }
    print("memory", flags, machine, resting, &venue, report! { memory: samples })
}

pub(super) fn recovery(flags: &Flags) -> Result<(), Failure> {
    let (machine, mut venue) = open(flags, flags.clients.into())?;
    let empty_s = restart(&mut venue)?;
    let orders = fill(flags, &venue, flags.orders.unwrap_or(ORDERS))?;
    let ready_s = restart(&mut venue)?;
    let recovery = report! {
        // From the start of the process to the first answer.
        ready_s: ready_s,
        orders_per_s: orders as f64 / ready_s,
        // That of a venue with nothing in it.
        empty_s: empty_s,
    };
    print("recovery", flags, machine, orders, &venue, report! { recovery: recovery })
}

fn print(
    scenario: &str,
    flags: &Flags,
    machine: Report,
    orders: u64,
    venue: &Venue,
    more: Report,
) -> Result<(), Failure> {
    report! {
        scenario: scenario,
        durability: flags.durability.name(),
        machine: machine,
        versions: machine::versions(),
        orders: orders,
        rss_mb: rss_mb(venue)?,
    }
    .with(more)
    .print(&flags.output)
}

/// Rests at least that many orders, in batches, and returns how many.
pub(super) fn fill(flags: &Flags, venue: &Venue, orders: u64) -> Result<u64, Failure> {
    let requests = orders.div_ceil(BATCH);
    if requests == 0 {
        return Ok(0);
    }
    let drive = Drive {
        agents: 1,
        rate: None,
        // Not again those of the fill before.
        seed: flags.seed.wrapping_add(requests),
        warm_up: Duration::ZERO,
        measured: PATIENCE,
        requests_max: Some(requests),
        ..drive(Load::Fill, flags, venue)
    };
    let outcome = drive.run("filling the book", |_| Ok(()))?;
    match outcome.errors.iter().next() {
        Some((cause, count)) => {
            Err(Failure::new(format!("{count} orders that were to rest were refused: {cause}")))
        }
        None => Ok(outcome.orders()),
    }
}

/// Kills the venue as a power cut would end it, and starts it again.
fn restart(venue: &mut Venue) -> Result<f64, Failure> {
    let begun = Instant::now();
    venue.restart()?;
    Ok(begun.elapsed().as_secs_f64())
}
