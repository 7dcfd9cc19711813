//! The echo through shared memory.

use std::os::fd::OwnedFd;

use cli::Failure;
use mio::net::UnixListener;
use mio::{Events, Interest, Poll, Token};
use shm::Lane;

use super::polled;
use crate::socket::{Connection, SHM};

const LISTENER: Token = Token(usize::MAX);
const EVENTS: usize = 1_024;

/// Serves until one of its clients is gone: they are those of one run.
pub(super) fn run(path: &str) -> Result<(), Failure> {
    let mut poll = Poll::new()?;
    let mut listener = UnixListener::bind(path)?;
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    cli::print_line(format_args!("ready http://{SHM}{path}"))?;
    let mut events = Events::with_capacity(EVENTS);
    let mut connections: Vec<Connection> = Vec::new();
    loop {
        polled::wait(&mut poll, &mut events, &mut connections, (None, None))?;
        for event in &events {
            if event.token() != LISTENER {
                if connections[event.token().0].wake().is_err() {
                    return Ok(());
                }
                continue;
            }
            while let Ok((socket, _)) = listener.accept() {
                let lane = Lane::offer(&socket)?;
                let stream = OwnedFd::from(socket).into();
                let mut connection = Connection::through(lane, stream, "a client of the echo")?;
                let token = Token(connections.len());
                poll.registry().register(&mut connection.stream, token, Interest::READABLE)?;
                connections.push(connection);
            }
        }
        connections.iter_mut().try_for_each(echo)?;
    }
}

/// The client has room: it never has more under way than its window.
fn echo(connection: &mut Connection) -> Result<(), Failure> {
    while connection.has_come()? {
        connection.fill()?;
        let arrived = connection.arrived().to_vec();
        connection.discard(arrived.len());
        connection.outbox.extend_from_slice(&arrived);
        connection.flush()?;
    }
    Ok(())
}
