//! What the event spool takes of each command: when a venue runs or recovers without a spool, and
//! when the replay finds what it brings in the spool already.
//!
//! `cargo bench -p venue --bench spool` prints a table: nanoseconds on the processor per command,
//! of plain limit orders that rest, and of such of which every other one trades. The best of
//! [`ROUNDS`] counts, since a machine that others use, too, can only add to it. Writing to the page
//! cache is part of it. `hash` is XXH3 alone, over as many bytes: what the running hash of events
//! cannot do without. `BLAKE3` is what that would take instead.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use spool::{Applied, Retention, Spool};
use twox_hash::XxHash3_128;
use types::{AccountId, Command, Event, Side};

#[path = "../../engine/benches/house/mod.rs"]
mod house;

const COMMANDS: usize = 200_000;
const ACCOUNTS: u32 = 100;
const ROUNDS: usize = 5;
const RETENTION: Retention = Retention { max_bytes: 256 << 20, max_age_ns: None };

fn main() {
    println!(
        "{:24}{:>9}{:>9}{:>9}{:>9}{:>12}",
        "ns per command", "append", "hash", "BLAKE3", "passed", "bytes each"
    );
    let resting = story(|_| (Side::Buy, 1_000));
    measure("orders that rest", &resting);
    let trading = story(|number| match number % 2 {
        0 => (Side::Buy, 1_000),
        _ => (Side::Sell, 1_000),
    });
    measure("every other one trades", &trading);
}

/// The events of limit orders of one lot.
fn story(terms: impl Fn(usize) -> (Side, i64)) -> Vec<Applied> {
    let mut engine = house::open(ACCOUNTS);
    let first = engine.sequence();
    let mut story = Vec::with_capacity(COMMANDS);
    for number in 0..COMMANDS {
        let account = AccountId(1 + number as u32 * 7 % ACCOUNTS);
        let (side, price) = terms(number);
        let order = house::limit_order(side, price, 1, &format!("order-{number}"));
        let command = Command::NewOrder(order);
        let mut events = Vec::new();
        house::execute(&mut engine, number as u64, account, command, &mut events);
        let sequence = engine.sequence() - first;
        let sequenced_ns = number as u64;
        story.push(Applied {
            sequence,
            sequenced_ns,
            account,
            continues: false,
            operated: None,
            events,
        });
    }
    let is_trade = |event: &Event| matches!(event, Event::TradeExecuted(_));
    let trades = story.iter().flat_map(|applied| &applied.events).filter(|event| is_trade(event));
    assert!(trades.count() <= COMMANDS / 2 && story.len() == COMMANDS);
    story
}

fn measure(name: &str, story: &[Applied]) {
    let (mut append, mut passed) = (f64::MAX, f64::MAX);
    let mut size = 0;
    for _ in 0..ROUNDS {
        let dir = tempfile::tempdir().expect("a place for files");
        let mut spool = open(dir.path());
        append = append.min(per_command(|| {
            story.iter().for_each(|applied| spool.append([applied]));
            spool.flush();
        }));
        drop(spool);
        size = std::fs::read_dir(dir.path())
            .expect("the spool is there")
            .map(|file| {
                file.expect("its files are there").metadata().expect("they have a size").len()
            })
            .sum();
        let mut spool = open(dir.path());
        let last = spool.last_sequence();
        // Too little for the other clock.
        let begun = Instant::now();
        story.iter().for_each(|applied| spool.append([black_box(applied)]));
        passed = passed.min(begun.elapsed().as_nanos() as f64 / COMMANDS as f64);
        assert_eq!(spool.last_sequence(), last);
        assert_eq!(last, COMMANDS as u64);
    }
    let size = size as f64 / COMMANDS as f64;
    let hash = hash_alone(size as usize, |bytes| XxHash3_128::oneshot(bytes).to_le_bytes());
    let blake3 = hash_alone(size as usize, |bytes| {
        *blake3::hash(bytes).as_bytes().first_chunk().expect("a hash has 32 bytes")
    });
    println!("{name:24}{append:>9.1}{hash:>9.1}{blake3:>9.1}{passed:>9.1}{size:>12.0}");
}

fn hash_alone(size: usize, hash: impl Fn(&[u8]) -> [u8; 16]) -> f64 {
    let mut content = vec![0; size];
    let rounds = (0..ROUNDS).map(|_| {
        per_command(|| {
            for _ in 0..COMMANDS {
                let hash = hash(black_box(&content));
                content[..16].copy_from_slice(&hash);
            }
        })
    });
    rounds.fold(f64::MAX, f64::min)
}

fn open(dir: &Path) -> Spool {
    Spool::open(dir, RETENTION, 0, [0; 16]).expect("the spool opens")
}

/// On the processor, so that what others do on this machine counts as little as possible.
fn per_command(work: impl FnOnce()) -> f64 {
    let begun = on_cpu_ns();
    work();
    (on_cpu_ns() - begun) as f64 / COMMANDS as f64
}

fn on_cpu_ns() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("it runs on Linux");
    let on_cpu = stat.split(' ').next().and_then(|ns| ns.parse().ok());
    on_cpu.expect("the first number is the time on the processor")
}
