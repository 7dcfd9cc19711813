//! The bytes of sessions.

use types::{LoginId, Reader, Wire};

use crate::state::Engine;
use crate::state::codec::{read_map, write_map};
use crate::state::sessions::numbered::Numbered;
use crate::state::sessions::{Numbers, OpenedSession};

impl Engine {
    pub(super) fn write_sessions(&self, out: &mut Vec<u8>) {
        write_map(&self.sessions.open, out);
        write_map(&self.sessions.orders, out);
        self.sessions.day.write(out);
        write_map(&self.sessions.numbers, out);
    }

    pub(super) fn read_sessions(&mut self, r: &mut Reader<'_>) -> Option<()> {
        self.sessions.open = read_map(r)?;
        self.sessions.orders = read_map(r)?;
        self.sessions.day = r.read().filter(|day| *day > 0)?;
        self.sessions.numbers = read_map(r)?;
        for ((instrument, order_id), (session, side)) in &self.sessions.orders {
            self.sessions.by_session.insert((*session, *instrument, *side, *order_id));
        }
        for (session, opened) in &self.sessions.open {
            let Numbers::OfLogin(login, day) = opened.numbers else { continue };
            let is_only = self.sessions.of_logins.insert(login, *session).is_none();
            let has_numbers =
                day != self.sessions.day || self.sessions.numbers.contains_key(&login);
            if !is_only || !has_numbers || day > self.sessions.day {
                return None;
            }
        }
        Some(())
    }

    /// The open sessions and the numbers of logins are those of logins that there are. Needs the
    /// logins, which are read after.
    pub(super) fn numbers_are_sound(&self) -> bool {
        let of = |login: LoginId| self.logins.get((login.0 as usize).wrapping_sub(1));
        self.sessions.numbers.keys().all(|login| of(*login).is_some())
            && self.sessions.of_logins.iter().all(|(login, session)| {
                let account = self.sessions.open.get(session).map(|opened| opened.account);
                of(*login).is_some_and(|of| !of.revoked && Some(of.spec.account) == account)
            })
    }
}

/// The byte that says whose numbers a session has.
const OWN: u8 = 0;
const OF_LOGIN: u8 = 1;

impl Wire for Numbers {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Own(numbered) => {
                OWN.write(out);
                numbered.write(out);
            }
            Self::OfLogin(login, day) => {
                OF_LOGIN.write(out);
                (*login, *day).write(out);
            }
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        match r.read()? {
            OWN => r.read::<Numbered>().map(Self::Own),
            OF_LOGIN => r.read().map(|(login, day)| Self::OfLogin(login, day)),
            _ => None,
        }
    }
}

impl Wire for OpenedSession {
    fn write(&self, out: &mut Vec<u8>) {
        (self.account, self.cancel_on_disconnect).write(out);
        self.numbers.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (account, cancel_on_disconnect) = r.read()?;
        Some(Self { account, cancel_on_disconnect, numbers: r.read()? })
    }
}
