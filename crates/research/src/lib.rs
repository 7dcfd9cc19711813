//! Command lines of the tools for recorded markets. What they run is in libraries without one.

mod replay;

pub use crate::replay::Replay;
