//! Price-time matching for one instrument. The book does not know the accounts of its orders.
//!
//! Prices become *keys* for which higher is better on both sides, so that bids and asks run the
//! same code. Levels lie in *pages* of 64 consecutive keys (`page.rs`). Each side keeps its pages
//! in order (`ladder.rs`), with hints to the pages that commands touched and a copy of the first
//! order in the queue.
//!
//! # Invariants
//! - Every page has at least one order.
//! - A level's `qty` is the sum of its orders' `leaves`.
//! - Orders at one price are queued in order of arrival.
//! - A hint is a page of its own side, or none.

pub(crate) mod index;
pub(crate) mod ladder;
pub(crate) mod node;
pub(crate) mod page;
pub(crate) mod prefetch;
pub(crate) mod shelf;
pub(crate) mod slab;

use std::hint::select_unpredictable;

use types::{OrderId, Price, Qty, Side};

use crate::book::ladder::Ladder;
use crate::book::node::{Node, NodeId, Nodes};
use crate::book::page::{Level, Page, SLOTS, Spare};
use crate::book::prefetch::prefetch;
use crate::book::slab::{NONE, Slab};

#[derive(Clone, Debug, Default)]
pub struct Book {
    /// Indexed by [`Side`].
    sides: [Pages; 2],
    pages: Slab<Page>,
    spare: Spare,
}

/// The pages of one side.
#[derive(Clone, Debug)]
struct Pages {
    /// The best key with orders, if `best_page` is a page.
    best_key: u64,
    best_page: u32,
    /// The first order at `best_key`.
    front: u32,
    /// The number of pages.
    count: usize,
    /// Pages found earlier, by the lowest bits of their numbers: on a book without gaps every page
    /// has a slot of its own. The length is a power of two.
    hints: Vec<Hint>,
    ladder: Ladder<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Hint {
    /// The lower half of the page's number, so that a lookup does not read a page with another
    /// number.
    number: u32,
    page: u32,
}

const NO_HINT: Hint = Hint { number: 0, page: NONE };

impl Default for Pages {
    fn default() -> Self {
        Self {
            best_key: 0,
            best_page: NONE,
            front: NONE,
            count: 0,
            hints: vec![NO_HINT; HINTS_MIN],
            ladder: Ladder::default(),
        }
    }
}

const HINTS_MIN: usize = 4;

/// A side with more pages falls back to the ladder at times.
const HINTS_MAX: usize = 8192;

/// The first order of one side's queue.
#[derive(Clone, Copy, Debug)]
pub struct Front {
    pub node: NodeId,
    pub price: Price,
    pub leaves_qty: Qty,
}

impl Book {
    /// Puts an order at the end of the queue at its price.
    #[inline(always)]
    pub fn rest(
        &mut self,
        nodes: &mut Nodes,
        order_id: OrderId,
        side: Side,
        price: Price,
        qty: Qty,
    ) -> NodeId {
        let key = key_of(side, price);
        let page_id = self.page_for(side, key);
        let leaves = qty.lots();
        let slot = slot_of(key);
        let made = |prev| Node {
            leaves,
            order_id,
            next: NONE,
            prev,
            page: page_id,
            slot: slot as u8,
            side,
        };
        let page = &mut self.pages[page_id];
        if page.has(slot) {
            let level = page.level_mut(slot);
            level.qty = level.qty.wrapping_add(leaves);
            let prev = level.tail;
            let node = nodes.insert_made(|| made(prev));
            level.tail = node;
            nodes[prev].next = node;
            return node;
        }
        let node = nodes.insert_made(|| made(NONE));
        page.open(slot, Level { head: node, tail: node, qty: leaves }, &mut self.spare);
        let pages = &mut self.sides[side as usize];
        if pages.front == NONE || key > pages.best_key {
            pages.best_key = key;
            pages.best_page = page_id;
            pages.front = node;
        }
        node
    }

    /// The next order to trade on `side`, the side of the resting orders.
    #[inline]
    pub fn front(&self, nodes: &Nodes, side: Side) -> Option<Front> {
        let &Pages { best_key, front, .. } = self.side(side);
        if front == NONE {
            return None;
        }
        let leaves_qty = nodes[front].leaves_qty();
        Some(Front { node: front, price: price_of(side, best_key), leaves_qty })
    }

    /// Whether an aggressor on `side`, limited at `limit`, can trade with an order. Does not branch
    /// on the side.
    #[inline]
    pub fn crosses(&self, side: Side, limit: Price) -> bool {
        let &Pages { best_key, front, .. } = self.facing(side);
        front != NONE && best_key >= !key_of(side, limit)
    }

    /// [`Book::front_for`] for prefetching: does not read the order itself.
    #[inline]
    pub(crate) fn maker_for(&self, side: Side, limit: Price) -> Option<NodeId> {
        self.crosses(side, limit).then(|| self.facing(side).front)
    }

    /// The next order that such an aggressor would trade with.
    #[inline]
    pub fn front_for(&self, nodes: &Nodes, side: Side, limit: Price) -> Option<Front> {
        let &Pages { best_key, front, .. } = self.facing(side);
        if front == NONE || best_key < !key_of(side, limit) {
            return None;
        }
        let leaves_qty = nodes[front].leaves_qty();
        Some(Front { node: front, price: price_of(side, !best_key), leaves_qty })
    }

    /// Takes `qty` from an order without moving it in its queue; at zero it leaves the book.
    #[inline]
    pub fn reduce(&mut self, nodes: &mut Nodes, node: NodeId, qty: Qty) {
        let order = &mut nodes[node];
        if qty.lots() == order.leaves {
            return self.remove_whole(nodes, node);
        }
        order.leaves -= qty.lots();
        let level = self.pages[order.page].level_mut(order.slot.into());
        level.qty = level.qty.wrapping_sub(qty.lots());
    }

    #[inline(never)]
    fn remove_whole(&mut self, nodes: &mut Nodes, node: NodeId) {
        self.remove(nodes, node);
    }

    #[inline(always)] // Callers differ in their branches, which the processor predicts apart.
    pub fn remove(&mut self, nodes: &mut Nodes, node: NodeId) {
        let Node { leaves, next, prev, page, slot, side, .. } = nodes[node];
        nodes.remove(node);
        if next == NONE && prev == NONE {
            return self.close(side, page, slot.into());
        }
        let level = self.pages[page].level_mut(slot.into());
        level.qty = level.qty.wrapping_sub(leaves);
        match prev {
            NONE => {
                level.head = next;
                let pages = &mut self.sides[side as usize];
                if pages.front == node {
                    pages.front = next;
                }
            }
            _ => nodes[prev].next = next,
        }
        match next {
            NONE => level.tail = prev,
            _ => nodes[next].prev = prev,
        }
    }

    /// The price of an order that rests on this book.
    pub fn price(&self, nodes: &Nodes, node: NodeId) -> Price {
        let Node { page, slot, side, .. } = nodes[node];
        price_of(side, self.pages[page].number * SLOTS as u64 + u64::from(slot))
    }

    #[inline]
    pub fn best_price(&self, side: Side) -> Option<Price> {
        let pages = self.side(side);
        (pages.front != NONE).then(|| price_of(side, pages.best_key))
    }

    /// Prefetches the cache lines of a command that removes `node` or, if there is no such node,
    /// adds an order. Does not branch on which of both. A wide book needs the right `price` of a
    /// `node` too.
    #[inline]
    pub fn prefetch(&mut self, nodes: &Nodes, node: NodeId, side: Side, price: Price) {
        let key = key_of(side, price);
        let hint = self.side(side).hint(key / SLOTS as u64).page;
        let Some(any) = nodes.get_or_last(node) else { return };
        nodes.prefetch(any.next);
        nodes.prefetch(any.prev);
        let page = select_unpredictable(node == NONE, hint, any.page);
        let slot = select_unpredictable(node == NONE, slot_of(key), any.slot.into());
        let side = select_unpredictable(node == NONE, side, any.side);
        if self.side(side).count > HINTS_MAX {
            return self.prefetch_far(side, page, key_of(side, price) / SLOTS as u64);
        }
        if let Some(page) = self.pages.get_or_last(page) {
            page.prefetch(slot);
        }
    }

    /// Among this many pages, the page itself is not cached either. It has few orders.
    #[inline(never)]
    fn prefetch_far(&mut self, side: Side, page: u32, number: u64) {
        self.pages.prefetch(page);
        self.sides[side as usize].ladder.prefetch_path(number);
    }

    /// The step ahead of [`Book::prefetch`] for an order at `price`.
    #[inline]
    pub(crate) fn prefetch_hint(&self, side: Side, price: Price) {
        let number = key_of(side, price) / SLOTS as u64;
        let hints = &self.side(side).hints;
        prefetch(&hints[number as usize & (hints.len() - 1)]);
    }

    /// Whether an aggressor on `side` can trade `qty` at `limit` or better; `None` is no limit.
    #[inline]
    pub fn can_fill(&self, side: Side, limit: Option<Price>, qty: Qty) -> bool {
        let &Pages { front, best_key, best_page, .. } = self.side(side.opposite());
        if front == NONE {
            return false;
        }
        // The best level nearly always suffices.
        let crosses = |price| limit.is_none_or(|limit| side.crosses(limit, price));
        if crosses(price_of(side.opposite(), best_key)) {
            let best = self.pages[best_page].level(slot_of(best_key));
            if best.qty >= qty.lots() {
                return true;
            }
        }
        self.can_fill_below(side, limit, qty)
    }

    #[inline(never)]
    fn can_fill_below(&self, side: Side, limit: Option<Price>, qty: Qty) -> bool {
        let mut found: u64 = 0;
        for (price, level_qty) in self.levels(side.opposite()) {
            if limit.is_some_and(|limit| !side.crosses(limit, price)) {
                return false;
            }
            found = found.saturating_add(level_qty.lots());
            if found >= qty.lots() {
                return true;
            }
        }
        false
    }

    /// The levels of one side, best first.
    pub fn levels(&self, side: Side) -> impl Iterator<Item = (Price, Qty)> {
        self.slots(side).map(move |(key, level)| (price_of(side, key), Qty::from_lots(level.qty)))
    }

    /// The orders of one side, best price first, then in order of the queue.
    pub fn orders(&self, nodes: &Nodes, side: Side) -> impl Iterator<Item = NodeId> {
        self.slots(side).flat_map(move |(_, level)| {
            let linked = |node: NodeId| (node != NONE).then_some(node);
            std::iter::successors(linked(level.head), move |node| linked(nodes[*node].next))
        })
    }

    /// The first order in the queue at a price.
    pub(crate) fn head_at(&self, side: Side, price: Price) -> Option<NodeId> {
        let key = key_of(side, price);
        let page = self.side(side).ladder.find(key / SLOTS as u64).ok()?;
        let page = &self.pages[page];
        page.has(slot_of(key)).then(|| page.level(slot_of(key)).head)
    }

    fn slots(&self, side: Side) -> impl Iterator<Item = (u64, &Level)> {
        self.side(side).ladder.best_first().flat_map(|page| {
            let page = &self.pages[page];
            let first_key = page.number * SLOTS as u64;
            page.best_first().map(move |slot| (first_key + slot as u64, page.level(slot)))
        })
    }

    /// The page of `key`, which is created if it is missing.
    #[inline(always)]
    fn page_for(&mut self, side: Side, key: u64) -> u32 {
        let number = key / SLOTS as u64;
        match self.hinted(side, number) {
            Some(page) => page,
            None => self.page_for_search(side, number),
        }
    }

    #[inline(always)]
    fn hinted(&self, side: Side, number: u64) -> Option<u32> {
        let hint = self.side(side).hint(number);
        if hint.number != number as u32 {
            return None;
        }
        (self.pages.get(hint.page)?.number == number).then_some(hint.page)
    }

    #[inline(never)]
    fn page_for_search(&mut self, side: Side, number: u64) -> u32 {
        let pages = &mut self.sides[side as usize];
        let page = match pages.ladder.find(number) {
            Ok(page) => page,
            Err(gap) => {
                let page = self.pages.insert_made(|| Page::new(number));
                pages.ladder.insert(gap, number, page);
                pages.count += 1;
                if pages.count > pages.hints.len() && pages.hints.len() < HINTS_MAX {
                    // Lookups refill them.
                    pages.hints = vec![NO_HINT; 2 * pages.hints.len()];
                }
                page
            }
        };
        let at = number as usize & (pages.hints.len() - 1);
        pages.hints[at] = Hint { number: number as u32, page };
        page
    }

    /// Removes a level after its last order, and its page after its last level.
    #[inline(never)]
    fn close(&mut self, side: Side, page_id: u32, slot: usize) {
        let page = &mut self.pages[page_id];
        let pages = &mut self.sides[side as usize];
        page.close(slot, &mut self.spare);
        if page.occupied != 0 {
            if page_id == pages.best_page && slot == slot_of(pages.best_key) {
                pages.best_key = page.best_key();
                pages.front = page.level(page.best_slot()).head;
            }
            return;
        }
        let number = page.number;
        let hint = number as usize & (pages.hints.len() - 1);
        if pages.hints[hint].page == page_id {
            pages.hints[hint] = NO_HINT;
        }
        pages.ladder.remove(number).expect("the page is there");
        pages.count -= 1;
        self.pages.remove(page_id);
        if page_id == pages.best_page {
            pages.best_page = pages.ladder.last().unwrap_or(NONE);
            let best = self.pages.get(pages.best_page);
            pages.best_key = best.map_or(0, Page::best_key);
            pages.front = best.map_or(NONE, |best| best.level(best.best_slot()).head);
        }
    }

    /// The other side's pages. The other side's key of a price is the complement of this one's.
    #[inline]
    fn facing(&self, side: Side) -> &Pages {
        let [bids, asks] = &self.sides;
        select_unpredictable(side == Side::Buy, asks, bids)
    }

    #[inline]
    fn side(&self, side: Side) -> &Pages {
        &self.sides[side as usize]
    }
}

impl Pages {
    #[inline]
    fn hint(&self, number: u64) -> Hint {
        self.hints[number as usize & (self.hints.len() - 1)]
    }
}

/// Order-preserving for bids, order-reversing for asks: higher is better.
#[inline]
fn key_of(side: Side, price: Price) -> u64 {
    price.ticks().cast_unsigned() ^ mask_of(side)
}

#[inline]
fn price_of(side: Side, key: u64) -> Price {
    Price::from_ticks((key ^ mask_of(side)).cast_signed())
}

/// The mask that flips the sign bit of a bid, and all other bits of an ask. It replaces a branch on
/// the side, which the processor could not predict.
#[inline]
const fn mask_of(side: Side) -> u64 {
    (1 << 63) ^ 0_u64.wrapping_sub(side as u64)
}

#[inline]
const fn slot_of(key: u64) -> usize {
    (key % SLOTS as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lots(qty: u64) -> Qty {
        Qty::from_lots(qty)
    }

    fn ticks(price: i64) -> Price {
        Price::from_ticks(price)
    }

    #[test]
    fn levels_come_best_first_on_both_sides() {
        let (mut book, mut nodes) = (Book::default(), Nodes::default());
        for price in [100, 7, 164, 99, -5, 100] {
            book.rest(&mut nodes, OrderId(1), Side::Buy, ticks(price), lots(2));
            book.rest(&mut nodes, OrderId(2), Side::Sell, ticks(price + 1000), lots(3));
        }
        let side = |side| -> Vec<(i64, u64)> {
            book.levels(side).map(|(price, qty)| (price.ticks(), qty.lots())).collect()
        };
        assert_eq!(side(Side::Buy), [(164, 2), (100, 4), (99, 2), (7, 2), (-5, 2)]);
        assert_eq!(side(Side::Sell), [(995, 3), (1007, 3), (1099, 3), (1100, 6), (1164, 3)]);
    }

    #[test]
    fn an_empty_book_has_freed_all_pages() {
        let (mut book, mut nodes) = (Book::default(), Nodes::default());
        let resting: Vec<NodeId> = (0..10_000)
            .map(|i| book.rest(&mut nodes, OrderId(1), Side::Sell, ticks(i * 37 % 5000), lots(1)))
            .collect();
        for node in resting.iter().rev() {
            book.remove(&mut nodes, *node);
        }
        assert_eq!(
            (nodes.len(), book.pages.len(), book.side(Side::Sell).ladder.last()),
            (0, 0, None)
        );
        assert!(book.front(&nodes, Side::Sell).is_none());
    }

    #[test]
    fn fill_or_kill_counts_the_quantity_of_the_levels() {
        let (mut book, mut nodes) = (Book::default(), Nodes::default());
        for price in [10, 11, 500] {
            book.rest(&mut nodes, OrderId(1), Side::Sell, ticks(price), lots(5));
        }
        assert!(book.can_fill(Side::Buy, Some(ticks(11)), lots(10)));
        assert!(!book.can_fill(Side::Buy, Some(ticks(11)), lots(11)));
        assert!(book.can_fill(Side::Buy, None, lots(15)));
        assert!(!book.can_fill(Side::Buy, None, lots(16)));
        assert!(!book.can_fill(Side::Sell, None, lots(1)));
    }
}
