//! Back-tests over bars.
//!
//! A bar says nothing about the order of its prices, so a path is assumed: from the open to the
//! nearer of high and low, to the other one, to the close; a tie goes to the low first. An order
//! that was sent at a bar's close enters at the next open and fills along the path:
//! - a market order at the open;
//! - a limit order at the open if that is its price or better, else at its price when the path
//!   reaches it;
//! - a stop order at the open if the bar opens beyond it, else at its price when the path reaches
//!   it. It is pessimistic: a stop and a limit that both lie inside one bar fill stop first, unless
//!   the rules say otherwise.
//!
//! Each order fills in full, and a bar's volume is no limit: bars suit orders that are small beside
//! it. Orders are sent in call-backs at the close, never during a bar, so there are no latencies.

use std::sync::atomic::{AtomicBool, Ordering};

use types::{OrderId, Price, Qty, Side};

use super::run::{Ran, RunError, Seat, Setup, finish, whole};
use crate::desk::Desk;
use crate::journal::Journal;
use crate::order::{Action, Answer, Execution, FillCause, Outcome, Rejected, Request, Terms};
use crate::panicked::caught;
use crate::strategy::{Bar, Strategy};

/// Gives bars in the order of time, batch after batch.
pub trait BarSource {
    type Error;

    /// The next bars; none at the end.
    fn next_bars(&mut self) -> Result<&[Bar], Self::Error>;
}

impl<B: BarSource> BarSource for &mut B {
    type Error = B::Error;

    fn next_bars(&mut self) -> Result<&[Bar], Self::Error> {
        (**self).next_bars()
    }
}

/// Bars in memory.
#[derive(Debug)]
pub struct BarsInMemory<'a>(&'a [Bar]);

impl<'a> BarsInMemory<'a> {
    pub fn new(bars: &'a [Bar]) -> Self {
        Self(bars)
    }
}

impl BarSource for BarsInMemory<'_> {
    type Error = std::convert::Infallible;

    fn next_bars(&mut self) -> Result<&[Bar], Self::Error> {
        // Small enough for a look at the stop flag, large enough that it costs nothing.
        let (first, rest) = self.0.split_at(self.0.len().min(1 << 14));
        self.0 = rest;
        Ok(first)
    }
}

/// The rules of bars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Stops fill first where stop and limit lie inside one bar.
    #[default]
    Pessimistic,
    /// In the order of the path.
    Path,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    id: OrderId,
    instrument: u16,
    side: Side,
    price: Price,
    qty: Qty,
    terms: Terms,
    sent_ns: i64,
}

/// Runs strategies over bars.
pub fn run_bars<S: Strategy, B: BarSource>(
    setup: &Setup,
    inside: Inside,
    mut source: B,
    seats: Vec<Seat<'_, S>>,
    stop: &AtomicBool,
) -> Result<Ran, RunError<B::Error>> {
    setup.check(&seats)?;
    let desks = setup.desks(seats);
    let whole = whole(desks.iter());
    let account = |desk| Account { desk, waiting: Vec::new() };
    let accounts = desks.into_iter().map(account).collect();
    let mut run = Run { accounts, whole, inside, now_ns: i64::MIN, bars: 0 };
    let is_partial = caught(|| run.until_end(&mut source, stop))?;
    let Run { accounts, mut whole, bars, .. } = run;
    let desks = accounts.into_iter().map(|account| account.desk).collect();
    let contexts = finish(desks, &mut whole)?;
    Ok(Ran { contexts, whole, events: bars, late: 0, is_partial })
}

struct Run<'a, S> {
    accounts: Vec<Account<'a, S>>,
    whole: Option<Journal>,
    inside: Inside,
    now_ns: i64,
    bars: u64,
}

/// No account's fills are missing for another one: each order fills in full.
struct Account<'a, S> {
    desk: Desk<'a, S>,
    waiting: Vec<Waiting>,
}

impl<S: Strategy> Run<'_, S> {
    /// Returns whether the run was stopped.
    fn until_end<B: BarSource>(
        &mut self,
        source: &mut B,
        stop: &AtomicBool,
    ) -> Result<bool, RunError<B::Error>> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(true);
            }
            let bars = source.next_bars().map_err(RunError::Source)?;
            if bars.is_empty() {
                return Ok(false);
            }
            for bar in bars {
                self.bar(bar)?;
            }
            if let Some(fault) = self.accounts.iter().find_map(|account| account.desk.fault()) {
                return Err(RunError::Strategy(fault.to_owned()));
            }
        }
    }

    #[inline]
    fn bar<E>(&mut self, bar: &Bar) -> Result<(), RunError<E>> {
        if bar.at_ns < self.now_ns {
            return Err(RunError::Setup("the bars are not in the order of their times"));
        }
        self.now_ns = bar.at_ns;
        let is_first = self.bars == 0;
        self.bars += 1;
        for account in &mut self.accounts {
            if is_first {
                account.desk.start(bar.at_ns);
                account.take_requests()?;
            }
            account.bar(bar, self.inside)?;
        }
        if let Some(whole) = &mut self.whole {
            whole.add_all(self.accounts.iter().map(|account| &*account.desk.journal));
        }
        Ok(())
    }
}

impl<S: Strategy> Account<'_, S> {
    #[inline]
    fn bar<E>(&mut self, bar: &Bar, inside: Inside) -> Result<(), RunError<E>> {
        self.desk.context.now_ns = bar.at_ns;
        // Between the bars, at the close before.
        self.desk.pay_funding(bar.at_ns);
        if !self.waiting.is_empty() {
            self.fill(bar, inside)?;
        }
        let Some(view) = self.desk.context.views.get_mut(usize::from(bar.instrument)) else {
            return Err(RunError::InstrumentUnknown(bar.instrument));
        };
        view.last_price = Some(bar.close);
        self.desk.bar(bar);
        if !self.desk.context.outbox.is_empty() {
            self.take_requests()?;
        }
        self.desk.sample()?;
        while self.desk.run_timer(bar.at_ns) {
            self.take_requests()?;
        }
        Ok(())
    }

    /// Requests are acknowledged at once; orders wait for the next bar.
    #[cold]
    fn take_requests<E>(&mut self) -> Result<(), RunError<E>> {
        while !self.desk.context.outbox.is_empty() {
            let requests = std::mem::take(&mut self.desk.context.outbox);
            for request in requests {
                let outcome = self.request(&request);
                self.answer(request.id, request.instrument, outcome)?;
            }
        }
        Ok(())
    }

    fn request(&mut self, request: &Request) -> Outcome {
        let Request { id, instrument, sent_ns, action } = *request;
        let at = self.waiting.iter().position(|order| order.id == id);
        match (action, at) {
            (Action::New { side, price, qty, terms }, _) => {
                self.desk.journal.sent();
                let order = Waiting { id, instrument, side, price, qty, terms, sent_ns };
                self.waiting.push(order);
                Outcome::Accepted
            }
            (_, None) => Outcome::Rejected(Rejected::NotOpen),
            (Action::Replace { price, qty }, Some(at)) => {
                self.waiting[at].price = price;
                self.waiting[at].qty = qty;
                Outcome::Replaced { price, qty }
            }
            (Action::Cancel, Some(at)) => {
                self.waiting.remove(at);
                Outcome::Canceled
            }
        }
    }

    /// Fills what the bar reaches, in the order in which it is reached.
    #[cold]
    fn fill<E>(&mut self, bar: &Bar, inside: Inside) -> Result<(), RunError<E>> {
        let mut reached: Vec<(u128, usize, Price, FillCause)> = Vec::new();
        for (at, order) in self.waiting.iter().enumerate() {
            if order.instrument == bar.instrument
                && let Some((when, price, cause)) = reach(order, bar, inside)
            {
                reached.push((when, at, price, cause));
            }
        }
        reached.sort_by_key(|(when, at, ..)| (*when, *at));
        let filled: Vec<(Waiting, Price, FillCause)> = reached
            .iter()
            .map(|(_, at, price, cause)| (self.waiting[*at], *price, *cause))
            .collect();
        self.waiting.retain(|order| filled.iter().all(|(other, ..)| other.id != order.id));
        // What an immediate order did not get expires.
        let over: Vec<Waiting> = self
            .waiting
            .extract_if(.., |order| {
                order.instrument == bar.instrument && matches!(order.terms, Terms::Ioc | Terms::Fok)
            })
            .collect();
        for (order, price, cause) in filled {
            let execution = Execution {
                price,
                qty: order.qty,
                is_maker: cause == FillCause::Path,
                cause,
                waited_ns: bar.at_ns - order.sent_ns,
            };
            self.answer(order.id, order.instrument, Outcome::Filled(execution))?;
        }
        for order in over {
            let outcome = Outcome::Expired(crate::order::Expired::Unfilled);
            self.answer(order.id, order.instrument, outcome)?;
        }
        Ok(())
    }

    fn answer<E>(
        &mut self,
        id: OrderId,
        instrument: u16,
        outcome: Outcome,
    ) -> Result<(), RunError<E>> {
        let exchange_ns = self.desk.context.now_ns;
        Ok(self.desk.answered(&Answer { id, instrument, exchange_ns, outcome })?)
    }
}

/// When and at what price a bar fills an order. "When" is the distance along the path.
fn reach(order: &Waiting, bar: &Bar, inside: Inside) -> Option<(u128, Price, FillCause)> {
    let opens_at_it = order.side.crosses(order.price, bar.open);
    match order.terms {
        Terms::Market => Some((0, bar.open, FillCause::Open)),
        Terms::Stop => {
            // A buy stop lies above the market: the bar opens beyond it if the open is not below.
            if order.side.opposite().crosses(order.price, bar.open) {
                return Some((0, bar.open, FillCause::Stopped));
            }
            let when = along(bar, order.price)?;
            let when = if inside == Inside::Pessimistic { 1 } else { when };
            Some((when, order.price, FillCause::Stopped))
        }
        Terms::PostOnly | Terms::Limit | Terms::Ioc | Terms::Fok => {
            if opens_at_it {
                return Some((0, bar.open, FillCause::Open));
            }
            along(bar, order.price).map(|when| (when, order.price, FillCause::Path))
        }
    }
}

/// The distance along the path of a bar at which it first reaches a price, plus two.
fn along(bar: &Bar, price: Price) -> Option<u128> {
    if price < bar.low || price > bar.high {
        return None;
    }
    let (up, down) = (apart(bar.open, bar.high), apart(bar.open, bar.low));
    let is_low_first = down <= up;
    let is_first = if is_low_first { price <= bar.open } else { price >= bar.open };
    let first = if is_low_first { down } else { up };
    let from_open = apart(bar.open, price);
    Some(2 + if is_first { from_open } else { first * 2 + from_open })
}

fn apart(one: Price, other: Price) -> u128 {
    (i128::from(one.ticks()) - i128::from(other.ticks())).unsigned_abs()
}

#[cfg(test)]
mod tests;
