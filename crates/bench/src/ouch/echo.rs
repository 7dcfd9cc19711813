//! `buttonwood bench ouch-echo`: sends back what it reads, on one thread and one epoll.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};

use cli::Failure;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};

use crate::fleet::receive;

const LISTENER: Token = Token(usize::MAX);
const EVENTS: usize = 1_024;
const READ_SIZE: usize = 64 << 10;

/// Serves until it is killed.
pub(in crate::ouch) fn serve() -> Result<(), Failure> {
    let mut poll = Poll::new()?;
    let mut listener = TcpListener::bind("127.0.0.1:0".parse().expect("an address"))?;
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    cli::print_line(format_args!("ready http://{}", listener.local_addr()?))?;
    let mut events = Events::with_capacity(EVENTS);
    let mut streams: HashMap<Token, TcpStream> = HashMap::new();
    let mut bytes = vec![0; READ_SIZE];
    loop {
        poll.poll(&mut events, None)?;
        for event in &events {
            if event.token() == LISTENER {
                while let Ok((mut stream, _)) = listener.accept() {
                    stream.set_nodelay(true)?;
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

pub(crate) fn run() -> Result<(), Failure> {
    let () = receive()?;
    serve()
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
