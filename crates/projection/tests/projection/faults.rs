//! Files that fail: each has its own sentence, and the venue goes on.

use std::fs;
use std::time::{Duration, Instant};

use projection::sqlite::{self, status};
use projection::{AllOrders, OrderFilter, Standstill, Times};
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
    assert!(sentence.contains("made by a later build"), "{sentence}");
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

/// Waits for a command that does not come, as a query of the past waits.
fn behind(venue: &Venue) -> projection::Behind {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let deadline = tokio::time::Instant::now() + Duration::from_millis(1);
        venue.history.wait_until(u64::MAX, deadline).await.unwrap_err()
    })
}

#[test]
fn a_file_that_is_removed_while_the_venue_runs_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..50);
    venue.wait();
    let before = venue.ask(ALL).unwrap();
    for what in ["the file", "the folder", "another file in its place"] {
        let file = sqlite::path(dir.path());
        match what {
            "the file" => fs::remove_file(&file).unwrap(),
            "the folder" => fs::remove_dir_all(file.parent().unwrap()).unwrap(),
            _ => {
                fs::copy(&file, file.with_extension("copy")).unwrap();
                fs::rename(file.with_extension("copy"), &file).unwrap();
            }
        }
        wait_for_alarm(&venue, true);
        assert_eq!(behind(&venue).standstill, Some(Standstill::Missing), "{what}");
        wait_for_alarm(&venue, false);
        venue.wait();
        assert_eq!(venue.ask(ALL).unwrap(), before, "{what}");
        assert_eq!(behind(&venue).standstill, None, "{what}");
    }
    venue.trade(50..60);
    venue.wait();
    assert!(venue.ask(ALL).unwrap().len() > before.len());
    venue.stop();
}

#[test]
fn readers_learn_what_keeps_history_and_how_old_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..10);
    venue.wait();
    let other = Connection::open(sqlite::path(dir.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE progress SET sequence = sequence;").unwrap();
    let sequence = venue.history.sequence();
    venue.trade(10..20);
    wait_for_alarm(&venue, true);
    let behind = behind(&venue);
    assert_eq!((behind.sequence, behind.standstill), (sequence, Some(Standstill::Locked)));
    assert!(behind.sequenced_ns > 0);
    assert_eq!(Standstill::Locked.to_string(), "another program locks its file");
    other.execute_batch("ROLLBACK;").unwrap();
    venue.wait();
    venue.stop();
}

/// As a build before the first release has left it: of this version, with other tables.
#[test]
fn a_file_with_the_tables_of_a_development_build_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..50);
    venue.wait();
    let before = venue.ask(ALL).unwrap();
    venue.stop();
    let file = Connection::open(sqlite::path(dir.path())).unwrap();
    file.execute_batch("ALTER TABLE trades DROP COLUMN corrected_ns; DROP TABLE transfers")
        .unwrap();
    drop(file);
    let sentence = status(dir.path()).unwrap_err().to_string();
    assert!(sentence.contains("which an older program wrote"), "{sentence}");
    let venue = Venue::start(dir.path());
    venue.wait();
    assert_eq!(venue.ask(ALL).unwrap(), before);
    venue.stop();
}
