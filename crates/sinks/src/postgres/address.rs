//! Where a database is, and how it is reached.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Config, NoTls};

use crate::postgres::map::SHARDS_MAX;

/// The forms of a URL that name PostgreSQL.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
const SCHEMA_DEFAULT: &str = "buttonwood";
const PORT_DEFAULT: u16 = 5432;
const NAME_MAX: usize = 63;

const CONNECT_MAX: Duration = Duration::from_secs(5);
/// How long the other end may keep silent to what was sent.
const SILENCE_MAX: Duration = Duration::from_secs(15);
const KEEPALIVE: Duration = Duration::from_secs(30);

/// A database of PostgreSQL. Displayed without its password.
#[derive(Clone)]
pub struct Address {
    pub(crate) config: Config,
    pub(crate) security: Security,
    pub(crate) schema: String,
    shown: String,
}

/// What `sslmode` asks for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Security {
    Disabled,
    /// Encrypted, if the server does that. Its name is not checked.
    Preferred,
    /// Encrypted. Without a file of authorities the certificate is not checked.
    Required(Option<PathBuf>),
    /// A certificate of an authority, whatever its name.
    VerifyAuthority(Option<PathBuf>),
    /// A certificate of an authority, of the name in the address.
    VerifyName(Option<PathBuf>),
}

impl Address {
    /// Whether a text is meant to name a database of PostgreSQL.
    pub fn is_one(text: &str) -> bool {
        SCHEMES.iter().any(|scheme| text.starts_with(scheme))
    }

    /// Parses one address or several with commas between them, in the order of the databases of a
    /// history. Each begins as [`Self::parse`] has it: hosts of one have commas, too.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(',') {
            match parts.last_mut() {
                Some(last) if !Self::is_one(part) => *last = format!("{last},{part}"),
                _ => parts.push(part.to_owned()),
            }
        }
        if parts.len() > SHARDS_MAX {
            return Err(format!("it names {} databases, and {SHARDS_MAX} at most", parts.len()));
        }
        let mut addresses: Vec<Self> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let parsed = Self::parse(part);
            let number = at + 1;
            let address = parsed.map_err(|reason| match parts.len() {
                1 => reason,
                _ => format!("number {number}: {reason}"),
            })?;
            let is_same = |it: &Self| (&it.shown, &it.schema) == (&address.shown, &address.schema);
            if addresses.iter().any(is_same) {
                return Err(format!("number {number}: it names {address} a second time"));
            }
            addresses.push(address);
        }
        Ok(addresses)
    }

    /// Parses `postgres://user@host:port/database?sslmode=…&sslrootcert=…&schema=…`. Other
    /// parameters are those of libpq that the client library knows. An error does not repeat the
    /// text, which may hold a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !Self::is_one(text) {
            return Err("it does not begin with postgres://".into());
        }
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        let mut own = OwnParameters::default();
        let others: Vec<&str> =
            query.split('&').filter(|part| !part.is_empty() && !own.take(part)).collect();
        let mut plain = place.to_owned();
        if !others.is_empty() {
            plain.push('?');
            plain.push_str(&others.join("&"));
        }
        let mut config: Config = plain.parse().map_err(|error| reason(&error))?;
        if config.get_user().is_none_or(str::is_empty) {
            return Err("it names no user".into());
        }
        if config.get_dbname().is_none_or(str::is_empty) {
            return Err("it names no database".into());
        }
        if config.get_hosts().is_empty() {
            return Err("it names no host".into());
        }
        let security = own.security(is_local(&config))?;
        let schema = own.schema()?;
        config
            .application_name("buttonwood")
            .connect_timeout(CONNECT_MAX)
            .keepalives_idle(KEEPALIVE)
            .tcp_user_timeout(SILENCE_MAX)
            .ssl_mode(match security {
                Security::Disabled => SslMode::Disable,
                Security::Preferred => SslMode::Prefer,
                _ => SslMode::Require,
            });
        let shown = shown(&config);
        Ok(Self { config, security, schema, shown })
    }

    /// With a password that is kept apart from the address.
    #[must_use]
    pub fn with_password(mut self, password: &str) -> Self {
        self.config.password(password);
        self
    }

    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// The same database, with the tables in another schema.
    #[must_use]
    pub fn in_schema(&self, schema: &str) -> Self {
        assert!(is_name(schema), "a name of small letters, digits and _");
        Self { schema: schema.to_owned(), ..self.clone() }
    }

    /// Where its tables are.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    pub(crate) fn user(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    pub(crate) fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_default()
    }

    /// A connection without encryption is made without a library for it.
    pub(crate) fn no_tls(&self) -> Option<NoTls> {
        (self.security == Security::Disabled).then_some(NoTls)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// What the client library does not know.
#[derive(Debug, Default)]
struct OwnParameters {
    sslmode: Option<String>,
    sslrootcert: Option<String>,
    schema: Option<String>,
}

impl OwnParameters {
    /// Returns whether the parameter is one of these.
    fn take(&mut self, part: &str) -> bool {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let place = match name {
            "sslmode" => &mut self.sslmode,
            "sslrootcert" => &mut self.sslrootcert,
            "schema" => &mut self.schema,
            _ => return false,
        };
        *place = Some(percent_decode_str(value).decode_utf8_lossy().into_owned());
        true
    }

    fn security(&self, is_local: bool) -> Result<Security, String> {
        let roots = self.sslrootcert.as_ref().map(PathBuf::from);
        Ok(match self.sslmode.as_deref() {
            None if is_local => Security::Disabled,
            None | Some("verify-full") => Security::VerifyName(roots),
            Some("verify-ca") => Security::VerifyAuthority(roots),
            // As libpq has it.
            Some("require") => Security::Required(roots),
            Some("prefer") => Security::Preferred,
            Some("disable") => Security::Disabled,
            Some(_) => {
                return Err("its sslmode must be disable, prefer, require, verify-ca or \
                            verify-full"
                    .into());
            }
        })
    }

    fn schema(&self) -> Result<String, String> {
        let schema = self.schema.as_deref().unwrap_or(SCHEMA_DEFAULT);
        if !is_name(schema) {
            return Err("its schema must be a name of small letters, digits and _".into());
        }
        Ok(schema.to_owned())
    }
}

/// Whether a name needs no quotes.
fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !text.is_empty() && text.len() <= NAME_MAX && text.bytes().all(is_plain)
}

/// Whether all hosts are this machine.
fn is_local(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost"
                || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    })
}

fn shown(config: &Config) -> String {
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(at, host)| {
        let port = ports.get(at).or(ports.last()).copied().unwrap_or(PORT_DEFAULT);
        match host {
            Host::Tcp(name) if name.contains(':') => format!("[{name}]:{port}"),
            Host::Tcp(name) => format!("{name}:{port}"),
            Host::Unix(path) => format!("{}:{port}", path.display()),
        }
    });
    let hosts = hosts.collect::<Vec<_>>().join(",");
    let (user, database) = (config.get_user(), config.get_dbname());
    let (user, database) = (user.unwrap_or_default(), database.unwrap_or_default());
    format!("postgres://{user}@{hosts}/{database}")
}

/// The cause without the library's own words before it.
fn reason(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn security(text: &str) -> Security {
        Address::parse(text).unwrap().security
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address =
            Address::parse("postgres://bw:s3cret%21@db.example:6000/market?schema=history")
                .unwrap();
        assert!(address.has_password());
        assert_eq!(address.schema, "history");
        assert_eq!(address.to_string(), "postgres://bw@db.example:6000/market");
        assert!(!format!("{address:?}").contains("s3cret"));
        let address = Address::parse("postgresql://bw@localhost/market").unwrap();
        assert_eq!(address.to_string(), "postgres://bw@localhost:5432/market");
        assert!(!address.has_password() && address.with_password("s3cret").has_password());
        let socket = Address::parse("postgres://bw@%2Frun%2Fpg/market").unwrap();
        assert_eq!(socket.to_string(), "postgres://bw@/run/pg:5432/market");
    }

    #[test]
    fn beyond_this_machine_the_server_has_to_show_its_name() {
        for local in ["localhost", "127.0.0.1", "[::1]", "%2Frun%2Fpg"] {
            assert_eq!(security(&format!("postgres://bw@{local}/m")), Security::Disabled);
        }
        assert_eq!(security("postgres://bw@db/m"), Security::VerifyName(None));
        assert_eq!(security("postgres://bw@localhost,db/m"), Security::VerifyName(None));
        assert_eq!(security("postgres://bw@db/m?sslmode=require"), Security::Required(None));
        assert_eq!(
            security("postgres://bw@db/m?sslmode=verify-ca&sslrootcert=%2Fca.pem"),
            Security::VerifyAuthority(Some("/ca.pem".into()))
        );
    }

    #[test]
    fn a_list_has_commas_between_addresses_and_between_hosts() {
        let shown = |text: &str| {
            let all = Address::parse_all(text).unwrap();
            all.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(shown("postgres://bw@a/m"), ["postgres://bw@a:5432/m"]);
        assert_eq!(
            shown("postgres://bw@a,b/m,postgresql://bw@c/m,postgres://bw@a,b/n"),
            [
                "postgres://bw@a:5432,b:5432/m",
                "postgres://bw@c:5432/m",
                "postgres://bw@a:5432,b:5432/n"
            ]
        );
        assert_eq!(shown("postgres://bw@a/m,postgres://bw@a/m?schema=other").len(), 2);
        let error = |text: &str| Address::parse_all(text).unwrap_err();
        assert_eq!(
            error("postgres://bw:s3cret@a/m,postgres://bw:s3cret@a/m"),
            "number 2: it names postgres://bw@a:5432/m a second time"
        );
        assert_eq!(error("postgres://bw@a/m,postgres://bw@a"), "number 2: it names no database");
        let many = vec!["postgres://bw@a/m"; SHARDS_MAX + 1].join(",");
        assert_eq!(error(&many), "it names 33 databases, and 32 at most");
    }

    #[test]
    fn what_an_address_lacks_is_named_and_no_password() {
        for (text, reason) in [
            ("mysql://bw:s3cret@db/m", "does not begin with postgres://"),
            ("postgres://:s3cret@db/m", "no user"),
            ("postgres://bw:s3cret@db", "no database"),
            ("postgres://bw:s3cret@/m", "no host"),
            ("postgres://bw:s3cret@db:port/m", "port"),
            ("postgres://bw:s3cret@db/m?sslmode=maybe", "sslmode must be"),
            ("postgres://bw:s3cret@db/m?schema=a%22b", "schema must be"),
            ("postgres://bw:s3cret@db/m?colour=red", "colour"),
        ] {
            let error = Address::parse(text).unwrap_err();
            assert!(error.contains(reason) && !error.contains("s3cret"), "{text}: {error}");
        }
    }
}
