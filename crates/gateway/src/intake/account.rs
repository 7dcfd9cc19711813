//! Accounts that orders of the intake may be for.

use std::collections::HashMap;

use protocol::intake::{Fault, FaultCode, NamedAccount};
use types::{AccountId, AccountName};

use crate::door::directory::Directory;

/// Accounts by number or by name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum IntakeAccounts {
    All,
    Only { numbers: Vec<AccountId>, names: Vec<AccountName> },
}

impl IntakeAccounts {
    /// Parses `all`, or numbers and names separated by commas.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "all" {
            return Some(Self::All);
        }
        let (mut numbers, mut names) = (Vec::new(), Vec::new());
        for word in text.split(',').map(str::trim) {
            match word.parse() {
                Ok(0) => return None, // The venue's own.
                Ok(number) => numbers.push(AccountId(number)),
                Err(_) => names.push(AccountName::parse(word)?),
            }
        }
        Some(Self::Only { numbers, names })
    }

    /// The only account that orders can be for, if it is named so.
    fn only(&self) -> Option<NamedAccount<'_>> {
        let Self::Only { numbers, names } = self else { return None };
        match (&numbers[..], &names[..]) {
            ([number], []) => Some(NamedAccount::Number(*number)),
            ([], [name]) => Some(NamedAccount::Name(name.as_str().into())),
            _ => None,
        }
    }

    fn allows(&self, account: AccountId, name: AccountName) -> bool {
        match self {
            Self::All => true,
            Self::Only { numbers, names } => numbers.contains(&account) || names.contains(&name),
        }
    }
}

/// Finds the accounts of messages.
#[derive(Debug)]
pub(super) struct Accounts {
    allowed: IntakeAccounts,
    /// Accounts by the names that messages have used. A name is compared again when it is used: an
    /// operator may have given it to another account.
    by_name: HashMap<String, AccountId>,
}

impl Accounts {
    pub(super) fn new(allowed: IntakeAccounts) -> Self {
        Self { allowed, by_name: HashMap::new() }
    }

    /// The account of a message. A message that names none is for the only account that is allowed.
    pub(super) fn find(
        &mut self,
        directory: &Directory,
        named: Option<&NamedAccount<'_>>,
    ) -> Result<AccountId, Fault> {
        let unknown = || Fault::new(FaultCode::UnknownAccount, "there is no such account");
        let account = match named.or(self.allowed.only().as_ref()) {
            None => {
                return Err(Fault::new(FaultCode::FieldMissing, "the field account is missing"));
            }
            Some(NamedAccount::Number(account)) => Some(*account),
            Some(NamedAccount::Name(name)) => named_account(&mut self.by_name, directory, name),
        };
        let account = account.filter(|account| *account != AccountId::VENUE);
        let account = account.ok_or_else(unknown)?;
        let name = directory.account_name(account).ok_or_else(unknown)?;
        if self.allowed.allows(account, name) {
            Ok(account)
        } else {
            let sentence = "the intake takes no orders for this account (intake_accounts)";
            Err(Fault::new(FaultCode::AccountNotAllowed, sentence))
        }
    }
}

fn named_account(
    by_name: &mut HashMap<String, AccountId>,
    directory: &Directory,
    name: &str,
) -> Option<AccountId> {
    let is_still = |account: &AccountId| {
        directory.account_name(*account).is_some_and(|now| now.as_str() == name)
    };
    if let Some(known) = by_name.get(name).copied().filter(is_still) {
        return Some(known);
    }
    let found = directory.account_named(name)?;
    by_name.insert(name.to_owned(), found);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_all_or_a_list_of_numbers_and_names() {
        let name = |text| AccountName::parse(text).unwrap();
        assert_eq!(IntakeAccounts::parse("all"), Some(IntakeAccounts::All));
        let only = IntakeAccounts::parse("1, alice,7").unwrap();
        assert!(only.allows(AccountId(7), name("x")) && only.allows(AccountId(9), name("alice")));
        assert!(!only.allows(AccountId(9), name("bob")) && only.only().is_none());
        let alice = IntakeAccounts::parse("alice").unwrap();
        assert_eq!(alice.only(), Some(NamedAccount::Name("alice".into())));
        for text in ["", ",", "1,", "0", "a b,1"] {
            assert_eq!(IntakeAccounts::parse(text), None, "{text}");
        }
    }
}
