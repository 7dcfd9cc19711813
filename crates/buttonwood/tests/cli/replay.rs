//! `replay` against what others computed: the generator's own book, and the exchange's.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::process::{run, run_json, run_refused, text};

const HOUR: &str = "lobster_AAPL_2012-06-21_0930-1030_message_50.csv.gz";
const LEVEL_1: &str = "lobster_AAPL_2012-06-21_orderbook_1.csv.gz";
const PAIR_MESSAGES: &str = "lobster_AAPL_2012-06-21_message_10_head998.csv.gz";
const PAIR_BOOK: &str = "lobster_AAPL_2012-06-21_orderbook_10_head998.csv.gz";
const ES_DAY: &str = "esh4-glbx-mdp3-20231225.mbo.dbn.zst";

/// The bare book and the whole engine.
const MODES: [&[&str]; 3] = [&["--book-only"], &[], &["--kept", "10"]];

#[test]
fn w1_comes_to_the_expected_result() {
    check_workload("w1");
}

#[test]
fn w2_comes_to_the_expected_result() {
    check_workload("w2");
}

#[test]
fn w3_comes_to_the_expected_result() {
    check_workload("w3");
}

/// Generates a workload, replays it in both modes and compares with what the generator's book says.
fn check_workload(name: &str) {
    let Some(folder) = shared("workloads", name) else { return };
    let dir = tempfile::tempdir().unwrap();
    let generator = dir.path().join("gen");
    let built = Command::new("g++")
        .args(["-O2", "-std=c++17", "-o", text(&generator)])
        .arg(folder.join("gen.cpp"))
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return skip(name, "there is no g++ that builds the generator");
    }
    for (seed, commands) in [("11", 200_000_u64), ("12", 50_000)] {
        let workload = dir.path().join("workload.bin");
        let args = [name, text(&workload), seed, &commands.to_string()];
        assert!(Command::new(&generator).args(args).status().unwrap().success());
        let expected = fs::read_to_string(dir.path().join("workload.bin.expect")).unwrap();
        for mode in MODES {
            let found = run_json(&[&["replay", text(&workload), "--json"], mode].concat());
            for field in expected.lines().next().unwrap().split(' ') {
                let (key, value) = field.split_once('=').unwrap();
                assert_eq!(found[key].to_string(), value, "{name} {seed} {mode:?}: {key}");
            }
            assert_eq!(found["rejected"], 0, "{name} {seed} {mode:?}");
            assert_eq!(found["commands"], commands, "{name} {seed} {mode:?}");
        }
    }
}

#[test]
fn an_hour_of_aapl_comes_to_the_quotes_of_the_exchange() {
    let Some(data) = shared("data", "an_hour_of_aapl") else { return };
    let [hour, seed, quotes] = [HOUR, PAIR_BOOK, LEVEL_1].map(|name| data.join(name));
    for mode in MODES {
        let args = ["replay", text(&hour), "--seed-book", text(&seed), "--verify", text(&quotes)];
        let found = run_json(&[&args[..], mode, &["--json"]].concat());
        check(&found, "verified_rows", 25_641);
        check(&found, "equal_rows", 25_640);
        check(&found, "executions", 4_067);
        check(&found, "maker_agrees", 4_043);
        check(&found, "rejected", 0);
        check(&found, "resting_qty", 88_474);
        let inferred = json!({ "anonymous": 31, "oldest": 0, "stale_qty": 0, "missing": 53 });
        assert_eq!(found["inferred"], inferred);
        // An order at 584.21 that was deleted outside the file's window.
        let mismatch = &found["first_mismatch"];
        assert_eq!(mismatch["row"], 17_483);
        assert_eq!(mismatch["message"], 54_607);
        assert_eq!(mismatch["expected"], "5843900,100,5842000,203");
        assert_eq!(mismatch["found"], "5843900,100,5842100,100");
    }
}

#[test]
fn every_message_of_the_pair_leads_from_row_to_row() {
    let Some(data) = shared("data", "every_message_of_the_pair") else { return };
    let [messages, book] = [PAIR_MESSAGES, PAIR_BOOK].map(|name| data.join(name));
    for mode in MODES {
        let args = ["replay", text(&messages), "--verify", text(&book), "--json"];
        let found = run_json(&[&args[..], mode].concat());
        check(&found, "verified_rows", 998);
        check(&found, "equal_rows", 998);
        check(&found, "executions", 98);
        check(&found, "maker_agrees", 98);
        assert_eq!(found["first_mismatch"], Value::Null);
    }
}

#[test]
fn a_book_that_differs_is_reported_with_its_place() {
    let Some(data) = shared("data", "a_book_that_differs") else { return };
    let dir = tempfile::tempdir().unwrap();
    let mut rows = decompressed(&data.join(PAIR_BOOK));
    rows[500] = rows[500].replacen(",", ",9", 1); // the best ask gets a larger size
    let damaged = write(dir.path(), "book.csv", (rows.join("\n") + "\n").as_bytes());
    let messages = data.join(PAIR_MESSAGES);
    let args = ["replay", text(&messages), "--verify", text(&damaged), "--json", "--book-only"];
    let found = run_json(&args);
    assert_eq!(found["first_mismatch"]["row"], 501);
    assert_eq!(found["first_mismatch"]["expected"], rows[500].as_str());
    // It differs from the row before, and the row behind differs from it.
    check(&found, "equal_rows", 996);
}

#[test]
fn a_day_of_es_runs_through_its_opening_to_its_recorded_end() {
    let Some(data) = shared("data", "a_day_of_es") else { return };
    let day = data.join(ES_DAY);
    if !day.is_file() {
        return skip("a_day_of_es", &format!("there is no {}", day.display()));
    }
    for mode in MODES {
        let found = run_json(&[&["replay", text(&day), "--json"], mode].concat());
        assert_eq!(found["format"], "dbn");
        check(&found, "rejected", 0);
        check(&found, "sum_best_bid", 4_810_000_000_000);
        check(&found, "sum_best_ask", 4_810_250_000_000);
        check(&found, "resting_orders", 11_217);
        check(&found, "resting_qty", 42_160);
        check(&found, "bid_levels", 922);
        check(&found, "ask_levels", 565);
        check(&found, "volume", 9_730);
        check(&found, "executions", 6_229);
        check(&found, "maker_agrees", 6_114);
        let disagreements = &found["disagreements"];
        check(disagreements, "self_match", 105);
        check(disagreements, "hidden_qty", 10);
        check(disagreements, "other", 0);
        if mode.is_empty() {
            // The engine's own auction has the exchange's price and volume.
            let opening = json!({
                "price": 4_800_250_000_000_u64,
                "volume": 44,
                "exchange_price": 4_800_250_000_000_u64,
                "exchange_volume": 44,
            });
            assert_eq!(found["auctions"], json!([opening]));
        }
        let output = run(&[&["replay", text(&day)], mode].concat());
        let summary = String::from_utf8(output.stdout).unwrap();
        assert!(summary.contains(" 0 of unknown orders"), "{summary}");
    }
}

#[track_caller]
fn check(found: &Value, key: &str, expected: u64) {
    assert_eq!(found[key], expected, "{key} in {found}");
}

const MESSAGES: &str = "34200.1,1,7,30,1000000,1\n\
                        34200.2,1,8,20,1000200,-1\n\
                        34200.3,4,7,10,1000000,1\n\
                        34200.4,5,0,10,1000150,-1\n";

#[test]
fn json_has_every_field_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let workload = write(dir.path(), "w.bin", &workload());
    let messages = write(dir.path(), "m.csv", MESSAGES.as_bytes());
    let orders = write(dir.path(), "o.dbn", &orders());
    let quotes = "9999999999,0,1000000,30\n1000200,20,1000000,30\n1000200,20,1000000,20\n\
                  1000200,20,1000000,20\n";
    let quotes = write(dir.path(), "q.csv", quotes.as_bytes());
    let always = [
        "format",
        "commands",
        "rejected",
        "trades",
        "volume",
        "notional",
        "resting_orders",
        "resting_qty",
        "levels",
        "bid_levels",
        "ask_levels",
        "sum_best_bid",
        "sum_best_ask",
        "elapsed_s",
        "commands_per_s",
    ];
    for mode in MODES {
        let found = run_json(&[&["replay", text(&workload), "--json"], mode].concat());
        check_keys(&found, &always);
        let args = ["replay", text(&messages), "--json", "--latency", "--verify", text(&quotes)];
        let found = run_json(&[&args[..], mode].concat());
        let recorded = ["executions", "maker_agrees"];
        let verified = ["verified_rows", "equal_rows", "first_mismatch"];
        let keys = [&always[..], &["latency_ns"], &recorded, &["inferred"], &verified].concat();
        check_keys(&found, &keys);
        check_keys(&found["inferred"], &["anonymous", "oldest", "stale_qty", "missing"]);
        check_keys(&found["latency_ns"], &["p50", "p99", "p99_9", "max"]);
        // There is a row for each message, and the first of them is what the replay starts from.
        check(&found, "commands", 2);
        check(&found, "notional", 10_000_000);
        check(&found, "sum_best_bid", 1_000_000);
        check(&found, "equal_rows", 3);

        let found = run_json(&[&["replay", text(&orders), "--json"], mode].concat());
        let is_bare = mode.contains(&"--book-only");
        let auctions: &[&str] = if is_bare { &[] } else { &["auctions"] };
        check_keys(&found, &[&always[..], &recorded, &["disagreements"], auctions].concat());
        check_keys(&found["disagreements"], &["self_match", "hidden_qty", "other"]);
        check(&found, "commands", 2);
        check(&found, "notional", 10_000_000_000);
        check(&found, "sum_best_ask", 5_000_000_000);
    }
}

fn check_keys(found: &Value, expected: &[&str]) {
    let mut keys: Vec<_> = found.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = expected.to_vec();
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected);
}

#[test]
fn summary_says_the_same_to_a_person() {
    let dir = tempfile::tempdir().unwrap();
    let messages = write(dir.path(), "m.csv", MESSAGES.as_bytes());
    let output = run(&["replay", text(&messages), "--latency"]);
    assert!(output.status.success());
    let summary = String::from_utf8(output.stdout).unwrap();
    for expected in ["lobster, whole engine", "3 (0 rejected)", "p99.9", "(100.00 %)"] {
        assert!(summary.contains(expected), "{expected:?} is not in\n{summary}");
    }
}

#[test]
fn compressed_files_are_read_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&workload()).unwrap();
    let plain = write(dir.path(), "w.bin", &workload());
    let compressed = write(dir.path(), "w.bin.gz", &gzip.finish().unwrap());
    let volume = |path| run_json(&["replay", text(path), "--json"])["volume"].clone();
    assert_eq!(volume(&plain), 3);
    assert_eq!(volume(&compressed), 3);
}

#[test]
fn what_cannot_be_replayed_is_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| write(dir.path(), name, bytes);
    let refused = |args: &[&str], expected: &str| {
        let sentence = run_refused(&[&["replay"], args].concat());
        assert!(sentence.contains(expected), "{args:?}: {sentence}");
    };
    let good = file("w.bin", &workload());
    let messages = file("m.csv", MESSAGES.as_bytes());
    let rows = file("q.csv", b"1000200,20,1000000,30,1000300,20,999900,30\n");
    refused(&["/nowhere"], "/nowhere");
    refused(&[text(&file("empty", b""))], "empty");
    refused(&[text(&file("noise", b"\x00\xff\x00"))], "unknown format");
    refused(&[text(&file("cut.bin", &workload()[..100]))], "record 1");
    refused(&[text(&file("bad.csv", b"34200.1,1,7,x,1,1\n")), "--format", "lobster"], "line 1");
    refused(&[text(&messages), "--format", "obwl"], "OBWL0001");
    refused(&[text(&messages), "--format", "dbn"], "DBN");
    refused(&[text(&rows)], "message file");
    refused(&[text(&good), "--verify", text(&rows)], "--verify");
    refused(&[text(&messages), "--verify", "/nowhere"], "/nowhere");
    refused(&[text(&messages), "--seed-book", text(&file("none.csv", b""))], "no rows");

    let orders = orders();
    refused(&[text(&file("cut.dbn", &orders[..orders.len() - 1]))], "record 4");
    refused(&[text(&file("head.dbn", &orders[..20]))], "too early");
    let mut long = orders.clone();
    long[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&[text(&file("long.dbn", &long))], "limit");
    refused(&[text(&file("o.dbn", &orders)), "--verify", text(&rows)], "--verify");

    let mut no_lots = workload();
    no_lots[64 + 16] = 0;
    refused(&[text(&file("lots.bin", &no_lots))], "record 0");
    let mut many = workload();
    many[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&[text(&file("many.bin", &many))], "instruments");
}

/// What programs make of a file that they store again: it is read.
#[test]
fn headers_marks_and_line_ends_do_not_change_a_result() {
    let dir = tempfile::tempdir().unwrap();
    let rows = "9999999999,0,1000000,30\n1000200,20,1000000,30\n1000200,20,1000000,20\n\
                1000200,20,1000000,20\n";
    let forms: [fn(&str, &str) -> String; 6] = [
        |_, text| text.to_owned(),
        |_, text| text.replace('\n', "\r\n"),
        |_, text| format!("\u{feff}{text}"),
        |header, text| format!("{header}\n{text}"),
        |header, text| format!("\u{feff}{header}\r\n{}\r\n\r\n", text.replace('\n', "\r\n")),
        |_, text| text.trim_end().to_owned(),
    ];
    let results = forms.map(|form| {
        let messages = form("time,type,order_id,size,price,direction", MESSAGES);
        let rows = form("ask_price_1,ask_size_1,bid_price_1,bid_size_1", rows);
        let messages = write(dir.path(), "m.csv", messages.as_bytes());
        let rows = write(dir.path(), "q.csv", rows.as_bytes());
        let mut found = run_json(&["replay", text(&messages), "--verify", text(&rows), "--json"]);
        for time in ["elapsed_s", "commands_per_s"] {
            found.as_object_mut().unwrap().remove(time);
        }
        found
    });
    check(&results[0], "equal_rows", 3);
    check(&results[0], "executions", 1);
    results.iter().for_each(|found| assert_eq!(*found, results[0]));
}

/// A file without a flow is refused with its cause, and never replayed as nothing.
#[test]
fn files_without_a_flow_are_refused_with_their_cause() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| write(dir.path(), name, bytes);
    let refused = |args: &[&str], expected: &str| {
        let sentence = run_refused(&[&["replay"], args].concat());
        assert!(sentence.contains(expected), "{args:?}: {sentence}");
    };
    let empty = file("A_message_1.csv", b"");
    refused(&[text(&empty)], "the file is empty");
    for format in ["lobster", "obwl", "dbn"] {
        refused(&[text(&empty), "--format", format], "the file is empty");
    }
    let header = b"time,type,order_id,size,price,direction\n";
    refused(&[text(&file("header.csv", header))], "no messages");
    let blank = file("A_message_2.csv", b"\r\n\n");
    refused(&[text(&blank)], "blank lines only");
    refused(&[text(&blank), "--format", "lobster"], "no messages");
    let gap = format!("{MESSAGES}\n{MESSAGES}");
    refused(&[text(&file("gap.csv", gap.as_bytes()))], "line 5: is blank, and lines follow");
    let mut no_records = workload()[..64].to_vec();
    no_records[16..40].fill(0);
    refused(&[text(&file("none.bin", &no_records))], "no records");
    let orders = orders();
    let length = u32::from_le_bytes(*orders[4..].first_chunk().unwrap()) as usize;
    refused(&[text(&file("none.dbn", &orders[..8 + length]))], "no records");
    for bytes in [workload(), orders] {
        let marked = [b"\xef\xbb\xbf", &bytes[..]].concat();
        refused(&[text(&file("marked", &marked))], "byte order mark");
    }

    let messages = file("m.csv", MESSAGES.as_bytes());
    let verify = |rows: &[u8]| {
        let rows = file("rows.csv", rows);
        run_refused(&["replay", text(&messages), "--verify", text(&rows)])
    };
    let two = "1000200,20,1000000,30,1000300,20,999900,30\n";
    assert!(verify(b"").contains("rows.csv: the book file has no rows"));
    let shorter = verify(two.repeat(3).as_bytes());
    assert!(shorter.contains("ends after row 3, but the message file has 4 messages"), "{shorter}");
    let longer = verify(two.repeat(5).as_bytes());
    assert!(longer.contains("has 5 rows, but the message file ends after message 4"), "{longer}");
    let quotes = verify(b"9999999999,0,1000000,30\n1000200,20,1000000,30\n");
    assert!(
        quotes.contains("ends after row 2, but message 3 of 4 needs a further row"),
        "{quotes}"
    );
    let ragged = verify(format!("{two}1000200,20,1000000,30\n").as_bytes());
    assert!(ragged.contains("rows.csv: line 2: 4 columns where 8 are expected"), "{ragged}");
}

/// A sell of 5 lots at 100 that is prefill, and a buy of 3 at the market.
fn workload() -> Vec<u8> {
    let mut out = b"OBWL0001".to_vec();
    out.extend(1_u32.to_le_bytes());
    out.extend(1_u32.to_le_bytes());
    for field in [2_u64, 1, 2, 100, 100, 0] {
        out.extend(field.to_le_bytes());
    }
    for (order_id, price, qty, op, side) in [(1_u64, 100_u64, 5_u32, 0, 1), (2, 0, 3, 3, 0)] {
        out.extend(order_id.to_le_bytes());
        out.extend(price.to_le_bytes());
        out.extend(qty.to_le_bytes());
        out.extend([0, 0, 0, 0, op, side, 0, 0, 0, 0, 0, 0]);
    }
    out
}

/// A sell of 5 lots at 5 from before the file, of which 2 are bought at the same price.
fn orders() -> Vec<u8> {
    let metadata = dbn::MetadataBuilder::default()
        .dataset("GLBX.MDP3".to_owned())
        .schema(Some(dbn::Schema::Mbo))
        .start(0)
        .stype_in(Some(dbn::SType::RawSymbol))
        .stype_out(dbn::SType::InstrumentId)
        .build();
    let mut out = Vec::new();
    let mut encoder = dbn::encode::dbn::Encoder::new(&mut out, &metadata).unwrap();
    let last = dbn::flags::LAST;
    for (action, side, order_id, size, flags) in [
        (b'A', b'A', 1, 5, dbn::flags::SNAPSHOT | last),
        (b'T', b'B', 2, 2, 0),
        (b'F', b'A', 1, 2, 0),
        (b'M', b'A', 1, 3, last),
        (b'C', b'A', 1, 1, last),
    ] {
        let message = dbn::MboMsg {
            order_id,
            price: 5_000_000_000,
            size,
            flags: dbn::FlagSet::new(flags),
            action: action.cast_signed(),
            side: side.cast_signed(),
            ..dbn::MboMsg::default()
        };
        dbn::encode::EncodeRecord::encode_record(&mut encoder, &message).unwrap();
    }
    out
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn decompressed(path: &Path) -> Vec<String> {
    let mut decoder = flate2::read::MultiGzDecoder::new(fs::File::open(path).unwrap());
    let mut rows = String::new();
    std::io::Read::read_to_string(&mut decoder, &mut rows).unwrap();
    rows.lines().map(str::to_owned).collect()
}

/// A folder beside the recorded data, or `None` with a word on standard error.
fn shared(name: &str, test: &str) -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("BUTTONWOOD_DATA").map_or_else(default, PathBuf::from);
    let folder = data.parent()?.join(name);
    let folder = if name == "data" { data } else { folder };
    if folder.is_dir() {
        return Some(folder);
    }
    skip(test, &format!("there is no {} (set BUTTONWOOD_DATA)", folder.display()));
    None
}

/// Passing tests show this too. On CI nothing may be missing.
fn skip(test: &str, reason: &str) {
    assert!(std::env::var_os("CI").is_none(), "{test} cannot run on CI: {reason}");
    let _unheard = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
}
