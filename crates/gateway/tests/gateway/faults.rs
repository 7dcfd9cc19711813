//! Bad input gets a precise error and changes nothing.

use types::{Command, KeyId, RevokeKey};

use protocol::signed::sign::sign;

use crate::support::{Site, now_ms, with_time};

const LIMIT: &[(&str, &str)] = &[
    ("symbol", "BTCUSDT"),
    ("side", "BUY"),
    ("type", "LIMIT"),
    ("timeInForce", "GTC"),
    ("quantity", "1"),
    ("price", "100"),
];

/// The limit order with one parameter replaced, added or left out.
fn with(name: &str, value: &str) -> String {
    let mut pairs = LIMIT.to_vec();
    pairs.retain(|pair| pair.0 != name);
    if !value.is_empty() {
        pairs.push((name, value));
    }
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_an_order_has_its_error_and_changes_nothing() {
    let site = Site::new().await;
    site.order(&site.maker, "SELL", "1", "101").await;
    let fingerprint = site.fingerprint().await;
    let state = site.state().await;
    let price = "Filter failure: PRICE_FILTER";
    let lot = "Filter failure: LOT_SIZE";
    let mandatory = "Mandatory parameter 'side' was not sent, was empty/null, or malformed.";
    let unread = "Not all sent parameters were read; read '8' parameter(s) but was sent '9'.";
    let poor = "Account has insufficient balance for requested action.";
    let post_only = "symbol=BTCUSDT&side=BUY&type=LIMIT_MAKER&quantity=1&price=101".to_owned();
    let market = |qty: &str| format!("symbol=BTCUSDT&side=BUY&type=MARKET&quantity={qty}");

    // The gateway refuses these: the venue's state stays the same, byte for byte.
    for (text, code, msg) in [
        (with("symbol", "NONE"), -1121, "Invalid symbol."),
        (with("price", "100.001"), -1013, price),
        (with("quantity", "0.000001"), -1013, lot),
        (with("side", ""), -1102, mandatory),
        (with("odd", "1"), -1104, unread),
        (
            with("quantity", "1e3"),
            -1100,
            "Illegal characters found in parameter 'quantity'; legal range is '^([0-9]{1,20})(\\.[0-9]{1,20})?$'.",
        ),
        (
            with("quantity", "-1"),
            -1100,
            "Illegal characters found in parameter 'quantity'; legal range is '^([0-9]{1,20})(\\.[0-9]{1,20})?$'.",
        ),
        (
            with("newClientOrderId", "a%20b"),
            -1100,
            "Illegal characters found in parameter 'newClientOrderId'; legal range is '^[\\.A-Z\\:/a-z0-9_-]{1,36}$'.",
        ),
        (with("stopPrice", "99"), -1106, "Parameter 'stopPrice' sent when not required."),
    ] {
        let reply = site.signed(&site.maker, "POST", "/api/v3/order", &text).await;
        reply.is_error(400, code, msg);
        assert!(site.state().await == state, "{text}");
    }

    // The engine refuses these: the log counts them, but no account and no view changes.
    for (text, code, msg) in [
        (with("price", "0"), -1013, price),
        (with("price", "1000000.01"), -1013, price),
        (with("quantity", "0"), -1013, lot),
        (with("quantity", "0.00009"), -1013, lot),
        (with("quantity", "9000.00001"), -1013, lot),
        (market("100.00001"), -1013, "Filter failure: MARKET_LOT_SIZE"),
        (with("quantity", "0.04"), -1013, "Filter failure: NOTIONAL"),
        (with("symbol", "ETHUSDT").replace("BUY", "SELL"), -2010, poor),
        (post_only, -2010, "Order would immediately match and take."),
    ] {
        let reply = site.signed(&site.maker, "POST", "/api/v3/order", &text).await;
        reply.is_error(400, code, msg);
        assert_eq!(site.fingerprint().await, fingerprint, "{text}");
    }
    let cancel = "symbol=BTCUSDT&orderId=99";
    let key = &site.maker;
    let unknown = site.signed(key, "DELETE", "/api/v3/order", cancel).await;
    unknown.is_error(400, -2011, "Unknown order sent.");
    let other = site.signed(&site.taker, "DELETE", "/api/v3/order", "symbol=BTCUSDT&orderId=1");
    other.await.is_error(400, -2011, "Unknown order sent.");
    let asked = site.signed(key, "GET", "/api/v3/order", cancel).await;
    asked.is_error(400, -2013, "Order does not exist.");
    assert_eq!(site.fingerprint().await, fingerprint);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_without_proof_changes_nothing() {
    let site = Site::new().await;
    let state = site.state().await;
    let path = "/api/v3/order";
    let secret = site.maker.secret.as_str().as_bytes();
    let text = with_time(&with("", ""));
    let target = |text: &str, signature: &str| format!("{path}?{text}&signature={signature}");
    let right = sign(secret, text.as_bytes());
    let api_key = [("X-MBX-APIKEY", "makerkey")];

    let wrong = "0".repeat(64);
    for (target, headers, status, code) in [
        (target(&text, &right), &[][..], 401, -2014),
        (target(&text, &right), &[("X-MBX-APIKEY", "no such!")][..], 401, -2014),
        (target(&text, &right), &[("X-MBX-APIKEY", "nosuchkey")][..], 401, -2015),
        (target(&text, &right), &[("X-MBX-APIKEY", "takerkey")][..], 400, -1022),
        (target(&text, &wrong), &api_key[..], 400, -1022),
        (target(&text.replace("=100", "=101"), &right), &api_key[..], 400, -1022),
        (format!("{path}?{text}"), &api_key[..], 400, -1102),
    ] {
        let reply = site.send("POST", &target, headers, b"").await;
        assert_eq!((reply.status, reply.json()["code"].as_i64()), (status, Some(code)), "{target}");
    }

    let at = |timestamp: u64, window: &str| {
        let text = format!("{}{window}&timestamp={timestamp}", with("", ""));
        target(&text, &sign(secret, text.as_bytes()))
    };
    let stale = "Timestamp for this request is outside of the recvWindow.";
    let ahead = "Timestamp for this request was 1000ms ahead of the server's time.";
    let too_large = "recvWindow must be less than 60000";
    for (target, code, msg) in [
        (at(now_ms() - 6_000, ""), -1021, stale),
        (at(now_ms() - 100, "&recvWindow=50"), -1021, stale),
        (at(now_ms() + 5_000, ""), -1021, ahead),
        (at(now_ms(), "&recvWindow=60001"), -1131, too_large),
    ] {
        site.send("POST", &target, &api_key, b"").await.is_error(400, code, msg);
    }

    let rejected = "Invalid API-key, IP, or permissions for action.";
    let order = with("", "");
    for (method, path, text) in [
        ("POST", "/api/v3/order", order.as_str()),
        ("POST", "/api/v3/order/test", order.as_str()),
        ("DELETE", "/api/v3/order", "symbol=BTCUSDT&orderId=1"),
        ("DELETE", "/api/v3/openOrders", "symbol=BTCUSDT"),
        ("PUT", "/api/v3/order/amend/keepPriority", "symbol=BTCUSDT&orderId=1&newQty=1"),
    ] {
        let reply = site.signed(&site.reader, method, path, text).await;
        reply.is_error(401, -2015, rejected);
    }
    assert!(site.state().await == state);

    site.operate(Command::RevokeKey(RevokeKey { key: KeyId(1) })).await;
    site.handle.read_views(|_, _| ()).unwrap().await.unwrap();
    let revoked = site.signed(&site.maker, "GET", "/api/v3/account", "").await;
    revoked.is_error(401, -2015, rejected);
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_refused_by_name() {
    let site = Site::new().await;
    let state = site.state().await;
    let api_key = ("X-MBX-APIKEY", "makerkey");
    let is_json = ("content-type", "application/json");
    for body in [&b"{\"symbol\":"[..], b"{\"a\":{}}", b"{\"\xff\":1}"] {
        let reply = site.send("POST", "/api/v3/order", &[api_key], body).await;
        reply.is_error(400, -1135, "Invalid JSON Request");
    }
    let reply = site.send("POST", "/api/v3/order", &[api_key, is_json], b"[1]").await;
    reply.is_error(400, -1135, "Invalid JSON Request");
    let twice = site.send("POST", "/api/v3/order", &[api_key], b"a=1&a=2").await;
    twice.is_error(400, -1101, "Duplicate values for a parameter detected.");
    let many = "x=1&".repeat(100);
    let reply = site.get(&format!("/api/v3/ping?{many}")).await;
    reply.is_error(400, -1101, "Too many parameters; expected '64' and received '65'.");

    let not_http = site.exchange(b"\x00\x01\x02 nonsense\r\n\r\n").await;
    assert!([0, 400].contains(&not_http.status), "{not_http:?}");
    let bad_length =
        site.exchange(b"POST /api/v3/order HTTP/1.1\r\ncontent-length: x\r\n\r\n").await;
    assert_eq!(bad_length.status, 400);
    assert!(site.state().await == state);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_venue_is_reported() {
    let mut site = Site::new().await;
    site.stop_venue();
    let disconnected = "Internal error; unable to process your request. Please try again.";
    site.get("/api/v3/depth?symbol=BTCUSDT").await.is_error(503, -1001, disconnected);
    site.get("/health/ready").await.is_error(503, -1001, disconnected);
    assert_eq!(site.get("/health/live").await.status, 200);
    let order = site.signed(&site.maker, "POST", "/api/v3/order", &with("", "")).await;
    let unknown = "Timeout waiting for response from backend server. Send status unknown; \
                   execution status unknown.";
    order.is_error(504, -1007, unknown);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_master_key_is_refused_at_the_start() {
    let site = Site::new().await;
    let error = site.restarted_with_wrong_key().await;
    assert!(matches!(error, venue::MasterKeyError::Wrong), "{error}");
}
