//! gRPC on a venue whose disk can be stopped. `buttonwood/tests/cli/grpc.rs` has each call.

use std::time::Duration;

use client::Credentials;
use client::grpc::v1::trading_client::TradingClient;
use client::grpc::{Channel, details_of, sign_call, v1};
use tonic::{Code, Request};

use crate::support::{Exposure, Site};

const PLACE: &str = "/buttonwood.v1.Trading/PlaceOrder";

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_that_passes_meanwhile_ends_the_wait_and_not_the_order() {
    let site = Site::exposed(Exposure { grpc: true, ..Exposure::default() }).await;
    let address = format!("unix:{}", site.grpc_socket().display());
    let mut trading = TradingClient::new(Channel::connect(&address).await.unwrap());
    let credentials = Credentials {
        api_key: site.maker.api_key.clone(),
        secret_key: site.maker.secret.as_str().to_owned(),
    };
    let request = || {
        let mut request = Request::new(v1::PlaceOrderRequest {
            symbol: "BTCUSDT".into(),
            side: v1::Side::Buy.into(),
            r#type: v1::OrderType::Limit.into(),
            quantity: "0.001".into(),
            price: "50000".into(),
            client_order_id: "once".into(),
            retry_key: "once".into(),
            ..Default::default()
        });
        sign_call(&mut request, PLACE, &credentials);
        request
    };
    site.hold.stop();
    let mut hurried = request();
    hurried.set_timeout(Duration::from_millis(50));
    let unknown = trading.place_order(hurried).await.unwrap_err();
    assert_eq!(unknown.code(), Code::DeadlineExceeded);
    assert_eq!(details_of(&unknown).unwrap().reason, "OUTCOME_UNKNOWN");
    site.hold.go_on();
    let repeated = trading.place_order(request()).await.unwrap().into_inner();
    assert!(repeated.repeated);
    assert_eq!(repeated.order.unwrap().client_order_id, "once");
}
