//! Clients without permission are refused, whatever they send, and other clients are unaffected.

use std::time::Duration;

use gateway::SocketSettings;
use protocol::signed::sign::sign;
use ring::signature::{Ed25519KeyPair, KeyPair};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use types::{Command, KeyId, RevokeKey, Role};
use venue::{Credential, Verifier};

use crate::socket::{ask, connect, next, say, signed};
use crate::support::{Exposure, Key, MAKER, Reply, Site, TAKER, now_ms, with_time};
use crate::ws_api::{PATH, order};

const REJECTED: &str = "Invalid API-key, IP, or permissions for action.";

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_asks_for_a_key_of_its_role() {
    let site = Site::new().await;
    let roles = [
        (Role::Trader, site.taker.clone()),
        (Role::ReadOnly, site.reader.clone()),
        (Role::MarketData, site.key(TAKER, Role::MarketData, "marketkey").await),
        (Role::Operator, site.key(TAKER, Role::Operator, "operatorkey").await),
    ];
    assert_eq!(roles.clone().map(|(role, _)| role), Role::ALL, "a role without a test");
    let state = site.state().await;
    let mut socket = connect(&site, PATH).await;
    for row in gateway::OPERATIONS {
        // Without parameters, no operation changes anything.
        let anonymous = site.send(row.method, row.path, &[], b"").await;
        match row.roles() {
            None => assert_ne!(anonymous.status, 401, "{row:?}"),
            Some(_) => assert_eq!(anonymous.json()["code"], -2014, "{row:?}"),
        }
        let Some(allowed) = row.roles() else { continue };
        for (role, key) in &roles {
            let may = allowed.contains(role);
            let reply = site.signed(key, row.method, row.path, "").await;
            assert_eq!(reply.json()["code"] != -2015, may, "{role:?} {row:?} {}", reply.body);
            assert_eq!(reply.status != 401, may, "{role:?} {row:?}");
            let Some(name) = row.name else { continue };
            let answer = ask(&mut socket, 1, name, signed(key, json!({}))).await;
            assert_eq!(answer["error"]["code"] != -2015, may, "{role:?} {name} {answer}");
        }
    }
    for (role, key) in &roles {
        let logon = ask(&mut socket, 1, "session.logon", signed(key, json!({}))).await;
        let may = matches!(role, Role::Trader | Role::ReadOnly);
        assert_eq!(logon["status"] == 200, may, "{role:?} {logon}");
    }
    assert!(site.state().await == state);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_was_altered_on_its_way_is_refused() {
    let site = Site::new().await;
    let mine = site.order(&site.maker, "SELL", "1", "101").await["orderId"].clone();
    let state = site.state().await;
    let secret = site.maker.secret.as_str().as_bytes();
    let maker = [("X-MBX-APIKEY", "makerkey")];
    let query = with_time("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC");
    let body = "quantity=1&price=100";
    let signature = sign(secret, format!("{query}{body}").as_bytes());
    let path = "/api/v3/order";
    let target = |query: &str| format!("{path}?{query}&signature={signature}");
    for (method, target, headers, body, status) in [
        ("POST", target(&query.replace("BUY", "SELL")), &maker, body, 400),
        ("POST", target(&format!("{query}&newClientOrderId=x")), &maker, body, 400),
        ("POST", target(&query), &maker, "quantity=2&price=100", 400),
        ("POST", target(&query), &maker, "price=100&quantity=1", 400),
        ("POST", target(&query), &maker, "quantity=1&price=100&x=1", 400),
        ("POST", target(&query), &maker, "", 400),
        // A parameter moved from the body to the query changes the signed bytes.
        ("POST", target(&format!("{query}&price=100")), &maker, "quantity=1", 400),
        ("POST", target(&query), &[("X-MBX-APIKEY", "takerkey")], body, 400),
        ("POST", target(&query), &[("X-MBX-APIKEY", "readerkey")], body, 401),
    ] {
        let reply = site.send(method, &target, headers, body.as_bytes()).await;
        assert_eq!(reply.status, status, "{target} {body} {}", reply.body);
    }
    // The signature does not cover the method. With another method, parameters are missing or too
    // many.
    let reply = site.send("DELETE", &target(&query), &maker, body.as_bytes()).await;
    assert_eq!(reply.status, 400, "{}", reply.body);

    for shift_ms in [-3_600_000, -60_001, -5_500, 1_500, 60_000, 3_600_000] {
        let time = now_ms().saturating_add_signed(shift_ms);
        let text = format!("symbol=BTCUSDT&orderId={mine}&timestamp={time}");
        let target = format!("{path}?{text}&signature={}", sign(secret, text.as_bytes()));
        assert_eq!(site.send("DELETE", &target, &maker, b"").await.json()["code"], -1021);
    }

    // Orders of other accounts are not found.
    let which = format!("symbol=BTCUSDT&orderId={mine}");
    for (method, path, more) in [
        ("GET", "/api/v3/order", ""),
        ("DELETE", "/api/v3/order", ""),
        ("PUT", "/api/v3/order/amend/keepPriority", "&newQty=0.5"),
    ] {
        let reply = site.signed(&site.taker, method, path, &format!("{which}{more}")).await;
        assert_eq!(reply.status, 400, "{method} {path} {}", reply.body);
    }
    let taken = site.signed(&site.taker, "GET", "/api/v3/openOrders", "").await;
    assert_eq!(taken.json(), json!([]));
    let left = site.signed(&site.maker, "GET", "/api/v3/order", &which).await;
    assert_eq!(left.json()["status"], "NEW");
    // The engine counts its refusals. The rest of the state is the same, byte for byte.
    let after = site.state().await;
    assert_eq!(after.len(), state.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ed25519_key_signs_requests_messages_and_logons() {
    let site = Site::new().await;
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let public = pair.public_key().as_ref().try_into().unwrap();
    let credential = Credential::new(Verifier::Ed25519(public));
    site.add_key(MAKER, Role::Trader, "edkey", credential).await;
    let base64 = |payload: &str| to_base64(pair.sign(payload.as_bytes()).as_ref());

    let text = with_time("symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=100");
    let signature = base64(&text).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    let headers = [("X-MBX-APIKEY", "edkey")];
    let target = format!("/api/v3/order?{text}&signature={signature}");
    assert_eq!(site.send("POST", &target, &headers, b"").await.ok()["status"], "NEW");
    let body = format!("{text}&signature={signature}");
    let reply = site.send("POST", "/api/v3/order", &headers, body.as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let altered = target.replace("price=100", "price=101");
    let invalid = "Signature for this request is not valid.";
    site.send("POST", &altered, &headers, b"").await.is_error(400, -1022, invalid);
    // An HMAC with the public key as its secret is refused.
    let forged = format!("/api/v3/order?{text}&signature={}", sign(&public, text.as_bytes()));
    site.send("POST", &forged, &headers, b"").await.is_error(400, -1022, invalid);

    let mut socket = connect(&site, PATH).await;
    let timestamp = now_ms();
    let payload = format!("apiKey=edkey&timestamp={timestamp}");
    let params = json!({"apiKey": "edkey", "timestamp": timestamp, "signature": base64(&payload)});
    let logon = ask(&mut socket, 1, "session.logon", params).await;
    assert_eq!(logon["result"]["apiKey"], "edkey", "{logon}");
    let placed = ask(&mut socket, 2, "order.place", order("99")).await;
    assert_eq!(placed["result"]["status"], "NEW", "{placed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_single_use_takes_each_signed_request_once() {
    let mut site = Site::new().await;
    let secret = site.maker.secret.clone();
    let verifier = Verifier::Hmac(secret.clone());
    let credential = Credential { is_single_use: true, ..Credential::new(verifier) };
    site.add_key(MAKER, Role::Trader, "oncekey", credential).await;
    let once = Key { api_key: "oncekey".to_owned(), secret: secret.clone() };
    let headers = [("X-MBX-APIKEY", "oncekey")];
    let text = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=100";
    // The latest that a client may be ahead.
    let text = format!("{text}&recvWindow=60000&timestamp={}", now_ms() + 900);
    let signature = sign(secret.as_str().as_bytes(), text.as_bytes());
    let used = "This request was sent before, and each signed request of this key is good once: \
                sign again with another timestamp.";
    let target = |path: &str| format!("{path}?{text}&signature={signature}");
    let placed = site.send("POST", &target("/api/v3/order"), &headers, b"").await;
    assert_eq!(placed.status, 200, "{}", placed.body);
    let upper = format!("/api/v3/order?{text}&signature={}", signature.to_uppercase());
    let first = format!("/api/v3/order?signature={signature}&{text}");
    for again in [target("/api/v3/order"), upper, first, target("/api/v3/order/test")] {
        site.send("POST", &again, &headers, b"").await.is_error(400, -1022, used);
    }
    let body = format!("{text}&signature={signature}");
    site.send("POST", "/api/v3/order", &headers, body.as_bytes()).await.is_error(400, -1022, used);
    // Another key takes the same request again and again.
    for _ in 0..2 {
        let again = target("/api/v3/order");
        let reply = site.send("POST", &again, &[("X-MBX-APIKEY", "makerkey")], b"").await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }

    let mut socket = connect(&site, PATH).await;
    let logon = signed(&once, json!({}));
    assert_eq!(ask(&mut socket, 1, "session.logon", logon.clone()).await["status"], 200);
    assert_eq!(ask(&mut socket, 2, "session.logon", logon).await["error"]["code"], -1022);
    for id in 3..5 {
        let placed = ask(&mut socket, id, "order.place", order("99")).await;
        assert_eq!(placed["status"], 200, "a logged-on session signs nothing: {placed}");
    }

    // A restart forgets what was used, and takes nothing that was signed before it.
    let early = with_time("");
    let early = format!("{early}&signature={}", sign(secret.as_str().as_bytes(), early.as_bytes()));
    sleep(Duration::from_millis(2)).await;
    site = site.restarted().await;
    let reply = site.send("GET", &format!("/api/v3/account?{early}"), &headers, b"").await;
    assert_eq!(reply.json()["code"], -1021, "{}", reply.body);
    assert_eq!(site.signed(&once, "GET", "/api/v3/account", "").await.status, 200);
}

/// The sessions and streams of a key have their tests in `ws_api.rs` and `user_data.rs`.
#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_ends_on_a_connection_that_stays_open() {
    let site = Site::new().await;
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    let mut ask = async || {
        let text = with_time("");
        let signature = sign(site.maker.secret.as_str().as_bytes(), text.as_bytes());
        let request = format!(
            "GET /api/v3/account?{text}&signature={signature} HTTP/1.1\r\nhost: localhost\r\n\
             x-mbx-apikey: makerkey\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 4_096];
        let len = stream.read(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer[..len]).into_owned()
    };
    assert!(ask().await.starts_with("HTTP/1.1 200"));
    site.operate(Command::RevokeKey(RevokeKey { key: KeyId(1) })).await;
    site.handle.read_views(|_, _| ()).unwrap().await.unwrap();
    let refused = ask().await;
    assert!(refused.starts_with("HTTP/1.1 401") && refused.contains("-2015"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_bound_to_its_networks_and_its_time() {
    let site = Site::new().await;
    let secret = site.maker.secret.clone();
    let bound = |networks: &[&str], expires_ms: Option<u64>| Credential {
        networks: networks.iter().map(|network| network.parse().unwrap()).collect(),
        expires_ns: expires_ms.map(|expires_ms| expires_ms * 1_000_000),
        ..Credential::new(Verifier::Hmac(secret.clone()))
    };
    let ends_ms = now_ms() + 1_500;
    for (api_key, credential) in [
        ("elsewhere", bound(&["192.0.2.0/24", "2001:db8::/32"], None)),
        ("here", bound(&["192.0.2.0/24", "127.0.0.0/8"], None)),
        ("expired", bound(&[], Some(now_ms() - 1))),
        ("expiring", bound(&[], Some(ends_ms))),
    ] {
        site.add_key(MAKER, Role::Trader, api_key, credential).await;
    }
    let key = |api_key: &str| Key { api_key: api_key.to_owned(), secret: secret.clone() };
    let account = async |api_key| site.signed(&key(api_key), "GET", "/api/v3/account", "").await;
    let mut socket = connect(&site, PATH).await;
    for refused in ["elsewhere", "expired"] {
        account(refused).await.is_error(401, -2015, REJECTED);
        let logon = ask(&mut socket, 1, "session.logon", signed(&key(refused), json!({}))).await;
        assert_eq!(logon["error"]["code"], -2015, "{refused} {logon}");
    }
    for allowed in ["here", "expiring"] {
        assert_eq!(account(allowed).await.status, 200, "{allowed}");
    }

    // The key expires while it is logged on.
    let logon = ask(&mut socket, 1, "session.logon", signed(&key("expiring"), json!({}))).await;
    assert_eq!(logon["status"], 200, "{logon}");
    let state = site.state().await;
    sleep(Duration::from_millis(ends_ms.saturating_sub(now_ms()) + 1)).await;
    account("expiring").await.is_error(401, -2015, REJECTED);
    let request = json!({ "id": 2, "method": "order.place", "params": order("100") });
    let mut told = [say(&mut socket, request).await, next(&mut socket).await];
    told.sort_by_key(|answer| answer["id"].is_null());
    assert_eq!((&told[0]["id"], &told[0]["status"]), (&2.into(), &401.into()));
    assert_eq!(told[1]["error"]["code"], -2015);
    assert!(site.state().await == state);
}

/// The largest number of connections: each takes two descriptors, ours and the venue's.
const IDLE_MAX: usize = 10_000;

#[tokio::test(flavor = "multi_thread")]
async fn idle_and_slow_connections_slow_no_other_down() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let descriptors = limit.maximum.map_or(usize::MAX, |max| usize::try_from(max).unwrap());
    // Other tests of this process need descriptors too.
    let idle_max = IDLE_MAX.min(descriptors.saturating_sub(2_000) / 2);
    assert!(idle_max > 100, "the limit of {descriptors} open files is too low for this test");
    let settings =
        SocketSettings { connections_max: idle_max + idle_max / 10, ..SocketSettings::default() };
    let site = Site::with(settings).await;
    let state = site.state().await;
    let mut open = Vec::with_capacity(idle_max);
    for number in 0..idle_max {
        // One address may take half of the places.
        let from = TcpSocket::new_v4().unwrap();
        from.bind(([127, 0, 0, 2 + (number % 4) as u8], 0).into()).unwrap();
        let mut stream = from.connect(site.address).await.unwrap();
        // Every second connection has begun a request that it does not end.
        if number % 2 == 1 {
            stream
                .write_all(b"POST /api/v3/order HTTP/1.1\r\nhost: localhost\r\nx-slow: ")
                .await
                .unwrap();
        }
        open.push(stream);
    }
    // A header without an end, one byte at a time.
    let trickle = async {
        loop {
            for stream in open.iter_mut().skip(1).step_by(2).take(50) {
                // The venue may have closed the connection.
                let _closed = stream.write_all(b"x").await;
            }
            sleep(Duration::from_millis(1)).await;
        }
    };
    let honest = async {
        assert!(site.state().await == state);
        for number in 0..50 {
            let began = Instant::now();
            let price = format!("{}", 100 + number);
            site.order(&site.maker, "BUY", "1", &price).await;
            assert!(began.elapsed() < Duration::from_secs(5), "order {number}");
        }
        let long = format!("x-long: {}", "x".repeat(4 * SocketSettings::default().head_max));
        let request = format!(
            "GET /api/v3/ping HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{long}\r\n\r\n"
        );
        let refused = site.exchange(request.as_bytes()).await;
        assert!([0, 431].contains(&refused.status), "{refused:?}");
        assert_eq!(site.get("/api/v3/ping").await.status, 200);
    };
    let done = timeout(Duration::from_secs(60), async {
        tokio::select! {
            () = honest => {}
            () = trickle => {}
        }
    });
    done.await.expect("an honest client's requests are answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn web_pages_of_other_origins_are_not_let_in() {
    let ask = async |site: &Site, origin: &str| {
        let asked = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "x-mbx-apikey"),
        ];
        site.send("OPTIONS", "/api/v3/order", &asked, b"").await
    };
    let closed = Site::new().await;
    let reply = ask(&closed, "https://desk.example.com").await;
    assert!(!reply.head.contains("access-control"), "{}", reply.head);

    let origins = vec!["https://desk.example.com".parse().unwrap()];
    let site = Site::exposed(Exposure { origins, ..Exposure::default() }).await;
    let allowed = "access-control-allow-origin: https://desk.example.com";
    let reply = ask(&site, "https://desk.example.com").await;
    assert_eq!(reply.status, 200);
    assert!(reply.head.contains(allowed), "{}", reply.head);
    assert!(reply.head.contains("x-mbx-apikey"), "{}", reply.head);
    let Reply { head, .. } =
        site.send("GET", "/api/v3/ping", &[("origin", "https://desk.example.com")], b"").await;
    assert!(head.contains(allowed) && head.contains("expose-headers"), "{head}");
    for other in ["https://evil.example.com", "http://desk.example.com", "null"] {
        for reply in [
            ask(&site, other).await,
            site.send("GET", "/api/v3/ping", &[("origin", other)], b"").await,
        ] {
            assert!(!reply.head.contains("access-control-allow-origin"), "{other} {}", reply.head);
        }
    }
    assert!(!head.contains("allow-credentials") && !head.contains('*'), "{head}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_origins_change_nothing_and_open_no_socket() {
    let origins = vec!["https://desk.example.com".parse().unwrap()];
    let site = Site::exposed(Exposure { origins, ..Exposure::default() }).await;
    let own = format!("http://{}", site.address);
    let host = site.address.to_string();
    let msg = |origin: &str| {
        format!(
            "Web pages of the origin '{origin}' may not send this request: start the venue with \
             --cors-origin and that origin."
        )
    };
    let order = "symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity=1&price=101";
    let order = async |origin: &str| {
        let headers = [("host", host.as_str()), ("origin", origin)];
        site.signed_with(&site.maker, "POST", "/api/v3/order", order, &headers).await
    };
    let state = site.state().await;
    for foreign in ["https://evil.example", "http://localhost:3000", "null"] {
        order(foreign).await.is_error(403, -1002, &msg(foreign));
    }
    assert!(site.state().await == state);
    for allowed in [own.as_str(), "https://desk.example.com"] {
        assert_eq!(order(allowed).await.status, 200, "{allowed}");
    }
    for path in ["/ws-api/v3", "/ws/btcusdt@trade", "/stream"] {
        let upgrade = async |origin: &str| {
            let request = format!(
                "GET {path} HTTP/1.1\r\nhost: {host}\r\norigin: {origin}\r\nconnection: \
                 upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                 sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            );
            let mut stream = TcpStream::connect(site.address).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut head = [0; 12];
            stream.read_exact(&mut head).await.unwrap();
            String::from_utf8(head.to_vec()).unwrap()
        };
        assert_eq!(upgrade("https://evil.example").await, "HTTP/1.1 403", "{path}");
        assert_eq!(upgrade(&own).await, "HTTP/1.1 101", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_lets_its_name_point_here_is_refused() {
    let ask = async |site: &Site, host: &str| {
        site.send("GET", "/api/v3/ping", &[("host", host)], b"").await
    };
    let site = Site::new().await;
    let msg = "This venue has no name 'evil.example': use an IP address or localhost, or start \
               the venue with --allowed-host.";
    ask(&site, "evil.example:8080").await.is_error(421, -1000, msg);
    for host in ["127.0.0.1:1", "localhost", "192.0.2.7"] {
        assert_eq!(ask(&site, host).await.status, 200, "{host}");
    }
    let allowed_hosts = vec!["venue.example.com".parse().unwrap()];
    let site = Site::exposed(Exposure { allowed_hosts, ..Exposure::default() }).await;
    assert_eq!(ask(&site, "venue.example.com").await.status, 200);
    assert_eq!(ask(&site, "evil.example").await.status, 421);
}

fn to_base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
