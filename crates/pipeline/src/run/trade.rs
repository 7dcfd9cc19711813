//! The thread with book, strategy, risk and execution.

use std::sync::atomic::{AtomicU64, Ordering};

use rtrb::Consumer;

use super::clock::{Clock, Pace};
use super::inbox::Inbox;
use super::{Meters, Passed, RunError, Stage, WARM_UP};
use crate::allocations;
use crate::book::Book;
use crate::execution::Execution;
use crate::message::{Update, Wire};
use crate::risk::Risk;
use crate::strategy::Strategy;
use crate::usage::Usage;

pub(super) struct Trade<S> {
    book: Book,
    strategy: S,
    risk: Risk,
    execution: Execution,
    refused: u64,
    clock: Clock,
    pace: Pace,
    total: u64,
}

impl<S: Strategy + Default> Trade<S> {
    pub(super) fn new(wire: Wire, clock: Clock, pace: Pace, total: u64) -> Self {
        Self {
            book: Book::new(),
            strategy: S::default(),
            risk: Risk::default(),
            execution: Execution::new(wire),
            refused: 0,
            clock,
            pace,
            total,
        }
    }

    pub(super) fn run<const PACED: bool>(
        mut self,
        queue: Consumer<Update>,
        origin_ns: &AtomicU64,
        meters: &mut Meters,
    ) -> Result<Passed, RunError> {
        let mut inbox = Inbox::new(queue);
        let mut passed = Passed::default();
        let (mut before, mut begun_ns, mut first_ns) = (Usage::default(), 0, 0);
        let (mut orders, mut filled, mut refused) = (0, 0, 0);
        for number in 0..self.total {
            let Some(update) = inbox.next() else { break };
            if number == WARM_UP {
                (orders, filled) = (self.execution.orders, self.execution.filled);
                refused = self.refused;
                before = Usage::now();
                allocations::begin();
                first_ns = origin_ns.load(Ordering::Acquire);
                begun_ns = self.clock.ns();
            }
            if PACED && update.queued_ns > 0 {
                self.handle_sampled(&update, meters);
            } else {
                self.handle(&update);
            }
            if PACED && number >= WARM_UP {
                let due_ns = first_ns + self.pace.due_ns(number - WARM_UP);
                meters.latency.saturating_record(self.clock.ns().saturating_sub(due_ns));
            }
        }
        passed.elapsed_s = (self.clock.ns() - begun_ns) as f64 / 1e9;
        passed.allocations = allocations::end();
        let used = Usage::now().since(before);
        (passed.page_faults, passed.context_switches) = (used.page_faults, used.context_switches);
        passed.orders = self.execution.orders - orders;
        passed.filled = self.execution.filled - filled;
        passed.refused = self.refused - refused;
        match self.book.refused() {
            0 => Ok(passed),
            count => Err(RunError::Book { count }),
        }
    }

    #[inline]
    fn handle(&mut self, update: &Update) {
        self.book.apply(update);
        self.execution.on_update(update, &mut self.risk);
        let wanted = self.strategy.on_update(&self.book, update, self.risk.position());
        for order in wanted.into_iter().flatten() {
            match self.risk.check(&order, &self.book) {
                Ok(()) => self.execution.send(order, &self.book, &mut self.risk),
                Err(_) => self.refused += 1,
            }
        }
    }

    /// [`Self::handle`] with a reading of the clock after each stage.
    fn handle_sampled(&mut self, update: &Update, meters: &mut Meters) {
        let mut last_ns = update.queued_ns;
        let mut end = |stage: Stage| {
            let now_ns = self.clock.ns();
            meters.stages[stage as usize].saturating_record(now_ns - last_ns);
            last_ns = now_ns;
        };
        end(Stage::Queue);
        self.book.apply(update);
        end(Stage::Book);
        self.execution.on_update(update, &mut self.risk);
        let wanted = self.strategy.on_update(&self.book, update, self.risk.position());
        end(Stage::Strategy);
        let mut has_order = false;
        for order in wanted.into_iter().flatten() {
            has_order = true;
            match self.risk.check(&order, &self.book) {
                Ok(()) => self.execution.send(order, &self.book, &mut self.risk),
                Err(_) => self.refused += 1,
            }
        }
        if has_order {
            end(Stage::Order);
        }
    }
}
