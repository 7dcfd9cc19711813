//! Order lists: entered, canceled, queried.

use protocol::binance::list_id;
use protocol::binance::request::{
    AllOrderListsRequest, CancelOrderListRequest, ListRef, NewOrderListRequest, NoParams,
    OrderListRequest,
};
use protocol::binance::response::{CancelAnswer, ListStatus, NewOrderListAnswer, encode};
use protocol::signed::ApiError;
use types::{Command, OrderList, OrderListStatus};

use crate::binance::account::part;
use crate::binance::call::{Answer, KeyedCall};
use crate::binance::trading::{Names, cancel, traced};
use crate::socket::http::json;

/// Of all kinds of lists.
const NEW_LIST: Names = ["POST /api/v3/orderList", "orderList.place"];

/// `POST /api/v3/orderList/oco`, `/oto`, `/otoco`, `/opo`, `/opoco`, and `POST /api/v3/order/oco`
/// of older clients.
pub(crate) async fn new_list(
    call: KeyedCall,
    NewOrderListRequest { market, list, response_type }: NewOrderListRequest,
) -> Answer<NewOrderListAnswer> {
    let outcome = call.submit(None, Command::NewOrderList(list)).await?;
    let answer = outcome.answer(market.instrument.id, |events| {
        NewOrderListAnswer::new(&market, events, response_type, call.unit)
    });
    traced(&call, NEW_LIST, &market, &outcome, answer)
}

/// `DELETE /api/v3/orderList`
pub(crate) async fn cancel_list(
    call: KeyedCall,
    CancelOrderListRequest { market, cancel: list }: CancelOrderListRequest,
) -> Answer {
    let command = Command::CancelOrderList(list);
    let answer = cancel(&call, None, &market, command, CancelAnswer::new).await?;
    Ok(json(encode(&answer)))
}

/// `GET /api/v3/orderList`
pub(crate) async fn query_list(
    call: KeyedCall,
    OrderListRequest { list }: OrderListRequest,
) -> Answer<ListStatus> {
    let found = lists(&call, move |mut found| {
        // A name means the open list, or else the one done last.
        let index = found.iter().rposition(|found| is_meant(found, &list));
        index.map(|index| found.swap_remove(index)).into_iter().collect()
    });
    Ok(found.await?.pop().ok_or_else(ApiError::no_such_order_list)?)
}

fn is_meant(list: &OrderList, wanted: &ListRef) -> bool {
    wanted.id.is_none_or(|id| id == (list.instrument, list.order_list))
        && wanted.cl_ord_id.is_none_or(|name| name == list.cl_ord_id)
}

/// `GET /api/v3/openOrderList`
pub(crate) async fn open_lists(call: KeyedCall, _: NoParams) -> Answer<Vec<ListStatus>> {
    lists(&call, |mut found| {
        found.retain(|list| list.status == OrderListStatus::Executing);
        found.sort_unstable_by_key(id_of);
        found
    })
    .await
}

/// `GET /api/v3/allOrderList`: open lists, and done ones that are still kept.
pub(crate) async fn all_lists(
    call: KeyedCall,
    request: AllOrderListsRequest,
) -> Answer<Vec<ListStatus>> {
    lists(&call, move |mut found| {
        found.retain(|list| {
            request.from_id.is_none_or(|first| id_of(list) >= first)
                && request.times.contains(list.created_ns)
        });
        found.sort_unstable_by_key(id_of);
        part(request.from_id.is_some(), &request.times, request.limit).of(found.into_iter())
    })
    .await
}

fn id_of(list: &OrderList) -> u64 {
    list_id(list.instrument, list.order_list)
}

/// The account's lists that `choose` keeps; `choose` gets the done lists first.
async fn lists(
    call: &KeyedCall,
    choose: impl FnOnce(Vec<OrderList>) -> Vec<OrderList> + Send + 'static,
) -> Answer<Vec<ListStatus>> {
    let account = call.signer.account;
    let (chosen, client_ids) = call.shared.door.order_lists(account, choose).await?;
    let directory = call.shared.door.directory();
    let status = |list: &OrderList| {
        let market = directory.market_of(list.instrument)?;
        let name = |order_id| client_ids.get(list.instrument, order_id);
        Some(ListStatus::new(&market, list, &name, call.unit))
    };
    Ok(chosen.iter().filter_map(status).collect())
}
