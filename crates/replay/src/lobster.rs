//! LOBSTER message files as plans.
//!
//! The command of a message depends on the book: whether its order is known, and its place in the
//! queue. So the planner carries out its own plan on a bare book.
//!
//! The command for each type of message:
//! - 1 new: a limit order that is good till canceled. On the exchange it did not trade, or it would
//!   be an execution. If it would trade on our book, the orders that it would meet are stale and
//!   are removed first.
//! - 2 partial cancel: an amend to a lower quantity, which keeps its place. 3 delete: a cancel.
//! - 4 visible execution: an immediate-or-cancel order from the other side, so that our matching
//!   picks the resting order. If it picked another order than the exchange, the queue is corrected
//!   to the exchange's: one disagreement is counted once.
//! - 5 hidden execution, 6 cross, 7 halt: nothing.
//!
//! A file of N levels has no message for events on deeper levels. So an order may be older than the
//! file, may have entered unseen, or may have changed unseen. [`Planner::shares`] decides which
//! orders a message's size is taken off, and [`Inferred`] counts the cases.

use std::collections::HashMap;

use recorded::Format;
use recorded::lobster::{BookRow, EventType, Message};
use types::Side;

use super::bare::Bare;
use super::plan::{Inferred, Plan, Step, Terms};
use super::target::Target;
use super::verify::{BookFile, BookFileError, Check, RowKind, side_of};

/// A cent, in units of the file. Prices of displayed orders above one dollar are whole cents.
const CENT: i64 = 100;
const INSTRUMENT: u32 = 0;
const SIDES: [Side; 2] = [Side::Buy, Side::Sell];

pub(crate) fn plan(
    messages: &[Message],
    seed: Option<BookRow>,
    book: Option<BookFile>,
) -> Result<Plan, BookFileError> {
    let mut planner = Planner::new(price_unit(messages, seed.as_ref(), book.as_ref()), book);
    let per_message = planner.book.as_ref().is_some_and(|book| book.kind == RowKind::PerMessage);
    let first_row = planner.book.as_ref().filter(|_| per_message);
    let seed = seed.or_else(|| first_row.and_then(|book| book.rows.first()).cloned());
    let is_seeded = seed.is_some();
    if let Some(row) = seed {
        planner.seed(&row, messages.first());
        planner.last_row = per_message.then_some(0);
        planner.plan.left_out.corrections = 0;
    }
    for (at, message) in messages.iter().enumerate() {
        let before = planner.best_quotes();
        // The seed is the book after the first message.
        if at > 0 || !is_seeded {
            planner.message(message);
        }
        if per_message && at > 0 {
            planner.check(Check { row: at, message: at });
        } else if !per_message {
            let hidden = matches!(message.event_type, EventType::HiddenExecution | EventType::Halt);
            if at == 0 || hidden || planner.best_quotes() != before {
                planner.check_not_ended(at, messages.len())?;
                planner.check(Check { row: planner.rows_used, message: at });
            }
        }
    }
    planner.plan.inferred = Some(planner.inferred);
    planner.plan.book = planner.book;
    Ok(planner.plan)
}

/// The tick is a cent if every price allows it, and otherwise the unit of the file. Executions of
/// hidden orders, which may be at half a cent, do not enter the book.
fn price_unit(messages: &[Message], seed: Option<&BookRow>, book: Option<&BookFile>) -> u64 {
    let rows = seed.into_iter().chain(book.into_iter().flat_map(|book| &book.rows));
    let levels = rows.flat_map(|row| row.levels.iter().flat_map(|level| [level.ask, level.bid]));
    let in_books = levels.flatten().map(|level| level.price);
    let visible = messages.iter().filter(|message| enters_book(message.event_type));
    let mut prices = in_books.chain(visible.map(|message| message.price));
    if prices.all(|price| price % CENT == 0) { CENT.unsigned_abs() } else { 1 }
}

fn enters_book(event_type: EventType) -> bool {
    use EventType::{Delete, New, PartialCancel, VisibleExecution};
    matches!(event_type, New | PartialCancel | Delete | VisibleExecution)
}

struct Planner {
    plan: Plan,
    book: Option<BookFile>,
    rows_used: usize,
    /// The row that the book was last compared with, or seeded from.
    last_row: Option<usize>,
    /// The book after the plan so far.
    bare: Bare,
    /// Indexed by our order id; index 0 is no order.
    orders: Vec<Order>,
    /// By the file's order id. The orders may be done.
    known: HashMap<i64, u64>,
    inferred: Inferred,
}

#[derive(Clone, Copy)]
struct Order {
    name: FileOrder,
    side: Side,
    price: i64,
    order_qty: u64,
}

/// A part of a message's size, and the order that it is taken off.
#[derive(Clone, Copy)]
struct Share {
    order_id: u64,
    qty: u64,
}

/// Identity of an order in the file.
#[derive(Clone, Copy)]
enum FileOrder {
    Known(i64),
    /// Orders at its price of which only the sum is known.
    Anonymous,
}

impl Planner {
    fn new(price_unit: u64, book: Option<BookFile>) -> Self {
        let mut plan = Plan::new(Format::Lobster, 1);
        plan.price_unit = price_unit;
        Self {
            plan,
            book,
            rows_used: 0,
            last_row: None,
            bare: Bare::new(1),
            orders: vec![Order {
                name: FileOrder::Anonymous,
                side: Side::Buy,
                price: 0,
                order_qty: 0,
            }],
            known: HashMap::new(),
            inferred: Inferred::default(),
        }
    }

    /// Enters one order for each level. The last shares of a level may be a known order: the one
    /// that the first message entered.
    fn seed(&mut self, row: &BookRow, first: Option<&Message>) {
        for side in SIDES {
            for (price, qty) in side_of(row, side, self.plan.price_unit) {
                let newest = first.filter(|first| {
                    first.event_type == EventType::New
                        && (first.side, self.ticks(first.price)) == (side, price)
                        && u64::from(first.size) <= qty
                });
                let named_qty = newest.map_or(0, |first| u64::from(first.size));
                self.enter(FileOrder::Anonymous, side, price, qty - named_qty, false);
                if let Some(first) = newest {
                    self.enter(FileOrder::Known(first.order_id), side, price, named_qty, false);
                }
            }
        }
    }

    fn message(&mut self, message: &Message) {
        let (side, price) = (message.side, self.ticks(message.price));
        let size = u64::from(message.size);
        match message.event_type {
            EventType::New => {
                for (order_id, _, _) in self.bare.queue(INSTRUMENT, side.opposite(), price) {
                    self.correct(Step::Cancel {
                        order_id,
                        instrument: INSTRUMENT,
                        side: side.opposite(),
                    });
                }
                self.enter(FileOrder::Known(message.order_id), side, price, size, true);
            }
            EventType::PartialCancel | EventType::Delete => self.cancel(message, price, size),
            EventType::VisibleExecution => self.execution(message, price, size),
            EventType::HiddenExecution | EventType::Cross | EventType::Halt => {
                self.plan.left_out.without_effect += 1;
            }
        }
    }

    fn cancel(&mut self, message: &Message, price: i64, size: u64) {
        let shares = self.shares(message, price, size);
        for (at, Share { order_id, qty }) in shares.iter().copied().enumerate() {
            let step = self.take_off(order_id, message.side, qty);
            // A message is one command, however many orders its size is taken off.
            if at == 0 { self.push(step, true) } else { self.correct(step) }
        }
        if message.event_type == EventType::Delete {
            // Whatever is left of the order belongs to orders that entered unseen.
            if let Some(order_id) = self.known.remove(&message.order_id) {
                self.orders[order_id as usize].name = FileOrder::Anonymous;
            }
        }
    }

    fn execution(&mut self, message: &Message, price: i64, size: u64) {
        let side = message.side;
        let shares = self.shares(message, price, size);
        let mut expected = self.queue_at(side, price);
        for Share { order_id, qty } in &shares {
            if let Some(filled) = expected.iter_mut().find(|(at, _)| at == order_id) {
                filled.1 -= qty;
            }
        }
        expected.retain(|(_, qty)| *qty > 0);
        let step = Step::Execution {
            price,
            maker: shares.first().map_or(0, |share| share.order_id),
            qty: size,
            instrument: INSTRUMENT,
            side: side.opposite(),
        };
        self.push(step, true);
        // The aggressor takes an order id.
        let aggressor = self.orders[0];
        self.orders.push(Order { order_qty: size, ..aggressor });
        self.requeue(side, price, &expected);
    }

    /// The orders that lose the size of a message: its own order, then the anonymous ones at its
    /// price, then the oldest.
    ///
    /// Where the last row shows the level, the level has to lose exactly the size, so known orders
    /// of the level must have changed unseen if the anonymous ones do not have it. Without a row
    /// the file's orders are all there is: a delete removes the whole order, and the rest of the
    /// size belongs to orders that were never in the book.
    fn shares(&mut self, message: &Message, price: i64, size: u64) -> Vec<Share> {
        let is_shown = self.is_shown(message.side, price);
        let own = self.own_share(message, price, size, is_shown);
        let mut left = size - own.map_or(0, |share| share.qty.min(size));
        let mut shares = Vec::from_iter(own);
        if left > 0 && (own.is_none() || is_shown) {
            let own_id = own.map(|share| share.order_id);
            let queue = self.queue_at(message.side, price).into_iter();
            let others = queue.filter(|(order_id, _)| Some(*order_id) != own_id);
            let (anonymous, known): (Vec<_>, Vec<_>) = others.partition(|(order_id, _)| {
                matches!(self.orders[*order_id as usize].name, FileOrder::Anonymous)
            });
            let off_anonymous = take(&mut shares, &mut left, &anonymous);
            let off_oldest = is_shown && take(&mut shares, &mut left, &known);
            if own.is_none() {
                self.inferred.oldest += u64::from(off_oldest);
                self.inferred.anonymous += u64::from(off_anonymous && !off_oldest);
            }
            self.inferred.missing += u64::from(left > 0);
        }
        self.plan.left_out.unknown += u64::from(shares.is_empty());
        shares
    }

    /// The share of the message's own order, if that rests.
    fn own_share(
        &mut self,
        message: &Message,
        price: i64,
        size: u64,
        is_shown: bool,
    ) -> Option<Share> {
        let order_id = *self.known.get(&message.order_id)?;
        let order = &self.orders[order_id as usize];
        let leaves = self.bare.leaves(INSTRUMENT, order_id);
        if (order.side, order.price) != (message.side, price) || leaves == 0 {
            return None;
        }
        let is_stale = match message.event_type {
            EventType::Delete => size != leaves,
            EventType::PartialCancel => size >= leaves,
            _ => size > leaves,
        };
        self.inferred.stale_qty += u64::from(is_stale);
        let is_whole = message.event_type == EventType::Delete && !is_shown;
        Some(Share { order_id, qty: if is_whole { leaves } else { size.min(leaves) } })
    }

    /// Whether the last row has this level, so that its sum is known.
    fn is_shown(&self, side: Side, price: i64) -> bool {
        let Some(book) = &self.book else { return false };
        let last = self.last_row.and_then(|at| book.rows.get(at));
        let unit = self.plan.price_unit;
        last.is_some_and(|row| side_of(row, side, unit).iter().any(|(at, _)| *at == price))
    }

    /// Enters the orders at one price again unless they are queued as expected.
    fn requeue(&mut self, side: Side, price: i64, expected: &[(u64, u64)]) {
        let found = self.queue_at(side, price);
        if found == expected {
            return;
        }
        for (order_id, _) in found {
            self.correct(Step::Cancel { order_id, instrument: INSTRUMENT, side });
        }
        for (order_id, qty) in expected {
            let name = self.orders[*order_id as usize].name;
            self.enter(name, side, price, *qty, false);
        }
    }

    /// Refuses a book file whose rows do not suffice for the messages.
    fn check_not_ended(&self, message: usize, messages: usize) -> Result<(), BookFileError> {
        match &self.book {
            Some(book) if self.rows_used == book.rows.len() => {
                let rows = book.rows.len();
                Err(BookFileError::QuotesEnd { rows, message: message + 1, messages })
            }
            _ => Ok(()),
        }
    }

    /// Compares the book with the next row, and corrects the book if necessary.
    fn check(&mut self, check: Check) {
        let Some(book) = self.book.take() else { return };
        self.rows_used += 1;
        self.last_row = Some(check.row);
        self.plan.check(check);
        let unit = self.plan.price_unit;
        for side in SIDES {
            let levels = self.bare.levels(INSTRUMENT, side, book.depth());
            let equal = book.is_equal(check.row, side, &levels, unit);
            // Even if all known levels are equal, the row may show levels from further down.
            if !equal || book.kind == RowKind::PerMessage {
                let expected = side_of(&book.rows[check.row], side, unit);
                self.take_over(side, &expected, book.depth());
            }
        }
        self.book = Some(book);
    }

    /// Makes the best levels of one side equal to a row.
    fn take_over(&mut self, side: Side, expected: &[(i64, u64)], depth: usize) {
        // A row with fewer levels than its depth shows the whole side.
        let worst = match expected.last() {
            Some((worst, _)) if expected.len() == depth => *worst,
            _ if side == Side::Buy => i64::MIN,
            _ => i64::MAX,
        };
        let mut found: HashMap<i64, u64> = HashMap::new();
        for (order_id, price, qty) in self.bare.queue(INSTRUMENT, side, worst) {
            if expected.iter().any(|(at, _)| *at == price) {
                *found.entry(price).or_default() += qty;
            } else {
                self.correct(Step::Cancel { order_id, instrument: INSTRUMENT, side });
            }
        }
        for (price, qty) in expected {
            let found = found.get(price).copied().unwrap_or(0);
            if found < *qty {
                self.enter(FileOrder::Anonymous, side, *price, qty - found, false);
            } else {
                self.shrink(side, *price, found - qty);
            }
        }
    }

    /// Takes shares off the orders at one price, off the newest first.
    fn shrink(&mut self, side: Side, price: i64, mut excess: u64) {
        for (order_id, qty) in self.queue_at(side, price).into_iter().rev() {
            let by = excess.min(qty);
            if by == 0 {
                return;
            }
            let step = self.take_off(order_id, side, by);
            self.correct(step);
            excess -= by;
        }
    }

    /// The step that takes `qty` off an order, or all of it if that is less.
    fn take_off(&mut self, order_id: u64, side: Side, qty: u64) -> Step {
        if qty >= self.bare.leaves(INSTRUMENT, order_id) {
            return Step::Cancel { order_id, instrument: INSTRUMENT, side };
        }
        let order = &mut self.orders[order_id as usize];
        order.order_qty -= qty;
        Step::Reduce { order_id, by: qty, order_qty: order.order_qty, instrument: INSTRUMENT, side }
    }

    fn enter(&mut self, name: FileOrder, side: Side, price: i64, qty: u64, timed: bool) {
        if qty == 0 {
            return;
        }
        let order_id = self.orders.len() as u64;
        self.orders.push(Order { name, side, price, order_qty: qty });
        if let FileOrder::Known(known) = name {
            self.known.insert(known, order_id);
        }
        let terms = Terms::Limit;
        let step = Step::New { order_id, price, qty, instrument: INSTRUMENT, side, terms };
        if timed { self.push(step, true) } else { self.correct(step) }
    }

    fn correct(&mut self, step: Step) {
        self.plan.left_out.corrections += 1;
        self.push(step, false);
    }

    fn push(&mut self, step: Step, timed: bool) {
        self.bare.apply(&step);
        self.plan.push(step, timed);
    }

    fn queue_at(&self, side: Side, price: i64) -> Vec<(u64, u64)> {
        let queue = self.bare.queue(INSTRUMENT, side, price).into_iter();
        queue.filter(|(_, at, _)| *at == price).map(|(order_id, _, qty)| (order_id, qty)).collect()
    }

    fn best_quotes(&self) -> [Option<(i64, u64)>; 2] {
        SIDES.map(|side| self.bare.levels(INSTRUMENT, side, 1).first().copied())
    }

    fn ticks(&self, price: i64) -> i64 {
        price / self.plan.price_unit.cast_signed()
    }
}

/// Takes a size off orders in their sequence. Returns whether any of them had a part of it.
fn take(shares: &mut Vec<Share>, left: &mut u64, orders: &[(u64, u64)]) -> bool {
    let before = shares.len();
    for (order_id, leaves) in orders.iter().copied() {
        let qty = leaves.min(*left);
        *left -= qty;
        shares.extend((qty > 0).then_some(Share { order_id, qty }));
    }
    shares.len() > before
}

#[cfg(test)]
mod tests;
