//! Work that is due at a time: ends of phases and halts, expiry of orders.

use types::{Command, Entry, Event, ExpireCause};

use crate::state::Engine;
use crate::state::deferred::Deferred;

impl Engine {
    /// The time of the next `Tick`.
    pub fn next_deadline_ns(&self) -> Option<u64> {
        let retry_ns = self.retry_deadlines.first().map(|(expires_ns, _)| *expires_ns);
        let indication_ns = self.next_indication_ns().filter(|_| !self.is_halted());
        [retry_ns, self.next_due_ns(), indication_ns].into_iter().flatten().min()
    }

    /// The time of the next work that must run ahead of later commands.
    #[inline]
    fn next_due_ns(&self) -> Option<u64> {
        let expire_ns = self.orders.next_dated().map(|(expire_ns, ..)| expire_ns);
        [self.next_phase_due_ns(), expire_ns].into_iter().flatten().min()
    }

    #[inline]
    fn next_phase_due_ns(&self) -> Option<u64> {
        if self.is_halted() {
            // phases do not change during a halt
            self.resume_ns()
        } else {
            self.next_phase_end_ns()
        }
    }

    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        let has_dates = self.orders.has_dates() | !self.phase_ends.is_empty() | self.is_halted();
        has_dates && self.next_due_ns().is_some_and(|due_ns| due_ns <= self.now_ns)
    }

    /// Runs due work ahead of a command, but not between the parts of one. A tick runs it itself,
    /// unless it has a retry key and may be a repeat.
    #[cold]
    pub(crate) fn catch_up_with_time(&mut self, entry: &Entry, events: &mut Vec<Event>) {
        let ticks =
            matches!(entry.command, Command::Tick(())) && entry.envelope.retry_key.is_none();
        if !self.has_deferred() && !ticks {
            self.run_due(events);
            self.catch_up(events);
            self.work = self.work_max;
        }
    }

    /// Runs all due work, each item with its consequences until the next item. At one time, phases
    /// change first and orders expire after that.
    #[cold]
    pub(crate) fn run_due(&mut self, events: &mut Vec<Event>) {
        while let Some(due_ns) = self.next_due_ns().filter(|due_ns| *due_ns <= self.now_ns) {
            if self.has_deferred() || !self.spend_work() {
                return self.deferred.push_back(Deferred::Due);
            }
            if self.next_phase_due_ns() != Some(due_ns) {
                self.expire_dated(events);
                continue;
            }
            if self.is_halted() { self.end_halt(events) } else { self.end_phase(events) }
        }
    }

    /// Ends the order that expires next.
    fn expire_dated(&mut self, events: &mut Vec<Event>) {
        let (_, instrument, order_id) = self.orders.next_dated().expect("an order is due");
        let node = self.find_by_id(instrument, order_id).expect("dated orders are open");
        self.expire_open(node, ExpireCause::GoodTillDate, events);
        self.touch(instrument);
    }
}
