//! WebSocket frames on the client's side.

/// A received frame.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Frame<'a> {
    pub(super) opcode: u8,
    pub(super) payload: &'a [u8],
    /// Bytes of head and payload.
    pub(super) len: usize,
}

pub(super) const TEXT: u8 = 1;
pub(super) const CLOSE: u8 = 8;
pub(super) const PING: u8 = 9;
const PONG: u8 = 10;
const FINAL: u8 = 0x80;
const MASKED: u8 = 0x80;
/// Masks protect proxies from payloads that a web page chooses. Here there is neither, so a mask of
/// zeros is enough.
const MASK: [u8; 4] = [0; 4];

impl<'a> Frame<'a> {
    /// The first frame in `bytes`; `None` while it is incomplete. A venue does not mask, and sends
    /// each message as one frame.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (first, second) = (*bytes.first()?, *bytes.get(1)?);
        let (payload_len, head_len) = match second & 0x7f {
            126 => (usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
            127 => {
                let len = u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?);
                (usize::try_from(len).ok()?, 10)
            }
            len => (usize::from(len), 2),
        };
        let len = head_len + payload_len;
        let payload = bytes.get(head_len..len)?;
        Some(Self { opcode: first & 0x0f, payload, len })
    }
}

pub(super) fn write_text(out: &mut Vec<u8>, payload: &[u8]) {
    write(out, TEXT, payload);
}

pub(super) fn write_pong(out: &mut Vec<u8>, payload: &[u8]) {
    write(out, PONG, payload);
}

fn write(out: &mut Vec<u8>, opcode: u8, payload: &[u8]) {
    out.push(FINAL | opcode);
    match payload.len() {
        len @ 0..126 => out.push(MASKED | len as u8),
        len @ 126..=0xffff => {
            out.push(MASKED | 126);
            out.extend((len as u16).to_be_bytes());
        }
        len => {
            out.push(MASKED | 127);
            out.extend((len as u64).to_be_bytes());
        }
    }
    out.extend(MASK);
    out.extend(payload);
}

/// The request that makes a connection a WebSocket.
pub(super) fn handshake(path: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_found_once_all_of_it_has_arrived() {
        for size in [0, 1, 125, 126, 65_535, 65_536] {
            let payload = vec![b'x'; size];
            let mut masked = Vec::new();
            write_text(&mut masked, &payload);
            // A server's frame is the same without the mask.
            let head = masked.len() - size - MASK.len();
            let mut bytes = masked[..head].to_vec();
            bytes[1] &= !MASKED;
            bytes.extend(&payload);
            for len in [0, 1, head, bytes.len() - 1] {
                if len < bytes.len() {
                    assert_eq!(Frame::parse(&bytes[..len]), None, "{len} of {size}");
                }
            }
            let expected = Frame { opcode: TEXT, payload: &payload, len: bytes.len() };
            assert_eq!(Frame::parse(&bytes), Some(expected));
        }
    }
}
