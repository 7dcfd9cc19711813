//! Invariants of logins.

use std::collections::BTreeSet;

use types::{KeyId, LoginId};

use crate::state::Engine;
use crate::state::invariant::check::check;
use crate::state::login::KEYS_OF_LOGIN_MAX;

impl Engine {
    /// Each login has the valid keys that name it, and a revoked one has none; no two valid ones
    /// have one user name.
    pub(super) fn check_logins(&self) -> Result<(), String> {
        let mut keys = vec![BTreeSet::new(); self.logins.len()];
        for (key, spec) in self.keys() {
            let Some(login) = spec.login else { continue };
            let at = (login.0 as usize).wrapping_sub(1);
            let of_login = keys.get_mut(at).ok_or_else(|| format!("key {key} has no login"))?;
            of_login.insert(key);
        }
        let mut users = BTreeSet::new();
        for ((id, login), keys) in (1..).map(LoginId).zip(&self.logins).zip(keys) {
            check(login.keys == keys, || keys_differ(id, &login.keys, &keys))?;
            check(!login.revoked || keys.is_empty(), || format!("revoked login {id} has keys"))?;
            check(keys.len() <= KEYS_OF_LOGIN_MAX, || format!("login {id} has too many keys"))?;
            if !login.revoked {
                let user = login.spec.user;
                check(users.insert(user.as_bytes().to_vec()), || format!("two logins `{user}`"))?;
                check(self.taken.users.contains(&user), || format!("`{user}` is not taken"))?;
            }
        }
        check(users.len() == self.taken.users.len(), || {
            "a user name is taken without a login".to_owned()
        })
    }
}

fn keys_differ(login: LoginId, kept: &BTreeSet<KeyId>, found: &BTreeSet<KeyId>) -> String {
    format!("login {login} keeps the keys {kept:?}, and those are {found:?}")
}
