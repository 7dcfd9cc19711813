//! Orders by OUCH over UDP: over a network that loses, doubles and reorders datagrams, over one
//! that stops, and beside datagrams that are wrong.

use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::{Client, Login, NewOrder, ReportKind, Reports, Side, TimeInForce, UdpLogin, Venue};
use protocol::udp::{Hello, LoginKey, Open, Opening, Secrets, handshake, kind};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use types::Origin;

use crate::chance::Chance;
use crate::process::{Serving, text};

const PATIENCE: Duration = Duration::from_secs(30);
/// The name of the order after all others.
const LAST: &str = "last";

/// `OUCH_UDP_ORDERS` makes it a long run.
#[tokio::test(flavor = "multi_thread")]
async fn no_order_is_lost_or_doubled_where_datagrams_are() {
    let orders = std::env::var("OUCH_UDP_ORDERS").map_or(2_000, |text| text.parse().unwrap());
    let house = House::new();
    let relay = Relay::start(house.udp(), Faults { lost: 5, doubled: 5, late: 10 });
    let (alice, reports) = house.log_on(relay.address, vec![]).await;
    let accepted = tokio::spawn(accepted(reports));
    let mut under_way = JoinSet::new();
    for at in 0..orders {
        while under_way.len() >= 128 {
            let reply: Result<client::Reply, _> = under_way.join_next().await.unwrap();
            assert_eq!(reply.unwrap().way, Origin::OuchUdp);
        }
        let alice = alice.clone();
        under_way.spawn(async move { alice.enter(&order(at)).await.unwrap() });
    }
    while let Some(reply) = under_way.join_next().await {
        reply.unwrap();
    }
    alice.enter(&named(LAST)).await.unwrap();
    assert_eq!(accepted.await.unwrap(), orders, "an order was lost");
    assert!(relay.lost() > 0 && alice.statistics().sent_again > 0);
    assert_eq!(alice.statistics().failed, 0);
}

/// Under load: with some requests under way at each change, none of which is lost or doubled.
#[tokio::test(flavor = "multi_thread")]
async fn ways_that_die_are_left_for_the_next_one_and_taken_again() {
    let house = House::new();
    let udp = Relay::start(house.udp(), Faults::default());
    let tcp = Gate::start(house.venue.ouch.as_ref().unwrap());
    let call = format!("grpc:{}", house.venue.grpc.as_ref().unwrap());
    let fallbacks = vec![house.login(tcp.address()), house.login(call)];
    let (alice, reports) = house.log_on(udp.address, fallbacks).await;
    let accepted = tokio::spawn(accepted(reports));
    let load = Load::start(&alice);

    // A busy machine may begin with the next way.
    load.goes_by(Origin::OuchUdp, "at the beginning").await;
    udp.is_dead.store(true, Ordering::Relaxed);
    load.goes_by(Origin::Ouch, "without UDP").await;
    tcp.close();
    load.goes_by(Origin::Grpc, "without TCP, too").await;
    tcp.open();
    load.goes_by(Origin::Ouch, "with TCP again").await;
    udp.is_dead.store(false, Ordering::Relaxed);
    load.goes_by(Origin::OuchUdp, "with UDP again").await;
    udp.lost_percent.store(50, Ordering::Relaxed);
    load.goes_by(Origin::Ouch, "where half of the datagrams are lost").await;
    tcp.close();
    udp.lost_percent.store(0, Ordering::Relaxed);
    load.goes_by(Origin::Grpc, "without TCP").await;
    load.goes_by(Origin::OuchUdp, "with UDP again, past TCP").await;

    let count = load.end().await;
    alice.enter(&named(LAST)).await.unwrap();
    let statistics = alice.statistics();
    assert_eq!((statistics.failed, statistics.answered), (0, count + 1));
    assert!(statistics.fallbacks() >= 4, "{statistics:?}");
    assert_eq!(accepted.await.unwrap(), count, "an order was lost");
    let metrics = house.metrics();
    for way in ["Ouch", "OuchUdp", "Grpc"] {
        let received = format!("orders_received_total{{way=\"{way}\"");
        assert!(metrics.lines().any(|line| line.starts_with(&received)), "{metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn datagrams_that_are_wrong_change_nothing_and_are_counted() {
    let house = House::new();
    let (alice, _reports) = house.log_on(house.udp(), vec![]).await;
    alice.enter(&order(0)).await.unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(house.udp()).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut bytes = [0; 2_048];

    // A hello has a cookie as its answer, which is shorter, whether or not there is such a user.
    let secrets = Secrets::of(&LoginKey::from_bytes([1; 32]));
    for user in ["ouch1", "nobody"] {
        let mut opening = Opening::new(handshake::user(user).unwrap(), [3; 16], 1);
        let hello = opening.poll(0).unwrap().to_vec();
        assert!(Hello::read(&hello).is_some());
        socket.send(&hello).unwrap();
        let size = socket.recv(&mut bytes).unwrap();
        assert!(bytes[0] == kind::COOKIE && size <= hello.len());
        // The key is another one: no session, and no answer.
        opening.receive(&bytes[..size], &secrets);
        let open = opening.poll(0).unwrap().to_vec();
        assert!(Open::read(&open).is_some());
        socket.send(&open).unwrap();
        assert!(socket.recv(&mut bytes).is_err(), "an answer without the key");
        // The cookie is of another address.
        let other = UdpSocket::bind("127.0.0.1:0").unwrap();
        other.connect(house.udp()).unwrap();
        other.send(&open).unwrap();
    }
    let data = [&[kind::DATA][..], &[7; 40]].concat();
    for wrong in [&b""[..], b"\x01", b"GET / HTTP/1.1", &data, &[9; 1_400], &[6; 2_000]] {
        socket.send(wrong).unwrap();
    }
    assert!(socket.recv(&mut bytes).is_err(), "an answer to nothing");
    alice.enter(&order(1)).await.unwrap();
    let metrics = house.metrics();
    let dropped = |reason: &str| {
        let name = format!("buttonwood_ouch_udp_dropped_total{{reason=\"{reason}\"}} ");
        let found = metrics.lines().find_map(|line| line.strip_prefix(&name[..]));
        found.unwrap_or_default().to_owned()
    };
    assert_eq!((dropped("not_genuine"), dropped("cookie")), ("2".into(), "2".into()), "{metrics}");
    assert_eq!((dropped("malformed"), dropped("no_session")), ("4".into(), "2".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_openings_takes_no_place_and_stops_no_client() {
    const OPENINGS: u64 = 3_000;
    let house = House::new();
    let (alice, _reports) = house.log_on(house.udp(), vec![]).await;
    let venue = house.udp();
    let flood = tokio::task::spawn_blocking(move || {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(venue).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let secrets = Secrets::of(&LoginKey::from_bytes([1; 32]));
        let mut proofs = 0;
        for at in 0..OPENINGS {
            let mut nonce = [0; 16];
            nonce[..8].copy_from_slice(&at.to_be_bytes());
            let mut opening = Opening::new(handshake::user("ouch1").unwrap(), nonce, 1);
            socket.send(opening.poll(0).unwrap()).unwrap();
            let mut bytes = [0; 2_048];
            // What the venue's socket has no room for is lost.
            let Ok(size) = socket.recv(&mut bytes) else { continue };
            opening.receive(&bytes[..size], &secrets);
            socket.send(opening.poll(0).unwrap()).unwrap();
            proofs += 1;
        }
        proofs
    });
    let mut entered = 0;
    while !flood.is_finished() {
        let answer = timeout(PATIENCE, alice.enter(&order(entered))).await;
        answer.expect("the flood stops a client").unwrap();
        entered += 1;
    }
    let proofs: u64 = flood.await.unwrap();
    // The cookie came back with the proof of another key.
    let dropped = || house.figure("buttonwood_ouch_udp_dropped_total{reason=\"not_genuine\"}");
    let patience = Instant::now() + PATIENCE;
    while dropped() <= proofs / 2 && Instant::now() < patience {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(proofs > OPENINGS / 2 && dropped() > proofs / 2, "{proofs}, {} dropped", dropped());
    assert_eq!(house.figure("buttonwood_ouch_udp_sessions"), 1, "a place is taken");
    assert!(entered > 0);
    let (again, _reports) = house.log_on(house.udp(), vec![]).await;
    again.enter(&order(entered)).await.unwrap();
}

/// Reads reports until the last order has ended, and returns how many others were accepted, each
/// once.
async fn accepted(mut reports: Reports) -> u64 {
    let mut accepted = BTreeMap::<String, u32>::new();
    let mut next = 0;
    loop {
        let report = reports.next().await.unwrap();
        assert!(report.sequence >= next, "a repeat: {report:?}");
        next = report.sequence + 1;
        match (report.kind, report.client_order_id) {
            (ReportKind::Canceled { .. }, name) if name == LAST => break,
            (ReportKind::Accepted, name) if name != LAST => {
                *accepted.entry(name).or_default() += 1;
            }
            _ => {}
        }
    }
    assert!(accepted.values().all(|times| *times == 1), "an order was doubled");
    accepted.len() as u64
}

/// Orders of eight callers, one after the other, until it is ended.
struct Load {
    ways: watch::Receiver<Option<Origin>>,
    is_over: Arc<AtomicBool>,
    callers: JoinSet<u64>,
}

impl Load {
    fn start(venue: &Venue) -> Self {
        let (seen, ways) = watch::channel(None);
        let is_over = Arc::<AtomicBool>::default();
        let (seen, names) = (Arc::new(seen), Arc::<AtomicU64>::default());
        let mut callers = JoinSet::new();
        for _ in 0..8 {
            let (venue, seen, names) = (venue.clone(), Arc::clone(&seen), Arc::clone(&names));
            let is_over = Arc::clone(&is_over);
            callers.spawn(async move {
                let mut count = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let name = names.fetch_add(1, Ordering::Relaxed);
                    let reply = venue.enter(&order(name)).await.unwrap();
                    seen.send_replace(Some(reply.way));
                    count += 1;
                }
                count
            });
        }
        Self { ways, is_over, callers }
    }

    /// Waits until orders go by this way, and prints how long that took.
    async fn goes_by(&self, way: Origin, when: &str) {
        let begun = Instant::now();
        let mut ways = self.ways.clone();
        let taken = timeout(PATIENCE, ways.wait_for(|seen| *seen == Some(way))).await;
        assert!(taken.is_ok(), "{way:?} is not taken {when}");
        println!("{way:?} {when}: after {:?}", begun.elapsed());
    }

    /// How many orders were answered.
    async fn end(mut self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        let mut count = 0;
        while let Some(of_one) = self.callers.join_next().await {
            count += of_one.unwrap();
        }
        count
    }
}

/// An order that ends at once.
fn order(at: u64) -> NewOrder {
    named(&format!("u{at}"))
}

fn named(name: &str) -> NewOrder {
    NewOrder::limit("BTCUSDT", Side::Buy, "0.001", "30000")
        .time_in_force(TimeInForce::Ioc)
        .client_order_id(name)
}

struct House {
    dir: TempDir,
    venue: Serving,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ports = ["--ouch", "127.0.0.1:0", "--ouch-udp", "127.0.0.1:0", "--grpc", "127.0.0.1:0"];
        let args = ["--demo", "--no-bots", "--data", text(dir.path())];
        let venue = Serving::start(&[&args[..], &ports].concat());
        Self { dir, venue }
    }

    fn udp(&self) -> SocketAddr {
        self.venue.listening["ouch-udp"].parse().unwrap()
    }

    fn of_login(&self, name: &str) -> String {
        let demo = std::fs::read(self.dir.path().join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        demo["accounts"][0]["login"][name].as_str().unwrap().to_owned()
    }

    fn login(&self, address: String) -> Login {
        Login::new(address, self.of_login("user"), self.of_login("password"))
    }

    async fn log_on(&self, address: SocketAddr, fallbacks: Vec<Login>) -> (Venue, Reports) {
        let client = Client::new(&self.venue.url, None).unwrap();
        let login = UdpLogin {
            address: address.to_string(),
            user: self.of_login("user"),
            key: self.of_login("udp_key"),
            from_sequence: 1,
            read_from: 1,
            fallbacks,
        };
        Venue::ouch_udp(&client, login).await.unwrap()
    }

    fn figure(&self, name: &str) -> u64 {
        let metrics = self.metrics();
        let found = metrics.lines().find_map(|line| line.strip_prefix(name));
        found.map_or(0, |figure| figure.trim().parse().unwrap())
    }

    fn metrics(&self) -> String {
        let address = self.venue.url.trim_start_matches("http://");
        crate::itch::receiver::get(address, "/metrics")
    }
}

/// A TCP port in front of the venue's that can be closed. Its connections end with it.
struct Gate {
    address: SocketAddr,
    is_open: watch::Sender<bool>,
}

impl Gate {
    fn start(venue: &str) -> Self {
        let first = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = first.local_addr().unwrap();
        let (is_open, mut opened) = watch::channel(true);
        let venue = venue.to_owned();
        drop(first);
        tokio::spawn(async move {
            while opened.wait_for(|is_open| *is_open).await.is_ok() {
                let listener = TcpListener::bind(address).await.unwrap();
                let mut connections = JoinSet::new();
                loop {
                    let mut near = tokio::select! {
                        accepted = listener.accept() => accepted.unwrap().0,
                        _ = opened.wait_for(|is_open| !is_open) => break,
                    };
                    let mut far = TcpStream::connect(&venue).await.unwrap();
                    connections.spawn(async move {
                        // It ends with either side.
                        let _ended = copy_bidirectional(&mut near, &mut far).await;
                    });
                }
            }
        });
        Self { address, is_open }
    }

    fn address(&self) -> String {
        self.address.to_string()
    }

    fn close(&self) {
        self.is_open.send_replace(false);
    }

    fn open(&self) {
        self.is_open.send_replace(true);
    }
}

/// Datagrams of a hundred.
#[derive(Clone, Copy, Default)]
struct Faults {
    lost: u64,
    doubled: u64,
    late: u64,
}

/// A network between clients and the venue.
struct Relay {
    address: SocketAddr,
    is_dead: Arc<AtomicBool>,
    /// Of a hundred.
    lost_percent: Arc<AtomicU64>,
    lost: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
}

impl Relay {
    fn start(venue: SocketAddr, faults: Faults) -> Self {
        let front = UdpSocket::bind("127.0.0.1:0").unwrap();
        let back = UdpSocket::bind("127.0.0.1:0").unwrap();
        back.connect(venue).unwrap();
        for socket in [&front, &back] {
            socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        }
        let relay = Self {
            address: front.local_addr().unwrap(),
            is_dead: Arc::default(),
            lost_percent: Arc::new(AtomicU64::new(faults.lost)),
            lost: Arc::default(),
            is_over: Arc::default(),
        };
        let client = Arc::new(std::sync::Mutex::new(None));
        for is_to_venue in [true, false] {
            let (front, back) = (front.try_clone().unwrap(), back.try_clone().unwrap());
            let (is_dead, is_over) = (Arc::clone(&relay.is_dead), Arc::clone(&relay.is_over));
            let (lost, client) = (Arc::clone(&relay.lost), Arc::clone(&client));
            let lost_percent = Arc::clone(&relay.lost_percent);
            std::thread::spawn(move || {
                let mut chance = Chance(u64::from(is_to_venue));
                let (mut bytes, mut late) = ([0; 2_048], Vec::<Vec<u8>>::new());
                let send = |datagram: &[u8]| {
                    // A venue or a client that is gone loses datagrams, too.
                    let _gone = if is_to_venue {
                        back.send(datagram)
                    } else {
                        let to: Option<SocketAddr> = *client.lock().unwrap();
                        to.map_or(Ok(0), |to| front.send_to(datagram, to))
                    };
                };
                while !is_over.load(Ordering::Relaxed) {
                    let received = if is_to_venue {
                        front.recv_from(&mut bytes).map(|(size, from)| {
                            *client.lock().unwrap() = Some(from);
                            size
                        })
                    } else {
                        back.recv(&mut bytes)
                    };
                    let overtaken = std::mem::take(&mut late);
                    let (drawn, is_lost) = (chance.below(100), chance.below(100));
                    match received {
                        Ok(_) if is_dead.load(Ordering::Relaxed) => {}
                        Ok(_) if is_lost < lost_percent.load(Ordering::Relaxed) => {
                            lost.fetch_add(1, Ordering::Relaxed);
                        }
                        Ok(size) if drawn < faults.doubled => {
                            send(&bytes[..size]);
                            send(&bytes[..size]);
                        }
                        Ok(size) if drawn < faults.doubled + faults.late => {
                            late.push(bytes[..size].to_vec());
                        }
                        Ok(size) => send(&bytes[..size]),
                        Err(_) => {}
                    }
                    overtaken.iter().for_each(|datagram| send(datagram));
                }
            });
        }
        relay
    }

    fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
