//! Clients behind proxies that the operator trusts: their addresses, from the header of the PROXY
//! protocol before a connection, and from `X-Forwarded-For` in a request.
//!
//! # Invariants
//! - Only a trusted address is believed, and each step goes by the address of the step before: a
//!   client that a proxy names is believed no further, unless it is a trusted proxy itself.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName};
use protocol::signed::ApiError;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::TcpStream;

use crate::socket::http::header_text;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_FOR_LEGAL: &str = "addresses, separated by commas";

/// The first bytes of a header of version 2. Neither HTTP nor TLS begins with the first of them.
const SIGNATURE: [u8; 12] = *b"\r\n\r\n\0\r\nQUIT\n";
/// Signature, command, family, length of the rest.
const HEAD_LEN: usize = 16;
/// Bytes after the head: two IPv6 addresses with ports, and room for the proxy's own fields.
const REST_LEN_MAX: usize = 2_048;

const LOCAL: u8 = 0x20;
const PROXY: u8 = 0x21;
const TCP4: u8 = 0x11;
const TCP6: u8 = 0x21;

/// A network whose addresses are proxies: the venue believes the client's address that they send.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TrustedProxy(ipnet::IpNet);

/// The text is not a network.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("`{0}` is not a network of proxies, such as 192.0.2.0/24 or 127.0.0.1")]
pub struct TrustedProxyError(String);

impl FromStr for TrustedProxy {
    type Err = TrustedProxyError;

    fn from_str(text: &str) -> Result<Self, TrustedProxyError> {
        venue::parse_network(text).map(Self).ok_or_else(|| TrustedProxyError(text.to_owned()))
    }
}

/// The proxies that the operator trusts.
#[derive(Clone)]
pub(crate) struct Proxies(Arc<[TrustedProxy]>);

impl Proxies {
    pub(crate) fn new(networks: Vec<TrustedProxy>) -> Self {
        Self(networks.into())
    }

    pub(super) fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|TrustedProxy(network)| network.contains(&address))
    }

    /// The client of a request from this address: the last one of `X-Forwarded-For` that is not a
    /// trusted proxy. Each proxy adds the address that the request came from, so a client can write
    /// only what stands before its own. Without the header the client is the proxy itself.
    pub(super) fn client(&self, from: IpAddr, headers: &HeaderMap) -> Result<IpAddr, ApiError> {
        let mut client = from;
        if !self.contain(client) {
            return Ok(client);
        }
        let lines = headers.get_all(FORWARDED_FOR).iter().rev().map(header_text);
        let parts = lines.flat_map(|line| line.rsplit(',')).map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            client = parse_forwarded(part).ok_or_else(|| {
                ApiError::illegal_characters("X-Forwarded-For", FORWARDED_FOR_LEGAL)
            })?;
            if !self.contain(client) {
                break;
            }
        }
        Ok(client)
    }
}

/// An address, to which some proxies add the port.
fn parse_forwarded(text: &str) -> Option<IpAddr> {
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let address = text.parse().ok().or_else(with_port).or_else(in_brackets)?;
    Some(address.to_canonical())
}

/// Why a header was not read.
#[derive(Debug)]
pub(super) enum HeaderError {
    Malformed,
    Io(io::Error),
}

impl From<io::Error> for HeaderError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("a PROXY header is malformed"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

/// The client's address from the header before a trusted proxy's connection. `None` if there is no
/// header, or if the connection is the proxy's own.
pub(super) async fn read_header(stream: &mut TcpStream) -> Result<Option<IpAddr>, HeaderError> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 || first[0] != SIGNATURE[0] {
        return Ok(None);
    }
    read(stream).await
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Result<Option<IpAddr>, HeaderError> {
    let mut head = [0; HEAD_LEN];
    stream.read_exact(&mut head).await?;
    let head = Head::read(head).ok_or(HeaderError::Malformed)?;
    let mut rest = [0; REST_LEN_MAX];
    let rest = rest.get_mut(..head.rest_len).ok_or(HeaderError::Malformed)?;
    stream.read_exact(rest).await?;
    head.client(rest).map_err(|Malformed| HeaderError::Malformed)
}

#[derive(Debug)]
struct Malformed;

struct Head {
    command: u8,
    family: u8,
    rest_len: usize,
}

impl Head {
    fn read(bytes: [u8; HEAD_LEN]) -> Option<Self> {
        let [.., command, family, high, low] = bytes;
        let rest_len = usize::from(u16::from_be_bytes([high, low]));
        bytes.starts_with(&SIGNATURE).then_some(Self { command, family, rest_len })
    }

    /// The rest begins with the address that the proxy's client came from.
    fn client(&self, rest: &[u8]) -> Result<Option<IpAddr>, Malformed> {
        let address: IpAddr = match (self.command, self.family) {
            (LOCAL, _) => return Ok(None),
            // Two addresses and two ports.
            (PROXY, TCP4) => match rest.first_chunk::<12>() {
                Some([a, b, c, d, ..]) => Ipv4Addr::new(*a, *b, *c, *d).into(),
                None => return Err(Malformed),
            },
            (PROXY, TCP6) => match rest.first_chunk::<36>().and_then(|all| all.first_chunk()) {
                Some(octets) => Ipv6Addr::from_octets(*octets).into(),
                None => return Err(Malformed),
            },
            _ => return Err(Malformed),
        };
        Ok(Some(address.to_canonical()))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn header(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let len = u16::try_from(rest.len()).unwrap().to_be_bytes();
        [&SIGNATURE[..], &[command, family], &len, rest].concat()
    }

    fn read_now(mut bytes: &[u8]) -> Result<Option<IpAddr>, HeaderError> {
        use futures_util::FutureExt;
        read(&mut bytes).now_or_never().expect("all bytes are there")
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_header_names_the_client() {
        let v4 = [192, 0, 2, 7, 10, 0, 0, 1, 0x30, 0x39, 0x1f, 0x90];
        let v6 = |of: &str| {
            let IpAddr::V6(client) = address(of) else { panic!("{of}") };
            [&client.octets()[..], &[0; 20]].concat()
        };
        let check = |bytes: Vec<u8>, client: Option<&str>| {
            assert_eq!(read_now(&bytes).unwrap(), client.map(address));
            for cut in 0..bytes.len() {
                assert!(read_now(&bytes[..cut]).is_err(), "cut at {cut}");
            }
        };
        check(header(PROXY, TCP4, &v4), Some("192.0.2.7"));
        check(header(PROXY, TCP4, &[&v4[..], &[3, 0, 4, 1, 2, 3, 4]].concat()), Some("192.0.2.7"));
        check(header(PROXY, TCP6, &v6("2001:db8::7")), Some("2001:db8::7"));
        check(header(PROXY, TCP6, &v6("::ffff:192.0.2.7")), Some("192.0.2.7"));
        check(header(LOCAL, 0, &[]), None);
        check(header(LOCAL, TCP4, &v4), None);
    }

    #[test]
    fn other_headers_are_malformed() {
        let of_pages = [0; REST_LEN_MAX + 1];
        for bytes in [
            header(PROXY, TCP4, &[0; 11]),
            header(PROXY, TCP6, &[0; 35]),
            header(PROXY, 0x00, &[0; 12]),
            header(PROXY, 0x12, &[0; 12]),
            header(PROXY, 0x31, &[0; 216]),
            header(0x22, TCP4, &[0; 12]),
            header(0x11, TCP4, &[0; 12]),
            header(PROXY, TCP4, &of_pages),
            b"\r\n\r\n\0\r\nQUIX\n\x21\x11\0\x0c............".to_vec(),
            b"\r\n\r\nGET / HTTP/1.1\r\n\r\n".to_vec(),
        ] {
            assert!(matches!(read_now(&bytes), Err(HeaderError::Malformed)), "{bytes:x?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_the_decoder_panic(
            is_signed: bool,
            command in 0x1f_u8..0x24,
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300),
        ) {
            let prefix = if is_signed { [&SIGNATURE[..], &[command]].concat() } else { Vec::new() };
            let _ = read_now(&[prefix, bytes].concat());
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,60}") {
            let _ = parse_forwarded(&text);
        }
    }

    #[test]
    fn the_last_address_that_is_no_proxy_is_the_client() {
        let proxies =
            ["10.0.0.0/8", "127.0.0.1", "2001:db8::/32"].map(|text| text.parse().unwrap());
        let proxies = Proxies::new(proxies.to_vec());
        let client = |from: &str, lines: &[&str]| {
            let line = |text: &&str| (FORWARDED_FOR, HeaderValue::from_str(text).unwrap());
            let mut headers = HeaderMap::new();
            headers.extend(lines.iter().map(line));
            proxies.client(address(from), &headers).map(|client| client.to_string())
        };
        for (from, lines, expect) in [
            ("10.0.0.1", &[][..], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.7"], "192.0.2.7"),
            ("10.0.0.1", &["192.0.2.66, 192.0.2.7"], "192.0.2.7"),
            ("10.0.0.1", &["nonsense, 192.0.2.7 , 10.0.0.9,127.0.0.1"], "192.0.2.7"),
            ("10.0.0.1", &["192.0.2.66", "192.0.2.7", "10.0.0.9,"], "192.0.2.7"),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["::ffff:192.0.2.7"], "192.0.2.7"),
            ("10.0.0.1", &["192.0.2.7:443"], "192.0.2.7"),
            ("2001:db8::1", &["[2001:db9::7]:443, [2001:db8::2]"], "2001:db9::7"),
            // Not from a proxy.
            ("192.0.2.9", &["192.0.2.7"], "192.0.2.9"),
            ("127.0.0.2", &["192.0.2.7"], "127.0.0.2"),
        ] {
            assert_eq!(client(from, lines).as_deref(), Ok(expect), "{from} {lines:?}");
        }
        for lines in [["unknown"], ["192.0.2.7, _hidden"], ["192.0.2.7;10.0.0.1"], ["192.0.2.7 x"]]
        {
            let error = client("10.0.0.1", &lines).unwrap_err();
            assert_eq!((error.status, error.code), (400, -1100), "{lines:?}");
        }
    }
}
