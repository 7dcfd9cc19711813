//! The URL of a venue.

use std::net::IpAddr;

use cli::Failure;
use hyper::Uri;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Place {
    pub(super) is_encrypted: bool,
    /// A name or an address, without the brackets of IPv6.
    pub(super) host: String,
    pub(super) port: u16,
    /// Host and port as the URL has them.
    pub(super) authority: String,
}

impl Place {
    /// Refuses plain HTTP to another machine, unless the operator allows it.
    pub(super) fn parse(url: &str, allow_plaintext: bool) -> Result<Self, Failure> {
        let invalid = || {
            Failure::new(
                "--url must be of the form https://host:port, without a user, a path or a query",
            )
        };
        let uri: Uri = url.parse().map_err(|_| invalid())?;
        let is_encrypted = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(invalid()),
        };
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let authority = authority.ok_or_else(invalid)?.as_str().to_owned();
        if uri.path() != "/" || uri.query().is_some() {
            return Err(invalid());
        }
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let port = uri.port_u16().unwrap_or(if is_encrypted { 443 } else { 80 });
        if !is_encrypted && !allow_plaintext && !is_loopback(&host) {
            return Err(Failure::new(format!(
                "{url} is another machine, and without TLS others can read the requests: use \
                 https, or confirm with --allow-plaintext that the way is encrypted otherwise"
            )));
        }
        Ok(Self { is_encrypted, host, port, authority })
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_a_scheme_and_a_host() {
        let parsed = |url: &str| {
            let place = Place::parse(url, false).expect("a URL");
            (place.is_encrypted, place.host, place.port)
        };
        assert_eq!(parsed("https://venue.example.com"), (true, "venue.example.com".into(), 443));
        assert_eq!(parsed("https://[2001:db8::1]:8443/"), (true, "2001:db8::1".into(), 8443));
        assert_eq!(parsed("http://localhost"), (false, "localhost".into(), 80));
        assert_eq!(parsed("http://[::1]:8080"), (false, "::1".into(), 8080));
        for bad in [
            "",
            "venue:8080",
            "ftp://venue",
            "https://",
            "https://user:secret@venue",
            "https://venue/admin/v1",
            "https://venue?x=1",
        ] {
            let failure = Place::parse(bad, true).expect_err("no URL");
            assert!(!failure.to_string().contains("secret"), "{failure}");
        }
    }

    #[test]
    fn plain_http_goes_to_this_machine_only_unless_it_is_allowed() {
        for url in ["http://192.0.2.7:8080", "http://venue", "http://127.0.0.1.example.com"] {
            assert!(Place::parse(url, false).is_err(), "{url}");
            assert!(Place::parse(url, true).is_ok(), "{url}");
        }
    }
}
