//! Operators' commands.

use std::net::IpAddr;

use projection::AuditTrail;
use projection::Audited;
use projection::audit::{Effect, of_word};
use tokio_postgres::Row;
use types::{KeyId, Origin, RejectReason};

use crate::postgres::column::Cells;
use crate::postgres::failure::Failed;
use crate::postgres::query::select::{Direction, Select, bound, page};
use crate::postgres::session::Session;

pub(super) async fn audit_trail(
    session: &Session,
    asked: &AuditTrail,
) -> Result<Vec<Audited>, Failed> {
    let AuditTrail { from, until, times, key, command, limit } = asked;
    let direction = Direction::of(from.is_some() || times.start_ns.is_some());
    let mut select = Select::new(
        "SELECT sequence, sequenced_ns, key, origin, address, account, stored, reason, effect \
         FROM audit WHERE true",
    );
    select
        .maybe(" AND sequence >= ", from.map(bound))
        .maybe(" AND sequence <= ", until.map(bound))
        .within("sequenced_ns", *times)
        .maybe(" AND key = ", key.map(|key| i64::from(key.0)))
        .maybe(" AND command = ", command.clone())
        .text(&direction.by(&["sequence"]))
        .with(" LIMIT ", page(*limit));
    Ok(direction.oldest_first(select.all(session, audited).await?))
}

fn audited(row: &Row) -> Result<Audited, Failed> {
    let mut cells = Cells::new(row);
    let address = |text: Option<&str>| match text {
        None => Some(None),
        Some(text) => text.parse::<IpAddr>().ok().map(|address| Some(address.into())),
    };
    let reason = |word: Option<&str>| match word {
        None => Some(None),
        Some(word) => of_word(RejectReason::ALL, word).map(Some),
    };
    Ok(Audited {
        sequence: cells.uint()?,
        sequenced_ns: cells.uint()?,
        key: KeyId(cells.u32()?),
        origin: cells.parsed(|word: &str| of_word(Origin::ALL, word))?,
        address: cells.parsed(address)?,
        account: cells.account()?,
        command: cells.stored()?,
        reason: cells.parsed(reason)?,
        effect: cells.parsed(|text: &str| Effect::parse(text))?,
    })
}
