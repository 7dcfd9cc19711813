//! Withdrawals in two steps.

use engine::{Engine, WITHDRAWALS_KEPT, WITHDRAWALS_OPEN_MAX};
use types::{
    AMOUNT_MAX, AccountId, AssetId, CancelWithdrawal, Command, ConfirmWithdrawal, ExternalRef,
    Reader, RejectReason, RequestWithdrawal, RotateMasterKey, Side,
};

use crate::house::{Driver, House, deposit, entry, limit, minor, state_bytes};
use crate::script::{check, play};

#[test]
fn a_requested_amount_is_reserved_until_it_leaves() {
    check(
        "with balance 1 0B 100Q
         1 request 60Q ref w
         1 balance
         1 buy 6 @ 10
         restart
         1 confirm w
         1 balance
         1 buy 4 @ 10
         withdrawals",
        &[
            "requested 60 free 40Q",
            "balance 0B 40+60Q 1000000C",
            "rejected InsufficientBalance",
            "completed 60 free 40Q",
            "balance 0B 40Q 1000000C",
            "accepted 1 4",
            "rested 1 4@10",
            "withdrawals [1 w 60Q Completed]",
        ],
    );
}

#[test]
fn a_canceled_withdrawal_is_free_again() {
    check(
        "with balance 1 0B 100Q
         1 request 60Q ref w
         1 return w
         1 buy 10 @ 10
         withdrawals",
        &[
            "requested 60 free 40Q",
            "returned 60 free 100Q",
            "accepted 1 10",
            "rested 1 10@10",
            "withdrawals [1 w 60Q Canceled]",
        ],
    );
}

/// Orders and withdrawals hold independently, and each frees its own hold.
#[test]
fn held_amounts_cannot_be_requested() {
    check(
        "with balance 1 0B 100Q
         1 buy 6 @ 10 as a
         1 request 41Q ref w
         1 request 40Q ref w
         1 balance
         1 cancel a
         1 balance
         1 confirm w
         1 balance",
        &[
            "accepted 1 6",
            "rested 1 6@10",
            "rejected WithdrawalAboveFree",
            "requested 40 free 0Q",
            "balance 0B 0+100Q 1000000C",
            "canceled 1 0/6 Requested",
            "balance 0B 60+40Q 1000000C",
            "completed 40 free 60Q",
            "balance 0B 60Q 1000000C",
        ],
    );
}

/// A repeated request gets the reply of the first; another withdrawal takes another reference.
#[test]
fn a_withdrawal_is_requested_once() {
    check(
        "with balance 1 0B 100Q
         1 request 60Q ref w
         1 request 60Q ref w
         1 request 30Q ref w
         1 request 60C ref w
         1 deposit 5Q ref w
         1 withdraw 5Q ref w
         2 request 60Q ref w
         1 confirm w
         1 request 60Q ref w
         restart
         1 request 60Q ref w
         1 balance",
        &[
            "requested 60 free 40Q",
            "repeated 22",
            "rejected DuplicateExternalRef",
            "rejected DuplicateExternalRef",
            "rejected DuplicateExternalRef",
            "rejected DuplicateExternalRef",
            "requested 60 free 999940Q",
            "completed 60 free 40Q",
            "repeated 22",
            "repeated 22",
            "balance 0B 40Q 1000000C",
        ],
    );
}

#[test]
fn a_withdrawal_ends_once() {
    check(
        "1 confirm w
         1 return w
         1 deposit 5Q ref w
         1 confirm w
         1 request 5Q ref a
         1 request 6Q ref b
         2 confirm a
         1 confirm a
         1 confirm a
         1 return a
         1 return b
         1 return b
         1 confirm b
         9 confirm a
         9 return a
         1 balance",
        &[
            "rejected WithdrawalNotFound",
            "rejected WithdrawalNotFound",
            "deposited 5 free 1000005Q",
            "rejected WithdrawalNotFound",
            "requested 5 free 1000000Q",
            "requested 6 free 999994Q",
            "rejected WithdrawalNotFound",
            "completed 5 free 999994Q",
            "rejected WithdrawalCompletedAlready",
            "rejected WithdrawalCompletedAlready",
            "returned 6 free 1000000Q",
            "rejected WithdrawalCanceledAlready",
            "rejected WithdrawalCanceledAlready",
            "rejected UnknownAccount",
            "rejected UnknownAccount",
            "balance 1000000B 1000000Q 1000000C",
        ],
    );
}

/// Nothing leaves an account while its kill switch is on, but a request can still be canceled.
#[test]
fn nothing_leaves_an_account_that_is_switched_off() {
    check(
        "1 request 5Q ref a
         1 request 6Q ref b
         1 kill on
         1 request 5Q ref a
         1 request 7Q ref c
         1 confirm a
         1 return b
         1 approve a by 7
         1 kill off
         1 confirm a",
        &[
            "requested 5 free 999995Q",
            "requested 6 free 999989Q",
            "kill 1 on",
            "repeated 23",
            "rejected AccountKilled",
            "rejected AccountKilled",
            "returned 6 free 999995Q",
            "approved 1 a by 7",
            "kill 1 off",
            "completed 5 free 999995Q",
        ],
    );
}

/// Approvals of operators other than the requester, each with a key of its own.
#[test]
fn another_operator_approves_before_an_amount_leaves() {
    check(
        "approvals 1
         1 request 60Q ref w by 7
         1 confirm w by 7
         1 approve w by 7
         1 confirm w by 7
         1 approve w by 8
         restart
         1 approve w by 8
         1 confirm w by 7
         1 approve w by 9
         withdrawals",
        &[
            "approvals 1",
            "requested 60 free 999940Q",
            "rejected WithdrawalNotApproved",
            "rejected WithdrawalIsOwn",
            "rejected WithdrawalNotApproved",
            "approved 1 w by 8",
            "rejected WithdrawalApprovedAlready",
            "completed 60 free 999940Q",
            "rejected WithdrawalCompletedAlready",
            "withdrawals [1 w 60Q Completed +8]",
        ],
    );
}

/// The admin socket, without a key, is one operator.
#[test]
fn the_admin_socket_approves_like_a_key() {
    check(
        "approvals 1
         1 request 5Q ref a by 7
         1 request 6Q ref b
         1 approve a
         1 approve a
         1 approve b
         1 approve b by 7
         1 confirm a
         1 confirm b",
        &[
            "approvals 1",
            "requested 5 free 999995Q",
            "requested 6 free 999989Q",
            "approved 1 a by 0",
            "rejected WithdrawalApprovedAlready",
            "rejected WithdrawalIsOwn",
            "approved 1 b by 7",
            "completed 5 free 999989Q",
            "completed 6 free 999989Q",
        ],
    );
}

#[test]
fn an_approval_of_a_revoked_key_is_none() {
    check(
        "1 new-key 1
         1 new-key 2
         approvals 1
         1 request 5Q ref w
         1 approve w by 1
         revoke 1
         restart
         1 confirm w
         1 approve w by 2
         1 confirm w",
        &[
            "key 1",
            "key 2",
            "approvals 1",
            "requested 5 free 999995Q",
            "approved 1 w by 1",
            "revoked 1",
            "rejected WithdrawalNotApproved",
            "approved 1 w by 2",
            "completed 5 free 999995Q",
        ],
    );
}

/// Else an operator could make the operators that approve its own withdrawals.
#[test]
fn an_operators_key_makes_no_operators_key() {
    check(
        "1 new-key 1 by 7
         1 new-key 1",
        &["rejected OperatorKeyByKey", "key 1"],
    );
}

/// The number of approvals is that of the confirmation, not of the request.
#[test]
fn the_number_of_approvals_holds_for_open_withdrawals_too() {
    check(
        "1 request 5Q ref a by 1
         1 request 6Q ref b by 1
         approvals 2
         1 confirm a
         1 approve a by 2
         1 confirm a
         1 approve a by 3
         1 confirm a
         approvals 0
         1 confirm b
         approvals 6
         restart
         1 withdraw 1Q ref c
         approvals 5
         1 withdraw 1Q ref d",
        &[
            "requested 5 free 999995Q",
            "requested 6 free 999989Q",
            "approvals 2",
            "rejected WithdrawalNotApproved",
            "approved 1 a by 2",
            "rejected WithdrawalNotApproved",
            "approved 1 a by 3",
            "completed 5 free 999989Q",
            "approvals 0",
            "completed 6 free 999989Q",
            "rejected WithdrawalApprovalsAboveMax",
            "withdrawn 1 free 999988Q",
            "approvals 5",
            "rejected WithdrawalNeedsRequest",
        ],
    );
}

#[test]
fn a_withdrawal_has_at_most_five_approvals() {
    check(
        "1 request 5Q ref w
         1 approve w by 1
         1 approve w by 2
         1 approve w by 3
         1 approve w by 4
         1 approve w by 5
         1 approve w by 5
         1 approve w by 6
         1 return w
         1 approve w by 6
         1 approve x
         9 approve w
         withdrawals",
        &[
            "requested 5 free 999995Q",
            "approved 1 w by 1",
            "approved 1 w by 2",
            "approved 1 w by 3",
            "approved 1 w by 4",
            "approved 1 w by 5",
            "rejected WithdrawalApprovedAlready",
            "rejected TooManyApprovals",
            "returned 5 free 1000000Q",
            "rejected WithdrawalCanceledAlready",
            "rejected WithdrawalNotFound",
            "rejected UnknownAccount",
            "withdrawals [1 w 5Q Canceled +1 +2 +3 +4 +5]",
        ],
    );
}

/// A repeat of what was done before is one, whatever the setting is by now.
#[test]
fn without_approvals_a_withdrawal_takes_one_step() {
    let mut engine = Driver::default();
    for command in House::default().commands() {
        if !matches!(command, Command::SetWithdrawalApprovals(_)) {
            engine.apply(0, command);
        }
    }
    assert_eq!(engine.engine.withdrawal_approvals(), 1);
    check(
        "1 withdraw 5Q ref w
         approvals 1
         1 withdraw 5Q ref w
         1 withdraw 5Q ref x
         1 withdraw 5000000Q ref x
         1 withdraw 6Q ref w
         1 deposit 5Q ref x",
        &[
            "withdrawn 5 free 999995Q",
            "approvals 1",
            "repeated 23",
            "rejected WithdrawalNeedsRequest",
            "rejected WithdrawalNeedsRequest",
            "rejected DuplicateExternalRef",
            "deposited 5 free 1000000Q",
        ],
    );
}

/// A log of rules 1 leads to where it led. An upgrade goes on under rules 2.
#[test]
fn under_rules_1_nothing_needs_approval() {
    check(
        "with version 1
         1 new-key 1
         2 new-key 2 by 1
         1 withdraw 5Q ref a
         1 request 6Q ref b by 1
         1 request 7Q ref c by 1
         approvals 0
         approvals 1
         1 approve b by 2
         restart
         1 confirm b by 1
         version 2
         restart
         withdrawals
         1 withdraw 5Q ref d
         1 confirm c by 1
         1 approve c by 2
         restart
         1 confirm c by 1
         2 new-key 3 by 1",
        &[
            "key 1",
            "key 2",
            "withdrawn 5 free 999995Q",
            "requested 6 free 999989Q",
            "requested 7 free 999982Q",
            "rejected WithdrawalApprovalsAboveMax",
            "rejected WithdrawalApprovalsAboveMax",
            "rejected TooManyApprovals",
            "completed 6 free 999982Q",
            "withdrawals [1 b 6Q Completed] [1 c 7Q Requested]",
            "rejected WithdrawalNeedsRequest",
            "rejected WithdrawalNotApproved",
            "approved 1 c by 2",
            "completed 7 free 999982Q",
            "rejected OperatorKeyByKey",
        ],
    );
}

/// A bust takes proceeds back only from the free balance: the rest becomes a receivable.
#[test]
fn reserved_amounts_pay_no_receivables() {
    check(
        "with balance 2 100B 0Q
         1 buy 10 @ 10
         2 sell 10 @ 10
         2 request 100Q ref w
         bust 1 1 2
         2 return w
         settle 1
         2 balance",
        &[
            "accepted 1 10",
            "rested 1 10@10",
            "accepted 2 10",
            "trade 1!<2! 10@10",
            "requested 100 free 0Q",
            "busted 1: 1 -10B 0Q, 2 10B 0Q",
            "receivable 1: 2->1 100Q, trade 1",
            "returned 100 free 100Q",
            "paid 100 of 1: 2->1 0Q, trade 1",
            "balance 100B 0Q 1000000C",
        ],
    );
}

#[test]
fn an_account_without_balances_cannot_request_a_withdrawal() {
    check(
        "with balance 1 0B 0Q 0C
         1 risk limits
         1 request 5Q ref w",
        &["risk 1 Limits", "rejected OwnsNoBalances"],
    );
}

#[test]
fn an_account_does_not_change_its_mode_while_something_waits_to_leave() {
    check(
        "with balance 1 0B 5Q 0C
         1 request 5Q ref w
         1 risk limits
         1 confirm w
         1 risk limits
         restart
         1 confirm w",
        &[
            "requested 5 free 0Q",
            "rejected AccountNotFlat",
            "completed 5 free 0Q",
            "risk 1 Limits",
            "rejected WithdrawalCompletedAlready",
        ],
    );
}

#[test]
fn requests_are_refused_in_order_of_precedence() {
    let mut venue = House::default().open();
    let max = AMOUNT_MAX.minor();
    for (account, asset, amount, external_ref, expect) in [
        (9, 9, 0, "start-0", RejectReason::UnknownAccount),
        (u32::MAX, 0, 1, "x", RejectReason::UnknownAccount),
        (1, 3, 0, "start-0", RejectReason::UnknownAsset),
        (1, 0, 0, "start-0", RejectReason::AmountNotPositive),
        (1, 0, i128::MIN, "x", RejectReason::AmountNotPositive),
        (1, 0, max + 1, "start-0", RejectReason::AmountAboveMax),
        (1, 0, max, "start-0", RejectReason::DuplicateExternalRef),
        (1, 0, max, "x", RejectReason::WithdrawalAboveFree),
        (0, 0, 1, "x", RejectReason::WithdrawalAboveFree),
    ] {
        let command = request(account, asset, amount, external_ref);
        assert_eq!(venue.reason(0, command.clone()), Some(expect), "{command:?}");
    }
    assert_eq!(venue.engine.withdrawals().count(), 0);
}

#[test]
fn open_and_kept_withdrawals_of_an_account_are_bounded() {
    let mut venue = House::default().open();
    venue.unchecked = true;
    for number in 0..WITHDRAWALS_OPEN_MAX {
        assert_eq!(venue.reason(0, request(1, 0, 1, &format!("w{number}"))), None);
    }
    let more = || request(1, 0, 1, "more");
    assert_eq!(venue.reason(0, more()), Some(RejectReason::TooManyWithdrawals));
    assert_eq!(venue.reason(0, request(2, 0, 1, "more")), None);
    assert_eq!(venue.reason(0, confirm(1, "w7")), None);
    assert_eq!(venue.reason(0, more()), None);

    for number in 0..WITHDRAWALS_KEPT {
        let external_ref = format!("x{number}");
        assert_eq!(
            venue.reason(0, cancel(1, &format!("w{}", number + 8))),
            match number {
                ..92 => None,
                _ => Some(RejectReason::WithdrawalNotFound),
            }
        );
        assert_eq!(venue.reason(0, request(1, 0, 1, &external_ref)), None);
        assert_eq!(venue.reason(0, cancel(1, &external_ref)), None);
    }
    venue.engine.assert_consistent();
    venue.restart();
    // The oldest are dropped, except for their references, and open withdrawals are kept.
    assert_eq!(venue.reason(0, confirm(1, "w7")), Some(RejectReason::WithdrawalNotFound));
    let again = venue.reason(0, request(1, 0, 1, "w7"));
    assert_eq!(again, Some(RejectReason::DuplicateExternalRef));
    let last = format!("x{}", WITHDRAWALS_KEPT - 1);
    let ended = venue.reason(0, confirm(1, &last));
    assert_eq!(ended, Some(RejectReason::WithdrawalCanceledAlready));
    assert_eq!(venue.reason(0, confirm(1, "w0")), None);
}

#[test]
fn a_state_with_withdrawals_reads_back_and_no_part_of_it_does() {
    for rotates in [false, true] {
        let mut venue = House::default().open();
        venue.apply(0, request(1, 0, 5, "w"));
        if rotates {
            let (keys, logins) = (Vec::new(), Vec::new());
            let rotate = RotateMasterKey { fingerprint: [7; 16], keys, logins };
            venue.apply(0, Command::RotateMasterKey(rotate));
        }
        let bytes = state_bytes(&venue.engine);
        let restored = Engine::read_state(Reader(&bytes)).expect("its own state");
        assert_eq!(state_bytes(&restored), bytes);
        assert_eq!(restored.master_key_in_use(), venue.engine.master_key_in_use());
        assert_eq!(restored.withdrawals().count(), 1);
        for cut in 0..bytes.len() {
            assert!(Engine::read_state(Reader(&bytes[..cut])).is_none(), "cut at {cut}");
        }
    }
}

#[test]
fn every_flipped_bit_of_a_state_with_withdrawals_is_survived() {
    let (venue, _) = play(
        "1 request 5Q ref a
         1 request 6B ref b
         2 request 7C ref a
         1 buy 5 @ 100
         1 confirm b
         2 return a
         2 request 8C ref c",
    );
    let bytes = state_bytes(&venue.engine);
    let after = [confirm(1, "a"), cancel(2, "c"), request(1, 0, 5, "d"), deposit(1, 1, 5, "e")];
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let Some(mut engine) = Engine::read_state(Reader(&damaged)) else { continue };
            engine.assert_consistent();
            assert_eq!(state_bytes(&engine), damaged);
            for command in &after {
                engine.apply(0, &entry(0, None, command.clone()), &mut Vec::new());
                engine.assert_consistent();
            }
        }
    }
}

#[test]
fn supply_falls_only_when_the_amount_leaves() {
    let mut venue = House::default().open();
    let supply = |venue: &Driver| venue.engine.supply(AssetId(0)).expect("an asset");
    let before = supply(&venue);
    venue.apply(0, request(1, 0, 5, "w"));
    venue.apply(1, Command::NewOrder(limit("a", Side::Sell, 3, 90)));
    assert_eq!(supply(&venue), before);
    venue.apply(0, confirm(1, "w"));
    assert_eq!(supply(&venue), before - minor(5));
}

fn request(account: u32, asset: u16, amount: i128, external_ref: &str) -> Command {
    Command::RequestWithdrawal(RequestWithdrawal {
        account: AccountId(account),
        asset: AssetId(asset),
        amount: minor(amount),
        external_ref: reference(external_ref),
    })
}

fn confirm(account: u32, external_ref: &str) -> Command {
    let (account, external_ref) = (AccountId(account), reference(external_ref));
    Command::ConfirmWithdrawal(ConfirmWithdrawal { account, external_ref })
}

fn cancel(account: u32, external_ref: &str) -> Command {
    let (account, external_ref) = (AccountId(account), reference(external_ref));
    Command::CancelWithdrawal(CancelWithdrawal { account, external_ref })
}

/// A follower begins under rules 1, until the first batch says otherwise.
#[test]
fn a_new_venue_needs_approvals_before_its_first_command() {
    let engine = Engine::with_rules(1).unwrap();
    assert_eq!(engine.withdrawal_approvals(), 1);
}

fn reference(text: &str) -> ExternalRef {
    ExternalRef::parse(text).unwrap()
}
