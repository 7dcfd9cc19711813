//! A market of which only the trades are known.
//!
//! A market order fills at the next trades, each by its quantity. A limit order fills when a trade
//! goes through its price, at its own price and by the trade's quantity: how much was queued ahead
//! of it at its own price is not known, so trades there do not fill it. An immediate order counts
//! as a market order with a limit for the next trade only.

use recorded::{Event, Kind};
use types::{OrderId, Price, Qty, Side};

use super::market::{Answers, Market};
use crate::context::View;
use crate::order::{Action, Execution, Expired, FillCause, Outcome, Rejected, Request, Terms};

#[derive(Debug, Default)]
pub(crate) struct PrintMarket {
    own: Vec<Waiting>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    id: OrderId,
    side: Side,
    price: Price,
    leaves: u64,
    terms: Terms,
    since_ns: i64,
}

impl Market for PrintMarket {
    type Eyes = ();

    #[inline]
    fn event(&mut self, event: &Event, answers: &mut Answers<'_>) {
        if matches!(event.kind, Kind::Trade | Kind::Execute) && !self.own.is_empty() {
            self.print(event, answers);
        }
    }

    fn request(&mut self, request: &Request, now_ns: i64, answers: &mut Answers<'_>) {
        let id = request.id;
        let at = self.own.iter().position(|own| own.id == id);
        let outcome = match (request.action, at) {
            (Action::New { terms: Terms::Stop, .. }, _) => {
                Outcome::Rejected(Rejected::TermsUnknown)
            }
            (Action::New { side, price, qty, terms }, _) => {
                let leaves = qty.lots();
                self.own.push(Waiting { id, side, price, leaves, terms, since_ns: now_ns });
                Outcome::Accepted
            }
            (_, None) => Outcome::Rejected(Rejected::NotOpen),
            (Action::Replace { price, qty }, Some(at)) => {
                self.own[at].price = price;
                self.own[at].leaves = qty.lots();
                Outcome::Replaced { price, qty }
            }
            (Action::Cancel, Some(at)) => {
                self.own.remove(at);
                Outcome::Canceled
            }
        };
        answers.push(id, now_ns, outcome);
    }

    #[inline]
    fn see(_: &mut (), view: &mut View, event: &Event) {
        if matches!(event.kind, Kind::Trade | Kind::Execute) {
            view.last_price = Some(event.price);
        }
    }
}

impl PrintMarket {
    fn print(&mut self, event: &Event, answers: &mut Answers<'_>) {
        let now_ns = event.exchange_ns;
        let mut left = event.quantity.lots();
        self.own.retain_mut(|own| {
            let is_taker = matches!(own.terms, Terms::Market | Terms::Ioc | Terms::Fok);
            let is_within = own.side.crosses(own.price, event.price);
            let reached = match own.terms {
                Terms::Market => true,
                Terms::Ioc => is_within,
                Terms::Fok => is_within && left >= own.leaves,
                _ => is_within && own.price != event.price,
            };
            let lots = if reached { left.min(own.leaves) } else { 0 };
            if lots > 0 {
                left -= lots;
                own.leaves -= lots;
                let execution = Execution {
                    price: if is_taker { event.price } else { own.price },
                    qty: Qty::from_lots(lots),
                    is_maker: !is_taker,
                    cause: if is_taker { FillCause::Took } else { FillCause::TradedThrough },
                    waited_ns: if is_taker { 0 } else { now_ns - own.since_ns },
                };
                answers.push(own.id, now_ns, Outcome::Filled(execution));
            }
            let expires = own.leaves > 0 && matches!(own.terms, Terms::Ioc | Terms::Fok);
            if expires {
                answers.push(own.id, now_ns, Outcome::Expired(Expired::Unfilled));
            }
            own.leaves > 0 && !expires
        });
    }
}
