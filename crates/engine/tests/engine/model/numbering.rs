//! Sessions, and the numbers of their commands.

use std::collections::BTreeMap;

use types::{
    AccountId, CancelCause, ClOrdId, CloseSession, Command, CommandRejected, CommandRepeated,
    Entry, Envelope, Event, InstrumentId, LoginId, NumberedRefusal, Numbering, NumberingDayBegun,
    NumbersAnswered, OpenSession, RefuseOrder, RejectReason, SessionClosed, SessionId,
    SessionOpened,
};

use super::Model;

#[derive(Clone)]
pub(super) struct Opened {
    account: AccountId,
    cancel_on_disconnect: bool,
    /// And the day on which it was opened.
    login: Option<(LoginId, u32)>,
}

impl Opened {
    pub(super) fn ends_orders_of(&self, account: AccountId) -> bool {
        self.cancel_on_disconnect && self.account == account
    }
}

/// All numbers so far: no script has as many as the engine keeps.
#[derive(Clone, Default)]
pub(super) struct Numbers {
    days_ended: u32,
    of_sessions: BTreeMap<SessionId, BTreeMap<u64, u64>>,
    of_logins: BTreeMap<LoginId, BTreeMap<u64, u64>>,
    /// The command's session, and the name of its order if its number is of a login.
    session: SessionId,
    name: Option<ClOrdId>,
}

impl Model {
    /// Whether a command is new by its number; otherwise it is answered.
    pub(super) fn admits(&mut self, entry: &Entry) -> bool {
        let Envelope { account, session, client_seq, .. } = entry.envelope;
        self.numbering.session = session;
        self.numbering.name = None;
        if client_seq == 0 || entry.command == Command::Continue(()) {
            return true;
        }
        let day = self.numbering.days_ended;
        let is_of =
            |opened: &&Opened| opened.account == account || opened.account == AccountId::VENUE;
        let opened = self.sessions.get(&session).filter(is_of);
        let used = match opened.map(|opened| opened.login) {
            Some(Some((login, of_day))) if of_day == day => {
                self.numbering.name = match &entry.command {
                    Command::NewOrder(order) => Some(order.cl_ord_id),
                    Command::ModifyOrder(modify) => modify.cl_ord_id,
                    Command::MassCancel(cancel) => Some(cancel.cl_ord_id),
                    Command::RefuseOrder(refuse) => Some(refuse.cl_ord_id),
                    _ => None,
                };
                self.numbering.of_logins.get_mut(&login).expect("it has numbers today")
            }
            Some(None) => self.numbering.of_sessions.entry(session).or_default(),
            _ => {
                self.refuse(account, RejectReason::UnknownSession, false);
                return false;
            }
        };
        if let Some(first_sequence) = used.get(&client_seq).copied() {
            let repeated = CommandRepeated { account, first_sequence };
            self.events.push(Event::CommandRepeated(repeated));
            return false;
        }
        if used.keys().next_back().is_some_and(|highest| *highest > client_seq) {
            self.refuse(account, RejectReason::NumberNotRising, false);
            return false;
        }
        used.insert(client_seq, self.sequence);
        true
    }

    pub(super) fn refuse(&mut self, account: AccountId, reason: RejectReason, in_cancel: bool) {
        self.refuse_with_code(account, reason, in_cancel, 0);
    }

    fn refuse_with_code(
        &mut self,
        account: AccountId,
        reason: RejectReason,
        in_cancel: bool,
        code: u16,
    ) {
        let numbered = self.numbering.name.map(|cl_ord_id| NumberedRefusal {
            account_seq: self.account_seq(account),
            cl_ord_id,
            code,
        });
        let rejected = CommandRejected { account, reason, in_cancel, numbered };
        self.events.push(Event::CommandRejected(rejected));
    }

    pub(super) fn refuse_order(
        &mut self,
        account: AccountId,
        request: &RefuseOrder,
    ) -> Result<(), RejectReason> {
        self.refuse_with_code(account, RejectReason::FieldInvalid, false, request.code);
        Ok(())
    }

    pub(super) fn begin_numbering_day(&mut self) -> Result<(), RejectReason> {
        self.numbering.days_ended += 1;
        self.numbering.of_logins.clear();
        let day = self.numbering.days_ended + 1;
        self.events.push(Event::NumberingDayBegun(NumberingDayBegun { day }));
        Ok(())
    }

    pub(super) fn query_numbers(&mut self, envelope: &Envelope) -> Result<(), RejectReason> {
        let answered = self.answer_login(envelope.account, 0, None);
        answered.ok_or(RejectReason::UnknownSession)
    }

    pub(super) fn answer_mass_cancel(
        &mut self,
        account: AccountId,
        instrument: Option<InstrumentId>,
    ) {
        let name = self.numbering.name;
        if let Some((name, _)) = name.as_ref().and_then(ClOrdId::numbered) {
            self.answer_login(account, name.number.into(), instrument);
        }
    }

    fn answer_login(
        &mut self,
        account: AccountId,
        number: u64,
        instrument: Option<InstrumentId>,
    ) -> Option<()> {
        let opened = self.sessions.get(&self.numbering.session)?;
        let (login, of_day) = opened.login?;
        if opened.account != account || of_day != self.numbering.days_ended {
            return None;
        }
        let highest = self.numbering.of_logins[&login].keys().next_back().copied().unwrap_or(0);
        let account_seq = self.account_seq(account);
        let day = of_day + 1;
        self.events.push(Event::NumbersAnswered(NumbersAnswered {
            account_seq,
            account,
            login,
            day,
            number,
            highest,
            instrument,
        }));
        Some(())
    }

    pub(super) fn open_session(
        &mut self,
        envelope: &Envelope,
        request: &OpenSession,
    ) -> Result<(), RejectReason> {
        let (account, session) = (envelope.account, envelope.session);
        let cancel_on_disconnect = request.cancel_on_disconnect;
        if account != AccountId::VENUE {
            self.trader(account)?;
        }
        if session.0 == 0 {
            return Err(RejectReason::UnknownSession);
        }
        if self.sessions.contains_key(&session) {
            return Err(RejectReason::SessionInUse);
        }
        let mut numbering = None;
        if let Some(login) = request.login {
            if self.login(login)?.account != account {
                return Err(RejectReason::UnknownLogin);
            }
            self.close_session_of(login);
            let numbers = &mut self.numbering;
            let is_first = !numbers.of_logins.contains_key(&login);
            numbers.of_logins.entry(login).or_default();
            numbering = Some(Numbering { login, day: numbers.days_ended + 1, is_first });
        }
        let login = request.login.map(|login| (login, self.numbering.days_ended));
        self.sessions.insert(session, Opened { account, cancel_on_disconnect, login });
        let account_seq = self.account_seq(account);
        self.events.push(Event::SessionOpened(SessionOpened {
            account_seq,
            account,
            session,
            cancel_on_disconnect,
            numbering,
        }));
        Ok(())
    }

    /// Its owner closes a session, or the venue.
    pub(super) fn close_session(
        &mut self,
        by: AccountId,
        request: &CloseSession,
    ) -> Result<(), RejectReason> {
        let session = request.session;
        let found = self.sessions.get(&session).map(|opened| opened.account);
        found
            .filter(|account| *account == by || by == AccountId::VENUE)
            .ok_or(RejectReason::UnknownSession)?;
        self.close_open(session);
        Ok(())
    }

    pub(super) fn close_session_of(&mut self, login: LoginId) {
        let of_login = |opened: &Opened| opened.login.is_some_and(|(of, _)| of == login);
        let open = self.sessions.iter().find(|(_, opened)| of_login(opened));
        if let Some(session) = open.map(|(session, _)| *session) {
            self.close_open(session);
        }
    }

    fn close_open(&mut self, session: SessionId) {
        let account = self.sessions.remove(&session).expect("it is open").account;
        self.numbering.of_sessions.remove(&session);
        let account_seq = self.account_seq(account);
        let closed = SessionClosed { account_seq, account, session };
        self.events.push(Event::SessionClosed(closed));
        self.cancel_named(|_, of| of == session, CancelCause::Disconnected);
    }
}
