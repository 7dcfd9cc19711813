//! Order lists and the retention.

use types::{
    OrderList, OrderListChange, OrderListId, OrderListKind, OrderListStatus, OrderListUpdated,
};

use crate::question::{AllOrderLists, ListFilter};
use crate::retention::HistoryRetention;

use super::*;

/// More than one step of the deletion looks at.
const OPEN: u64 = 2_500;
const DONE: u64 = 3_000;

fn updated(number: u64, status: OrderListStatus) -> Applied {
    let list = OrderList {
        instrument: INSTRUMENT,
        account: AccountId(1),
        order_list: OrderListId(number),
        cl_ord_id: ClOrdId::parse(&format!("list-{number}")).unwrap(),
        kind: OrderListKind::Oco,
        status,
        orders: [None; 3],
        created_ns: BEGIN_NS + number,
        updated_ns: BEGIN_NS + number,
    };
    let change = OrderListChange::Entered;
    Applied {
        sequence: number,
        sequenced_ns: BEGIN_NS + number,
        account: AccountId(1),
        continues: false,
        operated: None,
        events: vec![Event::OrderListUpdated(OrderListUpdated {
            account_seq: number,
            list,
            change,
        })],
    }
}

#[test]
fn done_lists_are_deleted_behind_any_number_of_open_ones() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lists");
    let mut store = open(&path);
    let status = |number| match number {
        ..=OPEN => OrderListStatus::Executing,
        _ => OrderListStatus::AllDone,
    };
    let lists: Vec<Applied> =
        (1..=OPEN + DONE).map(|number| updated(number, status(number))).collect();
    store.add(&lists).unwrap();
    // Half of the done lists are older than this.
    let retention = HistoryRetention { max_age_ns: Some(DONE / 2), ..HistoryRetention::ALL };
    let mut steps = 0;
    while store.forget(&retention).unwrap() {
        steps += 1;
        assert!(steps < 10, "it ends");
    }
    let filter = ListFilter { limit: 10_000, ..ListFilter::default() };
    let left = ask(&history(&path), AllOrderLists { account: AccountId(1), filter });
    let left: Vec<u64> = left.iter().map(|list| list.order_list.0).collect();
    let first_kept = OPEN + DONE - DONE / 2;
    assert_eq!(left, (1..=OPEN).chain(first_kept..=OPEN + DONE).collect::<Vec<_>>());
}
