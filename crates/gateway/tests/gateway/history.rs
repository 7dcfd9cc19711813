use serde_json::{Value, json};
use types::{AccountName, AccountSpec, Amount, AssetId, Command, UpdateAccount};

use crate::socket::{ask as ask_socket, connect, say, signed};
use crate::support::{MAKER, Site, TAKER, fields, now_ms};

const MINUTE_MS: u64 = 60_000;

/// Five trades by two commands: bought 1 + 1 at 25000 and 1 at 25001, then sold 1 + 0.5 at 24000.
pub(crate) async fn trade(site: &Site) {
    for (qty, price) in [("1", "25000"), ("1", "25000"), ("1", "25001")] {
        site.order(&site.maker, "SELL", qty, price).await;
    }
    for qty in ["1", "0.5"] {
        site.order(&site.maker, "BUY", qty, "24000").await;
    }
    site.order(&site.taker, "BUY", "3", "25001").await;
    site.order(&site.taker, "SELL", "1.5", "24000").await;
}

fn get<'a>(list: &'a Value, field: &str) -> Vec<&'a Value> {
    list.as_array().unwrap().iter().map(|item| &item[field]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn trades_are_listed_one_by_one_and_aggregated() {
    let site = Site::new().await;
    assert_eq!(site.get("/api/v3/aggTrades?symbol=BTCUSDT").await.ok(), json!([]));
    trade(&site).await;
    let trades = site.get("/api/v3/historicalTrades?symbol=BTCUSDT").await.ok();
    assert_eq!(get(&trades, "id"), [1, 2, 3, 4, 5]);
    assert_eq!(trades, site.get("/api/v3/trades?symbol=BTCUSDT").await.ok());
    let from = site.get("/api/v3/historicalTrades?symbol=BTCUSDT&fromId=2&limit=2").await.ok();
    assert_eq!(get(&from, "id"), [2, 3]);

    let agg = site.get("/api/v3/aggTrades?symbol=BTCUSDT").await.ok();
    assert_eq!(fields(&agg[0]), ["M", "T", "a", "f", "l", "m", "p", "q"]);
    assert_eq!(get(&agg, "a"), [1, 3, 4]);
    assert_eq!(get(&agg, "l"), [2, 3, 5]);
    assert_eq!(get(&agg, "q"), ["2.00000000", "1.00000000", "1.50000000"]);
    assert_eq!(get(&agg, "m"), [false, false, true]);
    let time = agg[1]["T"].as_u64().unwrap();
    assert_eq!(agg[1]["T"], trades[2]["time"]);
    for (query, ids) in [
        ("fromId=2".to_owned(), vec![3, 4]),
        ("limit=1".to_owned(), vec![4]),
        (format!("startTime={time}&limit=1"), vec![1]),
        (format!("startTime={}", time + MINUTE_MS), vec![]),
        (format!("endTime={}", time - MINUTE_MS), vec![]),
        ("startTime=0&endTime=9999999999999&limit=2".to_owned(), vec![1, 3]),
    ] {
        let agg = site.get(&format!("/api/v3/aggTrades?symbol=BTCUSDT&{query}")).await.ok();
        assert_eq!(get(&agg, "a"), ids, "{query}");
    }
    site.get("/api/v3/aggTrades?symbol=BTCUSDT&fromId=1&startTime=1").await.is_error(
        400,
        -1128,
        "Combination of optional parameters invalid.",
    );
    site.get("/api/v3/aggTrades").await.is_error(
        400,
        -1102,
        "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_and_trades_of_all_symbols_are_one_list() {
    let site = Site::new().await;
    let ether = Amount::from_minor(10 * 100_000_000);
    site.operate(testing::deposit(MAKER, AssetId(2), ether, "ether")).await;
    let order = async |key, symbol: &str, side: &str| {
        let text =
            format!("symbol={symbol}&side={side}&type=LIMIT&timeInForce=GTC&quantity=1&price=100");
        let reply = site.signed(key, "POST", "/api/v3/order", &text).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    };
    let symbols = ["BTCUSDT", "ETHUSDT", "ETHUSDT", "BTCUSDT", "ETHUSDT"];
    for symbol in symbols {
        order(&site.maker, symbol, "SELL").await;
        order(&site.taker, symbol, "BUY").await;
    }
    order(&site.taker, "ETHUSDT", "BUY").await;
    let ask = async |path: &str, text: &str| {
        let reply = site.signed(&site.taker, "GET", path, text).await;
        assert_eq!(reply.status, 200, "{text}: {}", reply.body);
        reply.json()
    };
    let trades = ask("/api/v3/myTrades", "").await;
    assert_eq!(get(&trades, "symbol"), symbols);
    assert_eq!(get(&trades, "id"), [1, 1, 2, 2, 3]);
    for symbol in ["BTCUSDT", "ETHUSDT"] {
        let of_one = ask("/api/v3/myTrades", &format!("symbol={symbol}")).await;
        let same: Vec<_> =
            trades.as_array().unwrap().iter().filter(|trade| trade["symbol"] == symbol).collect();
        assert_eq!(of_one.as_array().unwrap().iter().collect::<Vec<_>>(), same);
    }
    assert_eq!(get(&ask("/api/v3/myTrades", "limit=2").await, "symbol"), symbols[3..]);
    let first = ask("/api/v3/myTrades", &format!("startTime={}&limit=2", trades[0]["time"])).await;
    assert_eq!(get(&first, "id"), [1, 1]);

    let orders = ask("/api/v3/allOrders", "").await;
    assert_eq!(get(&orders, "symbol"), [&symbols[..], &["ETHUSDT"]].concat());
    assert_eq!(get(&ask("/api/v3/allOrders", "limit=1").await, "status"), ["NEW"]);
    let mut socket = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    for (method, expect) in [("myTrades", &trades), ("allOrders", &orders)] {
        let answer = ask_socket(&mut socket, 1, method, signed(&site.taker, json!({}))).await;
        assert_eq!(&answer["result"], expect, "{method}");
    }
    for (path, text) in
        [("myTrades", "fromId=1"), ("myTrades", "orderId=1"), ("allOrders", "orderId=1")]
    {
        let reply = site.signed(&site.taker, "GET", &format!("/api/v3/{path}"), text).await;
        assert_eq!(reply.json()["code"], -1102, "{path} {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn klines_agree_with_their_trades() {
    let site = Site::new().await;
    assert_eq!(site.get("/api/v3/klines?symbol=BTCUSDT&interval=1m").await.ok(), json!([]));
    trade(&site).await;
    let klines = site.get("/api/v3/klines?symbol=BTCUSDT&interval=1M").await.ok();
    let kline = &klines[0];
    let (open_ms, close_ms) = (kline[0].as_u64().unwrap(), kline[6].as_u64().unwrap());
    assert!((open_ms..=close_ms).contains(&now_ms()) && (close_ms + 1 - open_ms) % 86_400_000 == 0);
    let rest = json!([
        open_ms,
        "25000.00000000",
        "25001.00000000",
        "24000.00000000",
        "24000.00000000",
        "4.50000000",
        close_ms,
        "111001.00000000",
        5,
        "3.00000000",
        "75001.00000000",
        "0"
    ]);
    assert_eq!(klines, json!([rest]));
    assert_eq!(klines, site.get("/api/v3/uiKlines?symbol=BTCUSDT&interval=1M").await.ok());

    let day = |zone: &str| format!("/api/v3/klines?symbol=BTCUSDT&interval=1d&timeZone={zone}");
    let (utc, tokyo) = (site.get(&day("0")).await.ok(), site.get(&day("9:00")).await.ok());
    let begins = |klines: &Value| klines[0][0].as_u64().unwrap();
    assert_eq!(begins(&utc) % 86_400_000, 0);
    assert_eq!((begins(&tokyo) + 9 * 3_600_000) % 86_400_000, 0);
    let us = [("X-MBX-TIME-UNIT", "MICROSECOND")];
    let in_us = site.send("GET", &day("0"), &us, b"").await.ok();
    assert_eq!(in_us[0][0], 1_000 * begins(&utc));
    let later = format!("{}&startTime={}", day("0"), begins(&utc) + 1);
    assert_eq!(site.get(&later).await.ok(), json!([]));

    site.get("/api/v3/klines?symbol=BTCUSDT&interval=2d").await.is_error(
        400,
        -1120,
        "Invalid interval.",
    );
    site.get(&day("15")).await.is_error(
        400,
        -1130,
        "Data sent for parameter 'timeZone' is not valid.",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tickers_sum_up_a_window() {
    let site = Site::new().await;
    trade(&site).await;
    let day = site.get("/api/v3/ticker/24hr?symbol=BTCUSDT").await.ok();
    for (field, value) in [
        ("priceChange", "-1000.00000000"),
        ("priceChangePercent", "-4.000"),
        ("weightedAvgPrice", "24666.88888888"),
        ("prevClosePrice", "0.00000000"),
        ("lastPrice", "24000.00000000"),
        ("lastQty", "0.50000000"),
        ("bidPrice", "0.00000000"),
        ("openPrice", "25000.00000000"),
        ("highPrice", "25001.00000000"),
        ("lowPrice", "24000.00000000"),
        ("volume", "4.50000000"),
        ("quoteVolume", "111001.00000000"),
    ] {
        assert_eq!(day[field], value, "{field}");
    }
    assert_eq!((&day["firstId"], &day["lastId"], &day["count"]), (&json!(1), &json!(5), &json!(5)));
    let times =
        |ticker: &Value| ["openTime", "closeTime"].map(|field| ticker[field].as_u64().unwrap());
    let [open_ms, close_ms] = times(&day);
    assert!(open_ms % MINUTE_MS == 0 && close_ms - open_ms - 24 * 60 * MINUTE_MS < MINUTE_MS);
    let all = site.get("/api/v3/ticker/24hr?type=MINI").await.ok();
    assert_eq!(get(&all, "symbol"), ["BTCUSDT", "ETHUSDT"]);
    assert_eq!((&all[1]["firstId"], &all[1]["count"]), (&json!(-1), &json!(0)));
    assert!(all[0].get("priceChange").is_none() && all[0]["lastPrice"] == "24000.00000000");

    let trading_day =
        site.get("/api/v3/ticker/tradingDay?symbol=BTCUSDT&timeZone=-3:30").await.ok();
    let [open_ms, close_ms] = times(&trading_day);
    assert_eq!(
        (close_ms + 1 - open_ms, (open_ms - 3_600_000 * 7 / 2) % 86_400_000),
        (86_400_000, 0)
    );
    for window in ["1m", "59m", "1h", "1d", "7d"] {
        let target =
            format!("/api/v3/ticker?symbols=%5B%22BTCUSDT%22,%22ETHUSDT%22%5D&windowSize={window}");
        let found = site.get(&target).await.ok();
        assert_eq!(found[0]["quoteVolume"], "111001.00000000", "{window}");
        assert_eq!((&found[0]["count"], &found[1]["count"]), (&json!(5), &json!(0)), "{window}");
        assert!(found[0].get("bidPrice").is_none());
    }
    site.get("/api/v3/ticker").await.is_error(
        400,
        -1102,
        "Param 'symbol' or 'symbols' must be sent, but both were empty/null!",
    );
    site.get("/api/v3/ticker?symbol=BTCUSDT&type=HALF").await.is_error(
        400,
        -1139,
        "Invalid ticker type.",
    );

    let average = site.get("/api/v3/avgPrice?symbol=BTCUSDT").await.ok();
    assert_eq!((&average["mins"], &average["price"]), (&json!(5), &json!("24666.88000000")));
    assert!(now_ms().abs_diff(average["closeTime"].as_u64().unwrap()) < 5 * MINUTE_MS);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_engine_has_forgotten_is_answered_still() {
    let site = Site::new().await;
    let spec = AccountSpec {
        name: AccountName::parse("taker").unwrap(),
        fees: None,
        max_open_orders: 5_000,
        finished_orders_kept: 1,
        trades_kept: 1,
    };
    site.operate(Command::UpdateAccount(UpdateAccount { account: TAKER, spec })).await;
    trade(&site).await;
    assert_eq!(site.ask(|engine| engine.finished_orders(TAKER).count()).await, 1);
    let signed = async |path: &str, text: &str| {
        let text = format!("symbol=BTCUSDT&{text}");
        site.signed(&site.taker, "GET", path, &text).await.ok()
    };
    let orders = signed("/api/v3/allOrders", "limit=10").await;
    assert_eq!(get(&orders, "orderId"), [6, 7]);
    let order = signed("/api/v3/order", "orderId=6").await;
    assert_eq!(order, orders[0]);
    assert_eq!((&order["status"], &order["executedQty"]), (&json!("FILLED"), &json!("3.00000000")));
    let name = order["clientOrderId"].as_str().unwrap();
    assert_eq!(signed("/api/v3/order", &format!("origClientOrderId={name}")).await, order);
    let trades = signed("/api/v3/myTrades", "orderId=6").await;
    assert_eq!(get(&trades, "id"), [1, 2, 3]);
    assert_eq!(get(&signed("/api/v3/myTrades", "fromId=2&limit=3").await, "id"), [2, 3, 4]);
    let other = site.signed(&site.maker, "GET", "/api/v3/order", "symbol=BTCUSDT&orderId=6").await;
    other.is_error(400, -2013, "Order does not exist.");
    let both = "symbol=BTCUSDT&orderId=6&origClientOrderId=another";
    let both = site.signed(&site.taker, "GET", "/api/v3/order", both).await;
    both.is_error(400, -2039, "Client order ID is not correct for this order ID.");

    // The same after a restart.
    let site = site.restarted().await;
    let again = site.signed(&site.taker, "GET", "/api/v3/allOrders", "symbol=BTCUSDT").await;
    assert_eq!(again.ok(), orders);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_asks_what_it_changed_and_what_was_prevented() {
    let site = Site::new().await;
    let resting = site.order(&site.maker, "SELL", "2", "25000").await["orderId"].clone();
    let amend = format!("symbol=BTCUSDT&orderId={resting}&newQty=1.5&newClientOrderId=less");
    let path = "/api/v3/order/amend/keepPriority";
    let amended = site.signed(&site.maker, "PUT", path, &amend).await.ok();
    let ask = async |path: &str, text: &str| {
        let text = format!("symbol=BTCUSDT&{text}");
        site.signed(&site.maker, "GET", path, &text).await
    };
    let path = "/api/v3/order/amendments";
    let amendments = ask(path, &format!("orderId={resting}")).await.ok();
    assert_eq!(amendments.as_array().unwrap().len(), 1);
    let one = &amendments[0];
    assert_eq!((&one["origQty"], &one["newQty"]), (&json!("2.00000000"), &json!("1.50000000")));
    assert_eq!(
        (&one["executionId"], &one["newClientOrderId"]),
        (&amended["executionId"], &json!("less"))
    );
    let after = one["executionId"].as_u64().unwrap() + 1;
    let none = ask(path, &format!("orderId={resting}&fromExecutionId={after}")).await;
    assert_eq!(none.ok(), json!([]));

    let order = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=25000\
                 &selfTradePreventionMode=EXPIRE_TAKER";
    let taker = site.signed(&site.maker, "POST", "/api/v3/order", order).await.ok();
    let path = "/api/v3/myPreventedMatches";
    let prevented = ask(path, &format!("orderId={}", taker["orderId"])).await.ok();
    let one = &prevented[0];
    assert_eq!((&one["makerOrderId"], &one["takerOrderId"]), (&resting, &taker["orderId"]));
    assert_eq!(
        (&one["price"], &one["takerPreventedQuantity"]),
        (&json!("25000.00000000"), &json!("1.00000000"))
    );
    let by_id = format!("preventedMatchId={}", one["preventedMatchId"]);
    assert_eq!(ask(path, &by_id).await.ok(), prevented);
    let text = format!("symbol=BTCUSDT&{by_id}");
    assert_eq!(site.signed(&site.taker, "GET", path, &text).await.ok(), json!([]), "not his");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_websocket_api_answers_the_same() {
    let site = Site::new().await;
    trade(&site).await;
    let mut socket = connect(&site, "/ws-api/v3").await;
    for (method, path, params) in [
        ("trades.historical", "historicalTrades", json!({"symbol": "BTCUSDT", "limit": 2})),
        ("trades.aggregate", "aggTrades", json!({"symbol": "BTCUSDT", "fromId": 3})),
        ("klines", "klines", json!({"symbol": "BTCUSDT", "interval": "1w"})),
        ("uiKlines", "uiKlines", json!({"symbol": "BTCUSDT", "interval": "1w"})),
        ("avgPrice", "avgPrice", json!({"symbol": "BTCUSDT"})),
    ] {
        let request = json!({"id": 1, "method": method, "params": params});
        let reply = say(&mut socket, request).await;
        let pairs: Vec<String> = params
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| format!("{name}={}", value.to_string().trim_matches('"')))
            .collect();
        let rest = site.get(&format!("/api/v3/{path}?{}", pairs.join("&"))).await.ok();
        assert_eq!((&reply["status"], &reply["result"]), (&json!(200), &rest), "{method}");
    }
    for method in ["ticker.24hr", "ticker.tradingDay", "ticker"] {
        let params = json!({"symbols": ["BTCUSDT"]});
        let reply = say(&mut socket, json!({"id": 1, "method": method, "params": params})).await;
        assert_eq!(reply["result"][0]["count"], 5, "{method}: {reply}");
    }
}
