//! Invariants of orders that wait for a price.

use std::collections::BTreeMap;

use crate::book::ladder::Ladder;
use crate::state::Engine;
use crate::state::account::Account;
use crate::state::invariant::check::check;
use crate::state::orders::record::Standing;
use crate::state::triggers::Triggers;

impl Engine {
    /// Exactly the orders that wait for a trigger are in the trigger structures, each in one, and
    /// those that trail know since when. Adds their number to `waiting`, by market.
    pub(super) fn check_stops(
        &self,
        account: &Account,
        waiting: &mut [usize],
    ) -> Result<(), String> {
        for id in account.instruments() {
            let here = account.market(id);
            let nodes = self.orders.of_account(account, id);
            let mut in_lists = 0;
            let mut count = 0;
            for node in nodes {
                let standing = self.orders.standing(node);
                let is_stop = self.orders.record(node).order_type.is_stop();
                in_lists += u32::from(is_stop && standing == Standing::List);
                if standing != Standing::Trigger {
                    continue;
                }
                let order = self.orders.order(node);
                let triggers = &self.markets[id.0 as usize].triggers;
                let knows_since = order.terms.is_some_and(|terms| terms.trailing_ns > 0);
                let found =
                    triggers.has(node, &order) && triggers.trails(node, &order) == knows_since;
                check(found, || {
                    format!(
                        "order {} waits for a trigger but is in no trigger structure",
                        order.order_id
                    )
                })?;
                count += 1;
            }
            waiting[id.0 as usize] += count as usize;
            check(count + in_lists == here.stop_orders, || "stop orders miscounted".to_owned())?;
        }
        Ok(())
    }

    /// The trigger structures hold only the stop orders of accounts, which
    /// [`Engine::check_stops`] has counted.
    pub(super) fn check_triggers(&self, waiting: &[usize]) -> Result<(), String> {
        for (market, waiting) in self.markets.iter().zip(waiting.iter().copied()) {
            let Triggers { waiting: stops, trails, reached, count, .. } = &market.triggers;
            let lines = trails.iter().flat_map(|trails| trails.lines.values());
            let all = stops.iter().map(Ladder::len).sum::<usize>()
                + lines.map(BTreeMap::len).sum::<usize>()
                + reached.iter().map(BTreeMap::len).sum::<usize>();
            check(all == waiting && *count == waiting, || "triggers miscounted".to_owned())?;
        }
        Ok(())
    }
}
