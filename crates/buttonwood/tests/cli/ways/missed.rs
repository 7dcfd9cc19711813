//! A client whose reports the venue does not keep any more.

use std::time::Duration;

use client::{Error, Login, NewOrder, Origin, ReportKind, Reports, Side, UdpLogin, Venue};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::ways::house::House;
use crate::ways::{PATIENCE, SYMBOL, buy, ioc, names, story};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_was_away_for_too_long_trades_on_and_says_what_is_missing() {
    let house = House::with(&["--spool-max-mib", "32", "--ouch-udp", "127.0.0.1:0"]);
    let (alice, relay, mut reports) = house.through_a_relay(Origin::Ouch, "alice").await;
    for (name, price) in [("sold", "40000"), ("open", "39000")] {
        alice.enter(&buy("0.001", price).client_order_id(name)).await.unwrap();
    }
    let seen = story(&mut reports, "accepted open").await;
    assert_eq!(seen, ["accepted sold", "accepted open"]);
    relay.swallow_answers();
    let third = buy("0.001", "38000");
    let (unknown, ()) = tokio::join!(alice.enter(&third), async {
        while house.open("alice").await.len() < 3 {
            sleep(Duration::from_millis(10)).await;
        }
        relay.shut();
        let bob = house.rest("bob");
        bob.enter(&NewOrder::market(SYMBOL, Side::Sell, "0.001")).await.unwrap();
        fill_the_spool(&house).await;
        relay.open();
    });
    let error = unknown.unwrap_err();
    assert!(matches!(error, Error::Transport(_)), "{error}");
    let mine = buy("0.001", "37000").client_order_id("after");
    assert_eq!(alice.enter(&mine).await.unwrap().client_order_id, "after");
    // Four were read: of the day, the next number and two orders. Then came an acceptance and a
    // fill.
    assert_eq!(story(&mut reports, "accepted after").await, ["missed 5 to 6", "accepted after"]);
    assert_eq!(names(&alice).await, ["after"], "what became of the others is not known");
    assert_eq!(house.open("alice").await.len(), 3);
    drop((alice, reports));

    // From the numbers of a program that starts again.
    let at = || house.venue.ouch.clone().unwrap();
    for (from, expected) in [
        (1, &["missed 1 to 8", "accepted again"][..]),
        (3, &["missed 3 to 11", "accepted again"]),
        (0, &["accepted again"]),
        (17, &["canceled #7", "accepted again"]),
    ] {
        let login = house.login("alice", at()).from_sequence(from);
        begin_again(Venue::ouch(&house.client("alice", &house.venue.url), login).await, expected)
            .await;
    }
    for (from, expected) in [
        (1, &["missed 1 to 20", "accepted again"][..]),
        (23, &["canceled #9", "accepted again"]),
        // It is of another day: all of this one is wanted.
        (1_000, &["missed 1 to 26", "accepted again"]),
    ] {
        let client = house.client("alice", &house.venue.url);
        let opened = Venue::ouch_udp(&client, by_udp(&house, from)).await;
        begin_again(opened, expected).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_was_away_for_too_long_gets_new_reports_and_learns_which_are_missing() {
    let house = House::with(&["--spool-max-mib", "32"]);
    house.rest("alice").enter(&buy("0.001", "40000").client_order_id("sold")).await.unwrap();
    let mut clients = Vec::new();
    for way in [Origin::WebSocket, Origin::Grpc] {
        let (alice, relay, mut reports) = house.through_a_relay(way, "alice").await;
        let mine = format!("by{way:?}");
        alice.enter(&buy("0.001", "39000").client_order_id(&mine)).await.unwrap();
        story(&mut reports, &format!("accepted {mine}")).await;
        clients.push((alice, relay, reports));
    }
    let last = loop {
        let report = clients[0].2.as_mut().unwrap().next().await.unwrap();
        if report.client_order_id == "byGrpc" {
            break report.sequence;
        }
    };
    clients.iter().for_each(|(_, relay, _)| relay.shut());
    house.rest("bob").enter(&NewOrder::market(SYMBOL, Side::Sell, "0.001")).await.unwrap();
    fill_the_spool(&house).await;
    for (alice, relay, reports) in &mut clients {
        relay.open();
        let report = timeout(PATIENCE, reports.as_mut().unwrap().next()).await.unwrap().unwrap();
        assert_eq!(report.kind, ReportKind::Missed { from: last + 1 });
        assert!(report.sequence > last, "{report:?}");
        alice.enter(&buy("0.001", "37000").client_order_id("after")).await.unwrap();
        assert_eq!(story(reports, "accepted after").await, ["accepted after"]);
        alice.cancel(SYMBOL, "after").await.unwrap();
        assert_eq!(story(reports, "canceled after").await, ["canceled after"]);
    }
}

/// Its events begin with the subscription, not with the first one that arrives.
#[tokio::test(flavor = "multi_thread")]
async fn a_fill_while_the_first_connection_is_broken_is_reported() {
    for way in [Origin::WebSocket, Origin::Grpc] {
        let house = House::new();
        house.rest("alice").enter(&buy("0.001", "40000").client_order_id("sold")).await.unwrap();
        let (alice, relay, mut reports) = house.through_a_relay_from(way, "alice", None).await;
        // The subscription is asked for before these, and answered before them.
        assert_eq!(names(&alice).await, ["sold"]);
        relay.shut();
        house.rest("bob").enter(&NewOrder::market(SYMBOL, Side::Sell, "0.001")).await.unwrap();
        relay.open();
        let seen = story(&mut reports, "executed sold 0.001 @ 40000").await;
        assert_eq!(seen.len(), 1, "{seen:?}");
    }
}

/// Opens a session, enters an order, and cancels it.
async fn begin_again(opened: Result<(Venue, Reports), Error>, expected: &[&str]) {
    let (alice, reports) = opened.unwrap();
    let mut reports = Some(reports);
    alice.enter(&buy("0.001", "36000").client_order_id("again")).await.unwrap();
    assert_eq!(story(&mut reports, "accepted again").await, expected);
    alice.cancel(SYMBOL, "again").await.unwrap();
}

fn by_udp(house: &House, from_sequence: u64) -> UdpLogin {
    let account = house.account("alice");
    let text = |name: &str| account["login"][name].as_str().unwrap().to_owned();
    UdpLogin {
        address: house.venue.listening["ouch-udp"].clone(),
        user: text("user"),
        key: text("udp_key"),
        from_sequence,
        read_from: 1,
        fallbacks: Vec::<Login>::new(),
    }
}

/// Enters orders until no event of now is kept.
async fn fill_the_spool(house: &House) {
    let spool = house.dir.path().join("spool");
    let segments = || {
        let files = std::fs::read_dir(&spool).unwrap().map(|file| file.unwrap().path());
        files.filter(|file| file.extension().is_some_and(|ending| ending == "spool"))
    };
    let newest = segments().max().unwrap();
    let (bob, _) = house.direct(Origin::Ouch, "bob").await;
    while newest.exists() {
        let mut orders = JoinSet::new();
        for _ in 0..2_000 {
            let bob = bob.clone();
            orders.spawn(async move { bob.enter(&ioc("0.001", "20000")).await });
        }
        while let Some(entered) = orders.join_next().await {
            entered.unwrap().unwrap();
        }
    }
}
