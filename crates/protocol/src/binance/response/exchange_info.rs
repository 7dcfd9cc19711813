//! What is listed, and by which rules it trades.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    AMOUNT_MAX, InstrumentRules, Market, OrderType, PercentPrice, Price, Qty, StpMode,
    format_decimal,
};

use crate::binance::SymbolStatus;
use crate::binance::words::{STP_MODES, TIMES_IN_FORCE, Word, order_type, stp_mode};
use crate::signed::TimeUnit;

/// The bounds of the engine, whatever an instrument's rules say (`docs/matching.md`, 2.6 and 4.6).
const ICEBERG_PARTS_MAX: u32 = 1_000;
const TRAILING_DELTA_MAX_BPS: u32 = 9_999;

/// `GET /api/v3/exchangeInfo`
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeInfo {
    pub timezone: Word,
    pub server_time: u64,
    pub rate_limits: Vec<RateLimit>,
    pub exchange_filters: Vec<Filter>,
    pub symbols: Vec<SymbolInfo>,
}

impl ExchangeInfo {
    pub fn symbol(&self, symbol: &str) -> Option<&SymbolInfo> {
        self.symbols.iter().find(|info| info.symbol == symbol)
    }

    pub fn new<'a>(
        now_ns: u64,
        unit: TimeUnit,
        rate_limits: Vec<RateLimit>,
        markets: impl IntoIterator<Item = &'a Market>,
        show_permission_sets: bool,
    ) -> Self {
        let info = |market| SymbolInfo::new(market, show_permission_sets);
        Self {
            timezone: "UTC".into(),
            server_time: unit.time(now_ns),
            rate_limits,
            exchange_filters: Vec::new(),
            symbols: markets.into_iter().map(info).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    pub rate_limit_type: RateLimitType,
    pub interval: Interval,
    pub interval_num: u32,
    pub limit: u32,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RateLimitType {
    RequestWeight,
    Orders,
    RawRequests,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Interval {
    Second,
    Minute,
    Day,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolInfo {
    pub symbol: String,
    pub status: SymbolStatus,
    pub base_asset: String,
    pub base_asset_precision: u8,
    pub quote_asset: String,
    pub quote_precision: u8,
    pub quote_asset_precision: u8,
    pub base_commission_precision: u8,
    pub quote_commission_precision: u8,
    #[schemars(with = "[String; 7]")]
    pub order_types: Vec<Word>,
    /// Ours, apart from Binance's own: some clients refuse a type that they do not know.
    #[schemars(with = "[String; 1]")]
    pub extended_order_types: Vec<Word>,
    #[schemars(with = "[String; 7]")]
    pub times_in_force: Vec<Word>,
    pub iceberg_allowed: bool,
    pub oco_allowed: bool,
    pub oto_allowed: bool,
    pub opo_allowed: bool,
    pub quote_order_qty_market_allowed: bool,
    pub allow_trailing_stop: bool,
    pub cancel_replace_allowed: bool,
    pub amend_allowed: bool,
    pub peg_instructions_allowed: bool,
    pub is_spot_trading_allowed: bool,
    pub is_margin_trading_allowed: bool,
    pub filters: Vec<Filter>,
    #[schemars(with = "[String; 0]")]
    pub permissions: Vec<Word>,
    #[schemars(with = "Vec<[String; 1]>")]
    pub permission_sets: Vec<Vec<Word>>,
    pub default_self_trade_prevention_mode: Word,
    #[schemars(with = "[String; 5]")]
    pub allowed_self_trade_prevention_modes: Vec<Word>,
}

impl SymbolInfo {
    pub fn tick_size(&self) -> Option<&str> {
        self.filters.iter().find_map(|filter| match filter {
            Filter::Price { tick_size, .. } => Some(tick_size.as_str()),
            _ => None,
        })
    }

    pub fn lot_size(&self) -> Option<&str> {
        self.filters.iter().find_map(|filter| match filter {
            Filter::LotSize { step_size, .. } => Some(step_size.as_str()),
            _ => None,
        })
    }

    fn new(market: &Market, show_permission_sets: bool) -> Self {
        Self {
            symbol: market.symbol().to_owned(),
            status: SymbolStatus::of(market),
            base_asset: market.base.name.to_string(),
            base_asset_precision: market.base.decimals,
            quote_asset: market.quote.name.to_string(),
            quote_precision: market.quote.decimals,
            quote_asset_precision: market.quote.decimals,
            base_commission_precision: market.base.decimals,
            quote_commission_precision: market.quote.decimals,
            order_types: [
                "LIMIT",
                "LIMIT_MAKER",
                "MARKET",
                "STOP_LOSS",
                "STOP_LOSS_LIMIT",
                "TAKE_PROFIT",
                "TAKE_PROFIT_LIMIT",
            ]
            .map(Word::from)
            .into(),
            extended_order_types: vec![order_type(OrderType::MarketToLimit).into()],
            times_in_force: TIMES_IN_FORCE.iter().map(|(word, _)| Word::from(*word)).collect(),
            iceberg_allowed: true,
            oco_allowed: true,
            oto_allowed: true,
            opo_allowed: true,
            quote_order_qty_market_allowed: true,
            allow_trailing_stop: true,
            cancel_replace_allowed: true,
            amend_allowed: true,
            peg_instructions_allowed: true,
            is_spot_trading_allowed: true,
            is_margin_trading_allowed: false,
            filters: filters(market),
            permissions: Vec::new(),
            permission_sets: if show_permission_sets {
                vec![vec!["SPOT".into()]]
            } else {
                Vec::new()
            },
            default_self_trade_prevention_mode: stp_mode(StpMode::None).into(),
            allowed_self_trade_prevention_modes: STP_MODES
                .iter()
                .map(|(word, _)| Word::from(*word))
                .collect(),
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(tag = "filterType", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum Filter {
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
        /// Absent if the notional has no upper bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_notional: Option<String>,
        apply_max_to_market: bool,
        avg_price_mins: u32,
    },
    MaxNumOrders {
        max_num_orders: u32,
    },
    PercentPriceBySide {
        bid_multiplier_up: String,
        bid_multiplier_down: String,
        ask_multiplier_up: String,
        ask_multiplier_down: String,
        avg_price_mins: u32,
    },
    IcebergParts {
        limit: u32,
    },
    MaxNumAlgoOrders {
        max_num_algo_orders: u32,
    },
    MaxNumIcebergOrders {
        max_num_iceberg_orders: u32,
    },
    MaxPosition {
        max_position: String,
    },
    TrailingDelta {
        min_trailing_above_delta: u32,
        max_trailing_above_delta: u32,
        min_trailing_below_delta: u32,
        max_trailing_below_delta: u32,
    },
    MaxNumOrderLists {
        max_num_order_lists: u32,
    },
    MaxNumOrderAmends {
        max_num_order_amends: u32,
    },
    /// A rule that this version does not know.
    #[serde(other, skip_serializing)]
    Other,
}

/// Those that every symbol has, and then those that its rules ask for.
pub(super) fn filters(market: &Market) -> Vec<Filter> {
    let mut filters = plain_filters(market);
    let rules = &market.rules;
    let percent = &rules.percent_price;
    let is_set = |rule: u32| rule > 0;
    if *percent != PercentPrice::default() {
        filters.push(Filter::PercentPriceBySide {
            bid_multiplier_up: multiplier_up(percent.buy_max_bps),
            bid_multiplier_down: multiplier(percent.buy_min_bps),
            ask_multiplier_up: multiplier_up(percent.sell_max_bps),
            ask_multiplier_down: multiplier(percent.sell_min_bps),
            avg_price_mins: rules.avg_price_mins,
        });
    }
    if is_set(rules.max_stop_orders) {
        let max_num_algo_orders = rules.max_stop_orders;
        filters.push(Filter::MaxNumAlgoOrders { max_num_algo_orders });
    }
    if is_set(rules.max_iceberg_orders) {
        let max_num_iceberg_orders = rules.max_iceberg_orders;
        filters.push(Filter::MaxNumIcebergOrders { max_num_iceberg_orders });
    }
    if !rules.max_position.is_zero() {
        filters.push(Filter::MaxPosition { max_position: market.qty(rules.max_position) });
    }
    if is_set(rules.max_order_lists) {
        let max_num_order_lists = rules.max_order_lists;
        filters.push(Filter::MaxNumOrderLists { max_num_order_lists });
    }
    if is_set(rules.max_amends) {
        filters.push(Filter::MaxNumOrderAmends { max_num_order_amends: rules.max_amends });
    }
    filters
}

fn multiplier(bps: u32) -> String {
    format_decimal(bps.into(), 4, 4)
}

/// Without a bound, farther than any price is.
fn multiplier_up(bps: u32) -> String {
    multiplier(if bps == 0 { u32::MAX } else { bps })
}

fn plain_filters(market: &Market) -> Vec<Filter> {
    let spec = &market.instrument.spec;
    let rules = &market.rules;
    let one_lot = market.qty(Qty::from_lots(1));
    let has_max = spec.max_notional < AMOUNT_MAX;
    vec![
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
            min_qty: market.qty(spec.min_qty.max(rules.market_min_qty)),
            max_qty: market.qty(spec.market_max_qty),
            step_size: one_lot,
        },
        Filter::Notional {
            min_notional: market.quote_amount(spec.min_notional),
            apply_min_to_market: true,
            max_notional: has_max.then(|| market.quote_amount(spec.max_notional)),
            apply_max_to_market: has_max,
            // Else a market order is measured at the best price.
            avg_price_mins: if rules.notional_by_avg_price { rules.avg_price_mins } else { 0 },
        },
        Filter::MaxNumOrders { max_num_orders: spec.max_open_orders },
        Filter::IcebergParts { limit: at_most(rules.iceberg_parts_max, ICEBERG_PARTS_MAX) },
        trailing_delta(rules),
    ]
}

/// The same above and below the market.
fn trailing_delta(rules: &InstrumentRules) -> Filter {
    let least = rules.trailing_delta_min_bps.max(1);
    let most = at_most(rules.trailing_delta_max_bps, TRAILING_DELTA_MAX_BPS);
    Filter::TrailingDelta {
        min_trailing_above_delta: least,
        max_trailing_above_delta: most,
        min_trailing_below_delta: least,
        max_trailing_below_delta: most,
    }
}

/// A rule within the engine's own bound; zero is no rule.
fn at_most(rule: u32, bound: u32) -> u32 {
    if rule == 0 { bound } else { rule.min(bound) }
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
        let times_in_force = ["GTC", "IOC", "FOK", "DAY", "GTD", "AT_OPEN", "AT_CLOSE"];
        let filters = json!([
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
            {"filterType": "ICEBERG_PARTS", "limit": 1_000},
            {
                "filterType": "TRAILING_DELTA",
                "minTrailingAboveDelta": 1, "maxTrailingAboveDelta": 9_999,
                "minTrailingBelowDelta": 1, "maxTrailingBelowDelta": 9_999,
            },
        ]);
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
                    "orderTypes": [
                        "LIMIT", "LIMIT_MAKER", "MARKET", "STOP_LOSS", "STOP_LOSS_LIMIT",
                        "TAKE_PROFIT", "TAKE_PROFIT_LIMIT",
                    ],
                    "extendedOrderTypes": ["MARKET_TO_LIMIT"],
                    "timesInForce": times_in_force,
                    "icebergAllowed": true, "ocoAllowed": true, "otoAllowed": true,
                    "opoAllowed": true, "quoteOrderQtyMarketAllowed": true,
                    "allowTrailingStop": true, "cancelReplaceAllowed": true,
                    "amendAllowed": true, "pegInstructionsAllowed": true,
                    "isSpotTradingAllowed": true, "isMarginTradingAllowed": false,
                    "filters": filters,
                    "permissions": [],
                    "permissionSets": [["SPOT"]],
                    "defaultSelfTradePreventionMode": "NONE",
                    "allowedSelfTradePreventionModes": [
                        "NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH", "DECREMENT",
                    ],
                }],
            }),
        );
    }

    #[test]
    fn rules_are_filters_too() {
        let percent_price = PercentPrice { buy_max_bps: 12_000, ..PercentPrice::default() };
        let rules = InstrumentRules {
            avg_price_mins: 5,
            percent_price,
            notional_by_avg_price: true,
            market_min_qty: Qty::from_lots(7),
            iceberg_parts_max: 10,
            max_stop_orders: 5,
            max_iceberg_orders: 4,
            max_order_lists: 3,
            max_amends: 2,
            trailing_delta_min_bps: 10,
            trailing_delta_max_bps: 0,
            max_position: Qty::from_lots(100_000),
            ..InstrumentRules::default()
        };
        let filters = filters(&Market { rules, ..btcusdt() });
        let filters = serde_json::to_value(filters).unwrap();
        assert_eq!(filters[2]["minQty"], "0.00007000");
        assert_eq!(filters[3]["avgPriceMins"], 5);
        let expected = json!([
            {"filterType": "ICEBERG_PARTS", "limit": 10},
            {
                "filterType": "TRAILING_DELTA",
                "minTrailingAboveDelta": 10, "maxTrailingAboveDelta": 9_999,
                "minTrailingBelowDelta": 10, "maxTrailingBelowDelta": 9_999,
            },
            {
                "filterType": "PERCENT_PRICE_BY_SIDE", "avgPriceMins": 5,
                "bidMultiplierUp": "1.2000", "bidMultiplierDown": "0.0000",
                "askMultiplierUp": "429496.7295", "askMultiplierDown": "0.0000",
            },
            {"filterType": "MAX_NUM_ALGO_ORDERS", "maxNumAlgoOrders": 5},
            {"filterType": "MAX_NUM_ICEBERG_ORDERS", "maxNumIcebergOrders": 4},
            {"filterType": "MAX_POSITION", "maxPosition": "1.00000000"},
            {"filterType": "MAX_NUM_ORDER_LISTS", "maxNumOrderLists": 3},
            {"filterType": "MAX_NUM_ORDER_AMENDS", "maxNumOrderAmends": 2},
        ]);
        assert_eq!(filters.as_array().unwrap()[5..], *expected.as_array().unwrap());
    }
}
