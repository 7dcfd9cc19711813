//! A plain model of the engine: one list of open orders that is searched from end to end. It has no
//! holds but those that the open orders imply, and carries out everything at once.
//!
//! It states `docs/matching.md` in code, a file for a chapter or two. It shares only the vocabulary
//! with the engine: units come from the instrument's two factors, and sums are bare integers. It
//! has no limit on the work of a command.

mod account;
mod auction;
mod change;
mod ladder;
mod list;
mod money;
mod numbering;
mod operator;
mod order;
mod peg;
mod rung;
mod self_trade;
mod transfer;
mod trigger;
mod withdrawal;

use std::collections::{BTreeMap, BTreeSet};

use types::*;

pub(crate) use self::account::Owner;

const SECOND_NS: u64 = 1_000_000_000;
const DAY_NS: u64 = 24 * 3_600 * SECOND_NS;
const BPS: i128 = 10_000;

/// Identifies an order in all parts of the model.
pub(crate) type Key = (InstrumentId, OrderId);

#[derive(Clone, Default)]
pub(crate) struct Model {
    pub(crate) sequence: u64,
    now_ns: u64,
    assets: Vec<Asset>,
    pub(crate) markets: Vec<ModelMarket>,
    accounts: Vec<Owner>,
    keys: Vec<(KeySpec, bool)>,
    logins: Vec<(LoginSpec, bool)>,
    /// All open orders, in order of acceptance.
    open: Vec<Open>,
    lists: Vec<OrderList>,
    /// Lists whose first order has filled and whose others are still to be placed.
    to_place: Vec<usize>,
    /// For lists whose first order pays the others, the amount that it has bought so far.
    received: BTreeMap<usize, i128>,
    /// Lists in which the end of one order no longer ends the others.
    parted: Vec<usize>,
    /// The cause for which a list's orders are canceled, unless the cancel of one of them is the
    /// cause.
    canceling: Option<CancelCause>,
    sessions: BTreeMap<SessionId, numbering::Opened>,
    numbering: numbering::Numbers,
    receivables: Vec<Receivable>,
    last_receivable: u64,
    /// All so far, oldest first.
    withdrawals: Vec<Withdrawal>,
    /// Approvals of others that a withdrawal needs.
    approvals: usize,
    /// The net claim of the accounts without balances, by asset.
    clearing: BTreeMap<u16, i128>,
    breaker: Option<CircuitBreaker>,
    /// The end of the halt of the venue; zero means that a command ends it.
    halted: Option<u64>,
    /// Whether the index has traded since the circuit breaker's last check.
    index_traded: bool,
    /// The instrument in which a replace has canceled.
    replaced_in: Option<InstrumentId>,
    /// The number of places in queues assigned so far.
    arrivals: u64,
    events: Vec<Event>,
}

/// An open order, with data that its owner does not see.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    pub(crate) order: Order,
    pub(crate) place: Standing,
    /// The place in the queue: a later one has a higher number.
    arrived: u64,
    /// The quantity that the book shows.
    shown: u64,
    session: SessionId,
    amends: u32,
    /// Whether its trigger was reached.
    reached: bool,
    /// The best price since it began to trail, and the number of that start.
    trail: Option<(i64, u64)>,
    /// The rate of the fee that a buy holds on top.
    held_rate: i64,
}

/// Location of an open order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Standing {
    /// It is being carried out now.
    Entering,
    Book,
    /// Off the book until its trigger is reached.
    Stop,
    /// Off the book until the closing auction.
    Closing,
    /// Off the book until the first order of its list has filled.
    List,
}

#[derive(Clone)]
pub(crate) struct ModelMarket {
    instrument: Instrument,
    rules: InstrumentRules,
    seq: u64,
    last_order_id: u64,
    last_trade_id: u64,
    last_list_id: u64,
    last_prevented_id: u64,
    phase: Phase,
    /// Time at which the phase ends by itself; zero if it does not.
    until_ns: u64,
    delisted: bool,
    schedule: Option<FeeSchedule>,
    last_price: Option<i64>,
    /// Reference of static bands and the circuit breaker: the last auction's price, or the first
    /// trade's.
    reference: Option<i64>,
    /// All trades that may count for the average price.
    traded: Vec<(u64, i64, u64)>,
    /// Levels of the circuit breaker that have halted the venue since the opening.
    halts_had: BTreeSet<usize>,
    /// Whether the book has changed since the auction's last indication.
    indication_due: bool,
    indicated_ns: u64,
}

impl ModelMarket {
    fn new(instrument: Instrument) -> Self {
        Self {
            instrument,
            rules: InstrumentRules::default(),
            seq: 0,
            last_order_id: 0,
            last_trade_id: 0,
            last_list_id: 0,
            last_prevented_id: 0,
            phase: Phase::Continuous,
            until_ns: 0,
            delisted: false,
            schedule: None,
            last_price: None,
            reference: None,
            traded: Vec::new(),
            halts_had: BTreeSet::new(),
            indication_due: false,
            indicated_ns: 0,
        }
    }
}

impl Open {
    fn key(&self) -> Key {
        (self.order.instrument, self.order.order_id)
    }

    fn leaves(&self) -> u64 {
        self.order.order_qty.lots() - self.order.cum_qty.lots()
    }

    fn terms(&self) -> Terms {
        self.order.terms.unwrap_or_default().terms
    }

    /// The quantity that may trade until the next order's turn.
    fn front(&self) -> u64 {
        if self.shown > 0 { self.shown } else { self.leaves() }
    }
}

impl Model {
    pub(crate) fn new() -> Self {
        Self { accounts: vec![Owner::of_venue()], approvals: 1, ..Self::default() }
    }

    pub(crate) fn apply(&mut self, sequenced_ns: u64, entry: &Entry) -> Vec<Event> {
        self.sequence += 1;
        self.now_ns = self.now_ns.max(sequenced_ns);
        self.do_what_is_due();
        if let Some(repeated) = self.repeated_key(&entry.envelope) {
            self.events.push(Event::CommandRepeated(repeated));
        } else if self.admits(entry) {
            if let Err(reason) = self.execute(&entry.envelope, &entry.command) {
                let account = answers_to(&entry.envelope, &entry.command);
                self.refuse(account, reason, false);
            }
            self.come_to_rest();
        }
        std::mem::take(&mut self.events)
    }

    /// A repeated command is not applied again.
    fn repeated_key(&mut self, envelope: &Envelope) -> Option<CommandRepeated> {
        let (sequence, expires_ns) = (self.sequence, self.now_ns + DAY_NS);
        let account = envelope.account;
        let owner = self.accounts.get_mut(account.0 as usize)?;
        let key = envelope.retry_key?;
        let known = owner.retries.iter().find(|(other, ..)| *other == key);
        let repeated = known.map(|(_, first_sequence, _)| CommandRepeated {
            account,
            first_sequence: *first_sequence,
        });
        if repeated.is_none() {
            owner.retries.push((key, sequence, expires_ns));
        }
        repeated
    }

    fn execute(&mut self, envelope: &Envelope, command: &Command) -> Result<(), RejectReason> {
        let account = envelope.account;
        match command {
            Command::NewOrder(request) => self.new_order(envelope, request),
            Command::CancelOrder(request) => self.cancel_order(account, request),
            Command::CancelAll(request) => self.cancel_all(account, request),
            Command::ReplaceOrder(request) => self.replace_order(envelope, request),
            Command::AmendOrder(request) => self.amend_order(account, request),
            Command::ModifyOrder(request) => self.modify_order(account, request),
            Command::MassCancel(request) => self.mass_cancel(account, request),
            Command::NewOrderList(request) => self.new_order_list(envelope, request),
            Command::CancelOrderList(request) => self.cancel_order_list(account, request),
            Command::OpenSession(request) => self.open_session(envelope, request),
            Command::CloseSession(request) => self.close_session(account, request),
            Command::RefuseOrder(request) => self.refuse_order(account, request),
            Command::QueryNumbers(()) => self.query_numbers(envelope),
            Command::BeginNumberingDay(()) => self.begin_numbering_day(),
            Command::Deposit(request) => self.deposit(request),
            Command::Withdraw(request) => self.withdraw(request),
            Command::BustTrade(request) => self.bust_trade(request),
            Command::CorrectTrade(request) => self.correct_trade(request),
            Command::SettleReceivable(request) => self.settle_receivable(request),
            Command::RequestWithdrawal(request) => self.request_withdrawal(request, envelope.key),
            Command::ApproveWithdrawal(request) => self.approve_withdrawal(request, envelope.key),
            Command::ConfirmWithdrawal(request) => self.confirm_withdrawal(request),
            Command::CancelWithdrawal(request) => self.cancel_withdrawal(request),
            Command::ListAsset(request) => self.list_asset(&request.asset),
            Command::ListInstrument(request) => self.list_instrument(&request.spec),
            Command::CreateAccount(request) => self.create_account(&request.spec),
            Command::UpdateAccount(request) => self.update_account(request),
            Command::CreateKey(request) => self.create_key(&request.spec, envelope.key),
            Command::RevokeKey(request) => self.revoke_key(request.key),
            Command::CreateLogin(request) => self.create_login(&request.spec, envelope.key),
            Command::UpdateLogin(request) => self.update_login(request, envelope.key),
            Command::RevokeLogin(request) => self.revoke_login(request.login),
            Command::RotateMasterKey(request) => self.rotate_master_key(request),
            Command::UpdateInstrument(request) => self.update_instrument(request),
            Command::SetInstrumentRules(request) => self.set_instrument_rules(request),
            Command::SetPhase(request) => self.set_phase(request),
            Command::DelistInstrument(request) => self.delist(request.instrument),
            Command::SetFeeSchedule(request) => self.set_fee_schedule(request),
            Command::SetAccountRisk(request) => self.set_account_risk(request),
            Command::SetAccountLimits(request) => self.set_account_limits(request),
            Command::SetKillSwitch(request) => self.set_kill_switch(request),
            Command::HaltVenue(request) => self.halt_venue(request),
            Command::ResumeVenue(()) => self.resume_venue(),
            Command::SetCircuitBreaker(request) => self.set_circuit_breaker(request),
            Command::SetCalendar(request) => self.set_calendar(request),
            Command::SetWithdrawalApprovals(request) => self.set_withdrawal_approvals(request),
            Command::Tick(()) => {
                self.tick();
                Ok(())
            }
            Command::Continue(())
            | Command::NewEpoch(_)
            | Command::TakeStateHash(())
            | Command::StateHash(_) => Ok(()),
        }
    }

    /// The consequences of a command after its own order: placements by lists, pegs, triggers,
    /// again and again until none is left. They run in one instrument after the other, and first in
    /// the one where a replace has canceled.
    fn come_to_rest(&mut self) {
        let mut instruments: Vec<InstrumentId> = self.instruments().collect();
        if let Some(first) = self.replaced_in.take() {
            instruments.sort_by_key(|instrument| *instrument != first);
        }
        for here in instruments {
            self.break_circuit(here);
            while self.place_from_lists(here) || self.move_pegs(here) || self.pull_trigger(here) {
                self.break_circuit(here);
            }
        }
    }

    fn tick(&mut self) {
        let now_ns = self.now_ns;
        for owner in &mut self.accounts {
            owner.retries.retain(|(.., expires_ns)| *expires_ns > now_ns);
        }
        self.indicate_auctions();
    }

    // Lookups.

    fn trader(&self, account: AccountId) -> Result<&Owner, RejectReason> {
        match account.0 {
            0 => Err(RejectReason::UnknownAccount),
            at => self.accounts.get(at as usize).ok_or(RejectReason::UnknownAccount),
        }
    }

    fn known(&self, instrument: InstrumentId) -> Result<&ModelMarket, RejectReason> {
        self.markets.get(instrument.0 as usize).ok_or(RejectReason::UnknownInstrument)
    }

    fn market(&self, instrument: InstrumentId) -> &ModelMarket {
        &self.markets[instrument.0 as usize]
    }

    fn market_mut(&mut self, instrument: InstrumentId) -> &mut ModelMarket {
        &mut self.markets[instrument.0 as usize]
    }

    fn owner(&self, account: AccountId) -> &Owner {
        &self.accounts[account.0 as usize]
    }

    fn owner_mut(&mut self, account: AccountId) -> &mut Owner {
        &mut self.accounts[account.0 as usize]
    }

    fn find(&self, key: Key) -> Option<&Open> {
        self.open.iter().find(|open| open.key() == key)
    }

    fn at(&self, key: Key) -> &Open {
        self.find(key).unwrap()
    }

    fn at_mut(&mut self, key: Key) -> &mut Open {
        self.open.iter_mut().find(|open| open.key() == key).unwrap()
    }

    /// An order that its owner refers to by our id, by its own, or by both.
    fn meant(&self, account: AccountId, instrument: InstrumentId, by: &OrderRef) -> Option<Key> {
        if by.order_id.is_none() && by.cl_ord_id.is_none() {
            return None;
        }
        let found = self.of_account(account, instrument).into_iter().find(|open| {
            by.order_id.is_none_or(|id| open.order.order_id == id)
                && by.cl_ord_id.is_none_or(|name| open.order.cl_ord_id == name)
        });
        found.map(|open| open.key())
    }

    /// An account's open orders in one instrument, oldest first.
    fn of_account(&self, account: AccountId, instrument: InstrumentId) -> Vec<Open> {
        let own =
            |open: &&Open| open.order.account == account && open.order.instrument == instrument;
        let mut own: Vec<Open> = self.open.iter().filter(own).copied().collect();
        own.sort_by_key(|open| open.order.order_id);
        own
    }

    /// One side of a book in order of its trading: by price, displayed orders ahead of hidden ones,
    /// then by age.
    fn side(&self, instrument: InstrumentId, side: Side) -> Vec<Open> {
        let here = |open: &&Open| {
            let order = &open.order;
            open.place == Standing::Book && order.instrument == instrument && order.side == side
        };
        let mut orders: Vec<Open> = self.open.iter().filter(here).copied().collect();
        orders.sort_by_key(|open| {
            let price = open.order.price.ticks();
            let worse = if side == Side::Buy { -price } else { price };
            (worse, open.shown == 0, open.arrived)
        });
        orders
    }

    fn best(&self, instrument: InstrumentId, side: Side) -> Option<i64> {
        self.side(instrument, side).first().map(|open| open.order.price.ticks())
    }

    // Counting.

    fn account_seq(&mut self, account: AccountId) -> u64 {
        let owner = self.owner_mut(account);
        owner.seq += 1;
        owner.seq
    }

    fn instrument_seq(&mut self, instrument: InstrumentId) -> u64 {
        let market = self.market_mut(instrument);
        market.seq += 1;
        market.seq
    }

    /// A copy for hypothetical questions.
    fn for_questions(&self) -> Self {
        Self { events: Vec::new(), ..self.clone() }
    }

    fn arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    // Queries of the comparison.

    pub(crate) fn resting(&self, instrument: InstrumentId, side: Side) -> Vec<Order> {
        self.side(instrument, side).iter().map(|open| open.order).collect()
    }

    /// The published levels of one side: prices and displayed quantities, best first.
    pub(crate) fn levels(&self, instrument: InstrumentId, side: Side) -> Vec<(i64, u64)> {
        let mut levels: Vec<(i64, u64)> = Vec::new();
        for open in self.side(instrument, side).iter().filter(|open| open.shown > 0) {
            let price = open.order.price.ticks();
            match levels.last_mut().filter(|(last, _)| *last == price) {
                Some((_, qty)) => *qty += open.shown,
                None => levels.push((price, open.shown)),
            }
        }
        levels
    }

    pub(crate) fn open_orders(&self, account: AccountId, instrument: InstrumentId) -> Vec<Order> {
        self.of_account(account, instrument).iter().map(|open| open.order).collect()
    }

    pub(crate) fn owners(&self) -> impl Iterator<Item = (AccountId, &Owner)> {
        (0..).map(AccountId).zip(&self.accounts)
    }

    pub(crate) fn instruments(&self) -> impl Iterator<Item = InstrumentId> {
        (0..self.markets.len() as u32).map(InstrumentId)
    }

    pub(crate) fn asset_count(&self) -> u16 {
        self.assets.len() as u16
    }
}

/// The account of a rejection: the one that an operator's command refers to, or the venue's.
fn answers_to(envelope: &Envelope, command: &Command) -> AccountId {
    match command {
        Command::NewOrder(_)
        | Command::CancelOrder(_)
        | Command::CancelAll(_)
        | Command::ReplaceOrder(_)
        | Command::AmendOrder(_)
        | Command::ModifyOrder(_)
        | Command::MassCancel(_)
        | Command::NewOrderList(_)
        | Command::CancelOrderList(_)
        | Command::OpenSession(_)
        | Command::RefuseOrder(_)
        | Command::QueryNumbers(())
        | Command::CloseSession(_) => envelope.account,
        Command::Deposit(deposit) => deposit.account,
        Command::Withdraw(withdraw) => withdraw.account,
        Command::RequestWithdrawal(request) => request.account,
        Command::ApproveWithdrawal(approve) => approve.account,
        Command::ConfirmWithdrawal(confirm) => confirm.account,
        Command::CancelWithdrawal(cancel) => cancel.account,
        Command::UpdateAccount(update) => update.account,
        Command::CreateKey(create) => create.spec.account,
        Command::CreateLogin(create) => create.spec.account,
        Command::SetAccountRisk(set) => set.account,
        Command::SetAccountLimits(set) => set.account,
        Command::SetKillSwitch(set) => set.account,
        _ => AccountId::VENUE,
    }
}

fn is_set(limit: u64, found: u64) -> bool {
    limit > 0 && found > limit
}
