//! The running read model: a feed, and the answers.

use std::sync::Arc;

use crate::feed::backend::ReadModel;
use crate::feed::gauges::Gauges;
use crate::feed::older::OlderEvents;
use crate::feed::thread::{Feed, Wake};
use crate::history::History;
use crate::retention::HistoryRetention;
use spool::SpoolReader;

/// The running read model. It ends with [`Projection::stop`], or when it is dropped.
#[derive(Debug)]
pub struct Projection {
    history: Arc<dyn History>,
    feed: Feed,
}

impl Projection {
    /// Begins to follow the spool, as [`Feed::start`].
    pub fn start(
        backend: impl ReadModel,
        spool: SpoolReader,
        older: impl OlderEvents,
        gauges: impl Gauges,
        retention: HistoryRetention,
    ) -> Self {
        let (feed, history) =
            Feed::start_read(backend, (spool, older, gauges, retention), ReadModel::history);
        Self { history, feed }
    }

    /// For questions.
    pub fn history(&self) -> Arc<dyn History> {
        Arc::clone(&self.history)
    }

    /// For the publisher of events, to say that there is something to read.
    pub fn wake(&self) -> Wake {
        self.feed.wake()
    }

    /// Takes in what is in the spool by now, if that is no more than a few seconds' work, and ends.
    pub fn stop(self) {
        self.feed.stop();
    }
}
