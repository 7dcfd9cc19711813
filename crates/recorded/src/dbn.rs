//! DBN: order flow by order (MBO), the format of Databento.
//!
//! A file is a header and then one record for each change of one order. The records of one event, a
//! simultaneous change on the exchange, are consecutive; the last one has `is_last`. Prices are
//! integers of 10^-9.
//!
//! # Invariants
//! - The header takes at most [`METADATA_BYTES_MAX`], whatever length it states.
//! - A file that ends inside a record is an error, and so is compressed data that ends too early.
//!
//! # Known limits
//! - A file does not state its number of records, so that a cut between two records is not found. A
//!   cut of a compressed file is.
//! - Recordings of live streams, which contain records of other kinds, are refused.

use std::fmt;
use std::io::{self, Read};

use ::dbn::decode::{DbnMetadataDecoder, DbnRecordDecoder};
use ::dbn::{MboMsg, RecordHeader, Schema, VersionUpgradePolicy, rtype};
use types::Side;

use crate::input::fill;

/// The first bytes of a file. The next byte is the version.
pub const MAGIC: &[u8] = b"DBN";
/// The newest supported version. All versions write orders in the same way.
pub const VERSION_MAX: u8 = 3;
/// Names and dates of about ten thousand instruments; one instrument takes some hundred bytes.
pub const METADATA_BYTES_MAX: u32 = 16 << 20;
/// Magic, version, and the length of the metadata that follow.
const PRELUDE_SIZE: usize = 8;
/// A record may be followed by the time at which it was sent.
const FRAME_SIZE_MAX: usize = size_of::<MboMsg>() + size_of::<u64>();
/// All versions have the same records of orders.
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
pub fn records<R: Read>(mut source: R) -> Result<Records<R>, ReadError> {
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
    if let Some(schema) = metadata.schema.filter(|schema| *schema != Schema::Mbo) {
        return Err(ReadError::Schema { found: schema.to_string() });
    }
    let frames = Frames::new(source, metadata.ts_out);
    let decoder = DbnRecordDecoder::with_version(frames, version, POLICY, metadata.ts_out)
        .map_err(|error| ReadError::Metadata { reason: error.to_string() })?;
    Ok(Records { decoder, record: 0, is_done: false })
}

/// See [`records`].
#[derive(Debug)]
pub struct Records<R> {
    decoder: DbnRecordDecoder<Frames<R>>,
    /// Counts from 0.
    record: u64,
    is_done: bool,
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let next = self.read().transpose();
        self.record += 1;
        self.is_done = !matches!(next, Some(Ok(_)));
        next
    }
}

impl<R: Read> Records<R> {
    fn read(&mut self) -> Result<Option<Record>, ReadError> {
        let record = self.record;
        let wrong = |error| ReadError::Record { record, error };
        match self.decoder.decode::<MboMsg>() {
            Ok(Some(message)) => return Record::new(message).map(Some).map_err(wrong),
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

/// Whole records of the supported kind, for the decoder. The decoder would take bytes after a
/// record of another length for aligned memory, and any early end for the end of the file.
#[derive(Debug)]
struct Frames<R> {
    source: R,
    frame: [u8; FRAME_SIZE_MAX],
    size: usize,
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
    fn new(source: R, is_stamped: bool) -> Self {
        let size = size_of::<MboMsg>() + if is_stamped { size_of::<u64>() } else { 0 };
        Self { source, frame: [0; FRAME_SIZE_MAX], size, at: size, failure: None }
    }

    /// Reads the next frame; false at the end.
    fn advance(&mut self) -> Result<bool, Failure> {
        let read = fill(&mut self.source, &mut self.frame[..self.size]).map_err(Failure::Io)?;
        let [length, kind, ..] = self.frame;
        match read {
            0 => return Ok(false),
            1 => return Err(Failure::Cut),
            _ if kind != rtype::MBO => {
                return Err(Failure::Record(RecordError::NotAnOrder { found: kind }));
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
    fn new(message: &MboMsg) -> Result<Self, RecordError> {
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
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    Io {
        record: u64,
        error: io::Error,
    },
    NotDbn,
    Version {
        found: u8,
    },
    MetadataTooLong {
        stated: u32,
    },
    Metadata {
        reason: String,
    },
    /// The file has trades, quotes or other records.
    Schema {
        found: String,
    },
    /// The file ends inside this record, or inside the metadata if that is the first.
    Cut {
        record: u64,
    },
    Record {
        record: u64,
        error: RecordError,
    },
}

/// The fault of one record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum RecordError {
    Length,
    NotAnOrder {
        /// Databento's number for this kind of record.
        found: u8,
    },
    Action {
        found: u8,
    },
    Side {
        found: u8,
    },
    NoSide,
    PriceLevel,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { record, error } => write!(f, "record {record}: {error}"),
            Self::NotDbn => f.write_str("this is not DBN, which starts with \"DBN\""),
            Self::Version { found } => {
                write!(
                    f,
                    "DBN version {found} is not supported: this reads versions 1 to {VERSION_MAX}"
                )
            }
            Self::MetadataTooLong { stated } => {
                write!(f, "metadata of {stated} bytes are above the limit of {METADATA_BYTES_MAX}")
            }
            Self::Metadata { reason } => write!(f, "metadata: {}", reason.escape_debug()),
            Self::Schema { found } => {
                write!(f, "the file has {found} records: only mbo, orders by order, can be read")
            }
            Self::Cut { record } => write!(f, "record {record}: the file ends too early"),
            Self::Record { record, error } => write!(f, "record {record}: {error}"),
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => f.write_str("has an invalid length"),
            Self::NotAnOrder { found } => write!(f, "is not an order but of kind {found:#04x}"),
            Self::Action { found } => write!(f, "action {found:#04x} is unknown"),
            Self::Side { found } => write!(f, "side {found:#04x} is unknown"),
            Self::NoSide => f.write_str("an order without a side"),
            Self::PriceLevel => f.write_str("is a price level, not an order"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::Record { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl std::error::Error for RecordError {}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};
    use std::num::NonZeroU64;

    use ::dbn::encode::{EncodeRecord, dbn::Encoder};
    use ::dbn::{FlagSet, Metadata, MetadataBuilder, SType, TradeMsg, WithTsOut, flags};
    use proptest::prelude::*;

    use super::*;
    use crate::decompress;

    const RECORD_SIZE: usize = 56;

    fn metadata(schema: Option<Schema>, version: u8) -> Metadata {
        let mut metadata = MetadataBuilder::default()
            .dataset("GLBX.MDP3".to_owned())
            .schema(schema)
            .start(1)
            .stype_in(Some(SType::RawSymbol))
            .stype_out(SType::InstrumentId)
            .symbols(vec!["ESH4".to_owned()])
            .build();
        metadata.end = NonZeroU64::new(2);
        metadata.upgrade(VersionUpgradePolicy::UpgradeToV3);
        metadata.version = version;
        metadata
    }

    /// A record as `action side order_id size@price flags`.
    fn message(text: &str) -> MboMsg {
        let words: Vec<&str> = text.split(' ').collect();
        let [action, side, order_id, at, flags] = words[..] else { panic!("{text:?}") };
        let (size, price) = at.split_once('@').unwrap();
        let letter = |text: &str| text.as_bytes()[0].cast_signed();
        MboMsg {
            hd: RecordHeader::new::<MboMsg>(rtype::MBO, 1, 17_077, 5),
            order_id: order_id.parse().unwrap(),
            price: price.parse().unwrap(),
            size: size.parse().unwrap(),
            flags: FlagSet::new(flags.parse().unwrap()),
            action: letter(action),
            side: letter(side),
            ts_recv: 7,
            ..MboMsg::default()
        }
    }

    fn file(messages: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let metadata = metadata(Some(Schema::Mbo), 3);
        let mut encoder = Encoder::new(&mut bytes, &metadata).unwrap();
        for text in messages {
            encoder.encode_record(&message(text)).unwrap();
        }
        bytes
    }

    /// All records, and the error that ended reading.
    fn read(bytes: &[u8]) -> (Vec<Record>, Option<String>) {
        let mut read = Vec::new();
        match records(bytes) {
            Ok(records) => {
                for record in records {
                    match record {
                        Ok(record) => read.push(record),
                        Err(error) => return (read, Some(error.to_string())),
                    }
                }
                (read, None)
            }
            Err(error) => (read, Some(error.to_string())),
        }
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let (read, error) = read(&file(&[text]));
        let found = match (&read[..], error) {
            ([record], None) => {
                let Record { order_id, price, size, action, side, .. } = record;
                let mut found = format!("{action:?} {order_id} {size}@{price}");
                found.extend(side.map(|side| format!(" {side:?}")));
                found.extend(record.is_last.then_some(" last"));
                found.extend(record.is_snapshot.then_some(" snapshot"));
                found
            }
            ([], Some(error)) => error,
            found => panic!("{found:?}"),
        };
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn records_of_every_action_are_read() {
        check("A B 71 3@4810250000000 130", "Add 71 3@4810250000000 Buy last");
        check("A A 71 3@5 40", "Add 71 3@5 Sell snapshot");
        check("C A 71 3@5 0", "Cancel 71 3@5 Sell");
        check("M B 71 4294967295@-5 0", "Modify 71 4294967295@-5 Buy");
        check("T B 18446744073709551615 3@5 0", "Trade 18446744073709551615 3@5 Buy");
        check("T N 0 44@5 0", "Trade 0 44@5");
        check("F N 71 1@5 0", "Fill 71 1@5");
        check("R N 0 0@9223372036854775807 8", "Clear 0 0@9223372036854775807");
        check("N N 0 0@0 128", "None 0 0@0 last");
    }

    #[test]
    fn bad_records_name_their_fault() {
        check("X B 71 3@5 0", "record 0: action 0x58 is unknown");
        check("A X 71 3@5 0", "record 0: side 0x58 is unknown");
        check("A N 71 3@5 0", "record 0: an order without a side");
        check("M N 71 3@5 0", "record 0: an order without a side");
        let (mbp, tob) = (flags::MBP, flags::TOB);
        let expect = "record 0: is a price level, not an order";
        check(&format!("A B 71 3@5 {mbp}"), expect);
        check(&format!("A B 71 3@5 {tob}"), expect);
    }

    #[test]
    fn instrument_and_time_are_those_of_the_file() {
        let (read, _) = read(&file(&["A B 71 3@5 0"]));
        assert_eq!(read[0].instrument, Instrument { publisher: 1, id: 17_077 });
        assert_eq!(read[0].received_ns, 7);
    }

    #[test]
    fn versions_one_to_three_are_read() {
        for version in 1..=3 {
            let mut bytes = Vec::new();
            let mut metadata = metadata(Some(Schema::Mbo), version);
            metadata.symbol_cstr_len = if version == 1 { 22 } else { 71 };
            let mut encoder = Encoder::new(&mut bytes, &metadata).unwrap();
            encoder.encode_record(&message("A B 71 3@5 0")).unwrap();
            let (read, error) = read(&bytes);
            assert_eq!((read.len(), error), (1, None), "version {version}");
        }
        let mut bytes = file(&["A B 71 3@5 0"]);
        for version in [0, 4, 255] {
            bytes[3] = version;
            let (_, error) = read(&bytes);
            assert!(error.unwrap().starts_with(&format!("DBN version {version} is not")));
        }
    }

    #[test]
    fn other_schemas_are_refused() {
        let mut bytes = Vec::new();
        Encoder::new(&mut bytes, &metadata(Some(Schema::Trades), 3)).unwrap();
        let (_, error) = read(&bytes);
        assert!(error.unwrap().contains("has trades records"));

        // A live stream does not state it; the records do.
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, &metadata(None, 3)).unwrap();
        encoder.encode_record(&message("A B 71 3@5 0")).unwrap();
        encoder.encode_record(&TradeMsg::default()).unwrap();
        let (read, error) = read(&bytes);
        assert_eq!(read.len(), 1);
        assert_eq!(error.unwrap(), "record 1: is not an order but of kind 0x00");
    }

    #[test]
    fn metadata_take_bounded_memory() {
        let mut bytes = file(&[]);
        bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        let (_, error) = read(&bytes);
        assert_eq!(error.unwrap(), "metadata of 4294967295 bytes are above the limit of 16777216");
    }

    #[test]
    fn metadata_longer_than_one_read_are_read() {
        let mut metadata = metadata(Some(Schema::Mbo), 3);
        metadata.symbols = vec!["ESH4".to_owned(); 5_000];
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, &metadata).unwrap();
        encoder.encode_record(&message("A B 71 3@5 0")).unwrap();
        let (read, error) = read(&bytes);
        assert_eq!((read.len(), error), (1, None));
    }

    const MESSAGES: [&str; 4] = ["A B 71 3@5 40", "T A 72 3@5 0", "F B 71 3@5 0", "C B 71 3@5 130"];

    #[test]
    fn file_cut_at_any_byte_is_an_error_except_between_records() {
        let bytes = file(&MESSAGES);
        let (whole, error) = read(&bytes);
        assert_eq!((whole.len(), error), (4, None));
        let first = bytes.len() - MESSAGES.len() * RECORD_SIZE;
        for cut in 0..bytes.len() {
            let (read, error) = read(&bytes[..cut]);
            assert_eq!(read, whole[..read.len()], "cut at {cut}");
            let is_between = cut >= first && (cut - first).is_multiple_of(RECORD_SIZE);
            assert_eq!(error.is_none(), is_between, "cut at {cut}: {error:?}");
        }
    }

    #[test]
    fn compressed_file_cut_anywhere_is_an_error() {
        let bytes = file(&MESSAGES.repeat(50));
        // Two frames, so that the first has an end that is not the end of the file.
        let (front, back) = bytes.split_at(bytes.len() - 56);
        let frames = [front, back].map(|part| zstd::stream::encode_all(part, 0).unwrap());
        let compressed = frames.concat();
        for cut in 4..compressed.len() {
            let input = decompress(Cursor::new(compressed[..cut].to_vec())).unwrap();
            let failed = match records(input) {
                Ok(mut records) => records.any(|record| record.is_err()),
                Err(_) => true,
            };
            assert_eq!(failed, cut != frames[0].len(), "cut at {cut}");
        }
    }

    #[test]
    fn source_that_gives_a_byte_at_a_time_is_read_too() {
        struct Drip<'a>(&'a [u8]);
        impl Read for Drip<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let size = buffer.len().min(1);
                self.0.read(&mut buffer[..size])
            }
        }
        let bytes = file(&MESSAGES);
        let read: Vec<_> = records(Drip(&bytes)).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), 4);
        let buffered = BufReader::with_capacity(3, &bytes[..]);
        assert!(records(buffered).unwrap().map(Result::unwrap).eq(read));
    }

    #[test]
    fn records_may_have_the_time_at_which_they_were_sent() {
        let plain = file(&MESSAGES);
        let (whole, _) = read(&plain);
        let mut metadata = metadata(Some(Schema::Mbo), 3);
        metadata.ts_out = true;
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, &metadata).unwrap();
        for text in MESSAGES {
            encoder.encode_record(&WithTsOut::new(message(text), 9)).unwrap();
        }
        assert_eq!(read(&bytes), (whole, None));
    }

    #[test]
    fn record_of_another_length_is_an_error() {
        let bytes = file(&MESSAGES);
        let first = bytes.len() - MESSAGES.len() * RECORD_SIZE;
        for length in (0..=u8::MAX).filter(|length| *length != bytes[first]) {
            let mut bytes = bytes.clone();
            bytes[first + RECORD_SIZE] = length;
            let (read, error) = read(&bytes);
            assert_eq!(read.len(), 1, "length {length}");
            assert_eq!(error.unwrap(), "record 1: has an invalid length");
        }
    }

    #[test]
    fn any_byte_changed_never_panics() {
        let bytes = file(&MESSAGES);
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                let _ = read(&bytes);
            }
        }
    }

    proptest! {
        #[test]
        fn damaged_files_never_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
            end in any::<prop::sample::Index>(),
            noise in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut bytes = file(&MESSAGES);
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(end.index(bytes.len() + 1));
            bytes.extend(noise);
            let _ = read(&bytes);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes);
            let _ = read(&[b"DBN\x03\x64\0\0\0", &bytes[..]].concat());
        }
    }
}
