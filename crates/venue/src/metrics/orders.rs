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
use types::{Command, Entry, Event, Fill, InstrumentId, OrderType, Origin, RejectReason, Symbol};

use crate::stages::Times;

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
    trades: BTreeMap<InstrumentId, (Symbol, u64)>,
    /// Displayed price levels of bids and asks, as of this scrape.
    depths: Vec<(Symbol, [u64; 2])>,
}

impl OrderFlow {
    /// The instruments before the publisher's first event.
    pub(crate) fn begin(&self, engine: &Engine) {
        let symbol = |of: &types::Instrument| (of.id, (of.spec.symbol, 0));
        self.counted().trades = engine.instruments().map(symbol).collect();
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
                if let Some((_, trades)) = self.counted().trades.get_mut(&trade.instrument) {
                    *trades += 1;
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
                let (id, symbol) = (listed.instrument.id, listed.instrument.spec.symbol);
                self.counted().trades.insert(id, (symbol, 0));
            }
            _ => {}
        }
    }

    pub(crate) fn set_depths(&self, depths: Vec<(Symbol, [u64; 2])>) {
        self.counted().depths = depths;
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
        for (symbol, levels) in &self.0.counted().depths {
            for (side, count) in ["bid", "ask"].into_iter().zip(levels) {
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

impl Collector for Prefixed {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let counted = self.0.counted();
        let help = "Orders, cancels and changes that a rule refused, by reason";
        let kind = MetricType::Counter;
        let mut family = encoder.encode_descriptor("orders_rejected", help, None, kind)?;
        for (reason, count) in &counted.rejected {
            let labels = [("reason", name(reason))];
            let mut metric = family.encode_family(&labels)?;
            metric.encode_counter::<NoLabelSet, u64, u64>(count, None)?;
        }
        let mut family = encoder.encode_descriptor("trades", "Trades", None, kind)?;
        for (symbol, count) in counted.trades.values() {
            let labels = [("symbol", symbol.as_str())];
            let mut metric = family.encode_family(&labels)?;
            metric.encode_counter::<NoLabelSet, u64, u64>(count, None)?;
        }
        Ok(())
    }
}

fn name(value: &impl fmt::Debug) -> String {
    format!("{value:?}")
}
