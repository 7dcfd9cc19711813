//! The demo venue: three instruments, two accounts to trade with, and bots that keep it moving.
//!
//! `DIR/demo.json` (mode 0600) has all of it, an operator's key included, with its secrets in
//! plain text. Keys are generated, never constants. The file is written before the venue receives
//! its keys, and the next start skips what the venue already has: so an interrupted start
//! continues.

pub(crate) mod bots;

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use types::{
    AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, Command, CreateAccount,
    CreateKey, CreateLogin, Deposit, Entry, Envelope, Event, ExternalRef, FeeRates, Increment,
    InstrumentSpec, KeySpec, ListAsset, ListInstrument, LoginSpec, Origin, PRICE_MAX, Price,
    QTY_MAX, Qty, RejectReason, Role, SetWithdrawalApprovals, Symbol, UserName, Way, Ways,
};
use venue::clock::now_ns;
use venue::{
    Credential, DatagramKey, Handle, LoginSecret, MasterKey, Password, PasswordHash, Secret,
    Verifier, api_key_hash, random_text,
};

use crate::error::ServeError;

pub const FILE_NAME: &str = "demo.json";
/// Letters and digits of a password: 119 bits.
const PASSWORD_LEN: usize = 20;
/// What SoupBinTCP has room for: 51 bits in letters of any case.
const OUCH_PASSWORD_LEN: usize = 10;
pub(crate) const DECIMALS: u8 = 8;
pub(crate) const ONE: i128 = 100_000_000;

#[derive(Deserialize, Serialize)]
pub(crate) struct Demo {
    accounts: Vec<DemoAccount>,
    bots: Vec<DemoAccount>,
    /// A key of the role operator; a demo of an older build has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operator: Option<DemoAccount>,
    master_key: String,
}

/// What the accounts of a demo are for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Purpose {
    Customer,
    Bot,
    Operator,
}

#[derive(Deserialize, Serialize)]
struct DemoAccount {
    name: String,
    api_key: String,
    secret_key: String,
    /// Of the login of the same name, for an account of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<String>,
    /// For OUCH; a demo without that port has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    login: Option<OuchLogin>,
}

#[derive(Clone, Deserialize, Serialize)]
struct OuchLogin {
    user: String,
    password: String,
    /// For UDP, in hexadecimal digits; a demo of an older build has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    udp_key: Option<String>,
}

/// The file of a test.
#[derive(Serialize)]
struct TestKeys<'a> {
    url: &'a str,
    data_dir: &'a Path,
    accounts: &'a [DemoAccount],
    operator: &'a Option<DemoAccount>,
}

/// First balances of each account.
const CUSTOMER_FUNDS: [(&str, i128); 3] = [("USDT", 1_000_000), ("BTC", 100), ("ETH", 1_000)];
const BOT_FUNDS: [(&str, i128); 3] =
    [("USDT", 1_000_000_000), ("BTC", 100_000), ("ETH", 1_000_000)];

const MAX_OPEN_ORDERS: u32 = 1_000_000;
const CUSTOMER_PAST_KEPT: u32 = 100_000;
const BOT_PAST_KEPT: u32 = 1_000;

struct DemoInstrument {
    symbol: &'static str,
    base: u16,
    quote: u16,
    tick_size: &'static str,
    lot_size: &'static str,
    min_notional: i128,
}

const ASSETS: [&str; 3] = ["USDT", "BTC", "ETH"];
const INSTRUMENTS: [DemoInstrument; 3] = [
    DemoInstrument::new("BTCUSDT", [1, 0], "0.01", "0.00001", ONE),
    DemoInstrument::new("ETHUSDT", [2, 0], "0.01", "0.0001", ONE),
    DemoInstrument::new("ETHBTC", [2, 1], "0.00001", "0.001", ONE / 100_000),
];

impl Demo {
    /// The demo of this folder; `None` if it is not one.
    pub(crate) fn load(data_dir: &Path) -> Result<Option<Self>, ServeError> {
        let file = data_dir.join(FILE_NAME);
        match std::fs::read(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ServeError::new(format!("{}: {error}", file.display()))),
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|error| ServeError::new(format!("{}: {error}", file.display()))),
        }
    }

    /// Generates keys, and writes the file.
    pub(crate) fn create(data_dir: &Path) -> Result<Self, ServeError> {
        let account = |name: &str| DemoAccount {
            name: name.into(),
            api_key: random_text(64),
            secret_key: Secret::generate().as_str().into(),
            password: None,
            login: None,
        };
        let demo = Self {
            accounts: ["alice", "bob"].map(account).into(),
            bots: ["maker-1", "maker-2", "taker-1"].map(account).into(),
            operator: Some(account("operator")),
            master_key: MasterKey::generate().to_hex(),
        };
        write(&data_dir.join(FILE_NAME), &demo)?;
        std::fs::File::open(data_dir)?.sync_all()?;
        Ok(demo)
    }

    /// Gives each account of a person a password, unless it has one. Without room for the file the
    /// demo runs without new passwords.
    pub(crate) fn add_passwords(&mut self, data_dir: &Path) {
        let without = (0..self.accounts.len()).filter(|at| self.accounts[*at].password.is_none());
        let without: Vec<_> = without.collect();
        for at in &without {
            self.accounts[*at].password = Some(random_text(PASSWORD_LEN));
        }
        if !without.is_empty()
            && let Err(error) = write(&data_dir.join(FILE_NAME), self)
        {
            tracing::warn!(%error, "no sign-in at the page: the demo has no room for its passwords");
            for at in without {
                self.accounts[at].password = None;
            }
        }
    }

    /// Gives each account of a person a login for OUCH, unless it has one. Without room for the
    /// file the demo runs without new logins.
    pub(crate) fn add_ouch_logins(&mut self, data_dir: &Path) {
        let before: Vec<_> = self.accounts.iter().map(|account| account.login.clone()).collect();
        for (number, account) in (1..).zip(&mut self.accounts) {
            account.login.get_or_insert_with(|| OuchLogin {
                user: format!("ouch{number}"),
                password: random_text(OUCH_PASSWORD_LEN).to_ascii_lowercase(),
                udp_key: Some(DatagramKey::generate().to_hex()),
            });
        }
        if before.iter().any(Option::is_none)
            && let Err(error) = write(&data_dir.join(FILE_NAME), self)
        {
            tracing::warn!(%error, "no log-on by OUCH: the demo has no room for its passwords");
            self.accounts.iter_mut().zip(before).for_each(|(account, login)| account.login = login);
        }
    }

    /// Writes what a test needs to trade, and to operate the venue.
    pub(crate) fn write_keys(
        &self,
        file: &Path,
        url: &str,
        data_dir: &Path,
    ) -> Result<(), ServeError> {
        let (accounts, operator) = (&self.accounts, &self.operator);
        write(file, &TestKeys { url, data_dir, accounts, operator })
    }

    pub(crate) fn master_key(&self) -> Result<MasterKey, ServeError> {
        MasterKey::parse(&self.master_key)
            .ok_or_else(|| ServeError::new("the master key in demo.json is not 64 hex digits"))
    }

    /// The names of the accounts for persons.
    pub(crate) fn customers(&self) -> Vec<String> {
        self.accounts.iter().map(|account| account.name.clone()).collect()
    }

    pub(crate) fn bots(&self) -> Vec<bots::Bot> {
        let bot = |account: &DemoAccount| bots::Bot {
            name: account.name.clone(),
            api_key: account.api_key.clone(),
            secret_key: account.secret_key.clone(),
        };
        self.bots.iter().map(bot).collect()
    }

    /// Adds to the venue what the file has and the venue has not. An instrument that is there keeps
    /// its fees.
    pub(crate) async fn ensure(
        &self,
        handle: &Handle,
        master_key: &MasterKey,
        fees: FeeRates,
    ) -> Result<(), ServeError> {
        if self.is_complete(handle).await? {
            log_other_fees(handle, fees).await?;
        } else {
            self.set_up(handle, master_key, fees).await?;
        }
        self.ensure_logins(handle, master_key).await
    }

    async fn set_up(
        &self,
        handle: &Handle,
        master_key: &MasterKey,
        fees: FeeRates,
    ) -> Result<(), ServeError> {
        // So that a trial of withdrawals takes one operator.
        let approvals = SetWithdrawalApprovals { approvals: 0 };
        apply(handle, Command::SetWithdrawalApprovals(approvals)).await?;
        for name in ASSETS {
            let name = AssetName::parse(name).expect("a valid name");
            let asset = Asset { name, decimals: DECIMALS };
            apply(handle, Command::ListAsset(ListAsset { asset })).await?;
        }
        for instrument in INSTRUMENTS {
            let spec = instrument.spec(fees);
            apply(handle, Command::ListInstrument(ListInstrument { spec })).await?;
        }
        for (id, (account, purpose)) in ids().zip(self.all()) {
            account.ensure(handle, master_key, id, purpose).await?;
        }
        Ok(())
    }

    /// Adds a login for each person of the file that the venue does not have, also if it was
    /// revoked. A full disk takes no login, and the demo starts without it.
    async fn ensure_logins(
        &self,
        handle: &Handle,
        master_key: &MasterKey,
    ) -> Result<(), ServeError> {
        let users = handle.read(|engine| {
            engine.logins().map(|(_, spec)| spec.user.to_string()).collect::<Vec<_>>()
        });
        let users = users.map_err(|_| gone())?.await.map_err(|_| gone())?;
        for (id, account) in ids().zip(&self.accounts) {
            let page = account.password.as_ref().map(|of| (&account.name, of, Way::Page, None));
            let ouch = account.login.as_ref();
            let ouch = ouch.map(|of| (&of.user, &of.password, Way::Ouch, of.udp_key.as_deref()));
            for (user, password, way, udp_key) in page.into_iter().chain(ouch) {
                if users.contains(user) {
                    continue;
                }
                let login = (user.as_str(), password.as_str(), way, udp_key);
                if let Err(error) = account.ensure_login(handle, master_key, id, login).await {
                    tracing::warn!(user, %error, "the demo starts without this login");
                }
            }
        }
        Ok(())
    }

    /// In the order of their ids.
    fn all(&self) -> impl Iterator<Item = (&DemoAccount, Purpose)> {
        let customers = self.accounts.iter().map(|account| (account, Purpose::Customer));
        let bots = self.bots.iter().map(|account| (account, Purpose::Bot));
        customers
            .chain(bots)
            .chain(self.operator.iter().map(|account| (account, Purpose::Operator)))
    }

    /// Accounts are added in order: with the last key, all are there. Then nothing is sent, so that
    /// a venue can start with a full disk.
    async fn is_complete(&self, handle: &Handle) -> Result<bool, ServeError> {
        let last = self.all().last();
        let Some(hash) = last.map(|(account, _)| api_key_hash(&account.api_key)) else {
            return Ok(true);
        };
        let asked = handle.read(move |engine| {
            let is_listed = |demo: &DemoInstrument| {
                engine.instruments().any(|known| known.spec.symbol.as_str() == demo.symbol)
            };
            INSTRUMENTS.iter().all(is_listed)
                && engine.keys().any(|(_, spec)| spec.api_key_hash == hash)
        });
        asked.map_err(|_| gone())?.await.map_err(|_| gone())
    }
}

/// The fees of the settings are for a new demo: logs where they differ from those in force.
async fn log_other_fees(handle: &Handle, fees: FeeRates) -> Result<(), ServeError> {
    let asked = handle.read(move |engine| {
        let is_of_demo = |spec: &InstrumentSpec| {
            INSTRUMENTS.iter().any(|demo| demo.symbol == spec.symbol.as_str())
        };
        let specs = engine.instruments().map(|known| known.spec);
        let others = specs.filter(|spec| is_of_demo(spec) && spec.fees != fees);
        others.map(|spec| spec.symbol).collect::<Vec<_>>()
    });
    for symbol in asked.map_err(|_| gone())?.await.map_err(|_| gone())? {
        tracing::info!(
            symbol = symbol.as_str(),
            "keeps its fees: the settings' fees are for a new demo; use `admin instrument update`"
        );
    }
    Ok(())
}

/// Of the accounts, in the order of the file.
fn ids() -> impl Iterator<Item = AccountId> {
    (1..).map(AccountId)
}

fn gone() -> ServeError {
    ServeError::new("the venue stopped while the demo was checked")
}

impl DemoAccount {
    async fn ensure(
        &self,
        handle: &Handle,
        master_key: &MasterKey,
        id: AccountId,
        purpose: Purpose,
    ) -> Result<(), ServeError> {
        let kept = if purpose == Purpose::Customer { CUSTOMER_PAST_KEPT } else { BOT_PAST_KEPT };
        let spec = AccountSpec {
            name: AccountName::parse(&self.name)
                .ok_or_else(|| ServeError::new("demo.json has an account without a valid name"))?,
            // The bots trade with each other all day, and would pay their funds away.
            fees: (purpose == Purpose::Bot).then_some(FeeRates::ZERO),
            max_open_orders: MAX_OPEN_ORDERS,
            finished_orders_kept: kept,
            trades_kept: kept,
        };
        apply(handle, Command::CreateAccount(CreateAccount { spec })).await?;
        let funds = match purpose {
            Purpose::Customer => &CUSTOMER_FUNDS[..],
            Purpose::Bot => &BOT_FUNDS,
            Purpose::Operator => &[],
        };
        for &(asset, units) in funds {
            let at = ASSETS.iter().position(|name| *name == asset).expect("a listed asset");
            let deposit = Deposit {
                account: id,
                asset: AssetId(u16::try_from(at).expect("few assets")),
                amount: Amount::from_minor(units * ONE),
                external_ref: ExternalRef::parse(&format!("demo-{asset}")).expect("a valid name"),
            };
            apply(handle, Command::Deposit(deposit)).await?;
        }
        let api_key_hash = api_key_hash(&self.api_key);
        let secret = Secret::from_text(&self.secret_key)
            .ok_or_else(|| ServeError::new("demo.json has a secret that is too long"))?;
        let credential = Credential::new(Verifier::Hmac(secret));
        let sealed_secret =
            master_key.seal(&credential, &api_key_hash).expect("it has no networks");
        let role = if purpose == Purpose::Operator { Role::Operator } else { Role::Trader };
        let spec = KeySpec { account: id, role, login: None, api_key_hash, sealed_secret };
        apply(handle, Command::CreateKey(Box::new(CreateKey { spec }))).await
    }

    async fn ensure_login(
        &self,
        handle: &Handle,
        master_key: &MasterKey,
        account: AccountId,
        (user, password, way, udp_key): (&str, &str, Way, Option<&str>),
    ) -> Result<(), ServeError> {
        let in_file = |error: &str| ServeError::new(format!("{FILE_NAME}: {}: {error}", self.name));
        let user = UserName::parse(user).ok_or_else(|| in_file("it is no user name"))?;
        let password = match way {
            Way::Page => Password::new(password.to_owned()),
            Way::Ouch => Password::for_ouch(password),
        };
        let password = password.map_err(|error| in_file(&error.to_string()))?;
        let datagram_key = match udp_key.map(DatagramKey::from_hex) {
            Some(None) => return Err(in_file("the key for UDP is not 64 hexadecimal digits")),
            key => key.flatten(),
        };
        let password = PasswordHash::of(&password);
        let secret = LoginSecret { password, totp: None, datagram_key };
        let sealed_secret = master_key.seal_login(&secret, &user);
        let ways = Ways::new(&[way]).expect("it is one way");
        let spec = LoginSpec { user, account, role: Role::Trader, ways, sealed_secret };
        apply(handle, Command::CreateLogin(Box::new(CreateLogin { spec }))).await
    }
}

impl DemoInstrument {
    const fn new(
        symbol: &'static str,
        [base, quote]: [u16; 2],
        tick_size: &'static str,
        lot_size: &'static str,
        min_notional: i128,
    ) -> Self {
        Self { symbol, base, quote, tick_size, lot_size, min_notional }
    }

    fn spec(&self, fees: FeeRates) -> InstrumentSpec {
        InstrumentSpec {
            min_notional: Amount::from_minor(self.min_notional),
            fees,
            ..wide_spec(
                Symbol::parse(self.symbol).expect("a valid name"),
                [self.base, self.quote].map(AssetId),
                Increment::parse(self.tick_size).expect("a decimal"),
                Increment::parse(self.lot_size).expect("a decimal"),
            )
        }
    }
}

/// An instrument without fees, and with limits that no load test reaches.
pub(crate) fn wide_spec(
    symbol: Symbol,
    [base, quote]: [AssetId; 2],
    tick_size: Increment,
    lot_size: Increment,
) -> InstrumentSpec {
    InstrumentSpec {
        symbol,
        base,
        quote,
        tick_size,
        lot_size,
        min_price: Price::from_ticks(1),
        max_price: Price::from_ticks(100_000_000).min(PRICE_MAX),
        min_qty: Qty::from_lots(1),
        max_qty: Qty::from_lots(900_000_000).min(QTY_MAX),
        market_max_qty: Qty::from_lots(900_000_000).min(QTY_MAX),
        min_notional: Amount::from_minor(1),
        max_notional: Amount::from_minor(9_000_000_000 * ONE),
        max_open_orders: MAX_OPEN_ORDERS,
        fees: FeeRates::ZERO,
    }
}

/// Writes a file with secrets, whole or not at all.
fn write(file: &Path, content: &impl Serialize) -> Result<(), ServeError> {
    let mut unfinished = file.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let written = (|| {
        // The file of an interrupted start may have another mode.
        match std::fs::remove_file(&unfinished) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut opened =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
        opened.write_all(&serde_json::to_vec_pretty(content)?)?;
        opened.sync_all()?;
        std::fs::rename(&unfinished, file)
    })();
    let place = Path::new(&unfinished).display();
    written.map_err(|error| ServeError::new(format!("{place}: {error}")))
}

/// Submits a command, which an earlier start may have carried out.
pub(crate) async fn apply(handle: &Handle, command: Command) -> Result<(), ServeError> {
    let envelope = Envelope::venue(Origin::Admin, now_ns());
    let gone = || ServeError::new("the venue stopped while the demo was set up");
    let reply = handle.submit(Entry { envelope, command }).map_err(|_| gone())?;
    let reply = reply.await.map_err(|_| gone())?;
    let reply = reply.map_err(|refused| ServeError::new(refused.to_string()))?;
    for event in reply.events() {
        let Event::CommandRejected(rejected) = event else { continue };
        match rejected.reason {
            RejectReason::NameInUse
            | RejectReason::DuplicateExternalRef
            | RejectReason::ApiKeyInUse
            | RejectReason::UserInUse => {}
            reason => return Err(ServeError::new(format!("the demo was refused: {reason:?}"))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demo_without_room_for_its_file_runs_without_passwords() {
        let dir = tempfile::tempdir().unwrap();
        let mut demo = Demo::create(dir.path()).unwrap();
        demo.add_passwords(&dir.path().join("none"));
        assert!(demo.accounts.iter().all(|account| account.password.is_none()));
        demo.add_passwords(dir.path());
        let stored = Demo::load(dir.path()).unwrap().unwrap();
        for (account, stored) in demo.accounts.iter().zip(&stored.accounts) {
            assert!(account.password.is_some());
            assert_eq!(account.password, stored.password);
        }
    }
}
