//! The answers about the state of a venue.

use cli::moment::format_time;
use engine::Engine;
use schemars::JsonSchema;
use serde::Serialize;
use server::Durability;
use types::Instrument;

#[derive(JsonSchema, Serialize)]
pub(super) struct StatusShown {
    /// Always `primary`: a venue on one machine has no standby
    pub(super) role: &'static str,
    pub(super) durability: Durability,
    pub(super) sequence: u64,
    pub(super) disk_full: bool,
    /// Null before the first snapshot
    pub(super) snapshot_sequence: Option<u64>,
    pub(super) snapshot_failures: u64,
    pub(super) spool_first_sequence: u64,
    pub(super) read_model_sequence: u64,
    /// First sequence from which the read model has all events: 1 if none is missing, 0 before the
    /// read model is open
    pub(super) read_model_complete_from: u64,
    pub(super) read_model_failing: bool,
    /// Seconds since the first event that the read model lacks; null if it has all events, or none
    pub(super) read_model_behind_s: Option<u64>,
    pub(super) replica: String,
    /// Operators other than the requester that must approve a withdrawal
    pub(super) withdrawal_approvals: u8,
    /// The halt of the whole venue; null if there is none
    pub(super) halt: Option<HaltShown>,
    pub(super) instruments: Vec<InstrumentPhase>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct HaltShown {
    /// 1 to 3
    level: u8,
    /// When trading resumes by itself; null if an operator must end the halt
    resumes: Option<String>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct InstrumentPhase {
    symbol: String,
    /// Such as `Continuous` or `Halt`; `Delisted` for ever
    phase: String,
    /// When the phase ends by itself; null if it does not
    until: Option<String>,
}

/// The engine's part of the status.
pub(super) struct TradingShown {
    pub(super) withdrawal_approvals: u8,
    pub(super) halt: Option<HaltShown>,
    pub(super) instruments: Vec<InstrumentPhase>,
}

impl TradingShown {
    pub(super) fn of(engine: &Engine) -> Self {
        let time = |ns: u64| (ns > 0).then(|| format_time(ns));
        let halt = engine.venue_halt();
        let halt = halt.map(|halt| HaltShown { level: halt.level, resumes: time(halt.resume_ns) });
        let phase = |instrument: &Instrument| {
            let id = instrument.id;
            let phase = match engine.phase(id) {
                Some(phase) if !engine.is_delisted(id) => format!("{phase:?}"),
                _ => "Delisted".to_owned(),
            };
            let until = time(engine.phase_until_ns(id).unwrap_or_default());
            InstrumentPhase { symbol: instrument.spec.symbol.to_string(), phase, until }
        };
        let withdrawal_approvals = engine.withdrawal_approvals();
        Self { withdrawal_approvals, halt, instruments: engine.instruments().map(phase).collect() }
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct SnapshotBegun {
    pub(super) begun: bool,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct SnapshotShown {
    pub(super) batch: u64,
    pub(super) file: Option<String>,
    /// Null while the file is being replaced
    pub(super) bytes: Option<u64>,
}
