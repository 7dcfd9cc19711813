//! Orders by OUCH 5.0 over SoupBinTCP or UDP: a session for each login, with its reports in
//! sequence.
//!
//! ```text
//!  TCP ─► accept ─► session ─► order ─► door ─► venue ─┬─► reporter ─► book, link ─► session
//!  Unix, memory     log_on     frames of one read       │    encodes on the engine's thread
//!                   backlog    are one request          └─► publisher ─► spool ─► backlog
//!  UDP ─► datagrams ─► datagrams/session ─► order …
//! ```
//!
//! The reports of a login are a pure function of committed events (`marketdata::Report`). Their
//! count is in the views' snapshot, and a log-on reads from the event spool what it missed.
//!
//! # Invariants
//! - Reports are encoded in the order in which commands are applied, by one thread at a time.
//! - A login has one session. The engine closes the last one when it opens the next.
//! - What a client has no report about is in no session's sequence: cancels of orders that are not
//!   open, and repeated numbers.

pub(crate) mod accept;
mod backlog;
mod book;
pub(crate) mod datagrams;
pub(crate) mod hub;
mod intake;
mod link;
mod log_on;
mod order;
mod report;
pub(crate) mod reporter;
mod scale;
mod session;
pub(crate) mod settings;
