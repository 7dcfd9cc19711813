//! Orders whose price follows the book.

use types::{Command, Event, InstrumentId, Side};

use crate::house::{Driver, House, cancel_named, limit, ticks};
use crate::script::{check, play};

#[test]
fn a_primary_peg_follows_its_own_side() {
    check(
        "1 buy 5 @ 100
         1 sell 5 @ 110
         2 buy 3 peg primary -1
         1 buy 1 @ 102 as b
         2 balance
         1 cancel b
         2 balance",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@110",
            "accepted 3 3@99",
            "rested 3 3@99",
            "accepted 4 1",
            "rested 4 1@102",
            "reduced 3 3@99",
            "repriced 3 101",
            "rested 3 3@101",
            "balance 1000000B 999697+303Q 1000000C",
            "canceled 4 0/1 Requested",
            "reduced 3 3@101",
            "repriced 3 99",
            "rested 3 3@99",
            "balance 1000000B 999703+297Q 1000000C",
        ],
    );
}

#[test]
fn a_mid_peg_is_rounded_away_from_the_other_side() {
    check(
        "1 buy 5 @ 100
         1 sell 5 @ 103
         2 buy 3 peg mid
         3 sell 3 peg mid
         3 sell 3 peg mid -1 as down",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@103",
            "accepted 3 3@101",
            "rested 3 3@101",
            "accepted 4 3@102",
            "rested 4 3@102",
            "accepted 5 3@101",
            "trade 3!<5! 3@101",
            "reduced 3 3@101",
        ],
    );
}

#[test]
fn a_market_peg_trades_where_it_moves_to() {
    check(
        "1 sell 2 @ 110
         1 sell 2 @ 111
         1 sell 2 @ 112
         2 buy 5 peg market limit 111
         restart
         1 sell 1 @ 115 as s",
        &[
            "accepted 1 2",
            "rested 1 2@110",
            "accepted 2 2",
            "rested 2 2@111",
            "accepted 3 2",
            "rested 3 2@112",
            "accepted 4 5@110",
            "trade 1!<4 2@110",
            "rested 4 3@110",
            "reduced 4 3@110",
            "repriced 4 111",
            "trade 2!<4 2@111",
            "rested 4 1@111",
            "accepted 5 1",
            "rested 5 1@115",
        ],
    );
}

#[test]
fn pegs_follow_no_pegs_and_nothing_hidden() {
    check(
        "1 buy 5 @ 100 as a
         2 buy 3 peg primary 5
         3 buy 3 peg primary 1
         4 buy 3 @ 108 hidden
         3 buy 3 peg primary 1
         1 cancel a
         1 buy 5 @ 90",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 3@105",
            "rested 2 3@105",
            "accepted 3 3@101",
            "rested 3 3@101",
            "accepted 4 3",
            "accepted 5 3@101",
            "rested 5 3@101",
            "canceled 1 0/5 Requested",
            "accepted 6 5",
            "rested 6 5@90",
            "reduced 2 3@105",
            "repriced 2 95",
            "rested 2 3@95",
            "reduced 3 3@101",
            "repriced 3 91",
            "rested 3 3@91",
            "reduced 5 3@101",
            "repriced 5 91",
            "rested 5 3@91",
        ],
    );
}

#[test]
fn a_post_only_peg_stays_one_tick_away() {
    check(
        "1 buy 5 @ 100
         1 sell 5 @ 105 as s
         2 buy 3 post peg market
         4 sell 1 @ 103 hidden as h
         3 sell 1 @ 102 as t
         3 sell 1 @ 101 as u",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@105",
            "accepted 3 3@104",
            "rested 3 3@104",
            "accepted 4 1",
            "trade 3<4! 1@104",
            "reduced 3 1@104 left 2",
            "accepted 5 1",
            "trade 3<5! 1@104",
            "reduced 3 1@104 left 1",
            "accepted 6 1",
            "trade 3!<6! 1@104",
            "reduced 3 1@104",
        ],
    );
    check(
        "1 buy 5 @ 100
         1 sell 5 @ 105
         4 sell 1 @ 103 hidden
         2 buy 3 post peg market
         1 sell 5 @ 104
         3 buy 1 @ 103",
        &[
            "accepted 1 5",
            "rested 1 5@100",
            "accepted 2 5",
            "rested 2 5@105",
            "accepted 3 1",
            "accepted 4 3@102",
            "rested 4 3@102",
            "accepted 5 5",
            "rested 5 5@104",
            "accepted 6 1",
            "trade 3!<6! 1@103",
            "reduced 4 3@102",
            "repriced 4 103",
            "rested 4 3@103",
        ],
    );
}

#[test]
fn a_peg_that_cannot_be_held_any_more_expires() {
    check(
        "with balance 2 0B 303Q
         1 buy 1 @ 100
         2 buy 3 peg primary
         1 buy 1 @ 101
         1 buy 1 @ 102
         2 balance",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 3@100",
            "rested 2 3@100",
            "accepted 3 1",
            "rested 3 1@101",
            "reduced 2 3@100",
            "repriced 2 101",
            "rested 2 3@101",
            "accepted 4 1",
            "rested 4 1@102",
            "reduced 2 3@101",
            "expired 2 0/3 BalanceExhausted",
            "balance 0B 303Q 1000000C",
        ],
    );
}

#[test]
fn pegs_keep_to_the_bounds() {
    check(
        "with min_price=90 max_price=110
         1 buy 1 @ 100
         2 buy 1 peg primary -2147483648
         2 buy 1 peg primary -5 limit 94
         2 buy 1 peg primary 2147483647",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1@90",
            "rested 2 1@90",
            "accepted 3 1@94",
            "rested 3 1@94",
            "accepted 4 1@110",
            "rested 4 1@110",
        ],
    );
}

#[test]
fn pegs_can_hide_and_show_parts() {
    check(
        "1 buy 1 @ 100
         2 buy 9 peg primary hidden
         3 buy 9 peg primary display 4
         1 buy 1 @ 101
         4 sell 6 @ 101
         book
         restart
         2 cancel all",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 9@100",
            "accepted 3 9@100",
            "rested 3 4@100",
            "accepted 4 1",
            "rested 4 1@101",
            "repriced 2 101",
            "reduced 3 4@100",
            "repriced 3 101",
            "rested 3 4@101",
            "accepted 5 6",
            "trade 4!<5 1@101",
            "trade 3<5 4@101",
            "reduced 3 4@101",
            "rested 3 4@101",
            "trade 3<5! 1@101",
            "reduced 3 1@101 left 3",
            "repriced 2 100",
            "reduced 3 3@101",
            "repriced 3 100",
            "rested 3 4@100",
            "book 5@100 |",
            "canceled 2 0/9 CancelAll",
        ],
    );
}

#[test]
fn pegs_are_refused_in_order_of_precedence() {
    check(
        "1 buy 1 peg primary
         1 buy 1 peg mid
         1 sell 9 @ 100
         1 buy 1 peg primary
         1 buy 1 peg mid
         1 buy 1 @ 99 peg market
         1 buy 1 ioc peg market
         1 buy market 1 peg mid
         1 buy 1 mtl peg market
         1 buy 1 peg market limit 0
         1 buy 1 peg market limit 1001
         1 buy 1 peg market limit -9223372036854775808
         1 buy 2000 peg market limit 1000
         2 buy 9 peg market -1 as p
         2 modify p 10
         2 modify p 8 @ 98
         2 modify p 8 @ 99
         2 modify p 9
         2 amend p 7
         2 modify p 0",
        &[
            "rejected NoPegReference",
            "rejected NoPegReference",
            "accepted 1 9",
            "rested 1 9@100",
            "rejected NoPegReference",
            "rejected NoPegReference",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected PriceBelowMin",
            "rejected PriceAboveMax",
            "rejected PriceBelowMin",
            "rejected OrderQtyAboveMax",
            "accepted 2 9@99",
            "rested 2 9@99",
            "rejected AmendNotAllowed",
            "rejected AmendNotAllowed",
            "reduced 2 1@99 left 8",
            "amended 2 9->8",
            "rejected AmendNotAllowed",
            "reduced 2 1@99 left 7",
            "amended 2 8->7",
            "reduced 2 7@99",
            "canceled 2 0/7 Modified",
        ],
    );
}

/// A thousand pegs, of which one fewer moves, because the order that moved them used work.
#[test]
fn many_pegs_move_in_the_next_command() {
    let peg = |name: &str| {
        let mut order = limit(name, Side::Sell, 1, 0);
        let reference = types::PegReference::Primary;
        let peg = types::Peg { reference, offset_ticks: 1, limit: None };
        order.terms = Some(types::Terms { peg: Some(peg), ..types::Terms::default() });
        Command::NewOrder(order)
    };
    let moves = |events: &[Event]| {
        events.iter().filter(|event| matches!(event, Event::OrderRepriced(_))).count()
    };
    let mut venue: Driver = House::default().open();
    venue.unchecked = true;
    venue.apply(2, Command::NewOrder(limit("s", Side::Sell, 1, 50)));
    venue.apply(2, Command::NewOrder(limit("t", Side::Sell, 1, 60)));
    for number in 0..1_000 {
        venue.apply(1, peg(&format!("p{number}")));
    }
    assert_eq!(venue.reason(1, peg("one")), Some(types::RejectReason::TooManyOpenOrders));
    venue.unchecked = false;
    let trade = Command::NewOrder(limit("b", Side::Buy, 1, 50));
    assert_eq!(moves(&venue.apply(3, trade)), 999);
    assert!(venue.engine.has_deferred());
    venue.restart();
    assert_eq!(moves(&venue.apply(0, Command::Continue(()))), 1);
    assert!(!venue.engine.has_deferred());
    assert_eq!(venue.levels(0, Side::Sell), [(60, 1), (61, 1_000)]);
    let queue: Vec<u64> = venue
        .engine
        .resting(InstrumentId(0), Side::Sell)
        .filter(|order| order.price == ticks(61))
        .map(|order| order.order_id.0)
        .collect();
    assert!(queue.is_sorted());
    assert_eq!(moves(&venue.apply(2, cancel_named("t"))), 0, "they stay without a reference");
}

/// Independent of the work of one command.
#[test]
fn a_round_of_pegs_ends_ahead_of_its_consequences() {
    for work in [1, 2, 1_000] {
        let script = format!(
            "with work {work}
             3 oto x : buy 2 @ 97 : sell 2 @ 110 post
             2 sell 9 @ 101
             4 sell 2 peg primary -1
             4 sell 3 peg primary
             1 sell 1 @ 98
             continue
             continue
             continue
             continue
             continue"
        );
        let (_, output) = play(&script);
        let expect = [
            "accepted 6 1",
            "rested 6 1@98",
            "reduced 4 2@100",
            "repriced 4 97",
            "trade 1!<4! 2@97",
            "reduced 1 2@97",
            "reduced 5 3@101",
            "repriced 5 98",
            "rested 5 3@98",
            "triggered 2",
            "rested 2 2@110",
        ];
        assert_eq!(output[output.len() - expect.len()..], expect, "work {work}");
    }
}

#[test]
fn pegs_keep_to_bounds_that_are_changed() {
    check(
        "1 buy 1 @ 100
         2 buy 1 peg primary 2
         2 sell 1 @ 120
         update max_price=101
         book
         1 buy 1 @ 102
         update max_price=130
         book",
        &[
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1@102",
            "rested 2 1@102",
            "accepted 3 1",
            "rested 3 1@120",
            "updated 0",
            "reduced 2 1@102",
            "repriced 2 101",
            "rested 2 1@101",
            "book 1@101 1@100 | 1@120",
            "rejected PriceAboveMax",
            "updated 0",
            "reduced 2 1@101",
            "repriced 2 102",
            "rested 2 1@102",
            "book 1@102 1@100 | 1@120",
        ],
    );
}
