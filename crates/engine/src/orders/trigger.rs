//! Orders that wait for a price, and prices that they wait for.
//!
//! Whatever waits for a fall is kept under its price with the sign turned, so that both directions
//! run the same code: a *key* is reached when the price's key is at or above it, and the lowest
//! key is triggered first.
//!
//! Trailing orders would all have to move with every new best price. They do not: of one delta,
//! whoever began to trail first has the best extreme, so each delta keeps its orders in that order
//! and only the first can be reached; and orders that began between two records share one extreme,
//! so a new record merges entries of [`Trails::extremes`] by cutting that stack.
//!
//! # Invariants
//! - An order with [`Standing::Trigger`] is in exactly one of `waiting`, `trails`, `reached`.
//! - `extremes` ascend strictly in both of their parts.
//!
//! # Known limits
//! A price that falls back looks at the first order of every delta that is trailed by; there are
//! fewer than 10,000.

pub(crate) mod saved;
mod trails;

use std::collections::BTreeMap;

use types::{
    Event, ExpireCause, InstrumentId, NewOrder, Order, OrderId, OrderTriggered, OrderType, Phase,
    Price, Qty, Side,
};

use crate::account::Account;
use crate::book::NodeId;
use crate::book::ladder::Ladder;
use crate::engine::Engine;
use crate::invariant::check;
use crate::market::Market;
use crate::market::trading::Trading;
use crate::orders::Orders;
use crate::orders::record::Standing;
use crate::orders::trigger::trails::Trails;

/// A delta of all of the price would never be reached.
pub(crate) const TRAILING_DELTA_END_BPS: u32 = 10_000;

/// Which way the price has to go for an order to be reached.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Direction {
    Rise = 0,
    Fall = 1,
}

const DIRECTIONS: [Direction; 2] = [Direction::Rise, Direction::Fall];

impl Direction {
    /// Which way an order of this type waits for its stop price.
    pub(crate) fn of(order_type: OrderType, side: Side) -> Self {
        let stop_loss = matches!(order_type, OrderType::StopLoss | OrderType::StopLossLimit);
        match (side == Side::Buy) == stop_loss {
            true => Self::Rise,
            false => Self::Fall,
        }
    }

    /// Which way the price has to turn for an order that trails it.
    fn trailing(side: Side) -> Self {
        match side {
            Side::Buy => Self::Rise,
            Side::Sell => Self::Fall,
        }
    }

    fn key(self, price: Price) -> Key {
        match self {
            Self::Rise => price.ticks(),
            Self::Fall => -price.ticks(),
        }
    }
}

type Key = i64;

/// So many are not in a cache at once, and looking ahead for one's place pays.
const MANY: usize = 1 << 12;

/// Who waits, in a ladder: the last is the lowest key, and the oldest order there.
fn rung(key: Key, order_id: OrderId) -> (Key, u64) {
    (!key, !order_id.0)
}

/// The extreme of an order that has seen no price yet.
const NO_PRICE: Key = Key::MAX;

/// Trailing orders come behind others at the same key.
const TRAILING_TURN: u64 = 1 << 63;

#[derive(Clone, Debug, Default)]
pub(crate) struct Triggers {
    /// By stop price and age, per [`Direction`]. Orders that are to trail from there are here too.
    waiting: [Ladder<(Key, u64)>; 2],
    trails: [Trails; 2],
    /// What is to be triggered, in this order: by key, then turn.
    reached: [BTreeMap<(Key, u64), NodeId>; 2],
    /// Prices traded at that nobody has taken note of yet.
    prices: Vec<Price>,
    /// How many orders are in all of these, and how many of them trail or will.
    count: usize,
    trailing: usize,
}

impl Triggers {
    /// Whether any order waits.
    #[inline]
    pub(crate) fn any_wait(&self) -> bool {
        self.count > 0
    }

    /// Whether somebody has to take note of prices.
    pub(crate) fn has_prices(&self) -> bool {
        !self.prices.is_empty()
    }

    pub(crate) fn any_reached(&self) -> bool {
        self.reached.iter().any(|reached| !reached.is_empty())
    }

    /// A trade happened at another price than the last one.
    #[cold]
    pub(crate) fn note(&mut self, price: Price) {
        // To those that do not trail, the highest and the lowest say it all.
        match (self.trailing, &mut self.prices[..]) {
            (0, [one, other]) => {
                let (low, high) = ((*one).min(*other), (*one).max(*other));
                (*one, *other) = (price.min(low), price.max(high));
            }
            (0, [one]) => {
                let (low, high) = (price.min(*one), price.max(*one));
                self.prices = vec![low, high];
            }
            _ => self.prices.push(price),
        }
    }

    /// Whether where they wait is not near anyway.
    #[inline]
    pub(crate) fn are_many(&self) -> bool {
        self.count > MANY
    }

    /// Has brought near where an order waits, or is going to.
    pub(crate) fn foresee(&mut self, (order_type, side, stop_price): (OrderType, Side, Price)) {
        let direction = Direction::of(order_type, side);
        self.waiting[direction as usize]
            .foresee(rung(direction.key(stop_price), OrderId(u64::MAX)));
    }

    /// Lets an order wait; `now` is the price that it trails from if it does so at once.
    fn add(&mut self, node: NodeId, order: &Order, now: Option<Price>) {
        let terms = order.terms.unwrap_or_default().terms;
        self.count += 1;
        self.trailing += usize::from(terms.trailing_delta_bps > 0);
        let Some(stop_price) = terms.stop_price else {
            let direction = Direction::trailing(order.side);
            let key = now.map_or(NO_PRICE, |price| direction.key(price));
            return self.trails[direction as usize].begin(node, terms.trailing_delta_bps, key);
        };
        let direction = Direction::of(order.order_type, order.side);
        let rung = rung(direction.key(stop_price), order.order_id);
        let waiting = &mut self.waiting[direction as usize];
        let gap = waiting.find(rung).expect_err("it waits only once");
        waiting.insert(gap, rung, node);
    }

    /// Lets go of an order, wherever it is.
    fn remove(&mut self, node: NodeId, order: &Order) {
        let terms = order.terms.unwrap_or_default().terms;
        self.count -= 1;
        self.trailing -= usize::from(terms.trailing_delta_bps > 0);
        if self.count == 0 {
            self.prices.clear();
        }
        let trailing = Direction::trailing(order.side) as usize;
        if let Some((number, reached)) = self.trails[trailing].begun.remove(&node) {
            match reached {
                None => self.trails[trailing].leave_line(terms.trailing_delta_bps, number),
                Some(key) => {
                    self.reached[trailing].remove(&(key, TRAILING_TURN | number));
                }
            }
            return;
        }
        let direction = Direction::of(order.order_type, order.side);
        let stop_price = terms.stop_price.expect("it waits for a price, or it would trail");
        let key = direction.key(stop_price);
        if self.waiting[direction as usize].remove(rung(key, order.order_id)).is_none() {
            self.reached[direction as usize].remove(&(key, order.order_id.0));
        }
    }

    /// Takes note of a price, one for each direction, with one order that it reaches; `false` when
    /// it reaches no more.
    fn take_note(
        &mut self,
        direction: Direction,
        prices: [Option<Price>; 2],
        orders: &Orders,
    ) -> bool {
        let at = direction as usize;
        let Some(price) = prices[at] else { return false };
        let key = direction.key(price);
        if let Some((number, wanted, node)) = self.trails[at].take_reached(key) {
            self.reached[at].insert((wanted, TRAILING_TURN | number), node);
            return true;
        }
        self.trails[at].pass(key);
        let waiting = &mut self.waiting[at];
        let Some(first) = waiting.last_key().filter(|first| !first.0 <= key) else { return false };
        let node = waiting.remove(first).expect("it was the last");
        let (wanted, order_id) = (!first.0, OrderId(!first.1));
        let delta_bps = orders.terms(node).terms.trailing_delta_bps;
        if delta_bps == 0 {
            self.reached[at].insert((wanted, order_id.0), node);
        } else {
            let trailing = Direction::trailing(orders.side(node));
            let key = prices[trailing as usize].map_or(NO_PRICE, |price| trailing.key(price));
            self.trails[trailing as usize].begin(node, delta_bps, key);
        }
        true
    }

    /// The order that is to be triggered next.
    fn next(&self) -> Option<NodeId> {
        let [rises, falls] = &self.reached;
        rises.first_key_value().or_else(|| falls.first_key_value()).map(|(_, node)| *node)
    }
}

impl Market {
    /// What stop prices are compared with.
    pub(crate) fn trigger_price(&self, direction: Direction) -> Option<Price> {
        let quoted = match direction {
            Direction::Rise => Side::Sell,
            Direction::Fall => Side::Buy,
        };
        match self.trading.last_price {
            None if self.trading.phase == Phase::Continuous => self.book.best_price(quoted),
            last_price => last_price,
        }
    }

    /// There is a trade at this price, which triggers may wait for.
    #[inline]
    pub(crate) fn note_price(&mut self, price: Price) {
        if self.triggers.any_wait() && self.trading.last_price != Some(price) {
            self.triggers.note(price);
        }
    }

    /// Whether triggers have anything to do now.
    #[cold]
    pub(crate) fn triggers_move(&self) -> bool {
        let Trading { phase, last_price, .. } = &self.trading;
        self.triggers.has_prices()
            || *phase == Phase::Continuous && (self.triggers.any_reached() || last_price.is_none())
    }
}

impl Engine {
    /// Lets an order that is off the book wait for its trigger.
    pub(crate) fn wait_for_trigger(&mut self, node: NodeId) {
        self.orders.extra_mut(node).standing = Standing::Trigger;
        let order = self.orders.order(node);
        let account = &mut self.accounts[order.account.0 as usize];
        account.market_mut(order.instrument).stop_orders += 1;
        let market = &mut self.markets[order.instrument.0 as usize];
        let now = market.trigger_price(Direction::trailing(order.side));
        market.triggers.add(node, &order, now);
    }

    /// Lets go of an order that waits for its trigger.
    #[cold]
    pub(crate) fn stop_waiting(&mut self, node: NodeId, order: &Order) {
        let account = &mut self.accounts[order.account.0 as usize];
        account.market_mut(order.instrument).stop_orders -= 1;
        self.markets[order.instrument.0 as usize].triggers.remove(node, order);
    }

    /// Whether a new order is reached by the price as it is.
    pub(crate) fn triggers_at_once(market: &Market, order: &NewOrder) -> bool {
        let Some(stop_price) = order.special().stop_price else { return false };
        let direction = Direction::of(order.order_type, order.side);
        let reaches = |price| direction.key(stop_price) <= direction.key(price);
        market.trigger_price(direction).is_some_and(reaches)
    }

    /// Lets those that wait take note of the prices since they did so last. Whether anybody was
    /// reached, or there is more to do than this command has work for.
    pub(crate) fn note_prices(&mut self, instrument: InstrumentId) -> bool {
        let Self { markets, orders, work, .. } = self;
        let market = &mut markets[instrument.0 as usize];
        let mut moved = false;
        if market.trading.last_price.is_none() && market.trading.phase == Phase::Continuous {
            let quotes = DIRECTIONS.map(|direction| market.trigger_price(direction));
            for direction in DIRECTIONS {
                while *work > 0 && market.triggers.take_note(direction, quotes, orders) {
                    *work -= 1;
                    moved = true;
                }
            }
            return moved || *work == 0;
        }
        let mut noted = 0;
        while let Some(price) = market.triggers.prices.get(noted).copied() {
            for direction in DIRECTIONS {
                while *work > 0 && market.triggers.take_note(direction, [Some(price); 2], orders) {
                    *work -= 1;
                    moved = true;
                }
            }
            if *work == 0 {
                break;
            }
            *work -= 1;
            noted += 1;
        }
        market.triggers.prices.drain(..noted);
        moved || *work == 0
    }

    /// Triggers the order whose turn it is; whether there was one.
    pub(crate) fn pull_trigger(
        &mut self,
        instrument: InstrumentId,
        events: &mut Vec<Event>,
    ) -> bool {
        let market = &self.markets[instrument.0 as usize];
        if market.trading.phase != Phase::Continuous {
            return false;
        }
        let Some(node) = market.triggers.next() else { return false };
        if !self.spend_work() {
            return true;
        }
        let mut order = self.orders.order(node);
        self.stop_waiting(node, &order);
        order.updated_ns = self.now_ns;
        if let Some(terms) = &mut order.terms {
            terms.triggered_ns = self.now_ns;
        }
        self.orders.extra_mut(node).standing = Standing::Entering;
        self.orders.store(node, &order);
        self.tell_triggered(&order, events);
        self.trade_in_list(&order, events);
        match self.is_still_allowed(&order) {
            true => self.enter(node, events),
            false => self.expire_open(node, ExpireCause::NotAllowed, events),
        }
        true
    }

    pub(crate) fn tell_triggered(&mut self, order: &Order, events: &mut Vec<Event>) {
        events.push(Event::OrderTriggered(OrderTriggered {
            account_seq: self.accounts[order.account.0 as usize].next_seq(),
            instrument_seq: self.markets[order.instrument.0 as usize].next_seq(),
            order: *order,
        }));
    }

    /// One that has a limit holds what it may cost; one by market must pay for a lot at least.
    fn is_still_allowed(&self, order: &Order) -> bool {
        let market = &self.markets[order.instrument.0 as usize];
        let instrument = &market.instrument;
        let account = &self.accounts[order.account.0 as usize];
        let best = market.best_price(order.side.opposite());
        let one_lot = Qty::from_lots(1);
        let (asset, cost) = match (order.side, best) {
            (Side::Sell, _) => (instrument.spec.base, instrument.base_amount(one_lot)),
            (Side::Buy, Some(best)) => (instrument.spec.quote, instrument.notional(best, one_lot)),
            (Side::Buy, None) => return true,
        };
        !order.order_type.is_market() || !account.is_cash() || cost <= account.balance(asset).free
    }
}

impl Engine {
    /// An order that waits for a trigger is in one place, and whoever is in one waits.
    pub(crate) fn check_stops(&self, account: &Account) -> Result<(), String> {
        for (id, here) in (0..).map(InstrumentId).zip(&account.markets) {
            let nodes = self.orders.of_account(account, id);
            let waits = |node: &NodeId| self.orders.standing(*node) == Standing::Trigger;
            let mut count = 0;
            for node in nodes.filter(waits) {
                let order = self.orders.order(node);
                let found = self.markets[id.0 as usize].triggers.has(node, &order);
                check(found, || format!("order {} waits nowhere", order.order_id))?;
                count += 1;
            }
            check(count == here.stop_orders, || "stop orders miscounted".to_owned())?;
        }
        Ok(())
    }

    /// Nobody waits but the stop orders that accounts count, which [`Engine::check_stops`] has seen
    /// to be right.
    pub(crate) fn check_triggers(&self) -> Result<(), String> {
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

impl Triggers {
    fn has(&self, node: NodeId, order: &Order) -> bool {
        if self.trails[Direction::trailing(order.side) as usize].begun.contains_key(&node) {
            return true;
        }
        let Some(stop_price) = order.terms.and_then(|terms| terms.terms.stop_price) else {
            return false;
        };
        let direction = Direction::of(order.order_type, order.side);
        let key = direction.key(stop_price);
        self.waiting[direction as usize].find(rung(key, order.order_id)).ok() == Some(node)
            || self.reached[direction as usize].get(&(key, order.order_id.0)) == Some(&node)
    }
}
