//! The rules of an instrument beyond its bounds.

use clap::{Args, ValueEnum};
use cli::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    BandBreach, Command, Instrument, InstrumentRules, PercentPrice, PriceBands, Qty,
    SetInstrumentRules,
};

use super::backend::{Venue, execute};
use super::lookup::{Listing, find_instrument};
use super::risk::Switch;
use super::value::{limit, mirrored};

const SECOND_NS: u64 = 1_000_000_000;

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct RulesChange {
    /// Instrument, such as BTCUSDT
    symbol: String,
    /// Minutes of the average price, 0 to 1440; 0 takes the last trade's price
    #[arg(long, value_name = "MINUTES")]
    avg_price_mins: Option<u32>,
    /// Highest limit price of a buy, in basis points of the average price (12000 is 20 % above it)
    #[arg(long, value_name = "BPS")]
    buy_max_bps: Option<u32>,
    /// Lowest limit price of a buy, in basis points of the average price (8000 is 20 % below it)
    #[arg(long, value_name = "BPS")]
    buy_min_bps: Option<u32>,
    /// Highest limit price of a sell, in basis points of the average price
    #[arg(long, value_name = "BPS")]
    sell_max_bps: Option<u32>,
    /// Lowest limit price of a sell, in basis points of the average price
    #[arg(long, value_name = "BPS")]
    sell_min_bps: Option<u32>,
    /// Price for the notional bounds of market orders: the average price (on), or the best (off)
    #[arg(long, value_name = "SWITCH")]
    notional_by_avg_price: Option<Switch>,
    /// Smallest quantity of a market order, in whole lots
    #[arg(long, value_name = "DECIMAL")]
    market_min_qty: Option<String>,
    /// Largest number of parts of an iceberg
    #[arg(long, value_name = "N")]
    iceberg_parts_max: Option<u32>,
    /// Largest number of untriggered stop orders of one account
    #[arg(long, value_name = "N")]
    max_stop_orders: Option<u32>,
    /// Largest number of open icebergs of one account
    #[arg(long, value_name = "N")]
    max_iceberg_orders: Option<u32>,
    /// Largest number of open order lists of one account
    #[arg(long, value_name = "N")]
    max_order_lists: Option<u32>,
    /// Largest number of amends of one order
    #[arg(long, value_name = "N")]
    max_amends: Option<u32>,
    /// Smallest trailing delta of a trailing stop, in basis points
    #[arg(long, value_name = "BPS")]
    trailing_delta_min_bps: Option<u32>,
    /// Largest trailing delta of a trailing stop, in basis points
    #[arg(long, value_name = "BPS")]
    trailing_delta_max_bps: Option<u32>,
    /// Largest quantity of the base asset that an account may have, with its open buys
    #[arg(long, value_name = "DECIMAL")]
    max_position: Option<String>,
    /// Largest distance of a trade from the last auction's price, in basis points
    #[arg(long, value_name = "BPS")]
    static_band_bps: Option<u32>,
    /// Largest distance of a trade from the last trade's price, in basis points
    #[arg(long, value_name = "BPS")]
    dynamic_band_bps: Option<u32>,
    /// Phase that begins instead of a trade outside the bands
    #[arg(long, value_name = "PHASE")]
    breach: Option<BreachName>,
    /// Seconds of that phase; 0 is until `phase` ends it
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(..=u64::MAX / SECOND_NS))]
    breach_s: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[value(rename_all = "PascalCase")]
pub(crate) enum BreachName {
    VolatilityAuction,
    Halt,
}

mirrored!(BreachName => BandBreach: VolatilityAuction, Halt);

impl RulesChange {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<RulesShown, Failure> {
        let listing = find_instrument(venue, &self.symbol)?;
        let instrument = listing.instrument.id;
        let now = venue.read(move |engine| engine.instrument_rules(instrument).copied())?;
        let now = now.unwrap_or_default();
        let rules = self.over(&now, &listing)?;
        if rules != now {
            let set = SetInstrumentRules { instrument, rules };
            execute(venue, Command::SetInstrumentRules(set))?;
        }
        Ok(RulesShown::new(&rules, &listing.instrument))
    }

    /// The rules with the named values in place of the present ones.
    fn over(&self, now: &InstrumentRules, listing: &Listing) -> Result<InstrumentRules, Failure> {
        let InstrumentRules { percent_price: percent, bands, .. } = now;
        let is_on = |switch: Switch| switch == Switch::On;
        let breach_ns = match self.breach_s {
            None => bands.breach_ns,
            Some(seconds) => seconds
                .checked_mul(SECOND_NS)
                .ok_or_else(|| Failure::new("`breach_s` is too large"))?,
        };
        Ok(InstrumentRules {
            avg_price_mins: self.avg_price_mins.unwrap_or(now.avg_price_mins),
            percent_price: PercentPrice {
                buy_max_bps: self.buy_max_bps.unwrap_or(percent.buy_max_bps),
                buy_min_bps: self.buy_min_bps.unwrap_or(percent.buy_min_bps),
                sell_max_bps: self.sell_max_bps.unwrap_or(percent.sell_max_bps),
                sell_min_bps: self.sell_min_bps.unwrap_or(percent.sell_min_bps),
            },
            notional_by_avg_price: self
                .notional_by_avg_price
                .map_or(now.notional_by_avg_price, is_on),
            market_min_qty: listing.qty_or(&self.market_min_qty, now.market_min_qty)?,
            iceberg_parts_max: self.iceberg_parts_max.unwrap_or(now.iceberg_parts_max),
            max_stop_orders: self.max_stop_orders.unwrap_or(now.max_stop_orders),
            max_iceberg_orders: self.max_iceberg_orders.unwrap_or(now.max_iceberg_orders),
            max_order_lists: self.max_order_lists.unwrap_or(now.max_order_lists),
            max_amends: self.max_amends.unwrap_or(now.max_amends),
            trailing_delta_min_bps: self
                .trailing_delta_min_bps
                .unwrap_or(now.trailing_delta_min_bps),
            trailing_delta_max_bps: self
                .trailing_delta_max_bps
                .unwrap_or(now.trailing_delta_max_bps),
            max_position: listing.qty_or(&self.max_position, now.max_position)?,
            bands: PriceBands {
                static_bps: self.static_band_bps.unwrap_or(bands.static_bps),
                dynamic_bps: self.dynamic_band_bps.unwrap_or(bands.dynamic_bps),
                breach: self.breach.map_or(bands.breach, BandBreach::from),
                breach_ns,
            },
        })
    }
}

/// By the names of the options. Null is no such rule.
#[derive(JsonSchema, Serialize)]
pub(super) struct RulesShown {
    symbol: String,
    /// 0 takes the last trade's price
    avg_price_mins: u32,
    buy_max_bps: Option<u32>,
    buy_min_bps: Option<u32>,
    sell_max_bps: Option<u32>,
    sell_min_bps: Option<u32>,
    notional_by_avg_price: bool,
    market_min_qty: Option<String>,
    iceberg_parts_max: Option<u32>,
    max_stop_orders: Option<u32>,
    max_iceberg_orders: Option<u32>,
    max_order_lists: Option<u32>,
    max_amends: Option<u32>,
    trailing_delta_min_bps: Option<u32>,
    trailing_delta_max_bps: Option<u32>,
    max_position: Option<String>,
    static_band_bps: Option<u32>,
    dynamic_band_bps: Option<u32>,
    breach: String,
    /// 0 is until `phase` ends it
    breach_s: u64,
}

impl RulesShown {
    pub(super) fn new(rules: &InstrumentRules, instrument: &Instrument) -> Self {
        let InstrumentRules { percent_price: percent, bands, .. } = rules;
        let qty = |qty: Qty| (!qty.is_zero()).then(|| instrument.format_qty(qty, 0));
        Self {
            symbol: instrument.spec.symbol.to_string(),
            avg_price_mins: rules.avg_price_mins,
            buy_max_bps: limit(percent.buy_max_bps),
            buy_min_bps: limit(percent.buy_min_bps),
            sell_max_bps: limit(percent.sell_max_bps),
            sell_min_bps: limit(percent.sell_min_bps),
            notional_by_avg_price: rules.notional_by_avg_price,
            market_min_qty: qty(rules.market_min_qty),
            iceberg_parts_max: limit(rules.iceberg_parts_max),
            max_stop_orders: limit(rules.max_stop_orders),
            max_iceberg_orders: limit(rules.max_iceberg_orders),
            max_order_lists: limit(rules.max_order_lists),
            max_amends: limit(rules.max_amends),
            trailing_delta_min_bps: limit(rules.trailing_delta_min_bps),
            trailing_delta_max_bps: limit(rules.trailing_delta_max_bps),
            max_position: qty(rules.max_position),
            static_band_bps: limit(bands.static_bps),
            dynamic_band_bps: limit(bands.dynamic_bps),
            breach: format!("{:?}", bands.breach),
            breach_s: bands.breach_ns / SECOND_NS,
        }
    }
}
