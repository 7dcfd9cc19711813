//! Kills of the venue and of its client at random moments, while orders are entered over each way.
//!
//! `KILL_ORDERS` and `KILL_SEED` make it a long run (`scripts/soak`).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::UdpSocket;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use client::{
    Access, Caller, Client, Credentials, Error, Login, NewOrder, Report, ReportKind, Reports, Side,
    TimeInForce, UdpLogin, Venue,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::chance::Chance;
use crate::process::{Serving, text};

/// Clients between which the orders are divided, if none is killed, and the fewest orders of each.
const CLIENTS: u64 = 64;
const ORDERS_OF_CLIENT: u64 = 512;
/// A kill comes at most this long after the start of a client, for each of its orders.
const KILL_WITHIN_US: u64 = 40;
/// The name of the order after all others.
const LAST: &str = "last";
/// What the spool needs for the reports of an order.
const SPOOL_BYTES: u64 = 1_024;

/// How the orders come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    /// OUCH, on a Unix socket.
    Ouch,
    /// OUCH over UDP.
    Datagrams,
    /// OUCH inside a call of gRPC.
    Call,
    /// A stream of orders over gRPC: a request that is repeated has its retry key.
    Grpc,
}

#[test]
fn kills_under_ouch_lose_no_order_double_none_and_leave_no_gap() {
    check(By::Ouch);
}

#[test]
fn kills_under_datagrams_lose_no_order_double_none_and_leave_no_gap() {
    check(By::Datagrams);
}

#[test]
fn kills_under_a_session_in_a_call_lose_no_order_double_none_and_leave_no_gap() {
    check(By::Call);
}

#[test]
fn kills_under_grpc_lose_no_order_double_none_and_leave_no_gap() {
    check(By::Grpc);
}

fn check(by: By) {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let orders = number("KILL_ORDERS", 4_000);
    let seed = number("KILL_SEED", 7);
    let mut chance = Chance(seed);
    let mut house = House::new(by, orders);
    let mut seen = Seen::new(orders);
    let (mut venue_kills, mut client_kills) = (0, 0);
    let of_client = (orders / CLIENTS).max(ORDERS_OF_CLIENT);
    while seen.missing().next().is_some() {
        let runtime = Runtime::new().unwrap();
        let door = house.door(&seen);
        let kept = Kept::new(seen);
        let client = runtime.spawn(run_client(door, of_client, kept.clone()));
        sleep(Duration::from_micros(chance.below(KILL_WITHIN_US * of_client)));
        if chance.below(3) > 0 {
            house.kill();
            venue_kills += 1;
            runtime.block_on(client).unwrap();
        } else {
            client_kills += 1;
        }
        // Nothing of the client goes on, and its connection ends without a log-out.
        seen = kept.end();
        runtime.shutdown_background();
    }
    assert!(venue_kills > 0 && client_kills > 0, "seed {seed}: too few orders for kills");

    // All clients together have seen what one sees that asks for everything.
    let runtime = Runtime::new().unwrap();
    let [seen, all] = [seen, Seen::new(orders)].map(|seen| {
        let door = house.door(&seen);
        let kept = Kept::new(seen);
        runtime.block_on(read_to_the_end(door, kept.clone()));
        kept.end()
    });
    let times = |times: u8| all.accepted.iter().filter(|of| **of == times).count() as u64;
    let (lost, doubled) = (times(0), orders - times(0) - times(1));
    println!(
        "{by:?}: {orders} orders, seed {seed}, {venue_kills} kills of the venue, {client_kills} of \
         the client: {lost} lost, {doubled} doubled"
    );
    assert_eq!((lost, doubled), (0, 0), "{by:?}, seed {seed}");
    assert!(seen.accepted == all.accepted && seen.open.is_empty(), "{by:?}, seed {seed}");
    assert!(seen.hashes == all.hashes, "{by:?}, seed {seed}: the sequences of reports differ");
}

/// A client that goes on where the last one was: it enters some of the orders that are missing.
async fn run_client(door: Door, orders: u64, kept: Kept) {
    // The venue may be killed before the client is there.
    let Ok((alice, mut reports)) = door.open().await else { return };
    // All that the last client missed is read before anything is sent again; gRPC needs not wait
    // for that.
    let mut is_current = pin!(alice.open_orders());
    loop {
        tokio::select! {
            biased;
            report = reports.next() => kept.take(report),
            open = &mut is_current => {
                open.unwrap();
                break;
            }
        }
    }
    while let Some(report) = reports.try_next() {
        kept.take(Some(report));
    }
    let wanted = kept.missing(orders);
    let mut entering = JoinSet::new();
    for at in wanted {
        let alice = alice.clone();
        entering.spawn(async move { alice.enter(&order(&format!("k{at}"))).await.map(drop) });
    }
    while !entering.is_empty() {
        tokio::select! {
            biased;
            report = reports.next() => kept.take(report),
            Some(entered) = entering.join_next() => entered.unwrap().unwrap(),
        }
    }
    while let Some(report) = reports.try_next() {
        kept.take(Some(report));
    }
}

/// Enters one more order, once, and reads until it has ended: all before it is there then.
async fn read_to_the_end(door: Door, kept: Kept) {
    let (alice, mut reports) = door.open().await.unwrap();
    if kept.missing(1).is_empty() {
        alice.enter(&order(LAST)).await.unwrap();
    }
    while !kept.has_ended() {
        kept.take(reports.next().await);
    }
}

/// An order that ends at once, so that no number of them is too many.
fn order(name: &str) -> NewOrder {
    NewOrder::limit("BTCUSDT", Side::Buy, "0.001", "30000")
        .time_in_force(TimeInForce::Ioc)
        .client_order_id(name)
        .idempotency_key(name)
}

/// What a client has kept, until it is killed.
#[derive(Clone)]
struct Kept(Arc<Mutex<Option<Seen>>>);

impl Kept {
    fn new(seen: Seen) -> Self {
        Self(Arc::new(Mutex::new(Some(seen))))
    }

    /// Of a client that is killed, a thread may run a moment longer: it keeps nothing more.
    fn take(&self, report: Option<Report>) {
        if let Some(seen) = &mut *self.0.lock().unwrap() {
            seen.take(&report.expect("the way is open"));
        }
    }

    /// The first of the orders that are missing.
    fn missing(&self, count: u64) -> Vec<u64> {
        let kept = self.0.lock().unwrap();
        kept.iter().flat_map(Seen::missing).take(count as usize).collect()
    }

    fn has_ended(&self) -> bool {
        self.0.lock().unwrap().as_ref().is_none_or(|seen| seen.has_ended)
    }

    fn end(&self) -> Seen {
        self.0.lock().unwrap().take().expect("it has ended once")
    }
}

/// What the clients of one login have seen, as their program keeps it.
struct Seen {
    /// How often each order was accepted.
    accepted: Vec<u8>,
    /// Orders that have not ended, with the number of their acceptance.
    open: BTreeMap<String, u64>,
    /// Of each report, by its number.
    hashes: Vec<u64>,
    /// [`LAST`] has.
    has_ended: bool,
}

impl Seen {
    fn new(orders: u64) -> Self {
        let accepted = vec![0; orders as usize];
        Self { accepted, open: BTreeMap::new(), hashes: Vec::new(), has_ended: false }
    }

    fn missing(&self) -> impl Iterator<Item = u64> {
        (0..).zip(&self.accepted).filter(|(_, times)| **times == 0).map(|(at, _)| at)
    }

    /// The number of the next report.
    fn next(&self) -> u64 {
        (self.hashes.len() as u64).max(1)
    }

    fn take(&mut self, report: &Report) {
        let Report { sequence, client_order_id: name, kind, .. } = report;
        let next = self.next();
        assert!(*sequence >= next, "a repeat: {report:?}");
        let mut hasher = DefaultHasher::new();
        format!("{report:?}").hash(&mut hasher);
        self.hashes.resize(*sequence as usize, 0);
        self.hashes.push(hasher.finish());
        match kind {
            ReportKind::Accepted if name == LAST => {}
            ReportKind::Canceled { .. } if name == LAST => self.has_ended = true,
            ReportKind::Accepted => {
                let at: usize = name.trim_start_matches('k').parse().unwrap();
                self.accepted[at] += 1;
                self.open.insert(name.clone(), *sequence);
            }
            ReportKind::Canceled { .. } => {
                let open = self.open.remove(name);
                assert!(open.is_some(), "it was not open, and {next} was next: {report:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Where a client comes in, and as which one.
struct Door {
    by: By,
    url: String,
    address: String,
    login: Value,
    credentials: Credentials,
    /// The next report, and the oldest one that an open order needs.
    next: u64,
    oldest: u64,
}

impl Door {
    async fn open(self) -> Result<(Venue, Reports), Error> {
        let Self { by, url, address, login, credentials, next, oldest } = self;
        let of = |name: &str| login[name].as_str().unwrap().to_owned();
        let client = Client::new(&url, None).unwrap();
        match by {
            By::Ouch | By::Call => {
                let login = Login::new(address, of("user"), of("password"));
                Venue::ouch(&client, login.from_sequence(next).read_from(oldest)).await
            }
            By::Datagrams => {
                let (user, key, fallbacks) = (of("user"), of("udp_key"), vec![]);
                let (from_sequence, read_from) = (next, oldest);
                let login = UdpLogin { address, user, key, from_sequence, read_from, fallbacks };
                Venue::ouch_udp(&client, login).await
            }
            By::Grpc => {
                let caller = Caller::Key(credentials);
                Ok(Venue::grpc(Access { address, caller }, Some(next)))
            }
        }
    }
}

/// A demo venue that is at the same place after each kill.
struct House {
    by: By,
    /// Ends before its folder.
    venue: Option<Serving>,
    dir: TempDir,
    udp: String,
    spool_mib: String,
}

impl House {
    fn new(by: By, orders: u64) -> Self {
        let spool_mib = (64 + orders * SPOOL_BYTES / (1 << 20)).to_string();
        // A port that was free a moment ago: a restarted venue has to have the same one.
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let dir = tempfile::tempdir().unwrap();
        let mut house = Self { by, dir, venue: None, udp, spool_mib };
        house.start();
        house
    }

    fn start(&mut self) {
        let (data, ouch, grpc) = (self.dir.path(), self.socket("ouch"), self.socket("grpc"));
        let args = ["--demo", "--no-bots", "--data", text(data), "--ouch-unix", &ouch];
        let ports = ["--ouch-udp", &self.udp, "--grpc-unix", &grpc];
        let spool = ["--spool-max-mib", &self.spool_mib];
        self.venue = Some(Serving::start(&[&args[..], &ports, &spool].concat()));
    }

    fn kill(&mut self) {
        self.venue.take().expect("it runs").kill();
        self.start();
    }

    fn socket(&self, name: &str) -> String {
        text(&self.dir.path().join(name)).to_owned()
    }

    /// For a client that goes on.
    fn door(&self, seen: &Seen) -> Door {
        let demo = std::fs::read(self.dir.path().join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        let account = &demo["accounts"][0];
        let of = |name: &str| account[name].as_str().unwrap().to_owned();
        let oldest = seen.open.values().min().copied();
        Door {
            by: self.by,
            url: self.venue.as_ref().unwrap().url.clone(),
            address: match self.by {
                By::Ouch => format!("unix:{}", self.socket("ouch")),
                By::Datagrams => self.udp.clone(),
                By::Call => format!("grpc:unix:{}", self.socket("grpc")),
                By::Grpc => format!("unix:{}", self.socket("grpc")),
            },
            login: account["login"].clone(),
            credentials: Credentials { api_key: of("api_key"), secret_key: of("secret_key") },
            next: seen.next(),
            oldest: oldest.unwrap_or_else(|| seen.next()),
        }
    }
}
