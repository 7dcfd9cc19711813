//! Feeds without a dialect: numbered events with their backlog, candles and quotes.

pub(crate) mod backlog;
pub(crate) mod entered_amounts;
pub(crate) mod live_candle;
pub(crate) mod numbered;
pub(crate) mod open_lists;
pub(crate) mod outlet;
pub(crate) mod queues;
pub(crate) mod quote;
pub(crate) mod reader_metrics;
pub(crate) mod reference;
