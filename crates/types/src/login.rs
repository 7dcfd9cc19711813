//! Logins, by which persons sign in with a user name and a password.

use crate::account::Role;
use crate::describe::{Describe, Described};
use crate::id::{AccountId, LoginId};
use crate::text::{Sealed, UserName};
use crate::wire::{Reader, Wire, numbered, record};

record! {
    /// A login as the log stores it: what it may do in the open, and sealed by the master key the
    /// hash of its password and the secret of its one-time codes.
    pub struct LoginSpec {
        /// Unique among the valid logins.
        pub user: UserName,
        pub account: AccountId,
        pub role: Role,
        pub ways: Ways,
        pub sealed_secret: Sealed,
    }
}

record! {
    /// A login's secret after it was sealed by a new master key.
    pub struct ResealedLogin {
        pub login: LoginId,
        pub sealed_secret: Sealed,
    }
}

numbered! {
    /// Where a login may sign in.
    pub enum Way: u8 {
        /// The web page of the venue.
        Page = 0,
        /// The binary door for orders, OUCH.
        Ouch = 1,
    }
}

/// The ways of a login: at least one.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Ways(u8);

impl Ways {
    /// `None` if there are none: such a login would be of no use, and is revoked instead.
    pub fn new(ways: &[Way]) -> Option<Self> {
        let bits = ways.iter().fold(0, |bits, way| bits | bit(*way));
        (bits > 0).then_some(Self(bits))
    }

    pub fn contains(self, way: Way) -> bool {
        self.0 & bit(way) != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Way> {
        Way::ALL.iter().copied().filter(move |way| self.contains(*way))
    }
}

fn bit(way: Way) -> u8 {
    1 << way.number()
}

impl Wire for Ways {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let bits: u8 = r.read()?;
        Self::new(Way::ALL).filter(|all| bits > 0 && bits & !all.0 == 0).map(|_| Self(bits))
    }
}

impl Describe for Ways {
    fn describe(&self) -> Described {
        Described::List(self.iter().map(|way| way.describe()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_login_is_without_a_way_or_with_an_unknown_one() {
        assert_eq!(Ways::new(&[]), None);
        let ways = Ways::new(&[Way::Page]).unwrap();
        assert!(ways.contains(Way::Page));
        assert_eq!(ways.iter().collect::<Vec<_>>(), [Way::Page]);
        assert_eq!(Reader(&[1]).read(), Some(ways));
        assert_eq!(Reader(&[0]).read::<Ways>(), None);
        assert_eq!(Reader(&[2]).read(), Ways::new(&[Way::Ouch]));
        assert_eq!(Reader(&[4]).read::<Ways>(), None);
    }
}
