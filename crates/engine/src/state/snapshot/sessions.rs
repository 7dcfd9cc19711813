//! The bytes of sessions.

use types::{Reader, Wire};

use crate::state::Engine;
use crate::state::codec::{read_map, write_map};
use crate::state::sessions::OpenedSession;

impl Engine {
    pub(super) fn write_sessions(&self, out: &mut Vec<u8>) {
        write_map(&self.sessions.open, out);
        write_map(&self.sessions.orders, out);
    }

    pub(super) fn read_sessions(&mut self, r: &mut Reader<'_>) -> Option<()> {
        self.sessions.open = read_map(r)?;
        self.sessions.orders = read_map(r)?;
        for ((instrument, order_id), (session, side)) in &self.sessions.orders {
            self.sessions.by_session.insert((*session, *instrument, *side, *order_id));
        }
        Some(())
    }
}

impl Wire for OpenedSession {
    fn write(&self, out: &mut Vec<u8>) {
        (self.account, self.cancel_on_disconnect).write(out);
        self.numbered.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (account, cancel_on_disconnect) = r.read()?;
        Some(Self { account, cancel_on_disconnect, numbered: r.read()? })
    }
}
