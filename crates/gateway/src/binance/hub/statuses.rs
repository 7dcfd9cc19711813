//! The stream of all markets' status: phases, halts, rules.

use std::sync::Arc;

use protocol::binance::stream::{self, StatusCause, Stream};
use protocol::signed::TimeUnit;
use types::{Event, InstrumentId, Market};

use super::feed::MarketFeed;
use super::readers::StreamReaders;
use crate::binance::stream_client::StreamClient;
use crate::clock::now_ns;

#[derive(Debug, Default)]
pub(super) struct Statuses {
    readers: Option<StreamReaders>,
    /// Of this batch.
    changes: Vec<StatusChange>,
}

/// A change of one market's status.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatusChange {
    /// After the change: the next one of the batch may change it again.
    pub(super) market: Market,
    pub(super) event_ns: u64,
    pub(super) cause: StatusCause,
}

/// What an event changes of markets' status, and of which; `None` for a market is all of them.
pub(crate) fn status_change(event: &Event) -> Option<(Option<InstrumentId>, StatusCause)> {
    Some(match event {
        Event::InstrumentListed(e) => (Some(e.instrument.id), StatusCause::Listed),
        Event::InstrumentUpdated(e) => (Some(e.instrument.id), StatusCause::Rules),
        Event::InstrumentRulesSet(e) => (Some(e.instrument), StatusCause::Rules),
        Event::FeeScheduleSet(e) => (Some(e.instrument), StatusCause::Rules),
        Event::CalendarSet(e) => (Some(e.calendar.instrument), StatusCause::Rules),
        Event::PhaseChanged(e) => (Some(e.instrument), StatusCause::Phase),
        Event::InstrumentDelisted(e) => (Some(e.instrument), StatusCause::Delisted),
        Event::VenueHalted(_) | Event::VenueResumed(()) => (None, StatusCause::Halt),
        _ => return None,
    })
}

impl Statuses {
    pub(super) fn subscription_count(&self) -> usize {
        self.readers.as_ref().map_or(0, StreamReaders::count)
    }

    /// A new reader gets the present status of each market.
    pub(super) fn change(
        &mut self,
        client: &Arc<StreamClient>,
        stream: &Stream,
        begins: bool,
        feeds: &[MarketFeed],
    ) {
        if begins {
            let present = |feed: &MarketFeed| {
                let (market, cause) = (&feed.market, StatusCause::Present);
                stream::symbol_status(market, now_ns(), client.unit, cause)
            };
            let readers = self.readers.get_or_insert_with(|| StreamReaders::new(*stream));
            readers.add(client, || Some(list(feeds.iter().map(present))));
        } else if let Some(readers) = &mut self.readers {
            readers.remove(client);
        }
        self.drop_idle();
    }

    pub(super) fn changed(&mut self, change: StatusChange) {
        if self.readers.is_some() {
            self.changes.push(change);
        }
    }

    /// Publishes the changes of a batch.
    pub(super) fn batch_done(&mut self) {
        let changes = std::mem::take(&mut self.changes);
        let Some(readers) = self.readers.as_mut().filter(|_| !changes.is_empty()) else { return };
        readers.publish(|unit: TimeUnit| {
            let one = |StatusChange { market, event_ns, cause }: &StatusChange| {
                stream::symbol_status(market, *event_ns, unit, *cause)
            };
            list(changes.iter().map(one))
        });
        self.drop_idle();
    }

    fn drop_idle(&mut self) {
        if self.readers.as_mut().is_some_and(|readers| !readers.keep_open()) {
            self.readers = None;
        }
    }
}

fn list(objects: impl Iterator<Item = String>) -> String {
    format!("[{}]", objects.collect::<Vec<_>>().join(","))
}
