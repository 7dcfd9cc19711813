//! Limits in front of each order, and the position and cash that they look at.

use types::Side;

use crate::book::Book;
use crate::strategy::Order;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) quantity_max: u32,
    pub(crate) notional_max: i64,
    /// Of either sign, with the order filled.
    pub(crate) position_max: i64,
    /// How far beyond the other side's touch a price may be.
    pub(crate) collar: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            quantity_max: 1_000,
            notional_max: 10_000_000_000,
            position_max: 100_000,
            collar: 10_000,
        }
    }
}

/// Why an order was refused, the first reason that applies.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Refusal {
    Quantity,
    Notional,
    Position,
    Collar,
}

/// Position and cash always equal the sum of fills.
#[derive(Debug, Default)]
pub(crate) struct Risk {
    limits: Limits,
    position: i64,
    /// In units of 10^-4.
    cash: i128,
}

impl Risk {
    pub(crate) fn position(&self) -> i64 {
        self.position
    }

    #[inline]
    pub(crate) fn check(&self, order: &Order, book: &Book) -> Result<(), Refusal> {
        let Limits { quantity_max, notional_max, position_max, collar } = self.limits;
        if order.quantity > quantity_max {
            return Err(Refusal::Quantity);
        }
        if i64::from(order.quantity) * order.price > notional_max {
            return Err(Refusal::Notional);
        }
        if self.after(order).abs() > position_max {
            return Err(Refusal::Position);
        }
        let is_beyond = |touch: i64| match order.side {
            Side::Buy => order.price > touch + collar,
            Side::Sell => order.price < touch - collar,
        };
        if book.best(order.side.opposite()).is_some_and(|best| is_beyond(best.price)) {
            return Err(Refusal::Collar);
        }
        Ok(())
    }

    fn after(&self, order: &Order) -> i64 {
        match order.side {
            Side::Buy => self.position + i64::from(order.quantity),
            Side::Sell => self.position - i64::from(order.quantity),
        }
    }

    #[inline]
    pub(crate) fn fill(&mut self, side: Side, price: i64, quantity: u32) {
        let quantity = match side {
            Side::Buy => i64::from(quantity),
            Side::Sell => -i64::from(quantity),
        };
        self.position += quantity;
        self.cash -= i128::from(price) * i128::from(quantity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Kind, Update};

    #[test]
    fn each_limit_refuses_by_its_name() {
        let mut book = Book::new();
        book.apply(&Update::new(Kind::Add, Side::Sell, 1, 10_000, 5));
        let limits =
            Limits { quantity_max: 10, notional_max: 90_000, position_max: 12, collar: 100 };
        let mut risk = Risk { limits, ..Risk::default() };
        let order = |quantity, price| Order { price, quantity, side: Side::Buy, is_ioc: true };
        assert_eq!(risk.check(&order(11, 1), &book), Err(Refusal::Quantity));
        assert_eq!(risk.check(&order(10, 9_001), &book), Err(Refusal::Notional));
        assert_eq!(risk.check(&order(8, 10_101), &book), Err(Refusal::Collar));
        assert_eq!(risk.check(&order(8, 10_100), &book), Ok(()));
        risk.fill(Side::Buy, 10_000, 5);
        assert_eq!(risk.check(&order(8, 10_100), &book), Err(Refusal::Position));
        risk.fill(Side::Sell, 10_100, 5);
        assert_eq!((risk.position(), risk.cash), (0, 500));
    }
}
