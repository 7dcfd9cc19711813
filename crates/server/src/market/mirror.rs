//! The feed of a running venue as the events of a recording.

use client::{BookLevel, Change, Client, Feed, FeedMessage, MarketChange};
use replay::market::{Event, Instrument, Kind, UnitFrom};

use crate::error::ServeError;
use crate::now_ns;
use crate::settings::market::Market as Settings;

/// Messages that are entered together, at most.
const TOGETHER_MAX: usize = 64;

#[derive(Debug)]
pub(crate) struct Mirror {
    url: String,
    feed: Feed,
    is_named: bool,
    is_lost: bool,
}

impl Mirror {
    /// Asks the venue for its instruments: those that the settings name, or all.
    pub(super) async fn open(url: &str, settings: &Settings) -> Result<Self, ServeError> {
        let failed =
            |error: client::Error| ServeError::new(format!("the market of {url}: {error}"));
        let client = if url.starts_with("https://") {
            let authorities = client::authorities(settings.ca.as_deref()).map_err(failed)?;
            Client::trusting(url, None, authorities)
        } else {
            Client::new(url, None)
        };
        let client = client.map_err(failed)?;
        // One without a symbol asks for all.
        let symbols: Option<Vec<String>> =
            settings.files.iter().map(|source| source.name.clone()).collect();
        let feed = Feed::open(client, &symbols.unwrap_or_default(), None).await.map_err(failed)?;
        Ok(Self { url: url.to_owned(), feed, is_named: false, is_lost: false })
    }

    pub(super) fn named(&mut self) -> Vec<Instrument> {
        if std::mem::replace(&mut self.is_named, true) {
            return Vec::new();
        }
        let instrument = |of: &client::FeedInstrument| Instrument {
            name: of.symbol.clone(),
            tick: of.tick,
            lot: of.lot,
            tick_from: UnitFrom::Given,
            lot_from: UnitFrom::Given,
        };
        self.feed.instruments().iter().map(instrument).collect()
    }

    /// What has arrived.
    pub(super) async fn next(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        let first = self.feed.next().await;
        self.take(first, &mut events);
        for _ in 1..TOGETHER_MAX {
            let Some(message) = self.feed.try_next() else { break };
            self.take(message, &mut events);
        }
        events
    }

    fn take(&mut self, message: FeedMessage, into: &mut Vec<Event>) {
        match message {
            FeedMessage::Market(market) => {
                if std::mem::take(&mut self.is_lost) {
                    tracing::info!(url = self.url, "the mirrored market is back");
                }
                append(&market, into);
            }
            FeedMessage::Lost { reason } => {
                // Each attempt that fails is another message.
                if !std::mem::replace(&mut self.is_lost, true) {
                    tracing::warn!(url = self.url, reason, "the mirrored market is lost");
                }
                // Clients must not trade at prices of the past.
                let at_ns = now_ns().cast_signed();
                let all = 0..self.feed.instruments().len() as u16;
                into.extend(all.map(|instrument| Event::cleared(instrument, at_ns, at_ns)));
            }
        }
    }
}

fn append(market: &MarketChange, into: &mut Vec<Event>) {
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
        // The feed is opened without them.
        Change::Bar { .. } => {}
    }
}
