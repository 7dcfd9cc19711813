//! Chapter 4: orders that wait for a price.

use types::*;

use super::{BPS, Key, Model, Open, Place};

impl Model {
    pub(super) fn wait_for_trigger(&mut self, key: Key) {
        self.at_mut(key).place = Place::Stop;
        let Open { order, .. } = *self.at(key);
        let terms = order.terms.unwrap_or_default().terms;
        if terms.trailing_delta_bps > 0 && terms.stop_price.is_none() {
            self.at_mut(key).trail = self.trigger_price(order.instrument, waits_for_rise(&order));
        }
    }

    /// What stop prices are compared with: the last price, or else the best one offered.
    pub(super) fn trigger_price(&self, instrument: InstrumentId, rise: bool) -> Option<i64> {
        let quoted = if rise { Side::Sell } else { Side::Buy };
        self.market(instrument).last_price.or_else(|| self.best(instrument, quoted))
    }

    /// Whether an order would be triggered as it comes.
    pub(super) fn triggers_at_once(&self, request: &NewOrder) -> bool {
        let terms = request.special();
        let Some(stop_price) = terms.stop_price.map(Price::ticks) else { return false };
        let rise = rises(request.order_type, request.side);
        let price = self.trigger_price(request.instrument, rise);
        price.is_some_and(|price| if rise { price >= stop_price } else { price <= stop_price })
    }

    /// Carries out the order that is to be triggered first; whether there was one.
    pub(super) fn pull_trigger(&mut self) -> bool {
        for instrument in self.instruments().collect::<Vec<_>>() {
            if self.market(instrument).phase != Phase::Continuous || self.halted.is_some() {
                continue;
            }
            self.trail(instrument);
            let mut reached: Vec<(bool, i64, Key)> = Vec::new();
            for open in &self.open {
                if open.place != Place::Stop || open.order.instrument != instrument {
                    continue;
                }
                let rise = triggers_on_rise(open);
                let Some(stop_price) = self.stop_price(open) else { continue };
                if self.is_reached(instrument, rise, stop_price) {
                    // Those that wait for a rise first, from the lowest; then from the highest.
                    reached.push((!rise, if rise { stop_price } else { -stop_price }, open.key()));
                }
            }
            reached.sort();
            if let Some((.., key)) = reached.first() {
                self.trigger(*key);
                return true;
            }
        }
        false
    }

    fn is_reached(&self, instrument: InstrumentId, rise: bool, stop_price: i64) -> bool {
        let mut prices = self.market(instrument).prices.clone();
        prices.extend(self.trigger_price(instrument, rise));
        prices.iter().any(|price| if rise { *price >= stop_price } else { *price <= stop_price })
    }

    /// At which price an order is triggered now; `None` while it does not trail yet.
    fn stop_price(&self, open: &Open) -> Option<i64> {
        let terms = open.terms();
        if terms.trailing_delta_bps == 0 {
            return terms.stop_price.map(Price::ticks);
        }
        let best = i128::from(open.trail?);
        let delta = i128::from(terms.trailing_delta_bps);
        let scaled = match open.order.side {
            // Rounded to the tick that is farther away.
            Side::Sell => (best * (BPS - delta)).div_euclid(BPS),
            Side::Buy => -(-best * (BPS + delta)).div_euclid(BPS),
        };
        i64::try_from(scaled).ok()
    }

    /// Follows the prices with all orders that trail.
    fn trail(&mut self, instrument: InstrumentId) {
        let mut prices = self.market(instrument).prices.clone();
        let last = self.market(instrument).last_price;
        if prices.is_empty() {
            prices.extend(last);
        }
        for at in 0..self.open.len() {
            let open = self.open[at];
            let here = open.place == Place::Stop && open.order.instrument == instrument;
            if !here || open.terms().trailing_delta_bps == 0 {
                continue;
            }
            let mut trail = open.trail;
            for price in &prices {
                let begins =
                    open.terms().stop_price.is_none_or(|stop_price| {
                        match waits_for_rise(&open.order) {
                            true => *price >= stop_price.ticks(),
                            false => *price <= stop_price.ticks(),
                        }
                    });
                trail = match (trail, open.order.side) {
                    (None, _) => begins.then_some(*price),
                    (Some(best), Side::Sell) => Some(best.max(*price)),
                    (Some(best), Side::Buy) => Some(best.min(*price)),
                };
            }
            self.open[at].trail = trail;
        }
    }

    fn trigger(&mut self, key: Key) {
        let now_ns = self.now_ns;
        let open = self.at_mut(key);
        open.place = Place::Entering;
        let mut terms = open.order.terms.unwrap_or_default();
        terms.triggered_ns = now_ns;
        open.order.terms = Some(terms);
        open.order.updated_ns = now_ns;
        let order = open.order;
        if !self.is_still_allowed(&order) {
            return self.expire(key, ExpireCause::NotAllowed);
        }
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(order.instrument);
        let triggered = OrderTriggered { account_seq, instrument_seq, order };
        self.events.push(Event::OrderTriggered(triggered));
        self.list_order_traded(&order);
        self.enter(key);
    }
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
