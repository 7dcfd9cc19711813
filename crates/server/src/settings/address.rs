//! Addresses of venues: `127.0.0.1:8080`, `localhost:8080`, or `:8080`.

use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};

use serde::{Deserialize, Deserializer};

/// Reads an address to listen on, or to connect to. A name is resolved here. Without a host the
/// address is this machine's alone, as by default: other machines are let in by name only.
pub fn parse(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let malformed = || {
        format!(
            "must be an address with a port, such as 127.0.0.1:8080, localhost:8080 or :8080, and \
             is `{text}`"
        )
    };
    let (host, port) = text.rsplit_once(':').ok_or_else(malformed)?;
    let port: u16 = port.parse().map_err(|_| malformed())?;
    if host.is_empty() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    if host.contains([':', '/', '[', ']']) {
        return Err(malformed());
    }
    let found = (host, port).to_socket_addrs();
    let found: Vec<_> = found
        .map_err(|error| format!("must be an address, and the host `{host}` is unknown: {error}"))?
        .collect();
    // A name with addresses of both families has one port here: the one that all clients reach.
    let of_four = found.iter().find(|address| address.is_ipv4());
    of_four.or(found.first()).copied().ok_or_else(malformed)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(source: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(source)?;
    parse(&text).map_err(serde::de::Error::custom)
}

/// An address that may be left out.
pub(super) fn deserialize_some<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let text = Option::<String>::deserialize(source)?;
    text.map(|text| parse(&text)).transpose().map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_host_or_none_but_always_a_port() {
        let check = |text: &str, expect: &str| {
            assert_eq!(parse(text).unwrap(), expect.parse().unwrap(), "{text}");
        };
        check("127.0.0.1:0", "127.0.0.1:0");
        check("[::1]:8080", "[::1]:8080");
        check(":8080", "127.0.0.1:8080");
        assert!(parse("localhost:8080").unwrap().ip().is_loopback());
        for text in ["", "8080", "localhost", ":", ":x", "::1", "http://localhost:8080", "a:70000"]
        {
            let error = parse(text).unwrap_err();
            assert!(error.contains("must be an address with a port"), "{text}: {error}");
        }
        assert!(parse("nowhere.invalid:1").unwrap_err().contains("`nowhere.invalid` is unknown"));
    }
}
