//! What a process of readers is told, and what it gives back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::spec::Key;
use super::super::tally::Tally;

/// What a process of readers is to do. The first line on its standard input.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ReaderSpec {
    /// Host and port.
    pub(crate) address: String,
    pub(crate) path: String,
    pub(crate) readers: usize,
    /// Its probes are sent with this.
    pub(crate) key: Key,
    /// Probes of different processes have prices of their own.
    pub(crate) lane: u64,
    pub(crate) seed: u64,
}

/// The lines after that.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cue {
    /// The measured time begins.
    Begin,
    End,
    /// It is over for a reader when it has this update.
    Until(u64),
}

/// What came of it.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Reading {
    pub(crate) readers: u64,
    /// Within the measured time, as the next three.
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    pub(crate) measured_s: f64,
    /// From a probe's sending until a reader had the update with its level.
    pub(crate) order_to_update: Tally,
    /// From the time that the venue put on a message until a reader had it.
    pub(crate) since_event: Tally,
    /// Places where `U` was not the `u` before plus 1.
    pub(crate) gaps: u64,
    /// Readers that did not come to the last update.
    pub(crate) behind: u64,
    pub(crate) probes: u64,
    pub(crate) errors: BTreeMap<String, u64>,
    /// CPU time of the process itself.
    pub(crate) cpu_s: f64,
}

impl Reading {
    pub(crate) fn add(&mut self, other: &Self) {
        self.readers += other.readers;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.measured_s = self.measured_s.max(other.measured_s);
        self.order_to_update.add(&other.order_to_update);
        self.since_event.add(&other.since_event);
        self.gaps += other.gaps;
        self.behind += other.behind;
        self.probes += other.probes;
        for (cause, count) in &other.errors {
            *self.errors.entry(cause.clone()).or_default() += count;
        }
        self.cpu_s += other.cpu_s;
    }
}
