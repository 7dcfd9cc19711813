//! Figures of a run: how its equity moved, and what its fills were worth.
//!
//! The formulas are in `docs/statistics.md`. Floats are fine here: nothing is decided by them.

mod mark_outs;

pub use self::mark_outs::{HORIZONS_NS, MarkOut, MarkOuts};
