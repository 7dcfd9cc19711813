//! Feeds without a dialect: an account's numbered events with their backlog, candles and quotes.

pub(crate) mod account;
pub(crate) mod backlog;
pub(crate) mod kline;
pub(crate) mod lists;
pub(crate) mod outlet;
pub(crate) mod quote;
