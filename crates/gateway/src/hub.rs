//! The streams: who listens to what, and the payloads as the market moves.
//!
//! Lives on the publisher's thread, between the views that it reads and the queues of the
//! connections. A payload is encoded once per stream and form, and shared by all its readers.
//!
//! # Invariants
//! - A queue that is full belongs to a reader that is too slow: it is cut, never waited for.
//! - Within one stream of depth, each delta begins one after the last, for every reader.
//! - A candle is told closed once, within its round after its end.

mod feed;
mod kline;
mod overall;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use marketdata::{BookUpdate, L2Book, Views};
use protocol::binance::stream::{self, Speed, Stream};
use protocol::signed::TimeUnit;
use tokio::sync::{Notify, mpsc};
use types::{Event, InstrumentId, Market, Price, Qty};
use venue::Applied;

use self::feed::Feed;
use self::overall::Overall;
use crate::now_ns;

pub(crate) type Level = (Price, Qty);
/// The best bid and the best ask.
pub(crate) type BestLevels = [Option<Level>; 2];

/// One WebSocket, as the publisher sees it.
#[derive(Debug)]
pub(crate) struct Client {
    queue: mpsc::Sender<Utf8Bytes>,
    /// Tells the connection that it is cut.
    pub(crate) cut: Notify,
    /// Whether it wants each payload with the name of its stream.
    pub(crate) combined: AtomicBool,
    pub(crate) unit: TimeUnit,
}
impl Client {
    pub(crate) fn new(
        queue_max: usize,
        combined: bool,
        unit: TimeUnit,
    ) -> (Arc<Self>, mpsc::Receiver<Utf8Bytes>) {
        let (queue, messages) = mpsc::channel(queue_max);
        let (cut, combined) = (Notify::new(), AtomicBool::new(combined));
        (Arc::new(Self { queue, cut, combined, unit }), messages)
    }

    pub(crate) fn queue_max(&self) -> usize {
        self.queue.max_capacity()
    }

    /// For who waits for its reader; `None` when the connection is gone.
    pub(crate) fn queue(&self) -> Option<mpsc::Sender<Utf8Bytes>> {
        (!self.queue.is_closed()).then(|| self.queue.clone())
    }

    /// `false` when the connection is gone, or is now being cut.
    pub(crate) fn push(&self, message: Utf8Bytes) -> bool {
        match self.queue.try_send(message) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Closed(_)) => false,
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.cut.notify_one();
                false
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Hub {
    /// Indexed by instrument id.
    feeds: Vec<Feed>,
    /// Of all markets together.
    overall: Overall,
    /// Instruments that changed in this batch.
    touched: Vec<InstrumentId>,
    rounds: [Round; ROUNDS],
    /// Where the command began whose events come now.
    command: u64,
    /// Woken when a round has something to send.
    wake: Arc<Notify>,
}

/// The streams of one speed.
#[derive(Debug)]
struct Round {
    speed: Speed,
    due: Option<Instant>,
    /// Instruments that changed since they were last sent.
    pending: Vec<InstrumentId>,
}

const ROUNDS: usize = 3;

const fn round_of(speed: Speed) -> usize {
    match speed {
        Speed::Ms100 => 0,
        Speed::Ms1000 => 1,
        Speed::Ms2000 => 2,
    }
}

/// One stream that somebody listens to.
#[derive(Debug)]
struct Readers {
    stream: Stream,
    clients: Vec<Arc<Client>>,
}

impl Hub {
    pub(crate) fn new(markets: &[Market]) -> Self {
        let round = |speed| Round { speed, due: None, pending: Vec::new() };
        let mut hub = Self {
            feeds: Vec::new(),
            overall: Overall::default(),
            touched: Vec::new(),
            rounds: [Speed::Ms100, Speed::Ms1000, Speed::Ms2000].map(round),
            command: 0,
            wake: Arc::new(Notify::new()),
        };
        markets.iter().for_each(|market| hub.list(*market));
        hub
    }

    /// Woken when something waits for [`Hub::flush`].
    pub(crate) fn wake(&self) -> Arc<Notify> {
        Arc::clone(&self.wake)
    }

    pub(crate) fn list(&mut self, market: Market) {
        debug_assert_eq!(market.instrument.id.0 as usize, self.feeds.len());
        self.feeds.push(Feed::new(market));
    }

    /// From here on the client gets these streams; those without an instrument are of all markets.
    /// What has a present state is sent at once.
    pub(crate) fn subscribe(
        &mut self,
        client: &Arc<Client>,
        streams: &[(Option<InstrumentId>, Stream)],
        views: &Views,
    ) {
        for (id, stream) in streams {
            let Some(id) = id else {
                self.overall.subscribe(client, stream);
                continue;
            };
            let Some(feed) = self.feeds.get_mut(id.0 as usize) else { continue };
            let Some(view) = views.instrument(*id) else { continue };
            feed.subscribe(client, stream, view);
            // The end of a candle is told though nothing happens.
            if let Some(round) = feed.round_to_wait_for(stream.kind) {
                self.rounds[round].await_round(feed, round);
                self.wake.notify_one();
            }
        }
    }

    pub(crate) fn unsubscribe(
        &mut self,
        client: &Arc<Client>,
        streams: &[(Option<InstrumentId>, Stream)],
    ) {
        for (id, stream) in streams {
            match id {
                None => self.overall.unsubscribe(client, stream),
                Some(id) => {
                    if let Some(feed) = self.feeds.get_mut(id.0 as usize) {
                        feed.unsubscribe(client, stream);
                    }
                }
            }
        }
    }

    pub(crate) fn event(&mut self, applied: &Applied, event: &Event, update: &BookUpdate) {
        if !applied.continues {
            self.command = applied.sequence;
        }
        let Some(feed) = self.feeds.get_mut(update.instrument.0 as usize) else { return };
        feed.event_ns = applied.sequenced_ns;
        let is_trade = matches!(event, Event::TradeExecuted(_));
        if is_trade && self.overall.has_readers() {
            self.overall.changed(update.instrument);
            self.rounds[round_of(Speed::Ms1000)].await_round(feed, round_of(Speed::Ms1000));
        }
        if !feed.has_readers() {
            return;
        }
        if let Event::TradeExecuted(trade) = event {
            feed.trade(self.command, trade);
        }
        if !feed.is_touched && (is_trade || update.level.is_some()) {
            feed.is_touched = true;
            self.touched.push(update.instrument);
        }
        let wants = feed.apply(update, is_trade);
        for (index, round) in self.rounds.iter_mut().enumerate() {
            if wants[index] {
                round.await_round(feed, index);
            }
        }
    }

    /// The views stand where the last event left them.
    pub(crate) fn batch_done(&mut self, views: &Views, now: Instant) {
        for id in std::mem::take(&mut self.touched) {
            let Some(feed) = self.feeds.get_mut(id.0 as usize) else { continue };
            feed.is_touched = false;
            if let Some(view) = views.instrument(id) {
                feed.batch_done(&view.book);
            }
        }
        if self.flush(views, now).is_some() {
            self.wake.notify_one();
        }
    }

    /// Sends what is due of the slower streams. Gives the time at which more will be.
    pub(crate) fn flush(&mut self, views: &Views, now: Instant) -> Option<Instant> {
        let mut next: Option<Instant> = None;
        for (index, round) in self.rounds.iter_mut().enumerate() {
            if round.pending.is_empty() {
                continue;
            }
            let due = round.due.unwrap_or(now);
            if due <= now {
                round.send(index, &mut self.feeds, views, now);
                if round.speed == Speed::Ms1000 {
                    self.overall.send(&self.feeds, views, now_ns());
                }
            }
            if !round.pending.is_empty() {
                let due = round.due.unwrap_or(now);
                next = Some(next.map_or(due, |next| next.min(due)));
            }
        }
        next
    }
}

impl Round {
    /// Has the feed sent with the next round.
    fn await_round(&mut self, feed: &mut Feed, index: usize) {
        if !feed.is_pending[index] {
            feed.is_pending[index] = true;
            self.pending.push(feed.market.instrument.id);
        }
    }

    fn send(&mut self, index: usize, feeds: &mut [Feed], views: &Views, now: Instant) {
        self.due = Some(now + Duration::from_millis(self.speed.interval_ms()));
        for id in std::mem::take(&mut self.pending) {
            let Some(feed) = feeds.get_mut(id.0 as usize) else { continue };
            feed.is_pending[index] = false;
            if let Some(view) = views.instrument(id)
                && feed.send(self.speed, view, now_ns())
            {
                self.await_round(feed, index);
            }
        }
    }
}

impl Readers {
    fn new(stream: Stream) -> Self {
        Self { stream, clients: Vec::new() }
    }

    /// Sends what is there now, if anything is, and goes on with what comes.
    fn add(&mut self, client: &Arc<Client>, present: impl FnOnce() -> Option<String>) {
        if self.clients.iter().any(|reader| Arc::ptr_eq(reader, client)) {
            return;
        }
        let combined = client.combined.load(Ordering::Relaxed);
        let taken = present()
            .is_none_or(|payload| client.push(form(&self.stream, payload, combined).into()));
        if taken {
            self.clients.push(Arc::clone(client));
        }
    }

    fn remove(&mut self, client: &Arc<Client>) {
        self.clients.retain(|reader| !Arc::ptr_eq(reader, client));
    }

    /// Forgets connections that are gone; `false` when nobody is left.
    fn keep_open(&mut self) -> bool {
        self.clients.retain(|reader| !reader.queue.is_closed());
        !self.clients.is_empty()
    }

    /// Gives everybody the payload in the form that he wants; who is gone or cut is forgotten.
    fn publish(&mut self, encode: impl Fn(TimeUnit) -> String) {
        let mut forms: [Option<Utf8Bytes>; 4] = [const { None }; 4];
        let stream = &self.stream;
        self.clients.retain(|reader| {
            let combined = reader.combined.load(Ordering::Relaxed);
            let in_us = reader.unit == TimeUnit::Microsecond;
            let shared = &mut forms[usize::from(combined) * 2 + usize::from(in_us)];
            let payload =
                shared.get_or_insert_with(|| form(stream, encode(reader.unit), combined).into());
            reader.push(payload.clone())
        });
    }
}

fn form(stream: &Stream, payload: String, combined: bool) -> String {
    match combined {
        true => stream::combined(stream, &payload),
        false => payload,
    }
}

pub(crate) fn best(book: &L2Book) -> BestLevels {
    [book.best_bid(), book.best_ask()].map(|level| level.map(|level| (level.price, level.qty)))
}

/// At most `limit` bids and as many asks, best first.
pub(crate) fn best_levels(book: &L2Book, limit: usize) -> [Vec<Level>; 2] {
    let pair = |level: marketdata::Level| (level.price, level.qty);
    let (bids, asks) = book.depth(limit);
    [bids.map(pair).collect(), asks.map(pair).collect()]
}
