//! The read model: what happened, in SQLite, for questions about the past.
//!
//! ```text
//! event spool ─► [projection thread: changes.rs, store.rs] ─► history.sqlite ─► History: query/
//! ```
//!
//! It is fed from the event spool by a thread of its own, a page of events in one transaction, with
//! the number of the last command in the same transaction. It is derived, as the spool is: it can be
//! made anew from the log ([`rebuild`]), and whatever fails here stops neither orders nor
//! publishing.
//!
//! # Invariants
//! - Each event counts exactly once, whatever happens between reading it and the next start.
//! - A candle is to the unit what the trades of its period come to.
//! - Nothing waits for the read model but who asks it, and he says how long
//!   ([`History::wait_until`]).
//! - Where history begins, and where it has holes, is in it too ([`status`]).
//!
//! # Known limits
//! Nothing is deleted: the file grows with every order and every trade.

mod changes;
mod column;
mod error;
mod history;
mod pace;
mod query;
mod rebuild;
mod schema;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod thread;

pub use changes::Amendment;
pub use error::ProjectionError;
pub use history::{Behind, History};
pub use query::{AggFilter, Klines, ListFilter, OrderFilter, PreventedFilter, Times, TradeFilter};
pub use rebuild::{RebuildError, Rebuilt, rebuild};
pub use schema::{SCHEMA_VERSION, path};
pub use status::{Status, status};
pub use store::Progress;
pub use thread::Projection;
