//! Sessions, and the orders that end with them.

use types::{
    AccountId, CancelCause, CloseSession, Envelope, Event, OpenSession, RejectReason,
    SessionClosed, SessionId, SessionOpened,
};

use crate::state::Engine;
use crate::state::deferred::Deferred;
use crate::state::orders::record::OpenId;
use crate::state::sessions::OpenedSession;
use crate::state::sessions::numbered::Numbered;

/// Limit of open sessions.
const SESSIONS_MAX: usize = 100_000;

impl Engine {
    /// Orders of this session can end with it from now on.
    pub(crate) fn open_session(
        &mut self,
        account: AccountId,
        request: &OpenSession,
        events: &mut Vec<Event>,
    ) {
        let session = self.session;
        let result = if self.account(account).is_none() {
            Err(RejectReason::UnknownAccount)
        } else if session == SessionId(0) {
            Err(RejectReason::UnknownSession)
        } else if self.sessions.open.contains_key(&session) {
            Err(RejectReason::SessionInUse)
        } else if self.sessions.open.len() >= SESSIONS_MAX {
            Err(RejectReason::TooManySessions)
        } else {
            Ok(())
        };
        if let Err(reason) = result {
            return self.reject(account, reason, events);
        }
        let cancel_on_disconnect = request.cancel_on_disconnect;
        let numbered = Numbered::default();
        let opened = OpenedSession { account, cancel_on_disconnect, numbered };
        self.sessions.open.insert(session, opened);
        let account_seq = self.accounts[account.0 as usize].next_seq();
        let opened = SessionOpened { account_seq, account, session, cancel_on_disconnect };
        events.push(Event::SessionOpened(opened));
    }

    /// The owner closes a session, or the venue does after the connection has ended.
    pub(crate) fn close_session(
        &mut self,
        by: AccountId,
        request: &CloseSession,
        events: &mut Vec<Event>,
    ) {
        let session = request.session;
        let found = self.sessions.open.get(&session).map(|opened| opened.account);
        let Some(account) = found.filter(|owner| [*owner, AccountId::VENUE].contains(&by)) else {
            return self.reject(by, RejectReason::UnknownSession, events);
        };
        self.sessions.open.remove(&session);
        let account_seq = self.accounts[account.0 as usize].next_seq();
        let closed = SessionClosed { account_seq, account, session };
        events.push(Event::SessionClosed(closed));
        self.end_session(session, events);
    }

    pub(crate) fn end_session(&mut self, session: SessionId, events: &mut Vec<Event>) {
        while let Some((instrument, order_id)) = self.sessions.first_of(session) {
            if !self.spend_work() {
                return self.deferred.push_front(Deferred::EndSession(session));
            }
            let node =
                self.find_by_id(instrument, order_id).expect("an order in a session is open");
            let name = self.orders.cl_ord_id(node);
            self.cancel(node, name, CancelCause::Disconnected, events);
        }
    }

    /// Records the session of an order, if the order ends with it.
    #[inline]
    pub(crate) fn bind_to_session(&mut self, order: OpenId) {
        if !self.sessions.open.is_empty() {
            self.sessions.bind(self.session, order);
        }
    }

    /// The sequence of an earlier command with this number in its session; see [`Numbered`].
    pub(crate) fn first_of_number(&mut self, envelope: &Envelope) -> Option<u64> {
        let opened = self.sessions.open.get_mut(&envelope.session)?;
        if opened.account != envelope.account {
            return None;
        }
        opened.numbered.first_sequence(envelope.client_seq, self.sequence)
    }
}
