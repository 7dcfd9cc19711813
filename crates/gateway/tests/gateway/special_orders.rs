//! Orders with triggers, hidden quantities, pegs, and self-trade prevention.

use serde_json::{Value, json};
use types::{AccountRisk, Command, SetAccountRisk};

use crate::support::{Key, MAKER, Site};
use crate::user_data::{listen, numbered};

async fn enter(site: &Site, key: &Key, text: &str) -> Value {
    let text = format!("symbol=BTCUSDT&newOrderRespType=FULL&{text}");
    site.signed(key, "POST", "/api/v3/order", &text).await.ok()
}

async fn query(site: &Site, order: &Value) -> Value {
    let text = format!("symbol=BTCUSDT&orderId={}", order["orderId"]);
    site.signed(&site.maker, "GET", "/api/v3/order", &text).await.ok()
}

/// A trade at 100.
async fn trade(site: &Site, price: &str) {
    site.order(&site.taker, "BUY", "1", price).await;
    site.order(&site.taker, "SELL", "1", price).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_and_works_once_it_is_reached() {
    let site = Site::new().await;
    trade(&site, "100").await;
    let stop = "side=SELL&type=STOP_LOSS_LIMIT&timeInForce=GTC&quantity=1&price=90&stopPrice=95";
    let placed = enter(&site, &site.maker, stop).await;
    assert_eq!((&placed["status"], &placed["workingTime"]), (&json!("NEW"), &json!(-1)));
    assert_eq!(placed["stopPrice"], "95.00000000");
    let waiting = query(&site, &placed).await;
    assert_eq!((&waiting["isWorking"], &waiting["workingTime"]), (&json!(false), &json!(-1)));
    let reached = "symbol=BTCUSDT&side=SELL&type=STOP_LOSS&quantity=1&stopPrice=101";
    let reply = site.signed(&site.maker, "POST", "/api/v3/order", reached).await;
    reply.is_error(400, -2010, "Order would trigger immediately.");

    trade(&site, "95").await;
    let working = query(&site, &placed).await;
    assert_eq!(working["isWorking"], true);
    assert!(working["workingTime"].as_i64() > placed["transactTime"].as_i64());
    let canceled = format!("symbol=BTCUSDT&orderId={}", placed["orderId"]);
    let canceled = site.signed(&site.maker, "DELETE", "/api/v3/order", &canceled).await.ok();
    assert_eq!(
        (&canceled["status"], &canceled["stopPrice"]),
        (&json!("CANCELED"), &json!("95.00000000"))
    );
    assert_eq!(canceled["workingTime"], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trailing_stop_says_since_when_it_trails() {
    let site = Site::new().await;
    trade(&site, "100").await;
    let stop = "side=SELL&type=STOP_LOSS&quantity=1&trailingDelta=1000";
    let placed = enter(&site, &site.maker, stop).await;
    assert_eq!(placed["trailingDelta"], 1000);
    assert_eq!(placed["trailingTime"], placed["transactTime"]);
    assert_eq!(placed["stopPrice"], "0.00000000");
    trade(&site, "200").await;
    // Ten percent below the highest price since the order.
    site.order(&site.taker, "BUY", "5", "180").await;
    trade(&site, "181").await;
    assert_eq!(query(&site, &placed).await["status"], "NEW");
    site.order(&site.taker, "SELL", "1", "180").await;
    assert_eq!(query(&site, &placed).await["status"], "FILLED");
}

/// From its stop price on, in each answer, though no event reports when that begins.
#[tokio::test(flavor = "multi_thread")]
async fn a_trailing_stop_with_a_stop_price_says_since_when_it_trails() {
    let site = Site::new().await;
    trade(&site, "100").await;
    let stop = "side=SELL&type=STOP_LOSS&quantity=1&stopPrice=95&trailingDelta=1000";
    let placed = enter(&site, &site.maker, stop).await;
    assert_eq!(placed["trailingTime"], -1);
    let mut socket = listen(&site, &site.maker, None).await;
    assert_eq!(query(&site, &placed).await["trailingTime"], -1);
    trade(&site, "95").await;
    let since = query(&site, &placed).await["trailingTime"].take();
    assert!(since.as_u64() > placed["transactTime"].as_u64(), "{since}");
    for path in ["/api/v3/openOrders", "/api/v3/allOrders"] {
        let found = site.signed(&site.maker, "GET", path, "symbol=BTCUSDT").await.ok();
        assert_eq!(found[0]["trailingTime"], since, "{path}");
    }
    trade(&site, "85").await;
    let triggered = numbered(&mut socket).await;
    assert_eq!((&triggered["x"], &triggered["D"]), (&json!("NEW"), &since));
}

/// The stop sells to the order whose trade has triggered it: that is for its events to report.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_the_fills_of_the_entry_alone() {
    let site = Site::new().await;
    trade(&site, "101").await;
    let stop = "side=SELL&type=STOP_LOSS&quantity=1&stopPrice=100";
    enter(&site, &site.taker, stop).await;
    site.order(&site.taker, "SELL", "1", "100").await;
    let mut socket = listen(&site, &site.maker, None).await;
    let buy = "side=BUY&type=LIMIT&timeInForce=GTC&quantity=3&price=100";
    let answer = enter(&site, &site.maker, buy).await;
    assert_eq!(answer["fills"].as_array().map(Vec::len), Some(1), "{answer}");
    assert_eq!(
        (&answer["executedQty"], &answer["status"]),
        (&json!("1.00000000"), &json!("PARTIALLY_FILLED"))
    );
    assert_eq!(query(&site, &answer).await["executedQty"], "2.00000000");
    let mut reports = Vec::new();
    for _ in 0..3 {
        let report = numbered(&mut socket).await;
        reports.push((report["x"].clone(), report["z"].clone(), report["m"].clone()));
    }
    let report = |x: &str, z: &str, m: bool| (json!(x), json!(z), json!(m));
    assert_eq!(
        reports,
        [
            report("NEW", "0.00000000", false),
            report("TRADE", "1.00000000", false),
            report("TRADE", "2.00000000", true),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_iceberg_shows_a_part_and_is_replaced_by_another() {
    let site = Site::new().await;
    let iceberg = "side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=100&icebergQty=0.1";
    let placed = enter(&site, &site.maker, iceberg).await;
    assert_eq!(placed["icebergQty"], "0.10000000");
    let depth = site.get("/api/v3/depth?symbol=BTCUSDT").await.ok();
    assert_eq!(depth["bids"], json!([["100.00000000", "0.10000000"]]));
    assert_eq!(query(&site, &placed).await["icebergQty"], "0.10000000");

    let replace = format!(
        "symbol=BTCUSDT&{iceberg}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrderId={}",
        placed["orderId"]
    );
    let path = "/api/v3/order/cancelReplace";
    let replaced = site.signed(&site.maker, "POST", path, &replace).await.ok();
    assert_eq!(replaced["cancelResponse"]["icebergQty"], "0.10000000");
    assert_eq!(replaced["newOrderResponse"]["icebergQty"], "0.10000000");
}

/// The limits on icebergs and trailing stops in `exchangeInfo` apply.
#[tokio::test(flavor = "multi_thread")]
async fn the_engines_own_bounds_are_filters() {
    let site = Site::new().await;
    let info = site.get("/api/v3/exchangeInfo?symbol=BTCUSDT").await.ok();
    let filters = info["symbols"][0]["filters"].as_array().unwrap();
    let filter = |name: &str| filters.iter().find(|filter| filter["filterType"] == name).unwrap();
    assert_eq!(filter("ICEBERG_PARTS")["limit"], 1_000);
    assert_eq!(filter("TRAILING_DELTA")["maxTrailingBelowDelta"], 9_999);
    let check = async |text: &str, msg: Option<&str>| {
        let text = format!("symbol=BTCUSDT&side=SELL&{text}");
        let reply = site.signed(&site.maker, "POST", "/api/v3/order/test", &text).await;
        match msg {
            None => assert_eq!(reply.ok(), json!({})),
            Some(msg) => reply.is_error(400, -1013, msg),
        }
    };
    let iceberg = "type=LIMIT&timeInForce=GTC&price=100&icebergQty=0.001&quantity";
    check(&format!("{iceberg}=1"), None).await;
    check(&format!("{iceberg}=1.00001"), Some("Filter failure: ICEBERG_PARTS")).await;
    let trailing = "type=STOP_LOSS&quantity=1&trailingDelta";
    check(&format!("{trailing}=9999"), None).await;
    check(&format!("{trailing}=10000"), Some("Filter failure: TRAILING_DELTA")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pegs_stand_at_the_best_price() {
    let site = Site::new().await;
    let primary = "side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&pegPriceType=PRIMARY_PEG";
    let text = format!("symbol=BTCUSDT&{primary}");
    let reply = site.signed(&site.maker, "POST", "/api/v3/order", &text).await;
    reply.is_error(400, -2010, "Order book liquidity is too low for this pegged order.");
    site.order(&site.taker, "BUY", "1", "100").await;
    let placed = enter(&site, &site.maker, primary).await;
    assert_eq!(
        (&placed["price"], &placed["peggedPrice"]),
        (&json!("0.00000000"), &json!("100.00000000"))
    );
    site.order(&site.taker, "BUY", "1", "101").await;
    assert_eq!(query(&site, &placed).await["peggedPrice"], "101.00000000");

    for price in ["110", "111"] {
        site.order(&site.taker, "SELL", "1", price).await;
    }
    let market = "side=BUY&type=LIMIT&timeInForce=IOC&quantity=5&pegPriceType=MARKET_PEG";
    let taken = enter(&site, &site.maker, market).await;
    assert_eq!(
        (&taken["executedQty"], &taken["status"]),
        (&json!("1.00000000"), &json!("EXPIRED"))
    );
    assert_eq!((&taken["type"], &taken["peggedPrice"]), (&json!("LIMIT"), &json!("110.00000000")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_self_trade_prevention_ends_expires_in_match() {
    let site = Site::new().await;
    site.order(&site.maker, "BUY", "3", "100").await;
    let taker = |mode: &str, qty: &str| {
        format!(
            "side=SELL&type=LIMIT&timeInForce=GTC&quantity={qty}&price=100\
             &selfTradePreventionMode={mode}"
        )
    };
    let expired = enter(&site, &site.maker, &taker("EXPIRE_TAKER", "1")).await;
    assert_eq!(expired["status"], "EXPIRED_IN_MATCH");
    assert_eq!(expired["preventedQuantity"], "1.00000000");
    let matched = json!([{
        "preventedMatchId": 1, "makerOrderId": 1, "price": "100.00000000",
        "takerPreventedQuantity": "1.00000000",
    }]);
    assert_eq!(expired["preventedMatches"], matched);

    let lowered = enter(&site, &site.maker, &taker("DECREMENT", "2")).await;
    assert_eq!(lowered["status"], "EXPIRED_IN_MATCH");
    let ended = query(&site, &lowered).await;
    assert_eq!(
        (&ended["status"], &ended["preventedQuantity"]),
        (&json!("EXPIRED_IN_MATCH"), &json!("2.00000000"))
    );
    let maker = query(&site, &json!({"orderId": 1})).await;
    assert_eq!((&maker["status"], &maker["origQty"]), (&json!("NEW"), &json!("3.00000000")));
    assert_eq!(maker["preventedQuantity"], "2.00000000");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_sees_its_order_rate_and_its_fees() {
    let site = Site::new().await;
    let counts = "/api/v3/rateLimit/order";
    assert_eq!(site.signed(&site.maker, "GET", counts, "").await.ok(), json!([]));
    let risk = AccountRisk { max_orders_per_day: 2, ..AccountRisk::PLAIN };
    site.operate(Command::SetAccountRisk(SetAccountRisk { account: MAKER, risk })).await;
    for _ in 0..2 {
        site.order(&site.maker, "BUY", "1", "100").await;
    }
    let counted = site.signed(&site.maker, "GET", counts, "").await.ok();
    assert_eq!(
        counted,
        json!([{
            "rateLimitType": "ORDERS", "interval": "DAY", "intervalNum": 1, "limit": 2, "count": 2,
        }])
    );
    let text = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=100";
    let reply = site.signed(&site.maker, "POST", "/api/v3/order", text).await;
    let limited = "Too many new orders; current limit is 2 orders per 1 DAY.";
    reply.is_error(429, -1015, limited);

    let path = "/api/v3/account/commission";
    let commission = site.signed(&site.reader, "GET", path, "symbol=BTCUSDT").await.ok();
    assert_eq!(commission["standardCommission"]["taker"], "0.00200000");
    let fees = site.signed(&site.reader, "GET", "/sapi/v1/asset/tradeFee", "").await.ok();
    assert_eq!(fees.as_array().unwrap().len(), 2);
    assert_eq!(fees[1]["makerCommission"], "0.00100000");
    let path = "/sapi/v1/capital/config/getall";
    let coins = site.signed(&site.reader, "GET", path, "").await.ok();
    assert_eq!((&coins[0]["coin"], &coins[0]["free"]), (&json!("BTC"), &json!("10000.00000000")));
    assert_eq!((&coins[2]["coin"], &coins[2]["free"]), (&json!("ETH"), &json!("0.00000000")));
    let path = "/sapi/v1/margin/isolated/allPairs";
    assert_eq!(site.signed(&site.reader, "GET", path, "").await.ok(), json!([]));
    let key = [("X-MBX-APIKEY", site.reader.api_key.as_str())];
    let pairs = site.send("GET", "/sapi/v1/margin/allPairs", &key, b"").await;
    assert_eq!(pairs.ok(), json!([]));
    let pairs = site.signed(&site.reader, "GET", "/sapi/v1/margin/allPairs", "").await;
    assert_eq!(pairs.ok(), json!([]));
    assert_eq!(site.get("/sapi/v1/margin/allPairs").await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn later_queries_say_why_an_order_expired() {
    let mut site = Site::new().await;
    site.order(&site.taker, "SELL", "1", "100").await;
    let limit = "side=BUY&type=LIMIT&price=100&quantity=2&timeInForce";
    let fok = enter(&site, &site.maker, &format!("{limit}=FOK")).await;
    let ioc = enter(&site, &site.maker, &format!("{limit}=IOC")).await;
    site.order(&site.taker, "SELL", "1", "100").await;
    let market = enter(&site, &site.maker, "side=BUY&type=MARKET&quantity=2").await;
    let oco = "symbol=BTCUSDT&side=SELL&quantity=1&aboveType=LIMIT_MAKER&abovePrice=200\
               &belowType=STOP_LOSS&belowStopPrice=50";
    let oco = site.signed(&site.maker, "POST", "/api/v3/orderList/oco", oco).await.ok();
    site.order(&site.taker, "BUY", "1", "200").await;
    let [stop, limit_maker] = [0, 1].map(|at| &oco["orderReports"][at]);
    let oto = "symbol=BTCUSDT&workingType=LIMIT&workingSide=BUY&workingPrice=100\
               &workingQuantity=1&workingTimeInForce=IOC&pendingType=LIMIT&pendingSide=SELL\
               &pendingPrice=300&pendingQuantity=1&pendingTimeInForce=GTC";
    let oto = site.signed(&site.maker, "POST", "/api/v3/orderList/oto", oto).await.ok();
    let expect = [
        (&fok, "UNFILLED_FOK_ORDER_EXPIRED"),
        (&ioc, "UNFILLED_IOC_QUANTITY_EXPIRED"),
        (&market, "INSUFFICIENT_LIQUIDITY"),
        (stop, "OCO_TRIGGER"),
        (&oto["orderReports"][0], "UNFILLED_IOC_QUANTITY_EXPIRED"),
        (&oto["orderReports"][1], "OTO_PHASE_ONE_EXPIRED"),
    ];
    for restarts in [true, false] {
        let all = "symbol=BTCUSDT";
        let all = site.signed(&site.maker, "GET", "/api/v3/allOrders", all).await.ok();
        for (order, reason) in expect {
            let id = &order["orderId"];
            let in_all = all.as_array().unwrap().iter().find(|it| it["orderId"] == *id).unwrap();
            for found in [query(&site, order).await, in_all.clone()] {
                assert_eq!(
                    (&found["status"], &found["expiryReason"]),
                    (&json!("EXPIRED"), &json!(reason))
                );
            }
        }
        let filled = query(&site, limit_maker).await;
        assert_eq!((&filled["status"], filled.get("expiryReason")), (&json!("FILLED"), None));
        if restarts {
            site = site.restarted().await;
        }
    }
}
