//! SoupBinTCP 3.00 and 4.00: sessions of sequenced messages over a stream of bytes, for both sides.
//!
//! Layouts follow Nasdaq's "SoupBinTCP", versions 3.00 and 4.00: a packet is a length in two
//! bytes, big-endian, that counts what follows; a type; and its fields. All fields are ASCII. Times
//! are milliseconds of a clock of the caller's choice.
//!
//! # Invariants
//! - A message has its number by its position in the session: no packet carries one.
//! - [`Received::NeedMore`] and [`Received::Nothing`] differ: after the second there may be another
//!   packet in the same bytes.

pub mod client;
pub mod packet;
pub mod server;
#[cfg(test)]
mod tests;

pub use self::client::Client;
pub use self::packet::{LogOn, Received, RejectReason, SessionName, Violation};
pub use self::server::Server;

/// A side that has sent nothing for this long sends a heartbeat.
pub const HEARTBEAT_AFTER_MS: u64 = 1_000;
/// A side that has heard nothing for this long takes the connection for dead.
pub const DEAD_AFTER_MS: u64 = 15_000;
/// A client logs on within this time.
pub const LOG_ON_WITHIN_MS: u64 = 30_000;
