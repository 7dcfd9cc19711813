//! Withdrawals in two steps, as they are kept.

use std::collections::BTreeMap;

use types::{AccountId, Withdrawal};

/// Withdrawals that an account may have open at once.
pub const WITHDRAWALS_OPEN_MAX: usize = 100;
/// Those that ended, and of which the venue can still say how.
pub const WITHDRAWALS_KEPT: usize = 1_000;

/// By account, oldest first.
pub(super) type Withdrawals = BTreeMap<AccountId, Vec<Withdrawal>>;
