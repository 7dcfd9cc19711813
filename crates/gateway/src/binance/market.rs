//! Public queries: the time, the rules, the books and the trades.

use std::net::IpAddr;

use marketdata::InstrumentView;
use protocol::binance::request::{
    DepthRequest, ExchangeInfoRequest, NoParams, TickerRequest, TradesRequest,
};
use protocol::binance::response::{
    BookTicker, Depth, Empty, ExchangeInfo, Interval, PriceTicker, RateLimit, RateLimitType,
    ServerTime, Trade,
};
use protocol::signed::{ApiError, Params};

use crate::binance::call::{Answer, Call};
use crate::binance::select::{OneOrAll, query_views, select};
use crate::binance::shared::BinanceContext;
use crate::binance::ticker::public_trade;
use crate::clock::now_ns;
use crate::feed::quote::{best, best_levels};

/// `GET /api/v3/ping`
pub(crate) async fn ping(_: Call, _: NoParams) -> Answer<Empty> {
    Ok(Empty {})
}

/// `GET /api/v3/time`
pub(crate) async fn time(call: Call, _: NoParams) -> Answer<ServerTime> {
    Ok(ServerTime::new(now_ns(), call.unit))
}

/// `GET /api/v3/exchangeInfo`
pub(crate) async fn exchange_info(
    call: Call,
    request: ExchangeInfoRequest,
) -> Answer<ExchangeInfo> {
    let selected = select(&call.shared, request.selection);
    let show = request.show_permission_sets;
    let limits = rate_limits(&call.shared, call.peer);
    Ok(ExchangeInfo::new(now_ns(), call.unit, limits, &selected, show))
}

/// The limits of every client at this address.
fn rate_limits(shared: &BinanceContext, peer: IpAddr) -> Vec<RateLimit> {
    let weight = RateLimit {
        rate_limit_type: RateLimitType::RequestWeight,
        interval: Interval::Minute,
        interval_num: 1,
        limit: shared.door.limits.weight_per_minute,
    };
    if shared.door.limits.applies_to(peer) { vec![weight] } else { Vec::new() }
}

/// `GET /api/v3/depth`
pub(crate) async fn depth(
    call: Call,
    DepthRequest { market, limit }: DepthRequest,
) -> Answer<Depth> {
    let found = call.shared.door.ask_views(move |views, _| {
        let book = &views.instrument(market.instrument.id)?.book;
        Some((book.last_update_id(), best_levels(book, limit)))
    });
    let (update_id, [bids, asks]) = found.await?.ok_or_else(ApiError::invalid_symbol)?;
    Ok(Depth::new(&market, update_id, &bids, &asks))
}

pub(crate) fn depth_weight(params: &Params) -> u32 {
    match params.peek("limit").and_then(|limit| limit.parse::<u64>().ok()) {
        None | Some(0..=100) => 5,
        Some(101..=500) => 25,
        Some(501..=1000) => 50,
        Some(_) => 250,
    }
}

/// `GET /api/v3/trades`
pub(crate) async fn trades(
    call: Call,
    TradesRequest { market, limit }: TradesRequest,
) -> Answer<Vec<Trade>> {
    let found = call.shared.door.ask_views(move |views, _| {
        let trades = &views.instrument(market.instrument.id)?.trades;
        Some(trades.recent(limit).copied().collect::<Vec<_>>())
    });
    let found = found.await?.ok_or_else(ApiError::invalid_symbol)?;
    let trade = |trade| Trade::new(&market, &public_trade(trade), call.unit);
    Ok(found.iter().map(trade).collect())
}

/// `GET /api/v3/ticker/bookTicker`
pub(crate) async fn book_ticker(
    call: Call,
    TickerRequest { selection }: TickerRequest,
) -> Answer<OneOrAll<BookTicker>> {
    let found = query_views(&call.shared, selection, |view| best(&view.book)).await?;
    Ok(found.map(|(market, [bid, ask])| BookTicker::new(&market, bid, ask)))
}

/// `GET /api/v3/ticker/price`
pub(crate) async fn price_ticker(
    call: Call,
    TickerRequest { selection }: TickerRequest,
) -> Answer<OneOrAll<PriceTicker>> {
    let found = query_views(&call.shared, selection, InstrumentView::last_price).await?;
    Ok(found.map(|(market, last)| PriceTicker::new(&market, last)))
}

/// Weight of the tickers of last prices and of best quotes.
pub(crate) fn last_ticker_weight(params: &Params) -> u32 {
    if params.contains("symbol") { 2 } else { 4 }
}
