use serde_json::{Value, json};
use types::{
    Amount, AssetId, CancelWithdrawal, Command, ConfirmWithdrawal, Deposit, ExternalRef, KeyId,
    RequestWithdrawal, RevokeKey, Role, SetWithdrawalApprovals, Side,
};
use venue::{Credential, Verifier};

use crate::socket::{Socket, ask, connect, next, say, signed};
use crate::streams::{is_done, submit_order};
use crate::support::{Key, MAKER, Site, now_ms};

const API: &str = "/ws-api/v3?returnRateLimits=false";
const USER_STREAM: &str = "/api/v3/userDataStream";

/// A subscription to an account, from a number on if one is given.
pub(crate) async fn listen(site: &Site, key: &Key, from_seq: Option<u64>) -> Socket {
    let mut socket = connect(site, API).await;
    let params = from_seq.map_or(json!({}), |from_seq| json!({ "fromSeq": from_seq }));
    let method = "userDataStream.subscribe.signature";
    let answer = ask(&mut socket, 1, method, signed(key, params)).await;
    assert_eq!(answer["result"], json!({ "subscriptionId": 0 }), "{answer}");
    socket
}

/// The next numbered event.
pub(crate) async fn numbered(socket: &mut Socket) -> Value {
    loop {
        let mut message = next(socket).await;
        let event = message["event"].take();
        if event["seq"].is_u64() {
            return event;
        }
        assert_eq!(event["e"], "outboundAccountPosition", "{message} {event}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_gets_its_events() {
    let site = Site::new().await;
    let mut maker = listen(&site, &site.maker, None).await;
    let mut taker = listen(&site, &site.reader, None).await;
    site.order(&site.maker, "SELL", "1", "100").await;
    let new = next(&mut maker).await;
    assert_eq!((&new["subscriptionId"], &new["event"]["x"]), (&0.into(), &"NEW".into()));
    let position = next(&mut maker).await["event"].take();
    let btc = json!({ "a": "BTC", "f": "9999.00000000", "l": "1.00000000" });
    assert_eq!(position["B"][0], btc, "{position}");

    site.order(&site.taker, "BUY", "1", "100").await;
    let maker_trade = numbered(&mut maker).await;
    let (taker_new, taker_trade) = (numbered(&mut taker).await, numbered(&mut taker).await);
    assert_eq!((&maker_trade["x"], &maker_trade["m"]), (&"TRADE".into(), &true.into()));
    assert_eq!((&taker_trade["x"], &taker_trade["m"]), (&"TRADE".into(), &false.into()));
    assert_eq!((&taker_new["x"], &maker_trade["t"]), (&"NEW".into(), &taker_trade["t"]));
    assert_eq!(taker_trade["seq"].as_u64(), taker_new["seq"].as_u64().map(|seq| seq + 1));

    let deposit = Deposit {
        account: MAKER,
        asset: AssetId(1),
        amount: Amount::from_minor(150_000_000),
        external_ref: ExternalRef::parse("more").unwrap(),
    };
    site.operate(Command::Deposit(deposit)).await;
    let update = numbered(&mut maker).await;
    let found = (&update["e"], &update["a"], &update["d"]);
    assert_eq!(found, (&"balanceUpdate".into(), &"USDT".into(), &"1.50000000".into()));
    assert_eq!(update["seq"].as_u64(), maker_trade["seq"].as_u64().map(|seq| seq + 1));
}

/// A pending withdrawal is locked, and is published as a change when it leaves.
#[tokio::test(flavor = "multi_thread")]
async fn an_account_gets_its_withdrawals() {
    let site = Site::new().await;
    let mut socket = listen(&site, &site.maker, None).await;
    let approvals = SetWithdrawalApprovals { approvals: 0 };
    site.operate(Command::SetWithdrawalApprovals(approvals)).await;
    let (account, asset) = (MAKER, AssetId(1));
    let amount = Amount::from_minor(150_000_000);
    let reference = |text: &str| ExternalRef::parse(text).unwrap();
    let request = |text: &str| {
        let external_ref = reference(text);
        let request = RequestWithdrawal { account, asset, amount, external_ref };
        site.operate(Command::RequestWithdrawal(request))
    };
    let locked = async |socket: &mut Socket| {
        let position = next(socket).await["event"].take();
        assert_eq!(position["e"], "outboundAccountPosition", "{position}");
        assert_eq!(
            (&position["B"][0]["a"], position["B"].as_array().map(Vec::len)),
            (&"USDT".into(), Some(1))
        );
        position["B"][0]["l"].clone()
    };
    for (text, sum) in [("stays", "1.50000000"), ("leaves", "3.00000000")] {
        request(text).await;
        let notice = numbered(&mut socket).await;
        assert_eq!(
            (&notice["e"], &notice["k"]),
            (&"accountNotice".into(), &"WithdrawalRequested".into())
        );
        assert_eq!(locked(&mut socket).await, sum);
    }
    let reply = site.signed(&site.maker, "GET", "/api/v3/account", "").await.ok();
    let balances = reply["balances"].as_array().unwrap().clone();
    let usdt = balances.iter().find(|balance| balance["asset"] == "USDT").unwrap();
    assert_eq!(usdt["locked"], "3.00000000");

    let external_ref = reference("stays");
    site.operate(Command::CancelWithdrawal(CancelWithdrawal { account, external_ref })).await;
    assert_eq!(numbered(&mut socket).await["k"], "WithdrawalCanceled");
    assert_eq!(locked(&mut socket).await, "1.50000000");
    let external_ref = reference("leaves");
    site.operate(Command::ConfirmWithdrawal(ConfirmWithdrawal { account, external_ref })).await;
    let update = numbered(&mut socket).await;
    let found = (&update["e"], &update["a"], &update["d"]);
    assert_eq!(found, (&"balanceUpdate".into(), &"USDT".into(), &"-1.50000000".into()));
    assert_eq!(locked(&mut socket).await, "0.00000000");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_returning_client_gets_all_that_it_missed_and_nothing_twice() {
    let site = Site::new().await;
    let order = async |lots| {
        is_done(submit_order(&site, MAKER, Side::Buy, lots, 1_000_000)).await;
    };
    let mut socket = listen(&site, &site.maker, None).await;
    order(100).await;
    let seen = numbered(&mut socket).await["seq"].as_u64().unwrap();
    drop(socket);
    for lots in 101..=1_300 {
        order(lots).await;
    }
    let mut expect = seen + 1;
    // The client reconnects while orders continue.
    let going_on = async {
        for lots in 1_301..=1_800 {
            order(lots).await;
        }
    };
    let reading = async {
        let mut socket = listen(&site, &site.maker, Some(seen + 1)).await;
        while expect <= seen + 1_700 {
            let event = numbered(&mut socket).await;
            assert_eq!(event["seq"], expect);
            assert_eq!(event["q"], format!("0.{:05}000", 100 + expect - seen), "{event}");
            expect += 1;
        }
    };
    tokio::join!(going_on, reading);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_has_logged_on_subscribes_once() {
    let site = Site::new().await;
    let mut socket = connect(&site, API).await;
    let early = ask(&mut socket, 1, "userDataStream.subscribe", json!({})).await;
    assert_eq!(early["status"], 401, "{early}");
    ask(&mut socket, 2, "session.logon", signed(&site.maker, json!({}))).await;
    let begun = ask(&mut socket, 3, "userDataStream.subscribe", json!({})).await;
    assert_eq!(begun["result"]["subscriptionId"], 0);
    let again = ask(&mut socket, 4, "userDataStream.subscribe", json!({})).await;
    assert_eq!(again["error"]["code"], -2035);
    let method = "userDataStream.subscribe.signature";
    let same = ask(&mut socket, 4, method, signed(&site.maker, json!({}))).await;
    let error = json!({ "code": -2035, "msg": "User Data Stream subscription already active." });
    assert_eq!(same["error"], error);
    let other = ask(&mut socket, 5, method, signed(&site.taker, json!({}))).await;
    assert_eq!(other["result"]["subscriptionId"], 1);
    let listed = ask(&mut socket, 6, "session.subscriptions", json!({})).await;
    assert_eq!(listed["result"], json!([{ "subscriptionId": 0 }, { "subscriptionId": 1 }]));
    let out = ask(&mut socket, 7, "session.logout", json!({})).await;
    assert_eq!(out["result"]["userDataStream"], true, "the other one goes on");
    let ended = next(&mut socket).await;
    assert_eq!(
        (&ended["subscriptionId"], &ended["event"]["e"]),
        (&0.into(), &"eventStreamTerminated".into())
    );
    site.order(&site.maker, "BUY", "1", "100").await;
    site.order(&site.taker, "BUY", "1", "100").await;
    assert_eq!(next(&mut socket).await["subscriptionId"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_streams_of_a_revoked_key_end() {
    let site = Site::new().await;
    let mut socket = listen(&site, &site.maker, None).await;
    site.operate(Command::RevokeKey(RevokeKey { key: KeyId(1) })).await;
    assert_eq!(numbered(&mut socket).await["k"], "KeyRevoked");
    assert_eq!(next(&mut socket).await["event"]["e"], "eventStreamTerminated");
    // The account has no stream on the connection any more, so another key begins one.
    let key = site.key(MAKER, Role::ReadOnly, "another").await;
    let method = "userDataStream.subscribe.signature";
    let begun = ask(&mut socket, 7, method, signed(&key, json!({}))).await;
    assert_eq!(begun["status"], 200, "{begun}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listen_key_opens_nothing_once_its_key_is_revoked() {
    let site = Site::new().await;
    let begun = site.send("POST", USER_STREAM, &[("X-MBX-APIKEY", "makerkey")], b"").await.ok();
    let target = format!("/ws/{}", begun["listenKey"].as_str().unwrap());
    let mut open = connect(&site, &target).await;
    site.operate(Command::RevokeKey(RevokeKey { key: KeyId(1) })).await;
    assert_eq!(next(&mut open).await["k"], "KeyRevoked");
    assert_eq!(next(&mut open).await["e"], "eventStreamTerminated");
    let mut late = connect(&site, &target).await;
    is_done(submit_order(&site, MAKER, Side::Buy, 100_000, 10_000)).await;
    // No event came before this answer, which was requested after the order.
    let listed = say(&mut late, r#"{"method":"LIST_SUBSCRIPTIONS","id":1}"#).await;
    assert_eq!(listed, json!({ "result": [], "id": 1 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_streams_of_a_key_that_expires_end() {
    let site = Site::new().await;
    let expires_ns = Some((now_ms() + 1_000) * 1_000_000);
    let verifier = Verifier::Hmac(site.maker.secret.clone());
    let credential = Credential { expires_ns, ..Credential::new(verifier) };
    site.add_key(MAKER, Role::ReadOnly, "expiring", credential).await;
    let key = Key { api_key: "expiring".to_owned(), secret: site.maker.secret.clone() };
    let mut expiring = listen(&site, &key, None).await;
    let mut staying = listen(&site, &site.maker, None).await;
    assert_eq!(next(&mut expiring).await["event"]["e"], "eventStreamTerminated");
    site.order(&site.maker, "BUY", "1", "100").await;
    assert_eq!(numbered(&mut staying).await["x"], "NEW");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listen_key_is_a_stream_of_its_own() {
    let site = Site::new().await;
    let header = [("X-MBX-APIKEY", "makerkey")];
    let begun = site.send("POST", USER_STREAM, &header, b"").await.ok();
    let listen_key = begun["listenKey"].as_str().unwrap();
    let again = site.send("POST", USER_STREAM, &header, b"").await.ok();
    assert_eq!((again["listenKey"].as_str(), listen_key.len()), (Some(listen_key), 60));
    let mut raw = connect(&site, &format!("/ws/{listen_key}")).await;
    let mut combined = connect(&site, &format!("/stream?streams={listen_key}")).await;
    site.order(&site.maker, "BUY", "1", "100").await;
    assert_eq!(next(&mut raw).await["x"], "NEW");
    let wrapped = next(&mut combined).await;
    assert_eq!((&wrapped["stream"], &wrapped["data"]["x"]), (&listen_key.into(), &"NEW".into()));

    let with_key = format!("{USER_STREAM}?listenKey={listen_key}");
    assert_eq!(site.send("PUT", &with_key, &header, b"").await.ok(), json!({}));
    let of_other = [("X-MBX-APIKEY", "takerkey")];
    let msg = "This listenKey does not exist.";
    site.send("PUT", &with_key, &of_other, b"").await.is_error(400, -1125, msg);
    site.send("DELETE", &with_key, &of_other, b"").await.is_error(400, -1125, msg);
    assert_eq!(site.send("DELETE", &with_key, &header, b"").await.ok(), json!({}));
    site.send("PUT", &with_key, &header, b"").await.is_error(400, -1125, msg);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_published_with_its_orders_also_after_a_restart() {
    let site = Site::new().await;
    let mut socket = listen(&site, &site.maker, None).await;
    let oto = "symbol=BTCUSDT&workingType=LIMIT&workingSide=BUY&workingQuantity=1&workingPrice=100\
               &workingTimeInForce=GTC&workingClientOrderId=first&pendingType=LIMIT\
               &pendingSide=SELL&pendingQuantity=1&pendingPrice=200&pendingTimeInForce=GTC\
               &pendingClientOrderId=second&listClientOrderId=both";
    site.signed(&site.maker, "POST", "/api/v3/orderList/oto", oto).await.ok();
    let list = numbered(&mut socket).await;
    let names = |event: &Value| [0, 1].map(|at| event["O"][at]["c"].as_str().map(str::to_owned));
    let both = [Some("first".to_owned()), Some("second".to_owned())];
    assert_eq!((&list["e"], names(&list)), (&"listStatus".into(), both.clone()));
    let (first, second) = (numbered(&mut socket).await, numbered(&mut socket).await);
    assert_eq!((&first["X"], &second["X"]), (&"NEW".into(), &"PENDING_NEW".into()));
    let seen = second["seq"].as_u64().unwrap();

    let site = site.restarted().await;
    let mut socket = listen(&site, &site.maker, Some(seen + 1)).await;
    site.signed(&site.maker, "DELETE", "/api/v3/orderList", "symbol=BTCUSDT&orderListId=100000")
        .await
        .ok();
    let (first, second) = (numbered(&mut socket).await, numbered(&mut socket).await);
    assert_eq!((&first["x"], &second["x"]), (&"CANCELED".into(), &"CANCELED".into()));
    let done = numbered(&mut socket).await;
    assert_eq!((&done["l"], names(&done)), (&"ALL_DONE".into(), both));
    assert_eq!(done["g"], 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listen_key_is_subscribed_to_like_a_stream() {
    let site = Site::new().await;
    let begun = site.send("POST", USER_STREAM, &[("X-MBX-APIKEY", "makerkey")], b"").await.ok();
    let listen_key = begun["listenKey"].as_str().unwrap();
    let mut socket = connect(&site, "/ws").await;
    let control = |method| json!({ "method": method, "params": [listen_key], "id": 1 });
    for _ in 0..2 {
        assert_eq!(
            say(&mut socket, control("SUBSCRIBE")).await,
            json!({ "result": null, "id": 1 })
        );
    }
    let list = json!({ "method": "LIST_SUBSCRIPTIONS", "id": 2 });
    let listed = json!({ "result": [listen_key], "id": 2 });
    assert_eq!(say(&mut socket, &list).await, listed);
    site.order(&site.maker, "BUY", "1", "100").await;
    assert_eq!(next(&mut socket).await["x"], "NEW");
    assert_eq!(next(&mut socket).await["e"], "outboundAccountPosition");

    assert_eq!(say(&mut socket, control("UNSUBSCRIBE")).await, json!({ "result": null, "id": 1 }));
    site.order(&site.maker, "BUY", "1", "100").await;
    assert_eq!(say(&mut socket, &list).await, json!({ "result": [], "id": 2 }));
    let unknown = say(&mut socket, control("UNSUBSCRIBE")).await;
    assert_eq!(unknown["msg"], format!("Invalid request: unknown stream {listen_key}"));
}
