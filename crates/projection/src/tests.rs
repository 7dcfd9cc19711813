//! The store and its candles by themselves, with trades of any time.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use rusqlite::types::Value;
use types::{
    AccountId, AggTrade, Amount, AssetId, CancelCause, Candle, ClOrdId, Event, ExternalRef, Fill,
    InstrumentId, Interval, Order, OrderAccepted, OrderAmended, OrderCanceled, OrderId, OrderRef,
    OrderStatus, OrderType, Price, Qty, Side, StpMode, TimeInForce, TimeZone, TradeExecuted,
    TradeId, WithdrawalCanceled, WithdrawalCompleted, WithdrawalRequested,
};
use venue::Applied;

use crate::changes::{ChangeKind, Changes};
use crate::history::History;
use crate::query::{AggFilter, Klines, OrderFilter, Times, TradeFilter};
use crate::status;
use crate::store::{Opening, Store, write_changes};

const INSTRUMENT: InstrumentId = InstrumentId(0);
/// 2024-02-29 13:47:21.5
const BEGIN_NS: u64 = 1_709_214_441_500_000_000;

#[derive(Clone, Copy, Debug)]
struct Step {
    pause_ms: u64,
    ticks: i64,
    lots: u64,
    side: Side,
    /// It goes on with the order of the step before.
    continues: bool,
}

fn steps(count_max: usize) -> impl Strategy<Value = Vec<Step>> {
    let pause_ms = prop_oneof![
        2 => 0..2_000_u64,
        2 => 0..90_000_u64,
        2 => 0..20_000_000_u64,
        1 => 0..2_000_000_000_u64,
    ];
    let side = any::<bool>().prop_map(|buy| if buy { Side::Buy } else { Side::Sell });
    let step = (pause_ms, 5..20_i64, 1..9_u64, side, any::<bool>()).prop_map(
        |(pause_ms, ticks, lots, side, continues)| Step { pause_ms, ticks, lots, side, continues },
    );
    prop::collection::vec(step, 1..count_max)
}

/// A command for each step.
fn applied(steps: &[Step]) -> Vec<Applied> {
    let mut sequenced_ns = BEGIN_NS;
    let mut taker = (OrderId(0), Side::Buy, 0);
    let numbered = (1_u64..).zip(steps);
    numbered
        .map(|(number, step)| {
            if number == 1 || !step.continues {
                sequenced_ns += step.pause_ms * 1_000_000;
                taker = (OrderId(1_000_000 + number), step.side, step.ticks);
            }
            let (taker_id, side, ticks) = taker;
            let trade = trade(number, taker_id, side, ticks, step.lots, sequenced_ns);
            Applied {
                sequence: number,
                sequenced_ns,
                account: AccountId(1),
                continues: number > 1 && step.continues,
                events: vec![Event::TradeExecuted(trade)],
            }
        })
        .collect()
}

fn trade(
    number: u64,
    taker_id: OrderId,
    side: Side,
    ticks: i64,
    lots: u64,
    traded_ns: u64,
) -> TradeExecuted {
    let order = |account: u32, order_id: OrderId, side: Side| Order {
        instrument: INSTRUMENT,
        account: AccountId(account),
        order_id,
        cl_ord_id: ClOrdId::parse("a").unwrap(),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        status: OrderStatus::PartiallyFilled,
        strategy_id: None,
        strategy_type: None,
        price: Price::from_ticks(ticks),
        order_qty: Qty::from_lots(1_000),
        quote_order_qty: Amount::ZERO,
        cum_qty: Qty::from_lots(lots),
        cum_quote: Amount::ZERO,
        created_ns: BEGIN_NS,
        updated_ns: traded_ns,
        terms: None,
    };
    let fill = |order: Order| Fill {
        account_seq: number,
        order,
        fee: Amount::from_minor(1 << 100),
        fee_asset: AssetId(0),
    };
    TradeExecuted {
        instrument_seq: number,
        instrument: INSTRUMENT,
        trade_id: TradeId(number),
        price: Price::from_ticks(ticks),
        qty: Qty::from_lots(lots),
        // Sums beyond what SQLite counts.
        quote: Amount::from_minor(i128::from(ticks) * i128::from(lots) * (1 << 60)),
        side,
        maker: fill(order(1, OrderId(number), side.opposite())),
        taker: fill(order(2, taker_id, side)),
    }
}

fn open(path: &Path) -> Store {
    match Store::open(path).unwrap() {
        Opening::Ready(store) => store,
        Opening::Older { version } => panic!("version {version}"),
    }
}

fn history(path: &Path) -> History {
    History::new(path.to_path_buf(), tokio::sync::watch::channel(0).1, std::sync::Arc::default())
}

/// All rows of the tables that trades go to.
fn rows(path: &Path) -> Vec<Vec<Value>> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let tables = ["progress", "gaps", "orders", "trades", "fills", "candles"];
    let mut all = Vec::new();
    for table in tables {
        let mut select = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = select.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|index| row.get(index)).collect();
        all.extend(select.query_map([], row).unwrap().map(Result::unwrap));
    }
    all
}

/// The plain way: all periods from the first trade to now, and of each what its trades come to.
fn recomputed(applied: &[Applied], klines: &Klines) -> Vec<Candle> {
    let Klines { interval, zone, times, limit, now_ns } = *klines;
    let trades: Vec<&TradeExecuted> = applied
        .iter()
        .flat_map(|applied| &applied.events)
        .map(|event| match event {
            Event::TradeExecuted(trade) => trade,
            _ => panic!("a trade"),
        })
        .collect();
    let time = |trade: &TradeExecuted| trade.taker.order.updated_ns;
    let mut candles: Vec<Candle> = Vec::new();
    let mut open_ns = interval.open_ns(zone, time(trades[0]));
    while open_ns <= now_ns {
        let end_ns = interval.end_ns(zone, open_ns);
        let within: Vec<_> =
            trades.iter().filter(|trade| (open_ns..end_ns).contains(&time(trade))).collect();
        candles.push(match (within.first(), within.last()) {
            (Some(first), Some(last)) => {
                let bought = || within.iter().filter(|trade| trade.side == Side::Buy);
                Candle {
                    open_ns,
                    open: first.price,
                    high: within.iter().map(|trade| trade.price).max().unwrap(),
                    low: within.iter().map(|trade| trade.price).min().unwrap(),
                    close: last.price,
                    volume_lots: within.iter().map(|trade| i128::from(trade.qty.lots())).sum(),
                    quote: within.iter().map(|trade| trade.quote).sum(),
                    taker_buy_lots: bought().map(|trade| i128::from(trade.qty.lots())).sum(),
                    taker_buy_quote: bought().map(|trade| trade.quote).sum(),
                    trade_count: within.len() as u64,
                    first_trade: first.trade_id,
                    last_trade: last.trade_id,
                }
            }
            _ => Candle::without_trade(open_ns, candles.last().unwrap().close),
        });
        open_ns = end_ns;
    }
    candles.retain(|candle| {
        times.start_ns.is_none_or(|start_ns| candle.open_ns >= start_ns)
            && times.end_ns.is_none_or(|end_ns| candle.open_ns <= end_ns)
    });
    match times.start_ns {
        Some(_) => candles.truncate(limit),
        None => drop(candles.drain(..candles.len().saturating_sub(limit))),
    }
    candles
}

fn zones() -> impl Strategy<Value = TimeZone> {
    prop::sample::select(vec![0_i16, 0, 480, -60, 345, -217, 840, -720])
        .prop_map(|minutes| TimeZone::from_minutes(minutes).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn klines_are_what_their_trades_come_to(
        steps in steps(60),
        page in 1..20_usize,
        zone in zones(),
        from in prop::option::of(0..2_000_000_000_u64),
        to in prop::option::of(0..4_000_000_000_u64),
        later_ms in 0..100_000_000_u64,
        limit in 1..300_usize,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("klines");
        let applied = applied(&steps);
        let mut store = open(&path);
        for page in applied.chunks(page) {
            store.add(page).unwrap();
        }
        let last_ns = applied.last().unwrap().sequenced_ns;
        let history = history(&path);
        for interval in Interval::ALL.iter().copied() {
            // All seconds of months are more than the plain way can do.
            if interval < Interval::Minute15 && last_ns - BEGIN_NS > 100_000_000_000_000 {
                continue;
            }
            let at = |ms: u64| BEGIN_NS - 500_000_000_000_000 + ms * 1_000_000;
            let times = Times { start_ns: from.map(at), end_ns: to.map(at) };
            let now_ns = last_ns + later_ms * 1_000_000;
            let klines = Klines { interval, zone, times, limit, now_ns };
            let found = history.klines(INSTRUMENT, &klines).unwrap();
            prop_assert_eq!(found, recomputed(&applied, &klines), "{:?}", klines);
        }
    }

    /// However it is cut into pages, and wherever it is stopped.
    #[test]
    fn pages_do_not_show(steps in steps(60), page in 1..20_usize) {
        let dir = tempfile::tempdir().unwrap();
        let (whole, paged) = (dir.path().join("whole"), dir.path().join("paged"));
        let applied = applied(&steps);
        open(&whole).add(&applied).unwrap();
        for page in applied.chunks(page) {
            // What is written and not committed is not there.
            let mut store = open(&paged);
            let mut changes = Changes::default();
            page.iter().for_each(|applied| changes.apply(applied));
            let transaction = store.begin().unwrap();
            write_changes(&transaction, &changes).unwrap();
            drop(transaction);
            drop(store);
            open(&paged).add(page).unwrap();
        }
        prop_assert_eq!(rows(&whole), rows(&paged));
    }
}

#[test]
fn a_full_disk_leaves_all_of_a_page_out() {
    let dir = tempfile::tempdir().unwrap();
    let (full, roomy) = (dir.path().join("full"), dir.path().join("roomy"));
    let step = Step { pause_ms: 1_000, ticks: 10, lots: 1, side: Side::Buy, continues: false };
    let applied = applied(&vec![step; 2_000]);
    let mut store = open(&full);
    store.add(&applied[..100]).unwrap();
    let before = rows(&full);
    store.allow_pages(40);
    let error = store.add(&applied[100..]).unwrap_err();
    let sentence = error.to_string();
    assert!(sentence.starts_with("there is no room to write "), "{sentence}");
    assert!(error.may_pass() && !error.is_damage());
    drop(store);
    assert_eq!(rows(&full), before);

    open(&full).add(&applied[100..]).unwrap();
    open(&roomy).add(&applied).unwrap();
    assert_eq!(rows(&full), rows(&roomy));
}

/// What is asked for is the account's still: only what leaves is a change of its balance.
#[test]
fn what_is_checkpointed_lies_in_the_file_that_is_synced() {
    let dir = tempfile::tempdir().unwrap();
    let (path, synced) = (dir.path().join("history"), dir.path().join("synced"));
    let step = Step { pause_ms: 1_000, ticks: 10, lots: 1, side: Side::Buy, continues: false };
    let applied = applied(&vec![step; 100]);
    let mut store = open(&path);
    let has_all = || {
        std::fs::copy(&path, &synced).unwrap();
        let held = rows(&path);
        std::panic::catch_unwind(|| rows(&synced)).is_ok_and(|rows| rows == held)
    };
    store.add(&applied).unwrap();
    assert!(!has_all(), "it is in the write-ahead log alone");
    store.checkpoint().unwrap();
    assert!(has_all());
}

#[test]
fn a_withdrawal_changes_a_balance_when_it_leaves() {
    let (account, asset, amount) = (AccountId(1), AssetId(0), Amount::from_minor(5));
    let free = Amount::ZERO;
    let external_ref = ExternalRef::parse("w").unwrap();
    let requested = |account_seq| {
        let requested =
            WithdrawalRequested { account_seq, account, asset, amount, external_ref, free };
        Event::WithdrawalRequested(requested)
    };
    let canceled =
        WithdrawalCanceled { account_seq: 2, account, asset, amount, external_ref, free };
    let completed =
        WithdrawalCompleted { account_seq: 4, account, asset, amount, external_ref, free };
    let events = vec![
        requested(1),
        Event::WithdrawalCanceled(canceled),
        requested(3),
        Event::WithdrawalCompleted(completed),
    ];
    let applied = Applied { sequence: 1, sequenced_ns: 7, account, continues: false, events };
    let mut changes = Changes::default();
    changes.apply(&applied);
    let [change] = &changes.balance_changes[..] else { panic!("{:?}", changes.balance_changes) };
    assert_eq!((change.kind, change.account_seq), (ChangeKind::Withdrawal, 4));
    assert_eq!(change.asset, Some((asset, Amount::from_minor(-5))));
    assert_eq!(change.external_ref, Some(external_ref));
}

#[test]
fn holes_are_told_of() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("holes");
    let step = Step { pause_ms: 1_000, ticks: 10, lots: 1, side: Side::Buy, continues: false };
    let applied = applied(&[step; 20]);
    let mut store = open(&path);
    store.pass_over(6).unwrap();
    store.add(&applied[5..10]).unwrap();
    store.pass_over(14).unwrap();
    store.add(&applied[13..]).unwrap();
    let status = status::of(&path).unwrap();
    assert_eq!(status.progress, store.progress());
    assert_eq!((status.progress.first_sequence, status.progress.sequence), (6, 20));
    assert_eq!(status.gaps, [(11, 13)]);
    let agg =
        history(&path).agg_trades(INSTRUMENT, &AggFilter { limit: 99, ..AggFilter::default() });
    let ids: Vec<u64> = agg.unwrap().iter().map(|agg| agg.first_trade.0).collect();
    assert_eq!(ids, (6..=10).chain(14..=20).collect::<Vec<_>>());
}

/// As the one that wrote version 1 left it: with aggregate trades in a table, and trades without what
/// they have in common.
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
    let step = Step { pause_ms: 400, ticks: 10, lots: 1, side: Side::Buy, continues: false };
    let steps: Vec<Step> =
        (0..50).map(|at| Step { continues: at % 3 > 0, ticks: 10 + at / 7, ..step }).collect();
    let applied = applied(&steps);
    open(&path).add(&applied[..30]).unwrap();
    open(&other).add(&applied).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(to_older).unwrap();
    drop(connection);
    open(&path).add(&applied[30..]).unwrap();
    assert_eq!(rows(&path), rows(&other));
    let schema = |path: &Path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        let mut select =
            connection.prepare("SELECT name FROM sqlite_schema ORDER BY name").unwrap();
        let names = select.query_map([], |row| row.get::<_, String>(0)).unwrap();
        names.map(Result::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(schema(&path), schema(&other));
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
    assert!(matches!(Store::open(&path), Ok(Opening::Older { version: 1 })));
    let path = odd("two", TO_VERSION_2, "ALTER TABLE fills DROP COLUMN fee");
    assert!(matches!(Store::open(&path), Ok(Opening::Older { version: 2 })));
}

const ORDERS: u64 = 10_000;

fn made_ns(number: u64) -> u64 {
    BEGIN_NS + number / 3 * 1_000_000_000
}

/// Each odd order is traded by the even one after it, and names come again every hundred orders. Every
/// thousandth order also takes one that is half as old as all of them.
fn many_trades() -> Vec<TradeExecuted> {
    let of = |fill: &mut Fill, id: u64, account: u32, name: &str| {
        let (order_id, account) = (OrderId(id), AccountId(account));
        let (cl_ord_id, created_ns) = (ClOrdId::parse(name).unwrap(), made_ns(id));
        fill.order = Order { order_id, account, cl_ord_id, created_ns, ..fill.order };
    };
    let traded = |trade_id: u64, maker: u64, taker: u64| {
        let mut made = trade(trade_id, OrderId(taker), Side::Buy, 10, 1, made_ns(taker));
        let is_old = maker % 1_000 == 1 || maker % 1_000 == 501;
        let name = if is_old { format!("old{maker}") } else { format!("n{}", maker % 100) };
        of(&mut made.maker, maker, 1, &name);
        let account = if taker.is_multiple_of(3_000) { 4 } else { 2 + taker as u32 / 2 % 2 };
        of(&mut made.taker, taker, account, &format!("n{}", taker % 100));
        made
    };
    let trades = (2..ORDERS).step_by(2).flat_map(|taker| {
        let old = taker.is_multiple_of(1_000).then(|| traded(taker + 1, taker / 2 + 1, taker));
        std::iter::once(traded(taker, taker - 1, taker)).chain(old)
    });
    trades.collect()
}

#[test]
fn rows_of_an_account_are_found_in_all_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("blocks");
    let trades = many_trades();
    let applied = |trade: &TradeExecuted| Applied {
        sequence: trade.trade_id.0,
        sequenced_ns: trade.taker.order.updated_ns,
        account: trade.taker.order.account,
        continues: false,
        events: vec![Event::TradeExecuted(*trade)],
    };
    let applied: Vec<Applied> = trades.iter().map(applied).collect();
    let mut store = open(&path);
    applied.chunks(700).for_each(|page| store.add(page).unwrap());
    let fills = trades.iter().flat_map(|trade| [trade.maker.order, trade.taker.order]);
    // The last of each order counts.
    let orders: BTreeMap<OrderId, Order> = fills.map(|order| (order.order_id, order)).collect();
    let history = history(&path);
    for account in [1, 2, 3, 4].map(AccountId) {
        let orders: Vec<Order> =
            orders.values().copied().filter(|order| order.account == account).collect();
        check_orders(&history, account, &orders);
        check_trades(&history, account, &trades, &orders);
    }
}

/// From the first, from one on, at a time.
fn filters() -> impl Iterator<Item = (Option<u64>, Times, usize)> {
    let ids = [None, Some(1), Some(4_095), Some(4_096), Some(7_777), Some(ORDERS)];
    let moment = |number: u64| [made_ns(number) - 1, made_ns(number)];
    let moments: Vec<Option<u64>> = std::iter::once(None)
        .chain([0, 4_096, 6_000, ORDERS + 3].into_iter().flat_map(moment).map(Some))
        .collect();
    let all = ids.into_iter().flat_map(move |id| {
        let moments = moments.clone();
        let ends = moments.clone();
        moments.into_iter().flat_map(move |start_ns| {
            let time = move |end_ns| (id, Times { start_ns, end_ns });
            ends.clone().into_iter().map(time)
        })
    });
    all.flat_map(|(id, times)| [1, 7, 5_000].map(|limit| (id, times, limit)))
}

/// The plain way.
fn filtered<T: Copy>(
    all: &[T],
    (from_id, times, limit): (Option<u64>, Times, usize),
    key: impl Fn(&T) -> (u64, u64),
) -> Vec<T> {
    let is_wanted = |row: &&T| {
        let (id, time_ns) = key(row);
        from_id.is_none_or(|from_id| from_id <= id)
            && times.start_ns.is_none_or(|start_ns| start_ns <= time_ns)
            && times.end_ns.is_none_or(|end_ns| time_ns <= end_ns)
    };
    let mut wanted: Vec<T> = all.iter().filter(is_wanted).copied().collect();
    match from_id.is_some() || times.start_ns.is_some() {
        true => wanted.truncate(limit),
        false => drop(wanted.drain(..wanted.len().saturating_sub(limit))),
    }
    wanted
}

fn check_orders(history: &History, account: AccountId, orders: &[Order]) {
    for (from_id, times, limit) in filters() {
        let filter = OrderFilter { from_id: from_id.map(OrderId), times, limit };
        let expect = filtered(orders, (from_id, times, limit), |it| (it.order_id.0, it.created_ns));
        let found = history.all_orders(account, INSTRUMENT, &filter).unwrap();
        assert_eq!(found, expect, "{account:?} {filter:?}");
    }
    for order in orders.iter().step_by(17) {
        let last = orders
            .iter()
            .filter(|other| other.cl_ord_id == order.cl_ord_id)
            .max_by_key(|it| it.updated_ns);
        let by_name = OrderRef::by_cl_ord_id(order.cl_ord_id);
        assert_eq!(history.order(account, INSTRUMENT, &by_name).unwrap().as_ref(), last);
    }
    let unknown = OrderRef::by_cl_ord_id(ClOrdId::parse("x").unwrap());
    assert_eq!(history.order(account, INSTRUMENT, &unknown).unwrap(), None);
}

fn check_trades(history: &History, account: AccountId, trades: &[TradeExecuted], orders: &[Order]) {
    let fills =
        trades.iter().flat_map(|trade| [trade.maker, trade.taker].map(|fill| (trade, fill.order)));
    let fills: Vec<(u64, u64, OrderId)> = fills
        .filter(|(_, order)| order.account == account)
        .map(|(trade, order)| (trade.trade_id.0, order.updated_ns, order.order_id))
        .collect();
    let check = |fills: &[(u64, u64, OrderId)],
                 order_id: Option<OrderId>,
                 how: (Option<u64>, Times, usize)| {
        let (from_id, times, limit) = how;
        let filter = TradeFilter { order_id, from_id: from_id.map(TradeId), times, limit };
        let found = history.my_trades(account, INSTRUMENT, &filter).unwrap();
        let found: Vec<_> =
            found.iter().map(|it| (it.trade_id.0, it.traded_ns, it.order_id)).collect();
        let expect = filtered(fills, how, |(id, time_ns, _)| (*id, *time_ns));
        assert_eq!(found, expect, "{account:?} {filter:?}");
    };
    filters().for_each(|how| check(&fills, None, how));
    for order in orders.iter().step_by(50) {
        let of_order: Vec<_> =
            fills.iter().copied().filter(|(.., id)| *id == order.order_id).collect();
        check(&of_order, Some(order.order_id), (None, Times::default(), 10));
        let later = Times { start_ns: Some(order.created_ns + 1), end_ns: None };
        check(&of_order, Some(order.order_id), (None, later, 10));
    }
}

/// An order that was given a name later can be the last of that name, though one that is newer had it first.
#[test]
fn a_name_means_the_order_that_had_it_last() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("names");
    let [name, other] = ["name", "other"].map(|name| ClOrdId::parse(name).unwrap());
    let order = |id: u64, cl_ord_id: ClOrdId, status: OrderStatus, at: u64| {
        let made = trade(1, OrderId(id), Side::Buy, 10, 1, BEGIN_NS + at).taker.order;
        Order { cl_ord_id, status, created_ns: BEGIN_NS + id, ..made }
    };
    let (account_seq, instrument_seq) = (1, 1);
    let accepted = |id, name| {
        let order = order(id, name, OrderStatus::New, id);
        Event::OrderAccepted(OrderAccepted { account_seq, instrument_seq, order })
    };
    let canceled = |id, cl_ord_id, at| {
        Event::OrderCanceled(OrderCanceled {
            account_seq,
            instrument_seq,
            order: order(id, cl_ord_id, OrderStatus::Canceled, at),
            canceled_qty: Qty::from_lots(1),
            cl_ord_id,
            cause: CancelCause::Requested,
        })
    };
    let renamed = Event::OrderAmended(OrderAmended {
        account_seq,
        instrument_seq,
        order: order(1, name, OrderStatus::New, 6_000),
        orig_cl_ord_id: other,
        orig_order_qty: Qty::from_lots(1_000),
    });
    // An event, and whom the two names mean after it.
    let script = [
        (accepted(1, other), None, Some(1)),
        (accepted(5_000, name), Some(5_000), Some(1)),
        (canceled(5_000, name, 5_500), Some(5_000), Some(1)),
        (renamed, Some(1), None),
        (canceled(1, name, 7_000), Some(1), None),
        (accepted(9_000, name), Some(9_000), None),
        (accepted(9_001, other), Some(9_000), Some(9_001)),
    ];
    let (mut store, history) = (open(&path), history(&path));
    for (sequence, (event, of_name, of_other)) in (1..).zip(script) {
        let account = AccountId(2);
        let events = vec![event];
        let applied = Applied { sequence, sequenced_ns: 1, account, continues: false, events };
        store.add([&applied]).unwrap();
        let meant = |name| {
            let order = history.order(account, INSTRUMENT, &OrderRef::by_cl_ord_id(name));
            order.unwrap().map(|order| order.order_id.0)
        };
        assert_eq!((meant(name), meant(other)), (of_name, of_other), "after {sequence}");
    }
}

/// In whichever way they are asked for, and however commands and seconds cut them.
#[test]
fn aggregate_trades_are_found_by_id_and_by_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("aggregates");
    let step = Step { pause_ms: 300, ticks: 10, lots: 1, side: Side::Buy, continues: false };
    let steps: Vec<Step> =
        (0..60).map(|at| Step { continues: at % 4 > 0, ticks: 10 + at / 9, ..step }).collect();
    let applied = applied(&steps);
    open(&path).add(&applied).unwrap();
    let history = history(&path);
    let ask = |filter: AggFilter| history.agg_trades(INSTRUMENT, &filter).unwrap();
    let all = ask(AggFilter { limit: 1_000, ..AggFilter::default() });
    assert!(all.iter().any(|agg| agg.first_trade < agg.last_trade) && all.len() > 10);
    assert_eq!(all.iter().map(|agg| agg.last_trade.0 + 1 - agg.first_trade.0).sum::<u64>(), 60);
    let last_ns = all.last().unwrap().traded_ns;
    let moments: Vec<Option<u64>> = std::iter::once(None)
        .chain(all.iter().step_by(3).flat_map(|agg| [agg.traded_ns - 1, agg.traded_ns]).map(Some))
        .chain([Some(0), Some(last_ns + 5_000_000_000), Some(u64::MAX)])
        .collect();
    for from_id in [None, Some(1), Some(2), Some(30), Some(61)] {
        for start_ns in &moments {
            for end_ns in &moments {
                for limit in [1, 3, 1_000] {
                    let (from_id, times) =
                        (from_id.map(TradeId), Times { start_ns: *start_ns, end_ns: *end_ns });
                    let mut expect: Vec<AggTrade> = all
                        .iter()
                        .filter(|agg| from_id.is_none_or(|from_id| from_id <= agg.first_trade))
                        .filter(|agg| start_ns.is_none_or(|start_ns| start_ns <= agg.traded_ns))
                        .filter(|agg| end_ns.is_none_or(|end_ns| agg.traded_ns <= end_ns))
                        .copied()
                        .collect();
                    match from_id.is_some() || start_ns.is_some() {
                        true => expect.truncate(limit),
                        false => drop(expect.drain(..expect.len().saturating_sub(limit))),
                    }
                    let filter = AggFilter { from_id, times, limit };
                    assert_eq!(ask(filter), expect, "{filter:?}");
                }
            }
        }
    }
}

#[test]
fn another_file_in_the_place_of_the_old_one_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("replaced");
    let step = Step { pause_ms: 1_000, ticks: 10, lots: 1, side: Side::Buy, continues: false };
    let applied = applied(&[step; 5]);
    let history = history(&path);
    let count = || history.historical_trades(INSTRUMENT, None, 99).unwrap().len();
    open(&path).add(&applied).unwrap();
    assert_eq!(count(), 5);
    crate::thread::remove(&path).unwrap();
    open(&path).add(&applied[..2]).unwrap();
    assert_eq!(count(), 2);
}
