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

use std::collections::BTreeMap;

use types::{
    Event, ExpireCause, InstrumentId, NewOrder, Order, OrderId, OrderTriggered, OrderType,
    PRICE_MAX, Phase, Price, Qty, Reader, Side, Wire,
};

use crate::account::Account;
use crate::book::NodeId;
use crate::book::ladder::Ladder;
use crate::engine::Engine;
use crate::invariant::check;
use crate::market::Market;
use crate::market::trading::Trading;
use crate::orders::{Orders, Standing};

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

/// Orders that trail in one direction.
#[derive(Clone, Debug, Default)]
struct Trails {
    /// By delta, then by when they began.
    lines: BTreeMap<u32, BTreeMap<u64, NodeId>>,
    /// The number of each one's beginning, and the key at which it was reached, if it was.
    begun: BTreeMap<NodeId, (u64, Option<Key>)>,
    /// The lowest key since each beginning, for those that began from this number on.
    extremes: Vec<(u64, Key)>,
    next: u64,
}

impl Trails {
    fn begin(&mut self, node: NodeId, delta_bps: u32, key: Key) {
        self.pass(key);
        let number = self.next;
        self.next += 1;
        if self.extremes.last().is_none_or(|(_, lowest)| *lowest != key) {
            self.extremes.push((number, key));
        }
        self.lines.entry(delta_bps).or_default().insert(number, node);
        self.begun.insert(node, (number, None));
    }

    /// Takes note of a price: it is the new extreme of all that had none so good.
    fn pass(&mut self, key: Key) {
        let better = self.extremes.partition_point(|(_, lowest)| *lowest < key);
        if let Some((first, _)) = self.extremes.get(better).copied() {
            self.extremes.truncate(better);
            self.extremes.push((first, key));
        }
    }

    fn extreme(&self, number: u64) -> Key {
        let at = self.extremes.partition_point(|(first, _)| *first <= number);
        at.checked_sub(1).map_or(NO_PRICE, |at| self.extremes[at].1)
    }

    /// Takes one order that is reached at `key`: its number, the key that it waited for, itself.
    fn take_reached(&mut self, key: Key) -> Option<(u64, Key, NodeId)> {
        let lowest = self.extremes.first()?.1;
        let tightest = *self.lines.first_key_value()?.0;
        if trigger_key(lowest, tightest) > key {
            return None;
        }
        let reached = self.lines.iter().find_map(|(delta_bps, line)| {
            let (number, node) = line.first_key_value().expect("an empty line is removed");
            let wanted = trigger_key(self.extreme(*number), *delta_bps);
            (wanted <= key).then_some((*delta_bps, *number, wanted, *node))
        });
        let (delta_bps, number, wanted, node) = reached?;
        self.leave_line(delta_bps, number);
        self.begun.insert(node, (number, Some(wanted)));
        Some((number, wanted, node))
    }

    fn leave_line(&mut self, delta_bps: u32, number: u64) {
        if let Some(line) = self.lines.get_mut(&delta_bps) {
            line.remove(&number);
            if line.is_empty() {
                self.lines.remove(&delta_bps);
            }
        }
        if self.lines.is_empty() {
            self.extremes.clear();
        }
    }
}

/// Where an order that trails by `delta_bps` from `extreme` is reached, rounded away from there.
fn trigger_key(extreme: Key, delta_bps: u32) -> Key {
    if extreme == NO_PRICE {
        return NO_PRICE;
    }
    let scale = i128::from(TRAILING_DELTA_END_BPS);
    let extreme = i128::from(extreme);
    let scaled = extreme * scale + extreme.abs() * i128::from(delta_bps);
    let rounded = -(-scaled).div_euclid(scale);
    // Of a price of zero no part is anything.
    Key::try_from(rounded.max(extreme + 1)).unwrap_or(NO_PRICE)
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

/// What the state has of a market's triggers beyond the terms of the orders that wait.
#[derive(Debug, Default)]
pub(crate) struct SavedTriggers {
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
        let order_id = |node: &NodeId| orders.record(*node).order_id;
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
    pub(crate) fn write_triggers(&self, out: &mut Vec<u8>) {
        let markets = (0..).map(InstrumentId).zip(&self.markets);
        let saved = markets.map(|(id, market)| (id, market.triggers.save(&self.orders)));
        let uncommon: Vec<_> = saved.filter(|(_, saved)| !saved.is_plain()).collect();
        uncommon.write(out);
    }

    /// Puts orders that wait for a trigger where they wait. They have their nodes.
    pub(crate) fn restore_triggers(
        &mut self,
        saved: Vec<(InstrumentId, SavedTriggers)>,
    ) -> Option<()> {
        saved.is_sorted_by(|(one, _), (next, _)| one < next).then_some(())?;
        let mut waiting = Vec::new();
        for account in &self.accounts {
            let instruments = (0..).map(InstrumentId).take(account.markets.len());
            let nodes = instruments.flat_map(|id| self.orders.of_account(account, id));
            waiting.extend(nodes.filter(|node| self.orders.standing(*node) == Standing::Trigger));
        }
        for (instrument, saved) in saved {
            (!saved.is_plain()).then_some(())?;
            self.market(instrument)?;
            let restored = self.restore_market_triggers(instrument, saved)?;
            self.markets[instrument.0 as usize].triggers = restored;
        }
        for node in waiting {
            let order = self.orders.order(node);
            let terms = order.terms?.terms;
            let sound = order.order_type.is_stop()
                && terms.trailing_delta_bps < TRAILING_DELTA_END_BPS
                && terms.stop_price.is_none_or(|price| price.ticks().abs() <= PRICE_MAX.ticks());
            sound.then_some(())?;
            let account = &mut self.accounts[order.account.0 as usize];
            account.market_mut(order.instrument).stop_orders += 1;
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
        triggers.prices.iter().all(|price| in_range(price.ticks())).then_some(())?;
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
                sound.then_some(())?;
                let number = trails.next;
                if *reached {
                    trails.next += 1;
                    trails.begun.insert(node, (number, Some(*key)));
                    triggers.reached[at].insert((*key, TRAILING_TURN | number), node);
                } else {
                    let last = trails.extremes.last();
                    last.is_none_or(|(_, last)| last <= key).then_some(())?;
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
                plain.then_some(())?;
                let stop_price = terms.stop_price.filter(|price| in_range(price.ticks()))?;
                let turn = (direction.key(stop_price), order_id.0);
                (last.replace(turn) < Some(turn)).then_some(())?;
                triggers.reached[at].insert(turn, node);
                triggers.count += 1;
            }
        }
        Some(triggers)
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_trigger_is_rounded_to_the_tick_farther_away() {
        let check = |direction: Direction, extreme: i64, delta_bps, expect: i64| {
            let key = trigger_key(direction.key(Price::from_ticks(extreme)), delta_bps);
            let price = if direction == Direction::Rise { key } else { -key };
            assert_eq!(price, expect, "{direction:?} {extreme} {delta_bps}");
        };
        check(Direction::Fall, 250, 100, 247);
        check(Direction::Fall, 200, 100, 198);
        check(Direction::Rise, 250, 100, 253);
        check(Direction::Rise, 200, 100, 202);
        check(Direction::Fall, 1, 1, 0);
        check(Direction::Rise, 1, 9_999, 2);
        check(Direction::Fall, 0, 100, -1);
        check(Direction::Rise, 0, 100, 1);
        check(Direction::Fall, -250, 100, -253);
        check(Direction::Rise, -250, 100, -247);
        check(Direction::Rise, PRICE_MAX.ticks(), 9_999, 18_013_497_789_556_510);
        assert_eq!(trigger_key(NO_PRICE, 1), NO_PRICE);
    }
}
