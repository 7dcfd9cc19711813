//! Reads recorded market data, which is not part of the project: `BUTTONWOOD_DATA` names the
//! folder. Without it these tests print that they skip; on CI they fail.

use std::io::Write;
use std::path::{Path, PathBuf};

use recorded::dbn::{self, Action};
use recorded::lobster::{BookRow, EventType, Level, Message, book_rows, messages};
use recorded::{DetectError, Format, open, open_detected};
use types::Side;

const AAPL_HOUR: &str = "lobster_AAPL_2012-06-21_0930-1030_message_50.csv.gz";
const AAPL_LEVEL_1: &str = "lobster_AAPL_2012-06-21_orderbook_1.csv.gz";
const AAPL_PAIR_MESSAGES: &str = "lobster_AAPL_2012-06-21_message_10_head998.csv.gz";
const AAPL_PAIR_BOOK: &str = "lobster_AAPL_2012-06-21_orderbook_10_head998.csv.gz";
const ES_DAY: &str = "esh4-glbx-mdp3-20231225.mbo.dbn.zst";

/// The folder of recordings, or `None` with a line on standard error that is visible for passing
/// tests too.
fn data(test: &str) -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("BUTTONWOOD_DATA").map_or_else(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "no recorded data on CI: {}", folder.display());
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED {test}: no recorded data in {} (set BUTTONWOOD_DATA)",
        folder.display()
    );
    None
}

fn read_messages(path: &Path) -> Vec<Message> {
    let (format, input) = open_detected(path).expect("recording opens");
    assert_eq!(format, Format::Lobster);
    messages(input).collect::<Result<_, _>>().expect("every line is a message")
}

fn read_book(path: &Path) -> Vec<BookRow> {
    let input = open(path).expect("recording opens");
    book_rows(input).collect::<Result<_, _>>().expect("every line is a book")
}

#[test]
fn aapl_hour_is_read_whole() {
    let Some(folder) = data("aapl_hour_is_read_whole") else { return };
    let messages = read_messages(&folder.join(AAPL_HOUR));
    assert_eq!(messages.len(), 91_997);
    let first = Message {
        time_ns: 34_200_004_241_176,
        order_id: 16_113_575,
        price: 5_853_300,
        size: 18,
        event_type: EventType::New,
        side: Side::Buy,
    };
    assert_eq!(messages[0], first);
    // The one time that was printed from a double.
    assert_eq!(messages[39_482].time_ns, 35_821_088_778_456);
    assert!(messages.is_sorted_by_key(|message| message.time_ns));

    let count = |event_type| messages.iter().filter(|m| m.event_type == event_type).count();
    let types = [
        EventType::New,
        EventType::PartialCancel,
        EventType::Delete,
        EventType::VisibleExecution,
        EventType::HiddenExecution,
        EventType::Cross,
        EventType::Halt,
    ];
    assert_eq!(types.map(count), [44_256, 469, 41_004, 4_067, 2_201, 0, 0]);
}

#[test]
fn aapl_level_1_is_read_whole() {
    let Some(folder) = data("aapl_level_1_is_read_whole") else { return };
    let rows = read_book(&folder.join(AAPL_LEVEL_1));
    assert_eq!(rows.len(), 118_497);
    for (line, row) in (1..).zip(&rows) {
        let [level] = row.levels[..] else { panic!("line {line}: {row:?}") };
        let (ask, bid) = (level.ask.expect("an ask"), level.bid.expect("a bid"));
        assert!(bid.price < ask.price, "line {line}: {row:?}");
    }
}

#[test]
fn aapl_pair_is_read_whole_and_belongs_together() {
    let Some(folder) = data("aapl_pair_is_read_whole_and_belongs_together") else { return };
    let messages = read_messages(&folder.join(AAPL_PAIR_MESSAGES));
    let rows = read_book(&folder.join(AAPL_PAIR_BOOK));
    assert_eq!((messages.len(), rows.len()), (999, 999));
    assert!(rows.iter().all(|row| row.levels.len() == 10));
    assert_eq!(rows[0].levels[0].ask, Some(Level { price: 5_859_400, size: 200 }));
    assert_eq!(rows[0].levels[9].bid, Some(Level { price: 5_842_700, size: 300 }));

    // A new order adds its size to the level that the next row shows.
    let size_at = |row: &BookRow, side, price| {
        let levels = row.levels.iter().filter_map(move |level| match side {
            Side::Buy => level.bid,
            Side::Sell => level.ask,
        });
        levels.filter(|level| level.price == price).map(|level| level.size).sum::<u64>()
    };
    let mut new_orders = 0;
    for (line, (pair, message)) in (2..).zip(rows.windows(2).zip(&messages[1..])) {
        if message.event_type != EventType::New {
            continue;
        }
        let [before, after] = pair else { unreachable!("windows of two") };
        let before = size_at(before, message.side, message.price);
        let after = size_at(after, message.side, message.price);
        assert_eq!(after, before + u64::from(message.size), "line {line}: {message:?}");
        new_orders += 1;
    }
    assert!(new_orders > 400, "{new_orders}");
}

#[test]
fn es_day_is_read_whole() {
    let Some(folder) = data("es_day_is_read_whole") else { return };
    let (format, input) = open_detected(folder.join(ES_DAY)).expect("recording opens");
    assert_eq!(format, Format::Dbn);
    let records = dbn::records(input).expect("a header").collect::<Result<Vec<_>, _>>();
    let records = records.expect("every record is of an order");
    assert_eq!(records.len(), 68_792);
    assert_eq!(records.iter().filter(|record| record.is_snapshot).count(), 8_725);
    assert_eq!(records.iter().filter(|record| record.is_last).count(), 47_022);

    let count = |action| records.iter().filter(|record| record.action == action).count();
    let actions = [
        Action::Add,
        Action::Cancel,
        Action::Modify,
        Action::Clear,
        Action::Trade,
        Action::Fill,
        Action::None,
    ];
    assert_eq!(actions.map(count), [29_216, 17_999, 12_233, 0, 2_973, 6_371, 0]);
}

#[test]
fn other_recordings_are_not_detected_as_orders() {
    let Some(folder) = data("other_recordings_are_not_taken_for_orders") else { return };
    for entry in std::fs::read_dir(folder).expect("folder is readable") {
        let path = entry.expect("entry is readable").path();
        let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
        let detected = open_detected(&path).map(|(format, _)| format);
        if name.contains("_message_") {
            assert!(matches!(detected, Ok(Format::Lobster)), "{name}: {detected:?}");
        } else if name.contains("_orderbook_") {
            assert!(matches!(detected, Err(DetectError::LobsterBook)), "{name}: {detected:?}");
        } else if name.ends_with(".dbn.zst") {
            assert!(matches!(detected, Ok(Format::Dbn)), "{name}: {detected:?}");
        } else {
            assert!(matches!(detected, Err(DetectError::Unknown)), "{name}: {detected:?}");
        }
    }
}
