//! Orders by OUCH over SoupBinTCP, as a client on a socket sees them.

mod lines;
mod missed;
mod trader;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use protocol::soup::SessionName;

use crate::ouch::trader::{Found, House};
use crate::process::{run_json, text};

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn orders_trade_and_change_with_a_report_each() {
    let house = House::new();
    let (mut alice, mut bob) = (house.log_on(0, 1), house.log_on(1, 1));
    alice.check("", &["day S"]);
    bob.check("", &["day S"]);
    alice.check(
        "enter 1 B 100 @ 50000 mine
         enter 2 B 200 @ 49000",
        &["accepted 1 B 100 BTCUSDT @ 50000 mine", "accepted 2 B 200 BTCUSDT @ 49000"],
    );
    bob.check(
        "enter 1 S 150 @ 49500",
        &["accepted 1 S 150 BTCUSDT @ 49500", "executed 1 100 @ 50000 R #1"],
    );
    alice.check("", &["executed 1 100 @ 50000 A #1"]);
    alice.check(
        "replace 2 as 3 300 @ 49500",
        &["replaced 2 by 3 300 @ 49500", "executed 3 50 @ 49500 R #2"],
    );
    bob.check("", &["executed 1 50 @ 49500 A #2"]);
    alice.check(
        "cancel 3 to 200
         modify 3 B 150
         cancel 3
         cancel 3
         cancel 77",
        &["canceled 3 100 U", "modified 3 100", "canceled 3 100 U"],
    );
    alice.check(
        "enter 4 B 100 @ 48000
         enter 9 S 100 @ 60000
         mass-cancel 10",
        &[
            "accepted 4 B 100 BTCUSDT @ 48000",
            "accepted 9 S 100 BTCUSDT @ 60000",
            "mass canceled 10",
            "canceled 4 100 U",
            "canceled 9 100 U",
        ],
    );
    alice.check("query", &["next 11"]);
}

#[test]
fn refusals_have_their_place_in_the_sequence_and_repeats_have_none() {
    let house = House::new();
    let mut alice = house.log_on(0, 1);
    alice.check("", &["day S"]);
    alice.check(
        "enter 1 B 100 @ 50000
         enter 1 B 100 @ 50000
         enter 5 B 100 @ 50001
         enter 3 B 100 @ 50000
         enter 6 Q 100 @ 50000
         enter 7 B 0 @ 50000
         enter 8 B 100 @ 50000 NOPE:x
         replace 77 as 9 100 @ 50000
         query",
        &[
            "accepted 1 B 100 BTCUSDT @ 50000",
            "accepted 5 B 100 BTCUSDT @ 50001",
            "rejected 3 15",
            "rejected 6 9",
            "rejected 7 19",
            "rejected 8 23 x",
            "rejected 9 21",
            "next 10",
        ],
    );
}

#[test]
fn a_log_on_gets_what_it_missed_also_after_a_kill_and_a_restart() {
    let mut house = House::new();
    let (mut alice, mut bob) = (house.log_on(0, 1), house.log_on(1, 1));
    let mut seen = alice.read(1);
    bob.read(1);
    for number in 1..=300 {
        alice.send(&format!("enter {number} B 100 @ {}", 40_000 + number));
    }
    seen.extend(alice.read(300));
    drop(alice);
    bob.check(
        "enter 1 S 100 @ 40300",
        &["accepted 1 S 100 BTCUSDT @ 40300", "executed 1 100 @ 40300 R #1"],
    );
    let mut alice = house.log_on(0, 302);
    seen.extend(alice.read(1));
    assert_eq!(seen.last().unwrap(), "executed 300 100 @ 40300 A #1");
    for again in [House::kill, House::stop, House::kill] {
        again(&mut house);
        for from in [1, 2, 65, 300, seen.len()] {
            let mut alice = house.log_on(0, from as u64);
            let missed = alice.read(seen.len() + 1 - from);
            assert!(missed == seen[from - 1..], "from {from}");
        }
        // A repeat has no report, and the session goes on without a gap.
        let mut alice = house.log_on(0, seen.len() as u64 + 1);
        alice.send("enter 300 B 100 @ 40300");
        alice.check("query", &["next 301"]);
        seen.push("next 301".to_owned());
    }
}

#[test]
fn the_latest_log_on_wins_and_a_revoked_login_ends_at_once() {
    let house = House::new();
    let mut first = house.log_on(0, 1);
    first.check("enter 1 B 100 @ 50000", &["day S", "accepted 1 B 100 BTCUSDT @ 50000"]);
    let mut second = house.log_on(0, 3);
    assert_eq!(first.end(), "end of session");
    second.check("enter 2 B 100 @ 50000", &["accepted 2 B 100 BTCUSDT @ 50000"]);
    run_json(&["admin", "--data", text(house.data()), "login", "revoke", "ouch1"]);
    assert_eq!(second.end(), "end of session");
    assert_eq!(house.refused("ouch1", &house.password(0), None, 1), "rejected NotAuthorized");
    // Its orders stand, and the account may cancel them by another way.
    let mut other = house.log_on(1, 1);
    other.check(
        "enter 1 S 100 @ 50000",
        &["day S", "accepted 1 S 100 BTCUSDT @ 50000", "executed 1 100 @ 50000 R #1"],
    );
}

#[test]
fn a_numbering_day_is_a_session_of_its_own() {
    let mut house = House::new();
    let mut alice = house.log_on(0, 1);
    alice.check("enter 7 B 100 @ 50000", &["day S", "accepted 7 B 100 BTCUSDT @ 50000"]);
    let begun = run_json(&["admin", "--data", text(house.data()), "numbering-day"]);
    assert_eq!(begun["numbering_day"], 2);
    assert_eq!((alice.read(1), alice.end()), (vec!["day E".to_owned()], "end of session".into()));
    let of_yesterday = Some(SessionName::numbered(1));
    let refused = house.refused("ouch1", &house.password(0), of_yesterday, 3);
    assert_eq!(refused, "rejected SessionNotAvailable");
    let today = ["day S", "accepted 1 B 100 BTCUSDT @ 49000", "canceled 1 100 U"];
    house.log_on(0, 1).check(
        "enter 1 B 100 @ 49000
         cancel 1",
        &today,
    );
    house.kill();
    let mut alice = house.log_on(0, 1);
    alice.check("query", &[&today[..], &["next 2"]].concat());
    // Yesterday's order stands.
    let mut bob = house.log_on(1, 1);
    bob.check(
        "enter 1 S 100 @ 50000",
        &["day S", "accepted 1 S 100 BTCUSDT @ 50000", "executed 1 100 @ 50000 R #1"],
    );
}

#[test]
fn orders_end_with_the_session_if_the_client_asks_for_it() {
    let house = House::new();
    let mut alice = house.log_on(0, 1);
    alice.check("enter 1 B 100 @ 50000", &["day S", "accepted 1 B 100 BTCUSDT @ 50000"]);
    alice.check("query cancel-on-disconnect", &["next 2"]);
    alice.check("enter 2 B 100 @ 50000", &["accepted 2 B 100 BTCUSDT @ 50000"]);
    drop(alice);
    house.log_on(0, 5).check("", &["canceled 2 100 Z"]);
}

#[test]
fn another_setting_for_the_end_of_a_session_loses_no_report() {
    let house = House::new();
    let mut alice = house.log_on(0, 1);
    alice.check("query keep-on-disconnect", &["day S", "next 1"]);
    alice.check("query cancel-on-disconnect", &["next 1"]);
    alice.check("enter 1 B 100 @ 50000", &["accepted 1 B 100 BTCUSDT @ 50000"]);
    // The setting that it has changes nothing; another one ends the order.
    alice.check("query cancel-on-disconnect", &["next 2"]);
    alice.check("cancel 1 to 50", &["canceled 1 50 U"]);
    alice.check("query keep-on-disconnect", &["next 2", "canceled 1 50 Z"]);
    alice.check("enter 2 B 100 @ 50000", &["accepted 2 B 100 BTCUSDT @ 50000"]);
    drop(alice);
    house.log_on(0, 9).check("cancel 2", &["accepted 2 B 100 BTCUSDT @ 50000", "canceled 2 100 U"]);
}

#[test]
fn orders_end_with_a_session_that_the_day_ends() {
    let house = House::new();
    let mut alice = house.log_on(0, 1);
    alice.check("query cancel-on-disconnect", &["day S", "next 1"]);
    alice.check("enter 1 B 100 @ 50000", &["accepted 1 B 100 BTCUSDT @ 50000"]);
    run_json(&["admin", "--data", text(house.data()), "numbering-day"]);
    assert_eq!((alice.read(1), alice.end()), (vec!["day E".to_owned()], "end of session".into()));
    // The connection has ended before its orders do.
    std::thread::sleep(Duration::from_secs(1));
    let mut bob = house.log_on(1, 1);
    bob.check("", &["day S"]);
    bob.check(
        "enter 1 S 100 @ 50000
         query",
        &["accepted 1 S 100 BTCUSDT @ 50000", "next 2"],
    );
}

#[test]
fn a_number_zero_is_no_number() {
    let house = House::new();
    let mut alice = house.log_on(0, 1);
    alice.check(
        "enter 0 B 100 @ 50000
         enter 1 B 100 @ 49000
         replace 1 as 0 200 @ 49000
         mass-cancel 0
         query",
        &["day S", "accepted 1 B 100 BTCUSDT @ 49000", "next 2"],
    );
}

#[test]
fn what_the_venue_and_its_operators_change_is_reported() {
    let mut house = House::new();
    let (mut alice, mut bob) = (house.log_on(0, 1), house.log_on(1, 1));
    bob.check("", &["day S"]);
    let mut seen = alice.read(1);
    alice.send("enter 1 S 500 @ 50000 shows 200");
    seen.extend(alice.read(1));
    bob.check(
        "enter 1 B 200 @ 50000
         enter 2 B 100 @ 49000 mine",
        &[
            "accepted 1 B 200 BTCUSDT @ 50000",
            "executed 1 200 @ 50000 R #1",
            "accepted 2 B 100 BTCUSDT @ 49000 mine",
        ],
    );
    seen.extend(alice.read(2));
    assert_eq!(seen[2..], ["executed 1 200 @ 50000 A #1", "restated 1 R 200"]);
    // A quantity that is not lower is no modification.
    alice.send("modify 1 S 499");
    alice.send("modify 1 S 499");
    seen.extend(alice.read(2));
    assert_eq!(seen[4..], ["modified 1 299", "cancel rejected 1"]);
    alice.send("enter 2 S 100 @ 49000");
    seen.extend(alice.read(2));
    bob.check("", &["executed 2 100 @ 49000 A #2"]);

    let admin = |words: &[&str]| {
        run_json(&[&["admin", "--data", text(house.data())], words].concat());
    };
    admin(&["correct", "BTCUSDT", "2", "bob", "alice", "49100"]);
    bob.check("", &["restated 2 T #2 @ 49100 mine"]);
    admin(&["bust", "BTCUSDT", "1", "bob", "alice"]);
    bob.check("", &["broken 1 #1 S"]);
    seen.extend(alice.read(2));
    assert_eq!(seen[8..], ["restated 2 T #2 @ 49100", "broken 1 #1 S"]);

    house.kill();
    for from in 1..=seen.len() {
        let mut alice = house.log_on(0, from as u64);
        assert_eq!(alice.read(seen.len() + 1 - from), seen[from - 1..], "from {from}");
    }
}

#[test]
fn bad_input_is_answered_and_no_other_client_notices() {
    let house = House::new();
    let mut bob = house.log_on(1, 1);
    bob.check("", &["day S"]);
    let (user, password) = ("ouch1", house.password(0));
    assert_eq!(house.refused(user, "wrong-pass", None, 1), "rejected NotAuthorized");
    assert_eq!(house.refused("nobody", &password, None, 1), "rejected NotAuthorized");
    assert_eq!(house.refused(user, &password, None, 2), "rejected SessionNotAvailable");
    let other = SessionName::new("OTHER");
    assert_eq!(house.refused(user, &password, other, 1), "rejected SessionNotAvailable");
    // Letters in any case.
    assert_eq!(
        house.refused(&user.to_uppercase(), &password.to_uppercase(), other, 1),
        "rejected SessionNotAvailable"
    );

    let mut alice = house.log_on(0, 1);
    alice.check("", &["day S"]);
    for message in [&b"?"[..], b"", b"O", b"Xabc", b"O\0\0\0\x01B"] {
        alice.send_message(message);
    }
    alice.check("enter 1 B 100 @ 50000", &["accepted 1 B 100 BTCUSDT @ 50000"]);
    for packet in [&b"\0\0"[..], b"\x10\x00U", b"\0\x01?", b"\0\x02Rx"] {
        let mut alice = house.log_on(0, 3);
        alice.stream.write_all(packet).unwrap();
        assert_eq!(alice.end(), "closed");
    }
    // Half a packet is waited for.
    let mut alice = house.log_on(0, 3);
    alice.stream.write_all(b"\0\x0AUX").unwrap();
    std::thread::sleep(Duration::from_millis(20));
    alice.stream.write_all(b"\0\0\0\x01\0\0\0\0").unwrap();
    alice.check("", &["canceled 1 100 U"]);
    bob.check("enter 1 S 100 @ 50000", &["accepted 1 S 100 BTCUSDT @ 50000"]);
}

#[test]
fn log_ons_at_once_are_let_in_and_failed_ones_slow_the_next() {
    let mut house = House::new();
    let passwords = [house.password(0), house.password(1)];
    let connect = |house: &House, at: usize| {
        house.connect(["ouch1", "ouch2"][at % 2], &passwords[at % 2], None, 1)
    };
    // A venue that has started knows none of them.
    for _ in 0..2 {
        let traders: Vec<_> = (0..24).map(|at| connect(&house, at)).collect();
        for mut trader in traders {
            let found = trader.next();
            assert!(matches!(found, Found::Accepted(1)), "{found:?}");
        }
        house.kill();
    }
    // Five are judged; on a slow machine one after the wait, too.
    let answers: Vec<_> = (0..20).map(|_| house.refused("ouch1", "wrong-pass", None, 1)).collect();
    assert_eq!(answers[..5], ["rejected NotAuthorized"; 5]);
    // No rejection, after which a client would not come again.
    assert!(answers.iter().any(|answer| answer == "closed"), "{answers:?}");
    let begun = Instant::now();
    while !matches!(connect(&house, 1).next(), Found::Accepted(1)) {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_client_that_does_not_read_is_cut_and_finds_all_it_missed() {
    let house = House::new();
    let mut idle = house.log_on(0, 1);
    idle.read(1);
    let mut bob = house.log_on(1, 1);
    bob.read(1);
    idle.send("enter 1 B 60000 @ 40000");
    idle.read(1);
    // Many small trades for a client that does not read.
    for number in 1..=20_000 {
        bob.send(&format!("enter {number} S 3 @ 40000"));
        if number % 1_000 == 0 {
            bob.read(2_000);
        }
    }
    let mut alice = house.log_on(0, 3);
    let missed = alice.read(20_000);
    assert_eq!(missed[0], "executed 1 3 @ 40000 A #1");
    assert_eq!(missed[19_999], "executed 1 3 @ 40000 A #20000");
}

#[test]
fn a_client_that_sends_without_a_pause_gets_heartbeats() {
    let house = House::new();
    let mut alice = house.log_on(0, 1);
    alice.read(1);
    let mut sender = alice.stream.try_clone().unwrap();
    let sends = std::thread::spawn(move || {
        let texts = [b"\x01\0+", &[b'x'; 255][..]].concat().repeat(1_000);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(3) {
            sender.write_all(&texts).unwrap();
        }
    });
    let mut heartbeats = 0;
    while !sends.is_finished() {
        let mut bytes = [0; 64];
        if let Ok(len) = alice.stream.read(&mut bytes) {
            heartbeats += bytes[..len].iter().filter(|byte| **byte == b'H').count();
        }
    }
    sends.join().unwrap();
    assert!(heartbeats >= 2, "{heartbeats} in 3 s");
}

#[test]
fn long_symbols_fine_prices_and_accounts_are_in_appendages() {
    let house = House::new();
    let mut alice = house.log_on(0, 1);
    alice.check("", &["day S"]);
    alice.check(
        "enter 1 B 1000 ticks 5000 ETHBTC:x
         enter 2 B 1000 @ 1 ETHBTC:x
         enter 3 B 100 @ 50000 account 1
         enter 4 B 100 @ 50000 account 2
         enter 5 B 100 ticks 5000000 long BTCUSDT",
        &[
            "accepted 1 B 1000 ETHBTC ticks 5000 x",
            "rejected 2 29 x",
            "accepted 3 B 100 BTCUSDT @ 50000",
            "rejected 4 12",
            "accepted 5 B 100 BTCUSDT @ 50000",
        ],
    );
}
