//! The rows of deposits and withdrawals, for the writer of the file.

use rusqlite::{Transaction, params};

use crate::changes::{Approval, Transfer};
use crate::sqlite::column::{Wide, int};

/// A later event of a withdrawal changes its row. Without one, the request is from before history
/// begins.
pub(crate) fn write_transfer(
    transaction: &Transaction<'_>,
    transfer: &Transfer,
) -> rusqlite::Result<()> {
    let insert = "INSERT INTO transfers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
                  ON CONFLICT (account, external_ref) DO UPDATE SET \
                  status = excluded.status, ended_ns = excluded.ended_ns";
    transaction.prepare_cached(insert)?.execute(params![
        transfer.account.0,
        int(transfer.account_seq),
        if transfer.is_deposit { "deposit" } else { "withdrawal" },
        transfer.asset.0,
        Wide::from(transfer.amount),
        transfer.external_ref.as_str(),
        transfer.status.number(),
        int(transfer.sequence),
        int(transfer.requested_ns),
        int(transfer.ended_ns),
    ])?;
    Ok(())
}

pub(crate) fn write_approval(
    transaction: &Transaction<'_>,
    approval: &Approval,
) -> rusqlite::Result<()> {
    let Approval { approved, sequence, approved_ns } = approval;
    let insert = "INSERT OR REPLACE INTO withdrawal_approvals VALUES (?, ?, ?, ?, ?)";
    transaction.prepare_cached(insert)?.execute(params![
        approved.account.0,
        approved.external_ref.as_str(),
        approved.approved_by.0,
        int(*sequence),
        int(*approved_ns),
    ])?;
    Ok(())
}
