//! OUCH 5.0: orders and their reports in fixed layouts.
//!
//! Layouts follow Nasdaq's "O*U*C*H Version 5.0", revision 1.05: [`inbound`] has its section 2,
//! [`outbound`] its section 3, [`appendage`] its appendix A. Integers are big-endian, texts are
//! padded with spaces on the right, and a price has four decimals. Each field stands beside its
//! offset of the specification's tables, which the compiler checks.
//!
//! The venue has what OUCH lacks: longer symbols, finer prices, accounts. These are tags of
//! appendages from [`appendage::tag::SYMBOL`] on, where the specification has none.
//!
//! # Invariants
//! - No decoder panics, and none accepts a message with bytes left over.
//! - A decoder checks layouts only: [`code`] lists what the fields may hold.

pub mod appendage;
pub mod code;
pub mod inbound;
mod layout;
pub mod outbound;
#[cfg(test)]
mod tests;

pub use self::appendage::{Appendage, Tags};
pub use self::inbound::Inbound;
pub use self::outbound::Outbound;

/// A text of a fixed length, padded with spaces on the right.
pub type Alpha<const N: usize> = [u8; N];

/// The decimals of a price.
pub const PRICE_DECIMALS: u8 = 4;
/// The price of a market order.
pub const MARKET_PRICE: u64 = 0x7FFF_FFFF;

/// Pads a text. `None` if it is too long.
pub fn alpha<const N: usize>(text: &[u8]) -> Option<Alpha<N>> {
    let mut padded = [b' '; N];
    padded.get_mut(..text.len())?.copy_from_slice(text);
    Some(padded)
}

/// The text without its padding.
pub fn trimmed(text: &[u8]) -> &[u8] {
    let len = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    &text[..len]
}
