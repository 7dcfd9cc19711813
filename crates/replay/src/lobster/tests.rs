//! Tests of the plans of LOBSTER files.

use super::*;

/// Plans messages without their time (`type,order_id,size,price,direction`), and returns the
/// steps in short form, those without timing in brackets.
fn steps_of(messages: &[&str], seed: Option<&str>, rows: &[&str]) -> (Vec<String>, Plan) {
    let message = |text: &&str| Message::parse(format!("34200.1,{text}").as_bytes()).unwrap();
    let messages: Vec<_> = messages.iter().map(message).collect();
    let row = |text: &str| BookRow::parse(text.as_bytes()).unwrap();
    let rows: Vec<_> = rows.iter().map(|text| row(text)).collect();
    let book = (!rows.is_empty()).then(|| BookFile::new(rows, messages.len()).unwrap());
    let plan = plan(&messages, seed.map(row), book).unwrap();
    let mut start = 0;
    let mut short = Vec::new();
    for stretch in &plan.stretches {
        let steps = plan.steps[start..stretch.end].iter().map(|step| match step {
            Step::New { order_id, price, qty, side, .. } => {
                format!("{side:?} {order_id} {qty}@{price}")
            }
            Step::Cancel { order_id, .. } => format!("cancel {order_id}"),
            Step::Reduce { order_id, by, order_qty, .. } => {
                format!("reduce {order_id} by {by} to {order_qty}")
            }
            Step::Execution { price, maker, qty, side, .. } => {
                format!("{side:?} ioc {qty}@{price} from {maker}")
            }
            Step::Phase { .. } => unreachable!("a file begins in continuous trading"),
        });
        short.extend(steps.map(|step| if stretch.timed { step } else { format!("[{step}]") }));
        short.extend(stretch.check.map(|check| format!("row {}", check.row)));
        start = stretch.end;
    }
    (short, plan)
}

#[track_caller]
fn check(messages: &[&str], seed: Option<&str>, rows: &[&str], expected: &[&str]) {
    assert_eq!(steps_of(messages, seed, rows).0, expected);
}

#[test]
fn each_type_becomes_its_command() {
    let messages = [
        "1,71,30,1000000,1",
        "2,71,10,1000000,1",
        "1,72,5,1000100,-1",
        "4,71,15,1000000,1",
        "3,71,5,1000000,1",
        "5,0,5,1000050,1",
        "6,-1,5,1000050,1",
        "7,0,0,-1,-1",
    ];
    let expected = [
        "Buy 1 30@10000",
        "reduce 1 by 10 to 20",
        "Sell 2 5@10001",
        "Sell ioc 15@10000 from 1",
        "cancel 1",
    ];
    check(&messages, None, &[], &expected);
    assert_eq!(steps_of(&messages, None, &[]).1.left_out.without_effect, 3);
}

#[test]
fn the_tick_is_a_cent_unless_a_displayed_price_is_finer() {
    let unit = |messages: &[&str]| steps_of(messages, None, &[]).1.price_unit;
    assert_eq!(unit(&["1,71,30,1000000,1", "5,0,5,1000050,1"]), 100);
    assert_eq!(unit(&["1,71,30,1000050,1"]), 1);
}

#[test]
fn orders_from_before_the_file_are_anonymous() {
    let messages = [
        "1,71,18,1000000,1", // in the seed already
        "3,5,40,1000000,1",
        "2,6,10,1000200,-1",
        "4,7,90,1000200,-1",
        "3,8,10,990000,1", // the seed has nothing there
    ];
    let expected = [
        "[Buy 1 82@10000]",
        "[Buy 2 18@10000]",
        "[Sell 3 100@10002]",
        "reduce 1 by 40 to 42",
        "reduce 3 by 10 to 90",
        "Buy ioc 90@10002 from 3",
    ];
    let seed = Some("1000200,100,1000000,100");
    check(&messages, seed, &[], &expected);
    assert_eq!(steps_of(&messages, seed, &[]).1.left_out.unknown, 1);
}

#[test]
fn a_queue_is_corrected_after_a_disagreement() {
    let messages =
        ["1,71,30,1000000,1", "1,72,20,1000000,1", "4,72,5,1000000,1", "4,71,30,1000000,1"];
    let expected = [
        "Buy 1 30@10000",
        "Buy 2 20@10000",
        "Sell ioc 5@10000 from 2",
        "[cancel 1]",
        "[cancel 2]",
        "[Buy 4 30@10000]",
        "[Buy 5 15@10000]",
        "Sell ioc 30@10000 from 4",
    ];
    check(&messages, None, &[], &expected);
}

#[test]
fn stale_orders_give_way_to_a_new_one() {
    let messages = ["1,71,30,1000000,1", "1,72,20,1000000,-1"];
    check(&messages, None, &[], &["Buy 1 30@10000", "[cancel 1]", "Sell 2 20@10000"]);
}

#[test]
fn quotes_are_checked_on_change_and_corrected_on_difference() {
    let messages = [
        "1,71,30,1000000,1",
        "1,72,20,999900,1", // no best quote changes
        "5,0,5,1000050,1",
        "1,73,10,1000100,1",
    ];
    let rows = ["9999999999,0,1000000,30", "9999999999,0,1000000,30", "9999999999,0,999900,25"];
    let expected = [
        "Buy 1 30@10000",
        "row 0",
        "Buy 2 20@9999",
        "row 1",
        "Buy 3 10@10001",
        "row 2",
        "[cancel 3]",
        "[cancel 1]",
        "[Buy 4 5@9999]",
    ];
    check(&messages, None, &rows, &expected);
}

#[test]
fn rows_for_each_message_show_deeper_levels() {
    let messages = ["1,71,30,1000000,1", "3,71,30,1000000,1", "2,9,4,999900,1"];
    let rows = ["9999999999,0,1000000,30", "9999999999,0,999900,20", "9999999999,0,999900,16"];
    let expected = [
        "[Buy 1 30@10000]",
        "cancel 1",
        "row 1",
        "[Buy 2 20@9999]",
        "reduce 2 by 4 to 16",
        "row 2",
    ];
    check(&messages, None, &rows, &expected);
}
