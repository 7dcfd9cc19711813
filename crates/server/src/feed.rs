//! The link from a venue to its read model: neither crate sees the other.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use marketdata::{BookUpdate, Views};
use projection::sqlite::Sqlite;
use projection::{Gauges, HistoryRetention, Projection, Wake};
use spool::Applied;
use types::Event;
use venue::{Listener, Metrics, Opened};

/// Starts the read model on the spool of a venue that has not started yet.
pub fn start(data_dir: &Path, opened: &Opened, retention: HistoryRetention) -> Projection {
    let measured = Measured(opened.metrics());
    Projection::start(Sqlite::of(data_dir), opened.spool().reader(), measured, retention)
}

/// For [`Opened::start`]: wakes the read model whenever the publisher has written a batch.
pub fn listener(projection: &Projection) -> Box<dyn Listener> {
    Box::new(Wakes(projection.wake()))
}

struct Wakes(Wake);

impl Listener for Wakes {
    fn event(&mut self, _: &Applied, _: &Event, _: Option<&BookUpdate>) {}

    fn batch_done(&mut self, _: &Views) -> Option<Instant> {
        self.0.more();
        None
    }
}

/// Writes the gauges of the read model to the venue's metrics.
struct Measured(Arc<Metrics>);

impl Gauges for Measured {
    fn projected(&self, sequence: u64) {
        self.0.projected(sequence);
    }

    fn failed(&self, failed: bool) {
        self.0.projection_failed(failed);
    }
}
