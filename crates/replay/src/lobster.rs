//! LOBSTER message files as plans.
//!
//! The command of a message depends on the book: whether its order is known, and its place in the
//! queue. So the planner carries out its own plan on a bare book.
//!
//! The command for each type of message:
//! - 1 new: a limit order that is good till canceled. On the exchange it did not trade, or it would
//!   be an execution. If it would trade on our book, the orders that it would meet are stale and
//!   are removed first.
//! - 2 partial cancel: an amend to a lower quantity, which keeps its place. 3 delete: a cancel. For
//!   an order from ahead of the file, either takes its size off the anonymous order at its price.
//! - 4 visible execution: an immediate-or-cancel order from the other side, so that our matching
//!   picks the resting order. If it picked another order than the exchange, the queue is corrected
//!   to the exchange's: one disagreement is counted once.
//! - 5 hidden execution, 6 cross, 7 halt: nothing.

use std::collections::HashMap;

use recorded::Format;
use recorded::lobster::{BookRow, EventType, Message};
use types::Side;

use super::bare::Bare;
use super::plan::{Plan, Step, Terms};
use super::target::Target;
use super::verify::{BookFile, Check, RowKind, side_of};

/// A cent, in units of the file. Prices of displayed orders above one dollar are whole cents.
const CENT: i64 = 100;
const INSTRUMENT: u32 = 0;
const SIDES: [Side; 2] = [Side::Buy, Side::Sell];

pub(crate) fn plan(messages: &[Message], seed: Option<BookRow>, book: Option<BookFile>) -> Plan {
    let mut planner = Planner::new(price_unit(messages, seed.as_ref(), book.as_ref()), book);
    let per_message = planner.book.as_ref().is_some_and(|book| book.kind == RowKind::PerMessage);
    let first_row = planner.book.as_ref().filter(|_| per_message);
    let seed = seed.or_else(|| first_row.and_then(|book| book.rows.first()).cloned());
    let is_seeded = seed.is_some();
    if let Some(row) = seed {
        planner.seed(&row, messages.first());
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
                planner.check(Check { row: planner.rows_used, message: at });
            }
        }
    }
    planner.plan.book = planner.book;
    planner.plan
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
    /// The book after the plan so far.
    bare: Bare,
    /// Indexed by our order id; index 0 is no order.
    orders: Vec<Order>,
    /// By the file's order id, or by side and price for anonymous orders. The orders may be done.
    known: HashMap<i64, u64>,
    anonymous: HashMap<(Side, i64), u64>,
}

#[derive(Clone, Copy)]
struct Order {
    name: FileOrder,
    order_qty: u64,
}

/// Identity of an order in the file.
#[derive(Clone, Copy)]
enum FileOrder {
    Known(i64),
    /// All orders at its price of which only the sum is known.
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
            bare: Bare::new(1),
            orders: vec![Order { name: FileOrder::Anonymous, order_qty: 0 }],
            known: HashMap::new(),
            anonymous: HashMap::new(),
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
            EventType::PartialCancel | EventType::Delete => {
                let Some(order_id) = self.find(message) else {
                    self.plan.left_out.unknown += 1;
                    return;
                };
                let named = matches!(self.orders[order_id as usize].name, FileOrder::Known(_));
                let whole = named && message.event_type == EventType::Delete;
                let step = self.take_off(order_id, side, if whole { u64::MAX } else { size });
                self.push(step, true);
            }
            EventType::VisibleExecution => self.execution(message, price, size),
            EventType::HiddenExecution | EventType::Cross | EventType::Halt => {
                self.plan.left_out.without_effect += 1;
            }
        }
    }

    fn execution(&mut self, message: &Message, price: i64, size: u64) {
        let side = message.side;
        let maker = self.find(message).unwrap_or(0);
        let mut expected = self.queue_at(side, price);
        if let Some(filled) = expected.iter_mut().find(|(order_id, _)| *order_id == maker) {
            filled.1 = filled.1.saturating_sub(size);
        }
        expected.retain(|(_, qty)| *qty > 0);
        let step = Step::Execution {
            price,
            maker,
            qty: size,
            instrument: INSTRUMENT,
            side: side.opposite(),
        };
        self.push(step, true);
        self.orders.push(Order { name: FileOrder::Anonymous, order_qty: size });
        self.requeue(side, price, &expected);
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

    /// Compares the book with the next row, and corrects the book if necessary.
    fn check(&mut self, check: Check) {
        let Some(book) = self.book.take_if(|book| check.row < book.rows.len()) else { return };
        self.rows_used += 1;
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

    /// The order of a message, or the anonymous order for it, if that rests.
    fn find(&self, message: &Message) -> Option<u64> {
        let rests = |order_id: &&u64| self.bare.leaves(INSTRUMENT, **order_id) > 0;
        let place = (message.side, self.ticks(message.price));
        let known = self.known.get(&message.order_id).filter(rests);
        known.or_else(|| self.anonymous.get(&place).filter(rests)).copied()
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
        self.orders.push(Order { name, order_qty: qty });
        match name {
            FileOrder::Known(known) => self.known.insert(known, order_id),
            FileOrder::Anonymous => self.anonymous.insert((side, price), order_id),
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Plans messages without their time (`type,order_id,size,price,direction`), and returns the
    /// steps in short form, those without timing in brackets.
    fn steps_of(messages: &[&str], seed: Option<&str>, rows: &[&str]) -> (Vec<String>, Plan) {
        let message = |text: &&str| Message::parse(format!("34200.1,{text}").as_bytes()).unwrap();
        let messages: Vec<_> = messages.iter().map(message).collect();
        let row = |text: &str| BookRow::parse(text.as_bytes()).unwrap();
        let rows: Vec<_> = rows.iter().map(|text| row(text)).collect();
        let book = (!rows.is_empty()).then(|| BookFile::new(rows, messages.len()).unwrap());
        let plan = plan(&messages, seed.map(row), book);
        let mut start = 0;
        let mut short = Vec::new();
        for stretch in &plan.stretches {
            let steps = plan.steps[start..stretch.end].iter().map(|step| match step {
                Step::New { order_id, price, qty, side, .. } => {
                    format!("{side:?} {order_id} {qty}@{price}")
                }
                Step::Cancel { order_id, .. } => format!("cancel {order_id}"),
                Step::Reduce { order_id, by, order_qty, .. } => {
                    format!("reduce {order_id} by {by} to {order_qty}")
                }
                Step::Execution { price, maker, qty, side, .. } => {
                    format!("{side:?} ioc {qty}@{price} from {maker}")
                }
                Step::Phase { .. } => unreachable!("a file begins in continuous trading"),
            });
            short.extend(steps.map(|step| if stretch.timed { step } else { format!("[{step}]") }));
            short.extend(stretch.check.map(|check| format!("row {}", check.row)));
            start = stretch.end;
        }
        (short, plan)
    }

    #[track_caller]
    fn check(messages: &[&str], seed: Option<&str>, rows: &[&str], expected: &[&str]) {
        assert_eq!(steps_of(messages, seed, rows).0, expected);
    }

    #[test]
    fn each_type_becomes_its_command() {
        let messages = [
            "1,71,30,1000000,1",
            "2,71,10,1000000,1",
            "1,72,5,1000100,-1",
            "4,71,15,1000000,1",
            "3,71,5,1000000,1",
            "5,0,5,1000050,1",
            "6,-1,5,1000050,1",
            "7,0,0,-1,-1",
        ];
        let expected = [
            "Buy 1 30@10000",
            "reduce 1 by 10 to 20",
            "Sell 2 5@10001",
            "Sell ioc 15@10000 from 1",
            "cancel 1",
        ];
        check(&messages, None, &[], &expected);
        assert_eq!(steps_of(&messages, None, &[]).1.left_out.without_effect, 3);
    }

    #[test]
    fn the_tick_is_a_cent_unless_a_displayed_price_is_finer() {
        let unit = |messages: &[&str]| steps_of(messages, None, &[]).1.price_unit;
        assert_eq!(unit(&["1,71,30,1000000,1", "5,0,5,1000050,1"]), 100);
        assert_eq!(unit(&["1,71,30,1000050,1"]), 1);
    }

    #[test]
    fn orders_from_before_the_file_are_anonymous() {
        let messages = [
            "1,71,18,1000000,1", // in the seed already
            "3,5,40,1000000,1",
            "2,6,10,1000200,-1",
            "4,7,90,1000200,-1",
            "3,8,10,990000,1", // the seed has nothing there
        ];
        let expected = [
            "[Buy 1 82@10000]",
            "[Buy 2 18@10000]",
            "[Sell 3 100@10002]",
            "reduce 1 by 40 to 42",
            "reduce 3 by 10 to 90",
            "Buy ioc 90@10002 from 3",
        ];
        let seed = Some("1000200,100,1000000,100");
        check(&messages, seed, &[], &expected);
        assert_eq!(steps_of(&messages, seed, &[]).1.left_out.unknown, 1);
    }

    #[test]
    fn a_queue_is_corrected_after_a_disagreement() {
        let messages =
            ["1,71,30,1000000,1", "1,72,20,1000000,1", "4,72,5,1000000,1", "4,71,30,1000000,1"];
        let expected = [
            "Buy 1 30@10000",
            "Buy 2 20@10000",
            "Sell ioc 5@10000 from 2",
            "[cancel 1]",
            "[cancel 2]",
            "[Buy 4 30@10000]",
            "[Buy 5 15@10000]",
            "Sell ioc 30@10000 from 4",
        ];
        check(&messages, None, &[], &expected);
    }

    #[test]
    fn stale_orders_give_way_to_a_new_one() {
        let messages = ["1,71,30,1000000,1", "1,72,20,1000000,-1"];
        check(&messages, None, &[], &["Buy 1 30@10000", "[cancel 1]", "Sell 2 20@10000"]);
    }

    #[test]
    fn quotes_are_checked_on_change_and_corrected_on_difference() {
        let messages = [
            "1,71,30,1000000,1",
            "1,72,20,999900,1", // no best quote changes
            "5,0,5,1000050,1",
            "1,73,10,1000100,1",
        ];
        let rows = ["9999999999,0,1000000,30", "9999999999,0,1000000,30", "9999999999,0,999900,25"];
        let expected = [
            "Buy 1 30@10000",
            "row 0",
            "Buy 2 20@9999",
            "row 1",
            "Buy 3 10@10001",
            "row 2",
            "[cancel 3]",
            "[cancel 1]",
            "[Buy 4 5@9999]",
        ];
        check(&messages, None, &rows, &expected);
    }

    #[test]
    fn rows_for_each_message_show_deeper_levels() {
        let messages = ["1,71,30,1000000,1", "3,71,30,1000000,1", "2,9,4,999900,1"];
        let rows = ["9999999999,0,1000000,30", "9999999999,0,999900,20", "9999999999,0,999900,16"];
        let expected = [
            "[Buy 1 30@10000]",
            "cancel 1",
            "row 1",
            "[Buy 2 20@9999]",
            "reduce 2 by 4 to 16",
            "row 2",
        ];
        check(&messages, None, &rows, &expected);
    }
}
