//! Operations on the risk of an account: its kill switch, mode, order rates and limits.
//!
//! A change keeps the values that it does not name; without any, it shows the present values. The
//! value 0 removes a limit.

use clap::{Args, ValueEnum};
use cli::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    AccountId, AccountLimits, AccountMode, AccountRisk, Amount, Command, Qty, SetAccountLimits,
    SetAccountRisk, SetKillSwitch,
};

use super::backend::{Venue, execute};
use super::lookup::{Listing, find_account, find_instrument};
use super::value::{limit, mirrored};

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, JsonSchema, Serialize, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct Kill {
    /// Account
    account: String,
    /// State of the kill switch: `on` stops the account
    switch: Switch,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: buttonwood admin risk alice --orders-per-10s 100 --stp-group 1")]
pub(crate) struct RiskChange {
    /// Account
    account: String,
    /// Mode; changes only while the account has no open orders, position, balances or receivables
    #[arg(long)]
    mode: Option<ModeName>,
    /// Self-trade prevention group: its accounts do not trade with each other; 0 is no group
    #[arg(long, value_name = "N")]
    stp_group: Option<u32>,
    /// Largest number of new orders in 10 seconds; 0 is no limit
    #[arg(long, value_name = "N")]
    orders_per_10s: Option<u32>,
    /// Largest number of new orders in a day (UTC); 0 is no limit
    #[arg(long, value_name = "N")]
    orders_per_day: Option<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[value(rename_all = "PascalCase")]
pub(crate) enum ModeName {
    /// Has balances; open orders hold their largest cost
    Cash,
    /// Settles elsewhere: has positions and limits, no balances
    Limits,
    /// Has neither balances nor positions
    None,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(
    after_help = "Example: buttonwood admin limits alice BTCUSDT --max-order-qty 2 --collar-bps 500"
)]
pub(crate) struct LimitsChange {
    /// Account
    account: String,
    /// Instrument, such as BTCUSDT
    symbol: String,
    /// Largest quantity of an order, in whole lots
    #[arg(long, value_name = "DECIMAL")]
    max_order_qty: Option<String>,
    /// Largest price times quantity of an order, in the quote asset
    #[arg(long, value_name = "DECIMAL")]
    max_order_notional: Option<String>,
    /// Largest number of open orders
    #[arg(long, value_name = "N")]
    max_open_orders: Option<u32>,
    /// Largest price times quantity of all open orders together, in the quote asset
    #[arg(long, value_name = "DECIMAL")]
    max_open_notional: Option<String>,
    /// Largest position, long or short, if all open orders of that side were filled
    #[arg(long, value_name = "DECIMAL")]
    max_position: Option<String>,
    /// Largest distance of a limit price through the last price, in whole basis points
    #[arg(long, value_name = "BPS")]
    collar_bps: Option<u32>,
}

impl Kill {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<KillShown, Failure> {
        let account = find_account(venue, &self.account)?;
        let on = self.switch == Switch::On;
        execute(venue, Command::SetKillSwitch(SetKillSwitch { account, on }))?;
        Ok(KillShown { account: self.account, killed: on })
    }
}

impl RiskChange {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<RiskShown, Failure> {
        let account = find_account(venue, &self.account)?;
        let now = venue.read(move |engine| engine.account_risk(account))?;
        let now = now.unwrap_or(AccountRisk::PLAIN);
        let risk = AccountRisk {
            mode: self.mode.map_or(now.mode, AccountMode::from),
            stp_group: self.stp_group.unwrap_or(now.stp_group),
            max_orders_per_10s: self.orders_per_10s.unwrap_or(now.max_orders_per_10s),
            max_orders_per_day: self.orders_per_day.unwrap_or(now.max_orders_per_day),
        };
        if risk != now {
            execute(venue, Command::SetAccountRisk(SetAccountRisk { account, risk }))?;
        }
        Ok(RiskShown::new(self.account, &risk))
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct KillShown {
    account: String,
    killed: bool,
}

/// Null is no group, or no limit.
#[derive(JsonSchema, Serialize)]
pub(super) struct RiskShown {
    account: String,
    mode: String,
    stp_group: Option<u32>,
    orders_per_10s: Option<u32>,
    orders_per_day: Option<u32>,
}

impl RiskShown {
    pub(super) fn new(account: String, risk: &AccountRisk) -> Self {
        Self {
            account,
            mode: format!("{:?}", risk.mode),
            stp_group: limit(risk.stp_group),
            orders_per_10s: limit(risk.max_orders_per_10s),
            orders_per_day: limit(risk.max_orders_per_day),
        }
    }
}

/// Null is no such limit.
#[derive(JsonSchema, Serialize)]
pub(super) struct LimitsShown {
    account: String,
    symbol: String,
    max_order_qty: Option<String>,
    max_order_notional: Option<String>,
    max_open_orders: Option<u32>,
    max_open_notional: Option<String>,
    max_position: Option<String>,
    collar_bps: Option<u32>,
}

impl LimitsShown {
    pub(super) fn new(account: String, listing: &Listing, limits: &AccountLimits) -> Self {
        let qty = |qty: Qty| (!qty.is_zero()).then(|| listing.instrument.format_qty(qty, 0));
        let amount =
            |amount: Amount| (amount > Amount::ZERO).then(|| listing.quote.format_amount(amount));
        Self {
            account,
            symbol: listing.instrument.spec.symbol.to_string(),
            max_order_qty: qty(limits.max_order_qty),
            max_order_notional: amount(limits.max_order_notional),
            max_open_orders: limit(limits.max_open_orders),
            max_open_notional: amount(limits.max_open_notional),
            max_position: qty(limits.max_position),
            collar_bps: limit(limits.collar_bps),
        }
    }
}

mirrored!(ModeName => AccountMode: Cash, Limits, None);

impl LimitsChange {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<LimitsShown, Failure> {
        let account = find_account(venue, &self.account)?;
        let listing = find_instrument(venue, &self.symbol)?;
        let now = limits_now(venue, account, &listing)?;
        let limits = self.over(now, &listing)?;
        if limits != now {
            let instrument = listing.instrument.id;
            let set = SetAccountLimits { account, instrument, limits };
            execute(venue, Command::SetAccountLimits(set))?;
        }
        Ok(LimitsShown::new(self.account, &listing, &limits))
    }

    /// The limits with the named values in place of the present ones.
    fn over(&self, now: AccountLimits, listing: &Listing) -> Result<AccountLimits, Failure> {
        Ok(AccountLimits {
            max_order_qty: listing.qty_or(&self.max_order_qty, now.max_order_qty)?,
            max_order_notional: listing
                .notional_or(&self.max_order_notional, now.max_order_notional)?,
            max_open_orders: self.max_open_orders.unwrap_or(now.max_open_orders),
            max_open_notional: listing
                .notional_or(&self.max_open_notional, now.max_open_notional)?,
            max_position: listing.qty_or(&self.max_position, now.max_position)?,
            collar_bps: self.collar_bps.unwrap_or(now.collar_bps),
        })
    }
}

fn limits_now(
    venue: &mut Venue<'_>,
    account: AccountId,
    listing: &Listing,
) -> Result<AccountLimits, Failure> {
    let instrument = listing.instrument.id;
    venue.read(move |engine| {
        let mut all = engine.limits(account);
        all.find(|(id, _)| *id == instrument).map(|(_, limits)| *limits).unwrap_or_default()
    })
}
