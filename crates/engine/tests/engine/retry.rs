//! Repeated commands.

use types::{Command, RetryKey, Side};

use crate::house::{Driver, House, entry, limit};
use crate::script::{check, play};

const DAY_NS: u64 = 24 * 3_600 * 1_000_000_000;
const KEYS_PER_ACCOUNT: u64 = 10_000;

#[test]
fn a_repeat_returns_the_sequence_of_the_first_command() {
    // The setup has 22 commands.
    check(
        "1 buy 1 @ 10 key k
         1 buy 1 @ 10 key k
         1 cancel all key k
         2 buy 1 @ 11 key k
         1 buy 0 @ 10 key j
         1 buy 1 @ 10 key j
         restart
         1 buy 1 @ 10 key j
         1 orders",
        &[
            "accepted 1 1",
            "rested 1 1@10",
            "repeated 23",
            "repeated 23",
            "accepted 2 1",
            "rested 2 1@11",
            "rejected OrderQtyBelowMin",
            "repeated 27",
            "repeated 27",
            "orders 1",
        ],
    );
}

#[test]
fn a_repeated_number_of_a_session_is_not_carried_out_again() {
    check(
        "1 open-session 7 keep
         1 buy 1 @ 10 via 7 no 5
         1 buy 1 @ 10 via 7 no 5
         1 buy 1 @ 11 via 7 no 9
         1 cancel all via 7 no 9
         1 buy 0 @ 10 via 7 no 10
         restart
         1 buy 1 @ 10 via 7 no 10
         1 buy 1 @ 10 via 7 no 7
         2 buy 1 @ 12 via 7 no 5
         1 buy 1 @ 13 via 8 no 5
         close-session 7
         1 open-session 7 keep
         1 buy 1 @ 14 via 7 no 5",
        &[
            "opened 7",
            "accepted 1 1",
            "rested 1 1@10",
            "repeated 24",
            "accepted 2 1",
            "rested 2 1@11",
            "repeated 26",
            "rejected OrderQtyBelowMin",
            "repeated 28",
            "rejected NumberNotRising",
            "rejected UnknownSession",
            "rejected UnknownSession",
            "closed 7",
            "opened 7",
            "accepted 3 1",
            "rested 3 1@14",
        ],
    );
}

#[test]
fn a_session_of_the_venue_numbers_the_commands_of_all_accounts() {
    check(
        "open-session 7 keep
         1 buy 1 @ 10 via 7 no 5
         2 buy 1 @ 11 via 7 no 6
         2 buy 1 @ 11 via 7 no 5
         1 buy 1 @ 10 via 7 no 6
         restart
         2 buy 1 @ 11 via 7 no 6
         2 buy 1 @ 11 via 7 no 4
         1 open-session 8 keep
         2 buy 1 @ 11 via 8 no 1
         1 close-session 7
         close-session 7
         1 buy 1 @ 10 via 7 no 8
         1 orders
         2 orders",
        &[
            "opened 7",
            "accepted 1 1",
            "rested 1 1@10",
            "accepted 2 1",
            "rested 2 1@11",
            "repeated 24",
            "repeated 25",
            "repeated 25",
            "rejected NumberNotRising",
            "opened 8",
            "rejected UnknownSession",
            "rejected UnknownSession",
            "closed 7",
            "rejected UnknownSession",
            "orders 1",
            "orders 2",
        ],
    );
}

/// Its orders belong to no connection.
#[test]
fn a_session_of_the_venue_ends_no_orders() {
    check(
        "open-session 7
         1 buy 1 @ 10 via 7 no 5
         close-session 7
         1 orders",
        &["opened 7", "accepted 1 1", "rested 1 1@10", "closed 7", "orders 1"],
    );
}

#[test]
fn keys_are_forgotten_by_a_tick_after_a_day() {
    let (mut venue, _) = play("tick 1000");
    assert_eq!(venue.engine.next_deadline_ns(), None);
    assert!(!repeats(&mut venue, 1, 1)); // at 1001
    assert!(!repeats(&mut venue, 2, 1)); // at 1002
    assert_eq!(venue.engine.next_deadline_ns(), Some(1_002 + DAY_NS));
    tick(&mut venue, 1_001 + DAY_NS);
    assert!(repeats(&mut venue, 1, 1));
    tick(&mut venue, 1_002 + DAY_NS);
    assert!(repeats(&mut venue, 2, 1));
    assert_eq!(venue.engine.next_deadline_ns(), Some(1_003 + DAY_NS));
    venue.restart();
    assert_eq!(venue.engine.next_deadline_ns(), Some(1_003 + DAY_NS));
    tick(&mut venue, 1_003 + DAY_NS);
    assert_eq!(venue.engine.next_deadline_ns(), None);
    assert!(!repeats(&mut venue, 1, 1));
    assert!(!repeats(&mut venue, 2, 1));
}

#[test]
fn an_account_has_a_bounded_number_of_keys() {
    let mut venue = House::default().open();
    venue.unchecked = true;
    let mut room = 0;
    for key in 0..KEYS_PER_ACCOUNT * 3 {
        assert!(!repeats(&mut venue, 1, key));
        if key + 1 == KEYS_PER_ACCOUNT {
            room = crate::house::state_bytes(&venue.engine).len();
        }
    }
    // A dropped key is in no table.
    assert_eq!(crate::house::state_bytes(&venue.engine).len(), room);
    assert!(repeats(&mut venue, 1, KEYS_PER_ACCOUNT * 3 - 1));
    assert!(repeats(&mut venue, 1, KEYS_PER_ACCOUNT * 2));
    assert!(!repeats(&mut venue, 1, KEYS_PER_ACCOUNT * 2 - 1));
}

/// A tick does a bounded amount of work; the rest stays due.
#[test]
fn forgetting_many_keys_takes_several_ticks() {
    let mut venue = House::default().open();
    venue.unchecked = true;
    for key in 0..2_500 {
        assert!(!repeats(&mut venue, 1, key));
    }
    let all_due = venue.now_ns + DAY_NS;
    let mut ticks = 0;
    while venue.engine.next_deadline_ns().is_some_and(|deadline| deadline <= all_due) {
        tick(&mut venue, all_due + ticks);
        ticks += 1;
    }
    assert!((3..=4).contains(&ticks), "{ticks}");
    assert_eq!(venue.engine.next_deadline_ns(), None);
    assert!(!repeats(&mut venue, 1, 2_499));
}

#[test]
fn strangers_have_no_keys() {
    let mut venue = House::default().open();
    let before = crate::house::state_bytes(&venue.engine).len();
    assert!(!repeats(&mut venue, 99, 1));
    assert!(!repeats(&mut venue, 99, 1));
    assert_eq!(crate::house::state_bytes(&venue.engine).len(), before);
}

#[test]
fn the_end_of_time_is_no_reason_to_stop() {
    let mut venue = House::default().open();
    venue.now_ns = u64::MAX - 2;
    assert!(!repeats(&mut venue, 1, 1));
    assert!(repeats(&mut venue, 1, 1));
    assert_eq!(venue.engine.next_deadline_ns(), Some(u64::MAX));
}

fn tick(venue: &mut Driver, now_ns: u64) {
    venue.now_ns = now_ns - 1;
    venue.apply(0, Command::Tick(()));
}

/// Sends a command that is refused, which its key covers like any other.
fn repeats(venue: &mut Driver, account: u32, key: u64) -> bool {
    let mut retry_key: RetryKey = [0; 16];
    retry_key[..8].copy_from_slice(&key.to_le_bytes());
    let command = Command::NewOrder(limit("a", Side::Buy, 0, 10));
    let events = venue.apply_entry(&entry(account, Some(retry_key), command));
    matches!(events[..], [types::Event::CommandRepeated(_)])
}
