//! Several orders or cancels in one signed request: our extension to the Binance API.

use futures_util::future::join_all;
use protocol::binance::request::{
    BatchCancelRequest, BatchOrdersRequest, CancelOrderRequest, NewOrderRequest,
};
use protocol::binance::response::{BatchAnswer, CancelAnswer, NewOrderAnswer};
use protocol::signed::ApiError;
use types::Command;

use crate::binance::call::{Answer, KeyedCall, Refusal};
use crate::binance::order_counts::{explain, is_limit};
use crate::binance::trading::cancel;

/// `POST /api/v3/batchOrders`: the orders reach the venue in the order of the request. Each is
/// accepted or refused by itself.
pub(crate) async fn new_orders(
    call: KeyedCall,
    BatchOrdersRequest { orders }: BatchOrdersRequest,
) -> Answer<BatchAnswer<NewOrderAnswer>> {
    let each = async |part, order: Result<NewOrderRequest, ApiError>| {
        let NewOrderRequest { market, order, response_type } = order?;
        let outcome = call.submit(Some(part), Command::NewOrder(order)).await?;
        outcome.answer(market.instrument.id, |events| {
            NewOrderAnswer::new(&market, events, response_type, call.unit)
        })
    };
    Ok(batch(&call, orders.into_iter().enumerate().map(|(part, order)| each(part, order))).await)
}

/// `POST /api/v3/batchCancel`
pub(crate) async fn cancel_orders(
    call: KeyedCall,
    BatchCancelRequest { cancels }: BatchCancelRequest,
) -> Answer<BatchAnswer<CancelAnswer>> {
    let each = async |part, request: Result<CancelOrderRequest, ApiError>| {
        let CancelOrderRequest { market, cancel: order } = request?;
        let command = Command::CancelOrder(order);
        cancel(&call, Some(part), &market, command, CancelAnswer::new).await
    };
    Ok(batch(&call, cancels.into_iter().enumerate().map(|(part, one)| each(part, one))).await)
}

/// Submits all parts before the venue executes the first, and answers once each has its answer.
async fn batch<T>(
    call: &KeyedCall,
    parts: impl Iterator<Item = impl Future<Output = Result<T, Refusal>>>,
) -> BatchAnswer<T> {
    let answers = call.shared.door.poll_together(join_all(parts)).await.into_iter();
    let mut answers: Vec<_> = answers.map(|answer| answer.map_err(Refusal::into_error)).collect();
    for answer in &mut answers {
        if let Err(error) = answer
            && is_limit(error)
        {
            *error = explain(&call.shared.door, call.signer.account, error.clone()).await;
        }
    }
    answers.into_iter().collect()
}
