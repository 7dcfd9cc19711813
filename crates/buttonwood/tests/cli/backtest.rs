//! `backtest` over the sample data: the lines of the pages, results again, and refusals.

use std::fs;

use serde_json::Value;

use crate::process::{run, run_json, run_refused, text};

const LEVELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/l2.csv.gz");
const ORDERS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/l3_2024-01-02_message.csv.gz");
const BARS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/bars.csv.gz");

const FIELDS: &[&str] = &[
    "events",
    "events_per_s",
    "parse_s",
    "run_s",
    "fills",
    "orders",
    "turnover",
    "pnl",
    "fees",
    "sharpe",
    "max_drawdown",
    "rss_mb",
];

/// Runs with `--json`, and checks that all fields are there and something was traded.
#[track_caller]
fn traded(args: &[&str]) -> Value {
    let mut all = vec!["backtest", "--json"];
    all.extend(args);
    let found = run_json(&all);
    for field in FIELDS {
        assert!(found.get(*field).is_some(), "{field} is missing in {found}");
    }
    assert!(found["fills"].as_u64().unwrap() > 5, "{found}");
    found
}

#[test]
fn each_mode_runs_over_its_sample() {
    let maker = ["--strategy", "market-maker", "--set", "half-spread=1"];
    let run_with = |file, more: &[&str]| {
        let mut args = vec!["--data", file];
        args.extend(maker);
        args.extend(more);
        traded(&args)
    };
    run_with(LEVELS, &["--latency-us", "100..400", "--maker-fee-bps", "-0.5"]);
    run_with(LEVELS, &["--queue", "risk-averse", "--fills", "full"]);
    let matched = run_with(ORDERS, &[]);
    assert!(matched["divergence"].as_f64().is_some(), "{matched}");
    run_with(ORDERS, &["--impact", "none"]);
    traded(&["--data", BARS, "--strategy", "ema-cross", "--set", "fast=5", "--set", "slow=20"]);
    let twap = ["--strategy", "twap", "--set", "duration-s=60"];
    traded(&[["--data", LEVELS, "--mode", "trades"].as_slice(), twap.as_slice()].concat());
}

#[test]
fn files_and_page_have_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("report.html");
    let out = ["--out", text(dir.path()), "--html", text(&page)];
    let strategy = ["--data", LEVELS, "--strategy", "market-maker", "--set", "half-spread=1"];
    let found = traded(&[strategy.as_slice(), out.as_slice()].concat());
    let rows = |name: &str| {
        let path = dir.path().join(name);
        fs::read_to_string(path).unwrap().lines().count() as u64 - 1
    };
    assert_eq!(rows("fills.csv"), found["fills"].as_u64().unwrap());
    assert_eq!(rows("orders.csv"), found["orders"].as_u64().unwrap());
    assert!(rows("equity.csv") > 100 && rows("positions.csv") == rows("equity.csv"));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<h2>Draw-down</h2>") && !page.contains("http"), "one page by itself");
}

#[test]
fn a_sweep_marks_the_best_and_goes_on_where_it_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let finished = dir.path().join("finished.csv");
    let args = [
        "backtest",
        "--data",
        LEVELS,
        "--strategy",
        "market-maker",
        "--sweep",
        "half-spread=1..3:1",
        "--sweep",
        "skew=0..0.5:0.5",
        "--json",
        "--resume",
        text(&finished),
    ];
    let found = run_json(&args);
    assert_eq!(found["tried"], 6);
    let best = found["runs"].as_array().unwrap().iter().map(|run| run["pnl"].as_f64().unwrap());
    assert_eq!(best.fold(f64::MIN, f64::max), found["pnl"].as_f64().unwrap());
    let deflated = found["deflated_sharpe"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&deflated));
    // Half of the points are taken from the file; the last line was cut off.
    let text = fs::read_to_string(&finished).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&finished, format!("{}\n{}", lines[..3].join("\n"), &lines[3][..5])).unwrap();
    assert_eq!(run_json(&args)["runs"], found["runs"]);
}

#[test]
fn wrong_words_are_refused_in_a_sentence() {
    let refused =
        |args: &[&str]| run_refused(&[["backtest", "--data", LEVELS].as_slice(), args].concat());
    let sentence = refused(&["--strategy", "hope"]);
    assert!(sentence.starts_with("buttonwood: no strategy is called \"hope\": there are market-"));
    let sentence = refused(&["--strategy", "market-maker", "--set", "lots=0"]);
    let expected = "buttonwood: lots is \"0\", but must be a whole number from 1 to 1000000000\n";
    assert_eq!(sentence, expected);
    let sentence = refused(&["--strategy", "triangular-arbitrage"]);
    let expected = "it trades three instruments, but the data have 1\n";
    assert_eq!(sentence, format!("buttonwood: the strategy: {expected}"));
    let sentence = refused(&["--strategy", "market-maker", "--sweep", "size=1..2:1"]);
    assert!(sentence.starts_with("buttonwood: no parameter is called \"size\""), "{sentence}");
    let listed = run(&["backtest", "--data", LEVELS, "--strategy", "help"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("half-spread"), "{listed:?}");
}
