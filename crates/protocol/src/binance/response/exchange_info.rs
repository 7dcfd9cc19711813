//! What is listed, and by which rules it trades.

use serde::Serialize;
use types::{Price, Qty};

use crate::binance::{Market, SymbolStatus, TimeUnit};

/// `GET /api/v3/exchangeInfo`
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeInfo {
    timezone: &'static str,
    server_time: u64,
    rate_limits: Vec<RateLimit>,
    exchange_filters: Vec<Filter>,
    symbols: Vec<SymbolInfo>,
}

impl ExchangeInfo {
    pub fn new<'a>(
        now_ns: u64,
        unit: TimeUnit,
        rate_limits: Vec<RateLimit>,
        markets: impl IntoIterator<Item = &'a Market>,
        show_permission_sets: bool,
    ) -> Self {
        let info = |market| SymbolInfo::new(market, show_permission_sets);
        Self {
            timezone: "UTC",
            server_time: unit.time(now_ns),
            rate_limits,
            exchange_filters: Vec::new(),
            symbols: markets.into_iter().map(info).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    pub rate_limit_type: RateLimitType,
    pub interval: Interval,
    pub interval_num: u32,
    pub limit: u32,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RateLimitType {
    RequestWeight,
    Orders,
    RawRequests,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Interval {
    Second,
    Minute,
    Day,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SymbolInfo {
    symbol: String,
    status: SymbolStatus,
    base_asset: String,
    base_asset_precision: u8,
    quote_asset: String,
    quote_precision: u8,
    quote_asset_precision: u8,
    base_commission_precision: u8,
    quote_commission_precision: u8,
    order_types: [&'static str; 3],
    iceberg_allowed: bool,
    oco_allowed: bool,
    oto_allowed: bool,
    opo_allowed: bool,
    quote_order_qty_market_allowed: bool,
    allow_trailing_stop: bool,
    cancel_replace_allowed: bool,
    amend_allowed: bool,
    peg_instructions_allowed: bool,
    is_spot_trading_allowed: bool,
    is_margin_trading_allowed: bool,
    filters: [Filter; 5],
    permissions: [&'static str; 0],
    permission_sets: Vec<[&'static str; 1]>,
    default_self_trade_prevention_mode: &'static str,
    allowed_self_trade_prevention_modes: [&'static str; 1],
}

impl SymbolInfo {
    fn new(market: &Market, show_permission_sets: bool) -> Self {
        Self {
            symbol: market.symbol().to_owned(),
            status: market.status,
            base_asset: market.base.name.to_string(),
            base_asset_precision: market.base.decimals,
            quote_asset: market.quote.name.to_string(),
            quote_precision: market.quote.decimals,
            quote_asset_precision: market.quote.decimals,
            base_commission_precision: market.base.decimals,
            quote_commission_precision: market.quote.decimals,
            order_types: ["LIMIT", "LIMIT_MAKER", "MARKET"],
            iceberg_allowed: false,
            oco_allowed: false,
            oto_allowed: false,
            opo_allowed: false,
            quote_order_qty_market_allowed: true,
            allow_trailing_stop: false,
            cancel_replace_allowed: true,
            amend_allowed: true,
            peg_instructions_allowed: false,
            is_spot_trading_allowed: true,
            is_margin_trading_allowed: false,
            filters: filters(market),
            permissions: [],
            permission_sets: if show_permission_sets { vec![["SPOT"]] } else { Vec::new() },
            default_self_trade_prevention_mode: "NONE",
            allowed_self_trade_prevention_modes: ["NONE"],
        }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "filterType", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
enum Filter {
    #[serde(rename = "PRICE_FILTER")]
    Price {
        min_price: String,
        max_price: String,
        tick_size: String,
    },
    LotSize {
        min_qty: String,
        max_qty: String,
        step_size: String,
    },
    MarketLotSize {
        min_qty: String,
        max_qty: String,
        step_size: String,
    },
    Notional {
        min_notional: String,
        apply_min_to_market: bool,
        max_notional: String,
        apply_max_to_market: bool,
        avg_price_mins: u32,
    },
    MaxNumOrders {
        max_num_orders: u32,
    },
}

fn filters(market: &Market) -> [Filter; 5] {
    let spec = &market.instrument.spec;
    let one_lot = market.qty(Qty::from_lots(1));
    [
        Filter::Price {
            min_price: market.price(spec.min_price),
            max_price: market.price(spec.max_price),
            tick_size: market.price(Price::from_ticks(1)),
        },
        Filter::LotSize {
            min_qty: market.qty(spec.min_qty),
            max_qty: market.qty(spec.max_qty),
            step_size: one_lot.clone(),
        },
        Filter::MarketLotSize {
            min_qty: market.qty(spec.min_qty),
            max_qty: market.qty(spec.market_max_qty),
            step_size: one_lot,
        },
        Filter::Notional {
            min_notional: market.quote_amount(spec.min_notional),
            apply_min_to_market: true,
            max_notional: market.quote_amount(spec.max_notional),
            apply_max_to_market: true,
            avg_price_mins: 0, // A market order is measured at the best price.
        },
        Filter::MaxNumOrders { max_num_orders: spec.max_open_orders },
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::binance::testing::{btcusdt, check};

    const MS: TimeUnit = TimeUnit::Millisecond;

    #[test]
    fn exchange_info_has_the_rules_of_each_symbol() {
        let limit = RateLimit {
            rate_limit_type: RateLimitType::RequestWeight,
            interval: Interval::Minute,
            interval_num: 1,
            limit: 6000,
        };
        let info = ExchangeInfo::new(1_000_000, MS, vec![limit], &[btcusdt()], true);
        check(
            &info,
            json!({
                "timezone": "UTC",
                "serverTime": 1,
                "rateLimits": [{
                    "rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1,
                    "limit": 6000,
                }],
                "exchangeFilters": [],
                "symbols": [{
                    "symbol": "BTCUSDT", "status": "TRADING",
                    "baseAsset": "BTC", "baseAssetPrecision": 8,
                    "quoteAsset": "USDT", "quotePrecision": 8, "quoteAssetPrecision": 8,
                    "baseCommissionPrecision": 8, "quoteCommissionPrecision": 8,
                    "orderTypes": ["LIMIT", "LIMIT_MAKER", "MARKET"],
                    "icebergAllowed": false, "ocoAllowed": false, "otoAllowed": false,
                    "opoAllowed": false, "quoteOrderQtyMarketAllowed": true,
                    "allowTrailingStop": false, "cancelReplaceAllowed": true,
                    "amendAllowed": true, "pegInstructionsAllowed": false,
                    "isSpotTradingAllowed": true, "isMarginTradingAllowed": false,
                    "filters": [
                        {
                            "filterType": "PRICE_FILTER", "minPrice": "0.01000000",
                            "maxPrice": "1000000.00000000", "tickSize": "0.01000000",
                        },
                        {
                            "filterType": "LOT_SIZE", "minQty": "0.00001000",
                            "maxQty": "9000.00000000", "stepSize": "0.00001000",
                        },
                        {
                            "filterType": "MARKET_LOT_SIZE", "minQty": "0.00001000",
                            "maxQty": "100.00000000", "stepSize": "0.00001000",
                        },
                        {
                            "filterType": "NOTIONAL", "minNotional": "5.00000000",
                            "applyMinToMarket": true, "maxNotional": "9000000.00000000",
                            "applyMaxToMarket": true, "avgPriceMins": 0,
                        },
                        {"filterType": "MAX_NUM_ORDERS", "maxNumOrders": 200},
                    ],
                    "permissions": [],
                    "permissionSets": [["SPOT"]],
                    "defaultSelfTradePreventionMode": "NONE",
                    "allowedSelfTradePreventionModes": ["NONE"],
                }],
            }),
        );
    }
}
