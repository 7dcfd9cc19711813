//! Overload: new orders are refused at once, and all other requests are answered.

use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::future::join_all;
use gateway::DoorSettings;
use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_tungstenite::tungstenite::Message;

use crate::socket::{Socket, ask, connect, next, signed};
use crate::support::{BTCUSDT, MAKER, Site};
use crate::ws_api::{PATH, order};

const BUSY: &str = "Server is currently overloaded with other requests: new orders are refused, \
                    cancels go on. Nothing was carried out; please try again.";
const LIMIT: &str = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=100";
/// After this time a test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(20);

async fn open_prices(site: &Site) -> Vec<i64> {
    site.ask(|engine| {
        let prices = engine.open_orders(MAKER, BTCUSDT).map(|order| order.price.ticks() / 100);
        let mut prices: Vec<i64> = prices.collect();
        prices.sort_unstable_by(|a, b| b.cmp(a));
        prices
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_does_not_keep_up_refuses_orders_and_loses_none() {
    let site = Site::new().await;
    site.order(&site.maker, "BUY", "1", "97").await;
    let to_cancel = site.order(&site.maker, "BUY", "1", "98").await["orderId"].clone();
    let mut socket = connect(&site, PATH).await;
    let site = Arc::new(site);
    let send = |method: &'static str, path: &'static str, text: String| {
        let site = Arc::clone(&site);
        tokio::spawn(async move { site.signed(&site.maker, method, path, &text).await })
    };

    site.hold.stop();
    let waiting = send("POST", "/api/v3/order", LIMIT.replace("100", "99"));
    let deadline = Instant::now() + PATIENCE;
    while site.handle.command_wait() < Duration::from_millis(500) {
        assert!(Instant::now() < deadline, "it never happened");
        sleep(Duration::from_millis(5)).await;
    }
    // Disks pause for half a second now and then.
    let also_waiting = send("POST", "/api/v3/order", LIMIT.replace("100", "96"));
    while site.handle.command_wait() < Duration::from_millis(1_100) {
        sleep(Duration::from_millis(5)).await;
    }

    let oco = "symbol=BTCUSDT&side=BUY&quantity=1&aboveType=STOP_LOSS&aboveStopPrice=120\
               &belowType=LIMIT_MAKER&belowPrice=90";
    let replace = format!("{LIMIT}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrderId={to_cancel}");
    for (path, text) in [
        ("/api/v3/order", LIMIT),
        ("/api/v3/order/cancelReplace", &replace),
        ("/api/v3/orderList/oco", oco),
        ("/api/v3/batchOrders", "batchOrders=%5B%5D"),
    ] {
        let began = Instant::now();
        let reply = site.signed(&site.maker, "POST", path, text).await;
        reply.is_error(503, -1008, BUSY);
        assert!(began.elapsed() < Duration::from_millis(500), "at once: {path}");
    }
    let refused = ask(&mut socket, 1, "order.place", signed(&site.maker, order("100"))).await;
    assert_eq!((&refused["status"], &refused["error"]["code"]), (&503.into(), &(-1008).into()));
    // Every sender gets the same refusal, without authentication.
    let key = [("X-MBX-APIKEY", "nosuchkey")];
    let forged = site.send("POST", &format!("/api/v3/order?{LIMIT}"), &key, b"").await;
    forged.is_error(503, -1008, BUSY);

    // Queries are answered, and cancels are accepted.
    site.get("/api/v3/depth?symbol=BTCUSDT").await.ok();
    let which = format!("symbol=BTCUSDT&orderId={to_cancel}");
    assert_eq!(
        site.signed(&site.maker, "GET", "/api/v3/order", &which).await.ok()["status"],
        "NEW"
    );
    let canceled = send("DELETE", "/api/v3/order", which);
    let metrics = site.get("/metrics").await.body;
    assert!(
        metrics.contains("buttonwood_requests_refused_total{cause=\"stalled\"} 6\n"),
        "{metrics}"
    );
    let wait =
        metrics.lines().find_map(|line| line.strip_prefix("buttonwood_command_wait_seconds "));
    assert!(wait.and_then(|wait| wait.parse().ok()) > Some(1.0), "{wait:?}");
    assert!(!waiting.is_finished() && !canceled.is_finished(), "nothing is acknowledged by now");

    site.hold.go_on();
    assert_eq!(waiting.await.unwrap().ok()["status"], "NEW");
    assert_eq!(also_waiting.await.unwrap().ok()["status"], "NEW");
    assert_eq!(canceled.await.unwrap().ok()["status"], "CANCELED");
    // Requests after the disk continued may have waited too.
    while site.handle.command_wait() > Duration::from_millis(100) {
        assert!(Instant::now() < deadline + PATIENCE, "it never ended");
        sleep(Duration::from_millis(5)).await;
    }
    let placed = ask(&mut socket, 2, "order.place", signed(&site.maker, order("95"))).await;
    assert_eq!(placed["result"]["status"], "NEW", "{placed}");
    assert_eq!(open_prices(&site).await, [99, 97, 96, 95]);
    drop(socket);
    let site = Arc::into_inner(site).expect("all requests have ended").restarted().await;
    assert_eq!(open_prices(&site).await, [99, 97, 96, 95], "what was acknowledged is there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_orders_at_once_are_all_taken_on() {
    let site = Site::new().await;
    let connections = join_all((0..4).map(|_| connect(&site, PATH))).await;
    // They arrive at once, however long signing takes.
    let signed_requests = || {
        let request = |id| {
            let params = signed(&site.maker, order("100"));
            json!({ "id": id, "method": "order.place", "params": params }).to_string()
        };
        (1..=250).map(request).collect::<Vec<_>>()
    };
    let mut bursts = Vec::new();
    for mut socket in connections {
        for request in signed_requests() {
            socket.feed(Message::text(request)).await.unwrap();
        }
        bursts.push(socket);
    }
    for socket in &mut bursts {
        socket.flush().await.unwrap();
    }
    let burst = bursts.into_iter().map(async |mut socket: Socket| {
        for _ in 1..=250 {
            let answer = next(&mut socket).await;
            assert_eq!(answer["status"], 200, "{answer}");
        }
    });
    join_all(burst).await;
    assert_eq!(open_prices(&site).await.len(), 1_000);
}

/// A wait of one microsecond counts as late here, so every request is.
#[tokio::test(flavor = "multi_thread")]
async fn orders_that_are_late_for_a_while_are_refused_until_there_is_a_break() {
    let late_after = Some(Duration::from_micros(1));
    let site = Site::with(DoorSettings { late_after, ..DoorSettings::default() }).await;
    let mut socket = connect(&site, PATH).await;
    let (mut taken, begun) = (0, Instant::now());
    let refused = loop {
        assert!(begun.elapsed() < PATIENCE, "it never happened");
        let answer = ask(&mut socket, 1, "order.place", signed(&site.maker, order("100"))).await;
        if answer["status"] != 200 {
            break answer;
        }
        taken += 1;
        sleep(Duration::from_millis(5)).await;
    };
    assert_eq!((&refused["status"], &refused["error"]["msg"]), (&503.into(), &BUSY.into()));
    assert!(begun.elapsed() >= Duration::from_millis(250), "a burst is let through");
    let reply = site.signed(&site.maker, "POST", "/api/v3/order", LIMIT).await;
    reply.is_error(503, -1008, BUSY);
    assert_eq!(open_prices(&site).await.len(), taken, "what was refused is not there");
    let all = "symbol=BTCUSDT";
    let canceled = site.signed(&site.maker, "DELETE", "/api/v3/openOrders", all).await.ok();
    assert_eq!(canceled.as_array().map(Vec::len), Some(taken));
    let metrics = site.get("/metrics").await.body;
    assert!(metrics.contains("buttonwood_requests_refused_total{cause=\"late\"} 2\n"), "{metrics}");

    sleep(Duration::from_millis(2_100)).await;
    site.order(&site.maker, "BUY", "1", "100").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_venue_without_a_limit_refuses_nothing() {
    let site = Site::with(DoorSettings { late_after: None, ..DoorSettings::default() }).await;
    let site = Arc::new(site);
    site.hold.stop();
    let send = || {
        let site = Arc::clone(&site);
        tokio::spawn(async move { site.signed(&site.maker, "POST", "/api/v3/order", LIMIT).await })
    };
    let first = send();
    sleep(Duration::from_millis(1_200)).await;
    assert!(site.handle.command_wait() > Duration::from_secs(1));
    let second = send();
    sleep(Duration::from_millis(50)).await;
    site.hold.go_on();
    for sent in [first, second] {
        assert_eq!(sent.await.unwrap().ok()["status"], "NEW");
    }
}
