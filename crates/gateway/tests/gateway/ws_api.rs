use std::time::Duration;

use futures_util::SinkExt;
use gateway::DoorSettings;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use types::{Command, KeyId, RevokeKey};

use crate::socket::{ask, connect, next, say, signed};
use crate::support::{BTCUSDT, MAKER, Site, now_ms};

pub(crate) const PATH: &str = "/ws-api/v3?returnRateLimits=false";

pub(crate) fn order(price: &str) -> Value {
    json!({
        "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
        "quantity": "1", "price": price, "timestamp": now_ms(),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn every_method_of_rest_is_there() {
    let site = Site::new().await;
    let mut socket = connect(&site, PATH).await;
    let pong = ask(&mut socket, 1, "ping", json!({})).await;
    assert_eq!(pong, json!({ "id": 1, "status": 200, "result": {} }));
    let depth = ask(&mut socket, 2, "v3/depth", json!({ "symbol": "BTCUSDT", "limit": 5 })).await;
    assert_eq!(depth["result"]["bids"], json!([]));
    let mut params = order("100");
    // The parameter about the answer is signed too.
    params["returnRateLimits"] = false.into();
    let placed = ask(&mut socket, 3, "order.place", signed(&site.maker, params)).await;
    assert_eq!((&placed["status"], &placed["result"]["status"]), (&200.into(), &"NEW".into()));
    let which = json!({ "symbol": "BTCUSDT", "orderId": placed["result"]["orderId"] });
    let found = ask(&mut socket, 4, "order.status", signed(&site.reader, which.clone())).await;
    assert_eq!(found["error"]["code"], -2013, "another account's");
    let found = ask(&mut socket, 5, "order.status", signed(&site.maker, which.clone())).await;
    assert_eq!(found["result"]["price"], "100.00000000");
    let canceled = ask(&mut socket, 6, "order.cancel", signed(&site.maker, which)).await;
    assert_eq!(canceled["result"]["status"], "CANCELED");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_carried_out_in_their_order_without_waiting_for_answers() {
    let site = Site::new().await;
    let mut socket = connect(&site, PATH).await;
    for id in 1..=300 {
        let params = signed(&site.maker, order("100"));
        let request = json!({ "id": id, "method": "order.place", "params": params });
        socket.feed(Message::text(request.to_string())).await.unwrap();
    }
    socket.flush().await.unwrap();
    for _ in 1..=300 {
        let answer = next(&mut socket).await;
        assert_eq!(answer["id"], answer["result"]["orderId"], "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_has_logged_on_needs_no_signature() {
    let site = Site::new().await;
    let mut socket = connect(&site, PATH).await;
    let unsigned = ask(&mut socket, 1, "order.place", order("100")).await;
    assert_eq!((&unsigned["status"], &unsigned["error"]["code"]), (&401.into(), &(-2014).into()));
    let logon = ask(&mut socket, 2, "session.logon", signed(&site.maker, json!({}))).await;
    assert_eq!(logon["result"]["apiKey"], "makerkey", "{logon}");
    let placed = ask(&mut socket, 3, "order.place", order("100")).await;
    assert_eq!(placed["result"]["status"], "NEW", "{placed}");
    // A request may still name the key of another account.
    let other = ask(&mut socket, 4, "order.place", signed(&site.taker, order("99"))).await;
    assert_eq!(other["result"]["status"], "NEW", "{other}");
    let out = ask(&mut socket, 5, "session.logout", json!({})).await;
    assert_eq!(out["result"]["apiKey"], Value::Null);
    let unsigned = ask(&mut socket, 6, "order.place", order("100")).await;
    assert_eq!(unsigned["status"], 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_revoked_is_logged_off_at_once() {
    let site = Site::new().await;
    let mut socket = connect(&site, PATH).await;
    ask(&mut socket, 1, "session.logon", signed(&site.maker, json!({}))).await;
    site.operate(Command::RevokeKey(RevokeKey { key: KeyId(1) })).await;
    site.handle.read_views(|_, _| ()).unwrap().await.unwrap();
    let fingerprint = site.fingerprint().await;
    let request = json!({ "id": 2, "method": "order.place", "params": order("100") });
    let mut told = [say(&mut socket, request).await, next(&mut socket).await];
    told.sort_by_key(|answer| answer["id"].is_null());
    assert_eq!((&told[0]["id"], &told[0]["status"]), (&2.into(), &401.into()));
    assert_eq!((&told[1]["id"], &told[1]["error"]["code"]), (&Value::Null, &(-2015).into()));
    assert_eq!(site.fingerprint().await, fingerprint);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_gets_an_error_and_the_connection_stays() {
    let site = Site::new().await;
    let mut socket = connect(&site, PATH).await;
    let state = site.state().await;
    for (text, id, status, code) in [
        ("no JSON".to_owned(), Value::Null, 400, -1135),
        (r#"{"id":7,"method":"order.fly"}"#.to_owned(), 7.into(), 404, -5000),
        (r#"{"id":7,"method":"ping","params":{"x":1}}"#.to_owned(), 7.into(), 400, -1104),
        (
            r#"{"id":7,"method":"order.place","params":{"apiKey":"makerkey","signature":"00"}}"#
                .to_owned(),
            7.into(),
            400,
            -1022,
        ),
    ] {
        let answer = say(&mut socket, &text).await;
        let found = (&answer["id"], &answer["status"], &answer["error"]["code"]);
        assert_eq!(found, (&id, &status.into(), &code.into()), "{text}");
    }
    let mut forged = signed(&site.maker, order("100"));
    forged["price"] = "101".into();
    let answer = ask(&mut socket, 8, "order.place", forged).await;
    assert_eq!(answer["error"]["code"], -1022);
    assert!(site.state().await == state);
}

#[tokio::test(flavor = "multi_thread")]
async fn weight_is_counted_over_both_ways_and_reported() {
    let settings =
        DoorSettings { weight_per_minute: 30, loopback_limited: true, ..DoorSettings::default() };
    let site = Site::with(settings).await;
    let mut socket = connect(&site, "/ws-api/v3").await;
    let answer = ask(&mut socket, 1, "time", json!({})).await;
    let told = json!([{
        "rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1,
        "limit": 30, "count": 3,
    }]);
    assert_eq!(answer["rateLimits"], told);
    let reply = site.get("/api/v3/exchangeInfo").await;
    assert!(reply.head.contains("x-mbx-used-weight-1m: 23"), "{}", reply.head);
    assert_eq!(reply.json()["rateLimits"][0]["limit"], 30);
    let reply = site.get("/api/v3/exchangeInfo").await;
    assert_eq!((reply.status, reply.json()["code"].as_i64()), (429, Some(-1003)));
    assert!(reply.head.contains("retry-after: "), "{}", reply.head);
    let answer = ask(&mut socket, 2, "exchangeInfo", json!({})).await;
    assert_eq!((&answer["status"], &answer["error"]["code"]), (&429.into(), &(-1003).into()));
    assert!(answer["error"]["data"]["retryAfter"].as_u64() > Some(now_ms()), "{answer}");
    while site.get("/api/v3/exchangeInfo").await.status != 418 {}
    let banned = site.get("/api/v3/ping").await;
    assert_eq!((banned.status, banned.json()["code"].as_i64()), (418, Some(-1003)));
    assert!(banned.head.contains("retry-after: 120"), "{}", banned.head);
    assert_eq!(site.get("/health/live").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_end_with_the_connection_if_asked_for() {
    let site = Site::new().await;
    let logon = |cancels: bool| signed(&site.maker, json!({ "cancelOnDisconnect": cancels }));
    let mut leaving = connect(&site, PATH).await;
    ask(&mut leaving, 1, "session.logon", logon(true)).await;
    for (id, price) in [(2, "100"), (3, "99")] {
        ask(&mut leaving, id, "order.place", order(price)).await;
    }
    // A request with its own signature is not the session's.
    ask(&mut leaving, 4, "order.place", signed(&site.maker, order("98"))).await;
    let mut staying = connect(&site, PATH).await;
    ask(&mut staying, 1, "session.logon", logon(false)).await;
    ask(&mut staying, 2, "order.place", order("97")).await;
    let open = async || {
        let prices = site.ask(|engine| {
            let prices = engine.open_orders(MAKER, BTCUSDT).map(|order| order.price.ticks() / 100);
            prices.collect::<Vec<_>>()
        });
        prices.await
    };
    assert_eq!(open().await, [100, 99, 98, 97]);
    drop((leaving, staying));
    let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
    while open().await != [98, 97] {
        assert!(tokio::time::Instant::now() < deadline, "{:?}", open().await);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_a_restart_has_cut_is_closed() {
    let site = Site::new().await;
    let mut socket = connect(&site, PATH).await;
    let logon = signed(&site.maker, json!({ "cancelOnDisconnect": true }));
    ask(&mut socket, 1, "session.logon", logon).await;
    ask(&mut socket, 2, "order.place", order("100")).await;
    let site = site.restarted().await;
    let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
    while site.ask(|engine| engine.open_orders(MAKER, BTCUSDT).count()).await != 0 {
        assert!(tokio::time::Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
