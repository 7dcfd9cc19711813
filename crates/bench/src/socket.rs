//! Connections of an event loop: their buffers, and the WebSocket handshake.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use cli::Failure;
use mio::net::TcpStream;
use shm::Lane;

use super::frame::{self, Frame};
use super::wire::{Response, find};

const INBOX: usize = 4 << 10;
const INBOX_MAX: usize = 16 << 20;
const HEAD_END: &[u8] = b"\r\n\r\n";

/// A socket, the bytes that are not yet read, and those that are not yet written.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    /// Shared memory, if the bytes go through it: the socket has wake-ups only.
    lane: Option<Lane>,
    /// The first words of a failure's sentence.
    name: &'static str,
    inbox: Vec<u8>,
    filled: usize,
    pub(super) outbox: Vec<u8>,
    written: usize,
}

impl Connection {
    /// `arrived` was read from the stream before.
    pub(super) fn new(
        stream: std::net::TcpStream,
        arrived: &[u8],
        name: &'static str,
    ) -> Result<Self, Failure> {
        stream.set_nonblocking(true)?;
        let stream = TcpStream::from_std(stream);
        let (mut inbox, filled) = (arrived.to_vec(), arrived.len());
        inbox.resize(INBOX.max(filled), 0);
        Ok(Self { stream, lane: None, name, inbox, filled, outbox: Vec::new(), written: 0 })
    }

    /// Over shared memory, whose other side is woken through the stream.
    pub(super) fn through(
        lane: Lane,
        stream: std::net::TcpStream,
        name: &'static str,
    ) -> Result<Self, Failure> {
        Ok(Self { lane: Some(lane), ..Self::new(stream, &[], name)? })
    }

    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        while self.written < self.outbox.len() {
            match self.write() {
                Ok(written) => self.written += written,
                // The socket is writable again later, which is an event.
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.ended(&error)),
            }
        }
        self.outbox.clear();
        self.written = 0;
        Ok(())
    }

    /// Reads once; `true` when the socket has no more at the moment.
    pub(super) fn fill(&mut self) -> Result<bool, Failure> {
        if self.filled == self.inbox.len() {
            if self.inbox.len() >= INBOX_MAX {
                return Err(self.ended(&"an answer is larger than 16 MiB"));
            }
            self.inbox.resize(2 * self.inbox.len(), 0);
        }
        let room = self.inbox.len() - self.filled;
        match self.read() {
            Ok(0) => Err(self.ended(&"it was closed")),
            Ok(read) => {
                self.filled += read;
                Ok(read < room)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(true),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(false),
            Err(error) => Err(self.ended(&error)),
        }
    }

    fn write(&mut self) -> io::Result<usize> {
        let bytes = &self.outbox[self.written..];
        let Some(lane) = &mut self.lane else { return self.stream.write(bytes) };
        let written = lane.write(bytes)?;
        lane.wake(&self.stream)?;
        if written > 0 { Ok(written) } else { Err(ErrorKind::WouldBlock.into()) }
    }

    fn read(&mut self) -> io::Result<usize> {
        let room = &mut self.inbox[self.filled..];
        let Some(lane) = &mut self.lane else { return self.stream.read(room) };
        let mut read = 0;
        while read < room.len() {
            let arrived = lane.arrived()?;
            if arrived.is_empty() {
                break;
            }
            let len = arrived.len().min(room.len() - read);
            room[read..read + len].copy_from_slice(&arrived[..len]);
            lane.consume(len);
            read += len;
        }
        lane.wake(&self.stream)?;
        if read > 0 { Ok(read) } else { Err(ErrorKind::WouldBlock.into()) }
    }

    /// Whether bytes wait in shared memory.
    pub(super) fn has_come(&mut self) -> Result<bool, Failure> {
        match self.lane.as_mut().map(Lane::arrived) {
            None => Ok(false),
            Some(Ok(arrived)) => Ok(!arrived.is_empty()),
            Some(Err(error)) => Err(self.ended(&error)),
        }
    }

    /// Has the stream be readable when bytes come to shared memory. `false` if some have.
    pub(super) fn sleep(&mut self) -> Result<bool, Failure> {
        match self.lane.as_ref().map_or(Ok(true), Lane::sleep) {
            Ok(sleeps) => Ok(sleeps),
            Err(error) => Err(self.ended(&error)),
        }
    }

    /// Takes the wake-ups off the stream.
    pub(super) fn wake(&mut self) -> Result<(), Failure> {
        loop {
            match self.stream.read(&mut [0; 64]) {
                Ok(0) => return Err(self.ended(&"it was closed")),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.ended(&error)),
            }
        }
    }

    pub(super) fn arrived(&self) -> &[u8] {
        &self.inbox[..self.filled]
    }

    pub(super) fn response(&self) -> Result<Option<Response<'_>>, Failure> {
        Response::parse(self.arrived()).map_err(|_| self.ended(&"what arrived is not HTTP"))
    }

    /// The next text message, which stays until it is discarded. Answers pings on the way.
    pub(super) fn message(&mut self) -> Result<Option<Frame<'_>>, Failure> {
        loop {
            let Some(Frame { opcode, payload, len }) = Frame::parse(&self.inbox[..self.filled])
            else {
                return Ok(None);
            };
            match opcode {
                frame::TEXT => return Ok(Frame::parse(self.arrived())),
                frame::PING => frame::write_pong(&mut self.outbox, payload),
                frame::CLOSE => return Err(self.ended(&"the venue closed the WebSocket")),
                _ => {}
            }
            self.discard(len);
        }
    }

    pub(super) fn discard(&mut self, len: usize) {
        self.inbox.copy_within(len..self.filled, 0);
        self.filled -= len;
    }

    fn ended(&self, why: &dyn std::fmt::Display) -> Failure {
        Failure::new(format!("{} ended: {why}", self.name))
    }
}

impl AsMut<Self> for Connection {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

pub(super) fn parse(address: &str) -> Result<SocketAddr, Failure> {
    let wrong = |_| Failure::new(format!("{address} is not an address and a port"));
    address.parse().map_err(wrong)
}

/// Before the path of a Unix socket in an address.
pub(super) const UNIX: &str = "unix:";
/// Likewise, of one through which memory is shared.
pub(super) const SHM: &str = "shm:";

/// Connects to an address and a port, to a Unix socket, or through shared memory: the bytes are
/// read and written alike.
pub(super) fn connect_any(address: &str, name: &'static str) -> Result<Connection, Failure> {
    let failed = |error: io::Error| Failure::new(format!("{address}: {error}"));
    if let Some(path) = address.strip_prefix(SHM) {
        let socket = UnixStream::connect(path).map_err(failed)?;
        let lane = Lane::join(&socket).map_err(failed)?;
        return Connection::through(lane, OwnedFd::from(socket).into(), name);
    }
    if let Some(path) = address.strip_prefix(UNIX) {
        let socket = UnixStream::connect(path).map_err(failed)?;
        return Connection::new(OwnedFd::from(socket).into(), &[], name);
    }
    Connection::new(connect(parse(address)?)?, &[], name)
}

pub(super) fn connect(address: SocketAddr) -> Result<std::net::TcpStream, Failure> {
    let stream = std::net::TcpStream::connect(address)
        .map_err(|error| Failure::new(format!("{address}: {error}")))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Makes the connection a WebSocket, and returns the bytes that arrived after the answer.
pub(super) fn upgrade(stream: &mut std::net::TcpStream, path: &str) -> Result<Vec<u8>, Failure> {
    stream.write_all(frame::handshake(path).as_bytes())?;
    let mut arrived = Vec::new();
    let head_end = loop {
        read_more(stream, &mut arrived)?;
        if let Some(at) = find(&arrived, HEAD_END) {
            break at + HEAD_END.len();
        }
    };
    if arrived.starts_with(b"HTTP/1.1 101") {
        return Ok(arrived.split_off(head_end));
    }
    Err(Failure::new(format!("{path}: no WebSocket: {}", String::from_utf8_lossy(&arrived))))
}

pub(super) fn read_more(
    stream: &mut std::net::TcpStream,
    arrived: &mut Vec<u8>,
) -> Result<(), Failure> {
    let mut chunk = [0; 4_096];
    match stream.read(&mut chunk)? {
        0 => Err(Failure::new("the connection was closed before the WebSocket was open")),
        read => {
            arrived.extend(&chunk[..read]);
            Ok(())
        }
    }
}
