//! What operators do: money in and out, listings, accounts, keys.

mod account;
mod key;
pub(crate) mod listing;
mod transfer;
