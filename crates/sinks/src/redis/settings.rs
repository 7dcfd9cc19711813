//! What a URL of Redis asks for.

use std::fmt;

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo};

use crate::publish::address::Address;

pub(crate) const STREAM: &str = "events";
/// Entries that a stream keeps, if the URL does not say.
const STREAM_MAX: u64 = 1_000_000;
/// Levels of a side in `order_book_snapshot`, if the URL does not say.
const LEVELS: u64 = 100;
const LEVELS_MAX: u64 = 5_000;

/// A server or a cluster of Redis, and what is published there.
#[derive(Clone)]
pub struct Redis {
    pub(crate) servers: Vec<ConnectionInfo>,
    pub(crate) is_cluster: bool,
    /// Authorities in PEM besides those of the system.
    pub(crate) authorities: Option<String>,
    shown: String,
    /// Before each name of a stream, a channel and a key.
    pub(crate) prefix: String,
    pub has_streams: bool,
    pub has_channels: bool,
    pub has_cache: bool,
    pub(crate) stream_max: u64,
    pub(crate) levels: usize,
}

impl Redis {
    pub const SCHEMES: [&'static str; 4] = ["redis", "rediss", "redis-cluster", "rediss-cluster"];

    pub fn parse(mut address: Address) -> Result<Self, String> {
        let is_cluster = address.scheme().ends_with("-cluster");
        let kinds = address.take("kinds").unwrap_or_else(|| "streams channels cache".into());
        let kinds: Vec<&str> = words(&kinds).collect();
        if let Some(kind) =
            kinds.iter().find(|kind| !["streams", "channels", "cache"].contains(kind))
        {
            return Err(format!("kinds are streams, channels and cache, and not `{kind}`"));
        }
        let nodes = address.take("nodes");
        if nodes.is_some() && !is_cluster {
            return Err("nodes are of redis-cluster://".into());
        }
        let levels = address.take_number("levels")?.unwrap_or(LEVELS);
        if !(1..=LEVELS_MAX).contains(&levels) {
            return Err(format!("levels must be 1 to {LEVELS_MAX}, and is {levels}"));
        }
        let redis = Self {
            servers: servers(&address, nodes.as_deref())?,
            is_cluster,
            authorities: address.take_file("ca")?,
            prefix: address.take("prefix").unwrap_or_default(),
            has_streams: kinds.contains(&"streams"),
            has_channels: kinds.contains(&"channels"),
            has_cache: kinds.contains(&"cache"),
            stream_max: address.take_number("maxlen")?.unwrap_or(STREAM_MAX).max(1),
            levels: usize::try_from(levels).expect("it is small"),
            shown: address.to_string(),
        };
        address.finish()?;
        Ok(redis)
    }

    /// Of its publishers.
    pub fn names(&self) -> Vec<String> {
        let stream = self.has_streams.then(|| self.name_of_stream());
        let live = (self.has_channels || self.has_cache).then(|| self.name_of_live());
        stream.into_iter().chain(live).collect()
    }

    pub(crate) fn name_of_stream(&self) -> String {
        format!("{self} stream {}", self.key(STREAM))
    }

    pub(crate) fn name_of_live(&self) -> String {
        let kinds = match (self.has_channels, self.has_cache) {
            (true, true) => "channels and cache",
            (true, false) => "channels",
            _ => "cache",
        };
        let prefix = if self.prefix.is_empty() { "" } else { " of " };
        format!("{self} {kinds}{prefix}{}", self.prefix)
    }

    pub(crate) fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

/// Of the URL, and of further nodes of a cluster.
fn servers(address: &Address, nodes: Option<&str>) -> Result<Vec<ConnectionInfo>, String> {
    let is_tls = address.scheme().starts_with("rediss");
    let mut url = address.url().clone();
    let scheme = if is_tls { "rediss" } else { "redis" };
    // The address of a scheme that `url` does not know cannot be given another one.
    let text = url.as_str().split_once("://").map(|(_, rest)| format!("{scheme}://{rest}"));
    url = text.ok_or("it has no host")?.parse().map_err(|error| format!("{error}"))?;
    address.host()?;
    let info = url.as_str().into_connection_info().map_err(|error| error.to_string())?;
    let mut settings = info.redis_settings().clone();
    if let Some(password) = address.password() {
        settings = settings.set_password(password);
    }
    if let Some(user) = address.user()? {
        settings = settings.set_username(user);
    }
    let info = info.set_redis_settings(settings);
    let mut servers = vec![info.clone()];
    for node in nodes.into_iter().flat_map(words) {
        let (host, port) = node.rsplit_once(':').ok_or("nodes are such as host:port+host:port")?;
        let port = port.parse().map_err(|_| format!("`{node}` has no port"))?;
        let place = match info.addr() {
            ConnectionAddr::TcpTls { insecure, .. } => ConnectionAddr::TcpTls {
                host: host.to_owned(),
                port,
                insecure: *insecure,
                tls_params: None,
            },
            _ => ConnectionAddr::Tcp(host.to_owned(), port),
        };
        servers.push(info.clone().set_addr(place));
    }
    Ok(servers)
}

/// A list in a URL: in its query a plus is a space. Commas are between URLs in a variable.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',']).filter(|word| !word.is_empty())
}

impl fmt::Display for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redis({self})")
    }
}
