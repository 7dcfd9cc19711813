//! DBN files of orders (MBO) as plans.
//!
//! As with LOBSTER the planner carries out its own plan on a bare book as it goes. It takes the
//! records of one event together: a fill comes before what became of the filled order, and what
//! the exchange canceled while it matched comes last.
//!
//! # Phases
//! A file does not say when trading is continuous; what the exchange does with orders that cross
//! does. It starts in an auction phase, where orders rest without being matched, and the
//! exchange's fills decide. The first trade ends that phase. An order that rests although it crosses
//! begins another.
//!
//! An engine that has no auction phases starts from the book that the first one left:
//! [`Auctions::Skipped`].
//!
//! # What each action becomes in continuous trading
//! - Add: a limit order that is good till canceled.
//! - Cancel: a cancel, or an amend where it takes off only a part.
//! - Modify: an amend where the price stays and the quantity does not grow, so that the order keeps
//!   its place; else a cancel and a new order behind all others.
//! - Trade: nothing. It names the aggressor, which is in no book unless something of it is left.
//! - Fill: an immediate-or-cancel order from the other side, so that our matching picks the resting
//!   order. A fill of the aggressor itself takes it off the book: it rested until it was modified
//!   to a price at which it trades.
//! - A cancel or a modification behind a fill of the same order: only what it says beyond the fill.
//! - Clear: all orders are canceled, not timed. None: nothing.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt;

use recorded::Format;
use recorded::dbn::{Action, Instrument, Record};
use types::{PRICE_MAX, Side};

use super::bare::Bare;
use super::plan::{Disagreements, Plan, Step, Terms};
use super::target::Target;

const INSTRUMENT: u32 = 0;
const SIDES: [Side; 2] = [Side::Buy, Side::Sell];

/// How a plan takes the phases in which orders rest without being matched.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Auctions {
    /// Step by step, for the bare book.
    Carried,
    /// The plan starts with the book that the first one left. There must not be another.
    Skipped,
}

/// Why a file that could be read cannot be replayed. Records count from 0.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum PlanError {
    OtherInstrument { record: usize, found: Instrument, first: Instrument },
    PriceOutOfRange { record: usize, found: i64 },
    Crossed { record: usize },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherInstrument { record, found, first } => write!(
                f,
                "record {record}: is about instrument {} of publisher {}, the file began with {} \
                 of {}: only one can be replayed",
                found.id, found.publisher, first.id, first.publisher
            ),
            Self::PriceOutOfRange { record, found } => {
                write!(f, "record {record}: a price of {found} is not in 1..=2^53 ticks")
            }
            Self::Crossed { record } => write!(
                f,
                "record {record}: the book stays crossed, which the whole engine does not take: \
                 use --book-only"
            ),
        }
    }
}

pub(crate) fn plan(records: &[Record], auctions: Auctions) -> Result<Plan, PlanError> {
    let mut planner = Planner::new(price_unit(records)?, auctions);
    for event in records.split_inclusive(|record| record.is_last) {
        planner.event(event)?;
    }
    // There may have been no trade.
    planner.open()?;
    Ok(planner.plan)
}

/// The largest tick of which all prices are multiples.
fn price_unit(records: &[Record]) -> Result<u64, PlanError> {
    let mut unit = 0;
    for (at, record) in records.iter().enumerate() {
        let (found, first) = (record.instrument, records[0].instrument);
        if found != first {
            return Err(PlanError::OtherInstrument { record: at, found, first });
        }
        if has_price(record) {
            unit = greatest_common_divisor(unit, record.price.unsigned_abs());
        }
    }
    let unit = unit.max(1);
    let ticks = |price: i64| price / unit.cast_signed();
    let in_range = |price| (1..=PRICE_MAX.ticks()).contains(&ticks(price));
    match records.iter().position(|record| has_price(record) && !in_range(record.price)) {
        None => Ok(unit),
        Some(record) => Err(PlanError::PriceOutOfRange { record, found: records[record].price }),
    }
}

/// Of a cancel it is not asked for.
fn has_price(record: &Record) -> bool {
    matches!(record.action, Action::Add | Action::Modify | Action::Fill)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Phase {
    Auction,
    Continuous,
}

struct Planner {
    plan: Plan,
    auctions: Auctions,
    phase: Phase,
    /// Records before this event, and those of it that are done.
    record: usize,
    /// Has done what the plan says so far, or what it leaves out of a skipped auction.
    bare: Bare,
    /// Indexed by our order id; the first stands for none.
    orders: Vec<Order>,
    /// By the file's order id. They may be done by now.
    known: HashMap<u64, u64>,
    /// Orders that were filled in this event, by the file's id, with what the file has said so
    /// far that they have left: it tells of the fill first and then takes it off.
    filled: HashMap<u64, u64>,
    /// Orders that the exchange canceled in this event and did not fill, by the file's id.
    canceled: HashSet<u64>,
}

#[derive(Clone, Copy)]
struct Order {
    /// What the file calls it.
    name: u64,
    side: Side,
    price: i64,
    order_qty: u64,
}

/// A resting order, as [`Bare::queue`] gives it: our id, price, quantity.
type Resting = (u64, i64, u64);

impl Planner {
    fn new(price_unit: u64, auctions: Auctions) -> Self {
        let mut plan = Plan::new(Format::Dbn, 1);
        plan.price_unit = price_unit;
        plan.disagreements = Some(Disagreements::default());
        Self {
            plan,
            auctions,
            phase: Phase::Auction,
            record: 0,
            bare: Bare::new(1),
            orders: vec![Order { name: 0, side: Side::Buy, price: 0, order_qty: 0 }],
            known: HashMap::new(),
            filled: HashMap::new(),
            canceled: HashSet::new(),
        }
    }

    fn event(&mut self, event: &[Record]) -> Result<(), PlanError> {
        let named = |action| {
            let of_action = event.iter().filter(move |record| record.action == action);
            of_action.map(|record| record.order_id)
        };
        self.filled.clear();
        self.canceled.clear();
        self.canceled.extend(named(Action::Cancel));
        named(Action::Fill).for_each(|name| _ = self.canceled.remove(&name));

        let mut rest = event;
        while let Some((record, behind)) = rest.split_first() {
            let mut done = 1;
            match record.action {
                Action::Add => self.add(record)?,
                Action::Cancel => self.cancel(record),
                Action::Modify => self.modify(record)?,
                Action::Clear => self.clear(),
                Action::Trade => {
                    let is_fill = |record: &&Record| record.action == Action::Fill;
                    let fills = behind.iter().take_while(is_fill).count();
                    self.plan.left_out.without_effect += 1;
                    self.trade(Some(record), &behind[..fills])?;
                    done += fills;
                }
                Action::Fill => self.trade(None, &rest[..1])?,
                Action::None => self.plan.left_out.without_effect += 1,
            }
            rest = &rest[done..];
            self.record += done;
        }
        if event.iter().any(|record| record.action == Action::Trade) {
            self.open()?;
        }
        Ok(())
    }

    /// Goes over to continuous trading.
    fn open(&mut self) -> Result<(), PlanError> {
        if self.phase == Phase::Continuous {
            return Ok(());
        }
        self.phase = Phase::Continuous;
        if self.auctions == Auctions::Carried {
            return Ok(());
        }
        let [bids, asks] = SIDES.map(|side| self.bare.queue(INSTRUMENT, side, worst(side)));
        if let (Some((_, bid, _)), Some((_, ask, _))) = (bids.first(), asks.first())
            && bid >= ask
        {
            return Err(PlanError::Crossed { record: self.record });
        }
        // Our ids are those of the target, which has seen nothing yet.
        self.bare = Bare::new(1);
        let orders = std::mem::take(&mut self.orders);
        self.orders.push(orders[0]);
        self.known.clear();
        for (order_id, price, qty) in bids.into_iter().chain(asks) {
            let Order { name, side, .. } = orders[order_id as usize];
            let step = self.enter(name, side, price, qty, Terms::Limit);
            self.push(step, false);
        }
        Ok(())
    }

    fn add(&mut self, record: &Record) -> Result<(), PlanError> {
        if record.size == 0 {
            self.plan.left_out.without_effect += 1;
            return Ok(());
        }
        if let Some(order_id) = self.find(record.order_id) {
            let step = self.take_off(order_id, u64::MAX);
            self.correct(step);
        }
        self.place(record)
    }

    fn cancel(&mut self, record: &Record) {
        let size = u64::from(record.size);
        let order_id = self.find(record.order_id);
        let leaves = order_id.map_or(0, |order_id| self.leaves(order_id));
        let by = match self.filled.get_mut(&record.order_id) {
            Some(told) => {
                *told = told.saturating_sub(size);
                leaves.saturating_sub(*told)
            }
            None if order_id.is_some() => size,
            None => {
                self.plan.left_out.unknown += 1;
                return;
            }
        };
        match order_id.filter(|_| by > 0) {
            Some(order_id) => self.push_take_off(order_id, by),
            None => self.plan.left_out.without_effect += 1,
        }
    }

    fn modify(&mut self, record: &Record) -> Result<(), PlanError> {
        let size = u64::from(record.size);
        if size == 0 {
            self.cancel(&Record { size: u32::MAX, ..*record });
            return Ok(());
        }
        let told = self.filled.get_mut(&record.order_id).map(|told| *told = size);
        let Some(order_id) = self.find(record.order_id) else {
            // Filled, and here is what else it has: the next part of an iceberg, or what is left
            // of an aggressor.
            self.plan.left_out.unknown += u64::from(told.is_none());
            return self.place(record);
        };
        let Order { side, price, .. } = self.orders[order_id as usize];
        let leaves = self.leaves(order_id);
        let stays = Some(side) == record.side && price == self.ticks(record.price);
        if stays && size <= leaves {
            match leaves - size {
                0 => self.plan.left_out.without_effect += 1,
                by => self.push_take_off(order_id, by),
            }
            return Ok(());
        }
        self.push_take_off(order_id, u64::MAX);
        self.place(record)
    }

    fn clear(&mut self) {
        for side in SIDES {
            for (order_id, _, _) in self.bare.queue(INSTRUMENT, side, worst(side)) {
                let step = self.take_off(order_id, u64::MAX);
                self.push(step, false);
            }
        }
    }

    /// Enters the order as a record has it, behind those that are at its price already.
    fn place(&mut self, record: &Record) -> Result<(), PlanError> {
        let side = record.side.expect("the reader takes no order without one");
        let price = self.ticks(record.price);
        if self.phase == Phase::Continuous {
            self.make_way(side, price)?;
        }
        let terms = match self.phase {
            Phase::Auction => Terms::Auction,
            Phase::Continuous => Terms::Limit,
        };
        let step = self.enter(record.order_id, side, price, u64::from(record.size), terms);
        self.push(step, self.is_timed() && !record.is_snapshot);
        Ok(())
    }

    /// Of what an order would trade with, the exchange cancels all in the same event: two orders of
    /// one trader do not match. Where it does not, orders are not matched at all.
    fn make_way(&mut self, side: Side, price: i64) -> Result<(), PlanError> {
        for (order_id, _, leaves) in self.bare.queue(INSTRUMENT, side.opposite(), price) {
            let name = self.orders[order_id as usize].name;
            if !self.canceled.contains(&name) {
                self.phase = Phase::Auction;
                continue;
            }
            self.filled.insert(name, leaves);
            self.push_take_off(order_id, u64::MAX);
        }
        if self.phase == Phase::Auction && self.auctions == Auctions::Skipped {
            return Err(PlanError::Crossed { record: self.record });
        }
        Ok(())
    }

    fn trade(&mut self, aggressor: Option<&Record>, fills: &[Record]) -> Result<(), PlanError> {
        if fills.iter().any(|fill| fill.side.is_some()) {
            self.open()?;
        }
        let is_own = |fill: &Record| {
            aggressor.is_some_and(|own| own.order_id == fill.order_id && own.side == fill.side)
        };
        let mut resting = VecDeque::new();
        for fill in fills {
            match fill.side {
                _ if fill.size == 0 => self.plan.left_out.without_effect += 1,
                None => self.uncross(fill),
                Some(_) if is_own(fill) => self.take_aggressor(fill),
                Some(side) => resting.push_back((fill, side)),
            }
        }
        // The lines of one trade are not in the order of the queue: an iceberg that was filled in
        // several parts has one line. So our front order is to be among them, and need not be next.
        while let Some((_, side)) = resting.front() {
            let front = self.front(*side);
            let next = resting.iter().position(|(fill, _)| Some(fill.order_id) == front);
            let (fill, side) = resting.remove(next.unwrap_or(0)).expect("it is not empty");
            self.execution(fill, side);
        }
        Ok(())
    }

    /// Takes off a resting order what the exchange's auction filled. Some that it fills have never
    /// been in the book: stop orders, and those at the market.
    fn uncross(&mut self, fill: &Record) {
        let Some(order_id) = self.find(fill.order_id) else {
            self.plan.left_out.without_effect += 1;
            return;
        };
        self.told(order_id);
        self.push_take_off(order_id, u64::from(fill.size));
    }

    /// The aggressor of a trade rests no more; what is left of it is in a record behind.
    fn take_aggressor(&mut self, fill: &Record) {
        match self.find(fill.order_id) {
            Some(order_id) => {
                self.told(order_id);
                self.push_take_off(order_id, u64::MAX);
            }
            None => self.plan.left_out.without_effect += 1,
        }
    }

    fn execution(&mut self, fill: &Record, side: Side) {
        let (price, qty) = (self.ticks(fill.price), u64::from(fill.size));
        let maker = self.find(fill.order_id);
        let queue = self.bare.queue(INSTRUMENT, side, price);
        let place = queue.iter().position(|(order_id, _, _)| Some(*order_id) == maker);
        let ahead = &queue[..place.unwrap_or(queue.len())];
        let is_canceled = |resting: &Resting| {
            let Order { name, .. } = self.orders[resting.0 as usize];
            self.canceled.contains(&name)
        };
        let gone: Vec<Resting> = ahead.iter().copied().filter(|at| is_canceled(at)).collect();
        let is_self_match = place.is_some_and(|place| place > 0 && gone.len() == place);

        // What it is to come to, of all that is at this price or a better one.
        let mut expected = queue;
        expected.retain(|resting| !gone.contains(resting));
        if let Some(filled) = expected.iter_mut().find(|(order_id, _, _)| Some(*order_id) == maker)
        {
            filled.2 = filled.2.saturating_sub(qty);
        }
        expected.retain(|(_, _, qty)| *qty > 0);
        let filled = gone.iter().map(|(order_id, _, _)| *order_id).chain(maker);
        filled.collect::<Vec<_>>().into_iter().for_each(|order_id| self.told(order_id));

        let step = Step::Execution {
            price,
            maker: maker.unwrap_or(0),
            qty,
            instrument: INSTRUMENT,
            side: side.opposite(),
        };
        self.plan.left_out.unknown += u64::from(maker.is_none());
        let agrees = self.bare.tally().maker_agrees;
        self.push(step, true);
        if self.bare.tally().maker_agrees == agrees {
            let disagreements = self.plan.disagreements.get_or_insert_default();
            match place {
                Some(0) => disagreements.hidden_qty += 1,
                _ if is_self_match => disagreements.self_match += 1,
                _ => disagreements.other += 1,
            }
        }
        self.orders.push(Order { name: 0, side: side.opposite(), price, order_qty: qty });
        self.requeue(side, price, &expected);
    }

    /// Enters the orders at a price anew unless they are queued as they should be, at all prices up
    /// to this one.
    fn requeue(&mut self, side: Side, price: i64, expected: &[Resting]) {
        let found = self.bare.queue(INSTRUMENT, side, price);
        if found == expected {
            return;
        }
        let prices: BTreeSet<i64> = found.iter().chain(expected).map(|(_, at, _)| *at).collect();
        for price in prices {
            let at_price = |(_, at, _): &&Resting| *at == price;
            if found.iter().filter(at_price).eq(expected.iter().filter(at_price)) {
                continue;
            }
            for (order_id, _, _) in found.iter().filter(at_price) {
                self.correct(Step::Cancel { order_id: *order_id, instrument: INSTRUMENT, side });
            }
            for (order_id, price, qty) in expected.iter().filter(at_price) {
                let Order { name, .. } = self.orders[*order_id as usize];
                let step = self.enter(name, side, *price, *qty, Terms::Limit);
                self.correct(step);
            }
        }
    }

    /// Remembers what the file shows of an order before its first fill in this event.
    fn told(&mut self, order_id: u64) {
        let leaves = self.leaves(order_id);
        let Order { name, .. } = self.orders[order_id as usize];
        self.filled.entry(name).or_insert(leaves);
    }

    /// The order of this name, if it rests.
    fn find(&self, name: u64) -> Option<u64> {
        self.known.get(&name).copied().filter(|order_id| self.leaves(*order_id) > 0)
    }

    fn leaves(&self, order_id: u64) -> u64 {
        self.bare.leaves(INSTRUMENT, order_id)
    }

    /// What the file calls the order that is next to trade on one side.
    fn front(&self, side: Side) -> Option<u64> {
        let (price, _) = *self.bare.levels(INSTRUMENT, side, 1).first()?;
        let (order_id, _, _) = *self.bare.queue(INSTRUMENT, side, price).first()?;
        Some(self.orders[order_id as usize].name)
    }

    /// The step that takes `qty` off an order, or all of it where that is less.
    fn take_off(&mut self, order_id: u64, qty: u64) -> Step {
        let leaves = self.leaves(order_id);
        let order = &mut self.orders[order_id as usize];
        let side = order.side;
        if qty >= leaves {
            return Step::Cancel { order_id, instrument: INSTRUMENT, side };
        }
        order.order_qty -= qty;
        let order_qty = order.order_qty;
        Step::Reduce { order_id, by: qty, order_qty, instrument: INSTRUMENT, side }
    }

    fn push_take_off(&mut self, order_id: u64, qty: u64) {
        let step = self.take_off(order_id, qty);
        self.push(step, self.is_timed());
    }

    /// The step that enters an order, which gets the next id.
    fn enter(&mut self, name: u64, side: Side, price: i64, qty: u64, terms: Terms) -> Step {
        let order_id = self.orders.len() as u64;
        self.orders.push(Order { name, side, price, order_qty: qty });
        self.known.insert(name, order_id);
        Step::New { order_id, price, qty, instrument: INSTRUMENT, side, terms }
    }

    fn correct(&mut self, step: Step) {
        self.plan.left_out.corrections += 1;
        self.push(step, false);
    }

    fn push(&mut self, step: Step, timed: bool) {
        self.bare.apply(&step);
        if self.phase == Phase::Continuous || self.auctions == Auctions::Carried {
            self.plan.push(step, timed);
        }
    }

    fn is_timed(&self) -> bool {
        self.phase == Phase::Continuous
    }

    fn ticks(&self, price: i64) -> i64 {
        price / self.plan.price_unit.cast_signed()
    }
}

/// No order on this side has a worse price.
fn worst(side: Side) -> i64 {
    match side {
        Side::Buy => i64::MIN,
        Side::Sell => i64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::Tally;
    use super::super::watch::Watch;
    use super::super::whole::Whole;
    use super::*;

    const INSTRUMENT_OF_FILE: Instrument = Instrument { publisher: 1, id: 17_077 };
    /// A trade, after which orders are matched.
    const OPEN: &str = "T - 0 1@100";

    /// Records as `action side order_id size@price`, those of one event parted by semicolons. The
    /// side is `B`, `A` or `-`; an action `s` is an order from before the file.
    fn records(events: &[&str]) -> Vec<Record> {
        let mut records = Vec::new();
        for event in events {
            records.extend(event.split("; ").map(record));
            records.last_mut().unwrap().is_last = true;
        }
        records
    }

    fn record(text: &str) -> Record {
        let words: Vec<&str> = text.split(' ').collect();
        let [action, side, order_id, at] = words[..] else { panic!("{text:?}") };
        let (size, price) = at.split_once('@').unwrap();
        Record {
            received_ns: 0,
            order_id: order_id.parse().unwrap(),
            price: price.parse().unwrap(),
            size: size.parse().unwrap(),
            instrument: INSTRUMENT_OF_FILE,
            action: match action {
                "A" | "s" => Action::Add,
                "C" => Action::Cancel,
                "M" => Action::Modify,
                "R" => Action::Clear,
                "T" => Action::Trade,
                "F" => Action::Fill,
                "N" => Action::None,
                _ => panic!("{text:?}"),
            },
            side: match side {
                "B" => Some(Side::Buy),
                "A" => Some(Side::Sell),
                _ => None,
            },
            is_last: false,
            is_snapshot: action == "s",
        }
    }

    /// The plan, and its steps in short form with the file's prices, those that are not timed in
    /// brackets.
    fn plan_of(events: &[&str], auctions: Auctions) -> (Plan, Vec<String>) {
        let plan = plan(&records(events), auctions).unwrap();
        let mut start = 0;
        let mut short = Vec::new();
        for stretch in &plan.stretches {
            let unit = plan.price_unit.cast_signed();
            let steps = plan.steps[start..stretch.end].iter().map(|step| match step {
                Step::New { order_id, price, qty, side, terms, .. } => {
                    let phase = if *terms == Terms::Auction { " in auction" } else { "" };
                    format!("{side:?} {order_id} {qty}@{}{phase}", price * unit)
                }
                Step::Cancel { order_id, .. } => format!("cancel {order_id}"),
                Step::Reduce { order_id, by, order_qty, .. } => {
                    format!("reduce {order_id} by {by} to {order_qty}")
                }
                Step::Execution { price, maker, qty, side, .. } => {
                    format!("{side:?} ioc {qty}@{} from {maker}", price * unit)
                }
            });
            short.extend(steps.map(|step| if stretch.timed { step } else { format!("[{step}]") }));
            start = stretch.end;
        }
        (plan, short)
    }

    /// What events become after a trade has opened the market.
    #[track_caller]
    fn check(events: &[&str], expected: &[&str]) -> Plan {
        let (plan, found) = plan_of(&[&[OPEN], events].concat(), Auctions::Carried);
        assert_eq!(found, expected);
        let (_, skipping) = plan_of(&[&[OPEN], events].concat(), Auctions::Skipped);
        assert_eq!(skipping, expected);
        plan
    }

    #[track_caller]
    fn check_disagreements(plan: &Plan, self_match: u64, hidden_qty: u64, other: u64) {
        let expected = Disagreements { self_match, hidden_qty, other };
        assert_eq!(plan.disagreements, Some(expected));
    }

    #[test]
    fn add_and_cancel_are_a_limit_order_and_its_cancel() {
        let plan = check(
            &["A B 71 5@99", "A A 72 5@101", "C B 71 5@99", "A A 73 0@101"],
            &["Buy 1 5@99", "Sell 2 5@101", "cancel 1"],
        );
        // The last of them, and the trade that opened.
        assert_eq!(plan.left_out.without_effect, 2);
    }

    #[test]
    fn cancel_of_a_part_keeps_the_place() {
        check(&["A B 71 5@99", "C B 71 2@99"], &["Buy 1 5@99", "reduce 1 by 2 to 3"]);
    }

    #[test]
    fn modify_keeps_the_place_only_where_a_quantity_falls() {
        let first = "A B 71 5@99";
        check(&[first, "M B 71 3@99"], &["Buy 1 5@99", "reduce 1 by 2 to 3"]);
        check(&[first, "M B 71 5@99"], &["Buy 1 5@99"]);
        check(&[first, "M B 71 0@99"], &["Buy 1 5@99", "cancel 1"]);
        check(&[first, "M B 71 6@99"], &["Buy 1 5@99", "cancel 1", "Buy 2 6@99"]);
        check(&[first, "M B 71 5@98"], &["Buy 1 5@99", "cancel 1", "Buy 2 5@98"]);
        check(&[first, "M B 71 3@98"], &["Buy 1 5@99", "cancel 1", "Buy 2 3@98"]);
    }

    #[test]
    fn clear_cancels_all() {
        check(
            &["A B 71 5@99", "A A 72 5@101", "R - 0 0@0", "A B 73 5@99", "N - 0 0@0"],
            &["Buy 1 5@99", "Sell 2 5@101", "[cancel 1]", "[cancel 2]", "Buy 3 5@99"],
        );
    }

    #[test]
    fn fill_is_an_order_from_the_other_side_and_what_repeats_it_is_nothing() {
        let book = ["A A 71 5@101", "A A 72 5@101"];
        let trade = "T B 80 7@101; F A 71 5@101; F A 72 2@101; C A 71 5@101; M A 72 3@101";
        let plan = check(
            &[&book[..], &[trade]].concat(),
            &["Sell 1 5@101", "Sell 2 5@101", "Buy ioc 5@101 from 1", "Buy ioc 2@101 from 2"],
        );
        check_disagreements(&plan, 0, 0, 0);
        assert_eq!(plan.left_out.without_effect, 4);
        // Where a cancel is by what was filled, as on exchanges that do not modify.
        let trade = "T B 80 7@101; F A 71 2@101; C A 71 2@101";
        check(
            &[&book[..], &[trade, "C A 71 3@101"]].concat(),
            &["Sell 1 5@101", "Sell 2 5@101", "Buy ioc 2@101 from 1", "cancel 1"],
        );
    }

    #[test]
    fn what_is_left_of_an_aggressor_rests() {
        check(
            &["A A 71 5@101", "T B 80 5@101; F A 71 5@101; A B 80 2@101; C A 71 5@101"],
            &["Sell 1 5@101", "Buy ioc 5@101 from 1", "Buy 3 2@101"],
        );
    }

    #[test]
    fn aggressor_that_rested_is_taken_off_where_it_was() {
        let book = ["A A 71 5@101", "A B 80 9@99"];
        let trade = "T B 80 5@101; F B 80 5@101; F A 71 5@101; C A 71 5@101; ";
        let expected = ["Sell 1 5@101", "Buy 2 9@99", "cancel 2", "Buy ioc 5@101 from 1"];
        check(&[book[0], book[1], &format!("{trade}C B 80 9@99")], &expected);
        check(
            &[book[0], book[1], &format!("{trade}M B 80 4@101")],
            &[&expected[..], &["Buy 4 4@101"]].concat(),
        );
    }

    #[test]
    fn next_part_of_an_iceberg_is_behind_all_others() {
        let trade = "T B 80 5@101; F A 71 5@101; M A 71 4@101";
        let next = "T B 81 3@101; F A 72 3@101; C A 72 3@101";
        let plan = check(
            &["A A 71 5@101", "A A 72 3@101", trade, next],
            &[
                "Sell 1 5@101",
                "Sell 2 3@101",
                "Buy ioc 5@101 from 1",
                "Sell 4 4@101",
                "Buy ioc 3@101 from 2",
            ],
        );
        check_disagreements(&plan, 0, 0, 0);
    }

    #[test]
    fn fill_of_more_than_was_shown_is_a_disagreement() {
        let trade = "T B 80 8@101; F A 71 8@101; M A 71 4@101";
        let plan = check(
            &["A A 71 5@101", "A A 72 6@101", trade],
            &[
                "Sell 1 5@101",
                "Sell 2 6@101",
                "Buy ioc 8@101 from 1",
                "[cancel 2]",
                "[Sell 4 6@101]",
                "Sell 5 4@101",
            ],
        );
        check_disagreements(&plan, 0, 1, 0);
    }

    #[test]
    fn order_that_the_exchange_canceled_instead_is_a_disagreement_counted_once() {
        let trade = "T B 80 7@101; F A 72 4@101; F A 73 3@101; \
                     C A 71 5@100; C A 72 4@101; C A 73 3@101";
        let plan = check(
            &["A A 71 5@100", "A A 72 4@101", "A A 73 3@101", trade],
            &[
                "Sell 1 5@100",
                "Sell 2 4@101",
                "Sell 3 3@101",
                "Buy ioc 4@101 from 2",
                "[cancel 1]",
                "[cancel 2]",
                "[cancel 3]",
                "[Sell 5 3@101]",
                "Buy ioc 3@101 from 5",
            ],
        );
        check_disagreements(&plan, 1, 0, 0);
    }

    #[test]
    fn queue_is_put_right_where_nothing_says_why() {
        let trade = "T B 80 4@101; F A 72 4@101; C A 72 4@101";
        let plan = check(
            &["A A 71 5@101", "A A 72 4@101", trade],
            &[
                "Sell 1 5@101",
                "Sell 2 4@101",
                "Buy ioc 4@101 from 2",
                "[cancel 1]",
                "[cancel 2]",
                "[Sell 4 5@101]",
            ],
        );
        check_disagreements(&plan, 0, 0, 1);
    }

    #[test]
    fn lines_of_one_trade_may_stand_in_any_order() {
        let trade = "T B 80 6@101; F A 72 4@101; F A 71 2@101; C A 72 4@101; C A 71 2@101";
        let plan = check(
            &["A A 71 2@101", "A A 72 4@101", trade],
            &["Sell 1 2@101", "Sell 2 4@101", "Buy ioc 2@101 from 1", "Buy ioc 4@101 from 2"],
        );
        check_disagreements(&plan, 0, 0, 0);
    }

    #[test]
    fn new_order_rests_where_the_exchange_canceled_what_it_would_meet() {
        check(
            &["A A 71 5@101", "A B 72 3@101; C A 71 5@101"],
            &["Sell 1 5@101", "cancel 1", "Buy 2 3@101"],
        );
    }

    /// A crossed book before the opening, in which 71 sells 5 to 72 and to a stop order, 73.
    const OPENING: [&str; 5] = [
        "s A 71 5@99; s B 70 5@98",
        "A B 72 3@101",
        "A A 74 1@102",
        "T - 0 5@100; F - 71 5@100; F - 72 3@100; F - 73 2@100; C A 71 5@99; C B 72 3@101",
        "A B 75 1@101",
    ];

    #[test]
    fn orders_rest_until_the_opening_and_the_fills_of_the_exchange_decide() {
        let (plan, steps) = plan_of(&OPENING, Auctions::Carried);
        let expected = [
            "[Sell 1 5@99 in auction]",
            "[Buy 2 5@98 in auction]",
            "[Buy 3 3@101 in auction]",
            "[Sell 4 1@102 in auction]",
            "[cancel 1]",
            "[cancel 3]",
            "Buy 5 1@101",
        ];
        assert_eq!(steps, expected);
        assert_eq!(plan.left_out.unknown, 0);
        assert_eq!(plan.left_out.corrections, 0);
    }

    #[test]
    fn engine_without_auctions_starts_from_the_opening() {
        let (_, steps) = plan_of(&OPENING, Auctions::Skipped);
        assert_eq!(steps, ["[Buy 1 5@98]", "[Sell 2 1@102]", "Buy 3 1@101"]);
        // A file without a trade is all opening.
        let (_, steps) = plan_of(&["A B 71 5@98", "A A 72 5@99"], Auctions::Skipped);
        assert_eq!(steps, ["[Buy 1 5@98]", "[Sell 2 5@99]"]);
    }

    #[test]
    fn order_that_rests_although_it_crosses_begins_an_auction() {
        let events =
            [OPEN, "A A 71 5@101", "A B 72 3@102", "T - 0 3@101; F - 71 3@101; F - 72 3@101"];
        let (_, steps) = plan_of(&events, Auctions::Carried);
        let expected =
            ["Sell 1 5@101", "[Buy 2 3@102 in auction]", "[reduce 1 by 3 to 2]", "[cancel 2]"];
        assert_eq!(steps, expected);
        let error = plan(&records(&events), Auctions::Skipped).unwrap_err();
        assert_eq!(error, PlanError::Crossed { record: 2 });
        let error = plan(&records(&OPENING[..3]), Auctions::Skipped).unwrap_err();
        assert_eq!(error, PlanError::Crossed { record: 4 });
        assert!(error.to_string().contains("--book-only"));
    }

    #[test]
    fn what_is_about_no_order_is_counted() {
        let plan = check(
            &["C B 71 5@99", "M B 72 5@99", "T A 80 5@98; F B 73 5@98", "A B 72 4@99"],
            &["Buy 1 5@99", "Sell ioc 5@98 from 0", "[Buy 3 5@99]", "[cancel 3]", "Buy 4 4@99"],
        );
        assert_eq!(plan.left_out.unknown, 3);
        check_disagreements(&plan, 0, 0, 1);
    }

    #[test]
    fn a_tick_is_the_largest_that_fits_all_prices() {
        let unit = |events: &[&str]| price_unit(&records(events)).unwrap();
        assert_eq!(unit(&["A B 71 5@4810250", "A A 72 5@4811000"]), 250);
        assert_eq!(unit(&["A B 71 5@4810250", "C B 71 5@1"]), 4_810_250);
        assert_eq!(unit(&[OPEN]), 1);
        assert_eq!(unit(&[]), 1);
    }

    #[test]
    fn what_cannot_be_replayed_is_named() {
        let refused = |records: &[Record]| plan(records, Auctions::Carried).unwrap_err();
        for price in [0, -5, i64::MAX] {
            let mut records = records(&["A B 71 5@7", "A B 72 5@11"]);
            records[1].price = price;
            let found = refused(&records);
            assert_eq!(found, PlanError::PriceOutOfRange { record: 1, found: price });
        }
        let mut records = records(&["A B 71 5@7", "A B 72 5@11"]);
        let other = Instrument { id: 9, ..INSTRUMENT_OF_FILE };
        records[1].instrument = other;
        let first = INSTRUMENT_OF_FILE;
        let error = refused(&records);
        assert_eq!(error, PlanError::OtherInstrument { record: 1, found: other, first });
        let expected = "record 1: is about instrument 9 of publisher 1, the file began with 17077";
        assert!(error.to_string().starts_with(expected), "{error}");
    }

    /// Records that no exchange would send, as a damaged file may have them.
    fn absurd_records(seed: u64) -> Vec<Record> {
        let mut state = seed;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
            (state >> 33) % end
        };
        let actions = [
            Action::Add,
            Action::Cancel,
            Action::Modify,
            Action::Trade,
            Action::Fill,
            Action::Fill,
            Action::None,
            Action::Clear,
        ];
        let mut random = || Record {
            received_ns: 0,
            order_id: below(8),
            price: 1 + below(6).cast_signed(),
            size: u32::try_from(below(5)).unwrap(),
            instrument: INSTRUMENT_OF_FILE,
            action: actions[usize::try_from(below(57) / 8).unwrap()],
            side: [Side::Buy, Side::Sell][usize::try_from(below(2)).unwrap()].into(),
            is_last: below(3) == 0,
            is_snapshot: below(9) == 0,
        };
        let mut records: Vec<_> = std::iter::repeat_with(&mut random).take(120).collect();
        for record in &mut records {
            // Half of the flows cross, the others may be continuous.
            if seed.is_multiple_of(2) && record.side == Some(Side::Sell) {
                record.price += 6;
            }
            // Only these may be without a side.
            let may = matches!(record.action, Action::Trade | Action::Fill);
            record.side = record.side.filter(|_| !may || record.order_id != 3);
        }
        records
    }

    #[test]
    fn absurd_records_come_to_the_same_on_both_targets() {
        let mut taken = 0;
        for seed in 0..300 {
            let records = absurd_records(seed);
            let replay = |plan: &Plan, mut target: Box<dyn Target>| {
                target.carry_out(&plan.steps, &mut Watch::new(false));
                let Tally { rejected, trades, volume, executions, maker_agrees, .. } =
                    *target.tally();
                assert_eq!(rejected, 0, "seed {seed}");
                let Disagreements { self_match, hidden_qty, other } = plan.disagreements.unwrap();
                assert_eq!(
                    maker_agrees + self_match + hidden_qty + other,
                    executions,
                    "seed {seed}"
                );
                let levels = SIDES.map(|side| target.levels(INSTRUMENT, side, usize::MAX));
                (trades, volume, executions, maker_agrees, levels, target.resting_orders())
            };
            let carried = plan(&records, Auctions::Carried).unwrap();
            replay(&carried, Box::new(Bare::new(1)));
            let Ok(plan) = plan(&records, Auctions::Skipped) else { continue };
            let bare = replay(&plan, Box::new(Bare::new(1)));
            let whole = replay(&plan, Box::new(Whole::new(&plan)));
            assert_eq!(bare, whole, "seed {seed}");
            taken += 1;
        }
        assert!(taken > 20, "{taken}");
    }
}
