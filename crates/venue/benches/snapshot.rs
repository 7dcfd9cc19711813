//! The cost of a snapshot for clients that send orders meanwhile, and the time of a start from one:
//! a venue of 100,000 accounts with 1,000,000 resting orders, every order on stable storage before
//! its answer. Orders come at a fixed rate, whatever happens; each is timed from being submitted to
//! its reply. Quiet seconds and snapshots take turns, so that both see the same machine; a machine
//! that others use as well may still stop for longer than a snapshot would in one of them, so
//! medians over the rounds are printed, too.
//!
//! `cargo bench --package venue --bench snapshot -- [ORDERS PER SECOND] [ROUNDS]`

#![allow(clippy::unwrap_used, reason = "a bench that fails there says where")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use engine::Engine;
use types::{
    AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, CancelOrder,
    CancelRestriction, ClOrdId, Command, CreateAccount, Deposit, Entry, Envelope, ExternalRef,
    FeeRates, Increment, InstrumentId, InstrumentSpec, ListAsset, ListInstrument, NewOrder,
    OrderRef, OrderSize, OrderType, Origin, Price, Qty, Reader, Refused, Side, StpMode, Symbol,
    TimeInForce,
};
use venue::{Durability, Handle, Opened, Reply, Settings};

const ACCOUNTS: u32 = 100_000;
const ORDERS: u64 = 1_000_000;
const MIDDLE: i64 = 50_000;
/// Between two snapshots.
const QUIET: Duration = Duration::from_secs(4);
const IN_FLIGHT_MAX: usize = 8_192;

type Answer = venue::Ticket<Result<Reply, Refused>>;

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let mut number = |default| args.next().map_or(default, |arg| arg.parse::<u64>().unwrap());
    let (rate, rounds) = (number(5_000), number(5));
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    build(dir.path());
    load(dir.path());
    if rounds == 0 {
        return;
    }
    println!("{rate} orders per second, {rounds} rounds; times in microseconds");
    println!("{:24} {:>8} {:>9} {:>9} {:>9} {:>10}", "", "orders", "p50", "p99", "p99.9", "most");
    let alone = settings(dir.path());
    let with_replica = Settings { replica: true, ..alone.clone() };
    compare("forked", &alone, rate, rounds, take_forked);
    compare("the replica's, the hash forked", &with_replica, rate, rounds, take_forked);
    compare("on the engine's thread", &alone, rate, rounds, take_on_engine);
}

fn settings(dir: &Path) -> Settings {
    Settings { snapshot_every: u64::MAX, ..Settings::new(dir) }
}

/// Fills the venue. What it holds is to be large, not safe.
fn build(dir: &Path) {
    let began = Instant::now();
    let opened = Opened::open(Settings { durability: Durability::Os, ..settings(dir) }).unwrap();
    let running = opened.start(Vec::new());
    let mut pipe = Pipe { handle: running.handle(), answers: Vec::new() };
    for name in ["USD", "OIL"] {
        let asset = Asset { name: AssetName::parse(name).unwrap(), decimals: 2 };
        pipe.send(AccountId::VENUE, Command::ListAsset(ListAsset { asset }));
    }
    pipe.send(
        AccountId::VENUE,
        Command::ListInstrument(ListInstrument { spec: instrument_spec() }),
    );
    for number in 1..=ACCOUNTS {
        let spec = AccountSpec {
            name: AccountName::parse(&format!("account{number}")).unwrap(),
            fees: None,
            max_open_orders: 1_000,
            finished_orders_kept: 10,
            trades_kept: 10,
        };
        pipe.send(AccountId::VENUE, Command::CreateAccount(CreateAccount { spec }));
        for asset in [AssetId(0), AssetId(1)] {
            let deposit = Deposit {
                account: AccountId(number),
                asset,
                amount: Amount::from_minor(1 << 40),
                external_ref: ExternalRef::parse(&format!("{asset}")).unwrap(),
            };
            pipe.send(AccountId::VENUE, Command::Deposit(deposit));
        }
    }
    for number in 0..ORDERS {
        pipe.send(account(number), new_order(number));
    }
    pipe.drain();
    let count = running.handle().read(|engine| {
        let all = (1..=ACCOUNTS).map(AccountId);
        all.map(|account| engine.open_orders(account, InstrumentId(0)).count() as u64).sum::<u64>()
    });
    assert_eq!(count.unwrap().blocking_recv().unwrap(), ORDERS);
    running.stop().unwrap();
    println!("built in {:.1?}", began.elapsed());
}

/// How long a start from the snapshot takes, and the two parts of it that grow with the state.
fn load(dir: &Path) {
    let path = fs::read_dir(dir.join("snapshots")).unwrap().next().unwrap().unwrap().path();
    let size = fs::metadata(&path).unwrap().len() >> 20;
    for _ in 0..3 {
        let (began, on_cpu_began) = (Instant::now(), on_cpu());
        let snapshot = log::snapshot::load(&path).unwrap();
        let loaded = began.elapsed();
        let engine = Engine::read_state(Reader(snapshot.section("engine").unwrap())).unwrap();
        let read = began.elapsed() - loaded;
        let on_cpu = on_cpu() - on_cpu_began;
        drop((engine, snapshot));
        let began = Instant::now();
        let opened = Opened::open(settings(dir)).unwrap();
        let open = began.elapsed();
        drop(opened);
        println!(
            "snapshot of {size} MiB: file {loaded:.2?}, state {read:.2?}, {on_cpu:.2?} of both on a \
             processor; open, with the log's check, {open:.2?}"
        );
    }
}

/// How long this thread has had a processor: what it takes on a machine that others use as well.
fn on_cpu() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

/// Runs a venue under a steady load, through quiet times and snapshots in turn.
fn compare(name: &str, settings: &Settings, rate: u64, rounds: u64, take: fn(&Handle)) {
    let running = Opened::open(settings.clone()).unwrap().start(Vec::new());
    let handle = running.handle();
    let phase = Arc::new(AtomicUsize::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let load = {
        let (handle, phase, is_over) = (running.handle(), Arc::clone(&phase), Arc::clone(&is_over));
        std::thread::spawn(move || send_steadily(&handle, rate, &phase, &is_over))
    };
    std::thread::sleep(QUIET);
    let mut longest = Duration::ZERO;
    for _ in 0..rounds {
        phase.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(QUIET);
        phase.fetch_add(1, Ordering::Relaxed);
        let began = Instant::now();
        take(&handle);
        longest = longest.max(began.elapsed());
    }
    is_over.store(true, Ordering::Relaxed);
    let times = load.join().unwrap();
    let rounds: Vec<_> = times[1..].as_chunks().0.iter().map(|[one, other]| (one, other)).collect();
    let (quiet, snapshot): (Vec<_>, Vec<_>) = rounds.iter().copied().unzip();
    println!("{name}, at most {longest:.2?} each; the last pause {} s", figure(&handle, "pause"));
    let at_rest = show("  without", &quiet);
    let meanwhile = show("  while it is taken", &snapshot);
    let of_rounds = rounds.iter().map(|(quiet, snapshot)| ratio(p999(snapshot), p999(quiet)));
    println!(
        "  p99.9 {:.2} times; of a round at the median {} and {} us, {:.2} times",
        ratio(meanwhile, at_rest),
        median(quiet.iter().map(|times| p999(times))).as_micros(),
        median(snapshot.iter().map(|times| p999(times))).as_micros(),
        median(of_rounds),
    );
    assert!(!handle.metrics().replica_status().is_alarm());
    running.stop().unwrap();
}

fn take_forked(handle: &Handle) {
    let before = figure(handle, "sequence");
    handle.take_snapshot().unwrap();
    while figure(handle, "sequence") == before {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn figure(handle: &Handle, name: &str) -> String {
    let text = handle.metrics().text();
    let named = |line: &&str| line.starts_with(&format!("buttonwood_snapshot_{name}"));
    text.lines().find(named).unwrap().rsplit(' ').next().unwrap().to_owned()
}

/// What it would be without a child.
fn take_on_engine(handle: &Handle) {
    let encoded = handle.read(|engine| {
        let mut state = Vec::new();
        engine.write_state(&mut state);
        state.len()
    });
    assert!(encoded.unwrap().blocking_recv().unwrap() > 0);
}

/// Orders and their cancels in turn, by accounts that lie all over the memory; the times of each
/// phase, sorted.
fn send_steadily(
    handle: &Handle,
    rate: u64,
    phase: &AtomicUsize,
    is_over: &AtomicBool,
) -> Vec<Vec<Duration>> {
    let (sent, answers) = sync_channel::<(usize, Instant, Answer)>(IN_FLIGHT_MAX);
    let waiter = std::thread::spawn(move || {
        let mut times = Vec::<Vec<_>>::new();
        for (phase, began, answer) in answers {
            answer.blocking_recv().unwrap().unwrap();
            times.resize_with(times.len().max(phase + 1), Vec::new);
            times[phase].push(began.elapsed());
        }
        times.iter_mut().for_each(|times| times.sort_unstable());
        times
    });
    let began = Instant::now();
    let mut number = 0;
    while !is_over.load(Ordering::Relaxed) {
        let due = began + Duration::from_nanos(number * 1_000_000_000 / rate);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let which = ORDERS + number / 2 * 7_919;
        let command = if number.is_multiple_of(2) { new_order(which) } else { cancel(which) };
        let envelope = Envelope { account: account(which), ..Envelope::venue(Origin::Rest, 0) };
        let began = Instant::now();
        let answer = handle.submit(Entry { envelope, command }).unwrap();
        sent.send((phase.load(Ordering::Relaxed), began, answer)).unwrap();
        number += 1;
    }
    drop(sent);
    waiter.join().unwrap()
}

fn show(name: &str, rounds: &[&Vec<Duration>]) -> Duration {
    let mut times: Vec<_> = rounds.iter().copied().flatten().copied().collect();
    times.sort_unstable();
    let [p50, p99, p999, most] = [0.5, 0.99, 0.999, 1.0].map(|share| percentile(&times, share));
    let micros = |time: Duration| time.as_micros();
    println!(
        "{name:24} {:>8} {:>9} {:>9} {:>9} {:>10}",
        times.len(),
        micros(p50),
        micros(p99),
        micros(p999),
        micros(most)
    );
    p999
}

fn p999(times: &[Duration]) -> Duration {
    percentile(times, 0.999)
}

fn percentile(sorted: &[Duration], share: f64) -> Duration {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

fn median<T: Copy + PartialOrd>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<_> = values.collect();
    values.sort_by(|one, next| one.partial_cmp(next).unwrap());
    values[values.len() / 2]
}

struct Pipe {
    handle: Handle,
    answers: Vec<Answer>,
}

impl Pipe {
    fn send(&mut self, account: AccountId, command: Command) {
        let envelope = Envelope { account, ..Envelope::venue(Origin::Rest, 0) };
        self.answers.push(self.handle.submit(Entry { envelope, command }).unwrap());
        if self.answers.len() == IN_FLIGHT_MAX {
            self.drain();
        }
    }

    fn drain(&mut self) {
        for answer in self.answers.drain(..) {
            answer.blocking_recv().unwrap().unwrap();
        }
    }
}

fn account(number: u64) -> AccountId {
    AccountId(1 + u32::try_from(number % u64::from(ACCOUNTS)).unwrap())
}

fn cl_ord_id(number: u64) -> ClOrdId {
    ClOrdId::parse(&number.to_string()).unwrap()
}

/// One that rests: bids below the middle, asks above it.
fn new_order(number: u64) -> Command {
    let side = if number.is_multiple_of(2) { Side::Buy } else { Side::Sell };
    let away = 1 + i64::try_from(number * 31 % 4_999).unwrap();
    let price = if side == Side::Buy { MIDDLE - away } else { MIDDLE + away };
    Command::NewOrder(NewOrder {
        instrument: InstrumentId(0),
        cl_ord_id: cl_ord_id(number),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        price: Price::from_ticks(price),
        size: OrderSize::Base(Qty::from_lots(1 + number % 7)),
        strategy_id: None,
        strategy_type: None,
        terms: None,
    })
}

fn cancel(number: u64) -> Command {
    Command::CancelOrder(CancelOrder {
        instrument: InstrumentId(0),
        order: OrderRef::by_cl_ord_id(cl_ord_id(number)),
        cl_ord_id: cl_ord_id(number),
        restriction: CancelRestriction::None,
    })
}

fn instrument_spec() -> InstrumentSpec {
    InstrumentSpec {
        symbol: Symbol::parse("OILUSD").unwrap(),
        base: AssetId(1),
        quote: AssetId(0),
        tick_size: Increment::parse("0.01").unwrap(),
        lot_size: Increment::parse("1").unwrap(),
        min_price: Price::from_ticks(1),
        max_price: Price::from_ticks(1_000_000),
        min_qty: Qty::from_lots(1),
        max_qty: Qty::from_lots(1_000_000),
        market_max_qty: Qty::from_lots(1_000_000),
        min_notional: Amount::ZERO,
        max_notional: Amount::from_minor(1 << 60),
        max_open_orders: 10_000,
        fees: FeeRates { maker_fee_bps_x100: 0, taker_fee_bps_x100: 0 },
    }
}
