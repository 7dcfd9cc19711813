//! An operator's request: how it is put to the engine, and what is answered.

use std::collections::BTreeMap;

use clap::Args;
use engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{
    AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, Command, CreateAccount,
    Deposit, Event, ExternalRef, FeeRates, ListAsset, RejectReason, UpdateAccount, Withdraw,
};
use venue::Keyring;

use super::instrument::InstrumentAction;
use super::key::{self, KeyNumber, MasterKeyText, NewKey};
use super::risk::Oversight;
use super::trading::Trading;
use super::withdrawal::WithdrawalAction;
use crate::failure::Failure;

#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub(crate) enum Request {
    AddAsset(NewAsset),
    ListAssets,
    Instrument { action: InstrumentAction },
    AddAccount(NewAccount),
    UpdateAccount(AccountUpdate),
    ListAccounts,
    Balances(NamedAccount),
    Deposit(Transfer),
    Withdraw(Transfer),
    Withdrawal { action: WithdrawalAction },
    AddKey(NewKey),
    ListKeys,
    RevokeKey(KeyNumber),
    RotateMasterKey { next: MasterKeyText },
    Trading { action: Trading },
    Risk { action: Oversight },
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NewAsset {
    /// Such as `BTC`
    #[schemars(regex(pattern = "^[A-Z0-9]{1,16}$"))]
    name: String,
    /// Its smallest unit is 10^-DECIMALS
    #[arg(long, default_value_t = DECIMALS)]
    #[serde(default = "decimals")]
    #[schemars(range(max = 18))]
    decimals: u8,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NamedAccount {
    name: String,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct Transfer {
    pub(super) account: String,
    pub(super) asset: String,
    /// A decimal, such as 12.5
    #[schemars(regex(pattern = "^[0-9]{1,18}([.][0-9]{1,18})?$"))]
    pub(super) amount: String,
    /// The outside world's name for this transfer; the same one is carried out once
    #[arg(long = "ref", value_name = "REF")]
    #[schemars(regex(pattern = "^[!-~]{1,64}$"))]
    pub(super) external_ref: String,
}

const DECIMALS: u8 = 8;
/// Of an account that is opened without a word about them.
const ORDERS_MAX: u32 = 10_000;
/// The read model has all that is finished. What the engine keeps takes its memory, and is there for order
/// lists, for busts, and for questions that the read model cannot answer at the moment.
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
pub(crate) struct NewAccount {
    name: String,
    /// Basis points as a maker, in place of the instruments' fees; needs the other one too
    #[arg(long, value_name = "BPS", requires = "taker_fee_bps")]
    maker_fee_bps: Option<String>,
    /// Basis points as a taker, likewise
    #[arg(long, value_name = "BPS", requires = "maker_fee_bps")]
    taker_fee_bps: Option<String>,
    /// Open orders over all instruments
    #[arg(long, value_name = "N", default_value_t = ORDERS_MAX)]
    #[serde(default = "orders_max")]
    max_open_orders: u32,
    /// Finished orders that the engine keeps in memory; the read model has all
    #[arg(long, value_name = "N", default_value_t = PAST_KEPT)]
    #[serde(default = "past_kept")]
    finished_orders_kept: u32,
    /// Trades that the engine keeps in memory, and so can be busted or corrected; the read model has all
    #[arg(long, value_name = "N", default_value_t = PAST_KEPT)]
    #[serde(default = "past_kept")]
    trades_kept: u32,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct AccountUpdate {
    name: String,
    /// Basis points as a maker, in place of the instruments' fees; needs the other one too
    #[arg(long, value_name = "BPS", requires = "taker_fee_bps")]
    maker_fee_bps: Option<String>,
    /// Basis points as a taker, likewise
    #[arg(long, value_name = "BPS", requires = "maker_fee_bps")]
    taker_fee_bps: Option<String>,
    /// Back to the instruments' fees
    #[arg(long, conflicts_with = "maker_fee_bps")]
    #[serde(default)]
    no_own_fees: bool,
    /// Open orders over all instruments
    #[arg(long, value_name = "N")]
    max_open_orders: Option<u32>,
    /// Finished orders that the engine keeps in memory; the read model has all
    #[arg(long, value_name = "N")]
    finished_orders_kept: Option<u32>,
    /// Trades that the engine keeps in memory, and so can be busted or corrected; the read model has all
    #[arg(long, value_name = "N")]
    trades_kept: Option<u32>,
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
        matches!(self, Self::AddAsset(_) | Self::AddAccount(_))
    }

    pub(crate) fn execute(
        self,
        venue: &mut impl Backend,
        keyring: Option<&Keyring>,
    ) -> Result<Value, Failure> {
        match self {
            Self::AddAsset(NewAsset { name, decimals }) => {
                let name = AssetName::parse(&name)
                    .ok_or_else(|| invalid("asset", &name, "1 to 16 capital letters and digits"))?;
                let asset = Asset { name, decimals };
                carry_out(venue, Command::ListAsset(ListAsset { asset }))?;
                Ok(to_json(AssetAdded { asset: name.as_str(), decimals }))
            }
            Self::ListAssets => venue.read(list_assets),
            Self::Instrument { action } => action.execute(venue),
            Self::AddAccount(new) => {
                let spec = new.spec()?;
                carry_out(venue, Command::CreateAccount(CreateAccount { spec }))?;
                Ok(to_json(AccountAdded { account: spec.name.as_str() }))
            }
            Self::UpdateAccount(update) => update.execute(venue),
            Self::ListAccounts => venue.read(list_accounts),
            Self::Balances(NamedAccount { name }) => {
                let account = find_account(venue, &name)?;
                venue.read(move |engine| list_balances(engine, account))
            }
            Self::Deposit(Transfer { account, asset, amount, external_ref }) => {
                let account = find_account(venue, &account)?;
                let (asset, amount) = find_amount(venue, &asset, &amount)?;
                let external_ref = parse_external_ref(&external_ref)?;
                let deposit = Deposit { account, asset, amount, external_ref };
                carry_out(venue, Command::Deposit(deposit))?;
                venue.read(move |engine| list_balances(engine, account))
            }
            Self::Withdraw(Transfer { account, asset, amount, external_ref }) => {
                let account = find_account(venue, &account)?;
                let (asset, amount) = find_amount(venue, &asset, &amount)?;
                let external_ref = parse_external_ref(&external_ref)?;
                let withdraw = Withdraw { account, asset, amount, external_ref };
                carry_out(venue, Command::Withdraw(withdraw))?;
                venue.read(move |engine| list_balances(engine, account))
            }
            Self::Withdrawal { action } => action.execute(venue),
            Self::AddKey(new) => new.execute(venue, keyring),
            Self::ListKeys => key::list(venue, keyring),
            Self::RevokeKey(KeyNumber { key }) => key::revoke(venue, key),
            Self::RotateMasterKey { next } => next.rotate(venue, keyring),
            Self::Trading { action } => action.execute(venue),
            Self::Risk { action } => action.execute(venue),
        }
    }
}

impl NewAccount {
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
    fn execute(&self, venue: &mut impl Backend) -> Result<Value, Failure> {
        let account = find_account(venue, &self.name)?;
        let now = move |engine: &Engine| {
            let mut accounts = engine.accounts();
            accounts.find(|(id, _)| *id == account).map(|(_, spec)| *spec)
        };
        let gone = || Failure::new("the account is gone");
        let now = venue.read(now)?.ok_or_else(gone)?;
        let fees = match self.no_own_fees {
            true if self.maker_fee_bps.is_some() => {
                return Err(Failure::new("own fees and none exclude each other"));
            }
            true => None,
            false => parse_fees(&self.maker_fee_bps, &self.taker_fee_bps)?.or(now.fees),
        };
        let spec = AccountSpec {
            fees,
            max_open_orders: self.max_open_orders.unwrap_or(now.max_open_orders),
            finished_orders_kept: self.finished_orders_kept.unwrap_or(now.finished_orders_kept),
            trades_kept: self.trades_kept.unwrap_or(now.trades_kept),
            ..now
        };
        if spec != now {
            carry_out(venue, Command::UpdateAccount(UpdateAccount { account, spec }))?;
        }
        venue.read(move |engine| account_row(engine, account, &spec)).map(to_json)
    }
}

fn parse_fees(maker: &Option<String>, taker: &Option<String>) -> Result<Option<FeeRates>, Failure> {
    let (maker, taker) = match (maker, taker) {
        (Some(maker), Some(taker)) => (maker, taker),
        (None, None) => return Ok(None),
        _ => return Err(Failure::new("an account's own fees are two: as a maker and as a taker")),
    };
    let (maker_fee_bps_x100, taker_fee_bps_x100) = (parse_fee(maker)?, parse_fee(taker)?);
    Ok(Some(FeeRates { maker_fee_bps_x100, taker_fee_bps_x100 }))
}

pub(super) fn carry_out(venue: &mut impl Backend, command: Command) -> Result<Vec<Event>, Failure> {
    let events = venue.apply(command)?;
    let rejected = events.iter().find_map(|event| match event {
        Event::CommandRejected(rejected) => Some(rejected.reason),
        _ => None,
    });
    rejected.map_or(Ok(events), |reason| Err(Failure::refused(reason, refusal(reason))))
}

fn refusal(reason: RejectReason) -> String {
    let sentence = match reason {
        RejectReason::NameInUse => "there is one of this name already",
        RejectReason::DuplicateExternalRef => {
            "a transfer of this reference was asked for or carried out before; this one was not"
        }
        RejectReason::WithdrawalAboveFree => "the free balance is too small",
        RejectReason::TooManyWithdrawals => {
            "the account has as many withdrawals open as it may: confirm or cancel one first"
        }
        RejectReason::WithdrawalNotFound => {
            "the account has no withdrawal of this reference, or it ended long ago"
        }
        RejectReason::WithdrawalCompletedAlready => {
            "the withdrawal was confirmed before: its amount has left the account"
        }
        RejectReason::WithdrawalCanceledAlready => {
            "the withdrawal was canceled before: its amount is free again"
        }
        RejectReason::AccountKilled => {
            "the account is switched off: nothing leaves it until it is on again"
        }
        RejectReason::AmountNotPositive => "the amount must be above zero",
        RejectReason::AmountAboveMax | RejectReason::SupplyAboveMax => {
            "the amount is above what the venue can hold"
        }
        RejectReason::UnknownKey => "there is no valid key of this number",
        RejectReason::KeysChanged => {
            "a key came or went while all were sealed anew; nothing was changed: try again"
        }
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
        RejectReason::InstrumentRulesInvalid => {
            "a smallest value is above its largest, or the average is over more than a day"
        }
        RejectReason::FeeScheduleInvalid => {
            "the first tier begins at a volume of 0, the others ascend, and no rate exceeds 100 %"
        }
        RejectReason::CircuitBreakerInvalid => {
            "levels are from 1 to 10000 basis points, each farther than the one before"
        }
        RejectReason::ReceivableNotFound => "nothing is owed by this number",
        RejectReason::NothingToSettle => "the debtor has nothing of it free",
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

#[derive(JsonSchema, Serialize)]
pub(super) struct AssetAdded<'a> {
    asset: &'a str,
    decimals: u8,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct AssetShown {
    asset: String,
    decimals: u8,
    /// All that accounts and the venue own of it
    supply: String,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct AccountAdded<'a> {
    account: &'a str,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct AccountShown {
    id: u32,
    account: String,
    /// None if it pays what everybody does
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
    /// What open orders and withdrawals hold
    locked: String,
}

/// An answer as it goes out.
pub(super) fn to_json(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).expect("answers have text keys and no floats")
}

fn list_assets(engine: &Engine) -> Value {
    let assets = (0..).map(AssetId).zip(engine.assets());
    let row = |(id, asset): (AssetId, &Asset)| {
        let supply = engine.supply(id).unwrap_or_default();
        AssetShown {
            asset: asset.name.to_string(),
            decimals: asset.decimals,
            supply: asset.format_amount(supply),
        }
    };
    to_json(assets.map(row).collect::<Vec<_>>())
}

fn list_accounts(engine: &Engine) -> Value {
    let rows = engine.accounts().map(|(id, spec)| account_row(engine, id, spec));
    to_json(rows.collect::<Vec<_>>())
}

fn account_row(engine: &Engine, id: AccountId, spec: &AccountSpec) -> AccountShown {
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

fn list_balances(engine: &Engine, account: AccountId) -> Value {
    let rows =
        engine.assets().iter().zip(engine.balances(account)).map(|(asset, balance)| BalanceShown {
            asset: asset.name.to_string(),
            free: asset.format_amount(balance.free),
            locked: asset.format_amount(balance.locked),
        });
    to_json(rows.collect::<Vec<_>>())
}

pub(super) fn find_account(venue: &mut impl Backend, name: &str) -> Result<AccountId, Failure> {
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

pub(super) fn find_amount(
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

pub(super) fn asset_named(assets: &[Asset], name: &str) -> Result<(AssetId, Asset), Failure> {
    (0..)
        .map(AssetId)
        .zip(assets.iter().copied())
        .find(|(_, asset)| asset.name.as_str() == name)
        .ok_or_else(|| Failure::unknown(format!("there is no asset `{name}`")))
}

pub(super) fn parse_external_ref(text: &str) -> Result<ExternalRef, Failure> {
    ExternalRef::parse(text)
        .ok_or_else(|| invalid("reference", text, "1 to 64 visible ASCII characters"))
}

/// Basis points with two decimals.
pub(super) fn parse_fee(text: &str) -> Result<u32, Failure> {
    types::parse_decimal(text, 2)
        .and_then(|fee| u32::try_from(fee).ok())
        .ok_or_else(|| invalid("fee", text, "basis points with at most two decimals"))
}

pub(super) fn format_fee(fee_bps_x100: u32) -> String {
    types::format_decimal(i128::from(fee_bps_x100), 2, 2)
}

pub(super) fn invalid(what: &str, text: &str, expected: &str) -> Failure {
    Failure::new(format!("the {what} `{text}` is not {expected}"))
}
