//! `buttonwood bench` as whoever measures sees it: runs of a second, which say nothing about speed.

use serde_json::Value;

use crate::process::{run, run_json, run_refused, text};

const SHORT: [&str; 6] = ["--duration", "1", "--warm-up", "0", "--durability", "memory"];

fn bench(args: &[&str]) -> Value {
    run_json(&[&["bench"], args, &SHORT, &["--json"]].concat())
}

#[test]
fn a_run_gives_the_figures_that_other_programs_read() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let page = dir.path().join("page.html");
    let within = dir.path().join("within");
    std::fs::create_dir(&within).expect("a folder");
    let figures = bench(&[
        "rest-mix",
        "--clients",
        "3",
        "--agents",
        "2",
        "--html",
        text(&page),
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
    let page = std::fs::read_to_string(page).expect("the page was written");
    assert!(page.contains("<svg") && !page.contains("<script") && !page.contains("src="), "{page}");
    let left = std::fs::read_dir(&within).expect("it is there").count();
    assert_eq!(left, 0, "the venue's folder goes with it");
}

#[test]
fn what_is_required_decides_the_exit_status() {
    let health = |require: &str| {
        let args = [&["bench", "health"], &SHORT[..], &["--rate", "50", "--require", require]];
        run(&args.concat())
    };
    let reached = health("success_rate>=1,orders==50,errors.x<1");
    let sentence = String::from_utf8_lossy(&reached.stderr).into_owned();
    assert_eq!(reached.status.code(), Some(1));
    assert!(sentence.contains("errors.x is none of this run's figures"), "{sentence}");
    assert!(!sentence.contains("orders==50"), "an open loop sends at its rate: {sentence}");
    let reached = health("success_rate>=1,orders>0");
    assert_eq!(reached.status.code(), Some(0), "{}", String::from_utf8_lossy(&reached.stderr));
    assert!(String::from_utf8_lossy(&reached.stdout).contains("open loop at 50/s"));
}

#[test]
fn orders_go_in_batches_and_through_the_websocket_api() {
    for (scenario, kind) in [("batch", "batch"), ("pipelined", "limit")] {
        let figures = bench(&[scenario, "--clients", "2"]);
        assert_eq!(figures["errors"], serde_json::json!({}), "{scenario}");
        assert!(figures["by_type"][kind]["orders"].as_u64() > Some(0), "{scenario}: {figures}");
        assert!(figures["trades_per_order"].as_f64() > Some(0.0), "{scenario}: {figures}");
    }
}

#[test]
fn a_venue_that_cannot_be_measured_is_named() {
    let at = |url: &str| {
        run_refused(&["bench", "rest-mix", "--url", url, "--key", "k", "--secret", "s"])
    };
    assert!(at("https://127.0.0.1:1").contains("--url must be like http://127.0.0.1:8080"));
    let sentence = run_refused(&["bench", "rest-mix", "--within", "/nowhere"]);
    assert!(sentence.contains("/nowhere"), "{sentence}");
}
