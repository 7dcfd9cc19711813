//! A collector of OpenTelemetry, as far as the venue needs one: OTLP over HTTP, on a real socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Collector {
    pub(super) url: String,
    spans: Arc<Mutex<Vec<Span>>>,
}

/// The spans of one trace.
#[derive(Debug)]
pub(super) struct Trace {
    pub(super) root: Span,
    pub(super) children: Vec<Span>,
}

impl Collector {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let spans: Arc<Mutex<Vec<Span>>> = Arc::default();
        let collected = Arc::clone(&spans);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                while let Some(body) = next_request(&mut stream) {
                    let request = ExportTraceServiceRequest::decode(&body[..]).unwrap();
                    collected.lock().unwrap().extend(spans_of(request));
                    let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\n\
                                   content-length: 0\r\n\r\n";
                    stream.get_mut().write_all(answer).unwrap();
                }
            }
        });
        Self { url, spans }
    }

    /// The traces so far, once there are this many.
    pub(super) fn traces(&self, count: usize) -> Vec<Trace> {
        let since = Instant::now();
        loop {
            let traces = traces_of(&self.spans.lock().unwrap());
            if traces.len() >= count {
                return traces;
            }
            assert!(since.elapsed() < PATIENCE, "{} traces, not {count}", traces.len());
            sleep(Duration::from_millis(20));
        }
    }
}

/// The body of a request for traces, or the end of the connection.
fn next_request(stream: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head.push(line.trim_end().to_ascii_lowercase());
    }
    assert_eq!(head[0], "post /v1/traces http/1.1");
    assert!(head.iter().any(|line| line == "content-type: application/x-protobuf"), "{head:?}");
    let len = head.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; len.parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    Some(body)
}

fn spans_of(request: ExportTraceServiceRequest) -> Vec<Span> {
    let mut spans = Vec::new();
    for of_resource in request.resource_spans {
        let resource = of_resource.resource.unwrap();
        let name = resource.attributes.iter().find(|pair| pair.key == "service.name").unwrap();
        let name = name.value.as_ref().and_then(|value| value.value.as_ref());
        assert_eq!(name, Some(&Value::StringValue("buttonwood".into())));
        spans.extend(of_resource.scope_spans.into_iter().flat_map(|of_scope| of_scope.spans));
    }
    spans
}

/// A root comes first: the venue sends a trace in one piece.
fn traces_of(spans: &[Span]) -> Vec<Trace> {
    let mut traces: Vec<Trace> = Vec::new();
    for span in spans {
        match traces.iter_mut().find(|trace| trace.root.trace_id == span.trace_id) {
            Some(trace) => trace.children.push(span.clone()),
            None => traces.push(Trace { root: span.clone(), children: Vec::new() }),
        }
    }
    traces
}

impl Trace {
    pub(super) fn attribute(&self, name: &str) -> String {
        let pair = self.root.attributes.iter().find(|pair| pair.key == name);
        match pair.and_then(|pair| pair.value.as_ref()?.value.as_ref()) {
            Some(Value::StringValue(text)) => text.clone(),
            Some(Value::IntValue(number)) => number.to_string(),
            other => panic!("{name} is {other:?}"),
        }
    }

    /// The names of the stages in their order, and once each.
    pub(super) fn stages(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for span in &self.children {
            if !names.contains(&&span.name[..]) {
                names.push(&span.name);
            }
        }
        names
    }

    /// The time in all parts of a stage.
    pub(super) fn time_in(&self, stage: &str) -> Duration {
        self.children.iter().filter(|span| span.name == stage).map(time_of).sum()
    }

    /// What a client waits for.
    pub(super) fn time_in_stages(&self) -> Duration {
        self.children.iter().filter(|span| span.name != "fan_out").map(time_of).sum()
    }
}

pub(super) fn time_of(span: &Span) -> Duration {
    Duration::from_nanos(span.end_time_unix_nano - span.start_time_unix_nano)
}
