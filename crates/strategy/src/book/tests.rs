//! The book against a plain reference with two maps.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Quantities by price, and the best prices by hftbacktest's rule.
#[derive(Default)]
struct Reference {
    sides: [BTreeMap<i64, u64>; 2],
    best: [Option<i64>; 2],
}

impl Reference {
    fn update(&mut self, side: Side, ticks: i64, lots: u64) -> u64 {
        let at = side as usize % 2;
        let sign = if side == Side::Buy { -1 } else { 1 };
        let previous = if lots == 0 {
            self.sides[at].remove(&(sign * ticks))
        } else {
            self.sides[at].insert(sign * ticks, lots)
        };
        let key = sign * ticks;
        if lots == 0 && self.best[at] == Some(key) {
            self.best[at] = self.sides[at].range(key + 1..).next().map(|(key, _)| *key);
        } else if lots > 0 && self.best[at].is_none_or(|best| key < best) {
            self.best[at] = Some(key);
            let other = 1 - at;
            if self.best[other].is_some_and(|best| best <= -key) {
                let beyond = self.sides[other].range(1 - key..).next();
                self.best[other] = beyond.map(|(key, _)| *key);
            }
        }
        previous.unwrap_or(0)
    }
}

fn check(updates: &[(bool, i64, u64)]) {
    let mut book = Book::default();
    let mut reference = Reference::default();
    for &(is_buy, ticks, lots) in updates {
        let side = if is_buy { Side::Buy } else { Side::Sell };
        let price = Price::from_ticks(ticks);
        let change = book.update(side, price, lots);
        assert_eq!(change.previous, reference.update(side, ticks, lots));
        let (buy, sell) = (Side::Buy as usize % 2, Side::Sell as usize % 2);
        assert_eq!(book.best_bid().map(Price::ticks), reference.best[buy].map(|key| -key));
        assert_eq!(book.best_ask().map(Price::ticks), reference.best[sell]);
        assert_eq!(book.qty(side, price).lots(), lots);
    }
}

#[test]
fn a_crossed_level_is_hidden_until_it_changes() {
    let mut book = Book::default();
    let at = Price::from_ticks;
    book.update(Side::Sell, at(101), 5);
    book.update(Side::Sell, at(103), 7);
    assert!(book.update(Side::Buy, at(102), 1).improved);
    assert_eq!(book.best_ask(), Some(at(103)));
    book.update(Side::Buy, at(102), 0);
    assert_eq!(book.best_ask(), Some(at(103)), "still hidden");
    assert_eq!(book.update(Side::Sell, at(101), 6).previous, 5);
    assert_eq!(book.best_ask(), Some(at(101)));
}

#[test]
fn levels_come_from_the_touch_outwards_whatever_their_distance() {
    let mut book = Book::default();
    for ticks in [100, 99, 40, -1_000_000, 98] {
        book.update(Side::Buy, Price::from_ticks(ticks), 1);
    }
    let found: Vec<i64> = book.levels(Side::Buy).map(|(price, _)| price.ticks()).collect();
    assert_eq!(found, [100, 99, 98, 40, -1_000_000]);
}

#[test]
fn a_clear_ends_at_its_price() {
    let mut book = Book::default();
    for ticks in [100, 99, 98, 97] {
        book.update(Side::Buy, Price::from_ticks(ticks), 1);
    }
    book.clear(Side::Buy, Some(Price::from_ticks(99)));
    assert_eq!(book.best_bid(), Some(Price::from_ticks(98)));
    book.clear(Side::Buy, None);
    assert_eq!(book.best_bid(), None);
}

proptest! {
    #[test]
    fn the_book_equals_the_reference(
        updates in prop::collection::vec((any::<bool>(), 0i64..40, 0u64..3), 0..300)
    ) {
        check(&updates);
    }

    #[test]
    fn so_it_does_when_the_touch_moves_far(
        updates in prop::collection::vec(
            (any::<bool>(), prop_oneof![0i64..40, 0i64..200_000], 0u64..3), 0..200)
    ) {
        check(&updates);
    }
}
