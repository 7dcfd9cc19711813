//! An account's bytes.

use types::{AccountId, AccountTrade, Balance, Order, Reader, Wire};

use crate::state::Engine;
use crate::state::account::retries::{Retries, Retry};
use crate::state::account::{Account, TransferKind, Transferred};
use crate::state::codec::{read_list, write_list};
use crate::state::snapshot::place::Place;

impl Engine {
    pub(super) fn write_account(id: AccountId, account: &Account, out: &mut Vec<u8>) {
        account.spec.write(out);
        account.account_seq.write(out);
        write_list(account.balances.iter(), out, |balance, out| balance.write(out));
        write_list(account.finished.iter(id), out, |order, out| order.write(out));
        write_list(account.trades.iter(id), out, |trade, out| trade.write(out));
        write_list(account.external_refs.iter(), out, |(name, first), out| {
            u8::try_from(name.len()).expect("an external reference is short").write(out);
            out.extend_from_slice(name);
            (first.kind as u8, first.asset).write(out);
            (first.amount, first.sequence).write(out);
        });
        write_list(account.retries.iter(), out, |retry, out| {
            (retry.key, (retry.sequence, retry.expires_ns)).write(out);
        });
    }
}

pub(super) fn read_account(
    r: &mut Reader<'_>,
    id: AccountId,
    finished: &mut Vec<Place>,
) -> Option<Account> {
    let mut account = Account::new(r.read()?);
    account.account_seq = r.read()?;
    let balances: Vec<Balance> = r.read()?;
    if balances.len() > usize::from(u16::MAX) {
        return None;
    }
    account.balances = balances.into_iter().collect();
    for _ in 0..r.read::<u32>()? {
        let order: Order = r.read()?;
        if order.account != id || order.status.is_open() {
            return None;
        }
        account.finished.push(&order, usize::MAX);
        finished.push(Place::new(&order, None));
    }
    for trade in r.read::<Vec<AccountTrade>>()? {
        account.trades.push(&trade, usize::MAX);
    }
    let external_refs: Vec<(Box<[u8]>, Transferred)> = read_list(r, |r| {
        let len = r.read::<u8>()?;
        let name = r.take_slice(usize::from(len)).map(Box::from)?;
        Some((name, read_transferred(r)?))
    })?;
    let is_ascending = external_refs.is_sorted_by(|(one, _), (next, _)| one < next);
    account.external_refs = is_ascending.then(|| external_refs.into_iter().collect())?;
    account.retries = Retries::from_list(read_list(r, |r| {
        let (key, (sequence, expires_ns)) = r.read()?;
        Some(Retry { key, sequence, expires_ns })
    })?)?;
    Some(account)
}

fn read_transferred(r: &mut Reader<'_>) -> Option<Transferred> {
    let (kind, asset): (u8, _) = r.read()?;
    let (amount, sequence) = r.read()?;
    let kind = match kind {
        1 => TransferKind::Deposit,
        2 => TransferKind::Withdrawal,
        3 => TransferKind::Request,
        _ => return None,
    };
    Some(Transferred { kind, asset, amount, sequence })
}
