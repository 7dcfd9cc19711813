//! The run of one strategy, or of several in accounts of their own: what happens next, in the order
//! of time.
//!
//! At one time, the strategy sees the record before answers, the market sees the record before
//! requests, and the strategy's side comes before the market's, as in hftbacktest. A timer comes
//! after all of it.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::feed::{Feed, FeedLatency, Source};
use super::latency::OrderLatency;
use super::levels::{LevelMarket, LevelRules};
use super::market::{Answers, Market, Wires};
use super::orders::{Divergence, FollowMarket, ImpactMarket};
use super::prints::PrintMarket;
use crate::account::Fees;
use crate::context::{Context, View};
use crate::desk::Desk;
use crate::funding::Funding;
use crate::instrument::Instrument;
use crate::journal::Journal;
use crate::order::{ACCOUNTS_MAX, Action, account_of};
use crate::panicked::caught;
use crate::risk::RiskLimits;
use crate::strategy::Strategy;

/// What a run needs besides strategies and data. Limits and latencies are those of each account,
/// and so are fees where it has none of its own.
#[derive(Clone, Debug)]
pub struct Setup {
    pub instruments: Vec<Instrument>,
    pub fees: Fees,
    pub funding: Funding,
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

/// An account of a run: the strategy that trades in it, and the record of what it does.
#[derive(Debug)]
pub struct Seat<'a, S> {
    pub strategy: &'a mut S,
    pub journal: &'a mut Journal,
    /// In place of the run's.
    pub fees: Option<Fees>,
}

impl<'a, S> Seat<'a, S> {
    /// The only account of a run.
    pub fn alone(strategy: &'a mut S, journal: &'a mut Journal) -> Vec<Self> {
        vec![Self { strategy, journal, fees: None }]
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Ran {
    /// What each account's strategy knows at the end.
    pub contexts: Vec<Context>,
    /// Equity and counts of several accounts together.
    pub whole: Option<Journal>,
    pub events: u64,
    /// Events whose times were moved because they were too far out of order.
    pub late: u64,
    /// Whether it was stopped before the end of the record.
    pub is_partial: bool,
}

/// Runs strategies over a record by levels.
pub fn run_levels<S: Strategy, F: Source>(
    setup: &Setup,
    rules: LevelRules,
    source: F,
    seats: Vec<Seat<'_, S>>,
    stop: &AtomicBool,
) -> Result<Ran, RunError<F::Error>> {
    let market = |instrument: &Instrument| LevelMarket::new(rules, instrument.lot_size());
    let markets = setup.instruments.iter().map(market).collect();
    run(setup, markets, source, seats, stop).map(|(ran, _)| ran)
}

/// Runs strategies over a record of trades.
pub fn run_prints<S: Strategy, F: Source>(
    setup: &Setup,
    source: F,
    seats: Vec<Seat<'_, S>>,
    stop: &AtomicBool,
) -> Result<Ran, RunError<F::Error>> {
    let markets = setup.instruments.iter().map(|_| PrintMarket::default()).collect();
    run(setup, markets, source, seats, stop).map(|(ran, _)| ran)
}

/// Runs strategies over a record order by order, which own orders do not change.
pub fn run_follow<S: Strategy, F: Source>(
    setup: &Setup,
    source: F,
    seats: Vec<Seat<'_, S>>,
    stop: &AtomicBool,
) -> Result<Ran, RunError<F::Error>> {
    let markets = setup.instruments.iter().map(|_| FollowMarket::default()).collect();
    run(setup, markets, source, seats, stop).map(|(ran, _)| ran)
}

/// Runs strategies over a record order by order, with own orders in the engine's book.
pub fn run_impact<S: Strategy, F: Source>(
    setup: &Setup,
    source: F,
    seats: Vec<Seat<'_, S>>,
    stop: &AtomicBool,
) -> Result<(Ran, Divergence), RunError<F::Error>> {
    let markets = setup.instruments.iter().map(|_| ImpactMarket::default()).collect();
    let (ran, markets) = run(setup, markets, source, seats, stop)?;
    let mut sum = Divergence::default();
    for market in &markets {
        sum.executed += market.divergence.executed;
        sum.unmatched += market.divergence.unmatched;
        sum.canceled += market.divergence.canceled;
        sum.unknown += market.divergence.unknown;
    }
    Ok((ran, sum))
}

impl Setup {
    /// What must hold before the first event.
    pub(super) fn check<S, E>(&self, seats: &[Seat<'_, S>]) -> Result<(), RunError<E>> {
        if self.instruments.is_empty() {
            return Err(RunError::Setup("the run has no instruments"));
        }
        if seats.is_empty() {
            return Err(RunError::Setup("the run has no accounts"));
        }
        if seats.len() > ACCOUNTS_MAX {
            return Err(RunError::Setup("the run has more than 256 accounts"));
        }
        if self.sample_ns <= 0 {
            return Err(RunError::Setup("the time between samples is not positive"));
        }
        if let OrderLatency::Measured(rows) = &self.latency
            && rows.is_empty()
        {
            return Err(RunError::Setup("the latency file has no rows"));
        }
        Ok(())
    }

    /// A desk for each account.
    pub(super) fn desks<'a, S: Strategy>(&self, seats: Vec<Seat<'a, S>>) -> Vec<Desk<'a, S>> {
        let desk = |(account, Seat { strategy, journal, fees }): (usize, Seat<'a, S>)| {
            let Self { instruments, limits, .. } = self;
            let fees = fees.unwrap_or(self.fees);
            let context = Context::of_account(account, instruments.clone(), fees, *limits);
            Desk::new(context, strategy, journal, self.funding.clone(), self.sample_ns)
        };
        seats.into_iter().enumerate().map(desk).collect()
    }
}

/// The record of several accounts together; one account's own record is that of the whole.
pub(super) fn whole<'a, 'b: 'a, S: 'b>(
    desks: impl ExactSizeIterator<Item = &'a Desk<'b, S>>,
) -> Option<Journal> {
    (desks.len() > 1).then(|| Journal::whole(desks.map(|desk| &*desk.journal)))
}

/// Ends the records of all accounts at one time, and returns what their strategies know.
pub(super) fn finish<S: Strategy>(
    mut desks: Vec<Desk<'_, S>>,
    whole: &mut Option<Journal>,
) -> std::io::Result<Vec<Context>> {
    let end_ns = desks.iter().map(|desk| desk.context.now_ns).max().unwrap_or(0);
    for Desk { context, journal, .. } in &mut desks {
        context.now_ns = end_ns;
        journal.finish(context)?;
    }
    if let Some(whole) = whole {
        whole.add_all(desks.iter().map(|desk| &*desk.journal));
        desks.iter().for_each(|desk| whole.count(&desk.journal.totals));
    }
    Ok(desks.into_iter().map(|desk| desk.context).collect())
}

fn run<S: Strategy, M: Market, F: Source>(
    setup: &Setup,
    markets: Vec<M>,
    source: F,
    seats: Vec<Seat<'_, S>>,
    stop: &AtomicBool,
) -> Result<(Ran, Vec<M>), RunError<F::Error>> {
    setup.check(&seats)?;
    let eyes = || markets.iter().map(|_| M::Eyes::default()).collect();
    let seated = |desk| Seated { desk, eyes: eyes() };
    let seated: Vec<_> = setup.desks(seats).into_iter().map(seated).collect();
    match <[Seated<'_, S, M>; 1]>::try_from(seated) {
        Ok(alone) => run_seated(setup, markets, source, alone, stop),
        Err(several) => run_seated(setup, markets, source, several, stop),
    }
}

fn run_seated<'a, S: Strategy + 'a, M: Market + 'a, F: Source, A: Accounts<'a, S, M>>(
    setup: &Setup,
    markets: Vec<M>,
    source: F,
    accounts: A,
    stop: &AtomicBool,
) -> Result<(Ran, Vec<M>), RunError<F::Error>> {
    let seats = accounts.as_ref();
    let mut run = Run {
        feed: Feed::new(source, setup.feed),
        wires: Wires::new(&setup.latency, setup.instruments.len(), seats.len()),
        whole: whole(seats.iter().map(|seat| &seat.desk)),
        markets,
        accounts,
        events: 0,
        seats: PhantomData,
    };
    let is_partial = caught(|| run.until_end(stop))?;
    let Run { accounts, mut whole, events, feed, markets, .. } = run;
    let desks = accounts.into_iter().map(|seat| seat.desk).collect();
    let contexts = finish(desks, &mut whole)?;
    Ok((Ran { contexts, whole, events, late: feed.late, is_partial }, markets))
}

/// An account with what its strategy sees of each instrument's market.
struct Seated<'a, S, M: Market> {
    desk: Desk<'a, S>,
    eyes: Vec<M::Eyes>,
}

/// The accounts of a run. At one time the first one's strategy acts first. One account is an array,
/// so that a run of it has no loops over accounts.
trait Accounts<'a, S: 'a, M: Market + 'a>:
    AsRef<[Seated<'a, S, M>]> + AsMut<[Seated<'a, S, M>]> + IntoIterator<Item = Seated<'a, S, M>>
{
}

impl<'a, S: 'a, M: Market + 'a> Accounts<'a, S, M> for [Seated<'a, S, M>; 1] {}
impl<'a, S: 'a, M: Market + 'a> Accounts<'a, S, M> for Vec<Seated<'a, S, M>> {}

struct Run<'a, S, M: Market, F, A> {
    feed: Feed<F>,
    wires: Wires,
    markets: Vec<M>,
    accounts: A,
    whole: Option<Journal>,
    events: u64,
    seats: PhantomData<Seated<'a, S, M>>,
}

impl<'a, S: Strategy + 'a, M: Market + 'a, F: Source, A: Accounts<'a, S, M>> Run<'a, S, M, F, A> {
    /// Returns whether the run was stopped.
    fn until_end(&mut self, stop: &AtomicBool) -> Result<bool, RunError<F::Error>> {
        self.feed.refill().map_err(RunError::Source)?;
        let first_ns = self.feed.market_ns().min(self.feed.local_ns());
        if first_ns == i64::MAX {
            return Ok(false);
        }
        self.desks().for_each(|desk| desk.start(first_ns));
        self.send();
        self.check_strategy()?;
        loop {
            let local_ns = self.feed.local_ns();
            let market_ns = self.feed.market_ns();
            let answer_ns = self.wires.answers.next_ns();
            let request_ns = self.wires.requests.next_ns();
            let next_ns = local_ns.min(market_ns).min(answer_ns).min(request_ns);
            let (wake_ns, safe_ns) = (self.wake_ns(), self.feed.safe_ns());
            // At the end of the record timers end with it.
            if next_ns >= safe_ns && (wake_ns >= safe_ns || safe_ns == i64::MAX) {
                self.check_strategy()?;
                if safe_ns == i64::MAX {
                    return Ok(false);
                }
                if stop.load(Ordering::Relaxed) {
                    return Ok(true);
                }
                self.feed.refill().map_err(RunError::Source)?;
                continue;
            }
            if wake_ns < next_ns {
                self.wake(wake_ns)?;
            } else if local_ns == next_ns {
                self.see(local_ns)?;
            } else if answer_ns == next_ns {
                self.answer(answer_ns)?;
            } else if market_ns == next_ns {
                // What follows may not be before these.
                let until_ns = local_ns.min(wake_ns.saturating_add(1)).min(safe_ns);
                self.market(until_ns, request_ns)?;
            } else {
                self.request(request_ns);
            }
        }
    }

    #[inline]
    fn desks(&mut self) -> impl Iterator<Item = &mut Desk<'a, S>> {
        self.accounts.as_mut().iter_mut().map(|seat| &mut seat.desk)
    }

    fn check_strategy(&self) -> Result<(), RunError<F::Error>> {
        match self.accounts.as_ref().iter().find_map(|seat| seat.desk.fault()) {
            Some(fault) => Err(RunError::Strategy(fault.to_owned())),
            None => Ok(()),
        }
    }

    /// When the next timer, sample or payment of an account is due.
    #[inline]
    fn wake_ns(&self) -> i64 {
        let wakes = self.accounts.as_ref().iter().map(|seat| seat.desk.wake_ns());
        wakes.min().unwrap_or(i64::MAX)
    }

    #[inline]
    fn wake(&mut self, ns: i64) -> Result<(), RunError<F::Error>> {
        for desk in self.desks() {
            if desk.wake_ns() == ns {
                desk.wake(ns)?;
            }
        }
        if let Some(whole) = &mut self.whole {
            whole.add_all(self.accounts.as_ref().iter().map(|seat| &*seat.desk.journal));
        }
        self.send();
        Ok(())
    }

    /// What reaches the strategies from the record at `ns`.
    #[inline]
    fn see(&mut self, ns: i64) -> Result<(), RunError<F::Error>> {
        self.desks().for_each(|desk| desk.context.now_ns = ns);
        while self.feed.local_ns() == ns {
            let event = *self.feed.next_local();
            for Seated { desk, eyes } in self.accounts.as_mut() {
                let update = |view: &mut View| {
                    M::see(&mut eyes[usize::from(event.instrument)], view, &event);
                };
                if desk.see(&event, update).is_none() {
                    return Err(RunError::InstrumentUnknown(event.instrument));
                }
            }
        }
        self.desks().for_each(Desk::book_changed);
        self.send();
        Ok(())
    }

    fn answer(&mut self, ns: i64) -> Result<(), RunError<F::Error>> {
        while let Some(answer) = self.wires.answers.pop_at(ns) {
            let desk = &mut self.accounts.as_mut()[account_of(answer.id)].desk;
            desk.context.now_ns = ns;
            desk.answered(&answer)?;
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

    /// Sends what call-backs have put into the outbox.
    #[inline]
    fn send(&mut self) {
        for Seated { desk: Desk { context, journal, .. }, .. } in self.accounts.as_mut() {
            if context.outbox.is_empty() {
                continue;
            }
            for request in context.outbox.drain(..) {
                if let Action::New { .. } = request.action {
                    journal.sent();
                }
                self.wires.send(request);
            }
        }
    }
}
