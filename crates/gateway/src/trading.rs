//! Requests that change something, and the one that only would.

use protocol::binance::request::{
    AmendOrderRequest, CancelAllRequest, CancelOrderRequest, NewOrderRequest, ReplaceOrderRequest,
    TestOrderRequest,
};
use protocol::binance::response::{
    AmendAnswer, CancelAnswer, Empty, NewOrderAnswer, ReplaceAnswer, TestOrderRates, encode,
};
use protocol::binance::{ApiError, Params, reject};
use types::Command;

use crate::ask::ask_engine;
use crate::call::{Answer, Reply, SignedCall, generate, json};

/// `POST /api/v3/order`
pub(crate) async fn new_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let request = NewOrderRequest::parse(params, &markets, &mut generate)?;
    let market = request.market;
    let outcome = call.submit(Command::NewOrder(request.order)).await?;
    let answer = outcome.answer(market.instrument.id, |events| {
        NewOrderAnswer::new(&market, events, request.response_type, call.unit)
    })?;
    Ok(json(encode(&answer)))
}

/// `POST /api/v3/order/test`: climbs the same ladder and changes nothing.
pub(crate) async fn test_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let TestOrderRequest { request, compute_commission_rates } =
        TestOrderRequest::parse(params, &markets, &mut generate)?;
    let account = call.signer.account;
    let check =
        ask_engine(&call.shared, move |engine| engine.check_new_order(account, &request.order));
    let refused = |reason| reject::api_error(reason, reject::Request::NewOrder);
    check.await?.map_err(refused)?;
    if !compute_commission_rates {
        return Ok(json(encode(&Empty {})));
    }
    let own = call.shared.known.directory().own_fees(account);
    let fees = own.unwrap_or(request.market.instrument.spec.fees);
    Ok(json(encode(&TestOrderRates::new(fees))))
}

pub(crate) fn test_order_weight(params: &Params) -> u32 {
    if params.peek("computeCommissionRates") == Some("true") { 20 } else { 1 }
}

/// `DELETE /api/v3/order`
pub(crate) async fn cancel_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let CancelOrderRequest { market, cancel } =
        CancelOrderRequest::parse(params, &markets, &mut generate)?;
    let outcome = call.submit(Command::CancelOrder(cancel)).await?;
    let answer = outcome
        .answer(market.instrument.id, |events| CancelAnswer::new(&market, events, call.unit))?;
    Ok(json(encode(&answer)))
}

/// `DELETE /api/v3/openOrders`
pub(crate) async fn cancel_all(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let CancelAllRequest { market, cancel } =
        CancelAllRequest::parse(params, &markets, &mut generate)?;
    let outcome = call.submit(Command::CancelAll(cancel)).await?;
    let answer = outcome
        .answer(market.instrument.id, |events| CancelAnswer::all(&market, events, call.unit))?;
    Ok(json(encode(&answer)))
}

/// `POST /api/v3/order/cancelReplace`
pub(crate) async fn replace_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let request = ReplaceOrderRequest::parse(params, &markets, &mut generate)?;
    let market = request.market;
    let outcome = call.submit(Command::ReplaceOrder(request.replace)).await?;
    let ReplaceAnswer { status, body } = outcome.answer(market.instrument.id, |events| {
        ReplaceAnswer::new(&market, events, request.response_type, call.unit)
    })?;
    Ok(Reply { status, body })
}

/// `PUT /api/v3/order/amend/keepPriority`
pub(crate) async fn amend_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let AmendOrderRequest { market, amend } =
        AmendOrderRequest::parse(params, &markets, &mut generate)?;
    let outcome = call.submit(Command::AmendOrder(amend)).await?;
    let answer: Result<AmendAnswer, ApiError> =
        outcome.answer(market.instrument.id, |events| AmendAnswer::new(&market, events, call.unit));
    Ok(json(encode(&answer?)))
}
