//! Price-time matching for one instrument, bare: who owns an order is not known here.
//!
//! Prices are turned into *keys* for which higher is better on both sides, so that bids and asks
//! run the same code. Levels lie in *pages* of 64 consecutive keys with one bit per level that has
//! orders: the best level of a page is one bit scan. Each side keeps its pages in a sorted array
//! with the best page last, where nearly all of the work is.
//!
//! # Invariants
//! - A page in a side's array has at least one order; a bit is set exactly where a level has one.
//! - A level's `qty` is the sum of its orders' `leaves`.
//! - Orders at one price are queued in the order they came.
//!
//! # Known limits
//! A page costs a kilobyte however few orders are on it, and a side with very many pages moves
//! many bytes to insert one.

use types::{Price, Qty, Side};

use crate::slab::{NONE, Slab};

/// Names a resting order; used again once the order is gone.
pub type NodeId = u32;

/// The resting orders of all books: one slab, so that room freed in one book serves another.
pub type Nodes = Slab<Node>;

/// A resting order as matching sees it: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Node {
    leaves: u64,
    key: u64,
    next: u32,
    prev: u32,
    page: u32,
    side: Side,
}

const _: () = assert!(size_of::<Node>() == 32);

impl Node {
    /// An order that is on no book for now.
    pub(crate) fn off_book(side: Side, leaves_qty: Qty) -> Self {
        Self { leaves: leaves_qty.lots(), key: 0, next: NONE, prev: NONE, page: NONE, side }
    }

    /// Sets what is left of an order that is on no book.
    pub(crate) fn set_leaves(&mut self, leaves_qty: Qty) {
        debug_assert!(self.page == NONE, "a level knows the sum of its orders");
        self.leaves = leaves_qty.lots();
    }

    pub fn leaves_qty(&self) -> Qty {
        Qty::from_lots(self.leaves)
    }

    pub fn side(&self) -> Side {
        self.side
    }

    pub fn price(&self) -> Price {
        price_of(self.side, self.key)
    }
}

const SLOTS: usize = 64;

/// The orders at one price, first come first.
#[derive(Clone, Copy, Debug)]
struct Level {
    head: u32,
    tail: u32,
    /// Modulo 2^64, which only absurd books reach; it comes out right again as they shrink.
    qty: u64,
}

const EMPTY_LEVEL: Level = Level { head: NONE, tail: NONE, qty: 0 };

#[derive(Clone, Debug)]
struct Page {
    occupied: u64,
    levels: [Level; SLOTS],
}

#[derive(Clone, Copy, Debug)]
struct PageRef {
    /// The page's keys divided by [`SLOTS`].
    number: u64,
    page: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Book {
    /// Indexed by [`Side`].
    sides: [Vec<PageRef>; 2],
    pages: Slab<Page>,
}

/// The order that is next in line on one side.
#[derive(Clone, Copy, Debug)]
pub struct Front {
    pub node: NodeId,
    pub price: Price,
    pub leaves_qty: Qty,
}

impl Book {
    /// Puts an order at the end of the queue at its price.
    #[inline]
    pub fn rest(&mut self, nodes: &mut Nodes, side: Side, price: Price, qty: Qty) -> NodeId {
        let key = key_of(side, price);
        let page = self.page_for(side, key);
        let leaves = qty.lots();
        let node = nodes.insert_made(|| Node { leaves, key, next: NONE, prev: NONE, page, side });
        let slot = slot_of(key);
        let page = &mut self.pages[page];
        page.occupied |= 1 << slot;
        let level = &mut page.levels[slot];
        level.qty = level.qty.wrapping_add(qty.lots());
        if level.tail == NONE {
            level.head = node;
        } else {
            nodes[level.tail].next = node;
            nodes[node].prev = level.tail;
        }
        level.tail = node;
        node
    }

    /// Who would trade next on `side`, the side of the resting orders.
    #[inline]
    pub fn front(&self, nodes: &Nodes, side: Side) -> Option<Front> {
        let best = self.side(side).last()?;
        let page = &self.pages[best.page];
        let slot = highest(page.occupied);
        let node = page.levels[slot].head;
        let key = best.number * SLOTS as u64 + slot as u64;
        let leaves_qty = nodes[node].leaves_qty();
        Some(Front { node, price: price_of(side, key), leaves_qty })
    }

    /// Takes `qty` from an order without moving it in its queue; at zero it leaves the book.
    #[inline]
    pub fn reduce(&mut self, nodes: &mut Nodes, node: NodeId, qty: Qty) {
        let order = &mut nodes[node];
        if qty.lots() == order.leaves {
            return self.remove(nodes, node);
        }
        order.leaves -= qty.lots();
        let level = &mut self.pages[order.page].levels[slot_of(order.key)];
        level.qty = level.qty.wrapping_sub(qty.lots());
    }

    #[inline]
    pub fn remove(&mut self, nodes: &mut Nodes, node: NodeId) {
        let Node { leaves, key, next, prev, page: page_id, side } = nodes[node];
        let slot = slot_of(key);
        let page = &mut self.pages[page_id];
        let level = &mut page.levels[slot];
        level.qty = level.qty.wrapping_sub(leaves);
        match prev {
            NONE => level.head = next,
            _ => nodes[prev].next = next,
        }
        match next {
            NONE => level.tail = prev,
            _ => nodes[next].prev = prev,
        }
        if level.head == NONE {
            page.occupied &= !(1 << slot);
            if page.occupied == 0 {
                self.free_page(side, key / SLOTS as u64);
            }
        }
        nodes.remove(node);
    }

    pub fn best_price(&self, side: Side) -> Option<Price> {
        let best = self.side(side).last()?;
        let slot = highest(self.pages[best.page].occupied);
        Some(price_of(side, best.number * SLOTS as u64 + slot as u64))
    }

    /// Whether an aggressor on `side` finds `qty` at `limit` or better; `None` is no limit.
    pub fn can_fill(&self, side: Side, limit: Option<Price>, qty: Qty) -> bool {
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

    /// The orders of one side, best price first, then as they are queued.
    pub fn orders(&self, nodes: &Nodes, side: Side) -> impl Iterator<Item = NodeId> {
        self.slots(side).flat_map(move |(_, level)| {
            let linked = |node: NodeId| (node != NONE).then_some(node);
            std::iter::successors(linked(level.head), move |node| linked(nodes[*node].next))
        })
    }

    fn slots(&self, side: Side) -> impl Iterator<Item = (u64, &Level)> {
        self.side(side).iter().rev().flat_map(|page_ref| {
            let page = &self.pages[page_ref.page];
            let first_key = page_ref.number * SLOTS as u64;
            let occupied = (0..SLOTS).rev().filter(|slot| page.occupied & (1 << slot) != 0);
            occupied.map(move |slot| (first_key + slot as u64, &page.levels[slot]))
        })
    }

    /// The page of `key`, a new one if there is none.
    #[inline]
    fn page_for(&mut self, side: Side, key: u64) -> u32 {
        let number = key / SLOTS as u64;
        let refs = &mut self.sides[side as usize];
        match find_page(refs, number) {
            Ok(at) => refs[at].page,
            Err(at) => {
                let page =
                    self.pages.insert_with(|| Page { occupied: 0, levels: [EMPTY_LEVEL; SLOTS] });
                refs.insert(at, PageRef { number, page });
                page
            }
        }
    }

    /// An emptied page has only empty levels, so the next who needs one takes it as it is.
    fn free_page(&mut self, side: Side, number: u64) {
        let refs = &mut self.sides[side as usize];
        let at = find_page(refs, number).expect("an order's page is in its side's array");
        let freed = refs.remove(at);
        self.pages.remove(freed.page);
    }

    #[inline]
    fn side(&self, side: Side) -> &[PageRef] {
        &self.sides[side as usize]
    }
}

/// Numbers differ by one at least, so a page is no further from the best one than their numbers
/// are apart; on a book without gaps it is just there.
#[inline]
fn find_page(refs: &[PageRef], number: u64) -> Result<usize, usize> {
    let Some((best, others)) = refs.split_last() else { return Err(0) };
    if number > best.number {
        return Err(refs.len());
    }
    let apart = usize::try_from(best.number - number).unwrap_or(usize::MAX);
    let first = others.len().saturating_sub(apart);
    if refs[first].number == number {
        return Ok(first);
    }
    find_page_among(&refs[first..], number).map(|at| first + at).map_err(|at| first + at)
}

#[inline(never)] // the place where it was looked for first is nearly always right
fn find_page_among(refs: &[PageRef], number: u64) -> Result<usize, usize> {
    refs.binary_search_by_key(&number, |page_ref| page_ref.number)
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

/// What flips the sign bit of a bid, and all other bits of an ask. Which side it is, a processor
/// cannot guess, so there is nothing to branch on.
#[inline]
const fn mask_of(side: Side) -> u64 {
    (1 << 63) ^ 0_u64.wrapping_sub(side as u64)
}

#[inline]
const fn slot_of(key: u64) -> usize {
    (key % SLOTS as u64) as usize
}

/// The highest bit that is set; there is one.
#[inline]
const fn highest(occupied: u64) -> usize {
    occupied.ilog2() as usize
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
            book.rest(&mut nodes, Side::Buy, ticks(price), lots(2));
            book.rest(&mut nodes, Side::Sell, ticks(price + 1000), lots(3));
        }
        let side = |side| -> Vec<(i64, u64)> {
            book.levels(side).map(|(price, qty)| (price.ticks(), qty.lots())).collect()
        };
        assert_eq!(side(Side::Buy), [(164, 2), (100, 4), (99, 2), (7, 2), (-5, 2)]);
        assert_eq!(side(Side::Sell), [(995, 3), (1007, 3), (1099, 3), (1100, 6), (1164, 3)]);
    }

    #[test]
    fn a_book_gives_back_all_room() {
        let (mut book, mut nodes) = (Book::default(), Nodes::default());
        let resting: Vec<NodeId> = (0..10_000)
            .map(|i| book.rest(&mut nodes, Side::Sell, ticks(i * 37 % 5000), lots(1)))
            .collect();
        for node in resting.iter().rev() {
            book.remove(&mut nodes, *node);
        }
        assert_eq!((nodes.len(), book.pages.len(), book.side(Side::Sell).len()), (0, 0, 0));
        assert!(book.front(&nodes, Side::Sell).is_none());
    }

    #[test]
    fn a_page_is_found_whatever_gaps_there_are() {
        let gaps: [&[u64]; 6] = [
            &[],
            &[7],
            &[0, 1, 2, 3, 4],
            &[0, 1, 5, 6, 7],
            &[3, 4, 9, 10, 1 << 57],
            &[0, u64::MAX / SLOTS as u64],
        ];
        for numbers in gaps {
            let refs: Vec<PageRef> =
                numbers.iter().map(|number| PageRef { number: *number, page: 0 }).collect();
            let near = numbers.iter().flat_map(|at| [at.wrapping_sub(1), *at, at + 1]);
            for number in near.chain([0, u64::MAX]) {
                let expected = numbers.binary_search(&number);
                assert_eq!(find_page(&refs, number), expected, "{number} in {numbers:?}");
            }
        }
    }

    #[test]
    fn fill_or_kill_counts_what_is_there() {
        let (mut book, mut nodes) = (Book::default(), Nodes::default());
        for price in [10, 11, 500] {
            book.rest(&mut nodes, Side::Sell, ticks(price), lots(5));
        }
        assert!(book.can_fill(Side::Buy, Some(ticks(11)), lots(10)));
        assert!(!book.can_fill(Side::Buy, Some(ticks(11)), lots(11)));
        assert!(book.can_fill(Side::Buy, None, lots(15)));
        assert!(!book.can_fill(Side::Buy, None, lots(16)));
        assert!(!book.can_fill(Side::Sell, None, lots(1)));
    }
}
