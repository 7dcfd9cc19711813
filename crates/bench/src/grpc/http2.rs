//! The part of HTTP/2 (RFC 9113) that a load client needs: calls written in place, and frames found
//! in a buffer, without allocation or copy.

/// A received frame.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Frame<'a> {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
    pub(super) payload: &'a [u8],
    /// Bytes of head and payload.
    pub(super) len: usize,
}

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PING: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;

pub(super) const END_STREAM: u8 = 0x1;
pub(super) const ACK: u8 = 0x1;
const END_HEADERS: u8 = 0x4;
pub(super) const PADDED: u8 = 0x8;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes before a frame's payload, and before a message of gRPC.
const HEAD_LEN: usize = 9;
pub(super) const MESSAGE_HEAD_LEN: usize = 5;
/// The bytes that a side may send before the other makes room for more: at first, and at most.
const WINDOW: u32 = 65_535;
const WINDOW_MAX: u32 = i32::MAX.cast_unsigned();

impl<'a> Frame<'a> {
    /// The first frame in `bytes`; `None` while it is incomplete.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let head = bytes.first_chunk::<HEAD_LEN>()?;
        let [l2, l1, l0, kind, flags, s3, s2, s1, s0] = *head;
        let len = HEAD_LEN + u32::from_be_bytes([0, l2, l1, l0]) as usize;
        let payload = bytes.get(HEAD_LEN..len)?;
        let stream = u32::from_be_bytes([s3, s2, s1, s0]) & WINDOW_MAX;
        Some(Self { kind, flags, stream, payload, len })
    }
}

/// What a client sends first.
pub(super) fn write_opening(out: &mut Vec<u8>) {
    out.extend(PREFACE);
    write_frame(out, SETTINGS, 0, 0, &[]);
    write_room(out, WINDOW_MAX - WINDOW);
}

/// The venue may send as many bytes more.
pub(super) fn write_room(out: &mut Vec<u8>, bytes: u32) {
    write_frame(out, WINDOW_UPDATE, 0, 0, &bytes.to_be_bytes());
}

/// The acknowledgement of settings, or the answer to a ping.
pub(super) fn write_ack(out: &mut Vec<u8>, kind: u8, payload: &[u8]) {
    write_frame(out, kind, ACK, 0, payload);
}

/// A call: its headers, and its only message.
pub(super) fn write_call(out: &mut Vec<u8>, headers: &mut Headers, stream: u32, message: &[u8]) {
    write_frame(out, HEADERS, END_HEADERS, stream, headers.block());
    let len = (message.len() as u32).to_be_bytes();
    write_head(out, MESSAGE_HEAD_LEN + message.len(), DATA, END_STREAM, stream);
    out.push(0); // Not compressed.
    out.extend(len);
    out.extend(message);
}

fn write_frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    write_head(out, payload.len(), kind, flags, stream);
    out.extend(payload);
}

fn write_head(out: &mut Vec<u8>, payload_len: usize, kind: u8, flags: u8, stream: u32) {
    out.extend(&(payload_len as u32).to_be_bytes()[1..]);
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
}

/// The headers of a client's calls (RFC 7541): by name and value the first time, and by their
/// numbers in the table that both sides then have.
#[derive(Debug)]
pub(super) struct Headers {
    first: Vec<u8>,
    is_known: bool,
}

/// In the table of all connections: the method POST, the scheme http.
const ALWAYS: [u8; 2] = [0x83, 0x86];
/// The same, and the five headers of [`Headers::new`] by their numbers, 66 to 62.
const KNOWN: [u8; 7] = [0x83, 0x86, 0xc2, 0xc1, 0xc0, 0xbf, 0xbe];

impl Headers {
    pub(super) fn new(path: &str, token: &str) -> Self {
        let mut first = ALWAYS.to_vec();
        // The names of the first, second, third and last have numbers in the table of all
        // connections.
        write_header(&mut first, &[0x44], path);
        write_header(&mut first, &[0x41], "localhost");
        write_header(&mut first, &[0x5f], "application/grpc");
        write_header(&mut first, b"\x40\x02te", "trailers");
        write_header(&mut first, &[0x57], &format!("Bearer {token}"));
        Self { first, is_known: false }
    }

    fn block(&mut self) -> &[u8] {
        if std::mem::replace(&mut self.is_known, true) { &KNOWN } else { &self.first }
    }
}

/// A header that both sides put into their tables.
fn write_header(out: &mut Vec<u8>, name: &[u8], value: &str) {
    let len = u8::try_from(value.len()).ok().filter(|len| *len < 0x7f);
    out.extend(name);
    out.push(len.expect("the values are short"));
    out.extend(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_found_once_all_of_it_has_arrived() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, DATA, END_STREAM, 7, b"abc");
        for len in 0..bytes.len() {
            assert_eq!(Frame::parse(&bytes[..len]), None, "{len}");
        }
        let len = bytes.len();
        let expected = Frame { kind: DATA, flags: END_STREAM, stream: 7, payload: b"abc", len };
        bytes.push(0);
        assert_eq!(Frame::parse(&bytes), Some(expected));
    }

    #[test]
    fn headers_are_named_once() {
        let mut headers = Headers::new("/a.B/C", "token");
        let first = headers.block().to_vec();
        assert!(first.windows(6).any(|window| window == b"/a.B/C"), "{first:?}");
        assert!(first.ends_with(b"\x0cBearer token"), "{first:?}");
        assert_eq!(headers.block(), KNOWN);
    }

    #[test]
    fn a_call_is_its_headers_and_a_message() {
        let (mut out, mut headers) = (Vec::new(), Headers::new("/a.B/C", "token"));
        write_call(&mut out, &mut headers, 3, b"order");
        let first = Frame::parse(&out).expect("it is whole");
        assert_eq!((first.kind, first.flags, first.stream), (HEADERS, END_HEADERS, 3));
        let second = Frame::parse(&out[first.len..]).expect("it is whole");
        assert_eq!((second.kind, second.flags, second.stream), (DATA, END_STREAM, 3));
        assert_eq!(second.payload, b"\0\0\0\0\x05order");
        assert_eq!(first.len + second.len, out.len());
    }
}
