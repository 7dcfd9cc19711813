//! The book and the trades, as the public sees them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use types::{Amount, Market, Price, Qty, Side, TradeId};

use crate::binance::decimal::Decimal;
use crate::signed::TimeUnit;

/// A price and the quantity there.
pub type Level = (Price, Qty);

/// `GET /api/v3/depth`, and the stream of partial depth.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Depth {
    pub last_update_id: u64,
    pub bids: Vec<[String; 2]>,
    pub asks: Vec<[String; 2]>,
}

impl Depth {
    pub fn new(market: &Market, last_update_id: u64, bids: &[Level], asks: &[Level]) -> Self {
        Self { last_update_id, bids: levels(market, bids), asks: levels(market, asks) }
    }
}

fn levels(market: &Market, levels: &[Level]) -> Vec<[String; 2]> {
    levels.iter().map(|(price, qty)| [market.price(*price), market.qty(*qty)]).collect()
}

/// Levels of a stream, without a list of texts.
pub(crate) struct Levels<'a>(pub(crate) &'a Market, pub(crate) &'a [Level]);

impl Serialize for Levels<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self(market, levels) = self;
        let texts =
            |(price, qty): &Level| [Decimal::price(market, *price), Decimal::qty(market, *qty)];
        to.collect_seq(levels.iter().map(texts))
    }
}

/// The public part of a trade.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PublicTrade {
    pub trade_id: TradeId,
    pub price: Price,
    pub qty: Qty,
    pub quote: Amount,
    pub traded_ns: u64,
    pub aggressor: Side,
}

/// One of `GET /api/v3/trades`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trade {
    id: u64,
    price: String,
    qty: String,
    quote_qty: String,
    time: u64,
    is_buyer_maker: bool,
    is_best_match: bool,
}

impl Trade {
    pub fn new(market: &Market, trade: &PublicTrade, unit: TimeUnit) -> Self {
        Self {
            id: trade.trade_id.0,
            price: market.price(trade.price),
            qty: market.qty(trade.qty),
            quote_qty: market.quote_amount(trade.quote),
            time: unit.time(trade.traded_ns),
            is_buyer_maker: trade.aggressor == Side::Sell,
            is_best_match: true,
        }
    }
}

/// One of `GET /api/v3/ticker/price`
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PriceTicker {
    symbol: String,
    price: String,
}

impl PriceTicker {
    /// Zero where nothing was traded yet.
    pub fn new(market: &Market, last_price: Option<Price>) -> Self {
        let price = market.price(last_price.unwrap_or_default());
        Self { symbol: market.symbol().to_owned(), price }
    }
}

/// One of `GET /api/v3/ticker/bookTicker`
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BookTicker {
    pub symbol: String,
    pub bid_price: String,
    pub bid_qty: String,
    pub ask_price: String,
    pub ask_qty: String,
}

impl BookTicker {
    /// Zeros where a side is empty.
    pub fn new(market: &Market, bid: Option<Level>, ask: Option<Level>) -> Self {
        let (bid, ask) = (bid.unwrap_or_default(), ask.unwrap_or_default());
        Self {
            symbol: market.symbol().to_owned(),
            bid_price: market.price(bid.0),
            bid_qty: market.qty(bid.1),
            ask_price: market.price(ask.0),
            ask_qty: market.qty(ask.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::binance::testing::{btcusdt, check};

    const MS: TimeUnit = TimeUnit::Millisecond;

    #[test]
    fn market_data_prints_decimals() {
        let market = btcusdt();
        let level = |ticks, lots| (Price::from_ticks(ticks), Qty::from_lots(lots));
        check(
            &Depth::new(&market, 160, &[level(400, 431)], &[]),
            json!({"lastUpdateId": 160, "bids": [["4.00000000", "0.00431000"]], "asks": []}),
        );
        let trade = PublicTrade {
            trade_id: TradeId(28_457),
            price: Price::from_ticks(400),
            qty: Qty::from_lots(100_000),
            quote: Amount::from_minor(400_000_000),
            traded_ns: 1_499_865_549_590_000_000,
            aggressor: Side::Sell,
        };
        check(
            &Trade::new(&market, &trade, MS),
            json!({
                "id": 28_457, "price": "4.00000000", "qty": "1.00000000",
                "quoteQty": "4.00000000", "time": 1_499_865_549_590_u64,
                "isBuyerMaker": true, "isBestMatch": true,
            }),
        );
        check(
            &PriceTicker::new(&market, Some(Price::from_ticks(400))),
            json!({"symbol": "BTCUSDT", "price": "4.00000000"}),
        );
        check(
            &BookTicker::new(&market, Some(level(400, 1)), None),
            json!({
                "symbol": "BTCUSDT", "bidPrice": "4.00000000", "bidQty": "0.00001000",
                "askPrice": "0.00000000", "askQty": "0.00000000",
            }),
        );
    }
}
