//! Questions about an account, answered from the engine's state, and from the read model what is
//! past.

use projection::OneOrder;
use protocol::binance::request::{
    AccountRequest, AllOrdersRequest, CommissionRequest, MyTradesRequest, NoParams,
    OpenOrdersRequest, QueryOrderRequest, Times,
};
use protocol::binance::response::{
    AccountFees, AccountInfo, Commission, Interval, MyTrade, OrderCount, OrderFacts, OrderInfo,
    RateLimit, RateLimitType, encode,
};
use protocol::signed::{ApiError, Params};
use types::{AccountTrade, FeeRates, InstrumentId, Market, Order, Role};

use crate::binance::call::{Answer, SignedCall};
use crate::binance::history;
use crate::door::query::Part;
use crate::socket::http::json;

use crate::clock::now_ns;

/// `GET /api/v3/order`
pub(crate) async fn query_order(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let QueryOrderRequest { market, order } = QueryOrderRequest::parse(params, &markets)?;
    let account = call.signer.account;
    let mut found = call.shared.door.order(account, market.instrument.id, order).await?;
    if found.is_none() && call.shared.door.history.is_some() {
        // The engine forgets orders that are long finished.
        let asked = OneOrder { account, instrument: market.instrument.id, order };
        found = call.shared.door.ask_history(asked).await?;
    }
    let found = found.ok_or_else(ApiError::no_such_order)?;
    let (found, facts) = with_facts(&call, vec![found]).await?[0];
    Ok(json(encode(&OrderInfo::new(&market, &found, &facts, call.unit))))
}

/// `GET /api/v3/openOrders`
pub(crate) async fn open_orders(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let OpenOrdersRequest { market } = OpenOrdersRequest::parse(params, &markets)?;
    let account = call.signer.account;
    let only = market.map(|market| market.instrument.id);
    let orders = call.shared.door.open_orders(account, only);
    let orders = with_facts(&call, orders.await?).await?;
    Ok(json(encode(&order_infos(&call, &orders))))
}

pub(crate) fn open_orders_weight(params: &Params) -> u32 {
    if params.contains("symbol") { 6 } else { 80 }
}

/// `GET /api/v3/allOrders`
pub(crate) async fn all_orders(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = AllOrdersRequest::parse(params, &markets)?;
    let account = call.signer.account;
    let orders = match &call.shared.door.history {
        Some(_) => history::all_orders(&call.shared, account, &request).await?,
        None => {
            let part = part(request.order_id.is_some(), &request.times, request.limit);
            let wanted = move |order: &Order| {
                request.order_id.is_none_or(|first| order.order_id >= first)
                    && request.times.contains(order.created_ns)
            };
            let id = request.market.instrument.id;
            call.shared.door.kept_orders(account, id, wanted, part).await?
        }
    };
    let orders = with_facts(&call, orders).await?;
    Ok(json(encode(&order_infos(&call, &orders))))
}

/// `GET /api/v3/myTrades`
pub(crate) async fn my_trades(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = MyTradesRequest::parse(params, &markets)?;
    let account = call.signer.account;
    let trades = match &call.shared.door.history {
        Some(_) => history::my_trades(&call.shared, account, &request).await?,
        None => {
            let part = part(request.from_id.is_some(), &request.times, request.limit);
            let wanted = move |trade: &AccountTrade| {
                request.from_id.is_none_or(|first| trade.trade_id >= first)
                    && request.order_id.is_none_or(|order_id| trade.order_id == order_id)
                    && request.times.contains(trade.traded_ns)
            };
            let id = request.market.instrument.id;
            call.shared.door.kept_trades(account, id, wanted, part).await?
        }
    };
    let info = |trade| MyTrade::new(&request.market, trade, call.unit);
    Ok(json(encode(&trades.iter().map(info).collect::<Vec<_>>())))
}

pub(crate) fn my_trades_weight(params: &Params) -> u32 {
    if params.contains("orderId") { 5 } else { 20 }
}

/// The first of what was found where the request says where to begin, else the last.
pub(crate) fn part(from_id: bool, times: &Times, limit: usize) -> Part {
    if from_id || times.start_ns.is_some() { Part::First(limit) } else { Part::Last(limit) }
}

/// `GET /api/v3/account`
pub(crate) async fn account(mut call: SignedCall) -> Answer {
    let request = AccountRequest::parse(std::mem::take(&mut call.params))?;
    let account = call.signer.account;
    let owned = call.shared.door.balances(account).await?;
    let directory = call.shared.door.directory();
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
/// differ; `order/test` shows what each takes.
fn fees(own: Option<FeeRates>, markets: &[Market]) -> FeeRates {
    let first = || markets.first().map(|market| market.instrument.spec.fees);
    own.or_else(first).unwrap_or(FeeRates::ZERO)
}

/// `GET /api/v3/account/commission`
pub(crate) async fn commission(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
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
    let asked = call.shared.door.account_fees(account, instruments);
    let fees = |(maker_bps_x100, taker_bps_x100)| AccountFees { maker_bps_x100, taker_bps_x100 };
    Ok(asked.await?.into_iter().map(fees).collect())
}

/// `GET /api/v3/rateLimit/order`: the limits that the account has, and how far they are used.
pub(crate) async fn order_counts(mut call: SignedCall) -> Answer {
    const NS_PER_SECOND: u64 = 1_000_000_000;
    NoParams::parse(std::mem::take(&mut call.params))?;
    let account = call.signer.account;
    let asked = call.shared.door.order_rate(account);
    let Some((risk, rate)) = asked.await? else { return Err(ApiError::api_key_rejected().into()) };
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
    let placed = call.shared.door.when_placed(call.signer.account, orders).await?;
    let with_facts = |(order, placed_ns)| (order, facts_of(&order, placed_ns));
    Ok(placed.into_iter().map(with_facts).collect())
}

pub(crate) fn facts_of(order: &Order, placed_ns: Option<u64>) -> OrderFacts {
    match placed_ns {
        Some(placed_ns) => OrderFacts::placed(order, placed_ns),
        None => OrderFacts::pending(order),
    }
}

fn order_infos(call: &SignedCall, orders: &[(Order, OrderFacts)]) -> Vec<OrderInfo> {
    let directory = call.shared.door.directory();
    let info = |(order, facts): &(Order, OrderFacts)| {
        let market = directory.market_of(order.instrument)?;
        Some(OrderInfo::new(&market, order, facts, call.unit))
    };
    orders.iter().filter_map(info).collect()
}
