//! `buttonwood bench` as its users see it: runs of a second, which say nothing about speed.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::process::{Serving, run, run_json, run_refused, stderr, text};

const SHORT: [&str; 6] = ["--duration", "1", "--warm-up", "0", "--durability", "memory"];
const LONGER: [&str; 6] = ["--duration", "4", "--warm-up", "0", "--durability", "memory"];

fn bench(args: &[&str]) -> Value {
    bench_for(&SHORT, args)
}

fn bench_for(time: &[&str], args: &[&str]) -> Value {
    run_json(&[&["bench"], args, time, &["--json"]].concat())
}

/// A run in which each request was sent in time and answered. A busy machine hinders one run of a
/// second, and rarely three.
fn unhindered(args: &[&str]) -> Value {
    unhindered_for(&SHORT, args)
}

fn unhindered_for(time: &[&str], args: &[&str]) -> Value {
    let mut runs = (0..3).map(|_| bench_for(time, args));
    let is_whole = |figures: &Value| figures["errors"] == serde_json::json!({});
    runs.find(is_whole).unwrap_or_else(|| bench_for(time, args))
}

/// What `bench/chart` draws of a report.
fn chart(figures: &Value) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/chart");
    let mut python = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is installed");
    let mut stdin = python.stdin.take().expect("it is piped");
    write!(stdin, "{figures}").expect("the script reads it");
    drop(stdin);
    let output = python.wait_with_output().expect("it ends");
    assert!(output.status.success(), "see above");
    String::from_utf8(output.stdout).expect("it is text")
}

#[test]
fn the_fresh_venue_has_the_settings_of_a_file() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("settings.toml");
    std::fs::write(&file, "spool_max_mib = 7\n").expect("a file");
    let config = file.to_str().expect("it is text");
    let args = [&["bench", "health", "--config", config][..], &SHORT].concat();
    let refused = stderr(&run(&args));
    assert!(refused.contains("spool_max_mib must be between"), "{refused}");
}

#[test]
fn a_run_gives_the_figures_that_other_programs_read() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let within = dir.path().join("within");
    std::fs::create_dir(&within).expect("a folder");
    let figures = bench(&[
        "rest-mix",
        "--clients",
        "3",
        "--agents",
        "2",
        "--within",
        text(&within),
        "--cost-per-hour",
        "0.1",
    ]);
    for name in [
        "orders_per_s",
        "min_ms",
        "mean_ms",
        "p50_ms",
        "p75_ms",
        "p90_ms",
        "p95_ms",
        "p99_ms",
        "p99_9_ms",
        "max_ms",
        "loopback_us",
        "bare_handler_per_s",
        "rss_mb",
        "cpu_s",
        "cost_per_million_orders",
    ] {
        assert!(figures[name].as_f64().is_some_and(|figure| figure > 0.0), "{name}: {figures}");
    }
    assert_eq!(figures["scenario"], "rest-mix");
    assert_eq!(figures["loop"], "closed");
    assert_eq!((&figures["clients"], &figures["agents"]), (&3.into(), &2.into()));
    assert_eq!(figures["durability"], "memory");
    assert_eq!(figures["success_rate"], 1.0, "{figures}");
    assert_eq!(figures["errors"], serde_json::json!({}));
    assert!(
        figures["disk_fdatasync_ms"]["p99"].as_f64()
            >= figures["disk_fdatasync_ms"]["p50"].as_f64()
    );
    let by_type = figures["by_type"].as_object().expect("an object");
    let orders = |of: &Value| of["orders"].as_u64().expect("a count");
    assert_eq!(by_type.values().map(orders).sum::<u64>(), orders(&figures));
    let seconds = figures["seconds"].as_array().expect("a list");
    assert_eq!(seconds.iter().map(orders).sum::<u64>(), orders(&figures));
    let page = chart(&figures);
    assert!(page.contains("<svg") && !page.contains("<script") && !page.contains("src="), "{page}");
    let left = std::fs::read_dir(&within).expect("it is there").count();
    assert_eq!(left, 0, "the venue's folder goes with it");
}

#[test]
fn orders_by_ouch_stand_beside_an_echo_of_their_frames() {
    let figures = unhindered(&["ouch", "--clients", "2", "--window", "8", "--batch", "4"]);
    let positive = |name: &str| figures[name].as_f64().is_some_and(|figure| figure > 0.0);
    for name in ["orders_per_s", "p50_ms", "p99_ms", "bare_echo_per_s", "venue_cpu_us_per_order"] {
        assert!(positive(name), "{name}: {figures}");
    }
    assert_eq!((&figures["scenario"], &figures["window"]), (&"ouch".into(), &8.into()));
    assert_eq!(figures["errors"], serde_json::json!({}), "{figures}");
    let read_model = &figures["read_model"];
    assert!(read_model["behind_commands"].is_u64(), "{figures}");
    assert!(read_model["level_after_s"].is_f64(), "{figures}");
    // Each second order trades with the one before it.
    let trades = figures["trades_per_order"].as_f64().expect("a figure");
    assert!((0.4..0.6).contains(&trades), "{figures}");
}

#[test]
fn orders_by_ouch_are_sent_at_a_rate_in_an_open_loop() {
    let rate = ["--clients", "2", "--window", "16", "--batch", "4", "--rate", "2000"];
    let figures = unhindered(&[&["ouch"], &rate[..]].concat());
    assert_eq!((&figures["loop"], &figures["rate"]), (&"open".into(), &2_000.0.into()));
    assert_eq!(figures["errors"], serde_json::json!({}), "{figures}");
    let orders = figures["orders"].as_u64().expect("a count");
    // All that were due, also those with a later answer, but no batch that was not full.
    assert!((1_992..=2_000).contains(&orders), "{figures}");
    let sparse = ["bench", "ouch", "--batch", "64", "--rate", "1", "--duration", "2"];
    assert!(run_refused(&sparse).contains("no --batch of 64 is due within 2 s"));
}

#[test]
fn orders_by_ouch_go_over_a_unix_socket_and_through_shared_memory_too() {
    for way in ["--unix", "--shm"] {
        let figures = unhindered(&["ouch", way, "--clients", "2", "--window", "4"]);
        let positive = |name: &str| figures[name].as_f64().is_some_and(|figure| figure > 0.0);
        assert!(positive("orders_per_s") && positive("bare_echo_per_s"), "{figures}");
        assert_eq!(figures["errors"], serde_json::json!({}), "{figures}");
    }
}

#[test]
fn orders_by_datagrams_are_all_answered_where_some_are_lost() {
    let args = ["ouch-udp", "--clients", "2", "--window", "8", "--batch", "4", "--loss", "5"];
    let figures = unhindered(&args);
    let positive = |name: &str| figures[name].as_f64().is_some_and(|figure| figure > 0.0);
    for name in ["orders_per_s", "p99_ms", "bare_echo_per_s", "retransmitted"] {
        assert!(positive(name), "{name}: {figures}");
    }
    assert_eq!((&figures["fallbacks"], &figures["loss_percent"]), (&0.into(), &5.into()));
    assert!(figures["duplicates_refused"].is_u64(), "{figures}");
    assert_eq!(figures["errors"], serde_json::json!({}), "{figures}");
}

#[test]
fn what_is_required_decides_the_exit_status() {
    let health = |require: &str| {
        let args = [&["bench", "health"], &SHORT[..], &["--rate", "50", "--require", require]];
        run(&args.concat())
    };
    let reached = health("orders<=50,errors.x<1");
    let sentence = String::from_utf8_lossy(&reached.stderr).into_owned();
    assert_eq!(reached.status.code(), Some(1));
    assert!(sentence.contains("errors.x is none of this run's figures"), "{sentence}");
    assert!(!sentence.contains("orders<=50"), "an open loop sends at its rate: {sentence}");
    let reached = health("orders>0");
    assert_eq!(reached.status.code(), Some(0), "{}", String::from_utf8_lossy(&reached.stderr));
    assert!(String::from_utf8_lossy(&reached.stdout).contains("open loop at 50/s"));
}

/// What the venue refused. In a run of a second, a moment in which nothing runs is enough for
/// orders that could not be sent in time.
fn refused(figures: &Value) -> BTreeMap<String, u64> {
    let errors = figures["errors"].clone();
    let mut errors: BTreeMap<String, u64> = serde_json::from_value(errors).expect("counts");
    errors.retain(|cause, _| !cause.starts_with("not sent"));
    errors
}

#[test]
fn an_open_loop_has_half_of_the_highest_rate() {
    for (scenario, per_request) in [("health", 1.0), ("batch", 20.0), ("pipelined", 1.0)] {
        let figures = bench(&[scenario, "--clients", "2"]);
        assert_eq!(figures["loop"], "open", "{scenario}");
        let highest = &figures["highest"];
        assert_eq!(highest["errors"], serde_json::json!({}), "{scenario}");
        let figure = |of: &Value, name: &str| of[name].as_f64().expect("a figure");
        let half = figure(highest, "orders_per_s") / 2.0;
        assert!((figure(&figures, "rate") - half).abs() < 1.0, "{scenario}: {figures}");
        let not_sent: u64 = figures["errors"]
            .as_object()
            .expect("an object")
            .values()
            .map(|count| count.as_u64().expect("a count"))
            .sum();
        let planned = figure(&figures, "orders") + not_sent as f64;
        assert!((planned - half).abs() <= per_request, "{scenario}: {planned} of {half}");
    }
    let asked = bench(&["health", "--rate", "50"]);
    assert_eq!((&asked["orders"], &asked["highest"]), (&50.into(), &Value::Null));
    let bare = &asked["bare_handler"]["open"];
    assert!(bare["rate"] == 50.0 && bare["p99_ms"].as_f64() > Some(0.0), "{asked}");
}

#[test]
fn users_that_join_raise_the_rate_of_an_open_loop() {
    let figures = unhindered(&["health", "--clients", "10", "--ramp", "1", "--rate", "200"]);
    assert_eq!((&figures["loop"], &figures["orders"]), (&"open".into(), &100.into()), "{figures}");
}

#[test]
fn orders_go_in_batches_and_through_the_websocket_api() {
    for (scenario, kind) in [("batch", "batch"), ("pipelined", "limit")] {
        let figures = unhindered(&[scenario, "--clients", "2"]);
        assert_eq!(refused(&figures), BTreeMap::new(), "{scenario}");
        assert!(figures["by_type"][kind]["orders"].as_u64() > Some(0), "{scenario}: {figures}");
        assert!(figures["trades_per_order"].as_f64() > Some(0.0), "{scenario}: {figures}");
    }
}

#[test]
fn readers_of_a_stream_have_every_update() {
    let args = ["stream", "--readers", "30,1", "--clients", "2", "--agents", "2", "--rate", "200"];
    let figures = unhindered(&args);
    assert_eq!((&figures["scenario"], &figures["loop"]), (&"stream".into(), &"open".into()));
    assert_eq!(figures["orders"], 200, "{figures}");
    let steps = figures["by_readers"].as_object().expect("an object");
    assert_eq!(steps.keys().collect::<Vec<_>>(), ["0", "1", "30"]);
    for (readers, step) in steps {
        assert!(step["closed_orders_per_s"].as_f64() > Some(0.0), "{readers}: {step}");
        for none in ["gaps", "readers_behind", "errors"] {
            assert_eq!(step[none], 0, "{readers}: {step}");
        }
        assert_eq!(step["reader_errors"], serde_json::json!({}), "{readers}");
        let readers: f64 = readers.parse().expect("a number");
        let messages = step["messages_per_s"].as_f64().expect("a figure");
        assert!((3.0 * readers..=12.0 * readers).contains(&messages), "{readers}: {step}");
        let age = &step["order_to_update_ms"];
        match step["probes"].as_u64() {
            Some(0) => assert_eq!((readers, age), (0.0, &Value::Null), "{step}"),
            _ => assert!(
                age["p50"].as_f64() > Some(1.0),
                "the stream is sent ten times a second: {step}"
            ),
        }
    }
    let page = chart(&figures);
    assert!(page.contains("What readers cost"), "{page}");
    let refused = run(&["bench", "stream", "--readers", "1,0"]);
    let sentence = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && sentence.contains("--readers"), "{sentence}");
}

#[test]
fn the_book_that_200_users_find_is_kept() {
    // The trades of orders that are on their way at the end count, and the orders do not: of a
    // second on a busy machine they are a tenth.
    let figures = unhindered_for(&LONGER, &["ramp-200", "--ramp", "0"]);
    assert_eq!(refused(&figures), BTreeMap::new(), "{figures}");
    let resting = &figures["resting"];
    assert_eq!(resting["wanted"], 15_000);
    // What the closed loop took is filled up in batches of 20.
    let begin = resting["begin"].as_u64().expect("a count");
    assert!((15_000..15_020).contains(&begin), "{resting}");
    let within = 14_250..=15_750;
    for name in ["least", "most", "end"] {
        let orders = resting[name].as_u64().expect("a count");
        assert!(within.contains(&orders), "{name}: {resting}");
    }
    assert!(resting["looks"].as_u64() >= Some(3), "{resting}");
    // Half of all take, and the other half put back what was taken.
    let per_order = figures["trades_per_order"].as_f64().expect("a figure");
    assert!((0.45..=0.55).contains(&per_order), "{figures}");
    let of = |kind: &str| figures["by_type"][kind]["orders"].as_f64().expect("a count");
    let limits = of("limit") / (of("limit") + of("market"));
    assert!((0.75..=0.85).contains(&limits), "80 % limit orders: {figures}");
}

#[test]
fn memory_is_looked_at_over_a_long_run() {
    // So few orders say nothing of a million.
    let args = ["soak", "--clients", "2", "--growth-max", "1e9", "--rate", "100"];
    let figures = unhindered(&args);
    assert_eq!((&figures["scenario"], &figures["orders"]), (&"soak".into(), &100.into()));
    let memory = &figures["memory"];
    assert_eq!(memory["is_flat"], true, "{memory}");
    let samples = memory["samples"].as_array().expect("a list");
    assert!((5..=11).contains(&samples.len()), "{memory}");
    assert!(samples.iter().all(|sample| sample["rss_mb"].as_f64() > Some(1.0)), "{memory}");
    assert!(samples.iter().any(|sample| sample["resting_qty"].as_f64() > Some(0.0)), "{memory}");
    let to_shrink = ["--rate", "100", "--growth-max=-1e9"];
    let failed = run(&[&["bench", "soak"], &SHORT[..], &to_shrink[..]].concat());
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failed.stdout).contains("NOT FLAT"));
    let sentence = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(sentence.contains("the venue's memory is not flat"), "{sentence}");
}

#[test]
fn a_venue_that_cannot_be_measured_is_named() {
    let at = |url: &str| {
        run_refused(&["bench", "rest-mix", "--url", url, "--key", "k", "--secret", "s"])
    };
    for url in ["https://127.0.0.1:1", "http://127.0.0.1:1/api", "127.0.0.1"] {
        let sentence = at(url);
        assert!(sentence.contains("the URL must be an address with a port"), "{sentence}");
    }
    let sentence = run_refused(&["bench", "rest-mix", "--within", "/nowhere"]);
    assert!(sentence.contains("/nowhere"), "{sentence}");
}

#[test]
fn something_else_is_driven_with_the_same_load() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let venue = Serving::start(&["--demo", "--no-bots", "--data", text(dir.path())]);
    let demo = std::fs::read(dir.path().join("demo.json")).expect("a demo has keys");
    let demo: Value = serde_json::from_slice(&demo).expect("JSON");
    let key = |name: &str| demo["accounts"][0][name].as_str().expect("a text").to_owned();
    let (api_key, secret) = (key("api_key"), key("secret_key"));
    let beside = ["--beside", &venue.url, "--beside-key", &api_key, "--beside-secret", &secret];
    let both = |scenario: &[&str]| bench(&[scenario, &beside[..]].concat());
    let soak = ["soak", "--clients", "2", "--growth-max", "1e9", "--rate", "100"];
    let stream = ["stream", "--readers", "1", "--clients", "2", "--rate", "100"];
    for scenario in [&["rest-mix", "--clients", "2"][..], &soak, &stream] {
        let figures = both(scenario);
        let other = &figures["beside"];
        for name in ["orders_per_s", "mean_ms", "p99_ms", "success_rate"] {
            assert!(other[name].as_f64().is_some_and(|figure| figure > 0.0), "{name}: {figures}");
        }
        assert_eq!(other["url"], venue.url.as_str());
    }
    let figures = both(&["limits", "--rate", "50", "--p99-ms", "0.001"]);
    let other = &figures["beside"];
    assert_eq!(other["steps"].as_array().map(Vec::len), Some(3), "{figures}");
    assert!(other["steps"][0]["p50_ms"].as_f64() > Some(0.0), "{figures}");
    for scenario in ["overload", "memory", "recovery"] {
        let sentence = run_refused(&["bench", scenario, "--beside", &venue.url]);
        assert!(sentence.contains(&format!("{scenario} has no --beside")), "{sentence}");
    }
}

#[test]
fn a_running_venue_is_measured_at_an_address_as_serve_takes_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let venue = Serving::start(&["--demo", "--no-bots", "--data", text(dir.path())]);
    let demo = std::fs::read(dir.path().join("demo.json")).expect("a demo has keys");
    let demo: Value = serde_json::from_slice(&demo).expect("JSON");
    let [key, secret] = ["api_key", "secret_key"].map(|name| demo["accounts"][0][name].as_str());
    let key = ["--key", key.expect("a text"), "--secret", secret.expect("a text")];
    let port = venue.url.rsplit_once(':').expect("a port").1;
    for (flag, address) in [
        ("--http", format!(":{port}")),
        ("--http", format!("localhost:{port}")),
        ("--url", format!("http://localhost:{port}/")),
    ] {
        let at = [&["rest-mix", "--clients", "1", flag, &address], &key[..]].concat();
        let figures = bench(&at);
        assert!(figures["orders_per_s"].as_f64() > Some(0.0), "{address}: {figures}");
    }
}

#[test]
fn a_workload_is_the_same_in_every_format() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("w1.bin");
    let make = |format: &str, more: &[&str]| {
        let args = [&["bench", "gen", "--orders", "2000", "--seed", "7", "--format", format], more];
        let output = run(&args.concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    assert!(make("obwl", &["--out", text(&file)]).is_empty());
    assert_eq!(make("obwl", &[]), std::fs::read(&file).expect("it was written"));
    let replayed = run_json(&["replay", text(&file), "--json"]);
    assert_eq!((&replayed["commands"], &replayed["rejected"]), (&2_000.into(), &0.into()));

    let source = recorded::open(&file).expect("it is there");
    let records = recorded::obwl::read(source).expect("it is a workload").records;
    let objects = make("ndjson", &[]);
    let objects: Vec<Value> = serde_json::Deserializer::from_slice(&objects)
        .into_iter()
        .collect::<Result<_, _>>()
        .expect("a JSON object a line");
    let rows = make("csv", &[]);
    let mut rows = csv::Reader::from_reader(rows.as_slice());
    let rows: Vec<csv::StringRecord> =
        rows.records().collect::<Result<_, _>>().expect("rows of one length");
    assert_eq!((objects.len(), rows.len()), (records.len(), records.len()));
    for ((record, object), row) in records.iter().zip(&objects).zip(&rows) {
        assert_eq!(object["order_id"], record.order_id);
        let is_cancel = record.op == recorded::obwl::Op::Cancel;
        let qty = (!is_cancel).then_some(record.qty);
        assert_eq!(object["qty"], serde_json::json!(qty));
        assert_eq!(row[5], qty.map_or(String::new(), |qty| qty.to_string()));
        assert_eq!(row[0], object["op"], "{object}");
    }
}

#[test]
fn growth_measures_each_curve_and_the_chart_draws_it() {
    let sizes = ["--orders", "1000", "--most", "10", "--rounds", "1", "--duration", "1"];
    let args = [&["bench", "growth", "--json"], &sizes[..]].concat();
    let figures = run_json(&args);
    let curves = figures["curves"].as_array().unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    let expect = [
        ("resting_orders", 0),
        ("instruments", 10),
        ("accounts", 10),
        ("commands", 0),
        ("cores", cores.min(10)),
        ("readers", 10),
    ];
    assert_eq!(curves.len(), expect.len());
    for (curve, (quantity, last)) in curves.iter().zip(expect) {
        assert_eq!(curve["quantity"], quantity);
        let points = curve["points"].as_array().unwrap();
        let largest = points.last().map_or(0, |point| point["size"].as_u64().unwrap());
        assert_eq!(largest, last as u64, "{curve}");
        assert!(points.iter().all(|point| point["value"].as_f64().unwrap() > 1.0), "{curve}");
    }
    let drawing = chart(&figures);
    assert_eq!(drawing.matches("<polyline").count(), 6);
}

#[test]
fn the_core_is_measured_on_three_workloads() {
    let args = ["bench", "core", "--orders", "1000", "--rounds", "1", "--json"];
    let figures = run_json(&args);
    for workload in ["w1", "w2", "w3"] {
        let speeds = &figures["workloads"][workload];
        assert_eq!(speeds["commands"], 1_000, "{figures}");
        assert!(speeds["engine_per_s"].as_f64() > Some(0.0), "{figures}");
    }
}

#[test]
fn orders_that_rest_are_there_again_after_a_kill() {
    let orders = ["--orders", "2000", "--durability", "os"];
    let recovery = run_json(&[&["bench", "recovery", "--json"], &orders[..]].concat());
    assert_eq!(recovery["orders"], 2_000);
    assert!(recovery["recovery"]["ready_s"].as_f64() > Some(0.0), "{recovery}");
    let memory = run_json(&[&["bench", "memory", "--json"], &orders[..]].concat());
    let looks = memory["memory"].as_array().expect("a list");
    let resting: Vec<_> = looks.iter().map(|look| look["resting_orders"].as_u64()).collect();
    assert_eq!(resting, [Some(0), Some(1_000)]);
}

#[test]
fn a_rate_is_raised_until_it_is_too_much() {
    let args = ["limits", "--rate", "50", "--p99-ms", "0.001"];
    let figures = bench(&args);
    let rates: Vec<_> =
        figures["steps"].as_array().unwrap().iter().map(|step| step["rate"].as_f64()).collect();
    assert_eq!(rates, [Some(50.0); 3], "it is tried three times: {figures}");
    assert_eq!(figures["knee"], Value::Null, "nothing is that fast: {figures}");
}

#[test]
fn without_a_knee_there_is_nothing_to_overload() {
    let args = ["bench", "overload", "--rate", "500", "--p99-ms", "0.001"];
    let failed = run(&[&args, &SHORT[..]].concat());
    assert_eq!(failed.status.code(), Some(1));
    let table = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(
        table.contains("overload, open loop, 64 clients") && table.contains("no knee"),
        "{table}"
    );
    let sentence = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(sentence.contains("there is no knee to double"), "{sentence}");
}
