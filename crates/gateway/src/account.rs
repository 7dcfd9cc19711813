//! Questions about an account, answered from the engine's state, and from the read model what is
//! past.

use engine::Engine;
use protocol::binance::request::{
    AccountRequest, AllOrdersRequest, CommissionRequest, MyTradesRequest, NoParams,
    OpenOrdersRequest, QueryOrderRequest,
};
use protocol::binance::response::{
    AccountFees, AccountInfo, Commission, Interval, MyTrade, OrderCount, OrderFacts, OrderInfo,
    RateLimit, RateLimitType, encode,
};
use protocol::signed::{ApiError, Params};
use types::{AccountId, AccountTrade, Balance, FeeRates, InstrumentId, Market, Order, Role};

use crate::ask::ask_engine;
use crate::call::{Answer, SignedCall};
use crate::clock::now_ns;
use crate::history::{self, ask_history};
use crate::socket::http::json;

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
    let (found, facts) = with_facts(&call, vec![found]).await?[0];
    Ok(json(encode(&OrderInfo::new(&market, &found, &facts, call.unit))))
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
    let orders = with_facts(&call, orders.await?).await?;
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
    let orders = with_facts(&call, orders).await?;
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
pub(crate) fn keep<T>(mut found: Vec<T>, limit: usize, from_the_first: bool) -> Vec<T> {
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

/// `GET /api/v3/account/commission`
pub(crate) async fn commission(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let CommissionRequest { market } = CommissionRequest::parse(params, &markets)?;
    let fees = account_fees(&call, vec![market.instrument.id]).await?;
    Ok(json(encode(&Commission::new(&market, fees[0]))))
}

/// What the account pays now in each of these instruments.
pub(crate) async fn account_fees(
    call: &SignedCall,
    instruments: Vec<InstrumentId>,
) -> Result<Vec<AccountFees>, ApiError> {
    let account = call.signer.account;
    let asked = ask_engine(&call.shared, move |engine| {
        let fees = |id: &InstrumentId| engine.account_fees(account, *id).unwrap_or_default();
        instruments.iter().map(fees).collect::<Vec<_>>()
    });
    let fees = |(maker_bps_x100, taker_bps_x100)| AccountFees { maker_bps_x100, taker_bps_x100 };
    Ok(asked.await?.into_iter().map(fees).collect())
}

/// `GET /api/v3/rateLimit/order`: the limits that the account has, and how far they are used.
pub(crate) async fn order_counts(mut call: SignedCall) -> Answer {
    const NS_PER_SECOND: u64 = 1_000_000_000;
    NoParams::parse(std::mem::take(&mut call.params))?;
    let account = call.signer.account;
    let asked = ask_engine(&call.shared, move |engine| {
        engine.account_risk(account).zip(engine.order_rate(account))
    });
    let Some((risk, rate)) = asked.await? else { return Err(ApiError::api_key_rejected()) };
    // The engine's time stands still while nothing happens.
    let now_s = now_ns() / NS_PER_SECOND;
    let still = |counted: u64, now: u64, count: u32| if counted < now { 0 } else { count };
    let counts = [
        (
            Interval::Second,
            10,
            risk.max_orders_per_10s,
            still(rate.window, now_s / 10, rate.in_window),
        ),
        (Interval::Day, 1, risk.max_orders_per_day, still(rate.day, now_s / 86_400, rate.in_day)),
    ];
    let limited = counts.into_iter().filter(|(_, _, limit, _)| *limit > 0);
    let count = |(interval, interval_num, limit, count)| {
        let rate_limit_type = RateLimitType::Orders;
        OrderCount { limit: RateLimit { rate_limit_type, interval, interval_num, limit }, count }
    };
    Ok(json(encode(&limited.map(count).collect::<Vec<_>>())))
}

/// The account's orders, and what the state knows of them beyond themselves.
async fn with_facts(
    call: &SignedCall,
    orders: Vec<Order>,
) -> Result<Vec<(Order, OrderFacts)>, ApiError> {
    let account = call.signer.account;
    let asked = ask_engine(&call.shared, move |engine| {
        let placed_ns = engine.placed_ns(account, &orders);
        let with_facts = |(order, placed_ns)| (order, facts_of(&order, placed_ns));
        orders.into_iter().zip(placed_ns).map(with_facts).collect::<Vec<_>>()
    });
    asked.await
}

pub(crate) fn facts_of(order: &Order, placed_ns: Option<u64>) -> OrderFacts {
    match placed_ns {
        Some(placed_ns) => OrderFacts::placed(order, placed_ns),
        None => OrderFacts::pending(order),
    }
}

fn order_infos(call: &SignedCall, orders: &[(Order, OrderFacts)]) -> Vec<OrderInfo> {
    let directory = call.shared.known.directory();
    let info = |(order, facts): &(Order, OrderFacts)| {
        let market = directory.market_of(order.instrument)?;
        Some(OrderInfo::new(&market, order, facts, call.unit))
    };
    orders.iter().filter_map(info).collect()
}
