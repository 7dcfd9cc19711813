//! The identity behind a session.

use std::sync::Arc;

use types::{LoginId, Role, Way};

use crate::door::identity::Login;
use crate::door::shared::Door;

/// A login at the moment of a request.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) login: Arc<Login>,
    pub(crate) account_name: String,
}

/// What a session remembers of its login.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct SignedIn {
    pub(crate) login: LoginId,
    /// The operator's sign-outs until then: one more ends the session.
    sign_outs: u64,
}

impl User {
    /// `None` if the login may not use the page.
    fn of(door: &Door, login: Option<Arc<Login>>) -> Option<Self> {
        let login = login.filter(|login| login.ways.contains(Way::Page))?;
        let account_name = door.directory().account_name(login.account)?.to_string();
        Some(Self { login, account_name })
    }

    pub(crate) fn named(door: &Door, user: &str) -> Option<Self> {
        let login = door.directory().login_of(user);
        Self::of(door, login)
    }

    pub(crate) fn of_login(door: &Door, login: LoginId) -> Option<Self> {
        let login = door.directory().login(login);
        Self::of(door, login)
    }

    /// The user of a session, unless the login was revoked or signed out meanwhile.
    pub(crate) fn still(door: &Door, signed_in: SignedIn) -> Option<Self> {
        let user = Self::of_login(door, signed_in.login)?;
        (user.signed_in() == signed_in).then_some(user)
    }

    pub(crate) fn signed_in(&self) -> SignedIn {
        SignedIn { login: self.login.login, sign_outs: self.login.sign_outs }
    }

    pub(crate) fn role(&self) -> &'static str {
        match self.login.role {
            Role::Trader => "trader",
            Role::ReadOnly => "read-only",
            Role::MarketData => "market-data",
            Role::Operator => "operator",
        }
    }
}

#[cfg(test)]
impl SignedIn {
    pub(crate) fn of_test(login: u32) -> Self {
        Self { login: LoginId(login), sign_outs: 0 }
    }
}
