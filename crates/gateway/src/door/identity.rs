//! Identities: keys, and their permissions.

use std::net::IpAddr;

use protocol::signed::sign::VerifyingKey;
use types::{AccountId, KeyId, KeySpec, LoginId, Role, UserName, Ways};
use venue::{Credential, LoginSecret, Verifier};

use crate::clock::now_ns;

/// A key that may sign requests.
#[derive(Clone, Debug)]
pub(crate) struct Signer {
    pub(crate) key: KeyId,
    pub(crate) account: AccountId,
    pub(crate) role: Role,
    /// The login whose browser made it.
    pub(crate) login: Option<LoginId>,
    pub(crate) credential: Credential,
    /// That of the credential.
    pub(crate) verifying_key: VerifyingKey,
}

/// By which a person may sign in.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    pub(crate) login: LoginId,
    pub(crate) user: UserName,
    pub(crate) account: AccountId,
    pub(crate) role: Role,
    pub(crate) ways: Ways,
    pub(crate) secret: LoginSecret,
    /// How often an operator signed the person out everywhere since the start.
    pub(crate) sign_outs: u64,
}

/// The permission that a request needs. Market data needs none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Permission {
    UserData,
    Trade,
    Operate,
}

impl Permission {
    pub(crate) const fn is_of(self, role: Role) -> bool {
        match self {
            Self::UserData => matches!(role, Role::Trader | Role::ReadOnly),
            Self::Trade => matches!(role, Role::Trader),
            Self::Operate => matches!(role, Role::Operator),
        }
    }
}

impl Signer {
    pub(crate) fn new(key: KeyId, spec: &KeySpec, credential: Credential) -> Self {
        let KeySpec { account, role, login, .. } = *spec;
        let verifying_key = match &credential.verifier {
            Verifier::Hmac(secret) => VerifyingKey::hmac(secret.as_str().as_bytes()),
            Verifier::Ed25519(public) => VerifyingKey::Ed25519(*public),
            Verifier::Rsa(modulus) => VerifyingKey::Rsa(modulus.clone()),
        };
        Self { key, account, role, login, credential, verifying_key }
    }

    /// Whether the key may be used now, from this address.
    pub(crate) fn is_valid(&self, peer: IpAddr) -> bool {
        self.credential.allows(peer) && !self.credential.has_expired(now_ns())
    }
}
