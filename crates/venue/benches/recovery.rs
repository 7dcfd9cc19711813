//! How fast a venue comes back: a log of plain limit orders and cancels, replayed from its first
//! batch, with the event spool there, and with the spool to be made anew.
//!
//! `cargo bench -p venue --bench recovery` prints commands per second, the best of [`ROUNDS`], and
//! how long all threads together were on a processor for each: on two of them, no rate is higher
//! than twice what that allows.

#![allow(clippy::unwrap_used, reason = "a bench that fails there says where")]

use std::path::Path;
use std::time::{Duration, Instant};

use engine::RULES_VERSION;
use log::{Batch, Durability, FileLog, Log, Options};
use types::{
    AccountId, CancelOrder, CancelRestriction, ClOrdId, Command, Entry, Envelope, InstrumentId,
    OrderRef, Origin, Side, Wire,
};
use venue::{Opened, Settings};

#[path = "../../engine/benches/house/mod.rs"]
mod house;

const COMMANDS: usize = 2_000_000;
const ACCOUNTS: u32 = 1_000;
const BATCH_COMMANDS: usize = 1_000;
const ROUNDS: usize = 3;

fn main() {
    let place = std::env::var("BENCH_DIR").unwrap_or_else(|_| ".".into());
    let dir = tempfile::tempdir_in(place).unwrap();
    write_log(&dir.path().join("log"));
    let settings = || Settings { durability: Durability::Os, ..Settings::new(dir.path()) };
    let without_spool = (0..ROUNDS).map(|_| {
        let _ = std::fs::remove_dir_all(dir.path().join("spool"));
        recover(settings())
    });
    print("spool made anew", without_spool.min().unwrap());
    print("spool there", (0..ROUNDS).map(|_| recover(settings())).min().unwrap());
}

/// How long it took, and for how long all threads together had a processor.
fn recover(settings: Settings) -> (Duration, Duration) {
    let (begun, on_cpu_begun) = (Instant::now(), on_cpu());
    let opened = Opened::open(settings).unwrap();
    let took = (begun.elapsed(), on_cpu() - on_cpu_begun);
    assert!(opened.engine().sequence() > COMMANDS as u64);
    took
}

fn print(what: &str, (took, on_cpu): (Duration, Duration)) {
    let rate = COMMANDS as f64 / took.as_secs_f64();
    println!(
        "{what:16} {COMMANDS} commands in {took:.2?}: {:.2} M/s; on processors {:.0} ns each",
        rate / 1e6,
        on_cpu.as_secs_f64() * 1e9 / COMMANDS as f64
    );
}

/// What the process has used since it began, in the kernel's ticks of 10 ms: what it takes on a
/// machine that others use as well.
fn on_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    Duration::from_millis(10 * ticks)
}

/// Two orders of three rest around a middle that moves, every third one cancels an earlier order.
fn write_log(dir: &Path) {
    let options = Options { durability: Durability::Os, ..Options::default() };
    let (mut log, _) = FileLog::open(dir, options).unwrap();
    let mut entries =
        house::set_up(ACCOUNTS).into_iter().map(|command| (AccountId::VENUE, command));
    let mut flow = (0..COMMANDS).map(command);
    loop {
        let next: Vec<_> = entries.by_ref().chain(flow.by_ref()).take(BATCH_COMMANDS).collect();
        if next.is_empty() {
            break;
        }
        let mut payload = Vec::new();
        for (account, command) in &next {
            let envelope = Envelope { account: *account, ..Envelope::venue(Origin::Rest, 1) };
            Entry { envelope, command: command.clone() }.write(&mut payload);
        }
        while !log.ready() {
            log.poll().unwrap();
        }
        let command_count = next.len() as u32;
        let rules_version = RULES_VERSION;
        log.append(Batch { epoch: 1, sequenced_ns: 1, rules_version, command_count, payload })
            .unwrap();
    }
    log.close().unwrap();
}

fn command(number: usize) -> (AccountId, Command) {
    let mixed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    let account = |number: usize| AccountId(1 + number as u32 * 7 % ACCOUNTS);
    if number % 3 == 2 {
        let canceled = number - 1 - (mixed as usize % 300).min(number - 1) / 3 * 3;
        let cancel = CancelOrder {
            instrument: InstrumentId(0),
            order: OrderRef::by_cl_ord_id(name(canceled)),
            cl_ord_id: name(number),
            restriction: CancelRestriction::None,
        };
        return (account(canceled), Command::CancelOrder(cancel));
    }
    let side = if mixed & 1 == 0 { Side::Buy } else { Side::Sell };
    let away = 1 + (mixed >> 1) as i64 % 40 - 2;
    let price = if side == Side::Buy { 1_000 - away } else { 1_000 + away };
    let order = house::limit_order(side, price, 1 + mixed % 9, &format!("order-{number:012}"));
    (account(number), Command::NewOrder(order))
}

fn name(number: usize) -> ClOrdId {
    ClOrdId::parse(&format!("order-{number:012}")).unwrap()
}
