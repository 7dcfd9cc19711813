//! What streams share with the publisher's thread: readers of numbered events, live books and
//! candles.
//!
//! An event is queued as it is: the task of its reader makes the message. A venue whose streams
//! nothing reads pays one load an event.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use marketdata::{BookUpdate, InstrumentView, Views};
use spool::{Applied, NumberedEvent};
use tokio::sync::{mpsc, watch};
use types::{AccountId, Event, InstrumentId, Interval, KeyId, LoginId};

use crate::feed::backlog::EventsOf;
use crate::feed::numbered::{FeedReader, NumberedFeed, ReaderId};
use crate::feed::outlet::Outlet;
use crate::feed::reader_metrics::ReaderMetrics;
use crate::grpc::holder::Holder;
use crate::grpc::live::{BookState, CandleState, Live};

/// Events that wait for a stream's reader: some 700 KiB.
pub(crate) const QUEUE_MAX: usize = 1_024;

#[derive(Debug)]
pub(crate) struct Hub {
    /// Whether anything is read.
    is_watched: AtomicBool,
    readers: Arc<ReaderMetrics>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    accounts: NumberedFeed<AccountId, EventReader>,
    instruments: NumberedFeed<InstrumentId, EventReader>,
    live: Live,
}

/// A stream of numbered events.
#[derive(Debug)]
struct EventReader {
    outlet: Arc<Outlet<NumberedEvent>>,
    /// Of a stream that ends with its key or its login.
    holder: Option<Holder>,
}

impl FeedReader for EventReader {
    type Message = NumberedEvent;

    const STREAM: &'static str = "grpc";

    fn outlet(&self) -> &Outlet<NumberedEvent> {
        &self.outlet
    }
}

/// A subscription to numbered events, which ends when it is dropped.
#[derive(Debug)]
pub(super) struct Subscription {
    hub: Arc<Hub>,
    of: EventsOf,
    id: ReaderId,
    pub(super) outlet: Arc<Outlet<NumberedEvent>>,
    pub(super) queue: mpsc::Receiver<NumberedEvent>,
}

impl Hub {
    pub(crate) fn new(readers: Arc<ReaderMetrics>) -> Arc<Self> {
        let (is_watched, state) = (AtomicBool::new(false), Mutex::default());
        Arc::new(Self { is_watched, readers, state })
    }

    /// Subscribes to events from here on. With `holds` they wait until they are released.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        of: EventsOf,
        holder: Option<Holder>,
        holds: bool,
    ) -> Subscription {
        let (outlet, queue) = Outlet::new(QUEUE_MAX, Arc::clone(&self.readers));
        let outlet = Arc::new(outlet);
        let key = holder.as_ref().map_or(KeyId(0), Holder::key);
        let reader = EventReader { outlet: Arc::clone(&outlet), holder };
        let mut state = self.lock();
        let id = match of {
            EventsOf::Account(account) => state.accounts.subscribe(account, key, reader, holds),
            EventsOf::Instrument(id) => state.instruments.subscribe(id, key, reader, holds),
        };
        self.is_watched.store(true, Ordering::Relaxed);
        drop(state);
        Subscription { hub: Arc::clone(self), of, id, outlet, queue }
    }

    /// The best levels of a book, from now on.
    pub(super) fn subscribe_book(
        &self,
        (id, view): (InstrumentId, &InstrumentView),
        levels: usize,
    ) -> watch::Receiver<Arc<BookState>> {
        let receiver = self.lock().live.subscribe_book(id, &view.book, levels);
        self.is_watched.store(true, Ordering::Relaxed);
        receiver
    }

    /// The current candle, from now on.
    pub(super) fn subscribe_candle(
        &self,
        (id, view): (InstrumentId, &InstrumentView),
        interval: Interval,
    ) -> watch::Receiver<CandleState> {
        let receiver = self.lock().live.subscribe_candle(id, view, interval);
        self.is_watched.store(true, Ordering::Relaxed);
        receiver
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// On the publisher's thread.
impl Hub {
    pub(crate) fn event(&self, applied: &Applied, event: &Event, update: Option<&BookUpdate>) {
        if !self.is_watched.load(Ordering::Relaxed) {
            return;
        }
        let mut state = self.lock();
        for (account, number) in event.account_seqs() {
            push(&mut state.accounts, account, (applied, event), number);
        }
        if let Some(update) = update {
            push(&mut state.instruments, update.instrument, (applied, event), update.update_id);
            state.live.event(event, update);
        }
        match event {
            Event::KeyRevoked(revoked) => {
                state.end(revoked.account, |holder| holder.key() == revoked.key);
            }
            Event::LoginUpdated(updated) => {
                state.end(updated.spec.account, |holder| is_login(holder, updated.login));
            }
            Event::LoginRevoked(revoked) => {
                state.end(revoked.account, |holder| is_login(holder, revoked.login));
            }
            _ => {}
        }
    }

    /// Publishes books and candles that are due. Returns when the next ones are.
    pub(crate) fn flush(&self, views: &Views, now: Instant) -> Option<Instant> {
        if !self.is_watched.load(Ordering::Relaxed) {
            return None;
        }
        let mut state = self.lock();
        let due = state.live.flush(views, now);
        if state.is_idle() {
            self.is_watched.store(false, Ordering::Relaxed);
        }
        due
    }
}

impl State {
    fn is_idle(&self) -> bool {
        self.accounts.reader_count() == 0
            && self.instruments.reader_count() == 0
            && self.live.is_idle()
    }

    /// Ends the streams of a key or a login.
    fn end(&mut self, account: AccountId, is_over: impl Fn(&Holder) -> bool) {
        self.accounts.each(account, |registration| {
            let reader = &registration.reader;
            let is_over = reader.holder.as_ref().is_some_and(&is_over);
            if is_over {
                reader.outlet.end();
            }
            !is_over
        });
    }
}

fn is_login(holder: &Holder, of: LoginId) -> bool {
    matches!(holder, Holder::Login { login, .. } if *login == of)
}

fn push<K: Copy + Eq + std::hash::Hash>(
    feed: &mut NumberedFeed<K, EventReader>,
    owner: K,
    (applied, event): (&Applied, &Event),
    number: u64,
) {
    feed.each(owner, |registration| {
        let numbered = NumberedEvent {
            number,
            sequence: applied.sequence,
            sequenced_ns: applied.sequenced_ns,
            event: *event,
        };
        registration.push(Some(number), numbered)
    });
}

impl Subscription {
    /// Queues the events that were held: all before `next` are sent.
    pub(super) fn release(hub: &Hub, (of, id): (EventsOf, ReaderId), next: u64) {
        let mut state = hub.lock();
        match of {
            EventsOf::Account(account) => state.accounts.release(account, id, next),
            EventsOf::Instrument(instrument) => state.instruments.release(instrument, id, next),
        }
    }

    pub(super) fn place(&self) -> (EventsOf, ReaderId) {
        (self.of, self.id)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut state = self.hub.lock();
        match self.of {
            EventsOf::Account(account) => state.accounts.unsubscribe(account, self.id),
            EventsOf::Instrument(instrument) => state.instruments.unsubscribe(instrument, self.id),
        }
    }
}
