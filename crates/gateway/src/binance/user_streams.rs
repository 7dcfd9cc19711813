//! User data streams: the subscribers of each account, and the payloads of its events.
//!
//! The publisher's thread uses it, as it uses the [`hub`](crate::binance::hub). An event is encoded
//! once for all subscribers of its account.
//!
//! # Invariants
//! - A reader gets every numbered event of the account from the number it asked for, once and in
//!   order, or is cut.
//! - Balances are published after the events that moved them, as the engine held them at the query:
//!   a later state may include events that are not published yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::ws::Utf8Bytes;
use protocol::binance::user_stream::{self, Moment, Names};
use protocol::signed::TimeUnit;
use spool::{Applied, NumberedEvent};
use types::{
    AccountId, Amount, Asset, AssetId, ClOrdId, Event, InstrumentId, KeyId, Market, Order, OrderId,
    OrderList,
};

use crate::binance::stream_client::StreamClient;
use crate::door::directory::Directory;
use crate::door::query::{BalanceAnswer, BalanceQuery};
use crate::feed::entered_amounts::EnteredAmounts;
use crate::feed::numbered::{AccountFeed, FeedReader, Registration};
use crate::feed::open_lists::OpenLists;
use crate::feed::outlet::Outlet;

#[derive(Debug)]
pub(crate) struct UserStreams {
    lists: OpenLists,
    amounts: EnteredAmounts,
    pub(crate) feed: AccountFeed<UserDataReader>,
    /// Balances that may have moved since the last query.
    touched: BTreeMap<AccountId, BTreeSet<AssetId>>,
    /// Whether a query of the engine is in flight.
    is_asking: bool,
}

/// What a backlog knows of the orders before its next page.
#[derive(Debug)]
pub(crate) struct Known {
    lists: OpenLists,
    amounts: EnteredAmounts,
}

#[derive(Clone, Debug)]
pub(crate) struct UserDataReader {
    pub(crate) client: Arc<StreamClient>,
    pub(crate) form: PayloadForm,
}

impl FeedReader for UserDataReader {
    type Message = Utf8Bytes;

    const STREAM: &'static str = "user";

    fn outlet(&self) -> &Outlet<Utf8Bytes> {
        &self.client.outlet
    }
}

/// How a payload is wrapped.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum PayloadForm {
    /// For a subscription of the WebSocket API.
    Subscription(u32),
    /// For a listen key: as it is, or with the key as the name of the stream.
    ListenKey(Arc<str>),
}

impl UserDataReader {
    fn wrap(&self, event: &str) -> String {
        match &self.form {
            PayloadForm::Subscription(id) => user_stream::of_subscription(*id, event),
            PayloadForm::ListenKey(key) if self.client.combined.load(Ordering::Relaxed) => {
                format!(r#"{{"stream":"{key}","data":{event}}}"#)
            }
            PayloadForm::ListenKey(_) => event.to_owned(),
        }
    }
}

impl UserStreams {
    pub(crate) fn new(lists: OpenLists) -> Self {
        Self {
            lists,
            amounts: EnteredAmounts::default(),
            feed: AccountFeed::default(),
            touched: BTreeMap::new(),
            is_asking: false,
        }
    }

    /// Ends the streams of a listen key, with a last message if it expired.
    pub(crate) fn end_listen_key(
        &mut self,
        account: AccountId,
        listen_key: &str,
        expired: Option<Moment>,
    ) {
        let event = expired.map(|at| user_stream::listen_key_expired(listen_key, at));
        self.feed.each(account, |registration| {
            let form = &registration.reader.form;
            let is_of_key = matches!(form, PayloadForm::ListenKey(own) if **own == *listen_key);
            if let (true, Some(event)) = (is_of_key, &event) {
                // A client that is cut by that is gone all the same.
                let _taken = push(registration, None, event);
            }
            !is_of_key
        });
    }

    pub(crate) fn event(&mut self, directory: &Directory, applied: &Applied, event: &Event) {
        self.lists.observe(applied.events.iter(), event);
        self.amounts.observe(event);
        for (account, seq) in event.account_seqs() {
            if self.feed.has_readers(account) {
                self.publish(directory, applied.sequenced_ns, event, account, seq);
            }
        }
        self.lists.remove_done(event);
        self.amounts.remove_ended(event);
        if let Event::KeyRevoked(revoked) = event {
            let at = Moment { event_ns: applied.sequenced_ns, unit: TimeUnit::default() };
            self.end(revoked.account, |key| key == revoked.key, at);
        }
    }

    /// Ends the streams whose keys have expired.
    pub(crate) fn end_expired(&mut self, directory: &Directory, at: Moment) {
        for account in self.feed.owners() {
            self.end(account, |key| !directory.is_usable(key), at);
        }
    }

    /// The balances to query now, if any.
    pub(crate) fn batch_done(&mut self) -> Option<BalanceQuery> {
        if self.is_asking || self.touched.is_empty() {
            return None;
        }
        self.is_asking = true;
        let touched = std::mem::take(&mut self.touched).into_iter();
        Some(touched.map(|(account, assets)| (account, assets.into_iter().collect())).collect())
    }

    /// The answer to [`UserStreams::batch_done`].
    pub(crate) fn positions(&mut self, directory: &Directory, (now_ns, found): BalanceAnswer) {
        self.is_asking = false;
        for (account, balances) in found {
            let balances: Vec<_> = balances
                .into_iter()
                .filter_map(|(id, balance)| Some((directory.asset(id)?, balance)))
                .collect();
            let text = |unit| {
                let at = Moment { event_ns: now_ns, unit };
                Some(user_stream::account_position(&balances, now_ns, at))
            };
            self.push(account, None, text);
        }
    }

    /// Events of an account's backlog, encoded for this reader.
    pub(crate) fn encode_backlog(
        &self,
        directory: &Directory,
        account: AccountId,
        page: &[NumberedEvent],
        (reader, known): (&UserDataReader, &mut Option<Known>),
    ) -> Vec<String> {
        let Known { lists, amounts } = known.get_or_insert_with(|| Known {
            lists: self.lists.clone(),
            amounts: self.amounts.clone(),
        });
        let mut texts = Vec::new();
        for numbered in page {
            lists.observe(page.iter().map(|numbered| &numbered.event), &numbered.event);
            amounts.observe(&numbered.event);
            let names = NamesOf { directory, lists, amounts };
            let at = Moment { event_ns: numbered.sequenced_ns, unit: reader.client.unit };
            let owner = (account, numbered.number);
            let payload = user_stream::payload(&numbered.event, owner, &names, at);
            texts.extend(payload.map(|event| reader.wrap(&event)));
        }
        texts
    }

    fn publish(
        &mut self,
        directory: &Directory,
        event_ns: u64,
        event: &Event,
        account: AccountId,
        seq: u64,
    ) {
        let lists = std::mem::take(&mut self.lists);
        let amounts = std::mem::take(&mut self.amounts);
        let names = NamesOf { directory, lists: &lists, amounts: &amounts };
        let assets = user_stream::touched(event, account, &names);
        if !assets.is_empty() {
            self.touched.entry(account).or_default().extend(assets);
        }
        self.push(account, Some(seq), |unit| {
            let at = Moment { event_ns, unit };
            user_stream::payload(event, (account, seq), &names, at)
        });
        self.lists = lists;
        self.amounts = amounts;
    }

    fn push(
        &mut self,
        account: AccountId,
        seq: Option<u64>,
        text: impl Fn(TimeUnit) -> Option<String>,
    ) {
        let mut made: [Option<Option<String>>; 2] = [None, None];
        self.feed.each(account, |registration| {
            let unit = registration.reader.client.unit;
            let made = made[unit as usize].get_or_insert_with(|| text(unit));
            made.as_ref().is_none_or(|event| push(registration, seq, event))
        });
    }

    /// Ends streams, with a last message to each reader.
    fn end(&mut self, account: AccountId, is_over: impl Fn(KeyId) -> bool, at: Moment) {
        self.feed.each(account, |registration| {
            if !is_over(registration.key) {
                return true;
            }
            let at = Moment { unit: registration.reader.client.unit, ..at };
            // A client that is cut by that is gone all the same.
            let _taken = push(registration, None, &user_stream::terminated(at));
            false
        });
    }
}

/// `false` when the connection is gone, or is now being cut.
fn push(registration: &mut Registration<UserDataReader>, seq: Option<u64>, event: &str) -> bool {
    let text = registration.reader.wrap(event).into();
    registration.push(seq, text)
}

/// What the text of an event needs beside the event.
struct NamesOf<'a> {
    directory: &'a Directory,
    lists: &'a OpenLists,
    amounts: &'a EnteredAmounts,
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

    fn entered_amount(&self, order: &Order) -> Amount {
        self.amounts.of(order)
    }
}
