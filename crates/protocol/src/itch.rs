//! TotalView-ITCH 5.0: a market's orders one by one, in fixed layouts.
//!
//! Layouts follow Nasdaq's "TotalView-ITCH 5.0", section 1: [`message`] has its tables. Integers
//! are big-endian, texts are padded with spaces on the right, and a price has four decimals. Each
//! message begins with its type, the instrument's number of the day (stock locate), a number for
//! the venue's own use, and the time since midnight. Each field stands beside its offset of the
//! specification's tables, which the compiler checks.
//!
//! # Invariants
//! - No decoder panics, and none accepts a message with bytes left over.
//! - A decoder checks layouts only: [`code`] lists what the fields may hold.

pub mod code;
pub mod message;
#[cfg(test)]
mod tests;

pub use self::message::{Head, Message, Unreadable};

/// The decimals of a price.
pub const PRICE_DECIMALS: u8 = 4;
/// The decimals of a level at which the whole market halts.
pub const DECLINE_LEVEL_DECIMALS: u8 = 8;
/// The longest message.
pub const MESSAGE_MAX: usize = message::Imbalance::SIZE;
