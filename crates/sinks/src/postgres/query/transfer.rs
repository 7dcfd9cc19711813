//! Deposits and withdrawals.

use projection::{Transfer, TransferFilter, Transfers};
use tokio_postgres::Row;
use types::{ExternalRef, WithdrawalStatus};

use crate::postgres::column::Cells;
use crate::postgres::failure::Failed;
use crate::postgres::query::select::{Select, bound, page, small};
use crate::postgres::session::Session;

pub(super) async fn transfers(
    session: &Session,
    asked: &Transfers,
) -> Result<Vec<Transfer>, Failed> {
    let Transfers { account, filter } = asked;
    let TransferFilter { is_deposit, asset, external_ref, status, ids, times, offset, limit } =
        filter;
    let ids = ids.as_ref().map(|ids| ids.iter().map(|id| bound(*id)).collect::<Vec<_>>());
    let mut select = Select::new(
        "SELECT account, account_seq, kind, asset, amount, external_ref, status, sequence, \
         requested_ns, ended_ns FROM transfers WHERE",
    );
    select
        .with(" account = ", i64::from(account.0))
        .with(" AND kind = ", if *is_deposit { "deposit" } else { "withdrawal" })
        .maybe(" AND asset = ", asset.map(|asset| small(asset.0)))
        .maybe(" AND external_ref = ", external_ref.map(|text| text.as_str().to_owned()))
        .maybe(" AND status = ", status.map(|status| i16::from(status.number())))
        .within("requested_ns", *times);
    if let Some(ids) = ids {
        select.with(" AND sequence = ANY (", ids).text(")");
    }
    select
        .text(" ORDER BY account_seq DESC")
        .with(" LIMIT ", page(*limit))
        .with(" OFFSET ", page(*offset));
    select.all(session, transfer).await
}

fn transfer(row: &Row) -> Result<Transfer, Failed> {
    let mut cells = Cells::new(row);
    Ok(Transfer {
        account: cells.account()?,
        account_seq: cells.uint()?,
        is_deposit: cells.get::<&str>()? == "deposit",
        asset: cells.asset()?,
        amount: cells.amount()?,
        external_ref: cells.parsed(|text: &str| ExternalRef::parse(text))?,
        status: cells.choice(WithdrawalStatus::from_number)?,
        sequence: cells.uint()?,
        requested_ns: cells.uint()?,
        ended_ns: cells.uint()?,
    })
}
