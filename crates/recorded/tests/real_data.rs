//! Reads recorded market data, which is not part of the project: `BUTTONWOOD_DATA` names the
//! folder. Without it these tests print that they skip; on CI they fail.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use recorded::dbn::{self, Action};
use recorded::lobster::{BookRow, EventType, Level, Message, book_rows, messages};
use recorded::{DetectError, Format, Kind, Options, Recording, Stream, open, open_detected};
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
fn each_recording_is_detected_and_streamed_whole() {
    let Some(folder) = data("each_recording_is_detected_and_streamed_whole") else { return };
    let check = |name: &str, format: Format, instruments: &str, counts: &[(Kind, u64)]| {
        let path = folder.join(name);
        let files = [Recording { path, name: None }];
        // The simulated ITCH file refers to orders from before its begin.
        let options = Options { lenient: format == Format::Itch, ..Options::default() };
        let mut stream = Stream::open(&files, &options).expect("recording opens");
        assert_eq!(stream.formats().next().map(|(_, found)| found), Some(format), "{name}");
        let mut found: HashMap<Kind, u64> = HashMap::new();
        loop {
            let events = stream.next_batch().expect("each event is sound");
            if events.is_empty() {
                break;
            }
            events.iter().for_each(|event| *found.entry(event.kind).or_default() += 1);
        }
        assert_eq!(found, counts.iter().copied().collect(), "{name}");
        let named = stream
            .instruments()
            .iter()
            .map(|of| format!("{} {} {}", of.name, of.tick.format(1, 0), of.lot.format(1, 0)));
        assert_eq!(named.collect::<Vec<_>>().join(", "), instruments, "{name}");
    };
    let bars = |count| [Kind::Open, Kind::High, Kind::Low, Kind::Close].map(|kind| (kind, count));
    check(
        AAPL_HOUR,
        Format::Lobster,
        "lobster_AAPL 0.0001 1",
        &[
            (Kind::Add, 44_256),
            (Kind::Cancel, 469),
            (Kind::Delete, 41_004),
            (Kind::Execute, 4_067),
            (Kind::Trade, 2_201),
        ],
    );
    check(
        "binance_usdm_btcusdt_2024-08-08_l2.csv.gz",
        Format::Depth,
        "binance_usdm_btcusdt 0.1 0.001",
        &[
            (Kind::Level, 443_521),
            (Kind::SnapshotLevel, 2_000),
            (Kind::Clear, 2),
            (Kind::Trade, 21_313),
        ],
    );
    let itch = [
        (Kind::Add, 5_010),
        (Kind::Delete, 1_661),
        (Kind::Execute, 180),
        (Kind::Cancel, 42),
        (Kind::Trade, 5_000),
    ];
    let names = "ALC 0.0001 1, BOB 0.0001 1, CHAR 0.0001 1";
    check("itch50_ritch_test_ex20101224.gz", Format::Itch, names, &itch);
    check(
        "lean_spy_trade_ticks_2013-10-08.zip",
        Format::Lean,
        "lean_spy_trade_ticks 0.0001 1",
        &[(Kind::Trade, 451_545)],
    );
    let name = "bars_btc-perp_1m_2021-12-31_2022-02-01.csv.gz";
    check(name, Format::Bars, "bars_btc-perp_1m 0.001 0.0000001", &bars(45_031));
    let name = "bars_goog_daily_2004-2013.csv.gz";
    check(name, Format::Bars, "bars_goog_daily_2004-2013 0.01 1", &bars(2_148));
}

#[test]
fn fills_of_the_es_day_are_executions() {
    let Some(folder) = data("fills_of_the_es_day_are_executions") else { return };
    let files = [Recording { path: folder.join(ES_DAY), name: None }];
    let mut stream = Stream::open(&files, &Options::default()).expect("recording opens");
    let mut book: HashMap<u64, u64> = HashMap::new();
    let (mut unknown, mut excess, mut executed, mut trades) = (0, 0, 0, 0);
    loop {
        let events = stream.next_batch().expect("each event is sound");
        if events.is_empty() {
            break;
        }
        for event in events {
            let quantity = event.quantity.lots();
            match event.kind {
                Kind::Add | Kind::Modify => {
                    book.insert(event.order, quantity);
                }
                Kind::Cancel | Kind::Execute => {
                    executed += if event.kind == Kind::Execute { quantity } else { 0 };
                    match book.get_mut(&event.order) {
                        Some(leaves) if *leaves > quantity => *leaves -= quantity,
                        Some(leaves) => {
                            excess += u64::from(*leaves < quantity);
                            book.remove(&event.order);
                        }
                        None => unknown += 1,
                    }
                }
                Kind::Trade => trades += quantity,
                Kind::Clear => book.clear(),
                other => panic!("{other:?}"),
            }
        }
    }
    // Auctions fill orders that were never in the book.
    assert_eq!((unknown, excess), (22, 27));
    assert_eq!((executed, trades), (9_936, 0));
    assert_eq!(book.len(), 11_217, "the orders that rest at the end of the day");
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let Some(folder) = data("damaged_and_foreign_files_are_refused") else { return };
    for name in [AAPL_LEVEL_1, AAPL_PAIR_BOOK] {
        let detected = open_detected(folder.join(name)).map(|(format, _)| format);
        assert!(matches!(detected, Err(DetectError::LobsterBook)), "{name}: {detected:?}");
    }
    let detected = open_detected(folder.join("README.md")).map(|(format, _)| format);
    assert!(matches!(detected, Err(DetectError::Unknown)), "{detected:?}");
}
