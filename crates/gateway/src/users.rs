//! User data streams: who listens to which account, and what the account's events tell them.
//!
//! Lives on the publisher's thread, beside the [`hub`](crate::hub). An event's text is made once for
//! all who listen to its account.
//!
//! # Invariants
//! - A reader gets every numbered event of the account from the number on that it asked for, once
//!   and in order, or is cut.
//! - Balances are told after the events that moved them, as they were when the engine was asked: a
//!   later state may include what is told later.

mod lists;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::ws::Utf8Bytes;
use protocol::binance::user_stream::{self, Moment, Names};
use protocol::signed::TimeUnit;
use types::{
    AccountId, Asset, AssetId, Balance, ClOrdId, Event, InstrumentId, KeyId, Market, Order,
    OrderId, OrderList, TradePrevented,
};
use venue::{Applied, NumberedEvent};

pub(crate) use self::lists::Lists;
use crate::client::Client;
use crate::door::directory::Directory;
use crate::door::query::{Asked, FoundBalances};

#[derive(Debug)]
pub(crate) struct Users {
    lists: Lists,
    readers: HashMap<AccountId, Vec<Reader>>,
    /// The last trade that self-trade prevention did not let happen: the events that follow it say
    /// what became of its orders.
    prevented: Option<TradePrevented>,
    /// What may have moved since balances were last asked for.
    touched: BTreeMap<AccountId, BTreeSet<AssetId>>,
    /// Whether the engine is being asked.
    is_asking: bool,
    last_reader: u64,
}

#[derive(Debug)]
struct Reader {
    id: ReaderId,
    client: Arc<Client>,
    key: KeyId,
    form: Form,
    /// What happened while what came before is being sent again.
    held: Option<Vec<(Option<u64>, Utf8Bytes)>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct ReaderId(u64);

/// How an event is wrapped.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Form {
    /// For a subscription of the WebSocket API.
    Subscription(u32),
    /// For a listen key: as it is, or with the key for the name of the stream.
    ListenKey(Arc<str>),
}

impl Form {
    fn wrap(&self, client: &Client, event: &str) -> String {
        match self {
            Self::Subscription(id) => user_stream::of_subscription(*id, event),
            Self::ListenKey(key) if client.combined.load(Ordering::Relaxed) => {
                format!(r#"{{"stream":"{key}","data":{event}}}"#)
            }
            Self::ListenKey(_) => event.to_owned(),
        }
    }
}

impl Users {
    pub(crate) fn new(lists: Lists) -> Self {
        Self {
            lists,
            readers: HashMap::new(),
            prevented: None,
            touched: BTreeMap::new(),
            is_asking: false,
            last_reader: 0,
        }
    }

    /// From here on the client gets the account's events; what it shall get before them is sent by
    /// whoever asked to hold them back.
    pub(crate) fn subscribe(
        &mut self,
        account: AccountId,
        key: KeyId,
        client: &Arc<Client>,
        form: Form,
        holds: bool,
    ) -> ReaderId {
        self.last_reader += 1;
        let id = ReaderId(self.last_reader);
        let (client, held) = (Arc::clone(client), holds.then(Vec::new));
        self.readers.entry(account).or_default().push(Reader { id, client, key, form, held });
        id
    }

    /// All events below this number have been sent again.
    pub(crate) fn release(&mut self, account: AccountId, id: ReaderId, next_seq: u64) {
        let readers = self.readers.entry(account).or_default();
        let Some(reader) = readers.iter_mut().find(|reader| reader.id == id) else { return };
        let held = reader.held.take().unwrap_or_default();
        for (_, text) in held.into_iter().filter(|(seq, _)| seq.is_none_or(|seq| seq >= next_seq)) {
            if !reader.client.push(text) {
                break;
            }
        }
    }

    pub(crate) fn unsubscribe(&mut self, account: AccountId, id: ReaderId) {
        self.drop_readers(account, |reader| reader.id == id, None);
    }

    /// A listen key is over.
    pub(crate) fn end_listen_key(
        &mut self,
        account: AccountId,
        listen_key: &str,
        expired: Option<Moment>,
    ) {
        let of_key =
            |reader: &Reader| matches!(&reader.form, Form::ListenKey(own) if **own == *listen_key);
        let Some(readers) = self.readers.get_mut(&account) else { return };
        if let Some(at) = expired {
            let event = user_stream::listen_key_expired(listen_key, at);
            readers.iter_mut().filter(|reader| of_key(reader)).for_each(|reader| {
                reader.push(None, &event);
            });
        }
        readers.retain(|reader| !of_key(reader));
    }

    pub(crate) fn event(&mut self, directory: &Directory, applied: &Applied, event: &Event) {
        self.lists.learn(applied.events.iter(), event);
        if let Event::TradePrevented(prevented) = event {
            self.prevented = Some(*prevented);
        }
        for (account, seq) in event.account_seqs().into_iter().flatten() {
            if self.readers.contains_key(&account) {
                self.tell(directory, applied.sequenced_ns, event, account, seq);
            }
        }
        self.lists.forget(event);
        if let Event::KeyRevoked(revoked) = event {
            let at = Moment { event_ns: applied.sequenced_ns, unit: TimeUnit::default() };
            self.drop_readers(revoked.account, |reader| reader.key == revoked.key, Some(at));
        }
    }

    /// Ends the streams whose keys have expired since.
    pub(crate) fn end_expired(&mut self, directory: &Directory, at: Moment) {
        let accounts: Vec<AccountId> = self.readers.keys().copied().collect();
        for account in accounts {
            self.drop_readers(account, |reader| !directory.is_usable(reader.key), Some(at));
        }
    }

    /// What is to be asked for now, if anything.
    pub(crate) fn batch_done(&mut self) -> Option<Asked> {
        if self.is_asking || self.touched.is_empty() {
            return None;
        }
        self.is_asking = true;
        let touched = std::mem::take(&mut self.touched).into_iter();
        Some(touched.map(|(account, assets)| (account, assets.into_iter().collect())).collect())
    }

    /// The answer to [`Users::batch_done`].
    pub(crate) fn positions(&mut self, directory: &Directory, (now_ns, found): FoundBalances) {
        self.is_asking = false;
        for (account, balances) in found {
            let balances: Vec<(Asset, Balance)> = balances
                .into_iter()
                .filter_map(|(id, balance)| Some((directory.asset(id)?, balance)))
                .collect();
            let text = |unit| {
                let at = Moment { event_ns: now_ns, unit };
                vec![user_stream::account_position(&balances, now_ns, at)]
            };
            self.push(account, None, text);
        }
    }

    /// Past events of an account, as this reader is to get them.
    pub(crate) fn again(
        &self,
        directory: &Directory,
        account: AccountId,
        page: &[NumberedEvent],
        client: &Client,
        form: &Form,
    ) -> Vec<String> {
        let mut lists = self.lists.clone();
        let mut texts = Vec::new();
        for numbered in page {
            lists.learn(page.iter().map(|numbered| &numbered.event), &numbered.event);
            let names = NamesOf { directory, lists: &lists };
            let at = Moment { event_ns: numbered.sequenced_ns, unit: client.unit };
            let owner = (account, numbered.number);
            let told = user_stream::told(&numbered.event, None, owner, &names, at);
            texts.extend(told.iter().map(|event| form.wrap(client, event)));
        }
        texts
    }

    fn tell(
        &mut self,
        directory: &Directory,
        event_ns: u64,
        event: &Event,
        account: AccountId,
        seq: u64,
    ) {
        let lists = std::mem::take(&mut self.lists);
        let names = NamesOf { directory, lists: &lists };
        let assets = user_stream::touched(event, account, &names);
        if !assets.is_empty() {
            self.touched.entry(account).or_default().extend(assets);
        }
        let prevented = self.prevented;
        self.push(account, Some(seq), |unit| {
            let at = Moment { event_ns, unit };
            user_stream::told(event, prevented.as_ref(), (account, seq), &names, at)
        });
        self.lists = lists;
    }

    fn push(
        &mut self,
        account: AccountId,
        seq: Option<u64>,
        texts: impl Fn(TimeUnit) -> Vec<String>,
    ) {
        let Some(readers) = self.readers.get_mut(&account) else { return };
        let mut made: [Option<Vec<String>>; 2] = [None, None];
        readers.retain_mut(|reader| {
            let unit = reader.client.unit;
            let made = made[unit as usize].get_or_insert_with(|| texts(unit));
            made.iter().all(|event| reader.push(seq, event))
        });
        if readers.is_empty() {
            self.readers.remove(&account);
        }
    }

    fn drop_readers(
        &mut self,
        account: AccountId,
        which: impl Fn(&Reader) -> bool,
        terminated: Option<Moment>,
    ) {
        let Some(readers) = self.readers.get_mut(&account) else { return };
        readers.retain_mut(|reader| {
            if !which(reader) {
                return true;
            }
            if let Some(at) = terminated {
                let at = Moment { unit: reader.client.unit, ..at };
                // Who is cut by that is gone all the same.
                let _taken = reader.push(None, &user_stream::terminated(at));
            }
            false
        });
        if readers.is_empty() {
            self.readers.remove(&account);
        }
    }
}

impl Reader {
    /// `false` when the connection is gone, or is now being cut.
    fn push(&mut self, seq: Option<u64>, event: &str) -> bool {
        let text: Utf8Bytes = self.form.wrap(&self.client, event).into();
        match &mut self.held {
            None => self.client.push(text),
            Some(held) if held.len() < self.client.outlet.queue_max() => {
                held.push((seq, text));
                true
            }
            Some(_) => {
                self.client.outlet.cut.notify_one();
                false
            }
        }
    }
}

/// What the gateway knows, for the texts of events.
struct NamesOf<'a> {
    directory: &'a Directory,
    lists: &'a Lists,
}

impl Names for NamesOf<'_> {
    fn market(&self, instrument: InstrumentId) -> Option<Market> {
        self.directory.market_of(instrument)
    }

    fn asset(&self, asset: AssetId) -> Option<Asset> {
        self.directory.asset(asset)
    }

    fn order(&self, list: &OrderList, order: OrderId) -> Option<ClOrdId> {
        self.lists.name(list, order)
    }

    fn is_pending(&self, order: &Order) -> bool {
        self.lists.is_pending(order)
    }
}
