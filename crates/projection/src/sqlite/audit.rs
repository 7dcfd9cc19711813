//! Rows of the audit trail.

use std::net::IpAddr;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use types::{AccountId, KeyId, Origin, RejectReason};

use crate::audit::{Audited, Effect, fields, of_word, word};
use crate::changes::Changes;
use crate::question::AuditTrail;
use crate::sqlite::column::{Columns, int, read_wire, wire};
use crate::sqlite::query::bounds::{bound, bounds, page};

pub(crate) fn write_audit(
    transaction: &Transaction<'_>,
    changes: &Changes,
) -> rusqlite::Result<()> {
    for audited in changes.audited.values() {
        let row = params![
            int(audited.sequence),
            int(audited.sequenced_ns),
            audited.key.0,
            word(&audited.origin),
            audited.address.map(|address| address.to_string()),
            audited.account.0,
            audited.command.kind(),
            fields(&audited.command).to_string(),
            wire(&audited.command),
            audited.reason.as_ref().map(word),
            audited.effect.to_string(),
        ];
        let insert = "INSERT OR REPLACE INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        transaction.prepare_cached(insert)?.execute(row)?;
    }
    for (sequence, later) in &changes.effects {
        add_effect(transaction, *sequence, later)?;
    }
    Ok(())
}

/// For a command of an earlier page, if it was an operator's.
fn add_effect(
    transaction: &Transaction<'_>,
    sequence: u64,
    later: &Effect,
) -> rusqlite::Result<()> {
    let mut select = transaction.prepare_cached("SELECT effect FROM audit WHERE sequence = ?")?;
    let found = select.query_row([int(sequence)], |row| row.parsed("effect", effect)).optional()?;
    let Some(mut effect) = found else { return Ok(()) };
    effect.add(later);
    let update = "UPDATE audit SET effect = ?2 WHERE sequence = ?1";
    let row = params![int(sequence), effect.to_string()];
    transaction.prepare_cached(update)?.execute(row).map(drop)
}

pub(crate) fn audit_trail(
    connection: &Connection,
    asked: &AuditTrail,
) -> rusqlite::Result<Vec<Audited>> {
    let AuditTrail { from, until, times, key, command, limit } = asked;
    let from_the_first = from.is_some() || times.start_ns.is_some();
    let direction = if from_the_first { "ASC" } else { "DESC" };
    let select = format!(
        "SELECT * FROM audit WHERE sequence BETWEEN ? AND ? AND sequenced_ns BETWEEN ? AND ? \
         AND key = coalesce(?, key) AND command = coalesce(?, command) \
         ORDER BY sequence {direction} LIMIT ?"
    );
    let (start, end) = bounds(*times);
    let (from, until) = (from.map_or(0, bound), until.map_or(i64::MAX, bound));
    let key = params![from, until, start, end, key.map(|key| key.0), command, page(*limit)];
    let mut select = connection.prepare_cached(&select)?;
    let mut found: Vec<Audited> = select.query_map(key, audited)?.collect::<Result<_, _>>()?;
    if !from_the_first {
        found.reverse();
    }
    Ok(found)
}

fn audited(row: &Row<'_>) -> rusqlite::Result<Audited> {
    let address = |text: Option<String>| match text {
        None => Some(None),
        Some(text) => text.parse::<IpAddr>().ok().map(|address| Some(address.into())),
    };
    let reason = |word: Option<String>| match word {
        None => Some(None),
        Some(word) => of_word(RejectReason::ALL, &word).map(Some),
    };
    Ok(Audited {
        sequence: row.uint("sequence")?,
        sequenced_ns: row.uint("sequenced_ns")?,
        key: KeyId(row.get("key")?),
        origin: row.parsed("origin", |word: String| of_word(Origin::ALL, &word))?,
        address: row.parsed("address", address)?,
        account: AccountId(row.get("account")?),
        command: row.parsed("stored", |bytes: Vec<u8>| read_wire(&bytes))?,
        reason: row.parsed("reason", reason)?,
        effect: row.parsed("effect", effect)?,
    })
}

fn effect(text: String) -> Option<Effect> {
    Effect::parse(&text)
}
