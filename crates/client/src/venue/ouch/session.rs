//! What a session knows, without socket or clock: orders by number, requests that wait for their
//! report, and what is to be sent again on another connection.
//!
//! # Invariants
//! - A number stands for one order of the numbering day, and a request keeps its number when it is
//!   sent again: the venue recognises a repeat by it.
//! - Nothing is sent on a connection before all that was missed has been read.
//! - Every fill and end from the wanted report on is given, also of an order that the session does
//!   not know: its name is `#` and its number then.

mod cancel;
mod known;

use std::collections::{BTreeMap, HashMap};

use protocol::ouch::appendage::tag;
use protocol::ouch::inbound::AccountQuery;
use protocol::ouch::outbound::{
    BrokenTrade, OrderAccepted, OrderExecuted, OrderPriorityUpdate, OrderReplaced, OrderRestated,
};
use protocol::ouch::{Appendage, Outbound, code, trimmed};
use protocol::soup::Client as Soup;
use types::Origin;

use self::cancel::{put_cancel, refused_cancel, unknown_order};
use self::known::{Known, by_number, name_of};
use crate::venue::Reply;
use crate::venue::ouch::encode::{Instruments, Scale, enter, id_of, replace};
use crate::venue::ouch::{Answer, Request};
use crate::venue::report::{Report, ReportKind};
use crate::{Error, NewOrder};

#[derive(Debug)]
pub(super) struct Session {
    instruments: Instruments,
    /// That of the connection.
    way: Origin,
    /// By number.
    orders: BTreeMap<u32, Known>,
    numbers: HashMap<String, u32>,
    /// New orders and replacements without a report.
    waiting: BTreeMap<u32, Waiting>,
    /// Cancels, by the number of their order.
    cancels: HashMap<u32, Vec<Answer>>,
    next: u32,
    /// The number of the last report.
    sequence: u64,
    /// The number of the first report that is wanted. Those before make orders known.
    wanted_from: u64,
    /// The number of the first report that was not missed.
    new_from: u64,
    has_asked: bool,
    is_current: bool,
}

#[derive(Debug)]
struct Waiting {
    /// The packet, to be sent again.
    packet: Vec<u8>,
    answer: Answer,
}

impl Session {
    /// `wanted_from` is the number of the first report that is wanted; zero is the first new one.
    pub(super) fn new(instruments: Instruments, wanted_from: u64) -> Self {
        Self {
            instruments,
            way: Origin::Ouch,
            wanted_from,
            orders: BTreeMap::new(),
            numbers: HashMap::new(),
            waiting: BTreeMap::new(),
            cancels: HashMap::new(),
            next: 1,
            sequence: 0,
            new_from: 1,
            has_asked: false,
            is_current: false,
        }
    }

    /// Whether the reports that were missed are read, so that requests may be sent.
    pub(super) fn is_current(&self) -> bool {
        self.is_current
    }

    pub(super) fn in_flight(&self) -> usize {
        self.waiting.len() + self.cancels.len()
    }

    /// The way of the next connection.
    pub(super) fn goes_by(&mut self, way: Origin) {
        self.way = way;
    }

    /// The number of the next report.
    pub(super) fn next_report(&self) -> u64 {
        self.sequence + 1
    }

    /// The session is logged on; `next` is the number of the next report, and those before
    /// `new_from` were missed.
    pub(super) fn logged_on(&mut self, next: u64, new_from: u64, out: &mut Vec<u8>) {
        (self.sequence, self.new_from) = (next - 1, new_from);
        if self.wanted_from == 0 {
            self.wanted_from = new_from;
        } else if self.wanted_from > new_from {
            self.wanted_from = 1; // It is the number of another day.
        }
        (self.has_asked, self.is_current) = (false, false);
        self.ask_once_read(out);
    }

    /// The venue does not keep the reports before `next`: what became of orders is not known, so
    /// none is, and what waits is not answered. Reports which of the wanted ones are missing.
    pub(super) fn skip_to(&mut self, next: u64) -> Option<Report> {
        self.forget();
        let from = self.next_report().max(self.wanted_from);
        self.sequence = next - 1;
        (self.wanted_from > 0 && from < next).then(|| Report::missed(from, next))
    }

    pub(super) fn wanted_from(&self) -> u64 {
        self.wanted_from
    }

    /// Asks for the next number when all that was missed is read: an answer that comes then is to
    /// this question. What was missed may have answers to earlier ones.
    fn ask_once_read(&mut self, out: &mut Vec<u8>) {
        if !self.has_asked && self.sequence + 1 >= self.new_from {
            self.has_asked = true;
            Soup::message(out, |out| AccountQuery {}.write(out, |_| {}));
        }
    }

    /// The connection has ended. The number of answers that are lost with it.
    pub(super) fn disconnected(&mut self) -> usize {
        self.is_current = false;
        self.in_flight()
    }

    /// A new numbering day: no number stands for an order, and what waits is not sent again.
    pub(super) fn begin_day(&mut self) {
        self.forget();
        (self.next, self.sequence, self.wanted_from) = (1, 0, 1);
    }

    fn forget(&mut self) {
        self.orders.clear();
        self.numbers.clear();
        self.cancels.clear();
        self.waiting.clear();
    }

    /// Appends the packet of a request, or answers it.
    pub(super) fn take(&mut self, request: Request, out: &mut Vec<u8>) {
        match request {
            Request::Enter(order, answer) => self.enter(&order, answer, out),
            Request::Replace { orig, order, answer } => self.replace(&orig, &order, answer, out),
            Request::Cancel { name, answer } => self.cancel(&name, answer, out),
            Request::Open(answer) => {
                let open = self.orders.values().map(Known::open).collect();
                // The caller may have given up, here and below.
                let _gone = answer.send(open);
            }
        }
    }

    fn enter(&mut self, order: &NewOrder, answer: Answer, out: &mut Vec<u8>) {
        let number = self.next;
        let scale = self.scale(&order.symbol);
        self.send(answer, out, |out| enter(order, number, scale?, out));
    }

    fn replace(&mut self, orig: &str, order: &NewOrder, answer: Answer, out: &mut Vec<u8>) {
        let number = self.next;
        let orig = self
            .find(orig)
            .filter(|orig| self.orders.get(orig).is_some_and(|known| known.symbol == order.symbol));
        let scale = self.scale(&order.symbol);
        self.send(answer, out, |out| {
            replace(orig.ok_or_else(unknown_order)?, order, number, scale?, out)
        });
    }

    /// Appends a packet that uses the next number.
    fn send(
        &mut self,
        answer: Answer,
        out: &mut Vec<u8>,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) {
        if answer.is_closed() {
            return;
        }
        let mut written = Ok(());
        let mut packet = Vec::new();
        Soup::message(&mut packet, |out| written = write(out));
        match written {
            Ok(()) => {
                out.extend_from_slice(&packet);
                self.waiting.insert(self.next, Waiting { packet, answer });
                self.next += 1;
            }
            Err(error) => drop(answer.send(Err(error))),
        }
    }

    fn cancel(&mut self, name: &str, answer: Answer, out: &mut Vec<u8>) {
        if answer.is_closed() {
            return;
        }
        match self.find(name) {
            Some(number) => {
                put_cancel(number, out);
                self.cancels.entry(number).or_default().push(answer);
            }
            None => drop(answer.send(Err(unknown_order()))),
        }
    }

    fn find(&self, name: &str) -> Option<u32> {
        let by_number = || name.strip_prefix('#')?.parse().ok();
        let number = self.numbers.get(name).copied().or_else(by_number)?;
        self.orders.contains_key(&number).then_some(number)
    }

    fn scale(&self, symbol: &str) -> Result<Scale, Error> {
        let scale = self.instruments.get(symbol);
        scale.ok_or_else(|| Error::Usage(format!("no instrument {symbol}")))
    }

    /// Takes the next message in sequence, and returns what it reports. Once all that was missed is
    /// read, appends what has no report.
    pub(super) fn receive(&mut self, message: &Outbound<'_>, out: &mut Vec<u8>) -> Option<Report> {
        self.sequence += 1;
        let report = self.follow(message, out);
        self.ask_once_read(out);
        report.filter(|report| report.sequence >= self.wanted_from)
    }

    fn follow(&mut self, message: &Outbound<'_>, out: &mut Vec<u8>) -> Option<Report> {
        match message {
            Outbound::OrderAccepted(accepted, tags) => self.accepted(accepted, *tags),
            Outbound::OrderReplaced(replaced, tags) => self.replaced(replaced, *tags, out),
            Outbound::OrderExecuted(executed, tags) => self.executed(executed, *tags),
            Outbound::OrderCanceled(canceled, _) => {
                Some(self.lowered(canceled.user_ref_num, canceled.quantity, canceled.reason))
            }
            Outbound::AiqCanceled(canceled, _) => {
                Some(self.lowered(canceled.user_ref_num, canceled.decrement, canceled.reason))
            }
            Outbound::OrderModified(modified, _) => {
                if let Some(known) = self.orders.get_mut(&modified.user_ref_num) {
                    known.leaves = modified.quantity;
                }
                None
            }
            Outbound::OrderRestated(restated, tags) => self.restated(restated, *tags),
            Outbound::OrderPriorityUpdate(update, tags) => self.repriced(update, *tags),
            Outbound::CancelReject(refused, _) => {
                self.end_cancels(refused.user_ref_num, || Err(refused_cancel()));
                None
            }
            Outbound::BrokenTrade(broken, _) => Some(self.broken(broken)),
            Outbound::Rejected(rejected, _) => {
                let (number, reason) = (rejected.user_ref_num, rejected.reason);
                self.next = self.next.max(number + 1);
                if let Some(waiting) = self.waiting.remove(&number) {
                    let _gone = waiting.answer.send(Err(Error::Rejected { reason }));
                }
                let name = name_of(&rejected.cl_ord_id, number);
                let reason = format!("{reason:#06x}");
                Some(self.report(name, ReportKind::Rejected { reason }))
            }
            Outbound::AccountQueryResponse(response, _) => {
                self.next = self.next.max(response.next_user_ref_num);
                if self.has_asked && !self.is_current {
                    self.is_current = true;
                    self.send_again(out);
                }
                None
            }
            _ => None,
        }
    }

    /// Appends what was sent before and has no report. What the venue has carried out meanwhile is
    /// a repeat to it.
    fn send_again(&mut self, out: &mut Vec<u8>) {
        self.waiting.retain(|_, waiting| !waiting.answer.is_closed());
        self.cancels.retain(|_, callers| {
            callers.retain(|caller| !caller.is_closed());
            !callers.is_empty()
        });
        self.waiting.values().for_each(|waiting| out.extend_from_slice(&waiting.packet));
        self.cancels.keys().for_each(|number| put_cancel(*number, out));
    }

    fn accepted(&mut self, accepted: &OrderAccepted, tags: Appendage<'_>) -> Option<Report> {
        let number = accepted.user_ref_num;
        let known = self.known(
            number,
            (&accepted.cl_ord_id, &accepted.symbol, accepted.order_ref_num),
            (accepted.quantity, accepted.price),
            tags,
        )?;
        let reply = known.reply(self.way, "NEW");
        let name = known.name.clone();
        if accepted.order_state == code::order_state::LIVE {
            self.insert(number, known);
        }
        self.answer(number, reply);
        Some(self.report(name, ReportKind::Accepted))
    }

    fn replaced(
        &mut self,
        replaced: &OrderReplaced,
        tags: Appendage<'_>,
        out: &mut Vec<u8>,
    ) -> Option<Report> {
        let (number, orig) = (replaced.user_ref_num, replaced.orig_user_ref_num);
        let mut known = self.known(
            number,
            (&replaced.cl_ord_id, &replaced.symbol, replaced.order_ref_num),
            (replaced.quantity, replaced.price),
            tags,
        )?;
        let before = self.remove(orig);
        known.executed = before.as_ref().map_or(0, |before| before.executed);
        let reply = known.reply(self.way, "NEW");
        let name = known.name.clone();
        if replaced.order_state == code::order_state::LIVE {
            self.insert(number, known);
            self.cancel_instead(orig, number, out);
        } else {
            self.end_cancels(orig, || Err(unknown_order()));
        }
        self.answer(number, reply);
        let orig_client_order_id = before.map_or_else(|| by_number(orig), |before| before.name);
        Some(self.report(name, ReportKind::Replaced { orig_client_order_id }))
    }

    /// Cancels of an order that was replaced before they arrived: the venue does not answer them,
    /// so they are sent once more under the order's next number.
    fn cancel_instead(&mut self, orig: u32, number: u32, out: &mut Vec<u8>) {
        let Some(cancels) = self.cancels.remove(&orig) else { return };
        self.cancels.entry(number).or_default().extend(cancels);
        if self.is_current {
            put_cancel(number, out);
        }
    }

    /// Answers the cancels of an order.
    fn end_cancels(&mut self, number: u32, answer: impl Fn() -> Result<Reply, Error>) {
        for caller in self.cancels.remove(&number).into_iter().flatten() {
            let _gone = caller.send(answer());
        }
    }

    fn executed(&mut self, executed: &OrderExecuted, tags: Appendage<'_>) -> Option<Report> {
        let number = executed.user_ref_num;
        // An instrument that was listed after the start has no scale.
        let scale = self.instruments.of_reference(executed.match_number)?;
        let kind = ReportKind::Executed {
            qty: scale.qty(executed.quantity),
            price: scale.price(executed.price, tags.get(tag::PRICE_TICKS)),
            trade_id: id_of(executed.match_number),
            is_maker: executed.liquidity != code::liquidity::REMOVED,
            commission: None,
        };
        let report = self.report(self.name(number), kind);
        let Some(known) = self.orders.get_mut(&number) else { return Some(report) };
        known.leaves = known.leaves.saturating_sub(executed.quantity);
        known.executed = known.executed.saturating_add(executed.quantity);
        if known.leaves == 0 {
            self.remove(number);
            self.end_cancels(number, || Err(unknown_order()));
        }
        Some(report)
    }

    /// An order has less to execute.
    fn lowered(&mut self, number: u32, quantity: u32, reason: u8) -> Report {
        let reason = char::from(reason).to_string();
        let report = self.report(self.name(number), ReportKind::Canceled { reason });
        let Some(known) = self.orders.get_mut(&number) else { return report };
        known.leaves = known.leaves.saturating_sub(quantity);
        if known.leaves == 0
            && let Some(known) = self.remove(number)
        {
            let way = self.way;
            self.end_cancels(number, || Ok(known.reply(way, "CANCELED")));
        }
        report
    }

    /// The venue has changed an order, or an operator a trade.
    fn restated(&self, restated: &OrderRestated, tags: Appendage<'_>) -> Option<Report> {
        let number = restated.user_ref_num;
        match restated.reason {
            code::restated::REFRESH_OF_DISPLAY => {
                let shown = u32::from_be_bytes(tags.get(tag::DISPLAY_QUANTITY)?);
                let known = self.orders.get(&number)?;
                let shown_qty = known.scale.qty(shown);
                Some(self.report(known.name.clone(), ReportKind::Refreshed { shown_qty }))
            }
            code::restated::CORRECTION_OF_TRADE => {
                let match_number = u64::from_be_bytes(tags.get(tag::MATCH_NUMBER)?);
                let field = tags.get(tag::TRADE_PRICE).map_or(0, u64::from_be_bytes);
                let scale = self.instruments.of_reference(match_number)?;
                let price = scale.price(field, tags.get(tag::PRICE_TICKS));
                let name = tags.iter().find(|found| found.tag == tag::CL_ORD_ID);
                let name = name_of(name.map_or(b"", |found| found.value), number);
                let trade_id = id_of(match_number);
                Some(self.report(name, ReportKind::Corrected { trade_id, price }))
            }
            _ => None,
        }
    }

    fn repriced(&mut self, update: &OrderPriorityUpdate, tags: Appendage<'_>) -> Option<Report> {
        let scale = self.instruments.of_reference(update.order_ref_num)?;
        let price = scale.price(update.price, tags.get(tag::PRICE_TICKS));
        if let Some(known) = self.orders.get_mut(&update.user_ref_num) {
            known.price.clone_from(&price);
        }
        Some(self.report(self.name(update.user_ref_num), ReportKind::Repriced { price }))
    }

    fn broken(&self, broken: &BrokenTrade) -> Report {
        let name = name_of(&broken.cl_ord_id, broken.user_ref_num);
        self.report(name, ReportKind::Busted { trade_id: id_of(broken.match_number) })
    }

    /// The name of an order, or its number.
    fn name(&self, number: u32) -> String {
        self.orders.get(&number).map_or_else(|| by_number(number), |known| known.name.clone())
    }

    fn known(
        &self,
        number: u32,
        (name, symbol, order_ref_num): (&[u8], &[u8], u64),
        (leaves, price): (u32, u64),
        tags: Appendage<'_>,
    ) -> Option<Known> {
        let long = tags.iter().find(|found| found.tag == tag::SYMBOL).map(|found| found.value);
        let symbol = std::str::from_utf8(long.unwrap_or(trimmed(symbol))).ok()?;
        // An instrument that was listed after the start: its orders are not this client's.
        let scale = self.instruments.get(symbol)?;
        Some(Known {
            name: name_of(name, number),
            symbol: symbol.to_owned(),
            scale,
            order_id: id_of(order_ref_num),
            price: scale.price(price, tags.get(tag::PRICE_TICKS)),
            leaves,
            executed: 0,
        })
    }

    fn insert(&mut self, number: u32, known: Known) {
        self.numbers.insert(known.name.clone(), number);
        self.orders.insert(number, known);
    }

    fn remove(&mut self, number: u32) -> Option<Known> {
        let known = self.orders.remove(&number)?;
        if self.numbers.get(&known.name) == Some(&number) {
            self.numbers.remove(&known.name);
        }
        Some(known)
    }

    fn answer(&mut self, number: u32, reply: Reply) {
        self.next = self.next.max(number + 1);
        if let Some(waiting) = self.waiting.remove(&number) {
            let _gone = waiting.answer.send(Ok(reply));
        }
    }

    fn report(&self, client_order_id: String, kind: ReportKind) -> Report {
        Report { sequence: self.sequence, client_order_id, time_ns: None, kind }
    }
}

#[cfg(test)]
mod tests;
