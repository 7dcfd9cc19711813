//! Both read models of the same events.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use projection::sqlite::{self, Sqlite, SqliteStore};
use projection::{Answer, Backend, HistoryRetention, Question, Store};
use sinks::postgres::{Address, Postgres, PostgresStore, Reader};
use spool::Applied;

/// A read model of its own in the server's database.
pub(crate) fn address() -> Address {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let server = std::env::var("BUTTONWOOD_POSTGRES")
        .expect("BUTTONWOOD_POSTGRES names a server: run `make databases`");
    let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    Address::parse(&format!("{server}?schema=bw_{process}_{number}")).unwrap()
}

/// As many read models of their own: several of one history, or alone.
pub(crate) fn addresses(count: usize) -> Vec<Address> {
    (0..count).map(|_| address()).collect()
}

pub(crate) fn backend(address: &Address) -> Postgres {
    several(std::slice::from_ref(address))
}

pub(crate) fn several(addresses: &[Address]) -> Postgres {
    Postgres::at(addresses.to_vec(), &HistoryRetention::ALL).without_grace()
}

pub(crate) struct Both<'a> {
    dir: &'a Path,
    pub(crate) addresses: Vec<Address>,
    sqlite: Option<SqliteStore>,
    postgres: Option<PostgresStore>,
}

impl<'a> Both<'a> {
    pub(crate) fn new(dir: &'a Path) -> Self {
        Self::over(dir, 1)
    }

    /// With one history in several databases of PostgreSQL.
    pub(crate) fn over(dir: &'a Path, databases: usize) -> Self {
        Self { dir, addresses: addresses(databases), sqlite: None, postgres: None }
    }

    /// Opens them again, as after the end of a process.
    pub(crate) fn reopen(&mut self) {
        (self.sqlite, self.postgres) = (None, None);
    }

    pub(crate) fn add(&mut self, page: &[Applied]) {
        self.sqlite().add(page).unwrap();
        self.postgres().add(page).unwrap();
        assert_eq!(self.sqlite().progress(), self.postgres().progress());
    }

    pub(crate) fn pass_over(&mut self, first: u64) {
        self.sqlite().pass_over(first).unwrap();
        self.postgres().pass_over(first).unwrap();
        assert_eq!(self.sqlite().gaps().unwrap(), self.postgres().gaps().unwrap());
    }

    fn sqlite(&mut self) -> &mut SqliteStore {
        self.sqlite.get_or_insert_with(|| Sqlite::of(self.dir).open().unwrap())
    }

    fn postgres(&mut self) -> &mut PostgresStore {
        self.postgres.get_or_insert_with(|| several(&self.addresses).open().unwrap())
    }

    /// Asks both, and returns the answer that both give.
    pub(crate) fn ask(&self, reader: &Reader, question: Question) -> Answer {
        let sqlite = sqlite::ask(self.dir, &question).unwrap();
        let postgres =
            reader.ask(&question).unwrap_or_else(|error| panic!("{question:?}: {error}"));
        assert_eq!(format!("{sqlite:?}"), format!("{postgres:?}"), "{question:?}");
        sqlite
    }
}
