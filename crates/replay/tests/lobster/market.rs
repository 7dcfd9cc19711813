//! A synthetic market with every order, and its LOBSTER files for any number of levels.

use std::fmt::Write;

/// A cent in LOBSTER's unit.
const TICK: i64 = 100;
const MID: i64 = 1_000_000;
/// Distance from the mid within which orders rest, in ticks.
const BAND: u64 = 12;
const EMPTY_PRICE: i64 = 9_999_999_999;

/// The two files of one recording.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) messages: String,
    pub(crate) rows: String,
    pub(crate) message_count: u64,
    /// Sum of the visible executions after the first message.
    pub(crate) volume: u64,
}

/// One change of the market, with the levels after it.
struct Event {
    message: String,
    /// Quantity of a visible execution.
    executed: u64,
    /// Hidden executions, crosses and halts have a message although no level changes.
    is_always_written: bool,
    bids: Vec<(i64, u64)>,
    asks: Vec<(i64, u64)>,
}

#[derive(Clone, Copy)]
struct Order {
    id: u64,
    is_bid: bool,
    price: i64,
    qty: u64,
}

/// Orders in the sequence of their entry, so that the queue of a price is in order.
pub(crate) struct Market {
    orders: Vec<Order>,
    events: Vec<Event>,
    last_id: u64,
    random: u64,
}

impl Market {
    /// A market that starts with orders which no message has entered.
    pub(crate) fn run(seed: u64, events: usize) -> Self {
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut market = Self { orders: Vec::new(), events: Vec::new(), last_id: 0, random };
        for _ in 0..40 {
            market.enter();
        }
        market.events.clear();
        while market.events.len() < events {
            match market.below(20) {
                0..=7 => market.enter(),
                8..=10 => market.reduce(),
                11..=14 => market.delete(),
                15..=17 => market.aggress(),
                18 => market.write(5, 0, 10, MID + 50, true, 0, true),
                _ => market.write(7, 0, 0, -1, false, 0, true),
            }
        }
        market
    }

    /// The files of the best `depth` levels: the events that change one of them.
    pub(crate) fn files(&self, depth: usize) -> Files {
        let mut files = Files::default();
        let mut before = None;
        for event in &self.events {
            let row = row_text(&event.bids, &event.asks, depth);
            if event.is_always_written || before.as_ref() != Some(&row) {
                files.volume += if files.message_count > 0 { event.executed } else { 0 };
                files.message_count += 1;
                writeln!(files.messages, "{}", event.message).unwrap();
                writeln!(files.rows, "{row}").unwrap();
            }
            before = Some(row);
        }
        files
    }

    /// A limit order that does not trade.
    fn enter(&mut self) {
        let is_bid = self.below(2) == 0;
        let best = self.levels(!is_bid).first().map(|(price, _)| *price);
        let distance = i64::try_from(self.below(BAND)).unwrap() * TICK;
        let price = match (is_bid, best) {
            (true, Some(ask)) => (MID + 5 * TICK - distance).min(ask - TICK),
            (true, None) => MID - distance,
            (false, Some(bid)) => (MID - 5 * TICK + distance).max(bid + TICK),
            (false, None) => MID + distance,
        };
        let qty = 1 + self.below(30);
        self.last_id += 1;
        let order = Order { id: self.last_id, is_bid, price, qty };
        self.orders.push(order);
        self.record(1, order, qty, 0);
    }

    fn reduce(&mut self) {
        let Some(at) = self.any() else { return };
        let order = self.orders[at];
        if order.qty > 1 {
            let by = 1 + self.below(order.qty - 1);
            self.orders[at].qty -= by;
            self.record(2, order, by, 0);
        }
    }

    fn delete(&mut self) {
        let Some(at) = self.any() else { return };
        let order = self.orders.remove(at);
        self.record(3, order, order.qty, 0);
    }

    /// An order that trades with one or more resting orders: a message for each of them.
    fn aggress(&mut self) {
        let is_bid = self.below(2) == 0;
        let mut left = 1 + self.below(60);
        while left > 0 {
            let Some((best, _)) = self.levels(is_bid).first().copied() else { return };
            let is_front = |order: &Order| order.is_bid == is_bid && order.price == best;
            let at = self.orders.iter().position(is_front).unwrap();
            let order = self.orders[at];
            let qty = left.min(order.qty);
            left -= qty;
            self.orders[at].qty -= qty;
            self.orders.retain(|order| order.qty > 0);
            self.record(4, order, qty, qty);
        }
    }

    fn any(&mut self) -> Option<usize> {
        let count = self.orders.len() as u64;
        (count > 0).then(|| usize::try_from(self.below(count)).unwrap())
    }

    fn record(&mut self, kind: u8, order: Order, size: u64, executed: u64) {
        self.write(kind, order.id, size, order.price, order.is_bid, executed, false);
    }

    #[allow(clippy::too_many_arguments, reason = "the columns of a message")]
    fn write(
        &mut self,
        kind: u8,
        id: u64,
        size: u64,
        price: i64,
        is_bid: bool,
        executed: u64,
        is_always_written: bool,
    ) {
        let direction = if is_bid { 1 } else { -1 };
        let seconds = 34_200 + self.events.len();
        let message = format!("{seconds}.5,{kind},{id},{size},{price},{direction}");
        let (bids, asks) = (self.levels(true), self.levels(false));
        self.events.push(Event { message, executed, is_always_written, bids, asks });
    }

    /// Best first.
    fn levels(&self, is_bid: bool) -> Vec<(i64, u64)> {
        let mut levels = std::collections::BTreeMap::<i64, u64>::new();
        for order in self.orders.iter().filter(|order| order.is_bid == is_bid) {
            *levels.entry(order.price).or_default() += order.qty;
        }
        if is_bid { levels.into_iter().rev().collect() } else { levels.into_iter().collect() }
    }

    /// A number below `limit`, by xorshift.
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) % limit
    }
}

fn row_text(bids: &[(i64, u64)], asks: &[(i64, u64)], depth: usize) -> String {
    let level = |side: &[(i64, u64)], at: usize, empty: i64| {
        let (price, qty) = side.get(at).copied().unwrap_or((empty, 0));
        format!("{price},{qty}")
    };
    let levels = (0..depth)
        .map(|at| format!("{},{}", level(asks, at, EMPTY_PRICE), level(bids, at, -EMPTY_PRICE)));
    levels.collect::<Vec<_>>().join(",")
}
