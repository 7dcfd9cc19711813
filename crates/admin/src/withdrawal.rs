//! Withdrawals in two steps: requested, then confirmed or canceled. The amount is locked meanwhile.
//! Operators other than the requester approve it before it is confirmed.

use clap::Args;
use cli::Failure;
use cli::moment::format_time;
use engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    AccountId, ApproveWithdrawal, CancelWithdrawal, Command, ConfirmWithdrawal, ExternalRef,
    RequestWithdrawal, Withdrawal, WithdrawalStatus,
};

use super::backend::{Venue, execute};
use super::lookup::{account_names, find_account};
use super::transfer::Transfer;
use super::value::{Nothing, mirrored, parse_external_ref};

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NamedWithdrawal {
    /// Account
    account: String,
    /// Reference of its request
    #[arg(long = "ref", value_name = "REF")]
    #[schemars(regex(pattern = "^[!-~]{1,64}$"))]
    external_ref: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WithdrawingAccount {
    account: String,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(super) struct ShownAccount {
    /// Show this account's withdrawals, also recently ended ones
    /// [default: open withdrawals of all accounts]
    account: Option<String>,
}

pub(super) fn request(
    transfer: Transfer,
    venue: &mut Venue<'_>,
) -> Result<WithdrawalShown, Failure> {
    let (account, asset, amount, external_ref) = transfer.find(venue)?;
    let request = RequestWithdrawal { account, asset, amount, external_ref };
    execute(venue, Command::RequestWithdrawal(request))?;
    show(venue, account, external_ref)
}

pub(super) fn list_open(
    _: Nothing,
    venue: &mut Venue<'_>,
) -> Result<Vec<WithdrawalShown>, Failure> {
    venue.read(|engine| rows(engine, Withdrawal::is_open))
}

impl ShownAccount {
    pub(super) fn list(self, venue: &mut Venue<'_>) -> Result<Vec<WithdrawalShown>, Failure> {
        match self.account {
            None => list_open(Nothing {}, venue),
            Some(account) => WithdrawingAccount { account }.list(venue),
        }
    }
}

impl WithdrawingAccount {
    pub(super) fn list(self, venue: &mut Venue<'_>) -> Result<Vec<WithdrawalShown>, Failure> {
        let account = find_account(venue, &self.account)?;
        venue.read(move |engine| rows(engine, |known| known.account == account))
    }
}

impl NamedWithdrawal {
    pub(super) fn approve(self, venue: &mut Venue<'_>) -> Result<WithdrawalShown, Failure> {
        let (account, external_ref) = self.find(venue)?;
        let approve = ApproveWithdrawal { account, external_ref };
        execute(venue, Command::ApproveWithdrawal(approve))?;
        show(venue, account, external_ref)
    }

    pub(super) fn confirm(self, venue: &mut Venue<'_>) -> Result<WithdrawalShown, Failure> {
        let (account, external_ref) = self.find(venue)?;
        let confirm = ConfirmWithdrawal { account, external_ref };
        execute(venue, Command::ConfirmWithdrawal(confirm))?;
        show(venue, account, external_ref)
    }

    pub(super) fn cancel(self, venue: &mut Venue<'_>) -> Result<WithdrawalShown, Failure> {
        let (account, external_ref) = self.find(venue)?;
        let cancel = CancelWithdrawal { account, external_ref };
        execute(venue, Command::CancelWithdrawal(cancel))?;
        show(venue, account, external_ref)
    }

    fn find(&self, venue: &mut Venue<'_>) -> Result<(AccountId, ExternalRef), Failure> {
        let account = find_account(venue, &self.account)?;
        Ok((account, parse_external_ref(&self.external_ref)?))
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct WithdrawalShown {
    account: String,
    asset: String,
    amount: String,
    external_ref: String,
    status: StatusName,
    /// Sequence of its request
    sequence: u64,
    requested: String,
    /// Number of the key of the operator that requested it; 0 through the admin socket
    requested_by: u32,
    /// Numbers of the keys of the other operators that approved it, in order
    approved_by: Vec<u32>,
    /// Approvals that it lacks before it can be confirmed; 0 once it has ended
    approvals_missing: usize,
    /// Null while it is open
    ended: Option<String>,
}

#[derive(JsonSchema, Serialize)]
enum StatusName {
    /// Open: the amount is locked
    Requested,
    /// The amount has left the account
    Completed,
    /// The amount is free again
    Canceled,
}

mirrored!(WithdrawalStatus => StatusName: Requested, Completed, Canceled);

fn show(
    venue: &mut Venue<'_>,
    account: AccountId,
    external_ref: ExternalRef,
) -> Result<WithdrawalShown, Failure> {
    let is_it =
        move |known: &Withdrawal| (known.account, known.external_ref) == (account, external_ref);
    let shown = venue.read(move |engine| rows(engine, is_it).pop())?;
    let forgotten = || {
        Failure::fault("the venue no longer keeps this withdrawal: too many others ended after it")
    };
    shown.ok_or_else(forgotten)
}

fn rows(engine: &Engine, is_asked_for: impl Fn(&Withdrawal) -> bool) -> Vec<WithdrawalShown> {
    let names = account_names(engine);
    let row = |known: &Withdrawal| {
        let asset = &engine.assets()[usize::from(known.asset.0)];
        WithdrawalShown {
            account: names[&known.account].clone(),
            asset: asset.name.to_string(),
            amount: asset.format_amount(known.amount),
            external_ref: known.external_ref.to_string(),
            status: known.status.into(),
            sequence: known.sequence,
            requested: format_time(known.requested_ns),
            requested_by: known.requested_by.0,
            approved_by: known.approved_by.iter().flatten().map(|key| key.0).collect(),
            approvals_missing: if known.is_open() { engine.approvals_missing(known) } else { 0 },
            ended: (!known.is_open()).then(|| format_time(known.ended_ns)),
        }
    };
    engine.withdrawals().filter(|known| is_asked_for(known)).map(row).collect()
}
