//! Self-trade prevention: no account trades with itself unless its mode allows it.

use types::{AccountId, AccountRisk, Command, Event, OrderStatus, SetAccountRisk, Side, StpMode};

use crate::house::{House, limit};
use crate::script::check;

#[test]
fn without_a_mode_an_account_trades_with_itself() {
    check(
        "1 sell 5 @ 100
         1 buy 5 @ 100",
        &["accepted 1 5", "rested 1 5@100", "accepted 2 5", "trade 1!<2! 5@100"],
    );
}

#[test]
fn the_aggressor_expires() {
    check(
        "2 sell 2 @ 100
         1 sell 5 @ 100
         2 sell 2 @ 100
         1 buy 9 @ 100 stp taker
         1 balance
         book",
        &[
            "accepted 1 2",
            "rested 1 2@100",
            "accepted 2 5",
            "rested 2 5@100",
            "accepted 3 2",
            "rested 3 2@100",
            "accepted 4 9",
            "trade 1!<4 2@100",
            "prevented 2<4 5@100 ExpireTaker",
            "expired 4 2/2 SelfTrade",
            "balance 999997+5B 999800Q 1000000C",
            "book | 7@100",
        ],
    );
}

#[test]
fn the_resting_order_expires() {
    check(
        "1 sell 5 @ 100
         1 sell 5 @ 100 display 2
         1 sell 5 @ 100 hidden
         2 sell 2 @ 100
         1 buy 9 @ 100 stp maker
         1 balance
         book",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 2@100",
            "accepted 3 5",
            "accepted 4 2",
            "rested 4 2@100",
            "accepted 5 9",
            "prevented 1<5 5@100 ExpireMaker",
            "reduced 1 5@100",
            "expired 1 0/0 SelfTrade",
            "prevented 2<5 2@100 ExpireMaker",
            "reduced 2 2@100",
            "expired 2 0/0 SelfTrade",
            "trade 4!<5 2@100",
            "prevented 3<5 5@100 ExpireMaker",
            "expired 3 0/0 SelfTrade",
            "rested 5 7@100",
            "balance 1000002B 999100+700Q 1000000C",
            "book 7@100 |",
        ],
    );
}

#[test]
fn both_expire() {
    check(
        "1 sell 5 @ 100
         1 buy market 9 stp both
         1 buy market quote 900 stp both
         1 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 9",
            "prevented 1<2 5@100 ExpireBoth",
            "reduced 1 5@100",
            "expired 1 0/0 SelfTrade",
            "expired 2 0/0 SelfTrade",
            "rejected NoLiquidity",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

#[test]
fn both_are_lowered() {
    check(
        "1 sell 5 @ 100 as s
         1 buy 3 @ 100 stp decrement as b
         1 order s
         1 balance
         restart
         2 buy 1 @ 100
         1 buy 4 @ 100 stp decrement as c
         1 order s
         1 order c
         1 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 3",
            "prevented 1<2 3@100 Decrement",
            "reduced 1 3@100 left 2",
            "decremented 1 -3 0/2",
            "expired 2 0/0 SelfTrade",
            "order 1 s New 0/2 =0",
            "balance 999998+2B 1000000Q 1000000C",
            "accepted 3 1",
            "trade 1<3! 1@100",
            "reduced 1 1@100 left 1",
            "accepted 4 4",
            "prevented 1<4 1@100 Decrement",
            "reduced 1 1@100",
            "expired 1 1/1 SelfTrade",
            "decremented 4 -1 0/3",
            "rested 4 3@100",
            "order 1 s Prevented 1/1 =100",
            "order 4 c New 0/3 =0",
            "balance 999999B 999800+300Q 1000000C",
        ],
    );
}

#[test]
fn an_iceberg_is_lowered_by_its_displayed_part() {
    check(
        "1 sell 5 @ 100 display 2
         2 sell 1 @ 100
         1 buy 4 @ 100 stp decrement
         book",
        &[
            "accepted 1 5",
            "rested 1 2@100",
            "accepted 2 1",
            "rested 2 1@100",
            "accepted 3 4",
            "prevented 1<3 2@100 Decrement",
            "reduced 1 2@100",
            "decremented 1 -2 0/3",
            "rested 1 2@100",
            "decremented 3 -2 0/2",
            "trade 2!<3 1@100",
            "prevented 1<3 1@100 Decrement",
            "reduced 1 1@100 left 1",
            "decremented 1 -1 0/2",
            "expired 3 1/1 SelfTrade",
            "book | 1@100",
        ],
    );
}

#[test]
fn an_amount_is_lowered_by_the_prevented_cost() {
    check(
        "1 sell 2 @ 100
         2 sell 9 @ 101
         1 buy market quote 410 stp decrement
         1 sell 2 @ 90
         1 buy market quote 200 stp decrement
         1 buy market quote 50 stp decrement
         1 sell 2 @ 90
         1 buy market quote 180 stp decrement",
        &[
            "accepted 1 2",
            "rested 1 2@100",
            "accepted 2 9",
            "rested 2 9@101",
            "accepted 3 quote 410",
            "prevented 1<3 2@100 Decrement",
            "reduced 1 2@100",
            "expired 1 0/0 SelfTrade",
            "decremented 3 -2 0/0",
            "trade 2<3! 2@101",
            "accepted 4 2",
            "rested 4 2@90",
            "accepted 5 quote 200",
            "prevented 4<5 2@90 Decrement",
            "reduced 4 2@90",
            "expired 4 0/0 SelfTrade",
            "expired 5 0/0 SelfTrade",
            "rejected MarketQtyBelowMin",
            "accepted 6 2",
            "rested 6 2@90",
            "accepted 7 quote 180",
            "prevented 6<7 2@90 Decrement",
            "reduced 6 2@90",
            "expired 6 0/0 SelfTrade",
            "expired 7 0/0 SelfTrade",
        ],
    );
}

#[test]
fn an_amount_may_buy_no_lot_behind_own_orders() {
    check(
        "1 sell 5 @ 50
         2 sell 5 @ 100
         1 buy market quote 60 stp maker",
        &[
            "accepted 1 5",
            "rested 1 5@50",
            "accepted 2 5",
            "rested 2 5@100",
            "accepted 3 quote 60",
            "prevented 1<3 1@50 ExpireMaker",
            "reduced 1 5@50",
            "expired 1 0/0 SelfTrade",
            "expired 3 0/0 BelowOneLot",
        ],
    );
}

#[test]
fn prevented_trades_are_published_and_counted() {
    let (mut venue, _) = crate::script::play(
        "1 sell 5 @ 100
         1 sell 5 @ 101",
    );
    let mut buy = limit("b", Side::Buy, 8, 101);
    buy.stp_mode = StpMode::Decrement;
    let events = venue.apply(1, Command::NewOrder(buy));
    let prevented: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::TradePrevented(e) => Some((e.prevented_match_id, e.qty.lots(), e.prevented_ns)),
            _ => None,
        })
        .collect();
    assert_eq!(prevented, [(1, 5, venue.now_ns), (2, 3, venue.now_ns)]);
    let Some(Event::OrderExpired(expired)) = events.last() else { panic!("{events:?}") };
    assert_eq!(expired.order.terms.unwrap().prevented_qty.lots(), 8);
    venue.restart();
    let mut buy = limit("c", Side::Buy, 1, 101);
    buy.stp_mode = StpMode::ExpireTaker;
    let events = venue.apply(1, Command::NewOrder(buy));
    let Some(Event::TradePrevented(third)) = events.get(1) else { panic!("{events:?}") };
    assert_eq!(third.prevented_match_id, 3);
}

#[test]
fn accounts_of_one_group_do_not_trade() {
    let mut venue = House::default().open();
    let mut group = |account: u32, stp_group| {
        let risk = AccountRisk { stp_group, ..AccountRisk::PLAIN };
        let set = SetAccountRisk { account: AccountId(account), risk };
        assert_eq!(venue.reason(0, Command::SetAccountRisk(set)), None);
    };
    group(1, 7);
    group(2, 7);
    group(3, 8);
    for (account, name) in [(1, "s1"), (3, "s3"), (4, "s4")] {
        venue.apply(account, Command::NewOrder(limit(name, Side::Sell, 1, 100)));
    }
    venue.restart();
    let mut buy = limit("b", Side::Buy, 3, 100);
    buy.stp_mode = StpMode::ExpireMaker;
    let events = venue.apply(2, Command::NewOrder(buy));
    let makers = |wanted: fn(&Event) -> Option<u32>| -> Vec<u32> {
        events.iter().filter_map(wanted).collect()
    };
    let prevented = makers(|event| match event {
        Event::TradePrevented(e) => Some(e.maker_account.0),
        _ => None,
    });
    let ended = events.iter().find_map(|event| match event {
        Event::OrderExpired(e) => e.prevented.map(|prevented| (e.order.account, prevented)),
        _ => None,
    });
    let (owner, part) = ended.unwrap();
    assert_eq!((owner, part.stp_group, part.prevented_match_id), (AccountId(1), 7, 1));
    let traded = makers(|event| match event {
        Event::TradeExecuted(e) => Some(e.maker.order.account.0),
        _ => None,
    });
    assert_eq!((prevented, traded), (vec![1], vec![3, 4]));
    let mut none = limit("n", Side::Sell, 1, 100);
    none.stp_mode = StpMode::None;
    let events = venue.apply(1, Command::NewOrder(none));
    assert!(matches!(events.last(), Some(Event::TradeExecuted(_))), "its mode decides: {events:?}");
}

/// Both accounts get an event of their own, with a number of their own.
#[test]
fn each_side_of_a_prevented_trade_is_reported() {
    let mut venue = House::default().open();
    for account in [1, 2] {
        let risk = AccountRisk { stp_group: 7, ..AccountRisk::PLAIN };
        let set = SetAccountRisk { account: AccountId(account), risk };
        venue.apply(0, Command::SetAccountRisk(set));
    }
    venue.apply(1, Command::NewOrder(limit("s", Side::Sell, 5, 100)));
    let mut buy = limit("b", Side::Buy, 8, 101);
    buy.stp_mode = StpMode::Decrement;
    venue.apply(3, Command::NewOrder(limit("s3", Side::Sell, 3, 101)));
    let report = |events: &[Event], account: u32| {
        let own = events.iter().filter(|event| {
            let seqs = event.account_seqs();
            seqs.map(|(of, _)| of).any(|of| of == AccountId(account))
        });
        own.filter_map(|event| match event {
            Event::OrderDecremented(e) => Some((e.order, e.prevented)),
            Event::OrderExpired(e) => e.prevented.map(|prevented| (e.order, prevented)),
            _ => None,
        })
        .next()
        .unwrap()
    };
    let mut small = limit("b1", Side::Buy, 2, 100);
    small.stp_mode = StpMode::Decrement;
    let events = venue.apply(2, Command::NewOrder(small));
    let (order, prevented) = report(&events, 1);
    assert_eq!((order.status, order.order_qty.lots()), (OrderStatus::New, 3));
    assert_eq!(order.terms.unwrap().prevented_qty.lots(), 2);
    assert_eq!((prevented.qty.lots(), prevented.prevented_qty.lots()), (2, 2));
    assert_eq!((prevented.counter_order_id.0, prevented.stp_group), (3, 7));
    let (order, prevented) = report(&events, 2);
    assert_eq!((order.status, order.order_qty.lots()), (OrderStatus::Prevented, 0));
    assert_eq!((prevented.counter_order_id.0, prevented.price.ticks()), (1, 100));

    let events = venue.apply(2, Command::NewOrder(buy));
    assert_eq!(report(&events, 1).0.status, OrderStatus::Prevented);
    let (order, prevented) = report(&events, 2);
    assert_eq!((order.status, order.order_qty.lots()), (OrderStatus::New, 5));
    assert_eq!(order.terms.unwrap().prevented_match_id, prevented.prevented_match_id);
}

/// Each prevented trade is work, so that an aggressor with many own makers is deferred.
#[test]
fn many_prevented_trades_go_on_in_the_next_command() {
    let mut venue = House::default().open();
    venue.unchecked = true;
    for number in 0..1_001 {
        venue.apply(1, Command::NewOrder(limit(&format!("s{number}"), Side::Sell, 1, 5)));
    }
    let mut buy = limit("b", Side::Buy, 3, 5);
    buy.stp_mode = StpMode::ExpireMaker;
    assert_eq!(venue.apply(1, Command::NewOrder(buy)).len(), 3_001);
    assert!(venue.engine.has_deferred());
    venue.unchecked = false;
    venue.restart();
    assert_eq!(venue.apply(0, Command::Continue(())).len(), 4);
    assert_eq!(venue.levels(0, Side::Buy), [(5, 3)]);
    assert_eq!(venue.levels(0, Side::Sell), []);
}
