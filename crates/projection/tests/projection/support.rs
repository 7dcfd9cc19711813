//! A venue with its read model, and what the read model should hold.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use log::DataDirLock;
use marketdata::{BookUpdate, Views};
use projection::sqlite::Sqlite;
use projection::{Ask, Gauges, History, Projection, ProjectionError, Rebuilt, Wake};
use rusqlite::Connection;
use rusqlite::types::Value;
use spool::Applied;
use types::{
    AccountId, AccountName, AccountSpec, AmendOrder, Amount, Asset, AssetId, AssetName, ClOrdId,
    Command, CreateAccount, Deposit, Entry, Envelope, Event, ExternalRef, FeeRates, Increment,
    InstrumentId, InstrumentSpec, ListAsset, ListInstrument, NewOrder, OrderRef, OrderSize,
    OrderType, Origin, Price, Qty, Side, StpMode, Symbol, TimeInForce,
};
use venue::{Archive, Durability, Handle, Listener, Metrics, Opened, Reply, Running, Settings};

pub(crate) const ALICE: AccountId = AccountId(1);
pub(crate) const BOB: AccountId = AccountId(2);
pub(crate) const INSTRUMENT: InstrumentId = InstrumentId(0);
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
        let dir = settings.data_dir.clone();
        let opened = Opened::open(settings).unwrap();
        let is_new = opened.is_new();
        let projection = follow(&dir, &opened);
        let running = opened.start(vec![Box::new(Wakes(projection.wake()))]);
        let history = projection.history();
        let venue = Self { running, projection, history };
        if is_new {
            venue.set_up();
        }
        venue
    }

    pub(crate) fn handle(&self) -> Handle {
        self.running.handle()
    }

    pub(crate) fn send(&self, account: AccountId, command: Command) -> Reply {
        let envelope = Envelope { account, ..Envelope::venue(Origin::Rest, 0) };
        self.handle().submit(Entry { envelope, command }).unwrap().blocking_recv().unwrap().unwrap()
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
        runtime.block_on(projection::ask(&*self.history, question))
    }

    pub(crate) fn metrics(&self) -> String {
        self.handle().metrics().text()
    }

    pub(crate) fn stop(self) {
        self.running.stop().unwrap();
        self.projection.stop();
    }

    fn set_up(&self) {
        for name in ["USD", "OIL"] {
            let asset = Asset { name: AssetName::parse(name).unwrap(), decimals: 2 };
            self.send(AccountId::VENUE, Command::ListAsset(ListAsset { asset }));
        }
        let list = ListInstrument { spec: instrument_spec() };
        self.send(AccountId::VENUE, Command::ListInstrument(list));
        for (account, name) in [(ALICE, "alice"), (BOB, "bob")] {
            let spec = AccountSpec {
                name: AccountName::parse(name).unwrap(),
                fees: None,
                max_open_orders: 100_000,
                finished_orders_kept: 10_000,
                trades_kept: 10_000,
            };
            self.send(AccountId::VENUE, Command::CreateAccount(CreateAccount { spec }));
            for asset in [AssetId(0), AssetId(1)] {
                let amount = Amount::from_minor(1_000_000_000);
                let external_ref = ExternalRef::parse(&format!("{asset}")).unwrap();
                let deposit = Deposit { account, asset, amount, external_ref };
                self.send(AccountId::VENUE, Command::Deposit(deposit));
            }
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

pub(crate) fn follow(dir: &Path, opened: &Opened) -> Projection {
    Projection::start(Sqlite::of(dir), opened.spool().reader(), Measured(opened.metrics()))
}

/// Wakes the read model whenever the publisher has written a batch.
struct Wakes(Wake);

impl Listener for Wakes {
    fn event(&mut self, _: &Applied, _: &Event, _: Option<&BookUpdate>) {}

    fn batch_done(&mut self, _: &Views) -> Option<Instant> {
        self.0.more();
        None
    }
}

/// The venue's metrics have the gauges of the read model.
struct Measured(Arc<Metrics>);

impl Gauges for Measured {
    fn projected(&self, sequence: u64) {
        self.0.projected(sequence);
    }

    fn failed(&self, failed: bool) {
        self.0.projection_failed(failed);
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

pub(crate) fn settings(dir: &Path) -> Settings {
    Settings { durability: Durability::Os, ..Settings::new(dir) }
}

pub(crate) fn name(number: u64) -> ClOrdId {
    ClOrdId::parse(&format!("order-{number}")).unwrap()
}

pub(crate) fn limit(number: u64, side: Side, price: i64, lots: u64) -> Command {
    Command::NewOrder(NewOrder {
        instrument: INSTRUMENT,
        cl_ord_id: name(number),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::ExpireTaker,
        price: Price::from_ticks(price),
        size: OrderSize::Base(Qty::from_lots(lots)),
        strategy_id: None,
        strategy_type: None,
        terms: None,
    })
}

fn instrument_spec() -> InstrumentSpec {
    InstrumentSpec {
        symbol: Symbol::parse("OILUSD").unwrap(),
        base: AssetId(1),
        quote: AssetId(0),
        tick_size: Increment::parse("0.01").unwrap(),
        lot_size: Increment::parse("1").unwrap(),
        min_price: Price::from_ticks(1),
        max_price: Price::from_ticks(1_000_000),
        min_qty: Qty::from_lots(1),
        max_qty: Qty::from_lots(1_000_000),
        market_max_qty: Qty::from_lots(1_000_000),
        min_notional: Amount::ZERO,
        max_notional: Amount::from_minor(1 << 60),
        max_open_orders: 100_000,
        fees: FeeRates { maker_fee_bps_x100: 0, taker_fee_bps_x100: 500 },
    }
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
