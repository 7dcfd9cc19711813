//! Invariants of orders that wait for a price.

use std::collections::BTreeMap;

use types::InstrumentId;

use crate::book::ladder::Ladder;
use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::account::Account;
use crate::state::invariant::check::check;
use crate::state::orders::record::Standing;
use crate::state::triggers::Triggers;

impl Engine {
    /// Exactly the orders that wait for a trigger are in the trigger structures, each in one.
    pub(super) fn check_stops(&self, account: &Account) -> Result<(), String> {
        for (id, here) in (0..).map(InstrumentId).zip(&account.markets) {
            let nodes = self.orders.of_account(account, id);
            let waits = |node: &NodeId| self.orders.standing(*node) == Standing::Trigger;
            let mut count = 0;
            for node in nodes.filter(waits) {
                let order = self.orders.order(node);
                let found = self.markets[id.0 as usize].triggers.has(node, &order);
                check(found, || {
                    format!(
                        "order {} waits for a trigger but is in no trigger structure",
                        order.order_id
                    )
                })?;
                count += 1;
            }
            check(count == here.stop_orders, || "stop orders miscounted".to_owned())?;
        }
        Ok(())
    }

    /// The trigger structures hold only the stop orders that accounts count.
    /// [`Engine::check_stops`] checks these counters.
    pub(super) fn check_triggers(&self) -> Result<(), String> {
        let mut waiting = vec![0; self.markets.len()];
        for account in &self.accounts {
            for (waiting, here) in waiting.iter_mut().zip(&account.markets) {
                *waiting += here.stop_orders as usize;
            }
        }
        for (market, waiting) in self.markets.iter().zip(waiting) {
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
