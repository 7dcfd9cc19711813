//! Open sessions, and the orders that end with them.

pub(crate) mod numbered;

use std::collections::{BTreeMap, BTreeSet};

use types::{AccountId, ClOrdId, InstrumentId, LoginId, OrderId, SessionId, Side};

use crate::state::orders::record::OpenId;
use crate::state::sessions::numbered::Numbered;

/// Open sessions, and the orders that end with them; the numbers of logins.
#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    pub(crate) open: BTreeMap<SessionId, OpenedSession>,
    /// The open session of each login that has one.
    pub(crate) of_logins: BTreeMap<LoginId, SessionId>,
    /// The numbers of this day of each login that has had a session.
    pub(crate) numbers: BTreeMap<LoginId, Numbered>,
    /// The day of these numbers, from 1.
    pub(crate) day: u32,
    /// The sequence of the last command with a number of a login, and the name of its order.
    pub(crate) current: (u64, Option<ClOrdId>),
    pub(super) orders: BTreeMap<(InstrumentId, OrderId), (SessionId, Side)>,
    pub(super) by_session: BTreeSet<(SessionId, InstrumentId, Side, OrderId)>,
}

#[derive(Clone, Debug)]
pub(crate) struct OpenedSession {
    pub(crate) account: AccountId,
    pub(crate) cancel_on_disconnect: bool,
    pub(crate) numbers: Numbers,
}

/// The numbers of a session's commands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Numbers {
    Own(Numbered),
    /// Those of a login, on this day.
    OfLogin(LoginId, u32),
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            open: BTreeMap::new(),
            of_logins: BTreeMap::new(),
            numbers: BTreeMap::new(),
            day: 1,
            current: (0, None),
            orders: BTreeMap::new(),
            by_session: BTreeSet::new(),
        }
    }
}

impl Sessions {
    #[cold]
    pub(crate) fn bind(&mut self, session: SessionId, order: OpenId) {
        let OpenId { account, instrument, order_id, side } = order;
        let ends_with =
            |opened: &&OpenedSession| opened.account == account && opened.cancel_on_disconnect;
        if self.open.get(&session).filter(ends_with).is_some() {
            self.orders.insert((instrument, order_id), (session, side));
            self.by_session.insert((session, instrument, side, order_id));
        }
    }

    /// Removes an order that has ended.
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

    pub(crate) fn first_of(&self, session: SessionId) -> Option<(InstrumentId, OrderId)> {
        let from = (session, InstrumentId(0), Side::Buy, OrderId(0));
        let first = self.by_session.range(from..).next().filter(|found| found.0 == session);
        first.map(|(_, instrument, _, order_id)| (*instrument, *order_id))
    }
}
