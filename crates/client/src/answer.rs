//! Answers, as they are read. Fields that a later venue adds are passed over.

use serde::{Deserialize, Deserializer};
use types::Side;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerTime {
    pub(crate) server_time: u64,
}

/// What is listed, and by which rules it trades.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeInfo {
    pub server_time: u64,
    pub symbols: Vec<SymbolInfo>,
}

impl ExchangeInfo {
    pub fn symbol(&self, symbol: &str) -> Option<&SymbolInfo> {
        self.symbols.iter().find(|info| info.symbol == symbol)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolInfo {
    pub symbol: String,
    pub status: String,
    pub base_asset: String,
    pub base_asset_precision: u8,
    pub quote_asset: String,
    pub quote_asset_precision: u8,
    pub order_types: Vec<String>,
    pub filters: Vec<Filter>,
}

impl SymbolInfo {
    pub fn tick_size(&self) -> Option<&str> {
        self.filters.iter().find_map(|filter| match filter {
            Filter::PriceFilter { tick_size, .. } => Some(tick_size.as_str()),
            _ => None,
        })
    }

    pub fn lot_size(&self) -> Option<&str> {
        self.filters.iter().find_map(|filter| match filter {
            Filter::LotSize { step_size, .. } => Some(step_size.as_str()),
            _ => None,
        })
    }
}

/// A rule that orders must keep to.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "filterType", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum Filter {
    PriceFilter {
        min_price: String,
        max_price: String,
        tick_size: String,
    },
    LotSize {
        min_qty: String,
        max_qty: String,
        step_size: String,
    },
    Notional {
        min_notional: String,
        max_notional: String,
    },
    MaxNumOrders {
        max_num_orders: u32,
    },
    #[serde(other)]
    Other,
}

/// The book: price and quantity of each level, best first.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Depth {
    pub last_update_id: u64,
    pub bids: Vec<(String, String)>,
    pub asks: Vec<(String, String)>,
}

/// The best bid and offer; zeros where a side is empty.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BookTicker {
    pub symbol: String,
    pub bid_price: String,
    pub bid_qty: String,
    pub ask_price: String,
    pub ask_qty: String,
}

/// A new order, as it stood when it had been matched.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedOrder {
    pub symbol: String,
    pub order_id: u64,
    pub client_order_id: String,
    pub transact_time: u64,
    pub price: String,
    pub orig_qty: String,
    pub executed_qty: String,
    pub cummulative_quote_qty: String,
    pub status: String,
    #[serde(deserialize_with = "side")]
    pub side: Side,
    #[serde(default)]
    pub fills: Vec<Fill>,
}

impl PlacedOrder {
    pub fn is_open(&self) -> bool {
        is_open(&self.status)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fill {
    pub price: String,
    pub qty: String,
    pub commission: String,
    pub commission_asset: String,
    pub trade_id: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CanceledOrder {
    pub symbol: String,
    pub order_id: u64,
    pub orig_client_order_id: String,
    pub client_order_id: String,
    pub transact_time: u64,
    pub price: String,
    pub orig_qty: String,
    pub executed_qty: String,
    pub cummulative_quote_qty: String,
    pub status: String,
    #[serde(deserialize_with = "side")]
    pub side: Side,
}

/// A cancel's answer: canceling an order of a list cancels the list.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Canceled {
    Order(CanceledOrder),
    #[serde(rename_all = "camelCase")]
    List {
        order_reports: Vec<CanceledOrder>,
    },
}

impl Canceled {
    pub(crate) fn into_orders(self) -> Vec<CanceledOrder> {
        match self {
            Self::Order(order) => vec![order],
            Self::List { order_reports } => order_reports,
        }
    }
}

/// An order canceled, and the one that took its place.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplacedOrder {
    /// Several where it was one of a list.
    #[serde(rename = "cancelResponse", deserialize_with = "canceled")]
    pub canceled: Vec<CanceledOrder>,
    #[serde(rename = "newOrderResponse")]
    pub placed: PlacedOrder,
}

/// An order that was asked about.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderInfo {
    pub symbol: String,
    pub order_id: u64,
    pub client_order_id: String,
    pub price: String,
    pub orig_qty: String,
    pub executed_qty: String,
    pub cummulative_quote_qty: String,
    pub status: String,
    pub time_in_force: String,
    #[serde(rename = "type")]
    pub order_type: String,
    #[serde(deserialize_with = "side")]
    pub side: Side,
    pub time: u64,
    pub update_time: u64,
}

impl OrderInfo {
    pub fn is_open(&self) -> bool {
        is_open(&self.status)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    pub can_trade: bool,
    pub update_time: u64,
    pub balances: Vec<Balance>,
}

impl Account {
    pub fn balance(&self, asset: &str) -> Option<&Balance> {
        self.balances.iter().find(|balance| balance.asset == asset)
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Balance {
    pub asset: String,
    pub free: String,
    /// Held by open orders.
    pub locked: String,
}

/// A trade of one's own.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MyTrade {
    pub symbol: String,
    pub id: u64,
    pub order_id: u64,
    pub price: String,
    pub qty: String,
    pub quote_qty: String,
    pub commission: String,
    pub commission_asset: String,
    pub time: u64,
    pub is_buyer: bool,
    pub is_maker: bool,
}

fn is_open(status: &str) -> bool {
    matches!(status, "NEW" | "PARTIALLY_FILLED" | "PENDING_NEW")
}

fn canceled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CanceledOrder>, D::Error> {
    Canceled::deserialize(deserializer).map(Canceled::into_orders)
}

fn side<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Side, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    enum Word {
        Buy,
        Sell,
    }
    Ok(match Word::deserialize(deserializer)? {
        Word::Buy => Side::Buy,
        Word::Sell => Side::Sell,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_that_are_not_known_are_passed_over() {
        let info: ExchangeInfo = serde_json::from_str(
            r#"{"timezone": "UTC", "serverTime": 1, "symbols": [{
                "symbol": "BTCUSDT", "status": "TRADING", "baseAsset": "BTC",
                "baseAssetPrecision": 8, "quoteAsset": "USDT", "quoteAssetPrecision": 8,
                "orderTypes": ["LIMIT"], "filters": [
                    {"filterType": "PERCENT_PRICE", "multiplierUp": "5"},
                    {"filterType": "PRICE_FILTER", "minPrice": "0.01", "maxPrice": "9",
                     "tickSize": "0.01"},
                    {"filterType": "LOT_SIZE", "minQty": "0.1", "maxQty": "9", "stepSize": "0.1"}
                ]}]}"#,
        )
        .unwrap();
        let symbol = info.symbol("BTCUSDT").unwrap();
        assert_eq!(symbol.tick_size(), Some("0.01"));
        assert_eq!(symbol.lot_size(), Some("0.1"));
        assert!(matches!(symbol.filters[0], Filter::Other));
        assert!(info.symbol("ETHBTC").is_none());
    }
}
