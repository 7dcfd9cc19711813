//! API keys: creation, revocation, and a new master key.

use types::{
    AccountId, CreateKey, Event, KeyCreated, KeyId, KeyRevoked, KeySpec, MasterKeyInUse,
    MasterKeyRotated, RejectReason, RevokeKey, Role, RotateMasterKey, Sealed,
};

use crate::state::Engine;
use crate::state::key::Key;
use crate::state::login::KEYS_OF_LOGIN_MAX;

const KEYS_MAX: usize = 10_000_000;

impl Engine {
    /// An operator's key is made without one: else an operator could make the other operators that
    /// approve its withdrawals.
    pub(crate) fn create_key(
        &mut self,
        request: &CreateKey,
        created_by: KeyId,
        events: &mut Vec<Event>,
    ) {
        let spec = request.spec;
        let login = spec.login.and_then(|login| self.valid_login(login));
        let result = if self.account(spec.account).is_none() {
            Err(RejectReason::UnknownAccount)
        } else if spec.login.is_some() && login.is_none() {
            Err(RejectReason::UnknownLogin)
        } else if self.keys.len() >= KEYS_MAX {
            Err(RejectReason::TooManyKeys)
        } else if login.is_some_and(|login| login.keys.len() >= KEYS_OF_LOGIN_MAX) {
            Err(RejectReason::TooManyKeysOfLogin)
        } else if self.taken.api_key_hashes.contains(&spec.api_key_hash) {
            Err(RejectReason::ApiKeyInUse)
        } else if spec.role == Role::Operator && created_by != KeyId(0) && self.has_approvals() {
            Err(RejectReason::OperatorKeyByKey)
        } else if login.is_some_and(|login| !login.may_have(&spec)) {
            Err(RejectReason::KeyBeyondLogin)
        } else {
            Ok(())
        };
        if let Err(reason) = result {
            return self.reject(spec.account, reason, events);
        }
        self.keys.push(Key { spec, revoked: false });
        self.taken.api_key_hashes.insert(spec.api_key_hash);
        let key = KeyId(u32::try_from(self.keys.len()).expect("below KEYS_MAX"));
        if let Some(login) = spec.login {
            self.logins[login.0 as usize - 1].keys.insert(key);
        }
        let account_seq = self.accounts[spec.account.0 as usize].next_seq();
        events.push(Event::KeyCreated(KeyCreated { account_seq, key, spec }));
    }

    pub(crate) fn revoke_key(&mut self, request: &RevokeKey, events: &mut Vec<Event>) {
        let at = (request.key.0 as usize).wrapping_sub(1);
        if self.keys.get(at).is_none_or(|key| key.revoked) {
            return self.reject(AccountId::VENUE, RejectReason::UnknownKey, events);
        }
        self.revoke_valid_key(request.key, events);
    }

    pub(super) fn revoke_valid_key(&mut self, key: KeyId, events: &mut Vec<Event>) {
        let revoked = &mut self.keys[key.0 as usize - 1];
        revoked.revoked = true;
        let KeySpec { account, role, login, .. } = revoked.spec;
        if let Some(login) = login {
            self.logins[login.0 as usize - 1].keys.remove(&key);
        }
        let account_seq = self.accounts[account.0 as usize].next_seq();
        events.push(Event::KeyRevoked(KeyRevoked { account_seq, key, account, role }));
    }

    pub(crate) fn rotate_master_key(&mut self, request: &RotateMasterKey, events: &mut Vec<Event>) {
        let (keys, logins) = (request.keys.iter(), request.logins.iter());
        let names_all = self.keys().map(|(key, _)| key).eq(keys.map(|resealed| resealed.key))
            && self.logins().map(|(login, _)| login).eq(logins.map(|resealed| resealed.login));
        if !names_all {
            return self.reject(AccountId::VENUE, RejectReason::KeysChanged, events);
        }
        // A key that is not in the list was revoked: its secret must not be opened again.
        self.keys.iter_mut().for_each(|key| key.spec.sealed_secret = Sealed::EMPTY);
        for resealed in &request.keys {
            self.keys[resealed.key.0 as usize - 1].spec.sealed_secret = resealed.sealed_secret;
        }
        for resealed in &request.logins {
            self.logins[resealed.login.0 as usize - 1].spec.sealed_secret = resealed.sealed_secret;
        }
        let fingerprint = request.fingerprint;
        self.master_key = Some(MasterKeyInUse { fingerprint, since_ns: self.now_ns });
        let key_count = u32::try_from(request.keys.len()).expect("below KEYS_MAX");
        events.push(Event::MasterKeyRotated(MasterKeyRotated { fingerprint, key_count }));
    }
}
