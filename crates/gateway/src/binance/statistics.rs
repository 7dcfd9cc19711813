//! What was traded over some time: the tickers, and the average price.

use projection::WindowSince;
use protocol::binance::request::{
    AvgPriceRequest, DayTickerRequest, Selection, TradingDayRequest, WindowTickerRequest,
};
use protocol::binance::response::{AvgPrice, Statistics, StatisticsTicker, encode};
use protocol::signed::{ApiError, Params};
use types::{Interval, Market};

use crate::binance::call::{Answer, Call};
use crate::binance::select::{of_each, one_or_list, select};
use crate::socket::http::json;

use crate::binance::ticker::{
    DAY_MINUTES, NS_PER_MINUTE, average, avg_price_mins, statistics, statistics_of_day,
};
use crate::clock::now_ns;

/// `GET /api/v3/ticker/24hr`
pub(crate) async fn day_ticker(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let DayTickerRequest { selection, ticker_type } =
        DayTickerRequest::parse(call.params, &markets)?;
    let one = matches!(selection, Selection::One(_));
    let selected = select(&call.shared, selection);
    let found = of_each(&call.shared, selected, |view| statistics_of_day(view, now_ns())).await?;
    let ticker = |(market, statistics): &(Market, Statistics)| {
        encode(&StatisticsTicker::of_day(market, statistics, ticker_type, call.unit))
    };
    Ok(one_or_list(one, found.iter().map(ticker)))
}

/// `GET /api/v3/ticker/tradingDay`
pub(crate) async fn trading_day_ticker(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let TradingDayRequest { selection, zone, ticker_type } =
        TradingDayRequest::parse(call.params, &markets)?;
    let one = matches!(selection, Selection::One(_));
    let selected = select(&call.shared, selection);
    let now_ns = now_ns();
    let open_ns = Interval::Day1.open_ns(zone, now_ns);
    let close_ns = Interval::Day1.end_ns(zone, now_ns) - 1;
    let found = of_each(&call.shared, selected, move |view| statistics(view, open_ns, close_ns));
    let found = found.await?;
    let ticker = |(market, statistics): &(Market, Statistics)| {
        encode(&StatisticsTicker::new(market, statistics, ticker_type, call.unit))
    };
    Ok(one_or_list(one, found.iter().map(ticker)))
}

/// `GET /api/v3/ticker`: what is older than a day comes from the read model.
pub(crate) async fn window_ticker(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let WindowTickerRequest { selection, window_minutes, ticker_type } =
        WindowTickerRequest::parse(call.params, &markets)?;
    let one = matches!(selection, Selection::One(_));
    let selected = select(&call.shared, selection);
    let now_ns = now_ns();
    let from_ns = now_ns.saturating_sub(window_minutes * NS_PER_MINUTE);
    let looked_at = of_each(&call.shared, selected, move |view| statistics(view, from_ns, now_ns));
    let mut found = looked_at.await?;
    if window_minutes > DAY_MINUTES {
        let past = call.shared.door.past().await?;
        for (market, statistics) in &mut found {
            let (instrument, from_ns) = (market.instrument.id, statistics.open_ns);
            let window = past.ask(WindowSince { instrument, from_ns }).await?;
            (statistics.candle, statistics.prev_close) = (window.candle, window.before);
        }
    }
    let ticker = |(market, statistics): &(Market, Statistics)| {
        encode(&StatisticsTicker::new(market, statistics, ticker_type, call.unit))
    };
    Ok(one_or_list(one, found.iter().map(ticker)))
}

/// `GET /api/v3/avgPrice`: what the filters of the market take for its price, if they do.
pub(crate) async fn avg_price(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let AvgPriceRequest { market } = AvgPriceRequest::parse(call.params, &markets)?;
    let (id, mins) = (market.instrument.id, avg_price_mins(&market));
    let seen = call.shared.door.ask_views(move |views, _| {
        let view = views.instrument(id)?;
        let last_ns = view.trades.last().map_or(0, |trade| trade.traded_ns);
        Some((average(&market, view, now_ns()), last_ns))
    });
    let (average, last_ns) = seen.await?.ok_or_else(ApiError::invalid_symbol)?;
    let price = match market.rules.avg_price_mins {
        0 => average,
        _ => call.shared.door.avg_price(id).await?,
    };
    Ok(json(encode(&AvgPrice::new(&market, mins, price, last_ns, call.unit))))
}

/// Of the ticker of 24 hours.
pub(crate) fn day_ticker_weight(params: &Params) -> u32 {
    if params.contains("symbol") {
        return 2;
    }
    match symbol_count(params) {
        Some(0..=20) => 2,
        Some(21..=100) => 40,
        Some(_) | None => 80,
    }
}

/// Of the tickers of a trading day and of other windows.
pub(crate) fn window_ticker_weight(params: &Params) -> u32 {
    let count = symbol_count(params).unwrap_or(1).min(50);
    4 * u32::try_from(count).unwrap_or(50)
}

fn symbol_count(params: &Params) -> Option<usize> {
    params.peek("symbols").map(|symbols| symbols.split(',').count())
}
