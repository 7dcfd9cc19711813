//! Candles, aggregate trades, and statistics.

use schemars::JsonSchema;
use serde::Serialize;
use types::{AggTrade, Amount, Candle, Interval, Market, Price, Qty, TimeZone, format_decimal};

use super::Level;
use crate::binance::request::TickerType;
use crate::signed::TimeUnit;

/// One of `GET /api/v3/klines`: a list without names.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Kline(
    u64,
    String,
    String,
    String,
    String,
    String,
    u64,
    String,
    u64,
    String,
    String,
    &'static str,
);

impl Kline {
    pub fn new(
        market: &Market,
        candle: &Candle,
        interval: Interval,
        zone: TimeZone,
        unit: TimeUnit,
    ) -> Self {
        Self(
            unit.time(candle.open_ns),
            market.price(candle.open),
            market.price(candle.high),
            market.price(candle.low),
            market.price(candle.close),
            market.volume(candle.volume_lots),
            unit.time(close_ns(candle, interval, zone)),
            market.quote_amount(candle.quote),
            candle.trade_count,
            market.volume(candle.taker_buy_lots),
            market.quote_amount(candle.taker_buy_quote),
            "0",
        )
    }
}

/// The last moment of a candle.
pub(crate) fn close_ns(candle: &Candle, interval: Interval, zone: TimeZone) -> u64 {
    interval.end_ns(zone, candle.open_ns) - 1
}

/// One of `GET /api/v3/aggTrades`
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AggTradeInfo {
    a: u64,
    p: String,
    q: String,
    f: u64,
    l: u64,
    #[serde(rename = "T")]
    time: u64,
    m: bool,
    #[serde(rename = "M")]
    is_best_match: bool,
}

impl AggTradeInfo {
    pub fn new(market: &Market, trade: &AggTrade, unit: TimeUnit) -> Self {
        Self {
            a: trade.first_trade.0,
            p: market.price(trade.price),
            q: market.qty(trade.qty),
            f: trade.first_trade.0,
            l: trade.last_trade.0,
            time: unit.time(trade.traded_ns),
            m: trade.is_buyer_maker,
            is_best_match: true,
        }
    }
}

/// `GET /api/v3/avgPrice`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AvgPrice {
    mins: u32,
    price: String,
    close_time: u64,
}

impl AvgPrice {
    /// Zero before the first trade.
    pub fn new(
        market: &Market,
        mins: u32,
        price: Option<Price>,
        last_trade_ns: u64,
        unit: TimeUnit,
    ) -> Self {
        let price = market.price(price.unwrap_or_default());
        Self { mins, price, close_time: unit.time(last_trade_ns) }
    }
}

/// What was traded in a market over some time, and how it stands now.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Statistics {
    /// `None` without a trade.
    pub candle: Option<Candle>,
    /// The last price before it.
    pub prev_close: Option<Price>,
    /// The last trade of all.
    pub last: Option<(Price, Qty)>,
    pub bid: Option<Level>,
    pub ask: Option<Level>,
    pub open_ns: u64,
    pub close_ns: u64,
}

impl Statistics {
    /// Without a trade there are zeros, but for the last price.
    pub(crate) fn summary(&self) -> Candle {
        let none = || Candle {
            close: self.last.map_or(Price::default(), |(price, _)| price),
            ..Candle::without_trade(self.open_ns, Price::default())
        };
        self.candle.unwrap_or_else(none)
    }

    pub(crate) fn change(&self) -> Price {
        let open_to_close =
            |candle: Candle| Price::from_ticks(candle.close.ticks() - candle.open.ticks());
        self.candle.map(open_to_close).unwrap_or_default()
    }

    /// In percent, with three places; zero where nothing can be divided by.
    pub(crate) fn change_percent(&self) -> String {
        let open = self.candle.map_or(0, |candle| i128::from(candle.open.ticks()));
        let thousandths = match open {
            0 => 0,
            open => round(i128::from(self.change().ticks()) * 100_000, open),
        };
        format_decimal(thousandths, 3, 3)
    }

    /// What was paid over what was bought, rounded down to the quote asset's smallest unit.
    pub(crate) fn weighted_avg_price(&self, market: &Market) -> String {
        let average = self.candle.map_or(0, |candle| {
            let lot = market.instrument.spec.lot_size;
            let scale = 10_i128.pow(u32::from(lot.decimals));
            let units = candle.volume_lots.saturating_mul(i128::from(lot.units)).max(1);
            match candle.quote.minor().checked_mul(scale) {
                Some(scaled) => scaled.div_euclid(units),
                None => candle.quote.minor().div_euclid(units).saturating_mul(scale),
            }
        });
        market.quote_amount(Amount::from_minor(average))
    }

    /// The ids of the first and the last trade, -1 without one.
    pub(crate) fn trade_ids(&self) -> [i64; 2] {
        let id = |id: u64| i64::try_from(id).unwrap_or(i64::MAX);
        self.candle.map_or([-1, -1], |c| [id(c.first_trade.0), id(c.last_trade.0)])
    }
}

/// To the nearest whole number, halves away from zero.
fn round(dividend: i128, divisor: i128) -> i128 {
    let (dividend, divisor) = if divisor < 0 { (-dividend, -divisor) } else { (dividend, divisor) };
    let half = if dividend < 0 { -(divisor / 2) } else { divisor / 2 };
    (dividend + half) / divisor
}

/// One of `GET /api/v3/ticker/24hr`, `…/tradingDay` and `/api/v3/ticker`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatisticsTicker {
    symbol: String,
    #[serde(flatten)]
    change: Option<Change>,
    #[serde(flatten)]
    quotes: Option<Quotes>,
    open_price: String,
    high_price: String,
    low_price: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_price: Option<String>,
    volume: String,
    quote_volume: String,
    open_time: u64,
    close_time: u64,
    first_id: i64,
    last_id: i64,
    count: u64,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    price_change: String,
    price_change_percent: String,
    weighted_avg_price: String,
}

/// What only the ticker of 24 hours has.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Quotes {
    prev_close_price: String,
    last_price: String,
    last_qty: String,
    bid_price: String,
    bid_qty: String,
    ask_price: String,
    ask_qty: String,
}

impl StatisticsTicker {
    /// That of 24 hours.
    pub fn of_day(
        market: &Market,
        statistics: &Statistics,
        ticker_type: TickerType,
        unit: TimeUnit,
    ) -> Self {
        let (bid, ask) = (statistics.bid.unwrap_or_default(), statistics.ask.unwrap_or_default());
        let quotes = || Quotes {
            prev_close_price: market.price(statistics.prev_close.unwrap_or_default()),
            last_price: market.price(statistics.summary().close),
            last_qty: market.qty(statistics.last.unwrap_or_default().1),
            bid_price: market.price(bid.0),
            bid_qty: market.qty(bid.1),
            ask_price: market.price(ask.0),
            ask_qty: market.qty(ask.1),
        };
        let quotes = (ticker_type == TickerType::Full).then(quotes);
        let ticker = Self::new(market, statistics, ticker_type, unit);
        let last_price = ticker.last_price.filter(|_| quotes.is_none());
        Self { quotes, last_price, ..ticker }
    }

    pub fn new(
        market: &Market,
        statistics: &Statistics,
        ticker_type: TickerType,
        unit: TimeUnit,
    ) -> Self {
        let summary = statistics.summary();
        let change = || Change {
            price_change: market.price(statistics.change()),
            price_change_percent: statistics.change_percent(),
            weighted_avg_price: statistics.weighted_avg_price(market),
        };
        let [first_id, last_id] = statistics.trade_ids();
        Self {
            symbol: market.symbol().to_owned(),
            change: (ticker_type == TickerType::Full).then(change),
            quotes: None,
            open_price: market.price(summary.open),
            high_price: market.price(summary.high),
            low_price: market.price(summary.low),
            last_price: Some(market.price(summary.close)),
            volume: market.volume(summary.volume_lots),
            quote_volume: market.quote_amount(summary.quote),
            open_time: unit.time(statistics.open_ns),
            close_time: unit.time(statistics.close_ns),
            first_id,
            last_id,
            count: summary.trade_count,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::TradeId;

    use super::*;
    use crate::binance::testing::{btcusdt, check};

    const MS: TimeUnit = TimeUnit::Millisecond;
    const OPEN_NS: u64 = 1_499_040_000_000_000_000;

    /// 1 at 4.00 and 3 at 5.00.
    fn candle() -> Candle {
        let (one, three) = (Qty::from_lots(100_000), Qty::from_lots(300_000));
        let trade = |id, ticks, qty, minor, is_buyer_maker| {
            let (price, quote) = (Price::from_ticks(ticks), Amount::from_minor(minor));
            Candle::of_trade(OPEN_NS, TradeId(id), price, qty, quote, is_buyer_maker)
        };
        let mut candle = trade(7, 400, one, 400_000_000, true);
        candle.add(&trade(8, 500, three, 1_500_000_000, false));
        candle
    }

    fn statistics() -> Statistics {
        Statistics {
            candle: Some(candle()),
            prev_close: Some(Price::from_ticks(390)),
            last: Some((Price::from_ticks(500), Qty::from_lots(300_000))),
            bid: Some((Price::from_ticks(499), Qty::from_lots(1))),
            ask: None,
            open_ns: OPEN_NS,
            close_ns: OPEN_NS + 86_400_000_000_000,
        }
    }

    #[test]
    fn a_kline_is_a_list() {
        check(
            &Kline::new(&btcusdt(), &candle(), Interval::Week1, TimeZone::UTC, MS),
            json!([
                1_499_040_000_000_u64,
                "4.00000000",
                "5.00000000",
                "4.00000000",
                "5.00000000",
                "4.00000000",
                1_499_644_799_999_u64,
                "19.00000000",
                2,
                "3.00000000",
                "15.00000000",
                "0"
            ]),
        );
    }

    #[test]
    fn an_aggregate_trade_has_the_id_of_its_first() {
        let trade = AggTrade {
            first_trade: TradeId(27_781),
            last_trade: TradeId(27_783),
            price: Price::from_ticks(400),
            qty: Qty::from_lots(100_000),
            quote: Amount::from_minor(400_000_000),
            traded_ns: 1_498_793_709_153_000_000,
            is_buyer_maker: true,
        };
        check(
            &AggTradeInfo::new(&btcusdt(), &trade, MS),
            json!({
                "a": 27_781, "p": "4.00000000", "q": "1.00000000", "f": 27_781, "l": 27_783,
                "T": 1_498_793_709_153_u64, "m": true, "M": true,
            }),
        );
    }

    #[test]
    fn the_ticker_of_a_day_has_quotes() {
        check(
            &StatisticsTicker::of_day(&btcusdt(), &statistics(), TickerType::Full, MS),
            json!({
                "symbol": "BTCUSDT", "priceChange": "1.00000000", "priceChangePercent": "25.000",
                "weightedAvgPrice": "4.75000000", "prevClosePrice": "3.90000000",
                "lastPrice": "5.00000000", "lastQty": "3.00000000", "bidPrice": "4.99000000",
                "bidQty": "0.00001000", "askPrice": "0.00000000", "askQty": "0.00000000",
                "openPrice": "4.00000000", "highPrice": "5.00000000", "lowPrice": "4.00000000",
                "volume": "4.00000000", "quoteVolume": "19.00000000",
                "openTime": 1_499_040_000_000_u64, "closeTime": 1_499_126_400_000_u64,
                "firstId": 7, "lastId": 8, "count": 2,
            }),
        );
    }

    #[test]
    fn a_mini_ticker_has_no_change() {
        let mini = json!({
            "symbol": "BTCUSDT", "openPrice": "4.00000000", "highPrice": "5.00000000",
            "lowPrice": "4.00000000", "lastPrice": "5.00000000", "volume": "4.00000000",
            "quoteVolume": "19.00000000", "openTime": 1_499_040_000_000_u64,
            "closeTime": 1_499_126_400_000_u64, "firstId": 7, "lastId": 8, "count": 2,
        });
        let (market, statistics) = (btcusdt(), statistics());
        check(&StatisticsTicker::of_day(&market, &statistics, TickerType::Mini, MS), mini.clone());
        check(&StatisticsTicker::new(&market, &statistics, TickerType::Mini, MS), mini);
    }

    #[test]
    fn without_a_trade_there_are_zeros_and_the_last_price() {
        let quiet = Statistics { candle: None, ..statistics() };
        check(
            &StatisticsTicker::new(&btcusdt(), &quiet, TickerType::Full, MS),
            json!({
                "symbol": "BTCUSDT", "priceChange": "0.00000000", "priceChangePercent": "0.000",
                "weightedAvgPrice": "0.00000000", "openPrice": "0.00000000",
                "highPrice": "0.00000000", "lowPrice": "0.00000000", "lastPrice": "5.00000000",
                "volume": "0.00000000", "quoteVolume": "0.00000000",
                "openTime": 1_499_040_000_000_u64, "closeTime": 1_499_126_400_000_u64,
                "firstId": -1, "lastId": -1, "count": 0,
            }),
        );
    }

    #[test]
    fn percent_is_rounded_to_the_nearest() {
        for (open, close, percent) in [
            (3, 4, "33.333"),
            (3, 5, "66.667"),
            (6, 5, "-16.667"),
            (-4, -5, "25.000"),
            (0, 5, "0.000"),
        ] {
            let (open, close) = (Price::from_ticks(open), Price::from_ticks(close));
            let candle = Some(Candle { open, close, ..candle() });
            let statistics = Statistics { candle, ..statistics() };
            assert_eq!(statistics.change_percent(), percent);
        }
    }
}
