//! README's table of what clients can send against the API, both ways.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::socket::{Socket, connect, say};
use crate::support::Site;

const PAGE: &str = include_str!("../../../../README.md");
const STREAMS: &str = include_str!("../../../../api/asyncapi.yaml");

/// The words of a row of the table, in code.
fn row(name: &str) -> BTreeSet<&'static str> {
    let table = PAGE.split("\n## What clients can send\n").nth(1).unwrap();
    let table = table.split("\n## ").next().unwrap();
    let head = format!("| {name} | ");
    let row = table.lines().find_map(|line| line.strip_prefix(&head));
    let row = row.unwrap_or_else(|| panic!("README has no row `{name}`"));
    row.split('`').skip(1).step_by(2).collect()
}

/// A word of a parameter, with the reply to an order that has it.
async fn try_word(site: &Site, name: &str, word: &str) -> (Value, Value) {
    let others = [("side", "BUY"), ("type", "LIMIT"), ("timeInForce", "GTC"), ("price", "100")];
    let others = others.iter().filter(|(other, _)| *other != name);
    let others: String = others.map(|(name, value)| format!("&{name}={value}")).collect();
    let text = format!("symbol=BTCUSDT&quantity=1{others}&{name}={word}");
    let reply = site.signed(&site.taker, "POST", "/api/v3/order/test", &text).await.json();
    (reply["code"].clone(), reply["msg"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_words_of_orders_are_those_of_the_readme() {
    let site = Site::new().await;
    let document = site.get("/openapi.json").await.json();
    let parameters = document["paths"]["/api/v3/order"]["post"]["parameters"].as_array().unwrap();
    for (name, parameter) in [
        ("Order types", "type"),
        ("Times in force", "timeInForce"),
        ("Pegs", "pegPriceType"),
        ("Self-trade prevention", "selfTradePreventionMode"),
    ] {
        let words = parameters.iter().find(|one| one["name"] == parameter).unwrap();
        let words = words["schema"]["enum"].as_array().unwrap().iter();
        let taken: BTreeSet<_> = words.map(|word| word.as_str().unwrap()).collect();
        let named = row(name);
        assert_eq!(named, taken, "{name}");
        let unknown = try_word(&site, parameter, "X").await;
        for word in named {
            assert_ne!(try_word(&site, parameter, word).await, unknown, "{name} {word}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terms_of_orders_are_those_of_the_readme() {
    /// Parameters of every order, and those that have a row of their own.
    const OTHERS: [&str; 15] = [
        "symbol",
        "side",
        "type",
        "timeInForce",
        "quantity",
        "price",
        "newClientOrderId",
        "strategyId",
        "strategyType",
        "newOrderRespType",
        "selfTradePreventionMode",
        "pegPriceType",
        "pegOffsetType",
        "pegOffsetValue",
        "recvWindow",
    ];
    let site = Site::new().await;
    let document = site.get("/openapi.json").await.json();
    let parameters = document["paths"]["/api/v3/order"]["post"]["parameters"].as_array().unwrap();
    let names = parameters.iter().map(|one| one["name"].as_str().unwrap());
    let taken: BTreeSet<_> = names.filter(|name| !OTHERS.contains(name)).collect();
    assert_eq!(row("Order terms"), taken);
}

#[test]
fn the_requests_of_order_entry_are_those_of_the_readme() {
    let entering = gateway::OPERATIONS.iter().filter(|one| one.method != "GET");
    let paths = entering.filter_map(|one| one.path.strip_prefix("/api/v3/"));
    let served: BTreeSet<_> = paths.filter(|path| *path != "userDataStream").collect();
    assert_eq!(row("Order entry"), served);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_streams_are_those_of_the_readme() {
    let addresses = STREAMS.lines().filter_map(|line| line.trim().strip_prefix("address: \""));
    let addresses = addresses.map(|text| text.trim_end_matches('"'));
    let described: BTreeSet<_> =
        addresses.map(|text| text.strip_prefix("{symbol}").unwrap_or(text)).collect();
    let named = row("Streams");
    assert_eq!(named, described);

    let site = Site::new().await;
    let mut socket = connect(&site, "/ws").await;
    for stream in named {
        let stream = stream.replace("{levels}", "5").replace("{interval}", "1m");
        let stream = stream.replace("{window}", "1h");
        let stream =
            if stream.starts_with('@') { format!("btcusdt{stream}") } else { stream.clone() };
        assert!(subscribes(&mut socket, &stream).await, "{stream}");
    }
    assert!(!subscribes(&mut socket, "btcusdt@blockTrade").await);
}

/// Whether the venue takes the subscription; what the stream sends is skipped.
async fn subscribes(socket: &mut Socket, stream: &str) -> bool {
    let subscribe = json!({"method": "SUBSCRIBE", "params": [stream], "id": 7});
    let mut reply = say(socket, subscribe).await;
    while reply.get("result").is_none() && reply.get("msg").is_none() {
        reply = crate::socket::next(socket).await;
    }
    reply.get("result").is_some()
}
