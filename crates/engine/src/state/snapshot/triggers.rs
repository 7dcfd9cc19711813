//! What a snapshot has of orders that wait for a price.

use std::collections::BTreeMap;

use types::{InstrumentId, OrderId, PRICE_MAX, Price, Reader, Wire};

use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::orders::Orders;
use crate::state::orders::record::Standing;
use crate::state::triggers::Triggers;
use crate::state::triggers::direction::{
    DIRECTIONS, Direction, Key, NO_PRICE, TRAILING_DELTA_END_BPS, TRAILING_TURN,
};

/// What the state has of a market's triggers beyond the terms of the orders that wait.
#[derive(Debug, Default)]
pub(super) struct SavedTriggers {
    /// Orders that trail or did until they were reached, by when they began: with the extreme since
    /// then or else the key at which they were reached.
    trails: [Vec<(OrderId, (Key, bool))>; 2],
    /// Others that are reached.
    reached: [Vec<OrderId>; 2],
    prices: Vec<Price>,
}

impl Wire for SavedTriggers {
    fn write(&self, out: &mut Vec<u8>) {
        self.trails.iter().for_each(|trails| trails.write(out));
        self.reached.iter().for_each(|reached| reached.write(out));
        self.prices.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let trails = [r.read()?, r.read()?];
        let reached = [r.read()?, r.read()?];
        Some(Self { trails, reached, prices: r.read()? })
    }
}

impl Triggers {
    fn save(&self, orders: &Orders) -> SavedTriggers {
        let mut saved = SavedTriggers { prices: self.prices.clone(), ..SavedTriggers::default() };
        let order_id = |node: &NodeId| orders.order_id(*node);
        for at in DIRECTIONS.map(|direction| direction as usize) {
            let trails = &self.trails[at];
            let mut begun: Vec<_> = trails.begun.iter().collect();
            begun.sort_unstable_by_key(|(_, (number, _))| *number);
            let keyed = begun.into_iter().map(|(node, (number, reached))| {
                let key = reached.unwrap_or_else(|| trails.extreme(*number));
                (order_id(node), (key, reached.is_some()))
            });
            saved.trails[at] = keyed.collect();
            let plain = self.reached[at].iter().filter(|((_, turn), _)| *turn < TRAILING_TURN);
            saved.reached[at] = plain.map(|(_, node)| order_id(node)).collect();
        }
        saved
    }
}

impl SavedTriggers {
    fn is_plain(&self) -> bool {
        self.trails.iter().all(Vec::is_empty)
            && self.reached.iter().all(Vec::is_empty)
            && self.prices.is_empty()
    }
}

impl Engine {
    pub(super) fn write_triggers(&self, out: &mut Vec<u8>) {
        let markets = (0..).map(InstrumentId).zip(&self.markets);
        let saved = markets.map(|(id, market)| (id, market.triggers.save(&self.orders)));
        let uncommon: Vec<_> = saved.filter(|(_, saved)| !saved.is_plain()).collect();
        uncommon.write(out);
    }

    /// Puts the orders that wait for a trigger where they wait. They have their nodes.
    pub(super) fn restore_triggers(
        &mut self,
        saved: BTreeMap<InstrumentId, SavedTriggers>,
        waiting: Vec<NodeId>,
    ) -> Option<()> {
        for (instrument, saved) in saved {
            if saved.is_plain() || self.market(instrument).is_none() {
                return None;
            }
            let restored = self.restore_market_triggers(instrument, saved)?;
            self.markets[instrument.0 as usize].triggers = restored;
        }
        for node in waiting {
            let order = self.orders.order(node);
            let terms = order.terms?.terms;
            let sound = order.order_type.is_stop()
                && terms.trailing_delta_bps < TRAILING_DELTA_END_BPS
                && terms.stop_price.is_none_or(|price| price.ticks().abs() <= PRICE_MAX.ticks());
            if !sound {
                return None;
            }
            let account = &mut self.accounts[order.account.0 as usize];
            account.market_mut(order.instrument).count_stop(order.order_type, true);
            let triggers = &mut self.markets[order.instrument.0 as usize].triggers;
            if !triggers.has(node, &order) {
                terms.stop_price?;
                triggers.add(node, &order, None);
            }
        }
        let all_used = self
            .markets
            .iter()
            .all(|market| !market.triggers.has_prices() || market.triggers.any_wait());
        all_used.then_some(())
    }

    fn restore_market_triggers(
        &self,
        instrument: InstrumentId,
        saved: SavedTriggers,
    ) -> Option<Triggers> {
        let mut triggers = Triggers { prices: saved.prices, ..Triggers::default() };
        let in_range = |ticks: i64| ticks.unsigned_abs() <= PRICE_MAX.ticks().unsigned_abs();
        if !triggers.prices.iter().all(|price| in_range(price.ticks())) {
            return None;
        }
        let find = |order_id: OrderId| {
            let node = self.find_by_id(instrument, order_id)?;
            (self.orders.standing(node) == Standing::Trigger)
                .then_some((node, self.orders.order(node)))
        };
        for direction in DIRECTIONS {
            let at = direction as usize;
            let trails = &mut triggers.trails[at];
            for (order_id, (key, reached)) in &saved.trails[at] {
                let (node, order) = find(*order_id)?;
                let delta_bps = order.terms?.terms.trailing_delta_bps;
                let sound = (1..TRAILING_DELTA_END_BPS).contains(&delta_bps)
                    && Direction::trailing(order.side) == direction
                    && !trails.begun.contains_key(&node)
                    && (in_range(*key) || (*key == NO_PRICE && !reached));
                if !sound {
                    return None;
                }
                let number = trails.next;
                if *reached {
                    trails.next += 1;
                    trails.begun.insert(node, (number, Some(*key)));
                    triggers.reached[at].insert((*key, TRAILING_TURN | number), node);
                } else {
                    let last = trails.extremes.last();
                    if last.is_some_and(|(_, last)| last > key) {
                        return None;
                    }
                    trails.begin(node, delta_bps, *key);
                }
                triggers.count += 1;
                triggers.trailing += 1;
            }
            let mut last = None;
            for order_id in &saved.reached[at] {
                let (node, order) = find(*order_id)?;
                let terms = order.terms?.terms;
                let plain = terms.trailing_delta_bps == 0
                    && Direction::of(order.order_type, order.side) == direction;
                let stop_price = terms.stop_price.filter(|price| in_range(price.ticks()))?;
                let turn = (direction.key(stop_price), order_id.0);
                if !plain || last.replace(turn) >= Some(turn) {
                    return None;
                }
                triggers.reached[at].insert(turn, node);
                triggers.count += 1;
            }
        }
        Some(triggers)
    }
}
