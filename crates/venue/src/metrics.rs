//! Figures of the running venue for its operator, as Prometheus and its kind collect them.

mod buckets;
mod disk;
mod exposition;
mod figures;
mod operator;
mod orders;
mod process;
mod refusal;
mod sequencer;
mod state_hash;
mod time_sync;
mod trading;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine::{Engine, RULES_VERSION};
use log::{Durability, LogWrite, Room};
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use spool::Applied;
use types::{Event, Origin, StateHash};

pub use self::buckets::Buckets;
use self::disk::DiskUse;
use self::exposition::Sources;
pub use self::exposition::{Exposition, MetricSource};
pub use self::figures::Figures;
use self::operator::OperatorState;
pub use self::orders::BookFigures;
use self::orders::{Bare, OrderFlow, Prefixed};
use self::process::Process;
pub use self::refusal::RefusalCause;
use self::sequencer::Sequencer;
use self::state_hash::LastHash;
use self::time_sync::TimeSync;
use self::trading::TradingState;
use crate::backlog::Backlog;
use crate::fan_outs::FanOuts;
use crate::stages::{Stage, StageTimes};

type Count = Gauge<u64, AtomicU64>;
type Seconds = Gauge<f64, AtomicU64>;

/// From the time of a fast disk to one that no client should wait.
const COMMIT_SECONDS: [f64; 14] =
    [50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.2, 0.5, 1.0];

/// Instruments with metrics of their own: the first that were listed. Each is a time series for the
/// operator's monitoring to keep.
const SYMBOLS_MAX: usize = 1_000;

/// How the second engine in this process fares.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[repr(u8)]
pub enum ReplicaStatus {
    /// There is none.
    #[default]
    Off,
    InStep,
    /// Its state was another one than the primary's.
    Differs,
    /// It was given up because it was too far behind.
    Behind,
    /// It could not go on.
    Failed,
}

impl ReplicaStatus {
    pub(crate) fn is_following(self) -> bool {
        self == Self::InStep
    }

    /// Whether an operator should look.
    pub fn is_alarm(self) -> bool {
        matches!(self, Self::Differs | Self::Behind | Self::Failed)
    }

    fn from_code(code: u8) -> Self {
        let all = [Self::Off, Self::InStep, Self::Differs, Self::Behind, Self::Failed];
        all.into_iter().find(|status| *status as u8 == code).unwrap_or_default()
    }
}

impl fmt::Display for ReplicaStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::InStep => "in step",
            Self::Differs => "differs",
            Self::Behind => "too far behind",
            Self::Failed => "failed",
        })
    }
}

#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// The names without a prefix.
    bare: Registry,
    disk_full: Count,
    batches: Counter,
    commit_seconds: Histogram,
    applied_sequence: Count,
    snapshot_sequence: Count,
    snapshot_time: Seconds,
    snapshot_duration: Seconds,
    snapshot_pause: Seconds,
    snapshot_failures: Counter,
    spool_first_sequence: Count,
    replica_alarm: Count,
    replica_lag: Count,
    projected_sequence: Count,
    projection_complete_from: Count,
    projection_lag: Count,
    projection_alarm: Count,
    intake_alarm: Count,
    publisher_stands: AtomicBool,
    command_wait: Seconds,
    refused: Family<[(&'static str, &'static str); 1], Counter>,
    proxy_headers_malformed: Counter,
    replica_compared: Count,
    sources: Sources,
    trace_dropped: Counter,

    pub(crate) fan_outs: FanOuts,
    pub(crate) backlog: Backlog,
    stages: Arc<StageTimes>,
    trading: Arc<TradingState>,
    pub(crate) orders: Arc<OrderFlow>,
    operator: Arc<OperatorState>,
    pub(crate) sequencer: Arc<Sequencer>,
    pub(crate) disk: Arc<DiskUse>,
    state_hash: Arc<LastHash>,
    replica_status: AtomicU8,
    /// The sequence of the snapshot before the newest one.
    snapshot_before: AtomicU64,
    last_batch: AtomicU64,
    replica_batch: AtomicU64,
}

impl Metrics {
    pub fn new(durability: Durability) -> Self {
        let metrics = Self {
            registry: Registry::with_prefix("buttonwood"),
            bare: Registry::default(),
            disk_full: Count::default(),
            batches: Counter::default(),
            commit_seconds: Histogram::new(COMMIT_SECONDS),
            applied_sequence: Count::default(),
            snapshot_sequence: Count::default(),
            snapshot_time: Seconds::default(),
            snapshot_duration: Seconds::default(),
            snapshot_pause: Seconds::default(),
            snapshot_failures: Counter::default(),
            spool_first_sequence: Count::default(),
            replica_alarm: Count::default(),
            replica_lag: Count::default(),
            projected_sequence: Count::default(),
            projection_complete_from: Count::default(),
            projection_lag: Count::default(),
            projection_alarm: Count::default(),
            intake_alarm: Count::default(),
            publisher_stands: AtomicBool::default(),
            command_wait: Seconds::default(),
            refused: Family::default(),
            proxy_headers_malformed: Counter::default(),
            replica_compared: Count::default(),
            sources: Sources::default(),
            trace_dropped: Counter::default(),
            fan_outs: FanOuts::default(),
            backlog: Backlog::default(),
            stages: Arc::default(),
            trading: Arc::default(),
            orders: Arc::default(),
            operator: Arc::default(),
            sequencer: Arc::default(),
            disk: Arc::default(),
            state_hash: Arc::default(),
            replica_status: AtomicU8::default(),
            snapshot_before: AtomicU64::default(),
            last_batch: AtomicU64::default(),
            replica_batch: AtomicU64::default(),
        };
        metrics.registered(durability)
    }

    fn registered(mut self, durability: Durability) -> Self {
        let level = match durability {
            Durability::Fsync => "fsync",
            Durability::Os => "os",
            Durability::Memory => "memory",
        };
        let r = &mut self.registry;
        let durability = Info::new([("level", level)]);
        r.register("durability", "What an acknowledged order survives", durability);
        let help = "1 while the disk of the log is full, and the venue takes cancels only";
        r.register("disk_full", help, self.disk_full.clone());
        r.register("batches_committed", "Batches of commands committed", self.batches.clone());
        let help = "From handing a batch to the log to reading it back";
        let commit_seconds = self.commit_seconds.clone();
        r.register_with_unit("commit_latency", help, Unit::Seconds, commit_seconds);
        let help = "Sequence of the last command applied";
        r.register("applied_sequence", help, self.applied_sequence.clone());
        let help = "Sequence of the newest snapshot, 0 if there is none";
        r.register("snapshot_sequence", help, self.snapshot_sequence.clone());
        let help = "When the newest snapshot was written, in Unix time";
        r.register_with_unit("snapshot_timestamp", help, Unit::Seconds, self.snapshot_time.clone());
        let help = "How long the newest snapshot of this process took to take and write";
        let snapshot_duration = self.snapshot_duration.clone();
        r.register_with_unit("snapshot_duration", help, Unit::Seconds, snapshot_duration);
        let help = "How long orders waited while the newest snapshot of this process began";
        r.register_with_unit("snapshot_pause", help, Unit::Seconds, self.snapshot_pause.clone());
        let help = "Snapshots that were due and not written";
        r.register("snapshot_failures", help, self.snapshot_failures.clone());
        let help = "Oldest sequence whose events the spool has";
        r.register("spool_first_sequence", help, self.spool_first_sequence.clone());
        let help =
            "1 when the replica has stopped: its state differed, it was too slow, or it failed";
        r.register("replica_alarm", help, self.replica_alarm.clone());
        let help = "Batches that the replica has yet to apply, 0 without a replica";
        r.register("replica_lag_batches", help, self.replica_lag.clone());
        let help = "Sequence of the last command in the read model";
        r.register("projection_sequence", help, self.projected_sequence.clone());
        let help = "First sequence from which the read model has all events";
        let complete_from = self.projection_complete_from.clone();
        r.register("projection_complete_from_sequence", help, complete_from);
        let help = "Commands that the read model has yet to take in";
        r.register("projection_lag_commands", help, self.projection_lag.clone());
        let help =
            "1 while the read model cannot go on: its disk is full, its file locked or damaged";
        r.register("projection_alarm", help, self.projection_alarm.clone());
        let help = "1 while orders from Redis are not taken";
        r.register("intake_alarm", help, self.intake_alarm.clone());
        let help = "How long the oldest command has waited that is not carried out yet";
        r.register_with_unit("command_wait", help, Unit::Seconds, self.command_wait.clone());
        let help = "Requests that were not taken on and may be sent again, by why";
        r.register("requests_refused", help, self.refused.clone());
        for cause in RefusalCause::ALL {
            drop(self.refused.get_or_create(&[("cause", cause.name())]));
        }
        let help = "Connections of trusted proxies cut for a malformed PROXY header";
        r.register("proxy_headers_malformed", help, self.proxy_headers_malformed.clone());
        let help = "Traces of orders that no collector took, or that found the queue to it full";
        r.register("trace_dropped", help, self.trace_dropped.clone());
        r.register_collector(Box::new(Arc::clone(&self.stages)));
        r.register_collector(Box::new(Arc::clone(&self.trading)));
        let help = "Last sequence at which the replica had the primary's state, 0 for none";
        r.register("replica_compared_sequence", help, self.replica_compared.clone());
        r.register_collector(Box::new(self.sources.clone()));
        r.register("build", "The build that runs", build());
        self.add_own_sources();
        self.bare.register_collector(Box::new(Bare(Arc::clone(&self.orders))));
        self.bare.register_collector(Box::new(Process));
        self
    }

    fn add_own_sources(&self) {
        self.sources.add(Arc::new(Prefixed(Arc::clone(&self.orders))));
        self.sources.add(self.operator.clone());
        self.sources.add(self.sequencer.clone());
        self.sources.add(self.disk.clone());
        self.sources.add(self.state_hash.clone());
        self.sources.add(Arc::new(TimeSync));
    }

    /// All of it in the `OpenMetrics` text format.
    pub fn text(&self) -> String {
        let status = self.replica_status();
        let behind = self.last_batch.load(Ordering::Relaxed);
        let behind = behind.saturating_sub(self.replica_batch.load(Ordering::Relaxed));
        self.replica_alarm.set(u64::from(status.is_alarm()));
        self.replica_lag.set(if status == ReplicaStatus::Off { 0 } else { behind });
        let applied = self.applied_sequence.get();
        self.projection_lag.set(applied.saturating_sub(self.projected_sequence.get()));
        self.command_wait.set(self.backlog.wait().as_secs_f64());
        self.sequencer.set_inbox(self.backlog.submitted_count(), self.backlog.drained_count());
        let mut out = String::new();
        let encoded = text::encode_registry(&mut out, &self.registry)
            .and_then(|()| text::encode_registry(&mut out, &self.bare))
            .and_then(|()| text::encode_eof(&mut out));
        encoded.expect("a string takes all that is written to it");
        out
    }

    /// The figures that an operator looks at first.
    pub fn figures(&self) -> Figures {
        let nonzero = |figure: u64| (figure > 0).then_some(figure);
        Figures {
            is_disk_full: self.disk_full.get() > 0,
            applied_sequence: self.applied_sequence.get(),
            snapshot_sequence: nonzero(self.snapshot_sequence.get()),
            snapshot_failures: self.snapshot_failures.get(),
            spool_first_sequence: self.spool_first_sequence.get(),
            projected_sequence: self.projected_sequence.get(),
            projection_complete_from: self.projection_complete_from.get(),
            is_projection_failing: self.projection_alarm.get() > 0,
            is_intake_standing: self.intake_alarm.get() > 0,
            is_publisher_standing: self.publisher_stands.load(Ordering::Relaxed),
        }
    }

    pub fn replica_status(&self) -> ReplicaStatus {
        ReplicaStatus::from_code(self.replica_status.load(Ordering::Relaxed))
    }

    /// An alarm is raised once, and stays.
    pub(crate) fn set_replica_status(&self, status: ReplicaStatus) {
        let raise = |before| {
            let is_alarm = ReplicaStatus::from_code(before).is_alarm();
            (!is_alarm).then_some(status as u8)
        };
        // It is an alarm already.
        let _ = self.replica_status.fetch_update(Ordering::Relaxed, Ordering::Relaxed, raise);
    }

    pub(crate) fn replica_followed(&self, batch_number: u64) {
        self.replica_batch.store(batch_number, Ordering::Relaxed);
    }

    pub(crate) fn set_room(&self, room: Room) {
        self.disk_full.set(u64::from(room != Room::Enough));
    }

    pub(crate) fn committed(
        &self,
        (batch_number, commands): (u64, u32),
        latency: Option<Duration>,
    ) {
        self.batches.inc();
        self.sequencer.committed(commands);
        self.last_batch.store(batch_number, Ordering::Relaxed);
        if let Some(latency) = latency {
            self.commit_seconds.observe(latency.as_secs_f64());
        }
    }

    /// Records a number of commands that spent this time in a stage.
    pub fn passed(&self, stage: Stage, time: Duration, commands: u64) {
        self.stages.observe(stage, time, commands);
    }

    /// From now on [`Metrics::fanned_out`] finds the newest batches.
    pub fn keep_fan_outs(&self) {
        self.fan_outs.keep();
    }

    /// When the batch that was applied at this time had reached the queues of all stream readers.
    pub fn fanned_out(&self, applied: Instant) -> Option<Instant> {
        self.fan_outs.find(applied)
    }

    /// A number of traces did not reach the collector.
    pub fn traces_dropped(&self, traces: u64) {
        self.trace_dropped.inc_by(traces);
    }

    pub fn dropped_traces(&self) -> u64 {
        self.trace_dropped.get()
    }

    /// A single order was answered, on this way and in this time.
    pub fn order_answered(&self, way: Origin, time: Duration) {
        self.orders.answered(way, time);
    }

    /// The books, for this scrape.
    pub fn set_books(&self, books: Vec<BookFigures>) {
        self.orders.set_books(books);
    }

    /// Adds the metrics of a part that starts after the venue.
    pub fn add_source(&self, source: Arc<dyn MetricSource>) {
        self.sources.add(source);
    }

    /// The state before the publisher's first event.
    pub(crate) fn begin(&self, engine: &Engine) {
        self.trading.begin(engine);
        self.orders.begin(engine);
        self.operator.begin(engine);
    }

    /// Counts a command and its events, on the publisher's thread.
    pub(crate) fn count_event(&self, event: &Event, is_operators: bool) {
        self.trading.apply(event);
        self.orders.apply(event, is_operators);
        self.operator.apply(event);
    }

    pub(crate) fn count_applied(&self, applied: &Applied) {
        self.operator.command(applied);
    }

    /// The log wrote a group of batches.
    pub(crate) fn log_written(&self, written: LogWrite) {
        self.disk.written(written);
    }

    /// The hash of the primary's state at this sequence.
    pub(crate) fn state_hashed(&self, hash: StateHash) {
        self.state_hash.set(hash);
    }

    /// The replica had the same state as the primary at this sequence.
    pub(crate) fn replica_compared(&self, sequence: u64) {
        self.replica_compared.set(sequence);
    }

    /// A request was not taken on.
    pub fn refused(&self, cause: RefusalCause) {
        self.refused.get_or_create(&[("cause", cause.name())]).inc();
    }

    /// A trusted proxy's connection was cut, because its header names no client.
    pub fn proxy_header_malformed(&self) {
        self.proxy_headers_malformed.inc();
    }

    pub(crate) fn published(&self, last_sequence: u64, spool_first_sequence: u64) {
        self.applied_sequence.set(last_sequence);
        self.spool_first_sequence.set(spool_first_sequence);
    }

    /// The read model has taken in all up to this command.
    pub fn projected(&self, sequence: u64) {
        self.projected_sequence.set(sequence);
    }

    /// The read model lacks no event of this command or a later one.
    pub fn projection_complete_from(&self, first_sequence: u64) {
        self.projection_complete_from.set(first_sequence);
    }

    pub fn projection_failed(&self, failed: bool) {
        self.projection_alarm.set(u64::from(failed));
    }

    pub fn intake_stands(&self, stands: bool) {
        self.intake_alarm.set(u64::from(stands));
    }

    /// Whether any publisher stands still. Each has an alarm of its own besides.
    pub fn publisher_stands(&self, stands: bool) {
        self.publisher_stands.store(stands, Ordering::Relaxed);
    }

    pub(crate) fn snapshot_found(&self, sequence: u64, written: SystemTime) {
        self.snapshot_sequence.set(sequence);
        let since_1970 = written.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.snapshot_time.set(since_1970.as_secs_f64());
    }

    pub(crate) fn snapshot_written(&self, sequence: u64, took: Duration) {
        let before = self.snapshot_sequence.get();
        self.snapshot_before.store(before, Ordering::Relaxed);
        self.snapshot_found(sequence, SystemTime::now());
        self.snapshot_duration.set(took.as_secs_f64());
    }

    /// The log was trimmed to what follows the older of the two snapshots.
    pub(crate) fn log_trimmed(&self) {
        self.disk.log_begins(self.snapshot_before.load(Ordering::Relaxed) + 1);
    }

    pub(crate) fn snapshot_paused(&self, pause: Duration) {
        self.snapshot_pause.set(pause.as_secs_f64());
    }

    pub(crate) fn snapshot_failed(&self) {
        self.snapshot_failures.inc();
    }
}

fn build() -> Info<[(&'static str, String); 3]> {
    let commit = option_env!("BUTTONWOOD_COMMIT").unwrap_or("unknown");
    Info::new([
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("commit", commit.to_owned()),
        ("rules", RULES_VERSION.to_string()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_labels() {
        let metrics = Metrics::new(Durability::Os);
        metrics.passed(Stage::Apply, Duration::from_nanos(300), 7);
        let text = metrics.text();
        for line in [
            "_bucket{le=\"2.56e-7\",stage=\"apply\"} 0",
            "_bucket{le=\"3.84e-7\",stage=\"apply\"} 7",
            "_bucket{le=\"+Inf\",stage=\"apply\"} 7",
            "_count{stage=\"apply\"} 7",
            "_sum{stage=\"apply\"} 0.0000021",
            "_count{stage=\"commit\"} 0",
        ] {
            let line = format!("\nbuttonwood_order_stage_seconds{line}\n");
            assert!(text.contains(&line), "{line}\n{text}");
        }
    }

    #[test]
    fn an_alarm_stays() {
        let metrics = Metrics::new(Durability::Fsync);
        assert_eq!(metrics.replica_status(), ReplicaStatus::Off);
        metrics.set_replica_status(ReplicaStatus::InStep);
        assert!(metrics.text().contains("buttonwood_replica_alarm 0\n"));
        metrics.set_replica_status(ReplicaStatus::Differs);
        metrics.set_replica_status(ReplicaStatus::Failed);
        metrics.set_replica_status(ReplicaStatus::InStep);
        assert_eq!(metrics.replica_status(), ReplicaStatus::Differs);
        assert!(metrics.text().contains("buttonwood_replica_alarm 1\n"));
    }

    #[test]
    fn the_lag_is_what_was_committed_and_not_followed() {
        let metrics = Metrics::new(Durability::Os);
        metrics.committed((7, 1), Some(Duration::from_micros(150)));
        assert!(metrics.text().contains("buttonwood_replica_lag_batches 0\n"), "there is none");
        metrics.set_replica_status(ReplicaStatus::InStep);
        metrics.replica_followed(4);
        let text = metrics.text();
        assert!(text.contains("buttonwood_replica_lag_batches 3\n"), "{text}");
        assert!(text.contains("buttonwood_durability_info{level=\"os\"} 1\n"), "{text}");
        assert!(
            text.contains("buttonwood_commit_latency_seconds_bucket{le=\"0.0002\"} 1\n"),
            "{text}"
        );
        assert!(
            text.contains("buttonwood_commit_latency_seconds_bucket{le=\"0.0001\"} 0\n"),
            "{text}"
        );
    }
}
