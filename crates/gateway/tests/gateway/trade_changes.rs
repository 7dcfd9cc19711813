//! Busted and corrected trades, as the accounts on both sides see them.

use serde_json::{Value, json};
use types::{AssetId, BustTrade, Command, CorrectTrade, Price, SetWithdrawalApprovals, TradeId};

use crate::history::trade;
use crate::socket::{Socket, ask, connect, signed};
use crate::support::{BTCUSDT, Key, MAKER, Site, TAKER};
use crate::user_data::{listen, numbered};

fn bust(trade_id: u64) -> Command {
    let (instrument, buyer, seller) = (BTCUSDT, TAKER, MAKER);
    Command::BustTrade(BustTrade { instrument, trade_id: TradeId(trade_id), buyer, seller })
}

fn correct(trade_id: u64, price: i64) -> Command {
    Command::CorrectTrade(CorrectTrade {
        instrument: BTCUSDT,
        trade_id: TradeId(trade_id),
        buyer: TAKER,
        seller: MAKER,
        price: Price::from_ticks(price),
    })
}

async fn my_trade(site: &Site, key: &Key, id: u64) -> Value {
    let query = format!("symbol=BTCUSDT&fromId={id}&limit=1");
    site.signed(key, "GET", "/api/v3/myTrades", &query).await.ok()[0].take()
}

/// The numbered events up to the last `balanceUpdate` of a change.
async fn events(socket: &mut Socket, count: usize) -> Vec<Value> {
    let mut events = Vec::new();
    for _ in 0..count {
        events.push(numbered(socket).await);
    }
    events
}

fn of<'a>(events: &'a [Value], field: &str) -> Vec<&'a Value> {
    events.iter().map(|event| &event[field]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sides_see_a_bust_and_a_correction_by_the_trade() {
    let site = Site::new().await;
    trade(&site).await;
    let mut maker = listen(&site, &site.maker, None).await;
    let mut taker = listen(&site, &site.reader, None).await;
    let before = my_trade(&site, &site.taker, 1).await;
    assert_eq!(before["isBusted"], false, "{before}");
    assert!(before.get("bustTime").is_none() && before.get("origPrice").is_none(), "{before}");

    site.operate(correct(1, 2_400_000)).await;
    let seen = events(&mut taker, 2).await;
    let (change, update) = (&seen[0], &seen[1]);
    let found = (&change["e"], &change["s"], &change["t"], &change["S"], &change["L"]);
    let expect = json!(["tradeCorrected", "BTCUSDT", 1, "BUY", "24000.00000000"]);
    assert_eq!(json!([found.0, found.1, found.2, found.3, found.4]), expect);
    assert_eq!((&change["op"], &change["Y"]), (&"25000.00000000".into(), &"24000.00000000".into()));
    let moved = (&update["e"], &update["a"], &update["d"]);
    assert_eq!(moved, (&"balanceUpdate".into(), &"USDT".into(), &"1000.00000000".into()));
    let trade = my_trade(&site, &site.taker, 1).await;
    assert_eq!((&trade["price"], &trade["origPrice"]), (&change["L"], &change["op"]), "{trade}");
    assert_eq!((&trade["quoteQty"], &trade["correctionTime"]), (&change["Y"], &change["T"]));

    site.operate(bust(1)).await;
    let seen = events(&mut taker, 3).await;
    assert_eq!(of(&seen, "e"), ["tradeBusted", "balanceUpdate", "balanceUpdate"]);
    assert_eq!((&seen[0]["t"], &seen[0]["S"]), (&1.into(), &"BUY".into()));
    assert_eq!(of(&seen[1..], "a"), ["BTC", "USDT"]);
    assert_eq!(of(&seen[1..], "d"), ["-0.99800000", "24000.00000000"], "the fee came back");
    let trade = my_trade(&site, &site.taker, 1).await;
    let marked = (&trade["isBusted"], &trade["bustTime"], &trade["price"]);
    assert_eq!(marked, (&true.into(), &seen[0]["T"], &"24000.00000000".into()), "{trade}");
    let of_maker = events(&mut maker, 5).await;
    assert_eq!((&of_maker[0]["S"], &of_maker[2]["t"]), (&"SELL".into(), &1.into()));
    assert_eq!(my_trade(&site, &site.maker, 1).await["isBusted"], true);

    let public = site.get("/api/v3/historicalTrades?symbol=BTCUSDT&fromId=1&limit=1").await.ok();
    assert_eq!((&public[0]["id"], &public[0]["price"]), (&1.into(), &"25000.00000000".into()));
}

/// A client that drops numbers it has seen, and one that resumes between the two assets.
#[tokio::test(flavor = "multi_thread")]
async fn each_event_of_a_change_has_a_number_of_its_own() {
    let site = Site::new().await;
    trade(&site).await;
    let mut live = listen(&site, &site.taker, None).await;
    // At the same price nothing moves.
    site.operate(correct(2, 2_500_000)).await;
    site.operate(bust(1)).await;
    let seen = events(&mut live, 4).await;
    let names = ["tradeCorrected", "tradeBusted", "balanceUpdate", "balanceUpdate"];
    assert_eq!(of(&seen, "e"), names);
    assert!(of(&seen, "d").iter().all(|d| **d != "0.00000000"), "{seen:?}");
    let first = seen[0]["seq"].as_u64().unwrap();
    assert_eq!(of(&seen, "seq"), [first, first + 1, first + 2, first + 3]);
    let mut late = listen(&site, &site.taker, Some(first + 3)).await;
    assert_eq!(numbered(&mut late).await, seen[3]);
    let site = site.restarted().await;
    let mut later = listen(&site, &site.taker, Some(first + 1)).await;
    assert_eq!(events(&mut later, 3).await, seen[1..]);
    assert_eq!(my_trade(&site, &site.taker, 1).await["isBusted"], true);
}

/// The buyer has spent what it bought: it pays a part at once, and the rest when it can.
#[tokio::test(flavor = "multi_thread")]
async fn updates_add_up_to_the_balance_when_a_side_pays_later() {
    let site = Site::new().await;
    trade(&site).await;
    let taker = TAKER;
    let free =
        async || site.ask(move |engine| engine.balance(taker, AssetId(0)).free.minor()).await;
    let all = types::Amount::from_minor(free().await - 40_000_000);
    let external_ref = types::ExternalRef::parse("spent").unwrap();
    let (account, asset) = (TAKER, AssetId(0));
    let mut socket = listen(&site, &site.taker, None).await;
    let spend = types::Withdraw { account, asset, amount: all, external_ref };
    let approvals = SetWithdrawalApprovals { approvals: 0 };
    site.operate(Command::SetWithdrawalApprovals(approvals)).await;
    site.operate(Command::Withdraw(spend)).await;
    let before = 40_000_000;
    site.operate(bust(1)).await;
    site.operate(testing::deposit(TAKER, asset, types::Amount::from_minor(100_000_000), "more"))
        .await;
    let mut sum = 0;
    for event in events(&mut socket, 6).await {
        if (&event["e"], &event["a"]) == (&"balanceUpdate".into(), &"BTC".into()) {
            let digits: String = event["d"].as_str().unwrap().replace('.', "");
            let moved: i128 = digits.parse().unwrap();
            sum += moved;
        }
    }
    assert_eq!(sum + all.minor(), free().await - before, "withdrawal, bust, deposit, and debt");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_beyond_the_next_event_is_refused_with_a_sentence() {
    let site = Site::new().await;
    let mut socket = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    let last = site.ask(|engine| engine.account_seq(TAKER).unwrap()).await;
    let method = "userDataStream.subscribe.signature";
    let from = |seq: u64| signed(&site.taker, json!({ "fromSeq": seq }));
    let refused = ask(&mut socket, 1, method, from(last + 2)).await;
    assert_eq!(refused["error"]["code"], -1130, "{refused}");
    let sentence = refused["error"]["msg"].as_str().unwrap();
    assert!(sentence.contains(&format!("has number {last}")), "{sentence}");
    assert!(sentence.contains("restored from a backup"), "{sentence}");
    let begun = ask(&mut socket, 2, method, from(last + 1)).await;
    assert_eq!(begun["result"], json!({ "subscriptionId": 0 }), "{begun}");
    site.order(&site.taker, "BUY", "1", "100").await;
    assert_eq!(numbered(&mut socket).await["seq"], last + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_to_new_events_has_the_number_of_the_first() {
    let site = Site::new().await;
    site.order(&site.taker, "BUY", "1", "100").await;
    let last = site.ask(|engine| engine.account_seq(TAKER).unwrap()).await;
    let mut socket = connect(&site, "/ws-api/v3?returnRateLimits=false").await;
    let method = "userDataStream.subscribe.signature";
    let new = signed(&site.taker, json!({ "fromSeq": 0 }));
    let begun = ask(&mut socket, 1, method, new).await;
    assert_eq!(begun["result"], json!({ "subscriptionId": 0, "fromSeq": last + 1 }), "{begun}");
    site.order(&site.taker, "BUY", "1", "90").await;
    assert_eq!(numbered(&mut socket).await["seq"], last + 1);
}
