//! A recording as commands of one account, for a venue on which other accounts trade with it.
//!
//! # Rules
//! - A recorded order, and what a level grows by, is a limit order that is good till canceled. It
//!   trades with orders of other accounts that stand in its way; recorded ones that do expire,
//!   because the record is about to take them away.
//! - An execution is an immediate-or-cancel order at its price, from the side of the aggressor, so
//!   it trades with what stands at that price or better. What finds nothing is divergence.
//! - What a level shrinks by is taken off its youngest orders. What other accounts have taken off
//!   an order stays taken: a cancel of it is dropped and counted.
//! - Where the data have orders, a trade that no order reports changes nothing: it was hidden, or
//!   of an auction. Where they have levels alone, a trade is an execution. Where they have no book,
//!   it trades with what stands, if anything does; without a side it tries both.
//! - A bar is four trades of a quarter of its volume each.

mod levels;
mod orders;
mod tally;
#[cfg(test)]
mod tests;

pub use recorded::{Event, Instrument, Kind, Options, Recording, Stream, UnitFrom};
use types::{
    CancelOrder, CancelRestriction, ClOrdId, Command, InstrumentId, MassCancel, ModifyOrder,
    NewOrder, OrderRef, OrderSize, OrderType, Price, Qty, ReplaceMode, ReplaceOrder, Side, StpMode,
    TimeInForce,
};

use self::levels::Levels;
use self::orders::Orders;
pub use self::tally::MarketTally;

/// Turns the events of one instrument into commands.
#[derive(Debug)]
pub struct Market {
    desk: Desk,
    orders: Orders,
    levels: Levels,
}

/// A command, and what the record means by it.
#[derive(Clone, Debug, PartialEq)]
pub struct MarketStep {
    pub command: Command,
    pub meaning: Meaning,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Meaning {
    Order,
    /// An order has less, or is gone.
    Less,
    /// This quantity was executed.
    Execution(Qty),
    /// A trade of data without a book.
    Print,
}

/// The venue's instrument, and its increments in those of the recording.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Scale {
    pub instrument: InstrumentId,
    pub ticks_per_tick: u64,
    pub lots_per_lot: u64,
}

/// Makes commands.
#[derive(Debug)]
struct Desk {
    scale: Scale,
    /// The number of the last order.
    named: u64,
}

impl Market {
    pub fn new(scale: Scale) -> Self {
        let desk = Desk { scale, named: 0 };
        Self { desk, orders: Orders::default(), levels: Levels::default() }
    }

    /// Adds the commands of an event.
    pub fn push(&mut self, event: &Event, out: &mut Vec<MarketStep>) {
        let Self { desk, orders, levels } = self;
        match event.kind {
            Kind::Level | Kind::SnapshotLevel => levels.set(event, desk, out),
            Kind::Clear => {
                levels.clear(event, desk, out);
                orders.clear(event.side, desk, out);
            }
            Kind::Add => orders.add(event, desk, out),
            Kind::Cancel => orders.cancel(event, desk, out),
            Kind::Delete => orders.delete(event, desk, out),
            Kind::Modify => orders.modify(event, desk, out),
            Kind::Execute => orders.execute(event, desk, out),
            Kind::Trade if orders.is_used() => {}
            Kind::Trade if levels.are_used() => {
                levels.trade(event);
                if let Some(side) = event.side {
                    desk.execute(side, event.price, event.quantity.lots(), out);
                }
            }
            Kind::Trade => desk.print(event, event.quantity.lots(), out),
            Kind::Open | Kind::High | Kind::Low | Kind::Close => {
                desk.print(event, (event.quantity.lots() / 4).max(1), out);
            }
        }
    }
}

impl Desk {
    fn price(&self, price: Price) -> Price {
        let per_tick = i64::try_from(self.scale.ticks_per_tick).unwrap_or(i64::MAX);
        Price::from_ticks(price.ticks().saturating_mul(per_tick))
    }

    fn qty(&self, lots: u64) -> Qty {
        Qty::from_lots(lots.saturating_mul(self.scale.lots_per_lot))
    }

    /// Enters an order of the book, and returns its number.
    fn rest(&mut self, side: Side, price: Price, lots: u64, out: &mut Vec<MarketStep>) -> u64 {
        self.named += 1;
        let order = self.order(side, price, lots, TimeInForce::Gtc, StpMode::ExpireMaker);
        let command = Command::NewOrder(order);
        out.push(MarketStep { command, meaning: Meaning::Order });
        self.named
    }

    /// Trades with what stands at the price or better; `side` is the aggressor's.
    fn execute(&mut self, side: Side, price: Price, lots: u64, out: &mut Vec<MarketStep>) {
        let command = self.take(side, price, lots);
        out.push(MarketStep { command, meaning: Meaning::Execution(self.qty(lots)) });
    }

    /// Likewise, for a trade of data without a book.
    fn print(&mut self, event: &Event, lots: u64, out: &mut Vec<MarketStep>) {
        let sides = event.side.map_or(vec![Side::Sell, Side::Buy], |side| vec![side]);
        for side in sides {
            let command = self.take(side, event.price, lots);
            out.push(MarketStep { command, meaning: Meaning::Print });
        }
    }

    fn take(&mut self, side: Side, price: Price, lots: u64) -> Command {
        self.named += 1;
        Command::NewOrder(self.order(side, price, lots, TimeInForce::Ioc, StpMode::None))
    }

    /// The order with the latest number.
    fn order(
        &self,
        side: Side,
        price: Price,
        lots: u64,
        time_in_force: TimeInForce,
        stp_mode: StpMode,
    ) -> NewOrder {
        NewOrder {
            instrument: self.scale.instrument,
            cl_ord_id: name_of(self.named),
            side,
            order_type: OrderType::Limit,
            time_in_force,
            stp_mode,
            price: self.price(price),
            size: OrderSize::Base(self.qty(lots)),
            strategy_id: None,
            strategy_type: None,
            terms: None,
        }
    }

    /// Takes an order away, and enters another if it was still there. Returns its number.
    fn replace(
        &mut self,
        order: u64,
        side: Side,
        price: Price,
        lots: u64,
        out: &mut Vec<MarketStep>,
    ) -> u64 {
        self.named += 1;
        let command = Command::ReplaceOrder(ReplaceOrder {
            cancel: self.cancel_of(order),
            mode: ReplaceMode::StopOnFailure,
            cancel_when_limited: true,
            order: self.order(side, price, lots, TimeInForce::Gtc, StpMode::ExpireMaker),
        });
        out.push(MarketStep { command, meaning: Meaning::Less });
        self.named
    }

    fn cancel(&self, order: u64, out: &mut Vec<MarketStep>) {
        let command = Command::CancelOrder(self.cancel_of(order));
        out.push(MarketStep { command, meaning: Meaning::Less });
    }

    fn cancel_of(&self, order: u64) -> CancelOrder {
        CancelOrder {
            instrument: self.scale.instrument,
            order: OrderRef::by_cl_ord_id(name_of(order)),
            cl_ord_id: name_of(order),
            restriction: CancelRestriction::None,
        }
    }

    /// Lowers the quantity that an order has in total. If more was executed, the order is closed.
    fn reduce(&self, order: u64, lots: u64, out: &mut Vec<MarketStep>) {
        let modify = ModifyOrder {
            instrument: self.scale.instrument,
            order: OrderRef::by_cl_ord_id(name_of(order)),
            cl_ord_id: None,
            order_qty: self.qty(lots),
            price: None,
        };
        out.push(MarketStep { command: Command::ModifyOrder(modify), meaning: Meaning::Less });
    }

    fn cancel_side(&self, side: Option<Side>, out: &mut Vec<MarketStep>) {
        let instrument = Some(self.scale.instrument);
        let cl_ord_id = ClOrdId::parse("clear").expect("a valid name");
        let command = Command::MassCancel(MassCancel { instrument, side, cl_ord_id });
        out.push(MarketStep { command, meaning: Meaning::Less });
    }
}

fn name_of(order: u64) -> ClOrdId {
    ClOrdId::parse(&format!("r{order}")).expect("a letter and at most 20 digits")
}
