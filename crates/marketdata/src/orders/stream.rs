//! The state that messages depend on: the day and its count, and the instruments with their
//! phases.

use types::{Event, InstrumentId, Phase, Price, Qty, Reader, TradeId, Wire};

use crate::orders::message::{Fact, OrderMessage, Said, SessionEvent, TradingStatus};
use crate::orders::step::{BookStep, Change, Lowered, Placed, Step, StepKind, each_step};

/// Makes messages of commands, one after the other.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct OrderStream {
    day: u32,
    /// Messages of this day.
    count: u64,
    /// The level of a halt of the whole market; zero is none.
    halt: u8,
    /// By id; `None` for one that is kept out.
    instruments: Vec<Option<Shown>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Shown {
    price_max: Price,
    phase: Phase,
    is_delisted: bool,
}

impl OrderStream {
    /// Calls `each` with the messages of a command, which must be the next one.
    #[inline]
    pub fn command(
        &mut self,
        sequence: u64,
        sequenced_ns: u64,
        events: &[Event],
        mut each: impl FnMut(OrderMessage),
    ) {
        each_step((sequence, sequenced_ns), events, |step| self.apply(&step, &mut each));
    }

    /// The numbering day; zero until the first command.
    pub fn day(&self) -> u32 {
        self.day
    }

    /// The messages of this day so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What a message shows of an order; `None` for nothing.
    pub fn shown(&self, instrument: InstrumentId, price: Price, qty: Qty) -> Option<u32> {
        let of = self.instrument(instrument)?;
        of.shows(price).then(|| clamp(qty))
    }

    /// The instruments that a day begins with now, and their status.
    pub fn listed(&self) -> impl Iterator<Item = (InstrumentId, TradingStatus)> {
        let shown = (0..).map(InstrumentId).zip(&self.instruments);
        shown.filter_map(|(id, of)| {
            let of = (*of)?;
            (!of.is_delisted).then(|| (id, self.status(&of)))
        })
    }

    pub(crate) fn apply(&mut self, step: &Step, each: &mut impl FnMut(OrderMessage)) {
        let sequenced_ns = step.sequenced_ns;
        match step.kind {
            StepKind::Book(id, of_book) => {
                let Some(of) = self.instrument(id) else { return };
                of.facts(of_book, |fact| {
                    self.count += 1;
                    let (day, number, said) = (self.day, self.count, Said::Of(id, fact));
                    each(OrderMessage { day, number, sequenced_ns, said });
                });
            }
            StepKind::Change(change) => {
                let mut say = |stream: &mut Self, said| {
                    stream.count += 1;
                    let (day, number) = (stream.day, stream.count);
                    each(OrderMessage { day, number, sequenced_ns, said });
                };
                if let (Change::DayBegun(_), 1..) = (change, self.count) {
                    CLOSE.into_iter().for_each(|event| say(self, Said::Session(event)));
                }
                self.change(change);
                self.each_after(change, say);
            }
        }
    }

    /// Instruments that are kept out stay as they are.
    pub(crate) fn is_changed_by(&self, change: Change) -> bool {
        match change {
            Change::Phase(id, _) | Change::Delisted(id) => self.instrument(id).is_some(),
            Change::DayBegun(_) | Change::Listed(..) | Change::Halt(_) => true,
        }
    }

    /// Changes the state without a message.
    pub(crate) fn change(&mut self, change: Change) {
        match change {
            Change::DayBegun(day) => (self.day, self.count) = (day, 0),
            Change::Listed(id, price_max) => {
                debug_assert_eq!(id.0 as usize, self.instruments.len(), "listed in order of ids");
                let shown =
                    |price_max| Shown { price_max, phase: Phase::Continuous, is_delisted: false };
                self.instruments.push(price_max.map(shown));
            }
            Change::Phase(id, phase) => self.with(id, |of| of.phase = phase),
            Change::Delisted(id) => self.with(id, |of| of.is_delisted = true),
            Change::Halt(level) => self.halt = level,
        }
    }

    /// Says what follows from a change.
    fn each_after(&mut self, change: Change, mut say: impl FnMut(&mut Self, Said)) {
        let listed: Vec<_> = match change {
            Change::DayBegun(_) | Change::Halt(_) => self.listed().collect(),
            Change::Listed(id, _) | Change::Phase(id, _) | Change::Delisted(id) => {
                self.instrument(id).map(|of| (id, self.status(&of))).into_iter().collect()
            }
        };
        match change {
            Change::DayBegun(_) => {
                OPEN.into_iter().for_each(|event| say(self, Said::Session(event)));
            }
            Change::Halt(level @ 1..) => say(self, Said::VenueHalted(level)),
            _ => {}
        }
        let names = matches!(change, Change::DayBegun(_) | Change::Listed(..));
        for (id, status) in listed {
            if names {
                say(self, Said::Of(id, Fact::Listed));
            }
            say(self, Said::Of(id, Fact::Status(status)));
        }
    }

    fn instrument(&self, id: InstrumentId) -> Option<Shown> {
        *self.instruments.get(id.0 as usize)?
    }

    fn with(&mut self, id: InstrumentId, change: impl FnOnce(&mut Shown)) {
        if let Some(Some(of)) = self.instruments.get_mut(id.0 as usize) {
            change(of);
        }
    }

    fn status(&self, of: &Shown) -> TradingStatus {
        match self.halt {
            _ if of.is_delisted => TradingStatus::Delisted,
            0 => TradingStatus::In(of.phase),
            level => TradingStatus::VenueHalted(level),
        }
    }

    pub(crate) fn instrument_count(&self) -> usize {
        self.instruments.len()
    }

    /// Goes to where a number is known.
    pub(crate) fn set_count(&mut self, count: u64) {
        self.count = count;
    }
}

const OPEN: [SessionEvent; 3] = [
    SessionEvent::StartOfMessages,
    SessionEvent::StartOfSystemHours,
    SessionEvent::StartOfMarketHours,
];
const CLOSE: [SessionEvent; 3] =
    [SessionEvent::EndOfMarketHours, SessionEvent::EndOfSystemHours, SessionEvent::EndOfMessages];

impl Shown {
    fn shows(&self, price: Price) -> bool {
        price.ticks() >= 0 && price <= self.price_max
    }

    fn facts(&self, step: BookStep, mut each: impl FnMut(Fact)) {
        match step {
            BookStep::Added(placed) => each_some(self.added(&placed), each),
            BookStep::Reduced(order) => each_some(self.reduced(&order), each),
            BookStep::Executed { order, price, trade_id } => {
                each_some(self.executed(&order, price, trade_id), each);
            }
            BookStep::Replaced { old, new } => {
                let Placed { order_id: new_order_id, price, qty, .. } = new;
                if self.shows(old.price) && self.shows(price) {
                    let (order_id, qty) = (old.order_id, clamp(qty));
                    return each(Fact::Replaced { order_id, new_order_id, price, qty });
                }
                each_some(self.reduced(&old), &mut each);
                each_some(self.added(&new), each);
            }
            BookStep::HiddenTraded { side, price, qty, trade_id } => {
                // The volume of an auction has those of its trades.
                if self.phase == Phase::Continuous && self.shows(price) {
                    each(Fact::Traded { side, price, qty: clamp(qty), trade_id });
                }
            }
            BookStep::Broken { trade_id } => each(Fact::Broken { trade_id }),
            BookStep::Indicated(e) => {
                let (auction, price) = (self.phase, e.price.filter(|price| self.shows(*price)));
                let (volume, surplus, surplus_side) = (e.volume, e.surplus, e.surplus_side);
                each(Fact::Indicated { auction, price, volume, surplus, surplus_side });
            }
            BookStep::Uncrossed(e) => {
                if self.shows(e.price) {
                    let (auction, price, volume) = (self.phase, e.price, e.volume);
                    let instrument_seq = e.instrument_seq;
                    each(Fact::Crossed { auction, price, volume, instrument_seq });
                }
            }
        }
    }

    fn added(&self, placed: &Placed) -> Option<Fact> {
        let Placed { order_id, side, price, qty } = *placed;
        self.shows(price).then(|| Fact::Added { order_id, side, price, qty: clamp(qty) })
    }

    fn reduced(&self, order: &Lowered) -> Option<Fact> {
        let order_id = order.order_id;
        if !self.shows(order.price) {
            return None;
        }
        if order.leaves.is_zero() {
            return Some(Fact::Deleted { order_id });
        }
        match lowered_by(order) {
            0 => None,
            qty => Some(Fact::Reduced { order_id, qty }),
        }
    }

    fn executed(&self, order: &Lowered, price: Price, trade_id: TradeId) -> Option<Fact> {
        let Lowered { order_id, side, .. } = *order;
        if !self.shows(order.price) {
            return None;
        }
        if !self.shows(price) {
            return self.reduced(order);
        }
        let in_auction = self.phase != Phase::Continuous;
        Some(match lowered_by(order) {
            // More stands behind it than a message can show: the book shows as much as before.
            0 => Fact::Traded { side, price, qty: clamp(order.less), trade_id },
            qty if in_auction || price != order.price => {
                Fact::ExecutedAt { order_id, qty, trade_id, price, in_auction }
            }
            qty => Fact::Executed { order_id, qty, trade_id },
        })
    }
}

fn each_some(fact: Option<Fact>, each: impl FnMut(Fact)) {
    fact.into_iter().for_each(each);
}

/// What a message can say of a quantity in lots.
fn clamp(qty: Qty) -> u32 {
    u32::try_from(qty.lots()).unwrap_or(u32::MAX)
}

/// By how much less messages show an order.
fn lowered_by(order: &Lowered) -> u32 {
    clamp(order.leaves + order.less) - clamp(order.leaves)
}

impl Wire for Shown {
    fn write(&self, out: &mut Vec<u8>) {
        (self.price_max, self.phase).write(out);
        self.is_delisted.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (price_max, phase) = r.read()?;
        Some(Self { price_max, phase, is_delisted: r.read()? })
    }
}

impl Wire for OrderStream {
    fn write(&self, out: &mut Vec<u8>) {
        (self.day, self.count).write(out);
        self.halt.write(out);
        self.instruments.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (day, count) = r.read()?;
        Some(Self { day, count, halt: r.read()?, instruments: r.read()? })
    }
}
