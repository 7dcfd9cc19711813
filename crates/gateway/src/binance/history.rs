//! Questions about the past, answered from the read model.

use projection::{
    AggFilter, AggTrades, AllOrders, HistoricalTrades, Klines, MyTrades, OrderFilter, Times,
    TradeFilter,
};
use protocol::binance::request;
use protocol::binance::request::{
    AggTradesRequest, AllOrdersRequest, HistoricalTradesRequest, KlinesRequest, MyTradesRequest,
};
use protocol::binance::response::{AggTradeInfo, Kline, Trade, encode};
use protocol::signed::ApiError;
use types::{AccountId, AccountTrade, Order};

use crate::binance::call::{Answer, Call};
use crate::binance::ticker::public_trade;
use crate::socket::http::json;

use crate::binance::shared::Shared;
use crate::clock::now_ns;

/// `GET /api/v3/historicalTrades`
pub(crate) async fn historical_trades(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = HistoricalTradesRequest::parse(call.params, &markets)?;
    let HistoricalTradesRequest { market, from_id, limit } = request;
    let asked = HistoricalTrades { instrument: market.instrument.id, from_id, limit };
    let found = call.shared.door.ask_history(asked);
    let trade = |trade| Trade::new(&market, &public_trade(trade), call.unit);
    Ok(json(encode(&found.await?.iter().map(trade).collect::<Vec<_>>())))
}

/// `GET /api/v3/aggTrades`
pub(crate) async fn agg_trades(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = AggTradesRequest::parse(call.params, &markets)?;
    let AggTradesRequest { market, from_id, times, limit } = request;
    let filter = AggFilter { from_id, times: within(times), limit };
    let found =
        call.shared.door.ask_history(AggTrades { instrument: market.instrument.id, filter });
    let trade = |trade| AggTradeInfo::new(&market, trade, call.unit);
    Ok(json(encode(&found.await?.iter().map(trade).collect::<Vec<_>>())))
}

/// `GET /api/v3/klines` and `GET /api/v3/uiKlines`
pub(crate) async fn klines(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = KlinesRequest::parse(call.params, &markets)?;
    let KlinesRequest { market, interval, zone, times, limit } = request;
    let (instrument, times) = (market.instrument.id, within(times));
    let past = call.shared.door.past().await?;
    let found = past.ask(Klines { instrument, interval, zone, times, limit, now_ns: now_ns() });
    let kline = |candle| Kline::new(&market, candle, interval, zone, call.unit);
    Ok(json(encode(&found.await?.iter().map(kline).collect::<Vec<_>>())))
}

/// An account's orders, all that there ever were.
pub(crate) async fn all_orders(
    shared: &Shared,
    account: AccountId,
    request: &AllOrdersRequest,
) -> Result<Vec<Order>, ApiError> {
    let AllOrdersRequest { market, order_id, times, limit } = *request;
    let filter = OrderFilter { from_id: order_id, times: within(times), limit };
    let asked = AllOrders { account, instrument: market.instrument.id, filter };
    Ok(shared.door.ask_history(asked).await?)
}

/// An account's trades, all that there ever were.
pub(crate) async fn my_trades(
    shared: &Shared,
    account: AccountId,
    request: &MyTradesRequest,
) -> Result<Vec<AccountTrade>, ApiError> {
    let MyTradesRequest { market, order_id, from_id, times, limit } = *request;
    let filter = TradeFilter { order_id, from_id, times: within(times), limit };
    let asked = MyTrades { account, instrument: market.instrument.id, filter };
    Ok(shared.door.ask_history(asked).await?)
}

fn within(times: request::Times) -> Times {
    Times { start_ns: times.start_ns, end_ns: times.end_ns }
}
