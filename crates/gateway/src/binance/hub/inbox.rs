//! The hub's inbox: what connections want changed of their subscriptions.
//!
//! The publisher's thread owns the hub. A connection puts its change here, then sends a read of the
//! views: the listener takes the change right after that read, before the publisher's next message.
//! So a later read finds the connection subscribed.

use std::sync::{Arc, Mutex, PoisonError};

use protocol::binance::stream::Stream;
use types::InstrumentId;

use crate::binance::stream_client::StreamClient;

/// Streams that a client begins or ends to listen to. One without an instrument is of all markets.
#[derive(Debug)]
pub(crate) struct SubscriptionChange {
    pub(crate) client: Arc<StreamClient>,
    pub(crate) streams: Vec<(Option<InstrumentId>, Stream)>,
    pub(crate) begins: bool,
}

/// Each connection waits for a change before it puts the next one here.
#[derive(Debug, Default)]
pub(crate) struct HubInbox(Mutex<Vec<SubscriptionChange>>);

impl HubInbox {
    pub(crate) fn put(&self, change: SubscriptionChange) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(change);
    }

    /// All changes since the last call, in the order in which they were put here.
    pub(crate) fn take(&self) -> Vec<SubscriptionChange> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
