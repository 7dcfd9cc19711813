//! Work that one command deferred to the next `Continue`.

use types::Event;

use crate::state::Engine;
use crate::state::deferred::Deferred;

impl Engine {
    /// Nothing runs between the parts of a command. The venue makes the next command a `Continue`;
    /// if a log does not, the engine resumes the work ahead of the other command.
    #[cold]
    pub(crate) fn catch_up(&mut self, events: &mut Vec<Event>) {
        while self.has_deferred() {
            self.work = self.work_max;
            self.resume(events);
        }
    }

    /// Resumes deferred work, as far as the command's work goes.
    #[inline(never)]
    pub(crate) fn resume(&mut self, events: &mut Vec<Event>) {
        while self.work > 0
            && let Some(work) = self.deferred.pop_front()
        {
            match work {
                Deferred::Trade(mut order) => self.execute(&mut order, events),
                Deferred::Reenter(instrument, order_id) => {
                    let node = self.find_by_id(instrument, order_id).expect("it is entering");
                    self.enter_again(self.orders.order(node), node, events);
                }
                Deferred::FollowUp(instrument) => self.follow_up(instrument, events),
                Deferred::CancelAll(account, request) => {
                    self.cancel_rest(account, &request, events);
                }
                Deferred::Sweep(sweep) => self.sweep(sweep, events),
                Deferred::EndSession(session) => self.end_session(session, events),
                Deferred::SettleDebts(account, asset) => self.settle_debts(account, asset, events),
                Deferred::Delist(instrument) => self.cancel_delisted(instrument, events),
                Deferred::Due => self.run_due(events),
                Deferred::Uncross(uncrossing) => self.uncross(uncrossing, events),
                Deferred::SettlePhase(settling) => self.settle_phase(settling, events),
            }
        }
    }
}
