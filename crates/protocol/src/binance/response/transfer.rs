//! Deposits and withdrawals of an account, and the status of the venue, as `/sapi/v1` has them.

use schemars::JsonSchema;
use serde::Serialize;
use types::{Amount, Asset, ExternalRef, WithdrawalStatus};

use crate::binance::request::withdrawal_status;

/// The only network, as in `capital/config/getall`.
const NETWORK: &str = "VENUE";

/// A transfer, whichever way it goes.
#[derive(Clone, Copy, Debug)]
pub struct TransferFacts {
    /// Of the command that began it.
    pub sequence: u64,
    pub amount: Amount,
    pub external_ref: ExternalRef,
    pub status: WithdrawalStatus,
    pub requested_ns: u64,
    /// Zero while it is open.
    pub ended_ns: u64,
}

/// One of `GET /sapi/v1/capital/deposit/hisrec`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DepositInfo {
    id: String,
    amount: String,
    coin: String,
    network: &'static str,
    /// 1: every deposit is credited at once
    status: u64,
    address: &'static str,
    address_tag: &'static str,
    /// The operator's reference
    tx_id: String,
    insert_time: u64,
    complete_time: u64,
    transfer_type: u8,
    unlock_confirm: u8,
    confirm_times: &'static str,
    wallet_type: u8,
}

impl DepositInfo {
    pub fn new(asset: &Asset, facts: &TransferFacts) -> Self {
        Self {
            id: facts.sequence.to_string(),
            amount: asset.format_amount(facts.amount),
            coin: asset.name.to_string(),
            network: NETWORK,
            status: 1,
            address: "",
            address_tag: "",
            tx_id: facts.external_ref.to_string(),
            insert_time: facts.requested_ns / NS_PER_MS,
            complete_time: facts.ended_ns / NS_PER_MS,
            transfer_type: 0,
            unlock_confirm: 0,
            confirm_times: "1/1",
            wallet_type: 0,
        }
    }
}

/// One of `GET /sapi/v1/capital/withdraw/history`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawalInfo {
    id: String,
    amount: String,
    transaction_fee: &'static str,
    coin: String,
    /// 1: canceled, 2: requested, 6: completed
    status: u64,
    address: &'static str,
    /// The reference of its request
    tx_id: String,
    /// In UTC, as `2019-10-12 11:12:02`
    apply_time: String,
    network: &'static str,
    transfer_type: u8,
    withdraw_order_id: String,
    info: &'static str,
    confirm_no: u8,
    wallet_type: u8,
    tx_key: &'static str,
    /// Only once it is completed
    #[serde(skip_serializing_if = "Option::is_none")]
    complete_time: Option<String>,
}

impl WithdrawalInfo {
    pub fn new(asset: &Asset, facts: &TransferFacts) -> Self {
        let is_completed = facts.status == WithdrawalStatus::Completed;
        Self {
            id: facts.sequence.to_string(),
            amount: asset.format_amount(facts.amount),
            transaction_fee: "0",
            coin: asset.name.to_string(),
            status: withdrawal_status(facts.status),
            address: "",
            tx_id: facts.external_ref.to_string(),
            apply_time: date_and_time(facts.requested_ns),
            network: NETWORK,
            transfer_type: 0,
            withdraw_order_id: facts.external_ref.to_string(),
            info: "",
            confirm_no: 0,
            wallet_type: 0,
            tx_key: "",
            complete_time: is_completed.then(|| date_and_time(facts.ended_ns)),
        }
    }
}

/// `GET /sapi/v1/system/status`
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct SystemStatus {
    /// 0: normal, 1: the venue is halted
    status: u8,
    msg: &'static str,
}

impl SystemStatus {
    pub const fn new(is_halted: bool) -> Self {
        if is_halted {
            Self { status: 1, msg: "system_maintenance" }
        } else {
            Self { status: 0, msg: "normal" }
        }
    }
}

const NS_PER_MS: u64 = 1_000_000;

/// In UTC, in the Gregorian calendar.
fn date_and_time(ns: u64) -> String {
    const DAYS_PER_400_YEARS: u64 = 146_097;
    const FROM_MARCH_OF_YEAR_0: u64 = 719_468;
    let seconds = ns / 1_000_000_000;
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    // Years count from March, so that a leap day is the last day of its year.
    let days = seconds / 86_400 + FROM_MARCH_OF_YEAR_0;
    let (era, day) = (days / DAYS_PER_400_YEARS, days % DAYS_PER_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = 400 * era + year + later;
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::binance::testing::{asset, check};

    #[test]
    fn times_are_written_as_dates() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00"),
            (951_827_696, "2000-02-29 12:34:56"),
            (1_704_067_199, "2023-12-31 23:59:59"),
            (1_704_067_200, "2024-01-01 00:00:00"),
            (4_107_542_400, "2100-03-01 00:00:00"),
        ] {
            assert_eq!(date_and_time(seconds * 1_000_000_000 + 999_999_999), text);
        }
    }

    #[test]
    fn transfers_have_the_fields_of_the_documentation() {
        let facts = TransferFacts {
            sequence: 77,
            amount: Amount::from_minor(150),
            external_ref: ExternalRef::parse("wire-1").unwrap(),
            status: WithdrawalStatus::Completed,
            requested_ns: 1_570_878_722_000_000_000,
            ended_ns: 1_570_878_723_500_000_000,
        };
        check(
            &DepositInfo::new(&asset("EUR", 2), &facts),
            json!({
                "id": "77", "amount": "1.50", "coin": "EUR", "network": "VENUE", "status": 1,
                "address": "", "addressTag": "", "txId": "wire-1",
                "insertTime": 1_570_878_722_000_u64, "completeTime": 1_570_878_723_500_u64,
                "transferType": 0, "unlockConfirm": 0, "confirmTimes": "1/1", "walletType": 0,
            }),
        );
        let mut expect = json!({
            "id": "77", "amount": "1.50", "transactionFee": "0", "coin": "EUR", "status": 6,
            "address": "", "txId": "wire-1", "applyTime": "2019-10-12 11:12:02",
            "network": "VENUE", "transferType": 0, "withdrawOrderId": "wire-1", "info": "",
            "confirmNo": 0, "walletType": 0, "txKey": "", "completeTime": "2019-10-12 11:12:03",
        });
        check(&WithdrawalInfo::new(&asset("EUR", 2), &facts), expect.clone());
        let open = TransferFacts { status: WithdrawalStatus::Requested, ended_ns: 0, ..facts };
        expect["status"] = 2.into();
        expect.as_object_mut().unwrap().remove("completeTime");
        check(&WithdrawalInfo::new(&asset("EUR", 2), &open), expect);
    }
}
