//! Traces of orders, as a collector gets them.

mod collector;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use client::NewOrder;
use protocol::signed::sign::sign;
use serde_json::{Value, json};
use types::Side;

use self::collector::{Collector, Trace, time_of};
use crate::operator::trader;
use crate::process::{Serving, command, run_refused, text};

/// Of an order over REST, in their order.
const STAGES: [&str; 10] = [
    "receive", "decode", "check", "queue", "commit", "apply", "wake", "encode", "reply", "fan_out",
];
const ORDERS: usize = 20;
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";
/// The longest that an order may take on a busy machine; a request to the collector has 3 s.
const PROMPT: Duration = Duration::from_millis(1_500);

#[tokio::test]
async fn each_order_is_one_trace_whose_stages_add_up_to_its_latency() {
    let (dir, collector) = (tempfile::tempdir().unwrap(), Collector::start());
    let data = text(dir.path());
    let args = ["--data", data, "--demo", "--no-bots", "--trace-otlp", &collector.url];
    let venue = Serving::start(&[&args[..], &["--trace-sample", "1"]].concat());
    let alice = trader(&venue, data, 0);
    for _ in 0..ORDERS {
        alice.place(&order()).await.unwrap();
    }
    let traces = collector.traces(ORDERS);
    assert_eq!(traces.len(), ORDERS);
    for trace in &traces {
        assert_eq!(trace.stages(), STAGES);
        assert_eq!(trace.children.len(), STAGES.len() + 1, "decode has two parts");
        let root = &trace.root;
        assert!(root.parent_span_id.is_empty());
        assert!(trace.children.iter().all(|span| span.parent_span_id == root.span_id));
        assert_eq!(trace.attribute("buttonwood.operation"), "POST /api/v3/order");
        assert_eq!(trace.attribute("buttonwood.symbol"), "BTCUSDT");
        assert_eq!(trace.attribute("buttonwood.way"), "rest");
        assert_eq!(trace.attribute("buttonwood.status"), "200");
        // One after the other.
        let stages = trace.children.iter().filter(|span| span.name != "fan_out");
        let times = stages.flat_map(|span| [span.start_time_unix_nano, span.end_time_unix_nano]);
        let within = [root.start_time_unix_nano].into_iter().chain(times);
        let within: Vec<_> = within.chain([root.end_time_unix_nano]).collect();
        assert!(within.is_sorted(), "{trace:#?}");
    }
    // Between two stages a loaded machine may stop a thread, in some of the orders.
    let share = |trace: &Trace| trace.time_in_stages().div_duration_f64(time_of(&trace.root));
    let mut shares: Vec<f64> = traces.iter().map(share).collect();
    shares.sort_by(f64::total_cmp);
    assert!(shares[shares.len() / 4] >= 0.95, "of three orders in four: {shares:?}");
    let in_roots: Duration = traces.iter().map(|trace| time_of(&trace.root)).sum();
    // The readings are those of the metrics.
    let metrics = metrics(&venue);
    let is_sum = |name: &str, found: Duration| {
        let (sum, found) = (figure(&metrics, name), found.as_secs_f64());
        assert!((sum - found).abs() < 0.01 * sum, "{name} is {sum}, and of the traces {found}");
    };
    is_sum("order_latency_seconds_sum{way=\"Rest\"}", in_roots);
    for stage in ["receive", "decode", "check", "encode", "reply"] {
        let in_stage = traces.iter().map(|trace| trace.time_in(stage)).sum();
        is_sum(&format!("buttonwood_order_stage_seconds_sum{{stage=\"{stage}\"}}"), in_stage);
    }
    assert_eq!(figure(&metrics, "buttonwood_trace_dropped_total"), 0.0);
    venue.stop();
}

#[tokio::test]
async fn a_client_decides_for_its_own_traces() {
    let (dir, collector) = (tempfile::tempdir().unwrap(), Collector::start());
    let data = text(dir.path());
    let args = ["--data", data, "--demo", "--no-bots", "--trace-otlp", &collector.url];
    for (sample, is_sampled) in [("0", true), ("1", false)] {
        let venue = Serving::start(&[&args[..], &["--trace-sample", sample]].concat());
        let alice = Key::of(data, 0);
        let flag = if is_sampled { "01" } else { "00" };
        let traceparent = format!("traceparent: 00-{TRACE}-{PARENT}-{flag}\r\n");
        for header in [&traceparent[..], "", "traceparent: 00-nonsense\r\n"] {
            let placed = alice.place(&venue, header, "0.001");
            assert!(placed.starts_with("HTTP/1.1 200"), "{placed}");
        }
        // All that is queued is sent before the process ends.
        venue.stop();
    }
    let traces = collector.traces(3);
    let ids: Vec<_> = traces.iter().map(|trace| hex(&trace.root.trace_id)).collect();
    assert_eq!((traces.len(), &ids[0][..]), (3, TRACE));
    assert_eq!(hex(&traces[0].root.parent_span_id), PARENT);
    for (trace, id) in traces.iter().zip(&ids).skip(1) {
        assert!(id != TRACE && trace.root.parent_span_id.is_empty(), "{trace:?}");
    }
}

#[tokio::test]
async fn orders_over_websocket_and_refused_ones_are_traced() {
    let (dir, collector) = (tempfile::tempdir().unwrap(), Collector::start());
    let data = text(dir.path());
    let args = ["--data", data, "--demo", "--no-bots", "--trace-otlp", &collector.url];
    let venue = Serving::start(&[&args[..], &["--trace-sample", "1"]].concat());
    let alice = Key::of(data, 0);
    let placed = alice.place_by_message(&venue);
    assert!(placed.contains(r#""status":200"#), "{placed}");
    let refused = alice.place(&venue, "", "900");
    assert!(refused.starts_with("HTTP/1.1 400") && refused.contains("-2010"), "{refused}");
    let traces = collector.traces(2);
    let [message, refused] = &traces[..] else { panic!("{traces:?}") };
    assert_eq!(message.attribute("buttonwood.operation"), "order.place");
    assert_eq!(message.attribute("buttonwood.way"), "websocket");
    assert_eq!(message.attribute("buttonwood.status"), "200");
    let mut stages = message.stages();
    stages.sort_by_key(|stage| STAGES.iter().position(|known| known == stage));
    let expected = STAGES.iter().filter(|stage| !matches!(**stage, "receive" | "reply"));
    assert!(stages.iter().eq(expected), "messages are read and written together: {stages:?}");
    assert!(message.time_in_stages() >= time_of(&message.root).mul_f64(0.8), "{message:#?}");
    assert_eq!(refused.attribute("buttonwood.status"), "400");
    assert_eq!(refused.stages(), STAGES);
    venue.stop();
}

#[tokio::test]
async fn each_request_that_enters_an_order_has_its_trace() {
    let (dir, collector) = (tempfile::tempdir().unwrap(), Collector::start());
    let data = text(dir.path());
    let args = ["--data", data, "--demo", "--no-bots", "--trace-otlp", &collector.url];
    let venue = Serving::start(&[&args[..], &["--trace-sample", "1"]].concat());
    let alice = Key::of(data, 0);
    let limit = "type=LIMIT&timeInForce=GTC&quantity=0.001&price=50000";
    let replace = format!("{limit}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrigClientOrderId=no");
    let list = "quantity=0.001&aboveType=STOP_LOSS&aboveStopPrice=60000&belowType=LIMIT_MAKER\
                &belowPrice=40000";
    for (path, params, status) in [
        ("order", limit, 200),
        ("sor/order", limit, 200),
        ("order/cancelReplace", &replace, 400),
        ("orderList/oco", list, 200),
    ] {
        let answer = alice.post(&venue, path, "", params);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
    }
    let traces = collector.traces(4);
    let operations = ["order", "sor/order", "order/cancelReplace", "orderList"];
    for (trace, operation) in traces.iter().zip(operations) {
        let expected = format!("POST /api/v3/{operation}");
        assert_eq!(trace.attribute("buttonwood.operation"), expected);
        assert_eq!(trace.stages(), STAGES, "{operation}");
        assert!(trace.time_in_stages() >= time_of(&trace.root).mul_f64(0.8), "{trace:#?}");
    }
    assert_eq!(traces[2].attribute("buttonwood.status"), "400");
    venue.stop();
}

#[tokio::test]
async fn a_collector_that_is_gone_or_silent_delays_no_order() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    // Connections wait in its backlog for ever.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    for collector in [gone, silent.local_addr().unwrap()] {
        let dir = tempfile::tempdir().unwrap();
        let (data, lines) = (text(dir.path()), dir.path().join("stderr"));
        let collector = format!("http://{collector}");
        let args = ["serve", "--http", "127.0.0.1:0", "--data", data, "--demo", "--no-bots"];
        let traced = ["--trace-otlp", &collector, "--trace-sample", "1"];
        let mut serve = command(&[&args[..], &traced].concat());
        serve.stderr(File::create(&lines).unwrap());
        let venue = Serving::ready(serve);
        let alice = trader(&venue, data, 0);
        let is_dropping =
            || figure(&metrics(&venue), "buttonwood_trace_dropped_total") == ORDERS as f64;
        let since = Instant::now();
        for _ in 0..ORDERS {
            let since = Instant::now();
            alice.place(&order()).await.unwrap();
            assert!(since.elapsed() < PROMPT, "{:?}", since.elapsed());
        }
        while !is_dropping() {
            assert!(since.elapsed() < Duration::from_secs(30), "{}", metrics(&venue));
            sleep(Duration::from_millis(50));
        }
        venue.stop();
        let lines = fs::read_to_string(lines).unwrap();
        let warnings = lines.lines().filter(|line| line.contains("traces of orders are dropped"));
        let warnings: Vec<_> = warnings.collect();
        assert!(warnings.len() == 1 && warnings[0].contains(&collector), "{lines}");
    }
}

#[test]
fn a_wrong_collector_or_share_is_refused_in_a_sentence() {
    let refused = |args: &[&str]| run_refused(&[&["serve", "--demo"], args].concat());
    for url in ["127.0.0.1:4318", "http://", "grpc://127.0.0.1:4317"] {
        let sentence = refused(&["--trace-otlp", url]);
        assert!(sentence.contains("must be an address such as"), "{sentence}");
        assert!(sentence.contains(&format!("`{url}`")), "{sentence}");
    }
    assert!(refused(&["--trace-otlp", "https://a.example"]).contains("has no TLS"));
    let sentence = refused(&["--trace-otlp", "http://a.example", "--trace-sample", "2"]);
    assert!(sentence.contains("a share from 0 to 1"), "{sentence}");
}

/// It rests: nothing else is in the book.
fn order() -> NewOrder {
    NewOrder::limit("BTCUSDT", Side::Buy, "0.001", "50000")
}

fn metrics(venue: &Serving) -> String {
    send(venue, "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
}

fn figure(metrics: &str, name: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {metrics}")).parse().unwrap()
}

fn send(venue: &Serving, request: &str) -> String {
    let mut stream = TcpStream::connect(host(venue)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn host(venue: &Serving) -> &str {
    venue.url.strip_prefix("http://").unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A key of the demo, for requests that the client cannot send.
struct Key {
    api_key: String,
    secret_key: String,
}

impl Key {
    fn of(data: &str, account: usize) -> Self {
        let demo = fs::read_to_string(format!("{data}/demo.json")).unwrap();
        let demo: Value = serde_json::from_str(&demo).unwrap();
        let text = |name: &str| demo["accounts"][account][name].as_str().unwrap().to_owned();
        Self { api_key: text("api_key"), secret_key: text("secret_key") }
    }

    /// The whole answer to an order of this quantity.
    fn place(&self, venue: &Serving, headers: &str, quantity: &str) -> String {
        let params = format!("type=LIMIT&timeInForce=GTC&quantity={quantity}&price=50000");
        self.post(venue, "order", headers, &params)
    }

    fn post(&self, venue: &Serving, path: &str, headers: &str, params: &str) -> String {
        let timestamp = server::now_ns() / 1_000_000;
        let params = format!("symbol=BTCUSDT&side=BUY&{params}&timestamp={timestamp}");
        let signature = sign(self.secret_key.as_bytes(), params.as_bytes());
        send(
            venue,
            &format!(
                "POST /api/v3/{path}?{params}&signature={signature} HTTP/1.1\r\nhost: localhost\r\n\
                 x-mbx-apikey: {}\r\n{headers}connection: close\r\ncontent-length: 0\r\n\r\n",
                self.api_key
            ),
        )
    }

    /// The answer to an order over the WebSocket API.
    fn place_by_message(&self, venue: &Serving) -> String {
        let mut params = json!({
            "apiKey": self.api_key, "price": "50000", "quantity": "0.001", "side": "BUY",
            "symbol": "BTCUSDT", "timeInForce": "GTC", "timestamp": server::now_ns() / 1_000_000,
            "type": "LIMIT",
        });
        let signed = params.as_object().unwrap().iter();
        let signed = signed.map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        });
        let signed = signed.collect::<Vec<_>>().join("&");
        params["signature"] = sign(self.secret_key.as_bytes(), signed.as_bytes()).into();
        let message = json!({ "id": 1, "method": "order.place", "params": params }).to_string();
        let mut stream = TcpStream::connect(host(venue)).unwrap();
        stream
            .write_all(
                b"GET /ws-api/v3 HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n\
                  upgrade: websocket\r\nsec-websocket-version: 13\r\n\
                  sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            )
            .unwrap();
        read_until(&mut stream, "\r\n\r\n");
        // A final text frame of 16 bits of length, masked with zeros.
        let len = u16::try_from(message.len()).unwrap().to_be_bytes();
        let head = [0x81, 0x80 | 126, len[0], len[1], 0, 0, 0, 0];
        stream.write_all(&[&head, message.as_bytes()].concat()).unwrap();
        read_until(&mut stream, "\"rateLimits\"")
    }
}

fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut read = Vec::new();
    loop {
        let mut part = [0; 4_096];
        let len = stream.read(&mut part).unwrap();
        assert!(len > 0, "the venue ended the connection");
        read.extend(&part[..len]);
        let text = String::from_utf8_lossy(&read).into_owned();
        if text.contains(end) {
            return text;
        }
    }
}
