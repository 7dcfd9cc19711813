//! Withdrawals in two steps.

use std::collections::BTreeMap;

use types::{AccountId, Withdrawal};

/// Limit of an account's open withdrawals.
pub const WITHDRAWALS_OPEN_MAX: usize = 100;
/// Limit of the ended withdrawals that an account keeps.
pub const WITHDRAWALS_KEPT: usize = 1_000;

/// Approvals that a withdrawal needs until an operator sets another number.
pub(super) const WITHDRAWAL_APPROVALS: u8 = 1;

/// By account, oldest first.
pub(super) type Withdrawals = BTreeMap<AccountId, Vec<Withdrawal>>;
