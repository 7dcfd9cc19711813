//! Queries about an account. The engine's state answers for what it keeps, the read model for what
//! is past.

use std::collections::HashMap;

use projection::{
    AllOrders, MyTrades, OneOrder, OrderFilter, OrdersInAll, TradeFilter, TradesInAll,
};
use protocol::binance::request::{
    AccountRequest, AllOrdersRequest, CommissionRequest, MyTradesRequest, OpenOrdersRequest,
    QueryOrderRequest, Times,
};
use protocol::binance::response::{
    AccountFees, AccountInfo, Commission, MyTrade, OrderFacts, OrderInfo,
};
use protocol::signed::{ApiError, Params};
use types::{AccountTrade, FeeRates, InstrumentId, Market, Order, OrderStatus, Qty, Role};

use crate::binance::call::{Answer, KeyedCall};
use crate::binance::history::within;
use crate::clock::now_ns;
use crate::door::query::ResultLimit;
use crate::door::queue::{OrderAt, order_at};

/// `GET /api/v3/order`
pub(crate) async fn query_order(
    call: KeyedCall,
    QueryOrderRequest { market, order, queue }: QueryOrderRequest,
) -> Answer<OrderInfo> {
    let account = call.signer.account;
    let mut found = call.shared.door.order(account, market.instrument.id, order).await?;
    if found.is_none() && call.shared.door.history.is_some() {
        // The engine forgets orders that are long finished.
        let query = OneOrder { account, instrument: market.instrument.id, order };
        found = call.shared.door.ask_history(query).await?;
    }
    let unknown = || match order.order_id.and(order.cl_ord_id) {
        Some(_) => ApiError::client_order_id_invalid(),
        None => ApiError::no_such_order(),
    };
    let mut found = found.ok_or_else(unknown)?;
    if has_more_in_history(&found) {
        found = call.shared.door.past_order(&found).await.unwrap_or(found);
    }
    let orders = with_facts(&call, vec![found]).await?;
    let ahead = if queue { Some(ahead_of(&call, &orders).await?) } else { None };
    let (found, facts) = &orders[0];
    let info = OrderInfo::new(&market, found, facts, call.unit);
    Ok(with_ahead(info, &market, found, ahead.as_ref()))
}

/// Whether the engine forgot a part of an ended order that the read model has: the quote amount
/// that it was entered with.
fn has_more_in_history(order: &Order) -> bool {
    let is_lowered = order.terms.is_some_and(|terms| !terms.prevented_qty.is_zero());
    is_lowered && !order.quote_order_qty.is_zero()
}

/// `GET /api/v3/openOrders`
pub(crate) async fn open_orders(
    call: KeyedCall,
    OpenOrdersRequest { market, queue }: OpenOrdersRequest,
) -> Answer<Vec<OrderInfo>> {
    let only = market.map(|market| market.instrument.id);
    let orders = call.shared.door.open_orders(call.signer.account, only).await?;
    order_infos(&call, orders, queue).await
}

pub(crate) fn open_orders_weight(params: &Params) -> u32 {
    if params.contains("symbol") { 6 } else { 80 }
}

/// `GET /api/v3/allOrders`
pub(crate) async fn all_orders(
    call: KeyedCall,
    AllOrdersRequest { market, order_id, times, limit }: AllOrdersRequest,
) -> Answer<Vec<OrderInfo>> {
    let (door, account) = (&call.shared.door, call.signer.account);
    let instrument = market.map(|market| market.instrument.id);
    let orders = match instrument {
        Some(instrument) if door.history.is_some() => {
            let filter = OrderFilter { from_id: order_id, times: within(times), limit };
            door.ask_history(AllOrders { account, instrument, filter }).await?
        }
        None if door.history.is_some() => {
            door.ask_history(OrdersInAll { account, times: within(times), limit }).await?
        }
        _ => {
            let part = part(order_id.is_some(), &times, limit);
            let wanted = move |order: &Order| {
                order_id.is_none_or(|first| order.order_id >= first)
                    && times.contains(order.created_ns)
            };
            door.kept_orders(account, instrument, wanted, part).await?
        }
    };
    order_infos(&call, orders, false).await
}

pub(crate) fn all_orders_weight(params: &Params) -> u32 {
    if params.contains("symbol") { 20 } else { 80 }
}

/// `GET /api/v3/myTrades`
pub(crate) async fn my_trades(
    call: KeyedCall,
    MyTradesRequest { market, order_id, from_id, times, limit }: MyTradesRequest,
) -> Answer<Vec<MyTrade>> {
    let (door, account) = (&call.shared.door, call.signer.account);
    let instrument = market.map(|market| market.instrument.id);
    let trades = match instrument {
        Some(instrument) if door.history.is_some() => {
            let filter = TradeFilter { order_id, from_id, times: within(times), limit };
            door.ask_history(MyTrades { account, instrument, filter }).await?
        }
        None if door.history.is_some() => {
            door.ask_history(TradesInAll { account, times: within(times), limit }).await?
        }
        _ => {
            let part = part(from_id.is_some(), &times, limit);
            let wanted = move |trade: &AccountTrade| {
                from_id.is_none_or(|first| trade.trade_id >= first)
                    && order_id.is_none_or(|order_id| trade.order_id == order_id)
                    && times.contains(trade.traded_ns)
            };
            door.kept_trades(account, instrument, wanted, part).await?
        }
    };
    let directory = door.directory();
    let of_market = |trade: &AccountTrade| {
        let market = directory.market_of(trade.instrument)?;
        Some(MyTrade::new(&market, trade, call.unit))
    };
    Ok(trades.iter().filter_map(of_market).collect())
}

pub(crate) fn my_trades_weight(params: &Params) -> u32 {
    if !params.contains("symbol") {
        return 80;
    }
    if params.contains("orderId") { 5 } else { 20 }
}

/// The first results if the request names a beginning, else the last.
pub(crate) fn part(from_id: bool, times: &Times, limit: usize) -> ResultLimit {
    if from_id || times.start_ns.is_some() {
        ResultLimit::First(limit)
    } else {
        ResultLimit::Last(limit)
    }
}

/// `GET /api/v3/account`
pub(crate) async fn account(call: KeyedCall, request: AccountRequest) -> Answer<AccountInfo> {
    let account = call.signer.account;
    let owned = call.shared.door.balances(account).await?;
    let directory = call.shared.door.directory();
    let assets = directory.assets().iter().enumerate();
    let balances =
        assets.map(|(index, asset)| (asset, owned.get(index).copied().unwrap_or_default()));
    Ok(AccountInfo::new(
        account.0,
        fees(directory.own_fees(account), directory.markets()),
        call.signer.role == Role::Trader,
        balances,
        request.omit_zero_balances,
        now_ns(),
        call.unit,
    ))
}

/// The fees of an account: its own, or those of the first instrument. Instruments may differ;
/// `order/test` has the fees of one.
fn fees(own: Option<FeeRates>, markets: &[Market]) -> FeeRates {
    let first = || markets.first().map(|market| market.instrument.spec.fees);
    own.or_else(first).unwrap_or(FeeRates::ZERO)
}

/// `GET /api/v3/account/commission`
pub(crate) async fn commission(
    call: KeyedCall,
    CommissionRequest { market }: CommissionRequest,
) -> Answer<Commission> {
    let fees = account_fees(&call, vec![market.instrument.id]).await?;
    Ok(Commission::new(&market, fees[0]))
}

/// The account's current fees in each of these instruments.
pub(crate) async fn account_fees(
    call: &KeyedCall,
    instruments: Vec<InstrumentId>,
) -> Result<Vec<AccountFees>, ApiError> {
    let account = call.signer.account;
    let query = call.shared.door.account_fees(account, instruments);
    let fees = |(maker_bps_x100, taker_bps_x100)| AccountFees { maker_bps_x100, taker_bps_x100 };
    Ok(query.await?.into_iter().map(fees).collect())
}

/// The account's orders, each with facts that the order itself does not hold.
async fn with_facts(
    call: &KeyedCall,
    orders: Vec<Order>,
) -> Result<Vec<(Order, OrderFacts)>, ApiError> {
    let door = &call.shared.door;
    let key = |order: &Order| (order.instrument, order.order_id);
    let expired = orders.iter().filter(|order| order.status == OrderStatus::Expired).map(key);
    let causes: HashMap<_, _> = door.expire_causes(expired.collect()).await.into_iter().collect();
    let placed = door.when_placed(call.signer.account, orders).await?;
    let with_facts = |(order, placed_ns): (Order, Option<u64>)| {
        let expired = causes.get(&key(&order)).copied();
        (order, OrderFacts { expired, ..facts_of(&order, placed_ns) })
    };
    Ok(placed.into_iter().map(with_facts).collect())
}

pub(crate) fn facts_of(order: &Order, placed_ns: Option<u64>) -> OrderFacts {
    match placed_ns {
        Some(placed_ns) => OrderFacts::placed(order, placed_ns),
        None => OrderFacts::pending(order),
    }
}

async fn order_infos(call: &KeyedCall, orders: Vec<Order>, queue: bool) -> Answer<Vec<OrderInfo>> {
    let orders = with_facts(call, orders).await?;
    let ahead = if queue { Some(ahead_of(call, &orders).await?) } else { None };
    let directory = call.shared.door.directory();
    let info = |(order, facts): &(Order, OrderFacts)| {
        let market = directory.market_of(order.instrument)?;
        let info = OrderInfo::new(&market, order, facts, call.unit);
        Some(with_ahead(info, &market, order, ahead.as_ref()))
    };
    Ok(orders.iter().filter_map(info).collect())
}

/// The quantity ahead of each order that is on the book.
async fn ahead_of(
    call: &KeyedCall,
    orders: &[(Order, OrderFacts)],
) -> Result<HashMap<OrderAt, Qty>, ApiError> {
    let on_book = |(order, facts): &(Order, OrderFacts)| {
        (order.status.is_open() && facts.working_ns.is_some()).then_some(*order)
    };
    let on_book: Vec<Order> = orders.iter().filter_map(on_book).collect();
    Ok(call.shared.door.ahead(&on_book).await?)
}

fn with_ahead(
    info: OrderInfo,
    market: &Market,
    order: &Order,
    ahead: Option<&HashMap<OrderAt, Qty>>,
) -> OrderInfo {
    match ahead {
        Some(ahead) => info.with_ahead(market, ahead.get(&order_at(order)).copied()),
        None => info,
    }
}
