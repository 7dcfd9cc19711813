//! Requests that change something, and the one that only would.

use protocol::binance::reject;
use protocol::binance::request::{
    AmendOrderRequest, CancelAllRequest, CancelOrderRequest, NewOrderRequest, ReplaceOrderRequest,
    TestOrderRequest,
};
use protocol::binance::response::{
    AmendAnswer, CancelAnswer, Canceling, Empty, NewOrderAnswer, OrderFacts, OrderNames,
    ReplaceAnswer, TestOrderRates, encode, find_amended,
};
use protocol::signed::Params;
use types::{Command, Order, OrderAmended, OrderList, OrderListId};

use crate::binance::account::{account_fees, facts_of};
use crate::binance::call::{Answer, SignedCall};
use crate::binance::generate::generate;
use crate::binance::lists::names_of_ended;
use crate::binance::refusal::Refusal;
use crate::door::names::Names;
use crate::socket::http::{Reply, json};

/// `POST /api/v3/order`
pub(crate) async fn new_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = NewOrderRequest::parse(params, &markets, &mut generate)?;
    call.times.decoded();
    let market = request.market;
    let outcome = call.submit(Command::NewOrder(request.order)).await?;
    let answer = outcome.answer(market.instrument.id, |events| {
        NewOrderAnswer::new(&market, events, request.response_type, call.unit)
    })?;
    let answer = json(encode(&answer));
    call.times.answered(call.shared.door.handle.metrics(), outcome.woken);
    Ok(answer)
}

/// `POST /api/v3/order/test`: climbs the same ladder and changes nothing.
pub(crate) async fn test_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let TestOrderRequest { request, compute_commission_rates } =
        TestOrderRequest::parse(params, &markets, &mut generate)?;
    let account = call.signer.account;
    let check = call.shared.door.check_new_order(account, request.order);
    let refused = |reason| reject::api_error(reason, reject::Request::NewOrder);
    check.await?.map_err(refused)?;
    if !compute_commission_rates {
        return Ok(json(encode(&Empty {})));
    }
    let fees = account_fees(&call, vec![request.market.instrument.id]).await?;
    Ok(json(encode(&TestOrderRates::new(fees[0]))))
}

pub(crate) fn test_order_weight(params: &Params) -> u32 {
    if params.peek("computeCommissionRates") == Some("true") { 20 } else { 1 }
}

/// `DELETE /api/v3/order`
pub(crate) async fn cancel_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let CancelOrderRequest { market, cancel } =
        CancelOrderRequest::parse(params, &markets, &mut generate)?;
    let outcome = call.submit(Command::CancelOrder(cancel)).await?;
    let names = names_of_ended(&call, &outcome.events).await?;
    let instrument = market.instrument.id;
    let names = |order_id| names.of(instrument, order_id);
    let answer = outcome.answer(instrument, |events| {
        CancelAnswer::new(Canceling { market: &market, events, names: &names, unit: call.unit })
    })?;
    Ok(json(encode(&answer)))
}

/// `DELETE /api/v3/openOrders`
pub(crate) async fn cancel_all(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let CancelAllRequest { market, cancel } =
        CancelAllRequest::parse(params, &markets, &mut generate)?;
    let outcome = call.submit(Command::CancelAll(cancel)).await?;
    let names = names_of_ended(&call, &outcome.events).await?;
    let instrument = market.instrument.id;
    let names = |order_id| names.of(instrument, order_id);
    let answer = outcome.answer(instrument, |events| {
        CancelAnswer::all(Canceling { market: &market, events, names: &names, unit: call.unit })
    })?;
    Ok(json(encode(&answer)))
}

/// `POST /api/v3/order/cancelReplace`
pub(crate) async fn replace_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = ReplaceOrderRequest::parse(params, &markets, &mut generate)?;
    let market = request.market;
    let outcome = call.submit(Command::ReplaceOrder(request.replace)).await?;
    let names = names_of_ended(&call, &outcome.events).await?;
    let instrument = market.instrument.id;
    let names = |order_id| names.of(instrument, order_id);
    let ReplaceAnswer { status, body } = outcome.answer(instrument, |events| {
        let canceling = Canceling { market: &market, events, names: &names, unit: call.unit };
        ReplaceAnswer::new(canceling, request.response_type)
    })?;
    Ok(Reply { status, body })
}

/// `PUT /api/v3/order/amend/keepPriority`
pub(crate) async fn amend_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let AmendOrderRequest { market, amend } =
        AmendOrderRequest::parse(params, &markets, &mut generate)?;
    let outcome = call.submit(Command::AmendOrder(amend)).await?;
    let amended = find_amended(&outcome.events).map(|amended| amended.order);
    let in_list = amended.filter(|order| list_of(order) != OrderListId(0));
    let answer = match in_list {
        None => outcome.answer(market.instrument.id, |events| {
            let facts = |amended: &OrderAmended| OrderFacts::of(&amended.order);
            AmendAnswer::new(&market, events, facts, None, call.unit)
        }),
        Some(order) => {
            let (facts, list, names) = ask_list(&call, order).await?;
            let names: OrderNames<'_> = &|order_id| names.of(order.instrument, order_id);
            let list = list.as_ref().map(|list| (list, names));
            outcome.answer(market.instrument.id, |events| {
                AmendAnswer::new(&market, events, |_| facts, list, call.unit)
            })
        }
    };
    Ok(json(encode(&answer?)))
}

/// What the answer for an order of a list needs beside it.
async fn ask_list(
    call: &SignedCall,
    order: Order,
) -> Result<(OrderFacts, Option<OrderList>, Names), Refusal> {
    let asked = call.shared.door.list_of_order(order, list_of(&order));
    let (placed_ns, list, names) = asked.await.map_err(Refusal::by_engine)?;
    Ok((facts_of(&order, placed_ns), list, names))
}

fn list_of(order: &Order) -> OrderListId {
    order.terms.map_or(OrderListId(0), |terms| terms.order_list)
}
