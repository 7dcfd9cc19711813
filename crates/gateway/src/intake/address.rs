//! Where Redis is, and how the intake signs in.

use std::fmt;

use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, TlsCertificates};

#[derive(Clone)]
pub struct IntakeAddress {
    info: ConnectionInfo,
    /// Certificates of authorities, in PEM, in place of the system's.
    authorities: Option<Vec<u8>>,
}

const SCHEMES: [&str; 4] = ["redis://", "rediss://", "redis+unix://", "unix://"];

impl IntakeAddress {
    /// An error does not repeat the URL: it may have a password.
    pub fn parse(url: &str) -> Result<Self, String> {
        if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
            return Err("it must be such as redis://user@host:6379/0, or rediss:// for TLS".into());
        }
        let info = url.into_connection_info().map_err(|error| {
            error.detail().unwrap_or("it is no URL of this kind").to_ascii_lowercase()
        })?;
        Ok(Self { info, authorities: None })
    }

    pub fn has_password(&self) -> bool {
        self.info.redis_settings().password().is_some()
    }

    pub fn speaks_tls(&self) -> bool {
        matches!(self.info.addr(), ConnectionAddr::TcpTls { .. })
    }

    #[must_use]
    pub fn with_password(self, password: &str) -> Self {
        let settings = self.info.redis_settings().clone().set_password(password);
        Self { info: self.info.set_redis_settings(settings), ..self }
    }

    #[must_use]
    pub fn with_authorities(self, pem: Vec<u8>) -> Self {
        Self { authorities: Some(pem), ..self }
    }

    /// The user, in a sentence.
    pub(super) fn user(&self) -> &str {
        self.info.redis_settings().username().unwrap_or("the default user")
    }

    pub(super) fn client(&self) -> redis::RedisResult<Client> {
        match &self.authorities {
            None => Client::open(self.info.clone()),
            Some(pem) => {
                let root_cert = Some(pem.clone());
                Client::build_with_tls(
                    self.info.clone(),
                    TlsCertificates { client_tls: None, root_cert },
                )
            }
        }
    }
}

/// Host and port, or the path of a socket.
impl fmt::Display for IntakeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.addr().fmt(f)
    }
}

impl fmt::Debug for IntakeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IntakeAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_shows_no_password() {
        let address = IntakeAddress::parse("redis://bw:s3cret@db:6380/2").unwrap();
        assert!(address.has_password() && !address.speaks_tls());
        assert_eq!((address.to_string().as_str(), address.user()), ("db:6380", "bw"));
        assert_eq!(format!("{address:?}"), "IntakeAddress(db:6380)");
        let plain = IntakeAddress::parse("rediss://localhost").unwrap();
        assert!(!plain.has_password() && plain.speaks_tls());
        assert_eq!(plain.user(), "the default user");
        assert!(plain.with_password("s3cret").has_password());
        for url in [
            "",
            "localhost:6379",
            "http://bw:s3cret@x",
            "redis://bw:s3cret@db/x",
            "redis://:s3cret@",
        ] {
            let error = IntakeAddress::parse(url).unwrap_err();
            assert!(!error.contains("s3cret"), "{url}: {error}");
        }
    }
}
