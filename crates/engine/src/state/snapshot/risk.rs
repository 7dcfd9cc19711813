//! The bytes of what few accounts and instruments have, after what all have.

use std::collections::BTreeMap;

use types::{AccountId, AccountLimits, Amount, FeeRates, FeeSchedule, InstrumentId, Reader, Wire};

use crate::state::Engine;
use crate::state::account::extra::AccountExtra;
use crate::state::account::risk::MarketRisk;
use crate::state::codec::{read_map, write_list};

impl Engine {
    pub(super) fn write_risk(&self, out: &mut Vec<u8>) {
        self.clearing.write(out);
        let markets = (0..).map(InstrumentId).zip(&self.markets);
        let schedules =
            markets.filter_map(|(id, market)| Some((id, market.fee_schedule.as_ref()?)));
        write_list(schedules, out, |(id, schedule), out| {
            id.write(out);
            schedule.write(out);
        });
        let accounts = (0..).map(AccountId).zip(&self.accounts);
        let uncommon = accounts.filter_map(|(id, account)| Some((id, account.extra.as_ref()?)));
        write_list(uncommon, out, |(id, extra), out| {
            id.write(out);
            extra.write(out);
        });
    }

    pub(super) fn read_risk(&mut self, r: &mut Reader<'_>) -> Option<()> {
        self.clearing = r.read()?;
        let schedules: BTreeMap<InstrumentId, FeeSchedule> = read_map(r)?;
        for (id, schedule) in schedules {
            self.markets.get_mut(id.0 as usize)?.fee_schedule = Some(Box::new(schedule));
        }
        let extras: BTreeMap<AccountId, AccountExtra> = read_map(r)?;
        for (id, extra) in extras {
            self.account(id)?;
            self.has_clearing |= !extra.is_cash();
            self.accounts[id.0 as usize].extra = Some(Box::new(extra));
        }
        self.has_clearing |= self.clearing.iter().any(|amount| !amount.is_zero());
        Some(())
    }

    pub(super) fn extra_is_sound(&self, extra: &AccountExtra) -> bool {
        let known = |id: &InstrumentId| self.market(*id).is_some();
        // Beyond this no position comes by trades of at most 2^53 lots.
        let counted = |risk: &MarketRisk| risk.position.unsigned_abs() <= 1 << 117;
        let amounts = |limits: &AccountLimits| {
            limits.max_order_notional >= Amount::ZERO && limits.max_open_notional >= Amount::ZERO
        };
        extra.markets.keys().all(known)
            && extra.volumes.keys().all(known)
            && extra.markets.values().all(|risk| counted(risk) && amounts(&risk.limits))
            && extra.fee_holds.values().all(|hold| hold.bps_x100 <= FeeRates::MAX_BPS_X100)
    }
}
