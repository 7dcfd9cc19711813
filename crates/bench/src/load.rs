//! One load on a venue: how the venue is opened, what drives it, and what is read of it meanwhile.

use std::path::Path;
use std::time::Duration;

use cli::Failure;
use serde_json::Value;

use super::figures::Book;
use super::flags::Flags;
use super::fleet::{Drive, Moment};
use super::flow::SYMBOL;
use super::scenario::Scenario;
use super::spec::{Key, Report};
use super::stages::Reading;
use super::usage::Usage;
use super::venue::Venue;

/// What the venue did.
pub(super) struct Measured {
    pub(super) report: Report,
    pub(super) before: Reading,
    pub(super) after: Reading,
    pub(super) usage: Option<Usage>,
    pub(super) book: Option<Book>,
}

impl Measured {
    /// Orders a second of a run in which every one of them succeeded.
    pub(super) fn flawless_per_s(&self, flags: &Flags) -> Result<f64, Failure> {
        let errors = &self.report.errors;
        match errors.is_empty() {
            true => Ok(self.report.total().orders as f64 / flags.measured().as_secs_f64()),
            false => Err(Failure::new(format!("not all orders succeeded: {errors:?}"))),
        }
    }
}

pub(super) fn open(flags: &Flags, within: &Path) -> Result<Venue, Failure> {
    open_for(flags, within, usize::from(flags.clients))
}

pub(super) fn open_for(flags: &Flags, within: &Path, accounts: usize) -> Result<Venue, Failure> {
    match (&flags.url, &flags.key, &flags.secret) {
        (Some(url), Some(api_key), Some(secret_key)) => {
            let key = Key { api_key: api_key.clone(), secret_key: secret_key.clone() };
            Venue::at(url, &key, accounts)
        }
        _ => Venue::start(within, &flags.settings(), flags.cores, accounts),
    }
}

/// `watch` is called where the measured time begins and where it ends.
pub(super) fn measure(
    scenario: &Scenario,
    flags: &Flags,
    venue: &Venue,
    mut watch: impl FnMut(Moment) -> Result<(), Failure>,
) -> Result<Measured, Failure> {
    let (mut before, mut after) = (Reading::default(), Reading::default());
    let mut usage = Between::default();
    let report = drive(scenario, flags, venue).run(scenario.name, |moment| {
        usage.look(moment, venue.process());
        let reading = tolerant(venue, Reading::of(venue))?.unwrap_or_default();
        match moment {
            Moment::Begin => before = reading,
            Moment::End => after = reading,
        }
        watch(moment)
    })?;
    let book = tolerant(venue, book(venue))?;
    Ok(Measured { report, before, after, usage: usage.spent(), book })
}

/// What is to be measured beside the venue.
pub(super) fn other(flags: &Flags) -> Result<Option<(&str, Venue)>, Failure> {
    let Some(url) = &flags.beside else { return Ok(None) };
    let key = Key { api_key: flags.beside_key.clone(), secret_key: flags.beside_secret.clone() };
    Ok(Some((url, Venue::at(url, &key, usize::from(flags.clients))?)))
}

/// What is measured by its address may be no Buttonwood at all, and need not tell more than what
/// becomes of orders.
fn tolerant<T>(venue: &Venue, told: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match (told, venue.process()) {
        (Err(failure), Some(_)) => Err(failure),
        (told, _) => Ok(told.ok()),
    }
}

pub(super) fn drive(scenario: &Scenario, flags: &Flags, venue: &Venue) -> Drive {
    Drive {
        address: venue.address.clone(),
        load: scenario.load,
        keys: venue.keys.clone(),
        agents: usize::from(flags.agents),
        rate: flags.rate,
        window: if scenario.pipelines { usize::from(flags.window) } else { 1 },
        seed: flags.seed,
        warm_up: Duration::from_secs(flags.warm_up),
        measured: flags.measured(),
        requests_max: None,
        ramp: Duration::from_secs(flags.ramp.unwrap_or(0)),
    }
}

/// What a process used between two moments.
#[derive(Default)]
pub(super) struct Between {
    begin: Option<Usage>,
    end: Option<Usage>,
}

impl Between {
    pub(super) fn look(&mut self, moment: Moment, process: Option<u32>) {
        let usage = process.and_then(Usage::of);
        match moment {
            Moment::Begin => self.begin = usage,
            Moment::End => self.end = usage,
        }
    }

    pub(super) fn spent(self) -> Option<Usage> {
        Some(self.end?.since(&self.begin?))
    }
}

fn book(venue: &Venue) -> Result<Book, Failure> {
    let text = venue.get(&format!("/api/v3/depth?symbol={SYMBOL}&limit=5000"))?;
    let depth: Value = serde_json::from_str(&text)?;
    let levels = |side: &str| depth[side].as_array().map_or(0, Vec::len);
    Ok(Book { bid_levels: levels("bids"), ask_levels: levels("asks") })
}
