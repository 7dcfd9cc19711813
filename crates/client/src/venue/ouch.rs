//! Orders over OUCH: one session, whose connection may break, or change its way.

mod datagrams;
mod encode;
mod link;
mod session;
mod ways;

use std::fmt;
use std::sync::Arc;

use protocol::soup::LogOn;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use self::datagrams::UdpWay;
use self::encode::Instruments;
use self::link::Link;
use self::session::Session;
use self::ways::{By, Ways};
use crate::venue::report::{Reports, WAITING_MAX};
use crate::venue::statistics::Counters;
use crate::venue::{Open, PATIENCE, Reply};
use crate::{Client, Error, NewOrder};

/// Requests that may wait for the connection.
const REQUESTS_MAX: usize = 4_096;

/// A login for OUCH, and where it is used.
#[derive(Clone)]
pub struct Login {
    /// `host:port`, with TLS if the client has it; or `unix:` or `shm:` and the path of a socket.
    /// With `grpc:` before it, a port or a Unix socket is that of the venue's gRPC, which carries
    /// the session (feature `grpc`).
    pub address: String,
    pub user: String,
    pub password: String,
    /// The first report that is wanted: 1 for all of the numbering day; 0 for new ones only.
    pub from_sequence: u64,
    /// The first report that is read. Those before `from_sequence` are not given: they make the
    /// orders known that were entered before, so that their reports have names.
    pub read_from: u64,
}

impl Login {
    /// All reports of the numbering day are wanted.
    pub fn new(
        address: impl Into<String>,
        user: impl Into<String>,
        password: impl Into<String>,
    ) -> Self {
        let (address, user, password) = (address.into(), user.into(), password.into());
        Self { address, user, password, from_sequence: 1, read_from: 1 }
    }

    /// The reports from this one on are wanted; the program has those before. 0 is the first new
    /// one.
    #[must_use]
    pub fn from_sequence(self, from_sequence: u64) -> Self {
        Self { from_sequence, ..self }
    }

    /// Reads from this report on only, so that a start costs less than with all of the day: that of
    /// the oldest order that is open is early enough.
    #[must_use]
    pub fn read_from(self, read_from: u64) -> Self {
        Self { read_from, ..self }
    }

    fn first_read(&self) -> u64 {
        first_read(self.read_from, self.from_sequence)
    }
}

/// No later than the first report that is wanted; 0 is the first new one.
fn first_read(read_from: u64, from_sequence: u64) -> u64 {
    match from_sequence {
        0 => read_from.max(1),
        wanted => read_from.clamp(1, wanted),
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Login").field(&self.address).field(&self.user).finish()
    }
}

/// A login for OUCH over UDP, and what to do where datagrams do not pass.
#[derive(Clone)]
pub struct UdpLogin {
    /// `host:port`.
    pub address: String,
    pub user: String,
    /// The key of the login: 64 hexadecimal digits.
    pub key: String,
    /// As those of [`Login`].
    pub from_sequence: u64,
    pub read_from: u64,
    /// The ways to take while UDP does not work, best first: the same login, over TCP or inside a
    /// call of gRPC.
    pub fallbacks: Vec<Login>,
}

impl fmt::Debug for UdpLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UdpLogin").field(&self.address).field(&self.user).finish()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Ouch {
    requests: mpsc::Sender<Request>,
}

/// What a caller wants of the session.
#[derive(Debug)]
pub(super) enum Request {
    Enter(Box<NewOrder>, Answer),
    Replace { orig: String, order: Box<NewOrder>, answer: Answer },
    Cancel { name: String, answer: Answer },
    Open(oneshot::Sender<Vec<Open>>),
}

pub(super) type Answer = oneshot::Sender<Result<Reply, Error>>;

impl Ouch {
    pub(super) async fn open(
        client: &Client,
        login: Login,
        counters: Arc<Counters>,
    ) -> Result<(Self, Reports), Error> {
        let read = (login.from_sequence, login.first_read());
        Self::open_by(client, (None, vec![login]), read, counters).await
    }

    pub(super) async fn open_udp(
        client: &Client,
        login: UdpLogin,
        counters: Arc<Counters>,
    ) -> Result<(Self, Reports), Error> {
        let (way, from_sequence) = (UdpWay::new(&login)?, login.from_sequence);
        let read = (from_sequence, first_read(login.read_from, from_sequence));
        Self::open_by(client, (Some(way), login.fallbacks), read, counters).await
    }

    async fn open_by(
        client: &Client,
        (udp, logins): (Option<UdpWay>, Vec<Login>),
        (from_sequence, read_from): (u64, u64),
        counters: Arc<Counters>,
    ) -> Result<(Self, Reports), Error> {
        let instruments = Instruments::of(&client.exchange_info().await?);
        // The text is checked here once: every later log-on has the same.
        let is_text = logins
            .iter()
            .all(|login| LogOn::new(&login.user, &login.password, None, from_sequence).is_some());
        if !is_text {
            return Err(Error::Usage("a user of 6 and a password of 10 characters".into()));
        }
        let bytes = logins.into_iter().map(By::Bytes);
        let ways = Ways::new(udp.map(By::Datagrams).into_iter().chain(bytes));
        let (requests, asked) = mpsc::channel(REQUESTS_MAX);
        let (reports, reader) = mpsc::channel(WAITING_MAX);
        let (tls, session) = (client.tls().cloned(), Session::new(instruments, from_sequence));
        let link = Link::new((ways, tls), read_from, session, (asked, reports), counters);
        tokio::spawn(link.run());
        Ok((Self { requests }, Reports(reader)))
    }

    pub(super) async fn enter(&self, order: &NewOrder) -> Result<Reply, Error> {
        self.ask(|answer| Request::Enter(Box::new(order.clone()), answer)).await?
    }

    pub(super) async fn replace(&self, orig: &str, order: &NewOrder) -> Result<Reply, Error> {
        let (orig, order) = (orig.to_owned(), Box::new(order.clone()));
        self.ask(|answer| Request::Replace { orig, order, answer }).await?
    }

    pub(super) async fn cancel(&self, name: &str) -> Result<Reply, Error> {
        self.ask(|answer| Request::Cancel { name: name.to_owned(), answer }).await?
    }

    pub(super) async fn open_orders(&self) -> Result<Vec<Open>, Error> {
        self.ask(Request::Open).await
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> Request,
    ) -> Result<T, Error> {
        let (answer, answered) = oneshot::channel();
        let exchange = async {
            let sent = self.requests.send(request(answer)).await;
            sent.map_err(|_| Error::transport("the session has ended: the login is refused"))?;
            let ended = "without an answer: the login is refused, or another numbering day began";
            answered.await.map_err(|_| Error::transport(ended))
        };
        timeout(PATIENCE, exchange).await.map_err(Error::transport)?
    }
}
