//! A venue with its read model, and what the read model should hold.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use log::DataDirLock;
use projection::{Ask, History, HistoryRetention, Projection, ProjectionError, Rebuilt};
use rusqlite::Connection;
use rusqlite::types::Value;
use spool::Retention;
pub(crate) use testing::{ALICE, BOB, INSTRUMENT, settings};
use testing::{Kept, feed};
use types::{AccountId, AmendOrder, ClOrdId, Command, NewOrder, OrderRef, Qty, Side, StpMode};
use venue::{Archive, Handle, Opened, Reply, Running, Settings};

/// Longer than anything here takes.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) struct Venue {
    running: Running,
    projection: Projection,
    pub(crate) history: Arc<dyn History>,
}

impl Venue {
    pub(crate) fn start(dir: &Path) -> Self {
        Self::start_with(settings(dir))
    }

    pub(crate) fn start_with(settings: Settings) -> Self {
        Self::start_keeping(settings, HistoryRetention::ALL)
    }

    pub(crate) fn start_keeping(settings: Settings, retention: HistoryRetention) -> Self {
        let dir = settings.data_dir.clone();
        let opened = Opened::open(settings).unwrap();
        let is_new = opened.is_new();
        let projection = feed::start(&dir, &opened, retention);
        let running = opened.start(vec![feed::listener(&projection)]);
        let venue = Self::of(running, projection);
        if is_new {
            testing::set_up(&venue.handle(), Kept(10_000));
        }
        venue
    }

    pub(crate) fn of(running: Running, projection: Projection) -> Self {
        let history = projection.history();
        Self { running, projection, history }
    }

    pub(crate) fn handle(&self) -> Handle {
        self.running.handle()
    }

    pub(crate) fn send(&self, account: AccountId, command: Command) -> Reply {
        testing::send(&self.handle(), account, command)
    }

    /// Until it has all that was done here.
    pub(crate) fn wait(&self) {
        let asked = self.handle().read_views(|_, spool| spool.last_sequence()).unwrap();
        let sequence = asked.blocking_recv().unwrap();
        let begun = Instant::now();
        while self.history.sequence() < sequence {
            assert!(begun.elapsed() < LONG, "still at {}", self.history.sequence());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Asks the read model, and waits for its answer.
    pub(crate) fn ask<Q: Ask>(&self, question: Q) -> Result<Q::Answer, ProjectionError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(projection::ask(&*self.history, question, 0))
    }

    pub(crate) fn metrics(&self) -> String {
        self.handle().metrics().text()
    }

    pub(crate) fn stop(self) {
        self.running.stop().unwrap();
        self.projection.stop();
    }

    /// Trades so that the read model is never far behind: what it lacks stays in the spool.
    pub(crate) fn trade_level(&self, numbers: std::ops::Range<u64>) {
        for first in numbers.clone().step_by(20) {
            self.trade(first..numbers.end.min(first + 20));
            self.wait();
        }
    }

    /// Orders around each other, so that some trade; some are amended or canceled.
    pub(crate) fn trade(&self, numbers: std::ops::Range<u64>) {
        for number in numbers {
            let account = if number.is_multiple_of(3) { ALICE } else { BOB };
            let side = if number.is_multiple_of(2) { Side::Buy } else { Side::Sell };
            let price = 1_000 + i64::try_from(number * 37 % 41).unwrap();
            self.send(account, limit(number, side, price, 2 + number % 7));
            if number.is_multiple_of(5) {
                let order = OrderRef::by_cl_ord_id(name(number));
                let order_qty = Qty::from_lots(1 + number % 7);
                let (instrument, cl_ord_id) = (INSTRUMENT, None);
                let amend = AmendOrder { instrument, order, cl_ord_id, order_qty };
                self.send(account, Command::AmendOrder(amend));
            }
        }
    }
}

/// Of a venue whose spool keeps a small part of what some hundred trades do.
pub(crate) fn small(dir: &Path) -> Settings {
    Settings { retention: Retention { max_bytes: 64 << 10, max_age_ns: None }, ..settings(dir) }
}

/// Until the alarm is as it should be.
pub(crate) fn wait_for_alarm(venue: &Venue, on: bool) {
    let begun = Instant::now();
    let line = format!("buttonwood_projection_alarm {}\n", u8::from(on));
    while !venue.metrics().contains(&line) {
        assert!(begun.elapsed() < LONG, "no {line}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// From all that the log has.
pub(crate) fn rebuild(dir: &Path) -> Result<Rebuilt, String> {
    let archive = Archive::open(dir).unwrap();
    let _lock = DataDirLock::acquire(dir).map_err(|error| error.to_string())?;
    let mut replay = archive.replay().unwrap();
    let first_sequence = replay.place().sequence + 1;
    let replies = std::iter::from_fn(|| replay.step().transpose()).map(|step| step.unwrap().reply);
    let events = replies.flat_map(|reply| std::iter::once(reply.applied).chain(reply.continued));
    let rebuilt =
        projection::sqlite::rebuild(dir, first_sequence, events.map(Ok::<_, String>), false);
    rebuilt.map_err(|error| error.to_string())
}

pub(crate) fn name(number: u64) -> ClOrdId {
    ClOrdId::parse(&format!("order-{number}")).unwrap()
}

pub(crate) fn limit(number: u64, side: Side, price: i64, lots: u64) -> Command {
    let order = testing::limit(name(number).as_str(), side, price, lots);
    Command::NewOrder(NewOrder { stp_mode: StpMode::ExpireTaker, ..order })
}

/// All rows of all tables, in order.
pub(crate) fn tables(dir: &Path) -> Vec<(String, Vec<Vec<Value>>)> {
    let connection = Connection::open(projection::sqlite::path(dir)).unwrap();
    let select = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut names = connection.prepare(select).unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    names
        .map(|name| {
            let name = name.unwrap();
            let mut rows = connection.prepare(&format!("SELECT * FROM {name}")).unwrap();
            let columns = rows.column_count();
            let row = |row: &rusqlite::Row<'_>| (0..columns).map(|i| row.get(i)).collect();
            let rows = rows.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap();
            (name, rows)
        })
        .collect()
}
