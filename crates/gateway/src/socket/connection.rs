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
use types::Origin;
use venue::{Metrics, Stage};

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
    incomplete: Incomplete,
    /// The venue closes the connection.
    is_cut: AtomicBool,
    reader: AtomicWaker,
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

/// How long a call spent in each stage before it was submitted to the venue.
pub(crate) struct CallTimes {
    /// Of a request by HTTP; `None` for a message of a WebSocket.
    permit: Option<Arc<ConnectionPermit>>,
    receive: Option<Duration>,
    decode: Duration,
    check: Duration,
    /// When the request was read.
    read: Instant,
    /// When the current stage began.
    since: Instant,
}

impl CallTimes {
    pub(crate) fn begin(permit: Option<Arc<ConnectionPermit>>) -> Self {
        let since = Instant::now();
        let read = permit.as_ref().and_then(|permit| permit.take(&permit.read));
        Self {
            receive: read.map(|read| since.saturating_duration_since(read)),
            permit,
            decode: Duration::ZERO,
            check: Duration::ZERO,
            read: read.unwrap_or(since),
            since,
        }
    }

    pub(crate) fn decoded(&mut self) {
        let time = self.lap();
        self.decode += time;
    }

    pub(crate) fn checked(&mut self) {
        let time = self.lap();
        self.check += time;
    }

    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now.saturating_duration_since(std::mem::replace(&mut self.since, now))
    }

    /// The answer to an order is ready; `woken` is when its task learned the outcome.
    pub(crate) fn answered(&self, metrics: &Metrics, woken: Instant) {
        let now = Instant::now();
        if let Some(receive) = self.receive {
            metrics.passed(Stage::Receive, receive, 1);
        }
        metrics.passed(Stage::Decode, self.decode, 1);
        metrics.passed(Stage::Check, self.check, 1);
        metrics.passed(Stage::Encode, now.saturating_duration_since(woken), 1);
        match &self.permit {
            Some(permit) => {
                permit.mark(&permit.answered, now);
                permit.mark(&permit.order_read, self.read);
            }
            // Answers of a WebSocket are written together.
            None => {
                metrics.order_answered(Origin::WebSocket, now.saturating_duration_since(self.read));
            }
        }
    }
}
