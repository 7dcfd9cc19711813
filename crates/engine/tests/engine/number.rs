//! Ids and event numbers. [`crate::house::Driver`] counts them in every test; these tests cover the
//! cases that it cannot see.

use types::{AccountId, InstrumentId, OrderId, Side, TradeId};

use crate::script::play;

#[test]
fn refusals_use_up_no_number() {
    let (venue, _) = play(
        "1 buy 1 @ 10
         1 buy 0 @ 10
         2 sell 1 @ 10
         1 cancel #9
         2 sell 1 @ 12",
    );
    // Listed, three accepted, two rested, one trade.
    let ids = venue.engine.last_ids(InstrumentId(0));
    assert_eq!(ids, Some((OrderId(3), TradeId(1), 7)));
    assert_eq!(venue.engine.resting_count(), 1);
    let resting = venue.engine.resting(InstrumentId(0), Side::Sell);
    assert_eq!(resting.map(|order| order.account).collect::<Vec<_>>(), [AccountId(2)]);
}

#[test]
fn ids_go_on_after_a_restart() {
    let (venue, output) = play(
        "1 buy 1 @ 10
         1 cancel #1
         2 buy 5 @ 9
         restart
         1 sell 1 @ 9",
    );
    assert_eq!(output[5..], ["accepted 3 1", "trade 2<3! 1@9"]);
    let ids = venue.engine.last_ids(InstrumentId(0));
    assert_eq!(ids, Some((OrderId(3), TradeId(1), 8)));
}

#[test]
fn the_sequence_counts_all_commands_and_time_never_runs_back() {
    let (mut venue, _) = play("1 buy 1 @ 10");
    let before = venue.engine.sequence();
    venue.now_ns = 1_000;
    venue.apply(0, types::Command::Tick(()));
    venue.now_ns = 1;
    let events = venue.apply(1, crate::house::cancel_named("unnamed-1"));
    let [types::Event::OrderCanceled(canceled)] = events[..] else { panic!("{events:?}") };
    assert_eq!(canceled.order.updated_ns, 1_001);
    assert_eq!(venue.engine.sequence(), before + 2);
}
