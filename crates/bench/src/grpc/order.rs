//! The orders of all clients.

use client::grpc::v1;

use crate::flow::SYMBOL;

/// Each buy rests, and the sell after it takes it.
const PRICE: &str = "50000";
const QUANTITY: &str = "0.01";

pub(super) fn order(number: u64) -> v1::PlaceOrderRequest {
    let side = if number % 2 == 1 { v1::Side::Buy } else { v1::Side::Sell };
    v1::PlaceOrderRequest {
        symbol: SYMBOL.to_owned(),
        side: side.into(),
        r#type: v1::OrderType::Limit.into(),
        quantity: QUANTITY.to_owned(),
        price: PRICE.to_owned(),
        ..Default::default()
    }
}
