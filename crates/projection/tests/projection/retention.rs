//! What is deleted by age and by size, and what stays.

use projection::sqlite::status;
use projection::{
    AllOrders, HistoricalTrades, HistoryRetention, MyTrades, OneOrder, OrderFilter, Times,
    TradeFilter, TransferFilter, Transfers,
};
use types::{OrderRef, Side};

use crate::support::*;

const ALL: OrderFilter =
    OrderFilter { from_id: None, times: Times { start_ns: None, end_ns: None }, limit: 100_000 };
const TRADES: TradeFilter = TradeFilter {
    order_id: None,
    from_id: None,
    times: Times { start_ns: None, end_ns: None },
    limit: 100_000,
};

fn rows(dir: &std::path::Path, table: &str) -> u64 {
    status(dir).unwrap().rows.iter().find(|(name, _)| *name == table).unwrap().1
}

/// Orders of before and after a pause, of which one of before is still open.
#[test]
fn what_ended_before_the_age_is_deleted_and_open_orders_and_candles_stay() {
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(1_500);
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.send(ALICE, limit(9_000, Side::Buy, 1, 5));
    venue.trade(0..200);
    venue.wait();
    let old_trades = rows(dir.path(), "trades");
    assert!(old_trades > 20);
    std::thread::sleep(PAUSE);
    venue.trade(200..400);
    venue.wait();
    let (trades, old_candles) = (rows(dir.path(), "trades"), rows(dir.path(), "candles"));
    venue.stop();

    let max_age_ns = Some(1_000_000_000);
    let retention = HistoryRetention { max_age_ns, ..HistoryRetention::ALL };
    let venue = Venue::start_keeping(settings(dir.path()), retention);
    let begun = std::time::Instant::now();
    while rows(dir.path(), "trades") > trades - old_trades {
        assert!(begun.elapsed() < LONG, "{} of {trades}", rows(dir.path(), "trades"));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    venue.wait();
    let (account, instrument) = (ALICE, INSTRUMENT);
    let orders = venue.ask(AllOrders { account, instrument, filter: ALL }).unwrap();
    let is_open = |order: &types::Order| order.status.is_open();
    let since = status(dir.path()).unwrap().progress.kept_since_ns;
    assert!(since > 0);
    assert!(orders.iter().all(|order| is_open(order) || order.updated_ns >= since), "{since}");
    let order = OrderRef::by_cl_ord_id(name(9_000));
    let found = venue.ask(OneOrder { account, instrument, order }).unwrap();
    assert!(found.is_some_and(|order| is_open(&order)), "it is open still");
    let trades = venue.ask(MyTrades { account, instrument, filter: TRADES }).unwrap();
    assert!(!trades.is_empty() && trades.iter().all(|trade| trade.traded_ns >= since));
    let public = HistoricalTrades { instrument, from_id: Some(types::TradeId(1)), limit: 100_000 };
    let public = venue.ask(public).unwrap();
    assert!(public.iter().all(|trade| trade.traded_ns >= since));
    assert_eq!(rows(dir.path(), "candles"), old_candles);
    let deposits = TransferFilter {
        is_deposit: true,
        asset: None,
        external_ref: None,
        status: None,
        ids: None,
        times: Times::default(),
        offset: 0,
        limit: 100,
    };
    assert_eq!(venue.ask(Transfers { account, filter: deposits }).unwrap(), []);
    // It goes on.
    venue.trade(400..420);
    venue.wait();
    venue.stop();
}

#[test]
fn the_oldest_goes_while_there_is_more_than_the_size() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    // A busy second, and a quiet one: rows count, not time.
    venue.trade(0..2_800);
    std::thread::sleep(std::time::Duration::from_secs(1));
    venue.trade(2_800..3_000);
    venue.wait();
    let (trades, candles) = (rows(dir.path(), "trades"), rows(dir.path(), "candles"));
    venue.stop();
    let whole = used(dir.path());
    let max_bytes = Some(whole * 2 / 3);
    let retention = HistoryRetention { max_bytes, ..HistoryRetention::ALL };
    let venue = Venue::start_keeping(settings(dir.path()), retention);
    let begun = std::time::Instant::now();
    while used(dir.path()) > whole * 2 / 3 {
        assert!(begun.elapsed() < LONG, "{} of {whole}", used(dir.path()));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let left = rows(dir.path(), "trades");
    assert!(left < trades && left > trades / 4, "{left} of {trades}");
    assert_eq!(rows(dir.path(), "candles"), candles);
    let public = HistoricalTrades { instrument: INSTRUMENT, from_id: None, limit: 100_000 };
    let public = venue.ask(public).unwrap();
    let last = public.last().unwrap().trade_id.0;
    assert_eq!((public.len() as u64, last), (left, trades), "the newest are there");
    venue.stop();
}

/// Bytes in use.
fn used(dir: &std::path::Path) -> u64 {
    let file = rusqlite::Connection::open(projection::sqlite::path(dir)).unwrap();
    let pragma = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    let pages = pragma("page_count") - pragma("freelist_count");
    (pages * pragma("page_size")).unsigned_abs()
}
