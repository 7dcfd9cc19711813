//! A strategy at work: its call-backs with what they may see, and the records of both.
//!
//! What decides fills is elsewhere: a simulated market, or a venue. Requests of call-backs lie in
//! the context's outbox until the caller sends them.

use std::io;

use recorded::{Event, Kind};

use crate::bar_events::BarEvents;
use crate::context::{Context, View};
use crate::funding::Funding;
use crate::journal::Journal;
use crate::order::{Answer, Fill, Outcome};
use crate::strategy::{Bar, Strategy, Trade};

pub(crate) struct Desk<'a, S> {
    pub(crate) context: Context,
    strategy: &'a mut S,
    pub(crate) journal: &'a mut Journal,
    funding: Funding,
    bars: BarEvents,
    /// The instrument whose book has changed since the last call-back.
    changed: Option<u16>,
    sample_ns: i64,
    next_sample_ns: i64,
}

impl<'a, S: Strategy> Desk<'a, S> {
    pub(crate) fn new(
        context: Context,
        strategy: &'a mut S,
        journal: &'a mut Journal,
        funding: Funding,
        sample_ns: i64,
    ) -> Self {
        let (bars, changed, next_sample_ns) = (BarEvents::default(), None, i64::MAX);
        Self { context, strategy, journal, funding, bars, changed, sample_ns, next_sample_ns }
    }

    /// Before the first event, at its time.
    pub(crate) fn start(&mut self, first_ns: i64) {
        self.context.now_ns = first_ns;
        self.funding.skip_until(first_ns);
        self.next_sample_ns = first_ns - first_ns.rem_euclid(self.sample_ns) + self.sample_ns;
        self.strategy.on_start(&mut self.context);
    }

    /// Why the strategy cannot go on.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.strategy.fault()
    }

    /// When the next timer, sample or payment is due.
    #[inline]
    pub(crate) fn wake_ns(&self) -> i64 {
        self.next_sample_ns.min(self.context.timers.next_ns()).min(self.funding.next_ns())
    }

    /// Runs what is due after all that happened up to `ns`.
    pub(crate) fn wake(&mut self, ns: i64) -> io::Result<()> {
        self.context.now_ns = ns;
        self.funding.pay(ns, &mut self.context);
        if self.next_sample_ns == ns {
            self.next_sample_ns = ns.saturating_add(self.sample_ns);
            self.sample()?;
        }
        while self.run_timer(ns) {}
        Ok(())
    }

    /// An event of the market reaches the strategy. `update` changes the view by it. `None` if the
    /// event names an instrument that is not in the run.
    #[inline]
    pub(crate) fn see(&mut self, event: &Event, update: impl FnOnce(&mut View)) -> Option<()> {
        if self.changed.is_some_and(|instrument| instrument != event.instrument) {
            self.book_changed();
        }
        update(self.context.views.get_mut(usize::from(event.instrument))?);
        match event.kind {
            Kind::Trade => self.traded(event),
            Kind::Open | Kind::High | Kind::Low | Kind::Close => self.bar_event(event),
            _ => self.changed = Some(event.instrument),
        }
        Some(())
    }

    /// All that arrives at one time has been seen.
    #[inline]
    pub(crate) fn book_changed(&mut self) {
        if let Some(instrument) = self.changed.take() {
            self.strategy.on_book(&mut self.context, instrument);
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
    }

    fn bar_event(&mut self, event: &Event) {
        if let Some(bar) = self.bars.add(event) {
            self.strategy.on_bar(&mut self.context, &bar);
        }
    }

    /// A bar of a record that has bars alone.
    #[inline]
    pub(crate) fn bar(&mut self, bar: &Bar) {
        self.strategy.on_bar(&mut self.context, bar);
    }

    /// Funding that is due up to `ns`, at present marks.
    #[inline]
    pub(crate) fn pay_funding(&mut self, ns: i64) {
        self.funding.pay(ns, &mut self.context);
    }

    /// Runs the next timer that is due up to `ns`, if there is one.
    pub(crate) fn run_timer(&mut self, ns: i64) -> bool {
        if self.context.timers.next_ns() > ns {
            return false;
        }
        let Some((_, timer)) = self.context.timers.pop() else { return false };
        self.strategy.on_timer(&mut self.context, timer);
        true
    }

    /// Takes a sample of the equity.
    pub(crate) fn sample(&mut self) -> io::Result<()> {
        self.journal.sample(&self.context)?;
        if self.context.risk.watches_drawdown() {
            let pnl = self.context.total_pnl();
            self.context.risk.record_pnl(pnl);
        }
        Ok(())
    }

    /// The market has answered a request, or an order has filled or ended.
    pub(crate) fn answered(&mut self, answer: &Answer) -> io::Result<()> {
        match self.record(answer)? {
            Some(fill) => self.strategy.on_fill(&mut self.context, &fill),
            None => {
                debug_assert!(!matches!(answer.outcome, Outcome::Filled(_)));
                self.strategy.on_order(&mut self.context, answer);
            }
        }
        Ok(())
    }

    /// Likewise, without the strategy, whose run is over.
    pub(crate) fn record(&mut self, answer: &Answer) -> io::Result<Option<Fill>> {
        self.journal.answered(answer, &self.context)?;
        let fill = self.context.apply(answer);
        if let Some(fill) = &fill {
            self.journal.filled(fill, &self.context)?;
        }
        Ok(fill)
    }
}
