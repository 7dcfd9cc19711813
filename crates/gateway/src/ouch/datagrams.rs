//! OUCH over UDP: the socket, the openings, and which datagram belongs to which session.
//!
//! One task reads the socket. An opening has a task once its client has returned the cookie and
//! proved that it has the key; each session has a task of its own. Until then nothing is kept.
//!
//! # Invariants
//! - A datagram without the key of a login costs one hash, and an answer that is no longer than it.
//! - A session whose task is behind loses datagrams, which its client sends again.

mod metrics;
mod session;
mod sessions;

use std::io;
use std::net::{SocketAddr, UdpSocket as StdSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::socket::{setsockopt, sockopt};
use protocol::soup::LogOn;
use protocol::udp::handshake::{name_of, put_refused};
use protocol::udp::{Cookies, DATAGRAM_MAX, Hello, LoginKey, Open, Opened, Refusal, Secrets, Side};
use protocol::udp::{connection_of, kind};
use tokio::net::UdpSocket;
use tokio::time::sleep;
use types::{Origin, Role, Way};

use self::metrics::{DatagramMetrics, Dropped};
use self::session::UdpSession;
use self::sessions::{Nonced, Sessions};
use crate::door::identity::Login;
use crate::door::shared::Door;
use crate::ouch::accept::OuchDoor;
use crate::ouch::log_on::{LoggedOn, open};

/// How long to wait after the socket failed.
const RETRY: Duration = Duration::from_millis(50);
const BUFFER_SIZE: usize = 8 << 20;
/// Datagrams that are read before other tasks have a turn.
const AT_ONCE: usize = 64;

/// What the tasks of the socket share.
#[derive(Debug)]
pub(super) struct Datagrams {
    door: Arc<OuchDoor>,
    socket: UdpSocket,
    /// The same socket, for sending from any task. It never waits: what has no room is lost.
    sending: StdSocket,
    cookies: Cookies,
    sessions: Sessions,
    metrics: Arc<DatagramMetrics>,
    begun: Instant,
}

/// Serves the socket until the gateway stops, and until each session has ended.
pub(crate) async fn serve(socket: StdSocket, door: Arc<OuchDoor>) {
    match Datagrams::new(socket, door) {
        Ok(datagrams) => Arc::new(datagrams).run().await,
        Err(error) => tracing::error!(%error, "OUCH over UDP is not served"),
    }
}

impl Datagrams {
    fn new(socket: StdSocket, door: Arc<OuchDoor>) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        // The system sets as much as it allows. What has no room in the buffers is lost.
        setsockopt(&socket, sockopt::RcvBuf, &BUFFER_SIZE)?;
        setsockopt(&socket, sockopt::SndBuf, &BUFFER_SIZE)?;
        let sending = socket.try_clone()?;
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        let metrics = Arc::<DatagramMetrics>::default();
        door.door.handle.metrics().add_source(Arc::clone(&metrics) as _);
        Ok(Self {
            sessions: Sessions::new(door.settings.connections_max),
            door,
            socket: UdpSocket::from_std(socket)?,
            sending,
            cookies: Cookies::new(&secret),
            metrics,
            begun: Instant::now(),
        })
    }

    fn door(&self) -> &Arc<Door> {
        &self.door.door
    }

    fn now_us(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    async fn run(self: Arc<Self>) {
        let stopping = Arc::clone(self.door());
        tokio::select! {
            () = self.read() => {}
            () = stopping.stopped() => {}
        }
        self.sessions.all_ended().await;
    }

    async fn read(self: &Arc<Self>) {
        // One byte more than a datagram has: a longer one is seen to be too long.
        let mut bytes = [0; DATAGRAM_MAX + 1];
        loop {
            match self.socket.recv_from(&mut bytes).await {
                Ok((size, from)) => self.receive(&bytes[..size], from),
                Err(error) => {
                    tracing::debug!(%error, "a datagram could not be received");
                    sleep(RETRY).await;
                }
            }
            for _ in 1..AT_ONCE {
                let Ok((size, from)) = self.socket.try_recv_from(&mut bytes) else { break };
                self.receive(&bytes[..size], from);
            }
        }
    }

    fn receive(self: &Arc<Self>, bytes: &[u8], from: SocketAddr) {
        let taken = match bytes.first() {
            Some(&kind::DATA) => self.sessions.hand_on(connection_of(bytes), bytes, from),
            Some(&kind::HELLO) => self.answer_hello(bytes, from),
            Some(&kind::OPEN) => self.open(bytes, from),
            _ => Err(Dropped::Malformed),
        };
        match taken {
            Ok(()) => self.metrics.received(),
            Err(why) => self.metrics.dropped(why),
        }
    }

    fn answer_hello(&self, bytes: &[u8], from: SocketAddr) -> Result<(), Dropped> {
        let hello = Hello::read(bytes).ok_or(Dropped::Malformed)?;
        let mut answer = Vec::new();
        self.cookies.answer(&hello, from, self.now_us(), &mut answer);
        self.send(&answer, from);
        Ok(())
    }

    /// Begins the opening of a session, or repeats its answer.
    fn open(self: &Arc<Self>, bytes: &[u8], from: SocketAddr) -> Result<(), Dropped> {
        let open = Open::read(bytes).ok_or(Dropped::Malformed)?;
        if !self.cookies.are_good(&open, from, self.now_us()) {
            return Err(Dropped::Cookie);
        }
        let (login, secrets) = self.login_of(&open).ok_or(Dropped::NotGenuine)?;
        if !Open::is_proved(bytes, &secrets) {
            return Err(Dropped::NotGenuine);
        }
        match self.sessions.nonced(&open.nonce, self.now_us()) {
            Nonced::New => {
                let datagrams = Arc::clone(self);
                tokio::spawn(async move { datagrams.begin(login, secrets, open, from).await });
            }
            Nonced::UnderWay => {}
            Nonced::Answered(answer) => self.send(&answer, from),
            Nonced::Full => return Err(Dropped::Full),
        }
        Ok(())
    }

    /// The login of a client, if it may trade by OUCH and has a key.
    fn login_of(&self, open: &Open) -> Option<(Arc<Login>, Secrets)> {
        let user = name_of(&open.user)?;
        let login = self.door().directory().login_of(&user.to_ascii_lowercase())?;
        if !login.ways.contains(Way::Ouch) || login.role != Role::Trader {
            return None;
        }
        let key = LoginKey::from_bytes(*login.secret.datagram_key.as_ref()?.as_bytes());
        Some((login, Secrets::of(&key)))
    }

    /// Opens a session in the engine, answers, and serves it until it ends.
    async fn begin(
        self: Arc<Self>,
        login: Arc<Login>,
        secrets: Secrets,
        open_request: Open,
        from: SocketAddr,
    ) {
        let nonce = open_request.nonce;
        let mut answer = Vec::new();
        let logged_on = match self.log_on(&login, open_request.next).await {
            Ok(logged_on) => logged_on,
            Err(refusal) => {
                put_refused(refusal, &nonce, &secrets, &mut answer);
                self.sessions.answered(&nonce, answer.clone());
                return self.send(&answer, from);
            }
        };
        let (mut server_nonce, mut connection) = ([0; 16], [0; 8]);
        let drawn = getrandom::fill(&mut server_nonce).and(getrandom::fill(&mut connection));
        if let Err(error) = drawn {
            return tracing::error!(%error, "no random numbers: a session is not opened");
        }
        let connection = u64::from_be_bytes(connection);
        let opened = Opened {
            client_nonce: nonce,
            server_nonce,
            connection,
            day: logged_on.day,
            next: logged_on.next,
            new_from: logged_on.link.lock().before + 1,
        };
        opened.write(&secrets, &mut answer);
        let keys = secrets.keys(Side::Server, &nonce, &server_nonce);
        let place = self.sessions.add(connection);
        self.sessions.answered(&nonce, answer.clone());
        self.send(&answer, from);
        let session = UdpSession::new(&self, login, logged_on, (connection, keys), from);
        session.serve(place).await;
        self.sessions.remove(connection);
    }

    async fn log_on(&self, login: &Login, next: u64) -> Result<LoggedOn, Refusal> {
        let OuchDoor { door, hub, settings, .. } = &*self.door;
        let request = LogOn::new("", "", None, next).ok_or(Refusal::Sequence)?;
        let of = (login, Origin::OuchUdp);
        let opened = open(door, hub, of, &request, settings.cancel_on_disconnect).await;
        opened.map_err(|not| {
            tracing::info!(user = %login.user, why = not.why, "a client is not let in by UDP");
            if not.reason.is_some() { Refusal::Sequence } else { Refusal::Unavailable }
        })
    }

    /// Sends a datagram. One that has no room in the socket is lost, as any can be.
    fn send(&self, datagram: &[u8], to: SocketAddr) {
        match self.sending.send_to(datagram, to) {
            Ok(_) => self.metrics.sent(),
            Err(_) => self.metrics.not_sent(),
        }
    }
}
