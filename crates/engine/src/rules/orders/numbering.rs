//! Numbers of commands: repeats are recognized, and refusals are messages to the login.

use types::{
    AccountId, ClOrdId, Command, CommandRejected, CommandRepeated, Entry, Event, InstrumentId,
    LoginId, NumberedRefusal, NumberingDayBegun, NumbersAnswered, OrderRef, RefuseOrder,
    RejectReason,
};

use crate::state::Engine;
use crate::state::sessions::numbered::Number;
use crate::state::sessions::{Numbers, OpenedSession};

impl Engine {
    /// Whether a command with a number is carried out. If not, it is a repeat or refused.
    pub(crate) fn admit_number(&mut self, entry: &Entry, events: &mut Vec<Event>) -> bool {
        if matches!(entry.command, Command::Continue(())) {
            return true; // It resumes a command that had the number.
        }
        let envelope = &entry.envelope;
        let (account, sequence) = (envelope.account, self.sequence);
        let session = self.sessions.open.get_mut(&envelope.session);
        let is_of = |opened: &&mut OpenedSession| {
            opened.account == account || opened.account == AccountId::VENUE
        };
        let numbers = session.filter(is_of);
        let number = match numbers.map(|opened| &mut opened.numbers) {
            None => None,
            Some(Numbers::Own(numbered)) => Some(numbered.admit(envelope.client_seq, sequence)),
            Some(Numbers::OfLogin(_, day)) if *day != self.sessions.day => None,
            Some(Numbers::OfLogin(login, _)) => {
                self.sessions.current = (sequence, name_of(&entry.command));
                let numbers = self.sessions.numbers.get_mut(login);
                let numbers = numbers.expect("a login with a session of the day has numbers");
                Some(numbers.admit(envelope.client_seq, sequence))
            }
        };
        let reason = match number {
            Some(Number::New) => return true,
            Some(Number::Repeats(first_sequence)) => {
                let repeated = CommandRepeated { account, first_sequence };
                events.push(Event::CommandRepeated(repeated));
                return false;
            }
            Some(Number::Passed) => RejectReason::NumberNotRising,
            Some(Number::Forgotten) => {
                // Perhaps it was carried out: a message that it was refused could be wrong.
                self.sessions.current = (0, None);
                RejectReason::NumberForgotten
            }
            None => RejectReason::UnknownSession,
        };
        self.reject(account, reason, events);
        false
    }

    /// The name under which the current command is refused, if it has a number of a login.
    #[inline]
    pub(crate) fn numbered_name(&self) -> Option<ClOrdId> {
        let (sequence, name) = self.sessions.current;
        if sequence == self.sequence { name } else { None }
    }

    /// Refuses an order that a gateway could not make a command of.
    pub(crate) fn refuse_order(
        &mut self,
        account: AccountId,
        refuse: &RefuseOrder,
        events: &mut Vec<Event>,
    ) {
        self.reject_with_code(account, RejectReason::FieldInvalid, refuse.code, events);
    }

    /// Refuses to lower an order. A login that asked for it under the order's own number gets a
    /// message, unless the order had ended: requests and fills cross on their way.
    #[cold]
    pub(crate) fn reject_lowering(
        &mut self,
        account: AccountId,
        instrument: InstrumentId,
        order: &OrderRef,
        reason: RejectReason,
        events: &mut Vec<Event>,
    ) {
        let is_own = |name: &ClOrdId| {
            let login = name.numbered().map(|(name, _)| name.login);
            login.is_some() && self.login_of_session(account) == login
        };
        let is_open = || self.open_order(account, instrument, order).is_ok();
        let Some(cl_ord_id) = order.cl_ord_id.filter(|name| is_own(name) && is_open()) else {
            return self.reject(account, reason, events);
        };
        let account_seq = self.accounts[account.0 as usize].next_seq();
        let numbered = Some(NumberedRefusal { account_seq, cl_ord_id, code: 0 });
        let rejected = CommandRejected { account, reason, in_cancel: true, numbered };
        events.push(Event::CommandRejected(rejected));
    }

    pub(crate) fn begin_numbering_day(&mut self, events: &mut Vec<Event>) {
        self.sessions.day = self.sessions.day.saturating_add(1);
        self.sessions.numbers.clear();
        events.push(Event::NumberingDayBegun(NumberingDayBegun { day: self.sessions.day }));
    }

    pub(crate) fn query_numbers(&mut self, account: AccountId, events: &mut Vec<Event>) {
        match self.login_of_session(account) {
            Some(login) => self.answer_login(login, 0, None, events),
            None => self.reject(account, RejectReason::UnknownSession, events),
        }
    }

    /// Answers a mass cancel that has a number, before its cancels.
    pub(crate) fn answer_mass_cancel(
        &mut self,
        account: AccountId,
        instrument: Option<InstrumentId>,
        events: &mut Vec<Event>,
    ) {
        let name = self.numbered_name();
        let number = name.as_ref().and_then(|name| Some(name.numbered()?.0.number));
        if let (Some(number), Some(login)) = (number, self.login_of_session(account)) {
            self.answer_login(login, number.into(), instrument, events);
        }
    }

    fn login_of_session(&self, account: AccountId) -> Option<LoginId> {
        let opened = self.sessions.open.get(&self.session)?;
        match opened.numbers {
            Numbers::OfLogin(login, day) => {
                (opened.account == account && day == self.sessions.day).then_some(login)
            }
            Numbers::Own(_) => None,
        }
    }

    fn answer_login(
        &mut self,
        login: LoginId,
        number: u64,
        instrument: Option<InstrumentId>,
        events: &mut Vec<Event>,
    ) {
        let highest = self.sessions.numbers.get(&login).map_or(0, |numbers| numbers.highest());
        let account = self.sessions.open[&self.session].account;
        let account_seq = self.accounts[account.0 as usize].next_seq();
        let day = self.sessions.day;
        events.push(Event::NumbersAnswered(NumbersAnswered {
            account_seq,
            account,
            login,
            day,
            number,
            highest,
            instrument,
        }));
    }
}

/// The name of a numbered command's order.
fn name_of(command: &Command) -> Option<ClOrdId> {
    match command {
        Command::NewOrder(order) => Some(order.cl_ord_id),
        Command::ModifyOrder(modify) => modify.cl_ord_id,
        Command::RefuseOrder(refuse) => Some(refuse.cl_ord_id),
        Command::MassCancel(cancel) => Some(cancel.cl_ord_id),
        _ => None,
    }
}
