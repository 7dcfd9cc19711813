//! Withdrawals in two steps.

use std::collections::BTreeMap;

use types::{AccountId, Withdrawal};

use crate::state::Engine;

/// Limit of an account's open withdrawals.
pub const WITHDRAWALS_OPEN_MAX: usize = 100;
/// Limit of the ended withdrawals that an account keeps.
pub const WITHDRAWALS_KEPT: usize = 1_000;

/// Approvals that a withdrawal needs until an operator sets another number.
pub(super) const WITHDRAWAL_APPROVALS: u8 = 1;

/// The rules version since which operators approve withdrawals.
const APPROVALS_SINCE: u16 = 2;

/// By account, oldest first.
pub(super) type Withdrawals = BTreeMap<AccountId, Vec<Withdrawal>>;

impl Engine {
    /// Whether the rules know approvals, and the operators that give them.
    pub(crate) fn has_approvals(&self) -> bool {
        self.rules >= APPROVALS_SINCE
    }
}
