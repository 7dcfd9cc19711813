//! Icebergs: orders that show one part after another.

use types::Event;

use crate::house::{House, entry, limit, lots};
use crate::script::check;

#[test]
fn an_iceberg_shows_one_part_after_another() {
    check(
        "1 sell 10 @ 100 display 4
         book
         2 buy 4 @ 100
         book
         2 buy 8 @ 100
         1 order #1",
        &[
            "accepted 1 10",
            "rested 1 4@100",
            "book | 4@100",
            "accepted 2 4",
            "trade 1<2! 4@100",
            "reduced 1 4@100",
            "rested 1 4@100",
            "book | 4@100",
            "accepted 3 8",
            "trade 1<3 4@100",
            "reduced 1 4@100",
            "rested 1 2@100",
            "trade 1!<3 2@100",
            "reduced 1 2@100",
            "rested 3 2@100",
            "order 1 unnamed-1 Filled 10/10 =1000",
        ],
    );
}

#[test]
fn the_next_part_goes_to_the_back_of_the_queue() {
    check(
        "1 sell 6 @ 100 display 2
         2 sell 3 @ 100
         3 buy 4 @ 100
         3 buy 2 @ 100",
        &[
            "accepted 1 6",
            "rested 1 2@100",
            "accepted 2 3",
            "rested 2 3@100",
            "accepted 3 4",
            "trade 1<3 2@100",
            "reduced 1 2@100",
            "rested 1 2@100",
            "trade 2<3! 2@100",
            "accepted 4 2",
            "trade 2!<4 1@100",
            "trade 1<4! 1@100",
            "reduced 1 1@100 left 1",
        ],
    );
}

#[test]
fn an_iceberg_trades_first_and_shows_a_part_of_the_remainder() {
    check(
        "2 sell 3 @ 100
         1 buy 10 @ 100 display 4
         book
         1 balance",
        &[
            "accepted 1 3",
            "rested 1 3@100",
            "accepted 2 10",
            "trade 1!<2 3@100",
            "rested 2 4@100",
            "book 4@100 |",
            "balance 1000003B 999000+700Q 1000000C",
        ],
    );
}

#[test]
fn a_lower_quantity_is_taken_from_the_reserve_first() {
    check(
        "1 sell 10 @ 100 display 4 as a
         1 amend a 5
         book
         1 amend a 3
         book
         1 balance
         1 cancel a
         1 balance",
        &[
            "accepted 1 10",
            "rested 1 4@100",
            "amended 1 10->5",
            "book | 4@100",
            "reduced 1 1@100 left 3",
            "amended 1 5->3",
            "book | 3@100",
            "balance 999997+3B 1000000Q 1000000C",
            "reduced 1 3@100",
            "canceled 1 0/3 Requested",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

#[test]
fn displayed_parts_are_the_same_after_a_restart() {
    check(
        "1 sell 10 @ 100 display 4
         2 buy 3 @ 100
         restart
         book
         2 buy 2 @ 100
         restart
         1 cancel all",
        &[
            "accepted 1 10",
            "rested 1 4@100",
            "accepted 2 3",
            "trade 1<2! 3@100",
            "reduced 1 3@100 left 1",
            "book | 1@100",
            "accepted 3 2",
            "trade 1<3 1@100",
            "reduced 1 1@100",
            "rested 1 4@100",
            "trade 1<3! 1@100",
            "reduced 1 1@100 left 3",
            "reduced 1 3@100",
            "canceled 1 5/10 CancelAll",
        ],
    );
}

#[test]
fn fill_or_kill_counts_the_reserve_of_icebergs() {
    check(
        "1 sell 10 @ 100 display 4
         2 buy 11 @ 100 fok
         2 buy 10 @ 100 fok",
        &[
            "accepted 1 10",
            "rested 1 4@100",
            "accepted 2 11",
            "expired 2 0/11 FillOrKill",
            "accepted 3 10",
            "trade 1<3 4@100",
            "reduced 1 4@100",
            "rested 1 4@100",
            "trade 1<3 4@100",
            "reduced 1 4@100",
            "rested 1 2@100",
            "trade 1!<3! 2@100",
            "reduced 1 2@100",
        ],
    );
}

#[test]
fn display_quantities_are_refused_in_order_of_precedence() {
    check(
        "with min_qty=2
         1 sell 10 @ 100 ioc display 4
         1 sell 10 @ 100 fok display 4
         1 sell 10 @ 100 hidden display 4
         1 sell market 10 display 4
         1 sell 2000 @ 100 display 1
         1 sell 10 @ 100 display 1
         1 sell 10 @ 100 display 10
         1 sell 10 @ 100 display 18446744073709551615
         1 sell 10 @ 100 post display 9",
        &[
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderTermsInvalid",
            "rejected OrderQtyAboveMax",
            "rejected DisplayQtyOutOfRange",
            "rejected DisplayQtyOutOfRange",
            "rejected DisplayQtyOutOfRange",
            "accepted 1 10",
            "rested 1 9@100",
        ],
    );
}

/// A part is a trade of its own, so two icebergs of thin parts exceed one command's work.
#[test]
fn thin_parts_go_on_in_the_next_command() {
    let mut house = House::default();
    house.instruments[0].max_qty = lots(5_000);
    let mut venue = house.open();
    for name in ["a", "b"] {
        let mut iceberg = limit(name, types::Side::Sell, 800, 5);
        iceberg.terms = Some(types::Terms { display_qty: lots(1), ..types::Terms::default() });
        venue.apply(1, types::Command::NewOrder(iceberg));
    }
    let mut sweep = limit("c", types::Side::Buy, 1_500, 5);
    sweep.time_in_force = types::TimeInForce::Fok;
    let mut events = venue.apply_entry(&entry(2, None, types::Command::NewOrder(sweep)));
    assert!(venue.engine.has_deferred());
    venue.restart();
    events.extend(venue.apply(0, types::Command::Continue(())));
    assert!(!venue.engine.has_deferred());
    let makers: Vec<u64> = events
        .iter()
        .filter_map(|event| match event {
            Event::TradeExecuted(trade) => Some(trade.maker.order.order_id.0),
            _ => None,
        })
        .collect();
    assert_eq!(makers.len(), 1_500);
    assert!(makers.chunks(2).all(|pair| pair == [1, 2]), "they take turns");
    assert_eq!(venue.levels(0, types::Side::Sell), [(5, 2)]);
}
