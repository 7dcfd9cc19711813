//! Logins of the state.

use std::collections::BTreeSet;

use types::{KeyId, KeySpec, LoginId, LoginSpec, Role};

use crate::state::Engine;

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
}
