//! Deposits and withdrawals.

use rusqlite::{Connection, params};
use types::{AccountId, ExternalRef, WithdrawalStatus};

use crate::changes::Transfer;
use crate::question::{TransferFilter, Transfers};
use crate::sqlite::column::{self, Columns};
use crate::sqlite::query::bounds::{bound, bounds, page};

pub(super) fn transfers(
    connection: &Connection,
    asked: &Transfers,
) -> rusqlite::Result<Vec<Transfer>> {
    let Transfers { account, filter } = asked;
    let TransferFilter { is_deposit, asset, external_ref, status, ids, times, offset, limit } =
        filter;
    let (start, end) = bounds(*times);
    let of_ids = ids.as_ref().map_or(String::new(), |ids| {
        let ids: Vec<String> = ids.iter().map(|id| bound(*id).to_string()).collect();
        format!("AND sequence IN ({})", ids.join(", "))
    });
    let select = format!(
        "SELECT * FROM transfers WHERE account = ?1 AND kind = ?2 \
         AND asset = coalesce(?3, asset) AND external_ref = coalesce(?4, external_ref) \
         AND status = coalesce(?5, status) AND requested_ns BETWEEN ?6 AND ?7 {of_ids} \
         ORDER BY account_seq DESC LIMIT ?8 OFFSET ?9"
    );
    let kind = if *is_deposit { "deposit" } else { "withdrawal" };
    let external_ref = external_ref.map(|text| text.as_str().to_owned());
    let status = status.map(WithdrawalStatus::number);
    let (limit, offset) = (page(*limit), page(*offset));
    let asset = asset.map(|id| id.0);
    let key = params![account.0, kind, asset, external_ref, status, start, end, limit, offset];
    connection.prepare(&select)?.query_map(key, transfer)?.collect()
}

fn transfer(row: &rusqlite::Row<'_>) -> rusqlite::Result<Transfer> {
    Ok(Transfer {
        account: AccountId(row.get("account")?),
        account_seq: row.uint("account_seq")?,
        is_deposit: row.get::<_, String>("kind")? == "deposit",
        asset: column::asset(row, "asset")?,
        amount: row.amount("amount")?,
        external_ref: row.parsed("external_ref", |text: String| ExternalRef::parse(&text))?,
        status: row.parsed("status", WithdrawalStatus::from_number)?,
        sequence: row.uint("sequence")?,
        requested_ns: row.uint("requested_ns")?,
        ended_ns: row.uint("ended_ns")?,
    })
}
