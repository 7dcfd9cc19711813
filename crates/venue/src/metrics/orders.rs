//! Orders and trades, counted, with their latency and the depth of the books.
//!
//! Four of these have names without a prefix: dashboards of other venues know them so.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::Engine;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;
use types::{
    Asset, AssetId, Command, Entry, Event, Fill, Instrument, InstrumentId, InstrumentSpec,
    OrderType, Origin, PhaseCause, RejectReason, Symbol,
};

use crate::metrics::SYMBOLS_MAX;
use crate::metrics::exposition::{Exposition, MetricSource};
use crate::stages::Times;

const SIDES: [&str; 2] = ["bid", "ask"];

/// What the submitters, the publisher's thread and the gateway count, and scrapes read.
#[derive(Debug, Default)]
pub(crate) struct OrderFlow {
    received: [[AtomicU64; OrderType::ALL.len()]; Origin::ALL.len()],
    /// From the first byte of an order to the last of its answer.
    latency: [Times; Origin::ALL.len()],
    /// Orders that traded for the first time.
    matched: AtomicU64,
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    rejected: Vec<(RejectReason, u64)>,
    markets: BTreeMap<InstrumentId, Traded>,
    assets: Vec<Asset>,
    /// As of this scrape.
    books: Vec<BookFigures>,
}

#[derive(Debug)]
struct Traded {
    symbol: Symbol,
    quote: AssetId,
    trades: u64,
    /// In the quote asset's smallest units.
    traded_minor: i128,
    breaches: u64,
}

impl Traded {
    fn of(instrument: &Instrument) -> (InstrumentId, Self) {
        let InstrumentSpec { symbol, quote, .. } = instrument.spec;
        (instrument.id, Self { symbol, quote, trades: 0, traded_minor: 0, breaches: 0 })
    }
}

impl Traded {
    fn quote_amount(&self, assets: &[Asset]) -> f64 {
        let quote = assets.get(usize::from(self.quote.0));
        let decimals = quote.map_or(0, |quote| i32::from(quote.decimals));
        self.traded_minor as f64 / 10_f64.powi(decimals)
    }
}

/// The displayed book of an instrument; of bids, then of asks.
#[derive(Clone, Copy, Debug)]
pub struct BookFigures {
    pub symbol: Symbol,
    pub levels: [u64; 2],
    pub orders: [u64; 2],
    /// `None` without a bid and an ask.
    pub spread_ticks: Option<i64>,
}

impl OrderFlow {
    /// The instruments before the publisher's first event.
    pub(crate) fn begin(&self, engine: &Engine) {
        let mut counted = self.counted();
        counted.markets = engine.instruments().map(Traded::of).collect();
        counted.assets = engine.assets().to_vec();
    }

    /// Counts the orders of a command that was submitted.
    pub(crate) fn received(&self, entry: &Entry) {
        let of_way = &self.received[usize::from(entry.envelope.origin.number())];
        let count = |order_type: OrderType| {
            of_way[usize::from(order_type.number())].fetch_add(1, Ordering::Relaxed);
        };
        match &entry.command {
            Command::NewOrder(order) => count(order.order_type),
            Command::ReplaceOrder(replace) => count(replace.order.order_type),
            Command::NewOrderList(list) => {
                list.orders.iter().for_each(|order| count(order.order_type));
            }
            _ => {}
        }
    }

    pub(crate) fn answered(&self, way: Origin, time: Duration) {
        self.latency[usize::from(way.number())].observe(time, 1);
    }

    /// Counts an event. An operator's refusal is none of an order.
    pub(crate) fn apply(&self, event: &Event, is_operators: bool) {
        match event {
            Event::TradeExecuted(trade) => {
                let is_first = |fill: &&Fill| fill.order.cum_qty == trade.qty;
                let firsts = [&trade.maker, &trade.taker].into_iter().filter(is_first).count();
                self.matched.fetch_add(firsts as u64, Ordering::Relaxed);
                if let Some(market) = self.counted().markets.get_mut(&trade.instrument) {
                    market.trades += 1;
                    market.traded_minor += trade.quote.minor();
                }
            }
            Event::CommandRejected(refused) if !is_operators => {
                let mut counted = self.counted();
                let known = counted.rejected.iter_mut().find(|of| of.0 == refused.reason);
                match known {
                    Some((_, count)) => *count += 1,
                    None => counted.rejected.push((refused.reason, 1)),
                }
            }
            Event::InstrumentListed(listed) => {
                self.counted().markets.extend([Traded::of(&listed.instrument)]);
            }
            Event::AssetListed(listed) => self.counted().assets.push(listed.asset),
            Event::PhaseChanged(changed) if changed.cause == PhaseCause::BandBreached => {
                if let Some(market) = self.counted().markets.get_mut(&changed.instrument) {
                    market.breaches += 1;
                }
            }
            _ => {}
        }
    }

    pub(crate) fn set_books(&self, books: Vec<BookFigures>) {
        self.counted().books = books;
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names without a prefix.
#[derive(Debug)]
pub(crate) struct Bare(pub(crate) Arc<OrderFlow>);

impl Collector for Bare {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let OrderFlow { received, latency, matched, .. } = &*self.0;
        let help = "Orders submitted to the venue, by the way they came and their type";
        let kind = MetricType::Counter;
        let mut family = encoder.encode_descriptor("orders_received", help, None, kind)?;
        for (way, of_way) in Origin::ALL.iter().zip(received) {
            for (order_type, count) in OrderType::ALL.iter().zip(of_way) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let labels = [("way", name(way)), ("type", name(order_type))];
                    let mut metric = family.encode_family(&labels)?;
                    metric.encode_counter::<NoLabelSet, u64, u64>(&count, None)?;
                }
            }
        }
        let help = "Orders that traded, counted with their first trade";
        let mut metric = encoder.encode_descriptor("orders_matched", help, None, kind)?;
        let matched = matched.load(Ordering::Relaxed);
        metric.encode_counter::<NoLabelSet, u64, u64>(&matched, None)?;

        let help =
            "From the first byte of a single accepted order to the last of its answer, by way";
        let (unit, kind) = (Unit::Seconds, MetricType::Histogram);
        let mut family = encoder.encode_descriptor("order_latency", help, Some(&unit), kind)?;
        for way in [Origin::Rest, Origin::WebSocket] {
            let times = &latency[usize::from(way.number())];
            times.encode(family.encode_family(&[("way", name(&way))])?)?;
        }

        let help = "Displayed price levels of a side of the book";
        let kind = MetricType::Gauge;
        let mut family = encoder.encode_descriptor("current_orderbook_depth", help, None, kind)?;
        for BookFigures { symbol, levels, .. } in &self.0.counted().books {
            for (side, count) in SIDES.into_iter().zip(levels) {
                let labels = [("symbol", symbol.as_str()), ("side", side)];
                family.encode_family(&labels)?.encode_gauge(count)?;
            }
        }
        Ok(())
    }
}

/// The names with the venue's prefix.
#[derive(Debug)]
pub(crate) struct Prefixed(pub(crate) Arc<OrderFlow>);

impl MetricSource for Prefixed {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let guard = self.0.counted();
        let counted = &*guard;
        let help = "Orders, cancels and changes that a rule refused, by reason";
        let rejected = counted.rejected.iter();
        let rejected = rejected.map(|(reason, count)| ([("reason", name(reason))], *count));
        out.counters("orders_rejected", help, rejected)?;
        let labeled = |of: &Traded| [("symbol", of.symbol.as_str().to_owned())];
        let markets = || counted.markets.values().take(SYMBOLS_MAX);
        out.counters("trades", "Trades", markets().map(|of| (labeled(of), of.trades)))?;
        let help = "Value of the trades, in the quote asset of the symbol";
        let traded = markets().map(|of| (labeled(of), of.quote_amount(&counted.assets)));
        out.counters("traded_quote", help, traded)?;
        let help = "Trades that the price bands stopped";
        out.counters("band_breaches", help, markets().map(|of| (labeled(of), of.breaches)))?;
        let orders = counted.books.iter().flat_map(|BookFigures { symbol, orders, .. }| {
            let sides = SIDES.into_iter().zip(orders);
            sides.map(|(side, count)| ([("symbol", symbol.as_str()), ("side", side)], *count))
        });
        out.gauges("open_orders", "Orders that a side of the book displays", orders)?;
        let spreads = counted
            .books
            .iter()
            .filter_map(|book| Some(([("symbol", book.symbol.as_str())], book.spread_ticks?)));
        out.gauges("spread_ticks", "Best ask less best bid, in ticks", spreads)
    }
}

fn name(value: &impl fmt::Debug) -> String {
    format!("{value:?}")
}
