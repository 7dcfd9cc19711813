//! A connection among the events of one thread.

use std::net::SocketAddr;

use cli::Failure;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

pub(super) const PROBER: Token = Token(usize::MAX - 1);

pub(super) fn connect(address: SocketAddr) -> Result<std::net::TcpStream, Failure> {
    let stream = std::net::TcpStream::connect(address)
        .map_err(|error| Failure::new(format!("{address}: {error}")))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

pub(super) fn register(
    stream: std::net::TcpStream,
    registry: &Registry,
    token: Token,
) -> Result<TcpStream, Failure> {
    stream.set_nonblocking(true)?;
    let mut stream = TcpStream::from_std(stream);
    registry.register(&mut stream, token, Interest::READABLE)?;
    Ok(stream)
}
