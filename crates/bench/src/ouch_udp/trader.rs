//! One client: its session, what it sends, and what it has under way.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use cli::Failure;
use mio::net::UdpSocket;
use protocol::ouch::inbound::EnterOrder;
use protocol::ouch::outbound::{OrderAccepted, OrderExecuted, Rejected};
use protocol::udp::handshake::{Answer, user};
use protocol::udp::{LoginKey, Opening, Secrets, Session, Side};
use server::Random;

use crate::ouch::order::order;
use crate::spec::Key;

/// A session whose acknowledgements stay out for so long is given up for another.
const UNANSWERED_US: u64 = 2_000_000;
/// An echo that is lost is not sent again: after this time the window is free.
const ECHO_LOST: Duration = Duration::from_millis(200);

pub(super) struct Trader {
    pub(super) socket: UdpSocket,
    path: Path,
    /// When each order under way was handed to the session.
    pub(super) under_way: VecDeque<Instant>,
    number: u32,
    window: usize,
    batch: usize,
    begun: Instant,
    network: Network,
    pub(super) sent_again: u64,
    pub(super) reopened: u64,
    pub(super) bytes_sent: u64,
}

enum Path {
    Echo,
    Venue(Box<OfVenue>),
}

struct OfVenue {
    user: [u8; 20],
    secrets: Secrets,
    nonce: [u8; 16],
    stage: Stage,
    /// The number of the next report.
    next: u64,
    /// The reports before this number were missed: orders under way are sent again after them.
    new_from: Option<u64>,
}

enum Stage {
    Opening(Opening),
    Open(Session),
}

/// A network that loses datagrams.
struct Network {
    random: Random,
    loss_percent: u64,
}

/// What a client has read.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) answered: usize,
    pub(super) refused: usize,
    pub(super) executed: u64,
    pub(super) bytes: u64,
}

impl Network {
    fn loses(&mut self) -> bool {
        self.loss_percent > 0 && self.random.between(1, 100) <= self.loss_percent
    }
}

impl Trader {
    /// Begins to open a session, unless the other side is an echo.
    pub(super) fn new(
        address: SocketAddr,
        key: Option<&Key>,
        (window, batch): (usize, usize),
        (seed, stream): (u64, u64),
        loss_percent: u8,
    ) -> Result<Self, Failure> {
        let socket = UdpSocket::bind("127.0.0.1:0".parse().expect("an address"))?;
        socket.connect(address)?;
        let mut random = Random::new(seed, stream);
        let path = match key {
            None => Path::Echo,
            Some(key) => {
                let login_key = LoginKey::from_hex(&key.secret_key);
                let login_key = login_key.ok_or_else(|| Failure::fault("no key for UDP"))?;
                let user = user(&key.api_key).ok_or_else(|| Failure::fault("a long user"))?;
                let nonce = draw(&mut random);
                let stage = Stage::Opening(Opening::new(user, nonce, 1));
                let secrets = Secrets::of(&login_key);
                Path::Venue(Box::new(OfVenue {
                    user,
                    secrets,
                    nonce,
                    stage,
                    next: 1,
                    new_from: None,
                }))
            }
        };
        Ok(Self {
            socket,
            path,
            under_way: VecDeque::new(),
            number: 0,
            window,
            batch: batch.min(window),
            begun: Instant::now(),
            network: Network { random, loss_percent: loss_percent.into() },
            sent_again: 0,
            reopened: 0,
            bytes_sent: 0,
        })
    }

    pub(super) fn is_ready(&self) -> bool {
        match &self.path {
            Path::Echo => true,
            Path::Venue(venue) => matches!(venue.stage, Stage::Open(_)) && venue.new_from.is_none(),
        }
    }

    fn now_us(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    /// Sends as many orders as there is room for, once that is a batch.
    pub(super) fn send(&mut self, now: Instant) -> Result<(), Failure> {
        while self.is_ready() && self.window - self.under_way.len() >= self.batch {
            let numbers = self.number + 1..=self.number + self.batch as u32;
            self.number += self.batch as u32;
            self.under_way.extend(std::iter::repeat_n(now, self.batch));
            let is_echo = matches!(self.path, Path::Echo);
            if is_echo {
                let mut frames = Vec::new();
                for number in numbers {
                    frames.extend((EnterOrder::SIZE as u16).to_be_bytes());
                    order(number).write(&mut frames, |_| {});
                }
                self.bytes_sent += frames.len() as u64;
                transmit(&self.socket, &frames)?;
            } else {
                self.enter(numbers)?;
                self.poll()?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, numbers: std::ops::RangeInclusive<u32>) -> Result<(), Failure> {
        let Path::Venue(venue) = &mut self.path else { return Ok(()) };
        let Stage::Open(session) = &mut venue.stage else { return Ok(()) };
        let mut bytes = Vec::new();
        for number in numbers {
            bytes.clear();
            order(number).write(&mut bytes, |_| {});
            if !session.message(&bytes) {
                return Err(Failure::fault("more under way than a session keeps"));
            }
        }
        Ok(())
    }

    /// Does what is due by the clock.
    pub(super) fn poll(&mut self) -> Result<(), Failure> {
        let now_us = self.now_us();
        let Self { path, socket, network, bytes_sent, .. } = self;
        let mut failed = None;
        let mut send = |datagram: &[u8]| {
            *bytes_sent += datagram.len() as u64;
            if !network.loses() {
                failed = failed.take().or(transmit(socket, datagram).err());
            }
        };
        match path {
            Path::Echo => {}
            Path::Venue(venue) => match &mut venue.stage {
                Stage::Opening(opening) => {
                    if let Some(datagram) = opening.poll(now_us) {
                        send(datagram);
                    }
                }
                Stage::Open(session) => session.poll(now_us, send),
            },
        }
        match failed {
            Some(failure) => Err(failure),
            None => self.look_after_session(now_us),
        }
    }

    /// Opens another session where this one is over, or has had no acknowledgement for long.
    fn look_after_session(&mut self, now_us: u64) -> Result<(), Failure> {
        if matches!(self.path, Path::Echo)
            && self.under_way.front().is_some_and(|sent| sent.elapsed() > ECHO_LOST)
        {
            self.under_way.clear();
        }
        let Path::Venue(venue) = &mut self.path else { return Ok(()) };
        let Stage::Open(session) = &venue.stage else { return Ok(()) };
        let is_lost = session.unanswered_since_us().is_some_and(|at| now_us > at + UNANSWERED_US);
        if session.closed().is_none() && !is_lost {
            return Ok(());
        }
        self.sent_again += session.sent_again();
        self.reopened += 1;
        venue.nonce = draw(&mut self.network.random);
        venue.stage = Stage::Opening(Opening::new(venue.user, venue.nonce, venue.next));
        Ok(())
    }

    /// Messages that were sent again, by this session and those before.
    pub(super) fn all_sent_again(&self) -> u64 {
        let now = match &self.path {
            Path::Venue(venue) => match &venue.stage {
                Stage::Open(session) => session.sent_again(),
                Stage::Opening(_) => 0,
            },
            Path::Echo => 0,
        };
        self.sent_again + now
    }

    /// When something is due by the clock.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let Path::Venue(venue) = &self.path else { return None };
        let due_us = match &venue.stage {
            Stage::Opening(opening) => opening.deadline_us(),
            Stage::Open(session) => session.deadline_us(),
        };
        Some(self.begun + Duration::from_micros(due_us))
    }

    /// Reads all that has arrived.
    pub(super) fn read(&mut self) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        let mut bytes = [0; 2_048];
        loop {
            match self.socket.recv(&mut bytes) {
                Ok(size) => {
                    seen.bytes += size as u64;
                    if !self.network.loses() {
                        self.take(&mut bytes[..size], &mut seen)?;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    return Err(Failure::new("the venue's port for OUCH over UDP is closed"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(seen)
    }

    fn take(&mut self, bytes: &mut [u8], seen: &mut Seen) -> Result<(), Failure> {
        let now_us = self.now_us();
        let venue = match &mut self.path {
            Path::Echo => {
                seen.answered += bytes.len() / (2 + EnterOrder::SIZE);
                return Ok(());
            }
            Path::Venue(venue) => venue,
        };
        let OfVenue { secrets, nonce, stage, next, new_from, .. } = &mut **venue;
        match stage {
            Stage::Opening(opening) => match opening.receive(bytes, secrets) {
                None => {}
                Some(Answer::Refused(refusal)) => {
                    return Err(Failure::new(format!("a client was not let in: {refusal:?}")));
                }
                Some(Answer::Opened(opened)) => {
                    let keys = secrets.keys(Side::Client, nonce, &opened.server_nonce);
                    *new_from = Some(opened.new_from);
                    *next = opened.next;
                    *stage =
                        Stage::Open(Session::new(opened.connection, keys, opened.next, 1, now_us));
                }
            },
            Stage::Open(session) => {
                // A repeat changes nothing.
                let _dropped = session.receive(bytes, now_us, |_, message| match message.first() {
                    Some(&OrderAccepted::KIND) => seen.answered += 1,
                    Some(&OrderExecuted::KIND) => seen.executed += 1,
                    Some(&Rejected::KIND) => seen.refused += 1,
                    _ => {}
                });
                *next = session.next_in();
            }
        }
        Ok(())
    }

    /// Sends the orders under way again, once all that was missed of the session before is read and
    /// counted. What the venue has carried out is a repeat to it.
    pub(super) fn send_again(&mut self) -> Result<(), Failure> {
        let Path::Venue(venue) = &mut self.path else { return Ok(()) };
        if venue.new_from.is_none_or(|new_from| venue.next < new_from) {
            return Ok(());
        }
        venue.new_from = None;
        let count = self.under_way.len() as u32;
        if count > 0 {
            self.enter(self.number + 1 - count..=self.number)?;
        }
        Ok(())
    }
}

fn draw(random: &mut Random) -> [u8; 16] {
    let mut nonce = [0; 16];
    nonce[..8].copy_from_slice(&random.between(0, u64::MAX - 1).to_be_bytes());
    nonce[8..].copy_from_slice(&random.between(0, u64::MAX - 1).to_be_bytes());
    nonce
}

/// What the socket has no room for is lost.
fn transmit(socket: &UdpSocket, datagram: &[u8]) -> Result<(), Failure> {
    match socket.send(datagram) {
        Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error.into()),
        _ => Ok(()),
    }
}
