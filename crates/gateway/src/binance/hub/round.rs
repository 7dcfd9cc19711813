//! The streams of one speed, and the time of their next payloads.

use std::time::{Duration, Instant};

use marketdata::Views;
use protocol::binance::stream::Speed;
use types::InstrumentId;

use crate::binance::hub::feed::MarketFeed;
use crate::clock::now_ns;

/// The most instruments of the fastest round: others wait for the next, so that no round keeps the
/// publisher's thread for long.
const FAST_MAX: usize = 200;

/// The streams of one speed.
#[derive(Debug)]
pub(super) struct Round {
    pub(super) speed: Speed,
    pub(super) due: Option<Instant>,
    /// Instruments that changed since the last round.
    pub(super) pending: Vec<InstrumentId>,
}

impl Round {
    /// Adds the market to the next round.
    pub(super) fn await_round(&mut self, feed: &mut MarketFeed, index: usize) {
        if !feed.is_pending[index] {
            feed.is_pending[index] = true;
            self.pending.push(feed.market.instrument.id);
        }
    }

    pub(super) fn send(
        &mut self,
        index: usize,
        feeds: &mut [MarketFeed],
        views: &Views,
        now: Instant,
    ) {
        self.due = Some(now + Duration::from_millis(self.speed.interval_ms()));
        for id in self.take() {
            let Some(feed) = feeds.get_mut(id.0 as usize) else { continue };
            feed.is_pending[index] = false;
            if let Some(view) = views.instrument(id)
                && feed.send(self.speed, view, now_ns())
            {
                self.await_round(feed, index);
            }
        }
    }

    /// Takes the instruments of this round, oldest change first.
    fn take(&mut self) -> Vec<InstrumentId> {
        let all = self.pending.len();
        let sent = if self.speed == Speed::Ms20 { all.min(FAST_MAX) } else { all };
        let later = self.pending.split_off(sent);
        std::mem::replace(&mut self.pending, later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_round_leaves_instruments_for_the_next_in_order() {
        let pending = (0..450).map(InstrumentId).collect::<Vec<_>>();
        let rounds = |speed| {
            let mut round = Round { speed, due: None, pending: pending.clone() };
            let mut taken = Vec::new();
            while !round.pending.is_empty() {
                taken.push(round.take());
            }
            assert_eq!(taken.concat(), pending);
            taken.iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(rounds(Speed::Ms20), [200, 200, 50]);
        assert_eq!(rounds(Speed::Ms100), [450]);
    }
}
