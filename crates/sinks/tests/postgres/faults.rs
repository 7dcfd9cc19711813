//! What a writer does when the database is not as it left it.

use projection::{Backend, HistoryRetention, Standstill, Store};
use sinks::postgres::{Address, Postgres, status};

use crate::commands::events;
use crate::support::{address, backend};

/// All rows of all tables, as text, by table.
pub(crate) fn rows(address: &Address) -> Vec<(String, String)> {
    let mut client = Sql::open(address);
    let tables = client.rows(
        "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace \
         AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname",
    );
    tables
        .into_iter()
        .map(|table| {
            let select = format!(
                "SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') FROM {table} t"
            );
            let rows = client.rows(&select).remove(0);
            (table, rows)
        })
        .collect()
}

/// A connection of the tests.
pub(crate) struct Sql {
    client: tokio_postgres::Client,
    runtime: tokio::runtime::Runtime,
}

impl Sql {
    pub(crate) fn open(address: &Address) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let server = std::env::var("BUTTONWOOD_POSTGRES").unwrap();
        let client = runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&server, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            let schema = address.schema();
            client.batch_execute(&format!("SET search_path TO {schema}")).await.unwrap();
            client
        });
        Self { client, runtime }
    }

    pub(crate) fn run(&mut self, text: &str) {
        self.runtime.block_on(self.client.batch_execute(text)).unwrap();
    }

    pub(crate) fn rows(&mut self, text: &str) -> Vec<String> {
        let rows = self.runtime.block_on(self.client.query(text, &[])).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn two_writers_cannot_both_move_on() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 3, 60);
    let address = address();
    let mut one = backend(&address).open().unwrap();
    one.add(&applied[..20]).unwrap();
    let mut other = backend(&address).open().unwrap();
    one.add(&applied[20..30]).unwrap();
    let error = other.add(&applied[20..40]).unwrap_err();
    assert_eq!(error.standstill(), Standstill::Failed);
    assert!(error.to_string().contains("no longer at command 20"), "{error}");
    let mut again = backend(&address).open().unwrap();
    assert_eq!(again.progress().sequence, 30);
    again.add(&applied[30..]).unwrap();
    assert_eq!(status(&address).unwrap().progress, again.progress());
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn a_later_build_is_left_alone() {
    let address = address();
    drop(backend(&address).open().unwrap());
    Sql::open(&address).run("UPDATE schema_version SET version = 99");
    let error = backend(&address).open().unwrap_err();
    assert_eq!(error.standstill(), Standstill::OtherVersion);
    assert!(error.to_string().contains("version 99"), "{error}");
    let before = rows(&address);
    let _refused = backend(&address).open();
    assert_eq!(rows(&address), before);
}

/// The tables stay, so that rights on them do, and so do views of others.
#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn what_is_made_anew_keeps_its_tables() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 4, 100);
    let address = address();
    let mut store = backend(&address).open().unwrap();
    store.add(&applied).unwrap();
    drop(store);
    let mut sql = Sql::open(&address);
    sql.run("CREATE VIEW mine AS SELECT count(*)::text FROM orders");
    assert_ne!(sql.rows("SELECT * FROM mine"), ["0"]);
    backend(&address).remove().unwrap();
    assert_eq!(sql.rows("SELECT * FROM mine"), ["0"]);
    assert_eq!(backend(&address).open().unwrap().progress().sequence, 0);
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn partitions_beyond_the_age_are_dropped_and_open_orders_and_candles_stay() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 6, 500);
    let retention = HistoryRetention { max_age_ns: Some(3_600_000_000_000), max_bytes: None };
    let address = address();
    let mut store = Postgres::at(vec![address.clone()], &retention).open().unwrap();
    store.add(&applied).unwrap();
    let mut sql = Sql::open(&address);
    let mut kept = |table: &str| sql.rows(&format!("SELECT count(*)::text FROM {table}")).remove(0);
    let (open, candles, orders) = (kept("open_orders"), kept("candles"), kept("orders"));
    assert!(kept("partitions").parse::<u32>().unwrap() > 3, "the events span days");
    while store.forget(&retention).unwrap() {}
    assert_eq!((kept("open_orders"), kept("candles")), (open, candles));
    assert_ne!(kept("orders"), orders);
    let kept_since_ns = store.progress().kept_since_ns;
    let last_ns = applied.last().unwrap().sequenced_ns;
    assert!(kept_since_ns > 0 && kept_since_ns <= last_ns - 3_600_000_000_000);
    let older = format!("orders WHERE updated_ns < {kept_since_ns}");
    assert_eq!(kept(older.as_str()), "0");
    assert_eq!(kept(&format!("fills WHERE traded_ns < {kept_since_ns}")), "0");
    // A partition is a day.
    let late = format!("orders WHERE updated_ns < {}", last_ns - 25 * 3_600_000_000_000);
    assert_eq!(kept(late.as_str()), "0");
}
