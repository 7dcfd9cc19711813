//! The operators' stream of events, with a backend that shows an event as its name.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use gateway::{
    Alarm, Method, OperatorApi, OperatorEvent, OperatorFuture, OperatorMessages, OperatorRequest,
    OperatorRoute, Settings, SocketSettings,
};
use protocol::operator::Covered;
use protocol::signed::sign::sign;
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async, connect_async};
use types::{Command, HaltVenue, KeyId, RevokeKey, Role};

use crate::socket::{Socket, next};
use crate::support::{Exposure, Key, MAKER, Site, now_ms};

const PATH: &str = "/admin/v1/events";

/// Pads each message to this length.
#[derive(Clone, Copy, Debug)]
struct Names {
    len: usize,
}

impl OperatorApi for Names {
    fn find(&self, _: &Method, _: &str) -> OperatorRoute {
        OperatorRoute::Nowhere
    }

    fn answer(&self, _: OperatorRequest) -> OperatorFuture {
        unreachable!("there are no operations")
    }

    fn show(&self, events: Vec<OperatorEvent>) -> OperatorMessages {
        let Self { len } = *self;
        let name = move |event: &OperatorEvent| {
            let (name, sequence) = match event {
                OperatorEvent::Subscribed { sequence } => ("Subscribed", *sequence),
                OperatorEvent::Command(audited) => (audited.command.kind(), audited.sequence),
                OperatorEvent::Happened { sequence, event, .. } => (event.kind(), *sequence),
                OperatorEvent::Alarm { alarm: Alarm::Replica, is_raised: true, .. } => ("Alarm", 0),
                OperatorEvent::Alarm { .. } => unreachable!("no test causes another alarm"),
            };
            json!({ "event": name, "sequence": sequence, "padding": "-".repeat(len) }).to_string()
        };
        Box::pin(std::future::ready(Some(events.iter().map(name).collect())))
    }
}

/// A venue, and an operator's key.
async fn desk(names: Names, settings: impl Into<Settings>) -> (Site, Key, KeyId) {
    desk_with_replica(names, settings, None).await
}

async fn desk_with_replica(
    names: Names,
    settings: impl Into<Settings>,
    errs_at: Option<u64>,
) -> (Site, Key, KeyId) {
    let operators: Option<Arc<dyn OperatorApi>> = Some(Arc::new(names));
    let exposure = Exposure { operators, ..Exposure::default() };
    let site = Site::open(settings.into(), errs_at, exposure).await;
    let key = site.key(MAKER, Role::Operator, "operatorkey").await;
    let number = site.ask(|engine| engine.keys().map(|(key, _)| key).max()).await;
    (site, key, number.expect("there are keys"))
}

fn signed(site: &Site, key: &Key, query: &str) -> Request {
    static NONCES: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let nonce = NONCES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let (nonce, timestamp) = (format!("{nonce:016}"), now_ms().to_string());
    let (method, body) = ("GET", &b""[..]);
    let covered = Covered { method, path: PATH, query, body, timestamp: &timestamp, nonce: &nonce };
    let signature = sign(key.secret.as_str().as_bytes(), covered.payload().as_bytes());
    let mark = if query.is_empty() { "" } else { "?" };
    let target = format!("ws://{}{PATH}{mark}{query}", site.address);
    let mut request = target.into_client_request().unwrap();
    for (name, value) in [
        ("x-mbx-apikey", &key.api_key),
        ("x-bw-timestamp", &timestamp),
        ("x-bw-nonce", &nonce),
        ("x-bw-signature", &signature),
    ] {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

async fn open(site: &Site, key: &Key, query: &str) -> Socket {
    connect_async(signed(site, key, query)).await.unwrap().0
}

/// Status and error of a connection that is refused.
async fn refused(request: Request) -> (u16, Value) {
    match connect_async(request).await {
        Err(Error::Http(response)) => {
            let body = response.body().clone().unwrap_or_default();
            (response.status().as_u16(), serde_json::from_slice(&body).unwrap())
        }
        other => panic!("{other:?}"),
    }
}

async fn names(socket: &mut Socket, count: usize) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for _ in 0..count {
        let message = next(socket).await;
        let name = message["event"].as_str().unwrap().to_owned();
        found.push((name, message["sequence"].as_u64().unwrap()));
    }
    found
}

/// The code and the reason of the close message, if one comes.
async fn closed(socket: &mut WebSocketStream<TcpStream>) -> Option<(u16, String)> {
    while let Some(Ok(message)) = timeout(Duration::from_secs(10), socket.next()).await.unwrap() {
        if let Message::Close(frame) = message {
            return frame.map(|frame| (frame.code.into(), frame.reason.to_string()));
        }
    }
    None
}

fn halt() -> Command {
    Command::HaltVenue(HaltVenue { level: 1, resume_ns: 0 })
}

fn resume() -> Command {
    Command::ResumeVenue(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_resumes_where_it_was() {
    let (site, key, _) = desk(Names { len: 0 }, Settings::default()).await;
    let mut socket = open(&site, &key, "").await;
    let begun = names(&mut socket, 1).await;
    let last = site.ask(|engine| engine.sequence()).await;
    assert_eq!(begun, [("Subscribed".to_owned(), last)]);
    site.operate(halt()).await;
    site.operate(resume()).await;
    let named = |name: &str, after: u64| (name.to_owned(), last + after);
    let live = names(&mut socket, 4).await;
    let expected = [
        named("HaltVenue", 1),
        named("VenueHalted", 1),
        named("ResumeVenue", 2),
        named("VenueResumed", 2),
    ];
    assert_eq!(live, expected);

    let mut again = open(&site, &key, &format!("fromSeq={}", last + 1)).await;
    site.operate(halt()).await;
    let resumed = names(&mut again, 7).await;
    assert_eq!(resumed[0], named("Subscribed", 0));
    assert_eq!(resumed[1..5], expected);
    assert_eq!(resumed[5..], [named("HaltVenue", 3), named("VenueHalted", 3)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_of_another_venue_is_refused() {
    let (site, key, _) = desk(Names { len: 0 }, Settings::default()).await;
    let (status, error) = refused(signed(&site, &key, "fromSeq=1000000")).await;
    assert_eq!((status, &error["code"]), (400, &json!(-9001)), "{error}");
    assert!(error["msg"].as_str().unwrap().contains("another venue"), "{error}");
    let (status, _) = refused(signed(&site, &key, "fromSeq=x")).await;
    assert_eq!(status, 400);
    let (status, _) = refused(signed(&site, &key, "since=1")).await;
    assert_eq!(status, 400);
    let trader = site.maker.clone();
    assert_eq!(refused(signed(&site, &trader, "")).await.0, 401);
    let mut unsigned = signed(&site, &key, "");
    unsigned.headers_mut().remove("x-bw-signature");
    assert_eq!(refused(unsigned).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_ends_its_streams_and_no_other() {
    let (site, key, number) = desk(Names { len: 0 }, Settings::default()).await;
    let other = site.key(MAKER, Role::Operator, "otherkey").await;
    let mut goes_on = open(&site, &other, "").await;
    names(&mut goes_on, 1).await;
    let tcp = TcpStream::connect(site.address).await.unwrap();
    let mut ends = client_async(signed(&site, &key, ""), tcp).await.unwrap().0;
    site.operate(Command::RevokeKey(RevokeKey { key: number })).await;
    let reason = closed(&mut ends).await.expect("a close message");
    assert_eq!(reason, (1008, "the key was revoked or has expired".to_owned()));
    assert_eq!(names(&mut goes_on, 1).await[0].0, "RevokeKey");
    assert_eq!(refused(signed(&site, &key, "")).await.0, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alarm_is_pushed_once_and_to_each_new_reader() {
    let (site, key, _) = desk_with_replica(Names { len: 0 }, Settings::default(), Some(20)).await;
    let mut socket = open(&site, &key, "").await;
    let begun = names(&mut socket, 1).await;
    for _ in 0..10 {
        site.order(&site.maker, "SELL", "1", "101").await;
    }
    site.handle.take_snapshot().unwrap();
    let alarm = ("Alarm".to_owned(), 0_u64);
    assert_eq!(names(&mut socket, 1).await[0], alarm);
    let mut late = open(&site, &key, "").await;
    let found = names(&mut late, 2).await;
    assert!(found[0].1 > begun[0].1, "{found:?}");
    assert_eq!(found[1], alarm);
    site.operate(halt()).await;
    assert_eq!(names(&mut socket, 1).await[0].0, "HaltVenue");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_stops_reading_is_cut_and_holds_up_no_other() {
    let settings = SocketSettings { ws_queue_max: 64, ..SocketSettings::default() };
    let (site, key, _) = desk(Names { len: 64 << 10 }, settings).await;
    let tcp = TcpSocket::new_v4().unwrap();
    tcp.set_recv_buffer_size(4_096).unwrap();
    let tcp = tcp.connect(site.address).await.unwrap();
    let mut slow = client_async(signed(&site, &key, ""), tcp).await.unwrap().0;
    let mut good = open(&site, &key, "").await;
    let begun = names(&mut good, 1).await[0].1;
    // More than the buffers of the system and of the venue hold, 128 KiB each.
    const ROUNDS: u64 = 200;
    for round in 0..ROUNDS {
        site.operate(if round % 2 == 0 { halt() } else { resume() }).await;
        let found = names(&mut good, 2).await;
        assert!(found.iter().all(|(_, sequence)| *sequence == begun + round + 1), "{found:?}");
    }
    // The client reads again, late: the messages before the cut, and then the reason.
    let reason = closed(&mut slow).await;
    if let Some(reason) = reason {
        assert_eq!(reason, (1008, "the client reads too slowly".to_owned()));
    }
}
