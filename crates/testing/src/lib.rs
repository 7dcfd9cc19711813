//! A venue for tests: a small market, its orders, and what joins a venue to its read model.
//!
//! Integration tests alone depend on this crate: the unit tests of a crate that it sees would have
//! that crate built twice.

mod market;
mod venue;

pub use server::feed;

pub use crate::market::{
    ALICE, BOB, INSTRUMENT, Kept, account, asset, deposit, instrument, limit, set_up,
};
pub use crate::venue::{send, settings};
