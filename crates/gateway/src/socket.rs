pub(crate) mod accept;
pub(crate) mod connection;
pub(crate) mod cors;
pub(crate) mod http;
pub(crate) mod stopping;
pub(crate) mod timed;
pub(crate) mod tls;
pub(crate) mod websocket;
