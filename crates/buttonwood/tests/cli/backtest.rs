//! `backtest` over the sample data: the lines of the pages, results again, and refusals.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::process::{command, run, run_json, run_refused, text};

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
fn strategies_trade_in_accounts_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("report.html");
    let params = dir.path().join("params.toml");
    fs::write(&params, "lots = 2\n[maker]\nhalf-spread = 1\n").unwrap();
    let two = ["--data", LEVELS, "--strategy", "maker=market-maker", "--strategy", "twap"];
    let set = ["--params", text(&params), "--set", "twap.duration-s=60"];
    let two = [&two[..], &set].concat();
    let out = ["--out", text(dir.path()), "--html", text(&page)];
    let found = traded(&[&two[..], &out].concat());
    let accounts = found["accounts"].as_array().unwrap();
    let names: Vec<_> = accounts.iter().map(|of| of["account"].as_str().unwrap()).collect();
    assert_eq!(names, ["maker", "twap"]);
    for field in ["fills", "orders", "turnover", "pnl", "fees"] {
        let sum: f64 = accounts.iter().map(|of| of[field].as_f64().unwrap()).sum();
        let whole = found[field].as_f64().unwrap();
        assert!((sum - whole).abs() < 1e-6, "{field}: {sum} in {found}");
    }
    for account in accounts {
        assert!(account["fills"].as_u64().unwrap() > 0, "{account}");
        assert!(account["statistics"]["# Trades"].as_u64().is_some(), "{account}");
        let folder = dir.path().join(account["account"].as_str().unwrap());
        let fills = fs::read_to_string(folder.join("fills.csv")).unwrap();
        assert_eq!(fills.lines().count() as u64 - 1, account["fills"].as_u64().unwrap());
        // Each account counts its orders from one.
        assert!(fs::read_to_string(folder.join("orders.csv")).unwrap().contains("\n1,l2,"));
    }
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<h1>maker: market-maker</h1>") && page.contains("All accounts"));
    let printed = run(&[&["backtest"], &two[..]].concat());
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(printed.contains("\naccount twap: twap\n"), "{printed}");

    let sweep = ["backtest", "--json", "--sweep", "maker.half-spread=1..2:1"];
    let swept = run_json(&[&sweep[..], &two].concat());
    assert_eq!(swept["runs"][0]["pnl"], found["pnl"], "{swept}");
    assert_eq!(swept["tried"], 2);

    let refused = |args: &[&str]| run_refused(&[&["backtest", "--data", LEVELS], args].concat());
    let sentence = refused(&["--strategy", "twap", "--strategy", "twap"]);
    let expected = "two accounts are called \"twap\": name one with ACCOUNT=twap";
    assert!(sentence.contains(expected), "{sentence}");
    let sentence = refused(&["--strategy", "a=twap", "--set", "b.lots=1"]);
    assert!(sentence.contains("no account is called \"b\": there are a"), "{sentence}");
    let odd = run(&["backtest", "--data", LEVELS, "--strategy", "a/b=twap"]);
    let sentence = String::from_utf8_lossy(&odd.stderr).into_owned();
    assert!(sentence.contains("the name of an account has letters, digits"), "{sentence}");
}

#[test]
fn an_account_may_have_fee_rates_of_its_own() {
    let two = ["--strategy", "maker=market-maker", "--strategy", "twap"];
    let common = ["--data", LEVELS, "--set", "maker.half-spread=1", "--maker-fee-bps", "2"];
    let common = [&common[..], &["--taker-fee-bps", "2"], &two].concat();
    let found = traded(&[&common[..], &["--fees", "twap=5.5,5.5"]].concat());
    for (account, rate) in found["accounts"].as_array().unwrap().iter().zip([2e-4, 5.5e-4]) {
        let field = |name: &str| account[name].as_f64().unwrap();
        assert!(field("turnover") > 0.0, "{account}");
        let paid = field("fees") / field("turnover");
        assert!((paid / rate - 1.0).abs() < 1e-9, "{paid} in {account}");
    }
    let rebate = traded(&[&common[..], &["--fees", "maker=-1,-1"]].concat());
    assert!(rebate["accounts"][0]["fees"].as_f64().unwrap() < 0.0, "{rebate}");

    let common = [&["backtest"], &common[..]].concat();
    let refused = |fees: &[&str]| run_refused(&[&common[..], fees].concat());
    let sentence = refused(&["--fees", "b=1,1"]);
    assert!(sentence.contains("no account is called \"b\": there are maker, twap"), "{sentence}");
    let sentence = refused(&["--fees", "twap=1,1", "--fees", "twap=2,2"]);
    assert!(sentence.contains("--fees has account \"twap\" twice"), "{sentence}");
    let wrong = run(&[&common[..], &["--fees", "twap=1"]].concat());
    let sentence = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(sentence.contains("expected MAKER,TAKER in basis points"), "{sentence}");
}

#[test]
fn tables_may_be_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let out = ["--out", text(dir.path()), "--out-format", "parquet"];
    let strategy = ["--data", LEVELS, "--strategy", "market-maker", "--set", "half-spread=1"];
    let found = traded(&[strategy.as_slice(), out.as_slice()].concat());
    // The columns that a table of trades may have, as our own reader prints them.
    let rows = |name: &str| {
        let mut table = String::new();
        recorded::open(dir.path().join(name)).unwrap().read_to_string(&mut table).unwrap();
        table.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let fills = rows("fills.parquet");
    assert_eq!(fills.len() as u64 - 1, found["fills"].as_u64().unwrap());
    assert_eq!(fills[0], "instrument,side,price,qty");
    assert!(fills[1].starts_with("l2,"), "{}", fills[1]);
    assert_eq!(rows("orders.parquet").len() as u64 - 1, found["orders"].as_u64().unwrap());
}

#[test]
fn funding_is_paid_by_positions_and_a_part_of_the_profit() {
    let dir = tempfile::tempdir().unwrap();
    let rates = dir.path().join("rates.csv");
    let cross = ["--data", BARS, "--strategy", "ema-cross", "--set", "fast=5", "--set", "slow=20"];
    let without = traded(&cross);
    assert_eq!(without["funding"], 0.0);
    // A rate each hour of the sample's days.
    let start_ns = without["statistics"]["Start"].as_i64().unwrap();
    let row = |hour: i64| format!("{},0.0001\n", start_ns + hour * 3_600_000_000_000);
    fs::write(&rates, format!("time,rate\n{}", (1..400).map(row).collect::<String>())).unwrap();
    let with = traded(&[&cross[..], &["--funding", text(&rates)]].concat());
    let paid = with["funding"].as_f64().unwrap();
    assert!(paid > 0.0, "a long strategy pays: {with}");
    let earned = |found: &Value| found["pnl"].as_f64().unwrap();
    assert!((earned(&without) - earned(&with) - paid).abs() < 1e-6, "{without} {with}");

    fs::write(&rates, "time,rate\nnoon,0.0001\n").unwrap();
    let args = [&["backtest"], &cross[..], &["--funding", text(&rates)]].concat();
    let sentence = run_refused(&args);
    assert!(sentence.contains("rates.csv: line 2: \"noon\" is no time"), "{sentence}");
}

#[test]
fn a_walk_forward_tries_the_best_of_each_part_on_the_next() {
    let maker = ["--data", LEVELS, "--strategy", "market-maker", "--sweep", "half-spread=1..3:1"];
    let args = [&["backtest", "--json", "--walk-forward", "3"], &maker[..]].concat();
    let found = run_json(&args);
    let steps = found["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &found["partial"]), (2, &false.into()), "{found}");
    let outside = steps.iter().map(|step| step["pnl_outside"].as_f64().unwrap());
    assert!((outside.sum::<f64>() - found["pnl"].as_f64().unwrap()).abs() < 1e-9, "{found}");
}

#[test]
fn ctrl_c_ends_with_a_partial_report_that_says_so() {
    let long = ["--data", LEVELS, "--strategy", "market-maker", "--repeat", "1000000"];
    let args = [&["backtest", "--json"], &long[..]].concat();
    let process = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let id = process.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // Without a terminal there is no progress.
    assert!(output.stderr.is_empty(), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["partial"], true);
    let warning = "partial: the run was stopped before the end of the data";
    assert!(found["warnings"].as_array().unwrap().contains(&warning.into()), "{found}");
    assert!(found["events"].as_u64().unwrap() > 0 && found["orders"].as_u64().unwrap() > 0);
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
    let mended = fs::read_to_string(&finished).unwrap();
    assert_eq!(mended.lines().count(), lines.len(), "{mended}");
    // Points of other fees or parameters say nothing of these.
    let others = args.map(|arg| if arg == "skew=0..0.5:0.5" { "lots=1..2:1" } else { arg });
    assert!(run_refused(&others).contains("name another file"));
    let sentence = run_refused(&[&args[..], &["--fees", "market-maker=1,1"]].concat());
    assert!(sentence.contains("its points are of other data, rules or accounts"), "{sentence}");
    assert_eq!(fs::read_to_string(&finished).unwrap(), mended);
    // Another file than one of points stays as it is.
    fs::write(&finished, "{}").unwrap();
    assert!(run_refused(&args).contains("name another file"));
    assert_eq!(fs::read_to_string(&finished).unwrap(), "{}");
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

#[test]
fn parameters_come_from_a_file_and_then_from_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let params = dir.path().join("maker.toml");
    let run_with = |more: &[&str]| {
        let found = traded(&[&["--data", LEVELS, "--strategy", "market-maker"], more].concat());
        (found["orders"].clone(), found["fills"].clone(), found["pnl"].clone())
    };
    let from_file = ["--params", text(&params)];
    fs::write(&params, "# Narrow.\nhalf-spread = 1\nlots = \"2\"\n").unwrap();
    let narrow = run_with(&["--set", "half-spread=1", "--set", "lots=2"]);
    assert_eq!(run_with(&from_file), narrow);
    let other = run_with(&["--set", "half-spread=0.5", "--set", "lots=2"]);
    assert_ne!(other, narrow);
    assert_eq!(run_with(&[&from_file[..], &["--set", "half-spread=0.5"]].concat()), other);

    let refused = |content: &str| {
        fs::write(&params, content).unwrap();
        let args = ["backtest", "--data", LEVELS, "--strategy", "market-maker"];
        run_refused(&[&args[..], &from_file].concat())
    };
    assert!(refused("size = 1\n").contains("no parameter is called \"size\""));
    assert!(refused("lots = 0\n").contains("lots is \"0\", but must be a whole number from 1"));
    assert!(refused("[maker]\nlots = 1\n").contains("maker.toml: it has tables"));
    assert!(refused("lots = 1\nskew = \n").contains("maker.toml: line 2: invalid string"));
}

#[test]
fn data_that_cannot_be_used_are_refused_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, content).unwrap();
        text(&path).to_owned()
    };
    let check = |files: &[&str], expected: &str| {
        let rest = ["--strategy", "market-maker"];
        let sentence = run_refused(&[&["backtest", "--data"], files, &rest].concat());
        assert!(sentence.contains(expected), "{sentence}");
    };
    let whole = fs::read(LEVELS).unwrap();
    check(&[&file("cut.csv.gz", &whole[..whole.len() / 2])], "cut.csv.gz: line ");
    check(&[&file("notes.csv", b"dear diary\n")], "notes.csv: ");
    check(&[&file("none.csv", b"time,price,qty\n")], "the data have no events");
    let trades = |rows: &str| format!("time,price,qty\n{rows}").into_bytes();
    let early = trades("2024-01-02T10:00:01Z,1.5,1\n2024-01-02T10:00:00Z,1.5,1\n");
    check(
        &[&file("early.csv", &early)],
        "early.csv: line 3: the time runs 1000000000 ns backwards",
    );
    let (a, b) = (trades("2024-01-02T10:00:00Z,1.5,1\n"), trades("2024-01-03T10:00:00Z,1.55,1\n"));
    let (a, b) = (file("x_2024-01-02.csv", &a), file("x_2024-01-03.csv", &b));
    check(&[&a, &b], "two files have an instrument x, with tick 0.1, lot 1 and with tick 0.01");
    check(&[LEVELS, BARS], "bars.csv.gz: bars are run by themselves");
    let gap = "id,price,qty,quote_qty,time,is_buyer_maker\n\
               7,1.5,1,1.5,1704189600000,true\n9,1.5,1,1.5,1704189600001,true\n";
    let gap = file("gap.csv", gap.as_bytes());
    check(&[&gap], "gap.csv: line 3: a gap: trade 9 follows trade 7");
    let lenient = ["--lenient", "--strategy", "twap", "--json"];
    let found = run_json(&[&["backtest", "--data", &gap], &lenient[..]].concat());
    assert_eq!((&found["events"], &found["skipped"]), (&2.into(), &1.into()), "{found}");
}
