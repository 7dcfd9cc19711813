//! Files of older versions are brought up to this one.

use super::*;

/// As the one that wrote version 1 left it: with aggregate trades in a table, and trades without
/// what they have in common.
const TO_VERSION_1: &str = "
CREATE TABLE agg_trades (
    instrument INTEGER NOT NULL,
    first_trade INTEGER NOT NULL,
    last_trade INTEGER NOT NULL,
    price INTEGER NOT NULL,
    qty INTEGER NOT NULL,
    quote ANY NOT NULL,
    traded_ns INTEGER NOT NULL,
    is_buyer_maker INTEGER NOT NULL,
    command INTEGER NOT NULL,
    taker_order_id INTEGER NOT NULL,
    PRIMARY KEY (instrument, first_trade)
) STRICT, WITHOUT ROWID;
CREATE INDEX agg_trades_by_time ON agg_trades (instrument, traded_ns, first_trade);
INSERT INTO agg_trades SELECT instrument, min(trade_id), max(trade_id), price, sum(qty), sum(quote),
    min(traded_ns), side = 1, command, taker_order_id
    FROM trades GROUP BY instrument, command, taker_order_id, price, side;
ALTER TABLE trades DROP COLUMN command;
ALTER TABLE trades DROP COLUMN taker_order_id;
CREATE INDEX trades_by_time ON trades (instrument, traded_ns, trade_id);
PRAGMA user_version = 1;
";

/// As the one that wrote version 2 left it: rows of an account by its number first.
const TO_VERSION_2: &str = "
DROP INDEX orders_by_account;
DROP TABLE order_blocks;
CREATE INDEX orders_by_account ON orders (account, instrument, created_ns, order_id);
CREATE INDEX orders_by_cl_ord_id ON orders (account, instrument, cl_ord_id);
DROP INDEX amendments_by_cl_ord_id;
DROP INDEX fills_by_account;
DROP TABLE fill_blocks;
ALTER TABLE fills RENAME TO fills_3;
CREATE TABLE fills (
    account INTEGER NOT NULL,
    instrument INTEGER NOT NULL,
    trade_id INTEGER NOT NULL,
    is_maker INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    order_list_id INTEGER NOT NULL,
    side INTEGER NOT NULL,
    fee ANY NOT NULL,
    fee_asset INTEGER NOT NULL,
    PRIMARY KEY (account, instrument, trade_id, is_maker)
) STRICT, WITHOUT ROWID;
INSERT INTO fills SELECT * FROM fills_3;
DROP TABLE fills_3;
CREATE INDEX fills_by_order ON fills (account, instrument, order_id, trade_id);
PRAGMA user_version = 2;
";

#[test]
fn a_file_of_an_older_version_keeps_all_its_history() {
    check_older(TO_VERSION_2);
    check_older(&[TO_VERSION_2, TO_VERSION_1].concat());
}

#[track_caller]
fn check_older(to_older: &str) {
    let dir = tempfile::tempdir().unwrap();
    let (path, other) = (dir.path().join("old"), dir.path().join("new"));
    // More than a block of trades is there before.
    let step = Step { pause_ms: 400, ticks: 10, lots: 1, side: Side::Buy, continues: false };
    let steps: Vec<Step> =
        (0..5_000).map(|at| Step { continues: at % 3 > 0, ticks: 10 + at % 7, ..step }).collect();
    let applied = applied(&steps);
    open(&path).add(&applied[..4_500]).unwrap();
    open(&other).add(&applied).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(to_older).unwrap();
    drop(connection);
    open(&path).add(&applied[4_500..]).unwrap();
    assert_eq!(rows(&path), rows(&other));
    // Of tables the names: their words are not the same when one was renamed.
    let schema = |path: &Path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        let select = "SELECT name, iif(type = 'index', sql, '') FROM sqlite_schema ORDER BY name";
        let mut select = connection.prepare(select).unwrap();
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let rows = select.query_map([], row).unwrap();
        rows.map(Result::unwrap).collect::<Vec<(String, Option<String>)>>()
    };
    assert_eq!(schema(&path), schema(&other));
}

/// The version, if that is why it cannot be opened.
fn older(path: &Path) -> Option<i32> {
    match SqliteStore::open(path) {
        Err(ProjectionError::Older { version, .. }) => Some(version),
        _ => None,
    }
}

#[test]
fn a_file_that_says_an_older_version_and_is_not_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let odd = |name: &str, to_older: &str, oddity: &str| {
        let path = dir.path().join(name);
        open(&path);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(to_older).unwrap();
        connection.execute_batch(oddity).unwrap();
        path
    };
    let to_version_1 = [TO_VERSION_2, TO_VERSION_1].concat();
    let path = odd("one", &to_version_1, "ALTER TABLE agg_trades DROP COLUMN command");
    assert_eq!(older(&path), Some(1));
    let path = odd("two", TO_VERSION_2, "ALTER TABLE fills DROP COLUMN fee");
    assert_eq!(older(&path), Some(2));
}
