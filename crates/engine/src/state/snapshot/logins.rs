//! The bytes of logins, and of the master key that seals them.

use std::collections::BTreeSet;

use types::{KeyId, MasterKeyInUse, Reader, Wire};

use crate::state::Engine;
use crate::state::codec::{read_list, write_list};
use crate::state::key::Key;
use crate::state::login::{KEYS_OF_LOGIN_MAX, Login};

/// The flags in the first byte. A state without logins is written as before there were any.
const HAS_MASTER_KEY: u8 = 1;
const HAS_LOGINS: u8 = 2;

impl Engine {
    pub(super) fn write_sealed(&self, out: &mut Vec<u8>) {
        let master_key = if self.master_key.is_some() { HAS_MASTER_KEY } else { 0 };
        let logins = if self.logins.is_empty() { 0 } else { HAS_LOGINS };
        out.push(master_key | logins);
        if let Some(master_key) = self.master_key {
            master_key.write(out);
        }
        if logins != 0 {
            write_list(self.logins.iter(), out, |login, out| {
                (login.spec, login.revoked).write(out);
            });
        }
    }

    /// Needs the keys, which are read before.
    pub(super) fn read_sealed(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let flags = r.read::<u8>().filter(|flags| flags & !(HAS_MASTER_KEY | HAS_LOGINS) == 0)?;
        if flags & HAS_MASTER_KEY != 0 {
            self.master_key = Some(r.read::<MasterKeyInUse>()?);
        }
        if flags & HAS_LOGINS != 0 {
            self.logins = read_list(r, |r| {
                let (spec, revoked) = r.read()?;
                Some(Login { spec, revoked, keys: BTreeSet::new() })
            })
            .filter(|logins| !logins.is_empty())?;
        }
        for (key, found) in (1..).map(KeyId).zip(&self.keys) {
            let (Some(login), false) = (found.spec.login, found.revoked) else { continue };
            let at = (login.0 as usize).checked_sub(1)?;
            self.logins.get_mut(at)?.keys.insert(key);
        }
        Some(())
    }

    /// Refers every key to its login, and every login to its account.
    pub(super) fn logins_are_sound(&self) -> bool {
        let key_is_sound = |key: &Key| {
            key.spec.login.is_none_or(|login| {
                let at = (login.0 as usize).wrapping_sub(1);
                self.logins.get(at).is_some_and(|login| login.may_have(&key.spec))
            })
        };
        let login_is_sound = |login: &Login| {
            self.account(login.spec.account).is_some()
                && login.keys.len() <= KEYS_OF_LOGIN_MAX
                && (!login.revoked || login.keys.is_empty())
        };
        self.keys.iter().all(key_is_sound) && self.logins.iter().all(login_is_sound)
    }
}
