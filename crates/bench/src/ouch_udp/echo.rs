//! `buttonwood bench ouch-udp-echo`: sends back each datagram, on one thread.

use std::net::UdpSocket;

use cli::Failure;

use crate::fleet::receive;

/// Serves until it is killed.
pub(crate) fn run() -> Result<(), Failure> {
    let () = receive()?;
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    cli::print_line(format_args!("ready http://{}", socket.local_addr()?))?;
    let mut bytes = [0; 2_048];
    loop {
        let (size, from) = socket.recv_from(&mut bytes)?;
        // A client that is gone needs no answer.
        let _gone = socket.send_to(&bytes[..size], from);
    }
}
