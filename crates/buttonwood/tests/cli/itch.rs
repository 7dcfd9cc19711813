//! The market order by order, as a receiver of the feed sees it: over a network that loses packets,
//! through a restart, and beside requests that are wrong.

mod book;
pub(crate) mod receiver;

use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::time::Duration;

use client::{Client, Login, NewOrder, OrderKey, Reports, Side, TimeInForce, Venue};
use marketdata::{OrderStream, Views};
use protocol::itch::Message;
use protocol::mold::Request;
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinSet;
use types::StpMode;

use self::book::{Book, Levels};
use self::receiver::{Feed, Received, again, glimpse, request};
use crate::chance::Chance;
use crate::process::{Serving, run, run_json, text};

/// Messages between two comparisons of the book.
const COMPARED_EVERY: u64 = 10_000;
/// Nothing has come for this long: all was sent.
const QUIET: Duration = Duration::from_secs(1);
/// The messages of one command, at most.
const OF_COMMAND_MAX: u64 = 64;

#[tokio::test(flavor = "multi_thread")]
async fn a_book_of_the_feed_alone_is_the_venues_through_losses_and_a_restart() {
    let mut house = House::new();
    let feed = house.receive(100);
    house.trade(1, 9_000).await;
    let before = feed.wait(|received| received.is_idle_for(QUIET));
    let first = before.all.clone();
    house.kill();
    feed.recover_from(house.recovery());
    house.trade(2, 6_000).await;
    house.stop();
    feed.recover_from(house.recovery());
    house.trade(3, 2_000).await;
    let received = feed.wait(|received| received.is_idle_for(QUIET));
    assert!(received.all.starts_with(&first), "a message has other bytes after a restart");
    assert!(received.lost > 0, "no packet was lost");
    assert!(received.all.len() > 2 * COMPARED_EVERY as usize, "{}", received.all.len());

    // Every message once more from a venue that has started again.
    let all = again(house.recovery(), received.session, received.all.len());
    assert!(all == received.all, "a retransmission has other bytes");

    // A snapshot, and the number from which the feed continues it.
    let (snapshot, next) = glimpse(&house.place("glimpse"));
    let mut book = Book::default();
    snapshot.iter().for_each(|message| book.apply(message));
    let at = &received.books[&received.next()];
    assert_eq!((next, &book.levels()), (received.next(), at));

    house.venue.take().unwrap().stop();
    let compared = compare(house.data(), &received);
    assert!(compared >= 2, "compared at {compared} places");

    let out = house.data().join("out");
    let args = ["log", "export", text(house.data()), "--out", text(&out), "--format", "itch"];
    assert_eq!(run_json(&args)["messages"]["day-1"], received.all.len());
    let file = out.join("day-1.itch");
    assert!(messages_of(&std::fs::read(&file).unwrap()) == received.all);
    let replayed = run(&["replay", text(&file), "--format", "itch"]);
    assert!(replayed.status.success(), "{replayed:?}");
}

/// The messages of a file, each after its length.
fn messages_of(mut file: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while let Some((length, rest)) = file.split_first_chunk::<2>() {
        let (message, rest) = rest.split_at(u16::from_be_bytes(*length).into());
        messages.push(message.to_vec());
        file = rest;
    }
    messages
}

/// Compares the receiver's book with the one that the log's events give. Returns how often.
fn compare(data: &Path, received: &Received) -> usize {
    let archive = venue::Archive::open(data).unwrap();
    let mut replay = archive.replay().unwrap();
    let (mut views, mut stream, mut compared) = (Views::default(), OrderStream::default(), 0);
    while let Some(command) = replay.step().unwrap() {
        for applied in std::iter::once(command.reply.applied).chain(command.reply.continued) {
            let before = stream.count();
            stream.command(applied.sequence, applied.sequenced_ns, &applied.events, |_| {});
            for event in &applied.events {
                views.apply(event);
            }
            let after = stream.count();
            assert!(after - before < OF_COMMAND_MAX);
            if before / COMPARED_EVERY < after / COMPARED_EVERY {
                assert_eq!(received.books[&(after + 1)], levels_of(&views), "after {after}");
                compared += 1;
            }
        }
    }
    let last = received.next();
    assert_eq!(received.books[&last], levels_of(&views));
    compared
}

/// The displayed books of the demo, in the units of messages. ETHBTC is kept out.
fn levels_of(views: &Views) -> Levels {
    let mut levels = Levels::new();
    for (locate, of) in (1..=2).zip(views.instruments()) {
        for (side, all) in
            [(b'B', of.book.bids().collect::<Vec<_>>()), (b'S', of.book.asks().collect())]
        {
            for level in all {
                let price = u32::try_from(level.price.ticks() * 100).unwrap();
                levels.insert((locate, side, price), (level.qty.lots(), level.order_count));
            }
        }
    }
    levels
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_gets_no_answer_and_harms_nothing() {
    let house = House::new();
    let feed = house.receive(0);
    house.trade(1, 3_000).await;
    let received = feed.wait(|received| received.is_idle_for(QUIET));
    let count = received.all.len() as u64;
    let session = received.session;
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(house.recovery()).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut packet = Vec::new();
    Request { session, sequence: 1, count: 1 }.write(&mut packet);
    for wrong in [&packet[..19], &[packet.clone(), vec![0]].concat()[..], b"", &[7; 2_000]] {
        socket.send(wrong).unwrap();
    }
    for (session, sequence) in [(*b"       999", 1), (session, 0), (session, count + 1)] {
        let mut bytes = Vec::new();
        Request { session, sequence, count: 1 }.write(&mut bytes);
        socket.send(&bytes).unwrap();
    }
    assert!(socket.recv(&mut [0; 2_000]).is_err(), "a wrong request has an answer");
    // A request for all of the day is answered in part.
    let all = request(house.recovery(), session, 1, u16::MAX);
    assert!(all == received.all[..all.len()] && all.len() >= 200.min(received.all.len()));
    assert!(all.len() <= 1_024);
    let metrics = house.metrics();
    let figure = |name: &str| {
        let line = metrics.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.rsplit(' ').next().unwrap_or_default().to_owned()
    };
    assert_eq!(figure("buttonwood_itch_requests_dropped_total{reason=\"invalid\"}"), "4");
    assert_eq!(figure("buttonwood_itch_requests_dropped_total{reason=\"out_of_session\"}"), "3");
    assert_eq!(figure("buttonwood_itch_kept_out"), "1");

    let listed = received.all.iter().filter_map(|message| match Message::read(message) {
        Ok(Message::StockDirectory(listed)) => Some((listed.head.locate, listed.stock)),
        _ => None,
    });
    assert_eq!(listed.collect::<Vec<_>>(), [(1, *b"BTCUSDT "), (2, *b"ETHUSDT ")]);
    let kinds: std::collections::BTreeSet<u8> =
        received.all.iter().map(|message| message[0]).collect();
    assert!(b"SRHAEXDU".iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    // An order that self-trade prevention had reduced is replaced in one message, as any other.
    let replaced = |message: &Vec<u8>| match Message::read(message) {
        Ok(Message::OrderReplaced(replaced)) => replaced.price == 600_020_000,
        _ => false,
    };
    assert_eq!(received.all.iter().filter(|message| replaced(message)).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_numbering_day_is_a_session_that_names_all_instruments() {
    let house = House::new();
    let feed = house.receive(0);
    house.trade(1, 100).await;
    let day = feed.wait(|received| received.is_idle_for(QUIET));
    let book = day.books[&day.next()].clone();
    run_json(&["admin", "--data", text(house.data()), "numbering-day"]);
    let next = feed.wait(|received| received.session != day.session && received.is_idle_for(QUIET));
    let (session, ended) = next.before.as_ref().expect("the session before");
    assert_eq!(*session, day.session);
    let kinds = |messages: &[Vec<u8>]| {
        let kind = |message: &Vec<u8>| match Message::read(message).unwrap() {
            Message::SystemEvent(event) => format!("S{}", char::from(event.event)),
            _ => char::from(message[0]).to_string(),
        };
        messages.iter().map(kind).collect::<Vec<_>>().concat()
    };
    assert_eq!(kinds(&ended[day.all.len()..]), "SMSESC");
    assert_eq!(kinds(&next.all), "SOSSSQRHRH");
    // Orders stand over the end of a day, and a snapshot has them.
    let (snapshot, number) = glimpse(&house.place("glimpse"));
    let mut of_snapshot = Book::default();
    snapshot.iter().for_each(|message| of_snapshot.apply(message));
    assert_eq!((number, of_snapshot.levels()), (next.next(), book));
    house.venue.unwrap().stop();
}

/// A demo venue with a feed.
struct House {
    dir: TempDir,
    venue: Option<Serving>,
    feed: UdpSocket,
}

impl House {
    fn new() -> Self {
        let feed = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut house = Self { dir: tempfile::tempdir().unwrap(), venue: None, feed };
        house.start();
        house
    }

    fn start(&mut self) {
        let feed = self.feed.local_addr().unwrap().to_string();
        let (data, socket) = (self.data().to_path_buf(), self.socket());
        let args = ["--demo", "--no-bots", "--data", text(&data), "--ouch-unix", text(&socket)];
        let feed = ["--itch", &feed, "--itch-recovery", "127.0.0.1:0", "--glimpse", "127.0.0.1:0"];
        self.venue = Some(Serving::start(&[&args[..], &feed[..]].concat()));
    }

    fn kill(&mut self) {
        self.venue.take().unwrap().kill();
        self.start();
    }

    fn stop(&mut self) {
        self.venue.take().unwrap().stop();
        self.start();
    }

    fn data(&self) -> &Path {
        self.dir.path()
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("ouch.socket")
    }

    fn place(&self, name: &str) -> String {
        self.venue.as_ref().unwrap().listening[name].clone()
    }

    fn recovery(&self) -> std::net::SocketAddr {
        self.place("itch-recovery").parse().unwrap()
    }

    fn metrics(&self) -> String {
        let address = self.venue.as_ref().unwrap().url.trim_start_matches("http://").to_owned();
        receiver::get(&address, "/metrics")
    }

    /// Begins to receive; each packet of this number is lost, none of zero.
    fn receive(&self, one_lost_of: u64) -> Feed {
        Feed::start(self.feed.try_clone().unwrap(), self.recovery(), one_lost_of)
    }

    async fn log_on(&self) -> (Venue, Reports) {
        let demo = std::fs::read(self.data().join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        let of = |name: &str| demo["accounts"][0]["login"][name].as_str().unwrap().to_owned();
        let address = format!("unix:{}", self.socket().display());
        let login = Login::new(address, of("user"), of("password"));
        let client = Client::new(&self.venue.as_ref().unwrap().url, None).unwrap();
        Venue::ouch(&client, login).await.unwrap()
    }

    /// Random orders, replacements and cancels of two instruments; and one replacement of another
    /// kind for each run, by REST.
    async fn trade(&self, seed: u64, orders: u64) {
        self.cancel_replace(seed).await;
        let (venue, _reports) = self.log_on().await;
        let mut chance = Chance(seed);
        let mut under_way = JoinSet::new();
        for at in 0..orders {
            while under_way.len() >= 256 {
                under_way.join_next().await;
            }
            let (venue, name) = (venue.clone(), format!("s{seed}-{at}"));
            let earlier = format!("s{seed}-{}", at.saturating_sub(300 + chance.below(2_000)));
            let order = order(&mut chance);
            let then = chance.below(8);
            under_way.spawn(async move {
                let symbol = order.symbol.clone();
                // What an order finds of another that is done already does not matter here.
                match then {
                    0..3 => drop(venue.cancel(&symbol, &earlier).await),
                    3 => drop(venue.replace(&earlier, &order.clone().client_order_id("")).await),
                    _ => {}
                }
                venue.enter(&order.client_order_id(name)).await.unwrap();
            });
        }
        while let Some(entered) = under_way.join_next().await {
            entered.unwrap();
        }
    }

    /// An order by REST, an iceberg, a hidden order, and another order in the place of the first.
    async fn cancel_replace(&self, seed: u64) {
        let demo = std::fs::read(self.data().join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        let of = |name: &str| demo["accounts"][1][name].as_str().unwrap().to_owned();
        let client = self.venue.as_ref().unwrap().client(&of("api_key"), &of("secret_key"));
        let name = |what: &str| format!("r{seed}{what}");
        let sell = |price: &str| NewOrder::limit("BTCUSDT", Side::Sell, "0.002", price);
        // Takes a part of the order ahead of it, which the account may not trade with.
        let reduces = NewOrder::limit("BTCUSDT", Side::Buy, "0.001", "59000");
        let orders = [
            sell("59000").client_order_id(name("r")),
            reduces.stp_mode(StpMode::Decrement),
            sell("60000").client_order_id(name("a")),
            sell("50005").iceberg_qty("0.0005"),
            sell("50004").hidden(),
        ];
        for order in &orders {
            client.place(order).await.unwrap();
        }
        client.replace(OrderKey::ClOrdId(&name("a")), &sell("60001")).await.unwrap();
        client.replace(OrderKey::ClOrdId(&name("r")), &sell("60002")).await.unwrap();
    }
}

/// A small order around 50,000, of which some end at once.
fn order(chance: &mut Chance) -> NewOrder {
    let (symbol, decimals) = [("BTCUSDT", 5), ("ETHUSDT", 4)][chance.below(2) as usize];
    let side = [Side::Buy, Side::Sell][chance.below(2) as usize];
    // At least the instruments' smallest notional.
    let quantity = format!("0.{:0decimals$}", 10 + chance.below(50));
    let price = (50_000 + chance.below(20)).to_string();
    let time_in_force = if chance.below(5) == 0 { TimeInForce::Ioc } else { TimeInForce::Gtc };
    NewOrder::limit(symbol, side, quantity, price).time_in_force(time_in_force)
}
