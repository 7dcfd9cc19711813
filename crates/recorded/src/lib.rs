//! Readers of recorded order flow.
//!
//! [`open`] undoes the compression, [`open_detected`] also says which [`Format`] a file has, and a
//! module for each format turns its bytes into plain records: [`obwl`] for generated workloads,
//! [`lobster`] for NASDAQ order flow, [`dbn`] for order flow from Databento. Prices and quantities stay the integers of the file; what
//! they are worth is for the caller, who knows the instrument.
//!
//! # Invariants
//! - No input makes a reader panic. Memory grows with what was read, never with what a file claims,
//!   but for the window of a decompressor, which has a limit.
//! - A reader never repairs: what it cannot take as it stands is an error that says where. The one
//!   exception is the noise in times that LOBSTER printed from a double.

pub mod dbn;
mod format;
mod input;
pub mod lobster;
pub mod obwl;

pub use format::{DetectError, Format, open_detected};
pub use input::{Input, decompress, open};
