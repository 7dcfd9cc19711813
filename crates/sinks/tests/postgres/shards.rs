//! A history in several databases: the rows of each, growth, and what happens in between.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use projection::{Backend, HistoryRetention, Page, ProjectionError, Standstill, Store, Wanted};
use sinks::postgres::{Address, PostgresStore};
use spool::Applied;

use crate::commands::events;
use crate::faults::{Sql, rows};
use crate::support::{addresses, backend, several};

/// Tables with rows of accounts, which are in one database each.
const BY_ACCOUNT: [&str; 8] = [
    "amendments",
    "balance_changes",
    "fills",
    "open_orders",
    "order_lists",
    "orders",
    "transfers",
    "withdrawal_approvals",
];
/// With both accounts of a match.
const BY_ACCOUNTS: &str = "prevented_matches";
const OF_THE_FIRST: [&str; 3] = ["audit", "candles", "trades"];
/// What a database knows of itself.
const STATE: [&str; 3] = ["buckets", "moves", "shards"];

const MOVED_WITHIN: Duration = Duration::from_secs(60);

/// The rows of several databases together are those of one.
fn check_rows(several: &[Address], one: &Address) {
    let alone = rows(one);
    let parts: Vec<_> = several.iter().map(rows).collect();
    for (at, (table, expected)) in alone.iter().enumerate() {
        let name = table.as_str();
        let of = |part: &Vec<(String, String)>| lines(&part[at].1);
        let mut found: Vec<String> = parts.iter().flat_map(of).collect();
        found.sort_unstable();
        if BY_ACCOUNTS == name {
            found.dedup();
        }
        let mut expected = lines(expected);
        expected.sort_unstable();
        if STATE.contains(&name) {
            continue;
        } else if BY_ACCOUNT.contains(&name) || BY_ACCOUNTS == name {
            assert_eq!(found, expected, "{name}");
        } else if OF_THE_FIRST.contains(&name) {
            assert_eq!(found, expected, "{name}");
            assert!(parts[1..].iter().all(|part| part[at].1.is_empty()), "{name}");
        } else {
            let all: BTreeSet<String> = found.into_iter().collect();
            assert_eq!(all.into_iter().collect::<Vec<_>>(), expected, "{name}");
        }
    }
}

fn lines(rows: &str) -> Vec<String> {
    rows.lines().map(str::to_owned).collect()
}

/// Which of the databases have orders: those of the accounts 1 and 2.
fn with_orders(several: &[Address]) -> Vec<usize> {
    let count = |at: &usize| Sql::open(&several[*at]).rows("SELECT count(*)::text FROM orders");
    (0..several.len()).filter(|at| count(at) != ["0"]).collect()
}

fn fill_one(applied: &[Applied]) -> Address {
    let one = addresses(1).remove(0);
    backend(&one).open().unwrap().add(applied).unwrap();
    one
}

/// Pages as the feed takes them, until all of `applied` is in and nothing moves any longer.
fn feed(store: &mut PostgresStore, applied: &[Applied]) -> Result<(), ProjectionError> {
    let begun = Instant::now();
    let last = applied.last().unwrap().sequence;
    loop {
        store.check_in_place()?;
        let wanted = store.wants();
        let mut page = <PostgresStore as Store>::Page::after(wanted.after);
        let until = wanted.until.unwrap_or(last).min(wanted.after.sequence + 7);
        let next = wanted.after.sequence as usize;
        applied[next..until as usize].iter().for_each(|applied| page.apply(applied));
        if !page.is_empty() {
            store.write(&page)?;
        } else if !store.is_moving() {
            return Ok(());
        } else {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(begun.elapsed() < MOVED_WITHIN, "{store:?}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn each_row_of_an_account_is_in_one_database() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 21, 500);
    let three = addresses(3);
    feed(&mut several(&three).open().unwrap(), &applied).unwrap();
    check_rows(&three, &fill_one(&applied));
    assert_eq!(with_orders(&three), [1, 2]);
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn a_history_grows_from_one_to_three_to_six_while_it_is_fed() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 22, 900);
    let six = addresses(6);
    feed(&mut backend(&six[0]).open().unwrap(), &applied[..200]).unwrap();
    feed(&mut several(&six[..3]).open().unwrap(), &applied[..500]).unwrap();
    check_rows(&six[..3], &fill_one(&applied[..500]));
    assert_eq!(with_orders(&six[..3]), [0, 2], "one of the two accounts has moved");
    let mut store = several(&six).open().unwrap();
    feed(&mut store, &applied).unwrap();
    drop(store);
    check_rows(&six, &fill_one(&applied));
    assert_eq!(with_orders(&six), [3, 5], "both have");
    let shards = Sql::open(&six[0]).rows("SELECT DISTINCT shard::text FROM buckets ORDER BY 1");
    assert_eq!(shards, ["0", "1", "2", "3", "4", "5"]);
}

/// The process ends at each step of a move: what was copied begins anew, what has moved stays.
#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn a_move_that_is_broken_off_anywhere_begins_anew() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 23, 400);
    let two = addresses(2);
    feed(&mut backend(&two[0]).open().unwrap(), &applied[..150]).unwrap();
    for steps in 0..40 {
        let mut store = several(&two).open().unwrap();
        for _ in 0..steps {
            step(&mut store, &applied, 300);
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    feed(&mut several(&two).open().unwrap(), &applied).unwrap();
    check_rows(&two, &fill_one(&applied));
}

/// Takes one step, with a page of the feed up to `limit` or of arriving rows.
fn step(store: &mut PostgresStore, applied: &[Applied], limit: usize) {
    store.check_in_place().unwrap();
    let wanted = store.wants();
    add_page(store, applied, wanted, limit);
}

fn add_page(store: &mut PostgresStore, applied: &[Applied], wanted: Wanted, limit: usize) {
    let mut page = <PostgresStore as Store>::Page::after(wanted.after);
    let next = wanted.after.sequence as usize;
    let until = wanted.until.map_or(next + 1, |until| until as usize).min(limit);
    applied[next..until.max(next)].iter().for_each(|applied| page.apply(applied));
    if !page.is_empty() {
        store.write(&page).unwrap();
    }
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn rows_whose_later_events_are_gone_are_copied_again() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 27, 400);
    let two = addresses(2);
    feed(&mut backend(&two[0]).open().unwrap(), &applied[..100]).unwrap();
    let mut store = several(&two).open().unwrap();
    let begun = Instant::now();
    loop {
        store.check_in_place().unwrap();
        let wanted = store.wants();
        if wanted.after.sequence < store.progress().sequence {
            break;
        }
        assert!(begun.elapsed() < MOVED_WITHIN, "nothing arrives: {store:?}");
        add_page(&mut store, &applied, wanted, 390);
        std::thread::sleep(Duration::from_millis(1));
    }
    store.begin_again();
    feed(&mut store, &applied).unwrap();
    drop(store);
    check_rows(&two, &fill_one(&applied));
    assert_eq!(with_orders(&two), [0, 1]);
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn a_database_that_is_behind_has_its_pages_first() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 24, 300);
    let three = addresses(3);
    feed(&mut several(&three).open().unwrap(), &applied[..100]).unwrap();
    // The second one cannot be written to: the others have more by then.
    let mut store = several(&three).open().unwrap();
    Sql::open(&three[1]).run("ALTER TABLE progress RENAME TO gone");
    let error = store.add(&applied[100..200]).unwrap_err();
    assert_eq!(error.standstill(), Standstill::OtherVersion, "{error}");
    Sql::open(&three[1]).run("ALTER TABLE gone RENAME TO progress");
    let mut store = several(&three).open().unwrap();
    let positions: Vec<u64> = store.positions().iter().map(|it| it.sequence).collect();
    assert_eq!(positions, [200, 100, 200]);
    assert_eq!((store.progress().sequence, store.until()), (100, Some(200)));
    feed(&mut store, &applied).unwrap();
    check_rows(&three, &fill_one(&applied));
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn databases_that_do_not_belong_together_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 25, 60);
    let (three, others) = (addresses(3), addresses(2));
    feed(&mut several(&three).open().unwrap(), &applied).unwrap();
    feed(&mut several(&others).open().unwrap(), &applied).unwrap();
    let alone = fill_one(&applied);
    let [a, b, c] = &three[..] else { unreachable!() };
    for (named, reason) in [
        (vec![a, b], "a history that lies in 3 databases: name all of them"),
        (vec![a], "a history that lies in 3 databases: name all of them"),
        (vec![b, a, c], "is database 2 of this history and is named as number 1"),
        (vec![a, &others[1], c], "belongs to the databases of another history"),
        (vec![a, b, c, &alone], "holds a history of its own, or one from before"),
    ] {
        let before: Vec<_> = named.iter().map(|it| rows(it)).collect();
        let named: Vec<Address> = named.into_iter().cloned().collect();
        let error = several(&named).open().unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(error.standstill(), Standstill::OtherVenue);
        assert_eq!(named.iter().map(rows).collect::<Vec<_>>(), before);
    }
    several(&three).open().unwrap();
}

/// An extension that distributes tables by account takes no other unique key.
#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn a_unique_key_of_rows_of_an_account_has_the_account() {
    let one = addresses(1).remove(0);
    drop(backend(&one).open().unwrap());
    let with = |more: &str| {
        let select = format!(
            "SELECT DISTINCT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account' \
             WHERE c.relnamespace = current_schema()::regnamespace AND i.indisunique {more} \
             ORDER BY 1"
        );
        Sql::open(&one).rows(&select)
    };
    let lacking = with("AND NOT a.attnum = ANY (i.indkey)");
    assert_eq!(lacking, ["audit"], "its account is the one that a command was for");
    let keyed: Vec<String> = with("").into_iter().filter(|table| table != "audit").collect();
    assert_eq!(keyed, BY_ACCOUNT);
}

/// A backup of one database, as rows of all tables, that is brought back later.
fn restore(address: &Address, backup: &Address) {
    let mut sql = Sql::open(address);
    // The tables of later partitions stay.
    for (table, _) in rows(address).into_iter().filter(|(table, _)| table != "partitions") {
        let from = format!("{}.{table}", backup.schema());
        sql.run(&format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM {from}"));
    }
}

fn back_up(address: &Address) -> Address {
    let copied = addresses(1).remove(0);
    drop(backend(&copied).open().unwrap());
    let mut sql = Sql::open(&copied);
    for from in Sql::open(address).rows("SELECT from_ns || ' ' || to_ns FROM partitions") {
        let (from_ns, to_ns) = from.split_once(' ').unwrap();
        for table in ["orders", "trades", "fills"] {
            sql.run(&format!(
                "CREATE TABLE {table}_{from_ns} PARTITION OF {table} \
                 FOR VALUES FROM ({from_ns}) TO ({to_ns})"
            ));
        }
    }
    restore(&copied, address);
    copied
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn a_restored_backup_is_caught_up_or_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 26, 300);
    let two = addresses(2);
    feed(&mut backend(&two[0]).open().unwrap(), &applied[..80]).unwrap();
    let mut store = several(&two).open().unwrap();
    let first_before = back_up(&two[0]);
    feed(&mut store, &applied[..150]).unwrap();
    drop(store);
    let second = back_up(&two[1]);
    feed(&mut several(&two).open().unwrap(), &applied[..250]).unwrap();
    // The second one is older than the first, which goes on.
    restore(&two[1], &second);
    feed(&mut several(&two).open().unwrap(), &applied[..270]).unwrap();
    check_rows(&two, &fill_one(&applied[..270]));
    // The first one is from before the move: the map of the second one counts.
    restore(&two[0], &first_before);
    feed(&mut several(&two).open().unwrap(), &applied).unwrap();
    check_rows(&two, &fill_one(&applied));
    // Rows that moved to the second one are nowhere else.
    let sql = "UPDATE progress SET sequence = 10; DELETE FROM fills; DELETE FROM orders";
    Sql::open(&two[1]).run(sql);
    let error = several(&two).open().unwrap_err();
    assert!(error.to_string().contains("from before accounts moved to it"), "{error}");
    let all = HistoryRetention::ALL;
    let events = applied.iter().cloned().map(|it| Ok::<_, String>(std::sync::Arc::new(it)));
    sinks::postgres::rebuild(&two, &all, 1, events, false).unwrap();
    check_rows(&two, &fill_one(&applied));
    several(&two).open().unwrap();
}
