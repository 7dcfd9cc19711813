//! Files that fail: each has its own sentence, and the venue goes on.

use std::fs;
use std::time::{Duration, Instant};

use projection::sqlite::{self, status};
use projection::{
    AggFilter, AggTrades, AllOrders, HistoricalTrades, Klines, MyTrades, OneOrder, OrderFilter,
    Question, Standstill, Times, TradeFilter,
};
use rusqlite::Connection;
use types::{Interval, Order, OrderId, OrderRef, TimeZone, TradeId};

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
        // It stands still until the next try, a second later.
        let begun = Instant::now();
        while behind(&venue).standstill != Some(Standstill::Missing) {
            assert!(begun.elapsed() < LONG, "{what}");
        }
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

#[test]
fn what_a_read_model_lacks_stays_in_the_spool_beyond_its_limit() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start_with(small(dir.path()));
    let first = || {
        let first = venue.handle().read_views(|_, spool| spool.first_sequence()).unwrap();
        first.blocking_recv().unwrap()
    };
    venue.trade(0..10);
    venue.wait();
    let other = Connection::open(sqlite::path(dir.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE progress SET sequence = sequence;").unwrap();
    let sequence = venue.history.sequence();
    venue.trade(10..400);
    assert!(first() <= sequence + 1, "{} is kept of {sequence}", first());
    other.execute_batch("ROLLBACK;").unwrap();
    venue.wait();
    venue.trade_level(400..600);
    assert!(first() > sequence + 100, "it has all, so the limit holds again: {}", first());
    venue.stop();
}

#[test]
fn a_quiet_hour_makes_history_no_older() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..10);
    venue.wait();
    let other = Connection::open(sqlite::path(dir.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE progress SET sequence = sequence;").unwrap();
    std::thread::sleep(Duration::from_millis(2_100));
    let now_ns = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        u64::try_from(since.as_nanos()).unwrap()
    };
    assert_eq!(behind(&venue).age_s(now_ns()), None, "it has all events");
    let begun_ns = now_ns();
    venue.trade(10..11);
    wait_for_alarm(&venue, true);
    let behind = behind(&venue);
    assert!(behind.sequenced_ns < begun_ns - 2_000_000_000, "{behind:?}");
    let age_s = behind.age_s(begun_ns + 3_900_000_000);
    assert_eq!(age_s, Some(3), "that of the first event that it lacks");
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

/// What a question is about, the question, and whether its answer is final.
fn questions(venue: &Venue, up_to_ns: u64) -> Vec<(&'static str, Question, bool)> {
    const SECOND_NS: u64 = 1_000_000_000;
    let (account, instrument) = (ALICE, INSTRUMENT);
    let (start_ns, early_ns) = (Some(0), Some(up_to_ns - 2 * SECOND_NS));
    let before = Times { start_ns: None, end_ns: early_ns };
    let ever = Times { start_ns, end_ns: None };
    let orders = |from_id, times, limit| {
        let filter = OrderFilter { from_id, times, limit };
        Question::from(AllOrders { account, instrument, filter })
    };
    let known = venue.ask(ALL).unwrap();
    let id_of = |is_wanted: fn(&Order) -> bool| {
        known.iter().find(|order| is_wanted(order)).map(|order| order.order_id).unwrap()
    };
    let (open, ended) =
        (id_of(|order| order.status.is_open()), id_of(|order| !order.status.is_open()));
    let by_id = |order_id| {
        Question::from(OneOrder { account, instrument, order: OrderRef::by_id(order_id) })
    };
    let name = known.iter().find(|order| order.order_id == ended).unwrap().cl_ord_id;
    let by_name = OneOrder { account, instrument, order: OrderRef::by_cl_ord_id(name) };
    let klines = |times, limit| {
        let (interval, zone, now_ns) = (Interval::Second1, TimeZone::UTC, u64::MAX / 4);
        Question::from(Klines { instrument, interval, zone, times, limit, now_ns })
    };
    let trades = |from_id: Option<u64>, limit| {
        let from_id = from_id.map(TradeId);
        Question::from(HistoricalTrades { instrument, from_id, limit })
    };
    let agg = |from_id: Option<u64>, times, limit| {
        let filter = AggFilter { from_id: from_id.map(TradeId), times, limit };
        Question::from(AggTrades { instrument, filter })
    };
    let filter = TradeFilter { order_id: None, from_id: Some(TradeId(1)), times: ever, limit: 1 };
    vec![
        ("candles of the past", klines(before, 10), true),
        ("a page of candles", klines(ever, 1), true),
        ("candles up to now", klines(Times::default(), 10), false),
        ("a page of trades", trades(Some(1), 5), true),
        ("the last trades", trades(None, 5), false),
        ("more trades than there are", trades(Some(1), 100_000), false),
        ("aggregates of the past", agg(None, before, 5), true),
        ("a page of aggregates", agg(Some(1), Times::default(), 5), true),
        ("aggregates up to now", agg(None, Times::default(), 5), false),
        ("an ended order", by_id(ended), true),
        ("an open order", by_id(open), false),
        ("an order that is not there", by_id(OrderId(1 << 40)), false),
        ("an order by its name", by_name.into(), false),
        ("a page of ended orders", orders(Some(ended), Times::default(), 1), true),
        ("a page with an open order", orders(Some(open), Times::default(), 1), false),
        ("orders of before any", orders(None, Times { start_ns, end_ns: Some(1) }, 10), true),
        ("orders up to now", orders(None, Times::default(), 10), false),
        (
            "own trades, which may be corrected",
            MyTrades { account, instrument, filter }.into(),
            false,
        ),
    ]
}

#[test]
fn what_history_answers_while_it_stands_still_is_final() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..100);
    std::thread::sleep(Duration::from_secs(3));
    venue.trade(100..200);
    venue.wait();
    let other = Connection::open(sqlite::path(dir.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE progress SET sequence = sequence;").unwrap();
    venue.trade(200..400);
    wait_for_alarm(&venue, true);
    let behind = venue.history.reached();
    assert_eq!(behind.standstill, Some(Standstill::Locked));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let asked = questions(&venue, behind.sequenced_ns);
    let settled = |question: &Question| {
        let answer = projection::answer_settled(&*venue.history, question.clone(), behind);
        runtime.block_on(answer).unwrap()
    };
    let early: Vec<_> = asked.iter().map(|(_, question, _)| settled(question)).collect();
    other.execute_batch("ROLLBACK;").unwrap();
    venue.wait();
    for ((what, question, is_final), early) in asked.into_iter().zip(early) {
        assert_eq!(early.is_some(), is_final, "{what}: {early:?}");
        let later = runtime.block_on(venue.history.ask(question, 0)).unwrap();
        if let Some(early) = early {
            assert_eq!(format!("{early:?}"), format!("{later:?}"), "{what}");
        }
    }
    venue.stop();
}

/// The file of another version is upgraded for long: until then its age is known.
#[test]
fn a_file_that_is_being_opened_says_how_old_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..10);
    venue.wait();
    let newest_ns = venue.history.reached().sequenced_ns;
    venue.stop();
    let other = Connection::open(sqlite::path(dir.path())).unwrap();
    other.pragma_update(None, "user_version", sqlite::SCHEMA_VERSION + 1).unwrap();
    let venue = Venue::start(dir.path());
    wait_for_alarm(&venue, true);
    let reached = venue.history.reached();
    assert_eq!((reached.sequence, reached.sequenced_ns), (0, newest_ns));
    assert_eq!(reached.standstill, Some(Standstill::OtherVersion));
    let asked = HistoricalTrades { instrument: INSTRUMENT, from_id: Some(TradeId(1)), limit: 1 };
    let answer = projection::ask_settled(&*venue.history, asked, reached);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert!(runtime.block_on(answer).unwrap().is_none(), "it may be of another log");
    venue.stop();
}

/// A trimmed log cannot give back what the file may have.
#[test]
fn a_file_that_cannot_be_read_is_replaced_where_nothing_can_be_lost() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..10);
    venue.stop();
    let file = sqlite::path(dir.path());
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", sqlite::SCHEMA_VERSION + 1).unwrap();
    drop(connection);
    let none = || std::iter::empty::<Result<_, String>>();
    let refused = sqlite::rebuild(dir.path(), 2, none(), false).unwrap_err();
    let sentence = refused.to_string();
    assert!(sentence.contains("later build") && sentence.contains("say --forget"), "{sentence}");
    assert!(status(dir.path()).is_err(), "it is as it was");
    rebuild(dir.path()).unwrap();
    assert!(status(dir.path()).unwrap().progress.sequence > 10);
}

/// As when the power took the end of a log that is not synced: only the file has it.
#[test]
fn a_file_of_another_log_is_kept_beside_the_new_one() {
    let [long, short] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for (dir, orders) in [(&long, 0..40), (&short, 0..10)] {
        let venue = Venue::start(dir.path());
        venue.trade(orders);
        venue.stop();
    }
    let (known, file) = (tables(short.path()), sqlite::path(short.path()));
    fs::copy(sqlite::path(long.path()), &file).unwrap();
    let venue = Venue::start(short.path());
    venue.wait();
    venue.stop();
    let rows = |tables: &[(String, Vec<Vec<rusqlite::types::Value>>)], name: &str| {
        tables.iter().find(|(known, _)| known == name).unwrap().1.clone()
    };
    let present = tables(short.path());
    assert_eq!(rows(&present, "orders"), rows(&known, "orders"));
    let kept = file.with_extension("other");
    let other = Connection::open(&kept).unwrap();
    let count: u32 = other.query_row("SELECT count(*) FROM orders", [], |row| row.get(0)).unwrap();
    assert_eq!(count as usize, rows(&tables(long.path()), "orders").len());
}
