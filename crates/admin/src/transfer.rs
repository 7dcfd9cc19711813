//! An amount on its way into or out of an account.

use clap::Args;
use cli::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{AccountId, Amount, AssetId, Command, Deposit, ExternalRef, Withdraw};

use super::account::{BalanceShown, show_balances};
use super::backend::{Venue, execute};
use super::lookup::{find_account, find_amount};
use super::value::parse_external_ref;

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example of the arguments: alice USDT 1000 --ref wire-4711")]
pub(crate) struct Transfer {
    /// Account
    account: String,
    /// Asset, such as USDT
    asset: String,
    /// Amount above 0 with at most the asset's decimals, such as 12.5
    #[schemars(regex(pattern = "^[0-9]{1,18}([.][0-9]{1,18})?$"))]
    amount: String,
    /// Reference of 1 to 64 visible ASCII characters; a repeated one is carried out once
    #[arg(long = "ref", value_name = "REF")]
    #[schemars(regex(pattern = "^[!-~]{1,64}$"))]
    external_ref: String,
}

impl Transfer {
    pub(super) fn deposit(self, venue: &mut Venue<'_>) -> Result<Vec<BalanceShown>, Failure> {
        let (account, asset, amount, external_ref) = self.find(venue)?;
        let deposit = Deposit { account, asset, amount, external_ref };
        execute(venue, Command::Deposit(deposit))?;
        show_balances(venue, account)
    }

    pub(super) fn withdraw(self, venue: &mut Venue<'_>) -> Result<Vec<BalanceShown>, Failure> {
        let (account, asset, amount, external_ref) = self.find(venue)?;
        let withdraw = Withdraw { account, asset, amount, external_ref };
        execute(venue, Command::Withdraw(withdraw))?;
        show_balances(venue, account)
    }

    pub(super) fn find(
        &self,
        venue: &mut Venue<'_>,
    ) -> Result<(AccountId, AssetId, Amount, ExternalRef), Failure> {
        let account = find_account(venue, &self.account)?;
        let (asset, amount) = find_amount(venue, &self.asset, &self.amount)?;
        Ok((account, asset, amount, parse_external_ref(&self.external_ref)?))
    }
}
