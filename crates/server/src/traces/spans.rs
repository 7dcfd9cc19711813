//! Spans as OpenTelemetry has them, of the trace of an order.

use std::borrow::Cow;
use std::time::{Instant, SystemTime};

use gateway::{OrderTrace, TraceParent};
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator, SpanData, SpanEvents, SpanLinks};
use types::Origin;
use venue::{Metrics, Stage};

/// Both clocks at one moment. A batch of traces is converted by one reading, so that durations stay
/// what they were.
pub(super) struct Now {
    instant: Instant,
    system: SystemTime,
}

impl Now {
    pub(super) fn read() -> Self {
        Self { instant: Instant::now(), system: SystemTime::now() }
    }

    fn system_time(&self, instant: Instant) -> SystemTime {
        self.system - self.instant.saturating_duration_since(instant)
    }
}

/// Appends the spans of one order: the root, a child for each stage, and the fan-out, which may end
/// after the root.
pub(super) fn append(spans: &mut Vec<SpanData>, trace: &OrderTrace, now: &Now, metrics: &Metrics) {
    let (trace_id, parent) = match trace.parent {
        Some(TraceParent { trace_id, span_id, .. }) => {
            (TraceId::from_bytes(trace_id), SpanId::from_bytes(span_id))
        }
        None => (RandomIdGenerator::default().new_trace_id(), SpanId::INVALID),
    };
    let span = |name, parent, begin, end| Span { trace_id, parent, name, begin, end };
    let root = span(trace.operation, parent, trace.begin, trace.end).data(now);
    let root_id = root.span_context.span_id();
    spans.push(SpanData {
        span_kind: SpanKind::Server,
        parent_span_is_remote: trace.parent.is_some(),
        attributes: attributes(trace),
        ..root
    });
    let stages = trace.stages.iter().map(|part| (part.stage, part.begin, part.end));
    let fan_out = metrics.fanned_out(trace.applied);
    let fan_out = fan_out.map(|done| (Stage::FanOut, trace.applied, done));
    let children = stages.chain(fan_out);
    spans.extend(
        children.map(|(stage, begin, end)| span(stage.name(), root_id, begin, end).data(now)),
    );
}

fn attributes(trace: &OrderTrace) -> Vec<KeyValue> {
    let way = match trace.way {
        Origin::WebSocket => "websocket",
        _ => "rest",
    };
    vec![
        KeyValue::new("buttonwood.operation", trace.operation),
        KeyValue::new("buttonwood.symbol", trace.symbol.to_string()),
        KeyValue::new("buttonwood.way", way),
        KeyValue::new("buttonwood.status", i64::from(trace.status)),
    ]
}

struct Span {
    trace_id: TraceId,
    parent: SpanId,
    name: &'static str,
    begin: Instant,
    end: Instant,
}

impl Span {
    fn data(self, now: &Now) -> SpanData {
        let span_id = RandomIdGenerator::default().new_span_id();
        let flags = TraceFlags::SAMPLED;
        let state = TraceState::NONE;
        SpanData {
            span_context: SpanContext::new(self.trace_id, span_id, flags, false, state),
            parent_span_id: self.parent,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: Cow::Borrowed(self.name),
            start_time: now.system_time(self.begin),
            end_time: now.system_time(self.end),
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: InstrumentationScope::builder("buttonwood").build(),
        }
    }
}
