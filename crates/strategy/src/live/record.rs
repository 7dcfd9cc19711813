//! What a run on a venue leaves in its folder, so that it can be run again.
//!
//! `events.bwd` has the feed, `run.json` what the strategy was and by which rules it ran, and the
//! journal adds orders, fills, positions and equity.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recorded::Event;
use recorded::columnar::{Listed, Writer};
use serde::{Deserialize, Serialize};
use types::Increment;

use crate::account::Fees;
use crate::backtest::{LevelRules, OrderLatency};
use crate::instrument::Instrument;
use crate::job::Job;
use crate::risk::RiskLimits;

pub(super) const EVENTS: &str = "events.bwd";
const RUN: &str = "run.json";
pub(super) const VERSION: u32 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    Paper,
    Live,
}

/// `run.json`: all that a back-test over the feed needs to be that run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    pub version: u32,
    pub kind: RunKind,
    pub venue: String,
    pub strategy: String,
    pub values: BTreeMap<String, String>,
    instruments: Vec<Sizes>,
    pub capital: f64,
    pub fees: Fees,
    pub limits: RiskLimits,
    pub rules: LevelRules,
    /// Live those that were measured, order by order.
    pub latency: OrderLatency,
    pub sample_ns: i64,
    /// Timers that were due before this time have run.
    pub ended_ns: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Sizes {
    name: String,
    tick: String,
    lot: String,
}

impl RunRecord {
    pub fn new(kind: RunKind, venue: &str, job: &Job, capital: f64, ended_ns: i64) -> Self {
        let sizes = |instrument: &Instrument| Sizes {
            name: instrument.name.clone(),
            tick: instrument.tick.format(1, 0),
            lot: instrument.lot.format(1, 0),
        };
        let account = &job.accounts[0];
        let values = account.values.list().map(|(name, value)| (name.to_owned(), value));
        Self {
            version: VERSION,
            kind,
            venue: venue.to_owned(),
            strategy: account.strategy.clone(),
            values: values.collect(),
            instruments: job.setup.instruments.iter().map(sizes).collect(),
            capital,
            fees: job.setup.fees,
            limits: job.setup.limits,
            rules: job.rules,
            latency: job.setup.latency.clone(),
            sample_ns: job.setup.sample_ns,
            ended_ns,
        }
    }

    pub fn read(folder: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(folder.join(RUN))?;
        let run: Self = serde_json::from_str(&text)?;
        if run.version != VERSION {
            let text = format!("its version is {}, and not {VERSION}", run.version);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(run)
    }

    /// `None` if a size is no decimal above zero.
    pub(super) fn instruments(&self) -> Option<Vec<Instrument>> {
        let instrument = |Sizes { name, tick, lot }: &Sizes| {
            Some(Instrument::new(name, Increment::parse(tick)?, Increment::parse(lot)?))
        };
        self.instruments.iter().map(instrument).collect()
    }
}

/// Writes the feed of a run as it arrives.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    events: Writer,
}

impl Recorder {
    /// Creates the folder, which must not have a run yet.
    pub fn create(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        if folder.join(RUN).exists() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the folder has a run already",
            ));
        }
        let events = Writer::create(&folder.join(EVENTS))?;
        Ok(Self { folder: folder.to_owned(), events })
    }

    pub(super) fn append(&mut self, events: &[Event]) -> io::Result<()> {
        self.events.append(events)
    }

    /// Completes the recording. Without this its feed has no header, and cannot be read.
    pub fn finish(self, run: &RunRecord) -> io::Result<()> {
        let listed = |sizes: &Sizes| {
            let size = |text: &str| {
                let wrong = || io::Error::new(io::ErrorKind::InvalidData, "a size is no decimal");
                Increment::parse(text).ok_or_else(wrong)
            };
            let (tick, lot) = (size(&sizes.tick)?, size(&sizes.lot)?);
            Ok(Listed { name: sizes.name.clone(), tick, lot })
        };
        let listed: Vec<Listed> = run.instruments.iter().map(listed).collect::<io::Result<_>>()?;
        self.events.finish(&listed)?;
        fs::write(self.folder.join(RUN), serde_json::to_vec_pretty(run)?)
    }
}
