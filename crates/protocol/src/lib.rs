//! The protocols that clients speak, without sockets and without a clock: bytes and times go in,
//! commands and bytes come out.
//!
//! # Invariants
//! - No decoder panics, whatever bytes it gets: what it cannot read is an error by name.
//! - Decimals are parsed exactly or refused, and printed exactly.

pub mod binance;
pub mod fix;
pub mod intake;
pub mod itch;
mod layout;
pub mod mold;
pub mod operator;
pub mod ouch;
pub mod signed;
pub mod soup;
mod spare;
pub mod udp;
