//! Books and candles as they are: each reader gets the latest state, and a slow one fewer of them.
//!
//! One deadline serves all: instruments that changed are published together, once in
//! [`EVERY`].

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use marketdata::{BookUpdate, InstrumentView, L2Book, PublicTrade, Views};
use tokio::sync::watch;
use types::{Candle, Event, InstrumentId, Interval, TimeZone};

use crate::clock::now_ns;
use crate::feed::live_candle::LiveCandle;
use crate::feed::quote::{PriceLevel, best_levels};

const EVERY: Duration = Duration::from_millis(20);
/// Books are made with these numbers of levels, and cut for those that want fewer.
const LEVELS: [usize; 5] = [5, 20, 100, 500, LEVELS_MAX];
pub(super) const LEVELS_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Live {
    markets: HashMap<InstrumentId, LiveMarket>,
    flushed: Option<Instant>,
    due: Option<Instant>,
}

#[derive(Debug, Default)]
struct LiveMarket {
    books: Vec<BookFeed>,
    candles: Vec<CandleFeed>,
    is_book_changed: bool,
}

#[derive(Debug)]
struct BookFeed {
    levels: usize,
    sender: watch::Sender<Arc<BookState>>,
}

#[derive(Debug)]
struct CandleFeed {
    live: LiveCandle,
    sender: watch::Sender<CandleState>,
}

#[derive(Debug)]
pub(super) struct BookState {
    pub(super) update_id: u64,
    pub(super) bids: Vec<PriceLevel>,
    pub(super) asks: Vec<PriceLevel>,
}

/// The candle that was closed last, and the one that is open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CandleState {
    pub(super) closed: Option<Candle>,
    pub(super) open: Option<Candle>,
}

impl BookState {
    pub(super) fn of(book: &L2Book, levels: usize) -> Self {
        let [bids, asks] = best_levels(book, levels);
        Self { update_id: book.last_update_id(), bids, asks }
    }
}

impl Live {
    pub(super) fn is_idle(&self) -> bool {
        self.markets.is_empty()
    }

    pub(super) fn subscribe_book(
        &mut self,
        id: InstrumentId,
        book: &L2Book,
        levels: usize,
    ) -> watch::Receiver<Arc<BookState>> {
        let levels = LEVELS.into_iter().find(|made| *made >= levels).unwrap_or(LEVELS_MAX);
        let market = self.markets.entry(id).or_default();
        market.remove_unread();
        match market.books.iter().find(|feed| feed.levels == levels) {
            Some(feed) => feed.sender.subscribe(),
            None => {
                let (sender, receiver) = watch::channel(Arc::new(BookState::of(book, levels)));
                market.books.push(BookFeed { levels, sender });
                receiver
            }
        }
    }

    pub(super) fn subscribe_candle(
        &mut self,
        id: InstrumentId,
        view: &InstrumentView,
        interval: Interval,
    ) -> watch::Receiver<CandleState> {
        let of = (interval, TimeZone::UTC);
        let market = self.markets.entry(id).or_default();
        market.remove_unread();
        if let Some(feed) = market.candles.iter().find(|feed| feed.live.of() == of) {
            return feed.sender.subscribe();
        }
        let live = LiveCandle::new(of, view, now_ns());
        let open = live.current();
        let (sender, receiver) = watch::channel(CandleState { closed: None, open });
        market.candles.push(CandleFeed { live, sender });
        // It may end without an event.
        self.await_flush(Instant::now());
        receiver
    }

    pub(super) fn event(&mut self, event: &Event, update: &BookUpdate) {
        let Some(market) = self.markets.get_mut(&update.instrument) else { return };
        let mut is_changed = update.level.is_some() && !market.books.is_empty();
        market.is_book_changed |= is_changed;
        if let Event::TradeExecuted(trade) = event {
            let trade = PublicTrade::of(trade);
            for CandleFeed { live, sender } in &mut market.candles {
                is_changed = true;
                if let Some(closed) = live.trade(&trade) {
                    sender.send_modify(|state| state.closed = Some(closed));
                }
            }
        }
        if is_changed {
            self.await_flush(Instant::now());
        }
    }

    fn await_flush(&mut self, now: Instant) {
        let earliest = self.flushed.map_or(now, |flushed| flushed + EVERY).max(now);
        self.due = Some(self.due.map_or(earliest, |due| due.min(earliest)));
    }

    /// Publishes what has changed, if that is due. Returns when the next is.
    pub(super) fn flush(&mut self, views: &Views, now: Instant) -> Option<Instant> {
        if self.due.is_none_or(|due| due > now) {
            return self.due;
        }
        (self.flushed, self.due) = (Some(now), None);
        let now_ns = now_ns();
        let mut next_end_ns: Option<u64> = None;
        self.markets.retain(|id, market| {
            market.remove_unread();
            if let Some(view) = views.instrument(*id) {
                market.flush(&view.book, now_ns);
            }
            let ends = market.candles.iter().filter_map(|feed| feed.live.end_ns());
            next_end_ns = ends.chain(next_end_ns).min();
            !market.books.is_empty() || !market.candles.is_empty()
        });
        if let Some(end_ns) = next_end_ns {
            let wait = Duration::from_nanos(end_ns.saturating_sub(now_ns)).max(EVERY);
            self.due = Some(now + wait);
        }
        self.due
    }
}

impl LiveMarket {
    fn remove_unread(&mut self) {
        self.books.retain(|feed| feed.sender.receiver_count() > 0);
        self.candles.retain(|feed| feed.sender.receiver_count() > 0);
    }

    fn flush(&mut self, book: &L2Book, now_ns: u64) {
        if std::mem::take(&mut self.is_book_changed) {
            for feed in &self.books {
                feed.sender.send_replace(Arc::new(BookState::of(book, feed.levels)));
            }
        }
        for CandleFeed { live, sender } in &mut self.candles {
            match live.take(now_ns) {
                Some((closed, true)) => sender.send_modify(|state| {
                    *state = CandleState { closed: Some(closed), open: None };
                }),
                Some((open, false)) => sender.send_modify(|state| state.open = Some(open)),
                None => {}
            }
        }
    }
}
