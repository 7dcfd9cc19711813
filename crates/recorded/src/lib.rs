//! Readers of recorded order flow.
//!
//! [`open`] decompresses, [`open_detected`] also detects a file's [`Format`], and a module for each
//! format parses its bytes into plain records: [`obwl`] for generated workloads, [`lobster`] for
//! NASDAQ order flow, [`dbn`] for order flow from Databento. Prices and quantities stay the
//! integers of the file; the caller has their units with the instrument.
//!
//! # Invariants
//! - No input makes a reader panic. Memory grows with the bytes read, never with a stated length,
//!   except for a decompressor's window, which has a limit.
//! - A reader never repairs: invalid input is an error that names its position. The one exception
//!   is the noise in times that LOBSTER printed from a double.

pub mod dbn;
mod event;
mod format;
mod input;
pub mod lobster;
pub mod obwl;

pub use event::{Event, Kind};
pub use format::{DetectError, Format, open_detected};
pub use input::{Input, decompress, open};
