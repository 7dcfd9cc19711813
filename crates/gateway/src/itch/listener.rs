//! The feed's part on the publisher's thread.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use marketdata::{BookUpdate, Views};
use spool::Applied;
use types::Event;
use venue::Listener;

use crate::itch::feed::Hub;

/// Hands commands to the feed's thread, and ends it.
pub(crate) struct ItchListener {
    hub: Arc<Hub>,
    commands: Vec<Arc<Applied>>,
    feed: Option<JoinHandle<()>>,
}

impl ItchListener {
    pub(crate) fn new(hub: Arc<Hub>, feed: JoinHandle<()>) -> Self {
        Self { hub, commands: Vec::new(), feed: Some(feed) }
    }
}

impl Listener for ItchListener {
    fn applied(&mut self, applied: &Arc<Applied>) {
        self.commands.push(Arc::clone(applied));
    }

    fn event(&mut self, _: &Applied, _: &Event, _: Option<&BookUpdate>) {}

    fn batch_done(&mut self, _: &Views) -> Option<Instant> {
        self.hub.hand_over.push(&mut self.commands);
        None
    }
}

impl Drop for ItchListener {
    /// The last messages are sent before the venue ends.
    fn drop(&mut self) {
        self.hub.hand_over.end();
        if self.feed.take().is_some_and(|feed| feed.join().is_err()) {
            tracing::error!("the thread of the ITCH feed panicked");
        }
    }
}
