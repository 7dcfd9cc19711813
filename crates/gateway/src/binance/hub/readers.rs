//! The subscribers of one stream.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::ws::Utf8Bytes;
use protocol::binance::stream::{self, Stream};
use protocol::signed::TimeUnit;

use crate::binance::stream_client::StreamClient;

/// One stream with its readers.
#[derive(Debug)]
pub(super) struct StreamReaders {
    pub(super) stream: Stream,
    clients: Vec<Arc<StreamClient>>,
}

impl StreamReaders {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, clients: Vec::new() }
    }

    /// Adds a reader, and sends it the current state if there is one.
    pub(super) fn add(
        &mut self,
        client: &Arc<StreamClient>,
        present: impl FnOnce() -> Option<String>,
    ) {
        if self.clients.iter().any(|reader| Arc::ptr_eq(reader, client)) {
            return;
        }
        let combined = client.combined.load(Ordering::Relaxed);
        let taken = present().is_none_or(|payload| {
            client
                .outlet
                .push(self.stream.kind.word(), form(&self.stream, payload, combined).into())
        });
        if taken {
            self.clients.push(Arc::clone(client));
        }
    }

    pub(super) fn remove(&mut self, client: &Arc<StreamClient>) {
        self.clients.retain(|reader| !Arc::ptr_eq(reader, client));
    }

    pub(super) fn count(&self) -> usize {
        self.clients.len()
    }

    /// Removes closed connections; `false` when no reader is left.
    pub(super) fn keep_open(&mut self) -> bool {
        self.clients.retain(|reader| !reader.outlet.is_closed());
        !self.clients.is_empty()
    }

    /// Publishes a payload to each reader in its form. A reader that is gone or cut is removed.
    pub(super) fn publish(&mut self, encode: impl Fn(TimeUnit) -> String) {
        let mut forms: [Option<Utf8Bytes>; 4] = [const { None }; 4];
        let (stream, name) = (&self.stream, self.stream.kind.word());
        self.clients.retain(|reader| {
            let combined = reader.combined.load(Ordering::Relaxed);
            let in_us = reader.unit == TimeUnit::Microsecond;
            let shared = &mut forms[usize::from(combined) * 2 + usize::from(in_us)];
            let payload =
                shared.get_or_insert_with(|| form(stream, encode(reader.unit), combined).into());
            reader.outlet.push(name, payload.clone())
        });
    }
}

fn form(stream: &Stream, payload: String, combined: bool) -> String {
    if combined { stream::combined(stream, &payload) } else { payload }
}
