//! Limits in front of a strategy: each order passes them before it leaves, or is refused by name.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use types::{Price, Qty, Side};

use crate::account::notional;
use crate::context::View;
use crate::order::{NewOrder, Terms};

/// What an order may lead to. `None` is no limit. The ladder of checks is in the order of
/// [`Refusal`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RiskLimits {
    /// Lots of one order.
    pub order_lots: Option<u64>,
    /// Lots, long or short, of one instrument if all open orders of the side filled.
    pub position_lots: Option<u64>,
    /// Quote units of one order.
    pub notional: Option<f64>,
    /// Orders in any second.
    pub orders_per_second: Option<u32>,
    /// Quote units by which the profit may fall below its highest value. Beyond it, the run takes
    /// no further orders.
    pub drawdown: Option<f64>,
}

/// Why a request was not sent, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("no order of this id is open")]
    OrderNotOpen,
    #[error("a request for this order has no answer yet")]
    RequestPending,
    #[error("no instrument of this number is in the run")]
    InstrumentUnknown,
    #[error("the kill switch is on")]
    Killed,
    #[error("the draw-down limit is reached")]
    Drawdown,
    #[error("the quantity is zero")]
    QtyIsZero,
    #[error("the price is not positive")]
    PriceNotPositive,
    #[error("the quantity is above the limit of one order")]
    OrderTooLarge,
    #[error("the position would exceed its limit if all open orders filled")]
    PositionLimit,
    #[error("the value is above the limit of one order")]
    NotionalLimit,
    #[error("too many orders in one second")]
    OrderRate,
}

#[derive(Clone, Debug)]
pub(crate) struct Risk {
    limits: RiskLimits,
    is_killed: bool,
    is_drawn_down: bool,
    best_pnl: f64,
    /// Send times within the last second, oldest first.
    recent: VecDeque<i64>,
}

const SECOND_NS: i64 = 1_000_000_000;

impl Risk {
    pub(crate) fn new(limits: RiskLimits) -> Self {
        let rate = limits.orders_per_second.unwrap_or(0) as usize;
        Self {
            limits,
            is_killed: false,
            is_drawn_down: false,
            best_pnl: 0.0,
            recent: VecDeque::with_capacity(rate.min(1 << 16)),
        }
    }

    pub(crate) fn kill(&mut self) {
        self.is_killed = true;
    }

    pub(crate) fn watches_drawdown(&self) -> bool {
        self.limits.drawdown.is_some()
    }

    /// Records the profit of the run; a fall beyond the limit stops it for good.
    pub(crate) fn record_pnl(&mut self, pnl: f64) {
        self.best_pnl = self.best_pnl.max(pnl);
        if self.limits.drawdown.is_some_and(|limit| self.best_pnl - pnl > limit) {
            self.is_drawn_down = true;
        }
    }

    /// `open_lots` are those of the other open orders on the order's side.
    pub(crate) fn check(
        &mut self,
        now_ns: i64,
        new: &NewOrder,
        view: &View,
        open_lots: u64,
    ) -> Result<(), Refusal> {
        let RiskLimits { order_lots, position_lots, notional: value_max, .. } = self.limits;
        if self.is_killed {
            return Err(Refusal::Killed);
        }
        if self.is_drawn_down {
            return Err(Refusal::Drawdown);
        }
        if new.qty.is_zero() || i64::try_from(new.qty.lots()).is_err() {
            return Err(Refusal::QtyIsZero);
        }
        if new.terms != Terms::Market && new.price.ticks() <= 0 {
            return Err(Refusal::PriceNotPositive);
        }
        if order_lots.is_some_and(|limit| new.qty.lots() > limit) {
            return Err(Refusal::OrderTooLarge);
        }
        let reached = reached(view.account.position, new.side, open_lots, new.qty);
        if position_lots.is_some_and(|limit| reached > i128::from(limit)) {
            return Err(Refusal::PositionLimit);
        }
        if value_max.is_some_and(|limit| value(new, view) > limit) {
            return Err(Refusal::NotionalLimit);
        }
        self.check_rate(now_ns)
    }

    fn check_rate(&mut self, now_ns: i64) -> Result<(), Refusal> {
        let Some(limit) = self.limits.orders_per_second else { return Ok(()) };
        while self.recent.front().is_some_and(|at_ns| now_ns - at_ns >= SECOND_NS) {
            self.recent.pop_front();
        }
        if self.recent.len() >= limit as usize {
            return Err(Refusal::OrderRate);
        }
        self.recent.push_back(now_ns);
        Ok(())
    }
}

/// The position towards the order's side if all of it and `open_lots` filled.
fn reached(position: i64, side: Side, open_lots: u64, qty: Qty) -> i128 {
    let towards = match side {
        Side::Buy => i128::from(position),
        Side::Sell => -i128::from(position),
    };
    towards + i128::from(open_lots) + i128::from(qty.lots())
}

fn value(new: &NewOrder, view: &View) -> f64 {
    let price = match new.terms {
        Terms::Market => Price::from_ticks(view.twice_mark().unwrap_or(0) / 2),
        _ => new.price,
    };
    view.instrument.money(notional(price, new.qty))
}

#[cfg(test)]
mod tests {
    use types::Increment;

    use super::*;
    use crate::account::Fees;
    use crate::context::Context;
    use crate::instrument::Instrument;

    fn context(limits: RiskLimits) -> Context {
        let one = Increment { units: 1, decimals: 0 };
        Context::new(vec![Instrument::new("X", one, one)], Fees::default(), limits)
    }

    fn buy(qty: u64, price: i64) -> NewOrder {
        NewOrder::limit(0, Side::Buy, Price::from_ticks(price), Qty::from_lots(qty))
    }

    #[track_caller]
    fn check(limits: RiskLimits, orders: &[(NewOrder, Result<(), Refusal>)]) {
        let mut context = context(limits);
        for (order, expected) in orders {
            assert_eq!(context.send(*order).map(|_| ()), *expected, "{order:?}");
        }
        let refused = orders.iter().filter(|(_, expected)| expected.is_err()).count();
        assert_eq!(context.refused(), refused as u64);
    }

    #[test]
    fn each_limit_refuses_by_its_name() {
        let none = RiskLimits::default();
        check(none, &[(buy(0, 10), Err(Refusal::QtyIsZero))]);
        check(none, &[(buy(1, 0), Err(Refusal::PriceNotPositive))]);
        let sized = RiskLimits { order_lots: Some(5), ..none };
        check(sized, &[(buy(5, 10), Ok(())), (buy(6, 10), Err(Refusal::OrderTooLarge))]);
        let positioned = RiskLimits { position_lots: Some(5), ..none };
        let orders = [(buy(3, 10), Ok(())), (buy(3, 10), Err(Refusal::PositionLimit))];
        check(positioned, &orders);
        let valued = RiskLimits { notional: Some(100.0), ..none };
        check(valued, &[(buy(10, 10), Ok(())), (buy(11, 10), Err(Refusal::NotionalLimit))]);
        let rated = RiskLimits { orders_per_second: Some(2), ..none };
        let orders =
            [(buy(1, 1), Ok(())), (buy(1, 1), Ok(())), (buy(1, 1), Err(Refusal::OrderRate))];
        check(rated, &orders);
    }

    #[test]
    fn the_rate_counts_any_second() {
        let mut context = context(RiskLimits { orders_per_second: Some(1), ..Default::default() });
        let mut send_at = |now_ns| {
            context.now_ns = now_ns;
            context.send(buy(1, 1)).is_ok()
        };
        assert!(send_at(500_000_000));
        assert!(!send_at(1_499_999_999));
        assert!(send_at(1_500_000_000));
    }

    #[test]
    fn a_drawn_down_run_stops_for_good() {
        let mut context = context(RiskLimits { drawdown: Some(10.0), ..Default::default() });
        context.risk.record_pnl(25.0);
        context.risk.record_pnl(15.0);
        assert!(context.send(buy(1, 1)).is_ok());
        context.risk.record_pnl(14.9);
        context.risk.record_pnl(30.0);
        assert_eq!(context.send(buy(1, 1)), Err(Refusal::Drawdown));
    }

    #[test]
    fn the_kill_switch_leaves_cancels() {
        let mut context = context(RiskLimits::default());
        let id = context.send(buy(1, 1)).expect("no limit");
        context.kill();
        assert_eq!(context.send(buy(1, 1)), Err(Refusal::Killed));
        assert_eq!(context.cancel(id), Err(Refusal::RequestPending));
        context.orders.get_mut(id).expect("open").pending = None;
        assert_eq!(context.cancel(id), Ok(()));
        assert_eq!(context.cancel(types::OrderId(99)), Err(Refusal::OrderNotOpen));
    }
}
