//! The bare book as a target: orders are queued, matched and found by their ids. It has no accounts
//! and no events, and it counts fills.

use engine::{Book, NodeId, Nodes, OrderIndex};
use types::{OrderId, Phase, Price, Qty, Side};

use super::plan::{Step, Terms};
use super::target::{Tally, Target};
use super::watch::Watch;

const FAR: usize = 16;
const MIDDLE: usize = 10;
const NEAR: usize = 5;

/// With this many resting orders or fewer, the book stays in the cache anyway.
const CACHED_ORDERS_MAX: usize = 1 << 15;

#[derive(Debug)]
pub(crate) struct Bare {
    markets: Vec<IndexedBook>,
    nodes: Nodes,
    tally: Tally,
    last_maker: u64,
}

/// A step in a form that has the same fields for every kind.
#[derive(Clone, Copy, Debug)]
struct BareStep {
    order_id: u64,
    price: i64,
    qty: u64,
    instrument: u32,
    side: Side,
    kind: BareKind,
}

const _: () = assert!(size_of::<BareStep>() == 32);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum BareKind {
    Limit,
    Ioc,
    Auction,
    Cancel,
    Reduce,
    Execution,
    Uncross,
    Nothing,
}

impl BareStep {
    fn new(step: &Step) -> Self {
        match *step {
            Step::New { order_id, price, qty, instrument, side, terms } => {
                // A market order takes any price, so its remainder is never left over.
                let any = match side {
                    Side::Buy => i64::MAX,
                    Side::Sell => i64::MIN,
                };
                let (kind, price) = match terms {
                    Terms::Limit => (BareKind::Limit, price),
                    Terms::Ioc => (BareKind::Ioc, price),
                    Terms::Market => (BareKind::Ioc, any),
                    Terms::Auction => (BareKind::Auction, price),
                };
                Self { order_id, price, qty, instrument, side, kind }
            }
            Step::Cancel { order_id, instrument, side } => {
                Self { order_id, price: 0, qty: 0, instrument, side, kind: BareKind::Cancel }
            }
            Step::Reduce { order_id, by, instrument, side, .. } => {
                Self { order_id, price: 0, qty: by, instrument, side, kind: BareKind::Reduce }
            }
            Step::Execution { price, maker, qty, instrument, side } => {
                let kind = BareKind::Execution;
                Self { order_id: maker, price, qty, instrument, side, kind }
            }
            Step::Phase { instrument, phase } => {
                let kind = match phase {
                    Phase::Continuous => BareKind::Uncross,
                    _ => BareKind::Nothing,
                };
                Self { order_id: 0, price: 0, qty: 0, instrument, side: Side::Buy, kind }
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
struct IndexedBook {
    book: Book,
    index: OrderIndex,
}

impl Target for Bare {
    fn execute(&mut self, steps: &[Step], watch: &mut Watch) {
        let ready: Vec<BareStep> = steps.iter().map(BareStep::new).collect();
        watch.time(self, &ready, Self::step);
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
            markets: vec![IndexedBook::default(); instrument_count as usize],
            nodes: Nodes::default(),
            tally: Tally::default(),
            last_maker: 0,
        }
    }

    pub(crate) fn apply(&mut self, step: &Step) {
        self.carry(&BareStep::new(step));
    }

    /// Carries out a step, given the steps queued after it.
    #[inline(always)] // This is the body of the timed loop.
    fn step(&mut self, ready: &BareStep, waiting: &[BareStep]) {
        if self.nodes.len() > CACHED_ORDERS_MAX {
            self.prefetch(waiting);
        }
        self.carry(ready);
    }

    #[inline(always)]
    fn carry(&mut self, ready: &BareStep) {
        let BareStep { order_id, price, qty, instrument, side, kind } = *ready;
        let Self { markets, nodes, tally, last_maker } = self;
        let market = &mut markets[instrument as usize];
        let price = Price::from_ticks(price);
        let qty = Qty::from_lots(qty);
        match kind {
            BareKind::Cancel => match market.index.remove(order_id) {
                Some(node) => market.book.remove(nodes, node),
                None => tally.rejected += 1,
            },
            BareKind::Reduce => match market.index.get(order_id) {
                Some(node) if qty < nodes[node].leaves_qty() => {
                    market.book.reduce(nodes, node, qty);
                }
                _ => tally.rejected += 1,
            },
            BareKind::Execution => {
                let trades = tally.trades;
                market.take(nodes, tally, last_maker, side, price, qty);
                tally.execution(trades, order_id, *last_maker);
            }
            BareKind::Uncross => market.uncross(nodes),
            BareKind::Nothing => {}
            BareKind::Limit | BareKind::Ioc | BareKind::Auction => {
                let left = if kind == BareKind::Auction || !market.book.crosses(side, price) {
                    qty
                } else {
                    market.take(nodes, tally, last_maker, side, price, qty)
                };
                if !left.is_zero() && matches!(kind, BareKind::Limit | BareKind::Auction) {
                    market.rest(nodes, order_id, side, price, left);
                }
            }
        }
    }

    /// Prefetches the memory for the waiting steps, one access after the other. All kinds of steps
    /// are treated alike, because the processor would mispredict the kind.
    #[inline]
    fn prefetch(&mut self, waiting: &[BareStep]) {
        if let Some(ready) = waiting.get(FAR) {
            self.markets[ready.instrument as usize].index.prefetch(ready.order_id);
        }
        if let Some(ready) = waiting.get(MIDDLE) {
            let market = &self.markets[ready.instrument as usize];
            self.nodes.prefetch(market.index.peek(ready.order_id));
        }
        if let Some(ready) = waiting.get(NEAR) {
            let market = &mut self.markets[ready.instrument as usize];
            let node = market.index.peek(ready.order_id);
            let price = Price::from_ticks(ready.price);
            market.book.prefetch(&self.nodes, node, ready.side, price);
        }
    }

    /// The remaining quantity of an order; zero if it does not rest.
    pub(crate) fn leaves(&self, instrument: u32, order_id: u64) -> u64 {
        let node = self.markets[instrument as usize].index.get(order_id);
        node.map_or(0, |node| self.nodes[node].leaves_qty().lots())
    }

    /// Orders that rest at `price` or better, in order of their trading, as ids, prices and lots.
    pub(crate) fn queue(&self, instrument: u32, side: Side, price: i64) -> Vec<(u64, i64, u64)> {
        let Self { markets, nodes, .. } = self;
        let book = &markets[instrument as usize].book;
        let read = |node: NodeId| {
            let order = &nodes[node];
            (order.order_id().0, book.price(nodes, node).ticks(), order.leaves_qty().lots())
        };
        let orders = book.orders(nodes, side).map(read);
        let price = Price::from_ticks(price);
        // An order on the other side at `price` would trade with all of them.
        let within = |at: i64| side.opposite().crosses(price, Price::from_ticks(at));
        orders.take_while(|(_, at, _)| within(*at)).collect()
    }
}

impl IndexedBook {
    /// Trades a quantity against the book, and returns the remainder.
    #[inline(never)]
    fn take(
        &mut self,
        nodes: &mut Nodes,
        tally: &mut Tally,
        last_maker: &mut u64,
        side: Side,
        limit: Price,
        qty: Qty,
    ) -> Qty {
        let Self { book, index } = self;
        let mut left = qty;
        while !left.is_zero() {
            let Some(front) = book.front_for(nodes, side, limit) else { break };
            let maker = nodes[front.node].order_id().0;
            let qty = left.min(front.leaves_qty);
            left -= qty;
            if qty == front.leaves_qty {
                index.remove(maker);
                book.remove(nodes, front.node);
            } else {
                book.reduce(nodes, front.node, qty);
            }
            *last_maker = maker;
            tally.trade(front.price.ticks(), qty.lots());
        }
        left
    }

    /// Trades the crossed orders. The price of the trades does not affect the remaining orders.
    #[cold]
    fn uncross(&mut self, nodes: &mut Nodes) {
        let Self { book, index } = self;
        while let (Some(bid), Some(ask)) =
            (book.front(nodes, Side::Buy), book.front(nodes, Side::Sell))
            && bid.price >= ask.price
        {
            let qty = bid.leaves_qty.min(ask.leaves_qty);
            for front in [bid, ask] {
                if qty == front.leaves_qty {
                    index.remove(nodes[front.node].order_id().0);
                    book.remove(nodes, front.node);
                } else {
                    book.reduce(nodes, front.node, qty);
                }
            }
        }
    }

    #[inline]
    fn rest(&mut self, nodes: &mut Nodes, order_id: u64, side: Side, price: Price, qty: Qty) {
        let node = self.book.rest(nodes, OrderId(order_id), side, price, qty);
        self.index.insert(order_id, node);
    }
}
