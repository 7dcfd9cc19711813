//! Orders entered, canceled, replaced and amended; and the test order, which changes nothing.

use std::time::Instant;

use protocol::binance::reject;
use protocol::binance::request::{
    AmendOrderRequest, CancelAllRequest, CancelOrderRequest, NewOrderRequest, ReplaceOrderRequest,
    RoutedOrderRequest, TestOrderRequest, TestRoutedOrderRequest,
};
use protocol::binance::response::{
    AmendAnswer, CancelAnswer, Canceling, Empty, NewOrderAnswer, OrderFacts, OrderNames,
    ReplaceAnswer, RoutedOrderAnswer, TestOrderRates, encode, find_amended,
};
use protocol::signed::{ApiError, Params};
use types::{
    Command, Event, Market, OrderAmended, OrderList, OrderListId, Origin, RejectReason, Symbol,
};

use crate::binance::account::{account_fees, facts_of};
use crate::binance::call::{Answer, KeyedCall, Refusal};
use crate::binance::order_counts::explain;
use crate::binance::select::Either;
use crate::door::client_ids::ClientIds;
use crate::door::submit::CommandOutcome;
use crate::socket::connection::TracedOrder;
use crate::socket::http::{JsonReply, json};

/// `POST /api/v3/order`
pub(crate) async fn new_order(
    call: KeyedCall,
    NewOrderRequest { market, order, response_type }: NewOrderRequest,
) -> Answer {
    let outcome = call.submit(None, Command::NewOrder(order)).await?;
    let answer = outcome.answer(market.instrument.id, |events| {
        NewOrderAnswer::new(&market, events, response_type, call.unit)
    });
    let symbol = market.instrument.spec.symbol;
    let answer = match answer {
        Ok(answer) => json(encode(&answer)),
        Err(refusal) => {
            trace(&call, NEW_ORDER, symbol, &outcome, refusal.error().status, None);
            return Err(refusal);
        }
    };
    let now = call.times.answered(call.shared.door.handle.metrics(), outcome.woken_at);
    trace(&call, NEW_ORDER, symbol, &outcome, answer.status, Some(now));
    Ok(answer)
}

/// The name of an operation over REST, and over the WebSocket API.
pub(crate) type Names = [&'static str; 2];

const NEW_ORDER: Names = ["POST /api/v3/order", "order.place"];
const ROUTED_ORDER: Names = ["POST /api/v3/sor/order", "sor.order.place"];
const REPLACE_ORDER: Names = ["POST /api/v3/order/cancelReplace", "order.cancelReplace"];

/// [`trace`] for an operation of which no stage is measured.
pub(crate) fn traced<T>(
    call: &KeyedCall,
    names: Names,
    market: &Market,
    outcome: &CommandOutcome,
    answer: Answer<T>,
) -> Answer<T> {
    let status = answer.as_ref().map_or_else(|refusal| refusal.error().status, |_| 200);
    trace(call, names, market.instrument.spec.symbol, outcome, status, None);
    answer
}

/// Traces a request that enters an order, if it is sampled. `encoded` is when its answer was ready,
/// `None` where no stage of that is measured: then the clock is read for the trace alone.
fn trace(
    call: &KeyedCall,
    [rest, message]: Names,
    symbol: Symbol,
    outcome: &CommandOutcome,
    status: u16,
    encoded: Option<Instant>,
) {
    let (Some(traces), Some(times)) = (&call.shared.door.traces, outcome.times) else { return };
    if !traces.is_sampled(call.times.parent) {
        return;
    }
    let operation = if call.origin == Origin::WebSocket { message } else { rest };
    let order = TracedOrder { operation, symbol, way: call.origin, status };
    let encoded = encoded.unwrap_or_else(Instant::now);
    call.times.trace(traces, order, times, (outcome.woken_at, encoded));
}

/// `POST /api/v3/sor/order`: a new order; there is no other book to choose.
pub(crate) async fn routed_order(
    call: KeyedCall,
    RoutedOrderRequest(NewOrderRequest { market, order, response_type }): RoutedOrderRequest,
) -> Answer<RoutedOrderAnswer> {
    let outcome = call.submit(None, Command::NewOrder(order)).await?;
    let answer = outcome.answer(market.instrument.id, |events| {
        NewOrderAnswer::new(&market, events, response_type, call.unit).map(RoutedOrderAnswer::from)
    });
    traced(&call, ROUTED_ORDER, &market, &outcome, answer)
}

/// `POST /api/v3/sor/order/test`
pub(crate) async fn test_routed_order(
    call: KeyedCall,
    TestRoutedOrderRequest(request): TestRoutedOrderRequest,
) -> Answer<Either<TestOrderRates, Empty>> {
    test_order(call, request).await
}

/// `POST /api/v3/order/test`: runs the checks of a new order and changes nothing.
pub(crate) async fn test_order(
    call: KeyedCall,
    TestOrderRequest { request, compute_commission_rates }: TestOrderRequest,
) -> Answer<Either<TestOrderRates, Empty>> {
    let check = call.shared.door.check_new_order(call.signer.account, request.order);
    let refused = |reason| reject::new_order_error(reason, &request.market);
    check.await?.map_err(refused)?;
    if !compute_commission_rates {
        return Ok(Either::Other(Empty {}));
    }
    let fees = account_fees(&call, vec![request.market.instrument.id]).await?;
    Ok(Either::One(TestOrderRates::new(fees[0])))
}

pub(crate) fn test_order_weight(params: &Params) -> u32 {
    if params.peek("computeCommissionRates") == Some("true") { 20 } else { 1 }
}

/// `DELETE /api/v3/order`
pub(crate) async fn cancel_order(
    call: KeyedCall,
    CancelOrderRequest { market, cancel: order }: CancelOrderRequest,
) -> Answer<CancelAnswer> {
    cancel(&call, None, &market, Command::CancelOrder(order), CancelAnswer::new).await
}

/// `DELETE /api/v3/openOrders`
pub(crate) async fn cancel_all(
    call: KeyedCall,
    CancelAllRequest { market, cancel: all }: CancelAllRequest,
) -> Answer<Vec<CancelAnswer>> {
    cancel(&call, None, &market, Command::CancelAll(all), CancelAnswer::all).await
}

/// `POST /api/v3/order/cancelReplace`
pub(crate) async fn replace_order(
    call: KeyedCall,
    ReplaceOrderRequest { market, replace, response_type }: ReplaceOrderRequest,
) -> Answer {
    let mode = replace.mode;
    let outcome = call.submit(None, Command::ReplaceOrder(replace)).await?;
    let limit = if ReplaceAnswer::is_limited(&outcome.events) {
        let refused = reject::api_error(RejectReason::OrderRateAboveMax, reject::Request::NewOrder);
        Some(Box::pin(explain(&call.shared.door, call.signer.account, refused)).await)
    } else {
        None
    };
    let build =
        |canceling: Canceling<'_>| ReplaceAnswer::new(canceling, response_type, mode, limit);
    let answer = cancel_answer(&call, &market, &outcome, build).await;
    let answer = answer.map(|answer| JsonReply { status: answer.status, body: answer.body });
    let symbol = market.instrument.spec.symbol;
    let status = match &answer {
        Ok(answer) => answer.status,
        Err(refusal) => refusal.error().status,
    };
    trace(&call, REPLACE_ORDER, symbol, &outcome, status, None);
    answer
}

/// Submits a command that cancels orders, as this part of its request, and answers what `build`
/// makes of its events.
pub(crate) async fn cancel<T>(
    call: &KeyedCall,
    part: Option<usize>,
    market: &Market,
    command: Command,
    build: impl FnOnce(Canceling<'_>) -> Result<T, ApiError>,
) -> Answer<T> {
    let outcome = call.submit(part, command).await?;
    cancel_answer(call, market, &outcome, build).await
}

/// What `build` makes of the events of a command that cancels orders.
async fn cancel_answer<T>(
    call: &KeyedCall,
    market: &Market,
    outcome: &CommandOutcome,
    build: impl FnOnce(Canceling<'_>) -> Result<T, ApiError>,
) -> Answer<T> {
    let client_ids = client_ids_of_ended(call, &outcome.events).await?;
    let instrument = market.instrument.id;
    let names = |order_id| client_ids.get(instrument, order_id);
    outcome.answer(instrument, |events| {
        build(Canceling { market, events, names: &names, unit: call.unit })
    })
}

/// The client ids of all orders of the lists that a command ended. Some of these orders may have
/// ended before the command.
async fn client_ids_of_ended(call: &KeyedCall, events: &[Event]) -> Result<ClientIds, Refusal> {
    let account = call.signer.account;
    let ended = events.iter().filter_map(|event| match event {
        Event::OrderListUpdated(updated) if updated.list.account == account => Some(updated.list),
        _ => None,
    });
    let ended: Vec<OrderList> = ended.collect();
    if ended.is_empty() {
        return Ok(ClientIds::default());
    }
    let found = call.shared.door.client_ids_of_lists(account, ended).await;
    found.map_err(Refusal::by_engine)
}

/// `PUT /api/v3/order/amend/keepPriority`
pub(crate) async fn amend_order(
    call: KeyedCall,
    AmendOrderRequest { market, amend }: AmendOrderRequest,
) -> Answer<AmendAnswer> {
    let outcome = call.submit(None, Command::AmendOrder(amend)).await?;
    let amended = find_amended(&outcome.events).map(|amended| amended.order);
    let in_list = amended.and_then(|order| {
        let order_list = order.terms?.order_list;
        (order_list != OrderListId(0)).then_some((order, order_list))
    });
    let Some((order, order_list)) = in_list else {
        return outcome.answer(market.instrument.id, |events| {
            let facts = |amended: &OrderAmended| OrderFacts::of(&amended.order);
            AmendAnswer::new(&market, events, facts, None, call.unit)
        });
    };
    let found = call.shared.door.list_of_order(order, order_list).await;
    let (placed_ns, list, client_ids) = found.map_err(Refusal::by_engine)?;
    let names: OrderNames<'_> = &|order_id| client_ids.get(order.instrument, order_id);
    let list = list.as_ref().map(|list| (list, names));
    outcome.answer(market.instrument.id, |events| {
        AmendAnswer::new(&market, events, |_| facts_of(&order, placed_ns), list, call.unit)
    })
}
