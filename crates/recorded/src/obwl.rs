//! OBWL version 1: generated order workloads, one packed record per command.
//!
//! Little-endian. A header of 64 bytes, then the stated number of records of 32 bytes, then
//! nothing. New orders have the ids 1, 2, 3, … in the order of the file, and a cancel refers to an
//! earlier one. So a consumer may index arrays by `order_id`, `symbol` and `price - price_min`
//! without further checks.
//!
//! # Known limits
//! Whether a canceled order still rests is not checked here, because that needs a book.

use std::io::{self, Read, Write};

use thiserror::Error;
use types::Side;

use crate::fill::fill;

const MAGIC: [u8; 8] = *b"OBWL0001";
const VERSION: u32 = 1;
/// 8 GiB of records. A header that states more is damaged.
pub const RECORD_COUNT_MAX: u64 = 1 << 28;
/// Memory is reserved for this many records at a time, whatever the header states.
const RECORDS_PER_READ: usize = 4096;

/// Totals of a workload. The reader checks them against the records, except that prices may use a
/// part of the range.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Header {
    /// Instruments; [`Record::symbol`] is below it.
    pub symbol_count: u32,
    pub record_count: u64,
    /// The number of first records that build the book and are not timed.
    pub prefill_count: u64,
    pub order_id_max: u64,
    /// In ticks, like `price_max`. Greater than `price_max` if no record has a price.
    pub price_min: u64,
    pub price_max: u64,
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(u8)]
pub enum Op {
    /// A limit order that is good till canceled.
    Limit = 0,
    /// `order_id` is the target; `price` and `side` repeat the target's.
    Cancel = 1,
    /// A limit order whose remainder is canceled.
    Ioc = 2,
    /// An order without a price, whose remainder is canceled.
    Market = 3,
}

/// One command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Record {
    pub order_id: u64,
    /// In ticks. Without meaning if `op` is [`Op::Market`].
    pub price: u64,
    /// In lots. Without meaning if `op` is [`Op::Cancel`].
    pub qty: u32,
    /// Counts from 0.
    pub symbol: u32,
    pub op: Op,
    pub side: Side,
}

const _: () = assert!(size_of::<Record>() == Record::SIZE);

/// A whole workload in memory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Workload {
    pub header: Header,
    pub records: Vec<Record>,
}

impl Workload {
    /// A workload of these records, with a header computed from them.
    pub fn new(symbol_count: u32, prefill_count: u64, records: Vec<Record>) -> Self {
        let is_new = |record: &&Record| record.op != Op::Cancel;
        let priced = || records.iter().filter(|record| record.op != Op::Market);
        let header = Header {
            symbol_count,
            record_count: records.len() as u64,
            prefill_count,
            order_id_max: records.iter().filter(is_new).map(|new| new.order_id).max().unwrap_or(0),
            price_min: priced().map(|record| record.price).min().unwrap_or(u64::MAX),
            price_max: priced().map(|record| record.price).max().unwrap_or(0),
        };
        Self { header, records }
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.header.to_bytes())?;
        self.records.iter().try_for_each(|record| out.write_all(&record.to_bytes()))
    }

    /// The records that build the book.
    pub fn prefill(&self) -> &[Record] {
        &self.records[..self.prefill_size()]
    }

    /// The timed records.
    pub fn timed(&self) -> &[Record] {
        &self.records[self.prefill_size()..]
    }

    /// Both fields are public, so a header that was changed by hand is bounded here.
    fn prefill_size(&self) -> usize {
        let prefill_count = usize::try_from(self.header.prefill_count).unwrap_or(usize::MAX);
        prefill_count.min(self.records.len())
    }
}

/// Reads a whole workload, up to and including the end of `source`.
pub fn read(source: impl Read) -> Result<Workload, ReadError> {
    let records = records(source)?;
    let header = records.header;
    Ok(Workload { header, records: records.collect::<Result<_, _>>()? })
}

/// Reads the header; the records follow from the iterator, which ends after its first error.
pub fn records<R: Read>(mut source: R) -> Result<Records<R>, ReadError> {
    let mut bytes = [0; Header::SIZE];
    let header_size = fill(&mut source, &mut bytes).map_err(ReadError::Io)?;
    if header_size < Header::SIZE {
        return Err(ReadError::HeaderShort { bytes: header_size });
    }
    let header = Header::parse(&bytes)?;
    let is_done = false;
    Ok(Records { source, header, chunk: Vec::new(), at: 0, index: 0, order_id_last: 0, is_done })
}

/// See [`records`]. All of the file is checked when the iterator has ended without an error.
#[derive(Debug)]
pub struct Records<R> {
    source: R,
    header: Header,
    /// Bytes of some records; the next one begins at `at`.
    chunk: Vec<u8>,
    at: usize,
    /// Of the next record.
    index: u64,
    order_id_last: u64,
    is_done: bool,
}

impl<R> Records<R> {
    pub fn header(&self) -> &Header {
        &self.header
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let next = self.read().transpose();
        self.is_done = !matches!(next, Some(Ok(_)));
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // What the header states may not reserve memory.
        let left = self.header.record_count - self.index;
        ((left as usize).min(RECORDS_PER_READ), usize::try_from(left).ok())
    }
}

impl<R: Read> Records<R> {
    fn read(&mut self) -> Result<Option<Record>, ReadError> {
        if self.index == self.header.record_count {
            return self.check_end().map(|()| None);
        }
        if self.at == self.chunk.len() {
            let left = self.header.record_count - self.index;
            self.chunk.resize((left as usize).min(RECORDS_PER_READ) * Record::SIZE, 0);
            let filled = fill(&mut self.source, &mut self.chunk).map_err(ReadError::Io)?;
            self.chunk.truncate(filled);
            self.at = 0;
        }
        let index = self.index;
        let wrong = |error| ReadError::Record { index, error };
        let rest = &self.chunk[self.at..];
        let Some(bytes) = rest.first_chunk() else {
            return Err(wrong(RecordError::Short { bytes: rest.len() }));
        };
        let record = Record::parse(bytes).map_err(wrong)?;
        record.check(&self.header, self.order_id_last).map_err(wrong)?;
        if record.op != Op::Cancel {
            self.order_id_last = record.order_id;
        }
        self.at += Record::SIZE;
        self.index += 1;
        Ok(Some(record))
    }

    fn check_end(&mut self) -> Result<(), ReadError> {
        if self.order_id_last != self.header.order_id_max {
            let stated = self.header.order_id_max;
            return Err(ReadError::OrderIdMaxDiffers { stated, found: self.order_id_last });
        }
        if fill(&mut self.source, &mut [0]).map_err(ReadError::Io)? > 0 {
            let record_count = self.header.record_count;
            return Err(ReadError::TrailingBytes { record_count });
        }
        Ok(())
    }
}

impl Header {
    pub const SIZE: usize = 64;

    /// Parses a header and runs the checks that need no records.
    pub fn parse(bytes: &[u8; Self::SIZE]) -> Result<Self, ReadError> {
        let mut r = Fields(bytes);
        let magic = r.take();
        if magic != MAGIC {
            return Err(ReadError::MagicUnknown { found: magic });
        }
        let version = r.u32();
        if version != VERSION {
            return Err(ReadError::VersionUnknown { found: version });
        }
        let header = Self {
            symbol_count: r.u32(),
            record_count: r.u64(),
            prefill_count: r.u64(),
            order_id_max: r.u64(),
            price_min: r.u64(),
            price_max: r.u64(),
        };
        if r.u64() != 0 {
            return Err(ReadError::ReservedNotZero);
        }
        if header.record_count > RECORD_COUNT_MAX {
            return Err(ReadError::RecordCountAboveMax { stated: header.record_count });
        }
        if header.prefill_count > header.record_count {
            return Err(ReadError::PrefillAboveRecordCount { stated: header.prefill_count });
        }
        Ok(header)
    }

    fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let mut fields = bytes.as_mut_slice();
        put(&mut fields, &MAGIC);
        put(&mut fields, &VERSION.to_le_bytes());
        put(&mut fields, &self.symbol_count.to_le_bytes());
        put(&mut fields, &self.record_count.to_le_bytes());
        put(&mut fields, &self.prefill_count.to_le_bytes());
        put(&mut fields, &self.order_id_max.to_le_bytes());
        put(&mut fields, &self.price_min.to_le_bytes());
        put(&mut fields, &self.price_max.to_le_bytes());
        bytes // The rest is reserved.
    }
}

/// Writes a field at the front, and leaves the space after it.
fn put(fields: &mut &mut [u8], field: &[u8]) {
    let (place, rest) = std::mem::take(fields).split_at_mut(field.len());
    place.copy_from_slice(field);
    *fields = rest;
}

impl Record {
    pub const SIZE: usize = 32;

    fn to_bytes(self) -> [u8; Self::SIZE] {
        let side = match self.side {
            Side::Buy => 0,
            Side::Sell => 1,
        };
        let mut bytes = [0; Self::SIZE];
        let mut fields = bytes.as_mut_slice();
        put(&mut fields, &self.order_id.to_le_bytes());
        put(&mut fields, &self.price.to_le_bytes());
        put(&mut fields, &self.qty.to_le_bytes());
        put(&mut fields, &self.symbol.to_le_bytes());
        put(&mut fields, &[self.op as u8, side]);
        bytes // The rest is padding.
    }

    /// Parses a record and runs the checks that need no header and no earlier records.
    pub fn parse(bytes: &[u8; Self::SIZE]) -> Result<Self, RecordError> {
        let mut r = Fields(bytes);
        let record = Self {
            order_id: r.u64(),
            price: r.u64(),
            qty: r.u32(),
            symbol: r.u32(),
            op: match r.u8() {
                0 => Op::Limit,
                1 => Op::Cancel,
                2 => Op::Ioc,
                3 => Op::Market,
                found => return Err(RecordError::OpUnknown { found }),
            },
            side: match r.u8() {
                0 => Side::Buy,
                1 => Side::Sell,
                found => return Err(RecordError::SideUnknown { found }),
            },
        };
        if r.take() != [0; 6] {
            return Err(RecordError::PaddingNotZero);
        }
        Ok(record)
    }

    fn check(&self, header: &Header, order_id_last: u64) -> Result<(), RecordError> {
        let found = self.order_id;
        if self.symbol >= header.symbol_count {
            return Err(RecordError::SymbolOutOfRange { found: self.symbol });
        }
        if self.op == Op::Cancel && !(1..=order_id_last).contains(&found) {
            return Err(RecordError::CancelOfUnknownOrder { found });
        }
        if self.op != Op::Cancel && found.checked_sub(1) != Some(order_id_last) {
            return Err(RecordError::OrderIdOutOfSequence { expected: order_id_last + 1, found });
        }
        if self.op != Op::Market && !(header.price_min..=header.price_max).contains(&self.price) {
            return Err(RecordError::PriceOutOfRange { found: self.price });
        }
        Ok(())
    }
}

/// Takes fields in the order of the file, from bytes that suffice for all of them.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        let (field, rest) = self.0.split_first_chunk().expect("the fields fill the bytes exactly");
        self.0 = rest;
        *field
    }

    fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

/// The reason for which a workload cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error("{0}")]
    Io(#[source] io::Error),
    #[error("the file ends after {bytes} of the header's {} bytes", Header::SIZE)]
    HeaderShort { bytes: usize },
    #[error("starts with \"{}\", not with \"OBWL0001\"", .found.escape_ascii())]
    MagicUnknown { found: [u8; 8] },
    #[error("version {found} is unknown: this reads version {VERSION}")]
    VersionUnknown { found: u32 },
    #[error("the header's reserved field is not zero")]
    ReservedNotZero,
    #[error("the header states {stated} records, above {RECORD_COUNT_MAX}")]
    RecordCountAboveMax { stated: u64 },
    #[error("the header states {stated} records of prefill, more than records")]
    PrefillAboveRecordCount { stated: u64 },
    /// `index` counts records from 0.
    #[error("record {index} (at byte {}): {error}", Header::SIZE as u64 + .index * Record::SIZE as u64)]
    Record {
        index: u64,
        #[source]
        error: RecordError,
    },
    #[error("the header states {stated} as the last order id, which is {found}")]
    OrderIdMaxDiffers { stated: u64, found: u64 },
    #[error("bytes follow the {record_count} records that the header states")]
    TrailingBytes { record_count: u64 },
}

/// The fault of one record.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum RecordError {
    /// The file ends inside the record, or before it although the header states more records.
    #[error("the file ends {}", short_text(*.bytes))]
    Short { bytes: usize },
    #[error("op {found} is unknown")]
    OpUnknown { found: u8 },
    #[error("side {found} is unknown")]
    SideUnknown { found: u8 },
    #[error("the padding is not zero")]
    PaddingNotZero,
    #[error("symbol {found} is not below the header's count of symbols")]
    SymbolOutOfRange { found: u32 },
    #[error("cancels order {found}, which no earlier record has entered")]
    CancelOfUnknownOrder { found: u64 },
    #[error("order id {found} where {expected} is next")]
    OrderIdOutOfSequence { expected: u64, found: u64 },
    #[error("price {found} is outside the header's range of prices")]
    PriceOutOfRange { found: u64 },
}

fn short_text(bytes: usize) -> String {
    if bytes == 0 {
        "before it, and the header states more records".to_owned()
    } else {
        format!("after {bytes} of its {} bytes", Record::SIZE)
    }
}

#[cfg(test)]
mod tests;
