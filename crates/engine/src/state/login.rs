//! Logins of the state.

use std::collections::BTreeSet;

use types::{KeyId, KeySpec, LoginId, LoginSpec, Reader, Role, Wire};

use crate::state::Engine;
use crate::state::codec::{read_list, write_list};
use crate::state::key::Key;

/// Limit of a login's valid keys: each browser that a person signs in with has one.
pub const KEYS_OF_LOGIN_MAX: usize = 64;

#[derive(Clone, Debug)]
pub(crate) struct Login {
    pub(crate) spec: LoginSpec,
    pub(crate) revoked: bool,
    /// Its valid keys.
    pub(crate) keys: BTreeSet<KeyId>,
}

impl Login {
    /// Whether a key of the login may be this one: it acts as the login does, which is never as an
    /// operator.
    pub(crate) fn may_have(&self, key: &KeySpec) -> bool {
        let LoginSpec { account, role, .. } = self.spec;
        (account, role) == (key.account, key.role) && role != Role::Operator
    }
}

impl Engine {
    /// A valid login.
    pub fn login(&self, login: LoginId) -> Option<&LoginSpec> {
        self.valid_login(login).map(|login| &login.spec)
    }

    pub(crate) fn valid_login(&self, login: LoginId) -> Option<&Login> {
        let login = self.logins.get((login.0 as usize).checked_sub(1)?)?;
        (!login.revoked).then_some(login)
    }

    /// The valid logins.
    pub fn logins(&self) -> impl Iterator<Item = (LoginId, &LoginSpec)> {
        let numbered = (1..).map(LoginId).zip(&self.logins);
        numbered.filter(|(_, login)| !login.revoked).map(|(id, login)| (id, &login.spec))
    }

    /// The valid keys of a login, oldest first.
    pub fn keys_of_login(&self, login: LoginId) -> impl Iterator<Item = KeyId> {
        let at = (login.0 as usize).checked_sub(1);
        at.and_then(|at| self.logins.get(at)).into_iter().flat_map(|login| &login.keys).copied()
    }

    /// Nothing for a venue that never had a login: its state is as it was before there were any.
    pub(super) fn write_logins(&self, out: &mut Vec<u8>) {
        if !self.logins.is_empty() {
            write_list(self.logins.iter(), out, |login, out| {
                (login.spec, login.revoked).write(out)
            });
        }
    }

    /// Reads the last part of a state, after its keys.
    pub(super) fn read_logins(&mut self, r: &mut Reader<'_>) -> Option<()> {
        if r.is_empty() {
            return Some(());
        }
        self.logins = read_list(r, |r| {
            let (spec, revoked) = r.read()?;
            Some(Login { spec, revoked, keys: BTreeSet::new() })
        })?;
        for (key, found) in (1..).map(KeyId).zip(&self.keys) {
            let (Some(login), false) = (found.spec.login, found.revoked) else { continue };
            let at = (login.0 as usize).checked_sub(1)?;
            self.logins.get_mut(at)?.keys.insert(key);
        }
        (!self.logins.is_empty()).then_some(())
    }

    /// Refers every key to its login, and every login to its account.
    pub(super) fn logins_are_sound(&self) -> bool {
        let key_is_sound = |key: &Key| {
            key.spec.login.is_none_or(|login| {
                let at = (login.0 as usize).wrapping_sub(1);
                self.logins.get(at).is_some_and(|login| login.may_have(&key.spec))
            })
        };
        self.keys.iter().all(key_is_sound)
            && self.logins.iter().all(|login| {
                self.account(login.spec.account).is_some()
                    && login.keys.len() <= KEYS_OF_LOGIN_MAX
                    && !(login.revoked && !login.keys.is_empty())
            })
    }
}
