//! Sockets without a dialect: accepting, TLS, timing, HTTP and WebSocket framing, CORS.

pub(crate) mod accept;
pub(crate) mod connection;
pub(crate) mod cors;
pub(crate) mod http;
pub(crate) mod refusal;
pub(crate) mod settings;
pub(crate) mod timed;
pub(crate) mod tls;
pub(crate) mod websocket;
