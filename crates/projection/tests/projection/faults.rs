//! Files that fail: each has its own sentence, and the venue goes on.

use std::fs;
use std::time::{Duration, Instant};

use projection::sqlite::{self, status};
use projection::{AllOrders, OrderFilter, Times};
use rusqlite::Connection;

use crate::support::*;

const ALL: AllOrders = AllOrders {
    account: ALICE,
    instrument: INSTRUMENT,
    filter: OrderFilter {
        from_id: None,
        times: Times { start_ns: None, end_ns: None },
        limit: 10_000,
    },
};

/// Until the alarm is as it should be.
fn wait_for_alarm(venue: &Venue, on: bool) {
    let begun = Instant::now();
    let line = format!("buttonwood_projection_alarm {}\n", u8::from(on));
    while !venue.metrics().contains(&line) {
        assert!(begun.elapsed() < LONG, "no {line}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_damaged_file_is_set_aside_and_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..50);
    venue.stop();
    let before = tables(dir.path());
    let file = sqlite::path(dir.path());
    fs::write(&file, "nothing like a database, but long enough to be one ".repeat(100)).unwrap();
    let sentence = status(dir.path()).unwrap_err().to_string();
    assert!(sentence.contains("history.sqlite is damaged"), "{sentence}");
    assert!(sentence.contains("projection rebuild"), "{sentence}");

    let venue = Venue::start(dir.path());
    venue.wait();
    venue.stop();
    let orders = |tables: &[(String, _)]| tables.iter().position(|(name, _)| name == "orders");
    let after = tables(dir.path());
    assert_eq!(after[orders(&after).unwrap()], before[orders(&before).unwrap()]);
    let aside = fs::read(file.with_extension("damaged")).unwrap();
    assert!(aside.starts_with(b"nothing like"));
}

#[test]
fn a_locked_file_stops_the_read_model_and_not_the_venue() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..10);
    venue.wait();
    let other = Connection::open(sqlite::path(dir.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE progress SET sequence = 0;").unwrap();
    let seen = venue.history.sequence();
    venue.trade(10..20);
    wait_for_alarm(&venue, true);
    assert_eq!(venue.history.sequence(), seen);
    // What was there is answered still.
    assert!(!venue.ask(ALL).unwrap().is_empty());
    other.execute_batch("ROLLBACK;").unwrap();
    drop(other);
    venue.wait();
    wait_for_alarm(&venue, false);
    let orders = venue.ask(ALL).unwrap();
    assert_eq!(orders.len(), 7, "every third of twenty");
    venue.stop();
}

#[test]
fn other_versions_are_made_anew_or_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..20);
    venue.stop();
    let before = tables(dir.path());
    let file = sqlite::path(dir.path());
    let set_version = |version: i32| {
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch("DELETE FROM orders;").unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
    };

    set_version(sqlite::SCHEMA_VERSION - 1);
    let sentence = status(dir.path()).unwrap_err().to_string();
    assert!(sentence.contains("which an older program wrote"), "{sentence}");
    let venue = Venue::start(dir.path());
    venue.wait();
    venue.stop();
    let orders = |tables: &[(String, Vec<Vec<rusqlite::types::Value>>)]| {
        tables.iter().find(|(name, _)| name == "orders").unwrap().1.clone()
    };
    assert_eq!(orders(&tables(dir.path())), orders(&before));

    set_version(sqlite::SCHEMA_VERSION + 1);
    let venue = Venue::start(dir.path());
    wait_for_alarm(&venue, true);
    venue.trade(20..30);
    let sentence = venue.ask(ALL).unwrap_err().to_string();
    assert!(sentence.contains("which a newer program wrote"), "{sentence}");
    venue.stop();
    assert!(orders(&tables(dir.path())).is_empty(), "nothing touched it");
}

#[test]
fn a_folder_without_one_has_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let sentence = status(dir.path()).unwrap_err().to_string();
    assert!(
        sentence.starts_with("there is no ") && sentence.contains("history.sqlite"),
        "{sentence}"
    );
}
