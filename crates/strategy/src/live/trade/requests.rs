//! Requests of a live run on their way, and what their outcomes mean.

use std::collections::BTreeSet;

use client::{MyTrade, NewOrder, now_ns};
use types::{OrderId, Price, Qty, TimeInForce};

use super::Trader;
use crate::live::access::{Fate, LiveError};
use crate::live::own::Own;
use crate::order::{Action, Outcome, Pending, Rejected, Request, Terms};
use crate::strategy::Strategy;

/// A message of a task that has asked the venue.
#[derive(Debug)]
pub(super) enum Settled {
    Order { id: OrderId, asked: Asked, fate: Fate },
    Trades { instrument: u16, trades: Vec<MyTrade> },
}

#[derive(Clone, Debug)]
pub(super) enum Asked {
    New,
    Cancel,
    Replace {
        price: Price,
        total_lots: u64,
        name: String,
    },
    Look,
    /// What the order of this name has become, as its reports may be missing. Requests may cross
    /// it, and their outcomes count.
    Missed {
        name: String,
    },
}

/// The begin of the names of a run's orders: no two runs have the same.
pub(super) fn prefix() -> String {
    format!("{:x}", now_ns() / 1_000)
}

impl<S: Strategy> Trader<'_, S> {
    /// Sends what call-backs have put into the outbox.
    pub(super) fn send(&mut self) {
        let mut outbox = std::mem::take(&mut self.desk.context.outbox);
        outbox.drain(..).for_each(|request| self.request(request));
        self.desk.context.outbox = outbox;
    }

    fn request(&mut self, request: Request) {
        let Request { id, instrument, sent_ns, action } = request;
        let symbol = self.desk.context.instrument(instrument).name.clone();
        let access = self.access.clone();
        match action {
            Action::New { .. } => {
                self.desk.journal.sent();
                let name = format!("{}-{}", self.prefix, id.0);
                self.own.insert(id, instrument, name.clone(), sent_ns);
                let Some(order) = self.order_of(&request, &name) else {
                    let reason = "a venue has no such order in the strategies' terms".to_owned();
                    let fate = Fate::Refused { code: 0, reason };
                    return self.settle(id, Asked::New, async move { fate });
                };
                self.settle(id, Asked::New, async move { access.enter(&order, &name).await });
            }
            Action::Cancel => {
                let Some(own) = self.own.get(id) else { return };
                let name = own.name.clone();
                self.settle(id, Asked::Cancel, async move { access.cancel(&symbol, &name).await });
            }
            Action::Replace { price, qty } => {
                let Some(order) = self.desk.context.order(id).copied() else { return };
                let Some(own) = self.own.get_mut(id) else { return };
                own.is_being_replaced = true;
                own.replaced += 1;
                let old = own.name.clone();
                let name = format!("{}-{}-{}", self.prefix, id.0, own.replaced);
                self.own.add_name(id, &name);
                let total_lots = order.cum_qty.lots() + qty.lots();
                let (side, terms, qty) = (order.side, order.terms, Qty::from_lots(total_lots));
                let action = Action::New { side, price, qty, terms };
                let Some(order) = self.order_of(&Request { action, ..request }, &name) else {
                    return;
                };
                let asked = Asked::Replace { price, total_lots, name: name.clone() };
                self.settle(id, asked, async move { access.replace(&old, &order, &name).await });
            }
        }
    }

    /// A new order as the client sends it; `None` where the venue has no such terms.
    fn order_of(&self, request: &Request, name: &str) -> Option<NewOrder> {
        let Action::New { side, price, qty, terms } = request.action else { return None };
        let instrument = self.desk.context.instrument(request.instrument);
        let symbol = instrument.name.clone();
        let qty = instrument.lot.text(i128::from(qty.lots()), 0).to_string();
        let price = instrument.tick.text(i128::from(price.ticks()), 0).to_string();
        let order = match terms {
            Terms::Limit => NewOrder::limit(symbol, side, qty, price),
            Terms::PostOnly => NewOrder::post_only(symbol, side, qty, price),
            Terms::Ioc | Terms::Fok => {
                let term = if terms == Terms::Ioc { TimeInForce::Ioc } else { TimeInForce::Fok };
                NewOrder::limit(symbol, side, qty, price).time_in_force(term)
            }
            Terms::Market => NewOrder::market(symbol, side, qty),
            Terms::Stop => return None,
        };
        Some(order.client_order_id(name))
    }

    /// Asks the venue what an order has become.
    pub(super) fn look(&mut self, id: OrderId) {
        self.look_for(id, |_| Asked::Look);
    }

    fn look_for(&mut self, id: OrderId, asked: impl FnOnce(String) -> Asked) {
        let Some(own) = self.own.get(id) else { return };
        let symbol = self.desk.context.instrument(own.instrument).name.clone();
        let (access, name) = (self.access.clone(), own.name.clone());
        self.settle(id, asked(name.clone()), async move { access.look(&symbol, &name).await });
    }

    /// Reports are missing: asks what all orders have become, and for their fills.
    pub(super) fn look_at_all(&mut self) {
        let mut instruments = BTreeSet::new();
        for id in self.own.ids() {
            let Some(own) = self.own.get(id) else { continue };
            instruments.insert(own.instrument);
            // The outcome of an order or a replacement on its way says what has become of it.
            if own.answered_ns.is_some() && !own.is_being_replaced {
                self.look_for(id, |name| Asked::Missed { name });
            }
        }
        instruments.into_iter().for_each(|instrument| self.ask_for_trades(instrument));
    }

    pub(super) fn ask_for_trades(&self, instrument: u16) {
        let symbol = self.desk.context.instrument(instrument).name.clone();
        let (access, answers) = (self.access.clone(), self.answers.clone());
        tokio::spawn(async move {
            let trades = access.trades(&symbol).await;
            // A run that has ended wants no answers.
            let _unread = answers.send(Settled::Trades { instrument, trades });
        });
    }

    fn settle(&self, id: OrderId, asked: Asked, fate: impl Future<Output = Fate> + Send + 'static) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let fate = fate.await;
            // A run that has ended wants no answers.
            let _unread = answers.send(Settled::Order { id, asked, fate });
        });
    }

    /// An outcome has come.
    pub(super) fn settled(&mut self, settled: Settled) -> Result<(), LiveError> {
        self.catch_up()?;
        match settled {
            Settled::Trades { instrument, trades } => self.traded(instrument, trades),
            Settled::Order { id, asked, fate } => {
                let Some(own) = self.own.get_mut(id) else { return Ok(()) };
                own.answered_ns.get_or_insert_with(now_ns);
                self.became(id, asked, fate)
            }
        }
    }

    fn became(&mut self, id: OrderId, asked: Asked, fate: Fate) -> Result<(), LiveError> {
        match (asked, fate) {
            (Asked::Replace { price, total_lots, name }, fate @ Fate::Known { .. }) => {
                let cum_lots = self.desk.context.order(id).map_or(0, |order| order.cum_qty.lots());
                if let Some(own) = self.own.get_mut(id) {
                    own.is_being_replaced = false;
                    own.name = name;
                    own.total_lots = Some(total_lots);
                }
                let qty = Qty::from_lots(total_lots.saturating_sub(cum_lots));
                self.answer(id, now_ns(), Outcome::Replaced { price, qty })?;
                self.known(id, fate)
            }
            (Asked::Replace { .. }, fate) => {
                // The old order is canceled, or as it was.
                if let Some(own) = self.own.get_mut(id) {
                    own.is_being_replaced = false;
                }
                if let Fate::Refused { reason, .. } = fate {
                    self.last_refusal = Some(reason);
                }
                self.look(id);
                Ok(())
            }
            (Asked::Missed { name }, fate) => self.missed(id, &name, fate),
            (_, Fate::Refused { code, reason }) => self.refused(id, code, reason),
            (Asked::New, Fate::Absent) => {
                self.refused(id, 0, "the order did not get to the venue".to_owned())
            }
            (_, Fate::Absent) => self.end(id, now_ns(), Outcome::Canceled),
            (_, Fate::Over) => {
                self.look(id);
                Ok(())
            }
            (_, fate @ Fate::Known { .. }) => self.known(id, fate),
        }
    }

    /// What an order has become whose reports may be missing.
    fn missed(&mut self, id: OrderId, name: &str, fate: Fate) -> Result<(), LiveError> {
        let is_as_asked = |own: &Own| own.name == name && !own.is_being_replaced;
        let Some(own) = self.own.get_mut(id).filter(|own| is_as_asked(own)) else {
            return Ok(());
        };
        match fate {
            Fate::Known { order_id, status, executed, entered } => {
                let instrument = own.instrument;
                if own.venue_ids.insert(order_id) {
                    // The fills that came before were not known as its own.
                    self.ask_for_trades(instrument);
                }
                if is_open(&status) {
                    return Ok(());
                }
                self.ending(id, &status, &executed, entered.as_deref())
            }
            Fate::Absent => self.end(id, now_ns(), Outcome::Canceled),
            // It stands; its fills are asked for beside.
            _ => Ok(()),
        }
    }

    /// The venue has the order.
    fn known(&mut self, id: OrderId, fate: Fate) -> Result<(), LiveError> {
        let Fate::Known { order_id, status, executed, entered } = fate else { return Ok(()) };
        let Some(own) = self.own.get_mut(id) else { return Ok(()) };
        own.venue_ids.insert(order_id);
        self.accept(id, now_ns())?;
        if !is_open(&status) {
            return self.ending(id, &status, &executed, entered.as_deref());
        }
        let is_asked = |pending| matches!(pending, Some(Pending::Cancel | Pending::Replace));
        if self.desk.context.order(id).is_some_and(|order| is_asked(order.pending)) {
            // The request has changed nothing.
            return self.answer(id, now_ns(), Outcome::Rejected(Rejected::NotOpen));
        }
        Ok(())
    }
}

fn is_open(status: &str) -> bool {
    matches!(status, "NEW" | "PARTIALLY_FILLED" | "PENDING_NEW")
}
