//! Order lists of the Rust client.

use client::{Leg, NewOrder, NewOto, OrderKey, Pending};
use serde_json::Value;
use types::Side;

use crate::process::{Serving, text};

#[tokio::test]
async fn lists_of_a_first_order_are_placed_and_go_on_once_it_has_filled() {
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys.json");
    let venue = Serving::start(&["--test", "--keys", text(&keys)]);
    let keys: Value = serde_json::from_slice(&std::fs::read(&keys).unwrap()).unwrap();
    let [alice, bob] = [0, 1].map(|at| {
        let of = |field: &str| keys["accounts"][at][field].as_str().unwrap();
        venue.client(of("api_key"), of("secret_key"))
    });
    let one = |price: &str| Pending::One(Leg::limit(price));
    let oco = Pending::Oco { above: Leg::limit_maker("30000"), below: Leg::stop_loss("15000") };
    for (pending, quantity, orders) in [
        (one("30000"), Some("0.2"), ["0.20000000"].as_slice()),
        (oco.clone(), Some("0.2"), &["0.20000000", "0.20000000"]),
        (one("30000"), None, &["0.10000000"]),
        (oco, None, &["0.10000000", "0.10000000"]),
    ] {
        let list = NewOto {
            symbol: "BTCUSDT".to_owned(),
            working_side: Side::Buy,
            working_quantity: "0.1".to_owned(),
            working: Leg::limit("20000"),
            pending_side: Side::Sell,
            pending_quantity: quantity.map(str::to_owned),
            pending,
            list_client_order_id: None,
            idempotency_key: None,
        };
        let placed = alice.place_oto(&list).await.unwrap();
        let statuses: Vec<_> = placed.orders.iter().map(|order| &*order.report.status).collect();
        assert_eq!(statuses[0], "NEW");
        assert!(statuses[1..].iter().all(|status| *status == "PENDING_NEW"), "{placed:?}");
        assert_eq!(statuses.len(), orders.len() + 1);
        bob.place(&NewOrder::market("BTCUSDT", Side::Sell, "0.1")).await.unwrap();
        for (order, quantity) in placed.orders[1..].iter().zip(orders) {
            let found = alice.order("BTCUSDT", OrderKey::OrderId(order.order_id)).await.unwrap();
            assert_eq!((&*found.status, &*found.orig_qty), ("NEW", *quantity), "{list:?}");
        }
        alice.cancel_list("BTCUSDT", placed.status.order_list_id).await.unwrap();
    }
    venue.stop();
}
