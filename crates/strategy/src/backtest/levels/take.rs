//! Own orders that take: they trade with the recorded levels, which do not change by it.

use types::{OrderId, Price, Qty, Side};

use super::{Fills, LevelMarket};
use crate::backtest::market::Answers;
use crate::order::{Execution, Expired, FillCause, Outcome, Terms};

/// What own orders took from levels, until it is forgotten.
#[derive(Debug, Default)]
pub(super) struct Consumed {
    taken: Vec<Taken>,
}

#[derive(Clone, Copy, Debug)]
struct Taken {
    side: Side,
    price: Price,
    lots: u64,
    until_ns: i64,
}

impl Consumed {
    /// What is left of a level.
    fn left(&self, side: Side, price: Price, lots: u64) -> u64 {
        let taken = self.taken.iter().filter(|taken| taken.side == side && taken.price == price);
        lots.saturating_sub(taken.map(|taken| taken.lots).sum())
    }

    fn forget(&mut self, now_ns: i64) {
        self.taken.retain(|taken| taken.until_ns > now_ns);
    }
}

impl LevelMarket {
    /// Trades an order that crosses the best price of the other side.
    pub(super) fn take(
        &mut self,
        id: OrderId,
        side: Side,
        limit: Price,
        lots: u64,
        terms: Terms,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) {
        if self.rules.fills == Fills::Full {
            let best = self.book.best(side.opposite()).expect("the order crosses it");
            push_taken(id, best, lots, now_ns, answers);
            return;
        }
        self.consumed.forget(now_ns);
        if terms == Terms::Fok && self.within(side, limit) < lots {
            answers.push(id, now_ns, Outcome::Expired(Expired::Unfilled));
            return;
        }
        let left = self.walk(id, side, limit, lots, terms, now_ns, answers);
        if left == 0 {
            return;
        }
        if terms == Terms::Limit {
            if left == lots {
                answers.push(id, now_ns, Outcome::Accepted);
            }
            self.rest(id, side, limit, left, terms, now_ns);
        } else {
            answers.push(id, now_ns, Outcome::Expired(Expired::Unfilled));
        }
    }

    /// Takes level by level, and returns the lots that found none.
    fn walk(
        &mut self,
        id: OrderId,
        side: Side,
        limit: Price,
        lots: u64,
        terms: Terms,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) -> u64 {
        let from = side.opposite();
        let mut left = lots;
        let Self { book, consumed, rules, .. } = self;
        for (price, qty) in book.levels(from) {
            let is_within = terms == Terms::Market || side.crosses(limit, price);
            if left == 0 || !is_within {
                break;
            }
            let taken = left.min(consumed.left(from, price, qty.lots()));
            if taken == 0 {
                continue;
            }
            left -= taken;
            push_taken(id, price, taken, now_ns, answers);
            if rules.consumed_ns > 0 {
                let until_ns = now_ns.saturating_add(rules.consumed_ns);
                consumed.taken.push(Taken { side: from, price, lots: taken, until_ns });
            }
        }
        left
    }

    /// The lots that an order limited at `limit` can take.
    fn within(&self, side: Side, limit: Price) -> u64 {
        let from = side.opposite();
        let levels = self.book.levels(from).take_while(|(price, _)| side.crosses(limit, *price));
        levels.map(|(price, qty)| self.consumed.left(from, price, qty.lots())).sum()
    }
}

fn push_taken(id: OrderId, price: Price, lots: u64, now_ns: i64, answers: &mut Answers<'_>) {
    let execution = Execution {
        price,
        qty: Qty::from_lots(lots),
        is_maker: false,
        cause: FillCause::Took,
        waited_ns: 0,
    };
    answers.push(id, now_ns, Outcome::Filled(execution));
}
