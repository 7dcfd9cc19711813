//! Trades on a demo over REST, the WebSocket API, OUCH and gRPC, by the same code.
//!
//! ```sh
//! buttonwood serve --demo --no-bots --ouch 127.0.0.1:9000 --grpc 127.0.0.1:9001
//! BUTTONWOOD_URL=http://127.0.0.1:8080 BUTTONWOOD_KEYS=buttonwood-data/demo.json \
//!   OUCH=127.0.0.1:9000 GRPC=127.0.0.1:9001 \
//!   cargo run --package client --features grpc --example ways
//! ```

use std::env::var;
use std::error::Error;

use client::{Access, Caller, Client, Credentials, Login, NewOrder, Reports, Side, Venue};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (url, keys) = (var("BUTTONWOOD_URL")?, var("BUTTONWOOD_KEYS")?);
    run(&url, &keys, &var("OUCH")?, &var("GRPC")?).await
}

/// The venue's test runs it, too.
pub(crate) async fn run(
    url: &str,
    keys: &str,
    ouch: &str,
    grpc: &str,
) -> Result<(), Box<dyn Error>> {
    let keys: Value = serde_json::from_slice(&std::fs::read(keys)?)?;
    let (alice, bob) = (&keys["accounts"][0], &keys["accounts"][1]);
    let client = Client::new(url, Some(credentials(alice)))?;
    let taker = Venue::rest(Client::new(url, Some(credentials(bob)))?);

    trade(&Venue::rest(client.clone()), &taker).await?;

    let (websocket, reports) = Venue::websocket(client.clone(), Some(1))?;
    trade(&websocket, &taker).await?;
    print(reports, "CANCELED").await;

    let (user, password) = (text(&alice["login"]["user"]), text(&alice["login"]["password"]));
    let login = Login::new(ouch, user, password);
    let (ouch, reports) = Venue::ouch(&client, login).await?;
    trade(&ouch, &taker).await?;
    print(reports, "U").await;

    let access = Access { address: grpc.to_owned(), caller: Caller::Key(credentials(alice)) };
    let (grpc, reports) = Venue::grpc(access, None);
    trade(&grpc, &taker).await?;
    print(reports, "Requested").await;
    Ok(())
}

/// A life of an order, over any way.
async fn trade(venue: &Venue, taker: &Venue) -> Result<(), Box<dyn Error>> {
    let order = NewOrder::limit("BTCUSDT", Side::Buy, "0.003", "50000");
    let entered = venue.enter(&order).await?;
    taker.enter(&NewOrder::market("BTCUSDT", Side::Sell, "0.001")).await?;
    // 0.003 in all, of which 0.001 is executed.
    let order = NewOrder::limit("BTCUSDT", Side::Buy, "0.003", "49000");
    let replaced = venue.replace(&entered.client_order_id, &order).await?;
    let open = venue.open_orders().await?;
    let canceled = venue.cancel("BTCUSDT", &replaced.client_order_id).await?;
    println!("{:?}: {} open, then {}", canceled.way, open.len(), canceled.status);
    println!("{:?}", venue.statistics());
    Ok(())
}

/// Prints reports up to a cancel for this reason.
async fn print(mut reports: Reports, end: &str) {
    let end = format!("Canceled {{ reason: {end:?} }}");
    while let Some(report) = reports.next().await {
        let kind = format!("{:?}", report.kind);
        println!("{} {} {kind}", report.sequence, report.client_order_id);
        if kind == end {
            return;
        }
    }
}

fn credentials(account: &Value) -> Credentials {
    Credentials { api_key: text(&account["api_key"]), secret_key: text(&account["secret_key"]) }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
