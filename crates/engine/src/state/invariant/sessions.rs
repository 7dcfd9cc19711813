//! Invariants of sessions.

use types::{AccountId, SessionId};

use crate::state::Engine;
use crate::state::deferred::Deferred;
use crate::state::invariant::check::check;
use crate::state::sessions::Numbers;

impl Engine {
    /// An order bound to a session is open, and the session is open or is being ended.
    pub(super) fn check_sessions(&self) -> Result<(), String> {
        for (session, opened) in &self.sessions.open {
            let is_owned =
                opened.account == AccountId::VENUE || self.account(opened.account).is_some();
            check(session.0 > 0 && is_owned, || {
                format!("session {session} has no number or no account")
            })?;
            check(!self.is_ending(*session), || format!("session {session} is ending and open"))?;
            if let Numbers::OfLogin(login, _) = opened.numbers {
                let of_login = self.sessions.of_logins.get(&login);
                let account = self.login(login).map(|login| login.account);
                check(of_login == Some(session) && account == Some(opened.account), || {
                    format!("session {session} is not that of login {login}")
                })?;
            }
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
        for (login, session) in &self.sessions.of_logins {
            let numbers = self.sessions.open.get(session).map(|opened| &opened.numbers);
            let is_of =
                |numbers: &Numbers| matches!(numbers, Numbers::OfLogin(of, _) if of == login);
            check(numbers.is_some_and(is_of), || {
                format!("login {login} has no session {session}")
            })?;
        }
        Ok(())
    }

    fn is_ending(&self, session: SessionId) -> bool {
        let ending = |work: &Deferred| matches!(work, Deferred::EndSession(of) if *of == session);
        self.deferred.iter().any(ending)
    }
}
