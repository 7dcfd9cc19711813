//! Deposits and withdrawals.

use types::{AMOUNT_MAX, RejectReason};

use crate::house::{House, PLENTY, deposit, state_bytes};
use crate::script::check;

#[test]
fn deposits_and_withdrawals_move_the_free_balance() {
    check(
        "with balance 1 0B 100Q
         1 deposit 5B ref d1
         1 buy 6 @ 10
         1 withdraw 41Q ref w1
         1 withdraw 40Q ref w1
         1 withdraw 1Q ref w2
         1 balance",
        &[
            "deposited 5 free 5B",
            "accepted 1 6",
            "rested 1 6@10",
            "rejected WithdrawalAboveFree",
            "withdrawn 40 free 0Q",
            "rejected WithdrawalAboveFree",
            "balance 5B 0+60Q 1000000C",
        ],
    );
}

#[test]
fn an_external_ref_works_once_per_account() {
    check(
        "1 deposit 5B ref r
         1 deposit 5B ref r
         1 deposit 6B ref r
         1 deposit 5Q ref r
         1 withdraw 5B ref r
         1 request 5B ref r
         2 deposit 5B ref r
         restart
         1 deposit 5B ref r
         2 withdraw 5B ref r
         1 deposit 5B ref R",
        &[
            "deposited 5 free 1000005B",
            "repeated 23",
            "rejected DuplicateExternalRef",
            "rejected DuplicateExternalRef",
            "rejected DuplicateExternalRef",
            "rejected DuplicateExternalRef",
            "deposited 5 free 1000005B",
            "repeated 23",
            "rejected DuplicateExternalRef",
            "deposited 5 free 1000010B",
        ],
    );
}

/// A repeated withdrawal must get the first one's answer, not a missing balance's.
#[test]
fn a_repeated_withdrawal_of_all_is_a_repeat() {
    check(
        "with balance 1 5B
         1 withdraw 5B ref w
         1 withdraw 5B ref w",
        &["withdrawn 5 free 0B", "repeated 23"],
    );
}

#[test]
fn transfers_are_refused_in_order_of_precedence() {
    let mut venue = House::default().open();
    let max = AMOUNT_MAX.minor();
    for (account, asset, amount, external_ref, expect) in [
        (9, 9, 0, "start-0", RejectReason::UnknownAccount),
        (u32::MAX, 0, 1, "x", RejectReason::UnknownAccount),
        (1, 3, 0, "start-0", RejectReason::UnknownAsset),
        (1, u16::MAX, 1, "x", RejectReason::UnknownAsset),
        (1, 0, 0, "start-0", RejectReason::AmountNotPositive),
        (1, 0, -1, "x", RejectReason::AmountNotPositive),
        (1, 0, i128::MIN, "x", RejectReason::AmountNotPositive),
        (1, 0, max + 1, "start-0", RejectReason::AmountAboveMax),
        (1, 0, i128::MAX, "x", RejectReason::AmountAboveMax),
        (1, 0, 1, "start-0", RejectReason::DuplicateExternalRef),
    ] {
        let command = deposit(account, asset, amount, external_ref);
        assert_eq!(venue.reason(1, command.clone()), Some(expect), "{command:?}");
        let types::Command::Deposit(deposit) = command else { unreachable!() };
        let types::Deposit { account, asset, amount, external_ref } = deposit;
        let withdraw = types::Withdraw { account, asset, amount, external_ref };
        let command = types::Command::Withdraw(withdraw);
        assert_eq!(venue.reason(1, command.clone()), Some(expect), "{command:?}");
    }
}

/// A bound, so that no sum of balances and no fee account can overflow.
#[test]
fn all_balances_of_an_asset_together_are_bounded() {
    let mut venue = House::default().open();
    let room = AMOUNT_MAX.minor() - 4 * PLENTY;
    assert_eq!(venue.reason(0, deposit(1, 0, room + 1, "x")), Some(RejectReason::SupplyAboveMax));
    assert_eq!(venue.reason(0, deposit(1, 0, room, "x")), None);
    assert_eq!(venue.reason(0, deposit(2, 0, 1, "x")), Some(RejectReason::SupplyAboveMax));
    assert_eq!(venue.reason(0, deposit(2, 1, 1, "x")), None);
    assert_eq!(venue.engine.supply(types::AssetId(0)), Some(AMOUNT_MAX));
    assert_eq!(venue.engine.supply(types::AssetId(3)), None);
}

#[test]
fn the_venues_own_account_is_paid_by_fees_alone() {
    let mut venue = House::default().open();
    let before = state_bytes(&venue.engine);
    assert_eq!(venue.reason(0, deposit(0, 0, 5, "x")), Some(RejectReason::UnknownAccount));
    // Only the count of commands and the time differ.
    assert_eq!(before[18..], state_bytes(&venue.engine)[18..]);
}
