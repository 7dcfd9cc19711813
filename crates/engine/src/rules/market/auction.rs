//! The trades of an auction, all at the price that `equilibrium.rs` finds.
//!
//! Each trade takes the first order in the queue of either side, until one side has none left at
//! the price. The way of finding the price makes their sum its volume.

use types::{
    Amount, AuctionUncrossed, Event, ExpireCause, InstrumentId, Order, OrderStatus, Phase, Price,
    Qty, Side, TradeExecuted,
};

use crate::book::node::NodeId;
use crate::rules::market::equilibrium::Equilibrium;
use crate::rules::matching::matched::Match;
use crate::rules::matching::matched::count_fill;
use crate::rules::matching::special::Reduced;
use crate::state::Engine;
use crate::state::deferred::{Deferred, PhaseChange, Uncrossing};

impl Engine {
    /// Starts the trades of an auction that found its price.
    pub(super) fn begin_uncrossing(
        &mut self,
        equilibrium: Equilibrium,
        then: PhaseChange,
        events: &mut Vec<Event>,
    ) {
        let Equilibrium { price, volume, surplus, surplus_side } = equilibrium;
        let market = &mut self.markets[then.instrument.0 as usize];
        market.trading.set_reference(price);
        if market.trading.phase == Phase::OpeningAuction {
            market.trading.levels_had = 0;
        }
        events.push(Event::AuctionUncrossed(AuctionUncrossed {
            instrument_seq: market.next_seq(),
            instrument: then.instrument,
            price,
            volume,
            surplus,
            surplus_side,
        }));
        self.uncross(Uncrossing { price, then }, events);
    }

    /// Trades of an auction, as far as the command's work goes, and then the phase change after
    /// them.
    pub(crate) fn uncross(&mut self, uncrossing: Uncrossing, events: &mut Vec<Event>) {
        let instrument = uncrossing.then.instrument;
        while let Some((bid, ask)) = self.uncross_next(instrument, uncrossing.price) {
            if !self.spend_work() {
                return self.deferred.push_front(Deferred::Uncross(uncrossing));
            }
            match self.uncross_clears(bid, ask, uncrossing.price) {
                Ok(()) => self.uncross_trade(bid, ask, uncrossing.price, events),
                Err(younger) => self.expire_open(younger, ExpireCause::NotAllowed, events),
            }
        }
        self.enter_phase(uncrossing.then, events);
    }
}

impl Engine {
    /// The first orders of both sides, if both may trade at `price`.
    fn uncross_next(&self, instrument: InstrumentId, price: Price) -> Option<(NodeId, NodeId)> {
        let market = &self.markets[instrument.0 as usize];
        let bid = market.front(&self.orders.nodes, Side::Buy)?;
        let ask = market.front(&self.orders.nodes, Side::Sell)?;
        (bid.price >= price && ask.price <= price).then_some((bid.node, ask.node))
    }

    /// Whether a trade keeps the clearing within the bounds of an amount; else the order that ends.
    fn uncross_clears(&self, bid: NodeId, ask: NodeId, price: Price) -> Result<(), NodeId> {
        if !self.has_clearing {
            return Ok(());
        }
        let nodes = &self.orders.nodes;
        let qty = nodes[bid].leaves_qty().min(nodes[ask].leaves_qty());
        let (bought, sold) = (self.orders.record(bid), self.orders.record(ask));
        let accounts = [bought.account, sold.account];
        if self.can_clear_between(accounts, bought.instrument, price, qty) {
            Ok(())
        } else {
            Err(if nodes[bid].order_id() < nodes[ask].order_id() { ask } else { bid })
        }
    }

    /// One trade between two resting orders, of which the older is the maker.
    fn uncross_trade(&mut self, bid: NodeId, ask: NodeId, price: Price, events: &mut Vec<Event>) {
        let nodes = &self.orders.nodes;
        let qty = nodes[bid].leaves_qty().min(nodes[ask].leaves_qty());
        let bid_is_older = self.orders.order_id(bid) < self.orders.order_id(ask);
        let (maker_node, taker_node) = if bid_is_older { (bid, ask) } else { (ask, bid) };
        let instrument = self.orders.record(bid).instrument;
        let quote = self.markets[instrument.0 as usize].instrument.notional(price, qty);
        let (maker, maker_reduced) = self.uncross_fill(maker_node, qty, quote);
        let (taker, taker_reduced) = self.uncross_fill(taker_node, qty, quote);
        let market = &mut self.markets[instrument.0 as usize];
        market.record_price(price);
        market.trading.record_trade(price, qty, self.now_ns);
        let (instrument_seq, trade_id) = (market.next_seq(), market.next_trade_id());
        let base = market.instrument.base_amount(qty);
        let matched = Match { trade_id, price, qty, base, quote };
        let (for_maker, for_taker) = self.settle(&maker, &taker, &matched);
        self.keep_trade((&maker).into(), true, &matched, &for_maker);
        self.keep_trade((&taker).into(), false, &matched, &for_taker);
        events.push(Event::TradeExecuted(TradeExecuted {
            instrument_seq,
            instrument,
            trade_id,
            price,
            qty,
            quote,
            side: taker.side,
            maker: for_maker.fill(&maker),
            taker: for_taker.fill(&taker),
        }));
        if let Some(reduced) = maker_reduced {
            self.emit_less(&maker, qty, reduced, events);
        }
        match taker_reduced {
            Some(reduced) => self.emit_less(&taker, qty, reduced, events),
            None => self.emit_reduced(&taker, qty, taker.leaves_qty(), events),
        }
        for order in [maker, taker] {
            if order.status == OrderStatus::Filled {
                self.finish(&order, events);
            }
            self.trade_in_list(&order, events);
        }
        self.keep_received([(&maker, &for_maker), (&taker, &for_taker)], base);
        for (order, reduced) in [(maker, maker_reduced), (taker, taker_reduced)] {
            if let Some(reduced) = reduced {
                self.emit_next(&order, reduced, events);
            }
        }
    }

    /// Takes `qty` of a resting order off its book. Returns the order's new state.
    fn uncross_fill(&mut self, node: NodeId, qty: Qty, quote: Amount) -> (Order, Option<Reduced>) {
        let mut order = self.orders.order(node);
        count_fill(&mut order, qty, quote, self.now_ns);
        if order.terms.is_some() {
            let reduced = self.fill_special(node, &order, qty, quote);
            return (order, Some(reduced));
        }
        let Self { markets, accounts, orders, now_ns, .. } = self;
        let market = &mut markets[order.instrument.0 as usize];
        if order.status == OrderStatus::Filled {
            market.index.remove(order.order_id.0);
            orders.detach(&mut accounts[order.account.0 as usize], node);
        } else {
            orders.count_fill(node, quote, *now_ns);
        }
        market.book.reduce(&mut orders.nodes, node, qty);
        (order, None)
    }
}
