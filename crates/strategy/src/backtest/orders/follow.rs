//! A market order by order that own orders do not change.
//!
//! An own order has an exact place in a queue of the record. It fills in full when the record
//! executes an order behind it or at a worse price, or when the best price of the other side
//! reaches it; a taking order gets the best price for all of its quantity. These are the rules of
//! hftbacktest's exchange for such data. One recorded order that reaches several own orders fills
//! the first in full and the others by what is left of it.

use recorded::{Event, Kind};
use types::{OrderId, Price, Qty, Side};

use super::{Effect, Own, Table, see};
use crate::backtest::market::{Answers, Market};
use crate::book::Book;
use crate::context::View;
use crate::order::{Action, Execution, Expired, FillCause, Outcome, Rejected, Request, Terms};

#[derive(Debug, Default)]
pub(crate) struct FollowMarket {
    table: Table,
    book: Book,
    own: Vec<Own>,
}

impl Market for FollowMarket {
    type Eyes = Table;

    #[inline]
    fn event(&mut self, event: &Event, answers: &mut Answers<'_>) {
        if !self.own.is_empty() {
            match event.kind {
                // Before the book changes: the execution may be the last of its level.
                Kind::Execute => self.executed(event, answers),
                Kind::Trade => self.traded(event, answers),
                Kind::Clear => self.cleared(event, answers),
                _ => {}
            }
        }
        let effect = self.table.apply(&mut self.book, event);
        if let Effect::Improved(side) = effect
            && !self.own.is_empty()
        {
            self.crossed(side, event, answers);
        }
    }

    fn request(&mut self, request: &Request, now_ns: i64, answers: &mut Answers<'_>) {
        let id = request.id;
        let at = self.own.iter().position(|own| own.id == id);
        match (request.action, at) {
            (Action::New { side, price, qty, terms }, _) => {
                self.enter(id, side, price, qty, terms, true, now_ns, answers);
            }
            (_, None) => answers.push(id, now_ns, Outcome::Rejected(Rejected::NotOpen)),
            (Action::Cancel, Some(at)) => {
                self.own.remove(at);
                answers.push(id, now_ns, Outcome::Canceled);
            }
            (Action::Replace { price, qty }, Some(at)) => {
                answers.push(id, now_ns, Outcome::Replaced { price, qty });
                let own = &mut self.own[at];
                if own.price == price && qty <= own.qty {
                    own.qty = qty;
                    return;
                }
                let own = self.own.remove(at);
                let terms = if own.is_post_only { Terms::PostOnly } else { Terms::Limit };
                self.enter(id, own.side, price, qty, terms, false, now_ns, answers);
            }
        }
    }

    #[inline]
    fn see(eyes: &mut Table, view: &mut View, event: &Event) {
        see(eyes, view, event);
    }
}

impl FollowMarket {
    fn executed(&mut self, event: &Event, answers: &mut Answers<'_>) {
        let Some(maker) = self.table.get(event.order).copied() else { return };
        self.fill(maker.side, event, answers, |own| {
            if own.price == maker.price && own.stamp < maker.stamp {
                return Some(FillCause::Queue);
            }
            let is_better = own.price != event.price && own.side.crosses(own.price, event.price);
            is_better.then_some(FillCause::TradedThrough)
        });
    }

    /// A trade with what was not displayed: better own orders would have had it first.
    fn traded(&mut self, event: &Event, answers: &mut Answers<'_>) {
        let Some(aggressor) = event.side else { return };
        self.fill(aggressor.opposite(), event, answers, |own| {
            let is_better = own.price != event.price && own.side.crosses(own.price, event.price);
            is_better.then_some(FillCause::TradedThrough)
        });
    }

    fn crossed(&mut self, side: Side, event: &Event, answers: &mut Answers<'_>) {
        self.fill(side.opposite(), event, answers, |own| {
            own.side.crosses(own.price, event.price).then_some(FillCause::Crossed)
        });
    }

    fn cleared(&mut self, event: &Event, answers: &mut Answers<'_>) {
        self.own.retain(|own| {
            let stays = event.side.is_some_and(|side| side != own.side);
            if !stays {
                answers.push(own.id, event.exchange_ns, Outcome::Expired(Expired::Cleared));
            }
            stays
        });
    }

    /// Fills own orders of a side in the order of price and time.
    fn fill(
        &mut self,
        side: Side,
        event: &Event,
        answers: &mut Answers<'_>,
        reach: impl Fn(&Own) -> Option<FillCause>,
    ) {
        let now_ns = event.exchange_ns;
        let mut taken = 0;
        self.own.retain_mut(|own| {
            let cause = if own.side == side { reach(own) } else { None };
            let Some(cause) = cause else { return true };
            let rest = event.quantity.lots().saturating_sub(taken);
            let lots = if taken == 0 { own.qty.lots() } else { rest.min(own.qty.lots()) };
            if lots == 0 {
                return true;
            }
            taken += lots;
            let qty = Qty::from_lots(lots);
            let waited_ns = now_ns - own.since_ns;
            let execution = Execution { price: own.price, qty, is_maker: true, cause, waited_ns };
            answers.push(own.id, now_ns, Outcome::Filled(execution));
            own.qty -= qty;
            !own.qty.is_zero()
        });
    }

    fn enter(
        &mut self,
        id: OrderId,
        side: Side,
        price: Price,
        qty: Qty,
        terms: Terms,
        is_new: bool,
        now_ns: i64,
        answers: &mut Answers<'_>,
    ) {
        let best = self.book.best(side.opposite());
        let is_market = terms == Terms::Market;
        let best = best.filter(|best| is_market || side.crosses(price, *best));
        match (terms, best) {
            (Terms::Stop, _) => {
                answers.push(id, now_ns, Outcome::Rejected(Rejected::TermsUnknown));
            }
            (Terms::PostOnly, Some(_)) => {
                answers.push(id, now_ns, Outcome::Expired(Expired::WouldTrade));
            }
            (_, Some(price)) => {
                let cause = FillCause::Took;
                let execution = Execution { price, qty, is_maker: false, cause, waited_ns: 0 };
                answers.push(id, now_ns, Outcome::Filled(execution));
            }
            (Terms::Limit | Terms::PostOnly, None) => {
                if is_new {
                    answers.push(id, now_ns, Outcome::Accepted);
                }
                // Behind every order of the record that has its place by now.
                let stamp = self.table.stamp;
                let is_post_only = terms == Terms::PostOnly;
                let own = Own { id, price, qty, side, stamp, since_ns: now_ns, is_post_only };
                let is_worse =
                    |other: &Own| other.side == side && !side.crosses(other.price, price);
                let at = self.own.iter().position(is_worse).unwrap_or(self.own.len());
                self.own.insert(at, own);
            }
            _ => answers.push(id, now_ns, Outcome::Expired(Expired::Unfilled)),
        }
    }
}
