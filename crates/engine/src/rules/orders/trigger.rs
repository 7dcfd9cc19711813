//! Waits of orders for a price, and their triggers.

use types::{Event, ExpireCause, InstrumentId, NewOrder, Order, OrderTriggered, Phase, Qty, Side};

use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::market::Market;
use crate::state::orders::record::Standing;
use crate::state::triggers::direction::{DIRECTIONS, Direction};

impl Engine {
    /// Starts the wait of an order that is off the book.
    pub(crate) fn wait_for_trigger(&mut self, node: NodeId) {
        self.orders.extra_mut(node).standing = Standing::Trigger;
        let order = self.orders.order(node);
        let account = &mut self.accounts[order.account.0 as usize];
        account.market_mut(order.instrument).count_stop(order.order_type, true);
        let market = &mut self.markets[order.instrument.0 as usize];
        let now = market.trigger_price(Direction::trailing(order.side));
        market.triggers.add(node, &order, now);
    }

    /// Ends the wait of an order for its trigger.
    #[cold]
    pub(super) fn stop_waiting(&mut self, node: NodeId, order: &Order) {
        let account = &mut self.accounts[order.account.0 as usize];
        account.market_mut(order.instrument).count_stop(order.order_type, false);
        self.markets[order.instrument.0 as usize].triggers.remove(node, order);
    }

    /// Whether the current price triggers a new order.
    pub(crate) fn triggers_at_once(market: &Market, order: &NewOrder) -> bool {
        let Some(stop_price) = order.special().stop_price else { return false };
        let direction = Direction::of(order.order_type, order.side);
        let reaches = |price| direction.key(stop_price) <= direction.key(price);
        market.trigger_price(direction).is_some_and(reaches)
    }

    /// Applies the trade prices since the last call to the waiting orders. Returns whether an order
    /// was reached, or more is left than this command has work for.
    pub(crate) fn apply_prices(&mut self, instrument: InstrumentId) -> bool {
        let Self { markets, orders, work, now_ns, .. } = self;
        let now_ns = (*now_ns).max(1);
        let market = &mut markets[instrument.0 as usize];
        let mut moved = false;
        if market.trading.last_price.is_none() && market.trading.phase == Phase::Continuous {
            let quotes = DIRECTIONS.map(|direction| market.trigger_price(direction));
            for direction in DIRECTIONS {
                while *work > 0 && market.triggers.apply_price(direction, quotes, orders, now_ns) {
                    *work -= 1;
                    moved = true;
                }
            }
            return moved || *work == 0;
        }
        let mut applied = 0;
        while let Some(price) = market.triggers.prices.get(applied).copied() {
            for direction in DIRECTIONS {
                let prices = [Some(price); 2];
                while *work > 0 && market.triggers.apply_price(direction, prices, orders, now_ns) {
                    *work -= 1;
                    moved = true;
                }
            }
            if *work == 0 {
                break;
            }
            *work -= 1;
            applied += 1;
        }
        market.triggers.prices.drain(..applied);
        moved || *work == 0
    }

    /// Triggers the next reached order. Returns whether there was one.
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
        self.emit_triggered(&order, events);
        self.trade_in_list(&order, events);
        if self.is_still_allowed(&order) {
            self.enter(node, events);
        } else {
            self.expire_open(node, ExpireCause::NotAllowed, events);
        }
        true
    }

    pub(super) fn emit_triggered(&mut self, order: &Order, events: &mut Vec<Event>) {
        events.push(Event::OrderTriggered(OrderTriggered {
            account_seq: self.accounts[order.account.0 as usize].next_seq(),
            instrument_seq: self.markets[order.instrument.0 as usize].next_seq(),
            order: *order,
        }));
    }

    /// Whether an order may still enter: with a limit it holds its cost, and a market order can pay
    /// for a lot.
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
