//! Busts and corrections of trades, and the receivables that they create.

use engine::WORK_PER_COMMAND;
use types::{
    AccountId, AssetId, BustTrade, Command, Event, ExternalRef, InstrumentId, RejectReason, Side,
    TradeId, Withdraw,
};

use crate::house::{House, deposit, limit, minor};
use crate::script::check;

#[test]
fn a_bust_gives_everything_back_once() {
    check(
        "with fees 10000 20000
         1 sell 100 @ 50
         2 buy 60 @ 50
         bust 1 1 2
         bust 1 2 1
         bust 1 2 1
         restart
         bust 1 2 1
         bust 2 2 1
         bust 1 2 1 on 1
         bust 1 2 1 on 7
         correct 1 2 1 @ 40
         1 balance
         2 balance
         0 balance
         receivables
         1 orders",
        &[
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 60",
            "trade 1<2! 60@50 fees 30Q 1B",
            "rejected TradeNotFound",
            "busted 1: 2 -59B 3000Q, 1 60B -2970Q",
            "rejected TradeBustedAlready",
            "rejected TradeBustedAlready",
            "rejected TradeNotFound",
            "rejected TradeNotFound",
            "rejected UnknownInstrument",
            "rejected TradeBustedAlready",
            "balance 999960+40B 1000000Q 1000000C",
            "balance 1000000B 1000000Q 1000000C",
            "balance 0B 0Q",
            "receivables",
            "orders 1",
        ],
    );
}

#[test]
fn spent_proceeds_become_a_receivable_that_deposits_pay() {
    check(
        "with balance 2 0B 1000Q
         with balance 1 100B 0Q
         1 sell 100 @ 10
         2 buy 100 @ 10
         2 withdraw 70B ref a
         1 withdraw 1000Q ref a
         bust 1 2 1
         receivables
         1 risk limits
         settle 1
         settle 9
         restart
         2 deposit 30B ref b
         2 deposit 50B ref c
         1 deposit 600Q ref b
         1 balance
         2 balance
         settle 2
         1 deposit 500Q ref c
         receivables
         1 balance
         2 balance",
        &[
            "accepted 1 100",
            "rested 1 100@10",
            "accepted 2 100",
            "trade 1!<2! 100@10",
            "withdrawn 70 free 30B",
            "withdrawn 1000 free 0Q",
            "busted 1: 2 -30B 0Q, 1 30B 0Q",
            "receivable 1: 2->1 70B, trade 1",
            "receivable 2: 1->2 1000Q, trade 1",
            "receivables [1: 2->1 70B, trade 1] [2: 1->2 1000Q, trade 1]",
            "rejected AccountNotFlat",
            "rejected NothingToSettle",
            "rejected ReceivableNotFound",
            "deposited 30 free 30B",
            "paid 30 of 1: 2->1 40B, trade 1",
            "deposited 50 free 50B",
            "paid 40 of 1: 2->1 0B, trade 1",
            "deposited 600 free 600Q",
            "paid 600 of 2: 1->2 400Q, trade 1",
            "balance 100B 0Q 1000000C",
            "balance 10B 600Q 1000000C",
            "rejected NothingToSettle",
            "deposited 500 free 500Q",
            "paid 400 of 2: 1->2 0Q, trade 1",
            "receivables",
            "balance 100B 100Q 1000000C",
            "balance 10B 1000Q 1000000C",
        ],
    );
}

#[test]
fn later_proceeds_settle_by_command() {
    check(
        "with balance 2 0B 1000Q
         1 sell 100 @ 10
         2 buy 100 @ 10
         2 withdraw 100B ref a
         bust 1 2 1
         3 sell 5 @ 10
         2 buy 5 @ 10
         settle 1
         receivables
         2 balance",
        &[
            "accepted 1 100",
            "rested 1 100@10",
            "accepted 2 100",
            "trade 1!<2! 100@10",
            "withdrawn 100 free 0B",
            "busted 1: 2 0B 1000Q, 1 0B -1000Q",
            "receivable 1: 2->1 100B, trade 1",
            "accepted 3 5",
            "rested 3 5@10",
            "accepted 4 5",
            "trade 3!<4! 5@10",
            "paid 5 of 1: 2->1 95B, trade 1",
            "receivables [1: 2->1 95B, trade 1]",
            "balance 0B 950Q 1000000C",
        ],
    );
}

#[test]
fn spent_fees_become_a_receivable_from_the_venue() {
    check(
        "with fees 10000 10000
         1 sell 100 @ 50
         2 buy 100 @ 50
         0 withdraw 50Q ref a
         bust 1 2 1
         1 balance
         3 sell 40 @ 50
         2 buy 40 @ 50
         settle 1
         0 balance",
        &[
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 100",
            "trade 1!<2! 100@50 fees 50Q 1B",
            "withdrawn 50 free 0Q",
            "busted 1: 2 -99B 5000Q, 1 100B -5000Q",
            "receivable 1: 0->1 50Q, trade 1",
            "balance 1000000B 999950Q 1000000C",
            "accepted 3 40",
            "rested 3 40@50",
            "accepted 4 40",
            "trade 3!<4! 40@50 fees 20Q 0",
            "paid 20 of 1: 0->1 30Q, trade 1",
            "balance 0B 0Q",
        ],
    );
}

#[test]
fn a_rebate_is_given_back_too() {
    check(
        "schedule quote 0:-10000,20000
         1 sell 100 @ 50
         2 buy 100 @ 50
         bust 1 2 1
         1 balance
         2 balance
         0 balance",
        &[
            "schedule 0",
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 100",
            "trade 1!<2! 100@50 fees -50Q 100Q",
            "busted 1: 2 -100B 5100Q, 1 100B -5050Q",
            "balance 1000000B 1000000Q 1000000C",
            "balance 1000000B 1000000Q 1000000C",
            "balance 0B 0Q",
        ],
    );
}

#[test]
fn a_bust_goes_back_on_positions_and_clearing() {
    check(
        "with balance 1 0B 0Q 0C
         1 risk limits
         1 sell 10 @ 50
         2 buy 10 @ 50
         1 positions
         bust 1 2 1
         1 positions
         clearing",
        &[
            "risk 1 Limits",
            "accepted 1 10",
            "rested 1 10@50",
            "accepted 2 10",
            "trade 1!<2! 10@50",
            "positions 0:-10",
            "busted 1: 2 -10B 500Q, 1 10B -500Q",
            "positions",
            "clearing 0B 0Q 0C",
        ],
    );
}

#[test]
fn an_account_may_have_traded_with_itself() {
    check(
        "1 sell 10 @ 50
         1 buy 10 @ 50
         bust 1 1 1
         1 balance",
        &[
            "accepted 1 10",
            "rested 1 10@50",
            "accepted 2 10",
            "trade 1!<2! 10@50",
            "busted 1: 1 -10B 500Q, 1 10B -500Q",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

#[test]
fn a_correction_moves_the_difference() {
    check(
        "with fees 10000 10000
         1 sell 100 @ 50
         2 buy 100 @ 50
         correct 1 2 1 @ 55
         1 balance
         correct 1 2 1 @ 40
         1 balance
         2 balance
         0 balance
         correct 1 2 1 @ 0
         correct 1 2 1 @ 1001
         correct 1 1 2 @ 40
         bust 1 2 1
         1 balance
         2 balance",
        &[
            "accepted 1 100",
            "rested 1 100@50",
            "accepted 2 100",
            "trade 1!<2! 100@50 fees 50Q 1B",
            "corrected 1 50->55: 2 0B -500Q, 1 0B 500Q",
            "balance 999900B 1005450Q 1000000C",
            "corrected 1 55->40: 2 0B 1500Q, 1 0B -1500Q",
            "balance 999900B 1003950Q 1000000C",
            "balance 1000099B 996000Q 1000000C",
            "balance 1B 50Q",
            "rejected PriceBelowMin",
            "rejected PriceAboveMax",
            "rejected TradeNotFound",
            "busted 1: 2 -99B 4000Q, 1 100B -3950Q",
            "balance 1000000B 1000000Q 1000000C",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

/// Each by itself, and in the state that a restart reads.
#[test]
fn a_kept_trade_shows_its_correction_and_its_bust() {
    check(
        "1 sell 10 @ 50
         2 buy 10 @ 50
         1 sell 10 @ 50
         2 buy 10 @ 50
         correct 2 2 1 @ 55
         1 trades
         correct 2 2 1 @ 60
         bust 1 2 1
         bust 2 2 1
         restart
         1 trades
         2 trades",
        &[
            "accepted 1 10",
            "rested 1 10@50",
            "accepted 2 10",
            "trade 1!<2! 10@50",
            "accepted 3 10",
            "rested 3 10@50",
            "accepted 4 10",
            "trade 3!<4! 10@50",
            "corrected 2 50->55: 2 0B -50Q, 1 0B 50Q",
            "trades 1:1:maker 2:3:maker:50->55",
            "corrected 2 55->60: 2 0B -50Q, 1 0B 50Q",
            "busted 1: 2 -10B 500Q, 1 10B -500Q",
            "busted 2: 2 -10B 600Q, 1 10B -600Q",
            "trades 1:1:maker:busted 2:3:maker:50->60:busted",
            "trades 1:2:taker:busted 2:4:taker:50->60:busted",
        ],
    );
}

#[test]
fn a_trade_that_is_no_longer_kept_is_final() {
    check(
        "with account 1 trades=1
         1 sell 1 @ 50
         2 buy 1 @ 50
         1 sell 1 @ 50
         2 buy 1 @ 50
         bust 1 2 1
         bust 2 2 1",
        &[
            "accepted 1 1",
            "rested 1 1@50",
            "accepted 2 1",
            "trade 1!<2! 1@50",
            "accepted 3 1",
            "rested 3 1@50",
            "accepted 4 1",
            "trade 3!<4! 1@50",
            "rejected TradeNotFound",
            "busted 2: 2 -1B 50Q, 1 1B -50Q",
        ],
    );
}

#[test]
fn a_deposit_pays_as_many_as_one_command_has_work_for_and_then_the_rest() {
    let work = u64::from(WORK_PER_COMMAND);
    let debts = work + 5;
    let mut house = House::default();
    house.balances.insert((2, 0), 0);
    house.accounts.iter_mut().for_each(|spec| spec.trades_kept = 2_000);
    let mut venue = house.open();
    venue.unchecked = true;
    for _ in 0..debts {
        venue.apply(1, Command::NewOrder(limit("s", Side::Sell, 1, 10)));
        venue.apply(2, Command::NewOrder(limit("b", Side::Buy, 1, 10)));
    }
    let (account, asset) = (AccountId(2), AssetId(0));
    let external_ref = ExternalRef::parse("all").unwrap();
    let amount = minor(debts.into());
    let withdraw = Withdraw { account, asset, amount, external_ref };
    venue.apply(0, Command::Withdraw(withdraw));
    for trade_id in (1..=debts).map(TradeId) {
        let instrument = InstrumentId(0);
        let (buyer, seller) = (AccountId(2), AccountId(1));
        let bust = BustTrade { instrument, trade_id, buyer, seller };
        assert_eq!(venue.reason(0, Command::BustTrade(bust)), None);
    }
    assert_eq!(venue.engine.receivables().count() as u64, debts);
    let paid = |events: &[Event]| {
        let settled = events.iter().filter_map(|event| match event {
            Event::ReceivableSettled(settled) => Some(settled.receivable.receivable.0),
            _ => None,
        });
        settled.collect::<Vec<_>>()
    };
    let first = venue.apply(0, deposit(2, 0, debts.into(), "back"));
    assert_eq!(paid(&first), (1..=work).collect::<Vec<_>>(), "oldest first");
    venue.engine.assert_consistent();
    venue.restart();
    // An account that would spend it in between is too late.
    let rest = venue.apply(2, Command::NewOrder(limit("s", Side::Sell, 1, 10)));
    assert_eq!(paid(&rest), (work + 1..=debts).collect::<Vec<_>>());
    let Some(Event::CommandRejected(rejected)) = rest.last() else { panic!("{rest:?}") };
    assert_eq!(rejected.reason, RejectReason::InsufficientBalance);
    assert_eq!(venue.engine.receivables().count(), 0);
    venue.engine.assert_consistent();
}
