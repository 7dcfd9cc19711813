//! Rows of an account are found, whichever blocks they lie in.

use super::*;

const ORDERS: u64 = 10_000;

fn made_ns(number: u64) -> u64 {
    BEGIN_NS + number / 3 * 1_000_000_000
}

/// Each odd order is traded by the even one after it, and names come again every hundred orders.
/// Every thousandth order also takes one that is half as old as all of them. The fourth account
/// trades with itself.
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
        let is_own = taker.is_multiple_of(300) && maker + 1 == taker;
        of(&mut made.maker, maker, if is_own { 4 } else { 1 }, &name);
        let account = if taker.is_multiple_of(300) { 4 } else { 2 + taker as u32 / 2 % 2 };
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
        operated: None,
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
    all.flat_map(|(id, times)| {
        // Most rows take most of the time: they are read from few ids.
        let is_read = move |limit: &usize| *limit < 5_000 || id.is_none_or(|id| id == 4_096);
        [1, 7, 5_000].into_iter().filter(is_read).map(move |limit| (id, times, limit))
    })
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
    if from_id.is_some() || times.start_ns.is_some() {
        wanted.truncate(limit);
    } else {
        drop(wanted.drain(..wanted.len().saturating_sub(limit)));
    }
    wanted
}

fn check_orders(history: &Reader, account: AccountId, orders: &[Order]) {
    for (from_id, times, limit) in filters() {
        let filter = OrderFilter { from_id: from_id.map(OrderId), times, limit };
        let expect = filtered(orders, (from_id, times, limit), |it| (it.order_id.0, it.created_ns));
        let found = ask(history, AllOrders { account, instrument: INSTRUMENT, filter });
        assert_eq!(found, expect, "{account:?} {filter:?}");
        if from_id.is_none() {
            let found = ask(history, OrdersInAll { account, times, limit });
            assert_eq!(found, expect, "{account:?} {filter:?} in all");
        }
    }
    for order in orders.iter().step_by(17) {
        let last = orders
            .iter()
            .filter(|other| other.cl_ord_id == order.cl_ord_id)
            .max_by_key(|it| it.updated_ns);
        assert_eq!(ask(history, named(account, order.cl_ord_id)).as_ref(), last);
    }
    let unknown = named(account, ClOrdId::parse("x").unwrap());
    assert_eq!(ask(history, unknown), None);
}

fn named(account: AccountId, name: ClOrdId) -> OneOrder {
    OneOrder { account, instrument: INSTRUMENT, order: OrderRef::by_cl_ord_id(name) }
}

fn check_trades(history: &Reader, account: AccountId, trades: &[TradeExecuted], orders: &[Order]) {
    let fills =
        trades.iter().flat_map(|trade| [trade.taker, trade.maker].map(|fill| (trade, fill.order)));
    let fills: Vec<(u64, u64, OrderId)> = fills
        .filter(|(_, order)| order.account == account)
        .map(|(trade, order)| (trade.trade_id.0, order.updated_ns, order.order_id))
        .collect();
    let check = |fills: &[(u64, u64, OrderId)],
                 order_id: Option<OrderId>,
                 how: (Option<u64>, Times, usize)| {
        let (from_id, times, limit) = how;
        let filter = TradeFilter { order_id, from_id: from_id.map(TradeId), times, limit };
        let found = ask(history, MyTrades { account, instrument: INSTRUMENT, filter });
        let facts = |found: Vec<AccountTrade>| {
            let facts = found.iter().map(|it| (it.trade_id.0, it.traded_ns, it.order_id));
            facts.collect::<Vec<_>>()
        };
        let expect = filtered(fills, how, |(id, time_ns, _)| (*id, *time_ns));
        assert_eq!(facts(found), expect, "{account:?} {filter:?}");
        if (order_id, from_id) == (None, None) {
            let found = ask(history, TradesInAll { account, times, limit });
            assert_eq!(facts(found), expect, "{account:?} {filter:?} in all");
        }
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

/// An order that was given a name later can be the last of that name, though one that is newer had
/// it first.
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
        request: types::LoweringRequest::Amend,
    });
    // An event, and the accounts of the two names after it.
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
    let mut all = Vec::new();
    for (sequence, (event, of_name, of_other)) in (1..).zip(script) {
        let account = AccountId(2);
        let events = vec![event];
        let applied = Applied {
            sequence,
            sequenced_ns: 1,
            account,
            continues: false,
            operated: None,
            events,
        };
        store.add([&applied]).unwrap();
        let meant = |name| ask(&history, named(account, name)).map(|order| order.order_id.0);
        assert_eq!((meant(name), meant(other)), (of_name, of_other), "after {sequence}");
        all.push(applied);
    }
    // Blocks have both names of the first order, also if both came at once.
    let whole = dir.path().join("whole");
    open(&whole).add(&all).unwrap();
    assert_eq!(rows(&whole), rows(&path));
}
