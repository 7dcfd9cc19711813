//! Public queries: the time, the rules, the books and the trades.

use std::net::IpAddr;

use marketdata::InstrumentView;
use protocol::binance::request::{
    DepthRequest, ExchangeInfoRequest, Selection, TickerRequest, TradesRequest,
};
use protocol::binance::response::{
    BookTicker, Depth, Empty, ExchangeInfo, Interval, PriceTicker, RateLimit, RateLimitType,
    ServerTime, Trade, encode,
};
use protocol::signed::{ApiError, Params};
use types::{Market, Price};

use crate::binance::call::{Answer, Call};
use crate::binance::ticker::public_trade;
use crate::feed::quote::{BestLevels, best, best_levels};
use crate::socket::http::json;

use crate::binance::select::{of_each, one_or_list, select};
use crate::binance::shared::Shared;
use crate::clock::now_ns;

/// `GET /api/v3/ping`
pub(crate) async fn ping(call: Call) -> Answer {
    call.params.finish()?;
    Ok(json(encode(&Empty {})))
}

/// `GET /api/v3/time`
pub(crate) async fn time(call: Call) -> Answer {
    call.params.finish()?;
    Ok(json(encode(&ServerTime::new(now_ns(), call.unit))))
}

/// `GET /api/v3/exchangeInfo`
pub(crate) async fn exchange_info(call: Call) -> Answer {
    // The directory has heard of all that was acknowledged once the views answer.
    call.shared.door.ask_views(|_, _| ()).await?;
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = ExchangeInfoRequest::parse(call.params, &markets)?;
    let selected = select(&call.shared, request.selection);
    let show = request.show_permission_sets;
    let limits = rate_limits(&call.shared, call.peer);
    let info = ExchangeInfo::new(now_ns(), call.unit, limits, &selected, show);
    Ok(json(encode(&info)))
}

/// Those that hold for every client.
fn rate_limits(shared: &Shared, peer: IpAddr) -> Vec<RateLimit> {
    let weight = RateLimit {
        rate_limit_type: RateLimitType::RequestWeight,
        interval: Interval::Minute,
        interval_num: 1,
        limit: shared.door.limits.weight_per_minute,
    };
    if shared.door.limits.holds_for(peer) { vec![weight] } else { Vec::new() }
}

/// `GET /api/v3/depth`
pub(crate) async fn depth(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let DepthRequest { market, limit } = DepthRequest::parse(call.params, &markets)?;
    let found = call.shared.door.ask_views(move |views, _| {
        let book = &views.instrument(market.instrument.id)?.book;
        Some((book.last_update_id(), best_levels(book, limit)))
    });
    let (update_id, [bids, asks]) = found.await?.ok_or_else(ApiError::invalid_symbol)?;
    Ok(json(encode(&Depth::new(&market, update_id, &bids, &asks))))
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
pub(crate) async fn trades(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let TradesRequest { market, limit } = TradesRequest::parse(call.params, &markets)?;
    let found = call.shared.door.ask_views(move |views, _| {
        let trades = &views.instrument(market.instrument.id)?.trades;
        Some(trades.recent(limit).copied().collect::<Vec<_>>())
    });
    let found = found.await?.ok_or_else(ApiError::invalid_symbol)?;
    let trade = |trade| Trade::new(&market, &public_trade(trade), call.unit);
    Ok(json(encode(&found.iter().map(trade).collect::<Vec<_>>())))
}

/// `GET /api/v3/ticker/bookTicker`
pub(crate) async fn book_ticker(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = TickerRequest::parse(call.params, &markets)?;
    let one = matches!(request.selection, Selection::One(_));
    let selected = select(&call.shared, request.selection);
    let found = of_each(&call.shared, selected, |view| best(&view.book)).await?;
    let ticker = |(market, [bid, ask]): &(Market, BestLevels)| BookTicker::new(market, *bid, *ask);
    Ok(one_or_list(one, found.iter().map(ticker).map(|ticker| encode(&ticker))))
}

/// `GET /api/v3/ticker/price`
pub(crate) async fn price_ticker(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = TickerRequest::parse(call.params, &markets)?;
    let one = matches!(request.selection, Selection::One(_));
    let selected = select(&call.shared, request.selection);
    let found = of_each(&call.shared, selected, InstrumentView::last_price).await?;
    let ticker = |(market, last): &(Market, Option<Price>)| PriceTicker::new(market, *last);
    Ok(one_or_list(one, found.iter().map(ticker).map(|ticker| encode(&ticker))))
}

/// Of the tickers that show the last price or the best quotes.
pub(crate) fn last_ticker_weight(params: &Params) -> u32 {
    if params.contains("symbol") { 2 } else { 4 }
}
