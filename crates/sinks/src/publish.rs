//! Publishers: the events of the spool as messages for other programs.
//!
//! ```text
//! event spool ─► [thread of a publisher: projection's feed] ─► publisher.rs ─► a broker's Connection
//!                                                  convert.rs: event ─► message.rs
//! ```
//!
//! A broker keeps its own last event, and the venue a file with the position. A publisher goes on
//! after both: so a broker that can compare gets each event once, and the others at least once.
//!
//! # Invariants
//! - Messages of a broker are in the order of events.
//! - A position is written after the broker has all up to there.
//! - A page in memory is bounded ([`page::PAGE_EVENTS`]), however far a publisher is behind.
//! - A password is in no message: an address is displayed without it.

pub mod address;
pub mod balances;
pub mod convert;
pub mod directory;
pub mod failure;
pub mod figures;
#[cfg(feature = "redis")]
pub(crate) mod market;
pub mod message;
pub mod page;
pub mod position;
pub mod publisher;
