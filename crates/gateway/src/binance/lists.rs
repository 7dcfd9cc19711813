//! Order lists: entered, canceled, asked about.

use protocol::binance::list_id;
use protocol::binance::request::{
    AllOrderListsRequest, CancelOrderListRequest, ListRef, NewOrderListRequest, NoParams,
    OrderListRequest,
};
use protocol::binance::response::{
    CancelAnswer, Canceling, ListStatus, NewOrderListAnswer, encode,
};
use protocol::signed::{ApiError, Generate, Params};
use types::{Command, Event, Markets, OrderList, OrderListStatus};

use crate::binance::account::part;
use crate::binance::call::{Answer, SignedCall};
use crate::binance::generate::generate;
use crate::binance::refusal::Refusal;
use crate::door::names::Names;
use crate::socket::http::json;

/// `POST /api/v3/orderList/oco`
pub(crate) async fn new_oco(call: SignedCall) -> Answer {
    new_list(call, NewOrderListRequest::parse_oco).await
}

/// `POST /api/v3/orderList/oto`
pub(crate) async fn new_oto(call: SignedCall) -> Answer {
    new_list(call, NewOrderListRequest::parse_oto).await
}

/// `POST /api/v3/orderList/otoco`
pub(crate) async fn new_otoco(call: SignedCall) -> Answer {
    new_list(call, NewOrderListRequest::parse_otoco).await
}

/// `POST /api/v3/order/oco`, which clients of some years ago send.
pub(crate) async fn new_legacy_oco(call: SignedCall) -> Answer {
    new_list(call, NewOrderListRequest::parse_legacy_oco).await
}

type Parse = fn(Params, Markets<'_>, Generate<'_>) -> Result<NewOrderListRequest, ApiError>;

async fn new_list(mut call: SignedCall, parse: Parse) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let NewOrderListRequest { market, list, response_type } =
        parse(params, &markets, &mut generate)?;
    let outcome = call.submit(Command::NewOrderList(list)).await?;
    let answer = outcome.answer(market.instrument.id, |events| {
        NewOrderListAnswer::new(&market, events, response_type, call.unit)
    })?;
    Ok(json(encode(&answer)))
}

/// `DELETE /api/v3/orderList`
pub(crate) async fn cancel_list(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let CancelOrderListRequest { market, cancel } =
        CancelOrderListRequest::parse(params, &markets, &mut generate)?;
    let outcome = call.submit(Command::CancelOrderList(cancel)).await?;
    let names = names_of_ended(&call, &outcome.events).await?;
    let instrument = market.instrument.id;
    let names = |order_id| names.of(instrument, order_id);
    let answer = outcome.answer(instrument, |events| {
        CancelAnswer::new(Canceling { market: &market, events, names: &names, unit: call.unit })
    })?;
    Ok(json(encode(&answer)))
}

/// `GET /api/v3/orderList`
pub(crate) async fn query_list(mut call: SignedCall) -> Answer {
    let OrderListRequest { list } = OrderListRequest::parse(std::mem::take(&mut call.params))?;
    let found = lists(&call, move |mut found| {
        // By name it is the open one, or else the one that was done last.
        let place = found.iter().rposition(|found| is_meant(found, &list));
        place.map(|place| found.swap_remove(place)).into_iter().collect()
    });
    let found = found.await?.pop().ok_or_else(ApiError::no_such_order_list)?;
    Ok(json(encode(&found)))
}

fn is_meant(list: &OrderList, wanted: &ListRef) -> bool {
    wanted.id.is_none_or(|id| id == (list.instrument, list.order_list))
        && wanted.cl_ord_id.is_none_or(|name| name == list.cl_ord_id)
}

/// `GET /api/v3/openOrderList`
pub(crate) async fn open_lists(mut call: SignedCall) -> Answer {
    NoParams::parse(std::mem::take(&mut call.params))?;
    let open = lists(&call, |mut found| {
        found.retain(|list| list.status == OrderListStatus::Executing);
        found.sort_unstable_by_key(id_of);
        found
    });
    Ok(json(encode(&open.await?)))
}

/// `GET /api/v3/allOrderList`: those that are open, and those that are done and still kept.
pub(crate) async fn all_lists(mut call: SignedCall) -> Answer {
    let request = AllOrderListsRequest::parse(std::mem::take(&mut call.params))?;
    let all = lists(&call, move |mut found| {
        found.retain(|list| {
            request.from_id.is_none_or(|first| id_of(list) >= first)
                && request.times.contains(list.created_ns)
        });
        found.sort_unstable_by_key(id_of);
        part(request.from_id.is_some(), &request.times, request.limit).of(found)
    });
    Ok(json(encode(&all.await?)))
}

fn id_of(list: &OrderList) -> u64 {
    list_id(list.instrument, list.order_list)
}

/// Those of the account's lists that `choose` keeps; it is given the done ones first.
async fn lists(
    call: &SignedCall,
    choose: impl FnOnce(Vec<OrderList>) -> Vec<OrderList> + Send + 'static,
) -> Result<Vec<ListStatus>, ApiError> {
    let account = call.signer.account;
    let (chosen, names) = call.shared.door.order_lists(account, choose).await?;
    let directory = call.shared.door.directory();
    let status = |list: &OrderList| {
        let market = directory.market_of(list.instrument)?;
        let name = |order_id| names.of(list.instrument, order_id);
        Some(ListStatus::new(&market, list, &name, call.unit))
    };
    Ok(chosen.iter().filter_map(status).collect())
}

/// The names of all orders of the lists that ended with a command, of which some may have ended
/// before it.
pub(crate) async fn names_of_ended(call: &SignedCall, events: &[Event]) -> Result<Names, Refusal> {
    let account = call.signer.account;
    let ended = events.iter().filter_map(|event| match event {
        Event::OrderListUpdated(updated) if updated.list.account == account => Some(updated.list),
        _ => None,
    });
    let ended: Vec<OrderList> = ended.collect();
    if ended.is_empty() {
        return Ok(Names::default());
    }
    let names = call.shared.door.names_of_lists(account, ended).await;
    names.map_err(Refusal::by_engine)
}
