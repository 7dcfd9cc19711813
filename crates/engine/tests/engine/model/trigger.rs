//! Chapter 4: orders that wait for a price.

use types::*;

use super::{BPS, Key, Model, Open, Standing};

impl Model {
    pub(super) fn wait_for_trigger(&mut self, key: Key) {
        self.at_mut(key).place = Standing::Stop;
        let open = *self.at(key);
        let terms = open.terms();
        if terms.trailing_delta_bps > 0 && terms.stop_price.is_none() {
            let price = self.trigger_price(key.0, triggers_on_rise(&open));
            let began = self.arrival();
            let none_yet = none_better(open.order.side);
            self.at_mut(key).trail = Some((price.unwrap_or(none_yet), began));
        }
    }

    /// The price that stop prices are compared with: the last price, or else the best displayed
    /// one.
    pub(super) fn trigger_price(&self, instrument: InstrumentId, rise: bool) -> Option<i64> {
        let quoted = if rise { Side::Sell } else { Side::Buy };
        let shown = self.levels(instrument, quoted).first().map(|(price, _)| *price);
        let market = self.market(instrument);
        market.last_price.or(shown.filter(|_| market.phase == Phase::Continuous))
    }

    /// Whether an order would trigger as it enters.
    pub(super) fn triggers_at_once(&self, request: &NewOrder) -> bool {
        let rise = rises(request.order_type, request.side);
        let price = self.trigger_price(request.instrument, rise);
        match (request.special().stop_price, price) {
            (Some(stop_price), Some(price)) => is_reached(rise, stop_price.ticks(), price),
            _ => false,
        }
    }

    /// Applies a price to all waiting orders: for a rise, and for a fall.
    pub(super) fn notice(&mut self, instrument: InstrumentId, up: Option<i64>, down: Option<i64>) {
        let mut waiting: Vec<Key> = Vec::new();
        for open in &self.open {
            if open.place == Standing::Stop && open.order.instrument == instrument {
                waiting.push(open.key());
            }
        }
        // The sequence in which orders begin to trail at one price.
        waiting.sort_by_key(|key| {
            let open = self.at(*key);
            let stop_price = open.terms().stop_price.map_or(0, Price::ticks);
            let rise = waits_for_rise(&open.order);
            (!rise, if rise { stop_price } else { -stop_price }, *key)
        });
        for key in waiting {
            let open = *self.at(key);
            let stop_price = open.terms().stop_price.map(Price::ticks);
            let price_of = |rise: bool| if rise { up } else { down };
            let by_type = price_of(waits_for_rise(&open.order));
            let by_trail = price_of(triggers_on_rise(&open));
            let reached_by = |stop_price: i64| {
                by_type.filter(|price| is_reached(waits_for_rise(&open.order), stop_price, *price))
            };
            if open.terms().trailing_delta_bps == 0 {
                let reached = stop_price.is_some_and(|stop_price| reached_by(stop_price).is_some());
                self.at_mut(key).reached |= reached;
            } else if let Some((best, began)) = open.trail {
                // A reached order no longer trails.
                let Some(price) = by_trail.filter(|_| !open.reached) else { continue };
                let best = match open.order.side {
                    Side::Sell => best.max(price),
                    Side::Buy => best.min(price),
                };
                self.at_mut(key).trail = Some((best, began));
                let rise = triggers_on_rise(&open);
                let stop_price = stop_price_of(self.at(key)).unwrap();
                self.at_mut(key).reached |= is_reached(rise, stop_price, price);
            } else {
                let from = match stop_price {
                    Some(stop_price) => reached_by(stop_price),
                    None => by_trail,
                };
                if from.is_some() {
                    let began = self.arrival();
                    let none_yet = none_better(open.order.side);
                    self.at_mut(key).trail = Some((by_trail.unwrap_or(none_yet), began));
                }
            }
        }
    }

    /// Carries out the next order to trigger. Returns whether there was one.
    pub(super) fn pull_trigger(&mut self, instrument: InstrumentId) -> bool {
        if self.halted.is_some() {
            return false;
        }
        let trades = self.market(instrument).phase == Phase::Continuous;
        if trades && self.market(instrument).last_price.is_none() {
            let [up, down] = [true, false].map(|rise| self.trigger_price(instrument, rise));
            self.notice(instrument, up, down);
        }
        self.note_trailing(instrument);
        if !trades {
            return false;
        }
        let mut reached: Vec<(bool, i64, u64, Key)> = Vec::new();
        for open in &self.open {
            if open.place == Standing::Stop && open.order.instrument == instrument && open.reached {
                let rise = triggers_on_rise(open);
                let stop_price = stop_price_of(open).unwrap();
                // Orders that wait for a rise first, from the lowest; then those for a fall, from
                // the highest.
                let far = if rise { stop_price } else { -stop_price };
                let began = open.trail.map_or(0, |(_, began)| began);
                reached.push((!rise, far, began, open.key()));
            }
        }
        let first = reached.into_iter().min();
        first.inspect(|(.., key)| self.trigger(*key)).is_some()
    }

    /// The time since which orders trail is that of the step in which prices are applied to them.
    pub(super) fn note_trailing(&mut self, instrument: InstrumentId) {
        let now_ns = self.now_ns;
        for open in self.open.iter_mut().filter(|open| open.order.instrument == instrument) {
            if let (Some(terms), true) = (&mut open.order.terms, open.trail.is_some())
                && terms.trailing_ns == 0
            {
                terms.trailing_ns = now_ns;
            }
        }
    }

    fn trigger(&mut self, key: Key) {
        let now_ns = self.now_ns;
        let open = self.at_mut(key);
        open.place = Standing::Entering;
        let mut terms = open.order.terms.unwrap_or_default();
        terms.triggered_ns = now_ns;
        open.order.terms = Some(terms);
        open.order.updated_ns = now_ns;
        let order = open.order;
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(order.instrument);
        let triggered = OrderTriggered { account_seq, instrument_seq, order };
        self.events.push(Event::OrderTriggered(triggered));
        self.list_order_traded(&order);
        if self.can_pay_one_lot(&order) {
            self.enter(key);
        } else {
            self.expire(key, ExpireCause::NotAllowed);
        }
    }
}

/// An order that trails from its entry on.
pub(super) fn begin_to_trail(order: &mut Order, now_ns: u64) {
    if let Some(terms) = &mut order.terms
        && terms.terms.trailing_delta_bps > 0
        && terms.terms.stop_price.is_none()
    {
        terms.trailing_ns = now_ns;
    }
}

/// The best price of an order that has seen none: any price is better.
fn none_better(side: Side) -> i64 {
    if side == Side::Sell { i64::MIN } else { i64::MAX }
}

fn is_reached(rise: bool, stop_price: i64, price: i64) -> bool {
    if rise { price >= stop_price } else { price <= stop_price }
}

/// The current trigger price of an order; `None` until it trails.
fn stop_price_of(open: &Open) -> Option<i64> {
    let terms = open.terms();
    if terms.trailing_delta_bps == 0 {
        return terms.stop_price.map(Price::ticks);
    }
    let best = i128::from(open.trail?.0);
    let delta = i128::from(terms.trailing_delta_bps);
    // Rounded to the tick that is farther away, and at least one tick away.
    let scaled = match open.order.side {
        Side::Sell => (best * BPS - best.abs() * delta).div_euclid(BPS).min(best - 1),
        Side::Buy => (-(-best * BPS - best.abs() * delta).div_euclid(BPS)).max(best + 1),
    };
    i64::try_from(scaled).ok()
}

/// Whether an order waits for its stop price from below.
pub(super) fn rises(order_type: OrderType, side: Side) -> bool {
    use OrderType::{StopLoss, StopLossLimit};
    let is_stop_loss = matches!(order_type, StopLoss | StopLossLimit);
    (side == Side::Buy) == is_stop_loss
}

fn waits_for_rise(order: &Order) -> bool {
    rises(order.order_type, order.side)
}

fn triggers_on_rise(open: &Open) -> bool {
    match open.terms().trailing_delta_bps {
        0 => waits_for_rise(&open.order),
        _ => open.order.side == Side::Buy,
    }
}
