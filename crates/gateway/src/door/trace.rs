//! Traces of orders: one sampled order is one trace, made of the clock readings of its stages.
//!
//! The order's path reads no clock for it. It hands the trace to a bounded queue and never waits:
//! a trace that finds the queue full is dropped and counted. What becomes of a trace is decided by
//! the owner of the queue's other end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

use types::{Origin, Symbol};
use venue::{Metrics, Stage};

/// Traces that wait for their exporter.
const QUEUE_MAX: usize = 4_096;
/// The share of all orders.
const MILLIONTHS: u64 = 1_000_000;
const VERSION_00_LEN: usize = 55;

/// A sampled order that was answered. It says nothing of the account.
#[derive(Debug)]
pub struct OrderTrace {
    pub parent: Option<TraceParent>,
    pub operation: &'static str,
    pub symbol: Symbol,
    pub way: Origin,
    /// Of the answer, as HTTP counts them.
    pub status: u16,
    /// In order. `decode` has two parts, with `check` between them.
    pub stages: Vec<StageTime>,
    /// From the first stage to the last.
    pub begin: Instant,
    pub end: Instant,
    /// When the order's batch was applied: [`Metrics::fanned_out`] finds it by this.
    pub applied: Instant,
}

/// A stage of an order, or a part of it.
#[derive(Clone, Copy, Debug)]
pub struct StageTime {
    pub stage: Stage,
    pub begin: Instant,
    pub end: Instant,
}

impl OrderTrace {
    /// The next stage begins where the last one has ended.
    pub(crate) fn passed(&mut self, stage: Stage, end: Instant) {
        self.stages.push(StageTime { stage, begin: self.end, end });
        self.end = end;
    }
}

/// The client's span that the order is part of: the header `traceparent` of W3C Trace Context.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TraceParent {
    pub trace_id: [u8; 16],
    pub span_id: [u8; 8],
    pub is_sampled: bool,
}

impl TraceParent {
    /// `00-<trace id>-<span id>-<flags>` in lower hex; a later version may have more after it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, '-');
        let [version] = hex(parts.next()?)?;
        let (trace_id, span_id) = (hex(parts.next()?)?, hex(parts.next()?)?);
        let (flags, rest) = parts.next()?.split_at_checked(2)?;
        let [flags] = hex(flags)?;
        let is_known = version == 0 && text.len() == VERSION_00_LEN;
        let is_later = (1..0xff).contains(&version) && (rest.is_empty() || rest.starts_with('-'));
        let is_valid = (is_known || is_later) && trace_id != [0; 16] && span_id != [0; 8];
        is_valid.then_some(Self { trace_id, span_id, is_sampled: flags & 1 == 1 })
    }
}

/// Upper case is not legal here.
fn hex<const LEN: usize>(text: &str) -> Option<[u8; LEN]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = text.as_bytes().as_chunks() else { return None };
    let pairs: &[[u8; 2]; LEN] = pairs.try_into().ok()?;
    let mut bytes = [0; LEN];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

/// Chooses the orders to trace, and queues their traces.
#[derive(Debug)]
pub struct Traces {
    sample_millionths: u64,
    drawn: AtomicU64,
    queue: SyncSender<Box<OrderTrace>>,
    metrics: Arc<Metrics>,
}

impl Traces {
    /// Traces this many of a million orders. The receiver gets the traces.
    pub fn new(
        sample_millionths: u32,
        metrics: Arc<Metrics>,
    ) -> (Arc<Self>, Receiver<Box<OrderTrace>>) {
        let (queue, traces) = sync_channel(QUEUE_MAX);
        let sample_millionths = sample_millionths.into();
        let drawn = AtomicU64::new(0);
        (Arc::new(Self { sample_millionths, drawn, queue, metrics }), traces)
    }

    /// A client with a trace of its own decides for its orders.
    pub(crate) fn is_sampled(&self, parent: Option<TraceParent>) -> bool {
        match parent {
            Some(parent) => parent.is_sampled,
            None => {
                let number = self.drawn.fetch_add(1, Ordering::Relaxed);
                mix(number) % MILLIONTHS < self.sample_millionths
            }
        }
    }

    pub(crate) fn send(&self, trace: Box<OrderTrace>) {
        if self.queue.try_send(trace).is_err() {
            self.metrics.traces_dropped(1);
        }
    }
}

/// The finalizer of `SplitMix64`: every n-th order could be the same client's, or the same side's.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    #[test]
    fn a_parent_is_read_as_the_standard_has_it() {
        let parse = |text: String| TraceParent::parse(&text);
        let parent = parse(format!("00-{TRACE}-{SPAN}-01")).unwrap();
        assert_eq!((parent.trace_id[0], parent.trace_id[15]), (0x0a, 0x9c));
        assert_eq!((parent.span_id[0], parent.is_sampled), (0xb7, true));
        assert!(!parse(format!("00-{TRACE}-{SPAN}-02")).unwrap().is_sampled, "another flag");
        assert!(parse(format!("cc-{TRACE}-{SPAN}-01-what-comes-later")).is_some());
        for wrong in [
            String::new(),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("cc-{TRACE}-{SPAN}-01.more"),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{TRACE}é-{SPAN}-01"),
            format!("0-{TRACE}0-{SPAN}-01"),
        ] {
            assert_eq!(TraceParent::parse(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_share_is_that_of_the_setting_whatever_the_pattern_of_orders() {
        let sampled = |millionths, step: usize| {
            let metrics = Arc::new(Metrics::new(venue::Durability::Memory));
            let (traces, _exporter) = Traces::new(millionths, metrics);
            let drawn: Vec<_> = (0..100_000).map(|_| traces.is_sampled(None)).collect();
            drawn.iter().step_by(step).filter(|is_sampled| **is_sampled).count()
        };
        assert_eq!((sampled(0, 1), sampled(1_000_000, 1)), (0, 100_000));
        for step in [1, 2, 3, 100] {
            let expected = 100_000 / step / 10;
            let found = sampled(100_000, step);
            assert!(found.abs_diff(expected) * 5 < expected * 2, "{found} of step {step}");
        }
        let metrics = Arc::new(Metrics::new(venue::Durability::Memory));
        let (traces, _exporter) = Traces::new(0, metrics);
        let parent = TraceParent { trace_id: [1; 16], span_id: [1; 8], is_sampled: true };
        assert!(traces.is_sampled(Some(parent)), "the client decides");
    }
}
