//! Questions of `/sapi/v1`: those that clients ask as they start, and an account's transfers.

use std::borrow::Cow;

use types::{ExternalRef, Market, Markets, WithdrawalStatus};

use super::lookup::{NoParams, Times};
use super::market::{SYMBOLS_MAX, listed};
use crate::signed::params::legal;
use crate::signed::{ApiError, Params};

requests! {
    /// `GET /sapi/v1/asset/tradeFee`; without a market, those of all.
    TradeFeeRequest(params, markets) {
        market: Option<Market> = params.optional_market(markets)?,
    }

    /// `GET /sapi/v1/capital/deposit/hisrec`
    DepositsRequest(params) {
        coin: Option<String> = params.text("coin")?.map(Cow::into_owned),
        tx_id: Option<ExternalRef> = external_ref(&mut params, "txId")?,
        status: Option<u64> = params.integer("status")?,
        times: Times = Times::take(&mut params)?,
        offset: usize = offset(&mut params)?,
        limit: usize = params.limit(TRANSFERS_MAX, TRANSFERS_MAX)?,
        _include_source: Option<bool> = params.flag("includeSource")?,
    } => {
        if status.is_some_and(|status| !DEPOSIT_STATUSES.contains(&status)) {
            return Err(ApiError::invalid_parameter("status"));
        }
        times.check_within(TRANSFER_HOURS_MAX)?;
    }

    /// `GET /sapi/v1/capital/withdraw/history`
    WithdrawalsRequest(params) {
        coin: Option<String> = params.text("coin")?.map(Cow::into_owned),
        withdraw_order_id: Option<ExternalRef> = external_ref(&mut params, "withdrawOrderId")?,
        status: Option<u64> = params.integer("status")?,
        ids: Option<Vec<u64>> = ids(&mut params)?,
        times: Times = Times::take(&mut params)?,
        offset: usize = offset(&mut params)?,
        limit: usize = params.limit(TRANSFERS_MAX, TRANSFERS_MAX)?,
    } => {
        if status.is_some_and(|status| status > WITHDRAWAL_STATUS_LAST) {
            return Err(ApiError::invalid_parameter("status"));
        }
        let hours = if withdraw_order_id.is_some() { ONE_TRANSFER_HOURS } else { TRANSFER_HOURS_MAX };
        times.check_within(hours)?;
    }
}

const TRANSFERS_MAX: usize = 1_000;
/// Between `startTime` and `endTime`.
const TRANSFER_HOURS_MAX: u64 = 90 * 24;
/// The same for a withdrawal that is asked for by its name.
const ONE_TRANSFER_HOURS: u64 = 7 * 24;
const IDS_MAX: usize = 45;

/// Pending, success, rejected, credited, wrong deposit, waiting for the user.
const DEPOSIT_STATUSES: [u64; 6] = [0, 1, 2, 6, 7, 8];
/// Every deposit here is a success.
const DEPOSITED: u64 = 1;
/// Completed.
const WITHDRAWAL_STATUS_LAST: u64 = 6;

impl DepositsRequest {
    /// `None` where no deposit can have the status.
    pub fn found_status(&self) -> Option<WithdrawalStatus> {
        let is_possible = self.status.is_none_or(|status| status == DEPOSITED);
        is_possible.then_some(WithdrawalStatus::Completed)
    }

    /// Those of 90 days if no times were named.
    pub fn bounds(&self, now_ns: u64) -> Times {
        self.times.or_last(TRANSFER_HOURS_MAX, now_ns)
    }
}

impl WithdrawalsRequest {
    /// The status that is wanted, if any; an error where no withdrawal can have it.
    pub fn found_status(&self) -> Result<Option<WithdrawalStatus>, NoSuchStatus> {
        let Some(number) = self.status else { return Ok(None) };
        let all =
            [WithdrawalStatus::Requested, WithdrawalStatus::Completed, WithdrawalStatus::Canceled];
        let found = all.into_iter().find(|status| withdrawal_status(*status) == number);
        found.map(Some).ok_or(NoSuchStatus)
    }

    /// Those of 90 days if no times were named, and any by its name.
    pub fn bounds(&self, now_ns: u64) -> Times {
        if self.withdraw_order_id.is_some() && !self.times.any() {
            return self.times;
        }
        self.times.or_last(TRANSFER_HOURS_MAX, now_ns)
    }
}

/// No withdrawal of this venue has such a status.
#[derive(Clone, Copy, Debug)]
pub struct NoSuchStatus;

/// Canceled, awaiting approval, completed.
pub(crate) fn withdrawal_status(status: WithdrawalStatus) -> u64 {
    match status {
        WithdrawalStatus::Canceled => 1,
        WithdrawalStatus::Requested => 2,
        WithdrawalStatus::Completed => 6,
    }
}

fn external_ref(params: &mut Params, name: &str) -> Result<Option<ExternalRef>, ApiError> {
    let Some(text) = params.text(name)? else { return Ok(None) };
    ExternalRef::parse(&text).map(Some).ok_or_else(|| ApiError::invalid_parameter(name))
}

fn offset(params: &mut Params) -> Result<usize, ApiError> {
    let offset = params.integer("offset")?.unwrap_or_default();
    usize::try_from(offset).map_err(|_| ApiError::overflowed("offset"))
}

/// Ids with commas between.
fn ids(params: &mut Params) -> Result<Option<Vec<u64>>, ApiError> {
    let Some(text) = params.text("idList")? else { return Ok(None) };
    let ids: Option<Vec<u64>> = text.split(',').map(|id| id.trim().parse().ok()).collect();
    ids.filter(|ids| ids.len() <= IDS_MAX)
        .map(Some)
        .ok_or_else(|| ApiError::invalid_parameter("idList"))
}

/// `GET /sapi/v1/margin/allPairs` and `…/isolated/allPairs`: nothing here trades on margin, so what
/// is asked for does not matter as long as it exists.
#[derive(Clone, Copy, Debug)]
pub struct MarginPairsRequest {}

impl MarginPairsRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        params.optional_market(markets)?;
        if let Some(symbols) = params.texts("symbols", legal::SYMBOLS)? {
            listed(&symbols, SYMBOLS_MAX, markets)?;
        }
        NoParams::parse(params).map(|NoParams {}| Self {})
    }
}
