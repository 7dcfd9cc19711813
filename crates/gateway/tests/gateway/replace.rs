//! Cancel and replace: what is checked ahead of the cancel, and what follows it.

use serde_json::{Value, json};
use types::{AccountRisk, Command, SetAccountRisk};

use crate::socket::{ask, connect, signed};
use crate::support::{MAKER, Reply, Site};

const PATH: &str = "/api/v3/order/cancelReplace";

/// Replaces an order by a buy.
async fn replace(site: &Site, order_id: &Value, text: &str) -> Reply {
    let text = format!("symbol=BTCUSDT&side=BUY&cancelOrderId={order_id}&{text}");
    site.signed(&site.maker, "POST", PATH, &text).await
}

async fn status(site: &Site, order_id: &Value) -> Value {
    let text = format!("symbol=BTCUSDT&orderId={order_id}");
    site.signed(&site.maker, "GET", "/api/v3/order", &text).await.ok()["status"].take()
}

fn limit(qty: &str, price: &str) -> String {
    format!(
        "cancelReplaceMode=STOP_ON_FAILURE&type=LIMIT&timeInForce=GTC&quantity={qty}&price={price}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_order_that_fails_a_filter_changes_nothing() {
    let site = Site::new().await;
    let old = site.order(&site.maker, "BUY", "1", "100").await["orderId"].take();
    for (text, filter) in [
        (limit("0.00001", "100"), "LOT_SIZE"),
        (limit("1", "1000000.01"), "PRICE_FILTER"),
        (limit("0.0001", "1"), "NOTIONAL"),
        (limit("9000", "100000"), "NOTIONAL"),
        (format!("{}&icebergQty=0.00001", limit("1", "100")), "LOT_SIZE"),
    ] {
        let state = site.fingerprint().await;
        let msg = format!("Filter failure: {filter}");
        replace(&site, &old, &text).await.is_error(400, -1013, &msg);
        let allowed = text.replace("STOP_ON_FAILURE", "ALLOW_FAILURE");
        replace(&site, &old, &allowed).await.is_error(400, -1013, &msg);
        assert!(site.fingerprint().await == state, "{text}");
    }
    assert_eq!(status(&site, &old).await, "NEW");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_freed_funds_pay_for_the_new_order() {
    let site = Site::new().await;
    // Of 100,000,000 USDT, 90,000,000 are held.
    let old = site.order(&site.maker, "BUY", "900", "100000").await["orderId"].take();
    let replaced = replace(&site, &old, &limit("850", "100001")).await.ok();
    let new = replaced["newOrderResponse"]["orderId"].clone();
    assert_eq!(status(&site, &old).await, "CANCELED");
    // More than the account has: the cancel is done already, as on Binance.
    site.order(&site.maker, "BUY", "140", "100000").await;
    let failed = replace(&site, &new, &limit("899", "100100")).await;
    assert_eq!(failed.status, 409);
    let failed = failed.json();
    assert_eq!(failed["code"], -2021);
    let error = json!({
        "code": -2010, "msg": "Account has insufficient balance for requested action.",
        "reason": "InsufficientBalance",
    });
    assert_eq!(failed["data"]["newOrderResponse"], error);
    assert_eq!(status(&site, &new).await, "CANCELED");
}

#[tokio::test(flavor = "multi_thread")]
async fn above_the_order_limit_the_mode_decides_about_the_cancel() {
    let site = Site::new().await;
    let risk = AccountRisk { max_orders_per_day: 1, ..AccountRisk::PLAIN };
    site.operate(Command::SetAccountRisk(SetAccountRisk { account: MAKER, risk })).await;
    let old = site.order(&site.maker, "BUY", "1", "100").await["orderId"].take();
    let limited = "Too many new orders; current limit is 1 orders per 1 DAY.";
    let text = limit("1", "101");
    for mode in ["", "&orderRateLimitExceededMode=DO_NOTHING"] {
        let reply = replace(&site, &old, &format!("{text}{mode}")).await;
        reply.is_error(429, -1015, limited);
        assert!(reply.head.contains("retry-after: "), "{}", reply.head);
        assert_eq!(status(&site, &old).await, "NEW");
    }
    let cancel_only = format!("{text}&orderRateLimitExceededMode=CANCEL_ONLY");
    let error = json!({ "code": -1015, "msg": limited, "reason": "OrderRateAboveMax" });

    let unknown = replace(&site, &json!(99), &cancel_only).await;
    assert_eq!((unknown.status, &unknown.json()["code"]), (429, &json!(-2022)));
    assert_eq!(unknown.json()["data"]["newOrderResult"], "NOT_ATTEMPTED");
    let allowed = cancel_only.replace("STOP_ON_FAILURE", "ALLOW_FAILURE");
    let unknown = replace(&site, &json!(99), &allowed).await;
    assert_eq!((unknown.status, &unknown.json()["code"]), (400, &json!(-2022)));
    assert_eq!(unknown.json()["data"]["newOrderResponse"], error);

    let canceled = replace(&site, &old, &cancel_only).await;
    assert!(canceled.head.contains("retry-after: "), "{}", canceled.head);
    let body = canceled.json();
    assert_eq!((canceled.status, &body["code"]), (429, &json!(-2021)));
    assert_eq!(body["data"]["cancelResult"], "SUCCESS");
    assert_eq!(body["data"]["newOrderResponse"], error);
    assert_eq!(status(&site, &old).await, "CANCELED");
}

#[tokio::test(flavor = "multi_thread")]
async fn above_the_order_limit_the_websocket_api_says_when_to_retry() {
    let site = Site::new().await;
    let risk = AccountRisk { max_orders_per_day: 1, ..AccountRisk::PLAIN };
    site.operate(Command::SetAccountRisk(SetAccountRisk { account: MAKER, risk })).await;
    let old = site.order(&site.maker, "BUY", "1", "100").await["orderId"].take();
    let mut socket = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    let params = json!({
        "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
        "quantity": "1", "price": "101", "cancelReplaceMode": "STOP_ON_FAILURE",
        "cancelOrderId": old, "orderRateLimitExceededMode": "CANCEL_ONLY",
    });
    let params = signed(&site.maker, params);
    let answer = ask(&mut socket, 1, "order.cancelReplace", params).await;
    assert_eq!((&answer["status"], &answer["error"]["code"]), (&json!(429), &json!(-2021)));
    let data = &answer["error"]["data"];
    assert_eq!(data["cancelResult"], "SUCCESS");
    assert_eq!(data["newOrderResponse"]["code"], -1015);
    assert!(data["retryAfter"].as_u64() > data["serverTime"].as_u64(), "{answer}");
    assert!(data["serverTime"].as_u64() > Some(1_700_000_000_000), "{answer}");
}

/// Binance's table of statuses, as far as the order limit is not reached.
#[tokio::test(flavor = "multi_thread")]
async fn each_outcome_has_its_status_over_both_ways() {
    let site = Site::new().await;
    site.order(&site.taker, "SELL", "1", "200").await;
    let mut socket = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    let (done, failed, skipped) = ("SUCCESS", "FAILURE", "NOT_ATTEMPTED");
    let mut id = 0;
    for (mode, cancels, enters, status, code, halves) in [
        ("STOP_ON_FAILURE", true, true, 200, 0, [done, done]),
        ("STOP_ON_FAILURE", false, true, 400, -2022, [failed, skipped]),
        ("STOP_ON_FAILURE", true, false, 409, -2021, [done, failed]),
        ("ALLOW_FAILURE", true, true, 200, 0, [done, done]),
        ("ALLOW_FAILURE", false, false, 400, -2022, [failed, failed]),
        ("ALLOW_FAILURE", false, true, 409, -2021, [failed, done]),
        ("ALLOW_FAILURE", true, false, 409, -2021, [done, failed]),
    ] {
        for limit_mode in ["DO_NOTHING", "CANCEL_ONLY"] {
            for over_rest in [true, false] {
                let old = site.order(&site.maker, "BUY", "1", "100").await["orderId"].take();
                let restriction = if cancels { "ONLY_NEW" } else { "ONLY_PARTIALLY_FILLED" };
                let price = if enters { "101" } else { "200" };
                let params = json!({
                    "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT_MAKER", "quantity": "1",
                    "price": price, "cancelReplaceMode": mode, "cancelOrderId": old,
                    "cancelRestrictions": restriction, "orderRateLimitExceededMode": limit_mode,
                });
                let (found, body) = if over_rest {
                    let text = query_of(&params);
                    let reply = site.signed(&site.maker, "POST", PATH, &text).await;
                    (json!(reply.status), reply.json())
                } else {
                    id += 1;
                    let params = signed(&site.maker, params);
                    let answer = ask(&mut socket, id, "order.cancelReplace", params).await;
                    let body = if status == 200 { "result" } else { "error" };
                    (answer["status"].clone(), answer[body].clone())
                };
                let case = format!("{mode} {limit_mode} {cancels} {enters} {over_rest}: {body}");
                assert_eq!(found, status, "{case}");
                let data = if status == 200 { &body } else { &body["data"] };
                assert_eq!(body["code"].as_i64().unwrap_or(0), code, "{case}");
                let results = [&data["cancelResult"], &data["newOrderResult"]];
                assert_eq!(results, halves, "{case}");
                if !cancels {
                    let error = &data["cancelResponse"];
                    assert_eq!(error["code"], -2011, "{case}");
                    let msg = "Order was not canceled due to cancel restrictions.";
                    assert_eq!(error["msg"], msg, "{case}");
                }
                assert_eq!(data["newOrderResponse"].is_null(), halves[1] == skipped, "{case}");
            }
        }
    }
}

/// Texts as a query; no name or value needs an escape.
fn query_of(params: &Value) -> String {
    let pairs = params.as_object().unwrap().iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{name}={value}")
    });
    pairs.collect::<Vec<_>>().join("&")
}
