//! Assets, and the accounts that own them.

use clap::Args;
use cli::Failure;
use engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    AccountId, AccountName, AccountSpec, Asset, AssetId, AssetName, Command, CreateAccount,
    FeeRates, ListAsset, UpdateAccount,
};

use super::backend::{Venue, execute};
use super::lookup::find_account;
use super::value::{Nothing, format_fee, invalid, parse_fee};

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: buttonwood admin asset add BTC --decimals 8")]
pub(crate) struct NewAsset {
    /// 1 to 16 capital letters and digits, such as `BTC`
    #[schemars(regex(pattern = "^[A-Z0-9]{1,16}$"))]
    name: String,
    /// Decimals of its amounts, 0 to 18: the smallest unit is 10^-N
    #[arg(long, value_name = "N", default_value_t = DECIMALS)]
    #[serde(default = "decimals")]
    #[schemars(range(max = 18))]
    decimals: u8,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NamedAccount {
    /// Account
    name: String,
}

pub(super) const DECIMALS: u8 = 8;
/// Default for new accounts.
const ORDERS_MAX: u32 = 10_000;
/// Default for new accounts. The read model has all finished orders and trades. Those in the
/// engine's memory serve order lists, busts, and queries that the read model cannot answer yet.
const PAST_KEPT: u32 = 1_000;

fn decimals() -> u8 {
    DECIMALS
}

fn orders_max() -> u32 {
    ORDERS_MAX
}

fn past_kept() -> u32 {
    PAST_KEPT
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: buttonwood admin account add desk-1 --max-open-orders 500")]
pub(crate) struct NewAccount {
    /// 1 to 32 letters, digits, `.`, `_` and `-`
    name: String,
    /// Own fee as a maker in basis points, 0 to 10000; needs --taker-fee-bps
    /// [default: the instruments' fees]
    #[arg(long, value_name = "BPS", requires = "taker_fee_bps")]
    maker_fee_bps: Option<String>,
    /// Own fee as a taker in basis points, 0 to 10000; needs --maker-fee-bps
    /// [default: the instruments' fees]
    #[arg(long, value_name = "BPS", requires = "maker_fee_bps")]
    taker_fee_bps: Option<String>,
    /// Largest number of open orders over all instruments
    #[arg(long, value_name = "N", default_value_t = ORDERS_MAX)]
    #[serde(default = "orders_max")]
    max_open_orders: u32,
    /// Finished orders that the engine keeps in memory; the read model has all
    #[arg(long, value_name = "N", default_value_t = PAST_KEPT)]
    #[serde(default = "past_kept")]
    finished_orders_kept: u32,
    /// Trades that the engine keeps in memory, where they can be busted or corrected; the read
    /// model has all
    #[arg(long, value_name = "N", default_value_t = PAST_KEPT)]
    #[serde(default = "past_kept")]
    trades_kept: u32,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct AccountUpdate {
    /// Account
    name: String,
    /// Own fee as a maker in basis points, 0 to 10000; needs --taker-fee-bps
    #[arg(long, value_name = "BPS", requires = "taker_fee_bps")]
    maker_fee_bps: Option<String>,
    /// Own fee as a taker in basis points, 0 to 10000; needs --maker-fee-bps
    #[arg(long, value_name = "BPS", requires = "maker_fee_bps")]
    taker_fee_bps: Option<String>,
    /// Remove the own fees: the instruments' fees apply again
    #[arg(long, conflicts_with = "maker_fee_bps")]
    #[serde(default)]
    no_own_fees: bool,
    /// Largest number of open orders over all instruments
    #[arg(long, value_name = "N")]
    max_open_orders: Option<u32>,
    /// Finished orders that the engine keeps in memory; the read model has all
    #[arg(long, value_name = "N")]
    finished_orders_kept: Option<u32>,
    /// Trades that the engine keeps in memory, where they can be busted or corrected; the read
    /// model has all
    #[arg(long, value_name = "N")]
    trades_kept: Option<u32>,
}

impl NewAsset {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<AssetAdded, Failure> {
        let Self { name, decimals } = self;
        let name = AssetName::parse(&name)
            .ok_or_else(|| invalid("asset", &name, "1 to 16 capital letters and digits"))?;
        let asset = Asset { name, decimals };
        execute(venue, Command::ListAsset(ListAsset { asset }))?;
        Ok(AssetAdded { asset: name.to_string(), decimals })
    }
}

impl NewAccount {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<AccountAdded, Failure> {
        let spec = self.spec()?;
        execute(venue, Command::CreateAccount(CreateAccount { spec }))?;
        Ok(AccountAdded { account: spec.name.to_string() })
    }

    fn spec(&self) -> Result<AccountSpec, Failure> {
        Ok(AccountSpec {
            name: AccountName::parse(&self.name)
                .ok_or_else(|| invalid("account", &self.name, "1 to 32 letters, digits, . _ -"))?,
            fees: parse_fees(&self.maker_fee_bps, &self.taker_fee_bps)?,
            max_open_orders: self.max_open_orders,
            finished_orders_kept: self.finished_orders_kept,
            trades_kept: self.trades_kept,
        })
    }
}

impl AccountUpdate {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<AccountShown, Failure> {
        let account = find_account(venue, &self.name)?;
        let now = move |engine: &Engine| {
            let mut accounts = engine.accounts();
            accounts.find(|(id, _)| *id == account).map(|(_, spec)| *spec)
        };
        let gone = || Failure::new("the account is gone");
        let now = venue.read(now)?.ok_or_else(gone)?;
        let fees = parse_fees(&self.maker_fee_bps, &self.taker_fee_bps)?;
        if self.no_own_fees && fees.is_some() {
            return Err(Failure::new("`no_own_fees` and own fees exclude each other"));
        }
        let fees = if self.no_own_fees { None } else { fees.or(now.fees) };
        let spec = AccountSpec {
            fees,
            max_open_orders: self.max_open_orders.unwrap_or(now.max_open_orders),
            finished_orders_kept: self.finished_orders_kept.unwrap_or(now.finished_orders_kept),
            trades_kept: self.trades_kept.unwrap_or(now.trades_kept),
            ..now
        };
        if spec != now {
            execute(venue, Command::UpdateAccount(UpdateAccount { account, spec }))?;
        }
        venue.read(move |engine| account_row(engine, account, &spec))
    }
}

fn parse_fees(maker: &Option<String>, taker: &Option<String>) -> Result<Option<FeeRates>, Failure> {
    let (maker, taker) = match (maker, taker) {
        (Some(maker), Some(taker)) => (maker, taker),
        (None, None) => return Ok(None),
        _ => {
            return Err(Failure::new(
                "an account's own fees are two: name the maker's and the taker's",
            ));
        }
    };
    let (maker_fee_bps_x100, taker_fee_bps_x100) = (parse_fee(maker)?, parse_fee(taker)?);
    Ok(Some(FeeRates { maker_fee_bps_x100, taker_fee_bps_x100 }))
}

#[derive(JsonSchema, Serialize)]
pub(super) struct AssetAdded {
    asset: String,
    decimals: u8,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct AssetShown {
    asset: String,
    decimals: u8,
    /// The sum of the balances of all accounts and the venue
    supply: String,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct AccountAdded {
    account: String,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct AccountShown {
    id: u32,
    account: String,
    /// None if it pays the instrument's fees
    maker_fee_bps: Option<String>,
    taker_fee_bps: Option<String>,
    max_open_orders: u32,
    finished_orders_kept: u32,
    trades_kept: u32,
    killed: bool,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct BalanceShown {
    asset: String,
    free: String,
    /// The part that open orders and withdrawals hold
    locked: String,
}

pub(super) fn list_assets(_: Nothing, venue: &mut Venue<'_>) -> Result<Vec<AssetShown>, Failure> {
    venue.read(asset_rows)
}

pub(super) fn asset_rows(engine: &Engine) -> Vec<AssetShown> {
    let assets = (0..).map(AssetId).zip(engine.assets());
    let row = |(id, asset): (AssetId, &Asset)| {
        let supply = engine.supply(id).unwrap_or_default();
        AssetShown {
            asset: asset.name.to_string(),
            decimals: asset.decimals,
            supply: asset.format_amount(supply),
        }
    };
    assets.map(row).collect()
}

pub(super) fn list(_: Nothing, venue: &mut Venue<'_>) -> Result<Vec<AccountShown>, Failure> {
    venue.read(|engine| engine.accounts().map(|(id, spec)| account_row(engine, id, spec)).collect())
}

pub(super) fn account_row(engine: &Engine, id: AccountId, spec: &AccountSpec) -> AccountShown {
    AccountShown {
        id: id.0,
        account: spec.name.to_string(),
        maker_fee_bps: spec.fees.map(|fees| format_fee(fees.maker_fee_bps_x100)),
        taker_fee_bps: spec.fees.map(|fees| format_fee(fees.taker_fee_bps_x100)),
        max_open_orders: spec.max_open_orders,
        finished_orders_kept: spec.finished_orders_kept,
        trades_kept: spec.trades_kept,
        killed: engine.is_killed(id),
    }
}

impl NamedAccount {
    pub(super) fn balances(self, venue: &mut Venue<'_>) -> Result<Vec<BalanceShown>, Failure> {
        let account = find_account(venue, &self.name)?;
        show_balances(venue, account)
    }
}

pub(super) fn show_balances(
    venue: &mut Venue<'_>,
    account: AccountId,
) -> Result<Vec<BalanceShown>, Failure> {
    venue.read(move |engine| {
        let balances = engine.assets().iter().zip(engine.balances(account));
        let rows = balances.map(|(asset, balance)| BalanceShown {
            asset: asset.name.to_string(),
            free: asset.format_amount(balance.free),
            locked: asset.format_amount(balance.locked),
        });
        rows.collect()
    })
}
