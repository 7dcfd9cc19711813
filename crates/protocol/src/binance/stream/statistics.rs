//! What is sent of candles and statistics.

use types::{Candle, Interval, Market, Price, TimeZone};

use super::RollingWindow;
use crate::binance::decimal::Decimal;
use crate::binance::object::object;
use crate::binance::response::{Statistics, close_ns};
use crate::signed::TimeUnit;

/// A candle as it is now, or as it is for ever.
pub fn kline(
    market: &Market,
    event_ns: u64,
    unit: TimeUnit,
    candle: &Candle,
    (interval, zone): (Interval, TimeZone),
    is_closed: bool,
) -> String {
    let id = |id: u64| match candle.trade_count {
        0 => -1,
        _ => i64::try_from(id).unwrap_or(i64::MAX),
    };
    let k = object! {
        "t": unit.time(candle.open_ns),
        "T": unit.time(close_ns(candle, interval, zone)),
        "s": market.symbol(),
        "i": interval.name(),
        "f": id(candle.first_trade.0),
        "L": id(candle.last_trade.0),
        "o": Decimal::price(market, candle.open),
        "c": Decimal::price(market, candle.close),
        "h": Decimal::price(market, candle.high),
        "l": Decimal::price(market, candle.low),
        "v": Decimal::volume(market, candle.volume_lots),
        "n": candle.trade_count,
        "x": is_closed,
        "q": Decimal::quote_amount(market, candle.quote),
        "V": Decimal::volume(market, candle.taker_buy_lots),
        "Q": Decimal::quote_amount(market, candle.taker_buy_quote),
        "B": "0",
    };
    object! {
        "e": "kline",
        "E": unit.time(event_ns),
        "s": market.symbol(),
        "k" [raw]: k,
    }
}

/// 24 hours, in short.
pub fn mini_ticker(market: &Market, unit: TimeUnit, statistics: &Statistics) -> String {
    let summary = statistics.summary();
    object! {
        "e": "24hrMiniTicker",
        "E": unit.time(statistics.close_ns),
        "s": market.symbol(),
        "c": Decimal::price(market, summary.close),
        "o": Decimal::price(market, summary.open),
        "h": Decimal::price(market, summary.high),
        "l": Decimal::price(market, summary.low),
        "v": Decimal::volume(market, summary.volume_lots),
        "q": Decimal::quote_amount(market, summary.quote),
    }
}

/// 24 hours, with the best quotes.
pub fn day_ticker(market: &Market, unit: TimeUnit, statistics: &Statistics) -> String {
    let summary = statistics.summary();
    let [first_trade, last_trade] = statistics.trade_ids();
    let (bid, ask) = (statistics.bid.unwrap_or_default(), statistics.ask.unwrap_or_default());
    object! {
        "e": "24hrTicker",
        "E": unit.time(statistics.close_ns),
        "s": market.symbol(),
        "p": Decimal::price(market, statistics.change()),
        "P": statistics.change_percent(),
        "w": statistics.weighted_avg_price(market),
        "x": Decimal::price(market, statistics.prev_close.unwrap_or_default()),
        "c": Decimal::price(market, summary.close),
        "Q": Decimal::qty(market, statistics.last.unwrap_or_default().1),
        "b": Decimal::price(market, bid.0),
        "B": Decimal::qty(market, bid.1),
        "a": Decimal::price(market, ask.0),
        "A": Decimal::qty(market, ask.1),
        "o": Decimal::price(market, summary.open),
        "h": Decimal::price(market, summary.high),
        "l": Decimal::price(market, summary.low),
        "v": Decimal::volume(market, summary.volume_lots),
        "q": Decimal::quote_amount(market, summary.quote),
        "O": unit.time(statistics.open_ns),
        "C": unit.time(statistics.close_ns),
        "F": first_trade,
        "L": last_trade,
        "n": summary.trade_count,
    }
}

/// One, four or 24 hours, from a minute on.
pub fn rolling_ticker(
    market: &Market,
    unit: TimeUnit,
    window: RollingWindow,
    statistics: &Statistics,
) -> String {
    let summary = statistics.summary();
    let [first_trade, last_trade] = statistics.trade_ids();
    object! {
        "e": format!("{}Ticker", window.name()),
        "E": unit.time(statistics.close_ns),
        "s": market.symbol(),
        "p": Decimal::price(market, statistics.change()),
        "P": statistics.change_percent(),
        "o": Decimal::price(market, summary.open),
        "h": Decimal::price(market, summary.high),
        "l": Decimal::price(market, summary.low),
        "c": Decimal::price(market, summary.close),
        "w": statistics.weighted_avg_price(market),
        "v": Decimal::volume(market, summary.volume_lots),
        "q": Decimal::quote_amount(market, summary.quote),
        "O": unit.time(statistics.open_ns),
        "C": unit.time(statistics.close_ns),
        "F": first_trade,
        "L": last_trade,
        "n": summary.trade_count,
    }
}

pub fn avg_price(
    market: &Market,
    event_ns: u64,
    unit: TimeUnit,
    mins: u32,
    price: Option<Price>,
    last_trade_ns: u64,
) -> String {
    object! {
        "e": "avgPrice",
        "E": unit.time(event_ns),
        "s": market.symbol(),
        "i": format!("{mins}m"),
        "w": Decimal::price(market, price.unwrap_or_default()),
        "T": unit.time(last_trade_ns),
    }
}

#[cfg(test)]
mod tests {
    use types::{Amount, Qty, TradeId};

    use super::*;
    use crate::binance::testing::btcusdt;

    const MS: TimeUnit = TimeUnit::Millisecond;
    const OPEN_NS: u64 = 1_672_515_780_000_000_000;

    fn candle() -> Candle {
        let (price, qty) = (Price::from_ticks(400), Qty::from_lots(100_000));
        let quote = Amount::from_minor(400_000_000);
        Candle::of_trade(OPEN_NS, TradeId(100), price, qty, quote, false)
    }

    fn statistics() -> Statistics {
        let level = Some((Price::from_ticks(399), Qty::from_lots(1)));
        let last = Some((Price::from_ticks(400), Qty::from_lots(100_000)));
        let (open_ns, close_ns) = (OPEN_NS, OPEN_NS + 1_000_000_000);
        let candle = Some(candle());
        Statistics { candle, prev_close: None, last, bid: level, ask: None, open_ns, close_ns }
    }

    #[test]
    fn a_candle_has_the_documented_fields_in_order() {
        let minute = (Interval::Minute1, TimeZone::UTC);
        assert_eq!(
            kline(&btcusdt(), OPEN_NS + 2_136_000_000, MS, &candle(), minute, true),
            concat!(
                r#"{"e":"kline","E":1672515782136,"s":"BTCUSDT","k":{"t":1672515780000,"#,
                r#""T":1672515839999,"s":"BTCUSDT","i":"1m","f":100,"L":100,"o":"4.00000000","#,
                r#""c":"4.00000000","h":"4.00000000","l":"4.00000000","v":"1.00000000","n":1,"#,
                r#""x":true,"q":"4.00000000","V":"1.00000000","Q":"4.00000000","B":"0"}}"#,
            )
        );
    }

    #[test]
    fn tickers_have_the_documented_fields_in_order() {
        let (market, statistics) = (btcusdt(), statistics());
        assert_eq!(
            mini_ticker(&market, MS, &statistics),
            concat!(
                r#"{"e":"24hrMiniTicker","E":1672515781000,"s":"BTCUSDT","c":"4.00000000","#,
                r#""o":"4.00000000","h":"4.00000000","l":"4.00000000","v":"1.00000000","#,
                r#""q":"4.00000000"}"#,
            )
        );
        assert_eq!(
            day_ticker(&market, MS, &statistics),
            concat!(
                r#"{"e":"24hrTicker","E":1672515781000,"s":"BTCUSDT","p":"0.00000000","#,
                r#""P":"0.000","w":"4.00000000","x":"0.00000000","c":"4.00000000","#,
                r#""Q":"1.00000000","b":"3.99000000","B":"0.00001000","a":"0.00000000","#,
                r#""A":"0.00000000","o":"4.00000000","h":"4.00000000","l":"4.00000000","#,
                r#""v":"1.00000000","q":"4.00000000","O":1672515780000,"C":1672515781000,"#,
                r#""F":100,"L":100,"n":1}"#,
            )
        );
        assert_eq!(
            rolling_ticker(&market, MS, RollingWindow::Hour4, &statistics),
            concat!(
                r#"{"e":"4hTicker","E":1672515781000,"s":"BTCUSDT","p":"0.00000000","P":"0.000","#,
                r#""o":"4.00000000","h":"4.00000000","l":"4.00000000","c":"4.00000000","#,
                r#""w":"4.00000000","v":"1.00000000","q":"4.00000000","O":1672515780000,"#,
                r#""C":1672515781000,"F":100,"L":100,"n":1}"#,
            )
        );
        assert_eq!(
            avg_price(&market, OPEN_NS, MS, 5, Some(Price::from_ticks(400)), OPEN_NS),
            concat!(
                r#"{"e":"avgPrice","E":1672515780000,"s":"BTCUSDT","i":"5m","w":"4.00000000","#,
                r#""T":1672515780000}"#,
            )
        );
    }
}
