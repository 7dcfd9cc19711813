//! Instruments: operations that list, change and show them.
//!
//! A change keeps the values that it does not name; without any, it shows the present values.

use clap::Args;
use cli::Failure;
use engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{
    AMOUNT_MAX, Amount, Asset, AssetId, Command, FeeRates, Increment, Instrument, InstrumentId,
    InstrumentSpec, ListInstrument, PRICE_MAX, Price, QTY_MAX, Qty, Symbol, UpdateInstrument,
};

use super::backend::{Venue, execute};
use super::lookup::{Listing, asset_named, find_instrument};
use super::value::{Nothing, format_fee, invalid, parse_fee};

/// Defaults for new instruments.
const MAX_PRICE_TICKS: i64 = 100_000_000;
const MAX_QTY_LOTS: u64 = 1_000_000_000;
pub(super) const MAX_OPEN_ORDERS: u32 = 1_000;

const LARGEST_NOTIONAL: &str = "largest notional";

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: buttonwood admin instrument add BTCUSDT --base BTC --quote USDT \
    --tick-size 0.01 --lot-size 0.00001 --taker-fee-bps 10")]
pub(crate) struct NewInstrument {
    /// 1 to 20 capital letters, digits, `-`, `_` and `.`
    symbol: String,
    /// Asset that is bought and sold
    #[arg(long)]
    base: String,
    /// Asset that prices are in
    #[arg(long)]
    quote: String,
    /// Smallest step of a price, such as 0.01
    #[arg(long, value_name = "DECIMAL")]
    tick_size: String,
    /// Smallest step of a quantity, such as 0.00001
    #[arg(long, value_name = "DECIMAL")]
    lot_size: String,
    #[command(flatten)]
    #[serde(flatten)]
    bounds: Bounds,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct Update {
    /// Instrument, such as BTCUSDT
    symbol: String,
    #[command(flatten)]
    #[serde(flatten)]
    bounds: Bounds,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
struct Bounds {
    /// Smallest price of an order, in whole ticks
    #[arg(long, value_name = "DECIMAL")]
    min_price: Option<String>,
    /// Largest price of an order, in whole ticks
    #[arg(long, value_name = "DECIMAL")]
    max_price: Option<String>,
    /// Smallest quantity of an order, in whole lots
    #[arg(long, value_name = "DECIMAL")]
    min_qty: Option<String>,
    /// Largest quantity of an order, in whole lots
    #[arg(long, value_name = "DECIMAL")]
    max_qty: Option<String>,
    /// Largest quantity of a market order, in whole lots
    #[arg(long, value_name = "DECIMAL")]
    market_max_qty: Option<String>,
    /// Smallest price times quantity, in the quote asset
    #[arg(long, value_name = "DECIMAL")]
    min_notional: Option<String>,
    /// Largest price times quantity, in the quote asset, or `none`
    #[arg(long, value_name = "DECIMAL")]
    max_notional: Option<String>,
    /// Largest number of open orders of one account in the instrument
    #[arg(long, value_name = "N")]
    max_open_orders: Option<u32>,
    /// Fee of a maker in basis points of what it receives, 0 to 10000, such as 7.5
    #[arg(long, value_name = "BPS")]
    maker_fee_bps: Option<String>,
    /// Fee of a taker in basis points of what it receives, 0 to 10000
    #[arg(long, value_name = "BPS")]
    taker_fee_bps: Option<String>,
}

impl NewInstrument {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<InstrumentAdded, Failure> {
        let assets = venue.read(|engine| engine.assets().to_vec())?;
        let spec = self.spec(&assets)?;
        let symbol = spec.symbol;
        execute(venue, Command::ListInstrument(ListInstrument { spec }))?;
        Ok(InstrumentAdded { symbol: symbol.to_string() })
    }

    fn spec(&self, assets: &[Asset]) -> Result<InstrumentSpec, Failure> {
        let (base, _) = asset_named(assets, &self.base)?;
        let (quote, quote_asset) = asset_named(assets, &self.quote)?;
        let spec = InstrumentSpec {
            symbol: Symbol::parse(&self.symbol).ok_or_else(|| {
                invalid("symbol", &self.symbol, "1 to 20 capital letters, digits, - _ .")
            })?,
            base,
            quote,
            tick_size: parse_increment("tick size", &self.tick_size)?,
            lot_size: parse_increment("lot size", &self.lot_size)?,
            min_price: Price::from_ticks(1),
            max_price: Price::from_ticks(MAX_PRICE_TICKS),
            min_qty: Qty::from_lots(1),
            max_qty: Qty::from_lots(MAX_QTY_LOTS),
            market_max_qty: Qty::from_lots(MAX_QTY_LOTS),
            min_notional: Amount::ZERO,
            max_notional: AMOUNT_MAX,
            max_open_orders: MAX_OPEN_ORDERS,
            fees: FeeRates::ZERO,
        };
        self.bounds.over(spec, &quote_asset)
    }
}

/// Whether the venue can list an instrument on these assets, from the fields of the operation.
pub(super) fn check_new(fields: Value, assets: &[Asset]) -> Result<(), Failure> {
    let new: NewInstrument = serde_json::from_value(fields)?;
    let spec = new.spec(assets)?;
    let asset = |id: AssetId| &assets[usize::from(id.0)];
    Instrument::new(InstrumentId(0), spec, asset(spec.base), asset(spec.quote))
        .map(|_listed| ())
        .map_err(|error| Failure::new(error.to_string()))
}

impl Update {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<InstrumentShown, Failure> {
        let Listing { instrument, quote, .. } = find_instrument(venue, &self.symbol)?;
        let spec = self.bounds.over(instrument.spec, &quote)?;
        if spec != instrument.spec {
            let instrument = instrument.id;
            execute(venue, Command::UpdateInstrument(UpdateInstrument { instrument, spec }))?;
        }
        let id = instrument.id;
        let shown = venue.read(move |engine| {
            engine.instruments().find(|of| of.id == id).map(|of| row(engine, of))
        })?;
        shown.ok_or_else(|| Failure::new("the instrument is gone"))
    }
}

impl Bounds {
    /// The spec with the named values in place of its own.
    fn over(&self, now: InstrumentSpec, quote: &Asset) -> Result<InstrumentSpec, Failure> {
        let InstrumentSpec { tick_size, lot_size, .. } = now;
        let price = |name, text: &Option<String>, now: Price| match text {
            None => Ok(now),
            Some(text) => tick_size
                .count(text)
                .and_then(|ticks| i64::try_from(ticks).ok())
                .map(Price::from_ticks)
                .filter(|price| *price <= PRICE_MAX)
                .ok_or_else(|| invalid(name, text, "a whole number of ticks")),
        };
        let qty = |name, text: &Option<String>, now: Qty| match text {
            None => Ok(now),
            Some(text) => lot_size
                .count(text)
                .and_then(|lots| u64::try_from(lots).ok())
                .map(Qty::from_lots)
                .filter(|qty| *qty <= QTY_MAX)
                .ok_or_else(|| invalid(name, text, "a whole number of lots")),
        };
        let amount = |name, text: &Option<String>, now: Amount| match text {
            None => Ok(now),
            Some(text) if name == LARGEST_NOTIONAL && text == "none" => Ok(AMOUNT_MAX),
            Some(text) => quote
                .parse_amount(text)
                .ok_or_else(|| invalid(name, text, "an amount of the quote asset")),
        };
        let fee = |text: &Option<String>, now: u32| text.as_deref().map_or(Ok(now), parse_fee);
        let max_qty = qty("largest quantity", &self.max_qty, now.max_qty)?;
        // Where the two are equal, they stay equal.
        let market_max_qty =
            if now.market_max_qty == now.max_qty { max_qty } else { now.market_max_qty };
        Ok(InstrumentSpec {
            min_price: price("smallest price", &self.min_price, now.min_price)?,
            max_price: price("largest price", &self.max_price, now.max_price)?,
            min_qty: qty("smallest quantity", &self.min_qty, now.min_qty)?,
            max_qty,
            market_max_qty: qty("market quantity", &self.market_max_qty, market_max_qty)?,
            min_notional: amount("smallest notional", &self.min_notional, now.min_notional)?,
            max_notional: amount(LARGEST_NOTIONAL, &self.max_notional, now.max_notional)?,
            max_open_orders: self.max_open_orders.unwrap_or(now.max_open_orders),
            fees: FeeRates {
                maker_fee_bps_x100: fee(&self.maker_fee_bps, now.fees.maker_fee_bps_x100)?,
                taker_fee_bps_x100: fee(&self.taker_fee_bps, now.fees.taker_fee_bps_x100)?,
            },
            ..now
        })
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct InstrumentAdded {
    symbol: String,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct InstrumentShown {
    symbol: String,
    base: String,
    quote: String,
    tick_size: String,
    lot_size: String,
    min_price: String,
    max_price: String,
    min_qty: String,
    max_qty: String,
    market_max_qty: String,
    min_notional: String,
    /// Null without an upper bound.
    max_notional: Option<String>,
    max_open_orders: u32,
    phase: Option<String>,
    delisted: bool,
    maker_fee_bps: String,
    taker_fee_bps: String,
}

pub(super) fn list(_: Nothing, venue: &mut Venue<'_>) -> Result<Vec<InstrumentShown>, Failure> {
    venue.read(|engine| engine.instruments().map(|instrument| row(engine, instrument)).collect())
}

pub(super) fn row(engine: &Engine, instrument: &Instrument) -> InstrumentShown {
    let spec = &instrument.spec;
    let asset = |id: AssetId| &engine.assets()[usize::from(id.0)];
    let quote = asset(spec.quote);
    InstrumentShown {
        symbol: spec.symbol.to_string(),
        base: asset(spec.base).name.to_string(),
        quote: quote.name.to_string(),
        tick_size: spec.tick_size.format(1, 0),
        lot_size: spec.lot_size.format(1, 0),
        min_price: instrument.format_price(spec.min_price, 0),
        max_price: instrument.format_price(spec.max_price, 0),
        min_qty: instrument.format_qty(spec.min_qty, 0),
        max_qty: instrument.format_qty(spec.max_qty, 0),
        market_max_qty: instrument.format_qty(spec.market_max_qty, 0),
        min_notional: quote.format_amount(spec.min_notional),
        max_notional: (spec.max_notional < AMOUNT_MAX)
            .then(|| quote.format_amount(spec.max_notional)),
        max_open_orders: spec.max_open_orders,
        phase: engine.phase(instrument.id).map(|phase| format!("{phase:?}")),
        delisted: engine.is_delisted(instrument.id),
        maker_fee_bps: format_fee(spec.fees.maker_fee_bps_x100),
        taker_fee_bps: format_fee(spec.fees.taker_fee_bps_x100),
    }
}

fn parse_increment(name: &str, text: &str) -> Result<Increment, Failure> {
    Increment::parse(text).ok_or_else(|| invalid(name, text, "a decimal above zero"))
}
