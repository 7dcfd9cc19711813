//! Sessions of signed-in browsers, in memory: a restart ends all of them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use types::{KeyId, LoginId};
use venue::{api_key_hash, random_text};

use crate::web::user::SignedIn;

/// Letters and digits of a session's id: 190 bits.
const ID_LEN: usize = 32;

/// The sessions by the hash of their ids: memory that leaks holds no cookie.
#[derive(Debug)]
pub(crate) struct Sessions {
    max: usize,
    idle_max: Duration,
    by_hash: Mutex<HashMap<Hash, Session>>,
}

type Hash = [u8; 16];

#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) signed_in: SignedIn,
    pub(crate) started_ms: u64,
    used: Instant,
    /// The keys that it registered, and the one it signed in with.
    pub(crate) keys: Vec<KeyId>,
}

/// All sessions are in use.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Full {
    pub(crate) max: usize,
}

impl Sessions {
    pub(crate) fn new(max: usize, idle_max: Duration) -> Self {
        Self { max, idle_max, by_hash: Mutex::default() }
    }

    /// Starts a session, and returns its id for the cookie.
    pub(crate) fn start(
        &self,
        signed_in: SignedIn,
        key: Option<KeyId>,
        (now, started_ms): (Instant, u64),
    ) -> Result<String, Full> {
        let mut sessions = self.sessions();
        if sessions.len() >= self.max {
            sessions.retain(|_, session| !session.is_idle(now, self.idle_max));
        }
        if sessions.len() >= self.max {
            return Err(Full { max: self.max });
        }
        let id = random_text(ID_LEN);
        let keys = key.into_iter().collect();
        sessions.insert(api_key_hash(&id), Session { signed_in, started_ms, used: now, keys });
        Ok(id)
    }

    /// The session of a cookie, which is used by this.
    pub(crate) fn find(&self, id: &str, now: Instant) -> Option<Session> {
        let hash = api_key_hash(id);
        let mut sessions = self.sessions();
        let session = sessions.get_mut(&hash)?;
        if session.is_idle(now, self.idle_max) {
            sessions.remove(&hash);
            return None;
        }
        session.used = now;
        Some(session.clone())
    }

    /// Records a key that a session registered. `false` if the session has ended meanwhile: then
    /// the key must not outlive it.
    pub(crate) fn add_key(&self, id: &str, key: KeyId) -> bool {
        let mut sessions = self.sessions();
        let session = sessions.get_mut(&api_key_hash(id));
        session.map(|session| session.keys.push(key)).is_some()
    }

    pub(crate) fn end(&self, id: &str) -> Option<Session> {
        self.sessions().remove(&api_key_hash(id))
    }

    /// Ends all sessions of a login.
    pub(crate) fn end_all(&self, login: LoginId) {
        self.sessions().retain(|_, session| session.signed_in.login != login);
    }

    /// Whether a session registered this key, or signed in with it.
    pub(crate) fn has_key(&self, key: KeyId) -> bool {
        self.sessions().values().any(|session| session.keys.contains(&key))
    }

    pub(crate) fn count(&self, now: Instant) -> usize {
        let sessions = self.sessions();
        sessions.values().filter(|session| !session.is_idle(now, self.idle_max)).count()
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Hash, Session>> {
        self.by_hash.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    fn is_idle(&self, now: Instant, idle_max: Duration) -> bool {
        now.saturating_duration_since(self.used) >= idle_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(100);

    fn start(sessions: &Sessions, login: u32, now: Instant) -> Result<String, Full> {
        sessions.start(SignedIn::of_test(login), None, (now, 7))
    }

    #[test]
    fn a_session_ends_when_it_is_idle_and_not_while_it_is_used() {
        let (sessions, begin) = (Sessions::new(10, IDLE), Instant::now());
        let id = start(&sessions, 1, begin).unwrap();
        assert_eq!(sessions.find(&id, begin + IDLE / 2).unwrap().started_ms, 7);
        assert!(sessions.find(&id, begin + IDLE).is_some(), "used half a time ago");
        assert!(sessions.find(&id, begin + IDLE * 2).is_none());
        assert!(sessions.find(&id, begin).is_none(), "it stays ended");
        assert!(!sessions.add_key(&id, KeyId(1)));
    }

    #[test]
    fn sessions_are_bounded_and_idle_ones_make_room() {
        let (sessions, begin) = (Sessions::new(2, IDLE), Instant::now());
        let first = start(&sessions, 1, begin).unwrap();
        let second = start(&sessions, 2, begin + IDLE / 2).unwrap();
        assert_ne!(first, second);
        assert_eq!(start(&sessions, 3, begin + IDLE / 2), Err(Full { max: 2 }));
        start(&sessions, 3, begin + IDLE).unwrap();
        assert!(sessions.find(&first, begin + IDLE).is_none());
        assert!(sessions.find(&second, begin + IDLE).is_some());
        assert_eq!(sessions.count(begin + IDLE), 2);
    }

    #[test]
    fn a_login_ends_all_own_sessions_and_no_other() {
        let (sessions, now) = (Sessions::new(10, IDLE), Instant::now());
        let ids = [1, 1, 2].map(|login| start(&sessions, login, now).unwrap());
        assert!(sessions.add_key(&ids[1], KeyId(5)) && sessions.has_key(KeyId(5)));
        sessions.end_all(LoginId(1));
        let left = ids.map(|id| sessions.find(&id, now).is_some());
        assert_eq!(left, [false, false, true]);
        assert!(!sessions.has_key(KeyId(5)));
    }
}
