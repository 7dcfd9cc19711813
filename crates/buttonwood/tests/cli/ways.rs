//! The client's one interface to orders, over each way, with connections that break.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use client::{
    Client, Error, Login, NewOrder, Origin, Reply, ReportKind, Reports, Side, TimeInForce, Tls,
    Venue,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, copy_bidirectional, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use crate::process::{Serving, run_refused, text};
use crate::ways::house::{House, serve, shm_socket, socket};

mod house;
mod missed;

#[allow(dead_code, reason = "its `main`")]
#[path = "../../../client/examples/ways.rs"]
mod example;

const WAYS: [Origin; 4] = [Origin::Rest, Origin::WebSocket, Origin::Ouch, Origin::Grpc];
const SYMBOL: &str = "BTCUSDT";
const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn each_way_enters_replaces_and_cancels_and_says_which_it_is() {
    for way in WAYS {
        let house = House::new();
        let (alice, mut reports) = house.direct(way, "alice").await;
        let bob = house.rest("bob");
        let order = buy("0.003", "50000").client_order_id("first");
        let entered = alice.enter(&order).await.unwrap();
        assert_eq!(
            (entered.way, &*entered.status, &*entered.client_order_id),
            (way, "NEW", "first")
        );
        assert_eq!(names(&alice).await, ["first"]);

        bob.enter(&NewOrder::market(SYMBOL, Side::Sell, "0.001")).await.unwrap();
        // 0.003 in all, of which 0.001 is executed.
        let order = buy("0.003", "49000").client_order_id("second");
        let replaced = alice.replace("first", &order).await.unwrap();
        assert_eq!((replaced.way, &*replaced.client_order_id), (way, "second"));
        let open = alice.open_orders().await.unwrap();
        let open: Vec<_> =
            open.iter().map(|of| (&*of.client_order_id, number(&of.leaves_qty))).collect();
        assert_eq!(open, [("second", 0.002)], "{way:?}");

        let canceled = alice.cancel(SYMBOL, "second").await.unwrap();
        assert_eq!((canceled.way, &*canceled.status), (way, "CANCELED"));
        let error = alice.cancel(SYMBOL, "second").await.unwrap_err();
        assert_eq!(error.code(), Some(-2011), "{error}");
        assert_eq!(names(&alice).await, Vec::<String>::new());

        let refused = alice.enter(&buy("0.003", "49000.001")).await.unwrap_err();
        assert!(!matches!(refused, Error::Transport(_)), "{refused}");
        if way != Origin::Rest {
            let seen = story(&mut reports, "canceled second").await;
            assert_eq!(seen[..2], ["accepted first", "executed first 0.001 @ 50000"]);
        }
        let statistics = alice.statistics();
        assert_eq!((statistics.answered, statistics.lost), (3, 0), "{statistics:?}");
        assert!(statistics.latency(0.5).is_some());
        let metrics = house.metrics().await;
        let counted = format!(r#"orders_received_total{{way="{way:?}",type="Limit"}} "#);
        assert!(metrics.contains(&counted), "{metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_whose_answer_is_lost_is_found_out_and_not_doubled() {
    for way in WAYS {
        let house = House::new();
        let (alice, relay, _reports) = house.through_a_relay(way, "alice").await;
        alice.enter(&buy("0.001", "40000").client_order_id("before")).await.unwrap();
        relay.swallow_answers();
        let order = buy("0.001", "40000").client_order_id("lost");
        let (entered, ()) = tokio::join!(alice.enter(&order), async {
            // The venue has it before the connection ends.
            while house.open("alice").await.len() < 2 {
                sleep(Duration::from_millis(10)).await;
            }
            relay.cut();
        });
        let entered = entered.unwrap();
        assert_eq!((entered.way, &*entered.client_order_id), (way, "lost"));
        assert_eq!(house.open("alice").await.len(), 2, "{way:?}");
        assert!(alice.statistics().lost > 0);

        // An answer to this comes on a connection that is whole again.
        assert_eq!(names(&alice).await.len(), 2);
        relay.swallow_answers();
        let (canceled, ()) = tokio::join!(alice.cancel(SYMBOL, "lost"), async {
            while house.open("alice").await.len() > 1 {
                sleep(Duration::from_millis(10)).await;
            }
            relay.cut();
        });
        assert_eq!(canceled.unwrap().status, "CANCELED", "{way:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn under_cuts_at_random_moments_each_order_is_entered_once() {
    const ORDERS: usize = 300;
    for way in WAYS {
        let house = House::new();
        let (alice, relay, mut reports) = house.through_a_relay(way, "alice").await;
        // Connection, calls and streams of gRPC take more round trips to begin.
        let slower = if way == Origin::Grpc { 8 } else { 1 };
        let is_done = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&is_done);
        let cutting = tokio::spawn(async move {
            let mut wait_ms = 3;
            while !done.load(Ordering::Relaxed) {
                wait_ms = (wait_ms * 7 + 5) % 41;
                sleep(Duration::from_millis(wait_ms * slower)).await;
                relay.cut();
            }
        });
        let entering = (0..ORDERS).map(|at| {
            let alice = alice.clone();
            tokio::spawn(async move {
                sleep(Duration::from_millis(at as u64)).await;
                let price = 30_000 + at;
                let order = buy("0.001", &price.to_string()).client_order_id(format!("o{at}"));
                alice.enter(&order).await.map(|reply| (reply.client_order_id, reply.order_id))
            })
        });
        let mut numbers = BTreeSet::new();
        for (at, entered) in entering.collect::<Vec<_>>().into_iter().enumerate() {
            let entered = entered.await.unwrap();
            let (name, order_id) = entered.unwrap_or_else(|error| panic!("{way:?}: {error}"));
            assert_eq!(name, format!("o{at}"));
            assert!(numbers.insert(order_id), "{way:?}: {order_id} for two orders");
        }
        is_done.store(true, Ordering::Relaxed);
        cutting.await.unwrap();
        let open: Vec<u64> = house.open("alice").await.iter().map(|of| of.order_id).collect();
        assert_eq!(open.len(), ORDERS, "{way:?}");
        assert_eq!(open.into_iter().collect::<BTreeSet<_>>(), numbers);
        if way == Origin::Ouch {
            // The reports of all connections are one sequence, after the start of the day and the
            // answers to a query for each connection.
            let reports = reports.as_mut().unwrap();
            let mut accepted = BTreeSet::new();
            let mut last = 0;
            while accepted.len() < ORDERS {
                let report = timeout(PATIENCE, reports.next()).await.unwrap().unwrap();
                assert!(report.sequence > last);
                last = report.sequence;
                assert_eq!(report.kind, ReportKind::Accepted);
                assert!(accepted.insert(report.client_order_id));
            }
            assert!(alice.statistics().connections > 1);
        }
    }
}

/// On one thread all orders wait before the connection's task runs.
#[tokio::test]
async fn orders_that_wait_go_in_one_write_and_a_lone_one_at_once() {
    let house = House::new();
    for way in WAYS {
        let (alice, _reports) = house.direct(way, "alice").await;
        for _ in 0..3 {
            alice.enter(&ioc("0.001", "30000")).await.unwrap();
        }
        let alone = alice.statistics();
        assert_eq!(alone.messages, 3);
        let count = if way == Origin::Rest { 200 } else { 1_000 };
        let orders = (0..count).map(|_| {
            let alice = alice.clone();
            tokio::spawn(async move { enter(&alice, "30000").await })
        });
        for entered in orders.collect::<Vec<_>>() {
            entered.await.unwrap().unwrap();
        }
        let statistics = alice.statistics();
        assert_eq!(statistics.answered, count + 3);
        assert!(statistics.messages >= count + 3, "{statistics:?}");
        assert!(statistics.writes - alone.writes < count / 2, "{statistics:?}");
        // Each order of a batch is refused by itself.
        let orders = (0..40).map(|at| {
            let alice = alice.clone();
            let price = if at % 2 == 0 { "30000" } else { "30000.001" };
            tokio::spawn(async move { enter(&alice, price).await })
        });
        for (at, entered) in orders.collect::<Vec<_>>().into_iter().enumerate() {
            match entered.await.unwrap() {
                Ok(_) => assert_eq!(at % 2, 0),
                Err(error) => assert!(at % 2 == 1 && !matches!(error, Error::Transport(_))),
            }
        }
    }
}

/// On one thread both go in one write, the replacement first. The venue answers no cancel under a
/// number that another has taken the place of.
#[tokio::test]
async fn a_cancel_that_crosses_a_replacement_cancels_what_replaced_the_order() {
    let house = House::new();
    let (alice, _reports) = house.direct(Origin::Ouch, "alice").await;
    let buy = |price: &str, name: &str| buy("0.003", price).client_order_id(name);
    alice.enter(&buy("50000", "first")).await.unwrap();
    let order = buy("49000", "second");
    let both =
        async { tokio::join!(alice.replace("first", &order), alice.cancel(SYMBOL, "first")) };
    let (replaced, canceled) = timeout(PATIENCE, both).await.expect("both are answered");
    assert_eq!(replaced.unwrap().client_order_id, "second");
    let canceled = canceled.unwrap();
    assert_eq!((&*canceled.client_order_id, &*canceled.status), ("second", "CANCELED"));

    // What replaces the order trades at once, so that nothing is left to cancel.
    let bob = house.rest("bob");
    bob.enter(&NewOrder::limit(SYMBOL, Side::Sell, "0.003", "51000")).await.unwrap();
    alice.enter(&buy("50000", "third")).await.unwrap();
    let order = buy("51000", "fourth");
    let both =
        async { tokio::join!(alice.replace("third", &order), alice.cancel(SYMBOL, "third")) };
    let (replaced, canceled) = timeout(PATIENCE, both).await.expect("both are answered");
    assert_eq!(replaced.unwrap().client_order_id, "fourth");
    assert_eq!(canceled.unwrap_err().code(), Some(-2011));
    assert_eq!(names(&alice).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_over_a_unix_socket_inside_grpc_and_through_shared_memory() {
    let house = House::new();
    let (tcp, reports) = house.direct(Origin::Ouch, "alice").await;
    tcp.enter(&buy("0.001", "30000").client_order_id("first")).await.unwrap();
    drop((tcp, reports));
    let unix = format!("unix:{}", text(&house.socket()));
    let (alice, mut reports) = house.over(Origin::Ouch, "alice", &house.venue.url, unix).await;
    assert_eq!(names(&alice).await, ["first"]);
    alice.enter(&buy("0.001", "31000").client_order_id("second")).await.unwrap();
    let seen = story(&mut reports, "accepted second").await;
    assert_eq!(seen, ["accepted first", "accepted second"]);
    drop((alice, reports));
    // Inside a call, where nothing else gets through: with the same numbers.
    let call = format!("grpc:{}", house.venue.grpc.as_ref().unwrap());
    let (alice, mut reports) = house.over(Origin::Ouch, "alice", &house.venue.url, call).await;
    alice.enter(&buy("0.001", "32000").client_order_id("third")).await.unwrap();
    let seen = story(&mut reports, "accepted third").await;
    assert_eq!(seen, ["accepted first", "accepted second", "accepted third"]);
    alice.cancel(SYMBOL, "first").await.unwrap();
    assert_eq!(names(&alice).await, ["second", "third"]);
    drop((alice, reports));
    let memory = format!("shm:{}", text(&shm_socket(&house.dir)));
    let (alice, mut reports) = house.over(Origin::Ouch, "alice", &house.venue.url, memory).await;
    assert_eq!(names(&alice).await, ["second", "third"]);
    // More than the rings hold at once, in both directions, and then again after a rest.
    for _ in 0..2 {
        let orders = (0..4_000).map(|_| {
            let alice = alice.clone();
            tokio::spawn(async move { alice.enter(&ioc("0.001", "30000")).await })
        });
        for entered in orders.collect::<Vec<_>>() {
            entered.await.unwrap().unwrap();
        }
        sleep(Duration::from_millis(50)).await;
    }
    alice.cancel(SYMBOL, "second").await.unwrap();
    let seen = story(&mut reports, "canceled second").await;
    assert_eq!(seen.len(), 4 + 2 * 8_000 + 1);
    drop((alice, reports));
    // A socket that a killed venue has left is replaced; another file is not.
    let House { dir, venue } = house;
    venue.kill();
    let args = serve(&dir);
    let args: Vec<_> = args.iter().map(|arg| &**arg).collect();
    Serving::start(&args).stop();
    std::fs::remove_file(socket(&dir)).unwrap();
    std::fs::write(socket(&dir), "a file").unwrap();
    let refused = run_refused(&[&["serve", "--http", "127.0.0.1:0"], &args[..]].concat());
    assert!(refused.contains("cannot listen on"), "{refused}");
    assert_eq!(std::fs::read(socket(&dir)).unwrap(), b"a file");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_in_the_middle_of_a_session_loses_no_report() {
    let house = House::new();
    let (alice, mut reports) = house.direct(Origin::Ouch, "alice").await;
    for (name, price) in [("first", "30000"), ("second", "29000")] {
        alice.enter(&buy("0.002", price).client_order_id(name)).await.unwrap();
    }
    assert_eq!(story(&mut reports, "accepted second").await.len(), 2);
    let bob = house.rest("bob");
    bob.enter(&NewOrder::market(SYMBOL, Side::Sell, "0.001")).await.unwrap();
    let executed = timeout(PATIENCE, reports.as_mut().unwrap().next()).await.unwrap().unwrap();
    drop((alice, reports));

    // While the program is away.
    bob.enter(&NewOrder::market(SYMBOL, Side::Sell, "0.001")).await.unwrap();
    let from = executed.sequence + 1;
    let begin = |login: Login| async {
        let client = house.client("alice", &house.venue.url);
        let (venue, reports) = Venue::ouch(&client, login).await.unwrap();
        (venue, Some(reports))
    };
    let login = || house.login("alice", house.venue.ouch.clone().unwrap()).from_sequence(from);
    let (alice, mut reports) = begin(login()).await;
    assert_eq!(names(&alice).await, ["second"]);
    let seen = story(&mut reports, "executed first 0.001 @ 30000").await;
    assert_eq!(seen, ["executed first 0.001 @ 30000"]);
    drop((alice, reports));

    // The second connection is the first that sends reports.
    let cut = cut_behind_log_on(house.venue.ouch.clone().unwrap(), 2).await;
    let (alice, mut reports) = begin(house.login("alice", cut).from_sequence(from)).await;
    assert_eq!(names(&alice).await, ["second"], "one session without a report says nothing");
    let seen = story(&mut reports, "executed first 0.001 @ 30000").await;
    assert_eq!(seen, ["executed first 0.001 @ 30000"]);
    drop((alice, reports));

    // Reports of orders whose acceptance is not read have no name, yet are there.
    let (alice, mut reports) = begin(login().read_from(from)).await;
    assert_eq!(names(&alice).await, Vec::<String>::new());
    bob.enter(&NewOrder::market(SYMBOL, Side::Sell, "0.001")).await.unwrap();
    let seen = story(&mut reports, "executed #2 0.001 @ 29000").await;
    assert_eq!(seen, ["executed #1 0.001 @ 30000", "executed #2 0.001 @ 29000"]);
    drop((alice, reports));

    let (alice, mut reports) = begin(login().from_sequence(0)).await;
    alice.cancel(SYMBOL, "second").await.unwrap();
    assert_eq!(story(&mut reports, "canceled second").await, ["canceled second"]);
}

/// An address that forwards connections to the venue, and cuts the one with this number when the
/// client has been let in.
async fn cut_behind_log_on(venue: String, cut: usize) -> String {
    /// Length, type, session and number.
    const LET_IN: u64 = 2 + 1 + 10 + 20;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        for number in 1.. {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut venue = TcpStream::connect(&venue).await.unwrap();
            tokio::spawn(async move {
                if number != cut {
                    return drop(copy_bidirectional(&mut client, &mut venue).await);
                }
                let (mut sent, mut received) = client.split();
                let (venue_sends, mut venue_receives) = venue.split();
                let mut let_in = venue_sends.take(LET_IN);
                tokio::select! {
                    _ = copy(&mut sent, &mut venue_receives) => {}
                    _ = copy(&mut let_in, &mut received) => {}
                }
                received.shutdown().await.unwrap();
                drop(copy(&mut sent, &mut sink()).await);
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn each_way_speaks_tls_to_a_venue_that_is_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (cert, private) = (dir.path().join("cert.pem"), dir.path().join("tls.key"));
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&private, made.signing_key.serialize_pem()).unwrap();
    let tls = ["--tls-cert", text(&cert), "--tls-key", text(&private)].map(str::to_owned);
    let args = [serve(&dir), tls.to_vec()].concat();
    let venue = Serving::start(&args.iter().map(|arg| &**arg).collect::<Vec<_>>());
    let house = House { dir, venue };
    let url = house.venue.url.replace("127.0.0.1", "localhost");
    let credentials = |name| house.credentials(name);
    let tls = Tls::new(made.cert.pem().as_bytes(), "localhost").unwrap();
    let client = Client::with_tls(&url, Some(credentials("alice")), tls).unwrap();
    let login = house.login("alice", house.venue.ouch.clone().unwrap());
    let (websocket, _reports) = Venue::websocket(client.clone(), None).unwrap();
    let (ouch, _reports) = Venue::ouch(&client, login).await.unwrap();
    for venue in [Venue::rest(client.clone()), websocket, ouch] {
        let entered = venue.enter(&ioc("0.001", "30000")).await.unwrap();
        assert_eq!(entered.way, venue.way());
    }
    // Another authority, and another name.
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    for (trusted, name) in [(other.cert.pem(), "localhost"), (made.cert.pem(), "venue.example")] {
        let tls = Tls::new(trusted.as_bytes(), name).unwrap();
        let client = Client::with_tls(&url, None, tls).unwrap();
        assert!(matches!(client.ping().await, Err(Error::Transport(_))), "{name}");
    }
    for trusted in ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert!(matches!(Tls::new(trusted.as_bytes(), "localhost"), Err(Error::Usage(_))));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ouch_cannot_express_is_not_sent() {
    let house = House::new();
    let (alice, _reports) = house.direct(Origin::Ouch, "alice").await;
    let usage = |order: NewOrder| {
        let alice = alice.clone();
        async move { alice.enter(&order).await.unwrap_err().to_string() }
    };
    let order = buy("0.001", "30000");
    let long = order.clone().client_order_id("fifteen-letters");
    assert_eq!(usage(long).await, "OUCH has room for 14 characters: fifteen-letters");
    let stop = order.clone().stop_price("1");
    assert_eq!(usage(stop).await, "a trigger has no field in OUCH");
    assert_eq!(usage(buy("0.0000001", "1")).await, "0.0000001 is no number of lots for OUCH");
    let other = NewOrder::limit("NONE", Side::Buy, "1", "1");
    assert_eq!(usage(other).await, "no instrument NONE");
    // A price in ticks that the field has no room for.
    alice.enter(&NewOrder::limit("ETHBTC", Side::Buy, "1", "0.05001")).await.unwrap();
    let open = alice.open_orders().await.unwrap();
    assert_eq!(number(&open[0].price), 0.05001);
    assert_eq!(alice.statistics().answered, 1);
}

#[tokio::test]
async fn the_example_trades_over_each_way() {
    let house = House::new();
    let keys = house.dir.path().join("demo.json");
    let ouch = house.venue.ouch.as_ref().unwrap();
    let grpc = house.venue.grpc.as_ref().unwrap();
    example::run(&house.venue.url, text(&keys), ouch, grpc).await.unwrap();
}

/// Enters an order, again if the venue has no time for it on a loaded machine.
async fn enter(venue: &Venue, price: &str) -> Result<Reply, Error> {
    const OVERLOADED: i32 = -1008;
    loop {
        match venue.enter(&ioc("0.001", price)).await {
            Err(error) if error.code() == Some(OVERLOADED) => {
                sleep(Duration::from_millis(10)).await;
            }
            entered => return entered,
        }
    }
}

fn buy(qty: &str, price: &str) -> NewOrder {
    NewOrder::limit(SYMBOL, Side::Buy, qty, price)
}

fn ioc(qty: &str, price: &str) -> NewOrder {
    buy(qty, price).time_in_force(TimeInForce::Ioc)
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

async fn names(venue: &Venue) -> Vec<String> {
    let open = venue.open_orders().await.unwrap();
    open.into_iter().map(|of| of.client_order_id).collect()
}

/// The reports up to one.
async fn story(reports: &mut Option<Reports>, end: &str) -> Vec<String> {
    let reports = reports.as_mut().unwrap();
    let mut seen = Vec::new();
    while seen.last().is_none_or(|last| last != end) {
        let report = timeout(PATIENCE, reports.next()).await.unwrap().unwrap();
        let name = report.client_order_id;
        seen.push(match report.kind {
            ReportKind::Accepted => format!("accepted {name}"),
            ReportKind::Executed { qty, price, .. } => {
                format!("executed {name} {} @ {}", number(&qty), number(&price))
            }
            ReportKind::Canceled { .. } => format!("canceled {name}"),
            ReportKind::Replaced { orig_client_order_id } => {
                format!("replaced {orig_client_order_id} by {name}")
            }
            ReportKind::Rejected { reason } => format!("rejected {name} {reason}"),
            ReportKind::Refreshed { shown_qty } => format!("{name} shows {}", number(&shown_qty)),
            ReportKind::Repriced { price } => format!("{name} @ {}", number(&price)),
            ReportKind::Busted { trade_id } => format!("busted {name} #{trade_id}"),
            ReportKind::Corrected { trade_id, price } => {
                format!("corrected {name} #{trade_id} @ {}", number(&price))
            }
            ReportKind::Missed { from } => format!("missed {from} to {}", report.sequence),
        });
    }
    seen
}
