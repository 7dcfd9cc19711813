//! The engine's allocations, counted: none while the flow is steady.

#![allow(unsafe_code, reason = "an allocator that counts; no other way is known to Rust")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use engine::Engine;
use types::{AccountId, ClOrdId, Command, Event, OrderId, Side, TimeInForce};

#[path = "../benches/house/mod.rs"]
mod house;

const ACCOUNTS: u32 = 50;
const RESTING: usize = 1_500;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: all calls are passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Orders enter, trade in parts and in full, and are canceled, and a nearly constant number rests.
#[test]
fn the_steady_state_allocates_nothing() {
    let mut venue = Venue::open();
    for _ in 0..300_000 {
        venue.step();
    }
    let (before, trades) = (ALLOCATIONS.get(), venue.trades);
    for _ in 0..300_000 {
        venue.step();
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert!(venue.trades - trades > 30_000, "{} trades", venue.trades - trades);
    venue.engine.assert_consistent();
}

struct Venue {
    engine: Engine,
    events: Vec<Event>,
    random: u64,
    now_ns: u64,
    /// Orders that were entered and may still rest.
    entered: Vec<(AccountId, OrderId)>,
    trades: u64,
}

impl Venue {
    fn open() -> Self {
        Self {
            engine: house::open(ACCOUNTS),
            events: Vec::with_capacity(4_096),
            random: SEED,
            now_ns: 0,
            entered: Vec::with_capacity(1 << 20),
            trades: 0,
        }
    }

    fn apply(&mut self, account: AccountId, command: Command) {
        self.now_ns += 1_000;
        house::apply(&mut self.engine, self.now_ns, account, command, &mut self.events);
    }

    fn step(&mut self) {
        match self.draw(100) {
            0..8 => self.enter(true),
            8..65 if self.engine.resting_count() < RESTING => self.enter(false),
            _ => self.cancel(),
        }
    }

    fn enter(&mut self, crosses: bool) {
        let side = if self.draw(2) == 0 { Side::Buy } else { Side::Sell };
        let away = 1 + self.draw(64) as i64;
        let away = if crosses { -away } else { away };
        let price = match side {
            Side::Buy => 1_000_000 - away,
            Side::Sell => 1_000_000 + away,
        };
        let account = AccountId(1 + self.draw(u64::from(ACCOUNTS)) as u32);
        // As long as a generated name, and sometimes the longest.
        let mut text = [b'a'; ClOrdId::LEN_MAX];
        let len = if self.draw(4) == 0 { text.len() } else { 20 };
        let mut rest = self.now_ns;
        for digit in &mut text[..20] {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let name = std::str::from_utf8(&text[..len]).expect("a valid name");
        let mut order = house::limit_order(side, price, 1 + self.draw(100), name);
        if crosses {
            order.time_in_force = TimeInForce::Ioc;
        }
        self.apply(account, Command::NewOrder(order));
        for event in &self.events {
            match event {
                Event::OrderRested(rested) => self.entered.push((account, rested.order_id)),
                Event::TradeExecuted(_) => self.trades += 1,
                Event::CommandRejected(rejected) => panic!("{rejected:?}"),
                _ => {}
            }
        }
    }

    /// Cancels a random order, unless it has traded since.
    fn cancel(&mut self) {
        if self.entered.is_empty() {
            return;
        }
        let at = self.draw(self.entered.len() as u64) as usize;
        let (account, order_id) = self.entered.swap_remove(at);
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
