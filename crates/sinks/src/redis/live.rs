//! Channels of market data, and keys with the present state.
//!
//! A page of events is one message of `bbo` and `l2` for an instrument that changed, and one of
//! `trade_events` for each trade.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use marketdata::Views;
use projection::{Backend, HistoryRetention, Progress, ProjectionError, Standstill, Store, Words};
use redis::{Cmd, cmd};
use types::{AccountId, Event, InstrumentId};

use crate::publish::balances::Balances;
use crate::publish::directory::Directory;
use crate::publish::failure::Failed;
use crate::publish::figures::Figures;
use crate::publish::market::{self, Changes, Then};
use crate::publish::page::Commands;
use crate::publish::position::PositionFile;
use crate::publish::publisher::WORDS;
use crate::redis::link::Link;
use crate::redis::settings::Redis;

/// Market data does not wait for more of it.
const GATHER: Duration = Duration::from_millis(5);
const RETRY_MAX: Duration = Duration::from_secs(2);
/// Keys of what has changed are written this often, and all keys this often.
const CHANGED_EVERY: Duration = Duration::from_millis(100);
const ALL_EVERY: Duration = Duration::from_millis(900);
/// Accounts whose balances are asked for at a time.
const ACCOUNTS_AT_ONCE: usize = 200;
/// Commands that go together.
const TOGETHER: usize = 1_000;
/// The account that has the fees.
const VENUE: AccountId = AccountId(0);

/// The market as of the last event that was read. It outlives a connection.
#[derive(Debug)]
pub struct Market {
    sequence: u64,
    sequenced_ns: u64,
    directory: Directory,
    views: Views,
    changes: Changes,
    /// What the keys do not have yet.
    unkept: BTreeSet<InstrumentId>,
    accounts: BTreeSet<AccountId>,
}

impl Market {
    /// As of a venue's start.
    pub fn new((sequence, sequenced_ns): (u64, u64), directory: Directory, views: Views) -> Self {
        let accounts = BTreeSet::new();
        let changes = Changes::after(&views);
        let unkept = BTreeSet::new();
        Self { sequence, sequenced_ns, directory, views, changes, unkept, accounts }
    }

    /// Takes a page in, and returns the messages of its events.
    fn apply(&mut self, page: &Commands) -> Vec<(&'static str, String)> {
        let Self { sequence, sequenced_ns, directory, views, changes, unkept, accounts } = self;
        let mut messages = Vec::new();
        for applied in &page.all {
            for event in &applied.events {
                directory.apply(event);
                if let Some(update) = views.apply_to_market(event) {
                    changes.apply(views, &update);
                    unkept.insert(update.instrument);
                }
                if let Event::TradeExecuted(trade) = event {
                    accounts.insert(VENUE); // It has the fees.
                    messages.push(("trade_events", market::trade(directory, applied, trade)));
                }
                accounts.extend(event.account_seqs().map(|(account, _)| account));
            }
            (*sequence, *sequenced_ns) = (applied.sequence, applied.sequenced_ns);
        }
        let then = Then { sequence: *sequence, time_ns: *sequenced_ns };
        messages.extend(changes.messages(directory, views, then));
        messages
    }

    fn want_all_accounts(&mut self) {
        let all = (0..self.directory.account_count()).filter_map(|id| u32::try_from(id).ok());
        self.accounts.extend(all.map(AccountId));
    }

    fn then(&self) -> Then {
        Then { sequence: self.sequence, time_ns: self.sequenced_ns }
    }
}

/// The backend of channels and keys for the feed.
#[derive(Debug)]
pub struct LiveBackend {
    redis: Redis,
    data_dir: PathBuf,
    market: Arc<Mutex<Market>>,
    balances: Arc<dyn Balances>,
    figures: Arc<Figures>,
}

impl LiveBackend {
    pub fn new(
        redis: Redis,
        data_dir: PathBuf,
        market: Market,
        balances: Arc<dyn Balances>,
        figures: Arc<Figures>,
    ) -> Self {
        Self { redis, data_dir, market: Arc::new(Mutex::new(market)), balances, figures }
    }

    fn failed(&self, failed: Failed) -> ProjectionError {
        let error = failed.at(self);
        PositionFile::keep_reason(&self.data_dir, &self.to_string(), error.to_string());
        error
    }
}

impl Backend for LiveBackend {
    type Store = LiveStore;

    const WORDS: Words = WORDS;

    fn open(&self) -> Result<LiveStore, ProjectionError> {
        let name = self.to_string();
        let file = PositionFile::open(&self.data_dir, &name).map_err(|error| {
            Failed::new(Standstill::Failed, format!("has no position: {error}")).at(self)
        })?;
        let link = Link::open(&self.redis).map_err(|failed| self.failed(failed))?;
        let market = Arc::clone(&self.market);
        let progress = {
            let mut market = lock(&market);
            // The keys may be gone with what was there.
            market.want_all_accounts();
            progress(&market)
        };
        let now = Instant::now();
        Ok(LiveStore {
            name,
            link,
            redis: self.redis.clone(),
            file,
            market,
            balances: Arc::clone(&self.balances),
            figures: Arc::clone(&self.figures),
            progress,
            keys_at: now,
            all_keys_at: now,
            next_account: AccountId::default(),
        })
    }

    fn newest(&self) -> Option<(u64, u64)> {
        None
    }

    fn remove(&self) -> Result<(), ProjectionError> {
        Err(Failed::new(Standstill::Failed, "is not the venue's to empty").at(self))
    }

    fn set_aside(&self, damage: &ProjectionError) -> Result<(), ProjectionError> {
        let standstill = damage.standstill();
        Err(ProjectionError::Server { standstill, sentence: damage.to_string() })
    }

    fn keep_beside(&self) -> Result<(), ProjectionError> {
        let sentence = "is behind the log in a way that cannot be: restart the venue";
        Err(self.failed(Failed::new(Standstill::Failed, sentence)))
    }

    fn retry_max(&self) -> Duration {
        RETRY_MAX
    }

    fn gather(&self) -> Duration {
        GATHER
    }
}

impl fmt::Display for LiveBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redis.name_of_live())
    }
}

/// A connection, and when its keys are due.
#[derive(Debug)]
pub struct LiveStore {
    name: String,
    link: Link,
    redis: Redis,
    file: PositionFile,
    market: Arc<Mutex<Market>>,
    balances: Arc<dyn Balances>,
    figures: Arc<Figures>,
    progress: Progress,
    keys_at: Instant,
    all_keys_at: Instant,
    next_account: AccountId,
}

impl LiveStore {
    fn publish(&mut self, page: &Commands) -> Result<(), Failed> {
        let mut messages = lock(&self.market).apply(page);
        // What is lost with the connection is not sent again.
        self.progress = progress(&lock(&self.market));
        if !self.redis.has_channels {
            messages.clear();
        }
        let figures = Arc::clone(&self.figures);
        let mut messages = messages.into_iter().map(|(channel, text)| {
            let mut publish = cmd("PUBLISH");
            publish.arg(self.redis.key(channel)).arg(text);
            publish
        });
        loop {
            let some: Vec<Cmd> = messages.by_ref().take(TOGETHER).collect();
            if some.is_empty() {
                return Ok(());
            }
            let count = some.len();
            self.link.publish_all(some)?;
            figures.published(count);
        }
    }

    /// Writes the keys that are due.
    fn keep(&mut self) -> Result<(), Failed> {
        let now = Instant::now();
        if !self.redis.has_cache || now < self.keys_at {
            return Ok(());
        }
        self.keys_at = now + CHANGED_EVERY;
        let is_for_all = now >= self.all_keys_at;
        if is_for_all {
            self.all_keys_at = now + ALL_EVERY;
        }
        let mut keys = self.market_keys(is_for_all);
        let (accounts, balances) = self.balance_keys();
        keys.extend(balances);
        for some in keys.chunks(TOGETHER) {
            let set = some.iter().map(|(key, value)| {
                let mut set = cmd("SET");
                set.arg(key).arg(value);
                set
            });
            self.link.ask_all(set.collect())?;
        }
        let mut market = lock(&self.market);
        market.accounts.retain(|account| !accounts.contains(account));
        Ok(())
    }

    fn market_keys(&self, is_for_all: bool) -> Vec<(String, String)> {
        let mut market = lock(&self.market);
        let changed = std::mem::take(&mut market.unkept);
        let (Market { directory, views, .. }, then) = (&*market, market.then());
        let all = (0..views.instruments().len()).filter_map(|id| u32::try_from(id).ok());
        let ids = all.map(InstrumentId).filter(|id| is_for_all || changed.contains(id));
        let mut keys = Vec::new();
        for id in ids {
            let (Some(view), Some(units)) = (views.instrument(id), directory.market(id)) else {
                continue;
            };
            let mut key = |name: &str, value: String| {
                keys.push((self.redis.key(&format!("{name}:{}", units.symbol())), value));
            };
            let levels = self.redis.levels;
            key("order_book_snapshot", market::snapshot(&units, view, then, levels));
            key("bbo", market::bbo(&units, view, then));
            key("ticker", market::ticker(&units, view, then));
        }
        keys
    }

    /// Of some accounts whose keys are not up to date, in turn.
    fn balance_keys(&mut self) -> (BTreeSet<AccountId>, Vec<(String, String)>) {
        let market = lock(&self.market);
        let next = market.accounts.range(self.next_account..);
        let in_turn = next.chain(market.accounts.range(..self.next_account));
        let some: BTreeSet<AccountId> = in_turn.take(ACCOUNTS_AT_ONCE).copied().collect();
        let last = market.accounts.range(self.next_account..).nth(ACCOUNTS_AT_ONCE);
        self.next_account = last.copied().unwrap_or_default();
        let accounts = || some.iter().copied().collect();
        let asked = if some.is_empty() { None } else { self.balances.of(accounts()) };
        let Some((sequence, found)) = asked else { return Default::default() };
        let directory = &market.directory;
        let keys = found.into_iter().map(|(account, balances)| {
            let name = directory.account_name(account);
            let value = market::balances(directory, &name, sequence, &balances);
            (self.redis.key(&format!("balance:{name}")), value)
        });
        (some, keys.collect())
    }

    fn keep_position(&mut self, reason: Option<String>) {
        let Progress { sequence, sequenced_ns, .. } = self.progress;
        self.file.keep((sequence, sequenced_ns), reason);
    }

    fn failed(&mut self, failed: Failed) -> ProjectionError {
        let error = failed.at(&self.name);
        self.keep_position(Some(error.to_string()));
        error
    }
}

impl Store for LiveStore {
    type Page = Commands;

    fn progress(&self) -> Progress {
        self.progress
    }

    fn gaps(&self) -> Result<Vec<(u64, u64)>, ProjectionError> {
        Ok(Vec::new())
    }

    fn write(&mut self, page: &Commands) -> Result<(), ProjectionError> {
        let published = self.publish(page).and_then(|()| self.keep());
        published.map_err(|failed| self.failed(failed))
    }

    fn pass_over(&mut self, first: u64) -> Result<(), ProjectionError> {
        let sentence = format!(
            "cannot be given the present state: the events before command {first} are lost; restart \
             the venue"
        );
        Err(Failed::new(Standstill::Failed, sentence).at(&self.name))
    }

    fn forget(&mut self, _: &HistoryRetention) -> Result<bool, ProjectionError> {
        Ok(false)
    }

    fn check_in_place(&mut self) -> Result<(), ProjectionError> {
        self.keep().map_err(|failed| self.failed(failed))?;
        self.keep_position(None);
        Ok(())
    }

    fn checkpoint(&self) -> Result<(), ProjectionError> {
        Ok(())
    }
}

fn progress(market: &Market) -> Progress {
    Progress {
        sequence: market.sequence,
        sequenced_ns: market.sequenced_ns,
        first_sequence: 1,
        ..Progress::default()
    }
}

fn lock(market: &Mutex<Market>) -> MutexGuard<'_, Market> {
    market.lock().unwrap_or_else(PoisonError::into_inner)
}
