//! Tests of the DBN planner.

use super::super::plan::Auction;
use super::super::target::{Tally, Target};
use super::super::watch::Watch;
use super::super::whole::{ACCOUNTS_A_SIDE, Whole};
use super::*;

const INSTRUMENT_OF_FILE: Instrument = Instrument { publisher: 1, id: 17_077 };
/// A trade, from which on orders are matched.
const OPEN: &str = "T - 0 1@100";

/// Records as `action side order_id size@price`, those of one event separated by semicolons. The
/// side is `B`, `A` or `-`; an action `s` is an order from the start of the file.
fn records(events: &[&str]) -> Vec<Record> {
    let mut records = Vec::new();
    for event in events {
        records.extend(event.split("; ").map(record));
        records.last_mut().unwrap().is_last = true;
    }
    records
}

fn record(text: &str) -> Record {
    let words: Vec<&str> = text.split(' ').collect();
    let [action, side, order_id, at] = words[..] else { panic!("{text:?}") };
    let (size, price) = at.split_once('@').unwrap();
    Record {
        received_ns: 0,
        order_id: order_id.parse().unwrap(),
        price: price.parse().unwrap(),
        size: size.parse().unwrap(),
        instrument: INSTRUMENT_OF_FILE,
        action: match action {
            "A" | "s" => Action::Add,
            "C" => Action::Cancel,
            "M" => Action::Modify,
            "R" => Action::Clear,
            "T" => Action::Trade,
            "F" => Action::Fill,
            "N" => Action::None,
            _ => panic!("{text:?}"),
        },
        side: match side {
            "B" => Some(Side::Buy),
            "A" => Some(Side::Sell),
            _ => None,
        },
        is_last: false,
        is_snapshot: action == "s",
    }
}

/// The plan, and its steps in short form with the file's prices, those without timing in brackets.
fn plan_of(events: &[&str]) -> (Plan, Vec<String>) {
    let plan = plan(&records(events)).unwrap();
    let mut start = 0;
    let mut short = Vec::new();
    for stretch in &plan.stretches {
        let unit = plan.price_unit.cast_signed();
        let steps = plan.steps[start..stretch.end].iter().map(|step| match step {
            Step::New { order_id, price, qty, side, terms, .. } => {
                let any = *price == PRICE_MAX.ticks();
                let at = if any { "any".to_owned() } else { (price * unit).to_string() };
                let gathers = if *terms == Terms::Auction { " gathers" } else { "" };
                format!("{side:?} {order_id} {qty}@{at}{gathers}")
            }
            Step::Phase { phase, .. } => format!("{phase:?}"),
            Step::Cancel { order_id, .. } => format!("cancel {order_id}"),
            Step::Reduce { order_id, by, order_qty, .. } => {
                format!("reduce {order_id} by {by} to {order_qty}")
            }
            Step::Execution { price, maker, qty, side, .. } => {
                format!("{side:?} ioc {qty}@{} from {maker}", price * unit)
            }
        });
        short.extend(steps.map(|step| if stretch.timed { step } else { format!("[{step}]") }));
        start = stretch.end;
    }
    (plan, short)
}

/// The steps for events after a trade has opened the market.
#[track_caller]
fn check(events: &[&str], expected: &[&str]) -> Plan {
    let (plan, found) = plan_of(&[&[OPEN], events].concat());
    assert_eq!(found[..2], ["[PreOpen]", "[Continuous]"]);
    assert_eq!(found[2..], *expected);
    plan
}

#[track_caller]
fn check_disagreements(plan: &Plan, self_match: u64, hidden_qty: u64, other: u64) {
    let expected = Disagreements { self_match, hidden_qty, other };
    assert_eq!(plan.disagreements, Some(expected));
}

#[test]
fn add_and_cancel_are_a_limit_order_and_its_cancel() {
    let plan = check(
        &["A B 71 5@99", "A A 72 5@101", "C B 71 5@99", "A A 73 0@101"],
        &["Buy 1 5@99", "Sell 2 5@101", "cancel 1"],
    );
    // The None record, and the trade that opened the market.
    assert_eq!(plan.left_out.without_effect, 2);
}

#[test]
fn cancel_of_a_part_keeps_the_place() {
    check(&["A B 71 5@99", "C B 71 2@99"], &["Buy 1 5@99", "reduce 1 by 2 to 3"]);
}

#[test]
fn modify_keeps_the_place_only_if_the_quantity_falls() {
    let first = "A B 71 5@99";
    check(&[first, "M B 71 3@99"], &["Buy 1 5@99", "reduce 1 by 2 to 3"]);
    check(&[first, "M B 71 5@99"], &["Buy 1 5@99"]);
    check(&[first, "M B 71 0@99"], &["Buy 1 5@99", "cancel 1"]);
    check(&[first, "M B 71 6@99"], &["Buy 1 5@99", "cancel 1", "Buy 2 6@99"]);
    check(&[first, "M B 71 5@98"], &["Buy 1 5@99", "cancel 1", "Buy 2 5@98"]);
    check(&[first, "M B 71 3@98"], &["Buy 1 5@99", "cancel 1", "Buy 2 3@98"]);
}

#[test]
fn clear_cancels_all() {
    check(
        &["A B 71 5@99", "A A 72 5@101", "R - 0 0@0", "A B 73 5@99", "N - 0 0@0"],
        &["Buy 1 5@99", "Sell 2 5@101", "[cancel 1]", "[cancel 2]", "Buy 3 5@99"],
    );
}

#[test]
fn fill_is_an_order_from_the_other_side_and_its_repeats_are_no_steps() {
    let book = ["A A 71 5@101", "A A 72 5@101"];
    let trade = "T B 80 7@101; F A 71 5@101; F A 72 2@101; C A 71 5@101; M A 72 3@101";
    let plan = check(
        &[&book[..], &[trade]].concat(),
        &["Sell 1 5@101", "Sell 2 5@101", "Buy ioc 5@101 from 1", "Buy ioc 2@101 from 2"],
    );
    check_disagreements(&plan, 0, 0, 0);
    assert_eq!(plan.left_out.without_effect, 4);
    // A cancel of the filled quantity, as on exchanges that do not modify.
    let trade = "T B 80 7@101; F A 71 2@101; C A 71 2@101";
    check(
        &[&book[..], &[trade, "C A 71 3@101"]].concat(),
        &["Sell 1 5@101", "Sell 2 5@101", "Buy ioc 2@101 from 1", "cancel 1"],
    );
}

#[test]
fn remainder_of_an_aggressor_rests() {
    check(
        &["A A 71 5@101", "T B 80 5@101; F A 71 5@101; A B 80 2@101; C A 71 5@101"],
        &["Sell 1 5@101", "Buy ioc 5@101 from 1", "Buy 3 2@101"],
    );
}

#[test]
fn aggressor_that_rested_is_removed_from_its_old_price() {
    let book = ["A A 71 5@101", "A B 80 9@99"];
    let trade = "T B 80 5@101; F B 80 5@101; F A 71 5@101; C A 71 5@101; ";
    let expected = ["Sell 1 5@101", "Buy 2 9@99", "cancel 2", "Buy ioc 5@101 from 1"];
    check(&[book[0], book[1], &format!("{trade}C B 80 9@99")], &expected);
    check(
        &[book[0], book[1], &format!("{trade}M B 80 4@101")],
        &[&expected[..], &["Buy 4 4@101"]].concat(),
    );
}

#[test]
fn next_part_of_an_iceberg_is_last_in_the_queue() {
    let trade = "T B 80 5@101; F A 71 5@101; M A 71 4@101";
    let next = "T B 81 3@101; F A 72 3@101; C A 72 3@101";
    let plan = check(
        &["A A 71 5@101", "A A 72 3@101", trade, next],
        &[
            "Sell 1 5@101",
            "Sell 2 3@101",
            "Buy ioc 5@101 from 1",
            "Sell 4 4@101",
            "Buy ioc 3@101 from 2",
        ],
    );
    check_disagreements(&plan, 0, 0, 0);
}

#[test]
fn fill_above_the_displayed_quantity_is_a_disagreement() {
    let trade = "T B 80 8@101; F A 71 8@101; M A 71 4@101";
    let plan = check(
        &["A A 71 5@101", "A A 72 6@101", trade],
        &[
            "Sell 1 5@101",
            "Sell 2 6@101",
            "Buy ioc 8@101 from 1",
            "[cancel 2]",
            "[Sell 4 6@101]",
            "Sell 5 4@101",
        ],
    );
    check_disagreements(&plan, 0, 1, 0);
}

#[test]
fn order_that_the_exchange_canceled_instead_is_a_disagreement_counted_once() {
    let trade = "T B 80 7@101; F A 72 4@101; F A 73 3@101; \
                 C A 71 5@100; C A 72 4@101; C A 73 3@101";
    let plan = check(
        &["A A 71 5@100", "A A 72 4@101", "A A 73 3@101", trade],
        &[
            "Sell 1 5@100",
            "Sell 2 4@101",
            "Sell 3 3@101",
            "Buy ioc 4@101 from 2",
            "[cancel 1]",
            "[cancel 2]",
            "[cancel 3]",
            "[Sell 5 3@101]",
            "Buy ioc 3@101 from 5",
        ],
    );
    check_disagreements(&plan, 1, 0, 0);
}

#[test]
fn queue_is_corrected_without_a_known_cause() {
    let trade = "T B 80 4@101; F A 72 4@101; C A 72 4@101";
    let plan = check(
        &["A A 71 5@101", "A A 72 4@101", trade],
        &[
            "Sell 1 5@101",
            "Sell 2 4@101",
            "Buy ioc 4@101 from 2",
            "[cancel 1]",
            "[cancel 2]",
            "[Sell 4 5@101]",
        ],
    );
    check_disagreements(&plan, 0, 0, 1);
}

#[test]
fn lines_of_one_trade_may_stand_in_any_order() {
    let trade = "T B 80 6@101; F A 72 4@101; F A 71 2@101; C A 72 4@101; C A 71 2@101";
    let plan = check(
        &["A A 71 2@101", "A A 72 4@101", trade],
        &["Sell 1 2@101", "Sell 2 4@101", "Buy ioc 2@101 from 1", "Buy ioc 4@101 from 2"],
    );
    check_disagreements(&plan, 0, 0, 0);
}

#[test]
fn new_order_rests_if_the_exchange_canceled_its_makers() {
    check(
        &["A A 71 5@101", "A B 72 3@101; C A 71 5@101"],
        &["Sell 1 5@101", "cancel 1", "Buy 2 3@101"],
    );
}

/// A crossed book ahead of the opening, in which 71 sells 5: 3 to 72 and 2 to a stop order, 73.
const OPENING: [&str; 5] = [
    "s A 71 5@99; s B 70 5@98",
    "A B 72 3@101",
    "A A 74 1@102",
    "T - 0 5@100; F - 71 5@100; F - 72 3@100; F - 73 2@100; C A 71 5@99; C B 72 3@101",
    "A B 75 1@101",
];

#[track_caller]
fn check_auctions(plan: &Plan, expected: &[(i64, u64)]) {
    let unit = plan.price_unit.cast_signed();
    let auction = |auction: &Auction| (auction.price.ticks() * unit, auction.volume.lots());
    let found: Vec<_> = plan.auctions.iter().flatten().map(auction).collect();
    assert_eq!(found, expected);
}

#[test]
fn orders_gather_until_the_opening_and_then_our_book_uncrosses() {
    let (plan, steps) = plan_of(&OPENING);
    let expected = [
        "[PreOpen]",
        "[Sell 1 5@99 gathers]",
        "[Buy 2 5@98 gathers]",
        "[OpeningAuction]",
        "[Buy 3 3@101 gathers]",
        "[Sell 4 1@102 gathers]",
        "[Buy 5 2@any gathers]",
        "[Continuous]",
        "Buy 6 1@101",
    ];
    assert_eq!(steps, expected);
    assert_eq!(plan.left_out.unknown, 0);
    assert_eq!(plan.left_out.corrections, 0);
    check_auctions(&plan, &[(100, 5)]);
}

#[test]
fn book_is_corrected_if_the_exchange_filled_other_orders() {
    // Our book fills 72, which is older.
    let trade = "T - 0 3@100; F - 71 3@100; F - 73 3@100; C A 71 3@100; C B 73 3@100; C B 72 1@100";
    let (plan, steps) = plan_of(&["A A 71 3@100", "A B 72 3@100", "A B 73 3@100", trade]);
    let expected = [
        "[PreOpen]",
        "[Sell 1 3@100 gathers]",
        "[OpeningAuction]",
        "[Buy 2 3@100 gathers]",
        "[Buy 3 3@100 gathers]",
        "[Continuous]",
        "[cancel 3]",
        "[Buy 4 3@100]",
        "reduce 4 by 1 to 2",
    ];
    assert_eq!(steps, expected);
    assert_eq!(plan.left_out.corrections, 2);
}

#[test]
fn trade_that_leaves_the_book_crossed_ends_no_auction() {
    let trade = "T - 0 1@100; F - 71 1@100; F - 72 1@100; M A 71 4@99; M B 72 2@101";
    let (plan, steps) = plan_of(&[OPENING[0], OPENING[1], trade, "A B 76 1@102"]);
    let expected = ["[reduce 1 by 1 to 4]", "[reduce 3 by 1 to 2]", "[Buy 4 1@102 gathers]"];
    assert_eq!(steps[5..], expected);
    check_auctions(&plan, &[]);
}

#[test]
fn order_that_rests_although_it_crosses_begins_an_auction() {
    let trade = "T - 0 3@101; F - 71 3@101; F - 72 3@101; M A 71 2@101; C B 72 3@102";
    let plan = check(
        &["A A 71 5@101", "A B 72 3@102", trade, "A B 73 1@99"],
        &[
            "Sell 1 5@101",
            "[VolatilityAuction]",
            "[Buy 2 3@102 gathers]",
            "[Continuous]",
            "Buy 3 1@99",
        ],
    );
    check_auctions(&plan, &[(101, 3)]);
    assert_eq!(plan.left_out.corrections, 0);
}

#[test]
fn records_without_a_known_order_are_counted() {
    let plan = check(
        &["C B 71 5@99", "M B 72 5@99", "T A 80 5@98; F B 73 5@98", "A B 72 4@99"],
        &["Buy 1 5@99", "Sell ioc 5@98 from 0", "[Buy 3 5@99]", "[cancel 3]", "Buy 4 4@99"],
    );
    assert_eq!(plan.left_out.unknown, 3);
    check_disagreements(&plan, 0, 0, 1);
}

#[test]
fn a_tick_is_the_largest_that_fits_all_prices() {
    let unit = |events: &[&str]| price_unit(&records(events)).unwrap();
    assert_eq!(unit(&["A B 71 5@4810250", "A A 72 5@4811000"]), 250);
    assert_eq!(unit(&["A B 71 5@4810250", "C B 71 5@1"]), 4_810_250);
    assert_eq!(unit(&[OPEN]), 1);
    assert_eq!(unit(&[]), 1);
}

#[test]
fn flow_that_cannot_be_replayed_is_named() {
    let refused = |records: &[Record]| plan(records).unwrap_err();
    for price in [0, -5, i64::MAX] {
        let mut records = records(&["A B 71 5@7", "A B 72 5@11"]);
        records[1].price = price;
        let found = refused(&records);
        assert_eq!(found, PlanError::PriceOutOfRange { record: 1, found: price });
    }
    let mut records = records(&["A B 71 5@7", "A B 72 5@11"]);
    let other = Instrument { id: 9, ..INSTRUMENT_OF_FILE };
    records[1].instrument = other;
    let first = INSTRUMENT_OF_FILE;
    let error = refused(&records);
    assert_eq!(error, PlanError::OtherInstrument { record: 1, found: other, first });
    let expected = "record 1: instrument 9 of publisher 1, but the file began with 17077";
    assert!(error.to_string().starts_with(expected), "{error}");
}

/// Records that no exchange would send, but a damaged file may contain.
fn absurd_records(seed: u64) -> Vec<Record> {
    let mut state = seed;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
        (state >> 33) % end
    };
    let actions = [
        Action::Add,
        Action::Cancel,
        Action::Modify,
        Action::Trade,
        Action::Fill,
        Action::Fill,
        Action::None,
        Action::Clear,
    ];
    let mut random = || Record {
        received_ns: 0,
        order_id: below(8),
        price: 1 + below(6).cast_signed(),
        size: u32::try_from(below(5)).unwrap(),
        instrument: INSTRUMENT_OF_FILE,
        action: actions[usize::try_from(below(57) / 8).unwrap()],
        side: [Side::Buy, Side::Sell][usize::try_from(below(2)).unwrap()].into(),
        is_last: below(3) == 0,
        is_snapshot: below(9) == 0,
    };
    let mut records: Vec<_> = std::iter::repeat_with(&mut random).take(120).collect();
    for record in &mut records {
        // Half of the flows cross, the others may be continuous.
        if seed.is_multiple_of(2) && record.side == Some(Side::Sell) {
            record.price += 6;
        }
        // Only trades and fills may be without a side.
        let may = matches!(record.action, Action::Trade | Action::Fill);
        record.side = record.side.filter(|_| !may || record.order_id != 3);
    }
    records
}

#[test]
fn absurd_records_give_the_same_results_on_both_targets() {
    let (mut auctions, mut equal) = (0, 0);
    for seed in 0..300 {
        let records = absurd_records(seed);
        let plan = plan(&records).unwrap();
        let replay = |mut target: Box<dyn Target>| {
            target.execute(&plan.steps, &mut Watch::new(false));
            let Tally { rejected, trades, volume, executions, maker_agrees, .. } = *target.tally();
            assert_eq!(rejected, 0, "seed {seed}");
            let Disagreements { self_match, hidden_qty, other } = plan.disagreements.unwrap();
            assert_eq!(maker_agrees + self_match + hidden_qty + other, executions, "seed {seed}");
            let levels = SIDES.map(|side| target.levels(INSTRUMENT, side, usize::MAX));
            let found = target.tally().auctions.clone();
            ((trades, volume, executions, maker_agrees, levels, target.resting_orders()), found)
        };
        let (bare, _) = replay(Box::new(Bare::new(1)));
        let (whole, found) = replay(Box::new(Whole::new(&plan, ACCOUNTS_A_SIDE, 10)));
        assert_eq!(bare, whole, "seed {seed}");
        let (found, recorded) = (found.unwrap(), plan.auctions.unwrap());
        assert_eq!(found.len(), recorded.len(), "seed {seed}");
        auctions += found.len();
        equal += found.iter().zip(&recorded).filter(|(found, recorded)| found == recorded).count();
    }
    assert!(auctions > 20 && equal > 0, "{auctions} {equal}");
}
