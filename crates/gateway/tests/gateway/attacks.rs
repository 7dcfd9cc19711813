//! Clients without a key that try to make the venue hold memory or places. Each test fills a bound
//! of `docs/security.md`.

use std::net::Ipv4Addr;
use std::time::Duration;

use futures_util::SinkExt;
use gateway::{DoorSettings, Settings, SocketSettings};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpMaxSeg;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{MaybeTlsStream, client_async};

use crate::socket::{Socket, ask, connect, next, say, signed};
use crate::support::{BTCUSDT, Key, MAKER, Reply, Site};
use crate::ws_api::{PATH, order};

const ENDPOINTS: [&str; 3] = ["/ws-api/v3", "/ws/btcusdt@trade", "/stream"];

const PING: &[u8] = b"\x89\x80\0\0\0\0";
const PONG: &[u8] = b"\x8a\x80\0\0\0\0";
/// The first part of a text.
const BEGIN: &[u8] = b"\x01\x81\0\0\0\0{";
/// A part without bytes, and not the last one.
const EMPTY_PART: &[u8] = b"\x00\x80\0\0\0\0";

/// A client that reads no further than the upgrade.
async fn upgraded(site: &Site, endpoint: &str) -> TcpStream {
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    let request = format!(
        "GET {endpoint} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
    stream
}

/// Sends without reading until the venue takes no more. Returns the bytes that it took.
async fn flood(stream: &mut TcpStream, frame: &[u8], len_max: usize) -> usize {
    let frames = frame.repeat(4096);
    let mut taken = 0;
    while taken < len_max {
        match timeout(Duration::from_millis(500), stream.write(&frames)).await {
            Ok(Ok(len)) => taken += len,
            Ok(Err(_)) | Err(_) => break,
        }
    }
    taken
}

/// The reason in the close message.
async fn close_reason(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = timeout(Duration::from_secs(5), stream.read_to_end(&mut bytes)).await;
    // With bytes unread on its side, the venue's close is a reset.
    let _reset = read.expect("the venue closes in time");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn control_frames_are_counted_in_every_session() {
    let settings = SocketSettings { ws_messages_per_second: 50, ..SocketSettings::default() };
    let site = Site::with(settings).await;
    for endpoint in ENDPOINTS {
        for frame in [PING, PONG] {
            let mut hasty = upgraded(&site, endpoint).await;
            hasty.write_all(&frame.repeat(51)).await.unwrap();
            let reason = close_reason(&mut hasty).await;
            assert!(reason.contains("too many messages"), "{endpoint}: {reason:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pongs_that_are_not_read_stop_the_venue_from_reading() {
    // Large enough that the count of messages is not what holds.
    let settings = SocketSettings { ws_messages_per_second: u32::MAX, ..SocketSettings::default() };
    let site = Site::with(settings).await;
    let ping = [&b"\x89\xfd\0\0\0\0"[..], &[b'x'; 125]].concat();
    for endpoint in ENDPOINTS {
        let mut deaf = upgraded(&site, endpoint).await;
        let taken = flood(&mut deaf, &ping, 64 << 20).await;
        // What fits into the buffers of both sockets.
        assert!(taken < 32 << 20, "{endpoint}: the venue took {taken} bytes");
    }
    assert_eq!(site.get("/api/v3/ping").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_endless_parts_is_cut() {
    let site = Site::new().await;
    for endpoint in ENDPOINTS {
        let mut endless = upgraded(&site, endpoint).await;
        endless.write_all(BEGIN).await.unwrap();
        let taken = flood(&mut endless, EMPTY_PART, 64 << 20).await;
        assert!(taken < 32 << 20, "{endpoint}: the venue took {taken} bytes");
        close_reason(&mut endless).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_takes_too_long_is_cut() {
    let settings = SocketSettings {
        ws_message_time_max: Duration::from_millis(300),
        ..SocketSettings::default()
    };
    let site = Site::with(settings).await;
    let trickle = async |endpoint: &str, begin: &[u8], frame: &[u8], for_time: Duration| {
        let mut stream = upgraded(&site, endpoint).await;
        stream.write_all(begin).await.unwrap();
        let began = Instant::now();
        while began.elapsed() < for_time {
            if stream.write_all(frame).await.is_err() {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
        stream
    };
    for endpoint in ENDPOINTS {
        let mut slow = trickle(endpoint, BEGIN, EMPTY_PART, Duration::from_millis(600)).await;
        let reason = close_reason(&mut slow).await;
        assert!(reason.is_empty() || reason.contains("incomplete"), "{endpoint}: {reason:?}");
        // Control frames are complete, and may come for ever, also between the parts of a message.
        let mut steady = trickle(endpoint, b"", PONG, Duration::from_millis(900)).await;
        steady.write_all(PING).await.unwrap();
        let mut pong = [0; 2];
        while pong != [0x8a, 0] {
            pong = [
                pong[1],
                timeout(Duration::from_secs(5), steady.read_u8()).await.unwrap().unwrap(),
            ];
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_asks_soon_or_closes() {
    let settings = SocketSettings {
        first_head_timeout: Duration::from_millis(300),
        ..SocketSettings::default()
    };
    let site = Site::with(settings).await;
    let began = Instant::now();
    let mut silent = TcpStream::connect(site.address).await.unwrap();
    let mut half = TcpStream::connect(site.address).await.unwrap();
    half.write_all(b"GET /api/v3/ping HTTP/1.1\r\nhost: lo").await.unwrap();
    let mut client = TcpStream::connect(site.address).await.unwrap();
    let ping = b"GET /api/v3/ping HTTP/1.1\r\nhost: localhost\r\n\r\n";
    client.write_all(ping).await.unwrap();
    let socket = connect(&site, "/stream").await;
    assert_eq!(Reply::read(&mut silent).await.status, 0);
    assert_eq!(Reply::read(&mut half).await.status, 0);
    assert!(began.elapsed() < Duration::from_secs(5));
    // A client that has asked may wait.
    sleep(Duration::from_millis(600)).await;
    client
        .write_all(b"GET /api/v3/ping HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let both = Reply::read(&mut client).await;
    assert_eq!((both.status, both.body.matches("200 OK").count()), (200, 1), "{both:?}");
    drop(socket);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_route_costs_weight() {
    let settings =
        DoorSettings { weight_per_minute: 30, loopback_limited: true, ..DoorSettings::default() };
    for (method, path, status) in [
        ("GET", "/nowhere", 404),
        ("DELETE", "/api/v3/ping", 405),
        ("GET", "/admin/v1/nowhere", 404),
    ] {
        let site = Site::with(settings).await;
        for _ in 0..30 {
            assert_eq!(site.send(method, path, &[], b"").await.status, status, "{path}");
        }
        assert_eq!(site.send(method, path, &[], b"").await.status, 429, "{path}");
    }
}

/// From an address of this machine: 127.0.0.`host`.
pub(crate) async fn connect_from(site: &Site, host: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::new(127, 0, 0, host), 0).into()).unwrap();
    socket.connect(site.address).await.unwrap()
}

pub(crate) async fn ask_from(site: &Site, host: u8, headers: &str) -> Reply {
    let headers = format!("connection: close\r\n{headers}");
    get_from(site, host, "/api/v3/ping", &headers).await
}

async fn get_from(site: &Site, host: u8, path: &str, headers: &str) -> Reply {
    get_as(site, host, path, &format!("host: localhost\r\n{headers}")).await
}

async fn get_as(site: &Site, host: u8, path: &str, headers: &str) -> Reply {
    let mut stream = connect_from(site, host).await;
    stream.write_all(format!("GET {path} HTTP/1.1\r\n{headers}\r\n").as_bytes()).await.unwrap();
    Reply::read(&mut stream).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_takes_its_part_of_the_places_and_keys_have_the_last() {
    let site =
        Site::with(SocketSettings { connections_max: 32, ..SocketSettings::default() }).await;
    let full = |limit: u32| format!("Too many concurrent connections; current limit is '{limit}'.");
    let mut open = Vec::new();
    for _ in 0..16 {
        open.push(connect_from(&site, 2).await);
    }
    ask_from(&site, 2, "").await.is_error(429, -1034, &full(16));
    assert_eq!(ask_from(&site, 3, "").await.status, 200);
    for _ in 0..14 {
        open.push(connect_from(&site, 3).await);
    }
    // Two places are left: for a client with a key, and for single questions of the monitoring.
    ask_from(&site, 4, "").await.is_error(429, -1034, &full(30));
    ask_from(&site, 4, "x-mbx-apikey: unknown\r\n").await.is_error(429, -1034, &full(30));
    assert_eq!(ask_from(&site, 4, "x-mbx-apikey: makerkey\r\n").await.status, 200);
    for path in ["/health/live", "/health/ready", "/metrics"] {
        let reply = get_from(&site, 4, path, "").await;
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.head.contains("connection: close"), "{}", reply.head);
    }
    // A refused one is a single question, too.
    let reply = get_as(&site, 4, "/health/live", "host: a.example\r\n").await;
    assert_eq!(reply.status, 421);
    assert!(reply.head.contains("connection: close"), "{}", reply.head);
    open.push(connect_from(&site, 4).await);
    open.push(connect_from(&site, 4).await);
    ask_from(&site, 4, "x-mbx-apikey: makerkey\r\n").await.is_error(429, -1034, &full(32));
    drop(open);
    let deadline = Instant::now() + Duration::from_secs(5);
    while ask_from(&site, 2, "").await.status != 200 {
        assert!(Instant::now() < deadline, "the places were not given free");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_not_read_hold_a_bounded_sum_of_bytes() {
    let document = {
        let site = Site::new().await;
        site.get("/openapi.json").await.body.len()
    };
    assert!(document > 64 << 10, "large enough to be counted: {document}");
    let settings = SocketSettings {
        // Each address of this machine may hold one.
        large_answers_max: 2 * document,
        // Long enough to find the bound reached on a busy machine.
        write_time_max: Duration::from_secs(3),
        ..SocketSettings::default()
    };
    let site = Site::with(settings).await;
    let connect_deaf = async || {
        let mut deaf = connect_from(&site, 2).await;
        let request = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";
        // More than the buffers of both sockets take.
        deaf.write_all(&request.repeat(32 * (1 << 20) / document)).await.unwrap();
        deaf
    };
    let (mut deaf, mut begun) = (connect_deaf().await, Instant::now());
    let ask = async |host| {
        let mut stream = connect_from(&site, host).await;
        let request = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        Reply::read(&mut stream).await
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    let refused = loop {
        let reply = ask(2).await;
        if reply.status != 200 {
            break reply;
        }
        assert!(Instant::now() < deadline, "the address had all that it asked for");
        // While the buffers fill, one of our questions may have the room that it asks for, and
        // nothing shows that it is cut: the end lies behind what it does not read.
        if begun.elapsed() > Duration::from_secs(1) {
            (deaf, begun) = (connect_deaf().await, Instant::now());
        }
        sleep(Duration::from_millis(10)).await;
    };
    let msg =
        "Server is currently overloaded with other requests. Please try again in a few minutes.";
    refused.is_error(503, -1008, msg);
    assert_eq!(ask(3).await.status, 200);
    // Small answers have no part in the sum.
    assert_eq!(ask_from(&site, 2, "").await.status, 200);
    // A client that reads nothing is cut, and what it held is free.
    let deadline = Instant::now() + Duration::from_secs(20);
    while ask(2).await.status != 200 {
        assert!(Instant::now() < deadline, "the client is still connected");
        sleep(Duration::from_millis(50)).await;
    }
    drop(deaf);
}

/// A WebSocket from 127.0.0.`host`.
async fn socket_from(site: &Site, host: u8, target: &str) -> Socket {
    let stream = MaybeTlsStream::Plain(connect_from(site, host).await);
    client_async(format!("ws://localhost{target}"), stream).await.unwrap().0
}

async fn send(socket: &mut Socket, id: u64, method: &str, params: Value) {
    let request = json!({ "id": id, "method": method, "params": params });
    socket.send(Message::text(request.to_string())).await.unwrap();
}

/// The answers to `count` requests, by id.
async fn answers(socket: &mut Socket, count: usize) -> Vec<(u64, i64)> {
    let mut answers = Vec::new();
    for _ in 0..count {
        let answer = next(socket).await;
        answers.push((answer["id"].as_u64().unwrap(), answer["status"].as_i64().unwrap()));
    }
    answers.sort_unstable();
    answers
}

/// Waits on a busy machine for what comes by itself.
async fn until(is_so: impl AsyncFn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so().await {
        assert!(Instant::now() < deadline);
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_in_flight_of_an_address_have_a_limit_over_its_connections() {
    // An address of this machine has four times as many, and cancels twice as many of these.
    let settings =
        DoorSettings { requests_per_address_max: 1, late_after: None, ..DoorSettings::default() };
    let site = Site::with(settings).await;
    let mut sockets = [socket_from(&site, 2, PATH).await, socket_from(&site, 2, PATH).await];
    let mut other = socket_from(&site, 3, PATH).await;
    site.hold.stop();
    for id in 0..4 {
        let params = signed(&site.maker, order("100"));
        send(&mut sockets[id as usize % 2], id, "order.place", params).await;
    }
    let ping = async || get_from(&site, 2, "/api/v3/ping", "connection: close\r\n").await;
    until(async || ping().await.status == 429).await;
    let refused = ask(&mut sockets[0], 9, "order.place", signed(&site.taker, order("99"))).await;
    let found = (&refused["status"], &refused["error"]["code"], &refused["error"]["msg"]);
    assert_eq!(found, (&429.into(), &(-1003).into(), &"Too many requests queued.".into()));
    ping().await.is_error(429, -1003, "Too many requests queued.");
    let cancel = json!({ "symbol": "BTCUSDT", "orderId": 1 });
    send(&mut sockets[0], 10, "order.cancel", signed(&site.maker, cancel)).await;
    send(&mut other, 11, "order.place", signed(&site.maker, order("100"))).await;
    sleep(Duration::from_millis(200)).await;
    site.hold.go_on();
    assert_eq!(answers(&mut sockets[0], 3).await, [(0, 200), (2, 200), (10, 200)]);
    assert_eq!(answers(&mut sockets[1], 2).await, [(1, 200), (3, 200)]);
    assert_eq!(answers(&mut other, 1).await, [(11, 200)]);
    let free = ask(&mut sockets[0], 12, "order.place", signed(&site.maker, order("100"))).await;
    assert_eq!(free["status"], 200, "{free}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_in_flight_of_an_account_have_a_limit_over_its_addresses() {
    let settings =
        DoorSettings { requests_per_account_max: 2, late_after: None, ..DoorSettings::default() };
    let site = Site::with(settings).await;
    let mut sockets = [socket_from(&site, 2, PATH).await, socket_from(&site, 3, PATH).await];
    site.hold.stop();
    for id in 0..2 {
        let params = signed(&site.maker, order("100"));
        let socket = &mut sockets[id as usize];
        send(socket, id, "order.place", params).await;
        // Else the question below could be the second request of the account.
        assert_eq!(ask(socket, 7, "ping", json!({})).await["status"], 200);
    }
    let open = async || site.signed(&site.maker, "GET", "/api/v3/openOrderList", "").await;
    until(async || open().await.status == 429).await;
    let refused = ask(&mut sockets[0], 9, "order.place", signed(&site.maker, order("99"))).await;
    assert_eq!((&refused["status"], &refused["error"]["code"]), (&429.into(), &(-1003).into()));
    let cancel = json!({ "symbol": "BTCUSDT", "orderId": 1 });
    send(&mut sockets[0], 10, "order.cancel", signed(&site.maker, cancel)).await;
    send(&mut sockets[1], 11, "order.place", signed(&site.taker, order("50"))).await;
    sleep(Duration::from_millis(200)).await;
    site.hold.go_on();
    assert_eq!(answers(&mut sockets[0], 2).await, [(0, 200), (10, 200)]);
    assert_eq!(answers(&mut sockets[1], 2).await, [(1, 200), (11, 200)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_an_address_have_a_limit_over_its_connections() {
    let settings = DoorSettings { streams_per_address_max: 1, ..DoorSettings::default() };
    let site = Site::with(settings).await;
    let subscribe = |names: &[&str]| json!({ "id": 1, "method": "SUBSCRIBE", "params": names });
    let mut one = socket_from(&site, 2, "/ws/btcusdt@trade/btcusdt@depth").await;
    let mut other = socket_from(&site, 2, "/ws/btcusdt@trade").await;
    let two = ["btcusdt@depth", "btcusdt@bookTicker"];
    let refused = say(&mut other, subscribe(&two)).await;
    let msg = "more than 4 streams for all connections of an address";
    assert!(refused["msg"].to_string().contains(msg), "{refused}");
    assert_eq!(say(&mut other, subscribe(&two[..1])).await["code"], Value::Null);
    let mut api = socket_from(&site, 2, PATH).await;
    let method = "userDataStream.subscribe.signature";
    let refused = ask(&mut api, 2, method, signed(&site.maker, json!({}))).await;
    assert_eq!((&refused["status"], &refused["error"]["code"]), (&429.into(), &(-1003).into()));
    let stream = connect_from(&site, 2).await;
    let refused = client_async("ws://localhost/ws/btcusdt@trade", stream).await.unwrap_err();
    let WsError::Http(refused) = refused else { panic!("{refused:?}") };
    let body = String::from_utf8_lossy(refused.body().as_deref().unwrap()).into_owned();
    let msg = "Too many streams; current limit is 4 for all connections of an address.";
    assert_eq!(refused.status(), 429);
    assert!(body.contains(msg) && body.contains("-1003"), "{body}");
    socket_from(&site, 3, "/ws/btcusdt@trade").await;
    // What is unsubscribed or closed is free for the other connections.
    let end = json!({ "id": 3, "method": "UNSUBSCRIBE", "params": ["btcusdt@trade"] });
    assert_eq!(say(&mut one, end).await["code"], Value::Null);
    let begun = ask(&mut api, 4, method, signed(&site.maker, json!({}))).await;
    assert_eq!(begun["status"], 200, "{begun}");
    drop(one);
    let deadline = Instant::now() + Duration::from_secs(5);
    while say(&mut other, subscribe(&two[1..])).await["code"].is_number() {
        assert!(
            Instant::now() < deadline,
            "the streams of a closed connection were not given free"
        );
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_an_account_have_a_limit_over_its_connections() {
    let settings = DoorSettings { user_streams_per_account_max: 2, ..DoorSettings::default() };
    let site = Site::with(settings).await;
    let method = "userDataStream.subscribe.signature";
    let begin = async |socket: &mut Socket, key: &Key| {
        ask(socket, 1, method, signed(key, json!({}))).await["status"].as_i64()
    };
    let [mut one, mut other] = [connect(&site, PATH).await, connect(&site, PATH).await];
    let mut third = connect(&site, PATH).await;
    assert_eq!(begin(&mut one, &site.maker).await, Some(200));
    assert_eq!(begin(&mut other, &site.maker).await, Some(200));
    assert_eq!(begin(&mut third, &site.maker).await, Some(429));
    assert_eq!(begin(&mut third, &site.taker).await, Some(200));
    let key = [("x-mbx-apikey", site.maker.api_key.as_str())];
    let begun = site.send("POST", "/api/v3/userDataStream", &key, b"").await.ok();
    let path = format!("/ws/{}", begun["listenKey"].as_str().unwrap());
    let mut late = connect(&site, "/ws").await;
    let names = json!({ "id": 2, "method": "SUBSCRIBE", "params": [&path[4..]] });
    late.send(Message::text(names.to_string())).await.unwrap();
    let end = futures_util::StreamExt::next(&mut late).await;
    assert!(format!("{end:?}").contains("too many user data streams"), "{end:?}");
    ask(&mut other, 3, "userDataStream.unsubscribe", json!({})).await;
    connect(&site, &path).await;
}

/// A WebSocket whose buffers, and the venue's buffer for it, take few bytes.
async fn narrow_socket(site: &Site, target: &str) -> Socket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    // The venue's side begins with room for ten segments, which on loopback are large.
    setsockopt(&socket, TcpMaxSeg, &536).unwrap();
    let stream = MaybeTlsStream::Plain(socket.connect(site.address).await.unwrap());
    client_async(format!("ws://localhost{target}"), stream).await.unwrap().0
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_wait_until_a_websocket_is_read_hold_a_bounded_sum_of_bytes() {
    const REQUESTS: u64 = 1_000;
    // With room for all answers none is lost; without it the client that does not read is cut.
    for (large_answers_max, is_cut) in [(2 << 20, false), (0, true)] {
        let door = DoorSettings { late_after: None, ..DoorSettings::default() };
        let socket = SocketSettings { large_answers_max, ..SocketSettings::default() };
        let site = Site::with(Settings { door, socket, ..Settings::default() }).await;
        let mut deaf = narrow_socket(&site, PATH).await;
        site.hold.stop();
        for id in 0..REQUESTS {
            send(&mut deaf, id, "order.place", signed(&site.maker, order("10"))).await;
        }
        sleep(Duration::from_secs(1)).await;
        site.hold.go_on();
        // All are carried out; the client that finds no room is gone.
        until(async || {
            let open = site.ask(|engine| engine.open_orders(MAKER, BTCUSDT).count()).await;
            let scrape = site.get("/metrics").await.body;
            let is_gone = scrape.contains("buttonwood_connections{kind=\"websocket\"} 0");
            open == REQUESTS as usize && is_gone == is_cut
        })
        .await;
        let mut ids = Vec::new();
        while ids.len() < REQUESTS as usize
            && let Some(Ok(answer)) = futures_util::StreamExt::next(&mut deaf).await
        {
            let answer: Value = serde_json::from_str(answer.to_text().unwrap()).unwrap();
            ids.push(answer["id"].as_u64().unwrap());
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len() < REQUESTS as usize, is_cut, "{} answers", ids.len());
        // The orders are there: only their answers were lost.
        let open = site.ask(|engine| engine.open_orders(MAKER, BTCUSDT).count()).await;
        assert_eq!(open, REQUESTS as usize);
    }
}

/// Large answers on a WebSocket have the same sum as those over HTTP.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_on_a_websocket_that_finds_no_room_is_an_error() {
    for (large_answers_max, status) in [(64 << 20, 200), (0, 503)] {
        let settings = SocketSettings { large_answers_max, ..SocketSettings::default() };
        let site = Site::with(settings).await;
        for _ in 0..200 {
            site.order(&site.maker, "BUY", "1", "10").await;
        }
        let mut socket = connect(&site, PATH).await;
        let open = signed(&site.maker, json!({}));
        let answer = ask(&mut socket, 1, "openOrders.status", open).await;
        assert_eq!(answer["status"], status);
        assert_eq!(
            answer["error"]["code"],
            if status == 200 { Value::Null } else { (-1008).into() }
        );
        let len = answer.to_string().len();
        assert_eq!(len > 64 << 10, status == 200, "{len} bytes");
    }
}
