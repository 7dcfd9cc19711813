//! Samples of the venue under load: its memory, the orders that rest in its book.

use std::time::{Duration, Instant};

use cli::Failure;
use serde_json::Value;

use super::flags::Flags;
use super::flow::{RESTING_QTY, SYMBOL};
use super::load::{Measured, Scenario, measure};
use super::usage;
use super::venue::Venue;

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
