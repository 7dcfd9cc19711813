//! Tests of the DBN reader.

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
