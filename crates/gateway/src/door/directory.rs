//! The directory: instruments by symbol, accounts, signers by the hash of their API key, and logins
//! by user name.
//!
//! Events keep it up to date on the publisher's thread, so a look-up waits for no other thread.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use engine::Engine;
use types::{
    AccountId, AccountName, AccountRisk, AccountSpec, Asset, AssetId, Event, FeeRates, Instrument,
    InstrumentId, InstrumentRules, KeyId, KeySpec, LoginCreated, LoginId, LoginSpec, LoginUpdated,
    Market, Phase, TradingState, UserName,
};
use venue::{Keyring, MasterKeyError};

use crate::clock::now_ns;
use crate::door::identity::{Login, Signer};

pub(crate) struct Directory {
    keyring: Keyring,
    assets: Vec<Asset>,
    /// Indexed by instrument id.
    markets: Vec<Market>,
    is_halted: bool,
    by_symbol: HashMap<String, InstrumentId>,
    accounts: HashMap<AccountId, AccountSpec>,
    /// Accounts with an order rate.
    rated: HashSet<AccountId>,
    signers: HashMap<[u8; 16], Arc<Signer>>,
    hash_of_key: HashMap<KeyId, [u8; 16]>,
    logins: HashMap<LoginId, Arc<Login>>,
    login_of_user: HashMap<UserName, LoginId>,
    /// The valid keys of each login that has one.
    keys_of_login: HashMap<LoginId, BTreeSet<KeyId>>,
}

impl Directory {
    /// Fails when a secret cannot be decrypted: no client could sign in.
    pub(crate) fn new(engine: &Engine, keyring: Keyring) -> Result<Self, MasterKeyError> {
        keyring.sealing().master_key().check(engine)?;
        let mut directory = Self {
            keyring,
            assets: engine.assets().to_vec(),
            markets: Vec::new(),
            is_halted: engine.is_halted(),
            by_symbol: HashMap::new(),
            accounts: engine.accounts().map(|(id, spec)| (id, *spec)).collect(),
            rated: HashSet::new(),
            signers: HashMap::new(),
            hash_of_key: HashMap::new(),
            logins: HashMap::new(),
            login_of_user: HashMap::new(),
            keys_of_login: HashMap::new(),
        };
        for (account, _) in engine.accounts() {
            if let Some(risk) = engine.account_risk(account) {
                directory.set_risk(account, &risk);
            }
        }
        for instrument in engine.instruments() {
            directory.list(instrument);
            let phase = engine.phase(instrument.id).unwrap_or(Phase::Continuous);
            let until_ns = engine.phase_until_ns(instrument.id).unwrap_or_default();
            directory.set_trading(instrument.id, |trading| {
                trading.enter_phase(phase, until_ns);
                trading.is_delisted = engine.is_delisted(instrument.id);
            });
            if let Some(rules) = engine.instrument_rules(instrument.id) {
                directory.set_rules(instrument.id, rules);
            }
        }
        for (key, spec) in engine.keys() {
            directory.add_key(key, spec)?;
        }
        for (login, spec) in engine.logins() {
            directory.set_login(login, spec, false)?;
        }
        Ok(directory)
    }

    pub(crate) fn market(&self, symbol: &str) -> Option<Market> {
        self.market_of(*self.by_symbol.get(symbol)?)
    }

    pub(crate) fn market_of(&self, id: InstrumentId) -> Option<Market> {
        self.markets.get(id.0 as usize).copied()
    }

    pub(crate) fn markets(&self) -> &[Market] {
        &self.markets
    }

    pub(crate) fn assets(&self) -> &[Asset] {
        &self.assets
    }

    pub(crate) fn asset(&self, id: AssetId) -> Option<Asset> {
        self.assets.get(usize::from(id.0)).copied()
    }

    pub(crate) fn signer(&self, api_key_hash: &[u8; 16]) -> Option<Arc<Signer>> {
        self.signers.get(api_key_hash).cloned()
    }

    /// Whether the key is neither revoked nor expired.
    pub(crate) fn is_usable(&self, key: KeyId) -> bool {
        self.signer_of(key).is_some_and(|signer| !signer.credential.has_expired(now_ns()))
    }

    pub(crate) fn signer_of(&self, key: KeyId) -> Option<Arc<Signer>> {
        self.signers.get(self.hash_of_key.get(&key)?).cloned()
    }

    /// The valid login of this user name, which may be given in letters of any case.
    pub(crate) fn login_of(&self, user: &str) -> Option<Arc<Login>> {
        let user = UserName::parse(&user.to_ascii_lowercase())?;
        self.login(*self.login_of_user.get(&user)?)
    }

    /// `None` if it is revoked.
    pub(crate) fn login(&self, login: LoginId) -> Option<Arc<Login>> {
        self.logins.get(&login).cloned()
    }

    /// The keys of a login that are not revoked, oldest first. Some may have expired.
    pub(crate) fn keys_of_login(&self, login: LoginId) -> impl Iterator<Item = Arc<Signer>> + '_ {
        let keys = self.keys_of_login.get(&login).into_iter().flatten();
        keys.filter_map(|key| self.signer_of(*key))
    }

    /// The name of an account.
    pub(crate) fn account_name(&self, account: AccountId) -> Option<AccountName> {
        self.accounts.get(&account).map(|spec| spec.name)
    }

    /// The customer's account of this name.
    #[cfg(feature = "redis")]
    pub(crate) fn account_named(&self, name: &str) -> Option<AccountId> {
        let mut customers =
            self.accounts.iter().filter(|(account, _)| **account != AccountId::VENUE);
        customers.find(|(_, spec)| spec.name.as_str() == name).map(|(account, _)| *account)
    }

    /// For what is sealed by the master key.
    pub(crate) fn keyring(&self) -> Keyring {
        self.keyring.clone()
    }

    /// The fees of an account that has its own.
    pub(crate) fn own_fees(&self, account: AccountId) -> Option<FeeRates> {
        self.accounts.get(&account)?.fees
    }

    /// Whether an operator has limited the orders of an account.
    pub(crate) fn has_order_rate(&self, account: AccountId) -> bool {
        self.rated.contains(&account)
    }

    fn set_risk(&mut self, account: AccountId, risk: &AccountRisk) {
        if risk.max_orders_per_10s > 0 || risk.max_orders_per_day > 0 {
            self.rated.insert(account);
        } else {
            self.rated.remove(&account);
        }
    }

    fn list(&mut self, instrument: &Instrument) {
        let asset = |id| self.asset(id);
        let spec = &instrument.spec;
        let (Some(base), Some(quote)) = (asset(spec.base), asset(spec.quote)) else {
            tracing::error!(symbol = %spec.symbol, "an instrument names assets that are not listed");
            return;
        };
        self.by_symbol.insert(spec.symbol.to_string(), instrument.id);
        let mut market = Market {
            instrument: *instrument,
            base,
            quote,
            rules: InstrumentRules::default(),
            trading: TradingState::CONTINUOUS,
        };
        match self.markets.get_mut(instrument.id.0 as usize) {
            Some(listed) => {
                (market.rules, market.trading) = (listed.rules, listed.trading);
                *listed = market;
            }
            None => {
                market.trading.is_venue_halted = self.is_halted;
                self.markets.push(market);
            }
        }
    }

    fn set_trading(&mut self, id: InstrumentId, change: impl FnOnce(&mut TradingState)) {
        if let Some(market) = self.markets.get_mut(id.0 as usize) {
            change(&mut market.trading);
        }
    }

    fn set_rules(&mut self, id: InstrumentId, rules: &InstrumentRules) {
        if let Some(market) = self.markets.get_mut(id.0 as usize) {
            market.rules = *rules;
        }
    }

    fn set_halted(&mut self, is_halted: bool) {
        self.is_halted = is_halted;
        for market in &mut self.markets {
            market.trading.is_venue_halted = is_halted;
        }
    }

    fn remove_key(&mut self, key: KeyId) {
        let signer = self.hash_of_key.remove(&key).and_then(|hash| self.signers.remove(&hash));
        let Some(login) = signer.and_then(|signer| signer.login) else { return };
        if let Some(keys) = self.keys_of_login.get_mut(&login) {
            keys.remove(&key);
            if keys.is_empty() {
                self.keys_of_login.remove(&login);
            }
        }
    }

    fn set_login(
        &mut self,
        login: LoginId,
        spec: &LoginSpec,
        sign_out: bool,
    ) -> Result<(), MasterKeyError> {
        let LoginSpec { user, account, role, ways, .. } = *spec;
        let secret = self.keyring.open_login(spec)?;
        let before = self.logins.get(&login).map_or(0, |known| known.sign_outs);
        let sign_outs = before + u64::from(sign_out);
        let known = Login { login, user, account, role, ways, secret, sign_outs };
        self.logins.insert(login, Arc::new(known));
        self.login_of_user.insert(user, login);
        Ok(())
    }

    fn change_login(&mut self, login: LoginId, spec: &LoginSpec, sign_out: bool) {
        if let Err(error) = self.set_login(login, spec, sign_out) {
            self.remove_login(login); // Not with the password before.
            tracing::warn!(%login, %error, "a login cannot be used");
        }
    }

    fn remove_login(&mut self, login: LoginId) {
        if let Some(login) = self.logins.remove(&login) {
            self.login_of_user.remove(&login.user);
        }
    }

    fn add_key(&mut self, key: KeyId, spec: &KeySpec) -> Result<(), MasterKeyError> {
        let hash = spec.api_key_hash;
        let credential = self.keyring.open(spec)?;
        let signer = Signer::new(key, spec, credential);
        let login = signer.login;
        self.signers.insert(hash, Arc::new(signer));
        self.hash_of_key.insert(key, hash);
        if let Some(login) = login {
            self.keys_of_login.entry(login).or_default().insert(key);
        }
        Ok(())
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Directory")
    }
}

/// The directory behind its lock. The publisher's thread writes it, every connection reads it.
#[derive(Debug)]
pub(crate) struct SharedDirectory(RwLock<Directory>);

impl SharedDirectory {
    pub(crate) fn new(directory: Directory) -> Self {
        Self(RwLock::new(directory))
    }

    /// The guard must not be held across an `await`.
    pub(crate) fn read(&self) -> impl Deref<Target = Directory> + '_ {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the write lock only for an event that concerns the directory.
    pub(crate) fn apply(&self, event: &Event) {
        let directory = || self.0.write().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::AssetListed(listed) => directory().assets.push(listed.asset),
            Event::InstrumentListed(listed) => directory().list(&listed.instrument),
            Event::InstrumentUpdated(updated) => directory().list(&updated.instrument),
            Event::InstrumentRulesSet(set) => directory().set_rules(set.instrument, &set.rules),
            Event::PhaseChanged(changed) => {
                directory().set_trading(changed.instrument, |trading| {
                    trading.enter_phase(changed.phase, changed.until_ns);
                });
            }
            Event::InstrumentDelisted(delisted) => {
                directory().set_trading(delisted.instrument, TradingState::delist);
            }
            Event::VenueHalted(_) => directory().set_halted(true),
            Event::VenueResumed(()) => directory().set_halted(false),
            Event::AccountCreated(created) => {
                directory().accounts.insert(created.account, created.spec);
            }
            Event::AccountUpdated(updated) => {
                directory().accounts.insert(updated.account, updated.spec);
            }
            Event::AccountRiskSet(set) => directory().set_risk(set.account, &set.risk),
            Event::KeyCreated(created) => {
                if let Err(error) = directory().add_key(created.key, &created.spec) {
                    tracing::warn!(key = %created.key, %error, "a new key cannot be used");
                }
            }
            Event::KeyRevoked(revoked) => directory().remove_key(revoked.key),
            Event::LoginCreated(LoginCreated { login, spec, .. }) => {
                directory().change_login(*login, spec, false);
            }
            Event::LoginUpdated(LoginUpdated { login, spec, sign_out, .. }) => {
                directory().change_login(*login, spec, *sign_out);
            }
            Event::LoginRevoked(revoked) => directory().remove_login(revoked.login),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use types::{
        Command, CreateAccount, CreateKey, CreateLogin, Entry, Envelope, Origin, RevokeLogin, Role,
        UpdateLogin, Way, Ways,
    };
    use venue::{
        Credential, LoginSecret, MasterKey, Password, PasswordHash, Secret, TotpSecret, Verifier,
        api_key_hash, password_matches,
    };

    use super::*;

    const PASSWORD: &str = "correct horse";

    /// A directory that hears of each command's events, and one read from the state at the end.
    #[test]
    fn logins_and_their_keys_are_found_until_they_are_revoked() {
        let master_key = MasterKey::generate();
        let mut engine = Engine::default();
        let directory = Directory::new(&engine, master_key.clone().into()).unwrap();
        let directory = SharedDirectory::new(directory);
        let apply = |engine: &mut Engine, command| {
            let envelope = Envelope::venue(Origin::Admin, 0);
            let mut events = Vec::new();
            engine.apply(1, &Entry { envelope, command }, &mut events);
            for event in &events {
                assert!(!matches!(event, Event::CommandRejected(_)), "{event:?}");
                directory.apply(event);
            }
        };
        let (account, role, login) = (AccountId(1), Role::Trader, LoginId(1));
        let account_spec = AccountSpec {
            name: AccountName::parse("carol").unwrap(),
            fees: None,
            max_open_orders: 1,
            finished_orders_kept: 1,
            trades_kept: 1,
        };
        apply(&mut engine, Command::CreateAccount(CreateAccount { spec: account_spec }));
        let password = PasswordHash::of(&Password::new(PASSWORD.to_owned()).unwrap());
        let secret = LoginSecret { password, totp: None, datagram_key: None };
        let user = UserName::parse("carol").unwrap();
        let ways = Ways::new(&[Way::Page]).unwrap();
        let sealed_secret = master_key.seal_login(&secret, &user);
        let spec = LoginSpec { user, account, role, ways, sealed_secret };
        apply(&mut engine, Command::CreateLogin(Box::new(CreateLogin { spec })));
        let api_key_hash = api_key_hash("key");
        let credential = Credential::new(Verifier::Hmac(Secret::generate()));
        let sealed_key = master_key.seal(&credential, &api_key_hash).unwrap();
        let key =
            KeySpec { account, role, login: Some(login), api_key_hash, sealed_secret: sealed_key };
        apply(&mut engine, Command::CreateKey(Box::new(CreateKey { spec: key })));

        let restarted = Directory::new(&engine, master_key.clone().into()).unwrap();
        for found in [&*directory.read(), &restarted] {
            let carol = found.login_of("Carol").unwrap();
            assert_eq!((carol.login, carol.account, carol.role), (login, account, role));
            assert!(password_matches(Some(&carol.secret.password), PASSWORD));
            let keys = found.keys_of_login(login).map(|signer| signer.key);
            assert_eq!(keys.collect::<Vec<_>>(), [KeyId(1)]);
            assert!(found.login_of("bob").is_none() && found.login_of("no name").is_none());
        }

        let secret = LoginSecret { totp: Some(TotpSecret::generate()), ..secret };
        let sealed_secret = master_key.seal_login(&secret, &user);
        let update = UpdateLogin { login, ways, sealed_secret, sign_out: true };
        apply(&mut engine, Command::UpdateLogin(Box::new(update)));
        assert!(directory.read().login(login).unwrap().secret.totp.is_some());
        assert_eq!(directory.read().keys_of_login(login).count(), 0);
        apply(&mut engine, Command::RevokeLogin(RevokeLogin { login }));
        assert!(directory.read().login_of("carol").is_none());
        assert!(directory.read().login(login).is_none());
        // Another login of the name, whose secret another master key has sealed, is of no use.
        let sealed_secret = MasterKey::generate().seal_login(&secret, &user);
        let spec = LoginSpec { sealed_secret, ..spec };
        apply(&mut engine, Command::CreateLogin(Box::new(CreateLogin { spec })));
        assert!(directory.read().login_of("carol").is_none());
    }
}
