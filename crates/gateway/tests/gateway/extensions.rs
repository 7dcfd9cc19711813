//! Orders that Binance does not have: hidden, with a minimum quantity, for the day, till a date, at
//! the open and the close, market-to-limit.

use serde_json::{Value, json};
use types::{Command, Phase, SetPhase};

use crate::socket::{ask, connect, next, signed};
use crate::support::{BTCUSDT, Key, Reply, Site, now_ms};

const USER_DATA: &str = "userDataStream.subscribe.signature";

async fn send(site: &Site, key: &Key, text: &str) -> Reply {
    let text = format!("symbol=BTCUSDT&newOrderRespType=RESULT&{text}");
    site.signed(key, "POST", "/api/v3/order", &text).await
}

async fn query(site: &Site, order: &Value) -> Value {
    let text = format!("symbol=BTCUSDT&orderId={}", order["orderId"]);
    site.signed(&site.maker, "GET", "/api/v3/order", &text).await.ok()
}

async fn set_phase(site: &Site, phase: Phase) {
    site.operate(Command::SetPhase(SetPhase { instrument: BTCUSDT, phase })).await;
}

async fn asks(site: &Site) -> Value {
    site.get("/api/v3/depth?symbol=BTCUSDT").await.ok()["asks"].take()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hidden_order_trades_and_is_not_in_the_book() {
    let site = Site::new().await;
    let mut events = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    ask(&mut events, 1, USER_DATA, signed(&site.maker, json!({}))).await;
    let text = "side=SELL&type=LIMIT&timeInForce=DAY&quantity=2&price=100&hidden=true&minQty=0.5";
    // Nothing is there for its minimum quantity.
    let expired = send(&site, &site.maker, text).await.ok();
    assert_eq!((&expired["status"], &expired["minQty"]), (&json!("EXPIRED"), &json!("0.50000000")));
    let hidden = send(&site, &site.maker, &text.replace("&minQty=0.5", "")).await.ok();
    let found = (&hidden["status"], &hidden["hidden"], &hidden["timeInForce"]);
    assert_eq!(found, (&json!("NEW"), &json!(true), &json!("DAY")));
    assert_eq!(asks(&site).await, json!([]));
    let open = site.signed(&site.maker, "GET", "/api/v3/openOrders", "symbol=BTCUSDT").await.ok();
    assert_eq!((&open[0]["hidden"], &open[0]["timeInForce"]), (&json!(true), &json!("DAY")));
    let reports = async |events: &mut crate::socket::Socket| loop {
        let event = next(events).await["event"].take();
        if event["e"] == "executionReport" && event["i"] == hidden["orderId"] {
            return event;
        }
    };
    let report = reports(&mut events).await;
    assert_eq!((&report["hidden"], &report["f"]), (&json!(true), &json!("DAY")));

    let bought = send(
        &site,
        &site.taker,
        "side=BUY&type=LIMIT&timeInForce=IOC&quantity=1&price=100&minQty=1",
    );
    assert_eq!(bought.await.ok()["status"], "FILLED");
    // The day ends: the answer of a query and the read model still have the terms.
    set_phase(&site, Phase::Closed).await;
    let ended = query(&site, &hidden).await;
    let found = (&ended["status"], &ended["executedQty"], &ended["hidden"]);
    assert_eq!(found, (&json!("EXPIRED"), &json!("1.00000000"), &json!(true)));
    let past = site.signed(&site.maker, "GET", "/api/v3/allOrders", "symbol=BTCUSDT").await.ok();
    let past = past.as_array().unwrap().clone();
    let mins: Vec<&Value> = past.iter().map(|order| &order["minQty"]).collect();
    assert_eq!(mins, [&json!("0.50000000"), &json!(null)]);
    assert_eq!(past[1]["hidden"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dated_order_expires_at_its_time() {
    let site = Site::new().await;
    let text = "side=BUY&type=LIMIT&timeInForce=GTD&quantity=1&price=100&goodTillDate";
    let past = send(&site, &site.maker, &format!("{text}=1000")).await;
    past.is_error(
        400,
        -1130,
        "Data sent for parameter 'goodTillDate' is not valid: the date is not later than now.",
    );
    let date = now_ms() + 400;
    let dated = send(&site, &site.maker, &format!("{text}={date}")).await.ok();
    assert_eq!((&dated["status"], &dated["goodTillDate"]), (&json!("NEW"), &json!(date)));
    // No other command is needed for its end.
    let ended = loop {
        let found = query(&site, &dated).await;
        if found["status"] != "NEW" {
            break found;
        }
    };
    assert_eq!((&ended["status"], &ended["goodTillDate"]), (&json!("EXPIRED"), &json!(date)));
    assert!(now_ms() >= date);
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_at_the_open_and_the_close_are_for_their_auctions() {
    let site = Site::new().await;
    set_phase(&site, Phase::PreOpen).await;
    let limit = "type=LIMIT&quantity=1&price=100&timeInForce";
    let open = send(&site, &site.maker, &format!("side=BUY&{limit}=AT_OPEN")).await.ok();
    assert_eq!((&open["status"], &open["timeInForce"]), (&json!("NEW"), &json!("AT_OPEN")));
    let close = send(&site, &site.maker, &format!("side=SELL&{limit}=AT_CLOSE")).await.ok();
    set_phase(&site, Phase::OpeningAuction).await;
    set_phase(&site, Phase::Continuous).await;
    assert_eq!(query(&site, &open).await["status"], "EXPIRED");
    let waits = query(&site, &close).await;
    assert_eq!((&waits["status"], &waits["timeInForce"]), (&json!("NEW"), &json!("AT_CLOSE")));
    assert_eq!(asks(&site).await, json!([]));
    site.order(&site.taker, "BUY", "1", "100").await;
    set_phase(&site, Phase::ClosingAuction).await;
    set_phase(&site, Phase::Closed).await;
    assert_eq!(query(&site, &close).await["status"], "FILLED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phase_that_takes_other_orders_is_no_closed_market() {
    let site = Site::new().await;
    let open = "side=BUY&type=LIMIT&quantity=1&price=100&timeInForce=AT_OPEN";
    let market = "side=BUY&type=MARKET&quantity=1";
    let other = "The symbol's current phase does not take this 'type', 'timeInForce', \
                 'pegPriceType' or 'minQty'.";
    send(&site, &site.maker, open).await.is_error(400, -2010, other);
    set_phase(&site, Phase::PreOpen).await;
    site.handle.read_views(|_, _| ()).unwrap().await.unwrap();
    send(&site, &site.maker, market).await.is_error(400, -2010, other);
    set_phase(&site, Phase::Halt).await;
    site.handle.read_views(|_, _| ()).unwrap().await.unwrap();
    send(&site, &site.maker, market).await.is_error(400, -2010, "Market is closed.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_market_to_limit_order_rests_at_the_price_that_it_took() {
    let site = Site::new().await;
    let text = "side=BUY&type=MARKET_TO_LIMIT&quantity=2";
    let empty = send(&site, &site.maker, text).await;
    empty.is_error(400, -2010, "Order book liquidity is too low for this pegged order.");
    site.order(&site.taker, "SELL", "1", "100").await;
    site.order(&site.taker, "SELL", "1", "101").await;
    let mut socket = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    let params = json!({
        "symbol": "BTCUSDT", "side": "BUY", "type": "MARKET_TO_LIMIT", "quantity": "2",
        "newOrderRespType": "RESULT", "timestamp": now_ms(),
    });
    let placed = ask(&mut socket, 1, "order.place", signed(&site.maker, params)).await;
    let order = &placed["result"];
    let found = (&order["status"], &order["type"], &order["price"]);
    let expect = (&json!("PARTIALLY_FILLED"), &json!("MARKET_TO_LIMIT"), &json!("100.00000000"));
    assert_eq!(found, expect, "{placed}");
    let info = query(&site, order).await;
    assert_eq!(
        (&info["type"], &info["price"]),
        (&json!("MARKET_TO_LIMIT"), &json!("100.00000000"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peg_follows_the_middle_with_an_offset() {
    let site = Site::new().await;
    site.order(&site.taker, "BUY", "1", "100").await;
    site.order(&site.taker, "SELL", "1", "110").await;
    let peg = "side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&pegPriceType=MID_PEG\
               &pegOffsetType=TICK&pegOffsetValue=-100";
    let placed = send(&site, &site.maker, peg).await.ok();
    let shown = |order: &Value| {
        let names = ["pegPriceType", "pegOffsetType", "pegOffsetValue", "peggedPrice"];
        json!(names.map(|name| order[name].clone()))
    };
    assert_eq!(shown(&placed), json!(["MID_PEG", "TICK", -100, "104.00000000"]));
    site.order(&site.taker, "BUY", "1", "102").await;
    let moved = query(&site, &placed).await;
    assert_eq!(shown(&moved), json!(["MID_PEG", "TICK", -100, "105.00000000"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_combinations_name_the_parameter_and_test_orders_check_them_too() {
    let site = Site::new().await;
    let state = site.fingerprint().await;
    let limit = "side=BUY&type=LIMIT&quantity=1&price=100";
    for (text, code, msg) in [
        (
            format!("{limit}&timeInForce=IOC&hidden=true"),
            -1014,
            "Unsupported order combination: 'hidden' is not for orders with 'timeInForce' IOC.",
        ),
        (
            format!("{limit}&timeInForce=GTC&goodTillDate=9999999999999"),
            -1106,
            "Parameter 'goodTillDate' sent when not required.",
        ),
        (
            format!("{limit}&timeInForce=GTC&minQty=2"),
            -1013,
            "'minQty' exceeds the quantity of the order.",
        ),
        (
            "side=SELL&type=STOP_LOSS&quantity=1&stopPrice=50&timeInForce=AT_OPEN".to_owned(),
            -1014,
            "Unsupported order combination: 'timeInForce' AT_OPEN is not for 'type' STOP_LOSS.",
        ),
    ] {
        for path in ["/api/v3/order", "/api/v3/order/test"] {
            let text = format!("symbol=BTCUSDT&{text}");
            site.signed(&site.maker, "POST", path, &text).await.is_error(400, code, msg);
        }
    }
    assert!(site.fingerprint().await == state);
    let info = site.get("/api/v3/exchangeInfo?symbol=BTCUSDT").await.ok();
    let symbol = &info["symbols"][0];
    assert_eq!(symbol["extendedOrderTypes"], json!(["MARKET_TO_LIMIT"]));
    assert!(symbol["timesInForce"].as_array().unwrap().contains(&json!("AT_CLOSE")));
}
