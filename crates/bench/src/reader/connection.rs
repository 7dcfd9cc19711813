//! One reader of a stream: its connection, and the last update that it has.

use std::net::SocketAddr;
use std::time::Instant;

use cli::Failure;
use mio::{Interest, Registry, Token};
use server::now_ns;

use super::super::frame::Frame;
use super::super::socket::{self, Connection};
use super::count::Count;

const NAME: &str = "a reader's connection";

pub(super) struct Reader {
    /// `None` once it has ended.
    pub(super) connection: Option<Connection>,
    /// The last update id; 0 before the first message.
    pub(super) last: u64,
}

impl Reader {
    pub(super) fn connect(
        address: SocketAddr,
        path: &str,
        registry: &Registry,
        token: Token,
    ) -> Result<Self, Failure> {
        let mut stream = socket::connect(address)?;
        // Bytes right after the answer are the beginning of the stream.
        let arrived = socket::upgrade(&mut stream, path)?;
        let mut connection = Connection::new(stream, &arrived, NAME)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        registry.register(&mut connection.stream, token, interest)?;
        Ok(Self { connection: Some(connection), last: 0 })
    }

    /// Counts the messages that have arrived. A connection that the venue ends is counted as well.
    pub(super) fn attend(&mut self, count: &mut Count) {
        let Some(connection) = &mut self.connection else { return };
        if let Err(failure) = read(connection, &mut self.last, count) {
            count.fail(failure.to_string());
            self.connection = None;
        }
    }
}

fn read(connection: &mut Connection, last: &mut u64, count: &mut Count) -> Result<(), Failure> {
    loop {
        let is_drained = connection.fill()?;
        let (now, now_ns) = (Instant::now(), now_ns());
        while let Some(Frame { payload, len, .. }) = connection.message()? {
            *last = count.add(*last, payload, now, now_ns);
            connection.discard(len);
        }
        connection.flush()?;
        if is_drained {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    use super::super::count::tests::update;
    use super::*;

    #[test]
    fn a_message_that_is_cut_anywhere_is_read_once() {
        let mut bytes = Vec::new();
        for payload in [update(1, 4, ""), update(5, 5, &"x".repeat(300))] {
            let len = payload.len();
            match u8::try_from(len) {
                Ok(short) if short < 126 => bytes.extend([0x81, short]),
                _ => bytes.extend([0x81, 126, (len >> 8) as u8, len as u8]),
            }
            bytes.extend(payload.as_bytes());
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        for cut in 0..=bytes.len() {
            let stream = TcpStream::connect(address).expect("the test listens");
            let (mut venue, _) = listener.accept().expect("the reader connects");
            let (before, after) = bytes.split_at(cut);
            let connection = Connection::new(stream, before, NAME).expect("it is open");
            let mut reader = Reader { connection: Some(connection), last: 0 };
            let mut count = Count::new(1);
            reader.attend(&mut count);
            venue.write_all(after).expect("it is open");
            while reader.last < 5 {
                reader.attend(&mut count);
            }
            let left = reader.connection.expect("it is open").arrived().len();
            assert_eq!((left, count.close().gaps), (0, 0), "cut at {cut}");
        }
    }
}
