use serde_json::json;

use protocol::signed::sign::sign;

use crate::support::{MAKER, Site, fields, with_time};

const LIMIT: &str = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=100";

#[tokio::test(flavor = "multi_thread")]
async fn an_order_lives_from_entry_to_end() {
    let site = Site::new().await;
    let text = format!("{LIMIT}&newClientOrderId=mine");
    let order = site.signed(&site.maker, "POST", "/api/v3/order", &text).await.ok();
    assert_eq!(
        (&order["orderId"], &order["status"], &order["fills"]),
        (&json!(1), &json!("NEW"), &json!([]))
    );
    let query = "symbol=BTCUSDT&origClientOrderId=mine";
    let found = site.signed(&site.maker, "GET", "/api/v3/order", query).await.ok();
    assert_eq!(found["orderId"], 1);
    assert!(fields(&found).contains(&"workingTime"));

    let amend = "symbol=BTCUSDT&orderId=1&newQty=0.5";
    let path = "/api/v3/order/amend/keepPriority";
    let amended = site.signed(&site.maker, "PUT", path, amend).await.ok();
    assert_eq!(amended["amendedOrder"]["qty"], "0.50000000");
    assert_eq!(amended["amendedOrder"]["origClientOrderId"], "mine");

    let sell = "symbol=BTCUSDT&side=SELL&type=MARKET&quantity=0.2";
    let filled = site.signed(&site.taker, "POST", "/api/v3/order", sell).await.ok();
    assert_eq!(filled["status"], "FILLED");
    assert_eq!(filled["fills"][0]["price"], "100.00000000");
    assert_eq!(filled["fills"][0]["commission"], "0.04000000");

    let open = site.signed(&site.maker, "GET", "/api/v3/openOrders", "").await.ok();
    assert_eq!(open[0]["executedQty"], "0.20000000");
    let canceled =
        site.signed(&site.maker, "DELETE", "/api/v3/order", "symbol=BTCUSDT&orderId=1").await.ok();
    assert_eq!(canceled["status"], "CANCELED");
    let open = site.signed(&site.maker, "GET", "/api/v3/openOrders", "symbol=BTCUSDT").await.ok();
    assert_eq!(open, json!([]));
    let all = site.signed(&site.maker, "GET", "/api/v3/allOrders", "symbol=BTCUSDT").await.ok();
    assert_eq!((&all[0]["orderId"], &all[0]["status"]), (&json!(1), &json!("CANCELED")));
    let from = "symbol=BTCUSDT&orderId=2";
    let none = site.signed(&site.maker, "GET", "/api/v3/allOrders", from).await.ok();
    assert_eq!(none, json!([]));

    let trades = site.signed(&site.maker, "GET", "/api/v3/myTrades", "symbol=BTCUSDT").await.ok();
    assert_eq!((&trades[0]["isMaker"], &trades[0]["isBuyer"]), (&json!(true), &json!(true)));
    assert_eq!(trades[0]["commission"], "0.00020000");
    let trades =
        site.signed(&site.taker, "GET", "/api/v3/myTrades", "symbol=BTCUSDT&fromId=2").await.ok();
    assert_eq!(trades, json!([]));

    let account =
        site.signed(&site.reader, "GET", "/api/v3/account", "omitZeroBalances=true").await.ok();
    assert_eq!(account["balances"][0]["asset"], "BTC");
    assert_eq!(account["balances"][0]["free"], "9999.80000000");
    assert_eq!(account["balances"][1]["free"], "100000019.96000000");
    assert_eq!(account["balances"].as_array().unwrap().len(), 2);
    assert_eq!(account["canTrade"], false);
    assert_eq!(account["uid"], 2);
    site.ask(|engine| engine.assert_consistent()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_come_in_query_form_json_or_the_body_of_a_delete() {
    let site = Site::new().await;
    let key = site.maker.clone();
    let api_key = ("X-MBX-APIKEY", key.api_key.as_str());
    let signature = |text: &str| sign(key.secret.as_str().as_bytes(), text.as_bytes());

    let form = with_time(LIMIT);
    let body = format!("{form}&signature={}", signature(&form));
    let headers = [api_key, ("content-type", "application/x-www-form-urlencoded")];
    let reply = site.send("POST", "/api/v3/order", &headers, body.as_bytes()).await;
    assert_eq!(reply.ok()["orderId"], 1);

    let object = br#"{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":1,"price":"100"}"#;
    let query = with_time("");
    let signed = signature(&(query.clone() + std::str::from_utf8(object).unwrap()));
    let target = format!("/api/v3/order?{query}&signature={signed}");
    let headers = [api_key, ("content-type", "application/json")];
    assert_eq!(site.send("POST", &target, &headers, object).await.ok()["orderId"], 2);

    let form = with_time("symbol=BTCUSDT&orderId=1");
    let body = format!("{form}&signature={}", signature(&form));
    let reply = site.send("DELETE", "/api/v3/order", &[api_key], body.as_bytes()).await;
    assert_eq!(reply.ok()["status"], "CANCELED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replace_answers_for_both_halves() {
    let site = Site::new().await;
    site.order(&site.maker, "BUY", "1", "100").await;
    let text = format!("{LIMIT}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrderId=1");
    let path = "/api/v3/order/cancelReplace";
    let replaced = site.signed(&site.maker, "POST", path, &text).await.ok();
    assert_eq!(replaced["cancelResult"], "SUCCESS");
    assert_eq!(replaced["newOrderResponse"]["orderId"], 2);
    let again = site.signed(&site.maker, "POST", path, &text).await;
    again.is_error(400, -2022, "Order cancel-replace failed.");
    assert_eq!(again.json()["data"]["newOrderResult"], "NOT_ATTEMPTED");
    let text = text.replace("STOP_ON_FAILURE", "ALLOW_FAILURE");
    let partly = site.signed(&site.maker, "POST", path, &text).await;
    partly.is_error(409, -2021, "Order cancel-replace partially failed.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_of_all_lists_what_it_canceled() {
    let site = Site::new().await;
    for price in ["100", "101", "102"] {
        site.order(&site.maker, "BUY", "1", price).await;
    }
    let path = "/api/v3/openOrders";
    let canceled = site.signed(&site.maker, "DELETE", path, "symbol=BTCUSDT").await.ok();
    let ids: Vec<_> = canceled.as_array().unwrap().iter().map(|order| &order["orderId"]).collect();
    assert_eq!(ids, [&json!(1), &json!(2), &json!(3)]);
    site.signed(&site.maker, "DELETE", path, "symbol=BTCUSDT").await.is_error(
        400,
        -2011,
        "Unknown order sent.",
    );
}

/// A cancel of more orders than one command may end has one answer.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_may_take_several_steps_of_the_engine() {
    let site = Site::new().await;
    let count = engine::WORK_PER_COMMAND as usize + 500;
    let mut replies = Vec::new();
    for _ in 0..count {
        replies.push(crate::streams::submit_order(&site, MAKER, types::Side::Buy, 5_000, 10_000));
    }
    for reply in replies {
        crate::streams::is_done(reply).await;
    }
    let path = "/api/v3/openOrders";
    let open = site.signed(&site.maker, "GET", path, "symbol=BTCUSDT").await.ok();
    assert_eq!(open.as_array().unwrap().len(), count);
    let canceled = site.signed(&site.maker, "DELETE", path, "symbol=BTCUSDT").await.ok();
    assert_eq!(canceled.as_array().unwrap().len(), count);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_order_changes_nothing() {
    let site = Site::new().await;
    let before = site.state().await;
    let path = "/api/v3/order/test";
    assert_eq!(site.signed(&site.maker, "POST", path, LIMIT).await.ok(), json!({}));
    let text = format!("{LIMIT}&computeCommissionRates=true");
    let rates = site.signed(&site.maker, "POST", path, &text).await.ok();
    assert_eq!(rates["standardCommissionForOrder"]["taker"], "0.00200000");
    let poor = LIMIT.replace("quantity=1", "quantity=5000").replace("=100", "=18001");
    site.signed(&site.maker, "POST", path, &poor).await.is_error(
        400,
        -1013,
        "Filter failure: NOTIONAL",
    );
    let poor = LIMIT.replace("BUY", "SELL").replace("quantity=1", "quantity=8999");
    let poor = poor.replace("BTCUSDT", "ETHUSDT");
    site.signed(&site.maker, "POST", path, &poor).await.is_error(
        400,
        -2010,
        "Account has insufficient balance for requested action.",
    );
    assert!(site.state().await == before);
}

#[tokio::test(flavor = "multi_thread")]
async fn times_are_in_the_unit_that_was_asked_for() {
    let site = Site::new().await;
    let header = [("X-MBX-TIME-UNIT", "microsecond")];
    let reply = site.signed_with(&site.maker, "POST", "/api/v3/order", LIMIT, &header).await.ok();
    assert!(reply["transactTime"].as_u64().unwrap() > 1_000_000_000_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_account_trades_with_itself_unless_it_wants_to() {
    let site = Site::new().await;
    // The outcome of the incoming order, and of the resting one.
    for (mode, taker, maker) in [
        ("EXPIRE_TAKER", "EXPIRED_IN_MATCH", "NEW"),
        ("EXPIRE_MAKER", "NEW", "EXPIRED_IN_MATCH"),
        ("EXPIRE_BOTH", "EXPIRED_IN_MATCH", "EXPIRED_IN_MATCH"),
        ("DECREMENT", "EXPIRED_IN_MATCH", "EXPIRED_IN_MATCH"),
        ("NONE", "FILLED", "FILLED"),
    ] {
        let resting = site.order(&site.maker, "BUY", "1", "100").await;
        let sell = LIMIT.replace("BUY", "SELL") + "&selfTradePreventionMode=" + mode;
        let order = site.signed(&site.maker, "POST", "/api/v3/order", &sell).await.ok();
        assert_eq!(order["status"], taker, "{mode}");
        let query = format!("symbol=BTCUSDT&orderId={}", resting["orderId"]);
        let found = site.signed(&site.maker, "GET", "/api/v3/order", &query).await.ok();
        assert_eq!(found["status"], maker, "{mode}");
        site.signed(&site.maker, "DELETE", "/api/v3/openOrders", "symbol=BTCUSDT").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_for_a_router_is_entered_like_any_other() {
    let site = Site::new().await;
    let path = "/api/v3/sor/order";
    let entered = site.signed(&site.taker, "POST", path, LIMIT).await.ok();
    let fields = ["status", "workingFloor", "usedSor"].map(|name| entered[name].clone());
    assert_eq!(fields, [json!("NEW"), json!("EXCHANGE"), json!(true)]);
    let open = site.signed(&site.taker, "GET", "/api/v3/openOrders", "symbol=BTCUSDT").await.ok();
    assert_eq!(open[0]["orderId"], entered["orderId"]);

    let by_amount = "symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=100";
    let maker = LIMIT.replace("LIMIT&timeInForce=GTC", "LIMIT_MAKER");
    for refused in [by_amount, &maker] {
        let reply = site.signed(&site.taker, "POST", path, refused).await;
        reply.is_error(400, -1014, "Unsupported order combination.");
    }
    let tested = site.signed(&site.taker, "POST", "/api/v3/sor/order/test", LIMIT).await.ok();
    assert_eq!(tested, json!({}));
}
