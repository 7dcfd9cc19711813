//! Pegged orders: their price follows the book.
//!
//! Pegs follow prices that are displayed and not pegged, so that no peg moves another. Moving them
//! ends, because every further round takes a trade.

use types::{
    Event, ExpireCause, InstrumentId, OrderId, OrderRepriced, OrderType, Peg, PegReference, Phase,
    Price, Side,
};

use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::deferred::Deferred;
use crate::state::market::Market;

/// The best displayed prices that are not pegged, indexed by [`Side`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct References([Option<Price>; 2]);

impl References {
    fn of(&self, side: Side) -> Option<i64> {
        self.0[side as usize].map(Price::ticks)
    }

    /// The reference price of a peg, for an order on `side`.
    fn price(&self, side: Side, reference: PegReference) -> Option<i64> {
        match reference {
            PegReference::Primary => self.of(side),
            PegReference::Market => self.of(side.opposite()),
            PegReference::Mid => {
                let sum = self.of(Side::Buy)? + self.of(Side::Sell)?;
                Some(match side {
                    Side::Buy => sum.div_euclid(2),
                    Side::Sell => sum.div_euclid(2) + sum.rem_euclid(2),
                })
            }
        }
    }
}

impl Engine {
    /// The price that a peg gives an order now.
    pub(super) fn peg_price(
        &self,
        instrument: InstrumentId,
        side: Side,
        order_type: OrderType,
        peg: &Peg,
    ) -> Option<Price> {
        self.follow(instrument, side, order_type, peg, &self.references(instrument))
    }

    /// Moves pegged orders to their prices, one round in the order of their ids. Returns whether
    /// another round may be necessary.
    #[cold]
    pub(crate) fn move_pegs(&mut self, instrument: InstrumentId, events: &mut Vec<Event>) -> bool {
        let at = instrument.0 as usize;
        let pegs = &mut self.markets[at].special.pegs;
        let mut moved = pegs.cursor != OrderId(0);
        if pegs.is_empty() {
            pegs.cursor = OrderId(0); // the last order of a round has filled
            return moved;
        }
        let mut references = self.references(instrument);
        loop {
            let Market { special, trading, .. } = &mut self.markets[at];
            let pegs = &mut special.pegs;
            // A moved order may breach the bands: then the others stay.
            let continuous = trading.phase == Phase::Continuous;
            let Some(order_id) = pegs.next().filter(|_| continuous) else {
                pegs.cursor = OrderId(0);
                return moved;
            };
            let before = pegs.cursor;
            pegs.cursor = order_id;
            let node = self.find_by_id(instrument, order_id).expect("a pegged order is open");
            let Some(price) = self.new_price(node, &references) else { continue };
            if !self.spend_work() {
                self.markets[at].special.pegs.cursor = before;
                return true;
            }
            moved = true;
            let matches = self.matches(instrument);
            self.reprice(node, price, events);
            if matches!(self.deferred.front(), Some(Deferred::Reenter(..))) {
                return true; // it finishes trading first
            }
            if self.matches(instrument) != matches {
                references = self.references(instrument);
            }
        }
    }

    /// The new price of a pegged order, if it differs.
    fn new_price(&self, node: NodeId, references: &References) -> Option<Price> {
        let record = self.orders.record(node);
        let peg = self.orders.peg(node).expect("it is pegged");
        let side = self.orders.side(node);
        let price = self.follow(record.instrument, side, record.order_type, &peg, references)?;
        (price != self.orders.price(node)).then_some(price)
    }

    fn follow(
        &self,
        instrument: InstrumentId,
        side: Side,
        order_type: OrderType,
        peg: &Peg,
        references: &References,
    ) -> Option<Price> {
        let market = self.market(instrument)?;
        let mut ticks =
            references.price(side, peg.reference)?.saturating_add(peg.offset_ticks.into());
        let worse = |one: i64, other: i64| match side {
            Side::Buy => one.min(other),
            Side::Sell => one.max(other),
        };
        if let Some(limit) = peg.limit {
            ticks = worse(ticks, limit.ticks());
        }
        if order_type == OrderType::LimitMaker
            && let Some(best) = market.best_price(side.opposite())
        {
            let beside = match side {
                Side::Buy => best.ticks() - 1,
                Side::Sell => best.ticks() + 1,
            };
            ticks = worse(ticks, beside);
        }
        let spec = &market.instrument.spec;
        Some(Price::from_ticks(ticks).clamp(spec.min_price, spec.max_price))
    }

    fn references(&self, instrument: InstrumentId) -> References {
        References([Side::Buy, Side::Sell].map(|side| self.best_unpegged(instrument, side)))
    }

    /// Reads at most one order more than the number of pegged orders.
    fn best_unpegged(&self, instrument: InstrumentId, side: Side) -> Option<Price> {
        let market = self.market(instrument)?;
        let mut shown = market.book.orders(&self.orders.nodes, side);
        let node = shown.find(|node| self.orders.peg(*node).is_none())?;
        Some(self.orders.price(node))
    }

    /// Counters that change whenever orders match.
    fn matches(&self, instrument: InstrumentId) -> (u64, u64) {
        let market = &self.markets[instrument.0 as usize];
        (market.last_trade_id, market.special.last_prevented_id)
    }

    /// Adjusts the hold of a pegged order to its price. An account without enough free balance
    /// loses the order at its old price.
    fn reprice(&mut self, node: NodeId, price: Price, events: &mut Vec<Event>) {
        let orig = self.orders.order(node);
        let mut order = orig;
        order.price = price;
        order.updated_ns = self.now_ns;
        let market = &self.markets[order.instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        if !account.rehold(market, &orig, &order, self.now_ns) {
            return self.expire_open(node, ExpireCause::BalanceExhausted, events);
        }
        let (node, shown) = self.take_off(node);
        self.emit_reduced(&orig, shown, types::Qty::ZERO, events);
        self.orders.store(node, &order);
        let market = &mut self.markets[order.instrument.0 as usize];
        events.push(Event::OrderRepriced(OrderRepriced {
            account_seq: self.accounts[order.account.0 as usize].next_seq(),
            instrument_seq: market.next_seq(),
            order,
        }));
        self.enter_again(order, node, events);
    }
}
