//! What waits for an operator, and what operators did: accounts under a kill switch, open
//! withdrawals, receivables and sessions, and operators' commands by kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::Engine;
use spool::Applied;
use types::{AccountId, Event, ReceivableId, SessionId};

use crate::metrics::exposition::{Exposition, MetricSource};

/// Set by the publisher's thread, read by scrapes.
#[derive(Debug, Default)]
pub(crate) struct OperatorState(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    killed: BTreeSet<AccountId>,
    withdrawals_open: u64,
    receivables: BTreeSet<ReceivableId>,
    sessions: BTreeSet<SessionId>,
    commands: BTreeMap<&'static str, u64>,
}

impl OperatorState {
    /// The state before the publisher's first event.
    pub(crate) fn begin(&self, engine: &Engine) {
        let mut state = self.lock();
        let accounts = engine.accounts().map(|(account, _)| account);
        state.killed = accounts.filter(|account| engine.is_killed(*account)).collect();
        let open = engine.withdrawals().filter(|withdrawal| withdrawal.is_open());
        state.withdrawals_open = open.count() as u64;
        state.receivables = engine.receivables().map(|receivable| receivable.receivable).collect();
        state.sessions = engine.sessions().map(|(session, _)| session).collect();
    }

    /// Counts an operator's command. Most commands are of clients.
    pub(crate) fn command(&self, applied: &Applied) {
        if let Some(operated) = &applied.operated {
            *self.lock().commands.entry(operated.command.kind()).or_default() += 1;
        }
    }

    pub(crate) fn apply(&self, event: &Event) {
        match event {
            Event::KillSwitchSet(switch) if switch.set.on => {
                self.lock().killed.insert(switch.set.account);
            }
            Event::KillSwitchSet(switch) => {
                self.lock().killed.remove(&switch.set.account);
            }
            Event::WithdrawalRequested(_) => self.lock().withdrawals_open += 1,
            Event::WithdrawalCompleted(_) | Event::WithdrawalCanceled(_) => {
                let mut state = self.lock();
                state.withdrawals_open = state.withdrawals_open.saturating_sub(1);
            }
            Event::ReceivableCreated(created) => {
                self.lock().receivables.insert(created.receivable.receivable);
            }
            Event::ReceivableSettled(settled) if settled.receivable.amount.is_zero() => {
                self.lock().receivables.remove(&settled.receivable.receivable);
            }
            Event::SessionOpened(opened) => {
                self.lock().sessions.insert(opened.session);
            }
            Event::SessionClosed(closed) => {
                self.lock().sessions.remove(&closed.session);
            }
            _ => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MetricSource for OperatorState {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let state = self.lock();
        let help = "Accounts under a kill switch";
        out.gauge("accounts_killed", help, state.killed.len() as u64)?;
        let help = "Withdrawals that are requested and neither paid out nor canceled";
        out.gauge("withdrawals_open", help, state.withdrawals_open)?;
        let help = "Amounts of busts and corrections that an account could not pay yet";
        out.gauge("receivables_open", help, state.receivables.len() as u64)?;
        let help = "Sessions whose orders are canceled when their connection ends";
        let sessions = [([("role", "Trader")], state.sessions.len() as u64)];
        out.gauges("sessions_open", help, sessions)?;
        let help = "Commands of operators that were carried out or refused by a rule";
        let commands = state.commands.iter();
        let commands = commands.map(|(kind, count)| ([("command", *kind)], *count));
        out.counters("admin_commands", help, commands)
    }
}
