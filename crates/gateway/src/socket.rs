//! Sockets without a dialect: accepting, limits of what clients hold, TLS, timing, HTTP and
//! WebSocket framing, proxies, requests of web pages.

pub(crate) mod accept;
pub(crate) mod answered;
pub(crate) mod answers;
mod bounded;
pub(crate) mod certificate;
pub(crate) mod connection;
pub(crate) mod cors;
pub(crate) mod http;
pub(crate) mod listeners;
pub(crate) mod page;
pub(crate) mod proxy;
pub(crate) mod readers;
pub(crate) mod refusal;
pub(crate) mod settings;
pub(crate) mod share;
pub(crate) mod socket_answer;
pub(crate) mod timed;
pub(crate) mod tls;
pub(crate) mod traffic;
pub(crate) mod websocket;
