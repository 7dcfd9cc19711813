//! Logins, by which persons sign in with a user name and a password.

use clap::{Args, ValueEnum};
use cli::Failure;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use types::{
    Command, CreateLogin, Event, LoginId, LoginSpec, RevokeLogin, Role, UpdateLogin, UserName, Way,
    Ways,
};
use venue::{
    DatagramKey, Keyring, LoginSecret, MasterKeyError, Password, PasswordHash, TotpSecret,
};

use super::backend::{Venue, execute};
use super::key::{RoleName, check};
use super::lookup::{account_name, account_names, find_account};
use super::value::{Nothing, invalid, mirrored};

#[derive(Args, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NewLogin {
    /// User name: 1 to 32 small letters, digits, `.`, `_`, `@`, `+` and `-`
    user: String,
    /// Account of the login
    account: String,
    /// Permissions of the login
    #[arg(long, default_value = "trader")]
    #[serde(default = "trader")]
    role: LoginRole,
    /// Ask for a one-time code with the password; an operator's login always does
    #[arg(long)]
    #[serde(default)]
    totp: bool,
    /// Where it may sign in; may be repeated
    #[arg(long = "way", value_name = "WAY", default_value = "page")]
    #[serde(default = "page")]
    ways: Vec<WayName>,
    /// At least 12 characters
    #[arg(skip)]
    #[schemars(length(min = 12, max = 256), extend("format" = "password"))]
    #[serde(deserialize_with = "unshown")]
    pub(super) password: String,
}

#[derive(Args, Deserialize, JsonSchema, Serialize)]
pub(crate) struct LoginChange {
    /// User name of the login
    user: String,
    /// `new` asks for one-time codes of a new secret, `off` for none
    #[arg(long, value_name = "new|off")]
    totp: Option<TotpChange>,
    /// Where it may sign in; may be repeated, and replaces the present ways
    #[arg(long = "way", value_name = "WAY")]
    #[serde(default)]
    ways: Vec<WayName>,
    /// Sign the person out everywhere: the keys of the login are revoked
    #[arg(long)]
    #[serde(default)]
    sign_out: bool,
    /// Make another key for OUCH over UDP
    #[arg(long)]
    #[serde(default)]
    new_udp_key: bool,
    /// At least 12 characters
    #[arg(skip)]
    #[schemars(length(min = 12, max = 256), extend("format" = "password"))]
    #[serde(default, deserialize_with = "unshown")]
    pub(super) password: Option<String>,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NamedLogin {
    /// User name of the login
    user: String,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum LoginRole {
    /// Trades and reads for its account
    Trader,
    /// Reads the orders, trades and balances of its account
    ReadOnly,
    /// Runs the venue, and trades for no account
    Operator,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum WayName {
    /// The web page of the venue
    Page,
    /// Orders by OUCH: the user has at most 6 letters and digits, the password 8 to 10 characters
    Ouch,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum TotpChange {
    New,
    Off,
}

/// The error has no part of what should have been a password, since a refusal is recorded.
fn unshown<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    T::deserialize(from).map_err(|_| D::Error::custom("the password is not a text"))
}

fn trader() -> LoginRole {
    LoginRole::Trader
}

fn page() -> Vec<WayName> {
    vec![WayName::Page]
}

#[derive(JsonSchema, Serialize)]
pub(super) struct LoginAdded {
    login: Option<u32>,
    user: String,
    /// What an authenticator app reads, only in this answer; missing without one-time codes
    #[serde(skip_serializing_if = "Option::is_none")]
    otpauth_uri: Option<String>,
    /// The key of a login for OUCH over UDP, only in this answer
    #[serde(skip_serializing_if = "Option::is_none")]
    udp_key: Option<String>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct LoginShown {
    login: u32,
    user: String,
    account: String,
    role: RoleName,
    ways: Vec<WayName>,
    /// Its valid keys: one for each browser that the person signed in with
    keys: usize,
    /// Whether it asks for one-time codes; missing without the master key
    #[serde(skip_serializing_if = "Option::is_none")]
    totp: Option<bool>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct LoginChanged {
    #[serde(flatten)]
    shown: LoginShown,
    /// What an authenticator app reads, only in the answer that sets it
    #[serde(skip_serializing_if = "Option::is_none")]
    otpauth_uri: Option<String>,
    /// The key for OUCH over UDP, only in the answer that makes it
    #[serde(skip_serializing_if = "Option::is_none")]
    udp_key: Option<String>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct LoginRevoked {
    revoked: String,
    keys_revoked: usize,
}

impl NewLogin {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<LoginAdded, Failure> {
        let keyring = venue.keyring.ok_or(MasterKeyError::Missing)?;
        let user = parse_user(&self.user)?;
        let account = find_account(venue, &self.account)?;
        let role = Role::from(self.role);
        let no_way = || Failure::new("a login has at least one way to sign in");
        let ways = ways_of(&self.ways).ok_or_else(no_way)?;
        check_ways(ways, &user, role, self.totp)?;
        let password = hash(self.password, ways)?;
        let totp = (self.totp || role == Role::Operator).then(TotpSecret::generate);
        let otpauth_uri = totp.as_ref().map(|totp| totp.uri(&user));
        let sealing = keyring.sealing();
        let master_key = sealing.master_key();
        check(venue, &master_key)?;
        let datagram_key = ways.contains(Way::Ouch).then(DatagramKey::generate);
        let udp_key = datagram_key.as_ref().map(DatagramKey::to_hex);
        let secret = LoginSecret { password, totp, datagram_key };
        let sealed_secret = master_key.seal_login(&secret, &user);
        let spec = LoginSpec { user, account, role, ways, sealed_secret };
        let events = execute(venue, Command::CreateLogin(Box::new(CreateLogin { spec })))?;
        let login = events.iter().find_map(|event| match event {
            Event::LoginCreated(created) => Some(created.login.0),
            _ => None,
        });
        Ok(LoginAdded { login, user: self.user, otpauth_uri, udp_key })
    }
}

impl LoginChange {
    /// What it does not name stays.
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<LoginChanged, Failure> {
        let keyring = venue.keyring.ok_or(MasterKeyError::Missing)?;
        let sealing = keyring.sealing();
        let master_key = sealing.master_key();
        check(venue, &master_key)?;
        let (login, spec) = find_login(venue, &self.user)?;
        let ways = ways_of(&self.ways).unwrap_or(spec.ways);
        if ways != spec.ways && (ways.contains(Way::Ouch) || spec.ways.contains(Way::Ouch)) {
            return Err(Failure::new("a login is for the page or for OUCH: make another one"));
        }
        let totp = matches!(self.totp, Some(TotpChange::New));
        check_ways(ways, &spec.user, spec.role, totp)?;
        let password = self.password.map(|password| hash(password, ways)).transpose()?;
        let mut secret = keyring.open_login(&spec)?;
        let changes = password.is_some()
            || self.totp.is_some()
            || !self.ways.is_empty()
            || self.sign_out
            || self.new_udp_key;
        let mut otpauth_uri = None;
        match self.totp {
            Some(TotpChange::Off) if spec.role == Role::Operator => {
                return Err(Failure::new("an operator's login always asks for one-time codes"));
            }
            Some(TotpChange::Off) => secret.totp = None,
            Some(TotpChange::New) => {
                let totp = TotpSecret::generate();
                otpauth_uri = Some(totp.uri(&spec.user));
                secret.totp = Some(totp);
            }
            None => {}
        }
        secret.password = password.unwrap_or(secret.password);
        let mut udp_key = None;
        if self.new_udp_key {
            if !ways.contains(Way::Ouch) {
                return Err(Failure::new("only a login for OUCH has a key for UDP"));
            }
            let key = DatagramKey::generate();
            udp_key = Some(key.to_hex());
            secret.datagram_key = Some(key);
        }
        if changes {
            let sealed_secret = master_key.seal_login(&secret, &spec.user);
            let update = UpdateLogin { login, ways, sealed_secret, sign_out: self.sign_out };
            execute(venue, Command::UpdateLogin(Box::new(update)))?;
        }
        let (spec, account, keys) = venue.read(move |engine| {
            let spec = engine.login(login).copied().unwrap_or(spec);
            (spec, account_name(engine, spec.account), engine.keys_of_login(login).count())
        })?;
        let shown = LoginShown::new(login, &spec, account, keys, Some(keyring))?;
        Ok(LoginChanged { shown, otpauth_uri, udp_key })
    }
}

impl NamedLogin {
    pub(super) fn revoke(self, venue: &mut Venue<'_>) -> Result<LoginRevoked, Failure> {
        let (login, _) = find_login(venue, &self.user)?;
        let events = execute(venue, Command::RevokeLogin(RevokeLogin { login }))?;
        let keys = events.iter().filter(|event| matches!(event, Event::KeyRevoked(_)));
        Ok(LoginRevoked { revoked: self.user, keys_revoked: keys.count() })
    }
}

pub(super) fn list(_: Nothing, venue: &mut Venue<'_>) -> Result<Vec<LoginShown>, Failure> {
    let keyring = venue.keyring;
    let logins = venue.read(|engine| {
        let names = account_names(engine);
        let row = |(login, spec): (LoginId, &LoginSpec)| {
            (login, *spec, names[&spec.account].clone(), engine.keys_of_login(login).count())
        };
        engine.logins().map(row).collect::<Vec<_>>()
    })?;
    let shown = logins.into_iter();
    shown
        .map(|(login, spec, account, keys)| LoginShown::new(login, &spec, account, keys, keyring))
        .collect()
}

impl LoginShown {
    fn new(
        login: LoginId,
        spec: &LoginSpec,
        account: String,
        keys: usize,
        keyring: Option<&Keyring>,
    ) -> Result<Self, Failure> {
        let opened = keyring.map(|keyring| keyring.open_login(spec)).transpose()?;
        Ok(Self {
            login: login.0,
            user: spec.user.to_string(),
            account,
            role: spec.role.into(),
            ways: spec.ways.iter().map(WayName::from).collect(),
            keys,
            totp: opened.map(|secret| secret.totp.is_some()),
        })
    }
}

fn find_login(venue: &mut Venue<'_>, user: &str) -> Result<(LoginId, LoginSpec), Failure> {
    let wanted = parse_user(user)?;
    let found = venue.read(move |engine| {
        let mut logins = engine.logins().map(|(login, spec)| (login, *spec));
        logins.find(|(_, spec)| spec.user == wanted)
    })?;
    found.ok_or_else(|| Failure::unknown(format!("there is no login `{user}`")))
}

fn parse_user(text: &str) -> Result<UserName, Failure> {
    let expected = "1 to 32 small letters, digits, `.`, `_`, `@`, `+` and `-`";
    UserName::parse(text).ok_or_else(|| invalid("user name", text, expected))
}

fn hash(password: String, ways: Ways) -> Result<PasswordHash, Failure> {
    let password = if ways.contains(Way::Ouch) {
        Password::for_ouch(&password)
    } else {
        Password::new(password)
    };
    let password = password.map_err(|error| Failure::new(error.to_string()))?;
    Ok(PasswordHash::of(&password))
}

/// A login for OUCH has what SoupBinTCP has fields for, and no other way: its password is too short
/// for a page that the world may reach.
fn check_ways(ways: Ways, user: &UserName, role: Role, totp: bool) -> Result<(), Failure> {
    if !ways.contains(Way::Ouch) {
        return Ok(());
    }
    let user = user.as_str();
    if ways.contains(Way::Page) {
        return Err(Failure::new("a login is for the page or for OUCH: make one for each"));
    }
    if user.len() > OUCH_USER_LEN_MAX || !user.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(invalid("user name for OUCH", user, "1 to 6 letters and digits"));
    }
    if role != Role::Trader || totp {
        return Err(Failure::new("a login for OUCH is a trader's, and has no one-time codes"));
    }
    Ok(())
}

/// Characters that SoupBinTCP has for a user name.
const OUCH_USER_LEN_MAX: usize = 6;

/// `None` if none is named.
fn ways_of(named: &[WayName]) -> Option<Ways> {
    let ways: Vec<Way> = named.iter().map(|way| Way::from(*way)).collect();
    Ways::new(&ways)
}

mirrored!(LoginRole => Role: Trader, ReadOnly, Operator);

mirrored!(WayName => Way: Page, Ouch);

mirrored!(Way => WayName: Page, Ouch);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_password_is_not_in_the_error() {
        let fields =
            json!({ "user": "carol", "account": "carol", "password": 123_456_789_012_u64 });
        let error = serde_json::from_value::<NewLogin>(fields).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "the password is not a text");
        let fields = json!({ "user": "carol", "password": ["hidden"] });
        let error = serde_json::from_value::<LoginChange>(fields).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "the password is not a text");
        let nothing = serde_json::from_value::<LoginChange>(json!({ "user": "carol" })).unwrap();
        assert!(nothing.password.is_none() && !nothing.sign_out);
    }
}
