//! Tests of the OBWL reader.

use proptest::prelude::*;

use super::*;

/// The first bytes that the format's generator writes for its first workload.
const GENERATED_HEADER: [u8; Header::SIZE] = *b"OBWL0001\x01\0\0\0\x01\0\0\0\
    \x80\x3e\0\0\0\0\0\0\x98\x3a\0\0\0\0\0\0\x01\x3d\0\0\0\0\0\0\
    \x6b\x86\x01\0\0\0\0\0\xd3\x86\x01\0\0\0\0\0\0\0\0\0\0\0\0\0";
const GENERATED_RECORD: [u8; Record::SIZE] = *b"\x01\0\0\0\0\0\0\0\xa8\x86\x01\0\0\0\0\0\
    \x3a\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0";

fn record(op: Op, order_id: u64, price: u64, qty: u32, symbol: u32) -> Record {
    Record { order_id, price, qty, symbol, op, side: Side::Sell }
}

fn workload() -> Workload {
    Workload {
        header: Header {
            symbol_count: 2,
            record_count: 5,
            prefill_count: 2,
            order_id_max: 4,
            price_min: 90,
            price_max: 110,
        },
        records: vec![
            record(Op::Limit, 1, 90, 5, 0),
            record(Op::Limit, 2, 110, 6, 1),
            record(Op::Cancel, 1, 90, 0, 0),
            record(Op::Ioc, 3, 100, 7, 1),
            Record { side: Side::Buy, ..record(Op::Market, 4, 0, u32::MAX, 0) },
        ],
    }
}

fn bytes_of(workload: &Workload) -> Vec<u8> {
    let Header { symbol_count, record_count, prefill_count, .. } = workload.header;
    let Header { order_id_max, price_min, price_max, .. } = workload.header;
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    out.extend(symbol_count.to_le_bytes());
    for field in [record_count, prefill_count, order_id_max, price_min, price_max, 0] {
        out.extend(field.to_le_bytes());
    }
    for record in &workload.records {
        out.extend(record.order_id.to_le_bytes());
        out.extend(record.price.to_le_bytes());
        out.extend(record.qty.to_le_bytes());
        out.extend(record.symbol.to_le_bytes());
        out.push(record.op as u8);
        out.push(match record.side {
            Side::Buy => 0,
            Side::Sell => 1,
        });
        out.extend([0; 6]);
    }
    out
}

/// Changes the valid workload's bytes at one offset and compares the error's text.
#[track_caller]
fn check(offset: usize, bytes: &[u8], expect: &str) {
    let mut file = bytes_of(&workload());
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
    assert_eq!(read(&file[..]).unwrap_err().to_string(), expect);
}

#[test]
fn generated_bytes_are_read() {
    let header = Header::parse(&GENERATED_HEADER).unwrap();
    let expect = Header {
        symbol_count: 1,
        record_count: 16_000,
        prefill_count: 15_000,
        order_id_max: 15_617,
        price_min: 99_947,
        price_max: 100_051,
    };
    assert_eq!(header, expect);
    let first = Record::parse(&GENERATED_RECORD).unwrap();
    assert_eq!(first, record(Op::Limit, 1, 100_008, 58, 0));
}

#[test]
fn workload_is_read_back() {
    let read = read(&bytes_of(&workload())[..]).unwrap();
    assert_eq!(read, workload());
    assert_eq!(read.prefill(), &workload().records[..2]);
    assert_eq!(read.timed(), &workload().records[2..]);
}

#[test]
fn workload_longer_than_one_read_is_read_back() {
    let mut long = workload();
    long.records = (1..=2 * RECORDS_PER_READ as u64 + 1)
        .map(|order_id| record(Op::Limit, order_id, 100, 1, 1))
        .collect();
    long.header.record_count = long.records.len() as u64;
    long.header.order_id_max = long.header.record_count;
    assert_eq!(read(&bytes_of(&long)[..]).unwrap(), long);
}

#[test]
fn workload_without_records_is_read_back() {
    let header = Header {
        symbol_count: 1,
        record_count: 0,
        prefill_count: 0,
        order_id_max: 0,
        price_min: u64::MAX,
        price_max: 0,
    };
    let empty = Workload { header, records: Vec::new() };
    assert_eq!(read(&bytes_of(&empty)[..]).unwrap(), empty);
}

#[test]
fn damaged_header_is_refused_by_name() {
    check(0, b"LOBSTER!", "starts with \"LOBSTER!\", not with \"OBWL0001\"");
    check(7, b"\xff", "starts with \"OBWL000\\xff\", not with \"OBWL0001\"");
    check(8, &[2], "version 2 is unknown: this reads version 1");
    check(12, &[0], "record 0 (at byte 64): symbol 0 is not below the header's count of symbols");
    check(16, &[0xff; 8], &format!("the header states {} records, above 268435456", u64::MAX));
    check(24, &[6], "the header states 6 records of prefill, more than records");
    check(32, &[5], "the header states 5 as the last order id, which is 4");
    check(40, &[91], "record 0 (at byte 64): price 90 is outside the header's range of prices");
    check(48, &[109], "record 1 (at byte 96): price 110 is outside the header's range of prices");
    check(63, &[1], "the header's reserved field is not zero");
}

#[test]
fn damaged_record_is_refused_by_number() {
    check(64 + 24, &[4], "record 0 (at byte 64): op 4 is unknown");
    check(96 + 25, &[2], "record 1 (at byte 96): side 2 is unknown");
    check(96 + 31, &[1], "record 1 (at byte 96): the padding is not zero");
    check(
        96 + 20,
        &[2],
        "record 1 (at byte 96): symbol 2 is not below the header's count of symbols",
    );
    check(96, &[1], "record 1 (at byte 96): order id 1 where 2 is next");
    check(64, &[0], "record 0 (at byte 64): order id 0 where 1 is next");
    check(96, &[0xff; 8], &format!("record 1 (at byte 96): order id {} where 2 is next", u64::MAX));
    check(
        128,
        &[3],
        "record 2 (at byte 128): cancels order 3, which no earlier record has entered",
    );
    check(
        128,
        &[0],
        "record 2 (at byte 128): cancels order 0, which no earlier record has entered",
    );
}

#[test]
fn wrong_record_count_is_an_error() {
    check(
        16,
        &[6],
        "record 5 (at byte 224): the file ends before it, and the header states more records",
    );
    check(16, &[4], "the header states 4 as the last order id, which is 3");
    let mut file = bytes_of(&workload());
    file[16..24].copy_from_slice(&RECORD_COUNT_MAX.to_le_bytes());
    assert!(matches!(
        read(&file[..]),
        Err(ReadError::Record { index: 5, error: RecordError::Short { bytes: 0 } })
    ));
}

#[test]
fn bytes_after_the_last_record_are_an_error() {
    let mut file = bytes_of(&workload());
    file.push(0);
    let error = read(&file[..]).unwrap_err();
    assert_eq!(error.to_string(), "bytes follow the 5 records that the header states");
}

#[test]
fn file_cut_at_any_byte_names_the_record() {
    let file = bytes_of(&workload());
    for cut in 0..file.len() {
        match read(&file[..cut]) {
            Err(ReadError::HeaderShort { bytes }) => assert_eq!(bytes, cut),
            Err(ReadError::Record { index, error: RecordError::Short { bytes } }) => {
                assert_eq!(Header::SIZE + index as usize * Record::SIZE + bytes, cut);
            }
            other => panic!("cut at {cut}: {other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes[..]).map_err(|error| error.to_string());
    }

    #[test]
    fn damaged_workload_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut file = bytes_of(&workload());
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        match read(&file[..]) {
            Ok(workload) => prop_assert_eq!(bytes_of(&workload), file),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
