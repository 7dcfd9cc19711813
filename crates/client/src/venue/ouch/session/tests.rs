use protocol::ouch::outbound::{AccountQueryResponse, OrderCanceled};

use super::*;

#[test]
fn answers_among_what_was_missed_are_of_earlier_questions() {
    let mut session = Session::new(Instruments::default(), 1);
    let mut out = Vec::new();
    session.logged_on(1, 4, &mut out);
    let answer = |next_user_ref_num| {
        let answer = AccountQueryResponse { timestamp: 0, next_user_ref_num };
        Outbound::AccountQueryResponse(answer, Appendage::default())
    };
    for next in [1, 5, 9] {
        assert!(out.is_empty() && !session.is_current());
        session.receive(&answer(next), &mut out);
    }
    assert!(!out.is_empty() && !session.is_current());
    session.receive(&answer(12), &mut out);
    assert!(session.is_current());
    assert_eq!(session.next, 12);

    assert_eq!(session.wanted_from(), 1);

    // Nothing was missed: the question goes at once.
    session.disconnected();
    out.clear();
    session.logged_on(5, 5, &mut out);
    assert!(!out.is_empty() && !session.is_current());
}

#[test]
fn reports_before_the_wanted_one_are_read_and_not_given() {
    let canceled = |user_ref_num| {
        let (timestamp, quantity, reason) = (0, 1, code::cancel::USER);
        let canceled = OrderCanceled { timestamp, user_ref_num, quantity, reason };
        Outbound::OrderCanceled(canceled, Appendage::default())
    };
    // Wanted, first new one, and the reports of four that are given.
    for (wanted, new_from, given) in [(1, 5, 1..=4), (3, 5, 3..=4), (0, 4, 4..=4), (9, 5, 1..=4)] {
        let mut session = Session::new(Instruments::default(), wanted);
        let mut out = Vec::new();
        session.logged_on(1, new_from, &mut out);
        let reports = (1..=4).filter_map(|of| session.receive(&canceled(of), &mut out));
        let reports: Vec<_> =
            reports.map(|report| (report.sequence, report.client_order_id)).collect();
        let named: Vec<_> = given.map(|of| (of, format!("#{of}"))).collect();
        assert_eq!(reports, named, "from {wanted}");
    }
}
