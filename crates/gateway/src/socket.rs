pub(crate) mod connection;
pub(crate) mod http;
pub(crate) mod stopping;
pub(crate) mod timed;
