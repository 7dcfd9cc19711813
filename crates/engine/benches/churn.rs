//! Memory over a long life: hundreds of millions of orders enter, trade and leave. A nearly
//! constant number rests, and the process should not grow.
//!
//! `cargo bench -p engine --bench churn -- [million commands]` prints the resident memory on the
//! way, and fails if it grows by more than [`GROWTH_MAX`] after the first tenth.

use std::collections::VecDeque;

use engine::Engine;
use types::{AccountId, Command, Entry, Envelope, Event, OrderId, Origin, Side, TimeInForce};

mod house;

const ACCOUNTS: u32 = 200;
const RESTING: usize = 15_000;
const REPORTS: u64 = 20;
/// In percent of the memory after the first tenth.
const GROWTH_MAX: u64 = 2;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn main() {
    let arguments = std::env::args().skip(1);
    let millions = arguments.filter_map(|text| text.parse().ok()).next().unwrap_or(20_u64);
    let mut venue = Venue::open();
    let commands = millions * 1_000_000;
    let mut settled = None;
    let mut last = 0;
    for part in 1..=REPORTS {
        for _ in 0..commands / REPORTS {
            venue.step();
        }
        last = house::resident_bytes() / 1024;
        let (orders, trades) = (venue.engine.resting_count(), venue.trades);
        println!(
            "{:>6} M commands {last:>8} KiB, {orders} resting, {trades} trades",
            part * millions / REPORTS
        );
        if part * 10 >= REPORTS && settled.is_none() {
            settled = Some(last);
        }
    }
    venue.engine.assert_consistent();
    let settled = settled.expect("the first tenth is over");
    let grown = last.saturating_sub(settled);
    assert!(grown * 100 <= settled * GROWTH_MAX, "memory grew from {settled} to {last} KiB");
}

struct Venue {
    engine: Engine,
    events: Vec<Event>,
    random: u64,
    now_ns: u64,
    /// Orders that were entered and may still rest, oldest first.
    entered: VecDeque<(AccountId, OrderId)>,
    middle: i64,
    trades: u64,
}

impl Venue {
    fn open() -> Self {
        Self {
            engine: house::open(ACCOUNTS),
            events: Vec::new(),
            random: SEED,
            now_ns: 0,
            entered: VecDeque::new(),
            middle: 1_000_000,
            trades: 0,
        }
    }

    fn apply(&mut self, account: AccountId, command: Command) {
        self.now_ns += 1_000;
        house::apply(&mut self.engine, self.now_ns, account, command, &mut self.events);
        while self.engine.has_deferred() {
            let envelope = Envelope::venue(Origin::Replay, self.now_ns);
            let command = Command::Continue(());
            self.engine.apply(self.now_ns, &Entry { envelope, command }, &mut self.events);
        }
    }

    /// Enters an order that rests or trades, or cancels one, so that about [`RESTING`] orders stay.
    fn step(&mut self) {
        let dice = self.draw(100);
        match dice {
            0..6 => self.enter(true),
            _ if self.engine.resting_count() > RESTING || dice >= 70 => self.cancel(),
            _ => self.enter(false),
        }
    }

    fn enter(&mut self, crosses: bool) {
        if self.draw(32) == 0 {
            self.middle += self.draw(3) as i64 - 1;
        }
        let side = if self.draw(2) == 0 { Side::Buy } else { Side::Sell };
        let away = 1 + (self.draw(64) * self.draw(64) / 64) as i64;
        let away = if crosses { -away } else { away };
        let price = match side {
            Side::Buy => self.middle - away,
            Side::Sell => self.middle + away,
        };
        let account = AccountId(1 + self.draw(u64::from(ACCOUNTS)) as u32);
        let number = self.now_ns / 1_000;
        let lots = 1 + self.draw(100);
        let mut order = house::limit_order(side, price, lots, &format!("c{number}"));
        if crosses {
            order.time_in_force = TimeInForce::Ioc;
        }
        self.apply(account, Command::NewOrder(order));
        for event in &self.events {
            match event {
                Event::OrderRested(rested) => self.entered.push_back((account, rested.order_id)),
                Event::TradeExecuted(_) => self.trades += 1,
                Event::CommandRejected(rejected) => panic!("{rejected:?}"),
                _ => {}
            }
        }
    }

    /// Cancels a random one of the older half, unless it has traded since.
    fn cancel(&mut self) {
        if self.entered.is_empty() {
            return;
        }
        let at = self.draw(self.entered.len() as u64) as usize;
        let (account, order_id) = self.entered.swap_remove_back(at).expect("it is there");
        self.apply(account, house::cancel_order(order_id));
    }

    /// A number of xorshift below `bound`.
    fn draw(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % bound
    }
}
