//! Looks at the venue while it is under load: at its memory, at what rests in its book.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use cli::Failure;
use serde_json::Value;

use super::flags::Flags;
use super::fleet::Moment;
use super::flow::{RESTING_QTY, SYMBOL};
use super::load::{Measured, measure};
use super::scenario::Scenario;
use super::venue::Venue;

/// The load, and what `look` saw meanwhile. It is told how many seconds of the measured time have passed.
pub(super) fn watched<T: Send>(
    scenario: &Scenario,
    flags: &Flags,
    venue: &Venue,
    every: Duration,
    look: impl Fn(f64) -> Result<T, Failure> + Send,
) -> Result<(Measured, Vec<T>), Failure> {
    let (moments, told) = mpsc::channel();
    thread::scope(|scope| {
        let looks = scope.spawn(move || look_again(every, &told, look));
        let measured = measure(scenario, flags, venue, |moment| {
            // Should the looks have failed, that is told below.
            let _gone = moments.send(moment);
            Ok(())
        });
        drop(moments);
        let seen = looks.join().map_err(|_| Failure::new("the looks at the venue panicked"))?;
        Ok((measured?, seen?))
    })
}

fn look_again<T>(
    every: Duration,
    told: &Receiver<Moment>,
    look: impl Fn(f64) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut seen = Vec::new();
    if told.recv().is_err() {
        return Ok(seen);
    }
    let begun = Instant::now();
    loop {
        seen.push(look(begun.elapsed().as_secs_f64())?);
        match told.recv_timeout(every) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(_) | Err(RecvTimeoutError::Disconnected) => return Ok(seen),
        }
    }
}

/// What rests in the book, both sides together, in units of the base asset.
pub(super) fn resting_qty(venue: &Venue) -> Result<f64, Failure> {
    let text = venue.get(&format!("/api/v3/depth?symbol={SYMBOL}&limit=5000"))?;
    let depth: Value = serde_json::from_str(&text)?;
    let levels = ["bids", "asks"].into_iter().filter_map(|side| depth[side].as_array()).flatten();
    Ok(levels.filter_map(|level| level[1].as_str()?.parse::<f64>().ok()).sum())
}

/// Orders in a book in which all are of one size.
pub(super) fn resting_orders(venue: &Venue) -> Result<u64, Failure> {
    Ok((resting_qty(venue)? * 100.0 / RESTING_QTY as f64).round() as u64)
}
