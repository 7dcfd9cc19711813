//! Trailing stop orders: their trigger follows the market.

use engine::WORK_PER_COMMAND;
use types::{AccountId, Command, InstrumentId, NewOrder, OrderRef, OrderType, Phase, Side, Terms};

use crate::house::{House, limit, lots, minor, name, ticks};
use crate::script::play;
use crate::trigger::{check_only, set_phase, trade_at, triggered, with_trades};

#[test]
fn at_one_price_trailing_orders_trigger_last() {
    check_only(
        "triggered",
        "last 250
         1 sell 1 stop trail 100
         1 sell 1 stop 247
         1 sell 1 take trail 110
         1 sell 1 stop trail 100
         1 sell 1 stop 247
         restart
         last 247",
        &["triggered 4", "triggered 7", "triggered 3", "triggered 5", "triggered 6"],
    );
}

#[test]
fn an_order_knows_since_when_it_trails() {
    let since = |script: &str| {
        let (venue, _) = play(&with_trades(script));
        let order = OrderRef::by_cl_ord_id(name("t"));
        let order = venue.engine.order(AccountId(1), InstrumentId(0), &order).unwrap();
        (order.terms.unwrap().trailing_ns, order.created_ns, venue.now_ns)
    };
    let at_once = "last 250
         1 sell 1 stop trail 100 as t
         last 251";
    let (trailing_ns, created_ns, _) = since(at_once);
    assert_eq!(trailing_ns, created_ns);
    let later = "last 250
         1 sell 1 stop 240 trail 100 as t
         last 241";
    assert_eq!(since(later).0, 0);
    let (trailing_ns, created_ns, now_ns) = since(&format!("{later}\nlast 240\nrestart"));
    assert!(created_ns < trailing_ns && trailing_ns == now_ns, "{trailing_ns}");
    let triggered = format!("{later}\nlast 240\nlast 239\nlast 237");
    let (trailing_ns, _, now_ns) = since(&triggered);
    assert!(created_ns < trailing_ns && trailing_ns < now_ns, "it stays known");
}

#[test]
fn a_trailing_sell_keeps_the_highest_price() {
    let script = |last: i64| {
        format!(
            "last 250
             1 sell 1 stop trail 100
             last 248
             last 260
             restart
             last 258
             last {last}"
        )
    };
    check_only("triggered", &script(258), &[]);
    check_only("triggered", &script(257), &["triggered 3"]);
    check_only(
        "triggered",
        "last 250
         1 sell 1 take trail 100
         last 248
         last 247",
        &["triggered 3"],
    );
}

#[test]
fn a_trailing_buy_keeps_the_lowest_price() {
    let script = |last: i64| {
        format!(
            "last 250
             1 buy 1 stop trail 100
             last 252
             last 240
             restart
             last 241
             last {last}"
        )
    };
    check_only("triggered", &script(242), &[]);
    check_only("triggered", &script(243), &["triggered 3"]);
    check_only(
        "triggered",
        "last 250
         1 buy 1 take trail 100
         last 252
         last 253",
        &["triggered 3"],
    );
}

#[test]
fn a_trailing_order_with_a_stop_price_begins_there() {
    let takes = |last: i64| {
        format!(
            "last 250
             1 sell 1 take 260 trail 100
             last 259
             last 240
             last 262
             restart
             last {last}"
        )
    };
    check_only("triggered", &takes(260), &[]);
    check_only("triggered", &takes(259), &["triggered 3"]);
    let stops = |last: i64| {
        format!(
            "last 250
             1 sell 1 stop 240 trail 100
             last 241
             last 239
             last {last}"
        )
    };
    check_only("triggered", &stops(237), &[]);
    check_only("triggered", &stops(236), &["triggered 3"]);
    let buys = |last: i64| {
        format!(
            "last 250
             1 buy 1 take 240 trail 100
             last 241
             last 300
             last 239
             last {last}"
        )
    };
    check_only("triggered", &buys(241), &[]);
    check_only("triggered", &buys(242), &["triggered 3"]);
}

#[test]
fn until_the_first_trade_an_order_trails_the_quotes() {
    check_only(
        "canceled triggered",
        "1 sell 1 @ 500 take trail 1000
         2 buy 1 @ 200 as a
         2 buy 1 @ 300 as b
         restart
         2 cancel b
         2 cancel a",
        &["canceled 3 0/1 Requested", "triggered 1", "canceled 2 0/1 Requested"],
    );
    check_only(
        "canceled triggered",
        "1 buy 1 @ 50 stop trail 1000
         2 sell 1 @ 300 as b
         2 sell 1 @ 200 as a
         2 cancel a",
        &["canceled 3 0/1 Requested", "triggered 1"],
    );
}

/// A sweep from the trigger's price to a better one.
#[test]
fn once_reached_an_order_trails_no_more() {
    check_only(
        "triggered",
        "last 250
         1 sell 1 stop trail 100
         2 sell 1 @ 247
         2 sell 1 @ 400
         3 buy 2 @ 400",
        &["triggered 3"],
    );
    let (mut venue, _) = play(&with_trades("last 250 \n 1 sell 1 stop trail 100"));
    venue.apply(0, set_phase(Phase::OpeningAuction));
    trade_at(&mut venue, 247);
    venue.apply(0, set_phase(Phase::Closed));
    venue.apply(0, set_phase(Phase::OpeningAuction));
    trade_at(&mut venue, 300);
    venue.restart();
    assert_eq!(triggered(&venue.apply(0, set_phase(Phase::Continuous))), [3]);
}

/// Trailing orders need every price of a sweep, and each price is work.
#[test]
fn many_prices_are_applied_in_the_next_commands() {
    let mut house = House::default();
    let spec = &mut house.instruments[0];
    (spec.max_price, spec.max_qty) = (ticks(5_000), lots(5_000));
    spec.max_notional = minor(100_000_000);
    house.balances.insert((3, 1), 100_000_000);
    let mut venue = house.open();
    venue.unchecked = true;
    let work = i64::from(WORK_PER_COMMAND);
    for price in 1_000..1_000 + 2 * work {
        let offer = limit(&format!("s{price}"), Side::Sell, 1, price);
        venue.apply(1, Command::NewOrder(offer));
    }
    let terms = Terms { trailing_delta_bps: 5_000, ..Terms::default() };
    let order_type = OrderType::StopLoss;
    let stop = NewOrder { order_type, terms: Some(terms), ..limit("stop", Side::Sell, 1, 0) };
    venue.apply(2, Command::NewOrder(stop));
    let sweep = limit("sweep", Side::Buy, 2 * u64::from(WORK_PER_COMMAND), 5_000);
    venue.apply(3, Command::NewOrder(sweep));
    let mut commands = 1;
    while venue.engine.has_deferred() {
        venue.restart();
        venue.apply(0, Command::Continue(()));
        commands += 1;
    }
    assert_eq!(commands, 5, "two of trades, two of prices, and one that finds nothing more");
    venue.engine.assert_consistent();
    // It trails the last of them: half of 2,999 is 1,499, rounded away.
    let bid = limit("bid", Side::Buy, 1, 1_500);
    venue.apply(3, Command::NewOrder(bid));
    let events = venue.apply(1, Command::NewOrder(limit("s", Side::Sell, 1, 1_500)));
    assert_eq!(triggered(&events), []);
    let bid = limit("bid", Side::Buy, 1, 1_499);
    venue.apply(3, Command::NewOrder(bid));
    let events = venue.apply(1, Command::NewOrder(limit("s", Side::Sell, 1, 1_499)));
    assert_eq!(triggered(&events), [2 * u64::from(WORK_PER_COMMAND) + 1]);
}
