//! Tests of the columnar file.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;
use types::{Price, Qty};

use super::*;
use crate::event::Event;

fn event(time_ns: i64, price: i64, quantity: u64, kind: Kind) -> Event {
    Event {
        exchange_ns: time_ns - 3,
        local_ns: time_ns,
        order: quantity * 7,
        price: Price::from_ticks(price),
        quantity: Qty::from_lots(quantity),
        instrument: 0,
        kind,
        side: Some(Side::Buy),
    }
}

fn listed(count: u16) -> Vec<Listed> {
    let unit = Increment { units: 5, decimals: 1 };
    let lot = Increment { units: 1, decimals: 3 };
    (0..count).map(|at| Listed { name: format!("X{at}"), tick: unit, lot }).collect()
}

/// A fixed file of one full block and a short one.
fn sample() -> Vec<Event> {
    let count = BLOCK_EVENTS as i64 + 100;
    let of = |at: i64| {
        let kind = Kind::ALL[at as usize % Kind::ALL.len()];
        event(1_700_000_000_000_000_000 + at * 1_000, at % 90 - 9, at as u64 % 70_000, kind)
    };
    (0..count).map(of).collect()
}

fn write(folder: &Path, events: &[Event], instruments: u16) -> PathBuf {
    let path = folder.join("a.bwd");
    let mut writer = Writer::create(&path).unwrap();
    events.chunks(1_000).for_each(|events| writer.append(events).unwrap());
    let summary = writer.finish(&listed(instruments)).unwrap();
    assert_eq!(summary.events, events.len() as u64);
    assert_eq!(summary.bytes, fs::metadata(&path).unwrap().len());
    path
}

fn read(path: &Path) -> Result<(Header, Vec<Event>), String> {
    let mut reader = Reader::open(path).map_err(|error| error.to_string())?;
    let mut events = Vec::new();
    while let Some(block) = reader.next_block().map_err(|error| error.to_string())? {
        events.extend(block.events());
    }
    Ok((reader.header().clone(), events))
}

#[test]
fn events_come_back_with_their_header() {
    let folder = TempDir::new().unwrap();
    let events = sample();
    let path = write(folder.path(), &events, 2);
    let (header, found) = read(&path).unwrap();
    assert_eq!(found, events);
    let expect = Header {
        instruments: listed(2),
        events: events.len() as u64,
        blocks: 2,
        first_ns: events[0].exchange_ns,
        last_ns: events[events.len() - 1].exchange_ns,
    };
    assert_eq!(header, expect);
    assert!(!folder.path().join("a.bwd.partial").exists());
}

#[test]
fn a_file_without_events_is_a_file() {
    let folder = TempDir::new().unwrap();
    let path = write(folder.path(), &[], 0);
    assert_eq!(read(&path).unwrap().1, []);
}

#[test]
fn the_golden_file_is_written_and_read() {
    let folder = TempDir::new().unwrap();
    let events = &sample()[..200];
    let path = write(folder.path(), events, 1);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/version-1.bwd");
    if std::env::var_os("BUTTONWOOD_GOLDEN").is_some() {
        fs::create_dir_all(golden.parent().unwrap()).unwrap();
        fs::copy(&path, &golden).unwrap();
    }
    let text =
        "the format has changed: run this with BUTTONWOOD_GOLDEN=1 and say why in the commit";
    assert!(fs::read(&golden).unwrap() == fs::read(&path).unwrap(), "{text}");
    assert_eq!(read(&golden).unwrap().1, events);
}

#[test]
fn another_version_is_refused_by_its_number() {
    let folder = TempDir::new().unwrap();
    let path = write(folder.path(), &sample()[..10], 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 2;
    fs::write(&path, &bytes).unwrap();
    let error = read(&path).unwrap_err();
    assert_eq!(error, "version 2 of the columnar file; this reads 1");
    fs::write(&path, vec![b'x'; 200]).unwrap();
    let error = read(&path).unwrap_err();
    assert_eq!(error, "this is not a columnar file, which starts with \"BWEVENTS\"");
}

#[test]
fn a_cut_file_is_refused_at_each_length() {
    let folder = TempDir::new().unwrap();
    let path = write(folder.path(), &sample()[..50], 1);
    let bytes = fs::read(&path).unwrap();
    for cut in 0..bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        assert!(read(&path).is_err(), "cut at {cut}");
    }
    fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
    assert!(read(&path).is_err());
}

#[test]
fn each_flipped_bit_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = write(folder.path(), &sample()[..20], 1);
    let bytes = fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            fs::write(&path, &damaged).unwrap();
            assert!(read(&path).is_err(), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn a_missing_or_repeated_block_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = write(folder.path(), &sample(), 1);
    let bytes = fs::read(&path).unwrap();
    let first = HEADER_BYTES
        ..HEADER_BYTES
            + u32::from_le_bytes(
                *bytes[HEADER_BYTES + CHECKSUM_BYTES + 12..].first_chunk().unwrap(),
            ) as usize;
    let second = first.end..bytes.len() - listed_bytes();
    let table = &bytes[bytes.len() - listed_bytes()..];
    let swapped =
        [&bytes[..HEADER_BYTES], &bytes[second.clone()], &bytes[first.clone()], table].concat();
    fs::write(&path, swapped).unwrap();
    let error = read(&path).unwrap_err();
    assert_eq!(error, format!("byte {HEADER_BYTES}: a block is missing or repeated"));
}

/// The table of one instrument: the length of its name, "X0", tick and lot.
fn listed_bytes() -> usize {
    2 + 2 + 18
}

fn any_event() -> impl Strategy<Value = Event> {
    let side = prop::option::of(prop::bool::ANY)
        .prop_map(|side| side.map(|is_buy| if is_buy { Side::Buy } else { Side::Sell }));
    let kind = prop::sample::select(&Kind::ALL[..]);
    let price = -(1_i64 << 53)..=1 << 53;
    (any::<i64>(), any::<i64>(), any::<u64>(), price, 0..=1_u64 << 53, 0..3_u16, kind, side)
        .prop_map(|(exchange_ns, local_ns, order, price, quantity, instrument, kind, side)| Event {
            exchange_ns,
            local_ns,
            order,
            price: Price::from_ticks(price),
            quantity: Qty::from_lots(quantity),
            instrument,
            kind,
            side,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_events_come_back(events in prop::collection::vec(any_event(), 0..300)) {
        let folder = TempDir::new().unwrap();
        let path = write(folder.path(), &events, 3);
        let (_, found) = read(&path).unwrap();
        prop_assert_eq!(found, events);
    }

    #[test]
    fn damage_behind_a_true_checksum_never_panics(
        at in CHECKSUM_BYTES..BLOCK_HEADER_BYTES,
        byte in any::<u8>(),
    ) {
        let folder = TempDir::new().unwrap();
        let path = write(folder.path(), &sample()[..20], 1);
        let mut bytes = fs::read(&path).unwrap();
        let end = bytes.len() - listed_bytes();
        let block = &mut bytes[HEADER_BYTES..end];
        block[at] = byte;
        let sum = checksum(&[&block[CHECKSUM_BYTES..]]);
        block[..CHECKSUM_BYTES].copy_from_slice(&sum);
        fs::write(&path, &bytes).unwrap();
        let _ = read(&path);
    }
}
