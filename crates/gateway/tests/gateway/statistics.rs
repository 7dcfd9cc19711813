//! The streams of candles and statistics.

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::history::trade;
use crate::socket::{Socket, connect, next, say};
use crate::support::Site;

/// The first of a limited number of messages that meets a condition.
async fn until(socket: &mut Socket, is_it: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..20 {
        let message = next(socket).await;
        if is_it(&message) {
            return message;
        }
    }
    panic!("20 messages, and none of them");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_order_takes_at_one_price_is_one_message() {
    let site = Site::new().await;
    let mut socket = connect(&site, "/ws/btcusdt@aggTrade").await;
    trade(&site).await;
    for (first, last, qty, is_buyer_maker) in
        [(1, 2, "2.00000000", false), (3, 3, "1.00000000", false), (4, 5, "1.50000000", true)]
    {
        let agg = next(&mut socket).await;
        assert_eq!((&agg["e"], &agg["s"]), (&json!("aggTrade"), &json!("BTCUSDT")));
        let ids = [&agg["a"], &agg["f"], &agg["l"]];
        assert_eq!(ids, [&json!(first), &json!(first), &json!(last)]);
        assert_eq!((&agg["q"], &agg["m"]), (&json!(qty), &json!(is_buyer_maker)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn candles_are_published_as_they_grow_and_when_they_are_closed() {
    let site = Site::new().await;
    let mut seconds = connect(&site, "/ws/btcusdt@kline_1s").await;
    trade(&site).await;
    let (mut trades, mut closed) = (0, Vec::new());
    while trades < 5 {
        let event = until(&mut seconds, |event| event["k"]["x"] == true).await;
        trades += event["k"]["n"].as_u64().unwrap();
        closed.push(event);
    }
    // Each closed candle equals that of REST.
    for event in &closed {
        let candle = &event["k"];
        let target =
            format!("/api/v3/klines?symbol=BTCUSDT&interval=1s&limit=1&startTime={}", candle["t"]);
        let kline = site.get(&target).await.ok();
        let names = ["t", "o", "h", "l", "c", "v", "T", "q", "n", "V", "Q", "B"];
        assert_eq!(kline[0], json!(names.map(|name| &candle[name])));
        assert_eq!((&event["e"], &candle["i"]), (&json!("kline"), &json!("1s")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_candle_is_published_at_once_in_its_time_zone() {
    let site = Site::new().await;
    trade(&site).await;
    let mut socket = connect(&site, "/stream?streams=btcusdt@kline_1d@%2B08:00").await;
    let message = next(&mut socket).await;
    assert_eq!(message["stream"], "btcusdt@kline_1d@+08:00");
    let candle = &message["data"]["k"];
    assert_eq!((candle["t"].as_u64().unwrap() + 8 * 3_600_000) % 86_400_000, 0);
    assert_eq!((&candle["n"], &candle["x"], &candle["f"]), (&json!(5), &json!(false), &json!(1)));
    site.order(&site.maker, "SELL", "1", "25002").await;
    site.order(&site.taker, "BUY", "1", "25002").await;
    let message = next(&mut socket).await;
    assert_eq!(message["data"]["k"]["n"], 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn tickers_are_published_when_they_change() {
    let site = Site::new().await;
    let mut sockets = Vec::new();
    for (stream, event) in [
        ("ticker", "24hrTicker"),
        ("miniTicker", "24hrMiniTicker"),
        ("ticker_1h", "1hTicker"),
        ("ticker_1d", "1dTicker"),
    ] {
        let mut socket = connect(&site, &format!("/ws/btcusdt@{stream}")).await;
        let present = next(&mut socket).await;
        assert_eq!((&present["e"], &present["v"]), (&json!(event), &json!("0.00000000")));
        sockets.push(socket);
    }
    let mut all = connect(&site, "/ws/!miniTicker@arr").await;
    let mut average = connect(&site, "/ws/btcusdt@avgPrice").await;
    assert_eq!(next(&mut average).await["w"], "0.00000000");
    trade(&site).await;
    for socket in &mut sockets {
        let ticker = until(socket, |ticker| ticker["v"] == "4.50000000").await;
        assert_eq!(
            (&ticker["c"], &ticker["q"]),
            (&json!("24000.00000000"), &json!("111001.00000000"))
        );
    }
    let list = until(&mut all, |list| list[0]["v"] == "4.50000000").await;
    assert_eq!(list.as_array().unwrap().len(), 1, "only what has changed");
    assert_eq!((&list[0]["s"], &list[0]["o"]), (&json!("BTCUSDT"), &json!("25000.00000000")));
    let average = until(&mut average, |average| average["w"] == "24666.88000000").await;
    assert_eq!((&average["e"], &average["i"]), (&json!("avgPrice"), &json!("5m")));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_all_markets_are_subscribed_to_like_others() {
    let site = Site::new().await;
    let mut socket = connect(&site, "/stream").await;
    let streams = json!(["!ticker@arr", "!ticker_4h@arr", "btcusdt@kline_1d"]);
    let subscribe = json!({"method": "SUBSCRIBE", "params": streams, "id": 1});
    assert_eq!(say(&mut socket, subscribe).await, json!({"result": null, "id": 1}));
    let list = json!({"method": "LIST_SUBSCRIPTIONS", "id": 2});
    assert_eq!(say(&mut socket, list).await, json!({"result": streams, "id": 2}));
    trade(&site).await;
    for (stream, event) in [("!ticker@arr", "24hrTicker"), ("!ticker_4h@arr", "4hTicker")] {
        let message = until(&mut socket, |message| message["stream"] == stream).await;
        assert_eq!(message["data"][0]["e"], event);
    }
    let params = json!(["!ticker@arr", "!ticker_4h@arr"]);
    let unsubscribe = json!({"method": "UNSUBSCRIBE", "params": params, "id": 3});
    socket.send(Message::text(unsubscribe.to_string())).await.unwrap();
    until(&mut socket, |message| message["id"] == 3).await;
    trade(&site).await;
    // Of a day: a minute may end between the trades.
    let message = until(&mut socket, |message| message["data"]["k"]["n"] == 10).await;
    assert_eq!(message["stream"], "btcusdt@kline_1d");
}
