//! The way by datagrams: the opening, the session, and when to leave it.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::soup::SessionName;
use protocol::soup::packet::{Received, Sender, take};
use protocol::udp::handshake::{Answer, User, user};
use protocol::udp::{Closed, DATAGRAM_MAX, LoginKey, Opened, Opening, Refusal};
use protocol::udp::{Secrets, Session, Side, kind};
use tokio::net::{UdpSocket, lookup_host};
use tokio::time::{sleep_until, timeout};

use crate::Error;
use crate::venue::back_off::random;
use crate::venue::ouch::UdpLogin;
use crate::venue::ouch::link::{End, IN_FLIGHT_MAX, Link};
use crate::venue::statistics::{Cause, Counters};

/// An opening takes no longer: else the next way is taken.
const OPEN_WITHIN: Duration = Duration::from_millis(100);
/// Where there is no other way.
const OPEN_PATIENTLY: Duration = Duration::from_secs(5);
/// An acknowledgement that stays out for longer ends the session. With a check of the password on a
/// busy venue, orders then go by the next way within 200 ms.
const UNANSWERED: Duration = Duration::from_millis(60);
const UNANSWERED_PATIENTLY: Duration = Duration::from_secs(3);
/// Messages over which loss is measured, and the share that may be lost: else the next way is
/// taken.
const LOSS_SAMPLE: u64 = 200;
const LOSS_MAX_PERCENT: u64 = 30;
/// Datagrams that are read before anything else has a turn.
const AT_ONCE: usize = 64;
const BUFFER_SIZE: usize = DATAGRAM_MAX + 1;

/// The address and the key.
#[derive(Clone)]
pub(super) struct UdpWay {
    address: String,
    user: User,
    secrets: Arc<Secrets>,
}

impl UdpWay {
    pub(super) fn new(login: &UdpLogin) -> Result<Self, Error> {
        let key = LoginKey::from_hex(&login.key);
        let key = key.ok_or_else(|| Error::Usage("a key of 64 hexadecimal digits".into()))?;
        let user = user(&login.user);
        Ok(Self {
            address: login.address.clone(),
            user: user.ok_or_else(|| Error::Usage("a user of 20 characters".into()))?,
            secrets: Arc::new(Secrets::of(&key)),
        })
    }

    /// Whether datagrams pass. It costs the venue nothing.
    pub(super) async fn ask_for_cookie(&self) -> io::Result<()> {
        let socket = connect(&self.address).await?;
        let mut opening = Opening::new(self.user, nonce(), 0);
        socket.send(opening.poll(0).expect("the first is due at once")).await?;
        let mut bytes = [0; BUFFER_SIZE];
        let size = socket.recv(&mut bytes).await?;
        opening.receive(&bytes[..size], &self.secrets);
        match bytes[0] {
            kind::COOKIE => Ok(()),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

async fn connect(address: &str) -> io::Result<UdpSocket> {
    let to = lookup_host(address).await?.next().ok_or(io::ErrorKind::NotFound)?;
    let any: SocketAddr = match to {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(to).await?;
    socket.writable().await?;
    Ok(socket)
}

fn nonce() -> [u8; 16] {
    let mut nonce = [0; 16];
    nonce[..8].copy_from_slice(&random().to_be_bytes());
    nonce[8..].copy_from_slice(&random().to_be_bytes());
    nonce
}

impl Link {
    /// Opens a session by datagrams and serves it until it ends.
    pub(super) async fn serve_udp(&mut self, way: UdpWay) -> End {
        match self.open_udp(way).await {
            Ok((socket, opened, session)) => self.run_udp(socket, &opened, session).await,
            Err(end) => end,
        }
    }

    fn now_us(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    async fn open_udp(&mut self, way: UdpWay) -> Result<(UdpSocket, Opened, Session), End> {
        let UdpWay { address, user, secrets } = way;
        let asks_for_new = self.skips;
        let next = if asks_for_new { 0 } else { self.next_report() };
        let client_nonce = nonce();
        let mut opening = Opening::new(user, client_nonce, next);
        let within = if self.ways.has_next() { OPEN_WITHIN } else { OPEN_PATIENTLY };
        let begun = self.begun;
        let opened = timeout(within, async {
            let socket = connect(&address).await?;
            let mut bytes = [0; BUFFER_SIZE];
            loop {
                if let Some(datagram) = opening.poll(begun.elapsed().as_micros() as u64) {
                    socket.send(datagram).await?;
                }
                let due = begun + Duration::from_micros(opening.deadline_us());
                tokio::select! {
                    received = socket.recv(&mut bytes) => {
                        let size = received?;
                        if let Some(answer) = opening.receive(&bytes[..size], &secrets) {
                            return Ok::<_, io::Error>((socket, answer));
                        }
                    }
                    () = sleep_until(due.into()) => {}
                }
            }
        });
        let (socket, opened) = match opened.await {
            Ok(Ok((socket, Answer::Opened(opened)))) => (socket, opened),
            // Reports of a day that is over, or that are not kept any more: an opening for new
            // ones shows which.
            Ok(Ok((_, Answer::Refused(Refusal::Sequence)))) => {
                self.skips = true;
                return Err(End::Broken);
            }
            Ok(Ok((_, Answer::Refused(Refusal::Unavailable)))) => return Err(End::Broken),
            Ok(Err(_)) | Err(_) => return Err(End::Failed(Cause::NotOpened)),
        };
        let name = SessionName::numbered(opened.day);
        if self.name.is_some_and(|before| before != name) {
            return Err(self.start_over());
        }
        if let Some(end) = self.go_without_what_is_gone(opened.new_from) {
            return Err(end);
        }
        if asks_for_new && !self.skips {
            return Err(End::Broken); // For the next opening, from the first wanted report on.
        }
        let keys = secrets.keys(Side::Client, &client_nonce, &opened.server_nonce);
        let session = Session::new(opened.connection, keys, opened.next, 1, self.now_us());
        Ok((socket, opened, session))
    }

    async fn run_udp(&mut self, socket: UdpSocket, opened: &Opened, mut udp: Session) -> End {
        Counters::add(&self.counters.connections, 1);
        let (mut output, mut batch) = (Vec::new(), Vec::new());
        let mut bytes = [0; BUFFER_SIZE];
        let mut loss = Loss::default();
        let mut sent_again = 0;
        let of_session = (SessionName::numbered(opened.day), opened.next);
        self.logged_on(of_session, opened.new_from, &mut output).await;
        let end = loop {
            let sent = pass_on(&mut output, &mut udp);
            udp.poll(self.now_us(), |datagram| {
                // What the socket has no room for is lost, and sent again.
                let _lost = socket.try_send(datagram);
                Counters::add(&self.counters.writes, 1);
            });
            let again = udp.sent_again();
            Counters::add(&self.counters.sent_again, again - sent_again);
            sent_again = again;
            if let Some(why) = udp.closed() {
                break self.ended(why);
            }
            let cause = if self.is_unanswered(&udp) {
                Some(Cause::Unanswered)
            } else {
                let is_lossy = loss.is_too_much(sent, again) && self.ways.has_other();
                is_lossy.then_some(Cause::Loss)
            };
            if let Some(cause) = cause {
                udp.close(Closed::LogOut);
                break End::Failed(cause);
            }
            let room = if self.session.is_current() && output.is_empty() {
                IN_FLIGHT_MAX.saturating_sub(self.session.in_flight())
            } else {
                0
            };
            let due = self.begun + Duration::from_micros(udp.deadline_us());
            tokio::select! {
                biased;
                received = socket.recv(&mut bytes) => {
                    let Ok(size) = received else { break End::Failed(Cause::Closed) };
                    if let Some(end) = self.receive_udp(&socket, &mut bytes, size, &mut udp, &mut output).await {
                        break end;
                    }
                }
                count = self.asked.recv_many(&mut batch, room), if room > 0 => {
                    if count == 0 {
                        udp.close(Closed::LogOut);
                        break End::Closed;
                    }
                    Counters::add(&self.counters.messages, count as u64);
                    for request in batch.drain(..) {
                        self.session.take(request, &mut output);
                    }
                }
                () = sleep_until(due.min(Instant::now() + UNANSWERED).into()) => {}
            }
        };
        udp.poll(self.now_us(), |datagram| drop(socket.try_send(datagram)));
        end
    }

    /// Takes a datagram, and those that have come with it.
    async fn receive_udp(
        &mut self,
        socket: &UdpSocket,
        bytes: &mut [u8],
        size: usize,
        udp: &mut Session,
        output: &mut Vec<u8>,
    ) -> Option<End> {
        let mut size = size;
        let mut messages: Vec<Vec<u8>> = Vec::new();
        for _ in 0..AT_ONCE {
            let now_us = self.now_us();
            // What is not of the venue, or comes again, changes nothing.
            let _dropped = udp.receive(&mut bytes[..size], now_us, |_, message| {
                messages.push(message.to_vec());
            });
            match socket.try_recv(bytes) {
                Ok(next) => size = next,
                Err(_) => break,
            }
        }
        for message in messages {
            if let Some(end) = self.take_report(&message, output).await {
                return Some(end);
            }
        }
        None
    }

    fn is_unanswered(&self, udp: &Session) -> bool {
        let patience = if self.ways.has_other() { UNANSWERED } else { UNANSWERED_PATIENTLY };
        udp.unanswered_since_us()
            .is_some_and(|since_us| self.now_us() > since_us + patience.as_micros() as u64)
    }

    fn ended(&mut self, why: Closed) -> End {
        match why {
            Closed::Day => self.start_over(),
            Closed::Silent | Closed::Violation => End::Failed(Cause::Closed),
            Closed::LogOut | Closed::Ended => End::Broken,
        }
    }
}

/// Passes messages on as far as the session has room; how many.
fn pass_on(output: &mut Vec<u8>, udp: &mut Session) -> u64 {
    let (mut rest, mut passed, mut count) = (&output[..], 0, 0);
    while let Received::Message(message) = take(&mut rest, Sender::Client) {
        if !udp.message(message) {
            break;
        }
        passed = output.len() - rest.len();
        count += 1;
    }
    output.drain(..passed);
    count
}

/// The share of messages that were lost.
#[derive(Default)]
struct Loss {
    sent: u64,
    /// When the sample began.
    again_before: u64,
}

impl Loss {
    fn is_too_much(&mut self, sent: u64, again: u64) -> bool {
        self.sent += sent;
        let lost = again - self.again_before;
        if self.sent + lost < LOSS_SAMPLE {
            return false;
        }
        let is_too_much = lost * 100 > (self.sent + lost) * LOSS_MAX_PERCENT;
        (self.sent, self.again_before) = (0, again);
        is_too_much
    }
}
