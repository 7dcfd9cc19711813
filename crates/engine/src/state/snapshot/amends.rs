//! The bytes of how often orders were amended.

use std::collections::BTreeMap;

use types::{InstrumentId, OrderId, Wire};

use crate::state::Engine;
use crate::state::codec::write_list;

impl Engine {
    /// How often open orders were amended, of those that were.
    pub(super) fn write_amends(&self, out: &mut Vec<u8>) {
        let mut amended: Vec<(InstrumentId, OrderId, u32)> = self
            .open_nodes()
            .filter_map(|node| {
                let record = self.orders.record(node);
                let amends = self.orders.extra(node)?.amends;
                (amends > 0).then_some((record.instrument, self.orders.order_id(node), amends))
            })
            .collect();
        amended.sort_unstable();
        write_list(amended.into_iter(), out, |(instrument, order_id, amends), out| {
            ((instrument, order_id), amends).write(out);
        });
    }

    /// When the orders are in their places.
    pub(super) fn restore_amends(
        &mut self,
        amended: BTreeMap<(InstrumentId, OrderId), u32>,
    ) -> Option<()> {
        for ((instrument, order_id), amends) in amended {
            let node = self.find_by_id(instrument, order_id).filter(|_| amends > 0)?;
            self.orders.extra_mut(node).amends = amends;
        }
        Some(())
    }
}
