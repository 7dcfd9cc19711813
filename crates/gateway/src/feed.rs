pub(crate) mod account;
pub(crate) mod backlog;
pub(crate) mod kline;
pub(crate) mod lists;
pub(crate) mod outlet;
pub(crate) mod quote;
