//! One WebSocket's outlet, as the publisher's thread sees it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::ws::Utf8Bytes;
use protocol::signed::TimeUnit;
use tokio::sync::mpsc;

use crate::feed::outlet::Outlet;
use crate::feed::reader_metrics::ReaderMetrics;

/// One WebSocket, as the publisher sees it.
#[derive(Debug)]
pub(crate) struct StreamClient {
    pub(crate) outlet: Arc<Outlet<Utf8Bytes>>,
    /// Whether each payload comes with the name of its stream.
    pub(crate) combined: AtomicBool,
    pub(crate) unit: TimeUnit,
}

impl StreamClient {
    pub(crate) fn new(
        queue_max: usize,
        metrics: &Arc<ReaderMetrics>,
        combined: bool,
        unit: TimeUnit,
    ) -> (Arc<Self>, mpsc::Receiver<Utf8Bytes>) {
        let (outlet, messages) = Outlet::new(queue_max, Arc::clone(metrics));
        let (outlet, combined) = (Arc::new(outlet), AtomicBool::new(combined));
        (Arc::new(Self { outlet, combined, unit }), messages)
    }
}
