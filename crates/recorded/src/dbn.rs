//! DBN: the format of Databento.
//!
//! A file is a header and then records of one kind. [`records`] reads order flow by order (MBO):
//! one record for each change of one order. The records of one event, a simultaneous change on the
//! exchange, are consecutive; the last one has `is_last`. Prices are integers of 10^-9.
//!
//! # Invariants
//! - The header takes at most [`METADATA_BYTES_MAX`], whatever length it states.
//! - A file that ends inside a record is an error, and so is compressed data that ends too early.
//!
//! # Known limits
//! - A file does not state its number of records, so that a cut between two records is not found. A
//!   cut of a compressed file is.
//! - Recordings of live streams, which contain records of other kinds, are refused.

use std::io::{self, Read};

use ::dbn::decode::{DbnMetadataDecoder, DbnRecordDecoder};
use ::dbn::{
    HasRType, MboMsg, Mbp1Msg, Mbp10Msg, OhlcvMsg, RecordHeader, SType, Schema, TradeMsg,
    VersionUpgradePolicy, rtype,
};
use thiserror::Error;
use types::Side;

use crate::fill::fill;

/// The first bytes of a file. The next byte is the version.
pub const MAGIC: &[u8] = b"DBN";
/// The newest supported version. All versions write orders in the same way.
pub const VERSION_MAX: u8 = 3;
/// Names and dates of about ten thousand instruments; one instrument takes some hundred bytes.
pub const METADATA_BYTES_MAX: u32 = 16 << 20;
/// Magic, version, and the length of the metadata that follow.
const PRELUDE_SIZE: usize = 8;
/// A record may be followed by the time at which it was sent.
const FRAME_SIZE_MAX: usize = size_of::<Mbp10Msg>() + size_of::<u64>();
/// All versions have the same records of orders, levels, trades and bars.
const POLICY: VersionUpgradePolicy = VersionUpgradePolicy::AsIs;

/// A change of one order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Record {
    /// Time at which Databento received it, since 1970.
    pub received_ns: u64,
    /// The exchange's id of the order. For a trade it is the aggressor's, or 0.
    pub order_id: u64,
    /// In units of 10^-9; [`i64::MAX`] without a price.
    pub price: i64,
    pub size: u32,
    pub instrument: Instrument,
    pub action: Action,
    /// For a trade the aggressor's side, else the order's. `None` for a trade in an auction.
    pub side: Option<Side>,
    /// Whether the event ends with this record.
    pub is_last: bool,
    /// Whether this is not a change, but an order that existed at the start of the file.
    pub is_snapshot: bool,
}

/// An instrument's publisher, and its number there.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Instrument {
    pub publisher: u16,
    pub id: u32,
}

/// The change that a [`Record`] reports.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Action {
    /// The order enters the book.
    Add,
    /// `size` was taken off the order.
    Cancel,
    /// The order gets this `price` and `size`.
    Modify,
    /// All orders are removed.
    Clear,
    /// An aggressor traded. Does not change the book.
    Trade,
    /// `size` of the order was filled. Does not change the book: a later cancel or modification has
    /// the order's new state.
    Fill,
    /// No change of the book.
    None,
}

/// Reads the header; the records follow from the iterator, which ends after its first error.
pub fn records<R: Read>(source: R) -> Result<Records<R>, ReadError> {
    let is_order = |schema: &Option<Schema>| schema.is_none_or(|schema| schema == Schema::Mbo);
    Ok(Records { file: open(source, is_order, "mbo, orders by order,")?, is_done: false })
}

/// A file behind its header.
#[derive(Debug)]
pub(crate) struct File<R> {
    decoder: DbnRecordDecoder<Frames<R>>,
    pub(crate) schema: Schema,
    /// The symbols of instruments by their numbers, if the header has them.
    pub(crate) symbols: Vec<(u32, String)>,
    /// The number of the next record; counts from 0.
    pub(crate) record: u64,
}

/// Reads the header of a file whose schema is readable; `readable` lists those in an error.
pub(crate) fn open<R: Read>(
    mut source: R,
    is_readable: impl Fn(&Option<Schema>) -> bool,
    readable: &'static str,
) -> Result<File<R>, ReadError> {
    let io_error = |error| ReadError::Io { record: 0, error };
    let mut prelude = [0; PRELUDE_SIZE];
    let size = fill(&mut source, &mut prelude).map_err(io_error)?;
    if !prelude.starts_with(MAGIC) {
        return Err(ReadError::NotDbn);
    }
    if size < PRELUDE_SIZE {
        return Err(ReadError::Cut { record: 0 });
    }
    let version = prelude[MAGIC.len()];
    if !(1..=VERSION_MAX).contains(&version) {
        return Err(ReadError::Version { found: version });
    }
    let stated = u32::from_le_bytes(*prelude.last_chunk().expect("it is longer"));
    if stated > METADATA_BYTES_MAX {
        return Err(ReadError::MetadataTooLong { stated });
    }
    let mut metadata = prelude.to_vec();
    source.by_ref().take(stated.into()).read_to_end(&mut metadata).map_err(io_error)?;
    if metadata.len() < PRELUDE_SIZE + stated as usize {
        return Err(ReadError::Cut { record: 0 });
    }
    let metadata = DbnMetadataDecoder::with_upgrade_policy(&metadata[..], POLICY)
        .decode()
        .map_err(|error| ReadError::Metadata { reason: error.to_string() })?;
    if !is_readable(&metadata.schema) {
        let found = metadata.schema.map_or_else(|| "mixed".to_owned(), |it| it.to_string());
        return Err(ReadError::Schema { found, readable });
    }
    let schema = metadata.schema.unwrap_or(Schema::Mbo);
    let frames = Frames::new(source, schema, metadata.ts_out);
    let decoder = DbnRecordDecoder::with_version(frames, version, POLICY, metadata.ts_out)
        .map_err(|error| ReadError::Metadata { reason: error.to_string() })?;
    Ok(File { decoder, schema, symbols: symbols(&metadata), record: 0 })
}

fn symbols(metadata: &::dbn::Metadata) -> Vec<(u32, String)> {
    let numbers_first = metadata.stype_in == Some(SType::InstrumentId);
    let mapped = metadata.mappings.iter().flat_map(|mapping| {
        mapping.intervals.iter().filter_map(move |interval| {
            let (number, symbol) = if numbers_first {
                (&mapping.raw_symbol, &interval.symbol)
            } else {
                (&interval.symbol, &mapping.raw_symbol)
            };
            Some((number.parse().ok()?, symbol.clone()))
        })
    });
    mapped.collect()
}

impl<R: Read> File<R> {
    /// The next record of the file's kind, `None` at the end.
    pub(crate) fn next<T: HasRType<Header = RecordHeader> + Clone>(
        &mut self,
    ) -> Result<Option<T>, ReadError> {
        let record = self.record;
        self.record += 1;
        let wrong = |error| ReadError::Record { record, error };
        match self.decoder.decode::<T>() {
            Ok(Some(found)) => return Ok(Some(found.clone())),
            Ok(None) => {}
            Err(_) => return Err(wrong(RecordError::Length)),
        }
        match self.decoder.get_mut().failure.take() {
            None => Ok(None),
            Some(Failure::Io(error)) => Err(ReadError::Io { record, error }),
            Some(Failure::Cut) => Err(ReadError::Cut { record }),
            Some(Failure::Record(error)) => Err(wrong(error)),
        }
    }
}

/// See [`records`].
#[derive(Debug)]
pub struct Records<R> {
    file: File<R>,
    is_done: bool,
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
}

impl<R: Read> Records<R> {
    fn read(&mut self) -> Result<Option<Record>, ReadError> {
        let record = self.file.record;
        let message = self.file.next::<MboMsg>()?;
        let wrong = |error| ReadError::Record { record, error };
        message.as_ref().map(Record::new).transpose().map_err(wrong)
    }
}

fn kind_and_size(schema: Schema) -> (u8, usize) {
    match schema {
        Schema::Mbp1 | Schema::Tbbo => (rtype::MBP_1, size_of::<Mbp1Msg>()),
        Schema::Mbp10 => (rtype::MBP_10, size_of::<Mbp10Msg>()),
        Schema::Trades => (rtype::MBP_0, size_of::<TradeMsg>()),
        Schema::Ohlcv1S => (rtype::OHLCV_1S, size_of::<OhlcvMsg>()),
        Schema::Ohlcv1M => (rtype::OHLCV_1M, size_of::<OhlcvMsg>()),
        Schema::Ohlcv1H => (rtype::OHLCV_1H, size_of::<OhlcvMsg>()),
        Schema::Ohlcv1D => (rtype::OHLCV_1D, size_of::<OhlcvMsg>()),
        _ => (rtype::MBO, size_of::<MboMsg>()),
    }
}

/// Whole records of the file's kind, for the decoder. The decoder would take bytes after a
/// record of another length for aligned memory, and any early end for the end of the file.
#[derive(Debug)]
struct Frames<R> {
    source: R,
    frame: [u8; FRAME_SIZE_MAX],
    /// Of each record, with the number of its kind.
    size: usize,
    kind: u8,
    /// The first byte of the frame that was not returned yet.
    at: usize,
    /// The reason for which there are no more frames.
    failure: Option<Failure>,
}

#[derive(Debug)]
enum Failure {
    Io(io::Error),
    Cut,
    Record(RecordError),
}

impl<R: Read> Frames<R> {
    fn new(source: R, schema: Schema, is_stamped: bool) -> Self {
        let (kind, size) = kind_and_size(schema);
        let size = size + if is_stamped { size_of::<u64>() } else { 0 };
        Self { source, frame: [0; FRAME_SIZE_MAX], size, kind, at: size, failure: None }
    }

    /// Reads the next frame; false at the end.
    fn advance(&mut self) -> Result<bool, Failure> {
        let read = fill(&mut self.source, &mut self.frame[..self.size]).map_err(Failure::Io)?;
        let [length, kind, ..] = self.frame;
        match read {
            0 => return Ok(false),
            1 => return Err(Failure::Cut),
            _ if kind != self.kind && self.kind == rtype::MBO => {
                return Err(Failure::Record(RecordError::NotAnOrder { found: kind }));
            }
            _ if kind != self.kind => {
                let expected = self.kind;
                return Err(Failure::Record(RecordError::OtherKind { found: kind, expected }));
            }
            _ if usize::from(length) * RecordHeader::LENGTH_MULTIPLIER != self.size => {
                return Err(Failure::Record(RecordError::Length));
            }
            _ if read < self.size => return Err(Failure::Cut),
            _ => {}
        }
        self.at = 0;
        Ok(true)
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.size {
            match self.advance() {
                Ok(true) => {}
                Ok(false) => return Ok(0),
                Err(failure) => {
                    self.failure = Some(failure);
                    return Ok(0);
                }
            }
        }
        let read = (&self.frame[self.at..self.size]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

impl Record {
    pub(crate) fn new(message: &MboMsg) -> Result<Self, RecordError> {
        let flags = message.flags;
        if flags.is_tob() || flags.is_mbp() {
            return Err(RecordError::PriceLevel);
        }
        let action = match message.action.cast_unsigned() {
            b'A' => Action::Add,
            b'C' => Action::Cancel,
            b'M' => Action::Modify,
            b'R' => Action::Clear,
            b'T' => Action::Trade,
            b'F' => Action::Fill,
            b'N' => Action::None,
            found => return Err(RecordError::Action { found }),
        };
        let side = match message.side.cast_unsigned() {
            b'B' => Some(Side::Buy),
            b'A' => Some(Side::Sell),
            b'N' => None,
            found => return Err(RecordError::Side { found }),
        };
        if side.is_none() && matches!(action, Action::Add | Action::Modify) {
            return Err(RecordError::NoSide);
        }
        Ok(Self {
            received_ns: message.ts_recv,
            order_id: message.order_id,
            price: message.price,
            size: message.size,
            instrument: Instrument {
                publisher: message.hd.publisher_id,
                id: message.hd.instrument_id,
            },
            action,
            side,
            is_last: flags.is_last(),
            is_snapshot: flags.is_snapshot(),
        })
    }
}

/// The reason for which reading ended. Records count from 0.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error("record {record}: {error}")]
    Io {
        record: u64,
        #[source]
        error: io::Error,
    },
    #[error("this is not DBN, which starts with \"DBN\"")]
    NotDbn,
    #[error("DBN version {found} is not supported: this reads versions 1 to {VERSION_MAX}")]
    Version { found: u8 },
    #[error("metadata of {stated} bytes are above the limit of {METADATA_BYTES_MAX}")]
    MetadataTooLong { stated: u32 },
    #[error("metadata: {}", .reason.escape_debug())]
    Metadata { reason: String },
    /// The file has other records.
    #[error("the file has {found} records: only {readable} can be read")]
    Schema { found: String, readable: &'static str },
    /// The file ends inside this record, or inside the metadata if that is the first.
    #[error("record {record}: the file ends too early")]
    Cut { record: u64 },
    #[error("record {record}: {error}")]
    Record {
        record: u64,
        #[source]
        error: RecordError,
    },
}

/// The fault of one record.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum RecordError {
    #[error("has an invalid length")]
    Length,
    /// With Databento's number for this kind of record.
    #[error("is not an order but of kind {found:#04x}")]
    NotAnOrder { found: u8 },
    #[error("is of kind {found:#04x} in a file of kind {expected:#04x}")]
    OtherKind { found: u8, expected: u8 },
    #[error("action {found:#04x} is unknown")]
    Action { found: u8 },
    #[error("side {found:#04x} is unknown")]
    Side { found: u8 },
    #[error("an order without a side")]
    NoSide,
    #[error("is a price level, not an order")]
    PriceLevel,
}

#[cfg(test)]
mod tests;
