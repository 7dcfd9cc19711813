//! Halts of the whole venue, by command and by the circuit breaker.

use crate::script::{check, play};

#[test]
fn a_halt_takes_no_orders_and_lets_others_be_canceled() {
    check(
        "1 buy 5 @ 90 as a
         1 sell 1 @ 110 on 1
         halt 2
         halted
         restart
         1 buy 1 @ 90
         1 buy market 1
         2 sell 1 @ 90 on 1
         1 modify a 6
         1 amend a 4
         phase Closed
         1 deposit 5B ref r
         1 mass-cancel on 1
         1 cancel a
         resume
         halted
         1 buy 1 @ 90",
        &[
            "accepted 1 5",
            "rested 1 5@90",
            "accepted 1 1",
            "rested 1 1@110",
            "halted 2",
            "halted 2",
            "rejected VenueHalted",
            "rejected VenueHalted",
            "rejected VenueHalted",
            "rejected VenueHalted",
            "amended 1 5->4",
            "rejected VenueHalted",
            "deposited 5 free 1000005B",
            "canceled 1 0/1 CancelAll",
            "canceled 1 0/4 Requested",
            "resumed",
            "not halted",
            "accepted 2 1",
            "rested 2 1@90",
        ],
    );
}

#[test]
fn a_replace_changes_nothing_in_a_halt() {
    check(
        "1 buy 5 @ 90 as a
         halt 1
         1 replace a : buy 5 @ 91",
        &["accepted 1 5", "rested 1 5@90", "halted 1", "rejected VenueHalted"],
    );
}

#[test]
fn halts_are_refused_in_order_of_precedence() {
    check(
        "resume
         halt 0
         halt 4
         halt 3
         halt 0
         halt 1
         resume
         resume",
        &[
            "rejected VenueNotHalted",
            "rejected HaltLevelInvalid",
            "rejected HaltLevelInvalid",
            "halted 3",
            "rejected HaltLevelInvalid",
            "rejected VenueHalted",
            "resumed",
            "rejected VenueNotHalted",
        ],
    );
}

#[test]
fn a_halt_ends_at_its_time_ahead_of_that_times_command() {
    check(
        "at 1s
         halt 1 until 5s
         deadline
         restart
         at 4999ms
         1 buy 1 @ 90
         at 5s
         1 buy 1 @ 90
         deadline",
        &[
            "halted 1 until 5s",
            "deadline 5s",
            "rejected VenueHalted",
            "resumed",
            "accepted 1 1",
            "rested 1 1@90",
            "deadline none",
        ],
    );
}

#[test]
fn phases_do_not_end_while_the_venue_is_halted() {
    check(
        "bands static=500 for=5s
         1 sell 1 @ 100
         2 buy 1 @ 100
         1 sell 1 @ 110
         at 1s
         2 buy 1 @ 110
         halt 1 until 8s
         at 7s
         tick
         phases
         at 8s
         tick",
        &[
            "rules 0",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "accepted 3 1",
            "rested 3 1@110",
            "accepted 4 1",
            "rested 4 1@110",
            "phase 0 VolatilityAuction BandBreached until 6s",
            "halted 1 until 8s",
            "phases 0:VolatilityAuction 1:Continuous",
            "resumed",
            "uncrossed 1@110",
            "trade 3!<4! 1@110",
            "reduced 4 1@110",
            "phase 0 Continuous Resumed",
        ],
    );
}

#[test]
fn pegs_follow_when_the_halt_is_over() {
    check(
        "1 buy 1 @ 90
         1 buy 1 @ 95 as best
         2 buy 1 peg primary
         halt 1
         1 cancel best
         restart
         resume",
        &[
            "accepted 1 1",
            "rested 1 1@90",
            "accepted 2 1",
            "rested 2 1@95",
            "accepted 3 1@95",
            "rested 3 1@95",
            "halted 1",
            "canceled 2 0/1 Requested",
            "resumed",
            "reduced 3 1@95",
            "repriced 3 90",
            "rested 3 1@90",
        ],
    );
}

/// The events of these lines when 100 was the first trade and instrument 0 halts at 7 and 13
/// percent.
fn with_breaker(lines: &str) -> Vec<String> {
    let before = "breaker 700:5s 1300\n1 sell 1 @ 100\n2 buy 1 @ 100";
    let (_, output_before) = play(before);
    let (_, output) = play(&format!("{before}\n{lines}"));
    output[output_before.len()..].to_vec()
}

/// Only the events of halts and trades.
fn outline(output: &[String]) -> Vec<&str> {
    let matters = |line: &&str| {
        ["halted", "resumed", "trade", "rejected", "phase"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    output.iter().map(String::as_str).filter(matters).collect()
}

#[test]
fn each_level_of_the_breaker_halts_once() {
    let output = with_breaker(
        "1 buy 1 @ 94
         2 sell 1 @ 94
         1 buy 2 @ 93
         at 1s
         2 sell 1 @ 93
         2 sell 1 @ 93
         restart
         at 6s
         2 sell 1 @ 93
         1 buy 1 @ 87
         2 sell 1 @ 87
         resume
         1 buy 1 @ 80
         2 sell 1 @ 80",
    );
    assert_eq!(
        outline(&output),
        [
            "trade 3!<4! 1@94",
            "trade 5<6! 1@93",
            "halted 1 until 6s",
            "rejected VenueHalted",
            "resumed",
            "trade 5!<7! 1@93",
            "trade 8!<9! 1@87",
            "halted 2",
            "resumed",
            "trade 10!<11! 1@80",
        ]
    );
}

#[test]
fn the_farthest_level_counts_for_the_nearer_ones_when_the_order_is_done() {
    let output = with_breaker(
        "1 buy 1 @ 93
         1 buy 1 @ 80
         2 sell 3 @ 80
         1 buy 1 @ 80
         resume
         1 buy 1 @ 80
         1 buy 1 @ 93
         2 sell 1 @ 93",
    );
    assert_eq!(
        outline(&output),
        [
            "trade 3!<5 1@93",
            "trade 4!<5 1@80",
            "halted 2",
            "rejected VenueHalted",
            "resumed",
            "trade 5!<6! 1@80",
            "trade 7!<8! 1@93",
        ]
    );
}

#[test]
fn the_levels_count_anew_when_the_index_opens_again() {
    let fall = "1 buy 1 @ 93
                2 sell 1 @ 93
                resume\n";
    let halts = |between: &str| {
        let output = with_breaker(&format!("{fall}{between}\n{fall}"));
        output.iter().filter(|line| line.starts_with("halted")).count()
    };
    assert_eq!(halts("phase Halt\nphase Continuous"), 1);
    assert_eq!(halts("phase VolatilityAuction\nphase Continuous"), 1);
    assert_eq!(halts("phase Closed\nrestart\nphase Continuous"), 2);
    assert_eq!(halts("phase PreOpen\nphase Continuous"), 2);
    assert_eq!(halts("phase OpeningAuction\nphase Continuous"), 1, "nothing traded in it");
    let opening = "phase OpeningAuction\n1 buy 1 @ 100\n2 sell 1 @ 100\nphase Continuous";
    assert_eq!(halts(opening), 2);
}

#[test]
fn only_the_index_halts_the_venue_and_only_when_it_trades() {
    let output = with_breaker(
        "breaker 700 on 1
         1 buy 1 @ 50
         2 sell 1 @ 50
         breaker 700
         1 buy 1 @ 100
         2 sell 1 @ 100
         1 buy 1 @ 50
         2 sell 1 @ 50
         resume
         breaker
         1 buy 1 @ 10
         2 sell 1 @ 10",
    );
    assert_eq!(
        outline(&output),
        [
            "trade 3!<4! 1@50",
            "trade 5!<6! 1@100",
            "trade 7!<8! 1@50",
            "halted 1",
            "resumed",
            "trade 9!<10! 1@10",
        ]
    );
}

#[test]
fn breakers_are_refused_in_order_of_precedence() {
    check(
        "breaker 0 on 7
         breaker 0
         breaker 10001
         breaker 700 700
         breaker 700 600 1000
         breaker 1 2 10000",
        &[
            "rejected UnknownInstrument",
            "rejected CircuitBreakerInvalid",
            "rejected CircuitBreakerInvalid",
            "rejected CircuitBreakerInvalid",
            "rejected CircuitBreakerInvalid",
            "breaker 0",
        ],
    );
}
