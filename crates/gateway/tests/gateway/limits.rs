use std::time::Duration;

use gateway::SocketSettings;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::support::{Reply, Site};

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused() {
    let site = Site::new().await;
    let state = site.state().await;
    let msg = "Request body is too large; current limit is 65536 bytes.";
    let body = vec![b'a'; SocketSettings::default().body_max + 1];
    site.send("POST", "/api/v3/order", &[], &body).await.is_error(413, -1101, msg);
    // A body without a `Content-Length`.
    let mut chunked = b"POST /api/v3/order HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                        transfer-encoding: chunked\r\n\r\n"
        .to_vec();
    for _ in 0..=16 {
        chunked.extend_from_slice(b"1000\r\n");
        chunked.extend_from_slice(&[b'a'; 4096]);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    site.exchange(&chunked).await.is_error(413, -1101, msg);
    let long =
        site.get(&format!("/api/v3/ping?{}", "x".repeat(SocketSettings::default().head_max))).await;
    assert!([414, 431].contains(&long.status), "{long:?}");
    assert!(site.state().await == state);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_hang_are_closed_and_no_other_is_affected() {
    let settings = SocketSettings {
        head_timeout: Duration::from_millis(300),
        body_timeout: Duration::from_millis(300),
        ..SocketSettings::default()
    };
    let site = Site::with(settings).await;
    let state = site.state().await;
    let began = Instant::now();
    let open = async |bytes: &[u8]| {
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    };
    let mut silent = open(b"").await;
    let mut half_head = open(b"POST /api/v3/order HTTP/1.1\r\nhost: lo").await;
    let mut half_body =
        open(b"POST /api/v3/order HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nsymb")
            .await;
    let mut idle = open(b"GET /api/v3/ping HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(site.get("/api/v3/ping").await.status, 200);
    assert!([0, 408].contains(&Reply::read(&mut silent).await.status));
    assert!([0, 408].contains(&Reply::read(&mut half_head).await.status));
    let msg = "The request's body did not arrive in time.";
    Reply::read(&mut half_body).await.is_error(408, -1000, msg);
    assert_eq!(Reply::read(&mut idle).await.status, 200);
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(site.state().await == state);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_too_many_gets_an_error() {
    let settings = SocketSettings {
        connections_max: 2,
        connections_per_address: Some(2),
        ..SocketSettings::default()
    };
    let site = Site::with(settings).await;
    let first = TcpStream::connect(site.address).await.unwrap();
    let _second = TcpStream::connect(site.address).await.unwrap();
    let mut third = TcpStream::connect(site.address).await.unwrap();
    let msg = "Too many concurrent connections; current limit is '2'.";
    Reply::read(&mut third).await.is_error(429, -1034, msg);
    drop(first);
    let deadline = Instant::now() + Duration::from_secs(5);
    while site.get("/api/v3/ping").await.status != 200 {
        assert!(Instant::now() < deadline, "the place was not given free");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_connection_does_not_hold_up_a_shutdown() {
    let site = Site::new().await;
    let mut idle = TcpStream::connect(site.address).await.unwrap();
    idle.write_all(b"GET /api/v3/ping HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    assert_eq!(site.get("/api/v3/ping").await.status, 200);
    let began = Instant::now();
    site.shut_down().await.unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(Reply::read(&mut idle).await.status, 200);
}
