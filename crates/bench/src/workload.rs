//! Generated order flow: the workloads `w1`, `w2` and `w3`, the same bytes for the same seed on all
//! machines.
//!
//! The generator keeps a plain book, so that each cancel names a resting order, and so that taking
//! orders keep the book near its first size.
//!
//! # Known limits
//! The order to cancel is drawn evenly among all resting orders, there are no amends, and ids are
//! dense.

use std::collections::{BTreeMap, VecDeque};

use clap::ValueEnum;
use recorded::obwl::{Op, Record, Workload};
use types::Side;

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(super) enum Name {
    /// One instrument, 15,000 resting orders
    W1,
    /// One instrument, 1,000,000 resting orders over 190,000 prices
    W2,
    /// 1,000 instruments, some traded much more than others
    W3,
}

/// The parameters of a workload.
pub(super) struct Shape {
    pub(super) seed: u64,
    pub(super) commands: u64,
    /// Resting orders before the commands, in all instruments together.
    pub(super) prefill: usize,
    pub(super) instruments: u32,
    /// Parts of the commands that add resting orders, cancel, and take with a limit. All others are
    /// market orders.
    pub(super) passive: f64,
    pub(super) cancel: f64,
    pub(super) limited: f64,
    /// Quantity of a taking order, in units of a resting order's.
    pub(super) need: f64,
}

impl Name {
    pub(super) fn text(self) -> &'static str {
        ["w1", "w2", "w3"][self as usize]
    }

    pub(super) fn shape(self) -> Shape {
        let mixed = Shape {
            seed: 1_001,
            commands: 3_000_000,
            prefill: 15_000,
            instruments: 1,
            passive: 0.55,
            cancel: 0.35,
            limited: 0.08,
            need: 2.0,
        };
        match self {
            Self::W1 => mixed,
            Self::W2 => Shape {
                seed: 2_002,
                commands: 2_000_000,
                prefill: 1_000_000,
                passive: 0.50,
                cancel: 0.42,
                limited: 0.06,
                need: 1.0,
                ..mixed
            },
            Self::W3 => Shape { seed: 3_003, prefill: 200_000, instruments: 1_000, ..mixed },
        }
    }
}

/// The workload, with `commands` commands after those that build its book.
pub(super) fn make(name: Name, seed: Option<u64>, commands: Option<u64>) -> Workload {
    let shape = name.shape();
    let commands = commands.unwrap_or(shape.commands);
    make_like(name, Shape { seed: seed.unwrap_or(shape.seed), commands, ..shape })
}

/// A workload of that kind in another shape.
pub(super) fn make_like(name: Name, shape: Shape) -> Workload {
    let commands = shape.commands;
    let mut maker = Maker::new(name, shape);
    maker.fill();
    (0..commands).for_each(|_| maker.command());
    let Maker { shape, records, .. } = maker;
    Workload::new(shape.instruments, shape.prefill as u64, records)
}

struct Maker {
    name: Name,
    shape: Shape,
    random: Xoshiro,
    /// Part of the commands for each instrument and all before it.
    shares: Vec<f64>,
    markets: Vec<Market>,
    /// Indexed by id; ids begin with 1.
    orders: Vec<Order>,
    resting: usize,
    records: Vec<Record>,
}

#[derive(Default)]
struct Market {
    base: u64,
    middle: f64,
    /// Bids, asks.
    sides: [BTreeMap<u64, Level>; 2],
    resting: Vec<u64>,
}

#[derive(Default)]
struct Level {
    /// May still have canceled orders.
    queue: VecDeque<u64>,
    resting: usize,
}

#[derive(Clone, Copy)]
struct Order {
    qty: u32,
    side: usize,
    price: u64,
    /// Its index in [`Market::resting`].
    place: usize,
}

const GONE: Order = Order { qty: 0, side: 0, price: 0, place: 0 };

impl Maker {
    fn new(name: Name, shape: Shape) -> Self {
        let mut random = Xoshiro::new(shape.seed);
        let markets = (0..shape.instruments).map(|_| Market::new(name, &mut random)).collect();
        let mut shares = Vec::new();
        let mut sum = 0.0;
        for rank in 1..=shape.instruments {
            sum += 1.0 / f64::from(rank);
            shares.push(sum);
        }
        shares.iter_mut().for_each(|share| *share /= sum);
        let (orders, records) = (vec![GONE], Vec::new());
        Self { name, shape, random, shares, markets, orders, resting: 0, records }
    }

    fn fill(&mut self) {
        for at in 0..self.shape.prefill {
            self.passive(at % self.markets.len());
        }
    }

    fn command(&mut self) {
        let at = self.pick();
        if self.random.below(200) == 0 {
            self.move_middle(at);
        }
        let Shape { passive, cancel, limited, .. } = self.shape;
        let drawn = self.random.part();
        if drawn < passive {
            self.passive(at);
        } else if drawn < passive + cancel {
            match self.markets[at].resting.len() as u64 {
                0 => self.passive(at),
                count => {
                    let place = self.random.below(count) as usize;
                    self.cancel(at, self.markets[at].resting[place]);
                }
            }
        } else {
            self.take_from_book(at, drawn < passive + cancel + limited);
        }
    }

    fn pick(&mut self) -> usize {
        if self.markets.len() == 1 {
            return 0;
        }
        let drawn = self.random.part();
        self.shares.partition_point(|share| *share < drawn)
    }

    fn move_middle(&mut self, at: usize) {
        let up = self.random.below(2) == 1;
        let Market { base, middle, .. } = &mut self.markets[at];
        *middle += if up { 1.0 } else { -1.0 };
        if *middle < *base as f64 * 0.9 {
            *middle += 1.0;
        }
        if *middle > *base as f64 * 1.1 {
            *middle -= 1.0;
        }
    }

    /// Adds a resting order, which does not reach the best price of the other side.
    fn passive(&mut self, at: usize) {
        let side = self.random.below(2) as usize;
        let distance = self.distance();
        let market = &self.markets[at];
        let middle = market.middle as u64;
        let mut price = if side == BUY { middle - 1 - distance } else { middle + 1 + distance };
        if let Some(best) = market.best(1 - side) {
            price = if side == BUY { price.min(best - 1) } else { price.max(best + 1) };
        }
        let qty = 1 + self.random.below(100) as u32;
        self.enter(at, Op::Limit, side, price, qty);
    }

    fn distance(&mut self) -> u64 {
        if self.name != Name::W2 {
            return self.random.exponential(10.0).min(50);
        }
        match self.random.below(2) {
            0 => self.random.below(100_000),
            _ => self.random.exponential(2_000.0).min(100_000),
        }
    }

    /// Takes a quantity that grows with the number of resting orders.
    fn take_from_book(&mut self, at: usize, is_limited: bool) {
        let fullness = match self.name {
            Name::W3 => {
                let share = self.shape.prefill as f64 / self.markets.len() as f64;
                self.markets[at].resting.len() as f64 / share
            }
            _ => self.resting as f64 / self.shape.prefill as f64,
        };
        let span = (2.0 * 50.5 * self.shape.need * fullness.clamp(0.25, 4.0)) as u64 + 1;
        let qty = 1 + self.random.below(span) as u32;
        let side = self.random.below(2) as usize;
        let Some(best) = self.markets[at].best(1 - side) else { return self.passive(at) };
        if !is_limited {
            return self.enter(at, Op::Market, side, 0, qty);
        }
        let through = self.random.below(4);
        let price = if side == BUY { best + through } else { best - through };
        let op = if self.random.below(2) == 1 { Op::Ioc } else { Op::Limit };
        self.enter(at, op, side, price, qty);
    }

    fn enter(&mut self, at: usize, op: Op, side: usize, price: u64, qty: u32) {
        let order_id = self.orders.len() as u64;
        self.orders.push(GONE);
        self.record(at, op, side, order_id, price, qty);
        let left = self.fill_from(at, op, side, price, qty);
        if left > 0 && op == Op::Limit {
            let market = &mut self.markets[at];
            let place = market.resting.len();
            market.resting.push(order_id);
            let level = market.sides[side].entry(price).or_default();
            level.queue.push_back(order_id);
            level.resting += 1;
            self.orders[order_id as usize] = Order { qty: left, side, price, place };
            self.resting += 1;
        }
    }

    fn fill_from(&mut self, at: usize, op: Op, side: usize, price: u64, mut left: u32) -> u32 {
        while left > 0
            && let Some(best) = self.markets[at].best(1 - side)
            && (op == Op::Market || if side == BUY { best <= price } else { best >= price })
        {
            let level = self.markets[at].sides[1 - side].get_mut(&best).expect("it is the best");
            let maker = *level.queue.front().expect("a level without orders is gone");
            let maker_qty = self.orders[maker as usize].qty;
            if maker_qty == 0 {
                level.queue.pop_front();
                continue;
            }
            let filled = left.min(maker_qty);
            left -= filled;
            match maker_qty - filled {
                0 => self.remove(at, maker),
                rest => self.orders[maker as usize].qty = rest,
            }
        }
        left
    }

    fn cancel(&mut self, at: usize, order_id: u64) {
        let Order { side, price, .. } = self.orders[order_id as usize];
        self.record(at, Op::Cancel, side, order_id, price, 0);
        self.remove(at, order_id);
    }

    fn remove(&mut self, at: usize, order_id: u64) {
        let Order { side, price, place, .. } =
            std::mem::replace(&mut self.orders[order_id as usize], GONE);
        let market = &mut self.markets[at];
        market.resting.swap_remove(place);
        if let Some(moved) = market.resting.get(place) {
            self.orders[*moved as usize].place = place;
        }
        let level = market.sides[side].get_mut(&price).expect("it rested there");
        level.resting -= 1;
        if level.resting == 0 {
            market.sides[side].remove(&price);
        }
        self.resting -= 1;
    }

    fn record(&mut self, at: usize, op: Op, side: usize, order_id: u64, price: u64, qty: u32) {
        let side = if side == BUY { Side::Buy } else { Side::Sell };
        self.records.push(Record { order_id, price, qty, symbol: at as u32, op, side });
    }
}

const BUY: usize = 0;

impl Market {
    fn new(name: Name, random: &mut Xoshiro) -> Self {
        let base = match name {
            Name::W1 => 100_000,
            Name::W2 => 1_000_000,
            Name::W3 => 20_000 + random.below(180_000),
        };
        Self { base, middle: base as f64, ..Self::default() }
    }

    fn best(&self, side: usize) -> Option<u64> {
        let levels = &self.sides[side];
        let best = if side == BUY { levels.last_key_value() } else { levels.first_key_value() };
        best.map(|(price, _)| *price)
    }
}

/// xoshiro256**, seeded by SplitMix64: the generator of these workloads since their first version.
struct Xoshiro([u64; 4]);

impl Xoshiro {
    fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }))
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let drawn = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        drawn
    }

    /// A number of `0..end`.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number from 0 to 1, without 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> u64 {
        (-mean * (1.0 - self.part()).ln()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W1_HASH: &str = "70e7c58c8282cf4a8524388a02a3d3afe04c3c587937ac02e128b84e72d640bb";
    const W3_HASH: &str = "e4347c69a539da95e9376732d8b84423109d7a4ca0424ca90877a01ecd49cd01";

    /// The hashes are those of the first generator, in C++, for the same commands.
    #[test]
    fn the_bytes_are_those_of_the_first_generator() {
        for (name, expected) in [(Name::W1, W1_HASH), (Name::W3, W3_HASH)] {
            let mut bytes = Vec::new();
            make(name, None, Some(20_000)).write(&mut bytes).expect("memory takes all");
            assert_eq!(blake3::hash(&bytes).to_hex().as_str(), expected, "{name:?}");
        }
    }
}
