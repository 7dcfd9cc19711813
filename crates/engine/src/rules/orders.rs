//! What commands do with open orders: how they end, change, wait, and depend on each other.

mod ending;
mod list;
mod modify;
mod session;
mod sweep;
mod trigger;
