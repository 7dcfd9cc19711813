//! The halt of the venue and the phase of each instrument, as gauges.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::Engine;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use types::{Event, InstrumentId, Phase, Symbol};

use crate::metrics::SYMBOLS_MAX;

/// Set by the publisher's thread, read by scrapes.
#[derive(Debug, Default)]
pub(crate) struct TradingState(Mutex<Trading>);

#[derive(Debug, Default)]
struct Trading {
    /// 0 if there is no halt.
    halt_level: u8,
    /// `None` for a delisted instrument.
    phases: BTreeMap<InstrumentId, (Symbol, Option<Phase>)>,
}

impl TradingState {
    /// The state before the publisher's first event.
    pub(crate) fn begin(&self, engine: &Engine) {
        let mut trading = self.lock();
        trading.halt_level = engine.venue_halt().map_or(0, |halt| halt.level);
        let phase = |id| engine.phase(id).filter(|_| !engine.is_delisted(id));
        let instruments = engine.instruments();
        trading.phases = instruments.map(|of| (of.id, (of.spec.symbol, phase(of.id)))).collect();
    }

    pub(crate) fn apply(&self, event: &Event) {
        match event {
            Event::VenueHalted(halt) => self.lock().halt_level = halt.level,
            Event::VenueResumed(()) => self.lock().halt_level = 0,
            Event::InstrumentListed(listed) => {
                let (id, symbol) = (listed.instrument.id, listed.instrument.spec.symbol);
                self.lock().phases.insert(id, (symbol, Some(Phase::Continuous)));
            }
            Event::PhaseChanged(changed) => self.set(changed.instrument, Some(changed.phase)),
            Event::InstrumentDelisted(delisted) => self.set(delisted.instrument, None),
            _ => {}
        }
    }

    fn set(&self, instrument: InstrumentId, phase: Option<Phase>) {
        if let Some((_, known)) = self.lock().phases.get_mut(&instrument) {
            *known = phase;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Trading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collector for TradingState {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let trading = self.lock();
        let help = "Level of the halt of the whole venue, 0 if there is none";
        let mut halt = encoder.encode_descriptor("venue_halted", help, None, MetricType::Gauge)?;
        halt.encode_gauge(&u64::from(trading.halt_level))?;
        let help = "1 for the phase that an instrument is in";
        let kind = MetricType::Gauge;
        let mut phases = encoder.encode_descriptor("instrument_phase", help, None, kind)?;
        for (symbol, phase) in trading.phases.values().take(SYMBOLS_MAX) {
            let name = phase.map_or("Delisted".to_owned(), |phase| format!("{phase:?}"));
            let labels = [("symbol", symbol.as_str()), ("phase", name.as_str())];
            phases.encode_family(&labels)?.encode_gauge(&1_u64)?;
        }
        Ok(())
    }
}
