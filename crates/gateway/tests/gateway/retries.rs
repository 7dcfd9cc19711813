use serde_json::Value;

use crate::support::Site;

const PATH: &str = "/api/v3/order";
const LIMIT: &str = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=100";

async fn post(site: &Site, text: &str, key: &str) -> (u16, Value) {
    let header = [("Idempotency-Key", key)];
    let reply = site.signed_with(&site.maker, "POST", PATH, text, &header).await;
    (reply.status, reply.json())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_gets_the_first_answer_and_happens_once() {
    let site = Site::new().await;
    site.order(&site.taker, "SELL", "0.4", "100").await;
    let first = post(&site, LIMIT, "one").await;
    assert_eq!((first.0, &first.1["fills"][0]["qty"]), (200, &"0.40000000".into()));
    let poor = LIMIT.replace("BUY", "SELL").replace("BTCUSDT", "ETHUSDT");
    let refused = post(&site, &poor, "two").await;
    assert_eq!(refused.1["code"], -2010);
    let fingerprint = site.fingerprint().await;
    assert_eq!(post(&site, LIMIT, "one").await, first);
    assert_eq!(post(&site, &poor, "two").await, refused);
    assert_eq!(site.fingerprint().await, fingerprint);

    // The same key of another account is a different key.
    let header = [("Idempotency-Key", "one")];
    let other = site.signed_with(&site.taker, "POST", PATH, LIMIT, &header).await.ok();
    assert_eq!(other["orderId"], 3);

    let site = site.restarted().await;
    assert_eq!(post(&site, LIMIT, "one").await, first);
    assert_eq!(post(&site, &poor, "two").await, refused);
    let cancel = "symbol=BTCUSDT&orderId=2";
    let header = [("Idempotency-Key", "three")];
    let first = site.signed_with(&site.maker, "DELETE", PATH, cancel, &header).await;
    let again = site.signed_with(&site.maker, "DELETE", PATH, cancel, &header).await;
    assert_eq!((first.ok(), first.body), (again.ok(), again.body));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_was_used_for_something_else_is_refused() {
    let site = Site::new().await;
    let header = [("Idempotency-Key", "one")];
    assert_eq!(post(&site, LIMIT, "one").await.0, 200);
    let fingerprint = site.fingerprint().await;
    let text = "symbol=BTCUSDT&orderId=1";
    let cancel = site.signed_with(&site.maker, "DELETE", PATH, text, &header).await;
    let msg = "This Idempotency-Key was used for another request before.";
    cancel.is_error(400, -1130, msg);
    let elsewhere = LIMIT.replace("BTCUSDT", "ETHUSDT");
    site.signed_with(&site.maker, "POST", PATH, &elsewhere, &header)
        .await
        .is_error(400, -1130, msg);
    assert_eq!(site.fingerprint().await, fingerprint);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_1_to_64_printable_characters() {
    let site = Site::new().await;
    let state = site.state().await;
    for key in ["", &"x".repeat(65), "\u{e4}"] {
        let (status, body) = post(&site, LIMIT, key).await;
        assert_eq!((status, body["code"].as_i64()), (400, Some(-1100)), "{key:?}");
    }
    assert!(site.state().await == state);
    assert_eq!(post(&site, LIMIT, &"~".repeat(64)).await.0, 200);
}
