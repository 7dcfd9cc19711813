//! Statistics of a market over a period, up to now.

use marketdata::{InstrumentView, Window};
use protocol::binance::response::{PublicTrade, Statistics};
use types::{Market, Price, Side};

use crate::feed::quote::best;

pub(crate) const NS_PER_MINUTE: u64 = 60_000_000_000;
pub(crate) const DAY_MINUTES: u64 = 24 * 60;
const DAY_NS: u64 = DAY_MINUTES * NS_PER_MINUTE;
/// The default of an instrument's rules.
const AVG_PRICE_MINS: u32 = 5;

/// Statistics over whole minutes, from the minute of `from_ns` on.
pub(crate) fn statistics(view: &InstrumentView, from_ns: u64, now_ns: u64) -> Statistics {
    let open_ns = from_ns - from_ns % NS_PER_MINUTE;
    let [bid, ask] = best(&view.book);
    let Window { candle, before } = view.statistics.window(open_ns);
    let last = view.trades.last().map(|trade| (trade.price, trade.qty));
    Statistics { candle, prev_close: before, last, bid, ask, open_ns, close_ns: now_ns }
}

/// Statistics over the last 24 hours.
pub(crate) fn statistics_of_day(view: &InstrumentView, now_ns: u64) -> Statistics {
    statistics(view, now_ns.saturating_sub(DAY_NS), now_ns)
}

pub(crate) fn avg_price_mins(market: &Market) -> u32 {
    match market.rules.avg_price_mins {
        0 => AVG_PRICE_MINS,
        mins => mins,
    }
}

/// The average price over whole minutes, rounded down to a tick. Without a trade it is the last
/// price.
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

pub(crate) fn public_trade(trade: &marketdata::PublicTrade) -> PublicTrade {
    PublicTrade {
        trade_id: trade.trade_id,
        price: trade.price,
        qty: trade.qty,
        quote: trade.quote,
        traded_ns: trade.traded_ns,
        aggressor: if trade.is_buyer_maker { Side::Sell } else { Side::Buy },
    }
}
