//! Names of orders, over several generations.

use super::*;
use crate::sqlite::names::candidates;

const GENERATION: u64 = 1 << 16;

/// An order by its id, of one of two accounts.
fn accepted(order_id: u64, name: &str) -> Applied {
    let account = AccountId(1 + (order_id % 2) as u32);
    let mut order = trade(1, OrderId(1), Side::Buy, 10, 1, BEGIN_NS + order_id).taker.order;
    (order.order_id, order.account) = (OrderId(order_id), account);
    order.cl_ord_id = ClOrdId::parse(name).unwrap();
    (order.created_ns, order.updated_ns) = (BEGIN_NS + order_id, BEGIN_NS + order_id);
    let accepted = OrderAccepted { account_seq: order_id, instrument_seq: order_id, order };
    Applied {
        sequence: order_id,
        sequenced_ns: BEGIN_NS + order_id,
        account,
        continues: false,
        operated: None,
        events: vec![Event::OrderAccepted(accepted)],
    }
}

fn find(history: &Reader, account: u32, name: &str) -> Option<u64> {
    let order = OrderRef::by_cl_ord_id(ClOrdId::parse(name).unwrap());
    let (account, instrument) = (AccountId(account), INSTRUMENT);
    ask(history, OneOrder { account, instrument, order }).map(|order| order.order_id.0)
}

/// How many ids are searched for a name.
fn searched(path: &Path, account: u32, name: &str) -> i64 {
    let connection = rusqlite::Connection::open(path).unwrap();
    let whose = (AccountId(account), ClOrdId::parse(name).unwrap());
    let ids = candidates(&connection, INSTRUMENT, whose).unwrap();
    ids.iter().map(|ids| ids.end.min(3 * GENERATION as i64) - ids.start).sum()
}

#[test]
fn a_name_is_found_in_any_generation_and_an_unknown_one_searches_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("names");
    let mut store = open(&path);
    let last = 2 * GENERATION + 5_000;
    let orders: Vec<Applied> = (1..=last).map(|id| accepted(id, &format!("order-{id}"))).collect();
    for page in orders.chunks(30_000) {
        store.add(page).unwrap();
    }
    let history = history(&path);
    for id in [1, 2, 4_096, GENERATION - 1, GENERATION, 2 * GENERATION - 1, 2 * GENERATION, last] {
        let (owner, other) = (1 + (id % 2) as u32, 2 - (id % 2) as u32);
        assert_eq!(find(&history, owner, &format!("order-{id}")), Some(id));
        assert_eq!(find(&history, other, &format!("order-{id}")), None, "it is of the other");
    }
    let generation = GENERATION as i64;
    let mut in_vain = 0;
    for number in 0..1_000 {
        let name = format!("unknown-{number}");
        assert_eq!(find(&history, 1, &name), None);
        in_vain += searched(&path, 1, &name) - generation;
    }
    assert!(in_vain <= 60 * generation, "of 2,000 generations: {}", in_vain / generation);

    // A generation that is complete gets a name late, or an order of an old id.
    let mut renamed = accepted(7, "late-name");
    renamed.sequence = last + 1;
    let Event::OrderAccepted(e) = &mut renamed.events[0] else { panic!("accepted") };
    e.order.updated_ns += last;
    store.add(&[renamed]).unwrap();
    assert_eq!(find(&history, 2, "late-name"), Some(7));
    assert_eq!(find(&history, 2, "order-7"), None);
}

/// History that begins in the middle, with an older order that ends later.
#[test]
fn an_order_from_before_history_begins_is_found_by_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("names");
    let mut store = open(&path);
    let first = 5 * GENERATION - 10;
    let orders = (first..first + 20).map(|id| accepted(id, &format!("order-{id}")));
    store.pass_over(first).unwrap();
    store.add(&orders.collect::<Vec<_>>()).unwrap();
    let mut old = accepted(3, "old");
    old.sequence = first + 20;
    store.add(&[old]).unwrap();
    let history = history(&path);
    assert_eq!(find(&history, 2, "old"), Some(3));
    assert_eq!(find(&history, 1, &format!("order-{first}")), Some(first));
    drop(store);
    let mut again = open(&path);
    let mut older = accepted(5, "older");
    older.sequence = first + 21;
    again.add(&[older]).unwrap();
    assert_eq!(find(&history, 2, "older"), Some(5));
}
