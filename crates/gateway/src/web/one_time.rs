//! One-time codes of authenticator apps: each is good once.
//!
//! # Known limits
//! A restart forgets which codes were used; a code is good for 90 seconds.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use types::LoginId;
use venue::TotpSecret;

/// The 30 seconds of the last code that each login used. There are as many as logins.
#[derive(Debug, Default)]
pub(crate) struct OneTimeCodes {
    last_steps: Mutex<HashMap<LoginId, u64>>,
}

impl OneTimeCodes {
    pub(crate) fn use_up(
        &self,
        login: LoginId,
        secret: &TotpSecret,
        code: &str,
        now_ns: u64,
    ) -> bool {
        let Some(step) = secret.step_of(code, now_ns) else { return false };
        let mut last_steps = self.last_steps.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = last_steps.get(&login).is_none_or(|last| step > *last);
        if is_new {
            last_steps.insert(login, step);
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_NS: u64 = 30_000_000_000;

    #[test]
    fn a_code_is_good_once_and_no_older_one_follows() {
        let (codes, secret) = (OneTimeCodes::default(), TotpSecret::generate());
        let now_ns = 1_000 * STEP_NS;
        let [before, now, after] =
            [now_ns - STEP_NS, now_ns, now_ns + STEP_NS].map(|at_ns| secret.code_at(at_ns));
        assert!(codes.use_up(LoginId(1), &secret, &now, now_ns));
        assert!(!codes.use_up(LoginId(1), &secret, &now, now_ns));
        assert!(!codes.use_up(LoginId(1), &secret, &before, now_ns), "an older one");
        assert!(codes.use_up(LoginId(2), &secret, &before, now_ns), "another login");
        assert!(codes.use_up(LoginId(1), &secret, &after, now_ns));
        assert!(!codes.use_up(LoginId(1), &secret, "", now_ns));
    }
}
