//! Finished orders and trades that the engine keeps.

use types::{AccountId, Command, InstrumentId, OrderRef, UpdateAccount};

use crate::house::{House, account_spec};
use crate::script::{check, play};

#[test]
fn finished_orders_are_kept_up_to_the_accounts_limit() {
    check(
        "with account 1 finished=2 trades=2
         1 buy 1 @ 10 as a
         1 cancel a
         1 buy 1 @ 10 as a
         2 sell 1 @ 10
         1 buy 1 @ 10 as a ioc
         1 finished
         1 order #1
         1 order #2
         1 order a
         1 buy 1 @ 9 as a
         1 order a
         restart
         1 finished
         1 order #3
         1 order a #3
         1 order b #3
         2 order #3
         1 order z
         1 order
         1 order a on 1",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "canceled 1 0/1 Requested",
            "accepted 2 1",
            "rested 2 1@10",
            "accepted 3 1",
            "trade 2!<3! 1@10",
            "accepted 4 1",
            "expired 4 0/1 ImmediateOrCancel",
            "finished 2 4",
            "no order",
            "order 2 a Filled 1/1 =10",
            "order 4 a Expired 0/1 =0",
            "accepted 5 1",
            "rested 5 1@9",
            "order 5 a New 0/1 =0",
            "finished 2 4",
            "no order",
            "no order",
            "no order",
            "order 3 unnamed-2 Filled 1/1 =10",
            "no order",
            "no order",
            "no order",
        ],
    );
}

#[test]
fn trades_are_kept_up_to_the_accounts_limit() {
    check(
        "with account 1 trades=2
         with account 3 trades=0 finished=0
         1 sell 5 @ 10
         2 buy 1 @ 10
         3 buy 1 @ 10
         2 buy 1 @ 10
         1 trades
         2 trades
         3 trades
         3 finished
         3 order #3
         restart
         1 trades",
        &[
            "accepted 1 5",
            "rested 1 5@10",
            "accepted 2 1",
            "trade 1<2! 1@10",
            "accepted 3 1",
            "trade 1<3! 1@10",
            "accepted 4 1",
            "trade 1<4! 1@10",
            "trades 2:1:maker 3:1:maker",
            "trades 1:2:taker 3:4:taker",
            "trades",
            "finished",
            "no order",
            "trades 2:1:maker 3:1:maker",
        ],
    );
}

#[test]
fn an_account_may_keep_nothing() {
    check(
        "with account 1 trades=0 finished=0
         1 sell 1 @ 10 as a
         1 cancel a
         1 sell 3 @ 10 as b
         2 buy 1 @ 10
         2 buy 2 @ 10
         1 finished
         1 trades
         1 order a
         1 order b
         restart
         1 finished",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "canceled 1 0/1 Requested",
            "accepted 2 3",
            "rested 2 3@10",
            "accepted 3 1",
            "trade 2<3! 1@10",
            "accepted 4 2",
            "trade 2!<4! 2@10",
            "finished",
            "trades",
            "no order",
            "no order",
            "finished",
        ],
    );
}

#[test]
fn a_lower_limit_lets_go_of_the_oldest_at_once() {
    let (mut venue, _) = play(
        "1 sell 1 @ 10
         1 sell 1 @ 10
         1 sell 1 @ 10
         2 buy 3 @ 10",
    );
    let mut spec = account_spec(1);
    (spec.finished_orders_kept, spec.trades_kept) = (1, 2);
    venue.apply(0, Command::UpdateAccount(UpdateAccount { account: AccountId(1), spec }));
    let finished = venue.engine.finished_orders(AccountId(1)).map(|order| order.order_id.0);
    assert_eq!(finished.collect::<Vec<_>>(), [3]);
    let trades = venue.engine.account_trades(AccountId(1)).map(|trade| trade.trade_id.0);
    assert_eq!(trades.collect::<Vec<_>>(), [2, 3]);
    let first = OrderRef::by_id(types::OrderId(1));
    assert_eq!(venue.engine.order(AccountId(1), InstrumentId(0), &first), None);
}

#[test]
fn a_name_means_the_order_that_finished_last() {
    check(
        "1 buy 1 @ 10 as a
         1 cancel a
         1 buy 2 @ 10 as a
         1 cancel a
         1 buy 3 @ 10 on 1 as a
         1 cancel a on 1
         1 order a
         1 order a on 1",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "canceled 1 0/1 Requested",
            "accepted 2 2",
            "rested 2 2@10",
            "canceled 2 0/2 Requested",
            "accepted 1 3",
            "rested 1 3@10",
            "canceled 1 0/3 Requested",
            "order 2 a Canceled 0/2 =0",
            "order 1 a Canceled 0/3 =0",
        ],
    );
}

#[test]
fn nothing_is_known_of_strangers() {
    let venue = House::default().open();
    let engine = &venue.engine;
    let unknown = AccountId(99);
    assert_eq!(engine.balances(unknown).count(), 0);
    assert_eq!(engine.open_orders(unknown, InstrumentId(0)).count(), 0);
    assert_eq!(engine.open_orders(AccountId(1), InstrumentId(99)).count(), 0);
    assert_eq!(engine.finished_orders(unknown).count(), 0);
    assert_eq!(engine.account_trades(unknown).count(), 0);
    assert_eq!(engine.levels(InstrumentId(99), types::Side::Buy).count(), 0);
    assert_eq!(engine.resting(InstrumentId(99), types::Side::Buy).count(), 0);
    assert_eq!(engine.last_ids(InstrumentId(99)), None);
}
