//! What is sent of books and trades.

use serde::Serialize;
use types::{AggTrade, Market, Price, Qty, Side};

use crate::binance::decimal::Decimal;
use crate::binance::object::object;
use crate::binance::response::{Level, Levels, PublicTrade};
use crate::binance::symbol_status::SymbolStatus;
use crate::binance::words::side;
use crate::signed::TimeUnit;

/// Changes of the book, from one update id to another, both inclusive. A quantity of zero means
/// that the level is gone.
pub fn depth_update(
    market: &Market,
    event_ns: u64,
    unit: TimeUnit,
    first_update_id: u64,
    last_update_id: u64,
    bids: &[Level],
    asks: &[Level],
) -> String {
    object! {
        "e": "depthUpdate",
        "E": unit.time(event_ns),
        "s": market.symbol(),
        "U": first_update_id,
        "u": last_update_id,
        "b": Levels(market, bids),
        "a": Levels(market, asks),
    }
}

/// The best levels of the book.
pub fn partial_depth(
    market: &Market,
    last_update_id: u64,
    bids: &[Level],
    asks: &[Level],
) -> String {
    object! {
        "lastUpdateId": last_update_id,
        "bids": Levels(market, bids),
        "asks": Levels(market, asks),
    }
}

pub fn trade(market: &Market, event_ns: u64, unit: TimeUnit, trade: &PublicTrade) -> String {
    object! {
        "e": "trade",
        "E": unit.time(event_ns),
        "s": market.symbol(),
        "t": trade.trade_id.0,
        "p": Decimal::price(market, trade.price),
        "q": Decimal::qty(market, trade.qty),
        "T": unit.time(trade.traded_ns),
        "m": trade.aggressor == Side::Sell,
        "M": true,
    }
}

/// Trades of one order at one price, as one. The id is that of the first.
pub fn agg_trade(market: &Market, event_ns: u64, unit: TimeUnit, trade: &AggTrade) -> String {
    object! {
        "e": "aggTrade",
        "E": unit.time(event_ns),
        "s": market.symbol(),
        "a": trade.first_trade.0,
        "p": Decimal::price(market, trade.price),
        "q": Decimal::qty(market, trade.qty),
        "f": trade.first_trade.0,
        "l": trade.last_trade.0,
        "T": unit.time(trade.traded_ns),
        "m": trade.is_buyer_maker,
        "M": true,
    }
}

/// The best bid and offer; zeros where a side is empty.
pub fn book_ticker(
    market: &Market,
    update_id: u64,
    bid: Option<Level>,
    ask: Option<Level>,
) -> String {
    let (bid, ask) = (bid.unwrap_or_default(), ask.unwrap_or_default());
    object! {
        "u": update_id,
        "s": market.symbol(),
        "b": Decimal::price(market, bid.0),
        "B": Decimal::qty(market, bid.1),
        "a": Decimal::price(market, ask.0),
        "A": Decimal::qty(market, ask.1),
    }
}

/// The result of an auction, or what it would be now.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AuctionResult {
    /// `None` while nothing would trade.
    pub price: Option<Price>,
    pub volume: Qty,
    /// What is left over at the price, and its side.
    pub surplus: Qty,
    pub surplus_side: Side,
    /// Whether the auction is over, and this was its result.
    pub is_final: bool,
}

pub fn auction(market: &Market, event_ns: u64, unit: TimeUnit, result: &AuctionResult) -> String {
    let surplus_side = (!result.surplus.is_zero()).then(|| side(result.surplus_side));
    object! {
        "e": "auction",
        "E": unit.time(event_ns),
        "s": market.symbol(),
        "p": result.price.map(|price| Decimal::price(market, price)),
        "q": Decimal::qty(market, result.volume),
        "Q": Decimal::qty(market, result.surplus),
        "S": surplus_side,
        "x": result.is_final,
    }
}

/// What has changed of a market.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StatusCause {
    /// Nothing: what it is when a client subscribes.
    Present,
    Listed,
    /// Bounds, rules, fees or calendar.
    Rules,
    Phase,
    /// A halt of the venue, or its end.
    Halt,
    Delisted,
}

/// Status and phase of a market. A phase that ends by itself has a time for that.
pub fn symbol_status(market: &Market, event_ns: u64, unit: TimeUnit, cause: StatusCause) -> String {
    object! {
        "e": "symbolStatus",
        "E": unit.time(event_ns),
        "s": market.symbol(),
        "S": SymbolStatus::of(market),
        "p": format!("{:?}", market.trading.phase),
        "c": cause,
        "T": market.trading.until_ns.map(|until_ns| unit.time(until_ns)),
    }
}

/// Sent to every connection before the venue goes.
pub fn server_shutdown(event_ns: u64, unit: TimeUnit, combined: bool) -> String {
    let payload = format!(r#"{{"e":"serverShutdown","E":{}}}"#, unit.time(event_ns));
    if combined { format!(r#"{{"stream":"!serverShutdown","data":{payload}}}"#) } else { payload }
}

#[cfg(test)]
mod tests {
    use types::{Amount, Price, Qty, TradeId};

    use super::*;
    use crate::binance::testing::btcusdt;

    const MS: TimeUnit = TimeUnit::Millisecond;

    #[test]
    fn payloads_have_the_documented_fields_in_order() {
        let market = btcusdt();
        let level = |ticks, lots| (Price::from_ticks(ticks), Qty::from_lots(lots));
        const EVENT_NS: u64 = 1_672_515_782_136_000_000;
        assert_eq!(
            depth_update(&market, EVENT_NS, MS, 157, 160, &[level(24, 0)], &[level(26, 100_000)]),
            concat!(
                r#"{"e":"depthUpdate","E":1672515782136,"s":"BTCUSDT","U":157,"u":160,"#,
                r#""b":[["0.24000000","0.00000000"]],"a":[["0.26000000","1.00000000"]]}"#,
            )
        );
        assert_eq!(
            partial_depth(&market, 160, &[], &[level(26, 100_000)]),
            r#"{"lastUpdateId":160,"bids":[],"asks":[["0.26000000","1.00000000"]]}"#
        );
        let public = PublicTrade {
            trade_id: TradeId(12_345),
            price: Price::from_ticks(10),
            qty: Qty::from_lots(100_000),
            quote: Amount::from_minor(10_000_000),
            traded_ns: EVENT_NS,
            aggressor: Side::Sell,
        };
        assert_eq!(
            trade(&market, EVENT_NS, TimeUnit::Microsecond, &public),
            concat!(
                r#"{"e":"trade","E":1672515782136000,"s":"BTCUSDT","t":12345,"p":"0.10000000","#,
                r#""q":"1.00000000","T":1672515782136000,"m":true,"M":true}"#,
            )
        );
        assert_eq!(
            book_ticker(&market, 400, Some(level(2_535, 100_000)), None),
            concat!(
                r#"{"u":400,"s":"BTCUSDT","b":"25.35000000","B":"1.00000000","#,
                r#""a":"0.00000000","A":"0.00000000"}"#,
            )
        );
        assert_eq!(
            server_shutdown(EVENT_NS, MS, true),
            r#"{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1672515782136}}"#
        );
    }

    #[test]
    fn an_aggregate_trade_has_the_documented_fields_in_order() {
        let trade = AggTrade {
            first_trade: TradeId(100),
            last_trade: TradeId(105),
            price: Price::from_ticks(10),
            qty: Qty::from_lots(100_000),
            quote: Amount::from_minor(10_000_000),
            traded_ns: 1_672_515_782_136_000_000,
            is_buyer_maker: true,
        };
        assert_eq!(
            agg_trade(&btcusdt(), 1_672_515_782_136_000_000, MS, &trade),
            concat!(
                r#"{"e":"aggTrade","E":1672515782136,"s":"BTCUSDT","a":100,"p":"0.10000000","#,
                r#""q":"1.00000000","f":100,"l":105,"T":1672515782136,"m":true,"M":true}"#,
            )
        );
    }
}
