//! The bare book as a target: orders are queued, matched and found again by their ids. There are
//! no accounts and no events; fills are counted.

use engine::{Book, NodeId, Nodes, OrderIndex};
use types::{Price, Qty, Side};

use super::plan::{Step, Terms};
use super::target::{Tally, Target};
use super::watch::Watch;

#[derive(Debug)]
pub(crate) struct Bare {
    markets: Vec<Market>,
    nodes: Nodes,
    /// Indexed by node.
    order_ids: Vec<u64>,
    tally: Tally,
    last_maker: u64,
}

#[derive(Clone, Debug, Default)]
struct Market {
    book: Book,
    index: OrderIndex,
    last_order_id: u64,
}

impl Target for Bare {
    fn carry_out(&mut self, steps: &[Step], watch: &mut Watch) {
        watch.time(steps, |step| self.apply(step));
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn levels(&self, instrument: u32, side: Side, depth: usize) -> Vec<(i64, u64)> {
        let levels = self.markets[instrument as usize].book.levels(side).take(depth);
        levels.map(|(price, qty)| (price.ticks(), qty.lots())).collect()
    }

    fn resting_orders(&self) -> usize {
        self.nodes.len()
    }
}

impl Bare {
    pub(crate) fn new(instrument_count: u32) -> Self {
        Self {
            markets: vec![Market::default(); instrument_count as usize],
            nodes: Nodes::default(),
            order_ids: Vec::new(),
            tally: Tally::default(),
            last_maker: 0,
        }
    }

    #[inline]
    pub(crate) fn apply(&mut self, step: &Step) {
        match *step {
            Step::New { order_id, price, qty, instrument, side, terms } => {
                let given = self.next_order_id(instrument);
                debug_assert_eq!(given, order_id, "a plan counts as its target does");
                let limit = (terms != Terms::Market).then_some(Price::from_ticks(price));
                let left = self.take(instrument, side, limit, qty);
                if left > 0 && terms == Terms::Limit {
                    self.rest(instrument, given, side, price, left);
                }
            }
            Step::Cancel { order_id, instrument, .. } => {
                let market = &mut self.markets[instrument as usize];
                match market.index.remove(order_id) {
                    Some(node) => market.book.remove(&mut self.nodes, node),
                    None => self.tally.rejected += 1,
                }
            }
            Step::Reduce { order_id, by, instrument, .. } => {
                let market = &mut self.markets[instrument as usize];
                let by = Qty::from_lots(by);
                match market.index.get(order_id) {
                    Some(node) if by < self.nodes[node].leaves_qty() => {
                        market.book.reduce(&mut self.nodes, node, by);
                    }
                    _ => self.tally.rejected += 1,
                }
            }
            Step::Execution { price, maker, qty, instrument, side } => {
                self.next_order_id(instrument);
                let trades = self.tally.trades;
                self.take(instrument, side, Some(Price::from_ticks(price)), qty);
                self.tally.execution(trades, maker, self.last_maker);
            }
        }
    }

    #[inline]
    fn next_order_id(&mut self, instrument: u32) -> u64 {
        let market = &mut self.markets[instrument as usize];
        market.last_order_id += 1;
        market.last_order_id
    }

    /// Fills what can be filled, and returns the rest.
    #[inline]
    fn take(&mut self, instrument: u32, side: Side, limit: Option<Price>, qty: u64) -> u64 {
        let market = &mut self.markets[instrument as usize];
        let mut left = qty;
        while left > 0 {
            let Some(front) = market.book.front(&self.nodes, side.opposite()) else { break };
            if limit.is_some_and(|limit| !side.crosses(limit, front.price)) {
                break;
            }
            let maker = self.order_ids[front.node as usize];
            let qty = left.min(front.leaves_qty.lots());
            left -= qty;
            if qty == front.leaves_qty.lots() {
                market.index.remove(maker);
            }
            market.book.reduce(&mut self.nodes, front.node, Qty::from_lots(qty));
            self.last_maker = maker;
            self.tally.trade(front.price.ticks(), qty);
        }
        left
    }

    #[inline]
    fn rest(&mut self, instrument: u32, order_id: u64, side: Side, price: i64, qty: u64) {
        let market = &mut self.markets[instrument as usize];
        let price = Price::from_ticks(price);
        let node = market.book.rest(&mut self.nodes, side, price, Qty::from_lots(qty));
        match self.order_ids.get_mut(node as usize) {
            Some(place) => *place = order_id,
            None => self.order_ids.push(order_id), // a new node is the next one
        }
        market.index.insert(order_id, node);
    }

    /// What is left of an order; zero when it does not rest.
    pub(crate) fn leaves(&self, instrument: u32, order_id: u64) -> u64 {
        let node = self.markets[instrument as usize].index.get(order_id);
        node.map_or(0, |node| self.nodes[node].leaves_qty().lots())
    }

    /// Orders that rest at `price` or better, in the order in which they would trade, as ids, prices
    /// and lots.
    pub(crate) fn queue(&self, instrument: u32, side: Side, price: i64) -> Vec<(u64, i64, u64)> {
        let read = |node: NodeId| {
            let order = &self.nodes[node];
            let order_id = self.order_ids[node as usize];
            (order_id, order.price().ticks(), order.leaves_qty().lots())
        };
        let orders = self.markets[instrument as usize].book.orders(&self.nodes, side).map(read);
        let price = Price::from_ticks(price);
        // An order on the other side at `price` would trade with all of them.
        let within = |at: i64| side.opposite().crosses(price, Price::from_ticks(at));
        orders.take_while(|(_, at, _)| within(*at)).collect()
    }
}
