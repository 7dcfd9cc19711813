//! Times of single operations, and of the operations that a malicious client can cause.
//!
//! `cargo bench -p engine --bench latency` prints one table. Each operation is timed in batches of
//! [`BATCH`], on a book of [`ORDERS`] orders at [`LEVELS`] prices a side. p50 and p99 are of the
//! batches, per operation. The best published figures of other systems stand beside them if there
//! are any. All input comes from one seed, and each run checks that its work was done.

#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

mod crowd;
#[path = "../house/mod.rs"]
mod house;

use std::hint::black_box;
use std::time::Instant;

use engine::{Book, Engine, Nodes, OrderIndex};
use types::{
    AccountId, AccountMode, AccountName, AccountRisk, AccountSpec, AssetId, Command, CreateAccount,
    Entry, Envelope, Event, InstrumentId, NewOrder, Order, OrderId, OrderType, Origin, Price, Qty,
    SetAccountRisk, Side, Terms, TimeInForce,
};

use self::crowd::{Leave, crowd, engine_crowd};

const BATCH: usize = 64;
const BATCHES: usize = 4_000;
const ORDERS: usize = 10_000;
const LEVELS: i64 = 100;
const MIDDLE: i64 = 1_000_000;
const MANY: usize = 1_000_000;
/// The number of commands ahead at which the bare book prefetches an order, and its neighbours.
const FAR: usize = 10;
const NEAR: usize = 5;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn main() {
    println!("{:38}{:>9}{:>9}{:>10}", "the bare book, ns", "p50", "p99", "others");
    add_at_a_new_level();
    add_at_a_standing_level();
    match_one();
    cancel();
    part_of_one("match part of one", false);
    part_of_one("the same, fill-or-kill", true);
    queries();

    println!("{:38}{:>9}{:>9}{:>10}", "\nthe whole engine, ns", " p50", "p99", "others");
    risk_check();
    balance_update();
    position_update();
    trigger_check();
    limit_and_fill_or_kill();

    println!(
        "{:38}{:>9}{:>9}{:>10}",
        "\na million orders, ns per command", " add", "cancel", "bytes"
    );
    let deep = crowd("on 200,000 prices, at random", 1, 200_000, Leave::AtRandom, None);
    for (name, leave) in [
        ("a page each, canceled at random", Leave::AtRandom),
        ("a page each, canceled best first", Leave::BestFirst),
        ("a page each, canceled worst first", Leave::WorstFirst),
    ] {
        crowd(name, 64 * 7, MANY as i64, leave, Some(deep));
    }
    let limit = |at: usize| buy_order(MIDDLE - 1 - draw_of(at, 200_000), at);
    let apart = |at: usize| buy_order(1 + draw_of(at, 1 << 40), at);
    let stop = |at: usize| stop_order(MIDDLE - 1 - draw_of(at, 200_000), &format!("o{at}"));
    println!("{:46}{:>9}", "\na million orders in the whole engine", " ns");
    let deep = engine_crowd("on 200,000 prices", limit, None);
    engine_crowd("a page each", apart, Some(deep));
    engine_crowd("stops that wait", stop, Some(deep));
}

/// A pseudo-random number below `end`.
fn draw_of(at: usize, end: i64) -> i64 {
    (at as u64).wrapping_mul(SEED).rotate_left(26).cast_signed().rem_euclid(end)
}

/// A book with the parts that a venue needs for cancels by id.
struct Bare {
    book: Book,
    nodes: Nodes,
    index: OrderIndex,
    last_order_id: u64,
    random: u64,
}

impl Bare {
    fn empty() -> Self {
        Self {
            book: Book::default(),
            nodes: Nodes::default(),
            index: OrderIndex::default(),
            last_order_id: 0,
            random: SEED,
        }
    }

    fn standing() -> Self {
        let mut bare = Self::empty();
        for at in 0..ORDERS as i64 {
            let side = if at % 2 == 0 { Side::Buy } else { Side::Sell };
            bare.add(side, price(side, at / 2 % LEVELS));
        }
        bare
    }

    #[inline]
    fn add(&mut self, side: Side, price: Price) -> u64 {
        self.last_order_id += 1;
        let order_id = OrderId(self.last_order_id);
        let node = self.book.rest(&mut self.nodes, order_id, side, price, Qty::from_lots(10));
        self.index.insert(self.last_order_id, node);
        self.last_order_id
    }

    #[inline]
    fn cancel(&mut self, order_id: u64) {
        let node = self.index.remove(order_id).expect("it rests");
        self.book.remove(&mut self.nodes, node);
    }

    #[inline]
    fn match_front(&mut self, side: Side) -> Price {
        let front = self.book.front(&self.nodes, side).expect("an order rests");
        self.index.remove(self.nodes[front.node].order_id().0);
        self.book.remove(&mut self.nodes, front.node);
        front.price
    }

    /// xorshift64*
    fn draw(&mut self, below: u64) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) % below
    }

    fn draw_side(&mut self) -> Side {
        if self.draw(2) == 0 { Side::Buy } else { Side::Sell }
    }
}

/// The price `distance` ticks away from the best one.
fn price(side: Side, distance: i64) -> Price {
    match side {
        Side::Buy => Price::from_ticks(MIDDLE - distance),
        Side::Sell => Price::from_ticks(MIDDLE + 1 + distance),
    }
}

fn add_at_a_new_level() {
    let mut bare = Bare::standing();
    let mut times = Times::default();
    let mut added = [0; BATCH];
    for _ in 0..BATCHES {
        let side = bare.draw_side();
        let first = LEVELS + bare.draw(64) as i64;
        times.batch(|at| added[at] = bare.add(side, price(side, first + at as i64)));
        added.iter().for_each(|order_id| bare.cancel(*order_id));
    }
    assert_eq!(bare.nodes.len(), ORDERS);
    times.print("add at a new level", Some(180));
}

fn add_at_a_standing_level() {
    let mut bare = Bare::standing();
    let mut times = Times::default();
    let mut added = [0; BATCH];
    for _ in 0..BATCHES {
        let places: [_; BATCH] =
            std::array::from_fn(|_| (bare.draw_side(), bare.draw(LEVELS as u64)));
        times.batch(|at| {
            let (side, distance) = places[at];
            added[at] = bare.add(side, price(side, distance as i64));
        });
        assert_eq!(bare.nodes.len(), ORDERS + BATCH);
        added.iter().for_each(|order_id| bare.cancel(*order_id));
    }
    times.print("add at a standing level", Some(180));
}

fn match_one() {
    let mut bare = Bare::standing();
    let mut times = Times::default();
    let mut prices = [Price::default(); BATCH];
    for _ in 0..BATCHES {
        let side = bare.draw_side();
        times.batch(|at| prices[at] = bare.match_front(side));
        assert_eq!(bare.nodes.len(), ORDERS - BATCH);
        prices.iter().for_each(|price| {
            bare.add(side, *price);
        });
    }
    times.print("match one order whole", None);
}

fn cancel() {
    let mut bare = Bare::standing();
    let mut times = Times::default();
    let mut resting: Vec<u64> = (1..=ORDERS as u64).collect();
    for _ in 0..BATCHES {
        for at in 0..BATCH {
            let other = at as u64 + bare.draw((ORDERS - at) as u64);
            resting.swap(at, other as usize);
        }
        times.batch(|at| bare.cancel(resting[at]));
        assert_eq!(bare.nodes.len(), ORDERS - BATCH);
        for order_id in &mut resting[..BATCH] {
            let (side, distance) = (bare.draw_side(), bare.draw(LEVELS as u64));
            *order_id = bare.add(side, price(side, distance as i64));
        }
    }
    times.print("cancel", None);
}

/// One lot of the first order, limited at its price.
fn part_of_one(name: &str, all_or_nothing: bool) {
    let mut bare = Bare::standing();
    let mut times = Times::default();
    let lot = Qty::from_lots(1);
    for _ in 0..BATCHES {
        let side = bare.draw_side();
        let first = bare.add(side, price(side, -1));
        let node = bare.index.get(first).expect("it rests");
        bare.book.remove(&mut bare.nodes, node);
        let plenty = Qty::from_lots(1_000);
        let node = bare.book.rest(&mut bare.nodes, OrderId(first), side, price(side, -1), plenty);
        let limit = black_box(price(side, -1));
        times.batch(|_| {
            let Bare { book, nodes, .. } = &mut bare;
            if all_or_nothing && !book.can_fill(side.opposite(), Some(limit), black_box(lot)) {
                return;
            }
            let front = book.front(nodes, side).expect("an order rests");
            if side.opposite().crosses(limit, front.price) {
                book.reduce(nodes, front.node, lot);
            }
        });
        assert_eq!(bare.nodes[node].leaves_qty().lots(), 1_000 - BATCH as u64);
        bare.book.remove(&mut bare.nodes, node);
        bare.index.remove(first);
    }
    times.print(name, None);
}

fn queries() {
    let bare = Bare::standing();
    let book = &bare.book;
    let best = |side| book.best_price(side).expect("an order rests").ticks();
    let mut sum = 0;
    query("best price", Some(8), || sum += best(black_box(Side::Buy)));
    query("spread", Some(12), || sum += best(black_box(Side::Sell)) - best(black_box(Side::Buy)));
    let mut lots = 0;
    query("ten levels of depth, both sides", None, || {
        for side in [Side::Buy, Side::Sell] {
            let depth = book.levels(black_box(side)).take(10);
            lots += depth.map(|(price, qty)| qty.lots() + price.ticks() as u64 % 2).sum::<u64>();
        }
    });
    let count = (BATCH * BATCHES) as i64;
    assert_eq!(black_box(sum), count * MIDDLE + count);
    assert_eq!(black_box(lots), count as u64 * (20 * 50 * 10 + 10));
}

fn query(name: &str, others: Option<u64>, mut operation: impl FnMut()) {
    let mut times = Times::default();
    for _ in 0..BATCHES {
        times.batch(|_| operation());
    }
    times.print(name, others);
}

fn risk_check() {
    let engine = engine_with_orders();
    let orders: [_; BATCH] = std::array::from_fn(|at| new_order(Side::Buy, 900 - at as i64, "x"));
    let mut times = Times::default();
    for _ in 0..BATCHES {
        times.batch(|at| {
            let account = AccountId(1 + at as u32 % 2);
            let passed = engine.check_new_order(account, black_box(&orders[at]));
            assert!(passed.is_ok());
        });
    }
    times.print("risk check of a new order", Some(85));
}

fn balance_update() {
    let mut engine = engine_with_orders();
    let order = first_order(&engine, 1);
    let mut times = Times::default();
    for _ in 0..BATCHES {
        times.batch(|_| engine.probe_balances(black_box(&order), Qty::from_lots(1)));
    }
    let owned = engine.balance(AccountId(1), AssetId(0)).total().minor();
    let before = engine_with_orders().balance(AccountId(1), AssetId(0)).total().minor();
    assert_eq!((owned - before).unsigned_abs(), (BATCH * BATCHES) as u128);
    times.print("balance update, one side of a fill", None);
}

/// Of both sides: the published figure is for one.
fn position_update() {
    let mut engine = house::open(0);
    for (account, side, price) in [(1, Side::Buy, 1_000), (2, Side::Sell, 1_001)] {
        let spec = AccountSpec {
            name: AccountName::parse(&format!("member-{account}")).expect("a valid name"),
            fees: None,
            max_open_orders: u32::MAX,
            finished_orders_kept: 100,
            trades_kept: 100,
        };
        apply(&mut engine, AccountId::VENUE, Command::CreateAccount(CreateAccount { spec }));
        let account = AccountId(account);
        let risk = AccountRisk { mode: AccountMode::Limits, ..AccountRisk::PLAIN };
        let set = Command::SetAccountRisk(SetAccountRisk { account, risk });
        apply(&mut engine, AccountId::VENUE, set);
        apply(&mut engine, account, Command::NewOrder(new_order(side, price, "o")));
    }
    let [maker, taker] = [1, 2].map(|account| first_order(&engine, account));
    let mut times = Times::default();
    for _ in 0..BATCHES {
        times.batch(|_| engine.probe_positions(black_box(&maker), &taker, Qty::from_lots(1)));
    }
    let (_, position) = engine.positions(AccountId(1)).next().expect("it has traded");
    assert_eq!(position, (BATCH * BATCHES) as i128);
    times.print("position update, both sides", Some(2 * 120));
}

/// Ten thousand stops wait, and the price moves without reaching any.
fn trigger_check() {
    let mut engine = engine_with_orders();
    apply(&mut engine, AccountId(1), Command::NewOrder(new_order(Side::Buy, 1_001, "last")));
    for at in 0..ORDERS {
        let stop = stop_order(500 - (at % 100) as i64, &format!("s{at}"));
        apply(&mut engine, AccountId(1), Command::NewOrder(stop));
    }
    let mut times = Times::default();
    for _ in 0..BATCHES {
        times.batch(|at| {
            let price = Price::from_ticks(1_000 + at as i64 % 2);
            assert!(!engine.probe_triggers(InstrumentId(0), black_box(price)));
        });
    }
    times.print("trigger check, 10,000 wait", None);
}

/// One lot that trades at once, alternately as a limit order and as fill-or-kill.
fn limit_and_fill_or_kill() {
    let mut engine = house::open(2);
    let plenty = house::limit_order(Side::Sell, 1_001, 1_000_000_000, "maker");
    apply(&mut engine, AccountId(2), Command::NewOrder(plenty));
    let envelope = Envelope { account: AccountId(1), ..Envelope::venue(Origin::Replay, 0) };
    let entry = |time_in_force| {
        let mut order = house::limit_order(Side::Buy, 1_001, 1, "x");
        order.time_in_force = time_in_force;
        Entry { envelope, command: Command::NewOrder(order) }
    };
    let entries = [TimeInForce::Gtc, TimeInForce::Fok].map(entry);
    let mut times = [Times::default(), Times::default()];
    let mut events = Vec::new();
    let mut trades = 0;
    for _ in 0..BATCHES {
        for (entry, times) in entries.iter().zip(&mut times) {
            events.clear();
            times.batch(|_| engine.apply(0, black_box(entry), &mut events));
            let is_trade = |event: &&Event| matches!(event, Event::TradeExecuted(_));
            trades += events.iter().filter(is_trade).count();
        }
    }
    assert_eq!(trades, 2 * BATCH * BATCHES);
    let [limit, fill_or_kill] = times;
    limit.print("limit order that trades at once", None);
    fill_or_kill.print("the same, fill-or-kill", None);
}

fn buy_order(price: i64, at: usize) -> NewOrder {
    house::limit_order(Side::Buy, price, 1, &format!("o{at}"))
}

fn first_order(engine: &Engine, account: u32) -> Order {
    engine.open_orders(AccountId(account), InstrumentId(0)).next().expect("it has one")
}

fn stop_order(stop_price: i64, cl_ord_id: &str) -> NewOrder {
    let terms = Terms { stop_price: Some(Price::from_ticks(stop_price)), ..Terms::default() };
    NewOrder {
        order_type: OrderType::StopLossLimit,
        terms: Some(terms),
        ..house::limit_order(Side::Sell, stop_price, 1, cl_ord_id)
    }
}

/// For each batch, the time of one operation in tenths of nanoseconds.
#[derive(Default)]
struct Times(Vec<u64>);

impl Times {
    #[inline]
    fn batch(&mut self, mut operation: impl FnMut(usize)) {
        let start = Instant::now();
        (0..BATCH).for_each(&mut operation);
        self.0.push(start.elapsed().as_nanos() as u64 * 10 / BATCH as u64);
    }

    fn print(mut self, name: &str, others: Option<u64>) {
        self.0.sort_unstable();
        let at = |percent: usize| {
            let tenths = self.0[self.0.len() * percent / 100];
            format!("{}.{}", tenths / 10, tenths % 10)
        };
        let others = others.map(|ns| ns.to_string()).unwrap_or_default();
        println!("  {name:36}{:>9}{:>9}{others:>10}", at(50), at(99));
    }
}

/// One instrument, two accounts, and [`ORDERS`] orders on the book.
fn engine_with_orders() -> Engine {
    let mut engine = house::open(2);
    for at in 0..ORDERS as i64 {
        let (side, price) = match at % 2 {
            0 => (Side::Buy, 1_000 - at / 2 % LEVELS),
            _ => (Side::Sell, 1_001 + at / 2 % LEVELS),
        };
        let order = new_order(side, price, &format!("o{at}"));
        apply(&mut engine, AccountId(1 + at as u32 / 2 % 2), Command::NewOrder(order));
    }
    assert_eq!(engine.resting_count(), ORDERS);
    engine
}

fn apply(engine: &mut Engine, account: AccountId, command: Command) {
    house::execute(engine, 0, account, command, &mut Vec::new());
}

fn new_order(side: Side, price: i64, cl_ord_id: &str) -> NewOrder {
    house::limit_order(side, price, 10, cl_ord_id)
}
