//! Generated messages: a book of some hundred orders around a price that walks, by a seed.
//!
//! The messages are a cycle: the last ones delete all orders, from the far prices to the touch, so
//! that the first one may follow the last.

use types::Side;

use crate::message::{Kind, Update, Wire, write};

/// Messages of a cycle. In FIX they take 6 MB.
const MESSAGES: usize = 32_768;
const RESTING: usize = 600;
const MIDDLE: i64 = 1_000_000;
/// The price walks within this distance of its begin.
const WALK_MAX: i64 = 200;
const TICK: i64 = 100;
/// Orders are within this number of ticks.
const DEPTH_MAX: u64 = 40;

/// A cycle of messages.
#[derive(Debug)]
pub struct Flow {
    bytes: Vec<u8>,
    /// Where each message ends.
    ends: Vec<u32>,
}

/// A generator of numbers (xorshift64*).
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        (high * bound) >> 32
    }
}

#[derive(Clone, Copy)]
struct Resting {
    order: u64,
    side: Side,
    price: i64,
    quantity: u32,
}

struct Generator {
    random: Random,
    resting: Vec<Resting>,
    /// In ticks away from the middle.
    walk: i64,
    next_order: u64,
    wire: Wire,
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Flow {
    pub fn new(wire: Wire, seed: u64) -> Self {
        let mut generator = Generator {
            random: Random(seed | 1),
            resting: Vec::new(),
            walk: 0,
            next_order: 1,
            wire,
            bytes: Vec::new(),
            ends: Vec::with_capacity(MESSAGES),
        };
        while generator.ends.len() + generator.resting.len() < MESSAGES {
            generator.step();
        }
        generator.end();
        generator.bytes.shrink_to_fit();
        Self { bytes: generator.bytes, ends: generator.ends }
    }

    /// The messages, one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn messages(&self) -> usize {
        self.ends.len()
    }

    /// The messages from one up to another, which is not among them.
    pub(crate) fn part(&self, first: usize, end: usize) -> &[u8] {
        let begin = if first == 0 { 0 } else { self.ends[first - 1] as usize };
        &self.bytes[begin..self.ends[end - 1] as usize]
    }
}

impl Generator {
    fn step(&mut self) {
        // The price moves seldom: most messages of a market do not move it.
        if self.random.below(64) == 0 {
            let step = self.random.below(3) as i64 - 1;
            self.walk = (self.walk + step).clamp(-WALK_MAX, WALK_MAX);
            self.take_crossed();
        }
        match self.random.below(100) {
            0..3 => self.trade(),
            3..8 => self.execute(),
            _ if self.resting.len() < RESTING => self.add(),
            8..54 => self.add(),
            _ => self.delete(),
        }
    }

    fn middle(&self) -> i64 {
        MIDDLE + self.walk * TICK
    }

    fn add(&mut self) {
        let side = if self.random.below(2) == 0 { Side::Buy } else { Side::Sell };
        // Near the touch more often than far from it.
        let depth = 1 + self.random.below(DEPTH_MAX);
        let distance = 1 + self.random.below(depth) as i64;
        let price = self.middle() + if side == Side::Buy { -distance } else { distance } * TICK;
        let quantity = 1 + self.random.below(100) as u32;
        let order = self.next_order;
        self.next_order += 1;
        self.resting.push(Resting { order, side, price, quantity });
        self.write(Update::new(Kind::Add, side, order, price as u32, quantity), quantity);
    }

    fn delete(&mut self) {
        let at = self.random.below(self.resting.len() as u64) as usize;
        self.delete_at(at);
    }

    fn delete_at(&mut self, at: usize) {
        let gone = self.resting.swap_remove(at);
        self.write(Update::new(Kind::Delete, gone.side, gone.order, 0, 0), 0);
    }

    /// Executes a part of an order at the touch.
    fn execute(&mut self) {
        let side = if self.random.below(2) == 0 { Side::Buy } else { Side::Sell };
        let own = self.resting.iter().enumerate().filter(|(_, at)| at.side == side);
        let best = match side {
            Side::Buy => own.max_by_key(|(_, at)| at.price),
            Side::Sell => own.min_by_key(|(_, at)| at.price),
        };
        let Some((at, best)) = best.map(|(at, best)| (at, *best)) else { return self.add() };
        let quantity = 1 + self.random.below(best.quantity.into()) as u32;
        let leaves = best.quantity - quantity;
        self.resting[at].quantity = leaves;
        if leaves == 0 {
            self.resting.swap_remove(at);
        }
        self.write(Update::new(Kind::Reduce, side, best.order, 0, quantity), leaves);
    }

    fn trade(&mut self) {
        let side = if self.random.below(2) == 0 { Side::Buy } else { Side::Sell };
        let price = self.middle() as u32;
        let quantity = 1 + self.random.below(20) as u32;
        self.write(Update::new(Kind::Trade, side, 0, price, quantity), 0);
    }

    /// Deletes the orders that the walk of the price has run over.
    fn take_crossed(&mut self) {
        let middle = self.middle();
        let is_crossed = |at: &Resting| match at.side {
            Side::Buy => at.price >= middle,
            Side::Sell => at.price <= middle,
        };
        while let Some(at) = self.resting.iter().position(is_crossed) {
            self.delete_at(at);
        }
    }

    fn end(&mut self) {
        let middle = self.middle();
        self.resting.sort_by_key(|at| ((at.price - middle).abs(), at.order));
        while !self.resting.is_empty() {
            self.delete_at(self.resting.len() - 1);
        }
    }

    fn write(&mut self, update: Update, leaves: u32) {
        let number = self.ends.len() as u64;
        write(self.wire, &update, leaves, number, &mut self.bytes);
        self.ends.push(self.bytes.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;

    #[test]
    fn a_cycle_ends_with_an_empty_book_in_both_encodings() {
        let updates = |wire: Wire| {
            let flow = Flow::new(wire, 7);
            let (mut rest, mut read) = (flow.bytes(), Vec::new());
            while !rest.is_empty() {
                let (update, size) = wire.read(rest).expect("each message is sound");
                read.push(update);
                rest = &rest[size..];
            }
            assert_eq!(read.len(), flow.messages());
            read
        };
        let (binary, fix) = (updates(Wire::Binary), updates(Wire::Fix));
        assert_eq!(binary.len(), fix.len());
        let (mut one, mut two) = (Book::new(), Book::new());
        for (binary, fix) in binary.iter().zip(&fix) {
            one.apply(binary);
            two.apply(fix);
            for side in [Side::Buy, Side::Sell] {
                assert_eq!(one.best(side), two.best(side));
            }
            if let (Some(bid), Some(ask)) = (one.best(Side::Buy), one.best(Side::Sell)) {
                assert!(bid.price < ask.price);
            }
        }
        assert_eq!((one.refused(), two.refused()), (0, 0));
        assert_eq!((one.best(Side::Buy), one.best(Side::Sell)), (None, None));
    }

    #[test]
    fn a_cut_message_is_none() {
        for wire in [Wire::Binary, Wire::Fix] {
            let flow = Flow::new(wire, 7);
            let (_, size) = wire.read(flow.bytes()).unwrap();
            for cut in 0..size {
                assert_eq!(wire.read(&flow.bytes()[..cut]), None);
            }
        }
    }
}
