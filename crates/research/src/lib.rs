//! Command lines of the tools for recorded markets. What they run is in libraries without one.

mod backtest;
mod choice;
mod data;
mod files;
mod interrupt;
mod pipeline;
mod reconcile;
mod replay;
mod rules;
mod trade;

pub use ::pipeline::Counting;

pub use crate::backtest::Backtest;
pub use crate::data::Data;
pub use crate::pipeline::Pipeline;
pub use crate::reconcile::Reconcile;
pub use crate::replay::Replay;
pub use crate::trade::Trade;
