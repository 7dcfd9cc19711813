//! Market orders that the book or the balance cannot fill.

use serde_json::json;

use crate::support::{Key, Reply, Site};

async fn market(site: &Site, key: &Key, text: &str) -> Reply {
    let text = format!("symbol=BTCUSDT&type=MARKET&newOrderRespType=FULL&{text}");
    site.signed(key, "POST", "/api/v3/order", &text).await
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_other_side_a_market_order_is_refused() {
    let site = Site::new().await;
    let state = site.fingerprint().await;
    let msg = "Order book liquidity is less than symbol minimum quantity.";
    for text in [
        "side=BUY&quoteOrderQty=100",
        "side=SELL&quoteOrderQty=100",
        "side=BUY&quantity=1",
        "side=SELL&quantity=1",
        "side=SELL&quantity=1&withinBalance=true",
    ] {
        market(&site, &site.taker, text).await.is_error(400, -2010, msg);
    }
    assert!(site.fingerprint().await == state);
    // Less than is asked for is no refusal: the rest expires.
    site.order(&site.maker, "SELL", "1", "100").await;
    let filled = market(&site, &site.taker, "side=BUY&quantity=3").await.ok();
    assert_eq!(
        (&filled["status"], &filled["executedQty"]),
        (&json!("EXPIRED"), &json!("1.00000000"))
    );
    assert_eq!(filled["expiryReason"], "INSUFFICIENT_LIQUIDITY");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_market_order_beyond_the_balance_is_refused_before_it_trades() {
    let site = Site::new().await;
    site.order(&site.maker, "SELL", "50", "800000").await;
    site.order(&site.maker, "SELL", "50", "1000000").await;
    // Of 100,000,000 USDT, 70,000,000 are free.
    site.order(&site.taker, "BUY", "300", "100000").await;
    let state = site.fingerprint().await;
    let msg = "Account has insufficient balance for requested action.";
    for text in ["side=BUY&quantity=80.00001", "side=BUY&quoteOrderQty=70000000.01"] {
        market(&site, &site.taker, text).await.is_error(400, -2010, msg);
    }
    assert!(site.fingerprint().await == state);
    let test = "symbol=BTCUSDT&type=MARKET&side=BUY&quantity=80.00001";
    let reply = site.signed(&site.taker, "POST", "/api/v3/order/test", test).await;
    reply.is_error(400, -2010, msg);

    // The option: as far as the balance pays.
    let part = market(&site, &site.taker, "side=BUY&quantity=90&withinBalance=true").await.ok();
    let found = (&part["status"], &part["executedQty"], &part["withinBalance"]);
    assert_eq!(found, (&json!("EXPIRED"), &json!("80.00000000"), &json!(true)));
    assert_eq!(part["cummulativeQuoteQty"], "70000000.00000000");
}

#[tokio::test(flavor = "multi_thread")]
async fn by_quote_amount_a_market_order_keeps_to_the_filter() {
    let site = Site::new().await;
    site.order(&site.maker, "SELL", "0.0001", "100000").await;
    site.order(&site.maker, "SELL", "200", "200000").await;
    let state = site.fingerprint().await;
    let msg = "Filter failure: MARKET_LOT_SIZE";
    // 0.0001 to 100 BTC.
    for (amount, fits) in
        [("9.99", false), ("10", true), ("19999991.99", true), ("19999992", false)]
    {
        let text = format!("symbol=BTCUSDT&type=MARKET&side=BUY&quoteOrderQty={amount}");
        let tested = site.signed(&site.taker, "POST", "/api/v3/order/test", &text).await;
        if fits {
            tested.ok();
        } else {
            tested.is_error(400, -1013, msg);
            let entered = site.signed(&site.taker, "POST", "/api/v3/order", &text).await;
            entered.is_error(400, -1013, msg);
        }
    }
    assert!(site.fingerprint().await == state);
    let site = Site::new().await;
    site.order(&site.maker, "SELL", "0.00015", "100000").await;
    site.order(&site.taker, "BUY", "0.0001", "100000").await;
    let msg = "Order book liquidity is less than symbol minimum quantity.";
    market(&site, &site.taker, "side=BUY&quoteOrderQty=100").await.is_error(400, -2010, msg);
}
