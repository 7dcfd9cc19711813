//! Cancels of many orders by one command: mass cancel, kill switch.

use types::{
    AccountId, CancelCause, Event, InstrumentId, KillSwitchSet, MassCancel, RejectReason,
    SetKillSwitch, Side,
};

use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::deferred::{Deferred, Sweep};

impl Engine {
    pub(crate) fn mass_cancel(
        &mut self,
        account: AccountId,
        request: &MassCancel,
        events: &mut Vec<Event>,
    ) {
        let unknown = |instrument| self.market(instrument).is_none();
        let result = if self.account(account).is_none() {
            Err(RejectReason::UnknownAccount)
        } else if request.instrument.is_some_and(unknown) {
            Err(RejectReason::UnknownInstrument)
        } else {
            let mut sweep = Sweep {
                account,
                instrument: request.instrument.unwrap_or(InstrumentId(0)),
                last: request.instrument.unwrap_or(InstrumentId(u32::MAX)),
                side: request.side,
                cl_ord_id: Some(request.cl_ord_id),
                cause: CancelCause::CancelAll,
            };
            let first = self.next_of_sweep(&mut sweep);
            first.map(|_| sweep).ok_or(RejectReason::OrderNotFound)
        };
        match result {
            Ok(sweep) => {
                self.answer_mass_cancel(account, request.instrument, events);
                self.sweep(sweep, events);
            }
            Err(reason) => self.reject(account, reason, events),
        }
    }

    /// Cancels all open orders of an account and accepts no more.
    pub(crate) fn set_kill_switch(&mut self, set: &SetKillSwitch, events: &mut Vec<Event>) {
        let SetKillSwitch { account, on } = *set;
        if self.account(account).is_none() {
            return self.reject(account, RejectReason::UnknownAccount, events);
        }
        let owner = &mut self.accounts[account.0 as usize];
        owner.extra_mut().killed = on;
        let account_seq = owner.next_seq();
        events.push(Event::KillSwitchSet(KillSwitchSet { account_seq, set: *set }));
        if on {
            let sweep = Sweep {
                account,
                instrument: InstrumentId(0),
                last: InstrumentId(u32::MAX),
                side: None,
                cl_ord_id: None,
                cause: CancelCause::KillSwitch,
            };
            self.sweep(sweep, events);
        }
    }

    pub(crate) fn sweep(&mut self, mut sweep: Sweep, events: &mut Vec<Event>) {
        while let Some(node) = self.next_of_sweep(&mut sweep) {
            if !self.spend_work() {
                return self.deferred.push_front(Deferred::Sweep(sweep));
            }
            let name = sweep.cl_ord_id.unwrap_or_else(|| self.orders.cl_ord_id(node));
            self.cancel(node, name, sweep.cause, events);
        }
    }

    fn next_of_sweep(&self, sweep: &mut Sweep) -> Option<NodeId> {
        let account = self.account(sweep.account)?;
        let sides = match sweep.side {
            Some(side) => [Some(side), None],
            None => [Some(Side::Buy), Some(Side::Sell)],
        };
        while sweep.instrument <= sweep.last && self.market(sweep.instrument).is_some() {
            if account.open_orders == 0 {
                return None;
            }
            let of_side = |side| self.orders.of_side(account, sweep.instrument, side).next();
            if let Some(node) = sides.into_iter().flatten().find_map(of_side) {
                return Some(node);
            }
            sweep.instrument.0 += 1;
        }
        None
    }
}
