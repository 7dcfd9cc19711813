//! What was traded over some time: the tickers, and the average price.

use marketdata::{InstrumentView, Window};
use protocol::binance::request::{
    AvgPriceRequest, DayTickerRequest, Selection, TradingDayRequest, WindowTickerRequest,
};
use protocol::binance::response::{AvgPrice, Statistics, StatisticsTicker, encode};
use protocol::signed::{ApiError, Params};
use types::{Interval, Market, Price};

use crate::ask::{ask_engine, ask_views};
use crate::call::{Answer, Call, json};
use crate::history::ask_history;
use crate::hub::best;
use crate::market::{of_each, one_or_list, select};
use crate::now_ns;

const NS_PER_MINUTE: u64 = 60_000_000_000;
const DAY_MINUTES: u64 = 24 * 60;
const DAY_NS: u64 = DAY_MINUTES * NS_PER_MINUTE;
/// Where an instrument's rules say nothing else.
const AVG_PRICE_MINS: u32 = 5;

/// Of a market as it stands now, over the minutes from one on.
pub(crate) fn statistics(view: &InstrumentView, from_ns: u64, now_ns: u64) -> Statistics {
    let open_ns = from_ns - from_ns % NS_PER_MINUTE;
    let [bid, ask] = best(&view.book);
    let Window { candle, before } = view.statistics.window(open_ns);
    let last = view.trades.last().map(|trade| (trade.price, trade.qty));
    Statistics { candle, prev_close: before, last, bid, ask, open_ns, close_ns: now_ns }
}

/// The same over the last 24 hours.
pub(crate) fn statistics_of_day(view: &InstrumentView, now_ns: u64) -> Statistics {
    statistics(view, now_ns.saturating_sub(DAY_NS), now_ns)
}

/// `GET /api/v3/ticker/24hr`
pub(crate) async fn day_ticker(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.known.market(symbol);
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
    let markets = |symbol: &str| call.shared.known.market(symbol);
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
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let WindowTickerRequest { selection, window_minutes, ticker_type } =
        WindowTickerRequest::parse(call.params, &markets)?;
    let one = matches!(selection, Selection::One(_));
    let selected = select(&call.shared, selection);
    let now_ns = now_ns();
    let from_ns = now_ns.saturating_sub(window_minutes * NS_PER_MINUTE);
    let looked_at = of_each(&call.shared, selected, move |view| statistics(view, from_ns, now_ns));
    let mut found = looked_at.await?;
    if window_minutes > DAY_MINUTES {
        found = ask_history(&call.shared, move |history| {
            for (market, statistics) in &mut found {
                let window = history.window(market.instrument.id, statistics.open_ns)?;
                (statistics.candle, statistics.prev_close) = (window.candle, window.before);
            }
            Ok(found)
        })
        .await?;
    }
    let ticker = |(market, statistics): &(Market, Statistics)| {
        encode(&StatisticsTicker::new(market, statistics, ticker_type, call.unit))
    };
    Ok(one_or_list(one, found.iter().map(ticker)))
}

/// `GET /api/v3/avgPrice`: what the filters of the market take for its price, if they do.
pub(crate) async fn avg_price(call: Call) -> Answer {
    let markets = |symbol: &str| call.shared.known.market(symbol);
    let AvgPriceRequest { market } = AvgPriceRequest::parse(call.params, &markets)?;
    let (id, mins) = (market.instrument.id, avg_price_mins(&market));
    let seen = ask_views(&call.shared, move |views, _| {
        let view = views.instrument(id)?;
        let last_ns = view.trades.last().map_or(0, |trade| trade.traded_ns);
        Some((average(&market, view, now_ns()), last_ns))
    });
    let (average, last_ns) = seen.await?.ok_or_else(ApiError::invalid_symbol)?;
    let price = match market.rules.avg_price_mins {
        0 => average,
        _ => ask_engine(&call.shared, move |engine| engine.avg_price(id)).await?,
    };
    Ok(json(encode(&AvgPrice::new(&market, mins, price, last_ns, call.unit))))
}

pub(crate) fn avg_price_mins(market: &Market) -> u32 {
    match market.rules.avg_price_mins {
        0 => AVG_PRICE_MINS,
        mins => mins,
    }
}

/// The average over whole minutes, rounded down to a tick; without a trade the last price.
pub(crate) fn average(market: &Market, view: &InstrumentView, now_ns: u64) -> Option<Price> {
    let mins = u64::from(avg_price_mins(market));
    let window = view.statistics.window(now_ns.saturating_sub(mins * NS_PER_MINUTE));
    let average = window.candle.and_then(|candle| {
        let lots = candle.volume_lots.checked_mul(i128::from(market.instrument.tick_lot_minor))?;
        let ticks = candle.quote.minor().checked_div_euclid(lots)?;
        i64::try_from(ticks).ok().map(Price::from_ticks)
    });
    average.or_else(|| view.last_price())
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
