//! Logins: creation, updates, and revocation together with their keys.

use std::collections::BTreeSet;

use types::{
    AccountId, CreateLogin, Event, KeyId, LoginCreated, LoginId, LoginRevoked, LoginSpec,
    LoginUpdated, RejectReason, RevokeLogin, Role, Sealed, UpdateLogin,
};

use crate::state::Engine;
use crate::state::login::Login;

const LOGINS_MAX: usize = 1_000_000;

impl Engine {
    /// As an operator's key, an operator's login is made and changed without a key.
    pub(crate) fn create_login(
        &mut self,
        request: &CreateLogin,
        created_by: KeyId,
        events: &mut Vec<Event>,
    ) {
        let spec = request.spec;
        let result = if self.account(spec.account).is_none() {
            Err(RejectReason::UnknownAccount)
        } else if self.logins.len() >= LOGINS_MAX {
            Err(RejectReason::TooManyLogins)
        } else if self.taken.users.contains(&spec.user) {
            Err(RejectReason::UserInUse)
        } else if spec.role == Role::Operator && created_by != KeyId(0) {
            Err(RejectReason::OperatorLoginByKey)
        } else {
            Ok(())
        };
        if let Err(reason) = result {
            return self.reject(spec.account, reason, events);
        }
        self.logins.push(Login { spec, revoked: false, keys: BTreeSet::new() });
        self.taken.users.insert(spec.user);
        let login = LoginId(u32::try_from(self.logins.len()).expect("below LOGINS_MAX"));
        let account_seq = self.accounts[spec.account.0 as usize].next_seq();
        events.push(Event::LoginCreated(LoginCreated { account_seq, login, spec }));
    }

    pub(crate) fn update_login(
        &mut self,
        request: &UpdateLogin,
        changed_by: KeyId,
        events: &mut Vec<Event>,
    ) {
        let UpdateLogin { login, ways, sealed_secret, sign_out } = *request;
        let result = match self.login(login) {
            None => Err(RejectReason::UnknownLogin),
            Some(spec) if spec.role == Role::Operator && changed_by != KeyId(0) => {
                Err(RejectReason::OperatorLoginByKey)
            }
            Some(spec) => Ok(LoginSpec { ways, sealed_secret, ..*spec }),
        };
        let spec = match result {
            Ok(spec) => spec,
            Err(reason) => return self.reject(AccountId::VENUE, reason, events),
        };
        self.logins[login.0 as usize - 1].spec = spec;
        let account_seq = self.accounts[spec.account.0 as usize].next_seq();
        events.push(Event::LoginUpdated(LoginUpdated { account_seq, login, spec, sign_out }));
        if sign_out {
            self.close_session_of(login, events);
            self.revoke_keys_of(login, events);
        }
    }

    pub(crate) fn revoke_login(&mut self, request: &RevokeLogin, events: &mut Vec<Event>) {
        let login = request.login;
        let Some(LoginSpec { user, account, role, .. }) = self.login(login).copied() else {
            return self.reject(AccountId::VENUE, RejectReason::UnknownLogin, events);
        };
        let revoked = &mut self.logins[login.0 as usize - 1];
        revoked.revoked = true;
        revoked.spec.sealed_secret = Sealed::EMPTY; // It must not be opened again.
        self.taken.users.remove(&user);
        let account_seq = self.accounts[account.0 as usize].next_seq();
        let revoked = LoginRevoked { account_seq, login, user, account, role };
        events.push(Event::LoginRevoked(revoked));
        self.close_session_of(login, events);
        self.revoke_keys_of(login, events);
    }

    /// There are so few of them that one command revokes all.
    fn revoke_keys_of(&mut self, login: LoginId, events: &mut Vec<Event>) {
        let keys = self.logins[login.0 as usize - 1].keys.clone();
        keys.into_iter().for_each(|key| self.revoke_valid_key(key, events));
    }
}
