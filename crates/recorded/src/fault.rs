//! What can be wrong with a recording, and where.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;
use types::Increment;

/// The reason for which a stream of events ended.
#[derive(Debug, Error)]
#[error("{}: {error}", .path.display())]
pub struct StreamError {
    pub path: PathBuf,
    #[source]
    pub error: ReadError,
}

/// A fault and its place in the file.
#[derive(Debug, Error)]
#[error("{place}{fault}")]
pub struct ReadError {
    pub place: Place,
    #[source]
    pub fault: Fault,
}

/// Where a fault is. Lines count from 1, records from 0; bytes are those after decompression.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    Line(u64),
    Record(u64),
    Byte(u64),
    /// The file as a whole.
    File,
}

impl Place {
    pub(crate) fn fault(self, fault: impl Into<Fault>) -> ReadError {
        ReadError { place: self, fault: fault.into() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}: "),
            Self::Record(record) => write!(f, "record {record}: "),
            Self::Byte(byte) => write!(f, "byte {byte}: "),
            Self::File => Ok(()),
        }
    }
}

/// What is wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file cannot be read on: it is cut, damaged, or of another form.
    #[error("{0}")]
    Form(String),
    /// One row or record is wrong; the next one can be read.
    #[error("{0}")]
    Row(String),
    #[error("the time runs {} ns backwards", .last_ns - .found_ns)]
    OutOfOrder { found_ns: i64, last_ns: i64 },
    /// Records are missing before this one, which is sound.
    #[error("a gap: {0}")]
    Gap(String),
    #[error("price {price} is not a whole number of ticks of {}", .tick.format(1, 0))]
    OffTick { price: String, tick: Increment },
    #[error("quantity {quantity} is not a whole number of lots of {}", .lot.format(1, 0))]
    OffLot { quantity: String, lot: Increment },
    #[error("price {price} is out of range")]
    PriceOutOfRange { price: String },
    #[error("quantity {quantity} is out of range")]
    QuantityOutOfRange { quantity: String },
}

impl Fault {
    /// Whether a lenient reader may leave out this row and read on.
    pub fn is_skippable(&self) -> bool {
        !matches!(self, Self::Io(_) | Self::Form(_))
    }
}
