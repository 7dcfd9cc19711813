//! What the venue reports of a live run's orders, as answers to the strategy.

use client::{Commission, MyTrade, Report, ReportKind, now_ns};
use types::{OrderId, Price, Qty};

use super::Trader;
use crate::backtest::MeasuredRequest;
use crate::live::access::LiveError;
use crate::live::own::Ending;
use crate::order::{Answer, Execution, Expired, FillCause, Order, Outcome, Pending, Rejected};
use crate::strategy::Strategy;

/// An execution, as a report or the venue's list of trades has it.
struct Learnt {
    trade_id: u64,
    price: String,
    qty: String,
    is_maker: bool,
    commission: Option<Commission>,
    at_ns: i64,
}

impl<S: Strategy> Trader<'_, S> {
    pub(super) fn reported(&mut self, report: Option<Report>) -> Result<(), LiveError> {
        let Some(report) = report else {
            self.reports = None;
            return Ok(());
        };
        self.catch_up()?;
        if let ReportKind::Missed { .. } = report.kind {
            self.look_at_all();
            return Ok(());
        }
        let Some(id) = self.own.named(&report.client_order_id) else { return Ok(()) };
        let at_ns = report.time_ns.map(|ns| ns.saturating_add(self.feed.ahead_ns()));
        let at_ns = at_ns.unwrap_or_else(now_ns);
        match report.kind {
            ReportKind::Accepted => self.accepted(id, at_ns),
            ReportKind::Executed { qty, price, trade_id, is_maker, commission } => {
                let learnt = Learnt { trade_id, price, qty, is_maker, commission, at_ns };
                self.filled(id, &learnt)
            }
            ReportKind::Canceled { reason } | ReportKind::Rejected { reason } => {
                let Some(own) = self.own.get(id) else { return Ok(()) };
                if own.is_being_replaced || own.name != report.client_order_id {
                    // The outcome of the replacement says what the order has become.
                    return Ok(());
                }
                if report.sequence == 0 {
                    // Reports before this one may be missing.
                    self.look(id);
                    return Ok(());
                }
                self.end(id, at_ns, outcome_of(&reason))
            }
            // The venue's own changes of orders that strategies do not send, and of trades, which
            // the comparison of the balances shows.
            ReportKind::Replaced { .. }
            | ReportKind::Refreshed { .. }
            | ReportKind::Repriced { .. }
            | ReportKind::Busted { .. }
            | ReportKind::Corrected { .. }
            | ReportKind::Missed { .. } => Ok(()),
        }
    }

    fn accepted(&mut self, id: OrderId, at_ns: i64) -> Result<(), LiveError> {
        let Some(own) = self.own.get_mut(id) else { return Ok(()) };
        let now_ns = now_ns();
        let answered_ns = *own.answered_ns.get_or_insert(now_ns);
        if own.accepted_ns.is_none() {
            let exchange_ns = at_ns.clamp(own.sent_ns, answered_ns.max(own.sent_ns));
            own.accepted_ns = Some(exchange_ns);
            let sent_ns = own.sent_ns;
            let answered_ns = answered_ns.max(exchange_ns);
            self.latencies.push(MeasuredRequest { sent_ns, exchange_ns, answered_ns });
        }
        self.accept(id, at_ns)
    }

    /// The strategy learns that its order stands, unless it has.
    pub(super) fn accept(&mut self, id: OrderId, at_ns: i64) -> Result<(), LiveError> {
        let is_new = |order: &Order| order.pending == Some(Pending::New);
        if self.desk.context.order(id).is_some_and(is_new) {
            self.answer(id, at_ns, Outcome::Accepted)?;
        }
        Ok(())
    }

    fn filled(&mut self, id: OrderId, learnt: &Learnt) -> Result<(), LiveError> {
        let Some(own) = self.own.get(id) else { return Ok(()) };
        let (at, since_ns) = (own.instrument, own.accepted_ns.unwrap_or(own.sent_ns));
        if !self.own.is_new(at, learnt.trade_id) {
            return Ok(());
        }
        let instrument = self.desk.context.instrument(at);
        let number = |count: Option<i128>, text: &str| {
            let count = count.and_then(|count| i64::try_from(count).ok());
            count.ok_or_else(|| LiveError::Report(format!("{text:?} is off tick or lot")))
        };
        let ticks = number(instrument.tick.count(&learnt.price), &learnt.price)?;
        let lots = number(instrument.lot.count(&learnt.qty), &learnt.qty)?;
        let Some(order) = self.desk.context.order(id) else {
            let name = &self.own.get(id).expect("it was found").name;
            return Err(LiveError::Report(format!("{name} was filled after its end")));
        };
        self.balances.traded(at, order.side, ticks, lots, learnt.commission.as_ref());
        let execution = Execution {
            price: Price::from_ticks(ticks),
            qty: Qty::from_lots(lots.unsigned_abs()),
            is_maker: learnt.is_maker,
            cause: FillCause::Venue,
            waited_ns: if learnt.is_maker { (learnt.at_ns - since_ns).max(0) } else { 0 },
        };
        self.answer(id, learnt.at_ns, Outcome::Filled(execution))?;
        self.try_end(id, learnt.at_ns)
    }

    /// The venue's list of the account's trades.
    pub(super) fn traded(
        &mut self,
        instrument: u16,
        trades: Vec<MyTrade>,
    ) -> Result<(), LiveError> {
        let ahead_ns = self.feed.ahead_ns();
        for trade in trades {
            let Some(id) = self.own.by_venue_id(instrument, trade.order_id) else { continue };
            let learnt = Learnt {
                trade_id: trade.id,
                price: trade.price,
                qty: trade.qty,
                is_maker: trade.is_maker,
                commission: Some(Commission {
                    amount: trade.commission,
                    asset: trade.commission_asset,
                }),
                at_ns: client::since_1970_ns(trade.time).saturating_add(ahead_ns),
            };
            self.filled(id, &learnt)?;
        }
        Ok(())
    }

    /// The venue has ended an order after `executed`: the strategy learns it after its fills.
    pub(super) fn ending(
        &mut self,
        id: OrderId,
        status: &str,
        executed: &str,
        entered: Option<&str>,
    ) -> Result<(), LiveError> {
        let Some(own) = self.own.get_mut(id) else { return Ok(()) };
        let lot = self.desk.context.instrument(own.instrument).lot;
        let lots = |text: &str| {
            let lots = lot.count(text).and_then(|lots| u64::try_from(lots).ok());
            lots.ok_or_else(|| LiveError::Report(format!("{text:?} is no number of lots")))
        };
        let executed_lots = match (own.total_lots, entered) {
            (None, _) => lots(executed)?,
            // A replacement was entered with what was left of the total.
            (Some(total), Some(entered)) => total.saturating_sub(lots(entered)?) + lots(executed)?,
            (Some(_), None) => {
                self.look(id);
                return Ok(());
            }
        };
        own.ending = Some(Ending::new(outcome_of(status), executed_lots));
        self.try_end(id, now_ns())
    }

    fn try_end(&mut self, id: OrderId, at_ns: i64) -> Result<(), LiveError> {
        let Some(order) = self.desk.context.order(id) else {
            self.own.forget(id);
            return Ok(());
        };
        match self.own.get(id).and_then(|own| own.ending) {
            Some(ending) if order.cum_qty.lots() >= ending.executed_lots => {
                self.end(id, at_ns, ending.outcome)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn end(
        &mut self,
        id: OrderId,
        at_ns: i64,
        outcome: Outcome,
    ) -> Result<(), LiveError> {
        self.answer(id, at_ns, outcome)?;
        self.own.forget(id);
        Ok(())
    }

    pub(super) fn answer(
        &mut self,
        id: OrderId,
        exchange_ns: i64,
        outcome: Outcome,
    ) -> Result<(), LiveError> {
        let context = &mut self.desk.context;
        let Some(order) = context.order(id) else { return Ok(()) };
        let instrument = order.instrument;
        context.now_ns = context.now_ns.max(now_ns());
        let answer = Answer { id, instrument, exchange_ns, outcome };
        if self.is_leaving {
            self.desk.record(&answer)?;
        } else {
            self.desk.answered(&answer)?;
        }
        Ok(())
    }

    pub(super) fn refused(
        &mut self,
        id: OrderId,
        code: i32,
        reason: String,
    ) -> Result<(), LiveError> {
        self.last_refusal = Some(reason);
        self.answer(id, now_ns(), Outcome::Rejected(Rejected::ByVenue { code }))?;
        if self.desk.context.order(id).is_none() {
            self.own.forget(id);
        }
        Ok(())
    }
}

/// What a word of the venue means for an order.
fn outcome_of(word: &str) -> Outcome {
    match word {
        "CANCELED" => Outcome::Canceled,
        "REJECTED" => Outcome::Rejected(Rejected::ByVenue { code: 0 }),
        _ => Outcome::Expired(Expired::Unfilled),
    }
}
