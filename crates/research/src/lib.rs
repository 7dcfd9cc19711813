//! Command lines of the tools for recorded markets. What they run is in libraries without one.

mod backtest;
mod data;
mod files;
mod pipeline;
mod replay;

pub use ::pipeline::Counting;

pub use crate::backtest::Backtest;
pub use crate::data::Data;
pub use crate::pipeline::Pipeline;
pub use crate::replay::Replay;
