//! Faults that a test asks for: each meets the next commands of an account, and no other.
//!
//! A fault concerns requests that submit an order, a cancel or a change: questions are answered as
//! always, so that a test sees what became of the order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use types::AccountId;

/// Faults that wait at once.
const WAITING_MAX: usize = 1_000;

/// What happens to a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// It is carried out, and never answered.
    DropAck,
    /// It is carried out at once, and answered after this time.
    Delay(Duration),
    /// The connection closes, and nothing is carried out.
    Disconnect,
    /// An internal error is the answer, and nothing is carried out.
    InternalError,
    /// As with too much weight: nothing is carried out.
    RateLimit,
    /// It is carried out, and the answer says that its outcome is unknown.
    Unknown,
    /// As when the venue is overloaded: nothing is carried out.
    Overload,
    /// As by a rule, for want of balance: nothing is carried out.
    Reject,
    /// As while the venue is halted: nothing is carried out.
    Halt,
}

/// A fault for the next requests of one account, or of any.
#[derive(Clone, Copy, Debug)]
pub struct ArmedFault {
    pub fault: Fault,
    pub account: Option<AccountId>,
    /// The requests that it meets.
    pub count: u32,
}

/// The faults that wait for their requests, oldest first.
#[derive(Debug, Default)]
pub struct Faults {
    /// Without a lock for a venue without faults.
    waiting: AtomicUsize,
    armed: Mutex<VecDeque<ArmedFault>>,
}

impl Faults {
    /// `false` if too many wait already.
    pub fn arm(&self, fault: ArmedFault) -> bool {
        let mut armed = self.armed();
        if armed.len() == WAITING_MAX {
            return false;
        }
        armed.push_back(fault);
        self.waiting.store(armed.len(), Ordering::Release);
        true
    }

    /// Removes the faults that wait, and returns them.
    pub fn clear(&self) -> Vec<ArmedFault> {
        let mut armed = self.armed();
        self.waiting.store(0, Ordering::Release);
        armed.drain(..).collect()
    }

    /// The faults that wait.
    pub fn list(&self) -> Vec<ArmedFault> {
        self.armed().iter().copied().collect()
    }

    /// The fault of the next request of this account.
    pub(crate) fn take(&self, account: AccountId) -> Option<Fault> {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut armed = self.armed();
        let concerns = |armed: &ArmedFault| armed.account.is_none_or(|of| of == account);
        let at = armed.iter().position(concerns)?;
        let fault = armed[at].fault;
        armed[at].count = armed[at].count.saturating_sub(1);
        if armed[at].count == 0 {
            armed.remove(at);
            self.waiting.store(armed.len(), Ordering::Release);
        }
        Some(fault)
    }

    fn armed(&self) -> MutexGuard<'_, VecDeque<ArmedFault>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_meets_its_account_as_often_as_asked_for() {
        let faults = Faults::default();
        let (one, other) = (AccountId(1), AccountId(2));
        assert_eq!(faults.take(one), None);
        assert!(faults.arm(ArmedFault { fault: Fault::Halt, account: Some(one), count: 2 }));
        assert!(faults.arm(ArmedFault { fault: Fault::Reject, account: None, count: 1 }));
        assert_eq!(faults.take(other), Some(Fault::Reject));
        assert_eq!(faults.take(other), None);
        assert_eq!(
            [(); 3].map(|()| faults.take(one)),
            [Some(Fault::Halt), Some(Fault::Halt), None]
        );
    }

    #[test]
    fn faults_are_removed_and_bounded() {
        let faults = Faults::default();
        let fault = ArmedFault { fault: Fault::DropAck, account: None, count: 1 };
        assert!((0..WAITING_MAX).all(|_| faults.arm(fault)));
        assert!(!faults.arm(fault));
        assert_eq!(faults.clear().len(), WAITING_MAX);
        assert_eq!(faults.take(AccountId(1)), None);
    }
}
