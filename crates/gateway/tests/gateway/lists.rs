//! Order lists and batches.

use serde_json::{Value, json};
use types::{Command, InstrumentRules, SetInstrumentRules};

use crate::support::{BTCUSDT, Key, Site};
use crate::user_data::{listen, numbered};

const OCO: &str = "side=SELL&quantity=1&aboveType=LIMIT_MAKER&abovePrice=110\
                   &belowType=STOP_LOSS_LIMIT&belowPrice=89&belowStopPrice=90&belowTimeInForce=GTC";

async fn enter(site: &Site, path: &str, text: &str) -> Value {
    let text = format!("symbol=BTCUSDT&{text}");
    site.signed(&site.maker, "POST", path, &text).await.ok()
}

async fn ask(site: &Site, key: &Key, path: &str, text: &str) -> Value {
    site.signed(key, "GET", path, text).await.ok()
}

fn statuses(list: &Value) -> Vec<&str> {
    let reports = list["orderReports"].as_array().unwrap();
    reports.iter().map(|report| report["status"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oco_lives_from_entry_to_cancel() {
    let site = Site::new().await;
    let placed =
        enter(&site, "/api/v3/orderList/oco", &format!("{OCO}&listClientOrderId=exit")).await;
    assert_eq!(
        (&placed["contingencyType"], &placed["listStatusType"]),
        (&json!("OCO"), &json!("EXEC_STARTED"))
    );
    assert_eq!(statuses(&placed), ["NEW", "NEW"]);
    assert_eq!(placed["orderReports"][0]["workingTime"], -1);
    let id = placed["orderListId"].as_u64().unwrap();

    let open = ask(&site, &site.maker, "/api/v3/openOrderList", "").await;
    assert_eq!(open.as_array().unwrap().len(), 1);
    assert_eq!(open[0]["orders"], placed["orders"]);
    let orders = ask(&site, &site.maker, "/api/v3/openOrders", "symbol=BTCUSDT").await;
    assert_eq!((&orders[0]["orderListId"], &orders[1]["orderListId"]), (&json!(id), &json!(id)));
    let mine = ask(&site, &site.maker, "/api/v3/orderList", "origClientOrderId=exit").await;
    assert_eq!(mine["orderListId"], id);
    let foreign = format!("orderListId={id}");
    let reply = site.signed(&site.taker, "GET", "/api/v3/orderList", &foreign).await;
    reply.is_error(400, -2013, "Order list does not exist.");
    let text = format!("symbol=BTCUSDT&{foreign}");
    let reply = site.signed(&site.taker, "DELETE", "/api/v3/orderList", &text).await;
    reply.is_error(400, -2011, "Unknown order list sent.");

    let canceled = site.signed(&site.maker, "DELETE", "/api/v3/orderList", &text).await.ok();
    assert_eq!(canceled["listOrderStatus"], "ALL_DONE");
    assert_eq!(statuses(&canceled), ["CANCELED", "CANCELED"]);
    assert_eq!(canceled["orders"], placed["orders"]);
    assert_eq!(ask(&site, &site.maker, "/api/v3/openOrderList", "").await, json!([]));
    let all = ask(&site, &site.maker, "/api/v3/allOrderList", "").await;
    assert_eq!(
        (&all[0]["orderListId"], &all[0]["listStatusType"]),
        (&json!(id), &json!("ALL_DONE"))
    );
    let none = ask(&site, &site.maker, "/api/v3/allOrderList", &format!("fromId={}", id + 1)).await;
    assert_eq!(none, json!([]));
    site.ask(|engine| engine.assert_consistent()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn canceling_an_order_of_a_list_cancels_the_list() {
    let site = Site::new().await;
    let placed = enter(&site, "/api/v3/orderList/oco", OCO).await;
    let text = format!("symbol=BTCUSDT&orderId={}", placed["orders"][1]["orderId"]);
    let canceled = site.signed(&site.maker, "DELETE", "/api/v3/order", &text).await.ok();
    assert_eq!(canceled["orderListId"], placed["orderListId"]);
    assert_eq!(statuses(&canceled), ["CANCELED", "CANCELED"]);

    let first = "side=BUY&quantity=1&price=80&stopPrice=120";
    let legacy = enter(&site, "/api/v3/order/oco", first).await;
    assert_eq!(legacy["orderReports"][0]["type"], "STOP_LOSS");
    site.order(&site.maker, "BUY", "1", "70").await;
    let path = "/api/v3/openOrders";
    let all = site.signed(&site.maker, "DELETE", path, "symbol=BTCUSDT").await.ok();
    let kinds: Vec<bool> =
        all.as_array().unwrap().iter().map(|one| one["orderReports"].is_array()).collect();
    assert_eq!(kinds, [true, false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_otos_second_order_is_pending_until_the_first_has_filled() {
    let site = Site::new().await;
    let oto = "workingType=LIMIT&workingSide=BUY&workingPrice=100&workingQuantity=1\
               &workingTimeInForce=GTC&pendingType=LIMIT&pendingSide=SELL&pendingPrice=150\
               &pendingQuantity=1&pendingTimeInForce=GTC";
    let placed = enter(&site, "/api/v3/orderList/oto", oto).await;
    assert_eq!(statuses(&placed), ["NEW", "PENDING_NEW"]);
    let second = format!("symbol=BTCUSDT&orderId={}", placed["orders"][1]["orderId"]);
    let waiting = ask(&site, &site.maker, "/api/v3/order", &second).await;
    assert_eq!((&waiting["status"], &waiting["workingTime"]), (&json!("PENDING_NEW"), &json!(-1)));
    assert_eq!(waiting["isWorking"], false);

    let amend = format!("{second}&newQty=0.5");
    let path = "/api/v3/order/amend/keepPriority";
    let amended = site.signed(&site.maker, "PUT", path, &amend).await.ok();
    assert_eq!(amended["amendedOrder"]["status"], "PENDING_NEW");
    assert_eq!(amended["listStatus"]["orders"][0], placed["orders"][0]);

    site.order(&site.taker, "SELL", "1", "100").await;
    let working = ask(&site, &site.maker, "/api/v3/order", &second).await;
    assert_eq!((&working["status"], &working["isWorking"]), (&json!("NEW"), &json!(true)));
    let first = format!("symbol=BTCUSDT&orderId={}", placed["orders"][0]["orderId"]);
    let first = ask(&site, &site.maker, "/api/v3/order", &first).await;
    assert_eq!(working["workingTime"], first["updateTime"]);

    // The first order ended before. The answer names it too.
    let canceled = site.signed(&site.maker, "DELETE", "/api/v3/order", &second).await.ok();
    assert_eq!(canceled["orders"].as_array().unwrap().len(), 2);
    assert_eq!(canceled["orders"][0], placed["orders"][0]);
    assert_eq!(statuses(&canceled), ["CANCELED"]);

    let placed = enter(&site, "/api/v3/orderList/oto", oto).await;
    let both = format!("symbol=BTCUSDT&orderListId={}", placed["orderListId"]);
    site.signed(&site.maker, "DELETE", "/api/v3/orderList", &both).await.ok();
    let never = format!("symbol=BTCUSDT&orderId={}", placed["orders"][1]["orderId"]);
    let never = ask(&site, &site.maker, "/api/v3/order", &never).await;
    assert_eq!((&never["status"], &never["workingTime"]), (&json!("CANCELED"), &json!(-1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_otocos_legs_are_an_oco_once_the_first_has_filled() {
    let site = Site::new().await;
    site.order(&site.taker, "SELL", "1", "100").await;
    let otoco = "workingType=LIMIT&workingSide=BUY&workingPrice=100&workingQuantity=1\
                 &workingTimeInForce=GTC&pendingSide=SELL&pendingQuantity=1\
                 &pendingAboveType=LIMIT_MAKER&pendingAbovePrice=120\
                 &pendingBelowType=STOP_LOSS&pendingBelowStopPrice=90&newOrderRespType=FULL";
    let placed = enter(&site, "/api/v3/orderList/otoco", otoco).await;
    assert_eq!(statuses(&placed), ["FILLED", "PENDING_NEW", "PENDING_NEW"]);
    assert_eq!(placed["orderReports"][0]["fills"][0]["price"], "100.00000000");
    site.order(&site.taker, "BUY", "1", "120").await;
    let id = format!("orderListId={}", placed["orderListId"]);
    let done = ask(&site, &site.maker, "/api/v3/orderList", &id).await;
    assert_eq!(done["listOrderStatus"], "ALL_DONE");
    assert_eq!(done["orders"], placed["orders"]);
}

const OPO: &str = "workingType=LIMIT&workingSide=BUY&workingPrice=100&workingQuantity=0.12345\
                   &workingTimeInForce=GTC&pendingType=LIMIT&pendingSide=SELL&pendingPrice=150\
                   &pendingTimeInForce=GTC";

/// Free and locked BTC of the maker.
async fn btc(site: &Site) -> [String; 2] {
    let account = ask(site, &site.maker, "/api/v3/account", "").await;
    let balances = account["balances"].as_array().unwrap();
    let btc = balances.iter().find(|balance| balance["asset"] == "BTC").unwrap();
    ["free", "locked"].map(|part| btc[part].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opos_second_order_sells_what_the_first_has_bought() {
    let site = Site::new().await;
    // No BTC is free to pay a fee.
    for qty in ["9000", "1000"] {
        site.order(&site.maker, "SELL", qty, "5000").await;
    }
    let mut socket = listen(&site, &site.maker, None).await;
    let placed = enter(&site, "/api/v3/orderList/opo", OPO).await;
    assert_eq!(placed["contingencyType"], "OTO");
    assert_eq!(statuses(&placed), ["NEW", "PENDING_NEW"]);
    let reports = &placed["orderReports"];
    assert_eq!(
        (&reports[0]["origQty"], &reports[1]["origQty"]),
        (&json!("0.12345000"), &json!(null))
    );
    for (what, status) in [("listStatus", json!(null)), ("executionReport", json!("NEW"))] {
        let event = numbered(&mut socket).await;
        assert_eq!((&event["e"], &event["X"]), (&json!(what), &status));
    }
    let pending = numbered(&mut socket).await;
    assert_eq!((&pending["X"], &pending["q"]), (&json!("PENDING_NEW"), &json!("0.00000000")));
    let second = format!("symbol=BTCUSDT&orderId={}", placed["orders"][1]["orderId"]);
    let amend = format!("{second}&newQty=0.1");
    let path = "/api/v3/order/amend/keepPriority";
    let refused = site.signed(&site.maker, "PUT", path, &amend).await;
    refused.is_error(400, -2038, "Order amend (pending OPO order) is not supported.");

    site.order(&site.taker, "SELL", "0.05", "100").await;
    assert_eq!(btc(&site).await, ["0.00000000", "10000.04995000"]);
    site.order(&site.taker, "SELL", "0.07345", "100").await;
    assert_eq!(btc(&site).await, ["0.00000655", "10000.12332000"]);
    let mut reports = Vec::new();
    for _ in 0..3 {
        reports.push(numbered(&mut socket).await);
    }
    let changes: Vec<_> = reports.iter().map(|report| (&report["x"], &report["X"])).collect();
    let [trade, new] = [json!("TRADE"), json!("NEW")];
    let [partly, filled] = [json!("PARTIALLY_FILLED"), json!("FILLED")];
    assert_eq!(changes, [(&trade, &partly), (&trade, &filled), (&new, &new)]);
    assert_eq!(reports[2]["q"], "0.12332000");
    let working = ask(&site, &site.maker, "/api/v3/order", &second).await;
    assert_eq!((&working["status"], &working["origQty"]), (&json!("NEW"), &json!("0.12332000")));

    let site = site.restarted().await;
    site.order(&site.taker, "BUY", "0.12332", "150").await;
    let list = format!("orderListId={}", placed["orderListId"]);
    let done = ask(&site, &site.maker, "/api/v3/orderList", &list).await;
    assert_eq!(done["listOrderStatus"], "ALL_DONE");
    site.ask(|engine| engine.assert_consistent()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_opo_frees_what_it_has_bought() {
    let site = Site::new().await;
    let placed = enter(&site, "/api/v3/orderList/opo", OPO).await;
    site.order(&site.taker, "SELL", "0.05", "100").await;
    // The fee is paid out of the free balance.
    assert_eq!(btc(&site).await, ["9999.99995000", "0.05000000"]);
    let id = format!("symbol=BTCUSDT&orderListId={}", placed["orderListId"]);
    let canceled = site.signed(&site.maker, "DELETE", "/api/v3/orderList", &id).await.ok();
    assert_eq!(statuses(&canceled), ["CANCELED", "CANCELED"]);
    assert_eq!(btc(&site).await, ["10000.04995000", "0.00000000"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opocos_legs_sell_what_the_first_order_has_bought() {
    let site = Site::new().await;
    site.order(&site.taker, "SELL", "1", "100").await;
    let opoco = "workingType=LIMIT&workingSide=BUY&workingPrice=100&workingQuantity=1\
                 &workingTimeInForce=GTC&pendingSide=SELL\
                 &pendingAboveType=LIMIT_MAKER&pendingAbovePrice=120\
                 &pendingBelowType=STOP_LOSS&pendingBelowStopPrice=90";
    let placed = enter(&site, "/api/v3/orderList/opoco", opoco).await;
    assert_eq!(statuses(&placed), ["FILLED", "PENDING_NEW", "PENDING_NEW"]);
    let open = ask(&site, &site.maker, "/api/v3/openOrders", "symbol=BTCUSDT").await;
    for leg in [&open[0], &open[1]] {
        assert_eq!((&leg["status"], &leg["origQty"]), (&json!("NEW"), &json!("1.00000000")));
    }
    site.order(&site.taker, "BUY", "1", "120").await;
    let id = format!("orderListId={}", placed["orderListId"]);
    let done = ask(&site, &site.maker, "/api/v3/orderList", &id).await;
    assert_eq!(done["listOrderStatus"], "ALL_DONE");

    let sells = opoco.replace("workingSide=BUY", "workingSide=SELL");
    let sells = format!("symbol=BTCUSDT&{sells}");
    let refused = site.signed(&site.maker, "POST", "/api/v3/orderList/opoco", &sells).await;
    refused.is_error(400, -1222, "Working order in an OPO list must be a bid.");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_order_of_a_batch_has_a_result_or_an_error() {
    let site = Site::new().await;
    let orders = r#"[
        {"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":1,"price":100,"newClientOrderId":"a"},
        {"symbol":"NONE","side":"BUY","type":"MARKET","quantity":1},
        {"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":1,"price":101,"newClientOrderId":"a"},
        {"symbol":"ETHUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":1,"price":102,"newClientOrderId":"b"}
    ]"#;
    let encode = |list: &str| {
        let bytes = list.bytes().filter(|byte| !byte.is_ascii_whitespace());
        bytes.map(|byte| format!("%{byte:02X}")).collect::<String>()
    };
    let text = format!("batchOrders={}", encode(orders));
    let once = [("Idempotency-Key", "batch 1")];
    let path = "/api/v3/batchOrders";
    let reply = site.signed_with(&site.maker, "POST", path, &text, &once).await;
    let placed = reply.ok();
    assert!(reply.head.contains("x-mbx-used-weight-1m: 4"), "{}", reply.head);
    assert_eq!((&placed[0]["status"], &placed[3]["status"]), (&json!("NEW"), &json!("NEW")));
    assert_eq!(placed[1], json!({"code": -1121, "msg": "Invalid symbol."}));
    assert_eq!(
        placed[2],
        json!({"code": -2010, "msg": "Duplicate order sent.", "reason": "DuplicateClOrdId"})
    );

    let again = site.signed_with(&site.maker, "POST", path, &text, &once).await.ok();
    assert_eq!((&again[0], &again[3]), (&placed[0], &placed[3]));
    let open = ask(&site, &site.maker, "/api/v3/openOrders", "").await;
    assert_eq!(open.as_array().unwrap().len(), 2);

    let cancels = r#"[
        {"symbol":"BTCUSDT","origClientOrderId":"a"},
        {"symbol":"BTCUSDT","orderId":99},
        {"symbol":"ETHUSDT","origClientOrderId":"b"}
    ]"#;
    let text = format!("batchOrders={}", encode(cancels));
    let canceled = site.signed(&site.maker, "POST", "/api/v3/batchCancel", &text).await.ok();
    assert_eq!(
        (&canceled[0]["status"], &canceled[2]["status"]),
        (&json!("CANCELED"), &json!("CANCELED"))
    );
    assert_eq!(
        canceled[1],
        json!({"code": -2011, "msg": "Unknown order sent.", "reason": "OrderNotFound"})
    );
    let reply = site.signed(&site.reader, "POST", "/api/v3/batchCancel", &text).await;
    assert_eq!(reply.status, 401);
}

/// An amend of one leg of an OCO lowers both; another name of an order is a change of its list.
#[tokio::test(flavor = "multi_thread")]
async fn an_amended_order_of_a_list_reports_the_list() {
    let site = Site::new().await;
    let placed = enter(&site, "/api/v3/orderList/oco", OCO).await;
    let mut socket = listen(&site, &site.maker, None).await;
    let id = placed["orderReports"][0]["orderId"].as_u64().unwrap();
    let name = placed["orderReports"][0]["clientOrderId"].as_str().unwrap();
    let path = "/api/v3/order/amend/keepPriority";
    let amend = async |text: &str| {
        let text = format!("symbol=BTCUSDT&orderId={id}&{text}");
        site.signed(&site.maker, "PUT", path, &text).await.ok()
    };
    amend(&format!("newQty=0.8&newClientOrderId={name}")).await;
    for _ in 0..2 {
        let report = numbered(&mut socket).await;
        assert_eq!((&report["x"], &report["q"]), (&json!("REPLACED"), &json!("0.80000000")));
    }
    let amended = amend("newQty=0.5&newClientOrderId=other").await;
    assert_eq!(amended["listStatus"]["orders"][0]["clientOrderId"], "other", "{amended}");
    let reports = [numbered(&mut socket).await, numbered(&mut socket).await];
    assert_eq!((&reports[0]["c"], &reports[0]["C"]), (&json!("other"), &json!(name)));
    assert_eq!(reports[1]["q"], "0.50000000");
    let list = numbered(&mut socket).await;
    assert_eq!(
        (&list["e"], &list["l"], &list["L"]),
        (&json!("listStatus"), &json!("UPDATED"), &json!("EXECUTING"))
    );
    assert_eq!(list["O"][0]["c"], "other", "{list}");
    let mut again = listen(&site, &site.maker, list["seq"].as_u64()).await;
    assert_eq!(numbered(&mut again).await, list);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oco_keeps_to_the_last_price_and_to_the_limits_of_its_symbol() {
    let site = Site::new().await;
    site.order(&site.taker, "BUY", "1", "110").await;
    site.order(&site.taker, "SELL", "1", "110").await;
    let refused = async |text: &str, code: i64, msg: &str| {
        let text = format!("symbol=BTCUSDT&{text}");
        let reply = site.signed(&site.maker, "POST", "/api/v3/orderList/oco", &text).await;
        reply.is_error(400, code, msg);
    };
    let prices = "The relationship of the prices for the orders is not correct.";
    refused(OCO, -2010, prices).await;
    let buy = "side=BUY&quantity=1&aboveType=STOP_LOSS&aboveStopPrice=120\
               &belowType=LIMIT_MAKER&belowPrice=110";
    refused(buy, -2010, prices).await;
    let rules = InstrumentRules { max_stop_orders: 1, ..InstrumentRules::default() };
    let set = SetInstrumentRules { instrument: BTCUSDT, rules };
    site.operate(Command::SetInstrumentRules(set)).await;
    let stops = "side=SELL&quantity=1&aboveType=TAKE_PROFIT&aboveStopPrice=120\
                 &belowType=STOP_LOSS&belowStopPrice=90";
    refused(stops, -1013, "Filter failure: MAX_NUM_ALGO_ORDERS").await;
    enter(&site, "/api/v3/orderList/oco", &OCO.replace("=110", "=111")).await;
}
