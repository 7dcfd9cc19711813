//! Depth deltas, with which a client keeps its copy of a book up to date.

use std::collections::BTreeSet;

use types::{Price, Qty, Side};

use crate::l2::{BookUpdate, L2Book};

/// The levels that changed from `first_update_id` to `last_update_id`, in their state after the
/// last.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DepthDelta {
    /// One more than the last id of the previous delta.
    pub first_update_id: u64,
    pub last_update_id: u64,
    /// Price and total quantity there, zero when the level is gone; best first.
    pub bids: Vec<(Price, Qty)>,
    pub asks: Vec<(Price, Qty)>,
}

/// Collects the prices whose levels change, until a delta is taken. Each subscription rate of each
/// instrument has its own accumulator.
///
/// It stores each price once, so that it is bounded by the prices that changed since the last
/// [`take`](Self::take).
#[derive(Clone, Debug)]
pub struct DepthAccumulator {
    first_update_id: u64,
    bids: BTreeSet<Price>,
    asks: BTreeSet<Price>,
}

impl DepthAccumulator {
    /// An accumulator for the deltas after the current state of `book`.
    pub fn new(book: &L2Book) -> Self {
        Self {
            first_update_id: book.last_update_id() + 1,
            bids: BTreeSet::new(),
            asks: BTreeSet::new(),
        }
    }

    /// Adds an update of this accumulator's instrument.
    pub fn apply(&mut self, update: &BookUpdate) {
        let Some(change) = update.level else { return };
        match change.side {
            Side::Buy => self.bids.insert(change.price),
            Side::Sell => self.asks.insert(change.price),
        };
    }

    /// The changes since the last delta, given the book after the last update; `None` if no level
    /// changed. A level that changed and changed back is reported too.
    pub fn take(&mut self, book: &L2Book) -> Option<DepthDelta> {
        if self.bids.is_empty() && self.asks.is_empty() {
            return None;
        }
        let now = |side, price: &Price| (*price, book.qty_at(side, *price));
        let delta = DepthDelta {
            first_update_id: self.first_update_id,
            last_update_id: book.last_update_id(),
            bids: self.bids.iter().rev().map(|price| now(Side::Buy, price)).collect(),
            asks: self.asks.iter().map(|price| now(Side::Sell, price)).collect(),
        };
        self.first_update_id = delta.last_update_id + 1;
        self.bids.clear();
        self.asks.clear();
        Some(delta)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use types::InstrumentId;

    use super::*;
    use crate::market::{EventSource, ops, play};

    /// Plays a script whose `take` lines take deltas, written `U-u bids | asks`.
    #[track_caller]
    fn check(script: &str, expect: &[&str]) {
        let side = |levels: &[(Price, Qty)]| {
            let texts: Vec<_> =
                levels.iter().map(|(p, q)| format!("{}:{}", p.ticks(), q.lots())).collect();
            texts.join(" ")
        };
        let deltas: Vec<_> = play(script)
            .1
            .iter()
            .map(|delta| match delta {
                None => "none".to_owned(),
                Some(d) => {
                    let (bids, asks) = (side(&d.bids), side(&d.asks));
                    format!("{}-{} {bids} | {asks}", d.first_update_id, d.last_update_id)
                }
            })
            .collect();
        assert_eq!(deltas, expect);
    }

    #[test]
    fn quantities_are_absolute_and_zero_removes_a_level() {
        check(
            "buy 1 60 @ 10 \n buy 2 5 @ 10 \n take
             trade 1 20 \n take
             cancel 2 \n trade 1 40 \n take",
            &["2-3 10:65 | ", "4-4 10:45 | ", "5-6 10:0 | "],
        );
    }

    #[test]
    fn either_side_is_sorted_best_first() {
        check(
            "buy 1 1 @ 8 \n buy 2 1 @ 9 \n sell 3 1 @ 12 \n sell 4 1 @ 11 \n take",
            &["2-5 9:1 8:1 | 11:1 12:1"],
        );
    }

    #[test]
    fn events_that_change_no_level_belong_to_the_next_delta() {
        check(
            "take \n accept \n take \n accept \n buy 1 1 @ 8 \n take \n expire \n take",
            &["none", "none", "2-4 8:1 | ", "none"],
        );
    }

    /// The book of a client that follows Binance's instructions.
    struct Client {
        last_update_id: u64,
        in_sync: bool,
        bids: BTreeMap<Price, Qty>,
        asks: BTreeMap<Price, Qty>,
    }

    impl Client {
        fn new(book: &L2Book) -> Self {
            let (bids, asks) = book.depth(usize::MAX);
            Self {
                last_update_id: book.last_update_id(),
                in_sync: false,
                bids: bids.map(|level| (level.price, level.qty)).collect(),
                asks: asks.map(|level| (level.price, level.qty)).collect(),
            }
        }

        fn apply(&mut self, delta: &DepthDelta) {
            if delta.last_update_id <= self.last_update_id {
                return;
            }
            let next = self.last_update_id + 1;
            if self.in_sync {
                assert_eq!(delta.first_update_id, next);
            } else {
                assert!(delta.first_update_id <= next);
            }
            self.in_sync = true;
            self.last_update_id = delta.last_update_id;
            for (levels, changed) in [(&mut self.bids, &delta.bids), (&mut self.asks, &delta.asks)]
            {
                for &(price, qty) in changed {
                    if qty.is_zero() {
                        levels.remove(&price)
                    } else {
                        levels.insert(price, qty)
                    };
                }
            }
        }
    }

    proptest! {
        /// Whenever the snapshot and the deltas are taken, the client ends with the venue's book.
        #[test]
        fn snapshot_and_deltas_give_the_book(
            steps in ops(200).prop_flat_map(|ops| {
                let takes = prop::collection::vec(prop::bool::weighted(0.2), ops.len());
                (Just(ops), takes)
            }),
            joins_at in any::<prop::sample::Index>(),
        ) {
            let mut source = EventSource::new(InstrumentId(0));
            let mut book = L2Book::default();
            book.apply(&BookUpdate::of(&source.list()).unwrap());
            let mut accumulator = DepthAccumulator::new(&book);
            let mut client = None;
            let (ops, takes) = steps;
            let count = ops.len().max(1);
            for (i, (op, take)) in ops.into_iter().zip(takes).enumerate() {
                if i == joins_at.index(count) {
                    client = Some(Client::new(&book));
                }
                let update = BookUpdate::of(&source.random(op)).unwrap();
                book.apply(&update);
                accumulator.apply(&update);
                if take && let (Some(delta), Some(client)) = (accumulator.take(&book), &mut client) {
                    client.apply(&delta);
                }
            }
            if let Some(mut client) = client {
                accumulator.take(&book).iter().for_each(|delta| client.apply(delta));
                let levels = |side| source.levels(side).iter().map(|l| (l.price, l.qty)).collect();
                prop_assert_eq!(client.bids, levels(Side::Buy));
                prop_assert_eq!(client.asks, levels(Side::Sell));
            }
        }
    }
}
