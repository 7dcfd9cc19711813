//! A receiver of the feed on a thread of its own, behind a network that loses packets; and clients
//! of the two other ports.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use protocol::itch::Message;
use protocol::mold::packet::Content;
use protocol::mold::{Packet, Receiver, Request, SessionName};
use protocol::soup::{Client, LogOn, Received as FromServer};

use super::book::{Book, Levels};
use super::{COMPARED_EVERY, OF_COMMAND_MAX};

const PATIENCE: Duration = Duration::from_secs(60);

/// What a receiver has.
#[derive(Clone, Default)]
pub(super) struct Received {
    pub(super) session: SessionName,
    /// The messages of the session.
    pub(super) all: Vec<Vec<u8>>,
    /// The book ahead of some numbers; where the feed is idle, ahead of the next one.
    pub(super) books: BTreeMap<u64, Levels>,
    /// Packets that the network lost.
    pub(super) lost: u64,
    /// The session before this one, and its messages.
    pub(super) before: Option<(SessionName, Vec<Vec<u8>>)>,
    missing: u64,
    changed: Option<Instant>,
}

impl Received {
    pub(super) fn next(&self) -> u64 {
        self.all.len() as u64 + 1
    }

    /// Whether nothing is missing, and nothing new has come for this long.
    pub(super) fn is_idle_for(&self, time: Duration) -> bool {
        let is_idle = self.changed.is_some_and(|changed| changed.elapsed() > time);
        self.missing == 0 && is_idle && self.books.contains_key(&self.next())
    }
}

/// A receiver that runs.
pub(super) struct Feed {
    received: Arc<Mutex<Received>>,
    recovery: Arc<Mutex<SocketAddr>>,
}

impl Feed {
    pub(super) fn start(socket: UdpSocket, recovery: SocketAddr, one_lost_of: u64) -> Self {
        let received = Arc::<Mutex<Received>>::default();
        let recovery = Arc::new(Mutex::new(recovery));
        let run = Run {
            socket,
            received: Arc::downgrade(&received),
            recovery: Arc::clone(&recovery),
            one_lost_of,
            receiver: Receiver::new(None, 1),
            book: Book::default(),
        };
        std::thread::spawn(move || run.run());
        Self { received, recovery }
    }

    pub(super) fn recover_from(&self, recovery: SocketAddr) {
        *self.recovery.lock().unwrap() = recovery;
    }

    /// What is received once that is so.
    #[track_caller]
    pub(super) fn wait(&self, is_so: impl Fn(&Received) -> bool) -> Received {
        let begun = Instant::now();
        loop {
            let received = self.received.lock().unwrap();
            if is_so(&received) {
                return received.clone();
            }
            let (count, missing) = (received.all.len(), received.missing);
            assert!(begun.elapsed() < PATIENCE, "{count} received, {missing} missing");
            drop(received);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

struct Run {
    socket: UdpSocket,
    received: Weak<Mutex<Received>>,
    recovery: Arc<Mutex<SocketAddr>>,
    one_lost_of: u64,
    receiver: Receiver,
    book: Book,
}

impl Run {
    fn run(mut self) {
        self.socket.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
        let begun = Instant::now();
        let (mut bytes, mut count) = ([0; 2_048], 0_u64);
        while let Some(shared) = self.received.upgrade() {
            let now_ms = begun.elapsed().as_millis() as u64;
            let size = match self.socket.recv(&mut bytes) {
                Ok(size) => Some(size),
                Err(error) if is_late(&error) => None,
                Err(error) => panic!("{error}"),
            };
            let mut received = shared.lock().unwrap();
            if let Some(size) = size {
                count += 1;
                if self.one_lost_of > 0 && count.is_multiple_of(self.one_lost_of) {
                    received.lost += 1;
                } else {
                    self.take(&bytes[..size], &mut received, now_ms);
                }
            }
            received.missing = self.receiver.missing();
            if received.missing == 0 && size.is_none() {
                let next = received.next();
                received.books.entry(next).or_insert_with(|| self.book.levels());
            }
            if let Some(request) = self.receiver.request(now_ms) {
                let mut bytes = Vec::new();
                request.write(&mut bytes);
                // The answer arrives at this socket. A venue that was killed is not there.
                let _gone = self.socket.send_to(&bytes, *self.recovery.lock().unwrap());
            }
        }
    }

    fn take(&mut self, bytes: &[u8], received: &mut Received, now_ms: u64) {
        let packet = Packet::read(bytes).unwrap();
        if packet.session != received.session {
            let ended = received.before.as_ref().map(|(session, _)| *session);
            if packet.content == Content::EndOfSession || ended == Some(packet.session) {
                return;
            }
            self.receiver = Receiver::new(Some(packet.session), 1);
            let before = std::mem::take(&mut received.all);
            received.before = Some((received.session, before));
            received.books.clear();
            received.session = packet.session;
        }
        let Self { receiver, book, .. } = self;
        receiver.receive(bytes, now_ms, |number, message| {
            assert_eq!(number, received.next());
            book.apply(&Message::read(message).unwrap());
            received.all.push(message.to_vec());
            received.changed = Some(Instant::now());
            if number % COMPARED_EVERY < OF_COMMAND_MAX {
                received.books.insert(number + 1, book.levels());
            }
        });
    }
}

fn is_late(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The messages that one request brings.
pub(super) fn request(
    recovery: SocketAddr,
    session: SessionName,
    sequence: u64,
    count: u16,
) -> Vec<Vec<u8>> {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let (mut request, mut bytes) = (Vec::new(), [0; 2_048]);
    Request { session, sequence, count }.write(&mut request);
    socket.send_to(&request, recovery).unwrap();
    let mut messages: Vec<Vec<u8>> = Vec::new();
    while let Ok(size) = socket.recv(&mut bytes) {
        let packet = Packet::read(&bytes[..size]).unwrap();
        assert_eq!((packet.session, packet.sequence), (session, sequence + messages.len() as u64));
        let Content::Messages(found) = packet.content else { panic!("{packet:?}") };
        messages.extend(found.map(<[u8]>::to_vec));
        if messages.len() == usize::from(count) {
            break;
        }
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    }
    messages
}

/// All messages of a session.
pub(super) fn again(recovery: SocketAddr, session: SessionName, count: usize) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while messages.len() < count {
        let wanted = u16::try_from((count - messages.len()).min(1_000)).unwrap();
        let next = messages.len() as u64 + 1;
        let found = request(recovery, session, next, wanted);
        assert!(!found.is_empty(), "no answer from {next}");
        messages.extend(found);
    }
    messages
}

/// A snapshot, and the number of the feed's message after it.
pub(super) fn glimpse(address: &str) -> (Vec<Message>, u64) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut output = Vec::new();
    let mut soup = Client::log_on(&LogOn::new("any", "any", None, 1).unwrap(), &mut output, 0);
    stream.write_all(&output).unwrap();
    let (mut input, mut messages) = (Vec::new(), Vec::new());
    loop {
        let mut rest = &input[..];
        match soup.receive(&mut rest, 0) {
            FromServer::NeedMore => {
                let mut bytes = [0; 4_096];
                let size = stream.read(&mut bytes).unwrap();
                assert!(size > 0, "the connection has ended");
                input.extend_from_slice(&bytes[..size]);
                continue;
            }
            FromServer::Message(message) if message[0] == b'G' => {
                let number = std::str::from_utf8(&message[1..]).unwrap();
                assert_eq!(number.len(), 20);
                return (messages, number.trim_end().parse().unwrap());
            }
            FromServer::Message(message) => messages.push(Message::read(message).unwrap()),
            FromServer::Accepted { next, .. } => assert_eq!(next, 1),
            found => panic!("{found:?}"),
        }
        let consumed = input.len() - rest.len();
        input.drain(..consumed);
    }
}

/// The body of an answer.
pub(crate) fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
