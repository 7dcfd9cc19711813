//! Questions about an account, answered from the engine's state, and from the read model what is
//! past.

use engine::Engine;
use protocol::binance::request::{
    AccountRequest, AllOrdersRequest, MyTradesRequest, OpenOrdersRequest, QueryOrderRequest,
};
use protocol::binance::response::{AccountInfo, MyTrade, OrderInfo, encode};
use protocol::binance::{ApiError, Market, Params};
use types::{AccountId, AccountTrade, Balance, FeeRates, InstrumentId, Order, Role};

use crate::ask::ask_engine;
use crate::call::{Answer, SignedCall, json};
use crate::history::{self, ask_history};
use crate::now_ns;

/// `GET /api/v3/order`
pub(crate) async fn query_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let QueryOrderRequest { market, order } = QueryOrderRequest::parse(params, &markets)?;
    let account = call.signer.account;
    let found =
        ask_engine(&call.shared, move |engine| engine.order(account, market.instrument.id, &order));
    let mut found = found.await?;
    if found.is_none() && call.shared.history.is_some() {
        // The engine forgets orders that are long finished.
        let id = market.instrument.id;
        found = ask_history(&call.shared, move |past| past.order(account, id, &order)).await?;
    }
    let found = found.ok_or_else(ApiError::no_such_order)?;
    Ok(json(encode(&OrderInfo::new(&market, &found, call.unit))))
}

/// `GET /api/v3/openOrders`
pub(crate) async fn open_orders(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let OpenOrdersRequest { market } = OpenOrdersRequest::parse(params, &markets)?;
    let account = call.signer.account;
    let only = market.map(|market| market.instrument.id);
    let orders = ask_engine(&call.shared, move |engine| {
        let instruments: Vec<InstrumentId> = match only {
            Some(id) => vec![id],
            None => engine.instruments().map(|instrument| instrument.id).collect(),
        };
        let of = |id: InstrumentId| engine.open_orders(account, id);
        instruments.into_iter().flat_map(of).collect::<Vec<Order>>()
    });
    let orders = orders.await?;
    Ok(json(encode(&order_infos(&call, &orders))))
}

pub(crate) fn open_orders_weight(params: &Params) -> u32 {
    if params.contains("symbol") { 6 } else { 80 }
}

/// `GET /api/v3/allOrders`
pub(crate) async fn all_orders(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let request = AllOrdersRequest::parse(params, &markets)?;
    let account = call.signer.account;
    let orders = match &call.shared.history {
        Some(_) => history::all_orders(&call.shared, account, &request).await?,
        None => {
            let select = move |engine: &Engine| select_orders(engine, account, &request);
            ask_engine(&call.shared, select).await?
        }
    };
    Ok(json(encode(&order_infos(&call, &orders))))
}

/// Those that are open, and those that are finished and still kept.
fn select_orders(engine: &Engine, account: AccountId, request: &AllOrdersRequest) -> Vec<Order> {
    let instrument = request.market.instrument.id;
    let open = engine.open_orders(account, instrument);
    let wanted = |order: &Order| {
        order.instrument == instrument
            && request.order_id.is_none_or(|first| order.order_id >= first)
            && request.times.contains(order.created_ns)
    };
    let all = open.chain(engine.finished_orders(account));
    let mut orders: Vec<Order> = all.filter(wanted).collect();
    orders.sort_unstable_by_key(|order| order.order_id);
    let from_the_first = request.order_id.is_some() || request.times.start_ns.is_some();
    keep(orders, request.limit, from_the_first)
}

/// `GET /api/v3/myTrades`
pub(crate) async fn my_trades(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let request = MyTradesRequest::parse(params, &markets)?;
    let account = call.signer.account;
    let trades = match &call.shared.history {
        Some(_) => history::my_trades(&call.shared, account, &request).await?,
        None => {
            let select = move |engine: &Engine| select_trades(engine, account, &request);
            ask_engine(&call.shared, select).await?
        }
    };
    let info = |trade| MyTrade::new(&request.market, trade, call.unit);
    Ok(json(encode(&trades.iter().map(info).collect::<Vec<_>>())))
}

pub(crate) fn my_trades_weight(params: &Params) -> u32 {
    if params.contains("orderId") { 5 } else { 20 }
}

fn select_trades(
    engine: &Engine,
    account: AccountId,
    request: &MyTradesRequest,
) -> Vec<AccountTrade> {
    let instrument = request.market.instrument.id;
    let wanted = |trade: &AccountTrade| {
        trade.instrument == instrument
            && request.from_id.is_none_or(|first| trade.trade_id >= first)
            && request.order_id.is_none_or(|order_id| trade.order_id == order_id)
            && request.times.contains(trade.traded_ns)
    };
    let trades = engine.account_trades(account).filter(wanted);
    let from_the_first = request.from_id.is_some() || request.times.start_ns.is_some();
    if from_the_first {
        return trades.take(request.limit).collect();
    }
    let mut last: Vec<AccountTrade> = trades.rev().take(request.limit).collect();
    last.reverse();
    last
}

/// The first or the last of what was found.
fn keep<T>(mut found: Vec<T>, limit: usize, from_the_first: bool) -> Vec<T> {
    match from_the_first {
        true => found.truncate(limit),
        false => drop(found.drain(..found.len().saturating_sub(limit))),
    }
    found
}

/// `GET /api/v3/account`
pub(crate) async fn account(mut call: SignedCall) -> Answer {
    let request = AccountRequest::parse(std::mem::take(&mut call.params))?;
    let account = call.signer.account;
    let owned = ask_engine(&call.shared, move |engine| engine.balances(account).to_vec());
    let owned: Vec<Balance> = owned.await?;
    let directory = call.shared.known.directory();
    let assets = directory.assets().iter().enumerate();
    let balances =
        assets.map(|(index, asset)| (asset, owned.get(index).copied().unwrap_or_default()));
    let info = AccountInfo::new(
        account.0,
        fees(directory.own_fees(account), directory.markets()),
        call.signer.role == Role::Trader,
        balances,
        request.omit_zero_balances,
        now_ns(),
        call.unit,
    );
    Ok(json(encode(&info)))
}

/// What an account pays: its own fees, or else what the first instrument takes. Instruments may
/// differ; `order/test` tells what each takes.
fn fees(own: Option<FeeRates>, markets: &[Market]) -> FeeRates {
    let first = || markets.first().map(|market| market.instrument.spec.fees);
    own.or_else(first).unwrap_or(FeeRates::ZERO)
}

fn order_infos(call: &SignedCall, orders: &[Order]) -> Vec<OrderInfo> {
    let directory = call.shared.known.directory();
    let info = |order: &Order| {
        let market = directory.market_of(order.instrument)?;
        Some(OrderInfo::new(&market, order, call.unit))
    };
    orders.iter().filter_map(info).collect()
}
