//! Readers of recorded markets.
//!
//! [`Stream`] reads files of all formats as one stream of [`Event`]s in the units of their
//! instruments, and [`columnar`] is our own file of such events. Under it, [`open`] decompresses,
//! [`open_detected`] also detects a file's [`Format`], and a module for each format of order flow
//! parses its bytes into plain records: [`obwl`] for generated workloads, [`lobster`] for NASDAQ
//! order flow, [`dbn`] for order flow from Databento. There, prices and quantities stay the
//! integers of the file.
//!
//! # Invariants
//! - No input makes a reader panic. Memory grows with the bytes read, never with a stated length,
//!   except for a decompressor's window, which has a limit.
//! - A reader never repairs: invalid input is an error that names its position. The one exception
//!   is the noise in numbers that a program printed from a double.

pub mod columnar;
pub mod dbn;
mod event;
mod fault;
mod fill;
mod format;
mod input;
mod lines;
pub mod lobster;
mod moment;
mod names;
pub mod obwl;
mod parquet;
mod stream;
mod units;
mod zip;

pub use event::{Event, Kind};
pub use fault::{Fault, Place, ReadError, StreamError};
pub use format::{DetectError, Format, open_detected};
pub use input::{Input, decompress, open};
pub use moment::{Day, time_ns};
pub use parquet::{Cell, ColumnKind, TableWriter};
pub use stream::{Instrument, Options, PROBED_EVENTS, Recording, Stream, UnitFrom};
