use serde_json::json;
use types::{
    Command, DelistInstrument, HaltVenue, InstrumentRules, Phase, SetInstrumentRules, SetPhase,
};

use crate::support::{BTCUSDT, Site, fields, now_ms};

#[tokio::test(flavor = "multi_thread")]
async fn time_rules_and_health_are_public() {
    let site = Site::new().await;
    assert_eq!(site.get("/api/v3/ping").await.ok(), json!({}));
    let ms = site.get("/api/v3/time").await.ok()["serverTime"].as_u64().unwrap();
    assert!(now_ms().abs_diff(ms) < 5_000);
    let header = [("X-MBX-TIME-UNIT", "MICROSECOND")];
    let us = site.send("GET", "/api/v3/time", &header, b"").await.ok();
    assert!(us["serverTime"].as_u64().unwrap() > 1_000 * ms - 1);
    site.send("GET", "/api/v3/time", &[("X-MBX-TIME-UNIT", "HOUR")], b"").await.is_error(
        400,
        -1194,
        "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.",
    );
    assert_eq!(site.get("/health/live").await.ok(), json!({"status": "live"}));
    assert_eq!(site.get("/health/ready").await.ok(), json!({"status": "ready"}));

    let info = site.get("/api/v3/exchangeInfo").await.ok();
    assert_eq!(info["symbols"].as_array().unwrap().len(), 2);
    assert_eq!(info["symbols"][0]["symbol"], "BTCUSDT");
    assert_eq!(info["symbols"][0]["filters"][0]["tickSize"], "0.01000000");
    let one = site.get("/api/v3/exchangeInfo?symbol=ETHUSDT").await.ok();
    assert_eq!(one["symbols"][0]["baseAsset"], "ETH");
    let listed = site.get("/api/v3/exchangeInfo?symbols=%5B%22ETHUSDT%22%5D").await.ok();
    assert_eq!(listed["symbols"], one["symbols"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn status_of_a_symbol_is_its_phase() {
    let site = Site::new().await;
    let phase = |phase| Command::SetPhase(SetPhase { instrument: BTCUSDT, phase });
    let status = async |site: &Site| {
        let info = site.get("/api/v3/exchangeInfo").await.ok();
        assert_eq!(info["symbols"][1]["symbol"], "ETHUSDT");
        [0, 1].map(|at| info["symbols"][at]["status"].as_str().unwrap().to_owned())
    };
    for (phase_set, expected) in [
        (Phase::PreOpen, "PRE_TRADING"),
        (Phase::OpeningAuction, "AUCTION_MATCH"),
        (Phase::Continuous, "TRADING"),
        (Phase::VolatilityAuction, "AUCTION_MATCH"),
        (Phase::ClosingAuction, "AUCTION_MATCH"),
        (Phase::Halt, "HALT"),
        (Phase::Closed, "END_OF_DAY"),
    ] {
        site.operate(phase(phase_set)).await;
        assert_eq!(status(&site).await, [expected, "TRADING"]);
    }
    // A query may select other markets.
    let symbols = async |site: &Site, query: &str| {
        let info = site.get(&format!("/api/v3/exchangeInfo?symbolStatus={query}")).await.ok();
        let symbols = info["symbols"].as_array().unwrap().iter();
        symbols.map(|symbol| symbol["symbol"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(symbols(&site, "END_OF_DAY").await, ["BTCUSDT"]);
    assert_eq!(symbols(&site, "TRADING").await, ["ETHUSDT"]);
    let ticker = "/api/v3/ticker/price?symbol=BTCUSDT&symbolStatus=TRADING";
    assert_eq!(site.get(ticker).await.json()["code"], -1220);
    assert_eq!(site.get("/api/v3/depth?symbol=BTCUSDT").await.status, 200);

    let halt = HaltVenue { level: 1, resume_ns: 0 };
    site.operate(Command::HaltVenue(halt)).await;
    assert_eq!(status(&site).await, ["HALT", "HALT"]);
    let site = site.restarted().await;
    assert_eq!(status(&site).await, ["HALT", "HALT"]);
    site.operate(Command::ResumeVenue(())).await;
    assert_eq!(status(&site).await, ["END_OF_DAY", "TRADING"]);
    let delist = DelistInstrument { instrument: BTCUSDT };
    site.operate(Command::DelistInstrument(delist)).await;
    assert_eq!(status(&site).await, ["BREAK", "TRADING"]);
    let site = site.restarted().await;
    assert_eq!(status(&site).await, ["BREAK", "TRADING"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_of_a_symbol_are_among_its_filters() {
    let site = Site::new().await;
    let rules = InstrumentRules { max_amends: 3, ..InstrumentRules::default() };
    let set = SetInstrumentRules { instrument: BTCUSDT, rules };
    site.operate(Command::SetInstrumentRules(set)).await;
    let expected = json!({"filterType": "MAX_NUM_ORDER_AMENDS", "maxNumOrderAmends": 3});
    let filter = async |site: &Site| {
        let info = site.get("/api/v3/exchangeInfo?symbol=BTCUSDT").await.ok();
        info["symbols"][0]["filters"].as_array().unwrap().last().unwrap().clone()
    };
    assert_eq!(filter(&site).await, expected);
    assert_eq!(filter(&site.restarted().await).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn market_data_holds_what_was_acknowledged() {
    let site = Site::new().await;
    assert_eq!(
        site.get("/api/v3/depth?symbol=BTCUSDT").await.ok(),
        json!({"lastUpdateId": 1, "bids": [], "asks": []})
    );
    assert_eq!(site.get("/api/v3/trades?symbol=BTCUSDT").await.ok(), json!([]));
    assert_eq!(
        site.get("/api/v3/ticker/price?symbol=BTCUSDT").await.ok(),
        json!({"symbol": "BTCUSDT", "price": "0.00000000"})
    );
    site.order(&site.maker, "SELL", "2", "101").await;
    site.order(&site.maker, "SELL", "1", "100").await;
    site.order(&site.maker, "BUY", "1", "99").await;
    site.order(&site.taker, "BUY", "0.25", "100").await;

    let depth = site.get("/api/v3/depth?symbol=BTCUSDT&limit=1").await.ok();
    assert_eq!(fields(&depth), ["asks", "bids", "lastUpdateId"]);
    assert_eq!(depth["asks"], json!([["100.00000000", "0.75000000"]]));
    assert_eq!(depth["bids"], json!([["99.00000000", "1.00000000"]]));
    let depth = site.get("/api/v3/depth?symbol=BTCUSDT").await.ok();
    assert_eq!(depth["asks"].as_array().unwrap().len(), 2);

    let trades = site.get("/api/v3/trades?symbol=BTCUSDT&limit=5").await.ok();
    assert_eq!(trades[0]["id"], 1);
    assert_eq!(trades[0]["quoteQty"], "25.00000000");
    assert_eq!(trades[0]["isBuyerMaker"], false);

    let ticker = json!({
        "symbol": "BTCUSDT", "bidPrice": "99.00000000", "bidQty": "1.00000000",
        "askPrice": "100.00000000", "askQty": "0.75000000",
    });
    let book_ticker = "/api/v3/ticker/bookTicker";
    assert_eq!(site.get(&format!("{book_ticker}?symbol=BTCUSDT")).await.ok(), ticker);
    let all = site.get(book_ticker).await.ok();
    assert_eq!((&all[0], all.as_array().unwrap().len()), (&ticker, 2));
    let prices = site.get("/api/v3/ticker/price").await.ok();
    assert_eq!(prices[0], json!({"symbol": "BTCUSDT", "price": "100.00000000"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_paths_and_methods_are_errors_in_json() {
    let site = Site::new().await;
    site.get("/api/v3/nothing").await.is_error(
        404,
        -5000,
        "Path /api/v3/nothing, Method GET is invalid",
    );
    site.send("PUT", "/api/v3/time", &[], b"").await.is_error(
        405,
        -5000,
        "Path /api/v3/time, Method PUT is invalid",
    );
    for (path, code) in [
        ("/api/v3/depth", -1102),
        ("/api/v3/depth?symbol=NONE", -1121),
        ("/api/v3/depth?symbol=btcusdt", -1100),
        ("/api/v3/depth?symbol=BTCUSDT&limit=0", -1130),
        ("/api/v3/depth?symbol=BTCUSDT&odd=1", -1104),
        ("/api/v3/depth?symbol=BTCUSDT&symbol=BTCUSDT", -1101),
        ("/api/v3/trades?symbol=%FF", -1100),
    ] {
        let reply = site.get(path).await;
        assert_eq!((reply.status, reply.json()["code"].as_i64()), (400, Some(code)), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_about_what_the_venue_has_not_have_an_answer() {
    let site = Site::new().await;
    let rules = site.get("/api/v3/executionRules").await.ok();
    assert_eq!(
        rules,
        json!({"symbolRules": [
            {"symbol": "BTCUSDT", "rules": []}, {"symbol": "ETHUSDT", "rules": []},
        ]})
    );
    let one = site.get("/api/v3/executionRules?symbol=ETHUSDT").await.ok();
    assert_eq!(one, json!({"symbolRules": [{"symbol": "ETHUSDT", "rules": []}]}));
    for path in ["referencePrice", "referencePrice/calculation"] {
        let reply = site.get(&format!("/api/v3/{path}?symbol=BTCUSDT")).await;
        reply.is_error(400, -2043, "This symbol doesn't have a reference price.");
    }
    let blocks = site.get("/api/v3/historicalBlockTrades?symbol=BTCUSDT&fromId=0").await.ok();
    assert_eq!(blocks, json!([]));
    let mine = site.signed(&site.taker, "GET", "/api/v3/myAllocations", "symbol=BTCUSDT").await;
    assert_eq!(mine.ok(), json!([]));

    let mine = site.signed(&site.taker, "GET", "/api/v3/myFilters", "symbol=ETHUSDT").await.ok();
    let info = site.get("/api/v3/exchangeInfo?symbol=ETHUSDT").await.ok();
    let filters = &info["symbols"][0]["filters"];
    let expected = json!({"exchangeFilters": [], "symbolFilters": filters, "assetFilters": []});
    assert_eq!(mine, expected);
}
