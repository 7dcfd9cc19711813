//! The streams: who listens to what, and the payloads as the market moves.
//!
//! Lives on the publisher's thread, between the book that it reads and the queues of the
//! connections. A payload is encoded once per stream and form, and shared by all its readers.
//!
//! # Invariants
//! - A queue that is full belongs to a reader that is too slow: it is cut, never waited for.
//! - Within one stream of depth, each delta begins one after the last, for every reader.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use marketdata::{BookUpdate, DepthAccumulator, DepthDelta, L2Book, PublicTrade, Views};
use protocol::binance::stream::{self, Speed, Stream, StreamKind};
use protocol::binance::{Market, TimeUnit};
use tokio::sync::{Notify, mpsc};
use types::{Event, InstrumentId, Price, Qty};

use crate::market::public_trade;

type Level = (Price, Qty);
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

    /// `false` when the connection is gone, or is now being cut.
    fn push(&self, message: Utf8Bytes) -> bool {
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
    /// Instruments that changed in this batch.
    touched: Vec<InstrumentId>,
    rounds: [Round; 2],
    /// Woken when a round has something to send.
    wake: Arc<Notify>,
}

/// The streams of depth of one speed.
#[derive(Debug)]
struct Round {
    speed: Speed,
    due: Option<Instant>,
    /// Instruments that changed since they were last sent.
    pending: Vec<InstrumentId>,
}

#[derive(Debug)]
struct Feed {
    market: Market,
    topics: Vec<Topic>,
    is_touched: bool,
    /// Whether it is among the pending ones of each round.
    is_pending: [bool; 2],
    /// The time of the last event.
    event_ns: u64,
}

/// One stream that somebody listens to.
#[derive(Debug)]
struct Topic {
    stream: Stream,
    source: Source,
    readers: Vec<Arc<Client>>,
}

#[derive(Debug)]
enum Source {
    Trade,
    BookTicker { last: BestLevels },
    Depth { speed: Speed, changes: DepthAccumulator },
    PartialDepth { speed: Speed, levels: usize, last: [Vec<Level>; 2] },
}

const fn round_of(speed: Speed) -> usize {
    match speed {
        Speed::Ms100 => 0,
        Speed::Ms1000 => 1,
    }
}

impl Hub {
    pub(crate) fn new(markets: &[Market]) -> Self {
        let round = |speed| Round { speed, due: None, pending: Vec::new() };
        let mut hub = Self {
            feeds: Vec::new(),
            touched: Vec::new(),
            rounds: [round(Speed::Ms100), round(Speed::Ms1000)],
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
        self.feeds.push(Feed {
            market,
            topics: Vec::new(),
            is_touched: false,
            is_pending: [false; 2],
            event_ns: 0,
        });
    }

    /// From here on the client gets these streams. What has a present state is sent at once.
    pub(crate) fn subscribe(
        &mut self,
        client: &Arc<Client>,
        streams: &[(InstrumentId, Stream)],
        views: &Views,
    ) {
        for (id, stream) in streams {
            let Some(feed) = self.feeds.get_mut(id.0 as usize) else { continue };
            let Some(view) = views.instrument(*id) else { continue };
            feed.subscribe(client, stream, &view.book);
        }
    }

    pub(crate) fn unsubscribe(&mut self, client: &Arc<Client>, streams: &[(InstrumentId, Stream)]) {
        for (id, stream) in streams {
            if let Some(feed) = self.feeds.get_mut(id.0 as usize) {
                feed.unsubscribe(client, stream);
            }
        }
    }

    pub(crate) fn event(&mut self, event_ns: u64, event: &Event, update: &BookUpdate) {
        let Some(feed) = self.feeds.get_mut(update.instrument.0 as usize) else { return };
        feed.event_ns = event_ns;
        if feed.topics.is_empty() {
            return;
        }
        if let Event::TradeExecuted(trade) = event {
            feed.trade(&PublicTrade::of(trade));
        }
        if update.level.is_none() {
            return;
        }
        let mut wants = [false; 2];
        for topic in &mut feed.topics {
            match &mut topic.source {
                Source::Trade => {}
                Source::BookTicker { .. } => {
                    if !feed.is_touched {
                        feed.is_touched = true;
                        self.touched.push(update.instrument);
                    }
                }
                Source::Depth { speed, changes } => {
                    changes.apply(update);
                    wants[round_of(*speed)] = true;
                }
                Source::PartialDepth { speed, .. } => wants[round_of(*speed)] = true,
            }
        }
        for (index, round) in self.rounds.iter_mut().enumerate() {
            if wants[index] && !feed.is_pending[index] {
                feed.is_pending[index] = true;
                round.pending.push(update.instrument);
            }
        }
    }

    /// The views stand where the last event left them.
    pub(crate) fn batch_done(&mut self, views: &Views, now: Instant) {
        for id in std::mem::take(&mut self.touched) {
            let Some(feed) = self.feeds.get_mut(id.0 as usize) else { continue };
            feed.is_touched = false;
            if let Some(view) = views.instrument(id) {
                feed.book_ticker(&view.book);
            }
        }
        if self.flush(views, now).is_some() {
            self.wake.notify_one();
        }
    }

    /// Sends the depth that is due. Gives the time at which more will be.
    pub(crate) fn flush(&mut self, views: &Views, now: Instant) -> Option<Instant> {
        let mut next: Option<Instant> = None;
        for (index, round) in self.rounds.iter_mut().enumerate() {
            if round.pending.is_empty() {
                continue;
            }
            let due = round.due.unwrap_or(now);
            if due > now {
                next = Some(next.map_or(due, |next| next.min(due)));
                continue;
            }
            round.due = Some(now + Duration::from_millis(round.speed.interval_ms()));
            for id in round.pending.drain(..) {
                let Some(feed) = self.feeds.get_mut(id.0 as usize) else { continue };
                feed.is_pending[index] = false;
                if let Some(view) = views.instrument(id) {
                    feed.depth(round.speed, &view.book);
                }
            }
        }
        next
    }
}

impl Feed {
    fn subscribe(&mut self, client: &Arc<Client>, stream: &Stream, book: &L2Book) {
        self.drop_idle();
        let index = self.topics.iter().position(|topic| topic.stream.kind == stream.kind);
        let index = index.unwrap_or_else(|| {
            let source = Source::new(stream.kind, book);
            self.topics.push(Topic { stream: *stream, source, readers: Vec::new() });
            self.topics.len() - 1
        });
        let topic = &mut self.topics[index];
        if topic.readers.iter().any(|reader| Arc::ptr_eq(reader, client)) {
            return;
        }
        let present = match &topic.source {
            Source::Trade | Source::Depth { .. } => None,
            Source::BookTicker { .. } => Some(encode_ticker(&self.market, book)),
            Source::PartialDepth { levels, .. } => {
                let [bids, asks] = best_levels(book, *levels);
                let update_id = book.last_update_id();
                Some(stream::partial_depth(&self.market, update_id, &bids, &asks))
            }
        };
        let taken = present.is_none_or(|payload| {
            let combined = client.combined.load(Ordering::Relaxed);
            client.push(form(&topic.stream, payload, combined).into())
        });
        if taken {
            topic.readers.push(Arc::clone(client));
        }
    }

    fn unsubscribe(&mut self, client: &Arc<Client>, stream: &Stream) {
        for topic in self.topics.iter_mut().filter(|topic| topic.stream.kind == stream.kind) {
            topic.readers.retain(|reader| !Arc::ptr_eq(reader, client));
        }
        self.drop_idle();
    }

    /// Forgets connections that are gone and streams that nobody listens to.
    fn drop_idle(&mut self) {
        for topic in &mut self.topics {
            topic.readers.retain(|reader| !reader.queue.is_closed());
        }
        self.topics.retain(|topic| !topic.readers.is_empty());
    }

    fn trade(&mut self, trade: &PublicTrade) {
        let trade = public_trade(trade);
        for topic in &mut self.topics {
            if matches!(topic.source, Source::Trade) {
                let (market, event_ns) = (&self.market, self.event_ns);
                publish(&topic.stream, &mut topic.readers, |unit| {
                    stream::trade(market, event_ns, unit, &trade)
                });
            }
        }
    }

    fn book_ticker(&mut self, book: &L2Book) {
        let now = best(book);
        for topic in &mut self.topics {
            if let Source::BookTicker { last } = &mut topic.source
                && *last != now
            {
                *last = now;
                let market = &self.market;
                publish(&topic.stream, &mut topic.readers, |_| encode_ticker(market, book));
            }
        }
    }

    /// Sends the depth of one speed.
    fn depth(&mut self, at: Speed, book: &L2Book) {
        let (market, event_ns) = (&self.market, self.event_ns);
        for Topic { stream, source, readers } in &mut self.topics {
            match source {
                Source::Depth { speed, changes } if *speed == at => {
                    let Some(delta) = changes.take(book) else { continue };
                    publish(stream, readers, |unit| encode_delta(market, event_ns, unit, &delta));
                }
                Source::PartialDepth { speed, levels, last } if *speed == at => {
                    let now = best_levels(book, *levels);
                    if *last == now {
                        continue;
                    }
                    let update_id = book.last_update_id();
                    publish(stream, readers, |_| {
                        stream::partial_depth(market, update_id, &now[0], &now[1])
                    });
                    *last = now;
                }
                _ => {}
            }
        }
        self.drop_idle();
    }
}

impl Source {
    fn new(kind: StreamKind, book: &L2Book) -> Self {
        match kind {
            StreamKind::Trade => Self::Trade,
            StreamKind::BookTicker => Self::BookTicker { last: best(book) },
            StreamKind::Depth(speed) => Self::Depth { speed, changes: DepthAccumulator::new(book) },
            StreamKind::PartialDepth(levels, speed) => {
                let levels = usize::from(levels);
                Self::PartialDepth { speed, levels, last: best_levels(book, levels) }
            }
        }
    }
}

/// Gives everybody the payload in the form that he wants; who is gone or cut is forgotten.
fn publish(stream: &Stream, readers: &mut Vec<Arc<Client>>, encode: impl Fn(TimeUnit) -> String) {
    let mut forms: [Option<Utf8Bytes>; 4] = [const { None }; 4];
    readers.retain(|reader| {
        let combined = reader.combined.load(Ordering::Relaxed);
        let in_us = reader.unit == TimeUnit::Microsecond;
        let shared = &mut forms[usize::from(combined) * 2 + usize::from(in_us)];
        let payload =
            shared.get_or_insert_with(|| form(stream, encode(reader.unit), combined).into());
        reader.push(payload.clone())
    });
}

fn form(stream: &Stream, payload: String, combined: bool) -> String {
    match combined {
        true => stream::combined(stream, &payload),
        false => payload,
    }
}

fn encode_delta(market: &Market, event_ns: u64, unit: TimeUnit, delta: &DepthDelta) -> String {
    let (first, last) = (delta.first_update_id, delta.last_update_id);
    stream::depth_update(market, event_ns, unit, first, last, &delta.bids, &delta.asks)
}

fn encode_ticker(market: &Market, book: &L2Book) -> String {
    let [bid, ask] = best(book);
    stream::book_ticker(market, book.last_update_id(), bid, ask)
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
