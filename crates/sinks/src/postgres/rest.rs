//! What comes seldom, written: listings, lists, transfers, operators' commands.

use std::collections::BTreeMap;

use projection::audit::{Effect, fields, word};
use projection::changes::{Approval, BalanceChange, Changes, Transfer};
use types::{OrderListStatus, TradePrevented};

use crate::postgres::column::{Cells, wire};
use crate::postgres::copy::{Rows, int, number};
use crate::postgres::failure::Failed;
use crate::postgres::map::Scope;
use crate::postgres::number::Wide;
use crate::postgres::session::Session;

pub(crate) async fn write_listed(session: &Session, changes: &Changes) -> Result<(), Failed> {
    for (id, asset) in &changes.assets {
        let insert = "INSERT INTO assets VALUES ($1, $2, $3) ON CONFLICT (asset) \
                      DO UPDATE SET name = excluded.name, decimals = excluded.decimals";
        let (name, decimals) = (asset.name.as_str().to_owned(), i16::from(asset.decimals));
        session.execute(insert, &[&number(id.0), &name, &decimals]).await?;
    }
    for (id, instrument) in &changes.instruments {
        let spec = &instrument.spec;
        let insert = "INSERT INTO instruments VALUES ($1, $2, $3, $4, $5::text::numeric, \
                      $6::text::numeric, $7, $8) \
                      ON CONFLICT (instrument) DO UPDATE SET symbol = excluded.symbol, \
                      base = excluded.base, quote = excluded.quote, \
                      tick_size = excluded.tick_size, lot_size = excluded.lot_size, \
                      tick_lot_minor = excluded.tick_lot_minor, lot_minor = excluded.lot_minor";
        let symbol = spec.symbol.as_str().to_owned();
        let (tick_size, lot_size) = (spec.tick_size.format(1, 0), spec.lot_size.format(1, 0));
        let (base, quote) = (number(spec.base.0), number(spec.quote.0));
        let (tick_lot, lot) =
            (Wide(instrument.tick_lot_minor.into()), Wide(instrument.lot_minor.into()));
        session
            .execute(
                insert,
                &[&number(id.0), &symbol, &base, &quote, &tick_size, &lot_size, &tick_lot, &lot],
            )
            .await?;
    }
    Ok(())
}

pub(crate) async fn write_rest(
    session: &Session,
    changes: &Changes,
    scope: &Scope,
) -> Result<(), Failed> {
    write_prevented(session, changes, scope).await?;
    write_lists(session, changes, scope).await?;
    if scope.has_public {
        write_audit(session, changes).await?;
    }
    for transfer in changes.transfers.iter().filter(|it| scope.has(it.account)) {
        write_transfer(session, transfer).await?;
    }
    for approval in changes.approvals.iter().filter(|it| scope.has(it.approved.account)) {
        write_approval(session, approval).await?;
    }
    write_balance_changes(session, &changes.balance_changes, scope).await
}

/// The row of a match is with both accounts.
async fn write_prevented(
    session: &Session,
    changes: &Changes,
    scope: &Scope,
) -> Result<(), Failed> {
    let is_own = |e: &&TradePrevented| scope.has(e.maker_account) || scope.has(e.taker_account);
    let own: Vec<&TradePrevented> = changes.prevented.iter().filter(is_own).collect();
    insert_prevented(session, &own).await
}

/// Adds those that are not there: the row that came with one account serves the other, too.
pub(crate) async fn insert_prevented(
    session: &Session,
    matches: &[&TradePrevented],
) -> Result<(), Failed> {
    if matches.is_empty() {
        return Ok(());
    }
    macro_rules! column {
        (|$it:ident| $value:expr) => {
            matches.iter().map(|$it| $value).collect::<Vec<_>>()
        };
    }
    let insert = "INSERT INTO prevented_matches (instrument, prevented_match_id, price, qty, \
                  stp_mode, stp_group, maker_account, maker_order_id, maker_prevented_qty, \
                  taker_account, taker_order_id, taker_prevented_qty, prevented_ns) \
                  SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[], \
                  $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], \
                  $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[]) \
                  ON CONFLICT DO NOTHING";
    session
        .execute(
            insert,
            &[
                &column!(|e| number(e.instrument.0)),
                &column!(|e| int(e.prevented_match_id)),
                &column!(|e| e.price.ticks()),
                &column!(|e| int(e.qty.lots())),
                &column!(|e| i16::from(e.stp_mode.number())),
                &column!(|e| i64::from(e.stp_group)),
                &column!(|e| i64::from(e.maker_account.0)),
                &column!(|e| int(e.maker_order_id.0)),
                &column!(|e| int(e.maker_prevented_qty.lots())),
                &column!(|e| i64::from(e.taker_account.0)),
                &column!(|e| int(e.taker_order_id.0)),
                &column!(|e| int(e.taker_prevented_qty.lots())),
                &column!(|e| int(e.prevented_ns)),
            ],
        )
        .await
        .map(drop)
}

/// The state of its last event takes the place of the one before.
async fn write_lists(session: &Session, changes: &Changes, scope: &Scope) -> Result<(), Failed> {
    let (mut instruments, mut ids, mut rows) = (Vec::new(), Vec::new(), Rows::new(8));
    for list in changes.order_lists.values().filter(|list| scope.has(list.account)) {
        instruments.push(number(list.instrument.0));
        ids.push(int(list.order_list.0));
        rows.row()
            .small(list.instrument.0)
            .uint(list.order_list.0)
            .account(list.account)
            .text(list.cl_ord_id.as_str())
            .uint(list.created_ns)
            .uint(list.updated_ns)
            .flag(list.status == OrderListStatus::AllDone)
            .bytes(&wire(list));
    }
    if ids.is_empty() {
        return Ok(());
    }
    let delete = "DELETE FROM order_lists l USING unnest($1::integer[], $2::bigint[]) k (i, id) \
                  WHERE l.instrument = k.i AND l.order_list_id = k.id";
    session.execute(delete, &[&instruments, &ids]).await?;
    let copy = "COPY order_lists (instrument, order_list_id, account, cl_ord_id, created_ns, \
                updated_ns, is_done, list) FROM STDIN (FORMAT binary)";
    session.copy(copy, rows).await
}

async fn write_audit(session: &Session, changes: &Changes) -> Result<(), Failed> {
    let mut rows = Rows::new(11);
    for audited in changes.audited.values() {
        rows.row()
            .uint(audited.sequence)
            .uint(audited.sequenced_ns)
            .long(audited.key.0.into())
            .text(word(&audited.origin))
            .maybe(audited.address, |rows, address| rows.text(&address.to_string()))
            .account(audited.account)
            .text(audited.command.kind())
            .json(&fields(&audited.command).to_string())
            .bytes(&wire(&audited.command))
            .maybe(audited.reason.as_ref().map(word), Rows::text)
            .text(&audited.effect.to_string());
    }
    let copy = "COPY audit (sequence, sequenced_ns, key, origin, address, account, command, fields, \
                stored, reason, effect) FROM STDIN (FORMAT binary)";
    session.copy(copy, rows).await?;
    for (sequence, later) in &changes.effects {
        add_effect(session, *sequence, later).await?;
    }
    Ok(())
}

/// For a command of an earlier page, if it was an operator's.
async fn add_effect(session: &Session, sequence: u64, later: &Effect) -> Result<(), Failed> {
    let select = "SELECT effect FROM audit WHERE sequence = $1";
    let row = session.query_maybe(select, &[&int(sequence)]).await?;
    let Some(row) = row else { return Ok(()) };
    let mut effect = Cells::new(&row).parsed(|text: &str| Effect::parse(text))?;
    effect.add(later);
    let update = "UPDATE audit SET effect = $2 WHERE sequence = $1";
    session.execute(update, &[&int(sequence), &effect.to_string()]).await.map(drop)
}

/// A later event of a withdrawal changes its row. Without one, the request is from before history
/// begins.
async fn write_transfer(session: &Session, transfer: &Transfer) -> Result<(), Failed> {
    let insert = "INSERT INTO transfers (account, account_seq, kind, asset, amount, external_ref, \
                  status, sequence, requested_ns, ended_ns) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
                  ON CONFLICT (account, external_ref) DO UPDATE SET \
                  status = excluded.status, ended_ns = excluded.ended_ns";
    let kind = if transfer.is_deposit { "deposit" } else { "withdrawal" };
    session
        .execute(
            insert,
            &[
                &i64::from(transfer.account.0),
                &int(transfer.account_seq),
                &kind,
                &number(transfer.asset.0),
                &Wide::from(transfer.amount),
                &transfer.external_ref.as_str().to_owned(),
                &i16::from(transfer.status.number()),
                &int(transfer.sequence),
                &int(transfer.requested_ns),
                &int(transfer.ended_ns),
            ],
        )
        .await?;
    Ok(())
}

async fn write_approval(session: &Session, approval: &Approval) -> Result<(), Failed> {
    let Approval { approved, sequence, approved_ns } = approval;
    let insert = "INSERT INTO withdrawal_approvals (account, external_ref, key, sequence, \
                  approved_ns) VALUES ($1, $2, $3, $4, $5) \
                  ON CONFLICT (account, external_ref, key) DO UPDATE SET \
                  sequence = excluded.sequence, approved_ns = excluded.approved_ns";
    session
        .execute(
            insert,
            &[
                &i64::from(approved.account.0),
                &approved.external_ref.as_str().to_owned(),
                &i64::from(approved.approved_by.0),
                &int(*sequence),
                &int(*approved_ns),
            ],
        )
        .await?;
    Ok(())
}

async fn write_balance_changes(
    session: &Session,
    changes: &[BalanceChange],
    scope: &Scope,
) -> Result<(), Failed> {
    let own = changes.iter().filter(|change| scope.has(change.account));
    // One row for each number of an account's event.
    let by_event: BTreeMap<_, _> =
        own.map(|change| ((change.account, change.account_seq), change)).collect();
    let mut rows = Rows::new(12);
    for change in by_event.into_values() {
        rows.row()
            .account(change.account)
            .uint(change.account_seq)
            .text(change.kind.name())
            .uint(change.sequence)
            .uint(change.changed_ns)
            .maybe(change.asset, |rows, (asset, _)| rows.small(asset.0))
            .maybe(change.asset, |rows, (_, amount)| rows.amount(amount))
            .maybe(change.external_ref, |rows, text| rows.text(text.as_str()))
            .maybe(change.trade, |rows, (instrument, _)| rows.small(instrument.0))
            .maybe(change.trade, |rows, (_, trade_id)| rows.uint(trade_id.0))
            .maybe(change.adjusted, |rows, (base, _)| rows.amount(base))
            .maybe(change.adjusted, |rows, (_, quote)| rows.amount(quote));
    }
    let copy = "COPY balance_changes (account, account_seq, kind, sequence, changed_ns, asset, \
                amount, external_ref, instrument, trade_id, base_amount, quote_amount) \
                FROM STDIN (FORMAT binary)";
    session.copy(copy, rows).await
}
