//! Many cancels by one command: mass cancel, the kill switch, sessions that end.

use std::collections::{BTreeMap, BTreeSet};

use types::{
    AccountId, CancelCause, ClOrdId, CloseSession, Envelope, Event, InstrumentId, KillSwitchSet,
    MassCancel, OpenSession, Order, OrderId, Reader, RejectReason, SessionClosed, SessionId,
    SessionOpened, SetKillSwitch, Side, Wire,
};

use crate::account::risk::read_map;
use crate::book::NodeId;
use crate::engine::{Deferred, Engine};
use crate::orders::numbered::Numbered;
use crate::state::write_list;

/// Sessions that are open at once.
const SESSIONS_MAX: usize = 100_000;

/// What is still to be canceled of an account: by instrument, within it by side, within it the
/// oldest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    account: AccountId,
    /// The instruments before it are done.
    instrument: InstrumentId,
    last: InstrumentId,
    side: Option<Side>,
    /// Who has not asked for it by a name is told by the order's own.
    cl_ord_id: Option<ClOrdId>,
    cause: CancelCause,
}

/// Sessions that are open, and the orders that end with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sessions {
    open: BTreeMap<SessionId, OpenedSession>,
    orders: BTreeMap<(InstrumentId, OrderId), (SessionId, Side)>,
    by_session: BTreeSet<(SessionId, InstrumentId, Side, OrderId)>,
}

/// In the state, beside whether orders end with the session.
const HAS_NUMBERED: u8 = 2;

#[derive(Clone, Debug)]
struct OpenedSession {
    account: AccountId,
    cancel_on_disconnect: bool,
    numbered: Numbered,
}

impl Engine {
    pub(crate) fn mass_cancel(
        &mut self,
        account: AccountId,
        request: &MassCancel,
        events: &mut Vec<Event>,
    ) {
        let unknown = |instrument| self.market(instrument).is_none();
        let result = if self.account(account).is_none() {
            Err(RejectReason::UnknownAccount)
        } else if request.instrument.is_some_and(unknown) {
            Err(RejectReason::UnknownInstrument)
        } else {
            let mut sweep = Sweep {
                account,
                instrument: request.instrument.unwrap_or(InstrumentId(0)),
                last: request.instrument.unwrap_or(InstrumentId(u32::MAX)),
                side: request.side,
                cl_ord_id: Some(request.cl_ord_id),
                cause: CancelCause::CancelAll,
            };
            let first = self.next_of_sweep(&mut sweep);
            first.map(|_| sweep).ok_or(RejectReason::OrderNotFound)
        };
        match result {
            Ok(sweep) => self.sweep(sweep, events),
            Err(reason) => self.reject(account, reason, events),
        }
    }

    /// Takes no more of an account's orders, and cancels all that are open.
    pub(crate) fn set_kill_switch(&mut self, set: &SetKillSwitch, events: &mut Vec<Event>) {
        let SetKillSwitch { account, on } = *set;
        if self.account(account).is_none() {
            return self.reject(account, RejectReason::UnknownAccount, events);
        }
        let owner = &mut self.accounts[account.0 as usize];
        owner.extra_mut().killed = on;
        let account_seq = owner.next_seq();
        events.push(Event::KillSwitchSet(KillSwitchSet { account_seq, set: *set }));
        if on {
            let sweep = Sweep {
                account,
                instrument: InstrumentId(0),
                last: InstrumentId(u32::MAX),
                side: None,
                cl_ord_id: None,
                cause: CancelCause::KillSwitch,
            };
            self.sweep(sweep, events);
        }
    }

    pub(crate) fn sweep(&mut self, mut sweep: Sweep, events: &mut Vec<Event>) {
        while let Some(node) = self.next_of_sweep(&mut sweep) {
            if !self.spend_work() {
                return self.deferred.push_front(Deferred::Sweep(sweep));
            }
            let name = sweep.cl_ord_id.unwrap_or_else(|| self.orders.cl_ord_id(node));
            self.cancel(node, name, sweep.cause, events);
        }
    }

    fn next_of_sweep(&self, sweep: &mut Sweep) -> Option<NodeId> {
        let account = self.account(sweep.account)?;
        let sides = match sweep.side {
            Some(side) => [Some(side), None],
            None => [Some(Side::Buy), Some(Side::Sell)],
        };
        let instruments = u32::try_from(account.markets.len()).unwrap_or(u32::MAX);
        while sweep.instrument <= sweep.last && sweep.instrument.0 < instruments {
            if account.open_orders == 0 {
                return None;
            }
            let of_side = |side| self.orders.of_side(account, sweep.instrument, side).next();
            if let Some(node) = sides.into_iter().flatten().find_map(of_side) {
                return Some(node);
            }
            sweep.instrument.0 += 1;
        }
        None
    }

    /// Orders that come by this session from now on may end with it.
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

    /// The owner closes a session, or the venue, which has seen the connection end.
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

    /// Notes the session that an order came by, if the order is to end with it.
    #[inline]
    pub(crate) fn bind_to_session(&mut self, order: OpenId) {
        if !self.sessions.open.is_empty() {
            self.sessions.bind(self.session, order);
        }
    }

    /// The sessions that are open, with their accounts. After a restart nobody is connected: the
    /// venue closes them.
    pub fn sessions(&self) -> impl Iterator<Item = (SessionId, AccountId)> {
        self.sessions.open.iter().map(|(session, opened)| (*session, opened.account))
    }

    /// Where a command of its session's number was carried out before; see [`Numbered`].
    pub(crate) fn first_of_number(&mut self, envelope: &Envelope) -> Option<u64> {
        let opened = self.sessions.open.get_mut(&envelope.session)?;
        if opened.account != envelope.account {
            return None;
        }
        opened.numbered.first_sequence(envelope.client_seq, self.sequence)
    }

    pub(crate) fn write_sessions(&self, out: &mut Vec<u8>) {
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

    pub(crate) fn read_sessions(&mut self, r: &mut Reader<'_>) -> Option<()> {
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

    /// An order that ends with a session is open, and the session is, or is just being ended.
    pub(crate) fn check_sessions(&self) -> Result<(), String> {
        if let Some(open) = self.sessions.open.keys().find(|session| self.is_ending(**session)) {
            return Err(format!("session {open} is ending and open"));
        }
        for ((instrument, order_id), (session, side)) in &self.sessions.orders {
            let node = self.find_by_id(*instrument, *order_id);
            let open = node.map(|node| (self.orders.record(node).account, self.orders.side(node)));
            let suspended = self.deferred.iter().find_map(|work| match work {
                Deferred::Trade(order) => {
                    let is_it = (order.instrument, order.order_id) == (*instrument, *order_id);
                    is_it.then_some((order.account, order.side))
                }
                _ => None,
            });
            let opened = self.sessions.open.get(session);
            let owner = opened.filter(|opened| opened.cancel_on_disconnect);
            let sound = match (open, owner) {
                (Some((_, of)), None) => of == *side && self.is_ending(*session),
                (of, Some(owner)) => of.or(suspended) == Some((owner.account, *side)),
                (None, None) => false,
            };
            if !sound {
                return Err(format!("order {order_id} of {instrument} is in no session"));
            }
        }
        Ok(())
    }

    fn is_ending(&self, session: SessionId) -> bool {
        let ending = |work: &Deferred| matches!(work, Deferred::EndSession(of) if *of == session);
        self.deferred.iter().any(ending)
    }
}

/// Which order, whose, and on which side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenId {
    pub(crate) account: AccountId,
    pub(crate) instrument: InstrumentId,
    pub(crate) order_id: OrderId,
    pub(crate) side: Side,
}

impl From<&Order> for OpenId {
    #[inline]
    fn from(order: &Order) -> Self {
        let Order { account, instrument, order_id, side, .. } = *order;
        Self { account, instrument, order_id, side }
    }
}

impl Sessions {
    #[cold]
    fn bind(&mut self, session: SessionId, order: OpenId) {
        let OpenId { account, instrument, order_id, side } = order;
        let ends_with =
            |opened: &&OpenedSession| opened.account == account && opened.cancel_on_disconnect;
        if self.open.get(&session).filter(ends_with).is_some() {
            self.orders.insert((instrument, order_id), (session, side));
            self.by_session.insert((session, instrument, side, order_id));
        }
    }

    /// An order has ended.
    #[inline]
    pub(crate) fn forget(&mut self, order: OpenId) {
        if !self.orders.is_empty() {
            self.unbind(order);
        }
    }

    #[cold]
    fn unbind(&mut self, order: OpenId) {
        let OpenId { instrument, order_id, side, .. } = order;
        if let Some((session, _)) = self.orders.remove(&(instrument, order_id)) {
            self.by_session.remove(&(session, instrument, side, order_id));
        }
    }

    fn first_of(&self, session: SessionId) -> Option<(InstrumentId, OrderId)> {
        let from = (session, InstrumentId(0), Side::Buy, OrderId(0));
        let first = self.by_session.range(from..).next().filter(|found| found.0 == session);
        first.map(|(_, instrument, _, order_id)| (*instrument, *order_id))
    }
}

impl Wire for Sweep {
    fn write(&self, out: &mut Vec<u8>) {
        ((self.account, self.instrument), (self.last, self.side)).write(out);
        (self.cl_ord_id, self.cause).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let ((account, instrument), (last, side)) = r.read()?;
        let (cl_ord_id, cause) = r.read()?;
        Some(Self { account, instrument, last, side, cl_ord_id, cause })
    }
}
