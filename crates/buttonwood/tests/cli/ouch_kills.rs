//! Kills of the venue and of its client at random moments, while orders are entered by OUCH.
//!
//! `OUCH_KILL_ORDERS` and `OUCH_KILL_SEED` make it a long run (`scripts/soak`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use client::{Client, Login, NewOrder, Report, ReportKind, Reports, Side, TimeInForce, Venue};
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::process::{Serving, text};

/// Orders that are under way at once.
const UNDER_WAY: usize = 128;

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_no_order_double_none_and_leave_no_gap() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let orders = number("OUCH_KILL_ORDERS", 4_000);
    let seed = number("OUCH_KILL_SEED", 7);
    let mut chance = Chance(seed);
    let mut house = House::new();
    let mut seen = Seen::default();
    let (mut venue_kills, mut client_kills) = (0, 0);
    while (seen.accepted.len() as u64) < orders {
        let (alice, mut reports) = house.log_on(seen.next).await;
        // All that the last client missed is read before anything is sent again.
        let open = alice.open_orders().await;
        seen.drain(&mut reports);
        if open.is_err() {
            continue;
        }
        let wanted = (0..orders).filter(|at| !seen.accepted.contains_key(at));
        let mut entering = JoinSet::new();
        for at in wanted.take(UNDER_WAY * 4) {
            let alice = alice.clone();
            entering.spawn(async move { alice.enter(&order(at)).await.map(drop) });
        }
        drop(alice);
        sleep(Duration::from_micros(chance.below(20_000))).await;
        if chance.below(3) > 0 {
            house.kill();
            venue_kills += 1;
            while let Some(entered) = entering.join_next().await {
                entered.unwrap().unwrap();
            }
        } else {
            client_kills += 1;
            entering.abort_all();
        }
        drop(entering);
        seen.drain(&mut reports);
    }
    assert!(venue_kills > 0 && client_kills > 0, "seed {seed}: too few orders for kills");

    // All clients together have seen what one sees that asks for everything.
    let (alice, mut reports) = house.log_on(1).await;
    alice.open_orders().await.unwrap();
    let mut all = Seen::default();
    all.drain(&mut reports);
    assert_eq!(all.accepted.len() as u64, orders, "seed {seed}");
    assert!(all.accepted.values().all(|times| *times == 1), "seed {seed}: an order was doubled");
    // A client that begins later does not know the orders before, so their ends are not reported.
    let of_all: BTreeMap<u64, &Report> = all.reports.iter().map(|of| (of.sequence, of)).collect();
    let is_same = |of: &Report| of_all.get(&of.sequence) == Some(&of);
    assert!(seen.reports.iter().all(is_same), "seed {seed}: a report that is not in sequence");
}

/// An order that ends at once, so that no number of them is too many.
fn order(at: u64) -> NewOrder {
    NewOrder::limit("BTCUSDT", Side::Buy, "0.001", "30000")
        .time_in_force(TimeInForce::Ioc)
        .client_order_id(format!("k{at}"))
}

/// Numbers that follow from a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// What the clients of one login have seen.
#[derive(Default)]
struct Seen {
    reports: Vec<Report>,
    /// How often each order was accepted.
    accepted: BTreeMap<u64, u32>,
    next: u64,
}

impl Seen {
    /// Takes the reports that have arrived.
    fn drain(&mut self, reports: &mut Reports) {
        while let Some(report) = reports.try_next() {
            assert!(report.sequence >= self.next, "a repeat");
            self.next = report.sequence + 1;
            if report.kind == ReportKind::Accepted {
                let at = report.client_order_id.trim_start_matches('k').parse().unwrap();
                *self.accepted.entry(at).or_default() += 1;
            }
            self.reports.push(report);
        }
    }
}

/// A demo venue whose socket is at the same place after each kill.
struct House {
    dir: TempDir,
    venue: Option<Serving>,
}

impl House {
    fn new() -> Self {
        let mut house = Self { dir: tempfile::tempdir().unwrap(), venue: None };
        house.start();
        house
    }

    fn start(&mut self) {
        let (data, socket) = (self.dir.path(), self.socket());
        let args = ["--demo", "--no-bots", "--data", text(data), "--ouch-unix", text(&socket)];
        self.venue = Some(Serving::start(&args));
    }

    fn kill(&mut self) {
        self.venue.take().expect("it runs").kill();
        self.start();
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("ouch.socket")
    }

    async fn log_on(&self, from_sequence: u64) -> (Venue, Reports) {
        let demo = std::fs::read(self.dir.path().join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        let text = |name: &str| demo["accounts"][0]["login"][name].as_str().unwrap().to_owned();
        let login = Login {
            address: format!("unix:{}", self.socket().display()),
            user: text("user"),
            password: text("password"),
            from_sequence: from_sequence.max(1),
        };
        let client = Client::new(&self.venue.as_ref().unwrap().url, None).unwrap();
        Venue::ouch(&client, login).await.unwrap()
    }
}
