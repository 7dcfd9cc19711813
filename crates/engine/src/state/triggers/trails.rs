//! Trailing orders: their trigger follows the price.

use std::collections::BTreeMap;

use crate::book::node::NodeId;
use crate::state::triggers::direction::{Key, NO_PRICE, TRAILING_DELTA_END_BPS};

/// Orders that trail in one direction.
#[derive(Clone, Debug, Default)]
pub(in crate::state) struct Trails {
    /// By delta, then by the number of their start.
    pub(in crate::state) lines: BTreeMap<u32, BTreeMap<u64, NodeId>>,
    /// The start number of each order, and the key at which it was reached, if it was.
    pub(in crate::state) begun: BTreeMap<NodeId, (u64, Option<Key>)>,
    /// The lowest key since each start, for the orders that started from this number on.
    pub(in crate::state) extremes: Vec<(u64, Key)>,
    pub(in crate::state) next: u64,
}

impl Trails {
    pub(in crate::state) fn begin(&mut self, node: NodeId, delta_bps: u32, key: Key) {
        self.pass(key);
        let number = self.next;
        self.next += 1;
        if self.extremes.last().is_none_or(|(_, lowest)| *lowest != key) {
            self.extremes.push((number, key));
        }
        self.lines.entry(delta_bps).or_default().insert(number, node);
        self.begun.insert(node, (number, None));
    }

    /// Applies a price: it becomes the extreme of all orders whose extreme is worse.
    pub(super) fn pass(&mut self, key: Key) {
        let better = self.extremes.partition_point(|(_, lowest)| *lowest < key);
        if let Some((first, _)) = self.extremes.get(better).copied() {
            self.extremes.truncate(better);
            self.extremes.push((first, key));
        }
    }

    pub(in crate::state) fn extreme(&self, number: u64) -> Key {
        let at = self.extremes.partition_point(|(first, _)| *first <= number);
        at.checked_sub(1).map_or(NO_PRICE, |at| self.extremes[at].1)
    }

    /// Removes one order that is reached at `key`: its number, its trigger key, its node.
    pub(super) fn take_reached(&mut self, key: Key) -> Option<(u64, Key, NodeId)> {
        let lowest = self.extremes.first()?.1;
        let tightest = *self.lines.first_key_value()?.0;
        if trigger_key(lowest, tightest) > key {
            return None;
        }
        let reached = self.lines.iter().find_map(|(delta_bps, line)| {
            let (number, node) = line.first_key_value().expect("an empty line is removed");
            let wanted = trigger_key(self.extreme(*number), *delta_bps);
            (wanted <= key).then_some((*delta_bps, *number, wanted, *node))
        });
        let (delta_bps, number, wanted, node) = reached?;
        self.leave_line(delta_bps, number);
        self.begun.insert(node, (number, Some(wanted)));
        Some((number, wanted, node))
    }

    pub(super) fn leave_line(&mut self, delta_bps: u32, number: u64) {
        if let Some(line) = self.lines.get_mut(&delta_bps) {
            line.remove(&number);
            if line.is_empty() {
                self.lines.remove(&delta_bps);
            }
        }
        if self.lines.is_empty() {
            self.extremes.clear();
        }
    }
}

/// The trigger of an order that trails by `delta_bps` from `extreme`, rounded away from it.
fn trigger_key(extreme: Key, delta_bps: u32) -> Key {
    if extreme == NO_PRICE {
        return NO_PRICE;
    }
    let scale = i128::from(TRAILING_DELTA_END_BPS);
    let extreme = i128::from(extreme);
    let scaled = extreme * scale + extreme.abs() * i128::from(delta_bps);
    let rounded = -(-scaled).div_euclid(scale);
    // Any part of a price of zero is zero.
    Key::try_from(rounded.max(extreme + 1)).unwrap_or(NO_PRICE)
}

#[cfg(test)]
mod tests {
    use types::{PRICE_MAX, Price};

    use super::super::Direction;
    use super::*;

    #[test]
    fn a_trailing_trigger_is_rounded_to_the_tick_farther_away() {
        let check = |direction: Direction, extreme: i64, delta_bps, expect: i64| {
            let key = trigger_key(direction.key(Price::from_ticks(extreme)), delta_bps);
            let price = if direction == Direction::Rise { key } else { -key };
            assert_eq!(price, expect, "{direction:?} {extreme} {delta_bps}");
        };
        check(Direction::Fall, 250, 100, 247);
        check(Direction::Fall, 200, 100, 198);
        check(Direction::Rise, 250, 100, 253);
        check(Direction::Rise, 200, 100, 202);
        check(Direction::Fall, 1, 1, 0);
        check(Direction::Rise, 1, 9_999, 2);
        check(Direction::Fall, 0, 100, -1);
        check(Direction::Rise, 0, 100, 1);
        check(Direction::Fall, -250, 100, -253);
        check(Direction::Rise, -250, 100, -247);
        check(Direction::Rise, PRICE_MAX.ticks(), 9_999, 18_013_497_789_556_510);
        assert_eq!(trigger_key(NO_PRICE, 1), NO_PRICE);
    }
}
