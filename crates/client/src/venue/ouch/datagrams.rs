//! The way by datagrams: the opening, the session, and when to leave it for TCP.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use protocol::soup::SessionName;
use protocol::soup::packet::{Received, Sender, take};
use protocol::udp::handshake::{Answer, User, user};
use protocol::udp::{Closed, DATAGRAM_MAX, LoginKey, Opened, Opening, Refusal};
use protocol::udp::{Secrets, Session, Side, kind};
use tokio::net::{UdpSocket, lookup_host};
use tokio::time::{sleep, sleep_until, timeout};

use crate::Error;
use crate::venue::back_off::random;
use crate::venue::ouch::UdpLogin;
use crate::venue::ouch::link::{End, IN_FLIGHT_MAX, Link};
use crate::venue::statistics::Counters;

/// An opening takes no longer: else the other way is taken.
const OPEN_WITHIN: Duration = Duration::from_millis(150);
/// Where there is no other way.
const OPEN_PATIENTLY: Duration = Duration::from_secs(5);
/// An acknowledgement that stays out for longer ends the session.
const UNANSWERED: Duration = Duration::from_millis(150);
const UNANSWERED_PATIENTLY: Duration = Duration::from_secs(3);
/// Messages over which loss is measured, and the share that may be lost: else the other way is
/// taken.
const LOSS_SAMPLE: u64 = 200;
const LOSS_MAX_PERCENT: u64 = 30;
/// How long the other way is kept at least, and between two looks at this one.
const AWAY_FOR: Duration = Duration::from_secs(2);
/// Answers in a row without a loss after which this way is taken again.
const WELL_AFTER: u32 = 5;
const PROBE_WITHIN: Duration = Duration::from_millis(100);
/// Datagrams that are read before anything else has a turn.
const AT_ONCE: usize = 64;
const BUFFER_SIZE: usize = DATAGRAM_MAX + 1;

/// The address and the key, and whether datagrams pass.
pub(super) struct UdpWay {
    address: String,
    user: User,
    secrets: Arc<Secrets>,
    /// It is left until then.
    away_until: Option<Instant>,
    /// Set by the probe that runs while it is left.
    probe: Option<Arc<AtomicBool>>,
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
            away_until: None,
            probe: None,
        })
    }

    /// Whether this way is to be taken.
    pub(super) fn is_well(&self) -> bool {
        self.away_until.is_none()
    }

    fn leave(&mut self) {
        self.away_until = Some(Instant::now() + AWAY_FOR);
        self.probe = None;
    }

    /// Whether datagrams pass again. Looks for that beside the other way's session.
    pub(super) fn is_well_again(&mut self) -> bool {
        let Some(until) = self.away_until else { return false };
        if Instant::now() < until {
            return false;
        }
        let probe = self.probe.get_or_insert_with(|| {
            let is_well = Arc::new(AtomicBool::new(false));
            let (address, user, secrets) =
                (self.address.clone(), self.user, Arc::clone(&self.secrets));
            tokio::spawn(probe(address, user, secrets, Arc::downgrade(&is_well)));
            is_well
        });
        if !probe.load(Ordering::Relaxed) {
            return false;
        }
        (self.away_until, self.probe) = (None, None);
        true
    }
}

/// Asks for cookies, which cost the venue nothing, until several in a row have come; or until the
/// link is gone.
async fn probe(
    address: String,
    user: User,
    secrets: Arc<Secrets>,
    is_well: std::sync::Weak<AtomicBool>,
) {
    let mut answered = 0;
    while let Some(is_well) = is_well.upgrade() {
        let asked = timeout(PROBE_WITHIN, ask_for_cookie(&address, user, &secrets)).await;
        answered = if matches!(asked, Ok(Ok(()))) { answered + 1 } else { 0 };
        if answered >= WELL_AFTER {
            return is_well.store(true, Ordering::Relaxed);
        }
        drop(is_well);
        sleep(PROBE_WITHIN).await;
    }
}

async fn ask_for_cookie(address: &str, user: User, secrets: &Secrets) -> io::Result<()> {
    let socket = connect(address).await?;
    let mut opening = Opening::new(user, nonce(), 0);
    socket.send(opening.poll(0).expect("the first is due at once")).await?;
    let mut bytes = [0; BUFFER_SIZE];
    let size = socket.recv(&mut bytes).await?;
    opening.receive(&bytes[..size], secrets);
    match bytes[0] {
        kind::COOKIE => Ok(()),
        _ => Err(io::ErrorKind::InvalidData.into()),
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
    pub(super) async fn serve_udp(&mut self) -> End {
        let end = match self.open_udp().await {
            Ok((socket, opened, session)) => self.run_udp(socket, &opened, session).await,
            Err(end) => end,
        };
        if matches!(end, End::Other) {
            Counters::add(&self.counters.fallbacks, 1);
            self.way_of_udp().leave();
        }
        end
    }

    fn way_of_udp(&mut self) -> &mut UdpWay {
        self.udp.as_mut().expect("it goes this way")
    }

    /// What to do where datagrams do not pass.
    fn failed(&self) -> End {
        if self.has_other_way() { End::Other } else { End::Broken }
    }

    fn now_us(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    async fn open_udp(&mut self) -> Result<(UdpSocket, Opened, Session), End> {
        let next = self.next_report();
        let way = self.udp.as_ref().expect("it goes this way");
        let (secrets, client_nonce) = (Arc::clone(&way.secrets), nonce());
        let mut opening = Opening::new(way.user, client_nonce, next);
        let address = way.address.clone();
        let within = if self.has_other_way() { OPEN_WITHIN } else { OPEN_PATIENTLY };
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
            // Reports of a day that is over, or that are not kept any more.
            Ok(Ok((_, Answer::Refused(Refusal::Sequence)))) => {
                return Err(if self.reads_less() { End::Broken } else { self.start_over() });
            }
            Ok(Ok((_, Answer::Refused(Refusal::Unavailable)))) => return Err(End::Broken),
            Ok(Err(_)) | Err(_) => return Err(self.failed()),
        };
        let name = SessionName::numbered(opened.day);
        if self.name.is_some_and(|before| before != name) {
            return Err(self.start_over());
        }
        self.name = Some(name);
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
        self.session.logged_on(opened.next, opened.new_from, &mut output);
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
            if loss.is_too_much(sent, again) && self.has_other_way() || self.is_unanswered(&udp) {
                udp.close(Closed::LogOut);
                break self.failed();
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
                    let Ok(size) = received else { break self.failed() };
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
        let patience = if self.has_other_way() { UNANSWERED } else { UNANSWERED_PATIENTLY };
        udp.unanswered_since_us()
            .is_some_and(|since_us| self.now_us() > since_us + patience.as_micros() as u64)
    }

    fn ended(&mut self, why: Closed) -> End {
        match why {
            Closed::Day => self.start_over(),
            Closed::Silent | Closed::Violation => self.failed(),
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
