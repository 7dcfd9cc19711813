//! The streams of all markets together: tickers of those that changed, in one list.

use std::collections::BTreeSet;
use std::sync::Arc;

use marketdata::Views;
use protocol::binance::stream::Stream;
use protocol::signed::TimeUnit;
use types::InstrumentId;

use super::feed::{MarketFeed, TickerKind};
use super::readers::StreamReaders;
use crate::binance::stream_client::StreamClient;

#[derive(Debug, Default)]
pub(super) struct AllMarkets {
    topics: Vec<(TickerKind, StreamReaders)>,
    /// Instruments that traded since the last round.
    changed: BTreeSet<InstrumentId>,
}

impl AllMarkets {
    pub(super) fn has_readers(&self) -> bool {
        !self.topics.is_empty()
    }

    pub(super) fn subscription_count(&self) -> usize {
        self.topics.iter().map(|(_, readers)| readers.count()).sum()
    }

    pub(super) fn change(&mut self, client: &Arc<StreamClient>, stream: &Stream, begins: bool) {
        let Some(ticker) = TickerKind::of(stream.kind) else { return };
        self.drop_idle();
        let index = self.topics.iter().position(|(of, _)| *of == ticker);
        if begins {
            let index = index.unwrap_or_else(|| {
                self.topics.push((ticker, StreamReaders::new(*stream)));
                self.topics.len() - 1
            });
            self.topics[index].1.add(client, || None);
        } else if let Some(index) = index {
            self.topics[index].1.remove(client);
            self.drop_idle();
        }
    }

    pub(super) fn changed(&mut self, instrument: InstrumentId) {
        self.changed.insert(instrument);
    }

    pub(super) fn send(&mut self, feeds: &[MarketFeed], views: &Views, now_ns: u64) {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return;
        }
        for (ticker, readers) in &mut self.topics {
            let list = |unit: TimeUnit| {
                let one = |id: &InstrumentId| {
                    let (feed, view) = (feeds.get(id.0 as usize)?, views.instrument(*id)?);
                    Some(ticker.encode(&feed.market, view, now_ns, unit))
                };
                format!("[{}]", changed.iter().filter_map(one).collect::<Vec<_>>().join(","))
            };
            readers.publish(list);
        }
        self.drop_idle();
    }

    fn drop_idle(&mut self) {
        self.topics.retain_mut(|(_, readers)| readers.keep_open());
    }
}
