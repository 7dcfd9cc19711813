//! The endpoints for an operator's monitoring.

use std::time::{Duration, Instant};

use gateway::Settings;
use serde_json::json;

use crate::support::Site;

async fn metrics(site: &Site) -> String {
    let reply = site.get("/metrics").await;
    assert_eq!(reply.status, 200, "{}", reply.head);
    assert!(reply.head.contains("content-type: application/openmetrics-text"), "{}", reply.head);
    reply.body
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_count_what_the_venue_did() {
    let site = Site::new().await;
    let batches = |text: &str| -> u64 {
        let prefix = "buttonwood_batches_committed_total ";
        text.lines().find_map(|line| line.strip_prefix(prefix)).unwrap().parse().unwrap()
    };
    let before = batches(&metrics(&site).await);
    site.order(&site.maker, "SELL", "1", "101").await;
    let text = metrics(&site).await;
    assert_eq!(batches(&text), before + 1);
    let count = format!("buttonwood_commit_latency_seconds_count {}\n", before + 1);
    for line in [
        "buttonwood_durability_info{level=\"os\"} 1\n",
        "buttonwood_disk_full 0\n",
        "buttonwood_snapshot_sequence 0\n",
        "buttonwood_spool_first_sequence 1\n",
        "buttonwood_replica_alarm 0\n",
        "buttonwood_replica_lag_batches 0\n",
        &count,
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_differs_is_reported_while_orders_go_on() {
    let site = Site::with_replica(Settings::default(), Some(20)).await;
    let ready = site.get("/health/ready").await.ok();
    assert_eq!(ready, json!({"status": "ready", "replica": "in step"}));
    for _ in 0..10 {
        site.order(&site.maker, "SELL", "1", "101").await;
    }
    site.handle.take_snapshot().unwrap();
    let since = Instant::now();
    while !metrics(&site).await.contains("buttonwood_replica_alarm 1\n") {
        assert!(since.elapsed() < Duration::from_secs(30), "the alarm was not raised");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    site.order(&site.maker, "SELL", "1", "101").await;
    let ready = site.get("/health/ready").await.ok();
    assert_eq!(ready, json!({"status": "ready", "replica": "differs"}));
}
