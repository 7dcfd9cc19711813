//! The run of one strategy: what happens next, in the order of time.
//!
//! At one time, the strategy sees the record before answers, the market sees the record before
//! requests, and the strategy's side comes before the market's, as in hftbacktest. A timer comes
//! after all of it.

use std::sync::atomic::{AtomicBool, Ordering};

use recorded::{Event, Kind};
use thiserror::Error;

use super::feed::{Feed, FeedLatency, Source};
use super::journal::Journal;
use super::latency::OrderLatency;
use super::levels::{LevelMarket, LevelRules};
use super::market::{Answers, Market, Wires};
use super::orders::{Divergence, FollowMarket, ImpactMarket};
use super::prints::PrintMarket;
use crate::account::Fees;
use crate::context::Context;
use crate::instrument::Instrument;
use crate::order::{Action, Outcome};
use crate::risk::RiskLimits;
use crate::strategy::{Strategy, Trade};

/// What a run needs besides strategy and data.
#[derive(Clone, Debug)]
pub struct Setup {
    pub instruments: Vec<Instrument>,
    pub fees: Fees,
    pub limits: RiskLimits,
    pub latency: OrderLatency,
    pub feed: FeedLatency,
    /// Between two samples of the equity.
    pub sample_ns: i64,
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError<E> {
    #[error(transparent)]
    Source(E),
    #[error("cannot write the results: {0}")]
    Io(#[from] std::io::Error),
    #[error("the strategy: {0}")]
    Strategy(String),
    #[error("an event names instrument {0}, which is not in the run")]
    InstrumentUnknown(u16),
    #[error("{0}")]
    Setup(&'static str),
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Ran {
    pub context: Context,
    pub events: u64,
    /// Events whose times were moved because they were too far out of order.
    pub late: u64,
    /// Whether it was stopped before the end of the record.
    pub is_partial: bool,
}

/// Runs a strategy over a record by levels.
pub fn run_levels<S: Strategy, F: Source>(
    setup: &Setup,
    rules: LevelRules,
    source: F,
    strategy: &mut S,
    journal: &mut Journal,
    stop: &AtomicBool,
) -> Result<Ran, RunError<F::Error>> {
    let market = |instrument: &Instrument| LevelMarket::new(rules, instrument.lot_size());
    let markets = setup.instruments.iter().map(market).collect();
    run(setup, markets, source, strategy, journal, stop).map(|(ran, _)| ran)
}

/// Runs a strategy over a record of trades.
pub fn run_prints<S: Strategy, F: Source>(
    setup: &Setup,
    source: F,
    strategy: &mut S,
    journal: &mut Journal,
    stop: &AtomicBool,
) -> Result<Ran, RunError<F::Error>> {
    let markets = setup.instruments.iter().map(|_| PrintMarket::default()).collect();
    run(setup, markets, source, strategy, journal, stop).map(|(ran, _)| ran)
}

/// Runs a strategy over a record order by order, which own orders do not change.
pub fn run_follow<S: Strategy, F: Source>(
    setup: &Setup,
    source: F,
    strategy: &mut S,
    journal: &mut Journal,
    stop: &AtomicBool,
) -> Result<Ran, RunError<F::Error>> {
    let markets = setup.instruments.iter().map(|_| FollowMarket::default()).collect();
    run(setup, markets, source, strategy, journal, stop).map(|(ran, _)| ran)
}

/// Runs a strategy over a record order by order, with own orders in the engine's book.
pub fn run_impact<S: Strategy, F: Source>(
    setup: &Setup,
    source: F,
    strategy: &mut S,
    journal: &mut Journal,
    stop: &AtomicBool,
) -> Result<(Ran, Divergence), RunError<F::Error>> {
    let markets = setup.instruments.iter().map(|_| ImpactMarket::default()).collect();
    let (ran, markets) = run(setup, markets, source, strategy, journal, stop)?;
    let mut sum = Divergence::default();
    for market in &markets {
        sum.executed += market.divergence.executed;
        sum.unmatched += market.divergence.unmatched;
        sum.canceled += market.divergence.canceled;
        sum.unknown += market.divergence.unknown;
    }
    Ok((ran, sum))
}

pub(crate) fn run<S: Strategy, M: Market, F: Source>(
    setup: &Setup,
    markets: Vec<M>,
    source: F,
    strategy: &mut S,
    journal: &mut Journal,
    stop: &AtomicBool,
) -> Result<(Ran, Vec<M>), RunError<F::Error>> {
    if setup.instruments.is_empty() {
        return Err(RunError::Setup("the run has no instruments"));
    }
    if setup.sample_ns <= 0 {
        return Err(RunError::Setup("the time between samples is not positive"));
    }
    if let OrderLatency::Measured(rows) = &setup.latency
        && rows.is_empty()
    {
        return Err(RunError::Setup("the latency file has no rows"));
    }
    let mut run = Run {
        feed: Feed::new(source, setup.feed),
        wires: Wires::new(setup.latency.clone(), setup.instruments.len()),
        eyes: markets.iter().map(|_| M::Eyes::default()).collect(),
        markets,
        context: Context::new(setup.instruments.clone(), setup.fees, setup.limits),
        strategy,
        journal,
        sample_ns: setup.sample_ns,
        next_sample_ns: i64::MAX,
        events: 0,
    };
    let is_partial = run.until_end(stop)?;
    run.journal.finish(&run.context)?;
    let Run { context, events, feed, markets, .. } = run;
    Ok((Ran { context, events, late: feed.late, is_partial }, markets))
}

struct Run<'a, S, M: Market, F> {
    feed: Feed<F>,
    wires: Wires,
    markets: Vec<M>,
    eyes: Vec<M::Eyes>,
    context: Context,
    strategy: &'a mut S,
    journal: &'a mut Journal,
    sample_ns: i64,
    next_sample_ns: i64,
    events: u64,
}

impl<S: Strategy, M: Market, F: Source> Run<'_, S, M, F> {
    /// Returns whether the run was stopped.
    fn until_end(&mut self, stop: &AtomicBool) -> Result<bool, RunError<F::Error>> {
        self.feed.refill().map_err(RunError::Source)?;
        let first_ns = self.feed.market_ns().min(self.feed.local_ns());
        if first_ns == i64::MAX {
            return Ok(false);
        }
        self.context.now_ns = first_ns;
        self.next_sample_ns = first_ns - first_ns.rem_euclid(self.sample_ns) + self.sample_ns;
        self.strategy.on_start(&mut self.context);
        self.send();
        self.check_strategy()?;
        loop {
            let local_ns = self.feed.local_ns();
            let market_ns = self.feed.market_ns();
            let answer_ns = self.wires.answers.next_ns();
            let request_ns = self.wires.requests.next_ns();
            let next_ns = local_ns.min(market_ns).min(answer_ns).min(request_ns);
            if next_ns >= self.feed.safe_ns() {
                self.check_strategy()?;
                if self.feed.safe_ns() == i64::MAX {
                    return Ok(false);
                }
                if stop.load(Ordering::Relaxed) {
                    return Ok(true);
                }
                self.feed.refill().map_err(RunError::Source)?;
                continue;
            }
            let wake_ns = self.next_sample_ns.min(self.context.timers.next_ns());
            if wake_ns < next_ns {
                self.wake(wake_ns)?;
            } else if local_ns == next_ns {
                self.see(local_ns)?;
            } else if answer_ns == next_ns {
                self.answer(answer_ns)?;
            } else if market_ns == next_ns {
                // What follows may not be before these.
                let until_ns = local_ns.min(wake_ns.saturating_add(1)).min(self.feed.safe_ns());
                self.market(until_ns, request_ns)?;
            } else {
                self.request(request_ns);
            }
        }
    }

    fn check_strategy(&self) -> Result<(), RunError<F::Error>> {
        match self.strategy.fault() {
            Some(fault) => Err(RunError::Strategy(fault.to_owned())),
            None => Ok(()),
        }
    }

    /// Runs what is due after all that happened up to `ns`.
    fn wake(&mut self, ns: i64) -> Result<(), RunError<F::Error>> {
        self.context.now_ns = ns;
        if self.next_sample_ns == ns {
            self.next_sample_ns = ns.saturating_add(self.sample_ns);
            self.journal.sample(&self.context)?;
            if self.context.risk.watches_drawdown() {
                let pnl = self.context.total_pnl();
                self.context.risk.record_pnl(pnl);
            }
        }
        while self.context.timers.next_ns() == ns {
            let Some((_, timer)) = self.context.timers.pop() else { break };
            self.strategy.on_timer(&mut self.context, timer);
            self.send();
        }
        Ok(())
    }

    /// What reaches the strategy from the record at `ns`.
    #[inline]
    fn see(&mut self, ns: i64) -> Result<(), RunError<F::Error>> {
        self.context.now_ns = ns;
        let mut changed = None;
        while self.feed.local_ns() == ns {
            let event = *self.feed.next_local();
            let at = usize::from(event.instrument);
            if changed.is_some_and(|instrument| instrument != event.instrument) {
                self.book_changed(&mut changed);
            }
            let Some(view) = self.context.views.get_mut(at) else {
                return Err(RunError::InstrumentUnknown(event.instrument));
            };
            M::see(&mut self.eyes[at], view, &event);
            match event.kind {
                Kind::Trade => self.traded(&event),
                _ => changed = Some(event.instrument),
            }
        }
        self.book_changed(&mut changed);
        Ok(())
    }

    #[inline]
    fn book_changed(&mut self, changed: &mut Option<u16>) {
        if let Some(instrument) = changed.take() {
            self.strategy.on_book(&mut self.context, instrument);
            self.send();
        }
    }

    #[inline]
    fn traded(&mut self, event: &Event) {
        let trade = Trade {
            instrument: event.instrument,
            price: event.price,
            qty: event.quantity,
            side: event.side,
            exchange_ns: event.exchange_ns,
        };
        self.strategy.on_trade(&mut self.context, &trade);
        self.send();
    }

    fn answer(&mut self, ns: i64) -> Result<(), RunError<F::Error>> {
        self.context.now_ns = ns;
        while let Some(answer) = self.wires.answers.pop_at(ns) {
            self.journal.answered(&answer, &self.context)?;
            match self.context.apply(&answer) {
                Some(fill) => {
                    self.journal.filled(&fill, &self.context)?;
                    self.strategy.on_fill(&mut self.context, &fill);
                }
                None => {
                    debug_assert!(!matches!(answer.outcome, Outcome::Filled(_)));
                    self.strategy.on_order(&mut self.context, &answer);
                }
            }
            self.send();
        }
        Ok(())
    }

    /// The market processes the record until a time that is before `until_ns` and not after the
    /// next request or answer.
    #[inline]
    fn market(&mut self, until_ns: i64, request_ns: i64) -> Result<(), RunError<F::Error>> {
        let mut market_ns = self.feed.market_ns();
        while market_ns < until_ns
            && market_ns <= request_ns
            && market_ns < self.wires.answers.next_ns()
        {
            let event = self.feed.next_market();
            let instrument = event.instrument;
            let Some(market) = self.markets.get_mut(usize::from(instrument)) else {
                return Err(RunError::InstrumentUnknown(instrument));
            };
            market.event(event, &mut Answers { wires: &mut self.wires, instrument });
            self.events += 1;
            market_ns = self.feed.market_ns();
        }
        Ok(())
    }

    fn request(&mut self, ns: i64) {
        while let Some(request) = self.wires.requests.pop_at(ns) {
            let instrument = request.instrument;
            let mut answers = Answers { wires: &mut self.wires, instrument };
            self.markets[usize::from(instrument)].request(&request, ns, &mut answers);
        }
    }

    /// Sends what a call-back has put into the outbox.
    #[inline]
    fn send(&mut self) {
        if self.context.outbox.is_empty() {
            return;
        }
        let mut outbox = std::mem::take(&mut self.context.outbox);
        for request in outbox.drain(..) {
            if let Action::New { .. } = request.action {
                self.journal.sent();
            }
            self.wires.send(request);
        }
        self.context.outbox = outbox;
    }
}
