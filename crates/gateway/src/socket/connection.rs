//! The permit of one connection, and the times of its requests.
//!
//! The connection's stream ([`TimedStream`](super::timed::TimedStream)) records when a request was
//! read and when its answer was written. [`CallTimes`] records the stages between.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Context;
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;
use tokio::sync::watch;
use types::{Origin, Symbol};
use venue::{Metrics, ReplyTimes, Stage};

use crate::door::trace::{OrderTrace, TraceParent, Traces};
use crate::socket::answers::Answers;
use crate::socket::share::{Exhausted, Network, Part};

/// Two bytes, and the mask of a client's frame.
const CONTROL_FRAME_HEAD: usize = 6;

/// The permit of one open connection, with the times of its newest request in nanoseconds; 0 is
/// none. A WebSocket keeps the permit after the request that opened it.
pub(crate) struct ConnectionPermit {
    place: Mutex<Part>,
    answers: Answers,
    /// The places that were left when this one was taken.
    pub(super) places_left: usize,
    opened: Instant,
    /// Whether a request was read to the end of its head.
    has_asked: AtomicBool,
    /// When the newest of the bytes that were read reached this machine, in Unix time.
    arrived_ns: AtomicU64,
    /// When the newest request was read, since `opened`.
    pub(super) read: AtomicU64,
    /// Since when an answer waits to be written, since `opened`.
    pub(super) answered: AtomicU64,
    /// When the order was read whose answer waits to be written, since `opened`.
    pub(super) order_read: AtomicU64,
    /// Of an order whose answer waits to be written.
    trace: Mutex<Option<PendingTrace>>,
    has_trace: AtomicBool,
    incomplete: Incomplete,
    /// The venue closes the connection.
    is_cut: AtomicBool,
    reader: AtomicWaker,
}

/// The trace of an order that lacks the last stage.
pub(super) struct PendingTrace {
    trace: Box<OrderTrace>,
    traces: Arc<Traces>,
}

impl PendingTrace {
    /// The answer was written.
    pub(super) fn replied(mut self, now: Instant) {
        self.trace.passed(Stage::Reply, now);
        self.traces.send(self.trace);
    }
}

/// What was read of a WebSocket's message that is not complete.
#[derive(Default)]
struct Incomplete {
    /// The most bytes, and the longest time in nanoseconds; 0 before the connection is a WebSocket.
    bytes_max: AtomicU64,
    time_max_ns: AtomicU64,
    bytes: AtomicU64,
    /// Since `opened`.
    since: AtomicU64,
}

impl ConnectionPermit {
    pub(crate) fn new(place: Part, answers: Answers) -> Arc<Self> {
        let none = || AtomicU64::new(0);
        let (arrived_ns, read, answered, order_read) = (none(), none(), none(), none());
        Arc::new(Self {
            places_left: place.left,
            place: Mutex::new(place),
            answers,
            opened: Instant::now(),
            has_asked: AtomicBool::new(false),
            arrived_ns,
            read,
            answered,
            order_read,
            trace: Mutex::new(None),
            has_trace: AtomicBool::new(false),
            incomplete: Incomplete::default(),
            is_cut: AtomicBool::new(false),
            reader: AtomicWaker::new(),
        })
    }

    /// Has the venue close the connection without another byte.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::Release);
        self.reader.wake();
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Acquire)
    }

    /// Before a look at [`ConnectionPermit::is_cut`]: the task that reads is woken by a cut.
    pub(super) fn reads_in(&self, context: &Context<'_>) {
        self.reader.register(context.waker());
    }

    /// Counts the place for another network.
    pub(super) fn move_place(&self, network: Network) -> Result<(), Exhausted> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).move_to(network)
    }

    /// Room for a large answer, or for one that waits, as a part of those of the connection's
    /// network.
    pub(super) fn answer_room(&self, len: usize) -> Option<Part> {
        let network = self.place.lock().unwrap_or_else(PoisonError::into_inner).network();
        self.answers.room(network, len)
    }

    /// Whether this is the first request.
    pub(super) fn asks_first(&self) -> bool {
        !self.has_asked.swap(true, Ordering::Relaxed)
    }

    pub(super) fn has_asked(&self) -> bool {
        self.has_asked.load(Ordering::Relaxed)
    }

    /// From now on the connection is a WebSocket, whose messages have these limits.
    pub(super) fn limit_messages(&self, bytes_max: u64, time_max: Duration) {
        let time_max_ns = u64::try_from(time_max.as_nanos()).unwrap_or(u64::MAX);
        self.incomplete.time_max_ns.store(time_max_ns, Ordering::Relaxed);
        self.incomplete.bytes_max.store(bytes_max, Ordering::Relaxed);
    }

    pub(super) fn is_web_socket(&self) -> bool {
        self.incomplete.bytes_max.load(Ordering::Relaxed) > 0
    }

    /// Counts bytes that were read. Returns whether the incomplete message may go on.
    pub(super) fn was_read(&self, bytes: usize) -> bool {
        let Incomplete { bytes_max, time_max_ns, bytes: in_message, since } = &self.incomplete;
        let bytes_max = bytes_max.load(Ordering::Relaxed);
        if bytes_max == 0 {
            return true;
        }
        let before = in_message.load(Ordering::Relaxed);
        let after = before + bytes as u64;
        in_message.store(after, Ordering::Relaxed);
        let now_ns = self.since_opened(Instant::now());
        if before == 0 {
            since.store(now_ns, Ordering::Relaxed);
        }
        let time_ns = now_ns.saturating_sub(since.load(Ordering::Relaxed));
        after <= bytes_max && time_ns <= time_max_ns.load(Ordering::Relaxed)
    }

    /// Bytes behind the end of the message were read together with it, and are not counted.
    pub(super) fn message_ended(&self) {
        self.incomplete.bytes.store(0, Ordering::Relaxed);
    }

    /// A control frame may lie between the parts of a message.
    pub(super) fn control_frame_ended(&self, payload: usize) {
        let frame = (payload + CONTROL_FRAME_HEAD) as u64;
        let rest = self.incomplete.bytes.load(Ordering::Relaxed).saturating_sub(frame);
        self.incomplete.bytes.store(rest, Ordering::Relaxed);
    }

    /// The venue reads nothing now: the client is not to blame for the time.
    pub(super) fn message_waits(&self) {
        self.mark(&self.incomplete.since, Instant::now());
    }

    /// Whether the incomplete message has exceeded a limit.
    pub(super) fn is_message_overdue(&self) -> bool {
        self.incomplete.bytes.load(Ordering::Relaxed) > 0 && !self.was_read(0)
    }

    pub(super) fn set_arrival(&self, arrived_ns: Option<u64>) {
        self.arrived_ns.store(arrived_ns.unwrap_or(0), Ordering::Relaxed);
    }

    /// How long the newest bytes have waited since they arrived; zero if the kernel gave no time.
    pub(crate) fn waited(&self, now_ns: u64) -> Duration {
        match self.arrived_ns.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            arrived_ns => Duration::from_nanos(now_ns.saturating_sub(arrived_ns)),
        }
    }

    fn set_trace(&self, trace: PendingTrace) {
        *self.trace.lock().unwrap_or_else(PoisonError::into_inner) = Some(trace);
        self.has_trace.store(true, Ordering::Release);
    }

    pub(super) fn take_trace(&self) -> Option<PendingTrace> {
        // Nearly always there is none, and a load costs less than a lock.
        if !self.has_trace.load(Ordering::Acquire) {
            return None;
        }
        self.has_trace.store(false, Ordering::Relaxed);
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn mark(&self, time: &AtomicU64, now: Instant) {
        time.store(self.since_opened(now), Ordering::Relaxed);
    }

    /// 64 bits hold 584 years.
    fn since_opened(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.opened).as_nanos() as u64
    }

    pub(super) fn take(&self, time: &AtomicU64) -> Option<Instant> {
        // Nearly always it is 0, and a load costs less than a swap.
        let marked = match time.load(Ordering::Relaxed) {
            0 => 0,
            _ => time.swap(0, Ordering::Relaxed),
        };
        (marked > 0).then(|| self.opened + Duration::from_nanos(marked))
    }
}

/// Ready once the gateway shuts down.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A sender that is gone cannot signal the contrary.
    let _sender_gone = stopping.wait_for(|stopping| *stopping).await;
}

/// Most parts of stages that a call passes before it is submitted: `decode`, `check`, `decode`.
const LAPS_MAX: usize = 3;

/// How long a call spent in each stage before it was submitted to the venue.
pub(crate) struct CallTimes {
    /// Of a request by HTTP; `None` for a message of a WebSocket.
    permit: Option<Arc<ConnectionPermit>>,
    /// When the request was read; `None` for a message of a WebSocket.
    read: Option<Instant>,
    begun: Instant,
    /// The stages since then, and when each ended.
    laps: [Option<(Stage, Instant)>; LAPS_MAX],
    /// From the request.
    pub(crate) parent: Option<TraceParent>,
}

/// What is traced of an order beside its stages.
pub(crate) struct TracedOrder {
    pub(crate) operation: &'static str,
    pub(crate) symbol: Symbol,
    pub(crate) way: Origin,
    pub(crate) status: u16,
}

impl CallTimes {
    pub(crate) fn begin(permit: Option<Arc<ConnectionPermit>>) -> Self {
        let begun = Instant::now();
        let read = permit.as_ref().and_then(|permit| permit.take(&permit.read));
        Self { permit, read, begun, laps: [None; LAPS_MAX], parent: None }
    }

    pub(crate) fn decoded(&mut self) {
        self.lap(Stage::Decode);
    }

    pub(crate) fn checked(&mut self) {
        self.lap(Stage::Check);
    }

    fn lap(&mut self, stage: Stage) {
        let free = self.laps.iter_mut().find(|lap| lap.is_none());
        debug_assert!(free.is_some(), "a call passes no more stages");
        if let Some(free) = free {
            *free = Some((stage, Instant::now()));
        }
    }

    fn time_in(&self, stage: Stage) -> Duration {
        let (mut time, mut since) = (Duration::ZERO, self.begun);
        for (of, end) in self.laps.iter().flatten() {
            if *of == stage {
                time += end.saturating_duration_since(since);
            }
            since = *end;
        }
        time
    }

    /// The answer to an order is ready; `woken` is when its task learned the outcome. Returns the
    /// present time.
    pub(crate) fn answered(&self, metrics: &Metrics, woken: Instant) -> Instant {
        let now = Instant::now();
        if let Some(read) = self.read {
            metrics.passed(Stage::Receive, self.begun.saturating_duration_since(read), 1);
        }
        metrics.passed(Stage::Decode, self.time_in(Stage::Decode), 1);
        metrics.passed(Stage::Check, self.time_in(Stage::Check), 1);
        metrics.passed(Stage::Encode, now.saturating_duration_since(woken), 1);
        let since = self.read.unwrap_or(self.begun);
        match &self.permit {
            Some(permit) => {
                permit.mark(&permit.answered, now);
                permit.mark(&permit.order_read, since);
            }
            // Answers of a WebSocket are written together.
            None => {
                metrics.order_answered(Origin::WebSocket, now.saturating_duration_since(since));
            }
        }
        now
    }

    /// Traces an order that was sampled: its answer was ready at `encoded`.
    pub(crate) fn trace(
        &self,
        traces: &Arc<Traces>,
        TracedOrder { operation, symbol, way, status }: TracedOrder,
        times: ReplyTimes,
        (woken, encoded): (Instant, Instant),
    ) {
        let begin = self.read.unwrap_or(self.begun);
        let mut trace = Box::new(OrderTrace {
            parent: self.parent,
            operation,
            symbol,
            way,
            status,
            stages: Vec::with_capacity(LAPS_MAX + 7),
            begin,
            end: begin,
            applied: times.applied,
        });
        if self.read.is_some() {
            trace.passed(Stage::Receive, self.begun);
        }
        for (stage, end) in self.laps.iter().flatten() {
            trace.passed(*stage, *end);
        }
        // Between the last check and the inbox lies what no stage has.
        trace.end = times.submitted;
        trace.passed(Stage::Queue, times.appended);
        trace.passed(Stage::Commit, times.committed);
        trace.passed(Stage::Apply, times.applied);
        trace.passed(Stage::Wake, woken);
        trace.passed(Stage::Encode, encoded);
        match &self.permit {
            Some(permit) => {
                permit.set_trace(PendingTrace { trace, traces: Arc::clone(traces) });
            }
            None => traces.send(trace),
        }
    }
}
