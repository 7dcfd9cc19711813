//! Pure views of the market, built from events: aggregated books, depth deltas, recent trades,
//! candles and statistics; messages order by order; and the counts of reports to logins.
//!
//! A view takes one [`types::Event`] at a time and describes the market after it. It reads no
//! clock, does no I/O and never queries the engine.
//!
//! # Invariants
//! - A view depends only on the events: views that were written to a snapshot and read back equal
//!   views that never stopped.
//! - An instrument's update id is its `instrument_seq`, so it survives restarts and has no gaps.
//! - Depth as of update id `n` and the deltas after `n` give the book: a client's copy equals the
//!   venue's book.

mod agg_trade;
mod depth;
mod l2;
#[cfg(test)]
mod market;
mod orders;
mod queue;
mod reports;
mod statistics;
mod trade;
mod views;

pub use agg_trade::AggTrades;
pub use depth::{DepthAccumulator, DepthDelta};
pub use l2::{BookUpdate, L2Book, Level, LevelChange, OrderChange};
pub use orders::{
    Fact, OrderIndex, OrderMessage, OrderStream, PRICE_DECIMALS, Said, SessionEvent, ShownOrder,
    ShownOrders, TradingStatus, Unsayable, locate_of, price_max, units_per_tick,
};
pub use queue::LevelQueue;
pub use reports::{Report, ReportKind, Reports};
pub use statistics::{LIVE_ZONES, PLUS_8, Statistics, Window};
pub use trade::{PublicTrade, RECENT_TRADES_MAX, RecentTrades};
pub use views::{InstrumentView, ViewUpdates, Views};
