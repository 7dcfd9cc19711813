//! Files of an older version are migrated.

use super::*;
use crate::sqlite::schema::{Schema, TABLES};

/// A version 2 that adds a column and takes one index for another.
const MIGRATION: &str = "
ALTER TABLE trades ADD COLUMN venue TEXT;
DROP INDEX prevented_by_maker;
CREATE INDEX trades_by_time ON trades (instrument, traded_ns);
";

fn open_synthetic(path: &Path) -> Result<SqliteStore, ProjectionError> {
    let fresh = rusqlite::Connection::open_in_memory().unwrap();
    fresh.execute_batch(TABLES).unwrap();
    fresh.execute_batch(MIGRATION).unwrap();
    let select = "SELECT group_concat(sql, ';') FROM sqlite_schema";
    let tables: String = fresh.query_row(select, [], |row| row.get(0)).unwrap();
    let synthetic = Schema { tables: tables.leak(), migrations: &[MIGRATION] };
    SqliteStore::of(path, synthetic.open(path)?)
}

/// As builds before the first release have left them: the number did not rise with the tables.
#[test]
fn a_file_of_this_version_with_other_tables_is_refused_as_older() {
    for change in [
        "ALTER TABLE trades DROP COLUMN busted_ns",
        "ALTER TABLE trades ADD COLUMN venue TEXT",
        "DROP INDEX prevented_by_maker",
        "DROP VIEW fills",
        "DROP TABLE transfers",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = file_of_version_1(dir.path());
        execute(&path, change);
        let opened = SqliteStore::open(&path);
        assert!(matches!(opened, Err(ProjectionError::Older { .. })), "{change}: {opened:?}");
        let read = status::of(&path).unwrap_err().to_string();
        assert!(read.contains("which an older program wrote"), "{change}: {read}");
    }
    let dir = tempfile::tempdir().unwrap();
    let path = file_of_version_1(dir.path());
    execute(&path, "CREATE INDEX of_an_operator ON trades (traded_ns)");
    open(&path);
}

/// A file of version 1 with some trades in it.
fn file_of_version_1(dir: &Path) -> PathBuf {
    let path = dir.join("history");
    let step = Step { pause_ms: 400, ticks: 10, lots: 1, side: Side::Buy, continues: false };
    open(&path).add(&applied(&[step; 300])).unwrap();
    path
}

fn execute(path: &Path, statements: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(statements).unwrap();
}

#[test]
fn a_file_of_an_older_version_is_migrated_with_all_its_history() {
    let dir = tempfile::tempdir().unwrap();
    let path = file_of_version_1(dir.path());
    let before = rows(&path);
    let migrated = open_synthetic(&path).unwrap();
    assert_eq!(migrated.progress().sequence, 300);
    drop(migrated);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let version: i32 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 2);
    let venues = "SELECT count(*) FROM trades WHERE venue IS NULL";
    let count: i64 = connection.query_row(venues, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 300);
    // A second start has nothing to do, and what was there is as it was.
    drop(open_synthetic(&path).unwrap());
    execute(&path, "ALTER TABLE trades DROP COLUMN venue");
    assert_eq!(rows(&path), before);
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = file_of_version_1(dir.path());
    drop(open_synthetic(&path).unwrap());
    let opened = SqliteStore::open(&path);
    assert!(matches!(opened, Err(ProjectionError::Newer { version: 2, .. })), "{opened:?}");
    open_synthetic(&path).unwrap();
}

#[test]
fn a_file_that_says_an_older_version_and_is_not_is_refused_as_older() {
    let dir = tempfile::tempdir().unwrap();
    let path = file_of_version_1(dir.path());
    execute(&path, "DROP INDEX prevented_by_maker");
    let opened = open_synthetic(&path);
    assert!(matches!(opened, Err(ProjectionError::Older { version: 1, .. })), "{opened:?}");
    // The statement before the one that failed is undone.
    execute(&path, "ALTER TABLE trades ADD COLUMN venue TEXT");
}
