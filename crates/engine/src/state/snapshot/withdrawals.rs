//! The bytes of withdrawals.

use types::{AMOUNT_MAX, Amount, KeyId, Reader, WITHDRAWAL_APPROVALS_MAX, Wire, Withdrawal};

use crate::state::Engine;
use crate::state::codec::{read_list, write_list};
use crate::state::withdrawals::{WITHDRAWALS_KEPT, WITHDRAWALS_OPEN_MAX};

impl Engine {
    pub(super) fn write_withdrawals(&self, out: &mut Vec<u8>) {
        if !self.has_approvals() {
            return write_list(self.withdrawals(), out, write_unapproved);
        }
        self.withdrawal_approvals.write(out);
        write_list(self.withdrawals(), out, Wire::write);
    }

    pub(super) fn read_withdrawals(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let all: Vec<Withdrawal> = if self.has_approvals() {
            self.withdrawal_approvals = r.read()?;
            r.read()?
        } else {
            read_list(r, read_unapproved)?
        };
        if usize::from(self.withdrawal_approvals) > WITHDRAWAL_APPROVALS_MAX {
            return None;
        }
        if !all.is_sorted_by_key(|withdrawal| withdrawal.account) {
            return None;
        }
        for withdrawal in all {
            self.withdrawals.entry(withdrawal.account).or_default().push(withdrawal);
        }
        Some(())
    }

    /// The withdrawals of one account.
    pub(super) fn withdrawals_are_sound(&self, known: &[Withdrawal]) -> bool {
        let open = known.iter().filter(|withdrawal| withdrawal.is_open()).count();
        open <= WITHDRAWALS_OPEN_MAX
            && known.len() - open <= WITHDRAWALS_KEPT
            && (0..known.len()).all(|at| self.withdrawal_is_sound(&known[at], &known[..at]))
    }

    fn withdrawal_is_sound(&self, withdrawal: &Withdrawal, before: &[Withdrawal]) -> bool {
        let Withdrawal { account, asset, amount, external_ref, sequence, .. } = *withdrawal;
        let approvals: Vec<KeyId> = withdrawal.approved_by.into_iter().flatten().collect();
        let is_other = |(at, key): (usize, &KeyId)| {
            *key != withdrawal.requested_by && !approvals[..at].contains(key)
        };
        let Some(owner) = self.accounts.get(account.0 as usize) else { return false };
        self.asset(asset).is_some()
            && Amount::ZERO < amount
            && amount <= AMOUNT_MAX
            && sequence <= self.sequence
            && approvals.iter().enumerate().all(is_other)
            && before.iter().all(|other| other.external_ref != external_ref)
            && owner.external_refs.contains_key(external_ref.as_bytes())
            && owner.is_cash() | !withdrawal.is_open()
    }
}

/// The layout of rules 1, which have no approvals.
fn write_unapproved(withdrawal: &Withdrawal, out: &mut Vec<u8>) {
    let Withdrawal { account, asset, amount, external_ref, status, sequence, .. } = *withdrawal;
    account.write(out);
    asset.write(out);
    amount.write(out);
    external_ref.write(out);
    status.write(out);
    sequence.write(out);
    withdrawal.requested_ns.write(out);
    withdrawal.ended_ns.write(out);
}

fn read_unapproved(r: &mut Reader<'_>) -> Option<Withdrawal> {
    Some(Withdrawal {
        account: r.read()?,
        asset: r.read()?,
        amount: r.read()?,
        external_ref: r.read()?,
        status: r.read()?,
        sequence: r.read()?,
        requested_by: KeyId(0),
        approved_by: [None; WITHDRAWAL_APPROVALS_MAX],
        requested_ns: r.read()?,
        ended_ns: r.read()?,
    })
}
