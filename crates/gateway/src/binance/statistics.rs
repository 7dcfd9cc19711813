//! Statistics of a period: the tickers, and the average price.

use projection::WindowSince;
use protocol::binance::request::{
    AvgPriceRequest, DayTickerRequest, TradingDayRequest, WindowTickerRequest,
};
use protocol::binance::response::{AvgPrice, StatisticsTicker};
use protocol::signed::{ApiError, Params};
use types::Interval;

use crate::binance::call::{Answer, Call};
use crate::binance::select::{OneOrAll, query_views};
use crate::binance::ticker::{
    DAY_MINUTES, NS_PER_MINUTE, average, avg_price_mins, statistics, statistics_of_day,
};
use crate::clock::now_ns;

/// `GET /api/v3/ticker/24hr`
pub(crate) async fn day_ticker(
    call: Call,
    DayTickerRequest { selection, ticker_type }: DayTickerRequest,
) -> Answer<OneOrAll<StatisticsTicker>> {
    let found =
        query_views(&call.shared, selection, |view| statistics_of_day(view, now_ns())).await?;
    Ok(found.map(|(market, statistics)| {
        StatisticsTicker::of_day(&market, &statistics, ticker_type, call.unit)
    }))
}

/// `GET /api/v3/ticker/tradingDay`
pub(crate) async fn trading_day_ticker(
    call: Call,
    TradingDayRequest { selection, zone, ticker_type }: TradingDayRequest,
) -> Answer<OneOrAll<StatisticsTicker>> {
    let now_ns = now_ns();
    let open_ns = Interval::Day1.open_ns(zone, now_ns);
    let close_ns = Interval::Day1.end_ns(zone, now_ns) - 1;
    let found =
        query_views(&call.shared, selection, move |view| statistics(view, open_ns, close_ns));
    Ok(found.await?.map(|(market, statistics)| {
        StatisticsTicker::new(&market, &statistics, ticker_type, call.unit)
    }))
}

/// `GET /api/v3/ticker`: the read model answers for what is older than a day.
pub(crate) async fn window_ticker(
    call: Call,
    WindowTickerRequest { selection, window_minutes, ticker_type }: WindowTickerRequest,
) -> Answer<OneOrAll<StatisticsTicker>> {
    let now_ns = now_ns();
    let from_ns = now_ns.saturating_sub(window_minutes * NS_PER_MINUTE);
    let found = query_views(&call.shared, selection, move |view| statistics(view, from_ns, now_ns));
    let mut found = found.await?;
    if window_minutes > DAY_MINUTES {
        let history = call.shared.door.caught_up_history().await?;
        for (market, statistics) in found.as_mut_slice() {
            let (instrument, from_ns) = (market.instrument.id, statistics.open_ns);
            let window = history.ask(WindowSince { instrument, from_ns }).await?;
            (statistics.candle, statistics.prev_close) = (window.candle, window.before);
        }
    }
    Ok(found.map(|(market, statistics)| {
        StatisticsTicker::new(&market, &statistics, ticker_type, call.unit)
    }))
}

/// `GET /api/v3/avgPrice`: the price that the market's filters use, if it has such filters.
pub(crate) async fn avg_price(
    call: Call,
    AvgPriceRequest { market }: AvgPriceRequest,
) -> Answer<AvgPrice> {
    let (id, mins) = (market.instrument.id, avg_price_mins(&market));
    let found = call.shared.door.ask_views(move |views, _| {
        let view = views.instrument(id)?;
        let last_ns = view.trades.last().map_or(0, |trade| trade.traded_ns);
        Some((average(&market, view, now_ns()), last_ns))
    });
    let (average, last_ns) = found.await?.ok_or_else(ApiError::invalid_symbol)?;
    let price = match market.rules.avg_price_mins {
        0 => average,
        _ => call.shared.door.avg_price(id).await?,
    };
    Ok(AvgPrice::new(&market, mins, price, last_ns, call.unit))
}

/// Weight of the 24-hour ticker.
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

/// Weight of the tickers of a trading day and of other windows.
pub(crate) fn window_ticker_weight(params: &Params) -> u32 {
    let count = symbol_count(params).unwrap_or(1).min(50);
    4 * u32::try_from(count).unwrap_or(50)
}

fn symbol_count(params: &Params) -> Option<usize> {
    params.peek("symbols").map(|symbols| symbols.split(',').count())
}
