//! The market order by order: what each command says about each displayed order, as numbered
//! messages for a feed of machines.
//!
//! ```text
//!  events of a command ─► step ─► stream: kept out? in an auction? ─► messages, numbered by day
//!                                    └─► index: from which command to read a number again
//! ```
//!
//! # Invariants
//! - Messages are a pure function of committed events, and so are their numbers: a restart makes
//!   the same again.
//! - The orders that messages have added, less what they took off, are the displayed book.
//! - A number begins at 1 with each numbering day. Orders that stand when a day begins keep
//!   standing: the day's messages do not repeat them.
//!
//! # Known limits
//! - An order that comes back to the book has its reference again: a modified order, and the next
//!   part of an iceberg.
//! - A corrected trade is no message, since no feed of orders has one for it.

mod book;
mod index;
mod limits;
mod message;
mod step;
mod stream;
#[cfg(test)]
mod tests;

pub use book::{ShownOrder, ShownOrders};
pub use index::OrderIndex;
pub(crate) use index::OrderUpdates;
pub use limits::{PRICE_DECIMALS, Unsayable, locate_of, price_max, units_per_tick};
pub use message::{Fact, OrderMessage, Said, SessionEvent, TradingStatus};
pub use stream::OrderStream;
