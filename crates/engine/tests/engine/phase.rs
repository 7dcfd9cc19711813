//! Commands in each phase, consequences of a phase change, and calendars.

use types::Phase;

use crate::script::{check, play};

/// Accepted (`+`) or refused (`-`) in `Continuous`, `PreOpen`, the three auctions, `Halt`,
/// `Closed`.
#[test]
fn each_phase_accepts_its_commands() {
    let table = "
        +++++--  1 buy 1 @ 80
        +++++--  1 buy 1 @ 80 day
        +++++--  1 buy 1 @ 80 until 9000
        +++++--  1 buy 1 @ 80 post
        +++++--  1 buy 4 @ 80 display 2
        +++++--  1 buy 1 @ 80 hidden
        +++++--  1 buy 1 @ 80 at-close
        -++----  1 buy 1 @ 80 at-open
        +------  1 buy 1 @ 80 ioc
        +------  1 buy 1 @ 110 fok
        +------  1 buy 1 @ 110 min 1
        +------  1 buy 1 peg primary
        +------  1 buy market 1
        +------  1 buy market quote 200
        +------  1 buy 1 mtl
        +++++--  1 sell 1 stop 80
        +++++--  1 sell 1 @ 70 stop 80
        +++++--  1 sell 1 @ 70 stop 80 ioc
        +++++--  1 sell 1 take 120
        +++++--  1 sell 1 @ 119 take 120
        +++++--  1 sell 1 stop trail 500
        +++++++  1 amend a 4
        +++++--  1 modify a 6
        +++++--  1 modify a 5 @ 85
        +++++--  1 replace a : buy 5 @ 85
        +++++++  1 cancel a
        +++++++  1 cancel all
        +++++++  1 mass-cancel
        +++++++  1 deposit 5B ref r";
    for row in table.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (taken, line) = row.split_once("  ").expect("a row");
        for (phase, taken) in Phase::ALL.iter().zip(taken.chars()) {
            let to_phase = match phase {
                Phase::Continuous => String::new(),
                phase => format!("phase {phase:?}"),
            };
            let before = format!("1 buy 5 @ 90 as a \n 2 sell 5 @ 110 \n {to_phase}");
            let (_, output_before) = play(&before);
            let (_, output) = play(&format!("{before} \n {line}"));
            let refused =
                output[output_before.len()..].iter().any(|line| line.starts_with("rejected"));
            assert_eq!(refused, taken == '-', "{line} in {phase:?}: {output:?}");
            let last = output.last().expect("an output line");
            assert!(!refused || last == "rejected PhaseForbids", "{line} in {phase:?}: {last}");
        }
    }
}

#[test]
fn orders_gather_without_trading_and_trade_when_continuous_begins() {
    for phase in ["PreOpen", "OpeningAuction", "VolatilityAuction", "ClosingAuction"] {
        check(
            &format!(
                "phase {phase}
                 1 sell 5 @ 100
                 2 buy 3 @ 102 post
                 book
                 phase Continuous
                 book"
            ),
            &[
                &format!("phase 0 {phase}"),
                "accepted 1 5",
                "rested 1 5@100",
                "accepted 2 3",
                "rested 2 3@102",
                "book 3@102 | 5@100",
                "uncrossed 3@100 left 2 to sell",
                "trade 1<2! 3@100",
                "reduced 2 3@102",
                "phase 0 Continuous",
                "book | 2@100",
            ],
        );
    }
}

#[test]
fn only_an_auction_uncrosses_when_it_ends_in_closed() {
    let gathers = "1 sell 1 @ 100
                   2 buy 1 @ 100
                   phase Closed
                   book
                   restart
                   phase Continuous";
    for phase in ["OpeningAuction", "VolatilityAuction", "ClosingAuction"] {
        check(
            &format!("phase {phase}\n{gathers}"),
            &[
                &format!("phase 0 {phase}"),
                "accepted 1 1",
                "rested 1 1@100",
                "accepted 2 1",
                "rested 2 1@100",
                "uncrossed 1@100",
                "trade 1!<2! 1@100",
                "reduced 2 1@100",
                "phase 0 Closed",
                "book |",
                "phase 0 Continuous",
            ],
        );
    }
    check(
        &format!("phase PreOpen\n{gathers}"),
        &[
            "phase 0 PreOpen",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "rested 2 1@100",
            "phase 0 Closed",
            "book 1@100 | 1@100",
            "uncrossed 1@100",
            "trade 1!<2! 1@100",
            "reduced 2 1@100",
            "phase 0 Continuous",
        ],
    );
}

#[test]
fn orders_for_the_day_expire_by_age_when_the_instrument_closes() {
    check(
        "1 buy 1 @ 90 day
         2 buy 1 @ 91
         3 sell 1 @ 110 day
         1 buy 1 @ 92 day on 1
         phase Halt
         restart
         phase Closed
         1 orders
         2 orders
         1 orders on 1",
        &[
            "accepted 1 1",
            "rested 1 1@90",
            "accepted 2 1",
            "rested 2 1@91",
            "accepted 3 1",
            "rested 3 1@110",
            "accepted 1 1",
            "rested 1 1@92",
            "phase 0 Halt",
            "phase 0 Closed",
            "reduced 1 1@90",
            "expired 1 0/1 Day",
            "reduced 3 1@110",
            "expired 3 0/1 Day",
            "orders",
            "orders 2",
            "orders 1",
        ],
    );
}

#[test]
fn a_phase_is_set_once_and_for_an_instrument_that_there_is() {
    check(
        "phase Continuous
         phase Closed
         phase Closed
         phases
         phase Closed on 7",
        &[
            "rejected PhaseForbids",
            "phase 0 Closed",
            "rejected PhaseForbids",
            "phases 0:Closed 1:Continuous",
            "rejected UnknownInstrument",
        ],
    );
}

#[test]
fn the_phase_rung_follows_halt_and_kill_switch_and_precedes_the_terms() {
    check(
        "phase Closed
         1 buy 0 @ 0
         halt 1
         1 buy 0 @ 0
         delist
         1 buy 0 @ 0
         1 kill on
         1 buy 0 @ 0
         1 buy 0 @ 0 on 7",
        &[
            "phase 0 Closed",
            "rejected PhaseForbids",
            "halted 1",
            "rejected VenueHalted",
            "delisted 0",
            "rejected InstrumentDelisted",
            "kill 1 on",
            "rejected AccountKilled",
            "rejected UnknownInstrument",
        ],
    );
}

#[test]
fn a_session_is_due_until_the_phase_changes() {
    check(
        "calendar 1111111 9h PreOpen, 1111111 17h Closed
         at 8h
         due
         at 9h
         due
         phase PreOpen
         due
         phase Continuous
         at 16h
         due
         restart
         at 17h
         due
         halt 1
         due
         resume
         due",
        &[
            "calendar 0",
            "due",
            "due 0:PreOpen",
            "phase 0 PreOpen",
            "due",
            "phase 0 Continuous",
            "due",
            "due 0:Closed",
            "halted 1",
            "due",
            "resumed",
            "due 0:Closed",
        ],
    );
}

#[test]
fn a_calendar_is_in_the_state_and_a_new_one_takes_hold_at_once() {
    check(
        "calendar 1111111 9h PreOpen, 1111111 17h Closed on 1
         restart
         calendar-of on 1
         calendar-of
         at 9h
         phase PreOpen on 1
         phase Continuous on 1
         due
         calendar 1111111 8h Halt on 1
         due
         calendar on 1
         due",
        &[
            "calendar 1",
            "calendar 9h-PreOpen 17h-Closed",
            "calendar",
            "phase 1 PreOpen",
            "phase 1 Continuous",
            "due",
            "calendar 1",
            "due 1:Halt",
            "calendar 1",
            "due",
        ],
    );
}

#[test]
fn calendars_are_refused_in_order_of_precedence() {
    check(
        "calendar 0000000 9h Closed on 7
         calendar 0000000 9h Closed
         calendar 00000001 9h Closed
         calendar 1111111 24h Closed
         calendar 1111111 9h Closed, 1111111 24h Closed
         calendar-of",
        &[
            "rejected UnknownInstrument",
            "rejected CalendarInvalid",
            "rejected CalendarInvalid",
            "rejected CalendarInvalid",
            "rejected CalendarInvalid",
            "calendar",
        ],
    );
}
