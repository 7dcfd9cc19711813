//! Subscriptions at a venue that refuses some: a script on a real socket.

use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::accept_async;

use super::*;
use crate::venue::report::ReportKind;

type Venue = WebSocketStream<TcpStream>;

#[tokio::test]
async fn a_subscription_that_is_refused_in_passing_is_asked_for_again() {
    let (listener, _way, mut reports) = open(None).await;
    let mut venue = accept(&listener).await;
    refuse(&mut venue, "0", -1003).await;
    let asked = next(&mut venue).await;
    assert_eq!(asked["params"]["fromSeq"], "0");
    answer(&mut venue, &asked, serde_json::json!({ "subscriptionId": 0, "fromSeq": 7 })).await;
    send(&mut venue, Some(7)).await;
    let report = reports.next().await.unwrap();
    assert_eq!((report.sequence, report.kind), (7, ReportKind::Accepted));
    // On the next connection it goes on.
    drop(venue);
    let mut venue = accept(&listener).await;
    assert_eq!(next(&mut venue).await["params"]["fromSeq"], "8");
}

/// Else the events of an order could come before the subscription.
#[tokio::test]
async fn the_subscription_goes_before_requests_that_wait() {
    let (listener, way, _reports) = open(None).await;
    let query = Query::default();
    let asked = way.ask::<Value>(Request::OpenOrders, &query, "");
    let methods = async {
        let mut venue = accept(&listener).await;
        let (first, second) = (next(&mut venue).await, next(&mut venue).await);
        answer(&mut venue, &second, serde_json::json!([])).await;
        [first, second].map(|mut asked| asked["method"].take())
    };
    let (answered, methods) = tokio::join!(asked, methods);
    assert_eq!(methods, ["userDataStream.subscribe.signature", "openOrders.status"]);
    assert_eq!(answered.unwrap(), serde_json::json!([]));
}

#[tokio::test]
async fn reports_end_with_their_key_and_requests_go_on() {
    let (listener, way, mut reports) = open(None).await;
    let mut venue = accept(&listener).await;
    refuse(&mut venue, "0", -2015).await;
    assert!(reports.next().await.is_none());
    let query = Query::default();
    let asked = way.ask::<Value>(Request::OpenOrders, &query, "");
    let (answered, ()) = tokio::join!(asked, async {
        let asked = next(&mut venue).await;
        answer(&mut venue, &asked, serde_json::json!([])).await;
    });
    assert_eq!(answered.unwrap(), serde_json::json!([]));
}

#[tokio::test]
async fn what_came_before_the_first_event_is_asked_for_on_the_next_connection() {
    let (listener, _way, _reports) = open(None).await;
    let mut venue = accept(&listener).await;
    let asked = next(&mut venue).await;
    answer(&mut venue, &asked, serde_json::json!({ "subscriptionId": 0, "fromSeq": 7 })).await;
    drop(venue);
    let mut venue = accept(&listener).await;
    assert_eq!(next(&mut venue).await["params"]["fromSeq"], "7");
}

#[tokio::test]
async fn events_that_are_gone_are_reported_as_missed_and_those_of_another_history_end() {
    for (from, expected) in [(3, Some(ReportKind::Missed { from: 3 })), (9, None)] {
        let (listener, _way, mut reports) = open(Some(from)).await;
        let mut venue = accept(&listener).await;
        refuse(&mut venue, &from.to_string(), -1130).await;
        let asked = next(&mut venue).await;
        assert_eq!(asked["params"]["fromSeq"], "0");
        answer(&mut venue, &asked, serde_json::json!({ "subscriptionId": 0, "fromSeq": 7 })).await;
        let report = reports.next().await;
        assert_eq!(report.as_ref().map(|report| report.sequence), expected.as_ref().map(|_| 6));
        assert_eq!(report.map(|report| report.kind), expected);
    }
}

/// As Binance, whose events have no numbers.
#[tokio::test]
async fn a_venue_without_numbers_is_asked_without_one() {
    let (listener, _way, mut reports) = open(None).await;
    let mut venue = accept(&listener).await;
    refuse(&mut venue, "0", -1104).await;
    for _ in 0..2 {
        let asked = next(&mut venue).await;
        assert!(asked["params"]["fromSeq"].is_null(), "{asked}");
        answer(&mut venue, &asked, serde_json::json!({ "subscriptionId": 0 })).await;
        send(&mut venue, None).await;
        assert_eq!(reports.next().await.unwrap().sequence, 0);
        drop(venue);
        venue = accept(&listener).await;
    }
}

#[tokio::test]
async fn a_connection_on_which_nothing_is_heard_is_left() {
    let pings = Pings { every: Duration::from_millis(100), silent: Duration::from_secs(2) };
    let (listener, _way, _reports) = open_with(None, pings).await;
    // Pings are answered for longer than that.
    let mut venue = accept(&listener).await;
    next(&mut venue).await;
    let answering = timeout(Duration::from_secs(3), next(&mut venue)).await;
    assert!(answering.is_err(), "the connection stands");
    // It is read, and no ping is answered.
    let (mut again, ()) = tokio::join!(accept(&listener), async {
        let stream = venue.get_mut();
        let mut bytes = [0; 4_096];
        while tokio::io::AsyncReadExt::read(stream, &mut bytes).await.is_ok_and(|len| len > 0) {}
    });
    assert_eq!(next(&mut again).await["params"]["fromSeq"], "0");
}

async fn open(from_seq: Option<u64>) -> (TcpListener, WebSocket, Reports) {
    open_with(from_seq, PINGS).await
}

async fn open_with(from_seq: Option<u64>, pings: Pings) -> (TcpListener, WebSocket, Reports) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let credentials = Credentials { api_key: "key".into(), secret_key: "secret".into() };
    let client = Client::new(&url, Some(credentials)).unwrap();
    let opened = WebSocket::open_with(client, from_seq, Arc::default(), pings);
    let (way, reports) = opened.unwrap();
    (listener, way, reports)
}

async fn accept(listener: &TcpListener) -> Venue {
    let (stream, _) = listener.accept().await.unwrap();
    accept_async(stream).await.unwrap()
}

/// The next request.
async fn next(venue: &mut Venue) -> Value {
    loop {
        if let Message::Text(text) = venue.next().await.unwrap().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

async fn refuse(venue: &mut Venue, from_seq: &str, code: i32) {
    let asked = next(venue).await;
    assert_eq!(asked["params"]["fromSeq"], from_seq);
    let error = serde_json::json!({ "code": code, "msg": "No." });
    let refused = serde_json::json!({ "id": asked["id"], "status": 400, "error": error });
    venue.send(Message::text(refused.to_string())).await.unwrap();
}

async fn answer(venue: &mut Venue, asked: &Value, result: Value) {
    let answer = serde_json::json!({ "id": asked["id"], "status": 200, "result": result });
    venue.send(Message::text(answer.to_string())).await.unwrap();
}

async fn send(venue: &mut Venue, seq: Option<u64>) {
    let mut event = serde_json::json!({ "e": "executionReport", "x": "NEW", "c": "mine" });
    if let Some(seq) = seq {
        event["seq"] = seq.into();
    }
    let message = serde_json::json!({ "subscriptionId": 0, "event": event });
    venue.send(Message::text(message.to_string())).await.unwrap();
}
