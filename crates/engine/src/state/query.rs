//! Questions about the state. None of them changes it.

mod account;
mod market;
mod order;
mod placed;

use types::{
    AccountId, AccountSpec, Amount, Asset, AssetId, Instrument, InstrumentId, KeyId, KeySpec,
    MasterKeyInUse, Receivable, SessionId, VenueHalted, Withdrawal,
};

use crate::state::Engine;

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

    /// The keys that are valid.
    pub fn keys(&self) -> impl Iterator<Item = (KeyId, &KeySpec)> {
        let numbered = (1..).map(KeyId).zip(&self.keys);
        numbered.filter(|(_, key)| !key.revoked).map(|(id, key)| (id, &key.spec))
    }

    /// What the keys' secrets are sealed by since the last rotation; `None` before the first.
    pub fn master_key_in_use(&self) -> Option<MasterKeyInUse> {
        self.master_key
    }

    /// All that was deposited of an asset and not withdrawn: what all balances add up to.
    pub fn supply(&self, asset: AssetId) -> Option<Amount> {
        self.supply.get(usize::from(asset.0)).copied()
    }

    /// Orders that rest in all books together.
    pub fn resting_count(&self) -> usize {
        self.orders.nodes.len()
    }

    /// All that are open, and those that ended lately, by account and oldest first.
    pub fn withdrawals(&self) -> impl Iterator<Item = &Withdrawal> {
        self.withdrawals.values().flatten()
    }

    /// What is owed, oldest first.
    pub fn receivables(&self) -> impl Iterator<Item = &Receivable> {
        self.receivables.open.values()
    }

    /// Of an asset, what accounts without balances are owed together; below zero, what they owe.
    pub fn clearing(&self, asset: AssetId) -> Option<Amount> {
        self.clearing.get(usize::from(asset.0)).copied()
    }

    /// The sessions that are open, with their accounts. After a restart nobody is connected: the
    /// venue closes them.
    pub fn sessions(&self) -> impl Iterator<Item = (SessionId, AccountId)> {
        self.sessions.open.iter().map(|(session, opened)| (*session, opened.account))
    }

    /// Whether the venue is halted.
    #[inline]
    pub fn is_halted(&self) -> bool {
        self.halts.now.is_some()
    }

    /// The halt of the venue that is on.
    pub fn venue_halt(&self) -> Option<VenueHalted> {
        self.halts.now
    }
}
