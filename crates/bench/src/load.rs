//! One load on a venue: opens the venue, brings the load on, and reads the venue's metrics, memory
//! and book.

use std::time::{Duration, Instant};

use cli::Failure;
use serde_json::Value;

use super::flags::Flags;
use super::fleet::Moment;
use super::flow::{RESTING_QTY, SYMBOL};
use super::report::{Report, report};
use super::spec::{Key, Load, Outcome, Spec};
use super::stages::Reading;
use super::usage;
use super::venue::Venue;

/// A load under the name of its run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) load: Load,
}

/// The figures of a load.
pub(super) struct Measured {
    pub(super) outcome: Outcome,
    /// The venue's own metrics where the measured time began, and where it ended.
    pub(super) readings: [Reading; 2],
    /// Price levels at the end.
    pub(super) book: Option<Report>,
}

impl Measured {
    /// Adds what came after it.
    pub(super) fn append(&mut self, later: Self) {
        self.outcome.append(later.outcome);
        let [before, _] = std::mem::take(&mut self.readings);
        let [_, after] = later.readings;
        (self.readings, self.book) = ([before, after], later.book);
    }

    pub(super) fn stages(&self) -> Report {
        let [before, after] = &self.readings;
        after.since(before)
    }

    /// Orders a second of a run in which all orders succeeded.
    pub(super) fn flawless_per_s(&self, flags: &Flags) -> Result<f64, Failure> {
        let errors = &self.outcome.errors;
        if errors.is_empty() {
            return Ok(self.outcome.orders_per_s(flags.measured()));
        }
        Err(Failure::new(format!("not all orders succeeded: {errors:?}")))
    }
}

/// The venue to measure: a fresh one, or the one that runs at `--url`.
pub(super) fn open(flags: &Flags, accounts: usize) -> Result<Venue, Failure> {
    let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
    match (&flags.url, &flags.key, &flags.secret) {
        (Some(url), Some(api_key), Some(secret_key)) => {
            let key = Key { api_key: api_key.clone(), secret_key: secret_key.clone() };
            Venue::at(url, &key, accounts, &within)
        }
        _ => Venue::start(&within, &flags.settings(), flags.cores, accounts),
    }
}

/// `watch` is called where the measured time begins, at intervals in it, and where it ends.
pub(super) fn measure(
    scenario: Scenario,
    flags: &Flags,
    venue: &Venue,
    mut watch: impl FnMut(Moment) -> Result<(), Failure>,
) -> Result<Measured, Failure> {
    let mut readings = [Reading::default(), Reading::default()];
    let outcome = spec(scenario.load, flags, venue).run(scenario.name, |moment| {
        if moment != Moment::Within {
            readings[moment as usize] = tolerant(venue, Reading::of(venue))?.unwrap_or_default();
        }
        watch(moment)
    })?;
    Ok(Measured { outcome, readings, book: tolerant(venue, book(venue))? })
}

/// Runs a load, and calls `sample` at intervals with the seconds of the measured time.
pub(super) fn sampled<T>(
    scenario: Scenario,
    flags: &Flags,
    venue: &Venue,
    every: Duration,
    sample: impl Fn(f64) -> Result<T, Failure>,
) -> Result<(Measured, Vec<T>), Failure> {
    let (mut samples, mut begun) = (Vec::new(), None);
    let measured = measure(scenario, flags, venue, |_| {
        let at = begun.get_or_insert_with(Instant::now).elapsed();
        if at.as_secs_f64() >= every.as_secs_f64() * samples.len() as f64 {
            samples.push(sample(at.as_secs_f64())?);
        }
        Ok(())
    })?;
    Ok((measured, samples))
}

/// The other server that `--beside` names.
pub(super) fn other(flags: &Flags) -> Result<Option<(&str, Venue)>, Failure> {
    let Some(url) = &flags.beside else { return Ok(None) };
    let key = Key { api_key: flags.beside_key.clone(), secret_key: flags.beside_secret.clone() };
    let venue = Venue::at(url, &key, usize::from(flags.clients), &std::env::temp_dir())?;
    Ok(Some((url, venue)))
}

/// A server that is measured by its address may be no Buttonwood, and need not serve more than
/// orders.
fn tolerant<T>(venue: &Venue, read: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match (read, venue.process()) {
        (Err(failure), Some(_)) => Err(failure),
        (read, _) => Ok(read.ok()),
    }
}

pub(super) fn spec(load: Load, flags: &Flags, venue: &Venue) -> Spec {
    let address = match (load, &venue.port) {
        (
            Load::Ouch { .. } | Load::OuchUdp { .. } | Load::Grpc { .. } | Load::GrpcCalls,
            Some(port),
        ) => port,
        _ => &venue.address,
    };
    Spec {
        address: address.clone(),
        load,
        keys: venue.keys.clone(),
        agents: usize::from(flags.agents),
        rate: flags.rate,
        window: match load {
            Load::WebSocket
            | Load::Ouch { .. }
            | Load::OuchEcho { .. }
            | Load::OuchUdp { .. }
            | Load::OuchUdpEcho { .. }
            | Load::Grpc { .. } => flags.window.into(),
            _ => 1,
        },
        seed: flags.seed,
        warm_up: Duration::from_secs(flags.warm_up),
        measured: flags.measured(),
        requests_max: None,
        ramp: Duration::from_secs(flags.ramp.unwrap_or(0)),
        process: venue.process(),
    }
}

fn book(venue: &Venue) -> Result<Report, Failure> {
    let depth = depth(venue, 5_000)?;
    let levels = |side: &str| depth[side].as_array().map_or(0, Vec::len);
    Ok(report! { bid_levels: levels("bids"), ask_levels: levels("asks") })
}

pub(super) fn depth(venue: &Venue, limit: u16) -> Result<Value, Failure> {
    let text = venue.get(&format!("/api/v3/depth?symbol={SYMBOL}&limit={limit}"))?;
    Ok(serde_json::from_str(&text)?)
}

/// The quantity that rests in the book, both sides together, in units of the base asset.
pub(super) fn resting_qty(venue: &Venue) -> Result<f64, Failure> {
    let depth = depth(venue, 5_000)?;
    let levels = ["bids", "asks"].into_iter().filter_map(|side| depth[side].as_array()).flatten();
    Ok(levels.filter_map(|level| level[1].as_str()?.parse::<f64>().ok()).sum())
}

/// Orders in a book in which all are of one size.
pub(super) fn resting_orders(venue: &Venue) -> Result<u64, Failure> {
    Ok((resting_qty(venue)? * 100.0 / RESTING_QTY as f64).round() as u64)
}

/// Resident memory of the venue's own process.
pub(super) fn rss_mb(venue: &Venue) -> Result<f64, Failure> {
    let process = venue.process().ok_or_else(|| {
        Failure::new("this scenario reads the venue's memory: start a fresh one, without --url")
    })?;
    let rss_mb = usage::rss_mb(process);
    rss_mb.ok_or_else(|| Failure::new("the venue has ended; the reason is above"))
}
