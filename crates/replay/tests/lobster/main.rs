//! LOBSTER files of every depth: each row of the book file agrees with the replayed book.
//!
//! A file of N levels has messages of these levels only. So it does not enter the orders of the
//! first book, nor those that enter deeper levels, and it misses changes of orders while they are
//! deeper.

#![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

mod market;

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use replay::{Recording, run};
use serde_json::Value;

use self::market::{Files, Market};

const SEEDS: u64 = 150;
const EVENTS: usize = 600;
/// More levels than the synthetic market has.
const ALL_LEVELS: usize = 60;

#[test]
fn every_row_agrees_at_every_depth() {
    for depth in [1, 2, 5, 10] {
        let mut inferred = [0; 4];
        for seed in 0..SEEDS {
            let files = Market::run(seed, EVENTS).files(depth);
            let found = check_every_row(&files, true, &format!("seed {seed}, {depth} levels"));
            let keys = ["anonymous", "oldest", "stale_qty", "missing"];
            let counts = keys.map(|key| found["inferred"][key].as_u64().unwrap());
            inferred = [0, 1, 2, 3].map(|at| inferred[at] + counts[at]);
        }
        let [anonymous, oldest, stale_qty, missing] = inferred;
        assert!(anonymous > 0, "{depth} levels: {inferred:?}");
        // Few events happen below many levels.
        assert!(depth > 5 || oldest > 0 && stale_qty > 0, "{depth} levels: {inferred:?}");
        assert_eq!(missing, 0, "{depth} levels");
    }
}

#[test]
fn the_whole_engine_agrees_too() {
    for (seed, depth) in [(1, 1), (2, 1), (3, 5), (4, 10)] {
        let files = Market::run(seed, EVENTS).files(depth);
        check_every_row(&files, false, &format!("seed {seed}, {depth} levels"));
    }
}

#[test]
fn with_all_levels_each_execution_fills_the_order_that_the_market_filled() {
    for seed in 0..20 {
        let files = Market::run(seed, EVENTS).files(ALL_LEVELS);
        let found = check_every_row(&files, true, &format!("seed {seed}"));
        assert_eq!(found["maker_agrees"], found["executions"], "seed {seed}: {found}");
        for key in ["oldest", "stale_qty", "missing"] {
            assert_eq!(found["inferred"][key], 0, "seed {seed}: {key}");
        }
    }
}

/// The recorded pair has ten levels. A file of fewer levels has the messages that change a row.
#[test]
fn every_row_agrees_in_a_recorded_day_cut_to_fewer_levels() {
    let Some(folder) = data() else { return };
    let read = |name: &str| {
        let input = recorded::open(folder.join(name)).unwrap();
        input.lines().map(Result::unwrap).collect::<Vec<_>>()
    };
    let messages = read("lobster_AAPL_2012-06-21_message_10_head998.csv.gz");
    let rows = read("lobster_AAPL_2012-06-21_orderbook_10_head998.csv.gz");
    for depth in 1..=10 {
        let files = cut(&messages, &rows, depth);
        if depth == 10 {
            assert_eq!(files.message_count, 999);
        }
        for book_only in [true, false] {
            let found = check_every_row(&files, book_only, &format!("{depth} levels"));
            assert_eq!(found["inferred"]["missing"], 0, "{depth} levels: {found}");
        }
    }
}

fn cut(messages: &[String], rows: &[String], depth: usize) -> Files {
    let mut files = Files::default();
    let mut before = None;
    for (message, row) in messages.iter().zip(rows) {
        let columns: Vec<_> = message.split(',').collect();
        let row = row.split(',').take(4 * depth).collect::<Vec<_>>().join(",");
        if before.as_ref() != Some(&row) || ["5", "6", "7"].contains(&columns[1]) {
            if files.message_count > 0 && columns[1] == "4" {
                files.volume += columns[3].parse::<u64>().unwrap();
            }
            files.message_count += 1;
            files.messages += &format!("{message}\n");
            files.rows += &format!("{row}\n");
        }
        before = Some(row);
    }
    files
}

#[track_caller]
fn check_every_row(files: &Files, book_only: bool, name: &str) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "day_message_1.csv", &files.messages);
    let verify = write(dir.path(), "day_orderbook_1.csv", &files.rows);
    let recording = Recording {
        file,
        format: None,
        symbol: None,
        book_only,
        seed_book: None,
        kept: 0,
        verify: Some(verify),
        latency: false,
    };
    let found: Value = serde_json::from_str(&run(&recording).expect(name).json()).unwrap();
    assert_eq!(found["first_mismatch"], Value::Null, "{name}");
    assert_eq!(found["equal_rows"], found["verified_rows"], "{name}: {found}");
    // The replay starts from the first row.
    assert_eq!(found["verified_rows"], files.message_count - 1, "{name}: {found}");
    assert_eq!(found["volume"], files.volume, "{name}: {found}");
    assert_eq!(found["rejected"], 0, "{name}: {found}");
    found
}

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// The folder of recordings, or `None` with a line on standard error.
fn data() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("BUTTONWOOD_DATA").map_or_else(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "no recorded data on CI: {}", folder.display());
    let text = format!(
        "SKIPPED a cut day: no recorded data in {} (set BUTTONWOOD_DATA)",
        folder.display()
    );
    let _unheard = writeln!(std::io::stderr(), "{text}");
    None
}
