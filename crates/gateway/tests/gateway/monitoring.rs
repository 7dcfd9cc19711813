//! The endpoints for an operator's monitoring.

use std::time::{Duration, Instant};

use gateway::Settings;
use serde_json::json;

use crate::socket::{ask, connect, signed};
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
async fn orders_and_trades_are_counted_by_way_type_and_reason() {
    let site = Site::new().await;
    site.order(&site.maker, "SELL", "1", "101").await;
    site.order(&site.maker, "SELL", "1", "102").await;
    site.order(&site.taker, "BUY", "0.25", "101").await;
    site.order(&site.taker, "BUY", "0.25", "101").await;
    // Of 10,000.
    site.order(&site.taker, "SELL", "9000", "300").await;
    let unpaid = "symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity=9000&price=300";
    let refused = site.signed(&site.taker, "POST", "/api/v3/order", unpaid).await;
    assert_eq!(refused.json()["code"], -2010, "{}", refused.body);
    let text = metrics(&site).await;
    for line in [
        "orders_received_total{way=\"Rest\",type=\"Limit\"} 6\n",
        // One maker's order and two takers'.
        "orders_matched_total 3\n",
        "order_latency_seconds_count{way=\"Rest\"} 5\n",
        "order_latency_seconds_count{way=\"WebSocket\"} 0\n",
        "current_orderbook_depth{symbol=\"BTCUSDT\",side=\"bid\"} 0\n",
        "current_orderbook_depth{symbol=\"BTCUSDT\",side=\"ask\"} 3\n",
        "buttonwood_orders_rejected_total{reason=\"InsufficientBalance\"} 1\n",
        "buttonwood_trades_total{symbol=\"BTCUSDT\"} 2\n",
        "buttonwood_traded_quote_total{symbol=\"BTCUSDT\"} 50.5\n",
        "buttonwood_open_orders{symbol=\"BTCUSDT\",side=\"bid\"} 0\n",
        "buttonwood_open_orders{symbol=\"BTCUSDT\",side=\"ask\"} 3\n",
        "buttonwood_commands_total{kind=\"NewOrder\",origin=\"Rest\"} 6\n",
        "buttonwood_queue_depth{queue=\"inbox\"} 0\n",
        "buttonwood_http_requests_total{operation=\"POST /api/v3/order\",status=\"200\"} 5\n",
        "buttonwood_http_requests_total{operation=\"POST /api/v3/order\",status=\"400\"} 1\n",
        "buttonwood_connections{kind=\"websocket\"} 0\n",
        "buttonwood_build_info{version=\"",
        "process_resident_memory_bytes ",
        "process_cpu_seconds_total ",
        "process_start_time_seconds ",
        "process_open_fds ",
        "process_max_fds ",
    ] {
        let begins = |at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
        assert!(text.match_indices(line).any(|(at, _)| begins(at)), "{line} is not in {text}");
    }
}

/// An operator needs the figures most while a thread of the venue is stuck.
#[tokio::test(flavor = "multi_thread")]
async fn a_publisher_that_does_not_answer_delays_no_scrape() {
    let site = Site::new().await;
    site.order(&site.maker, "SELL", "1", "101").await;
    let depth = "current_orderbook_depth{symbol=\"BTCUSDT\",side=\"ask\"} 1\n";
    assert!(metrics(&site).await.contains(depth));
    let (go_on, stuck) = std::sync::mpsc::channel::<()>();
    let answer = site.handle.read_views(move |_, _| stuck.recv()).unwrap();
    let scraped = tokio::time::timeout(Duration::from_secs(5), metrics(&site)).await;
    go_on.send(()).unwrap();
    answer.await.unwrap().unwrap();
    let text = scraped.expect("the scrape waited for the publisher");
    assert!(text.contains(depth), "it has the depths of the last scrape: {text}");
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

#[tokio::test(flavor = "multi_thread")]
async fn a_scrape_counts_the_subscriptions_of_now() {
    let site = Site::new().await;
    let count = async |kind: &str| {
        let name = format!("buttonwood_subscriptions{{kind=\"{kind}\"}} ");
        let text = metrics(&site).await;
        let line = text.lines().find_map(|line| line.strip_prefix(&name));
        line.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let mut api = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    let method = "userDataStream.subscribe.signature";
    ask(&mut api, 1, method, signed(&site.maker, json!({}))).await;
    assert_eq!([count("market").await, count("user").await], ["0", "1"]);
    let _stream = connect(&site, "/ws/btcusdt@trade").await;
    ask(&mut api, 2, "userDataStream.unsubscribe", json!({})).await;
    assert_eq!([count("market").await, count("user").await], ["1", "0"]);
}
