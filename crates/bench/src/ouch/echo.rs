//! `buttonwood bench ouch-echo`: sends back what it reads, on one thread and one epoll.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;

use cli::Failure;
use mio::event::Source;
use mio::net::{TcpListener, TcpStream, UnixListener};
use mio::{Events, Interest, Poll, Token};

use super::echo_shm;
use crate::fleet::receive;
use crate::socket::{SHM, UNIX};

const LISTENER: Token = Token(usize::MAX);
const EVENTS: usize = 1_024;
const READ_SIZE: usize = 64 << 10;

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    fn bind(path: Option<&str>) -> Result<Self, Failure> {
        Ok(match path {
            Some(path) => Self::Unix(UnixListener::bind(path)?),
            None => Self::Tcp(TcpListener::bind("127.0.0.1:0".parse().expect("an address"))?),
        })
    }

    fn source(&mut self) -> &mut dyn Source {
        match self {
            Self::Tcp(tcp) => tcp,
            Self::Unix(unix) => unix,
        }
    }

    /// A connection that waits. Its bytes are read and written alike, whichever it is.
    fn accept(&self) -> io::Result<TcpStream> {
        match self {
            Self::Tcp(tcp) => {
                let (stream, _) = tcp.accept()?;
                stream.set_nodelay(true)?;
                Ok(stream)
            }
            Self::Unix(unix) => {
                let (stream, _) = unix.accept()?;
                Ok(TcpStream::from_std(OwnedFd::from(stream).into()))
            }
        }
    }
}

/// Serves until it is killed, on a port unless it is given an address.
pub(crate) fn run() -> Result<(), Failure> {
    let address: Option<String> = receive()?;
    if let Some(path) = address.as_deref().and_then(|address| address.strip_prefix(SHM)) {
        return echo_shm::run(path);
    }
    let path = address.as_deref().and_then(|address| address.strip_prefix(UNIX));
    let mut poll = Poll::new()?;
    let mut listener = Listener::bind(path)?;
    poll.registry().register(listener.source(), LISTENER, Interest::READABLE)?;
    match (&listener, path) {
        (Listener::Tcp(tcp), _) => {
            cli::print_line(format_args!("ready http://{}", tcp.local_addr()?))?;
        }
        (_, path) => {
            let path = path.unwrap_or_default();
            cli::print_line(format_args!("ready http://{UNIX}{path}"))?;
        }
    }
    let mut events = Events::with_capacity(EVENTS);
    let mut streams: HashMap<Token, TcpStream> = HashMap::new();
    let mut bytes = vec![0; READ_SIZE];
    loop {
        poll.poll(&mut events, None)?;
        for event in &events {
            if event.token() == LISTENER {
                while let Ok(mut stream) = listener.accept() {
                    let token = Token(streams.len());
                    poll.registry().register(&mut stream, token, Interest::READABLE)?;
                    streams.insert(token, stream);
                }
            } else if let Some(stream) = streams.get_mut(&event.token())
                && !echo(stream, &mut bytes)?
            {
                streams.remove(&event.token());
            }
        }
    }
}

/// `false` once the client is gone.
fn echo(stream: &mut TcpStream, bytes: &mut [u8]) -> Result<bool, Failure> {
    loop {
        match stream.read(bytes) {
            Ok(0) => return Ok(false),
            Ok(len) => write_all(stream, &bytes[..len])?,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Ok(false),
        }
    }
}

/// The client has room: it never has more under way than its window.
fn write_all(stream: &mut TcpStream, mut bytes: &[u8]) -> Result<(), Failure> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(len) => bytes = &bytes[len..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
