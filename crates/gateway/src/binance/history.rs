//! Public queries about the past, answered from the read model.

use projection::{AggFilter, AggTrades, HistoricalTrades, Klines, Times};
use protocol::binance::request;
use protocol::binance::request::{AggTradesRequest, HistoricalTradesRequest, KlinesRequest};
use protocol::binance::response::{AggTradeInfo, Kline, Trade};

use crate::binance::call::{Answer, Call};
use crate::binance::ticker::public_trade;
use crate::clock::now_ns;

/// `GET /api/v3/historicalTrades`
pub(crate) async fn historical_trades(
    call: Call,
    HistoricalTradesRequest { market, from_id, limit }: HistoricalTradesRequest,
) -> Answer<Vec<Trade>> {
    let query = HistoricalTrades { instrument: market.instrument.id, from_id, limit };
    let found = call.shared.door.ask_history(query).await?;
    let trade = |trade| Trade::new(&market, &public_trade(trade), call.unit);
    Ok(found.iter().map(trade).collect())
}

/// `GET /api/v3/aggTrades`
pub(crate) async fn agg_trades(
    call: Call,
    AggTradesRequest { market, from_id, times, limit }: AggTradesRequest,
) -> Answer<Vec<AggTradeInfo>> {
    let filter = AggFilter { from_id, times: within(times), limit };
    let query = AggTrades { instrument: market.instrument.id, filter };
    let found = call.shared.door.ask_history(query).await?;
    Ok(found.iter().map(|trade| AggTradeInfo::new(&market, trade, call.unit)).collect())
}

/// `GET /api/v3/klines` and `GET /api/v3/uiKlines`
pub(crate) async fn klines(
    call: Call,
    KlinesRequest { market, interval, zone, times, limit }: KlinesRequest,
) -> Answer<Vec<Kline>> {
    let (instrument, times) = (market.instrument.id, within(times));
    let history = call.shared.door.caught_up_history().await?;
    let found = history.ask(Klines { instrument, interval, zone, times, limit, now_ns: now_ns() });
    let kline = |candle| Kline::new(&market, candle, interval, zone, call.unit);
    Ok(found.await?.iter().map(kline).collect())
}

pub(crate) fn within(times: request::Times) -> Times {
    Times { start_ns: times.start_ns, end_ns: times.end_ns }
}
