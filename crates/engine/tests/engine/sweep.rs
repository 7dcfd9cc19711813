//! Cancels of many orders by one command: mass cancel, the kill switch, sessions.

use engine::WORK_PER_COMMAND;
use types::{
    AccountId, CloseSession, Command, Event, OpenSession, RejectReason, SessionId, SetKillSwitch,
    Side,
};

use crate::house::{House, entry, limit};
use crate::script::check;

#[test]
fn a_mass_cancel_runs_by_instrument_and_side_oldest_first() {
    check(
        "1 sell 1 @ 20 on 1
         1 sell 1 @ 20
         1 buy 1 @ 10
         1 sell 1 @ 21
         1 buy 1 @ 11
         2 buy 1 @ 10
         1 mass-cancel sell on 0
         1 mass-cancel sell on 0
         1 buy 1 @ 9 on 1
         1 mass-cancel
         1 mass-cancel
         1 mass-cancel on 7
         9 mass-cancel
         2 orders",
        &[
            "accepted 1 1",
            "rested 1 1@20",
            "accepted 1 1",
            "rested 1 1@20",
            "accepted 2 1",
            "rested 2 1@10",
            "accepted 3 1",
            "rested 3 1@21",
            "accepted 4 1",
            "rested 4 1@11",
            "accepted 5 1",
            "rested 5 1@10",
            "canceled 1 0/1 CancelAll",
            "canceled 3 0/1 CancelAll",
            "rejected OrderNotFound",
            "accepted 2 1",
            "rested 2 1@9",
            "canceled 2 0/1 CancelAll",
            "canceled 4 0/1 CancelAll",
            "canceled 2 0/1 CancelAll",
            "canceled 1 0/1 CancelAll",
            "rejected OrderNotFound",
            "rejected UnknownInstrument",
            "rejected UnknownAccount",
            "orders 5",
        ],
    );
}

#[test]
fn a_kill_switch_cancels_and_stays_on() {
    check(
        "1 buy 1 @ 10
         1 sell 1 @ 20 on 1
         1 kill on
         1 buy 1 @ 10
         restart
         1 buy 0 @ 10
         1 kill on
         1 kill off
         1 buy 1 @ 10
         9 kill on",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "accepted 1 1",
            "rested 1 1@20",
            "kill 1 on",
            "canceled 1 0/1 KillSwitch",
            "canceled 1 0/1 KillSwitch",
            "rejected AccountKilled",
            "rejected AccountKilled",
            "kill 1 on",
            "kill 1 off",
            "accepted 2 1",
            "rested 2 1@10",
            "rejected UnknownAccount",
        ],
    );
}

#[test]
fn a_session_takes_its_orders_with_it() {
    check(
        "1 open-session 7
         1 open-session 7
         2 open-session 0
         2 open-session 8 keep
         1 sell 5 @ 20 via 7
         1 buy 5 @ 10 via 7
         1 buy 5 @ 9
         2 buy 5 @ 8 via 8
         2 buy 5 @ 7 via 7
         1 buy 1 @ 11 via 7
         2 sell 1 @ 11
         2 close-session 7
         restart
         close-session 7
         close-session 7
         2 close-session 8
         1 orders
         2 orders
         1 open-session 7",
        &[
            "opened 7",
            "rejected SessionInUse",
            "rejected UnknownSession",
            "opened 8",
            "accepted 1 5",
            "rested 1 5@20",
            "accepted 2 5",
            "rested 2 5@10",
            "accepted 3 5",
            "rested 3 5@9",
            "accepted 4 5",
            "rested 4 5@8",
            "accepted 5 5",
            "rested 5 5@7",
            "accepted 6 1",
            "rested 6 1@11",
            "accepted 7 1",
            "trade 6!<7! 1@11",
            "rejected UnknownSession",
            "closed 7",
            "canceled 2 0/5 Disconnected",
            "canceled 1 0/5 Disconnected",
            "rejected UnknownSession",
            "closed 8",
            "orders 3",
            "orders 4 5",
            "opened 7",
        ],
    );
}

#[test]
fn work_beyond_one_command_continues_first() {
    for end in ["kill", "mass", "session"] {
        let mut venue = House::default().open();
        venue.unchecked = true;
        let open = Command::OpenSession(OpenSession { cancel_on_disconnect: true, login: None });
        let by_session = |command| {
            let mut entry = entry(1, None, command);
            entry.envelope.session = SessionId(7);
            entry
        };
        venue.apply_entry(&by_session(open));
        for number in 0..WORK_PER_COMMAND + 5 {
            let sell = limit(&format!("s{number}"), Side::Sell, 1, 5);
            venue.apply_entry(&by_session(Command::NewOrder(sell)));
        }
        let command = match end {
            "kill" => Command::SetKillSwitch(SetKillSwitch { account: AccountId(1), on: true }),
            "mass" => Command::MassCancel(types::MassCancel {
                instrument: None,
                side: None,
                cl_ord_id: crate::house::name("m"),
            }),
            _ => Command::CloseSession(CloseSession { session: SessionId(7) }),
        };
        let canceled = |events: &[Event]| {
            events.iter().filter(|event| matches!(event, Event::OrderCanceled(_))).count()
        };
        let first = venue.apply(1, command);
        assert_eq!(canceled(&first), WORK_PER_COMMAND as usize, "{end}");
        assert!(venue.engine.has_deferred());
        venue.engine.assert_consistent();
        venue.restart();
        // Another account's order finds the book empty.
        let rest = venue.apply(2, Command::NewOrder(limit("b", Side::Buy, 1, 5)));
        assert_eq!(canceled(&rest), 5, "{end}");
        assert!(matches!(rest[5], Event::OrderAccepted(_)), "{end}");
        assert!(matches!(rest[6], Event::OrderRested(_)), "{end}");
        venue.engine.assert_consistent();
    }
}

#[test]
fn open_sessions_are_bounded() {
    let mut venue = House::default().open();
    venue.unchecked = true;
    let mut open = |session: u64| {
        let command = Command::OpenSession(OpenSession { cancel_on_disconnect: true, login: None });
        let mut entry = entry(1, None, command);
        entry.envelope.session = SessionId(session);
        match venue.apply_entry(&entry)[..] {
            [Event::CommandRejected(rejected)] => Some(rejected.reason),
            _ => None,
        }
    };
    for session in 1..=100_000 {
        assert_eq!(open(session), None);
    }
    assert_eq!(open(100_000), Some(RejectReason::SessionInUse));
    assert_eq!(open(100_001), Some(RejectReason::TooManySessions));
    let close = CloseSession { session: SessionId(7) };
    assert_eq!(venue.reason(1, Command::CloseSession(close)), None);
    venue.restart();
    venue.engine.assert_consistent();
}
