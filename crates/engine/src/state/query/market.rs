//! Queries about one instrument.

use types::{
    Calendar, FeeSchedule, InstrumentId, InstrumentRules, Order, OrderId, Phase, Price, Qty, Side,
    TradeId,
};

use crate::book::node::NodeId;
use crate::book::slab::NONE;
use crate::state::Engine;
use crate::state::orders::record::Standing;

/// A stretch of the queue at one price.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct QueuePart {
    /// Each with its displayed quantity.
    pub orders: Vec<(OrderId, Qty)>,
    /// Whether it ends the queue.
    pub is_last: bool,
}

impl Engine {
    /// Whether an instrument is delisted.
    pub fn is_delisted(&self, instrument: InstrumentId) -> bool {
        self.market(instrument).is_some_and(|market| market.trading.delisted)
    }

    /// The phase of an instrument.
    pub fn phase(&self, instrument: InstrumentId) -> Option<Phase> {
        self.market(instrument).map(|market| market.trading.phase)
    }

    /// When the phase of an instrument ends by itself; zero if it does not.
    pub fn phase_until_ns(&self, instrument: InstrumentId) -> Option<u64> {
        self.market(instrument).map(|market| market.trading.until_ns)
    }

    pub fn instrument_rules(&self, instrument: InstrumentId) -> Option<&InstrumentRules> {
        self.market(instrument).map(|market| &market.trading.rules)
    }

    /// The price of the last trade.
    pub fn last_price(&self, instrument: InstrumentId) -> Option<Price> {
        self.market(instrument)?.trading.last_price
    }
}

impl Engine {
    /// The price that an instrument's filters use. It is the average over the window of its rules,
    /// rounded down to a tick, or the last price if the window has no trade.
    pub fn avg_price(&self, instrument: InstrumentId) -> Option<Price> {
        self.market(instrument)?.trading.avg_price(self.now_ns)
    }
}

impl Engine {
    /// An instrument's fees by volume.
    pub fn fee_schedule(&self, instrument: InstrumentId) -> Option<&FeeSchedule> {
        self.market(instrument)?.fee_schedule.as_deref()
    }
}

impl Engine {
    /// An instrument's calendar.
    pub fn calendar(&self, instrument: InstrumentId) -> Option<Calendar> {
        let sessions = self.market(instrument)?.trading.calendar;
        Some(Calendar { instrument, sessions })
    }

    /// The phases that instruments should be in at this time, and are not.
    pub fn due_phases(&self, now_ns: u64) -> impl Iterator<Item = (InstrumentId, Phase)> {
        let markets = (0..).map(InstrumentId).zip(&self.markets);
        let due = markets.filter_map(move |(id, market)| {
            let trading = &market.trading;
            let (began_ns, phase) = trading.session_at(now_ns)?;
            let is_due = began_ns > trading.changed_ns && phase != trading.phase;
            (is_due && !trading.delisted).then_some((id, phase))
        });
        due.take_while(|_| !self.is_halted())
    }

    /// Start of the next session of any calendar.
    pub fn next_session_ns(&self, now_ns: u64) -> Option<u64> {
        self.markets.iter().filter_map(|market| market.trading.next_session_ns(now_ns)).min()
    }
}

impl Engine {
    /// The levels of one side of a book, best first.
    pub fn levels(
        &self,
        instrument: InstrumentId,
        side: Side,
    ) -> impl Iterator<Item = (Price, Qty)> {
        self.market(instrument).into_iter().flat_map(move |market| market.book.levels(side))
    }

    /// The resting orders of one side, hidden ones too, in order of their trading.
    pub fn resting(&self, instrument: InstrumentId, side: Side) -> impl Iterator<Item = Order> {
        self.market(instrument).into_iter().flat_map(move |market| {
            let in_line = market.in_line(&self.orders, side);
            in_line.map(|(node, _)| self.orders.order(node))
        })
    }

    /// The displayed orders at a price, in order of their trading: `count_max` of them, from the
    /// head of the queue, or behind an order that still waits there.
    pub fn queue_part(
        &self,
        instrument: InstrumentId,
        (side, price): (Side, Price),
        behind: Option<OrderId>,
        count_max: usize,
    ) -> QueuePart {
        let waits_there = |node: &NodeId| {
            self.orders.standing(*node) == Standing::Book
                && (self.orders.side(*node), self.orders.price(*node)) == (side, price)
        };
        let behind = behind.and_then(|order_id| self.find_by_id(instrument, order_id));
        let linked = |node: NodeId| (node != NONE).then_some(node);
        let next = |node: &NodeId| linked(self.orders.nodes[*node].next());
        let first = match behind.filter(waits_there) {
            Some(behind) => next(&behind),
            None => self.market(instrument).and_then(|market| market.book.head_at(side, price)),
        };
        let mut in_line = std::iter::successors(first, next);
        let of = |node| (self.orders.order_id(node), self.orders.nodes[node].leaves_qty());
        let orders = in_line.by_ref().take(count_max).map(of).collect();
        QueuePart { orders, is_last: in_line.next().is_none() }
    }

    /// The last order id, trade id and event number of an instrument.
    pub fn last_ids(&self, instrument: InstrumentId) -> Option<(OrderId, TradeId, u64)> {
        let market = self.market(instrument)?;
        let order_id = OrderId(market.last_order_id);
        Some((order_id, TradeId(market.last_trade_id), market.instrument_seq))
    }
}
