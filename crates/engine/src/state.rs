//! The state of the engine: plain data with its codec.
//!
//! [`Engine`] has all of it. Each file has one part, with the methods that need only that part. No
//! file here imports a rule or calls one.

pub(crate) mod account;
pub(crate) mod ahead;
mod codec;
pub(crate) mod deferred;
pub(crate) mod fee;
pub(crate) mod halts;
pub(crate) mod holds;
mod invariant;
pub(crate) mod key;
pub(crate) mod lists;
pub(crate) mod login;
pub(crate) mod market;
pub(crate) mod orders;
pub(crate) mod query;
mod receivables;
pub(crate) mod sessions;
mod snapshot;
mod taken;
pub(crate) mod triggers;
pub(crate) mod withdrawals;

use std::collections::{BTreeSet, VecDeque};

use types::{
    AccountId, Amount, Asset, AssetId, InstrumentId, MasterKeyInUse, OrderId, OrderRef,
    RejectReason, SessionId,
};

use crate::book::node::NodeId;
use crate::state::account::Account;
use crate::state::ahead::Ahead;
use crate::state::deferred::Deferred;
use crate::state::halts::Halts;
use crate::state::key::Key;
use crate::state::login::Login;
use crate::state::market::Market;
use crate::state::orders::Orders;
use crate::state::receivables::Receivables;
use crate::state::sessions::Sessions;
use crate::state::taken::Taken;
use crate::state::withdrawals::{WITHDRAWAL_APPROVALS, Withdrawals};

/// The newest rules that this engine knows. Each batch of a log states the rules version it was
/// applied under, and a release keeps the rules of every release before it: a log leads to the same
/// history under every later program.
pub const RULES_VERSION: u16 = 2;

/// Limit of trades and cancels in one command. A `Continue` resumes the rest, so that one command
/// delays the others for a bounded time.
pub const WORK_PER_COMMAND: u32 = 1_000;

#[derive(Clone, Debug)]
pub struct Engine {
    /// Version of the rules for commands.
    pub(crate) rules: u16,
    /// [`RULES_VERSION`], unless a test plays a newer program.
    rules_max: u16,
    /// Number of applied commands.
    pub(crate) sequence: u64,
    /// The time of the last command; it never runs backwards.
    pub(crate) now_ns: u64,
    pub(crate) assets: Vec<Asset>,
    /// For each asset, all deposits minus withdrawals: the sum of all balances and of the amount
    /// that is cleared.
    pub(crate) supply: Vec<Amount>,
    /// For each asset, the net claim of all accounts without balances; negative for a net
    /// debt.
    pub(crate) clearing: Vec<Amount>,
    /// Whether there has been such an account.
    pub(crate) has_clearing: bool,
    pub(crate) receivables: Receivables,
    pub(crate) withdrawals: Withdrawals,
    /// Operators other than the requester that must approve a withdrawal.
    pub(crate) withdrawal_approvals: u8,
    pub(crate) sessions: Sessions,
    /// Session of the current command.
    pub(crate) session: SessionId,
    pub(crate) markets: Vec<Market>,
    /// Indexed by account id; the first is the venue's own, which receives the fees.
    pub(crate) accounts: Vec<Account>,
    pub(crate) keys: Vec<Key>,
    pub(crate) logins: Vec<Login>,
    pub(crate) taken: Taken,
    /// `None` until the first rotation.
    pub(crate) master_key: Option<MasterKeyInUse>,
    pub(crate) orders: Orders,
    /// Work that waits for a `Continue`, in order of execution.
    pub(crate) deferred: VecDeque<Deferred>,
    /// The time at which each account's oldest retry key expires: one entry for each account with
    /// keys.
    pub(crate) retry_deadlines: BTreeSet<(u64, AccountId)>,
    pub(crate) halts: Halts,
    /// The orders that are still open in the instrument that is being delisted, youngest first.
    pub(crate) delisting: Vec<u64>,
    /// The times at which phases end by themselves.
    pub(crate) phase_ends: BTreeSet<(u64, InstrumentId)>,
    /// The times at which auctions publish their next indication.
    pub(crate) indications: BTreeSet<(u64, InstrumentId)>,
    /// [`WORK_PER_COMMAND`], unless a test needs more parts for each command.
    pub(crate) work_max: u32,
    /// The work that is left for this command.
    pub(crate) work: u32,
    pub(crate) ahead: Ahead,
}

impl Default for Engine {
    fn default() -> Self {
        let venue = Account::of_venue();
        Self {
            rules: RULES_VERSION,
            rules_max: RULES_VERSION,
            sequence: 0,
            now_ns: 0,
            assets: Vec::new(),
            supply: Vec::new(),
            clearing: Vec::new(),
            has_clearing: false,
            receivables: Receivables::default(),
            withdrawals: Withdrawals::default(),
            withdrawal_approvals: WITHDRAWAL_APPROVALS,
            sessions: Sessions::default(),
            session: SessionId(0),
            markets: Vec::new(),
            taken: Taken { accounts: [venue.spec.name].into(), ..Taken::default() },
            accounts: vec![venue],
            keys: Vec::new(),
            logins: Vec::new(),
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
    /// An empty engine under the rules of this version; `None` if it does not know them.
    pub fn with_rules(version: u16) -> Option<Self> {
        let known = (1..=RULES_VERSION).contains(&version);
        known.then(|| Self { rules: version, ..Self::default() })
    }

    /// The rules version that commands are applied under.
    pub fn rules(&self) -> u16 {
        self.rules
    }

    /// The newest rules version that this engine knows.
    pub fn rules_max(&self) -> u16 {
        self.rules_max
    }

    /// Applies commands under this rules version from here on; `false` if this engine does not know
    /// it, or already applies a newer one.
    pub fn raise_rules(&mut self, version: u16) -> bool {
        let known = (self.rules..=self.rules_max).contains(&version);
        if known {
            self.rules = version;
        }
        known
    }

    /// Makes this the engine of a newer program, for upgrade tests: every version up to this one
    /// has the rules of [`RULES_VERSION`].
    #[doc(hidden)]
    pub fn know_rules(&mut self, rules_max: u16) {
        self.rules_max = rules_max.max(RULES_VERSION);
    }

    /// Number of applied commands.
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

    pub(crate) fn market_mut(
        &mut self,
        instrument: InstrumentId,
    ) -> Result<&mut Market, RejectReason> {
        self.markets.get_mut(instrument.0 as usize).ok_or(RejectReason::UnknownInstrument)
    }

    pub(crate) fn asset(&self, asset: AssetId) -> Option<&Asset> {
        self.assets.get(usize::from(asset.0))
    }

    /// An open order of this account. Commands use only open orders: finished ones are not indexed
    /// by id, and an account may keep very many.
    #[inline(always)]
    pub(crate) fn find_open(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order: &OrderRef,
    ) -> Option<NodeId> {
        match (order.order_id, &order.cl_ord_id) {
            (Some(order_id), name) => {
                let node = self.find_by_id(instrument, order_id)?;
                let is_meant = self.orders.record(node).account == account
                    && name.as_ref().is_none_or(|name| self.orders.is_named(node, name));
                is_meant.then_some(node)
            }
            (None, Some(cl_ord_id)) => self.orders.by_cl_ord_id(account, instrument, cl_ord_id),
            (None, None) => None,
        }
    }

    #[inline(always)]
    pub(crate) fn find_by_id(&self, instrument: InstrumentId, order_id: OrderId) -> Option<NodeId> {
        self.market(instrument)?.index.get(order_id.0)
    }

    /// Marks or unmarks the index of the circuit breaker in its market.
    pub(crate) fn mark_index(&mut self, is_index: bool) {
        let index = self.halts.breaker.map(|breaker| breaker.index);
        if let Some(market) = index.and_then(|index| self.markets.get_mut(index.0 as usize)) {
            market.trading.set_index(is_index);
        }
    }
}
