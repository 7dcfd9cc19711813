//! Self-trade prevention: its reports, its traces in later answers, and amends after it.

use serde_json::{Value, json};
use types::{AccountId, AccountRisk, Command, SetAccountRisk};

use crate::socket::{Socket, next};
use crate::support::{Key, MAKER, Site, TAKER};
use crate::user_data::{listen, numbered};

async fn enter(site: &Site, key: &Key, text: &str) -> Value {
    let text = format!("symbol=BTCUSDT&newOrderRespType=FULL&{text}");
    site.signed(key, "POST", "/api/v3/order", &text).await.ok()
}

async fn ask(site: &Site, key: &Key, path: &str, text: &str) -> Value {
    site.signed(key, "GET", path, &format!("symbol=BTCUSDT{text}")).await.ok()
}

async fn in_group(site: &Site, account: AccountId, stp_group: u32) {
    let risk = AccountRisk { stp_group, ..AccountRisk::PLAIN };
    site.operate(Command::SetAccountRisk(SetAccountRisk { account, risk })).await;
}

/// Checks the fields that matter.
#[track_caller]
fn has(found: &Value, expect: Value) {
    for (name, value) in expect.as_object().unwrap() {
        assert_eq!(&found[name], value, "{name} of {found}");
    }
}

/// What is locked of an asset, by the next position.
async fn locked(socket: &mut Socket, asset: &str) -> Value {
    let position = next(socket).await["event"].take();
    assert_eq!(position["e"], "outboundAccountPosition", "{position}");
    let balances = position["B"].as_array().unwrap();
    balances.iter().find(|balance| balance["a"] == asset).unwrap()["l"].clone()
}

/// The next reports of an order.
async fn reports_of(socket: &mut Socket, order_id: u64, count: usize) -> Vec<Value> {
    let mut reports = Vec::new();
    while reports.len() < count {
        let report = numbered(socket).await;
        if report["i"] == order_id {
            reports.push(report);
        }
    }
    reports
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sides_of_a_decrement_are_reported_and_again_on_request() {
    let site = Site::new().await;
    in_group(&site, MAKER, 7).await;
    in_group(&site, TAKER, 7).await;
    let mut maker = listen(&site, &site.maker, None).await;
    let mut taker = listen(&site, &site.taker, None).await;
    site.order(&site.maker, "BUY", "6", "100").await;
    let new = numbered(&mut maker).await;
    assert_eq!(locked(&mut maker, "USDT").await, "600.00000000");

    let sell = "side=SELL&type=LIMIT&timeInForce=GTC&quantity=2&price=100\
                &selfTradePreventionMode=DECREMENT";
    let answer = enter(&site, &site.taker, sell).await;
    let lowered = numbered(&mut maker).await;
    has(
        &lowered,
        json!({
            "e": "executionReport", "x": "TRADE_PREVENTION", "X": "NEW", "i": 1, "w": true,
            "q": "6.00000000", "z": "0.00000000", "l": "0.00000000", "L": "0.00000000",
            "Y": "0.00000000", "v": 1, "A": "2.00000000", "B": "2.00000000", "u": 7, "U": 2,
            "Cs": "BTCUSDT", "pl": "2.00000000", "pL": "100.00000000", "pY": "200.00000000",
        }),
    );
    assert_eq!(lowered["seq"].as_u64(), new["seq"].as_u64().map(|seq| seq + 1));
    assert_eq!(locked(&mut maker, "USDT").await, "400.00000000");
    assert_eq!(numbered(&mut taker).await["x"], "NEW");
    let ended = numbered(&mut taker).await;
    has(
        &ended,
        json!({
            "x": "TRADE_PREVENTION", "X": "EXPIRED_IN_MATCH", "i": 2, "w": false,
            "q": "2.00000000", "v": 1, "A": "2.00000000", "B": "2.00000000", "u": 7, "U": 1,
            "pl": "2.00000000", "pL": "100.00000000",
        }),
    );
    for (key, report) in [(&site.maker, lowered), (&site.taker, ended)] {
        let mut again = listen(&site, key, report["seq"].as_u64()).await;
        assert_eq!(numbered(&mut again).await, report);
    }

    let taken_off = json!({ "preventedMatchId": 1, "preventedQuantity": "2.00000000" });
    has(&answer, taken_off.clone());
    let one = ask(&site, &site.maker, "/api/v3/order", "&orderId=1").await;
    let open = ask(&site, &site.maker, "/api/v3/openOrders", "").await;
    let all = ask(&site, &site.maker, "/api/v3/allOrders", "").await;
    for found in [&one, &open[0], &all[0]] {
        has(found, taken_off.clone());
        has(found, json!({ "status": "NEW", "origQty": "6.00000000" }));
    }
    let all = ask(&site, &site.taker, "/api/v3/allOrders", "").await;
    has(&all[0], taken_off);
    has(&all[0], json!({ "status": "EXPIRED_IN_MATCH", "origQty": "2.00000000" }));
    let matches = ask(&site, &site.taker, "/api/v3/myPreventedMatches", "&orderId=1").await;
    has(
        &matches[0],
        json!({
            "preventedMatchId": 1, "tradeGroupId": 7, "makerPreventedQuantity": "2.00000000",
            "takerPreventedQuantity": "2.00000000",
        }),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_of_every_type_expire_in_match() {
    let site = Site::new().await;
    site.order(&site.maker, "BUY", "9", "100").await;
    let mut maker = listen(&site, &site.maker, None).await;
    let limit = "type=LIMIT&price=100&quantity=1&timeInForce";
    let list = "/api/v3/orderList/oto";
    let oto = "symbol=BTCUSDT&workingType=LIMIT&workingSide=SELL&workingPrice=100\
               &workingQuantity=1&workingTimeInForce=GTC&pendingType=LIMIT&pendingSide=BUY\
               &pendingPrice=90&pendingQuantity=1&pendingTimeInForce=GTC\
               &selfTradePreventionMode=EXPIRE_TAKER";
    let listed = site.signed(&site.maker, "POST", list, oto).await.ok();
    let working = &listed["orderReports"][0];
    assert_eq!(working["status"], "EXPIRED_IN_MATCH", "{listed}");
    assert_eq!(listed["orderReports"][1]["status"], "EXPIRED");
    let mut ids = vec![working["orderId"].clone()];
    for order in [
        format!("{limit}=GTC"),
        format!("{limit}=IOC"),
        format!("{limit}=GTC&icebergQty=0.1"),
        "type=MARKET&quantity=1".to_owned(),
        "type=MARKET&quoteOrderQty=100".to_owned(),
    ] {
        let text = format!("side=SELL&selfTradePreventionMode=EXPIRE_TAKER&{order}");
        let answer = enter(&site, &site.maker, &text).await;
        assert_eq!(answer["status"], "EXPIRED_IN_MATCH", "{order}: {answer}");
        assert_eq!(answer["preventedQuantity"], "1.00000000", "{order}");
        ids.push(answer["orderId"].clone());
    }
    let all = ask(&site, &site.maker, "/api/v3/allOrders", "").await;
    for (at, id) in ids.iter().enumerate() {
        let one = ask(&site, &site.maker, "/api/v3/order", &format!("&orderId={id}")).await;
        let in_all = all.as_array().unwrap().iter().find(|order| order["orderId"] == *id).unwrap();
        for found in [&one, in_all] {
            has(
                found,
                json!({
                    "status": "EXPIRED_IN_MATCH", "preventedMatchId": at + 1,
                    "preventedQuantity": "1.00000000",
                }),
            );
        }
    }
    let report = loop {
        let report = numbered(&mut maker).await;
        if report["x"] == "TRADE_PREVENTION" {
            break report;
        }
    };
    has(&report, json!({ "u": -1, "U": 1, "B": "1.00000000" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_amend_counts_from_the_original_quantity() {
    let site = Site::new().await;
    site.order(&site.maker, "BUY", "6", "100").await;
    let amend = async |qty: &str| {
        let text = format!("symbol=BTCUSDT&orderId=1&newQty={qty}");
        site.signed(&site.maker, "PUT", "/api/v3/order/amend/keepPriority", &text).await
    };
    let same = "The requested action would change no state; rejecting";
    amend("6").await.is_error(400, -2038, same);
    let raised = "Order amend (quantity increase) is not supported.";
    amend("7").await.is_error(400, -2038, raised);
    let sell = "side=SELL&type=LIMIT&timeInForce=GTC&quantity=2&price=100\
                &selfTradePreventionMode=DECREMENT";
    enter(&site, &site.maker, sell).await;
    amend("6").await.is_error(400, -2038, same);
    let amended = amend("5").await.ok();
    has(
        &amended["amendedOrder"],
        json!({ "qty": "5.00000000", "preventedQty": "2.00000000", "status": "NEW" }),
    );
    amend("3").await.ok();
    let open = ask(&site, &site.maker, "/api/v3/openOrders", "").await;
    has(&open[0], json!({ "origQty": "3.00000000", "preventedQuantity": "2.00000000" }));
    let depth = site.get("/api/v3/depth?symbol=BTCUSDT").await.ok();
    assert_eq!(depth["bids"], json!([["100.00000000", "1.00000000"]]));
    let path = "/api/v3/order/amendments";
    let amendments = ask(&site, &site.maker, path, "&orderId=1").await;
    has(&amendments[0], json!({ "origQty": "6.00000000", "newQty": "5.00000000" }));
    has(&amendments[1], json!({ "origQty": "5.00000000", "newQty": "3.00000000" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_by_amount_shows_the_amount_that_was_asked_for() {
    let site = Site::new().await;
    let mut maker = listen(&site, &site.maker, None).await;
    site.order(&site.maker, "SELL", "2", "100").await;
    site.order(&site.taker, "SELL", "9", "101").await;
    let buy = "side=BUY&type=MARKET&quoteOrderQty=402&selfTradePreventionMode=DECREMENT";
    let answer = enter(&site, &site.maker, buy).await;
    let amounts = json!({
        "status": "FILLED", "origQuoteOrderQty": "402.00000000", "executedQty": "2.00000000",
        "cummulativeQuoteQty": "202.00000000", "preventedQuantity": "2.00000000",
    });
    has(&answer, amounts.clone());
    let one = ask(&site, &site.maker, "/api/v3/order", "&orderId=3").await;
    has(&one, amounts.clone());
    let all = ask(&site, &site.maker, "/api/v3/allOrders", "").await;
    has(&all[1], amounts);
    let reports = reports_of(&mut maker, 3, 3).await;
    for (report, kind) in reports.iter().zip(["NEW", "TRADE_PREVENTION", "TRADE"]) {
        has(report, json!({ "x": kind, "Q": "402.00000000" }));
    }
    let mut again = listen(&site, &site.maker, reports[0]["seq"].as_u64()).await;
    assert_eq!(reports_of(&mut again, 3, 3).await, reports);
}
