//! `data`: recordings converted, described and checked.

use std::fs;

use serde_json::json;

use crate::process::{run, run_json, run_refused, text};

const DEPTH: &str = "exch_ts_ns,local_ts_ns,kind,side,price,qty
1723161256298000000,1723161256298000005,depth,B,58710.20,0.014
1723161256298000001,1723161256298000006,trade,S,58710.20,0.010
";

#[test]
fn a_converted_file_has_the_same_events() {
    let dir = tempfile::tempdir().unwrap();
    let (csv, bwd) = (dir.path().join("btcusdt_2024-08-08.csv"), dir.path().join("b.bwd"));
    fs::write(&csv, DEPTH).unwrap();
    let converted = run(&["data", "convert", text(&csv), "--out", text(&bwd)]);
    assert!(converted.status.success(), "{converted:?}");
    let described = |path: &str, format: &str, from: &str| {
        let mut found = run_json(&["data", "info", path, "--json"]);
        assert!(found["parse_s"].as_f64().is_some());
        found.as_object_mut().unwrap().remove("parse_s");
        let instrument = json!({
            "name": "btcusdt", "tick": "0.1", "tick_from": from, "lot": "0.001", "lot_from": from,
        });
        let expect = json!({
            "files": [{"path": path, "format": format}],
            "instruments": [instrument],
            "events": 2,
            "kinds": {"level": 1, "trade": 1},
            "first_ns": 1_723_161_256_298_000_000_i64,
            "last_ns": 1_723_161_256_298_000_001_i64,
            "longest_gap_ns": 1,
            "local_backwards": 0,
            "exchange_backwards": 0,
            "received_early": 0,
            "skipped": 0,
            "first_skipped": null,
        });
        assert_eq!(found, expect);
    };
    described(text(&csv), "depth", "by the decimals");
    described(text(&bwd), "bwd", "by the file");
}

#[test]
fn a_wrong_row_is_named_and_may_be_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let csv = dir.path().join("x.csv");
    fs::write(&csv, format!("{DEPTH}1723161256298000002,1,depth,B,oh,1\n")).unwrap();
    let path = text(&csv);
    let sentence = format!("buttonwood: {path}: line 4: column 5: \"oh\" is not a decimal\n");
    for action in ["info", "check"] {
        assert_eq!(run_refused(&["data", action, path]), sentence);
    }
    let lenient = run(&["data", "info", path, "--lenient"]);
    assert!(lenient.status.success(), "{lenient:?}");
    let refused = run(&["data", "check", path, "--lenient"]);
    let printed = String::from_utf8_lossy(&refused.stdout);
    assert!(printed.contains("1 wrong rows or gaps, first"), "{refused:?}");
    assert_eq!(refused.status.code(), Some(1));
    let sentence = format!(
        "buttonwood: {path}: line 2: price 58710.2 is not a whole number of \
        ticks of 0.25\n"
    );
    assert_eq!(run_refused(&["data", "info", path, "--tick", "0.25"]), sentence);
}
