//! A venue's feed as the events of a recording.

use client::{BookLevel, Change, MarketChange};
use recorded::{Event, Kind};

use crate::instrument::Instrument;

/// The instruments of a feed, in its order.
pub(super) fn instruments(feed: &client::Feed) -> Vec<Instrument> {
    let named = feed.instruments().iter();
    named.map(|of| Instrument::new(of.symbol.clone(), of.tick, of.lot)).collect()
}

/// Appends the events of a change.
pub(super) fn append(market: &MarketChange, into: &mut Vec<Event>) {
    let void = Event::cleared(market.instrument, market.exchange_ns, market.local_ns);
    let levels = |kind| {
        move |BookLevel { side, price, qty }: &BookLevel| void.then(kind, *side, *price, *qty)
    };
    match &market.change {
        Change::Book(book) => {
            into.push(void);
            into.extend(book.iter().map(levels(Kind::SnapshotLevel)));
        }
        Change::Levels(changed) => into.extend(changed.iter().map(levels(Kind::Level))),
        Change::Trade { aggressor, price, qty } => {
            into.push(void.then(Kind::Trade, *aggressor, *price, *qty));
        }
        Change::Bar { open, high, low, close, volume } => {
            let event = |kind, price| Event { kind, price, quantity: *volume, ..void };
            into.push(event(Kind::Open, *open));
            into.push(event(Kind::High, *high));
            into.push(event(Kind::Low, *low));
            into.push(event(Kind::Close, *close));
        }
    }
}

/// Appends that the books of all instruments are void.
pub(super) fn append_loss(instruments: usize, at_ns: i64, into: &mut Vec<Event>) {
    into.extend((0..instruments as u16).map(|at| Event::cleared(at, at_ns, at_ns)));
}
