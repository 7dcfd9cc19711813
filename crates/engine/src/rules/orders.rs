//! Effects of commands on open orders: ends, changes, waits, and dependencies.

mod ending;
mod list;
mod modify;
mod numbering;
mod session;
mod sweep;
mod trigger;
