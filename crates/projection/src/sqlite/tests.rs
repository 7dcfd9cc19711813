//! The store and its candles by themselves, with trades of any time.

mod blocks;
mod lists;
mod names;
mod versions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use rusqlite::types::Value;
use spool::Applied;
use types::{
    AccountId, AccountTrade, AggTrade, Amount, AssetId, CancelCause, Candle, ClOrdId, Event, Fill,
    InstrumentId, Interval, Order, OrderAccepted, OrderAmended, OrderCanceled, OrderId, OrderRef,
    OrderStatus, OrderType, Price, Qty, Side, StpMode, TimeInForce, TimeZone, TradeExecuted,
    TradeId,
};

use crate::changes::Changes;
use crate::error::ProjectionError;
use crate::feed::backend::Store;
use crate::page::Page;
use crate::question::{
    AggFilter, AggTrades, AllOrders, Ask, HistoricalTrades, Klines, MyTrades, OneOrder,
    OrderFilter, OrdersInAll, Times, TradeFilter, TradesInAll,
};
use crate::sqlite::names::Filtered;
use crate::sqlite::query::answer;
use crate::sqlite::reader::Reader;
use crate::sqlite::status;
use crate::sqlite::store::{SqliteStore, write_changes};

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
                operated: None,
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

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path).unwrap()
}

fn history(path: &Path) -> Reader {
    Reader::new(path.to_path_buf())
}

/// Asks on this thread.
fn ask<Q: Ask>(history: &Reader, question: Q) -> Q::Answer {
    let question = question.into();
    let answer = history.ask(|connection| answer(connection, &question));
    Q::own(answer.unwrap()).unwrap()
}

/// All rows of the tables that orders and trades go to.
fn rows(path: &Path) -> Vec<Vec<Value>> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let tables = [
        "progress",
        "gaps",
        "orders",
        "order_blocks",
        "trades",
        "trade_blocks",
        "fills",
        "candles",
    ];
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
    let Klines { interval, zone, times, limit, now_ns, .. } = *klines;
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
            let instrument = INSTRUMENT;
            let klines = Klines { instrument, interval, zone, times, limit, now_ns };
            let found = ask(&history, klines);
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
            write_changes(&transaction, &changes, &mut Filtered::default()).unwrap();
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
fn holes_are_reported() {
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
    let filter = AggFilter { limit: 99, ..AggFilter::default() };
    let agg = ask(&history(&path), AggTrades { instrument: INSTRUMENT, filter });
    let ids: Vec<u64> = agg.iter().map(|agg| agg.first_trade.0).collect();
    assert_eq!(ids, (6..=10).chain(14..=20).collect::<Vec<_>>());
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
    let ask = |filter| ask(&history, AggTrades { instrument: INSTRUMENT, filter });
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
                    if from_id.is_some() || start_ns.is_some() {
                        expect.truncate(limit);
                    } else {
                        drop(expect.drain(..expect.len().saturating_sub(limit)));
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
    let last = HistoricalTrades { instrument: INSTRUMENT, from_id: None, limit: 99 };
    let count = || ask(&history, last).len();
    open(&path).add(&applied).unwrap();
    assert_eq!(count(), 5);
    crate::sqlite::files::remove(&path).unwrap();
    open(&path).add(&applied[..2]).unwrap();
    assert_eq!(count(), 2);
}
