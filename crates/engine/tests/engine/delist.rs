//! Delisted instruments.

use engine::WORK_PER_COMMAND;
use types::{Command, DelistInstrument, Event, InstrumentId, RejectReason, Side};

use crate::house::{House, limit};
use crate::script::check;

#[test]
fn delisting_blocks_first_and_cancels_oldest_first() {
    check(
        "1 sell 5 @ 101
         2 buy 3 @ 100
         3 sell 6 @ 102 display 2
         1 buy 1 @ 99 hidden
         2 sell 1 @ 105 at-close
         4 buy 2 @ 98 day
         1 buy 1 @ 90 on 1
         delist
         book
         1 balance
         1 orders on 1",
        &[
            "accepted 1 5",
            "rested 1 5@101",
            "accepted 2 3",
            "rested 2 3@100",
            "accepted 3 6",
            "rested 3 2@102",
            "accepted 4 1",
            "accepted 5 1",
            "accepted 6 2",
            "rested 6 2@98",
            "accepted 1 1",
            "rested 1 1@90",
            "delisted 0",
            "canceled 1 0/5 Delisted",
            "canceled 2 0/3 Delisted",
            "reduced 3 2@102",
            "canceled 3 0/6 Delisted",
            "canceled 4 0/1 Delisted",
            "canceled 5 0/1 Delisted",
            "canceled 6 0/2 Delisted",
            "book |",
            "balance 1000000B 999550+450Q 1000000C",
            "orders 1",
        ],
    );
}

#[test]
fn delisting_is_for_ever() {
    check(
        "calendar 1111111 9h Continuous
         1 buy 1 @ 90 as a
         delist
         restart
         1 buy 1 @ 90
         1 amend a 1
         1 cancel a
         phase Closed
         delist
         delist on 7
         at 10h
         due
         phases
         1 buy 1 @ 90 on 1",
        &[
            "calendar 0",
            "accepted 1 1",
            "rested 1 1@90",
            "delisted 0",
            "canceled 1 0/1 Delisted",
            "rejected InstrumentDelisted",
            "rejected OrderNotFound",
            "rejected OrderNotFound",
            "rejected InstrumentDelisted",
            "rejected InstrumentDelisted",
            "rejected UnknownInstrument",
            "due",
            "phases 0:Continuous 1:Continuous",
            "accepted 1 1",
            "rested 1 1@90",
        ],
    );
}

#[test]
fn an_instrument_is_delisted_in_any_phase_and_in_a_halt() {
    check(
        "phase OpeningAuction
         1 buy 1 @ 100
         2 sell 1 @ 100
         halt 1
         delist
         resume",
        &[
            "phase 0 OpeningAuction",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "rested 2 1@100",
            "halted 1",
            "delisted 0",
            "canceled 1 0/1 Delisted",
            "canceled 2 0/1 Delisted",
            "resumed",
        ],
    );
}

#[test]
fn a_timed_halt_of_a_delisted_instrument_changes_nothing_at_its_end() {
    check(
        "bands dynamic=500 for=5s halt
         at 1s
         1 sell 1 @ 100
         2 buy 1 @ 100
         1 sell 1 @ 106
         2 buy 1 @ 106
         delist
         deadline
         restart
         at 7s
         tick
         phases
         deadline",
        &[
            "rules 0",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "accepted 3 1",
            "rested 3 1@106",
            "accepted 4 1",
            "rested 4 1@106",
            "phase 0 Halt BandBreached until 6000000003ns",
            "delisted 0",
            "canceled 3 0/1 Delisted",
            "canceled 4 0/1 Delisted",
            "deadline none",
            "phases 0:Halt 1:Continuous",
            "deadline none",
        ],
    );
}

#[test]
fn work_beyond_one_command_continues_first() {
    let mut venue = House::default().open();
    venue.unchecked = true;
    let orders = u64::from(WORK_PER_COMMAND) + 5;
    for number in 0..orders {
        let bid = limit(&format!("b{number}"), Side::Buy, 1, 5);
        venue.apply(1 + u32::from(number % 2 == 1), Command::NewOrder(bid));
    }
    let instrument = InstrumentId(0);
    let first = venue.apply(0, Command::DelistInstrument(DelistInstrument { instrument }));
    assert!(matches!(first[0], Event::InstrumentDelisted(_)));
    let mut canceled = canceled_ids(&first);
    assert_eq!(canceled.len(), WORK_PER_COMMAND as usize);
    assert!(venue.engine.has_deferred());
    venue.engine.assert_consistent();
    venue.restart();
    // Another order is refused; the remaining cancels run first.
    let rest = venue.apply(3, Command::NewOrder(limit("s", Side::Sell, 1, 5)));
    canceled.extend(canceled_ids(&rest));
    assert_eq!(canceled, (1..=orders).collect::<Vec<_>>(), "oldest first");
    let Some(Event::CommandRejected(rejected)) = rest.last() else { panic!("{rest:?}") };
    assert_eq!(rejected.reason, RejectReason::InstrumentDelisted);
    venue.engine.assert_consistent();
}

fn canceled_ids(events: &[Event]) -> Vec<u64> {
    let id = |event: &Event| match event {
        Event::OrderCanceled(canceled) => Some(canceled.order.order_id.0),
        _ => None,
    };
    events.iter().filter_map(id).collect()
}
