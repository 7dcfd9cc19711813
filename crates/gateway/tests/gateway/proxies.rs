//! Clients behind proxies: by the PROXY protocol, and by `X-Forwarded-For`.

use std::time::Duration;

use gateway::{DoorSettings, Settings, SocketSettings, TrustedProxy};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, client_async};
use types::Role;
use venue::{Credential, Verifier};

use crate::attacks::{ask_from, connect_from};
use crate::socket::{Socket, say, signed};
use crate::support::{Exposure, Key, MAKER, Reply, Site};
use crate::tls::{Issued, PING, begin};

const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";
/// The proxy's address is 127.0.0.`PROXY`.
const PROXY: u8 = 2;
const OTHER: u8 = 3;

async fn behind_a_proxy(settings: impl Into<Settings>) -> Site {
    Site::exposed_with(settings, exposure()).await
}

fn exposure() -> Exposure {
    let trusted_proxies: Vec<TrustedProxy> = vec![format!("127.0.0.{PROXY}").parse().unwrap()];
    Exposure { trusted_proxies, ..Exposure::default() }
}

/// A header of a client at 192.0.2.`host`.
fn header(host: u8) -> Vec<u8> {
    let addresses = [192, 0, 2, host, 127, 0, 0, 1, 0x30, 0x39, 0x1f, 0x90];
    [SIGNATURE, &[0x21, 0x11, 0, 12], &addresses].concat()
}

/// A request on a new connection after these bytes.
async fn ask_after(site: &Site, from: u8, prefix: &[u8], request: &[u8]) -> Reply {
    let mut stream = connect_from(site, from).await;
    // The venue may cut the connection before it has read all bytes.
    let _cut = stream.write_all(&[prefix, request].concat()).await;
    Reply::read(&mut stream).await
}

/// A key that may be used from 192.0.2.0/28 only, and a request with it.
async fn bound_key(site: &Site) -> (Key, Vec<u8>) {
    let secret = site.maker.secret.clone();
    let credential = Credential {
        networks: vec!["192.0.2.0/28".parse().unwrap()],
        ..Credential::new(Verifier::Hmac(secret.clone()))
    };
    site.add_key(MAKER, Role::Trader, "boundkey", credential).await;
    let text = crate::support::with_time("");
    let signature = protocol::signed::sign::sign(secret.as_str().as_bytes(), text.as_bytes());
    let request = format!(
        "GET /api/v3/account?{text}&signature={signature} HTTP/1.1\r\nhost: localhost\r\n\
         x-mbx-apikey: boundkey\r\nconnection: close\r\n"
    );
    (Key { api_key: "boundkey".to_owned(), secret }, request.into_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_header_names_the_client_of_a_connection() {
    let site = behind_a_proxy(Settings::default()).await;
    let (_, mut request) = bound_key(&site).await;
    request.extend(b"\r\n");
    for (from, prefix, status) in [
        (PROXY, header(7), 200),
        (PROXY, header(77), 401),
        (PROXY, Vec::new(), 401),
        // LOCAL: the proxy's own connection.
        (PROXY, [SIGNATURE, &[0x20, 0, 0, 0]].concat(), 401),
        // No proxy: it is no HTTP.
        (OTHER, header(7), 400),
        (OTHER, Vec::new(), 401),
    ] {
        let reply = ask_after(&site, from, &prefix, &request).await;
        assert_eq!(reply.status, status, "{from} {prefix:?} {}", reply.body);
    }
    // Malformed, or of a family without an address: cut and counted.
    let malformed = [&SIGNATURE[..11], b"X\x21\x11\0\x0c", &[0; 12]].concat();
    let unspecified = [SIGNATURE, &[0x21, 0, 0, 0]].concat();
    for prefix in [malformed, unspecified] {
        assert_eq!(ask_after(&site, PROXY, &prefix, &request).await.status, 0);
    }
    let metrics = site.get("/metrics").await.body;
    assert!(metrics.contains("buttonwood_proxy_headers_malformed_total 2\n"), "{metrics}");
    // Behind a client's header, `X-Forwarded-For` is the client's own, and is not believed.
    let request = request.strip_suffix(b"\r\n").unwrap();
    let forwarded = [request, b"x-forwarded-for: 192.0.2.7\r\n\r\n"].concat();
    assert_eq!(ask_after(&site, PROXY, &header(77), &forwarded).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_header_comes_before_tls_and_soon() {
    let settings = SocketSettings {
        first_head_timeout: Duration::from_millis(300),
        ..SocketSettings::default()
    };
    let issued = Issued::new();
    let exposed = Exposure { tls: Some(issued.tls()), ..exposure() };
    let site = Site::exposed_with(settings, exposed).await;
    let mut stream = connect_from(&site, PROXY).await;
    stream.write_all(&header(7)).await.unwrap();
    let mut stream = begin(stream, &issued.root).await.unwrap();
    stream.write_all(PING).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut untrusted = connect_from(&site, OTHER).await;
    untrusted.write_all(&header(7)).await.unwrap();
    assert!(begin(untrusted, &issued.root).await.is_err());
    for prefix in [&b""[..], SIGNATURE, &header(7)[..20]] {
        assert_eq!(ask_after(&site, PROXY, prefix, b"").await.status, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_behind_a_proxy_takes_its_part_of_the_places() {
    let settings = SocketSettings { connections_max: 32, ..SocketSettings::default() };
    let site = behind_a_proxy(settings).await;
    let full = "Too many concurrent connections; current limit is '4'.";
    let open = async |prefix: &[u8]| {
        let mut stream = connect_from(&site, PROXY).await;
        stream
            .write_all(&[prefix, b"GET /api/v3/ping HTTP/1.1\r\nhost: localhost\r\n\r\n"].concat())
            .await
            .unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
        stream
    };
    let mut places = Vec::new();
    for _ in 0..4 {
        places.push(open(&header(7)).await);
    }
    ask_after(&site, PROXY, &header(7), PING).await.is_error(429, -1034, full);
    places.push(open(&header(8)).await);
    // The proxy's own connections carry many clients, and have no part of their own.
    for _ in 0..18 {
        places.push(open(b"").await);
    }
    assert_eq!(ask_from(&site, PROXY, "x-forwarded-for: 192.0.2.7\r\n").await.status, 200);
    drop(places);

    // A WebSocket is one client's.
    let mut sockets = Vec::new();
    for _ in 0..4 {
        sockets.push(web_socket(&site, "192.0.2.9").await.unwrap());
    }
    let refused = web_socket(&site, "192.0.2.9").await.unwrap_err();
    assert!(refused.to_string().contains("429"), "{refused}");
    assert!(web_socket(&site, "192.0.2.10").await.is_ok());
}

async fn web_socket(
    site: &Site,
    client: &str,
) -> Result<Socket, tokio_tungstenite::tungstenite::Error> {
    let stream = connect_from(site, PROXY).await;
    let mut request = format!("ws://{}/ws-api/v3", site.address).into_client_request().unwrap();
    request.headers_mut().insert("x-forwarded-for", client.parse().unwrap());
    client_async(request, MaybeTlsStream::Plain(stream)).await.map(|(socket, _)| socket)
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_networks_go_by_the_forwarded_client() {
    let settings = DoorSettings { weight_per_minute: 30, ..DoorSettings::default() };
    let site = behind_a_proxy(settings).await;
    let ask = async |from, client: &str| {
        ask_from(&site, from, &format!("x-forwarded-for: {client}\r\n")).await
    };
    for _ in 0..30 {
        assert_eq!(ask(PROXY, "10.0.0.1, 192.0.2.7").await.status, 200);
    }
    assert_eq!(ask(PROXY, "10.0.0.2, 192.0.2.7").await.status, 429);
    assert_eq!(ask(PROXY, &format!("192.0.2.7, 127.0.0.{PROXY}")).await.status, 429);
    assert_eq!(ask(PROXY, "192.0.2.8").await.status, 200);
    // From another address the header means nothing, and loopback is not limited.
    for _ in 0..31 {
        assert_eq!(ask(OTHER, "192.0.2.7").await.status, 200);
    }
    let msg = "Illegal characters found in parameter 'X-Forwarded-For'; legal range is \
               'addresses, separated by commas'.";
    ask(PROXY, "unknown").await.is_error(400, -1100, msg);
    assert_eq!(ask(OTHER, "unknown").await.status, 200);

    let site = behind_a_proxy(Settings::default()).await;
    let (key, request) = bound_key(&site).await;
    for (from, client, status) in [
        (PROXY, "192.0.2.7", 200),
        (PROXY, "192.0.2.77", 401),
        (PROXY, "192.0.2.7, 192.0.2.77", 401),
        (OTHER, "192.0.2.7", 401),
    ] {
        let field = format!("x-forwarded-for: {client}\r\n\r\n");
        let request = [&request[..], field.as_bytes()].concat();
        assert_eq!(ask_after(&site, from, b"", &request).await.status, status, "{from} {client}");
    }
    for (client, status) in [("192.0.2.7", 200), ("192.0.2.77", 401)] {
        let mut socket = web_socket(&site, client).await.unwrap();
        let logon =
            json!({ "id": 1, "method": "session.logon", "params": signed(&key, json!({})) });
        assert_eq!(say(&mut socket, logon).await["status"], status, "{client}");
    }
}
