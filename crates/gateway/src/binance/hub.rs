//! The market streams: their subscribers, and the payloads as the market moves.
//!
//! The listener owns the hub, on the publisher's thread. It reads the views and fills the queues of
//! the connections. A payload is encoded once for each stream and form, and all readers share it.
//!
//! # Invariants
//! - A full queue cuts its connection; the hub never waits.
//! - In a stream of depth, each delta begins right after the one before, for every reader.
//! - A candle is published as closed once, in the first round after its end.

mod all_markets;
mod feed;
pub(crate) mod inbox;
mod readers;
mod round;
mod statuses;

use std::time::Instant;

use marketdata::{BookUpdate, Views};
use protocol::binance::stream::{AuctionResult, Speed, StreamKind};
use spool::Applied;
use types::{AuctionIndicated, AuctionUncrossed, Event, InstrumentId, Market};

use self::all_markets::AllMarkets;
use self::feed::{MarketFeed, ROUNDS, round_of};
use self::inbox::SubscriptionChange;
use self::round::Round;
use self::statuses::{StatusChange, Statuses, status_change};
use crate::clock::now_ns;
use crate::door::directory::SharedDirectory;

#[derive(Debug)]
pub(crate) struct Hub {
    /// Indexed by instrument id.
    feeds: Vec<MarketFeed>,
    /// The streams that cover all markets.
    all_markets: AllMarkets,
    statuses: Statuses,
    /// Instruments that changed in this batch.
    touched: Vec<InstrumentId>,
    rounds: [Round; ROUNDS],
    /// Sequence at which the current command began.
    command: u64,
}

impl Hub {
    pub(crate) fn new(markets: &[Market]) -> Self {
        let round = |speed| Round { speed, due: None, pending: Vec::new() };
        let mut hub = Self {
            feeds: Vec::new(),
            all_markets: AllMarkets::default(),
            statuses: Statuses::default(),
            touched: Vec::new(),
            rounds: [Speed::Ms20, Speed::Ms100, Speed::Ms1000, Speed::Ms2000].map(round),
            command: 0,
        };
        markets.iter().for_each(|market| hub.list(*market));
        hub
    }

    pub(crate) fn list(&mut self, market: Market) {
        debug_assert_eq!(market.instrument.id.0 as usize, self.feeds.len());
        self.feeds.push(MarketFeed::new(market));
    }

    pub(crate) fn subscription_count(&self) -> usize {
        let of_markets: usize = self.feeds.iter().map(MarketFeed::subscription_count).sum();
        of_markets + self.all_markets.subscription_count() + self.statuses.subscription_count()
    }

    /// Subscribes or unsubscribes a client. A stream with a current state sends it at once.
    pub(crate) fn change(&mut self, change: &SubscriptionChange, views: &Views) {
        let SubscriptionChange { client, streams, begins } = change;
        for (id, stream) in streams {
            let Some(id) = id else {
                if stream.kind == StreamKind::Status {
                    self.statuses.change(client, stream, *begins, &self.feeds);
                } else {
                    self.all_markets.change(client, stream, *begins);
                }
                continue;
            };
            let Some(feed) = self.feeds.get_mut(id.0 as usize) else { continue };
            if !begins {
                feed.unsubscribe(client, stream);
                continue;
            }
            let Some(view) = views.instrument(*id) else { continue };
            feed.subscribe(client, stream, view);
            // A candle ends without an event.
            if let Some(round) = feed.round_to_wait_for(stream.kind) {
                self.rounds[round].await_round(feed, round);
            }
        }
    }

    /// Notes what an event changes of the markets, which are as they are after it.
    pub(crate) fn status(&mut self, applied: &Applied, event: &Event, directory: &SharedDirectory) {
        let Some((instrument, cause)) = status_change(event) else { return };
        let directory = directory.read();
        let all = directory.markets().iter();
        for market in all.filter(|market| instrument.is_none_or(|id| id == market.instrument.id)) {
            let id = market.instrument.id;
            let Some(feed) = self.feeds.get_mut(id.0 as usize) else { continue };
            feed.market = *market;
            if let Event::PhaseChanged(_) = event {
                feed.phase_changed();
            }
            let event_ns = applied.sequenced_ns;
            self.statuses.changed(StatusChange { market: *market, event_ns, cause });
        }
    }

    pub(crate) fn event(&mut self, applied: &Applied, event: &Event, update: &BookUpdate) {
        if !applied.continues {
            self.command = applied.sequence;
        }
        let Some(feed) = self.feeds.get_mut(update.instrument.0 as usize) else { return };
        feed.event_ns = applied.sequenced_ns;
        if let Some(result) = auction_result(event) {
            feed.auction(result);
        }
        let is_trade = matches!(event, Event::TradeExecuted(_));
        if is_trade && self.all_markets.has_readers() {
            self.all_markets.changed(update.instrument);
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

    /// Publishes after a batch; the views include its last event. Returns when the next payloads
    /// are due.
    pub(crate) fn batch_done(&mut self, views: &Views, now: Instant) -> Option<Instant> {
        for id in std::mem::take(&mut self.touched) {
            let Some(feed) = self.feeds.get_mut(id.0 as usize) else { continue };
            feed.is_touched = false;
            if let Some(view) = views.instrument(id) {
                feed.batch_done(&view.book);
            }
        }
        self.statuses.batch_done();
        self.flush(views, now)
    }

    /// Publishes the rounds that are due. Returns when the next one is.
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
                    self.all_markets.send(&self.feeds, views, now_ns());
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

fn auction_result(event: &Event) -> Option<AuctionResult> {
    match *event {
        Event::AuctionIndicated(AuctionIndicated {
            price, volume, surplus, surplus_side, ..
        }) => Some(AuctionResult { price, volume, surplus, surplus_side, is_final: false }),
        Event::AuctionUncrossed(AuctionUncrossed {
            price, volume, surplus, surplus_side, ..
        }) => {
            let price = Some(price);
            Some(AuctionResult { price, volume, surplus, surplus_side, is_final: true })
        }
        _ => None,
    }
}
