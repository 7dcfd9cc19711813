//! Keys and logins, to which tokens and streams belong.

use std::net::IpAddr;

use types::{AccountId, KeyId, LoginId, Role};
use venue::LoginSecret;

use crate::door::shared::Door;

/// The owner of a token.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    Key { key: KeyId, hash: [u8; 16] },
    Login { login: LoginId, secret: LoginSecret },
}

impl Holder {
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Key { key: one, .. }, Self::Key { key: other, .. }) => one == other,
            (Self::Login { login: one, .. }, Self::Login { login: other, .. }) => one == other,
            _ => false,
        }
    }

    pub(super) fn key(&self) -> KeyId {
        match self {
            Self::Key { key, .. } => *key,
            Self::Login { .. } => KeyId(0),
        }
    }

    /// Account and role, unless it is revoked, expired or has another password by now.
    pub(super) fn account(&self, door: &Door, peer: IpAddr) -> Option<(AccountId, Role)> {
        match self {
            Self::Key { hash, .. } => {
                let signer = door.directory().signer(hash)?;
                signer.is_valid(peer).then_some((signer.account, signer.role))
            }
            Self::Login { login, secret } => {
                let login = door.directory().login(*login)?;
                (login.secret == *secret).then_some((login.account, login.role))
            }
        }
    }
}
