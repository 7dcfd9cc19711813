//! The one entrance of the engine: `apply` passes each command to the rules of its kind.

use types::{AccountId, Command, CommandRepeated, Entry, Envelope, Event, RejectReason};

use crate::state::{Engine, WORK_PER_COMMAND};

impl Engine {
    /// Carries out one command and appends its events to `events`.
    pub fn apply(&mut self, sequenced_ns: u64, entry: &Entry, events: &mut Vec<Event>) {
        self.sequence += 1;
        self.now_ns = self.now_ns.max(sequenced_ns);
        if self.has_deferred() && !matches!(entry.command, Command::Continue(())) {
            self.catch_up(events);
        }
        self.work = self.work_max;
        if self.is_due() {
            self.catch_up_with_time(entry, events);
        }
        let account = entry.envelope.account;
        self.session = entry.envelope.session;
        if let Some(key) = entry.envelope.retry_key {
            if let Some(first_sequence) = self.first_sequence(account, &key) {
                let repeated = CommandRepeated { account, first_sequence };
                return events.push(Event::CommandRepeated(repeated));
            }
            self.remember(account, key);
        }
        if entry.envelope.client_seq > 0 && !self.admit_number(entry, events) {
            return;
        }
        match &entry.command {
            Command::NewOrder(order) => self.new_order(account, order, events),
            Command::CancelOrder(cancel) => self.cancel_order(account, cancel, events),
            Command::CancelAll(cancel) => self.cancel_all(account, cancel, events),
            Command::ReplaceOrder(replace) => self.replace_order(account, replace, events),
            Command::AmendOrder(amend) => self.amend_order(account, amend, events),
            Command::ModifyOrder(modify) => self.modify_order(account, modify, events),
            other => self.apply_other(&entry.envelope, other, events),
        }
        if self.has_deferred() {
            self.resume(events);
        }
    }

    /// The rare commands.
    #[inline(never)]
    fn apply_other(&mut self, envelope: &Envelope, command: &Command, events: &mut Vec<Event>) {
        let Envelope { account, key, .. } = *envelope;
        match command {
            Command::Deposit(deposit) => self.deposit(deposit, events),
            Command::Withdraw(withdraw) => self.withdraw(withdraw, events),
            Command::ListAsset(list) => self.list_asset(list, events),
            Command::ListInstrument(list) => self.list_instrument(list, events),
            Command::CreateAccount(create) => self.create_account(create, events),
            Command::UpdateAccount(update) => self.update_account(update, events),
            Command::CreateKey(create) => self.create_key(create, key, events),
            Command::RevokeKey(revoke) => self.revoke_key(revoke, events),
            Command::CreateLogin(create) => self.create_login(create, key, events),
            Command::UpdateLogin(update) => self.update_login(update, key, events),
            Command::RevokeLogin(revoke) => self.revoke_login(revoke, events),
            Command::RotateMasterKey(rotate) => self.rotate_master_key(rotate, events),
            Command::SetAccountRisk(set) => self.set_account_risk(set, events),
            Command::SetAccountLimits(set) => self.set_account_limits(set, events),
            Command::MassCancel(cancel) => self.mass_cancel(account, cancel, events),
            Command::NewOrderList(list) => self.new_order_list(account, list, events),
            Command::CancelOrderList(cancel) => self.cancel_order_list(account, cancel, events),
            Command::OpenSession(open) => self.open_session(account, open, events),
            Command::CloseSession(close) => self.close_session(account, close, events),
            Command::RefuseOrder(refuse) => self.refuse_order(account, refuse, events),
            Command::QueryNumbers(()) => self.query_numbers(account, events),
            Command::BeginNumberingDay(()) => self.begin_numbering_day(events),
            Command::SetKillSwitch(set) => self.set_kill_switch(set, events),
            Command::BustTrade(bust) => self.bust_trade(bust, events),
            Command::CorrectTrade(correct) => self.correct_trade(correct, events),
            Command::SettleReceivable(settle) => self.settle_receivable(settle, events),
            Command::RequestWithdrawal(request) => self.request_withdrawal(request, key, events),
            Command::ApproveWithdrawal(approve) => self.approve_withdrawal(approve, key, events),
            Command::ConfirmWithdrawal(confirm) => self.confirm_withdrawal(confirm, events),
            Command::CancelWithdrawal(cancel) => self.cancel_withdrawal(cancel, events),
            Command::SetFeeSchedule(set) => self.set_fee_schedule(set, events),
            Command::Tick(()) => {
                self.tick();
                self.run_due(events);
                self.resume(events);
                if !self.has_deferred() && !self.is_halted() {
                    self.indicate(events);
                }
            }
            // The last three concern the machines that apply the log, not trading.
            Command::Continue(())
            | Command::NewEpoch(_)
            | Command::TakeStateHash(())
            | Command::StateHash(_) => {}
            other => {
                if let Err(reason) = self.steer(other, events) {
                    self.reject(AccountId::VENUE, reason, events);
                }
            }
        }
    }

    /// The commands of operators for the trading of instruments, and for settings of the venue.
    fn steer(&mut self, command: &Command, events: &mut Vec<Event>) -> Result<(), RejectReason> {
        match command {
            Command::SetInstrumentRules(set) => self.set_instrument_rules(set, events),
            Command::UpdateInstrument(update) => self.update_instrument(update, events),
            Command::SetPhase(set) => self.set_phase(set, events),
            Command::SetCalendar(calendar) => self.set_calendar(calendar, events),
            Command::DelistInstrument(delist) => self.delist_instrument(delist, events),
            Command::HaltVenue(halt) => self.halt_venue(halt, events),
            Command::ResumeVenue(()) => self.resume_venue(events),
            Command::SetCircuitBreaker(breaker) => self.set_circuit_breaker(breaker, events),
            Command::SetWithdrawalApprovals(set) => self.set_withdrawal_approvals(set, events),
            _ => Err(RejectReason::OrderTermsInvalid),
        }
    }

    /// Limits the work of a command to less than [`WORK_PER_COMMAND`]: a command takes more parts,
    /// and its events stay the same.
    #[doc(hidden)]
    pub fn limit_work(&mut self, work_max: u32) {
        self.work_max = work_max.clamp(1, WORK_PER_COMMAND);
    }
}
