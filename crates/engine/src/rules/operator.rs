//! Commands of operators: transfers, listings, accounts, keys.

mod account;
mod key;
pub(crate) mod listing;
mod transfer;
