//! Steps: the parts of a command's events that messages are made of. They need no state, and are
//! small enough for another thread.

use types::{
    AuctionIndicated, AuctionUncrossed, BookReduced, CancelCause, Event, Fill, InstrumentId, Order,
    OrderCanceled, OrderId, OrderRested, Phase, Price, Qty, Side, TradeExecuted, TradeId,
};

use crate::orders::limits::price_max;

/// A part of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) sequence: u64,
    pub(crate) sequenced_ns: u64,
    pub(crate) kind: StepKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StepKind {
    Change(Change),
    Book(InstrumentId, BookStep),
}

/// What changes the state of a feed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Change {
    DayBegun(u32),
    /// With the largest price in ticks that a message can say; `None` keeps the instrument out.
    Listed(InstrumentId, Option<Price>),
    Phase(InstrumentId, Phase),
    Delisted(InstrumentId),
    /// Zero ends a halt.
    Halt(u8),
}

/// Of one instrument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BookStep {
    Added(Placed),
    Executed {
        order: Lowered,
        price: Price,
        trade_id: TradeId,
    },
    Reduced(Lowered),
    Replaced {
        old: Lowered,
        new: Placed,
    },
    /// An order traded that the book does not show.
    HiddenTraded {
        side: Side,
        price: Price,
        qty: Qty,
        trade_id: TradeId,
    },
    Broken {
        trade_id: TradeId,
    },
    Indicated(AuctionIndicated),
    Uncrossed(AuctionUncrossed),
}

/// An order that enters the book.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) order_id: OrderId,
    pub(crate) side: Side,
    pub(crate) price: Price,
    pub(crate) qty: Qty,
}

/// A displayed order that shows less.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lowered {
    pub(crate) order_id: OrderId,
    pub(crate) side: Side,
    pub(crate) price: Price,
    pub(crate) less: Qty,
    /// What it shows from here on; zero when it is off the book.
    pub(crate) leaves: Qty,
}

/// Calls `each` with the steps of a command, in their order.
#[inline]
pub(crate) fn each_step(
    (sequence, sequenced_ns): (u64, u64),
    events: &[Event],
    mut each: impl FnMut(Step),
) {
    let mut step = |kind| each(Step { sequence, sequenced_ns, kind });
    if sequence == FIRST_SEQUENCE {
        step(StepKind::Change(Change::DayBegun(FIRST_DAY)));
    }
    let mut rest = events;
    while let Some((event, after)) = rest.split_first() {
        rest = after;
        match event {
            Event::OrderRested(e) => step(StepKind::Book(e.instrument, BookStep::Added(e.into()))),
            Event::TradeExecuted(e) => {
                each_trade(e, &mut rest, |kind| step(StepKind::Book(e.instrument, kind)));
            }
            Event::OrderCanceled(e) if e.order.terms.is_none() => {
                let old = Lowered { less: e.canceled_qty, ..Lowered::to_zero(&e.order) };
                let kind = match replacement(e, &mut rest) {
                    Some(new) => BookStep::Replaced { old, new },
                    None => BookStep::Reduced(old),
                };
                step(StepKind::Book(e.order.instrument, kind));
            }
            Event::OrderAmended(e) if e.order.terms.is_none() => {
                let less = e.orig_order_qty - e.order.order_qty;
                let order =
                    Lowered { less, leaves: e.order.leaves_qty(), ..Lowered::to_zero(&e.order) };
                step(StepKind::Book(e.order.instrument, BookStep::Reduced(order)));
            }
            Event::BookReduced(e) => {
                let old = e.into();
                let kind = match replacement_of_special(e, &mut rest) {
                    Some(new) => BookStep::Replaced { old, new },
                    None => BookStep::Reduced(old),
                };
                step(StepKind::Book(e.instrument, kind));
            }
            Event::TradeBusted(e) => {
                step(StepKind::Book(e.instrument, BookStep::Broken { trade_id: e.trade_id }));
            }
            Event::AuctionIndicated(e) => {
                step(StepKind::Book(e.instrument, BookStep::Indicated(*e)));
            }
            Event::AuctionUncrossed(e) => {
                step(StepKind::Book(e.instrument, BookStep::Uncrossed(*e)));
            }
            _ => {
                if let Some(change) = Change::of(event) {
                    step(StepKind::Change(change));
                }
            }
        }
    }
}

/// The command that opens the first session.
const FIRST_SEQUENCE: u64 = 1;
const FIRST_DAY: u32 = 1;

impl Change {
    fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::InstrumentListed(e) => {
                Self::Listed(e.instrument.id, price_max(&e.instrument).ok())
            }
            Event::PhaseChanged(e) => Self::Phase(e.instrument, e.phase),
            Event::InstrumentDelisted(e) => Self::Delisted(e.instrument),
            Event::VenueHalted(e) => Self::Halt(e.level),
            Event::VenueResumed(()) => Self::Halt(0),
            Event::NumberingDayBegun(e) => Self::DayBegun(e.day),
            _ => return None,
        })
    }
}

/// The steps of a trade. Reductions that follow it say what the book showed of its orders: of a
/// maker with special terms, and of both orders in an auction.
fn each_trade(trade: &TradeExecuted, rest: &mut &[Event], mut each: impl FnMut(BookStep)) {
    let (price, trade_id) = (trade.price, trade.trade_id);
    let maker = &trade.maker.order;
    let shown = match maker.terms {
        None => {
            let leaves = maker.leaves_qty();
            Some(Lowered { less: trade.qty, leaves, ..Lowered::to_zero(maker) })
        }
        Some(_) => reduction(&trade.maker, trade.qty, rest),
    };
    each(match shown {
        Some(order) => BookStep::Executed { order, price, trade_id },
        None => BookStep::HiddenTraded { side: maker.side, price, qty: trade.qty, trade_id },
    });
    if let Some(order) = reduction(&trade.taker, trade.qty, rest) {
        each(BookStep::Executed { order, price, trade_id });
    }
}

/// Takes the event that reduces the order of a fill by it, if that is the next one.
fn reduction(fill: &Fill, qty: Qty, rest: &mut &[Event]) -> Option<Lowered> {
    let (Event::BookReduced(reduced), after) = rest.split_first()? else { return None };
    let Order { instrument, order_id, .. } = fill.order;
    if (reduced.instrument, reduced.order_id, reduced.qty) != (instrument, order_id, qty) {
        return None;
    }
    *rest = after;
    Some(reduced.into())
}

/// As [`replacement`], for an order with special terms: what it showed is taken off ahead of its
/// cancel.
fn replacement_of_special(old: &BookReduced, rest: &mut &[Event]) -> Option<Placed> {
    let (Event::OrderCanceled(canceled), mut after) = rest.split_first()? else { return None };
    let Order { instrument, order_id, .. } = canceled.order;
    if (old.instrument, old.order_id) != (instrument, order_id) {
        return None;
    }
    let new = replacement(canceled, &mut after)?;
    *rest = after;
    Some(new)
}

/// Takes the events of the order that enters the book in the place of another, if it neither trades
/// nor changes the side.
fn replacement(old: &OrderCanceled, rest: &mut &[Event]) -> Option<Placed> {
    if old.cause != CancelCause::Replaced {
        return None;
    }
    let [Event::OrderAccepted(accepted), Event::OrderRested(rested), after @ ..] = *rest else {
        return None;
    };
    let (order, new) = (&old.order, &accepted.order);
    let is_same = (order.instrument, order.side) == (new.instrument, new.side)
        && (new.instrument, new.order_id) == (rested.instrument, rested.order_id);
    if !is_same {
        return None;
    }
    *rest = after;
    Some(rested.into())
}

impl Lowered {
    /// An order that has left the book.
    fn to_zero(order: &Order) -> Self {
        let Order { order_id, side, price, .. } = *order;
        Self { order_id, side, price, less: Qty::ZERO, leaves: Qty::ZERO }
    }
}

impl From<&BookReduced> for Lowered {
    fn from(e: &BookReduced) -> Self {
        let BookReduced { order_id, side, price, qty, leaves_qty, .. } = *e;
        Self { order_id, side, price, less: qty, leaves: leaves_qty }
    }
}

impl From<&OrderRested> for Placed {
    fn from(e: &OrderRested) -> Self {
        let OrderRested { order_id, side, price, leaves_qty, .. } = *e;
        Self { order_id, side, price, qty: leaves_qty }
    }
}
