//! One reader's connection: messages out of what arrives on it.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Instant;

use cli::Failure;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use server::now_ns;

use super::super::frame::{self, Frame};
use super::super::socket;
use super::count::Count;

const MESSAGE_MAX: usize = 16 << 20;

pub(super) struct Reader {
    /// `None` once it has ended.
    pub(super) stream: Option<TcpStream>,
    /// The beginning of a message whose end has not arrived.
    begun: Vec<u8>,
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
        // What came right after the answer is the beginning of the stream.
        let begun = socket::upgrade(&mut stream, path)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        registry.register(&mut stream, token, Interest::READABLE)?;
        Ok(Self { stream: Some(stream), begun, last: 0 })
    }

    pub(super) fn take(&mut self, arrived: &[u8], count: &mut Count) -> Result<(), String> {
        if self.begun.is_empty() {
            let used = self.take_messages(arrived, count)?;
            self.begun.extend(&arrived[used..]);
            return Ok(());
        }
        let mut begun = std::mem::take(&mut self.begun);
        begun.extend(arrived);
        let used = self.take_messages(&begun, count)?;
        begun.drain(..used);
        if begun.len() > MESSAGE_MAX {
            return Err("a message is larger than 16 MiB".into());
        }
        self.begun = begun;
        Ok(())
    }

    /// Says how many bytes were whole messages.
    fn take_messages(&mut self, arrived: &[u8], count: &mut Count) -> Result<usize, String> {
        let (now, now_ns) = (Instant::now(), now_ns());
        let mut used = 0;
        while let Some(Frame { opcode, payload, len }) = Frame::parse(&arrived[used..]) {
            match opcode {
                frame::TEXT => self.last = count.note(self.last, payload, now, now_ns),
                frame::PING => self.pong(payload)?,
                frame::CLOSE => return Err("the venue closed a reader's WebSocket".into()),
                _ => {}
            }
            used += len;
        }
        Ok(used)
    }

    /// Nothing else is sent on the connection, so there is room for it.
    fn pong(&mut self, payload: &[u8]) -> Result<(), String> {
        let mut out = Vec::new();
        frame::write_pong(&mut out, payload);
        let Some(stream) = &mut self.stream else { return Ok(()) };
        stream.write_all(&out).map_err(|error| format!("a reader's connection ended: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::count::tests::update;
    use super::*;

    #[test]
    fn a_message_that_is_cut_anywhere_is_read_once() {
        let mut stream = Vec::new();
        for payload in [update(1, 4, ""), update(5, 5, &"x".repeat(300))] {
            let len = payload.len();
            match u8::try_from(len) {
                Ok(short) if short < 126 => stream.extend([0x81, short]),
                _ => stream.extend([0x81, 126, (len >> 8) as u8, len as u8]),
            }
            stream.extend(payload.as_bytes());
        }
        for cut in 0..=stream.len() {
            let mut count = Count::new(1);
            let mut reader = Reader { stream: None, begun: Vec::new(), last: 0 };
            let (before, behind) = stream.split_at(cut);
            for arrived in [before, behind] {
                reader.take(arrived, &mut count).expect("it is well formed");
            }
            assert_eq!((reader.last, reader.begun.len()), (5, 0), "cut at {cut}");
            assert_eq!(count.close().gaps, 0, "cut at {cut}");
        }
    }
}
