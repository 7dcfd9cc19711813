//! Accounts, assets and instruments by name.

use std::collections::BTreeMap;

use cli::Failure;
use engine::Engine;
use types::{AccountId, Amount, Asset, AssetId, Instrument, Price, Qty};

use super::backend::Venue;
use super::value::invalid;

pub(super) fn find_account(venue: &mut Venue<'_>, name: &str) -> Result<AccountId, Failure> {
    let wanted = name.to_owned();
    let found = venue.read(move |engine| {
        let mut accounts = engine.accounts();
        accounts.find(|(_, spec)| spec.name.as_str() == wanted).map(|(id, _)| id)
    })?;
    found.ok_or_else(|| Failure::unknown(format!("there is no account `{name}`")))
}

pub(super) fn account_names(engine: &Engine) -> BTreeMap<AccountId, String> {
    engine.accounts().map(|(id, spec)| (id, spec.name.to_string())).collect()
}

pub(super) fn account_name(engine: &Engine, account: AccountId) -> String {
    let found = engine.accounts().find(|(id, _)| *id == account);
    found.map_or_else(|| account.to_string(), |(_, spec)| spec.name.to_string())
}

pub(super) fn asset_at(engine: &Engine, id: AssetId) -> Asset {
    engine.assets()[usize::from(id.0)]
}

pub(super) fn listing_of(engine: &Engine, instrument: Instrument) -> Listing {
    let (base, quote) = (instrument.spec.base, instrument.spec.quote);
    Listing { instrument, base: asset_at(engine, base), quote: asset_at(engine, quote) }
}

pub(super) fn find_amount(
    venue: &mut Venue<'_>,
    asset: &str,
    amount: &str,
) -> Result<(AssetId, Amount), Failure> {
    let assets = venue.read(|engine| engine.assets().to_vec())?;
    let (id, asset) = asset_named(&assets, asset)?;
    let parsed = asset.parse_amount(amount).ok_or_else(|| {
        invalid("amount", amount, &format!("a decimal of at most {} places", asset.decimals))
    })?;
    Ok((id, parsed))
}

pub(super) fn asset_named(assets: &[Asset], name: &str) -> Result<(AssetId, Asset), Failure> {
    (0..)
        .map(AssetId)
        .zip(assets.iter().copied())
        .find(|(_, asset)| asset.name.as_str() == name)
        .ok_or_else(|| Failure::unknown(format!("there is no asset `{name}`")))
}

/// An instrument with its assets, which parse and print its numbers.
#[derive(Clone, Copy)]
pub(super) struct Listing {
    pub(super) instrument: Instrument,
    pub(super) base: Asset,
    pub(super) quote: Asset,
}

impl Listing {
    pub(super) fn price(&self, price: Price) -> String {
        self.instrument.format_price(price, self.quote.decimals)
    }

    pub(super) fn qty(&self, qty: Qty) -> String {
        self.instrument.format_qty(qty, self.base.decimals)
    }

    /// The named quantity, or else the present one.
    pub(super) fn qty_or(&self, named: &Option<String>, now: Qty) -> Result<Qty, Failure> {
        let Some(text) = named else { return Ok(now) };
        let qty = self.instrument.parse_qty(text);
        qty.ok_or_else(|| invalid("quantity", text, "a whole number of lots"))
    }

    /// The named amount of the quote asset, or else the present one.
    pub(super) fn notional_or(
        &self,
        named: &Option<String>,
        now: Amount,
    ) -> Result<Amount, Failure> {
        let Some(text) = named else { return Ok(now) };
        let amount = self.quote.parse_amount(text);
        amount.ok_or_else(|| invalid("notional", text, "an amount of the quote asset"))
    }
}

pub(super) fn find_instrument(venue: &mut Venue<'_>, symbol: &str) -> Result<Listing, Failure> {
    let wanted = symbol.to_owned();
    let found = venue.read(move |engine| {
        let mut instruments = engine.instruments();
        let instrument = *instruments.find(|listed| listed.spec.symbol.as_str() == wanted)?;
        Some(listing_of(engine, instrument))
    })?;
    found.ok_or_else(|| Failure::unknown(format!("there is no instrument `{symbol}`")))
}
