//! The book by itself, compared with sorted maps.

use std::collections::{BTreeMap, VecDeque};

use engine::{Book, NodeId, Nodes, OrderIndex};
use proptest::prelude::*;
use types::{OrderId, Price, Qty, Side};

use crate::house::{lots, ticks};

#[derive(Clone, Debug)]
enum BookStep {
    Rest {
        side: Side,
        price: i64,
        qty: u64,
    },
    /// Takes a part or all of the first order.
    Take {
        side: Side,
        qty: u64,
    },
    /// An open order by its index.
    Reduce {
        at: usize,
        qty: u64,
    },
    Remove {
        at: usize,
    },
    CanFill {
        side: Side,
        limit: Option<i64>,
        qty: u64,
    },
}

fn steps() -> impl Strategy<Value = Vec<BookStep>> {
    let side = || prop_oneof![Just(Side::Buy), Just(Side::Sell)];
    // Few prices close together; pages apart; and the smallest and largest prices.
    let price = || {
        prop_oneof![
            8 => -3..=3_i64,
            4 => 60..=68_i64,
            2 => 128..192_i64,
            3 => (-40..40_i64).prop_map(|page| page * 64 + 63),
            1 => prop::sample::select(vec![i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1]),
        ]
    };
    let step = prop_oneof![
        8 => (side(), price(), 1..20_u64)
            .prop_map(|(side, price, qty)| BookStep::Rest { side, price, qty }),
        4 => (side(), 1..20_u64).prop_map(|(side, qty)| BookStep::Take { side, qty }),
        2 => (any::<usize>(), 1..20_u64).prop_map(|(at, qty)| BookStep::Reduce { at, qty }),
        3 => any::<usize>().prop_map(|at| BookStep::Remove { at }),
        2 => (side(), prop::option::of(price()), 0..300_u64)
            .prop_map(|(side, limit, qty)| BookStep::CanFill { side, limit, qty }),
    ];
    prop::collection::vec(step, 1..250)
}

/// Queues by side and price.
#[derive(Default)]
struct Queues {
    sides: [BTreeMap<i64, VecDeque<(NodeId, u64)>>; 2],
}

impl Queues {
    fn side(&mut self, side: Side) -> &mut BTreeMap<i64, VecDeque<(NodeId, u64)>> {
        &mut self.sides[usize::from(side.number())]
    }

    fn best_first(&self, side: Side) -> Vec<(i64, Vec<(NodeId, u64)>)> {
        let levels = self.sides[usize::from(side.number())].iter();
        let mut levels: Vec<_> =
            levels.map(|(price, queue)| (*price, queue.iter().copied().collect())).collect();
        if side == Side::Buy {
            levels.reverse();
        }
        levels
    }

    fn open(&self) -> Vec<(Side, i64, NodeId, u64)> {
        let mut open = Vec::new();
        for side in [Side::Buy, Side::Sell] {
            for (price, queue) in self.best_first(side) {
                open.extend(queue.into_iter().map(|(node, leaves)| (side, price, node, leaves)));
            }
        }
        open
    }

    /// One side of the book equals its queues.
    fn check(&self, book: &Book, nodes: &Nodes, side: Side) {
        let expect = self.best_first(side);
        let levels: Vec<(Price, Qty)> = book.levels(side).collect();
        let sums: Vec<(Price, Qty)> = expect
            .iter()
            .map(|(price, queue)| {
                (ticks(*price), lots(queue.iter().map(|(_, leaves)| leaves).sum()))
            })
            .collect();
        assert_eq!(levels, sums);
        assert_eq!(book.best_price(side), expect.first().map(|(price, _)| ticks(*price)));
        let orders: Vec<(NodeId, u64)> =
            book.orders(nodes, side).map(|node| (node, nodes[node].leaves_qty().lots())).collect();
        let queued: Vec<(NodeId, u64)> =
            expect.iter().flat_map(|(_, queue)| queue.clone()).collect();
        let front = book.front(nodes, side).map(|front| (front.node, front.leaves_qty.lots()));
        assert_eq!(front, queued.first().copied());
        assert_eq!(orders, queued);
    }

    fn reduce(&mut self, side: Side, price: i64, node: NodeId, qty: u64) {
        let queue = self.side(side).get_mut(&price).unwrap();
        let at = queue.iter().position(|(other, _)| *other == node).unwrap();
        queue[at].1 -= qty;
        if queue[at].1 == 0 {
            queue.remove(at);
        }
        if queue.is_empty() {
            self.side(side).remove(&price);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_book_is_two_sorted_maps_of_queues(steps in steps()) {
        let (mut book, mut nodes, mut queues) = (Book::default(), Nodes::default(), Queues::default());
        let mut rested = 1;
        for step in steps {
            match step {
                BookStep::Rest { side, price, qty } => {
                    let node = book.rest(&mut nodes, OrderId(rested), side, ticks(price), lots(qty));
                    queues.side(side).entry(price).or_default().push_back((node, qty));
                    prop_assert_eq!(book.price(&nodes, node), ticks(price));
                    prop_assert_eq!(nodes[node].order_id(), OrderId(rested));
                    rested += 1;
                    prop_assert_eq!(nodes[node].side(), side);
                }
                BookStep::Take { side, qty } => {
                    let Some(front) = book.front(&nodes, side) else { continue };
                    let qty = qty.min(front.leaves_qty.lots());
                    book.reduce(&mut nodes, front.node, lots(qty));
                    queues.reduce(side, front.price.ticks(), front.node, qty);
                }
                BookStep::Reduce { at, qty } => {
                    let open = queues.open();
                    if open.is_empty() { continue }
                    let (side, price, node, leaves) = open[at % open.len()];
                    let qty = qty.min(leaves);
                    book.reduce(&mut nodes, node, lots(qty));
                    queues.reduce(side, price, node, qty);
                }
                BookStep::Remove { at } => {
                    let open = queues.open();
                    if open.is_empty() { continue }
                    let (side, price, node, leaves) = open[at % open.len()];
                    book.remove(&mut nodes, node);
                    queues.reduce(side, price, node, leaves);
                }
                BookStep::CanFill { side, limit, qty } => {
                    let there: u64 = queues
                        .best_first(side.opposite())
                        .into_iter()
                        .filter(|(price, _)| limit.is_none_or(|limit| match side {
                            Side::Buy => *price <= limit,
                            Side::Sell => *price >= limit,
                        }))
                        .flat_map(|(_, queue)| queue)
                        .map(|(_, leaves)| leaves)
                        .sum();
                    // An empty side has no quantity, not even zero.
                    let expect = there >= qty.max(1);
                    prop_assert_eq!(book.can_fill(side, limit.map(ticks), lots(qty)), expect);
                }
            }
            for side in [Side::Buy, Side::Sell] {
                queues.check(&book, &nodes, side);
            }
            prop_assert_eq!(nodes.len(), queues.open().len());
        }
    }

    /// Ids ascend, as the engine assigns them; after a restart they begin anywhere.
    #[test]
    fn an_index_is_a_map(
        first in prop_oneof![Just(1_u64), 1..1_u64 << 53],
        steps in prop::collection::vec((0..40_000_u64, any::<prop::sample::Index>(), any::<bool>()), 1..60),
    ) {
        let (mut index, mut map) = (OrderIndex::default(), BTreeMap::new());
        let mut id = first;
        for (gap, other, remove) in steps {
            index.insert(id, id as u32 >> 1);
            map.insert(id, id as u32 >> 1);
            let known: Vec<u64> = map.keys().copied().collect();
            let other = known[other.index(known.len())];
            if remove {
                prop_assert_eq!(index.remove(other), map.remove(&other));
                prop_assert_eq!(index.remove(other), None);
            } else {
                index.insert(other, 7);
                map.insert(other, 7);
            }
            for id in known.iter().copied().chain([0, id + 1, first.wrapping_sub(1), u64::MAX]) {
                prop_assert_eq!(index.get(id), map.get(&id).copied(), "id {}", id);
            }
            id += gap + 1;
        }
    }
}

/// The index must not step through ids that were never used.
#[test]
fn an_index_begins_and_jumps_anywhere() {
    let mut index = OrderIndex::default();
    let ids = [1, 2, 70_000, 1 << 33, (1 << 53) - 1, u64::MAX - 1, u64::MAX];
    for (place, id) in (0..).zip(ids) {
        index.insert(id, place);
    }
    index.insert(3, 99);
    for (place, id) in (0..).zip(ids) {
        assert_eq!(index.get(id), Some(place));
        assert_eq!(index.remove(id), Some(place));
        assert_eq!(index.get(id), None);
    }
    assert_eq!(index.get(3), Some(99));
}
