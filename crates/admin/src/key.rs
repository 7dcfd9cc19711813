//! Keys, and the master key that seals them.

use std::fmt;

use clap::{Args, ValueEnum};
use cli::Failure;
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use server::now_ns;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use types::{AccountId, Command, CreateKey, Event, KeyId, KeyName, KeySpec, RevokeKey, Role};
use venue::{
    Credential, Keyring, MasterKey, MasterKeyError, Secret, Verifier, api_key_hash, random_text,
    reseal,
};

use super::backend::{Venue, execute};
use super::lookup::{account_names, find_account};
use super::value::{Nothing, invalid, mirrored};

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct KeyNumber {
    /// Number of the key, as `key list` shows it
    key: u32,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NewKey {
    /// Account of the key
    account: String,
    /// Permissions of the key
    #[arg(long, default_value = "trader")]
    #[serde(default = "trader")]
    role: RoleName,
    /// Kind of its signatures; ed25519 and rsa need --public-key
    #[arg(long, default_value = "hmac")]
    #[serde(default = "hmac")]
    kind: Kind,
    /// Address or network from which the key may be used, such as 192.0.2.0/24; may be repeated
    /// [default: any]
    #[arg(long = "allow-ip", value_name = "NET")]
    #[serde(default)]
    allow_ip: Vec<String>,
    /// Time when the key ends (RFC 3339), such as 2027-01-31T00:00:00Z, until the year 2554
    /// [default: never]
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
    /// Name, by which `apply` finds the key: 1 to 24 letters, digits, `.`, `_` and `-`, unique in
    /// the account [default: none]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Accept each signed request once: one that is sent again is refused
    #[arg(long)]
    #[serde(default)]
    once: bool,
    /// The text of the file of `--public-key`.
    #[arg(skip)]
    pub(super) public_key_pem: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, JsonSchema, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RoleName {
    /// Trades and reads for its account
    Trader,
    /// Reads the orders, trades and balances of its account
    ReadOnly,
    /// Reads market data only, which needs no key either
    MarketData,
    /// Calls the operators' API, and trades for no account
    Operator,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, JsonSchema, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Hmac,
    Ed25519,
    Rsa,
}

const SECOND_NS: u64 = 1_000_000_000;

/// A master key on its way to a running venue, through a socket that only its owner can open.
#[derive(Args, Deserialize, Serialize)]
pub(crate) struct MasterKeyText {
    next: String,
}

fn trader() -> RoleName {
    RoleName::Trader
}

fn hmac() -> Kind {
    Kind::Hmac
}

impl NewKey {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<KeyAdded, Failure> {
        let sealing = venue.keyring.ok_or(MasterKeyError::Missing)?.sealing();
        let master_key = sealing.master_key();
        check(venue, &master_key)?;
        let account = find_account(venue, &self.account)?;
        let credential = self.credential()?;
        if let Some(name) = &credential.name {
            check_name(venue, account, name)?;
        }
        let api_key = random_text(64);
        let api_key_hash = api_key_hash(&api_key);
        let sealed = master_key.seal(&credential, &api_key_hash);
        let sealed_secret = sealed.ok_or(MasterKeyError::TooLarge)?;
        let role = self.role.into();
        let spec = KeySpec { account, role, login: None, api_key_hash, sealed_secret };
        let events = execute(venue, Command::CreateKey(Box::new(CreateKey { spec })))?;
        let key = events.iter().find_map(|event| match event {
            Event::KeyCreated(created) => Some(created.key.0),
            _ => None,
        });
        let secret_key = match &credential.verifier {
            Verifier::Hmac(secret) => Some(secret.as_str().to_owned()),
            _ => None,
        };
        Ok(KeyAdded { key, api_key, secret_key })
    }

    fn credential(&self) -> Result<Credential, Failure> {
        let verifier = match (self.kind, &self.public_key_pem) {
            (Kind::Hmac, None) => Verifier::Hmac(Secret::generate()),
            (Kind::Hmac, Some(_)) => {
                return Err(Failure::new(
                    "an HMAC key has no public key: name the other --kind, ed25519 or rsa",
                ));
            }
            (_, None) => {
                return Err(Failure::new(
                    "the owner makes a key of this kind: name its public key with --public-key",
                ));
            }
            (kind, Some(pem)) => {
                let verifier =
                    Verifier::from_pem(pem).map_err(|error| Failure::new(error.to_string()))?;
                match (&verifier, kind) {
                    (Verifier::Ed25519(_), Kind::Ed25519) | (Verifier::Rsa(_), Kind::Rsa) => {}
                    (found, _) => {
                        let found = found.kind();
                        return Err(Failure::new(format!("the public key needs --kind {found}")));
                    }
                }
                verifier
            }
        };
        let networks = self.allow_ip.iter().map(|text| parse_network(text));
        let networks = networks.collect::<Result<_, _>>()?;
        let expires_ns = self.expires.as_deref().map(parse_expiry).transpose()?;
        let name = self.name.as_deref().map(parse_key_name).transpose()?;
        let is_single_use = self.once;
        Ok(Credential { verifier, name, networks, expires_ns, is_single_use })
    }
}

pub(super) fn parse_key_name(text: &str) -> Result<KeyName, Failure> {
    KeyName::parse(text)
        .ok_or_else(|| invalid("key name", text, "1 to 24 letters, digits, `.`, `_` and `-`"))
}

/// Refuses the name of another key of the account.
fn check_name(venue: &mut Venue<'_>, account: AccountId, name: &KeyName) -> Result<(), Failure> {
    let keyring = venue.keyring.ok_or(MasterKeyError::Missing)?;
    let keys = venue.read(move |engine| {
        let own = engine.keys().filter(|(_, spec)| spec.account == account);
        own.map(|(key, spec)| (key, *spec)).collect::<Vec<_>>()
    })?;
    for (key, spec) in keys {
        if keyring.open(&spec)?.name.as_ref() == Some(name) {
            let number = key.0;
            return Err(Failure::new(format!("key {number} of the account has the name `{name}`")));
        }
    }
    Ok(())
}

#[derive(JsonSchema, Serialize)]
pub(super) struct KeyAdded {
    key: Option<u32>,
    api_key: String,
    /// Only of an HMAC key, and only in this answer
    #[serde(skip_serializing_if = "Option::is_none")]
    secret_key: Option<String>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct KeyShown {
    key: u32,
    account: String,
    role: RoleName,
    /// User name of the login whose browser made it; missing for other keys
    #[serde(skip_serializing_if = "Option::is_none")]
    login: Option<String>,
    /// Missing without the master key, which opens them.
    #[serde(flatten)]
    opened: Option<KeyOpened>,
}

#[derive(JsonSchema, Serialize)]
struct KeyOpened {
    name: Option<String>,
    kind: String,
    /// PEM; null for an HMAC key
    public_key: Option<String>,
    allow_ip: Vec<String>,
    expires: Option<String>,
    once: bool,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct KeyRevoked {
    revoked: u32,
}

pub(super) fn list(_: Nothing, venue: &mut Venue<'_>) -> Result<Vec<KeyShown>, Failure> {
    let keyring = venue.keyring;
    let keys = venue.read(|engine| {
        let names = account_names(engine);
        let row = |(id, spec): (KeyId, &KeySpec)| {
            let login = spec.login.and_then(|login| engine.login(login));
            (id, *spec, names[&spec.account].clone(), login.map(|login| login.user.to_string()))
        };
        engine.keys().map(row).collect::<Vec<_>>()
    })?;
    let row = |(key, spec, account, login): (KeyId, KeySpec, String, Option<String>)| {
        let opened = keyring.map(|keyring| KeyOpened::new(&spec, keyring)).transpose()?;
        Ok(KeyShown { key: key.0, account, role: RoleName::from(spec.role), login, opened })
    };
    keys.into_iter().map(row).collect()
}

impl KeyOpened {
    fn new(spec: &KeySpec, keyring: &Keyring) -> Result<Self, Failure> {
        let credential = keyring.open(spec)?;
        Ok(Self {
            name: credential.name.map(|name| name.to_string()),
            kind: credential.verifier.kind().to_string(),
            public_key: credential.verifier.to_pem(),
            allow_ip: credential.networks.iter().map(IpNet::to_string).collect(),
            expires: credential.expires_ns.map(format_expiry),
            once: credential.is_single_use,
        })
    }
}

impl KeyNumber {
    pub(super) fn revoke(self, venue: &mut Venue<'_>) -> Result<KeyRevoked, Failure> {
        execute(venue, Command::RevokeKey(RevokeKey { key: KeyId(self.key) }))?;
        Ok(KeyRevoked { revoked: self.key })
    }
}

impl MasterKeyText {
    pub(super) fn of(master_key: &MasterKey) -> Self {
        Self { next: master_key.to_hex() }
    }

    pub(super) fn rotate(self, venue: &mut Venue<'_>) -> Result<Value, Failure> {
        let not_hex = || MasterKeyError::NotHex { origin: "the request".into() };
        let next = MasterKey::parse(&self.next).ok_or_else(not_hex)?;
        let sealing = venue.keyring.ok_or(MasterKeyError::Missing)?.sealing();
        let present = sealing.master_key();
        check(venue, &present)?;
        if next.fingerprint() == present.fingerprint() {
            return Err(Failure::new("this master key is the one in use already"));
        }
        let (keys, logins) = venue.read(|engine| {
            let keys: Vec<_> = engine.keys().map(|(key, spec)| (key, *spec)).collect();
            let logins: Vec<_> = engine.logins().map(|(login, spec)| (login, *spec)).collect();
            (keys, logins)
        })?;
        let rotate = reseal(&keys, &logins, &present, &next)?;
        execute(venue, Command::RotateMasterKey(rotate))?;
        let fingerprint = next.fingerprint_text();
        sealing.turn_to(next);
        Ok(
            json!({ "keys_resealed": keys.len(), "logins_resealed": logins.len(), "fingerprint": fingerprint }),
        )
    }
}

/// Checks that the master key is the one that sealed the venue's keys and logins.
pub(super) fn check(venue: &mut Venue<'_>, master_key: &MasterKey) -> Result<(), Failure> {
    let master_key = master_key.clone();
    Ok(venue.read(move |engine| master_key.check(engine))??)
}

pub(super) fn parse_network(text: &str) -> Result<IpNet, Failure> {
    venue::parse_network(text)
        .ok_or_else(|| invalid("network", text, "an address or a network, such as 192.0.2.0/24"))
}

fn parse_expiry(text: &str) -> Result<u64, Failure> {
    let expires_ns = parse_time(text)?;
    if expires_ns > now_ns() { Ok(expires_ns) } else { Err(invalid("expiry", text, FUTURE)) }
}

const FUTURE: &str = "a time in the future, such as 2027-01-31T00:00:00Z";

/// Nanoseconds since 1970.
pub(super) fn parse_time(text: &str) -> Result<u64, Failure> {
    let time = OffsetDateTime::parse(text, &Rfc3339);
    let time = time.map_err(|_| invalid("expiry", text, FUTURE))?.unix_timestamp_nanos();
    u64::try_from(time).map_err(|_| {
        let last = format_expiry(u64::MAX / SECOND_NS * SECOND_NS);
        if time < 0 {
            invalid("expiry", text, FUTURE)
        } else {
            Failure::new(format!(
                "the expiry `{text}` is too late: the last is {last}, and a key without one never \
                 ends"
            ))
        }
    })
}

pub(super) fn format_expiry(expires_ns: u64) -> String {
    let time = OffsetDateTime::from_unix_timestamp_nanos(expires_ns.into());
    let text = time.ok().and_then(|time| time.format(&Rfc3339).ok());
    text.unwrap_or_else(|| format!("{expires_ns} ns"))
}

mirrored!(RoleName => Role: Trader, ReadOnly, MarketData, Operator);

mirrored!(Role => RoleName: Trader, ReadOnly, MarketData, Operator);

impl fmt::Debug for MasterKeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKeyText(hidden)")
    }
}
