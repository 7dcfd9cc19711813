//! The market of a venue in one answer: what a market file can hold.

use cli::Failure;
use engine::Engine;
use schemars::JsonSchema;
use serde::Serialize;
use types::{AccountId, AccountRisk, AssetId, Instrument, SESSIONS_MAX};

use super::account::{AccountShown, AssetShown, account_row, asset_rows};
use super::backend::Venue;
use super::calendar::CalendarShown;
use super::fees::FeesShown;
use super::instrument::{self, InstrumentShown};
use super::key::{self, KeyShown};
use super::login::{self, LoginShown};
use super::lookup::{account_name, asset_at, listing_of};
use super::risk::{LimitsShown, RiskShown};
use super::rules::RulesShown;
use super::settings::SettingsShown;
use super::value::Nothing;

#[derive(JsonSchema, Serialize)]
pub(super) struct MarketShown {
    venue: SettingsShown,
    assets: Vec<AssetShown>,
    instruments: Vec<ListedShown>,
    accounts: Vec<OwnerShown>,
    keys: Vec<KeyShown>,
    logins: Vec<LoginShown>,
}

#[derive(JsonSchema, Serialize)]
struct ListedShown {
    #[serde(flatten)]
    instrument: InstrumentShown,
    rules: RulesShown,
    fees: FeesShown,
    calendar: CalendarShown,
}

#[derive(JsonSchema, Serialize)]
struct OwnerShown {
    #[serde(flatten)]
    account: AccountShown,
    risk: RiskShown,
    limits: Vec<LimitsShown>,
    transfers: Vec<TransferShown>,
}

#[derive(JsonSchema, Serialize)]
struct TransferShown {
    external_ref: String,
    /// Else it is a withdrawal
    is_deposit: bool,
    asset: String,
    amount: String,
}

pub(super) fn show(_: Nothing, venue: &mut Venue<'_>) -> Result<MarketShown, Failure> {
    let mut market = venue.read(MarketShown::new)?;
    market.keys = key::list(Nothing {}, venue)?;
    market.logins = login::list(Nothing {}, venue)?;
    Ok(market)
}

impl MarketShown {
    /// Without keys and logins, which the engine cannot open.
    pub(super) fn new(engine: &Engine) -> Self {
        let instruments = engine.instruments().map(|listed| ListedShown::new(engine, listed));
        let accounts = engine.accounts().map(|(account, spec)| OwnerShown {
            account: account_row(engine, account, spec),
            risk: RiskShown::new(
                spec.name.to_string(),
                &engine.account_risk(account).unwrap_or(AccountRisk::PLAIN),
            ),
            limits: limits(engine, account),
            transfers: transfers(engine, account),
        });
        Self {
            venue: SettingsShown::of(engine),
            assets: asset_rows(engine),
            instruments: instruments.collect(),
            accounts: accounts.collect(),
            keys: Vec::new(),
            logins: Vec::new(),
        }
    }
}

impl ListedShown {
    fn new(engine: &Engine, instrument: &Instrument) -> Self {
        let id = instrument.id;
        let listing = listing_of(engine, *instrument);
        let rules = engine.instrument_rules(id).copied().unwrap_or_default();
        let sessions = engine.calendar(id).map(|calendar| calendar.sessions);
        let sessions = sessions.unwrap_or([None; SESSIONS_MAX]);
        Self {
            instrument: instrument::row(engine, instrument),
            rules: RulesShown::new(&rules, instrument),
            fees: FeesShown::new(&listing, engine.fee_schedule(id)),
            calendar: CalendarShown::new(instrument.spec.symbol.to_string(), &sessions),
        }
    }
}

fn limits(engine: &Engine, account: AccountId) -> Vec<LimitsShown> {
    let name = account_name(engine, account);
    let of = |id| engine.instruments().find(|listed| listed.id == id);
    let all = engine.limits(account).filter_map(|(id, limits)| Some((of(id)?, limits)));
    let row = |(instrument, limits): (&Instrument, _)| {
        LimitsShown::new(name.clone(), &listing_of(engine, *instrument), limits)
    };
    all.map(row).collect()
}

fn transfers(engine: &Engine, account: AccountId) -> Vec<TransferShown> {
    let row = |known: engine::KnownTransfer<'_>| {
        let asset = asset_at(engine, AssetId(known.asset.0));
        TransferShown {
            external_ref: known.external_ref.to_owned(),
            is_deposit: known.is_deposit,
            asset: asset.name.to_string(),
            amount: asset.format_amount(known.amount),
        }
    };
    engine.transfers(account).map(row).collect()
}
