//! Tests of the stream, as files in and lines out.

use std::fs;
use std::io::Write;

use ::dbn::encode::{EncodeRecord, dbn::Encoder};
use ::dbn::{BidAskPair, FlagSet, MboMsg, Mbp10Msg, MetadataBuilder, OhlcvMsg, RecordHeader};
use ::dbn::{SType, Schema, TradeMsg, rtype};
use proptest::prelude::*;
use tempfile::TempDir;
use types::Side;

use super::*;
use crate::event::Kind;
use crate::format::DetectError;
use crate::obwl::{Op, Record, Workload};

/// An event as `exchange+delay kind side #order quantity@price/instrument`.
fn line(event: &Event) -> String {
    let side = match event.side {
        Some(Side::Buy) => " buy",
        Some(Side::Sell) => " sell",
        None => "",
    };
    let delay = event.local_ns - event.exchange_ns;
    let delay = if delay == 0 { String::new() } else { format!("+{delay}") };
    let order = if event.order == 0 { String::new() } else { format!(" #{}", event.order) };
    let instrument = match event.instrument {
        0 => String::new(),
        other => format!("/{other}"),
    };
    format!(
        "{}{delay} {:?}{side}{order} {}@{}{instrument}",
        event.exchange_ns,
        event.kind,
        event.quantity.lots(),
        event.price.ticks()
    )
}

/// The events of files, their instruments, and the error that ended the stream or nothing.
fn read(files: &[(&str, &[u8])], options: &Options) -> (Vec<String>, String, String) {
    let folder = TempDir::new().unwrap();
    let recordings: Vec<Recording> = files
        .iter()
        .map(|(name, content)| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            Recording { path, name: None }
        })
        .collect();
    let (mut lines, mut error) = (Vec::new(), String::new());
    let mut names = String::new();
    match Stream::open(&recordings, options) {
        Ok(mut stream) => loop {
            match stream.next_batch() {
                Ok([]) => {
                    let named = stream.instruments().iter().map(|of| {
                        let unit = |unit: Increment| unit.format(1, 0);
                        format!("{} {} {}", of.name, unit(of.tick), unit(of.lot))
                    });
                    names = named.collect::<Vec<_>>().join(", ");
                    if stream.skipped() > 0 {
                        error = format!("skipped {}", stream.skipped());
                    }
                    break;
                }
                Ok(events) => lines.extend(events.iter().map(line)),
                Err(found) => {
                    error = found.error.to_string();
                    break;
                }
            }
        },
        Err(found) => error = found.error.to_string(),
    }
    (lines, names, error)
}

#[track_caller]
fn check(name: &str, content: &[u8], expect_names: &str, expect: &[&str]) {
    let (lines, names, error) = read(&[(name, content)], &Options::default());
    assert_eq!((lines, &*names, &*error), (owned(expect), expect_names, ""), "{name}");
}

#[track_caller]
fn check_error(name: &str, content: &[u8], expect: &str) {
    let (_, _, error) = read(&[(name, content)], &Options::default());
    assert_eq!(error, expect, "{name}");
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

const DEPTH: &str = "exch_ts_ns,local_ts_ns,kind,side,price,qty
1723161256298000000,1723161256298000005,depth,B,58710.20,0.014
1723161256298000001,1723161256298000005,trade,S,58710.20,0.010
1723161256298000002,1723161256298000007,clear,B,58000.00,0.000
1723161256298000002,1723161256298000007,snapshot,B,58700.50,2
";

#[test]
fn depth_is_read_with_two_clocks() {
    check(
        "binance_btcusdt_2024-08-08_l2.csv",
        DEPTH.as_bytes(),
        "binance_btcusdt 0.1 0.001",
        &[
            "1723161256298000000+5 Level buy 14@587102",
            "1723161256298000001+4 Trade sell 10@587102",
            "1723161256298000002+5 Clear buy 0@580000",
            "1723161256298000002+5 SnapshotLevel buy 2000@587005",
        ],
    );
}

#[test]
fn bars_are_four_events_each() {
    let events = [
        "1640991660000000000 Open 23@463190",
        "1640991660000000000 High 23@463855",
        "1640991660000000000 Low 23@463190",
        "1640991660000000000 Close 23@463770",
    ];
    let text = "timestamp,open,high,low,close,volume
2021-12-31 23:01:00.000000,46319.0,46385.5,46319.0,46377.0,2.3\n";
    check("bars_btc-perp_1m.csv", text.as_bytes(), "bars_btc-perp_1m 0.1 0.1", &events);
    let text =
        ",Open,High,Low,Close,Volume\r\n2021-12-31T23:01:00Z,46319,46385.5,46319,46377,2.3\r\n";
    check("goog.csv", text.as_bytes(), "goog 0.1 0.1", &events);
}

#[test]
fn trades_are_read_in_the_usual_spellings() {
    let text = "id,price,qty,quote_qty,time,is_buyer_maker
1,100.5,2,201,1640991660000,true
2,100.75,1,100.75,1640991660001,false\n";
    let expect =
        ["1640991660000000000 Trade sell 2@10050", "1640991660001000000 Trade buy 1@10075"];
    check("BTCUSDT-trades-2021-12-31.csv", text.as_bytes(), "BTCUSDT-trades 0.01 1", &expect);
    let text = "symbol,timestamp,local_timestamp,side,price,amount
A,1640991660000000,1640991660000001,buy,1,0.5
B,1640991660000002,1640991660000003,unknown,2,1
A,1640991660000002,1640991660000003,sell,1,1\n";
    check(
        "t.csv",
        text.as_bytes(),
        "A 1 0.1, B 1 0.1",
        &[
            "1640991660000000000+1000 Trade buy 5@1",
            "1640991660000002000+1000 Trade 10@2/1",
            "1640991660000002000+1000 Trade sell 10@1",
        ],
    );
    // The unit of a column's name counts, however many the digits are.
    let text = "timestamp_ns,price,qty\n5,1,1\n1640991660,1,2\n";
    check("u.csv", text.as_bytes(), "u 1 1", &["5 Trade 1@1", "1640991660 Trade 2@1"]);
    let text = "exch_ts_ms,local_ts_us,price,qty\n5,6001,1,1\n1640991660,1640991660000,1,2\n";
    let expect = ["5000000+1001000 Trade 1@1", "1640991660000000 Trade 2@1"];
    check("u.csv", text.as_bytes(), "u 1 1", &expect);
    let text = "14417034,1674200,210,Q,2000,0\n14726965,1673350,200,Q,20002020,0\n";
    let expect = ["1381219217034000000 Trade 210@1674200", "1381219526965000000 Trade 200@1673350"];
    check("20131008_spy_Trade_Tick.csv", text.as_bytes(), "spy_Trade_Tick 0.0001 1", &expect);
}

#[test]
fn lobster_messages_are_orders() {
    let text = "34200.000000001,1,7,100,5853300,1
34200.000000002,2,7,40,5853300,1
34200.000000003,4,7,10,5853300,1
34200.000000004,5,0,5,5853350,-1
34200.000000005,7,0,0,-1,-1
34200.000000006,3,7,50,5853300,1\n";
    check(
        "AAPL_2012-06-21_message_10.csv",
        text.as_bytes(),
        "AAPL 0.0001 1",
        &[
            "1340285400000000001 Add buy #7 100@5853300",
            "1340285400000000002 Cancel buy #7 40@5853300",
            "1340285400000000003 Execute buy #7 10@5853300",
            "1340285400000000004 Trade buy 5@5853350",
            "1340285400000000006 Delete buy #7 50@5853300",
        ],
    );
}

/// A message of ITCH from numbers with their widths, behind the length of two bytes.
fn itch(is_stated: bool, kind: u8, fields: &[(u64, usize)]) -> Vec<u8> {
    let mut message = vec![kind, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9];
    for (number, width) in fields {
        message.extend_from_slice(&number.to_be_bytes()[8 - width..]);
    }
    let length = if is_stated { message.len() as u16 } else { 0 };
    [&length.to_be_bytes()[..], &message].concat()
}

#[test]
fn itch_messages_are_orders_with_stated_or_implied_lengths() {
    for is_stated in [true, false] {
        let (buy, name) = ((u64::from(b'B'), 1), (u64::from_be_bytes(*b"AAPL    "), 8));
        let content = [
            itch(is_stated, b'S', &[(u64::from(b'O'), 1)]),
            itch(is_stated, b'R', &[name, (0, 8), (0, 8), (0, 4)]),
            itch(is_stated, b'A', &[(1, 8), buy, (100, 4), name, (1_502_500, 4)]),
            itch(is_stated, b'E', &[(1, 8), (30, 4), (5, 8)]),
            itch(is_stated, b'X', &[(1, 8), (20, 4)]),
            itch(is_stated, b'U', &[(1, 8), (2, 8), (60, 4), (1_502_600, 4)]),
            itch(is_stated, b'P', &[(0, 8), buy, (5, 4), name, (1_502_550, 4), (6, 8)]),
            itch(is_stated, b'D', &[(2, 8)]),
        ];
        check(
            "2024-06-21.itch",
            &content.concat(),
            "AAPL 0.0001 1",
            &[
                "1718942400000000009 Add buy #1 100@1502500",
                "1718942400000000009 Execute buy #1 30@1502500",
                "1718942400000000009 Cancel buy #1 20@1502500",
                "1718942400000000009 Delete buy #1 50@1502500",
                "1718942400000000009 Add buy #2 60@1502600",
                "1718942400000000009 Trade 5@1502550",
                "1718942400000000009 Delete buy #2 60@1502600",
            ],
        );
        let unknown = [content[0].clone(), itch(is_stated, b'D', &[(9, 8)])].concat();
        check_error("a.itch", &unknown, "byte 14: order 9 is unknown");
        let cut = content.concat();
        check_error("a.itch", &cut[..cut.len() - 1], "byte 234: the file ends inside a message");
    }
}

#[test]
fn workloads_are_commands() {
    let record = |op, order_id, price, qty, symbol| Record {
        order_id,
        price,
        qty,
        symbol,
        op,
        side: Side::Buy,
    };
    let records = vec![
        record(Op::Limit, 1, 90, 5, 1),
        record(Op::Cancel, 1, 90, 0, 1),
        record(Op::Ioc, 2, 91, 7, 0),
        record(Op::Market, 3, 0, 8, 0),
    ];
    let mut bytes = Vec::new();
    Workload::new(2, 0, records).write(&mut bytes).unwrap();
    check(
        "w.obwl",
        &bytes,
        "symbol0 1 1, symbol1 1 1",
        &[
            "0 Add buy #1 5@90/1",
            "1000 Delete buy #1 0@90/1",
            "2000 Trade buy 7@91",
            &format!("3000 Trade buy 8@{}", 1_u64 << 53),
        ],
    );
}

/// A file of DBN with the records that `write` encodes.
fn dbn_file(schema: Schema, write: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let metadata = MetadataBuilder::default()
        .dataset("GLBX.MDP3".to_owned())
        .schema(Some(schema))
        .start(1)
        .stype_in(Some(SType::RawSymbol))
        .stype_out(SType::InstrumentId)
        .build();
    write(&mut Encoder::new(&mut bytes, &metadata).unwrap());
    bytes
}

fn letter(letter: u8) -> std::ffi::c_char {
    letter.cast_signed()
}

#[test]
fn fills_report_the_trades_of_orders() {
    let message = |action, side, order_id, size, price: i64, flags| MboMsg {
        hd: RecordHeader::new::<MboMsg>(rtype::MBO, 1, 9, 5),
        order_id,
        price: price * 10_000_000,
        size,
        flags: FlagSet::new(flags),
        action: letter(action),
        side: letter(side),
        ts_recv: 7,
        ..MboMsg::default()
    };
    let last = ::dbn::flags::LAST;
    let bytes = dbn_file(Schema::Mbo, |out| {
        for message in [
            message(b'A', b'A', 1, 10, 481_025, last),
            // A taker of 4 at the order, which the cancel takes off again.
            message(b'T', b'B', 2, 4, 481_025, 0),
            message(b'F', b'A', 1, 4, 481_025, 0),
            message(b'C', b'A', 1, 4, 481_025, last),
            message(b'T', b'N', 0, 3, 481_050, last),
            message(b'C', b'A', 1, 6, 481_025, last),
        ] {
            out.encode_record(&message).unwrap();
        }
    });
    check(
        "es.dbn",
        &bytes,
        "es 0.01 1",
        &[
            "5+2 Add sell #1 10@481025",
            "5+2 Execute sell #1 4@481025",
            "5+2 Trade 3@481050",
            "5+2 Cancel sell #1 6@481025",
        ],
    );
}

#[test]
fn levels_trades_and_bars_of_dbn() {
    let mut levels: [BidAskPair; 10] = std::array::from_fn(|_| BidAskPair::default());
    (levels[0].bid_px, levels[0].bid_sz) = (100_000_000_000, 5);
    (levels[0].ask_px, levels[0].ask_sz) = (101_000_000_000, 6);
    for empty in &mut levels[1..] {
        (empty.bid_px, empty.ask_px) = (i64::MAX, i64::MAX);
    }
    let header = |kind| RecordHeader::new::<Mbp10Msg>(kind, 1, 9, 5);
    let mut message = Mbp10Msg {
        hd: header(rtype::MBP_10),
        price: 101_000_000_000,
        size: 2,
        action: letter(b'A'),
        side: letter(b'B'),
        ts_recv: 5,
        levels,
        ..Mbp10Msg::default()
    };
    let bytes = dbn_file(Schema::Mbp10, |out| {
        out.encode_record(&message).unwrap();
        message.action = letter(b'T');
        message.levels[0].ask_px = 102_000_000_000;
        out.encode_record(&message).unwrap();
    });
    check(
        "a.dbn",
        &bytes,
        "a 1 1",
        &[
            "5 Level buy 5@100",
            "5 Level sell 6@101",
            "5 Trade buy 2@101",
            "5 Level sell 0@101",
            "5 Level sell 6@102",
        ],
    );
    let bytes = dbn_file(Schema::Trades, |out| {
        let trade = TradeMsg {
            hd: RecordHeader::new::<TradeMsg>(rtype::MBP_0, 1, 9, 5),
            price: 250_000_000,
            size: 2,
            action: letter(b'T'),
            side: letter(b'A'),
            ts_recv: 6,
            ..TradeMsg::default()
        };
        out.encode_record(&trade).unwrap();
    });
    check("b.dbn", &bytes, "b 0.01 1", &["5+1 Trade sell 2@25"]);
    let bytes = dbn_file(Schema::Ohlcv1M, |out| {
        let bar = OhlcvMsg {
            hd: RecordHeader::new::<OhlcvMsg>(rtype::OHLCV_1M, 1, 9, 5),
            open: 2_000_000_000,
            high: 4_000_000_000,
            low: 1_000_000_000,
            close: 3_000_000_000,
            volume: 9,
        };
        out.encode_record(&bar).unwrap();
    });
    check("c.dbn", &bytes, "c 1 1", &["5 Open 9@2", "5 High 9@4", "5 Low 9@1", "5 Close 9@3"]);
}

/// An array of numpy with these elements: flags, times, price, quantity, order.
fn npy(events: &[(u64, i64, i64, f64, f64, u64)]) -> Vec<u8> {
    let fields = "[('ev', '<u8'), ('exch_ts', '<i8'), ('local_ts', '<i8'), ('px', '<f8'), \
                  ('qty', '<f8'), ('order_id', '<u8'), ('ival', '<i8'), ('fval', '<f8')]";
    let mut header =
        format!("{{'descr': {fields}, 'fortran_order': False, 'shape': ({},), }}", events.len());
    while !(header.len() + 11).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for (flags, exchange, local, price, quantity, order) in events {
        bytes.extend(flags.to_le_bytes());
        bytes.extend([exchange.to_le_bytes(), local.to_le_bytes()].concat());
        bytes.extend([price.to_le_bytes(), quantity.to_le_bytes()].concat());
        bytes.extend(order.to_le_bytes());
        bytes.extend([0; 16]);
    }
    bytes
}

#[test]
fn arrays_of_hftbacktest_are_exact_decimals() {
    let (both, exchange, buy, sell) = (3 << 30, 1 << 31, 1_u64 << 29, 1_u64 << 28);
    let bytes = npy(&[
        (both | buy | 1, 5, 7, 58_710.2, 0.014, 0),
        (exchange | buy | 1, 6, 8, 1.0, 1.0, 0),
        (both | sell | 2, 6, 8, 0.3, 0.1, 0),
        (both | buy | 3, 6, 8, f64::NAN, 0.0, 0),
        (both | sell | 10, 6, 8, 0.3, 2.0, 77),
        (both | buy | 2, 6, 8, 0.3, 2.0, 0),
        (both | sell | 13, 6, 8, 0.3, 2.0, 77),
    ]);
    check(
        "a.npy",
        &bytes,
        "a 0.1 0.001",
        &[
            "5+2 Level buy 14@587102",
            "6+2 Trade sell 100@3",
            "6+2 Clear buy 0@0",
            "6+2 Add sell #77 2000@3",
            "6+2 Execute sell #77 2000@3",
        ],
    );
    check_error(
        "a.npy",
        &bytes[..bytes.len() - 1],
        "record 6: the file ends here; it states 7 events",
    );
    let third = npy(&[(both | buy | 1, 5, 7, 1.0 / 3.0, 1.0, 0)]);
    check_error("a.npy", &third, "record 0: 0.3333333333333333 is not a decimal of nine places");
}

#[test]
fn wrong_rows_are_errors_with_their_line() {
    let row = |row: &str| format!("{DEPTH}{row}\n").into_bytes();
    let good = "1723161256298000009,1723161256298000009,depth,B,58710.20,0.014";
    check_error("a.csv", &row("x,1,depth,B,1,1"), "line 6: column 1: \"x\" is not a time");
    check_error("a.csv", &row("1,2,depth,B,1"), "line 6: 5 columns where 6 are expected");
    check_error(
        "a.csv",
        &row(&good.replace("depth", "dept")),
        "line 6: column 3: \"dept\" is not depth, trade, snapshot or clear",
    );
    check_error(
        "a.csv",
        &row("1723161256298000001,1723161256298000001,depth,B,58710.20,0.014"),
        "line 6: the time runs 6 ns backwards",
    );
    check_error("a.csv", &row(&good.replace("0.014", "-1")), "line 6: quantity -1 is negative");
    let options = Options { tick: Increment::parse("0.5"), ..Options::default() };
    let (_, _, error) = read(&[("a.csv", DEPTH.as_bytes())], &options);
    assert_eq!(error, "line 2: price 58710.2 is not a whole number of ticks of 0.5");
    let text = "timestamp,open,high,low,close,volume\n2021-12-31,2,1,1,2,1\n";
    let inside = "line 2: a bar's high or low is inside its open and close";
    check_error("a.csv", text.as_bytes(), inside);
    check_error("a.csv", b"time,price,side\n1,1,B\n", &DetectError::Unknown.to_string());
}

#[test]
fn a_gap_is_an_error_or_counted_and_the_record_after_it_kept() {
    let trades = b"id,price,qty,quote_qty,time,is_buyer_maker
1,100.5,2,201,1640991660000,true
2,100.5,2,201,1640991660000,true
5,100.5,2,201,1640991660001,false
6,100.5,2,201,1640991660002,false\n";
    check_error("t.csv", trades, "line 4: a gap: trade 5 follows trade 2");
    let lenient = Options { lenient: true, ..Options::default() };
    let (lines, _, error) = read(&[("t.csv", trades)], &lenient);
    assert_eq!((lines.len(), &*error), (4, "skipped 1"));
    // Each instrument has its own numbers, and only Binance's are known to be without gaps.
    let two = b"symbol,id,price,qty,time,is_buyer_maker
A,1,100,2,1640991660000,true
B,8,100,2,1640991660000,true
A,2,100,2,1640991660001,false
B,10,100,2,1640991660002,false\n";
    check_error("t.csv", two, "line 5: a gap: trade 10 follows trade 8");
    let others = b"id,price,qty,time\n1,100,2,1640991660000\n5,100,2,1640991660001\n";
    assert_eq!(read(&[("t.csv", others)], &Options::default()).2, "");
}

#[test]
fn a_record_of_a_channel_that_lost_messages_is_a_gap() {
    let bad = ::dbn::flags::MAYBE_BAD_BOOK | ::dbn::flags::LAST;
    let lenient = Options { lenient: true, ..Options::default() };
    let check_gap = |name: &str, bytes: &[u8], events: usize| {
        check_error(name, bytes, "record 1: a gap: the recorder's channel has lost messages");
        let (lines, _, error) = read(&[(name, bytes)], &lenient);
        assert_eq!((lines.len(), &*error), (events, "skipped 1"), "{name}");
    };
    let bytes = dbn_file(Schema::Mbo, |out| {
        for (order_id, flags) in [(1, ::dbn::flags::LAST), (2, bad), (3, ::dbn::flags::LAST)] {
            let message = MboMsg {
                hd: RecordHeader::new::<MboMsg>(rtype::MBO, 1, 9, 5),
                order_id,
                price: 1_000_000_000,
                size: 1,
                flags: FlagSet::new(flags),
                action: letter(b'A'),
                side: letter(b'B'),
                ts_recv: 7,
                ..MboMsg::default()
            };
            out.encode_record(&message).unwrap();
        }
    });
    check_gap("a.dbn", &bytes, 3);
    let bytes = dbn_file(Schema::Trades, |out| {
        for flags in [0, ::dbn::flags::MAYBE_BAD_BOOK] {
            let trade = TradeMsg {
                hd: RecordHeader::new::<TradeMsg>(rtype::MBP_0, 1, 9, 5),
                price: 250_000_000,
                size: 2,
                flags: FlagSet::new(flags),
                action: letter(b'T'),
                side: letter(b'A'),
                ts_recv: 6,
                ..TradeMsg::default()
            };
            out.encode_record(&trade).unwrap();
        }
    });
    check_gap("b.dbn", &bytes, 2);
}

#[test]
fn a_lenient_stream_counts_wrong_rows() {
    let text = format!(
        "{DEPTH}nonsense\n1723161256298000001,1723161256298000001,depth,B,58710.20,0.014
1723161256298000009,1723161256298000009,depth,S,58710.25,0.014
1723161256298000009,1723161256298000009,depth,S,58710.30,0.014\n"
    );
    let options = Options {
        lenient: true,
        tick: Increment::parse("0.1"),
        lot: Increment::parse("0.001"),
        ..Options::default()
    };
    let (lines, _, error) = read(&[("a.csv", text.as_bytes())], &options);
    assert_eq!(error, "skipped 3");
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[4], "1723161256298000009 Level sell 14@587103");
}

#[test]
fn files_are_merged_by_time_and_then_by_position() {
    let rows = |rows: &[(u64, u32)]| {
        let mut text = "exch_ts_ns,local_ts_ns,kind,side,price,qty\n".to_owned();
        for (time, price) in rows {
            let time = 1_723_161_256_298_000_000 + time;
            text.push_str(&format!("{time},{time},depth,B,{price},1\n"));
        }
        text.into_bytes()
    };
    let (a, b) = (rows(&[(1, 1), (3, 2), (3, 3), (9, 4)]), rows(&[(2, 5), (3, 6), (8, 7)]));
    let files: [(&str, &[u8]); 2] = [("a.csv", &a), ("b.csv", &b)];
    let (lines, names, _) = read(&files, &Options::default());
    let order: Vec<&str> = lines.iter().map(|line| line.split('@').nth(1).unwrap()).collect();
    assert_eq!(order, ["1", "5/1", "2", "3", "6/1", "7/1", "4"]);
    assert_eq!(names, "a 1 1, b 1 1");
}

#[test]
fn a_file_is_in_the_order_of_one_of_its_clocks() {
    let rows = |rows: &[(u64, u64)]| {
        let mut text = "exch_ts_ns,local_ts_ns,kind,side,price,qty\n".to_owned();
        for (exchange, local) in rows {
            let base = 1_723_161_256_298_000_000;
            text.push_str(&format!("{},{},depth,B,1,1\n", base + exchange, base + local));
        }
        text.into_bytes()
    };
    let read = |of: &[(u64, u64)]| read(&[("a.csv", &rows(of))], &Options::default());
    assert_eq!(read(&[(1, 9), (2, 3), (3, 4)]).2, "");
    assert_eq!(read(&[(1, 2), (3, 4), (2, 5), (1, 6)]).2, "");
    assert_eq!(read(&[(1, 2), (3, 4), (2, 3)]).2, "line 4: the time runs 1 ns backwards");
    assert_eq!(read(&[(1, 2), (3, 4), (2, 5), (4, 4)]).2, "line 5: the time runs 1 ns backwards");
}

#[test]
fn one_name_is_one_instrument_with_one_unit() {
    let day = |day: &str, price: &str| {
        format!("time,price,qty\n{day}T10:00:00Z,{price},1\n").into_bytes()
    };
    let (a, b) = (day("2024-01-01", "1.5"), day("2024-01-02", "1.5"));
    let files: [(&str, &[u8]); 2] = [("x_2024-01-01.csv", &a), ("x_2024-01-02.csv", &b)];
    let (lines, names, error) = read(&files, &Options::default());
    assert_eq!((lines.len(), &*names, &*error), (2, "x 0.1 1", ""));
    let b = day("2024-01-02", "1.55");
    let files: [(&str, &[u8]); 2] = [("x_2024-01-01.csv", &a), ("x_2024-01-02.csv", &b)];
    let (_, _, error) = read(&files, &Options::default());
    let expect = "two files have an instrument x, with tick 0.1, lot 1 and with tick 0.01, lot 1: \
                  give tick and lot, or other names";
    assert_eq!(error, expect);
}

#[test]
fn compressed_files_and_archives_are_read() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(DEPTH.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    let plain = read(&[("a.csv", DEPTH.as_bytes())], &Options::default());
    assert_eq!(read(&[("a.csv", &gzip)], &Options::default()), plain);
    let zstd = zstd::stream::encode_all(DEPTH.as_bytes(), 0).unwrap();
    assert_eq!(read(&[("a.csv", &zstd)], &Options::default()), plain);
    check_error("a.csv", &gzip[..gzip.len() - 9], "incomplete deflate stream");
}

#[test]
fn the_kinds_are_numbered_as_they_are_listed() {
    assert!(Kind::ALL.iter().enumerate().all(|(at, kind)| *kind as usize == at));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn merged_files_are_their_sorted_events(
        times in prop::collection::vec(prop::collection::vec(0_u64..50, 0..60), 1..5),
    ) {
        let mut expect = Vec::new();
        let files: Vec<(String, Vec<u8>)> = times.iter().enumerate().map(|(file, times)| {
            let mut times = times.clone();
            times.sort_unstable();
            let mut text = "time,price,qty\n".to_owned();
            for (at, time) in times.iter().enumerate() {
                let time = 1_723_161_256_298_000_000 + time;
                text.push_str(&format!("{time},{},1\n", at + 1));
                expect.push((time, file, at));
            }
            (format!("file{file}.csv"), text.into_bytes())
        }).collect();
        expect.sort_unstable();
        let named: Vec<(&str, &[u8])> =
            files.iter().map(|(name, text)| (&**name, &**text)).collect();
        let (lines, _, error) = read(&named, &Options::default());
        let expect: Vec<String> = expect.iter().map(|(time, file, at)| {
            let instrument = if *file == 0 { String::new() } else { format!("/{file}") };
            format!("{time} Trade 1@{}{instrument}", at + 1)
        }).collect();
        prop_assert_eq!((lines, &*error), (expect, ""));
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        format in 0..10_usize,
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        tail in "[0-9,.a-z\n]{0,200}",
    ) {
        let heads: [&[u8]; 10] = [
            b"", b"OBWL0001\x01\0\0\0", b"DBN\x03", b"\0\0S\0\0\0\0\0\0\0\0\0\x01O",
            DEPTH.as_bytes(), &npy(&[]), b"time,price,qty\n", b"time,open,high,low,close\n",
            b"BWEVENTS\x01\0\0\0", b"34200.1,1,7,100,5853300,1\n",
        ];
        let content = [heads[format], tail.as_bytes(), &bytes].concat();
        for lenient in [false, true] {
            let _ = read(&[("a", &content)], &Options { lenient, ..Options::default() });
        }
    }
}
