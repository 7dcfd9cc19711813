//! Several orders or cancels in one signed request: our extension.

use futures_util::future::join_all;
use protocol::binance::request::{
    BatchCancelRequest, BatchOrdersRequest, CancelOrderRequest, NewOrderRequest,
};
use protocol::binance::response::{BatchAnswer, CancelAnswer, Canceling, NewOrderAnswer, encode};
use protocol::signed::ApiError;
use types::Command;

use crate::binance::call::{Answer, SignedCall};
use crate::binance::generate::generate;
use crate::binance::lists::names_of_ended;
use crate::binance::refusal::Refusal;
use crate::socket::http::json;

/// `POST /api/v3/batchOrders`: they reach the venue one behind the other, as they were sent, and
/// each is taken on or refused by itself.
pub(crate) async fn new_orders(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let BatchOrdersRequest { orders } = BatchOrdersRequest::parse(params, &markets, &mut generate)?;
    let answers = orders.into_iter().enumerate().map(|(part, order)| new_order(&call, part, order));
    let answers = call.shared.door.together(join_all(answers)).await.into_iter();
    let answers = answers.map(|answer| answer.map_err(Refusal::into_error));
    Ok(json(encode(&BatchAnswer::from_iter(answers))))
}

async fn new_order(
    call: &SignedCall,
    part: usize,
    request: Result<NewOrderRequest, ApiError>,
) -> Result<NewOrderAnswer, Refusal> {
    let NewOrderRequest { market, order, response_type } = request?;
    let outcome = call.submit_part(part, Command::NewOrder(order)).await?;
    outcome.answer(market.instrument.id, |events| {
        NewOrderAnswer::new(&market, events, response_type, call.unit)
    })
}

/// `POST /api/v3/batchCancel`
pub(crate) async fn cancel_orders(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let BatchCancelRequest { cancels } =
        BatchCancelRequest::parse(params, &markets, &mut generate)?;
    let answers =
        cancels.into_iter().enumerate().map(|(part, cancel)| cancel_order(&call, part, cancel));
    let answers = call.shared.door.together(join_all(answers)).await.into_iter();
    let answers = answers.map(|answer| answer.map_err(Refusal::into_error));
    Ok(json(encode(&BatchAnswer::from_iter(answers))))
}

async fn cancel_order(
    call: &SignedCall,
    part: usize,
    request: Result<CancelOrderRequest, ApiError>,
) -> Result<CancelAnswer, Refusal> {
    let CancelOrderRequest { market, cancel } = request?;
    let outcome = call.submit_part(part, Command::CancelOrder(cancel)).await?;
    let names = names_of_ended(call, &outcome.events).await?;
    let instrument = market.instrument.id;
    let names = |order_id| names.of(instrument, order_id);
    outcome.answer(instrument, |events| {
        CancelAnswer::new(Canceling { market: &market, events, names: &names, unit: call.unit })
    })
}
