//! Queries about the state. No query changes it.

pub(crate) mod account;
pub(crate) mod market;
mod order;
mod placed;

use types::{
    AccountId, AccountSpec, Amount, Asset, AssetId, Instrument, InstrumentId, KeyId, KeySpec,
    MasterKeyInUse, Receivable, SessionId, VenueHalted, Withdrawal,
};

use crate::state::Engine;
use crate::state::sessions::Numbers;

impl Engine {
    pub fn assets(&self) -> &[Asset] {
        &self.assets
    }

    pub fn instruments(&self) -> impl Iterator<Item = &Instrument> {
        self.markets.iter().map(|market| &market.instrument)
    }

    /// All accounts, the venue's own first.
    pub fn accounts(&self) -> impl Iterator<Item = (AccountId, &AccountSpec)> {
        (0..).map(AccountId).zip(self.accounts.iter().map(|account| &account.spec))
    }

    /// The number of each account's last event.
    pub fn account_seqs(&self) -> impl Iterator<Item = (AccountId, u64)> {
        (0..).map(AccountId).zip(self.accounts.iter().map(|account| account.account_seq))
    }

    /// The number of each instrument's last event.
    pub fn instrument_seqs(&self) -> impl Iterator<Item = (InstrumentId, u64)> {
        (0..).map(InstrumentId).zip(self.markets.iter().map(|market| market.instrument_seq))
    }

    /// The valid keys.
    pub fn keys(&self) -> impl Iterator<Item = (KeyId, &KeySpec)> {
        let numbered = (1..).map(KeyId).zip(&self.keys);
        numbered.filter(|(_, key)| !key.revoked).map(|(id, key)| (id, &key.spec))
    }

    /// The master key since the last rotation; `None` until the first.
    pub fn master_key_in_use(&self) -> Option<MasterKeyInUse> {
        self.master_key
    }

    /// All deposits of an asset minus withdrawals: the sum of all balances and of the clearing.
    pub fn supply(&self, asset: AssetId) -> Option<Amount> {
        self.supply.get(usize::from(asset.0)).copied()
    }

    /// The number of resting orders on all books.
    pub fn resting_count(&self) -> usize {
        self.orders.nodes.len()
    }

    /// All open withdrawals and the last ended ones, by account and oldest first.
    pub fn withdrawals(&self) -> impl Iterator<Item = &Withdrawal> {
        self.withdrawals.values().flatten()
    }

    /// The open receivables, oldest first.
    pub fn receivables(&self) -> impl Iterator<Item = &Receivable> {
        self.receivables.open.values()
    }

    /// For an asset, the net claim of all accounts without balances; negative for a net debt.
    pub fn clearing(&self, asset: AssetId) -> Option<Amount> {
        self.clearing.get(usize::from(asset.0)).copied()
    }

    /// The open sessions, with their accounts. After a restart the venue closes them, because no
    /// client is connected.
    pub fn sessions(&self) -> impl Iterator<Item = (SessionId, AccountId)> {
        self.sessions.open.iter().map(|(session, opened)| (*session, opened.account))
    }

    /// The oldest number that an open session without a login remembers, and its highest; both are
    /// zero before its first one. `None` if no such session is open.
    pub fn numbers_of_session(&self, session: SessionId) -> Option<(u64, u64)> {
        match &self.sessions.open.get(&session)?.numbers {
            Numbers::Own(numbered) => Some((numbered.oldest(), numbered.highest())),
            Numbers::OfLogin(..) => None,
        }
    }

    /// Whether the venue is halted.
    #[inline]
    pub fn is_halted(&self) -> bool {
        self.halts.now.is_some()
    }

    /// The venue's current halt.
    pub fn venue_halt(&self) -> Option<VenueHalted> {
        self.halts.now
    }
}
