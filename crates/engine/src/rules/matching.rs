//! The checks, trades and rests of orders, and the orders that follow prices.

mod by_quote;
pub(crate) mod check;
pub(crate) mod context;
mod enter;
mod fill;
mod funds;
pub(crate) mod matched;
mod peg;
mod plain;
mod reach;
mod settle;
pub(crate) mod special;
mod stack;
mod stp;
mod trade;
