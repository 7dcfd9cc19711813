//! What an operator does over HTTP, through the binary.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use protocol::operator::Covered;
use protocol::signed::sign::sign;
use serde_json::{Value, json};

use crate::process::{Serving, run, run_json, text};

/// A demo venue, and an operator's key to it.
struct Desk {
    venue: Serving,
    key: Value,
}

impl Desk {
    fn at(data: &str) -> Self {
        let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
        let add = "admin key add alice --role operator";
        let add: Vec<_> = add.split(' ').chain(["--data", data]).collect();
        Self { venue, key: run_json(&add) }
    }

    /// Signed by the operator.
    fn ask(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.ask_by(&self.key, method, path, &text_of(&body))
    }

    fn done(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask(method, path, body);
        assert_eq!(status, 200, "{method} {path}: {answer}");
        answer
    }

    /// The sentence of a refusal.
    fn refused(&self, status: u16, method: &str, path: &str, body: Value) -> String {
        let (found, answer) = self.ask(method, path, body);
        assert_eq!(found, status, "{method} {path}: {answer}");
        answer["msg"].as_str().expect("a sentence").to_owned()
    }

    /// A path may have a query string.
    fn ask_by(&self, key: &Value, method: &str, path: &str, body: &str) -> (u16, Value) {
        let target = format!("/admin/v1{path}");
        let headers = signed(key, method, &target, body, &new_nonce());
        self.send(method, &target, &headers, body)
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, Value) {
        let reply = self.send_text(method, path, headers, body);
        let status = reply.split(' ').nth(1).and_then(|status| status.parse().ok());
        let (_, body) = reply.split_once("\r\n\r\n").expect("a head");
        (status.expect("a status"), serde_json::from_str(body).expect("JSON"))
    }

    fn send_text(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let address = self.venue.url.strip_prefix("http://").expect("plain");
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        String::from_utf8_lossy(&reply).into_owned()
    }
}

/// The headers of a request by this key.
fn signed(key: &Value, method: &str, target: &str, body: &str, nonce: &str) -> String {
    let now = now_ms().to_string();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let covered = Covered { method, path, query, body: body.as_bytes(), timestamp: &now, nonce };
    let secret = key["secret_key"].as_str().expect("an HMAC key");
    let signature = sign(secret.as_bytes(), covered.payload().as_bytes());
    let api_key = key["api_key"].as_str().expect("a key");
    format!(
        "x-mbx-apikey: {api_key}\r\nx-bw-timestamp: {now}\r\nx-bw-nonce: {nonce}\r\n\
         x-bw-signature: {signature}\r\n"
    )
}

fn now_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()
}

fn new_nonce() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    format!("{:016}", LAST.fetch_add(1, Ordering::Relaxed))
}

fn text_of(body: &Value) -> String {
    if body.is_null() { String::new() } else { body.to_string() }
}

/// Two operators with a key each: neither pays out alone, nor ends the need for the other.
#[test]
fn another_operator_approves_a_withdrawal() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let desk = Desk::at(data);
    let other = run_json(&["admin", "--data", data, "key", "add", "bob", "--role", "operator"]);
    let settings = ["admin", "--data", data, "settings"];
    assert_eq!(run_json(&settings), json!({"withdrawal_approvals": 0}), "a demo needs none");
    let one = [&settings[..], &["--withdrawal-approvals", "1"]].concat();
    assert_eq!(run_json(&one), json!({"withdrawal_approvals": 1}));
    assert_eq!(desk.done("GET", "/status", Value::Null)["withdrawal_approvals"], 1);
    assert_eq!(desk.done("GET", "/market", Value::Null)["venue"]["withdrawal_approvals"], 1);
    desk.refused(404, "PATCH", "/settings", json!({"withdrawal_approvals": 0}));

    let path = "/accounts/alice/withdrawals";
    let asked = json!({"asset": "USDT", "amount": "5", "external_ref": "out"});
    let requested = desk.done("POST", path, asked);
    let own = &desk.key["key"];
    let known = (&requested["requested_by"], &requested["approved_by"]);
    assert_eq!(known, (own, &json!([])), "{requested}");
    assert_eq!(requested["approvals_missing"], 1);
    let by = |key: &Value, what: &str| desk.ask_by(key, "POST", &format!("{path}/out/{what}"), "");
    let refused = |(status, answer): (u16, Value), reason: &str| {
        assert_eq!((status, &answer["reason"]), (409, &json!(reason)), "{answer}");
    };
    refused(by(&desk.key, "confirm"), "WithdrawalNotApproved");
    refused(by(&other, "confirm"), "WithdrawalNotApproved");
    refused(by(&desk.key, "approve"), "WithdrawalIsOwn");
    let (status, approved) = by(&other, "approve");
    assert_eq!((status, &approved["approvals_missing"]), (200, &json!(0)), "{approved}");
    assert_eq!(approved["approved_by"], json!([other["key"]]));
    refused(by(&other, "approve"), "WithdrawalApprovedAlready");
    assert_eq!(desk.done("GET", "/withdrawals", Value::Null), json!([approved]));
    assert_eq!(by(&desk.key, "confirm").1["status"], "Completed");
    refused(by(&other, "approve"), "WithdrawalCompletedAlready");
    let once = json!({"account": "alice", "asset": "USDT", "amount": "5", "external_ref": "once"});
    let (status, answer) = desk.ask("POST", "/withdrawals", once);
    refused((status, answer), "WithdrawalNeedsRequest");

    let audited = desk.done("GET", "/audit?command=ApproveWithdrawal", Value::Null);
    let rows = audited.as_array().unwrap().iter().map(|row| (&row["key"], &row["reason"]));
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows[1], (&other["key"], &Value::Null), "{audited}");
    assert_eq!(rows[0], (own, &json!("WithdrawalIsOwn")), "{audited}");

    // The admin socket is an operator of its own.
    let asked = json!({"asset": "USDT", "amount": "6", "external_ref": "more"});
    desk.done("POST", path, asked);
    let approve = ["admin", "--data", data, "withdrawal", "approve", "alice", "--ref", "more"];
    assert_eq!(run_json(&approve)["approved_by"], json!([0]));
    desk.venue.stop();
    let confirm = ["admin", "--data", data, "withdrawal", "confirm", "alice", "--ref", "more"];
    assert_eq!(run_json(&confirm)["status"], "Completed");
    assert_eq!(run_json(&settings), json!({"withdrawal_approvals": 1}));
}

#[test]
fn an_operator_runs_a_venue_over_http() {
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::at(text(dir.path()));

    // A new instrument, and an account to trade it.
    assert_eq!(desk.done("POST", "/assets", json!({"name": "KWH"}))["decimals"], 8);
    let listed = json!({
        "symbol": "KWHUSDT", "base": "KWH", "quote": "USDT", "tick_size": "0.01",
        "lot_size": "0.01", "max_open_orders": 50,
    });
    desk.done("POST", "/instruments", listed);
    assert_eq!(desk.done("POST", "/accounts", json!({"name": "carol"}))["account"], "carol");
    let sentence = desk.refused(409, "POST", "/accounts", json!({"name": "carol"}));
    assert!(sentence.contains("the name is in use already"), "{sentence}");
    let transfer = json!({
        "account": "carol", "asset": "USDT", "amount": "12.5", "external_ref": "bank-1",
    });
    let first = desk.ask("POST", "/deposits", transfer.clone());
    assert_eq!(desk.ask("POST", "/deposits", transfer.clone()), first, "the first one's result");
    let mut other = transfer.clone();
    other["amount"] = json!("12.6");
    let (status, refused) = desk.ask("POST", "/deposits", other);
    assert_eq!((status, &refused["reason"]), (409, &json!("DuplicateExternalRef")), "{refused}");
    let balances = desk.done("GET", "/accounts/carol/balances", Value::Null);
    let usdt = balances.as_array().unwrap().iter().find(|row| row["asset"] == "USDT");
    assert_eq!(usdt.unwrap()["free"], "12.50000000");
    let all = json!({
        "account": "carol", "asset": "USDT", "amount": "100", "external_ref": "bank-2",
    });
    assert!(desk.refused(409, "POST", "/withdrawals", all).contains("too small"));

    // A withdrawal in two steps: what is asked for is locked, and leaves once.
    let asked = json!({"asset": "USDT", "amount": "2.5", "external_ref": "out/1"});
    let path = "/accounts/carol/withdrawals";
    let requested = desk.done("POST", path, asked.clone());
    assert_eq!(requested["status"], "Requested");
    assert_eq!(desk.done("POST", path, asked), requested, "the same answer");
    assert_eq!(desk.done("GET", "/withdrawals", Value::Null), json!([requested]));
    let balances = desk.done("GET", "/accounts/carol/balances", Value::Null);
    let usdt = balances.as_array().unwrap().iter().find(|row| row["asset"] == "USDT").unwrap();
    assert_eq!((&usdt["free"], &usdt["locked"]), (&json!("10.00000000"), &json!("2.50000000")));
    let of = |what: &str| format!("{path}/out%2F1/{what}");
    assert_eq!(desk.done("POST", &of("confirm"), Value::Null)["status"], "Completed");
    for (what, reference, reason) in [
        ("confirm", "out%2F1", "WithdrawalCompletedAlready"),
        ("cancel", "out%2F1", "WithdrawalCompletedAlready"),
        ("confirm", "bank-1", "WithdrawalNotFound"),
    ] {
        let path = format!("{path}/{reference}/{what}");
        let (status, answer) = desk.ask("POST", &path, Value::Null);
        assert_eq!((status, &answer["reason"]), (409, &json!(reason)), "{answer}");
    }
    let asked = json!({"asset": "USDT", "amount": "1", "external_ref": "out-2"});
    desk.done("POST", path, asked);
    let canceled = desk.done("POST", &format!("{path}/out-2/cancel"), Value::Null);
    assert_eq!(canceled["status"], "Canceled");
    assert_eq!(desk.done("GET", "/withdrawals", Value::Null), json!([]));
    let all = desk.done("GET", path, Value::Null);
    assert_eq!(all.as_array().map(Vec::len), Some(2), "{all}");
    desk.refused(404, "GET", "/accounts/nobody/withdrawals", Value::Null);

    let update = desk.done("PATCH", "/accounts/carol", json!({"max_open_orders": 7}));
    assert_eq!((&update["max_open_orders"], &update["trades_kept"]), (&json!(7), &json!(1_000)));

    // What holds for an instrument; without fields it is shown.
    let sessions = json!({"sessions": [["Mon-Sun", "00:00", "Continuous"]]});
    let calendar = desk.done("PATCH", "/instruments/KWHUSDT/calendar", sessions);
    assert_eq!(calendar["sessions"][0]["phase"], "Continuous");
    assert_eq!(desk.done("PATCH", "/instruments/KWHUSDT/calendar", json!({})), calendar);
    let tiers = json!({"tiers": [["0", "10", "20"], ["1000", "-0.5", "15"]], "asset": "Quote"});
    let fees = desk.done("PATCH", "/instruments/KWHUSDT/fees", tiers);
    assert_eq!(fees["tiers"][1]["maker_fee_bps"], "-0.50");
    let rules = desk.done("PATCH", "/instruments/KWHUSDT/rules", json!({"max_stop_orders": 5}));
    assert_eq!(rules["max_stop_orders"], 5);
    let limits = json!({"max_order_qty": "2.5"});
    let limits = desk.done("PATCH", "/accounts/carol/limits/KWHUSDT", limits);
    assert_eq!(limits["max_order_qty"], "2.50");
    let halted = desk.done("PUT", "/instruments/KWHUSDT/phase", json!({"phase": "Halt"}));
    assert_eq!(halted["phase"], "Halt");
    desk.done("PUT", "/accounts/carol/kill", json!({"switch": "On"}));
    let risk = desk.done("PATCH", "/accounts/carol/risk", json!({"stp_group": 3}));
    assert_eq!(risk["stp_group"], 3);
    desk.done("DELETE", "/instruments/KWHUSDT", Value::Null);

    // The venue.
    assert_eq!(desk.done("POST", "/halt", json!({"level": 2}))["level"], 2);
    assert!(desk.refused(409, "POST", "/halt", json!({})).contains("halted"));
    desk.done("POST", "/resume", Value::Null);
    assert!(desk.refused(400, "POST", "/halt", json!({"seconds": 0})).contains("at least 1"));
    let status = desk.done("GET", "/status", Value::Null);
    assert_eq!((&status["role"], &status["durability"]), (&json!("primary"), &json!("fsync")));
    assert!(status["sequence"].as_u64().unwrap() > 10, "{status}");
    desk.done("POST", "/snapshots", Value::Null);
    let taken = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        !desk.done("GET", "/snapshots", Value::Null).as_array().unwrap().is_empty()
    });
    assert!(taken, "no snapshot within ten seconds");

    // A key is made, and its secret is shown once. An operator's key is made on the machine, used,
    // and revoked.
    let operator = json!({"account": "carol", "role": "operator"});
    assert!(desk.refused(409, "POST", "/keys", operator).contains("on the venue's machine"));
    let made = desk.done("POST", "/keys", json!({"account": "carol"}));
    let keys = desk.done("GET", "/keys", Value::Null);
    assert!(!keys.to_string().contains(made["secret_key"].as_str().unwrap()), "{keys}");
    let add = ["admin", "--data", text(dir.path()), "key", "add", "carol", "--role", "operator"];
    let made = run_json(&add);
    assert_eq!(desk.ask_by(&made, "GET", "/keys", "").0, 200);
    desk.done("DELETE", &format!("/keys/{}", made["key"]), Value::Null);
    assert_eq!(desk.ask_by(&made, "GET", "/keys", "").0, 401);
    desk.venue.stop();
}

#[test]
fn what_makes_no_sense_is_refused_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::at(text(dir.path()));
    let empty = Value::Null;
    for (status, method, path, body, said) in [
        (404, "GET", "/nothing", empty.clone(), "invalid"),
        (405, "DELETE", "/accounts", empty.clone(), "invalid"),
        (404, "GET", "/accounts/nobody/balances", empty.clone(), "`nobody`"),
        (404, "PATCH", "/instruments/NONE", json!({}), "`NONE`"),
        (400, "POST", "/accounts", json!({"nam": "x"}), "`nam`"),
        (400, "POST", "/accounts", json!({}), "`name`"),
        (400, "POST", "/accounts", json!({"name": 5}), "string"),
        (400, "PATCH", "/accounts/alice", json!({"name": "bob"}), "`name`"),
        (400, "PATCH", "/accounts/alice", json!({"maker_fee_bps": "1"}), "two"),
        (400, "DELETE", "/keys/one", empty.clone(), "`one`"),
        (409, "DELETE", "/keys/4000000", empty.clone(), "no valid key"),
        (400, "PATCH", "/instruments/BTCUSDT/fees", json!({"tiers": [["0", "1"]]}), "length 2"),
        (400, "PATCH", "/instruments/BTCUSDT/calendar", json!({"clear": 1}), "boolean"),
    ] {
        let sentence = desk.refused(status, method, path, body.clone());
        assert!(sentence.contains(said), "{method} {path} {body}: {sentence}");
    }
    let query = format!("/accounts?a=b&timestamp={}", 0);
    assert_eq!(desk.send("GET", &format!("/admin/v1{query}"), "", "").0, 401);
    let reply = desk.send_text("DELETE", "/admin/v1/accounts", "", "");
    assert!(reply.contains("allow: GET, POST"), "{reply}");
    desk.venue.stop();
}

#[test]
fn a_captured_request_is_good_for_no_other_and_only_once() {
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::at(text(dir.path()));
    let code = |(status, answer): (u16, Value)| (status, answer["code"].as_i64().unwrap_or(0));
    let status = "/admin/v1/status";
    let halt = json!({"level": 1}).to_string();
    let captured = signed(&desk.key, "GET", status, "", &new_nonce());
    for (method, target, body) in [
        ("POST", "/admin/v1/halt", ""),
        ("POST", "/admin/v1/halt", halt.as_str()),
        ("DELETE", "/admin/v1/instruments/BTCUSDT", ""),
        ("GET", "/admin/v1/status?a=b", ""),
        ("GET", "/admin/v1/accounts", ""),
        ("GET", status, "{}"),
    ] {
        assert_eq!(code(desk.send(method, target, &captured, body)), (400, -1022), "{target}");
    }
    let (answered, shown) = desk.send("GET", status, &captured, "");
    assert_eq!((answered, &shown["halt"]), (200, &Value::Null), "{shown}");
    let (answered, again) = desk.send("GET", status, &captured, "");
    assert_eq!((answered, &again["code"]), (400, &json!(-1022)));
    assert!(again["msg"].as_str().unwrap().contains("X-BW-NONCE was used before"), "{again}");

    // The time and the nonce are covered, too.
    let captured = signed(&desk.key, "GET", status, "", "0123456789abcdef");
    for (from, to) in [("0123456789abcdef", "0123456789abcdeF"), ("timestamp: 1", "timestamp: 2")] {
        let altered = captured.replace(from, to);
        assert_ne!(altered, captured);
        assert_eq!(code(desk.send("GET", status, &altered, "")), (400, -1022), "{altered}");
    }
    for header in ["x-bw-timestamp", "x-bw-nonce", "x-bw-signature"] {
        let without = captured.replace(header, "x-other");
        let (answered, refused) = desk.send("GET", status, &without, "");
        assert_eq!((answered, &refused["code"]), (400, &json!(-1102)), "{refused}");
        assert!(refused["msg"].as_str().unwrap().contains(header), "{refused}");
    }
    let short = signed(&desk.key, "GET", status, "", "0123456789");
    assert_eq!(code(desk.send("GET", status, &short, "")), (400, -1100));

    // The trading API's form names the new one.
    let query = format!("timestamp={}", now_ms());
    let secret = desk.key["secret_key"].as_str().unwrap();
    let signature = sign(secret.as_bytes(), query.as_bytes());
    let api_key = format!("x-mbx-apikey: {}\r\n", desk.key["api_key"].as_str().unwrap());
    let target = format!("{status}?{query}&signature={signature}");
    let (answered, refused) = desk.send("GET", &target, &api_key, "");
    assert_eq!((answered, &refused["code"]), (400, &json!(-1022)));
    let sentence = refused["msg"].as_str().unwrap();
    assert!(sentence.contains("X-BW-TIMESTAMP, X-BW-NONCE and X-BW-SIGNATURE"), "{sentence}");
    desk.venue.stop();
}

#[test]
fn what_is_refused_before_the_log_is_on_record_without_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::at(text(dir.path()));
    let demo: Value =
        serde_json::from_slice(&fs::read(dir.path().join("demo.json")).unwrap()).unwrap();
    let trader = &demo["accounts"][0];
    let stranger = json!({"api_key": "stranger", "secret_key": "nothing"});
    let forger = json!({"api_key": desk.key["api_key"], "secret_key": "forged"});
    assert_eq!(desk.ask_by(trader, "GET", "/accounts", "").0, 401, "a trader is no operator");
    assert_eq!(desk.ask_by(&stranger, "GET", "/accounts", "").0, 401);
    assert_eq!(desk.ask_by(&forger, "GET", "/accounts", "").0, 400);
    assert_eq!(desk.send("GET", "/api/v3/depth?symbol=NONE", "", "").0, 400);
    assert_eq!(desk.send("GET", "/nowhere?signature=abc", "", "").0, 404);
    // What the venue refuses is in its log, and not here.
    desk.refused(409, "POST", "/resume", Value::Null);
    desk.venue.stop();

    let [of_keys, others] = ["access-keys.jsonl", "access.jsonl"].map(|name| {
        let text = fs::read_to_string(dir.path().join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    });
    let shown = |record: &[Value]| -> Vec<_> {
        let line = |line: &Value| format!("{} {} {}", line["method"], line["path"], line["code"]);
        record.iter().map(line).collect()
    };
    assert_eq!(
        shown(&of_keys),
        [
            r#""GET" "/admin/v1/accounts" -2015"#,
            r#""GET" "/admin/v1/accounts" -2015"#,
            r#""GET" "/admin/v1/accounts" -1022"#,
        ]
    );
    assert_eq!(shown(&others), [r#""GET" "/api/v3/depth" -1121"#, r#""GET" "/nowhere" -5000"#]);
    assert!(of_keys[0]["key"].is_u64() && of_keys[1]["key"].is_null(), "{of_keys:?}");
    let text = format!("{of_keys:?}{others:?}");
    assert_eq!(text.matches("127.0.0.1").count(), 5, "{text}");
    for secret in [&desk.key["api_key"], &desk.key["secret_key"], &trader["api_key"]] {
        assert!(!text.contains(secret.as_str().unwrap()));
    }
    assert!(!text.contains("signature"), "{text}");
}

#[test]
fn the_api_describes_itself_and_has_a_page_to_try_it() {
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::at(text(dir.path()));
    let (status, document) = desk.send("GET", "/admin/v1/openapi.json", "", "");
    assert_eq!((status, &document["openapi"]), (200, &json!("3.1.0")));
    let deposit = &document["paths"]["/deposits"]["post"];
    let schema = &deposit["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(schema["required"], json!(["account", "amount", "asset", "external_ref"]));
    assert_eq!(schema["additionalProperties"], false);
    let key = &document["paths"]["/keys/{key}"]["delete"]["parameters"][0];
    assert_eq!((&key["in"], &key["schema"]["type"]), (&json!("path"), &json!("integer")));
    // Nothing on the page comes from elsewhere.
    let page = desk.send_text("GET", "/admin/v1/docs", "", "");
    assert!(page.contains("text/html") && !page.contains("//"), "{page}");
    for header in
        ["frame-ancestors 'none'", "default-src 'self'", "x-content-type-options: nosniff"]
    {
        assert!(page.contains(header), "{header}: {page}");
    }
    for part in ["page.js", "swagger-ui.js", "swagger-ui.css"] {
        let reply = desk.send_text("GET", &format!("/admin/v1/docs/{part}"), "", "");
        assert!(page.contains(part) && reply.starts_with("HTTP/1.1 200"), "{part}");
    }
    desk.venue.stop();
}

#[test]
fn halts_and_phases_are_in_the_status_and_in_the_metrics() {
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::at(text(dir.path()));
    let status = || desk.done("GET", "/status", Value::Null);
    let metrics = || desk.send_text("GET", "/metrics", "", "");
    let phase = |status: &Value, symbol: &str| {
        let all = status["instruments"].as_array().unwrap().iter();
        all.clone().find(|row| row["symbol"] == symbol).unwrap()["phase"].clone()
    };
    assert_eq!(status()["halt"], Value::Null);
    assert_eq!(phase(&status(), "BTCUSDT"), "Continuous");
    assert!(metrics().contains("buttonwood_venue_halted 0\n"), "{}", metrics());

    desk.done("PUT", "/instruments/BTCUSDT/phase", json!({"phase": "Halt"}));
    desk.done("POST", "/halt", json!({"level": 2, "seconds": 900}));
    let halted = status();
    assert_eq!(halted["halt"]["level"], 2);
    assert!(halted["halt"]["resumes"].as_str().is_some_and(|at| at.ends_with('Z')), "{halted}");
    assert_eq!(phase(&halted, "BTCUSDT"), "Halt");
    assert_eq!(phase(&halted, "ETHUSDT"), "Continuous");
    let shown = metrics();
    assert!(shown.contains("buttonwood_venue_halted 2\n"), "{shown}");
    let gauge = |symbol: &str, phase: &str| {
        format!("buttonwood_instrument_phase{{symbol=\"{symbol}\",phase=\"{phase}\"}} 1\n")
    };
    assert!(shown.contains(&gauge("BTCUSDT", "Halt")), "{shown}");
    assert!(shown.contains(&gauge("ETHUSDT", "Continuous")), "{shown}");
    assert!(!shown.contains(&gauge("BTCUSDT", "Continuous")), "{shown}");

    desk.done("POST", "/resume", Value::Null);
    desk.done("DELETE", "/instruments/ETHBTC", Value::Null);
    assert_eq!(status()["halt"], Value::Null);
    assert_eq!(phase(&status(), "ETHBTC"), "Delisted");
    assert!(metrics().contains(&gauge("ETHBTC", "Delisted")));

    // The same after a restart, before any event.
    let Desk { venue, key } = desk;
    venue.stop();
    let venue = Serving::start(&["--data", text(dir.path()), "--demo", "--no-bots"]);
    let desk = Desk { venue, key };
    let shown = desk.send_text("GET", "/metrics", "", "");
    assert!(shown.contains(&gauge("BTCUSDT", "Halt")), "{shown}");
    assert!(shown.contains(&gauge("ETHBTC", "Delisted")), "{shown}");
}

#[test]
fn what_waits_for_an_operator_is_in_the_metrics() {
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::at(text(dir.path()));
    let check = |desk: &Desk, lines: &[&str]| {
        let shown = desk.send_text("GET", "/metrics", "", "");
        for line in lines {
            assert!(shown.contains(&format!("\nbuttonwood_{line}\n")), "{line} is not in {shown}");
        }
    };
    check(&desk, &["accounts_killed 0", "withdrawals_open 0", "receivables_open 0"]);
    let asked = |name: &str| json!({"asset": "USDT", "amount": "5", "external_ref": name});
    desk.done("PUT", "/accounts/bob/kill", json!({"switch": "On"}));
    for name in ["first", "second"] {
        desk.done("POST", "/accounts/alice/withdrawals", asked(name));
    }
    desk.done("POST", "/accounts/alice/withdrawals/first/cancel", Value::Null);
    check(
        &desk,
        &[
            "accounts_killed 1",
            "withdrawals_open 1",
            "admin_commands_total{command=\"RequestWithdrawal\"} 2",
            "http_requests_total{operation=\"/admin/v1\",status=\"200\"} 4",
        ],
    );

    // The same after a restart, before any event.
    let Desk { venue, key } = desk;
    venue.stop();
    let venue = Serving::start(&["--data", text(dir.path()), "--demo", "--no-bots"]);
    let desk = Desk { venue, key };
    check(&desk, &["accounts_killed 1", "withdrawals_open 1"]);
    desk.done("PUT", "/accounts/bob/kill", json!({"switch": "Off"}));
    check(&desk, &["accounts_killed 0"]);
}

/// One order of any account, over HTTP: the owner's report has the operator's name.
#[test]
fn an_order_of_any_account_is_found_and_canceled_over_http() {
    let dir = tempfile::tempdir().unwrap();
    let desk = Desk::at(text(dir.path()));
    assert_eq!(desk.done("GET", "/accounts/alice/orders", Value::Null), json!([]));
    let sentence = desk.refused(404, "GET", "/instruments/BTCUSDT/orders/1", Value::Null);
    assert!(sentence.contains("BTCUSDT has no order 1"), "{sentence}");
    let sentence = desk.refused(404, "DELETE", "/instruments/BTCUSDT/orders/1", Value::Null);
    assert!(sentence.contains("BTCUSDT has no order 1"), "{sentence}");
    let sentence = desk.refused(404, "GET", "/instruments/BTCUSDT/trades/1", Value::Null);
    assert!(sentence.contains("BTCUSDT has no trade 1"), "{sentence}");
    let sentence = desk.refused(400, "GET", "/instruments/BTCUSDT/trades/x", Value::Null);
    assert!(!sentence.is_empty());
}

/// Through the socket, over HTTP and on a stopped venue.
#[test]
fn the_audit_trail_has_each_operators_command_once() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let desk = Desk::at(data);
    let transfer = json!({
        "account": "alice", "asset": "USDT", "amount": "12.5", "external_ref": "bank-1",
    });
    desk.done("POST", "/deposits", transfer.clone());
    let mut other = transfer;
    other["amount"] = json!("12.6");
    desk.refused(409, "POST", "/deposits", other);
    run_json(&["admin", "kill", "alice", "on", "--data", data]);
    desk.done("GET", "/accounts", Value::Null);

    let trail = |filters: &str| {
        let rows = desk.done("GET", &format!("/audit?{filters}"), Value::Null);
        rows.as_array().unwrap().clone()
    };
    let key = desk.key["key"].as_u64().unwrap();
    let by_key = trail(&format!("key={key}"));
    assert_eq!(by_key.len(), 2, "queries are not commands: {by_key:?}");
    let [deposit, refused] = &by_key[..] else { panic!("{by_key:?}") };
    let fields = json!({
        "account": "alice", "asset": "USDT", "amount": "12.50000000", "external_ref": "bank-1",
    });
    for (name, expect) in [
        ("key", json!(key)),
        ("origin", json!("AdminApi")),
        ("address", json!("127.0.0.1")),
        ("command", json!("Deposit")),
        ("fields", fields),
        ("reason", Value::Null),
        ("effect", json!({"Deposited": 1})),
    ] {
        assert_eq!(deposit[name], expect, "{name}");
    }
    assert_eq!(refused["reason"], "DuplicateExternalRef", "{refused}");
    assert_eq!(refused["effect"], json!({}), "{refused}");

    // The filters, and what is none.
    let kill = &trail("command=SetKillSwitch")[0];
    assert_eq!((&kill["origin"], &kill["key"]), (&json!("Admin"), &json!(0)), "{kill}");
    assert_eq!(kill["address"], Value::Null);
    let sequence = |row: &Value| row["sequence"].as_u64().unwrap();
    let from = trail(&format!("from={}&limit=1", sequence(deposit)));
    assert_eq!(from, by_key[..1]);
    let until = trail(&format!("until={}", sequence(refused)));
    assert_eq!(until.last(), by_key.last());
    let times = |name: &str, row: &Value| format!("{name}={}", row["time"].as_str().unwrap());
    let of_time = trail(&format!("{}&{}", times("from", refused), times("until", kill)));
    assert_eq!(of_time, [refused.clone(), kill.clone()]);
    for (filter, said) in [
        ("command=Depositt", "`Depositt`"),
        ("key=one", "`one`"),
        ("limit=0", "1000"),
        ("from=yesterday", "yesterday"),
        ("account=alice", "`account`"),
    ] {
        let sentence = desk.refused(400, "GET", &format!("/audit?{filter}"), Value::Null);
        assert!(sentence.contains(said), "{filter}: {sentence}");
    }
    let sentence = desk.refused(400, "GET", "/accounts?key=1", Value::Null);
    assert!(sentence.contains("no parameters"), "{sentence}");
    let all = trail("limit=1000");

    // The tool prints lines, or the same as JSON.
    let audit = |more: &[&str]| run(&[&["admin", "audit", "--data", data], more].concat());
    let printed = String::from_utf8(audit(&["--key", &key.to_string()]).stdout).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert!(lines[0].contains(&format!("AdminApi key {key} from 127.0.0.1")), "{printed}");
    assert!(lines[0].ends_with("external_ref=bank-1: Deposited 1"), "{printed}");
    assert!(lines[1].ends_with(": refused, DuplicateExternalRef"), "{printed}");
    let all_json = ["admin", "audit", "--json", "--limit", "1000", "--data", data];
    assert_eq!(run_json(&all_json), json!(all));

    // A rebuild from the log makes the same rows. A command on the stopped venue joins them at the
    // next start.
    desk.venue.stop();
    assert!(run(&["projection", "rebuild", data]).status.success());
    assert_eq!(run_json(&all_json), json!(all));
    run_json(&["admin", "kill", "alice", "off", "--data", data]);
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let joined = run_json(&all_json);
    assert_eq!(joined.as_array().unwrap()[..all.len()], all);
    assert_eq!(joined[all.len()]["command"], "SetKillSwitch");
    assert_eq!(joined.as_array().map(Vec::len), Some(all.len() + 1));
    venue.stop();
}
