//! Clients without a key that try to make the venue hold memory or places. Each test fills a bound
//! of `docs/security.md`.

use std::net::Ipv4Addr;
use std::time::Duration;

use gateway::{DoorSettings, SocketSettings};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout};

use crate::socket::connect;
use crate::support::{Reply, Site};

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
    let mut deaf = connect_deaf().await;
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
        // While the buffers fill, one of our questions may have the room that it asks for.
        if deaf.ready(Interest::READABLE).await.unwrap().is_read_closed() {
            deaf = connect_deaf().await;
        }
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
}
