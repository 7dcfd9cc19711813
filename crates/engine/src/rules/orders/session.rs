//! Sessions, and the orders that end with them.

use types::{
    AccountId, CancelCause, CloseSession, Event, LoginId, Numbering, OpenSession, RejectReason,
    SessionClosed, SessionId, SessionOpened,
};

use crate::state::Engine;
use crate::state::deferred::Deferred;
use crate::state::orders::record::OpenId;
use crate::state::sessions::numbered::Numbered;
use crate::state::sessions::{Numbers, OpenedSession};

/// Limit of open sessions.
const SESSIONS_MAX: usize = 100_000;

impl Engine {
    /// Orders of this session can end with it from now on. One of the venue itself numbers the
    /// commands of all accounts, and ends no orders.
    pub(crate) fn open_session(
        &mut self,
        account: AccountId,
        request: &OpenSession,
        events: &mut Vec<Event>,
    ) {
        let session = self.session;
        let result = if account != AccountId::VENUE && self.account(account).is_none() {
            Err(RejectReason::UnknownAccount)
        } else if session == SessionId(0) {
            Err(RejectReason::UnknownSession)
        } else if self.sessions.open.contains_key(&session) {
            Err(RejectReason::SessionInUse)
        } else if self.sessions.open.len() >= SESSIONS_MAX {
            Err(RejectReason::TooManySessions)
        } else if request.login.is_some_and(|login| !self.may_open(account, login)) {
            Err(RejectReason::UnknownLogin)
        } else {
            Ok(())
        };
        if let Err(reason) = result {
            return self.reject(account, reason, events);
        }
        if let Some(login) = request.login {
            self.close_session_of(login, events);
        }
        let cancel_on_disconnect = request.cancel_on_disconnect;
        let (numbers, numbering) = self.numbers_of(request.login, session);
        let opened = OpenedSession { account, cancel_on_disconnect, numbers };
        self.sessions.open.insert(session, opened);
        let account_seq = self.accounts[account.0 as usize].next_seq();
        let opened =
            SessionOpened { account_seq, account, session, cancel_on_disconnect, numbering };
        events.push(Event::SessionOpened(opened));
    }

    fn may_open(&self, account: AccountId, login: LoginId) -> bool {
        self.login(login).is_some_and(|login| login.account == account)
    }

    /// The numbers that a new session goes on with.
    fn numbers_of(
        &mut self,
        login: Option<LoginId>,
        session: SessionId,
    ) -> (Numbers, Option<Numbering>) {
        let Some(login) = login else { return (Numbers::Own(Numbered::default()), None) };
        let day = self.sessions.day;
        let is_first = !self.sessions.numbers.contains_key(&login);
        self.sessions.numbers.entry(login).or_default();
        self.sessions.of_logins.insert(login, session);
        (Numbers::OfLogin(login, day), Some(Numbering { login, day, is_first }))
    }

    /// The last log-on of a login wins; a revoked one has no session.
    pub(crate) fn close_session_of(&mut self, login: LoginId, events: &mut Vec<Event>) {
        if let Some(session) = self.sessions.of_logins.get(&login).copied() {
            self.close_open(session, events);
        }
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
        if found.filter(|owner| [*owner, AccountId::VENUE].contains(&by)).is_none() {
            return self.reject(by, RejectReason::UnknownSession, events);
        }
        self.close_open(session, events);
    }

    fn close_open(&mut self, session: SessionId, events: &mut Vec<Event>) {
        let closed = self.sessions.open.remove(&session).expect("the session is open");
        if let Numbers::OfLogin(login, _) = closed.numbers {
            self.sessions.of_logins.remove(&login);
        }
        let account = closed.account;
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
}
