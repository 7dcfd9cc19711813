//! MoldUDP64 1.00: numbered messages in datagrams, for both sides.
//!
//! Layouts follow Nasdaq's "MoldUDP64 Protocol Specification", version 1.00: a [`packet`] has a
//! session, the number of its first message, and messages, each behind its length in two bytes. A
//! [`Sender`] fills packets, a [`Receiver`] puts messages in order and asks for missed ones. Times
//! are milliseconds of a clock of the caller's choice.
//!
//! # Invariants
//! - A receiver delivers each message of a session once, in order, whatever is lost, doubled or
//!   reordered, as long as the server still has what was lost.
//! - Memory of a receiver is bounded, whatever arrives.

pub mod packet;
pub mod receiver;
pub mod sender;
#[cfg(test)]
mod tests;

pub use self::packet::{Invalid, Packet, Request, SessionName};
pub use self::receiver::{Received, Receiver};
pub use self::sender::Sender;

/// A sender that has sent nothing for this long sends a heartbeat.
pub const HEARTBEAT_AFTER_MS: u64 = 1_000;
/// The longest packet: what Ethernet carries in one frame, without the headers of IP and UDP.
pub const PACKET_MAX: usize = 1_472;
