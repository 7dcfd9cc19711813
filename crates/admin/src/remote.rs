//! A venue on another machine: operations sent to its operators' API over HTTP, signed with an
//! operator's key.
//!
//! A request is sent once. If its answer does not come, the error says that the venue may have
//! carried it out.

mod exchange;
mod key;
mod place;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use cli::Failure;
use gateway::{Method, OPERATOR_ROOT};
use protocol::operator::Covered;
use serde_json::{Map, Value};

use super::openapi::{Fields, name_in};
use super::operations::{Operation, Route, routes};
use exchange::{Exchange, Sent};
use key::OperatorKey;
use place::Place;

/// Letters of a nonce.
const NONCE_LEN: usize = 24;

/// The flags of a venue on another machine.
#[derive(Args, Debug)]
pub(super) struct RemoteArgs {
    /// Venue on another machine, such as https://venue.example.com:8443; requests go to its
    /// operators' API, signed with an operator's key
    #[arg(long, value_name = "URL", global = true, display_order = 1_001)]
    url: Option<String>,

    /// File with the operator's key for --url, as `admin key add` prints it (JSON). The variable
    /// may have the key itself [env: BUTTONWOOD_OPERATOR_KEY]
    #[arg(long, value_name = "FILE", global = true, display_order = 1_002)]
    key_file: Option<String>,

    /// File with the private key (PEM), if the operator's key is Ed25519 or RSA
    #[arg(long, value_name = "FILE", global = true, display_order = 1_003)]
    private_key: Option<PathBuf>,

    /// File with the authority (PEM) of the venue's certificate [default: those of the system]
    #[arg(long, value_name = "FILE", global = true, display_order = 1_004)]
    ca: Option<PathBuf>,

    /// Allow --url without TLS to another machine: only if the way there is encrypted otherwise
    #[arg(long, global = true, display_order = 1_005)]
    allow_plaintext: bool,
}

impl RemoteArgs {
    /// `None` without a URL; then no other flag has a use.
    pub(super) fn remote(self) -> Result<Option<Remote>, Failure> {
        let Self { url, key_file, private_key, ca, allow_plaintext } = self;
        if let Some(url) = url {
            let place = Place::parse(&url, allow_plaintext)?;
            let key = OperatorKey::read(key_file, private_key.as_deref())?;
            return Ok(Some(Remote { key, exchange: Exchange::new(place, ca.as_deref())?, url }));
        }
        let given = [
            ("--key-file", key_file.is_some()),
            ("--private-key", private_key.is_some()),
            ("--ca", ca.is_some()),
            ("--allow-plaintext", allow_plaintext),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(Failure::new(format!("{flag} has a use with --url only"))),
            None => Ok(None),
        }
    }
}

pub(super) struct Remote {
    key: OperatorKey,
    exchange: Exchange,
    /// As the command line has it.
    pub(super) url: String,
}

impl Remote {
    pub(super) fn ask(&self, operation: &Operation, fields: Value) -> Result<Value, Failure> {
        let (route, target) = target_of(operation, fields)?;
        let signed = self.sign(route.method.as_str(), &target)?;
        self.exchange.send(&signed)
    }

    /// Refuses what has no place in the operators' API.
    pub(super) fn check(&self, operation: &Operation, fields: &Value) -> Result<(), Failure> {
        target_of(operation, fields.clone()).map(drop)
    }

    fn sign(&self, method: &'static str, target: &Target) -> Result<Sent, Failure> {
        let timestamp = now_ms().to_string();
        let nonce = venue::random_text(NONCE_LEN);
        let Target { path, query, body } = target;
        let covered = Covered {
            method,
            path,
            query,
            body: body.as_bytes(),
            timestamp: &timestamp,
            nonce: &nonce,
        };
        let signature = self.key.sign(covered.payload().as_bytes())?;
        let path_and_query =
            if query.is_empty() { path.clone() } else { format!("{path}?{query}") };
        let api_key = self.key.api_key.clone();
        let body = body.clone();
        Ok(Sent { method, path_and_query, body, api_key, timestamp, nonce, signature })
    }
}

fn target_of(operation: &Operation, fields: Value) -> Result<(&'static Route, Target), Failure> {
    let route = route_of(operation, &fields).ok_or_else(|| {
        Failure::new(format!(
            "`{}` has no place in the operators' API: run it on the venue's machine",
            operation.words
        ))
    })?;
    Ok((route, Target::of(route, fields)?))
}

/// The route of an operation. The command that lists withdrawals has two: of all accounts, and of
/// one.
fn route_of(operation: &Operation, fields: &Value) -> Option<&'static Route> {
    let words = operation.words;
    let path = match words {
        "withdrawal list" if fields["account"].is_null() => "/withdrawals",
        "withdrawal list" => "/accounts/{account}/withdrawals",
        _ => {
            let mut named = routes().filter(|(known, _)| !words.is_empty() && known.words == words);
            return named.next().map(|(_, route)| route);
        }
    };
    let is_it = |route: &Route| route.method == Method::GET && route.path == path;
    routes().map(|(_, route)| route).find(|route| is_it(route))
}

/// The parts of a request that its fields are in.
#[derive(Debug, Eq, PartialEq)]
struct Target {
    path: String,
    query: String,
    body: String,
}

impl Target {
    fn of(route: &Route, fields: Value) -> Result<Self, Failure> {
        let Value::Object(mut fields) = fields else {
            return Err(Failure::fault("the arguments are no object"));
        };
        let mut path = OPERATOR_ROOT.to_owned();
        for segment in route.path.split('/').skip(1) {
            path.push('/');
            match name_in(segment) {
                None => path.push_str(segment),
                Some(name) => path.push_str(&encode(&take(&mut fields, name)?)),
            }
        }
        // A field that is not given has no place in a request.
        fields.retain(|_, value| !value.is_null());
        if route.method == Method::GET {
            let pairs =
                fields.iter().map(|(name, value)| format!("{name}={}", encode(&text(value))));
            let query = pairs.collect::<Vec<_>>().join("&");
            return Ok(Self { path, query, body: String::new() });
        }
        Fields::of(route).check(&fields)?;
        let body =
            if fields.is_empty() { String::new() } else { Value::Object(fields).to_string() };
        Ok(Self { path, query: String::new(), body })
    }
}

fn take(fields: &mut Map<String, Value>, name: &str) -> Result<String, Failure> {
    let value = fields.remove(name).map(|value| text(&value)).unwrap_or_default();
    if value.is_empty() { Err(Failure::new(format!("`{name}` is empty"))) } else { Ok(value) }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Percent-encodes all but the unreserved letters of a URL.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn now_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::operations::{COMMANDS, named};

    fn target(words: &str, fields: Value) -> (&'static str, String, String) {
        let operation = named(words).expect("it is in the table");
        let route = route_of(operation, &fields).expect("it has a route");
        let Target { path, query, body } = Target::of(route, fields).expect("it is complete");
        let query = if query.is_empty() { query } else { format!("?{query}") };
        (route.method.as_str(), path + &query, body)
    }

    #[test]
    fn fields_are_in_the_path_the_query_or_the_body() {
        let confirm = json!({"account": "carol", "external_ref": "out/1 %"});
        let path = "/admin/v1/accounts/carol/withdrawals/out%2F1%20%25/confirm";
        assert_eq!(target("withdrawal confirm", confirm), ("POST", path.into(), String::new()));
        let limits =
            json!({"account": "a", "symbol": "B", "max_order_qty": "1", "collar_bps": null});
        let path = "/admin/v1/accounts/a/limits/B".to_owned();
        assert_eq!(target("limits", limits), ("PATCH", path, r#"{"max_order_qty":"1"}"#.into()));
        let audit = json!({"from": "2026-01-01T00:00:00+01:00", "key": 0, "until": null});
        let path = "/admin/v1/audit?from=2026-01-01T00%3A00%3A00%2B01%3A00&key=0".to_owned();
        assert_eq!(target("audit", audit), ("GET", path, String::new()));
        let revoke = target("key revoke", json!({"key": 7}));
        assert_eq!(revoke, ("DELETE", "/admin/v1/keys/7".into(), String::new()));
        let list = |account: Value| target("withdrawal list", json!({"account": account})).1;
        assert_eq!(list(Value::Null), "/admin/v1/withdrawals");
        assert_eq!(list("carol".into()), "/admin/v1/accounts/carol/withdrawals");
    }

    #[test]
    fn only_the_settings_of_the_venue_stay_on_its_machine() {
        let is_local = |words: &&str| {
            let operation = named(words).expect("it is in the table");
            route_of(operation, &json!({"account": null})).is_none()
        };
        let local: Vec<&str> = COMMANDS.split(", ").filter(is_local).collect();
        assert_eq!(local, ["settings"]);
        assert!(is_local(&"rotate-master-key"));
    }
}
