//! An operator's request: how it is put to the engine, and what is answered.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use engine::Engine;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use types::{
    AMOUNT_MAX, AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, Command,
    CreateAccount, CreateKey, Deposit, Event, ExternalRef, FeeRates, Increment, Instrument,
    InstrumentSpec, KeyId, KeySpec, ListAsset, ListInstrument, PRICE_MAX, Price, QTY_MAX, Qty,
    RejectReason, RevokeKey, Role, Symbol, Withdraw,
};
use venue::{MasterKey, MasterKeyError, Secret, api_key_hash, random_text};

use super::risk::Oversight;
use super::trading::Trading;
use crate::failure::Failure;

#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub(crate) enum Request {
    AddAsset { name: String, decimals: u8 },
    ListAssets,
    AddInstrument(NewInstrument),
    ListInstruments,
    AddAccount(NewAccount),
    ListAccounts,
    Balances { name: String },
    Deposit { account: String, asset: String, amount: String, external_ref: String },
    Withdraw { account: String, asset: String, amount: String, external_ref: String },
    AddKey { account: String, role: RoleName },
    ListKeys,
    RevokeKey { key: u32 },
    Trading { action: Trading },
    Risk { action: Oversight },
}

#[derive(Args, Debug, Deserialize, Serialize)]
pub(crate) struct NewInstrument {
    symbol: String,
    /// Asset that is bought and sold
    #[arg(long)]
    base: String,
    /// Asset that is paid with
    #[arg(long)]
    quote: String,
    /// Smallest step of a price, such as 0.01
    #[arg(long, value_name = "DECIMAL")]
    tick_size: String,
    /// Smallest step of a quantity, such as 0.00001
    #[arg(long, value_name = "DECIMAL")]
    lot_size: String,
    /// [default: one tick]
    #[arg(long, value_name = "DECIMAL")]
    min_price: Option<String>,
    /// [default: 10^8 ticks]
    #[arg(long, value_name = "DECIMAL")]
    max_price: Option<String>,
    /// [default: one lot]
    #[arg(long, value_name = "DECIMAL")]
    min_qty: Option<String>,
    /// [default: 10^9 lots]
    #[arg(long, value_name = "DECIMAL")]
    max_qty: Option<String>,
    /// The most that one market order may ask for [default: the same]
    #[arg(long, value_name = "DECIMAL")]
    market_max_qty: Option<String>,
    /// Smallest price times quantity [default: none]
    #[arg(long, value_name = "DECIMAL")]
    min_notional: Option<String>,
    /// Largest price times quantity [default: none]
    #[arg(long, value_name = "DECIMAL")]
    max_notional: Option<String>,
    /// Open orders that one account may have here
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_open_orders: u32,
    /// Basis points of what a maker receives, such as 7.5
    #[arg(long, value_name = "BPS", default_value = "0")]
    maker_fee_bps: String,
    /// Basis points of what a taker receives
    #[arg(long, value_name = "BPS", default_value = "0")]
    taker_fee_bps: String,
}

#[derive(Args, Debug, Deserialize, Serialize)]
pub(crate) struct NewAccount {
    name: String,
    /// Basis points as a maker, in place of the instruments' fees; needs the other one too
    #[arg(long, value_name = "BPS", requires = "taker_fee_bps")]
    maker_fee_bps: Option<String>,
    /// Basis points as a taker, likewise
    #[arg(long, value_name = "BPS", requires = "maker_fee_bps")]
    taker_fee_bps: Option<String>,
    /// Open orders over all instruments
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_open_orders: u32,
    /// Finished orders that can still be asked for
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    finished_orders_kept: u32,
    /// Trades that can still be asked for
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    trades_kept: u32,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RoleName {
    Trader,
    ReadOnly,
}

/// A venue that takes an operator's commands, running or not.
pub(crate) trait Backend {
    /// Gives a command and waits for what came of it.
    fn apply(&mut self, command: Command) -> Result<Vec<Event>, Failure>;

    fn read<R: Send + 'static>(
        &mut self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<R, Failure>;
}

impl Request {
    /// Whether it means something where there is nothing yet.
    pub(crate) fn can_begin_a_venue(&self) -> bool {
        matches!(self, Self::AddAsset { .. } | Self::AddAccount(_))
    }

    pub(crate) fn execute(
        self,
        venue: &mut impl Backend,
        master_key: Option<&MasterKey>,
    ) -> Result<Value, Failure> {
        match self {
            Self::AddAsset { name, decimals } => {
                let name = AssetName::parse(&name)
                    .ok_or_else(|| invalid("asset", &name, "1 to 16 capital letters and digits"))?;
                let asset = Asset { name, decimals };
                carry_out(venue, Command::ListAsset(ListAsset { asset }))?;
                Ok(json!({ "asset": name.as_str(), "decimals": decimals }))
            }
            Self::ListAssets => venue.read(list_assets),
            Self::AddInstrument(new) => {
                let assets = venue.read(|engine| engine.assets().to_vec())?;
                let spec = new.spec(&assets)?;
                let symbol = spec.symbol;
                carry_out(venue, Command::ListInstrument(ListInstrument { spec }))?;
                Ok(json!({ "symbol": symbol.as_str() }))
            }
            Self::ListInstruments => venue.read(list_instruments),
            Self::AddAccount(new) => {
                let spec = new.spec()?;
                carry_out(venue, Command::CreateAccount(CreateAccount { spec }))?;
                Ok(json!({ "account": spec.name.as_str() }))
            }
            Self::ListAccounts => venue.read(list_accounts),
            Self::Balances { name } => {
                let account = find_account(venue, &name)?;
                venue.read(move |engine| list_balances(engine, account))
            }
            Self::Deposit { account, asset, amount, external_ref } => {
                let account = find_account(venue, &account)?;
                let (asset, amount) = find_amount(venue, &asset, &amount)?;
                let external_ref = parse_external_ref(&external_ref)?;
                let deposit = Deposit { account, asset, amount, external_ref };
                carry_out(venue, Command::Deposit(deposit))?;
                venue.read(move |engine| list_balances(engine, account))
            }
            Self::Withdraw { account, asset, amount, external_ref } => {
                let account = find_account(venue, &account)?;
                let (asset, amount) = find_amount(venue, &asset, &amount)?;
                let external_ref = parse_external_ref(&external_ref)?;
                let withdraw = Withdraw { account, asset, amount, external_ref };
                carry_out(venue, Command::Withdraw(withdraw))?;
                venue.read(move |engine| list_balances(engine, account))
            }
            Self::AddKey { account, role } => {
                let master_key = master_key.ok_or(MasterKeyError::Missing)?;
                let account = find_account(venue, &account)?;
                add_key(venue, account, role, master_key)
            }
            Self::ListKeys => venue.read(list_keys),
            Self::RevokeKey { key } => {
                carry_out(venue, Command::RevokeKey(RevokeKey { key: KeyId(key) }))?;
                Ok(json!({ "revoked": key }))
            }
            Self::Trading { action } => action.execute(venue),
            Self::Risk { action } => action.execute(venue),
        }
    }
}

/// A listed instrument with its assets: all that is needed to read and print its numbers.
#[derive(Clone, Copy)]
pub(super) struct Listing {
    pub(super) instrument: Instrument,
    pub(super) base: Asset,
    pub(super) quote: Asset,
}

impl Listing {
    /// The quantity that is named, or else what is now.
    pub(super) fn qty_or(&self, named: &Option<String>, now: Qty) -> Result<Qty, Failure> {
        let Some(text) = named else { return Ok(now) };
        let qty = self.instrument.parse_qty(text);
        qty.ok_or_else(|| invalid("quantity", text, "a whole number of lots"))
    }

    /// The amount of the quote asset that is named, or else what is now.
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

impl NewInstrument {
    fn spec(&self, assets: &[Asset]) -> Result<InstrumentSpec, Failure> {
        let (base, _) = asset_named(assets, &self.base)?;
        let (quote, quote_asset) = asset_named(assets, &self.quote)?;
        let tick_size = parse_increment("tick size", &self.tick_size)?;
        let lot_size = parse_increment("lot size", &self.lot_size)?;
        let price = |name, text: &Option<String>, default: i64| match text {
            None => Ok(Price::from_ticks(default)),
            Some(text) => tick_size
                .count(text)
                .and_then(|ticks| i64::try_from(ticks).ok())
                .map(Price::from_ticks)
                .filter(|price| *price <= PRICE_MAX)
                .ok_or_else(|| invalid(name, text, "a whole number of ticks")),
        };
        let qty = |name, text: &Option<String>, default: u64| match text {
            None => Ok(Qty::from_lots(default)),
            Some(text) => lot_size
                .count(text)
                .and_then(|lots| u64::try_from(lots).ok())
                .map(Qty::from_lots)
                .filter(|qty| *qty <= QTY_MAX)
                .ok_or_else(|| invalid(name, text, "a whole number of lots")),
        };
        let amount = |name, text: &Option<String>, default: Amount| match text {
            None => Ok(default),
            Some(text) => quote_asset
                .parse_amount(text)
                .ok_or_else(|| invalid(name, text, "an amount of the quote asset")),
        };
        let max_qty = qty("largest quantity", &self.max_qty, 1_000_000_000)?;
        Ok(InstrumentSpec {
            symbol: Symbol::parse(&self.symbol).ok_or_else(|| {
                invalid("symbol", &self.symbol, "1 to 20 capital letters, digits, - _ .")
            })?,
            base,
            quote,
            tick_size,
            lot_size,
            min_price: price("smallest price", &self.min_price, 1)?,
            max_price: price("largest price", &self.max_price, 100_000_000)?,
            min_qty: qty("smallest quantity", &self.min_qty, 1)?,
            max_qty,
            market_max_qty: qty("market quantity", &self.market_max_qty, max_qty.lots())?,
            min_notional: amount("smallest notional", &self.min_notional, Amount::ZERO)?,
            max_notional: amount("largest notional", &self.max_notional, AMOUNT_MAX)?,
            max_open_orders: self.max_open_orders,
            fees: FeeRates {
                maker_fee_bps_x100: parse_fee(&self.maker_fee_bps)?,
                taker_fee_bps_x100: parse_fee(&self.taker_fee_bps)?,
            },
        })
    }
}

impl NewAccount {
    fn spec(&self) -> Result<AccountSpec, Failure> {
        let fees = match (&self.maker_fee_bps, &self.taker_fee_bps) {
            (Some(maker), Some(taker)) => Some(FeeRates {
                maker_fee_bps_x100: parse_fee(maker)?,
                taker_fee_bps_x100: parse_fee(taker)?,
            }),
            _ => None,
        };
        Ok(AccountSpec {
            name: AccountName::parse(&self.name)
                .ok_or_else(|| invalid("account", &self.name, "1 to 32 letters, digits, . _ -"))?,
            fees,
            max_open_orders: self.max_open_orders,
            finished_orders_kept: self.finished_orders_kept,
            trades_kept: self.trades_kept,
        })
    }
}

fn add_key(
    venue: &mut impl Backend,
    account: AccountId,
    role: RoleName,
    master_key: &MasterKey,
) -> Result<Value, Failure> {
    let (api_key, secret) = (random_text(64), Secret::generate());
    let api_key_hash = api_key_hash(&api_key);
    let spec = KeySpec {
        account,
        role: match role {
            RoleName::Trader => Role::Trader,
            RoleName::ReadOnly => Role::ReadOnly,
        },
        api_key_hash,
        sealed_secret: master_key.seal(&secret, &api_key_hash),
    };
    let events = carry_out(venue, Command::CreateKey(CreateKey { spec }))?;
    let key = events.iter().find_map(|event| match event {
        Event::KeyCreated(created) => Some(created.key.0),
        _ => None,
    });
    Ok(json!({ "key": key, "api_key": api_key, "secret_key": secret.as_str() }))
}

pub(super) fn carry_out(venue: &mut impl Backend, command: Command) -> Result<Vec<Event>, Failure> {
    let events = venue.apply(command)?;
    let rejected = events.iter().find_map(|event| match event {
        Event::CommandRejected(rejected) => Some(rejected.reason),
        _ => None,
    });
    rejected.map_or(Ok(events), |reason| Err(Failure::new(refusal(reason))))
}

fn refusal(reason: RejectReason) -> String {
    let sentence = match reason {
        RejectReason::NameInUse => "there is one of this name already",
        RejectReason::DuplicateExternalRef => {
            "a transfer of this reference was carried out before; this one was not"
        }
        RejectReason::WithdrawalAboveFree => "the free balance is too small",
        RejectReason::AmountNotPositive => "the amount must be above zero",
        RejectReason::AmountAboveMax | RejectReason::SupplyAboveMax => {
            "the amount is above what the venue can hold"
        }
        RejectReason::UnknownKey => "there is no valid key of this number",
        RejectReason::TickTimesLotNotWhole => {
            "one tick times one lot is not a whole number of the quote asset's smallest unit"
        }
        RejectReason::LotNotWhole => {
            "one lot is not a whole number of the base asset's smallest unit"
        }
        RejectReason::InstrumentBoundsInvalid => {
            "a bound on price, quantity or notional is out of range"
        }
        RejectReason::InstrumentAmountsTooLarge => {
            "the largest quantity at the largest price is more than the venue can hold"
        }
        RejectReason::FeeTooHigh => "a fee may not exceed 100 %",
        RejectReason::BaseIsQuote => "base and quote must be different assets",
        RejectReason::PhaseForbids => "the instrument is in this phase already",
        RejectReason::InstrumentDelisted => "the instrument is delisted",
        RejectReason::VenueHalted => "the venue is halted",
        RejectReason::VenueNotHalted => "the venue is not halted",
        RejectReason::HaltLevelInvalid => "a halt's level is from 1 to 3",
        RejectReason::OwnsNoBalances => "the account's mode is one without balances",
        RejectReason::AccountNotFlat => {
            "the mode changes only while an account has no open orders, position, balances or receivables"
        }
        RejectReason::TradeNotFound => {
            "there is no such trade between these two, or one of them no longer keeps it"
        }
        RejectReason::TradeBustedAlready => "the trade was busted before",
        RejectReason::PriceBelowMin => "the price is below the instrument's smallest",
        RejectReason::PriceAboveMax => "the price is above the instrument's largest",
        RejectReason::DecimalsAboveMax => "an asset has at most 18 decimals",
        _ => return format!("refused: {reason:?}"),
    };
    format!("refused: {sentence}")
}

fn list_assets(engine: &Engine) -> Value {
    let assets = (0..).map(AssetId).zip(engine.assets());
    let row = |(id, asset): (AssetId, &Asset)| {
        let supply = engine.supply(id).unwrap_or_default();
        json!({
            "asset": asset.name.as_str(),
            "decimals": asset.decimals,
            "supply": asset.format_amount(supply),
        })
    };
    assets.map(row).collect()
}

fn list_instruments(engine: &Engine) -> Value {
    let row = |instrument: &Instrument| {
        let spec = &instrument.spec;
        let asset = |id: AssetId| &engine.assets()[usize::from(id.0)];
        let quote = asset(spec.quote);
        json!({
            "symbol": spec.symbol.as_str(),
            "base": asset(spec.base).name.as_str(),
            "quote": quote.name.as_str(),
            "tick_size": spec.tick_size.format(1, 0),
            "lot_size": spec.lot_size.format(1, 0),
            "min_price": instrument.format_price(spec.min_price, 0),
            "max_price": instrument.format_price(spec.max_price, 0),
            "min_qty": instrument.format_qty(spec.min_qty, 0),
            "max_qty": instrument.format_qty(spec.max_qty, 0),
            "market_max_qty": instrument.format_qty(spec.market_max_qty, 0),
            "min_notional": quote.format_amount(spec.min_notional),
            "max_notional": quote.format_amount(spec.max_notional),
            "max_open_orders": spec.max_open_orders,
            "phase": engine.phase(instrument.id).map(|phase| format!("{phase:?}")),
            "delisted": engine.is_delisted(instrument.id),
            "maker_fee_bps": format_fee(spec.fees.maker_fee_bps_x100),
            "taker_fee_bps": format_fee(spec.fees.taker_fee_bps_x100),
        })
    };
    engine.instruments().map(row).collect()
}

fn list_accounts(engine: &Engine) -> Value {
    let row = |(id, spec): (AccountId, &AccountSpec)| {
        json!({
            "id": id.0,
            "account": spec.name.as_str(),
            "maker_fee_bps": spec.fees.map(|fees| format_fee(fees.maker_fee_bps_x100)),
            "taker_fee_bps": spec.fees.map(|fees| format_fee(fees.taker_fee_bps_x100)),
            "max_open_orders": spec.max_open_orders,
            "finished_orders_kept": spec.finished_orders_kept,
            "trades_kept": spec.trades_kept,
            "killed": engine.is_killed(id),
        })
    };
    engine.accounts().map(row).collect()
}

fn list_balances(engine: &Engine, account: AccountId) -> Value {
    let rows = engine.assets().iter().zip(engine.balances(account)).map(|(asset, balance)| {
        json!({
            "asset": asset.name.as_str(),
            "free": asset.format_amount(balance.free),
            "locked": asset.format_amount(balance.locked),
        })
    });
    rows.collect()
}

fn list_keys(engine: &Engine) -> Value {
    let names: Vec<&str> = engine.accounts().map(|(_, spec)| spec.name.as_str()).collect();
    let row = |(id, spec): (KeyId, &KeySpec)| {
        json!({
            "key": id.0,
            "account": names[spec.account.0 as usize],
            "role": match spec.role {
                Role::Trader => RoleName::Trader,
                Role::ReadOnly => RoleName::ReadOnly,
            },
        })
    };
    engine.keys().map(row).collect()
}

pub(super) fn find_account(venue: &mut impl Backend, name: &str) -> Result<AccountId, Failure> {
    let wanted = name.to_owned();
    let found = venue.read(move |engine| {
        let mut accounts = engine.accounts();
        accounts.find(|(_, spec)| spec.name.as_str() == wanted).map(|(id, _)| id)
    })?;
    found.ok_or_else(|| Failure::new(format!("there is no account `{name}`")))
}

pub(super) fn find_instrument(venue: &mut impl Backend, symbol: &str) -> Result<Listing, Failure> {
    let wanted = symbol.to_owned();
    let found = venue.read(move |engine| {
        let mut instruments = engine.instruments();
        let instrument = *instruments.find(|listed| listed.spec.symbol.as_str() == wanted)?;
        let asset = |id: AssetId| engine.assets()[usize::from(id.0)];
        let (base, quote) = (asset(instrument.spec.base), asset(instrument.spec.quote));
        Some(Listing { instrument, base, quote })
    })?;
    found.ok_or_else(|| Failure::new(format!("there is no instrument `{symbol}`")))
}

pub(super) fn account_names(engine: &Engine) -> BTreeMap<AccountId, String> {
    engine.accounts().map(|(id, spec)| (id, spec.name.to_string())).collect()
}

fn find_amount(
    venue: &mut impl Backend,
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

fn asset_named(assets: &[Asset], name: &str) -> Result<(AssetId, Asset), Failure> {
    (0..)
        .map(AssetId)
        .zip(assets.iter().copied())
        .find(|(_, asset)| asset.name.as_str() == name)
        .ok_or_else(|| Failure::new(format!("there is no asset `{name}`")))
}

fn parse_external_ref(text: &str) -> Result<ExternalRef, Failure> {
    ExternalRef::parse(text)
        .ok_or_else(|| invalid("reference", text, "1 to 64 visible ASCII characters"))
}

fn parse_increment(name: &str, text: &str) -> Result<Increment, Failure> {
    Increment::parse(text).ok_or_else(|| invalid(name, text, "a decimal above zero"))
}

/// Basis points with two decimals.
fn parse_fee(text: &str) -> Result<u32, Failure> {
    types::parse_decimal(text, 2)
        .and_then(|fee| u32::try_from(fee).ok())
        .ok_or_else(|| invalid("fee", text, "basis points with at most two decimals"))
}

fn format_fee(fee_bps_x100: u32) -> String {
    types::format_decimal(i128::from(fee_bps_x100), 2, 2)
}

pub(super) fn invalid(what: &str, text: &str, expected: &str) -> Failure {
    Failure::new(format!("the {what} `{text}` is not {expected}"))
}
