//! Binance's `exchangeInfo` as a source of entries: its symbols, assets and filters.
//!
//! # Known limits
//! A filter for which the venue has no rule is left out, and a notional's bounds always hold for
//! market orders too. An asset gets more decimals than Binance states where one tick times one lot
//! needs them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cli::Failure;
use serde::Deserialize;
use serde_json::Value;
use types::{Asset, Increment, format_decimal, parse_decimal};

use super::kind::Kind;
use super::part::Part;

/// The status of a symbol that trades.
const TRADING: &str = "TRADING";
/// Decimals that Binance's own numbers have.
const DECIMALS: u8 = 8;
/// A multiplier of 1 in basis points.
const ONE_BPS_DECIMALS: u8 = 4;

#[derive(Deserialize)]
struct ExchangeInfo {
    symbols: Vec<Symbol>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Symbol {
    symbol: String,
    status: String,
    base_asset: String,
    #[serde(default = "decimals")]
    base_asset_precision: u8,
    quote_asset: String,
    quote_asset_precision: Option<u8>,
    /// The older name.
    quote_precision: Option<u8>,
    filters: Vec<Value>,
}

fn decimals() -> u8 {
    DECIMALS
}

/// The named symbols, or all that trade, and their assets.
pub(super) fn read(path: &Path, named: &[String]) -> Result<Vec<Part>, Failure> {
    let place = path.display().to_string();
    let failure = |sentence: String| Failure::new(format!("{place}: {sentence}"));
    let text = std::fs::read(path).map_err(|error| failure(error.to_string()))?;
    let mut all = parts(&text, named).map_err(failure)?;
    for part in &mut all {
        part.place.clone_from(&place);
        check(part).map_err(failure)?;
    }
    Ok(all)
}

fn parts(text: &[u8], named: &[String]) -> Result<Vec<Part>, String> {
    let info: ExchangeInfo = serde_json::from_slice(text)
        .map_err(|error| format!("it is no exchangeInfo of Binance: {error}"))?;
    let has = |name: &String| info.symbols.iter().any(|symbol| symbol.symbol == *name);
    if let Some(missing) = named.iter().find(|name| !has(name)) {
        return Err(format!("it has no symbol `{missing}`"));
    }
    let is_asked_for = |symbol: &&Symbol| {
        if named.is_empty() { symbol.status == TRADING } else { named.contains(&symbol.symbol) }
    };
    let mut assets = Assets::default();
    let mut parts = Vec::new();
    let mut seen = BTreeSet::new();
    for symbol in info.symbols.iter().filter(is_asked_for) {
        let refused = |fault: String| format!("symbol {}: {fault}", symbol.symbol);
        if !seen.insert(&symbol.symbol) {
            return Err(refused("it is there twice".to_owned()));
        }
        parts.extend(symbol.parts(&mut assets).map_err(refused)?);
    }
    let mut all = assets.parts();
    all.extend(parts);
    Ok(all)
}

/// Brings the values into their canonical form.
fn check(part: &mut Part) -> Result<(), String> {
    let title = part.title();
    let name = part.names.last().expect("an entry has a name");
    part.kind
        .check_name(name)
        .map_err(|expected| format!("{title}: the name is not {expected}"))?;
    for (name, value) in &mut part.values {
        let key = part.kind.key(name).expect("only keys of the kind are set");
        *value = key.form.canonical(value).map_err(|fault| format!("{title}: `{name}` {fault}"))?;
    }
    Ok(())
}

/// The decimals that each asset needs, in order of the symbols.
#[derive(Default)]
struct Assets {
    order: Vec<String>,
    decimals: BTreeMap<String, u8>,
}

impl Assets {
    fn need(&mut self, asset: &str, decimals: u8) -> Result<(), String> {
        if decimals > Asset::DECIMALS_MAX {
            let max = Asset::DECIMALS_MAX;
            return Err(format!("{asset} would need {decimals} decimals, and has at most {max}"));
        }
        if !self.decimals.contains_key(asset) {
            self.order.push(asset.to_owned());
        }
        let known = self.decimals.entry(asset.to_owned()).or_default();
        *known = decimals.max(*known);
        Ok(())
    }

    fn parts(&self) -> Vec<Part> {
        let part = |name: &String| {
            let mut part = Part::new(Kind::Asset, &[name]);
            part.values.insert("decimals", self.decimals[name].into());
            part
        };
        self.order.iter().map(part).collect()
    }
}

impl Symbol {
    fn parts(&self, assets: &mut Assets) -> Result<[Part; 2], String> {
        let mut instrument = Part::new(Kind::Instrument, &[&self.symbol]);
        let mut rules = Part::new(Kind::Rules, &[&self.symbol]);
        let mut set = |key, value: Value| drop(instrument.values.insert(key, value));
        set("base", self.base_asset.as_str().into());
        set("quote", self.quote_asset.as_str().into());

        let price = self.needed("PRICE_FILTER")?;
        let tick = increment(price, "tickSize")?;
        set("tick_size", tick.format(1, 0).into());
        // 0 is no bound.
        for (key, name) in [("min_price", "minPrice"), ("max_price", "maxPrice")] {
            if let Some(bound) = whole(price, name, tick)? {
                set(key, bound.into());
            }
        }
        let lots = self.needed("LOT_SIZE")?;
        let lot = increment(lots, "stepSize")?;
        set("lot_size", lot.format(1, 0).into());
        for (key, name) in [("min_qty", "minQty"), ("max_qty", "maxQty")] {
            if let Some(bound) = whole(lots, name, lot)? {
                set(key, bound.into());
            }
        }
        if let Some(market) = self.filter("MARKET_LOT_SIZE") {
            if let Some(max) = whole(market, "maxQty", lot)? {
                set("market_max_qty", max.into());
            }
            if let Some(min) = whole(market, "minQty", lot)? {
                rules.values.insert("market_min_qty", min.into());
            }
        }
        if let Some(orders) = self.filter("MAX_NUM_ORDERS") {
            set("max_open_orders", orders["maxNumOrders"].clone());
        }
        for notional in ["MIN_NOTIONAL", "NOTIONAL"].iter().filter_map(|name| self.filter(name)) {
            set("min_notional", notional["minNotional"].clone());
            if let Some(max) = notional.get("maxNotional") {
                set("max_notional", max.clone());
            }
            let minutes = notional["avgPriceMins"].as_u64().unwrap_or_default();
            rules.values.insert("notional_by_avg_price", (minutes > 0).into());
            if minutes > 0 {
                rules.values.insert("avg_price_mins", minutes.into());
            }
        }
        self.rules(&mut rules)?;
        let base_decimals = self.base_asset_precision.max(lot.decimals);
        assets.need(&self.base_asset, base_decimals)?;
        let quote_decimals = self.quote_asset_precision.or(self.quote_precision);
        let quote_decimals = quote_decimals.unwrap_or(DECIMALS).max(product_decimals(tick, lot));
        assets.need(&self.quote_asset, quote_decimals)?;
        Ok([instrument, rules])
    }

    fn rules(&self, rules: &mut Part) -> Result<(), String> {
        // The older filter has one pair of bounds for both sides.
        for (filter, [buy_max, buy_min, sell_max, sell_min]) in [
            ("PERCENT_PRICE", ["multiplierUp", "multiplierDown", "multiplierUp", "multiplierDown"]),
            (
                "PERCENT_PRICE_BY_SIDE",
                ["bidMultiplierUp", "bidMultiplierDown", "askMultiplierUp", "askMultiplierDown"],
            ),
        ] {
            let Some(percent) = self.filter(filter) else { continue };
            for (key, name) in [
                ("buy_max_bps", buy_max),
                ("buy_min_bps", buy_min),
                ("sell_max_bps", sell_max),
                ("sell_min_bps", sell_min),
            ] {
                if let Some(bps) = multiplier(percent, name)? {
                    rules.values.insert(key, bps.into());
                }
            }
            if let Some(minutes) = percent["avgPriceMins"].as_u64().filter(|minutes| *minutes > 0) {
                rules.values.insert("avg_price_mins", minutes.into());
            }
        }
        for (key, filter, name) in [
            ("iceberg_parts_max", "ICEBERG_PARTS", "limit"),
            ("max_stop_orders", "MAX_NUM_ALGO_ORDERS", "maxNumAlgoOrders"),
            ("max_iceberg_orders", "MAX_NUM_ICEBERG_ORDERS", "maxNumIcebergOrders"),
            ("max_order_lists", "MAX_NUM_ORDER_LISTS", "maxNumOrderLists"),
            ("max_amends", "MAX_NUM_ORDER_AMENDS", "maxNumOrderAmends"),
            ("max_position", "MAX_POSITION", "maxPosition"),
        ] {
            if let Some(value) = self.filter(filter).and_then(|filter| filter.get(name)) {
                rules.values.insert(key, value.clone());
            }
        }
        // The venue has one bound for both directions: the narrower one.
        if let Some(trailing) = self.filter("TRAILING_DELTA") {
            let both = |above: &str, below: &str| {
                Some([trailing.get(above)?.as_u64()?, trailing.get(below)?.as_u64()?])
            };
            if let Some([above, below]) = both("minTrailingAboveDelta", "minTrailingBelowDelta") {
                rules.values.insert("trailing_delta_min_bps", above.max(below).into());
            }
            if let Some([above, below]) = both("maxTrailingAboveDelta", "maxTrailingBelowDelta") {
                rules.values.insert("trailing_delta_max_bps", above.min(below).into());
            }
        }
        Ok(())
    }

    fn filter(&self, name: &str) -> Option<&Value> {
        self.filters.iter().find(|filter| filter["filterType"] == name)
    }

    fn needed(&self, name: &str) -> Result<&Value, String> {
        self.filter(name).ok_or_else(|| format!("it has no filter {name}"))
    }
}

fn text<'a>(filter: &'a Value, name: &str) -> Result<&'a str, String> {
    let kind = &filter["filterType"];
    filter[name].as_str().ok_or_else(|| format!("the filter {kind} has no text `{name}`"))
}

fn increment(filter: &Value, name: &str) -> Result<Increment, String> {
    let size = text(filter, name)?;
    Increment::parse(size).ok_or_else(|| format!("`{name}` {size} is not a decimal above zero"))
}

/// A bound, down to a whole number of ticks or lots: Binance's largest market quantities are none.
/// `None` without a bound.
fn whole(filter: &Value, name: &str, step: Increment) -> Result<Option<String>, String> {
    let bound = text(filter, name)?;
    let units = parse_decimal(bound, Asset::DECIMALS_MAX);
    let units = units.ok_or_else(|| format!("`{name}` {bound} is not a decimal"))?;
    let one = i128::from(step.units) * 10_i128.pow((Asset::DECIMALS_MAX - step.decimals).into());
    let count = units / one;
    Ok((count > 0).then(|| step.format(count, 0)))
}

/// In basis points; `None` without a bound.
fn multiplier(filter: &Value, name: &str) -> Result<Option<u64>, String> {
    let multiplier = text(filter, name)?;
    let bps = parse_decimal(multiplier, ONE_BPS_DECIMALS).and_then(|bps| u64::try_from(bps).ok());
    let fault = || format!("`{name}` {multiplier} is not a whole number of basis points");
    let bps = bps.ok_or_else(fault)?;
    // Buttonwood's own answer has the largest number of 32 bits for no bound.
    Ok((bps > 0 && bps < u64::from(u32::MAX)).then_some(bps))
}

/// Decimals of one tick times one lot.
fn product_decimals(tick: Increment, lot: Increment) -> u8 {
    let units = i128::from(tick.units) * i128::from(lot.units);
    let decimals = tick.decimals.saturating_add(lot.decimals);
    let text = format_decimal(units, decimals, decimals);
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    u8::try_from(fraction.trim_end_matches('0').len()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn symbol(tick: &str, lot: &str, more: Vec<Value>) -> Symbol {
        let mut filters = vec![
            json!({"filterType": "PRICE_FILTER", "minPrice": tick, "maxPrice": "1000.0", "tickSize": tick}),
            json!({"filterType": "LOT_SIZE", "minQty": lot, "maxQty": "9000.0", "stepSize": lot}),
        ];
        filters.extend(more);
        let info = json!({
            "symbol": "LINKBTC", "status": "TRADING", "baseAsset": "LINK", "quoteAsset": "BTC",
            "baseAssetPrecision": 8, "quotePrecision": 8, "quoteAssetPrecision": 8,
            "filters": filters,
        });
        serde_json::from_value(info).unwrap()
    }

    #[test]
    fn an_asset_has_the_decimals_that_a_tick_of_a_lot_needs() {
        for (tick, lot, decimals) in
            [("0.01000000", "0.00001000", 8), ("0.00000010", "0.01000000", 9)]
        {
            let mut assets = Assets::default();
            symbol(tick, lot, Vec::new()).parts(&mut assets).unwrap();
            assert_eq!(assets.decimals["BTC"], decimals, "{tick} {lot}");
            assert_eq!(assets.decimals["LINK"], 8);
        }
    }

    #[test]
    fn bounds_of_zero_are_none_and_others_are_whole() {
        let market = json!({
            "filterType": "MARKET_LOT_SIZE", "minQty": "0.00000000", "maxQty": "79.39872441",
            "stepSize": "0.00000000",
        });
        let [instrument, rules] =
            symbol("0.01", "0.1", vec![market]).parts(&mut Assets::default()).unwrap();
        assert_eq!(instrument.values["market_max_qty"], "79.3");
        assert_eq!(rules.values.get("market_min_qty"), None);
    }

    #[test]
    fn the_older_filter_of_percents_bounds_both_sides() {
        let percent = json!({
            "filterType": "PERCENT_PRICE", "multiplierUp": "5", "multiplierDown": "0.2",
            "avgPriceMins": 5,
        });
        let [_, rules] =
            symbol("0.01", "0.1", vec![percent]).parts(&mut Assets::default()).unwrap();
        let bounds = ["buy_max_bps", "buy_min_bps", "sell_max_bps", "sell_min_bps"];
        assert_eq!(bounds.map(|key| rules.values[key].clone()), [50_000, 2_000, 50_000, 2_000]);
        assert_eq!(rules.values["avg_price_mins"], 5);
    }

    #[test]
    fn a_symbol_that_is_there_twice_is_refused() {
        let symbol = json!({
            "symbol": "LINKBTC", "status": "TRADING", "baseAsset": "LINK", "quoteAsset": "BTC",
            "filters": [
                {"filterType": "PRICE_FILTER", "minPrice": "0.01", "maxPrice": "9", "tickSize": "0.01"},
                {"filterType": "LOT_SIZE", "minQty": "0.1", "maxQty": "9", "stepSize": "0.1"},
            ],
        });
        let info = json!({"symbols": [symbol, symbol]}).to_string();
        let refused = parts(info.as_bytes(), &[]).err();
        assert_eq!(refused.as_deref(), Some("symbol LINKBTC: it is there twice"));
    }
}
