//! What happens is in the read model, once, and the same when it is made anew.

use projection::sqlite::status;
use projection::{
    AggFilter, AggTrades, AllOrders, HistoricalTrades, HistoryRetention, Klines, MyTrades,
    OneOrder, OneTrade, OrderFilter, PreventedFilter, PreventedMatches, Times, TradeFilter,
};
use rusqlite::types::Value;
use types::{
    AccountId, AccountTrade, BustTrade, CancelAll, Command, CorrectTrade, Event, Interval, Order,
    OrderRef, Price, Side, TimeZone, TradeId,
};
use venue::{Durability, Opened, Settings};

use crate::support::*;

const ALL: OrderFilter =
    OrderFilter { from_id: None, times: Times { start_ns: None, end_ns: None }, limit: 10_000 };
const ALL_TRADES: TradeFilter = TradeFilter {
    order_id: None,
    from_id: None,
    times: Times { start_ns: None, end_ns: None },
    limit: 10_000,
};

#[test]
fn what_the_engine_keeps_is_what_is_answered() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..400);
    venue.wait();
    let instrument = INSTRUMENT;
    let mut prevented = 0;
    for account in [ALICE, BOB] {
        let asked = venue.handle().read(move |engine| {
            let finished = engine.finished_orders(account);
            let mut orders: Vec<Order> =
                finished.chain(engine.open_orders(account, INSTRUMENT)).collect();
            orders.sort_unstable_by_key(|order| order.order_id);
            (orders, engine.account_trades(account).collect::<Vec<AccountTrade>>())
        });
        let (orders, trades) = asked.unwrap().blocking_recv().unwrap();
        assert!(orders.len() > 100 && trades.len() > 50);
        assert_eq!(venue.ask(AllOrders { account, instrument, filter: ALL }).unwrap(), orders);
        let all_trades = MyTrades { account, instrument, filter: ALL_TRADES };
        assert_eq!(venue.ask(all_trades).unwrap(), trades);
        for order in &orders {
            for found_by in
                [OrderRef::by_id(order.order_id), OrderRef::by_cl_ord_id(order.cl_ord_id)]
            {
                let asked = OneOrder { account, instrument, order: found_by };
                assert_eq!(venue.ask(asked).unwrap(), Some(*order));
            }
            let filter = TradeFilter { order_id: Some(order.order_id), ..ALL_TRADES };
            let expect: Vec<_> =
                trades.iter().copied().filter(|trade| trade.order_id == order.order_id).collect();
            assert_eq!(venue.ask(MyTrades { account, instrument, filter }).unwrap(), expect);
            let filter =
                PreventedFilter::OfOrder { order_id: order.order_id, from_id: 0, limit: 10 };
            let of_order = PreventedMatches { account, instrument, filter };
            prevented += venue.ask(of_order).unwrap().len();
        }
        check_filters(&venue, account, &orders, &trades);
    }
    assert!(prevented > 0);
    let other = OneOrder { account: BOB, instrument, order: OrderRef::by_cl_ord_id(name(0)) };
    assert_eq!(venue.ask(other).unwrap(), None, "it is Alice's");
    venue.stop();
}

/// Each filter against the plain way.
fn check_filters(venue: &Venue, account: AccountId, orders: &[Order], trades: &[AccountTrade]) {
    let (instrument, middle) = (INSTRUMENT, orders[orders.len() / 2]);
    let all_orders = |filter| venue.ask(AllOrders { account, instrument, filter }).unwrap();
    let last = &orders[orders.len() - 7..];
    assert_eq!(all_orders(OrderFilter { limit: 7, ..ALL }), last);
    let from_id = OrderFilter { from_id: Some(middle.order_id), limit: 5, ..ALL };
    let expect: Vec<_> = orders.iter().filter(|o| o.order_id >= middle.order_id).take(5).collect();
    assert_eq!(all_orders(from_id).iter().collect::<Vec<_>>(), expect);
    let times = Times { start_ns: Some(middle.created_ns), end_ns: None };
    let expect: Vec<_> =
        orders.iter().filter(|o| o.created_ns >= middle.created_ns).take(5).collect();
    let from_then = all_orders(OrderFilter { times, limit: 5, ..ALL });
    assert_eq!(from_then.iter().collect::<Vec<_>>(), expect);
    let times = Times { start_ns: None, end_ns: Some(middle.created_ns) };
    let mut expect: Vec<_> =
        orders.iter().rev().filter(|o| o.created_ns <= middle.created_ns).take(5).collect();
    expect.reverse();
    let until_then = all_orders(OrderFilter { times, limit: 5, ..ALL });
    assert_eq!(until_then.iter().collect::<Vec<_>>(), expect);

    let middle = trades[trades.len() / 2];
    let my_trades = |filter| venue.ask(MyTrades { account, instrument, filter }).unwrap();
    assert_eq!(my_trades(TradeFilter { limit: 7, ..ALL_TRADES }), trades[trades.len() - 7..]);
    let from_id = TradeFilter { from_id: Some(middle.trade_id), limit: 5, ..ALL_TRADES };
    let expect: Vec<_> =
        trades.iter().copied().filter(|t| t.trade_id >= middle.trade_id).take(5).collect();
    assert_eq!(my_trades(from_id), expect);
    let times = Times { start_ns: Some(middle.traded_ns), end_ns: Some(middle.traded_ns) };
    let expect: Vec<_> =
        trades.iter().copied().filter(|t| t.traded_ns == middle.traded_ns).collect();
    assert_eq!(my_trades(TradeFilter { times, ..ALL_TRADES }), expect);
}

#[test]
fn busts_and_corrections_are_answered_as_the_engine_keeps_them() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.send(ALICE, limit(0, Side::Sell, 1_000, 6));
    for number in 1..=3 {
        venue.send(BOB, limit(number, Side::Buy, 1_000, 2));
    }
    let (instrument, buyer, seller) = (INSTRUMENT, BOB, ALICE);
    let correct = |trade_id, price| {
        let (trade_id, price) = (TradeId(trade_id), Price::from_ticks(price));
        let correct = CorrectTrade { instrument, trade_id, buyer, seller, price };
        venue.send(AccountId::VENUE, Command::CorrectTrade(correct));
    };
    let bust = |trade_id| {
        let bust = BustTrade { instrument, trade_id: TradeId(trade_id), buyer, seller };
        venue.send(AccountId::VENUE, Command::BustTrade(bust));
    };
    correct(1, 1_010);
    correct(1, 1_020);
    bust(1);
    bust(2);
    venue.wait();
    for account in [ALICE, BOB] {
        let kept = venue
            .handle()
            .read(move |engine| engine.account_trades(account).collect::<Vec<AccountTrade>>());
        let kept = kept.unwrap().blocking_recv().unwrap();
        let asked = MyTrades { account, instrument, filter: ALL_TRADES };
        assert_eq!(venue.ask(asked).unwrap(), kept);
        let revised: Vec<_> =
            kept.iter().map(|trade| (trade.price.ticks(), trade.revision.busted_ns > 0)).collect();
        assert_eq!(revised, [(1_020, true), (1_000, true), (1_000, false)]);
        assert_eq!(kept[0].revision.orig_price, Some(Price::from_ticks(1_000)));
    }
    let sides = venue.ask(OneTrade { instrument, trade_id: TradeId(1) }).unwrap();
    let who: Vec<_> = sides.iter().map(|(account, trade)| (*account, trade.side)).collect();
    assert_eq!(who, [(ALICE, Side::Sell), (BOB, Side::Buy)]);
    assert!(venue.ask(OneTrade { instrument, trade_id: TradeId(9) }).unwrap().is_empty());
    let public = HistoricalTrades { instrument, from_id: Some(TradeId(1)), limit: 9 };
    let prices: Vec<_> =
        venue.ask(public).unwrap().iter().map(|trade| trade.price.ticks()).collect();
    assert_eq!(prices, [1_000; 3], "as executed");
    venue.stop();
}

#[test]
fn everybodys_trades_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..300);
    // Bob shall not meet himself.
    let cl_ord_id = name(2_000);
    venue.send(BOB, Command::CancelAll(CancelAll { instrument: INSTRUMENT, cl_ord_id }));
    // One order that takes from several at one price, and then at another.
    for (number, price) in [(1_000, 1_500), (1_001, 1_500), (1_002, 1_501)] {
        venue.send(ALICE, limit(number, Side::Sell, price, 10));
    }
    let reply = venue.send(BOB, limit(1_003, Side::Buy, 1_501, 1_000));
    let fills = reply.events().filter(|e| matches!(e, Event::TradeExecuted(_))).count();
    venue.wait();
    let instrument = INSTRUMENT;
    let historical =
        |from_id, limit| venue.ask(HistoricalTrades { instrument, from_id, limit }).unwrap();
    let trades = historical(Some(TradeId(1)), 10_000);
    let ids: Vec<u64> = trades.iter().map(|trade| trade.trade_id.0).collect();
    assert_eq!(ids, (1..=trades.len() as u64).collect::<Vec<_>>());
    assert_eq!(historical(None, 3), trades[trades.len() - 3..]);

    let agg_trades = |filter| venue.ask(AggTrades { instrument, filter }).unwrap();
    let agg = agg_trades(AggFilter { limit: 10_000, ..Default::default() });
    assert!(agg.len() < trades.len() && fills > 2);
    let mut next = 1;
    for agg in &agg {
        assert_eq!(agg.first_trade.0, next, "none is left out");
        next = agg.last_trade.0 + 1;
        let within = |id: u64| (agg.first_trade.0..=agg.last_trade.0).contains(&id);
        let of: Vec<_> = trades.iter().filter(|trade| within(trade.trade_id.0)).collect();
        assert_eq!(agg.qty, of.iter().map(|trade| trade.qty).sum());
        assert_eq!(agg.quote, of.iter().map(|trade| trade.quote).sum());
        assert!(of.iter().all(|t| (t.price, t.traded_ns) == (agg.price, agg.traded_ns)));
    }
    assert_eq!(next, trades.len() as u64 + 1);
    let at_1500 = agg.iter().find(|agg| agg.price.ticks() == 1_500).unwrap();
    assert_eq!(at_1500.qty.lots(), 20);
    let from_id = AggFilter { from_id: Some(agg[5].first_trade), limit: 3, ..Default::default() };
    assert_eq!(agg_trades(from_id), agg[5..8]);

    let klines = Klines {
        instrument,
        interval: Interval::Month1,
        zone: TimeZone::UTC,
        times: Times::default(),
        limit: 1_000,
        now_ns: trades.last().unwrap().traded_ns,
    };
    let month = venue.ask(klines).unwrap();
    let count: u64 = month.iter().map(|candle| candle.trade_count).sum();
    assert_eq!(count, trades.len() as u64);
    venue.stop();
}

#[test]
fn it_goes_on_where_it_stopped_and_rebuilding_gives_the_same() {
    let dir = tempfile::tempdir().unwrap();
    for first in [0, 100, 200] {
        let venue = Venue::start(dir.path());
        venue.trade(first..first + 100);
        venue.stop();
    }
    let venue_sequence = Opened::open(settings(dir.path())).unwrap().engine().sequence();
    let before = tables(dir.path());
    let status = status(dir.path()).unwrap();
    assert_eq!(status.progress.first_sequence, 1);
    assert!(status.progress.sequence >= venue_sequence - 5, "{status:?}, {venue_sequence}");
    assert!(status.gaps.is_empty());
    assert!(status.rows.iter().any(|(table, rows)| *table == "trades" && *rows > 50));

    let rebuilt = rebuild(dir.path()).unwrap();
    assert_eq!((rebuilt.first_sequence, rebuilt.last_sequence), (1, status.progress.sequence));
    assert_eq!(tables(dir.path()), before);

    // From the spool, all at once.
    std::fs::remove_dir_all(dir.path().join("projection")).unwrap();
    let venue = Venue::start(dir.path());
    venue.wait();
    venue.stop();
    assert_eq!(rest(tables(dir.path())), rest(before));
}

/// All but how it came about.
fn rest(tables: Vec<(String, Vec<Vec<Value>>)>) -> Vec<(String, Vec<Vec<Value>>)> {
    tables.into_iter().filter(|(name, _)| name != "progress").collect()
}

#[test]
fn holes_are_filled_once_the_spool_has_their_events() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.trade(0..100);
    venue.wait();
    venue.stop();
    let whole = rest(tables(dir.path()));
    let file = rusqlite::Connection::open(dir.path().join("projection/history.sqlite")).unwrap();
    file.execute("INSERT INTO gaps VALUES (20, 40)", []).unwrap();
    let lost = file.execute("DELETE FROM trades WHERE trade_id < 10", []).unwrap();
    assert!(lost > 0);
    drop(file);
    assert_ne!(rest(tables(dir.path())), whole);

    let venue = Venue::start(dir.path());
    venue.wait();
    venue.stop();
    assert_eq!(rest(tables(dir.path())), whole);
}

#[test]
fn a_running_venue_is_not_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.wait();
    let sentence = rebuild(dir.path()).unwrap_err();
    assert!(sentence.contains("is in use"), "{sentence}");
    venue.stop();
}

#[test]
fn the_read_model_of_a_venue_that_is_gone_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let in_memory = || Settings { durability: Durability::Memory, ..settings(dir.path()) };
    let venue = Venue::start_with(in_memory());
    venue.trade(0..50);
    venue.wait();
    venue.stop();
    let venue = Venue::start_with(in_memory());
    venue.trade(0..3);
    venue.wait();
    let all = AllOrders { account: ALICE, instrument: INSTRUMENT, filter: ALL };
    let orders = venue.ask(all).unwrap();
    assert_eq!(orders.len(), 1);
    venue.stop();
}

#[tokio::test]
async fn an_acknowledged_client_sees_its_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_owned();
    let (venue, order_id, sequence) = tokio::task::spawn_blocking(move || {
        let venue = Venue::start(&path);
        venue.trade(0..50);
        let reply = venue.send(ALICE, limit(999, Side::Buy, 5, 1));
        let Some(Event::OrderAccepted(accepted)) = reply.events().next() else {
            panic!("accepted")
        };
        (venue, accepted.order.order_id, reply.applied.sequence)
    })
    .await
    .unwrap();
    let deadline = tokio::time::Instant::now() + LONG;
    venue.history.wait_until(sequence, deadline).await.unwrap();
    let order = OrderRef::by_id(order_id);
    let by_id = OneOrder { account: ALICE, instrument: INSTRUMENT, order };
    let found = projection::ask(&*venue.history, by_id, 0).await.unwrap().unwrap();
    assert_eq!(found.cl_ord_id, name(999));
    let soon = tokio::time::Instant::now() + std::time::Duration::from_millis(20);
    let behind = venue.history.wait_until(sequence + 1_000_000, soon).await.unwrap_err();
    assert!(behind.sequence >= sequence);
    tokio::task::spawn_blocking(|| venue.stop()).await.unwrap();
}

/// Events gather for a tenth of a second, but not while a reader waits for them.
#[test]
fn a_question_wakes_it() {
    const ORDERS: u32 = 40;
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let begun = std::time::Instant::now();
    for _ in 0..ORDERS {
        let sequence = venue.send(ALICE, limit(999, Side::Buy, 5, 1)).applied.sequence;
        let deadline = tokio::time::Instant::now() + LONG;
        runtime.block_on(venue.history.wait_until(sequence, deadline)).unwrap();
    }
    assert!(begun.elapsed() < std::time::Duration::from_millis(75) * ORDERS);
    venue.stop();
}

#[test]
fn it_reports_how_far_behind_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let opened = Opened::open(settings(dir.path())).unwrap();
    let projection = testing::feed::start(dir.path(), &opened, HistoryRetention::ALL);
    projection.stop();
    drop(opened);
    let venue = Venue::start(dir.path());
    venue.trade(0..20);
    venue.wait();
    let text = venue.metrics();
    assert!(text.contains("buttonwood_projection_lag_commands 0\n"), "{text}");
    assert!(text.contains("buttonwood_projection_alarm 0\n"), "{text}");
    venue.stop();
}
