//! Logging on: user and password, then a session of the engine.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::soup::{LogOn, RejectReason, SessionName};
use types::{Command, Envelope, Event, KeyId, LoginId, OpenSession, Origin, Role, SessionId, Way};
use venue::{LoginSecret, api_key_hash, random_text};

use crate::clock::now_ns;
use crate::door::identity::Login;
use crate::door::passwords::{NotJudged, Passwords};
use crate::door::sessions::{close, random_session};
use crate::door::shared::Door;
use crate::ouch::backlog::{Backlog, OfLogin, Unreadable};
use crate::ouch::book::Book;
use crate::ouch::hub::Hub;
use crate::ouch::link::Link;

const MISSED_GONE: &str =
    "the messages from this sequence on are no longer kept: zero asks for new ones only";
/// They could be read at the log-on, or may be at a later one.
pub(super) const MISSED_UNREADABLE: &str = "the messages before cannot be read: try again";

/// Checks log-ons. A user that was let in once costs a hash from then on: a venue that restarts, or
/// a network that breaks, brings all clients back at once.
#[derive(Debug)]
pub(super) struct LogOns {
    passwords: Arc<Passwords>,
    /// What the digests are keyed with.
    key: String,
    known: Mutex<HashMap<LoginId, (LoginSecret, [u8; 16])>>,
}

/// A client that is let in.
pub(super) struct LoggedOn {
    pub(super) book: Arc<Book>,
    pub(super) link: Arc<Link>,
    pub(super) day: u32,
    pub(super) session: SessionName,
    /// The number of the first report to send.
    pub(super) next: u64,
}

/// Why a client is not let in.
pub(super) struct NotLoggedOn {
    /// `None` for what may pass: the client is to try again, with the same numbers.
    pub(super) reason: Option<RejectReason>,
    pub(super) why: &'static str,
}

impl LogOns {
    pub(super) fn new(passwords: Arc<Passwords>) -> Self {
        Self { passwords, key: random_text(64), known: Mutex::default() }
    }

    /// Finds the login of a user by the password.
    pub(super) async fn check(
        &self,
        door: &Door,
        peer: IpAddr,
        request: &LogOn,
    ) -> Result<Arc<Login>, NotLoggedOn> {
        let user = request.user().to_ascii_lowercase();
        let password = request.password().to_ascii_lowercase();
        let login = door.directory().login_of(&user);
        let may_trade =
            |login: &Arc<Login>| login.ways.contains(Way::Ouch) && login.role == Role::Trader;
        let login = login.filter(may_trade);
        let digest = api_key_hash(&format!("{}{user}\n{password}", self.key));
        if let Some(login) = &login
            && self.knows(login, &digest)
        {
            return Ok(Arc::clone(login));
        }
        let hash = login.as_ref().map(|login| login.secret.password.clone());
        let judged = self.passwords.judge((peer, user), hash, password).await;
        // Not a rejection: a client whose password is right would give up.
        let is_right = judged.map_err(|not| match not {
            NotJudged::Busy => not_now("too many log-ons at once: try again"),
            NotJudged::Slowed(_) => {
                door.metrics.auth_failed(i32::from(RejectReason::NotAuthorized.code()));
                not_now("too many failed log-ons: try again later")
            }
        })?;
        let Some(login) = login.filter(|_| is_right) else {
            let (reason, why) = (RejectReason::NotAuthorized, "user or password is wrong");
            return Err(NotLoggedOn { reason: Some(reason), why });
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(login.login, (login.secret.clone(), digest));
        Ok(login)
    }

    fn knows(&self, login: &Login, digest: &[u8; 16]) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&login.login).is_some_and(|(secret, of)| *secret == login.secret && of == digest)
    }
}

fn not_now(why: &'static str) -> NotLoggedOn {
    NotLoggedOn { reason: None, why }
}

/// Opens a session of a login. The engine closes the last one.
pub(super) async fn open(
    door: &Door,
    hub: &Hub,
    (login, origin): (&Login, Origin),
    request: &LogOn,
    cancel_on_disconnect: bool,
) -> Result<LoggedOn, NotLoggedOn> {
    let unavailable = |why| NotLoggedOn { reason: Some(RejectReason::SessionNotAvailable), why };
    let day = hub.day();
    let session = SessionName::numbered(day);
    if request.session.is_some_and(|named| named != session) {
        return Err(unavailable("there is no such session"));
    }
    let book = hub.book(login.login).ok_or_else(|| not_now("the login is being made"))?;
    let count = book.lock().count;
    // The first session of a day begins with a message of its own.
    if request.sequence > count + 1 {
        return Err(unavailable("the sequence is beyond the next message"));
    }
    if request.sequence > 0 {
        // A client that asks for what is gone learns so before its other session ends.
        let of = OfLogin { login: login.login, account: login.account, day };
        let missed = Backlog::open(door, of, (request.sequence, count)).await;
        missed.map_err(|why| match why {
            Unreadable::Gone => unavailable(MISSED_GONE),
            Unreadable::Failed => not_now(MISSED_UNREADABLE),
        })?;
    }
    let of = (login, origin);
    let link = open_session(door, hub, of, cancel_on_disconnect).await.map_err(not_now)?;
    if hub.day() != day {
        close(door.handle.clone(), link.session);
        return Err(not_now("a numbering day has begun: try again"));
    }
    let before = link.lock().before;
    let next = if request.sequence == 0 { before + 1 } else { request.sequence };
    Ok(LoggedOn { book, link, day, session, next })
}

/// Opens a session in the engine, and links it.
pub(super) async fn open_session(
    door: &Door,
    hub: &Hub,
    (login, origin): (&Login, Origin),
    cancel_on_disconnect: bool,
) -> Result<Arc<Link>, &'static str> {
    let link = Arc::new(Link::new(random_session()));
    hub.opening(&link);
    let envelope = envelope((login, origin), link.session);
    let open = OpenSession { cancel_on_disconnect, login: Some(login.login) };
    let outcome = door.submit(envelope, Command::OpenSession(open), false).await;
    let is_open = outcome.is_ok_and(|outcome| {
        outcome.events.iter().any(|event| matches!(event, Event::SessionOpened(_)))
    });
    if is_open {
        Ok(link)
    } else {
        hub.opened(link.session);
        Err("the venue takes no session at the moment")
    }
}

pub(super) fn envelope((login, origin): (&Login, Origin), session: SessionId) -> Envelope {
    Envelope {
        account: login.account,
        key: KeyId(0),
        session,
        client_seq: 0,
        origin,
        received_ns: now_ns(),
        retry_key: None,
        address: None,
    }
}
