//! The streams of one market.

use std::sync::Arc;

use marketdata::{
    AggTrades, BookUpdate, DepthAccumulator, DepthDelta, InstrumentView, L2Book, PublicTrade,
};
use protocol::binance::stream::{self, AuctionResult, RollingWindow, Speed, Stream, StreamKind};
use protocol::signed::TimeUnit;
use types::{AggTrade, Interval, Market, Price, TradeExecuted};

use crate::binance::hub::readers::StreamReaders;
use crate::binance::stream_client::StreamClient;
use crate::binance::ticker::public_trade;
use crate::binance::ticker::{average, avg_price_mins, statistics, statistics_of_day};
use crate::clock::now_ns;
use crate::feed::live_candle::{CandleUpdate, LiveCandle};
use crate::feed::quote::{BestLevels, PriceLevel, best, best_levels};

/// The rounds of a hub, one for each speed.
pub(super) const ROUNDS: usize = 4;

pub(super) const fn round_of(speed: Speed) -> usize {
    match speed {
        Speed::Ms20 => 0,
        Speed::Ms100 => 1,
        Speed::Ms1000 => 2,
        Speed::Ms2000 => 3,
    }
}

#[derive(Debug)]
pub(super) struct MarketFeed {
    pub(super) market: Market,
    topics: Vec<Topic>,
    agg_trades: AggTrades,
    pub(super) is_touched: bool,
    /// Whether the market is pending in each round.
    pub(super) is_pending: [bool; ROUNDS],
    /// The time of the newest event.
    pub(super) event_ns: u64,
    /// Of the running auction, or of the last one, with its time.
    auction: Option<(u64, AuctionResult)>,
}

/// One stream: its readers, and the state that its next payload depends on.
#[derive(Debug)]
struct Topic {
    readers: StreamReaders,
    source: StreamSource,
}

#[derive(Debug)]
enum StreamSource {
    Trade,
    AggTrade,
    BookTicker { last: BestLevels },
    Depth { speed: Speed, changes: DepthAccumulator },
    PartialDepth { speed: Speed, levels: usize, last: [Vec<PriceLevel>; 2] },
    Kline(LiveCandle),
    Ticker(TickerKind),
    AvgPrice { last: Option<Price> },
    Auction,
}

/// The period and detail of a ticker.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TickerKind {
    Day,
    Mini,
    Rolling(RollingWindow),
}

const NS_PER_HOUR: u64 = 3_600_000_000_000;

impl TickerKind {
    pub(super) fn of(kind: StreamKind) -> Option<Self> {
        match kind {
            StreamKind::Ticker => Some(Self::Day),
            StreamKind::MiniTicker => Some(Self::Mini),
            StreamKind::RollingTicker(window) => Some(Self::Rolling(window)),
            _ => None,
        }
    }

    pub(super) fn encode(
        self,
        market: &Market,
        view: &InstrumentView,
        now_ns: u64,
        unit: TimeUnit,
    ) -> String {
        match self {
            Self::Day => stream::day_ticker(market, unit, &statistics_of_day(view, now_ns)),
            Self::Mini => stream::mini_ticker(market, unit, &statistics_of_day(view, now_ns)),
            Self::Rolling(window) => {
                let from_ns = now_ns.saturating_sub(window.hours() * NS_PER_HOUR);
                let statistics = statistics(view, from_ns, now_ns);
                stream::rolling_ticker(market, unit, window, &statistics)
            }
        }
    }
}

impl MarketFeed {
    pub(super) fn new(market: Market) -> Self {
        Self {
            market,
            topics: Vec::new(),
            agg_trades: AggTrades::default(),
            is_touched: false,
            is_pending: [false; ROUNDS],
            event_ns: 0,
            auction: None,
        }
    }

    pub(super) fn has_readers(&self) -> bool {
        !self.topics.is_empty()
    }

    pub(super) fn subscription_count(&self) -> usize {
        self.topics.iter().map(|topic| topic.readers.count()).sum()
    }

    pub(super) fn subscribe(
        &mut self,
        client: &Arc<StreamClient>,
        stream: &Stream,
        view: &InstrumentView,
    ) {
        self.drop_idle();
        let index = self.topics.iter().position(|topic| topic.readers.stream.kind == stream.kind);
        let index = index.or_else(|| {
            let source = StreamSource::new(stream.kind, view)?;
            self.topics.push(Topic { readers: StreamReaders::new(*stream), source });
            Some(self.topics.len() - 1)
        });
        let Some(index) = index else { return };
        let (market, event_ns) = (&self.market, self.event_ns);
        let Topic { readers, source } = &mut self.topics[index];
        readers.add(client, || match source {
            StreamSource::Auction => self
                .auction
                .map(|(event_ns, result)| stream::auction(market, event_ns, client.unit, &result)),
            _ => source.present(market, event_ns, client.unit, view),
        });
    }

    pub(super) fn unsubscribe(&mut self, client: &Arc<StreamClient>, stream: &Stream) {
        let of_kind = |topic: &&mut Topic| topic.readers.stream.kind == stream.kind;
        self.topics.iter_mut().filter(of_kind).for_each(|topic| topic.readers.remove(client));
        self.drop_idle();
    }

    /// Removes closed connections, and streams without readers.
    fn drop_idle(&mut self) {
        self.topics.retain_mut(|topic| topic.readers.keep_open());
    }

    /// The round that publishes the end of an open candle.
    pub(super) fn round_to_wait_for(&self, kind: StreamKind) -> Option<usize> {
        let topic = self.topics.iter().find(|topic| topic.readers.stream.kind == kind)?;
        match &topic.source {
            StreamSource::Kline(kline) if kline.is_open() => Some(round_of(kline_speed(kline))),
            _ => None,
        }
    }

    /// Publishes the result of an auction at once.
    pub(super) fn auction(&mut self, result: AuctionResult) {
        let (market, event_ns) = (&self.market, self.event_ns);
        self.auction = Some((event_ns, result));
        for Topic { readers, source } in &mut self.topics {
            if matches!(source, StreamSource::Auction) {
                readers.publish(|unit| stream::auction(market, event_ns, unit, &result));
            }
        }
    }

    /// An auction that ended without a result leaves none for a new reader.
    pub(super) fn phase_changed(&mut self) {
        if !self.market.trading.phase.is_auction() {
            self.auction = self.auction.filter(|(_, result)| result.is_final);
        }
    }

    /// Publishes a trade at once, and adds it to candles and aggregate trades.
    pub(super) fn trade(&mut self, command: u64, executed: &TradeExecuted) {
        let (market, event_ns) = (&self.market, self.event_ns);
        let seen = PublicTrade::of(executed);
        let mut wants_agg_trades = false;
        for Topic { readers, source } in &mut self.topics {
            match source {
                StreamSource::Trade => {
                    let trade = public_trade(&seen);
                    readers.publish(|unit| stream::trade(market, event_ns, unit, &trade));
                }
                StreamSource::AggTrade => wants_agg_trades = true,
                StreamSource::Kline(kline) => {
                    if let Some(closed) = kline.trade(&seen) {
                        publish_kline(readers, market, event_ns, kline, (closed, true));
                    }
                }
                _ => {}
            }
        }
        if wants_agg_trades && let Some(complete) = self.agg_trades.push(command, executed) {
            self.agg_trade(&complete);
        }
    }

    fn agg_trade(&mut self, trade: &AggTrade) {
        let (market, event_ns) = (&self.market, self.event_ns);
        for Topic { readers, source } in &mut self.topics {
            if matches!(source, StreamSource::AggTrade) {
                readers.publish(|unit| stream::agg_trade(market, event_ns, unit, trade));
            }
        }
    }

    /// Records a change. Returns the rounds that must publish because of it.
    pub(super) fn apply(&mut self, update: &BookUpdate, is_trade: bool) -> [bool; ROUNDS] {
        let is_level = update.level.is_some();
        let mut wants = [false; ROUNDS];
        for topic in &mut self.topics {
            let speed = match &mut topic.source {
                StreamSource::Depth { speed, changes } if is_level => {
                    changes.apply(update);
                    *speed
                }
                StreamSource::PartialDepth { speed, .. } if is_level => *speed,
                StreamSource::Ticker(TickerKind::Day) if is_level || is_trade => Speed::Ms1000,
                StreamSource::Ticker(_) | StreamSource::AvgPrice { .. } if is_trade => {
                    Speed::Ms1000
                }
                StreamSource::Kline(kline) if is_trade => kline_speed(kline),
                _ => continue,
            };
            wants[round_of(speed)] = true;
        }
        wants
    }

    /// Publishes the streams that publish with each batch.
    pub(super) fn batch_done(&mut self, book: &L2Book) {
        if let Some(complete) = self.agg_trades.take() {
            self.agg_trade(&complete);
        }
        let (market, now) = (&self.market, best(book));
        for Topic { readers, source } in &mut self.topics {
            if let StreamSource::BookTicker { last } = source
                && *last != now
            {
                *last = now;
                readers.publish(|_| encode_ticker(market, book));
            }
        }
    }

    /// Publishes the streams of one speed. Returns whether an open candle needs the next round.
    pub(super) fn send(&mut self, at: Speed, view: &InstrumentView, now_ns: u64) -> bool {
        let (market, event_ns, book) = (&self.market, self.event_ns, &view.book);
        let mut goes_on = false;
        for Topic { readers, source } in &mut self.topics {
            match source {
                StreamSource::Depth { speed, changes } if *speed == at => {
                    let Some(delta) = changes.take(book) else { continue };
                    readers.publish(|unit| encode_delta(market, event_ns, unit, &delta));
                }
                StreamSource::PartialDepth { speed, levels, last } if *speed == at => {
                    let now = best_levels(book, *levels);
                    if *last == now {
                        continue;
                    }
                    let update_id = book.last_update_id();
                    readers.publish(|_| stream::partial_depth(market, update_id, &now[0], &now[1]));
                    *last = now;
                }
                StreamSource::Kline(kline) if kline_speed(kline) == at => {
                    if let Some(update) = kline.take(now_ns) {
                        publish_kline(readers, market, now_ns, kline, update);
                    }
                    goes_on |= kline.is_open();
                }
                StreamSource::Ticker(ticker) if at == Speed::Ms1000 => {
                    readers.publish(|unit| ticker.encode(market, view, now_ns, unit));
                }
                StreamSource::AvgPrice { last } if at == Speed::Ms1000 => {
                    let now = average(market, view, now_ns);
                    if *last != now {
                        *last = now;
                        readers.publish(|unit| encode_average(market, view, now_ns, unit));
                    }
                }
                _ => {}
            }
        }
        self.drop_idle();
        goes_on && self.has_readers()
    }
}

impl StreamSource {
    /// None for the streams that cover all markets.
    fn new(kind: StreamKind, view: &InstrumentView) -> Option<Self> {
        let book = &view.book;
        Some(match kind {
            StreamKind::Trade => Self::Trade,
            StreamKind::AggTrade => Self::AggTrade,
            StreamKind::BookTicker => Self::BookTicker { last: best(book) },
            StreamKind::Depth(speed) => Self::Depth { speed, changes: DepthAccumulator::new(book) },
            StreamKind::PartialDepth(levels, speed) => {
                let levels = usize::from(levels);
                Self::PartialDepth { speed, levels, last: best_levels(book, levels) }
            }
            StreamKind::Kline(interval, zone) => {
                Self::Kline(LiveCandle::new((interval, zone), view, now_ns()))
            }
            StreamKind::Ticker => Self::Ticker(TickerKind::Day),
            StreamKind::MiniTicker => Self::Ticker(TickerKind::Mini),
            StreamKind::RollingTicker(window) => Self::Ticker(TickerKind::Rolling(window)),
            StreamKind::AvgPrice => Self::AvgPrice { last: None },
            StreamKind::Auction => Self::Auction,
            StreamKind::Status => return None,
        })
    }

    /// The first payload of a new subscriber, if the stream has a current state.
    fn present(
        &self,
        market: &Market,
        event_ns: u64,
        unit: TimeUnit,
        view: &InstrumentView,
    ) -> Option<String> {
        match self {
            Self::Trade | Self::AggTrade | Self::Depth { .. } | Self::Auction => None,
            Self::BookTicker { .. } => Some(encode_ticker(market, &view.book)),
            Self::PartialDepth { levels, .. } => {
                let [bids, asks] = best_levels(&view.book, *levels);
                let update_id = view.book.last_update_id();
                Some(stream::partial_depth(market, update_id, &bids, &asks))
            }
            Self::Kline(kline) => {
                let (interval, zone) = kline.of();
                let candle = view.statistics.candle(interval, zone, now_ns())?;
                let of = (interval, zone);
                Some(stream::kline(market, event_ns, unit, &candle, of, false))
            }
            Self::Ticker(ticker) => Some(ticker.encode(market, view, now_ns(), unit)),
            Self::AvgPrice { .. } => Some(encode_average(market, view, now_ns(), unit)),
        }
    }
}

fn kline_speed(kline: &LiveCandle) -> Speed {
    match kline.of() {
        (Interval::Second1, _) => Speed::Ms1000,
        _ => Speed::Ms2000,
    }
}

fn publish_kline(
    readers: &mut StreamReaders,
    market: &Market,
    event_ns: u64,
    kline: &LiveCandle,
    (candle, is_closed): CandleUpdate,
) {
    let of = kline.of();
    readers.publish(|unit| stream::kline(market, event_ns, unit, &candle, of, is_closed));
}

fn encode_delta(market: &Market, event_ns: u64, unit: TimeUnit, delta: &DepthDelta) -> String {
    let (first, last) = (delta.first_update_id, delta.last_update_id);
    stream::depth_update(market, event_ns, unit, first, last, &delta.bids, &delta.asks)
}

fn encode_ticker(market: &Market, book: &L2Book) -> String {
    let [bid, ask] = best(book);
    stream::book_ticker(market, book.last_update_id(), bid, ask)
}

fn encode_average(market: &Market, view: &InstrumentView, now_ns: u64, unit: TimeUnit) -> String {
    let (mins, price) = (avg_price_mins(market), average(market, view, now_ns));
    let last_ns = view.trades.last().map_or(0, |trade| trade.traded_ns);
    stream::avg_price(market, now_ns, unit, mins, price, last_ns)
}
