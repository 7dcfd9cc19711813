//! Figures of a run: how its equity moved, and what its fills were worth.
//!
//! The formulas are in `docs/statistics.md`. Floats are fine here: nothing is decided by them.

mod deflated;
mod mark_outs;
mod returns;
mod rows;

pub use self::deflated::{Moments, deflated_sharpe};
pub use self::mark_outs::{HORIZONS_NS, MarkOut, MarkOuts};
pub use self::returns::{Drawdowns, Returns};
pub use self::rows::{Figure, Row, maker_rows, rows};

#[cfg(test)]
mod tests;
