//! The columnar file: events of a stream in blocks, one column for each field.
//!
//! A column has the differences to its smallest value in the block, in as few bytes (0, 1, 2, 4 or
//! 8) as the largest of them needs. Recordings of levels and of orders take 17 to 19 bytes an
//! event. A block carries its number and a checksum, so that a missing, repeated or damaged block
//! is refused.
//!
//! # Layout, little-endian
//! - The header of [`HEADER_BYTES`]: magic, version, number of instruments, numbers of events and
//!   blocks, first and last time, position and size of the table of instruments, 16 bytes of zero,
//!   and a checksum of the header and that table.
//! - The blocks: a header of [`BLOCK_HEADER_BYTES`] with the block's checksum, number, events and
//!   size, and base and width of six columns; then the columns, each filled to 8 bytes.
//! - The table of instruments: name, tick and lot.
//!
//! # Known limits
//! - The version is 1, and other versions are refused. Until the first release it may change.
//! - A program that cuts a file while it is mapped ends the reader's process.

mod map;
mod read;
mod write;

use types::{Increment, Side};

pub use self::read::{Block, Reader};
pub use self::write::{Summary, Writer};
use crate::event::Kind;

pub(crate) const MAGIC: &[u8; 8] = b"BWEVENTS";
pub const VERSION: u32 = 1;
/// Events of a block: its columns, decoded, fit into a core's cache.
pub const BLOCK_EVENTS: usize = 4_096;
const HEADER_BYTES: usize = 96;
const BLOCK_HEADER_BYTES: usize = 88;
const CHECKSUM_BYTES: usize = 16;
/// Local time, exchange time as the difference to it, order, price, quantity, instrument.
const COLUMNS: usize = 6;

/// What a file states of all its events.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Header {
    pub instruments: Vec<Listed>,
    pub events: u64,
    pub blocks: u64,
    /// Times of the exchange; both zero in a file without events.
    pub first_ns: i64,
    pub last_ns: i64,
}

/// An instrument of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Listed {
    pub name: String,
    pub tick: Increment,
    pub lot: Increment,
}

/// Kind and side in one byte.
fn tag(kind: Kind, side: Option<Side>) -> u8 {
    let side = match side {
        None => 0,
        Some(Side::Buy) => 1,
        Some(Side::Sell) => 2,
    };
    kind as u8 | side << 4
}

/// What a [`tag`] stands for; `None` if it is none.
const fn tagged(tag: u8) -> Option<(Kind, Option<Side>)> {
    let side = match tag >> 4 {
        0 => None,
        1 => Some(Side::Buy),
        2 => Some(Side::Sell),
        _ => return None,
    };
    let kind = (tag & 0xf) as usize;
    if kind < Kind::ALL.len() { Some((Kind::ALL[kind], side)) } else { None }
}

fn checksum(parts: &[&[u8]]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = twox_hash::XxHash3_128::new();
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish_128().to_le_bytes()
}

#[cfg(test)]
mod tests;
