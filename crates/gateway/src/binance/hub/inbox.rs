//! The hub's inbox: changes of subscriptions.
//!
//! The publisher's thread owns the hub. A connection puts a change here, then queries the views.
//! The listener takes the change right after that query, before the publisher's next message. A
//! later query therefore finds the connection subscribed.

use std::sync::{Arc, Mutex, PoisonError};

use protocol::binance::stream::Stream;
use types::InstrumentId;

use crate::binance::stream_client::StreamClient;

/// Streams that a client subscribes to or leaves. A stream without an instrument covers all
/// markets.
#[derive(Debug)]
pub(crate) struct SubscriptionChange {
    pub(crate) client: Arc<StreamClient>,
    pub(crate) streams: Vec<(Option<InstrumentId>, Stream)>,
    pub(crate) begins: bool,
}

/// Each connection waits for one change before it puts the next.
#[derive(Debug, Default)]
pub(crate) struct HubInbox(Mutex<Vec<SubscriptionChange>>);

impl HubInbox {
    pub(crate) fn put(&self, change: SubscriptionChange) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(change);
    }

    /// Takes all changes, oldest first.
    pub(crate) fn take(&self) -> Vec<SubscriptionChange> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
