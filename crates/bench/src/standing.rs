//! Scenarios about resting orders: `memory` samples the memory that they take, `recovery` measures
//! how long a killed venue needs to have them again.

use std::time::{Duration, Instant};

use cli::Failure;

use super::flags::Flags;
use super::load::{open, rss_mb, spec};
use super::report::{Report, report};
use super::spec::{BATCH, Load, Spec};
use super::venue::Venue;

const ORDERS: u64 = 1_000_000;
/// Resting orders at which memory is sampled, up to `--orders`.
const SAMPLED_AT: [u64; 5] = [0, 1_000, 10_000, 100_000, 1_000_000];
/// A fill ends when its orders are answered, and fails after this time.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// The error of a venue that is busy: such a batch is sent again, this often and at this distance.
const BUSY: &str = "code:-1008";
const RETRIES: usize = 60;
const RETRY_AFTER: Duration = Duration::from_millis(500);

pub(super) fn memory(flags: &Flags) -> Result<(), Failure> {
    let venue = open(flags, flags.clients.into())?;
    let (mut samples, mut resting) = (Vec::new(), 0);
    let most = flags.orders.unwrap_or(ORDERS);
    for wanted in SAMPLED_AT.into_iter().filter(|wanted| *wanted <= most) {
        resting += fill(flags, &venue, wanted - resting)?;
        samples.push(report! { resting_orders: resting, rss_mb: rss_mb(&venue)? });
    }
    print("memory", flags, resting, &venue, report! { memory: samples })
}

pub(super) fn recovery(flags: &Flags) -> Result<(), Failure> {
    let mut venue = open(flags, flags.clients.into())?;
    let empty_s = restart(&mut venue)?;
    let orders = fill(flags, &venue, flags.orders.unwrap_or(ORDERS))?;
    let ready_s = restart(&mut venue)?;
    let recovery = report! {
        // From the start of the process to the first answer.
        ready_s: ready_s,
        orders_per_s: orders as f64 / ready_s,
        // Of an empty venue.
        empty_s: empty_s,
    };
    print("recovery", flags, orders, &venue, report! { recovery: recovery })
}

fn print(
    scenario: &str,
    flags: &Flags,
    orders: u64,
    venue: &Venue,
    more: Report,
) -> Result<(), Failure> {
    report! { scenario: scenario, durability: flags.durability.as_str() }
        .with(venue.machine.clone())
        .with(report! { orders: orders, rss_mb: rss_mb(venue)? })
        .with(more)
        .print(&flags.output)
}

/// Adds at least `orders` resting orders, in batches, and returns the number added. A batch that
/// the venue refuses because it is busy is sent again.
pub(super) fn fill(flags: &Flags, venue: &Venue, orders: u64) -> Result<u64, Failure> {
    let mut added = 0;
    for attempt in 0..=RETRIES {
        let requests = orders.saturating_sub(added).div_ceil(BATCH);
        if requests == 0 {
            return Ok(added);
        }
        if attempt > 0 {
            std::thread::sleep(RETRY_AFTER);
        }
        let spec = Spec {
            agents: 1,
            rate: None,
            // Other orders than those of the fill before.
            seed: flags.seed.wrapping_add(requests),
            warm_up: Duration::ZERO,
            measured: PATIENCE,
            requests_max: Some(requests),
            ..spec(Load::Fill, flags, venue)
        };
        let outcome = spec.run("filling the book", |_| Ok(()))?;
        let mut others = outcome.errors.iter().filter(|(cause, _)| !cause.contains(BUSY));
        if let Some((cause, count)) = others.next() {
            return Err(Failure::new(format!(
                "{count} orders that were to rest were refused: {cause}"
            )));
        }
        added += outcome.orders();
    }
    Err(Failure::new(format!("the venue is too busy to take {orders} resting orders")))
}

/// Kills the venue, starts it again, and returns the seconds until it is ready.
fn restart(venue: &mut Venue) -> Result<f64, Failure> {
    let begun = Instant::now();
    venue.restart()?;
    Ok(begun.elapsed().as_secs_f64())
}
