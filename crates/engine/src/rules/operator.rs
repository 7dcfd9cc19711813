//! Commands of operators: transfers, listings, accounts, keys, logins.

mod account;
mod key;
pub(crate) mod listing;
mod login;
mod transfer;
