//! The place of an order in the queue at its price.

use serde_json::{Value, json};
use types::Side;

use crate::socket::{ask, connect, signed};
use crate::streams::{is_done, submit_order};
use crate::support::{Key, MAKER, Site, TAKER};

async fn place(site: &Site, key: &Key, text: &str) -> u64 {
    let text = format!("symbol=BTCUSDT&type=LIMIT&timeInForce=GTC&{text}");
    let order = site.signed(key, "POST", "/api/v3/order", &text).await.ok();
    order["orderId"].as_u64().unwrap()
}

async fn cancel(site: &Site, key: &Key, id: u64) {
    let text = format!("symbol=BTCUSDT&orderId={id}");
    site.signed(key, "DELETE", "/api/v3/order", &text).await.ok();
}

/// Of the account's open orders, in the order of their age.
async fn places(site: &Site, key: &Key) -> Value {
    let open = site.signed(key, "GET", "/api/v3/openOrders", "symbol=BTCUSDT&queue=true").await;
    open.ok().as_array().unwrap().iter().map(|order| order["aheadQty"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_says_what_trades_ahead_of_it() {
    let site = Site::new().await;
    let first = place(&site, &site.maker, "side=BUY&quantity=1&price=100").await;
    place(&site, &site.maker, "side=BUY&quantity=5&price=100&icebergQty=2").await;
    let text = "side=BUY&quantity=0.5&price=100";
    let own = place(&site, &site.taker, text).await;
    place(&site, &site.taker, &text.replace("100", "99")).await;
    let stop = "side=BUY&quantity=1&price=130&stopPrice=120&symbol=BTCUSDT&timeInForce=GTC\
                &type=STOP_LOSS_LIMIT";
    site.signed(&site.taker, "POST", "/api/v3/order", stop).await.ok();
    place(&site, &site.taker, &format!("{text}&hidden=true")).await;

    // The displayed part of the iceberg counts; a stop is in no queue; all that is displayed
    // trades ahead of a hidden order.
    let expect = ["3.00000000", "0.00000000", "", "3.50000000"];
    let expect = expect.map(|qty| if qty.is_empty() { json!(null) } else { json!(qty) });
    assert_eq!(places(&site, &site.taker).await, json!(expect));

    // A new order is behind it, one ahead of it is canceled, another trades and shows more behind.
    place(&site, &site.maker, "side=BUY&quantity=7&price=100").await;
    assert_eq!(places(&site, &site.taker).await[0], "3.00000000");
    cancel(&site, &site.maker, first).await;
    assert_eq!(places(&site, &site.taker).await[0], "2.00000000");
    let sell = "symbol=BTCUSDT&type=LIMIT&timeInForce=IOC&side=SELL&quantity=2&price=100";
    site.signed(&site.maker, "POST", "/api/v3/order", sell).await.ok();
    let text = format!("symbol=BTCUSDT&orderId={own}");
    let query = async |more: &str| {
        let text = format!("{text}{more}");
        site.signed(&site.taker, "GET", "/api/v3/order", &text).await.ok()
    };
    assert_eq!(query("&queue=true").await["aheadQty"], "0.00000000");
    for text in ["", "&queue=false"] {
        assert_eq!(query(text).await.get("aheadQty"), None);
    }
    cancel(&site, &site.taker, own).await;
    assert_eq!(query("&queue=true").await.get("aheadQty"), Some(&json!(null)));

    let mut socket = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    let params = json!({"symbol": "BTCUSDT", "queue": true});
    let open = ask(&mut socket, 1, "openOrders.status", signed(&site.taker, params)).await;
    assert_eq!(open["result"][0]["aheadQty"], "0.00000000", "{open}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_queue_is_read_in_parts_while_it_changes() {
    let site = Site::new().await;
    for _ in 0..900 {
        is_done(submit_order(&site, MAKER, Side::Buy, 100_000, 10_000)).await;
    }
    is_done(submit_order(&site, TAKER, Side::Buy, 100_000, 10_000)).await;
    let trades = async {
        for _ in 0..100 {
            is_done(submit_order(&site, TAKER, Side::Sell, 100_000, 10_000)).await;
        }
    };
    let asked = async {
        for _ in 0..20 {
            let qty = places(&site, &site.taker).await[0].clone();
            let qty: f64 = qty.as_str().unwrap().parse().unwrap();
            assert!((800.0..=900.0).contains(&qty), "{qty}");
        }
    };
    tokio::join!(trades, asked);
    assert_eq!(places(&site, &site.taker).await, json!(["800.00000000"]));
}
