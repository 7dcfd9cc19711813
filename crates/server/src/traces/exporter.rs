//! The exporter: a thread that sends order traces to a collector, in OTLP over HTTP.
//!
//! A collector that is gone or slow costs traces, which are counted, and no order waits for it. A
//! batch that fails is not sent again.

use std::mem;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use gateway::OrderTrace;
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry::KeyValue;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SpanExporter as _;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use venue::Metrics;

use super::spans::{self, Now};
use crate::error::ServeError;

/// Traces wait for one or two ticks, until the fan-out of their orders is done.
const TICK: Duration = Duration::from_millis(200);
/// Traces of a request, of about 2 KiB each.
const BATCH_MAX: usize = 256;
/// Of one request.
const TIMEOUT: Duration = Duration::from_secs(3);
/// What is queued at the end is sent for so long, and a request more.
const END: Duration = Duration::from_secs(3);
const ANSWER_MAX: usize = 64 << 10;

pub(super) struct Exporter {
    collector: String,
    exporter: SpanExporter,
    /// Traces do not reach the collector.
    is_dropping: bool,
    dropped_before: u64,
}

impl Exporter {
    pub(super) fn new(collector: &str) -> Result<Self, ServeError> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Http::new())
            .with_endpoint(collector)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(TIMEOUT)
            .with_retry_policy(RetryPolicy::disabled())
            .build();
        let mut exporter = exporter.map_err(|error| {
            ServeError::new(format!("no traces can be sent to {collector}: {error}"))
        })?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder_empty().with_service_name("buttonwood");
        exporter.set_resource(&resource.with_attribute(version).build());
        let collector = collector.to_owned();
        Ok(Self { collector, exporter, is_dropping: false, dropped_before: 0 })
    }

    /// Exports traces until the sender of `stopped` is gone, then the rest of the queue.
    pub(super) fn run(
        mut self,
        queue: &Receiver<Box<OrderTrace>>,
        stopped: &Receiver<()>,
        metrics: &Metrics,
    ) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            // From now on every trace is dropped and counted: its queue is gone.
            Err(error) => return tracing::error!(%error, "no traces are exported"),
        };
        let mut waiting = Vec::new();
        loop {
            let is_last = stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout);
            let new = queue.try_iter().collect();
            let due = mem::replace(&mut waiting, new);
            let until = is_last.then(|| Instant::now() + END);
            let failure = self.export(&runtime, &due, until, metrics);
            self.report(&due, failure, metrics);
            if is_last {
                let failure = self.export(&runtime, &waiting, until, metrics);
                return self.report(&waiting, failure, metrics);
            }
        }
    }

    /// Returns the first failure. Without an answer to one request, or after `until`, the others
    /// are not sent.
    fn export(
        &self,
        runtime: &Runtime,
        traces: &[Box<OrderTrace>],
        until: Option<Instant>,
        metrics: &Metrics,
    ) -> Option<String> {
        let now = Now::read();
        let mut sent = 0;
        for batch in traces.chunks(BATCH_MAX) {
            if until.is_some_and(|until| Instant::now() > until) {
                metrics.traces_dropped((traces.len() - sent) as u64);
                return Some("the venue stops".into());
            }
            let mut spans = Vec::new();
            batch.iter().for_each(|trace| spans::append(&mut spans, trace, &now, metrics));
            if let Err(error) = runtime.block_on(self.exporter.export(spans)) {
                metrics.traces_dropped((traces.len() - sent) as u64);
                return Some(error.to_string());
            }
            sent += batch.len();
        }
        None
    }

    /// Warns once, when the first traces are dropped.
    fn report(&mut self, traces: &[Box<OrderTrace>], failure: Option<String>, metrics: &Metrics) {
        let dropped = metrics.dropped_traces();
        let collector = &self.collector;
        if dropped > mem::replace(&mut self.dropped_before, dropped) {
            if !mem::replace(&mut self.is_dropping, true) {
                let reason = failure.unwrap_or_else(|| "the collector is too slow".into());
                tracing::warn!(collector, reason, "traces of orders are dropped");
            }
        } else if self.is_dropping && !traces.is_empty() {
            self.is_dropping = false;
            tracing::info!(collector, dropped, "traces of orders reach the collector again");
        }
    }
}

/// One connection for each request: the runtime runs during requests alone, and would not see that
/// a collector closes an idle connection.
#[derive(Debug)]
struct Http(Client<HttpConnector, Full<Bytes>>);

impl Http {
    fn new() -> Self {
        let mut client = Client::builder(TokioExecutor::new());
        Self(client.pool_max_idle_per_host(0).build(HttpConnector::new()))
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = self.0.request(request.map(Full::new)).await?.into_parts();
        let body = Limited::new(body, ANSWER_MAX).collect().await?.to_bytes();
        Ok(Response::from_parts(head, body))
    }
}

impl HttpClient for Http {
    /// As the macro `async_trait` writes it.
    fn send_bytes<'client, 'sending>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'sending>>
    where
        'client: 'sending,
        Self: 'sending,
    {
        Box::pin(async { timeout(TIMEOUT, self.send(request)).await? })
    }
}
