//! The identity behind a session.

use types::{AccountId, Role};

use crate::door::shared::Door;

/// A person who is signed in.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) account: AccountId,
    pub(crate) account_name: String,
    pub(crate) role: Role,
}

impl User {
    /// The user of a demo's account of this name.
    pub(crate) fn of_demo(door: &Door, name: &str) -> Option<Self> {
        let account = door.directory().account_named(name)?;
        let role = Role::Trader;
        Some(Self { name: name.to_owned(), account, account_name: name.to_owned(), role })
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.account == other.account
    }

    #[cfg(test)]
    pub(crate) fn of_test(name: &str) -> Self {
        let account = AccountId(name.bytes().map(u32::from).sum());
        Self { name: name.to_owned(), account, account_name: name.to_owned(), role: Role::Trader }
    }
}
