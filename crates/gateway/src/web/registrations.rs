//! Limits how often a login registers keys: one at a time, and [`HOUR_MAX`] in an hour. Each is an
//! entry of the log, which is kept.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use types::LoginId;

use crate::door::back_off::Slowed;

/// Registrations of one login within an hour.
const HOUR_MAX: usize = 100;
const HOUR: Duration = Duration::from_secs(3600);

/// The wait where another registration of the login is under way.
const UNDER_WAY_WAIT: Duration = Duration::from_secs(1);

/// The logins that register keys. There are as many as logins at most.
#[derive(Debug, Default)]
pub(crate) struct Registrations {
    of_logins: Mutex<HashMap<LoginId, OfLogin>>,
}

#[derive(Debug, Default)]
struct OfLogin {
    is_under_way: bool,
    /// When each of the last hour began.
    begun: VecDeque<Instant>,
}

/// A registration under way, which ends when this is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Registering<'a> {
    of: &'a Registrations,
    login: LoginId,
}

impl Registrations {
    pub(crate) fn begin(&self, login: LoginId, now: Instant) -> Result<Registering<'_>, Slowed> {
        let mut of_logins = self.of_logins.lock().unwrap_or_else(PoisonError::into_inner);
        let of_login = of_logins.entry(login).or_default();
        if of_login.is_under_way {
            return Err(Slowed(UNDER_WAY_WAIT));
        }
        let age = |begun: &Instant| now.saturating_duration_since(*begun);
        while of_login.begun.front().is_some_and(|first| age(first) >= HOUR) {
            of_login.begun.pop_front();
        }
        if of_login.begun.len() >= HOUR_MAX
            && let Some(first) = of_login.begun.front()
        {
            return Err(Slowed(HOUR - age(first)));
        }
        of_login.begun.push_back(now);
        of_login.is_under_way = true;
        Ok(Registering { of: self, login })
    }
}

impl Drop for Registering<'_> {
    fn drop(&mut self) {
        let mut of_logins = self.of.of_logins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_login) = of_logins.get_mut(&self.login) {
            of_login.is_under_way = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_registers_one_key_at_a_time() {
        let (of, now) = (Registrations::default(), Instant::now());
        let begin = |login| of.begin(LoginId(login), now);
        let first = begin(1).unwrap();
        assert_eq!(begin(1).unwrap_err(), Slowed(UNDER_WAY_WAIT));
        assert!(begin(2).is_ok(), "another login");
        drop(first);
        assert!(begin(1).is_ok());
    }

    #[test]
    fn a_login_has_a_limit_of_registrations_in_an_hour() {
        let (of, begin) = (Registrations::default(), Instant::now());
        let minutes = |n: u64| Duration::from_secs(60 * n);
        for n in 0..HOUR_MAX as u64 {
            let at = begin + if n < 60 { Duration::ZERO } else { minutes(30) };
            assert!(of.begin(LoginId(1), at).is_ok(), "{n}");
        }
        let full = |at| of.begin(LoginId(1), at).unwrap_err();
        assert_eq!(full(begin + minutes(30)), Slowed(minutes(30)));
        assert_eq!(full(begin + minutes(59)), Slowed(minutes(1)));
        for _ in 0..60 {
            assert!(of.begin(LoginId(1), begin + minutes(60)).is_ok());
        }
        assert_eq!(full(begin + minutes(60)), Slowed(minutes(30)));
    }
}
