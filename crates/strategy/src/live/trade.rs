//! A live run: a strategy, the feed of a venue, and orders that the venue matches.
//!
//! One task has it all. Requests are tasks of their own, whose outcomes come back as messages.
//!
//! # Invariants
//! - A fill is applied once, whichever way it was learnt: a report, or the account's trades.
//! - An order ends for the strategy after all of its fills.
//! - Before the run returns, for whatever reason, each order has been canceled or asked for.
//!
//! # Known limits
//! - Orders of a process that is killed stand on.
//! - Other orders of the account are left alone, and count for the balances.

mod balances;
mod reports;
mod requests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::{Client, Feed, FeedMessage, Report, Reports, Venue, now_ns};
use recorded::Event;
use tokio::sync::mpsc;
use types::OrderId;

pub use self::balances::BalanceCheck;
use self::balances::Balances;
use self::requests::Settled;
use super::access::{Access, LiveError};
use super::feed::{append, append_loss};
use super::own::OwnOrders;
use super::record::Recorder;
use crate::backtest::{MeasuredRequest, Ran, Setup, see_levels};
use crate::builtin::{self, WithStrategy};
use crate::context::Context;
use crate::desk::Desk;
use crate::funding::Funding;
use crate::job::{AccountJob, Done, Job};
use crate::journal::Journal;
use crate::panicked::caught_while_polled;
use crate::strategy::Strategy;

/// How long a run may take to cancel its orders at its end.
const LEAVE: Duration = Duration::from_secs(20);
/// After this time without a feed, the orders are canceled: the strategy cannot see what it quotes.
const BLIND: Duration = Duration::from_secs(5);
const TICK: Duration = Duration::from_millis(50);

/// What a live run needs besides its job.
#[derive(Debug)]
pub struct Live<'a> {
    /// With the credentials of the account.
    pub client: Client,
    pub feed: Feed,
    pub recorder: Option<Recorder>,
    pub stop: &'a AtomicBool,
    pub until: Option<Instant>,
}

/// A live run that has ended.
#[derive(Debug)]
pub struct Traded {
    pub done: Done,
    pub recorder: Option<Recorder>,
    pub ended_ns: i64,
    /// Of orders, as they were measured.
    pub latencies: Vec<MeasuredRequest>,
    /// How often the feed was lost, and why the last time.
    pub lost: u64,
    pub last_loss: Option<String>,
    /// Why the venue refused the last of the requests that it refused.
    pub last_refusal: Option<String>,
    /// Orders that may stand: the venue has not answered for them.
    pub unsettled: Vec<String>,
    /// `None` if the venue did not answer.
    pub balances: Option<Vec<BalanceCheck>>,
}

/// Runs the strategy of a job until it is stopped.
pub async fn trade(job: &Job, live: Live<'_>, journal: Journal) -> Result<Traded, LiveError> {
    let [AccountJob { strategy, values, .. }] = job.accounts.as_slice() else {
        return Err(LiveError::Strategy("a run on a venue has one account".to_owned()));
    };
    let built = builtin::build(strategy, values, OnVenue { job, live, journal });
    match built {
        Ok(run) => run.await,
        Err(error) => Err(LiveError::Strategy(error.to_string())),
    }
}

struct OnVenue<'a> {
    job: &'a Job,
    live: Live<'a>,
    journal: Journal,
}

impl<'a> WithStrategy for OnVenue<'a> {
    type Output = std::pin::Pin<Box<dyn Future<Output = Result<Traded, LiveError>> + 'a>>;

    fn run<S: Strategy + Clone + Send + 'static>(self, strategy: S) -> Self::Output {
        let Self { job, live, journal } = self;
        Box::pin(trade_with(&job.setup, live, journal, strategy))
    }
}

/// Runs a strategy of any type until it is stopped. Of the setup it takes instruments, fees, limits
/// and the time between samples.
pub async fn trade_with<S: Strategy>(
    setup: &Setup,
    live: Live<'_>,
    mut journal: Journal,
    mut strategy: S,
) -> Result<Traded, LiveError> {
    let Live { client, feed, recorder, stop, until } = live;
    let mut balances = Balances::read(&client, feed.instruments()).await?;
    let (venue, reports) = Venue::websocket(client.clone(), None)?;
    let (answers, settled) = mpsc::unbounded_channel();
    let context = Context::new(setup.instruments.clone(), setup.fees, setup.limits);
    let sample_ns = setup.sample_ns;
    let mut trader = Trader {
        desk: Desk::new(context, &mut strategy, &mut journal, Funding::default(), sample_ns),
        access: Access { client, venue },
        prefix: requests::prefix(),
        own: OwnOrders::default(),
        feed,
        reports: Some(reports),
        answers,
        settled,
        recorder,
        balances: &mut balances,
        events: Vec::new(),
        seen: 0,
        first_ns: None,
        blind_since: Some(Instant::now()),
        is_leaving: false,
        latencies: Vec::new(),
        lost: 0,
        last_loss: None,
        last_refusal: None,
    };
    let ended = caught_while_polled(trader.until_stopped(stop, until)).await;
    let ended = ended.unwrap_or_else(|panic| Err(LiveError::Strategy(panic)));
    let ended_ns = now_ns();
    // Whatever has ended the run, no order shall stand.
    let left = trader.leave().await;
    let Trader { desk, access, own, recorder, seen, latencies, .. } = trader;
    let (lost, last_loss, last_refusal) = (trader.lost, trader.last_loss, trader.last_refusal);
    let context = desk.context;
    let name = |id: OrderId| own.get(id).map(|own| own.name.clone());
    let unsettled = context.open_orders().iter().filter_map(|order| name(order.id)).collect();
    ended.and(left)?;
    journal.finish(&context)?;
    let checked = balances.check(&access.client).await;
    let contexts = vec![context];
    let ran = Ran { contexts, whole: None, events: seen, late: 0, is_partial: false };
    Ok(Traded {
        done: Done { ran, journals: vec![journal], divergence: None },
        recorder,
        ended_ns,
        latencies,
        lost,
        last_loss,
        last_refusal,
        unsettled,
        balances: checked,
    })
}

struct Trader<'a, S> {
    desk: Desk<'a, S>,
    access: Access,
    /// Of the names of the run's orders.
    prefix: String,
    own: OwnOrders,
    feed: Feed,
    /// `None` once they have ended.
    reports: Option<Reports>,
    answers: mpsc::UnboundedSender<Settled>,
    settled: mpsc::UnboundedReceiver<Settled>,
    recorder: Option<Recorder>,
    balances: &'a mut Balances,
    /// Of the message that is being handled.
    events: Vec<Event>,
    seen: u64,
    first_ns: Option<i64>,
    /// `None` while the feed is current.
    blind_since: Option<Instant>,
    is_leaving: bool,
    latencies: Vec<MeasuredRequest>,
    lost: u64,
    last_loss: Option<String>,
    last_refusal: Option<String>,
}

impl<S: Strategy> Trader<'_, S> {
    async fn until_stopped(
        &mut self,
        stop: &AtomicBool,
        until: Option<Instant>,
    ) -> Result<(), LiveError> {
        let mut tick = tokio::time::interval(TICK);
        loop {
            let wake_ns = self.desk.wake_ns().saturating_sub(now_ns()).clamp(0, 1_000_000_000);
            tokio::select! {
                message = self.feed.next() => self.fed(message)?,
                report = next_report(&mut self.reports) => self.reported(report)?,
                Some(settled) = self.settled.recv() => self.settled(settled)?,
                () = tokio::time::sleep(Duration::from_nanos(wake_ns.cast_unsigned())) => {}
                _ = tick.tick() => {
                    let is_late = until.is_some_and(|until| Instant::now() >= until);
                    if is_late || stop.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    self.ticked();
                }
            }
            self.catch_up()?;
            self.send();
            if let Some(fault) = self.desk.fault() {
                return Err(LiveError::Strategy(fault.to_owned()));
            }
        }
    }

    /// Cancels what stands, and waits for its end.
    async fn leave(&mut self) -> Result<(), LiveError> {
        self.is_leaving = true;
        self.desk.context.kill();
        let until = Instant::now() + LEAVE;
        loop {
            self.cancel_all();
            self.send();
            if self.desk.context.open_orders().is_empty() || Instant::now() >= until {
                return Ok(());
            }
            tokio::select! {
                report = next_report(&mut self.reports) => self.reported(report)?,
                Some(settled) = self.settled.recv() => self.settled(settled)?,
                () = tokio::time::sleep(TICK) => self.ask_for_fills(),
            }
        }
    }

    fn cancel_all(&mut self) {
        let context = &mut self.desk.context;
        let open = context.open_orders().iter();
        let open = open.filter(|order| order.pending.is_none()).map(|order| order.id);
        for id in open.collect::<Vec<_>>() {
            // It is open, and nothing is pending: there is no reason to refuse it.
            let _ = context.cancel(id);
        }
    }

    fn ticked(&mut self) {
        if self.blind_since.is_some_and(|since| since.elapsed() >= BLIND) {
            self.cancel_all();
        }
        self.ask_for_fills();
    }

    fn ask_for_fills(&mut self) {
        for instrument in self.own.overdue() {
            self.ask_for_trades(instrument);
        }
    }

    /// Brings the strategy to the present: what has arrived, and timers that are due.
    fn catch_up(&mut self) -> Result<(), LiveError> {
        if self.is_leaving {
            return Ok(());
        }
        while let Some(message) = self.feed.try_next() {
            self.fed(message)?;
        }
        self.wake_until(now_ns())
    }

    fn wake_until(&mut self, ns: i64) -> Result<(), LiveError> {
        while self.first_ns.is_some() && self.desk.wake_ns() < ns {
            self.desk.wake(self.desk.wake_ns())?;
        }
        Ok(())
    }

    fn fed(&mut self, message: FeedMessage) -> Result<(), LiveError> {
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        match message {
            FeedMessage::Market(market) => {
                append(&market, &mut events);
                self.blind_since = None;
            }
            FeedMessage::Lost { reason } => {
                self.lost += 1;
                self.last_loss = Some(reason);
                self.blind_since.get_or_insert_with(Instant::now);
                if self.first_ns.is_some() {
                    append_loss(self.feed.instruments().len(), now_ns(), &mut events);
                }
            }
        }
        let seen = self.see(&mut events);
        self.events = events;
        seen
    }

    /// The same steps as in a back-test over these events.
    fn see(&mut self, events: &mut [Event]) -> Result<(), LiveError> {
        let Some(first) = events.first() else { return Ok(()) };
        let first_ns = match self.first_ns {
            Some(first_ns) => first_ns,
            None => {
                self.desk.start(first.exchange_ns);
                *self.first_ns.insert(first.exchange_ns)
            }
        };
        for event in &mut *events {
            event.exchange_ns = event.exchange_ns.max(first_ns);
            event.local_ns = event.local_ns.max(event.exchange_ns);
        }
        let local_ns = events[0].local_ns;
        self.wake_until(local_ns)?;
        self.desk.context.now_ns = self.desk.context.now_ns.max(local_ns);
        for event in &*events {
            let seen = self.desk.see(event, |view| see_levels(view, event));
            seen.expect("the feed has the instruments of the run");
        }
        self.desk.book_changed();
        self.seen += events.len() as u64;
        if let Some(recorder) = &mut self.recorder {
            recorder.append(events)?;
        }
        Ok(())
    }
}

/// The next report; never, once they have ended.
async fn next_report(reports: &mut Option<Reports>) -> Option<Report> {
    match reports {
        Some(reports) => reports.next().await,
        None => std::future::pending().await,
    }
}
