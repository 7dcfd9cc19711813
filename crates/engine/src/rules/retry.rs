//! Retry keys: a repeated command is recognized for a limited time.

use types::{AccountId, RetryKey};

use crate::state::Engine;
use crate::state::account::retries::{RETRY_KEYS_PER_ACCOUNT, Retry};

/// Lifetime of a retry key.
const RETRY_KEY_TTL_NS: u64 = 24 * 3_600 * 1_000_000_000;

impl Engine {
    pub(crate) fn first_sequence(&self, account: AccountId, key: &RetryKey) -> Option<u64> {
        self.accounts.get(account.0 as usize)?.retries.sequence(key)
    }

    pub(crate) fn remember(&mut self, account_id: AccountId, key: RetryKey) {
        let Some(account) = self.accounts.get_mut(account_id.0 as usize) else { return };
        let expires_ns = self.now_ns.saturating_add(RETRY_KEY_TTL_NS);
        account.retries.push(Retry { key, sequence: self.sequence, expires_ns });
        if account.retries.len() == 1 {
            self.retry_deadlines.insert((expires_ns, account_id));
        } else if account.retries.len() > RETRY_KEYS_PER_ACCOUNT {
            self.forget_oldest_retry(account_id);
        }
    }

    pub(crate) fn tick(&mut self) {
        while let Some((expires_ns, account)) = self.retry_deadlines.first().copied() {
            if expires_ns > self.now_ns || !self.spend_work() {
                return;
            }
            self.forget_oldest_retry(account);
        }
    }

    fn forget_oldest_retry(&mut self, account_id: AccountId) {
        let retries = &mut self.accounts[account_id.0 as usize].retries;
        let oldest = retries.pop_oldest().expect("an account with a deadline has a retry key");
        self.retry_deadlines.remove(&(oldest.expires_ns, account_id));
        if let Some(next) = retries.oldest() {
            self.retry_deadlines.insert((next.expires_ns, account_id));
        }
    }
}
