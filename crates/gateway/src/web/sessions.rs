//! Sessions of signed-in browsers, in memory: a restart ends all of them.
//!
//! # Invariants
//! - Each session is listed under its login, and no login has more than its limit.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use types::{KeyId, LoginId};
use venue::{api_key_hash, random_text};

use crate::web::settings::WebSettings;
use crate::web::user::SignedIn;

/// Letters and digits of a session's id: 190 bits.
const ID_LEN: usize = 32;

#[derive(Debug)]
pub(crate) struct Sessions {
    limits: WebSettings,
    all: Mutex<All>,
}

/// The sessions by the hash of their ids: memory that leaks holds no cookie.
#[derive(Debug, Default)]
struct All {
    by_hash: HashMap<Hash, Session>,
    of_login: HashMap<LoginId, Vec<Hash>>,
}

type Hash = [u8; 16];

#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) signed_in: SignedIn,
    pub(crate) started_ms: u64,
    started: Instant,
    used: Instant,
    /// The key that it signed in with: it ends with this key.
    pub(crate) by_key: Option<KeyId>,
    /// The keys that it registered, after the one that it signed in with.
    pub(crate) keys: Vec<KeyId>,
}

/// A session to start.
#[derive(Clone, Copy)]
pub(crate) struct NewSession<'a> {
    pub(crate) signed_in: SignedIn,
    pub(crate) by_key: Option<KeyId>,
    /// The session of the same browser, which ends.
    pub(crate) replaced: Option<&'a str>,
    pub(crate) started_ms: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum NotStarted {
    /// All sessions are in use. Nothing was proven, so that no code is used up.
    Full { max: usize },
    /// The code is wrong.
    Unproven,
}

impl Sessions {
    pub(crate) fn new(limits: WebSettings) -> Self {
        Self { limits, all: Mutex::default() }
    }

    /// Starts a session if there is room and `prove` is right, and returns its id for the cookie.
    /// Of a login with too many, the one ends that was not used for the longest time.
    pub(crate) fn start(
        &self,
        new: NewSession<'_>,
        now: Instant,
        prove: impl FnOnce() -> bool,
    ) -> Result<String, NotStarted> {
        let NewSession { signed_in, by_key, replaced, started_ms } = new;
        let mut all = self.all();
        if all.by_hash.len() >= self.limits.sessions_max {
            all.remove_ended(&self.limits, now);
        }
        let replaced = replaced.map(api_key_hash).filter(|hash| all.by_hash.contains_key(hash));
        let evicted = all.evicted(signed_in.login, replaced, self.limits.sessions_per_login_max);
        let leaving = replaced.iter().chain(&evicted).count();
        if all.by_hash.len() - leaving >= self.limits.sessions_max {
            return Err(NotStarted::Full { max: self.limits.sessions_max });
        }
        if !prove() {
            return Err(NotStarted::Unproven);
        }
        let before = replaced.and_then(|hash| all.remove(&hash));
        if let Some(hash) = evicted {
            all.remove(&hash);
        }
        // The browser signs out of what it registered before, too.
        let before = before.filter(|before| before.signed_in.login == signed_in.login);
        let mut keys: Vec<_> = by_key.into_iter().collect();
        keys.extend(before.into_iter().flat_map(|before| before.keys));
        keys.dedup();
        let id = random_text(ID_LEN);
        let session = Session { signed_in, started_ms, started: now, used: now, by_key, keys };
        all.insert(api_key_hash(&id), session);
        Ok(id)
    }

    /// The session of a cookie, which is used by this.
    pub(crate) fn find(&self, id: &str, now: Instant) -> Option<Session> {
        let hash = api_key_hash(id);
        let mut all = self.all();
        let session = all.by_hash.get_mut(&hash)?;
        if session.has_ended(&self.limits, now) {
            all.remove(&hash);
            return None;
        }
        session.used = now;
        Some(session.clone())
    }

    /// Records a key that a session registered. `false` if the session has ended meanwhile: then
    /// the key must not outlive it.
    pub(crate) fn add_key(&self, id: &str, key: KeyId) -> bool {
        let mut all = self.all();
        let session = all.by_hash.get_mut(&api_key_hash(id));
        session.map(|session| session.keys.push(key)).is_some()
    }

    pub(crate) fn end(&self, id: &str) -> Option<Session> {
        self.all().remove(&api_key_hash(id))
    }

    /// Ends all sessions of a login.
    pub(crate) fn end_all(&self, login: LoginId) {
        let mut all = self.all();
        for hash in all.of_login.remove(&login).unwrap_or_default() {
            all.by_hash.remove(&hash);
        }
    }

    /// The keys that sessions of a login registered, or signed in with.
    pub(crate) fn keys_of(&self, login: LoginId) -> Vec<KeyId> {
        let all = self.all();
        all.of(login).flat_map(|(_, session)| session.keys.iter().copied()).collect()
    }

    pub(crate) fn count(&self, now: Instant) -> usize {
        let all = self.all();
        all.by_hash.values().filter(|session| !session.has_ended(&self.limits, now)).count()
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    fn of(&self, login: LoginId) -> impl Iterator<Item = (&Hash, &Session)> {
        let hashes = self.of_login.get(&login).into_iter().flatten();
        hashes.filter_map(|hash| Some((hash, self.by_hash.get(hash)?)))
    }

    /// The session that makes room for another one of its login, if `max` are there beside the one
    /// that is replaced.
    fn evicted(&self, login: LoginId, replaced: Option<Hash>, max: usize) -> Option<Hash> {
        let others = || self.of(login).filter(move |(hash, _)| Some(**hash) != replaced);
        let least_used = || others().min_by_key(|(_, session)| session.used);
        if others().count() >= max { least_used().map(|(hash, _)| *hash) } else { None }
    }

    fn insert(&mut self, hash: Hash, session: Session) {
        self.of_login.entry(session.signed_in.login).or_default().push(hash);
        self.by_hash.insert(hash, session);
    }

    fn remove(&mut self, hash: &Hash) -> Option<Session> {
        let session = self.by_hash.remove(hash)?;
        let login = session.signed_in.login;
        if let Some(hashes) = self.of_login.get_mut(&login) {
            hashes.retain(|other| other != hash);
            if hashes.is_empty() {
                self.of_login.remove(&login);
            }
        }
        Some(session)
    }

    fn remove_ended(&mut self, limits: &WebSettings, now: Instant) {
        let ended = self.by_hash.iter().filter(|(_, session)| session.has_ended(limits, now));
        let ended: Vec<_> = ended.map(|(hash, _)| *hash).collect();
        for hash in ended {
            self.remove(&hash);
        }
    }
}

impl Session {
    fn has_ended(&self, limits: &WebSettings, now: Instant) -> bool {
        let has_passed = |since, max: Duration| now.saturating_duration_since(since) >= max;
        has_passed(self.used, limits.session_idle_max)
            || has_passed(self.started, limits.session_life_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(100);
    const LIFE: Duration = Duration::from_secs(250);

    fn sessions(sessions_max: usize, sessions_per_login_max: usize) -> Sessions {
        Sessions::new(WebSettings {
            sessions_max,
            sessions_per_login_max,
            session_idle_max: IDLE,
            session_life_max: LIFE,
        })
    }

    fn of_login(login: u32) -> NewSession<'static> {
        let signed_in = SignedIn::of_test(login);
        NewSession { signed_in, by_key: None, replaced: None, started_ms: 7 }
    }

    fn start(sessions: &Sessions, login: u32, now: Instant) -> Result<String, NotStarted> {
        sessions.start(of_login(login), now, || true)
    }

    #[test]
    fn a_session_ends_when_it_is_idle_and_not_while_it_is_used() {
        let (sessions, begin) = (sessions(10, 10), Instant::now());
        let id = start(&sessions, 1, begin).unwrap();
        assert_eq!(sessions.find(&id, begin + IDLE / 2).unwrap().started_ms, 7);
        assert!(sessions.find(&id, begin + IDLE).is_some(), "used half a time ago");
        assert!(sessions.find(&id, begin + IDLE * 2).is_none());
        assert!(sessions.find(&id, begin).is_none(), "it stays ended");
        assert!(!sessions.add_key(&id, KeyId(1)));
    }

    #[test]
    fn a_session_ends_after_its_life_however_much_it_is_used() {
        let (sessions, begin) = (sessions(10, 10), Instant::now());
        let id = start(&sessions, 1, begin).unwrap();
        for tenth in 1..10 {
            assert!(sessions.find(&id, begin + LIFE * tenth / 10).is_some(), "{tenth}");
        }
        assert_eq!(sessions.count(begin + LIFE), 0);
        assert!(sessions.find(&id, begin + LIFE).is_none());
    }

    #[test]
    fn sessions_are_bounded_and_ended_ones_make_room() {
        let (sessions, begin) = (sessions(2, 10), Instant::now());
        let first = start(&sessions, 1, begin).unwrap();
        let second = start(&sessions, 2, begin + IDLE / 2).unwrap();
        assert_ne!(first, second);
        assert_eq!(start(&sessions, 3, begin + IDLE / 2), Err(NotStarted::Full { max: 2 }));
        start(&sessions, 3, begin + IDLE).unwrap();
        assert!(sessions.find(&first, begin + IDLE).is_none());
        assert!(sessions.find(&second, begin + IDLE).is_some());
        assert_eq!(sessions.count(begin + IDLE), 2);
        // The same browser takes no further place, also under another login.
        let again = NewSession { replaced: Some(&second), ..of_login(4) };
        let fourth = sessions.start(again, begin + IDLE, || true).unwrap();
        assert!(sessions.find(&second, begin + IDLE).is_none());
        assert!(sessions.find(&fourth, begin + IDLE).is_some());
    }

    #[test]
    fn nothing_is_proven_without_room_and_nothing_ends_without_a_proof() {
        let (sessions, now) = (sessions(1, 1), Instant::now());
        let first = start(&sessions, 1, now).unwrap();
        let full = sessions.start(of_login(2), now, || panic!("it would use a code up"));
        assert_eq!(full, Err(NotStarted::Full { max: 1 }));
        for new in [of_login(1), NewSession { replaced: Some(&first), ..of_login(2) }] {
            assert_eq!(sessions.start(new, now, || false), Err(NotStarted::Unproven));
            assert!(sessions.find(&first, now).is_some());
        }
    }

    #[test]
    fn a_login_has_a_limit_and_its_least_used_session_makes_room() {
        let (sessions, begin) = (sessions(4, 2), Instant::now());
        let second = |n: u32| begin + Duration::from_secs(n.into());
        let other = start(&sessions, 2, second(0)).unwrap();
        let ids = [1, 2].map(|at| start(&sessions, 1, second(at)).unwrap());
        assert!(sessions.find(&ids[0], second(3)).is_some());
        let third = start(&sessions, 1, second(4)).unwrap();
        let is_there = |id: &str| sessions.find(id, second(5)).is_some();
        assert_eq!(
            [&other, &ids[0], &ids[1], &third].map(|id| is_there(id)),
            [true, true, false, true]
        );
        let again = NewSession { replaced: Some(&third), ..of_login(1) };
        sessions.start(again, second(6), || true).unwrap();
        assert!(is_there(&ids[0]), "the browser's own session made room");
    }

    #[test]
    fn a_browser_that_signs_in_again_keeps_its_keys_and_those_of_another_login_not() {
        let (sessions, now) = (sessions(10, 10), Instant::now());
        let first = start(&sessions, 1, now).unwrap();
        assert!(sessions.add_key(&first, KeyId(5)));
        let by_key = NewSession { by_key: Some(KeyId(5)), replaced: Some(&first), ..of_login(1) };
        let second = sessions.start(by_key, now, || true).unwrap();
        let session = sessions.find(&second, now).unwrap();
        assert_eq!((session.by_key, session.keys), (Some(KeyId(5)), vec![KeyId(5)]));
        let other = NewSession { replaced: Some(&second), ..of_login(2) };
        let third = sessions.start(other, now, || true).unwrap();
        assert!(sessions.find(&third, now).unwrap().keys.is_empty());
    }

    #[test]
    fn a_login_ends_all_own_sessions_and_no_other() {
        let (sessions, now) = (sessions(10, 10), Instant::now());
        let ids = [1, 1, 2].map(|login| start(&sessions, login, now).unwrap());
        assert!(sessions.add_key(&ids[1], KeyId(5)) && sessions.add_key(&ids[2], KeyId(6)));
        assert_eq!(sessions.keys_of(LoginId(1)), [KeyId(5)]);
        sessions.end_all(LoginId(1));
        let left = ids.map(|id| sessions.find(&id, now).is_some());
        assert_eq!(left, [false, false, true]);
        assert_eq!(sessions.keys_of(LoginId(1)), []);
        assert_eq!(sessions.keys_of(LoginId(2)), [KeyId(6)]);
    }
}
