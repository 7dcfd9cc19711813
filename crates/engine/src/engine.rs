//! The engine's state and its one entrance.

use std::collections::{BTreeSet, VecDeque};

use types::{
    AccountId, Amount, Asset, AssetId, CancelAll, Command, CommandRejected, CommandRepeated, Entry,
    Event, ExpireCause, InstrumentId, KeySpec, MasterKeyInUse, Order, OrderId, RejectReason,
    RetryKey, SessionId,
};

use crate::account::bust::Receivables;
use crate::account::withdrawal::Withdrawals;
use crate::account::{Account, Retry};
use crate::ahead::Ahead;
use crate::market::Market;
use crate::market::auction::Uncrossing;
use crate::market::halt::Halts;
use crate::market::phase::Settling;
use crate::market::trading::Trading;
use crate::orders::Orders;
use crate::orders::sweep::{Sessions, Sweep};
use crate::taken::Taken;

/// The newest rules that this engine knows. A log says for each batch which rules it goes by; the
/// older ones are kept, so that an old log leads to the history that it led to then.
///
/// Version 1 has limit, market and post-only orders of cash accounts in continuous trading, and
/// carries self-trade prevention without acting on it.
pub const RULES_VERSION: u16 = 2;

/// Trades and cancels in one command. What exceeds it goes on in `Continue`, so that one command
/// holds up the others for a bounded time.
pub const WORK_PER_COMMAND: u32 = 1_000;

/// How long a retry key is remembered, and how many an account may have remembered at once.
pub(crate) const RETRY_KEY_TTL_NS: u64 = 24 * 3_600 * 1_000_000_000;
pub(crate) const RETRY_KEYS_PER_ACCOUNT: usize = 10_000;

#[derive(Clone, Debug)]
pub struct Engine {
    /// The rules that commands are carried out by.
    pub(crate) rules: u16,
    /// Commands applied.
    pub(crate) sequence: u64,
    /// The time of the last command; it never runs backwards.
    pub(crate) now_ns: u64,
    pub(crate) assets: Vec<Asset>,
    /// Of each asset, all that was deposited and not withdrawn: what all balances add up to,
    /// together with what is cleared.
    pub(crate) supply: Vec<Amount>,
    /// Of each asset, what accounts without balances are owed together; below zero, what they owe.
    pub(crate) clearing: Vec<Amount>,
    /// Whether there has been such an account.
    pub(crate) has_clearing: bool,
    pub(crate) receivables: Receivables,
    pub(crate) withdrawals: Withdrawals,
    pub(crate) sessions: Sessions,
    /// By which the command came that is being carried out.
    pub(crate) session: SessionId,
    pub(crate) markets: Vec<Market>,
    /// Indexed by account id; the first is the venue's own, which receives the fees.
    pub(crate) accounts: Vec<Account>,
    pub(crate) keys: Vec<Key>,
    pub(crate) taken: Taken,
    /// `None` before the first rotation.
    pub(crate) master_key: Option<MasterKeyInUse>,
    pub(crate) orders: Orders,
    /// Work that waits for a `Continue`, in the order in which it will be done.
    pub(crate) deferred: VecDeque<Deferred>,
    /// When each account's oldest retry key is forgotten: one entry for each that has any.
    pub(crate) retry_deadlines: BTreeSet<(u64, AccountId)>,
    pub(crate) halts: Halts,
    /// What is still open in the instrument that is being delisted, youngest first.
    pub(crate) delisting: Vec<u64>,
    /// When phases end by themselves.
    pub(crate) phase_ends: BTreeSet<(u64, InstrumentId)>,
    /// When auctions are to be told of.
    pub(crate) indications: BTreeSet<(u64, InstrumentId)>,
    /// [`WORK_PER_COMMAND`], unless a test wants to see commands come in more parts.
    pub(crate) work_max: u32,
    /// What is left of it.
    pub(crate) work: u32,
    pub(crate) ahead: Ahead,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) spec: KeySpec,
    pub(crate) revoked: bool,
}

/// Makes an event where it is going to lie: the large ones cost as much to move as to make.
#[inline(always)]
pub(crate) fn tell(events: &mut Vec<Event>, make: impl FnOnce() -> Event) {
    events.push(make());
}

/// Work that did not fit into one command.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deferred {
    /// An accepted order that has not yet traded all that it can.
    Trade(Order),
    /// The same for an order that has its node already: [`crate::orders::Standing::Entering`].
    Reenter(InstrumentId, OrderId),
    /// What a command's own events lead to in an instrument.
    FollowUp(InstrumentId),
    CancelAll(AccountId, CancelAll),
    Sweep(Sweep),
    /// Orders that end with a session.
    EndSession(SessionId),
    /// What an account owes of an asset.
    SettleDebts(AccountId, AssetId),
    /// An auction's trades.
    Uncross(Uncrossing),
    /// What a phase ends and lets in.
    SettlePhase(Settling),
    /// Orders of an instrument that is delisted.
    Delist(InstrumentId),
    /// What is due by now.
    Due,
}

impl Deferred {
    /// The suspended limit order of `account`, which holds what it may still cost.
    pub(crate) fn held_by(&self, account: AccountId) -> Option<&Order> {
        match self {
            Self::Trade(order) => {
                let holds = !order.order_type.is_market();
                (order.account == account && holds).then_some(order)
            }
            _ => None,
        }
    }
}

impl Default for Engine {
    fn default() -> Self {
        let venue = Account::of_venue();
        Self {
            rules: RULES_VERSION,
            sequence: 0,
            now_ns: 0,
            assets: Vec::new(),
            supply: Vec::new(),
            clearing: Vec::new(),
            has_clearing: false,
            receivables: Receivables::default(),
            withdrawals: Withdrawals::default(),
            sessions: Sessions::default(),
            session: SessionId(0),
            markets: Vec::new(),
            taken: Taken { accounts: [venue.spec.name].into(), ..Taken::default() },
            accounts: vec![venue],
            keys: Vec::new(),
            master_key: None,
            orders: Orders::default(),
            deferred: VecDeque::new(),
            retry_deadlines: BTreeSet::new(),
            halts: Halts::default(),
            delisting: Vec::new(),
            phase_ends: BTreeSet::new(),
            indications: BTreeSet::new(),
            work_max: WORK_PER_COMMAND,
            work: 0,
            ahead: Ahead::default(),
        }
    }
}

impl Engine {
    /// An empty engine that goes by older rules.
    pub fn with_rules(version: u16) -> Option<Self> {
        let known = (1..=RULES_VERSION).contains(&version);
        known.then(|| Self { rules: version, ..Self::default() })
    }

    /// The rules that commands are carried out by.
    pub fn rules(&self) -> u16 {
        self.rules
    }

    /// Goes by newer rules from here on; `false` if this engine does not know them, or has left
    /// them behind.
    pub fn raise_rules(&mut self, version: u16) -> bool {
        let known = (self.rules..=RULES_VERSION).contains(&version);
        if known && version > self.rules {
            self.rules = version;
            // What the older state does not have, whoever goes on from it does not know.
            self.markets.iter_mut().for_each(|market| market.trading = Trading::default());
        }
        known
    }

    /// Carries out one command and appends what happened to `events`.
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
        if entry.envelope.client_seq > 0
            && self.rules >= 2
            && let Some(first_sequence) = self.first_numbered(entry)
        {
            return events
                .push(Event::CommandRepeated(CommandRepeated { account, first_sequence }));
        }
        match &entry.command {
            Command::NewOrder(order) => self.new_order(account, order, events),
            Command::CancelOrder(cancel) => self.cancel_order(account, cancel, events),
            Command::CancelAll(cancel) => self.cancel_all(account, cancel, events),
            Command::ReplaceOrder(replace) => self.replace_order(account, replace, events),
            Command::AmendOrder(amend) => self.amend_order(account, amend, events),
            Command::ModifyOrder(modify) if self.rules >= 2 => {
                self.modify_order(account, modify, events);
            }
            other => self.apply_other(account, other, events),
        }
        if self.has_deferred() {
            self.resume(events);
        }
    }

    #[cold]
    fn first_numbered(&mut self, entry: &Entry) -> Option<u64> {
        match entry.command {
            Command::Continue(()) => None, // It goes on with a command that had the number.
            _ => self.first_of_number(&entry.envelope),
        }
    }

    /// The commands that are not given by the million.
    #[inline(never)]
    fn apply_other(&mut self, account: AccountId, command: &Command, events: &mut Vec<Event>) {
        match command {
            Command::Deposit(deposit) => self.deposit(deposit, events),
            Command::Withdraw(withdraw) => self.withdraw(withdraw, events),
            Command::ListAsset(list) => self.list_asset(list, events),
            Command::ListInstrument(list) => self.list_instrument(list, events),
            Command::CreateAccount(create) => self.create_account(create, events),
            Command::UpdateAccount(update) => self.update_account(update, events),
            Command::CreateKey(create) => self.create_key(create, events),
            Command::RevokeKey(revoke) => self.revoke_key(revoke, events),
            Command::RotateMasterKey(rotate) if self.rules >= 2 => {
                self.rotate_master_key(rotate, events);
            }
            Command::SetAccountRisk(set) if self.rules >= 2 => self.set_account_risk(set, events),
            Command::SetAccountLimits(set) if self.rules >= 2 => {
                self.set_account_limits(set, events);
            }
            Command::MassCancel(cancel) if self.rules >= 2 => {
                self.mass_cancel(account, cancel, events);
            }
            Command::NewOrderList(list) if self.rules >= 2 => {
                self.new_order_list(account, list, events);
            }
            Command::CancelOrderList(cancel) if self.rules >= 2 => {
                self.cancel_order_list(account, cancel, events);
            }
            Command::OpenSession(open) if self.rules >= 2 => {
                self.open_session(account, open, events);
            }
            Command::CloseSession(close) if self.rules >= 2 => {
                self.close_session(account, close, events);
            }
            Command::SetKillSwitch(set) if self.rules >= 2 => self.set_kill_switch(set, events),
            Command::BustTrade(bust) if self.rules >= 2 => self.bust_trade(bust, events),
            Command::CorrectTrade(correct) if self.rules >= 2 => {
                self.correct_trade(correct, events);
            }
            Command::SettleReceivable(settle) if self.rules >= 2 => {
                self.settle_receivable(settle, events);
            }
            Command::RequestWithdrawal(request) if self.rules >= 2 => {
                self.request_withdrawal(request, events);
            }
            Command::ConfirmWithdrawal(confirm) if self.rules >= 2 => {
                self.confirm_withdrawal(confirm, events);
            }
            Command::CancelWithdrawal(cancel) if self.rules >= 2 => {
                self.cancel_withdrawal(cancel, events);
            }
            Command::SetFeeSchedule(set) if self.rules >= 2 => self.set_fee_schedule(set, events),
            Command::Tick(()) => {
                self.tick();
                self.take_up_due(events);
                self.resume(events);
                if !self.has_deferred() && !self.is_halted() {
                    self.indicate(events);
                }
            }
            // The last three concern those who apply the log, not what is traded.
            Command::Continue(())
            | Command::NewEpoch(_)
            | Command::TakeStateHash(())
            | Command::StateHash(_) => {}
            Command::SetInstrumentRules(_)
            | Command::UpdateInstrument(_)
            | Command::SetPhase(_)
            | Command::SetCalendar(_)
            | Command::DelistInstrument(_)
            | Command::HaltVenue(_)
            | Command::ResumeVenue(())
            | Command::SetCircuitBreaker(_)
                if self.rules >= 2 =>
            {
                if let Err(reason) = self.steer(command, events) {
                    self.reject(AccountId::VENUE, reason, events);
                }
            }
            _ => self.reject(account, RejectReason::OrderTermsInvalid, events),
        }
    }

    /// Cuts commands into smaller parts than [`WORK_PER_COMMAND`], which changes nothing but that.
    #[doc(hidden)]
    pub fn limit_work(&mut self, work_max: u32) {
        self.work_max = work_max.clamp(1, WORK_PER_COMMAND);
    }

    /// Commands applied so far.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The time of the last command.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Whether the next command should be a `Continue`.
    pub fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// When the next `Tick` is due.
    pub fn next_deadline_ns(&self) -> Option<u64> {
        let retry_ns = self.retry_deadlines.first().map(|(expires_ns, _)| *expires_ns);
        let indication_ns = self.next_indication_ns().filter(|_| !self.is_halted());
        [retry_ns, self.next_due_ns(), indication_ns].into_iter().flatten().min()
    }

    /// When the next thing happens by itself that must happen before a command.
    #[inline]
    fn next_due_ns(&self) -> Option<u64> {
        let expire_ns = self.orders.next_dated().map(|(expire_ns, ..)| expire_ns);
        [self.next_phase_due_ns(), expire_ns].into_iter().flatten().min()
    }

    #[inline]
    fn next_phase_due_ns(&self) -> Option<u64> {
        match self.is_halted() {
            true => self.resume_ns(), // phases do not change meanwhile
            false => self.next_phase_end_ns(),
        }
    }

    #[inline]
    fn is_due(&self) -> bool {
        let has_dates = self.orders.has_dates() | !self.phase_ends.is_empty() | self.is_halted();
        has_dates && self.next_due_ns().is_some_and(|due_ns| due_ns <= self.now_ns)
    }

    /// Does before a command what was due before it, but not between the parts of one. A tick has
    /// nothing else to do, unless it turns out to be a repeated one.
    #[cold]
    fn catch_up_with_time(&mut self, entry: &Entry, events: &mut Vec<Event>) {
        let ticks =
            matches!(entry.command, Command::Tick(())) && entry.envelope.retry_key.is_none();
        if !self.has_deferred() && !ticks {
            self.take_up_due(events);
            self.catch_up(events);
            self.work = self.work_max;
        }
    }

    /// Does what is due, each with all that follows from it before the next. Of one time, phases
    /// change before orders expire.
    #[cold]
    fn take_up_due(&mut self, events: &mut Vec<Event>) {
        while let Some(due_ns) = self.next_due_ns().filter(|due_ns| *due_ns <= self.now_ns) {
            if self.has_deferred() || !self.spend_work() {
                return self.deferred.push_back(Deferred::Due);
            }
            if self.next_phase_due_ns() != Some(due_ns) {
                self.expire_dated(events);
                continue;
            }
            match self.is_halted() {
                true => self.end_halt(events),
                false => self.end_phase(events),
            }
        }
    }

    /// Ends the order whose date comes first.
    fn expire_dated(&mut self, events: &mut Vec<Event>) {
        let (_, instrument, order_id) = self.orders.next_dated().expect("an order is due");
        let node = self.find_by_id(instrument, order_id).expect("dated orders are open");
        self.expire_open(node, ExpireCause::GoodTillDate, events);
        self.touch(instrument);
    }

    /// Nothing comes between the parts of a command. Whoever runs the engine sees to it that the
    /// next command is a `Continue`; a log that says otherwise is carried out as if it were.
    #[cold]
    fn catch_up(&mut self, events: &mut Vec<Event>) {
        while self.has_deferred() {
            self.work = self.work_max;
            self.resume(events);
        }
    }

    /// Takes up what waits, as far as the command's work goes.
    #[inline(never)]
    fn resume(&mut self, events: &mut Vec<Event>) {
        while self.work > 0
            && let Some(work) = self.deferred.pop_front()
        {
            match work {
                Deferred::Trade(mut order) => self.execute(&mut order, events),
                Deferred::Reenter(instrument, order_id) => {
                    let node = self.find_by_id(instrument, order_id).expect("it is on its way");
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
                Deferred::Due => self.take_up_due(events),
                Deferred::Uncross(uncrossing) => self.uncross(uncrossing, events),
                Deferred::SettlePhase(settling) => self.settle_phase(settling, events),
            }
        }
    }

    fn tick(&mut self) {
        while let Some((expires_ns, account)) = self.retry_deadlines.first().copied() {
            if expires_ns > self.now_ns || !self.spend_work() {
                return;
            }
            self.forget_oldest_retry(account);
        }
    }

    fn first_sequence(&self, account: AccountId, key: &RetryKey) -> Option<u64> {
        let retries = &self.accounts.get(account.0 as usize)?.retries;
        retries.iter().rev().find(|retry| retry.key == *key).map(|retry| retry.sequence)
    }

    fn remember(&mut self, account_id: AccountId, key: RetryKey) {
        let Some(account) = self.accounts.get_mut(account_id.0 as usize) else { return };
        let expires_ns = self.now_ns.saturating_add(RETRY_KEY_TTL_NS);
        account.retries.push_back(Retry { key, sequence: self.sequence, expires_ns });
        if account.retries.len() == 1 {
            self.retry_deadlines.insert((expires_ns, account_id));
        } else if account.retries.len() > RETRY_KEYS_PER_ACCOUNT {
            self.forget_oldest_retry(account_id);
        }
    }

    fn forget_oldest_retry(&mut self, account_id: AccountId) {
        let retries = &mut self.accounts[account_id.0 as usize].retries;
        let oldest = retries.pop_front().expect("an account with a deadline has a retry key");
        self.retry_deadlines.remove(&(oldest.expires_ns, account_id));
        if let Some(next) = retries.front() {
            self.retry_deadlines.insert((next.expires_ns, account_id));
        }
    }

    /// Whether one more trade or cancel fits into this command.
    pub(crate) fn spend_work(&mut self) -> bool {
        match self.work.checked_sub(1) {
            Some(left) => {
                self.work = left;
                true
            }
            None => false,
        }
    }

    pub(crate) fn reject(&self, account: AccountId, reason: RejectReason, events: &mut Vec<Event>) {
        self.reject_half(account, reason, false, events);
    }

    pub(crate) fn reject_half(
        &self,
        account: AccountId,
        reason: RejectReason,
        in_cancel: bool,
        events: &mut Vec<Event>,
    ) {
        events.push(Event::CommandRejected(CommandRejected { account, reason, in_cancel }));
    }

    /// A customer's account; the venue's own does not trade.
    pub(crate) fn account(&self, account: AccountId) -> Option<&Account> {
        if account == AccountId::VENUE {
            return None;
        }
        self.accounts.get(account.0 as usize)
    }

    pub(crate) fn market(&self, instrument: InstrumentId) -> Option<&Market> {
        self.markets.get(instrument.0 as usize)
    }
}
