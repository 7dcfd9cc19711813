//! Metrics of the readers of streams: how many there are, how far they are behind, which were cut.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use venue::{Exposition, MetricSource};

/// Written by the publisher's thread.
#[derive(Debug, Default)]
pub(crate) struct ReaderMetrics {
    /// By the kind of the stream that found the queue full.
    cut: Mutex<BTreeMap<&'static str, u64>>,
    /// The longest queue since the last scrape.
    backlog_max: AtomicU64,
    /// A scrape asks the publisher's thread to count the subscriptions.
    is_count_wanted: AtomicBool,
    market_streams: AtomicU64,
    user_streams: AtomicU64,
}

impl ReaderMetrics {
    pub(crate) fn cut(&self, stream: &'static str) {
        *self.cut.lock().unwrap_or_else(PoisonError::into_inner).entry(stream).or_default() += 1;
    }

    pub(crate) fn queued(&self, messages: usize) {
        let messages = messages as u64;
        // Nearly always it is not the longest one, and a load costs less than a swap.
        if messages > self.backlog_max.load(Ordering::Relaxed) {
            self.backlog_max.fetch_max(messages, Ordering::Relaxed);
        }
    }

    pub(crate) fn want_count(&self) {
        self.is_count_wanted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn takes_count(&self) -> bool {
        self.is_count_wanted.load(Ordering::Relaxed)
            && self.is_count_wanted.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn set_subscriptions(&self, market: usize, user: usize) {
        self.market_streams.store(market as u64, Ordering::Relaxed);
        self.user_streams.store(user as u64, Ordering::Relaxed);
    }
}

impl MetricSource for ReaderMetrics {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let cut = self.cut.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let cut = cut.into_iter().map(|(stream, count)| ([("stream", stream)], count));
        let help = "Connections closed because their reader was too slow, by stream";
        out.counters("readers_cut", help, cut)?;
        let help = "Longest queue of a stream's reader since the last scrape, in messages";
        out.gauge(
            "reader_backlog_messages_max",
            help,
            self.backlog_max.swap(0, Ordering::Relaxed),
        )?;
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let kinds = [
            ([("kind", "market")], load(&self.market_streams)),
            ([("kind", "user")], load(&self.user_streams)),
        ];
        out.gauges("subscriptions", "Subscriptions of open connections to streams", kinds)
    }
}
