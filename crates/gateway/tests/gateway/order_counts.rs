//! Limits on the orders of an account and on the weight of an address, as answers show them.

use gateway::DoorSettings;
use serde_json::{Value, json};
use types::{AccountId, AccountRisk, Command, SetAccountRisk};

use crate::socket::{ask, connect, signed};
use crate::support::{Key, MAKER, Reply, Site, TAKER};
use crate::ws_api::order;

async fn limit(site: &Site, account: AccountId, per_10s: u32, per_day: u32) {
    let risk = AccountRisk {
        max_orders_per_10s: per_10s,
        max_orders_per_day: per_day,
        ..AccountRisk::PLAIN
    };
    site.operate(Command::SetAccountRisk(SetAccountRisk { account, risk })).await;
    // The publisher's thread has the event.
    site.handle.read_views(|_, _| ()).unwrap().await.unwrap();
}

async fn send(site: &Site, key: &Key, side: &str, qty: &str, price: &str) -> Reply {
    let text = format!(
        "symbol=BTCUSDT&side={side}&type=LIMIT&timeInForce=GTC&quantity={qty}&price={price}"
    );
    site.signed(key, "POST", "/api/v3/order", &text).await
}

#[track_caller]
fn has(reply: &Reply, header: &str) {
    assert!(reply.head.contains(&format!("{header}\r\n")), "{header}: {}", reply.head);
}

/// The count of today.
async fn count(site: &Site) -> u64 {
    let counts = site.signed(&site.maker, "GET", "/api/v3/rateLimit/order", "").await.ok();
    let counts = counts.as_array().unwrap().clone();
    let of_day = counts.into_iter().find(|count| count["interval"] == "DAY");
    of_day.unwrap()["count"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_orders_have_the_counts_of_each_interval() {
    let site = Site::new().await;
    let free = send(&site, &site.maker, "BUY", "1", "100").await;
    assert!(!free.head.contains("x-mbx-order-count"), "{}", free.head);
    limit(&site, MAKER, 1_000, 3).await;
    let first = send(&site, &site.maker, "BUY", "1", "100").await;
    has(&first, "x-mbx-order-count-1d: 1");
    assert!(first.head.contains("x-mbx-order-count-10s: "), "{}", first.head);
    let refused = send(&site, &site.maker, "BUY", "0.00001", "100").await;
    assert_eq!(refused.status, 400);
    has(&refused, "x-mbx-order-count-1d: 1");

    let list = "symbol=BTCUSDT&side=SELL&quantity=1&aboveType=LIMIT_MAKER&abovePrice=200\
                &belowType=STOP_LOSS&belowStopPrice=50";
    let list = site.signed(&site.maker, "POST", "/api/v3/orderList/oco", list).await;
    assert_eq!(list.status, 200, "{}", list.body);
    has(&list, "x-mbx-order-count-1d: 3");
    let test = site
        .signed(
            &site.maker,
            "POST",
            "/api/v3/order/test",
            "symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=5",
        )
        .await;
    assert!(!test.head.contains("x-mbx-order-count"), "{}", test.head);

    let limited = send(&site, &site.maker, "BUY", "1", "100").await;
    let msg = "Too many new orders; current limit is 3 orders per 1 DAY.";
    limited.is_error(429, -1015, msg);
    has(&limited, "x-mbx-order-count-1d: 3");
    let retry_after = limited.head.split("retry-after: ").nth(1).unwrap();
    let retry_after: u64 = retry_after.split("\r\n").next().unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&retry_after));

    let mut socket = connect(&site, "/ws-api/v3").await;
    let answer = ask(&mut socket, 1, "order.place", signed(&site.maker, order("100"))).await;
    assert_eq!((&answer["status"], &answer["error"]["msg"]), (&json!(429), &json!(msg)));
    assert!(answer["error"]["data"]["retryAfter"].is_u64(), "{answer}");
    let kinds: Vec<Value> = answer["rateLimits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|limit| json!([limit["rateLimitType"], limit["interval"], limit["limit"]]))
        .collect();
    assert_eq!(kinds[0], json!(["ORDERS", "SECOND", 1_000]));
    assert_eq!(kinds[1], json!(["ORDERS", "DAY", 3]));
    assert_eq!(kinds[2][0], "REQUEST_WEIGHT");
    let batch = json!([{
        "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
        "quantity": "1", "price": "100",
    }]);
    let batch: String = batch.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    let batch = format!("batchOrders={batch}");
    let batch = site.signed(&site.maker, "POST", "/api/v3/batchOrders", &batch).await.ok();
    assert_eq!(batch, json!([{ "code": -1015, "msg": msg, "reason": "OrderRateAboveMax" }]));
}

/// The examples of Binance's page about unfilled orders.
#[tokio::test(flavor = "multi_thread")]
async fn orders_that_fill_give_their_count_back() {
    let site = Site::new().await;
    limit(&site, MAKER, 0, 100).await;
    let check = async |expect: u64| assert_eq!(count(&site).await, expect);
    // A taker: its first fill gives back one.
    send(&site, &site.taker, "SELL", "1", "110").await.ok();
    send(&site, &site.maker, "BUY", "1", "100").await.ok();
    let partial = send(&site, &site.maker, "BUY", "2", "110").await;
    has(&partial, "x-mbx-order-count-1d: 1");
    send(&site, &site.taker, "SELL", "0.5", "110").await.ok();
    send(&site, &site.taker, "SELL", "0.5", "110").await.ok();
    check(1).await;
    // A maker: its first fill gives back five.
    for _ in 0..6 {
        send(&site, &site.maker, "BUY", "1", "105").await.ok();
    }
    check(7).await;
    send(&site, &site.taker, "SELL", "0.5", "105").await.ok();
    check(2).await;
    send(&site, &site.taker, "SELL", "0.5", "105").await.ok();
    check(2).await;
    send(&site, &site.taker, "SELL", "0.5", "105").await.ok();
    check(0).await;
    // Cancels and expiries give nothing back.
    send(&site, &site.maker, "BUY", "1", "90").await.ok();
    let text = "symbol=BTCUSDT";
    site.signed(&site.maker, "DELETE", "/api/v3/openOrders", text).await.ok();
    check(1).await;
    let fok = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=FOK&quantity=1&price=90";
    site.signed(&site.maker, "POST", "/api/v3/order", fok).await.ok();
    check(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_by_weight_show_the_weight() {
    let door =
        DoorSettings { weight_per_minute: 30, loopback_limited: true, ..DoorSettings::default() };
    let site = Site::with(door).await;
    let info = site.get("/api/v3/exchangeInfo").await;
    has(&info, "x-mbx-used-weight-1m: 20");
    assert_eq!(
        info.ok()["rateLimits"],
        json!([{
            "rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1, "limit": 30,
        }])
    );
    let used = |reply: &Reply| -> u32 {
        let used = reply.head.split("x-mbx-used-weight-1m: ").nth(1);
        used.unwrap_or_else(|| panic!("{}", reply.head))
            .split("\r\n")
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    let limited = site.get("/api/v3/exchangeInfo").await;
    assert_eq!(limited.status, 429);
    assert!((10..=30).contains(&used(&limited)), "{}", limited.head);
    let banned = loop {
        let reply = site.get("/api/v3/exchangeInfo").await;
        match reply.status {
            418 => break reply,
            status => assert_eq!(status, 429),
        }
    };
    // As counted, not all of the limit.
    assert!((10..=20).contains(&used(&banned)), "{}", banned.head);
    assert!(banned.head.contains("retry-after: "), "{}", banned.head);
}

/// Without limits there are none in the answers either, and no figure stands for "no limit".
#[tokio::test(flavor = "multi_thread")]
async fn limits_that_are_not_set_are_not_shown() {
    let site = Site::new().await;
    let info = site.get("/api/v3/exchangeInfo").await.ok();
    assert_eq!(info["rateLimits"], json!([]), "this machine is not limited");
    let counts = site.signed(&site.maker, "GET", "/api/v3/rateLimit/order", "").await.ok();
    assert_eq!(counts, json!([]));
    limit(&site, TAKER, 5, 0).await;
    let counts = site.signed(&site.taker, "GET", "/api/v3/rateLimit/order", "").await.ok();
    assert_eq!(counts.as_array().unwrap().len(), 1);
    assert_eq!(counts[0]["interval"], "SECOND");
    let spec = site
        .ask(|engine| engine.instruments().next().map(|instrument| instrument.spec).unwrap())
        .await;
    let spec = types::InstrumentSpec { max_notional: types::AMOUNT_MAX, ..spec };
    let instrument = crate::support::BTCUSDT;
    let update = types::UpdateInstrument { instrument, spec };
    site.operate(Command::UpdateInstrument(update)).await;
    let info = site.get("/api/v3/exchangeInfo?symbol=BTCUSDT").await.ok();
    let filters = info["symbols"][0]["filters"].as_array().unwrap().clone();
    let notional = filters.iter().find(|filter| filter["filterType"] == "NOTIONAL").unwrap();
    assert_eq!(
        *notional,
        json!({
            "filterType": "NOTIONAL", "minNotional": "5.00000000", "applyMinToMarket": true,
            "applyMaxToMarket": false, "avgPriceMins": 0,
        })
    );
}
