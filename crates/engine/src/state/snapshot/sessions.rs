//! The bytes of sessions.

use types::{AccountId, Reader, SessionId, Wire};

use crate::state::Engine;
use crate::state::codec::{read_map, write_list};
use crate::state::sessions::OpenedSession;
use crate::state::sessions::numbered::Numbered;

/// In the state, beside whether orders end with the session.
const HAS_NUMBERED: u8 = 2;

impl Engine {
    pub(super) fn write_sessions(&self, out: &mut Vec<u8>) {
        write_list(self.sessions.open.iter(), out, |(session, opened), out| {
            let flags = u8::from(opened.cancel_on_disconnect)
                | if opened.numbered.is_empty() { 0 } else { HAS_NUMBERED };
            (*session, (opened.account, flags)).write(out);
            if flags & HAS_NUMBERED > 0 {
                opened.numbered.write(out);
            }
        });
        write_list(self.sessions.orders.iter(), out, |(order, session), out| {
            (*order, *session).write(out);
        });
    }

    pub(super) fn read_sessions(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let count: u32 = r.read()?;
        for _ in 0..count {
            let (session, (account, flags)): (SessionId, (AccountId, u8)) = r.read()?;
            let is_next =
                self.sessions.open.last_key_value().is_none_or(|(last, _)| *last < session);
            (session.0 > 0 && is_next && flags <= 1 | HAS_NUMBERED).then_some(())?;
            self.account(account)?;
            let numbered = match flags & HAS_NUMBERED {
                0 => Numbered::default(),
                _ => r.read()?,
            };
            let cancel_on_disconnect = flags & 1 > 0;
            let opened = OpenedSession { account, cancel_on_disconnect, numbered };
            self.sessions.open.insert(session, opened);
        }
        self.sessions.orders = read_map(r)?;
        for ((instrument, order_id), (session, side)) in &self.sessions.orders {
            self.sessions.by_session.insert((*session, *instrument, *side, *order_id));
        }
        Some(())
    }
}
